//! Parses queries about the graph.

use lore_engine::{Relation, ResearchQuestion};

use crate::report::UsageError;

/// The relation that a focus selects for a query that is only a name.
struct Focus {
    name: &'static str,
    relation: Relation,
    /// Number of steps, if the user gives none.
    depth: Option<usize>,
}

/// Every focus, sorted by name.
const FOCI: &[Focus] = &[
    Focus { name: "architecture", relation: Relation::Related, depth: None },
    Focus { name: "dependencies", relation: Relation::Dependencies, depth: None },
    Focus { name: "flow", relation: Relation::Callees, depth: Some(2) },
    Focus { name: "patterns", relation: Relation::Implementations, depth: None },
];

/// The names of all focuses.
pub fn focus_names() -> Vec<&'static str> {
    FOCI.iter().map(|focus| focus.name).collect()
}

/// Parses a query about the graph. Returns the question and the focus's default number of steps.
///
/// A focus applies only if the text is a single name and states no relation itself.
pub fn parse_question(
    text: &str,
    focus: Option<&str>,
) -> Result<(ResearchQuestion, Option<usize>), UsageError> {
    let relations: Vec<&str> = Relation::ALL.iter().map(|relation| relation.as_str()).collect();
    let hint = format!(
        "the relations are {}; for example, `lore research callers of save` or `lore research \
         path from main to save`",
        relations.join(", ")
    );
    if text.trim().is_empty() {
        return Err(UsageError::new("the question is empty").hint(hint));
    }
    if let Some(question) = ResearchQuestion::parse(text) {
        return Ok((question, None));
    }
    let mut words = text.split_whitespace();
    let focus = FOCI.iter().find(|known| Some(known.name) == focus);
    match (words.next(), words.next(), focus) {
        (Some(name), None, Some(focus)) => {
            let subject = Some(name.to_owned());
            let question = ResearchQuestion { relation: focus.relation, subject, object: None };
            Ok((question, focus.depth))
        }
        (Some(name), None, None) => {
            Err(UsageError::new(format!("`{name}` is only a name")).hint(hint))
        }
        _ => Err(UsageError::new(format!("could not understand the question `{text}`")).hint(hint)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_focus_applies_to_a_single_name() {
        let check = |text: &str, focus: Option<&str>, expected: &str| {
            let parsed = match parse_question(text, focus) {
                Ok((question, depth)) => {
                    let subject = question.subject.unwrap_or_default();
                    let depth = depth.map(|depth| format!(" {depth}")).unwrap_or_default();
                    format!("{} {subject}{depth}", question.relation.as_str())
                }
                Err(error) => error.to_string(),
            };
            assert_eq!(parsed, expected, "{text}");
        };
        check("Disk.save", Some("flow"), "callees Disk.save 2");
        check("Disk.save", Some("architecture"), "related Disk.save");
        check("Store", Some("patterns"), "implementations Store");
        check("src/store", Some("dependencies"), "dependencies src/store");
        check("callers of save", Some("flow"), "callers save");
        check("save", None, "`save` is only a name");
        check("save it", Some("flow"), "could not understand the question `save it`");
        check(" ", Some("flow"), "the question is empty");
        assert!(focus_names().is_sorted());
    }
}
