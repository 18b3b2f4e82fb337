//! Parses a question in words into a relation and its names.

use crate::{Relation, ResearchQuestion};

/// Words of a question that carry no meaning.
const FILLERS: &[&str] = &[
    "a",
    "all",
    "an",
    "any",
    "are",
    "class",
    "classes",
    "code",
    "directly",
    "do",
    "does",
    "every",
    "find",
    "function",
    "functions",
    "give",
    "i",
    "in",
    "interface",
    "is",
    "it",
    "list",
    "me",
    "method",
    "methods",
    "module",
    "modules",
    "please",
    "protocol",
    "show",
    "struct",
    "structs",
    "that",
    "the",
    "there",
    "things",
    "this",
    "to",
    "trait",
    "type",
    "types",
];

/// Templates of questions, applied after the fillers are removed. `X` and `Y` are names; the first
/// template that fits wins.
const TEMPLATES: &[(&str, Relation)] = &[
    ("implementations of X", Relation::Implementations),
    ("implementation of X", Relation::Implementations),
    ("implementers of X", Relation::Implementations),
    ("implementors of X", Relation::Implementations),
    ("subclasses of X", Relation::Implementations),
    ("subtypes of X", Relation::Implementations),
    ("what implements X", Relation::Implementations),
    ("which implements X", Relation::Implementations),
    ("who implements X", Relation::Implementations),
    ("which implement X", Relation::Implementations),
    ("what conforms X", Relation::Implementations),
    ("which conform X", Relation::Implementations),
    ("what extends X", Relation::Implementations),
    ("which extend X", Relation::Implementations),
    ("what inherits from X", Relation::Implementations),
    ("which inherit from X", Relation::Implementations),
    ("what derives X", Relation::Implementations),
    ("implements X", Relation::Implementations),
    ("X implementations", Relation::Implementations),
    ("callers of X", Relation::Callers),
    ("caller of X", Relation::Callers),
    ("call sites of X", Relation::Callers),
    ("calls of X", Relation::Callers),
    ("what calls X", Relation::Callers),
    ("who calls X", Relation::Callers),
    ("which call X", Relation::Callers),
    ("which calls X", Relation::Callers),
    ("X callers", Relation::Callers),
    ("where X called", Relation::Callers),
    ("from where X called", Relation::Callers),
    ("callees of X", Relation::Callees),
    ("what X call", Relation::Callees),
    ("what called by X", Relation::Callees),
    ("which called by X", Relation::Callees),
    ("what X reach", Relation::Callees),
    ("trace call graph from X", Relation::Callees),
    ("trace call graph of X", Relation::Callees),
    ("call graph from X", Relation::Callees),
    ("call graph of X", Relation::Callees),
    ("trace calls from X", Relation::Callees),
    ("trace X", Relation::Callees),
    ("references X", Relation::References),
    ("references of X", Relation::References),
    ("usages of X", Relation::References),
    ("uses of X", Relation::References),
    ("what uses X", Relation::References),
    ("who uses X", Relation::References),
    ("which use X", Relation::References),
    ("which uses X", Relation::References),
    ("X usages", Relation::References),
    ("what breaks if X changes", Relation::References),
    ("what breaks if X changed", Relation::References),
    ("what breaks if change X", Relation::References),
    ("what breaks when X changes", Relation::References),
    ("what happens if X changes", Relation::References),
    ("what affected by X", Relation::References),
    ("what references X", Relation::References),
    ("where X used", Relation::References),
    ("where X referenced", Relation::References),
    ("path from X Y", Relation::Path),
    ("path X Y", Relation::Path),
    ("how X reach Y", Relation::Path),
    ("how X get Y", Relation::Path),
    ("how X call Y", Relation::Path),
    ("how from X Y", Relation::Path),
    ("related X", Relation::Related),
    ("what related X", Relation::Related),
    ("related components of X", Relation::Related),
    ("related components X", Relation::Related),
    ("components related X", Relation::Related),
    ("what components related X", Relation::Related),
    ("what belongs X", Relation::Related),
    ("what belongs with X", Relation::Related),
    ("what belongs together with X", Relation::Related),
    ("what with X", Relation::Related),
    ("dependencies of X", Relation::Dependencies),
    ("what X depend on", Relation::Dependencies),
    ("dependents of X", Relation::Dependents),
    ("what depends on X", Relation::Dependents),
    ("who depends on X", Relation::Dependents),
    ("what X import", Relation::Dependencies),
    ("what imports X", Relation::Dependents),
    ("who imports X", Relation::Dependents),
    ("dependencies", Relation::Dependencies),
    ("dependencies between", Relation::Dependencies),
    ("dependency graph", Relation::Dependencies),
    ("graph", Relation::Dependencies),
];

/// Parses a question; `None` if it contains no relation.
pub(crate) fn ask(text: &str) -> Option<ResearchQuestion> {
    let words: Vec<&str> = text
        .split_whitespace()
        .map(|word| {
            word.trim_matches(|letter: char| {
                matches!(letter, '?' | '!' | ',' | '"' | '\'' | '`' | ';')
            })
            .trim_end_matches("()")
            .trim_end_matches('.')
        })
        .filter(|word| !word.is_empty())
        .collect();
    TEMPLATES.iter().find_map(|(template, relation)| {
        let mut names = fit(template, &words)?.into_iter();
        Some(ResearchQuestion { relation: *relation, subject: names.next(), object: names.next() })
    })
}

/// Returns the names in the slots of a template if the words fit it. Fillers in between are
/// skipped, unless a filler is the only word left for a slot.
fn fit(template: &str, words: &[&str]) -> Option<Vec<String>> {
    let is_filler = |word: &str| FILLERS.contains(&word.to_ascii_lowercase().as_str());
    let pattern: Vec<&str> = template.split(' ').collect();
    let kept: Vec<&str> = words.iter().copied().filter(|word| !is_filler(word)).collect();
    let matched = |words: &[&str]| {
        if words.len() != pattern.len() {
            return None;
        }
        let mut names = Vec::new();
        for (expected, word) in pattern.iter().zip(words) {
            match *expected {
                "X" | "Y" => names.push((*word).to_owned()),
                expected if word.eq_ignore_ascii_case(expected) => {}
                _ => return None,
            }
        }
        Some(names)
    };
    // `path from main` lacks a name; `callers of from` has one.
    let is_name = |names: &Vec<String>| {
        let last = words.last().copied().unwrap_or_default();
        names.iter().all(|name| {
            !LINKS.contains(&name.to_ascii_lowercase().as_str())
                || (name == last && template.starts_with("call"))
        })
    };
    matched(&kept).or_else(|| matched(words)).filter(is_name)
}

/// Words between a relation and its names.
const LINKS: &[&str] = &["by", "from", "of", "on", "to", "with"];

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<(Relation, &str)>) {
        let parsed = ask(text).map(|question| {
            let names: Vec<String> = question.subject.into_iter().chain(question.object).collect();
            (question.relation, names.join(" "))
        });
        let expected = expected.map(|(relation, names)| (relation, names.to_owned()));
        assert_eq!(parsed, expected, "{text}");
    }

    #[test]
    fn questions_are_parsed() {
        check("implementations of ChunkStore", Some((Relation::Implementations, "ChunkStore")));
        check("what implements ChunkStore?", Some((Relation::Implementations, "ChunkStore")));
        check("Which types implement the trait Store?", Some((Relation::Implementations, "Store")));
        check("what calls searchRaw", Some((Relation::Callers, "searchRaw")));
        check("Who calls `Disk::save()`?", Some((Relation::Callers, "Disk::save")));
        check("where is save called?", Some((Relation::Callers, "save")));
        check("what does main call", Some((Relation::Callees, "main")));
        check("references to Row", Some((Relation::References, "Row")));
        check("path from main to save", Some((Relation::Path, "main save")));
        check("how does main reach save?", Some((Relation::Path, "main save")));
        check("what is related to Row", Some((Relation::Related, "Row")));
        check("dependencies", Some((Relation::Dependencies, "")));
        check("dependencies between modules", Some((Relation::Dependencies, "")));
        check("trace call graph from searchIndex", Some((Relation::Callees, "searchIndex")));
        check("Trace the call graph from `main`", Some((Relation::Callees, "main")));
        check("related components of Engine", Some((Relation::Related, "Engine")));
        check("what breaks if I change Row?", Some((Relation::References, "Row")));
        check("dependencies of src/store", Some((Relation::Dependencies, "src/store")));
        check("what depends on src/store", Some((Relation::Dependents, "src/store")));
        check("callers of from", Some((Relation::Callers, "from")));
        check("path from main", None);
        check("related to", None);
        check("callers of list", Some((Relation::Callers, "list")));
        check("how is a refund retried", None);
        check("", None);
    }
}
