//! Code outside of a change that uses what it changes: callers and tests.

use std::collections::HashSet;

use lore_index::IndexError;
use lore_schema::{Category, Field, ReferenceKind};

use super::{
    ReviewContext,
    related::{Related, Signal},
};
use crate::{
    Certainty, DefinitionChange, ReviewFinding, ReviewKind, ReviewedDefinition, WhyCertainty,
    answers::context::is_test,
    graph::{CodeGraph, Definition, Link},
    query::reference_term,
};

/// Maximum number of definitions whose uses are looked up.
const MAX_DEFINITIONS: usize = 200;

/// Maximum number of callers of a changed definition whose tests are looked up.
const MAX_BETWEEN: usize = 12;

/// A use of a changed definition outside of the changed lines.
struct Use {
    link: Link,
    user: Option<Definition>,
    is_of_test: bool,
    certainty: WhyCertainty,
}

impl Use {
    fn path(&self) -> &str {
        &self.link.from.file.path
    }
}

/// Finds the uses of the changed definitions of a file.
pub(super) fn users_of(
    context: &ReviewContext<'_>,
    graph: &CodeGraph<'_>,
    path: &str,
    definitions: &[ReviewedDefinition],
    related: &mut Related,
) -> Result<Vec<ReviewFinding>, IndexError> {
    let mut found = Vec::new();
    for definition in definitions.iter().take(MAX_DEFINITIONS) {
        match definition.change {
            DefinitionChange::Added | DefinitionChange::Moved => {}
            DefinitionChange::Removed => {
                found.extend(users_of_removed(context, graph, definition, related)?);
            }
            DefinitionChange::Body | DefinitionChange::Signature => {
                found.extend(users_of_changed(context, graph, path, definition, related)?);
            }
        }
    }
    Ok(found)
}

fn users_of_changed(
    context: &ReviewContext<'_>,
    graph: &CodeGraph<'_>,
    path: &str,
    definition: &ReviewedDefinition,
    related: &mut Related,
) -> Result<Vec<ReviewFinding>, IndexError> {
    let own: Vec<Definition> = graph
        .definitions(&definition.bare)?
        .iter()
        .filter(|known| known.file.path == path && known.symbol().container == definition.container)
        .cloned()
        .collect();
    let mut uses = Vec::new();
    for link in graph.users(&own, ReferenceKind::USES)? {
        let Some(certainty) = certainty(link.certainty) else { continue };
        let user = link.from.definition();
        let is_of_test = user.as_ref().map_or(link.from.file.category == Category::Test, is_test);
        uses.push(Use { link, user, is_of_test, certainty });
    }
    let is_broken = definition.change == DefinitionChange::Signature;
    let outside = |is_of_test: bool| {
        let files = uses.iter().filter(|of| of.is_of_test == is_of_test);
        let paths: HashSet<&str> =
            files.map(Use::path).filter(|path| !context.has_file(path)).collect();
        rarity(paths.len())
    };
    let (tests, others) = (outside(true), outside(false));
    let mut found: Vec<ReviewFinding> = Vec::new();
    for of in &uses {
        let is_outside = !context.has_file(of.path());
        let share = share(of.certainty);
        if of.is_of_test && is_outside && of.certainty != WhyCertainty::Possible {
            related.add(
                of.path(),
                Signal::Tested,
                share * tests,
                format!("tests {}", definition.name),
            );
            let finding = of_test(&of.link, of.user.as_ref(), definition, None, of.certainty);
            let is_same =
                |known: &ReviewFinding| (&known.path, known.line) == (&finding.path, finding.line);
            if !found.iter().any(is_same) {
                found.push(finding);
            }
        } else if is_broken && !context.has_line(of.path(), of.link.line) {
            let evidence = format!("uses {}, whose signature changed", definition.name);
            if is_outside {
                related.add(of.path(), Signal::Broken, share * others, evidence.clone());
            }
            found.push(caller(
                context,
                &of.link,
                of.user.as_ref(),
                definition,
                evidence,
                of.certainty,
            ));
        } else if !of.is_of_test && is_outside {
            related.add(
                of.path(),
                Signal::Used,
                share * others,
                format!("uses {}", definition.name),
            );
        }
    }
    if !uses.iter().any(|of| of.is_of_test) {
        let mut between: Vec<&Definition> = Vec::new();
        for of in uses.iter().filter(|of| of.certainty == WhyCertainty::Certain) {
            if let Some(user) = of.user.as_ref().filter(|user| !between.contains(user)) {
                between.push(user);
            }
        }
        between.truncate(MAX_BETWEEN);
        found.extend(tests_through(context, graph, &between, definition, related)?);
    }
    Ok(found)
}

/// The value of a use in one of several files: what everything uses says little about one of them.
fn rarity(files: usize) -> f64 {
    1.0 / f64::from(u32::try_from(files.max(1)).unwrap_or(u32::MAX)).sqrt()
}

/// The tests that call what uses a definition. Only resolved calls count, so that a chain of two guesses is
/// no evidence.
fn tests_through(
    context: &ReviewContext<'_>,
    graph: &CodeGraph<'_>,
    between: &[&Definition],
    definition: &ReviewedDefinition,
    related: &mut Related,
) -> Result<Vec<ReviewFinding>, IndexError> {
    let mut tests: Vec<(Link, Definition, &str)> = Vec::new();
    for user in between {
        for link in graph.users(std::slice::from_ref(*user), &[ReferenceKind::Call])? {
            let Some(test) = link.from.definition().filter(is_test) else { continue };
            let is_known = tests.iter().any(|(_, known, _)| *known == test);
            let is_certain = certainty(link.certainty) == Some(WhyCertainty::Certain);
            if is_certain && !is_known && !context.has_file(&link.from.file.path) {
                tests.push((link, test, user.symbol().name.as_str()));
            }
        }
    }
    let paths: HashSet<&str> =
        tests.iter().map(|(link, ..)| link.from.file.path.as_str()).collect();
    let value = rarity(paths.len());
    let mut found = Vec::new();
    for (link, test, through) in &tests {
        let evidence = format!("tests {through}, which uses {}", definition.name);
        related.add(&link.from.file.path, Signal::Through, value, evidence);
        let certainty = WhyCertainty::Likely;
        found.push(of_test(link, Some(test), definition, Some(through), certainty));
    }
    Ok(found)
}

/// The uses of a name that nothing defines any more.
fn users_of_removed(
    context: &ReviewContext<'_>,
    graph: &CodeGraph<'_>,
    definition: &ReviewedDefinition,
    related: &mut Related,
) -> Result<Vec<ReviewFinding>, IndexError> {
    let mut found = Vec::new();
    if !graph.definitions(&definition.bare)?.is_empty() {
        return Ok(found);
    }
    let mut seen: HashSet<(String, u32)> = HashSet::new();
    for kind in ReferenceKind::USES {
        for file in graph.files_with(Field::References, &reference_term(*kind, &definition.bare))? {
            for reference in &file.outline.references {
                let is_use = reference.name == definition.bare && reference.kind == *kind;
                let is_new = is_use && seen.insert((file.path.clone(), reference.line));
                if !is_new || context.has_line(&file.path, reference.line) {
                    continue;
                }
                let evidence = format!("uses {}, which is removed", definition.name);
                if !context.has_file(&file.path) {
                    related.add(&file.path, Signal::Broken, 0.7, evidence.clone());
                }
                let around = reference.within.map(|at| file.symbol(at).name.clone());
                found.push(ReviewFinding {
                    support: None,
                    kind: ReviewKind::Caller,
                    path: Some(file.path.clone()),
                    line: Some(reference.line),
                    name: around.unwrap_or_else(|| file.path.clone()),
                    subject: definition.name.clone(),
                    evidence,
                    quote: context.line_of(&file.path, reference.line),
                    certainty: WhyCertainty::Likely,
                });
            }
        }
    }
    Ok(found)
}

fn caller(
    context: &ReviewContext<'_>,
    link: &Link,
    user: Option<&Definition>,
    definition: &ReviewedDefinition,
    evidence: String,
    certainty: WhyCertainty,
) -> ReviewFinding {
    let path = link.from.file.path.clone();
    ReviewFinding {
        support: None,
        kind: ReviewKind::Caller,
        line: Some(link.line),
        name: user.map_or_else(|| path.clone(), |user| user.symbol().name.clone()),
        subject: definition.name.clone(),
        evidence,
        quote: context.line_of(&path, link.line),
        certainty,
        path: Some(path),
    }
}

fn of_test(
    link: &Link,
    test: Option<&Definition>,
    definition: &ReviewedDefinition,
    through: Option<&str>,
    certainty: WhyCertainty,
) -> ReviewFinding {
    let path = link.from.file.path.clone();
    let line = test.map_or(link.line, |test| test.symbol().line);
    ReviewFinding {
        support: None,
        kind: ReviewKind::Test,
        line: Some(line),
        name: test.map_or_else(|| path.clone(), |test| test.symbol().name.clone()),
        subject: definition.name.clone(),
        evidence: match through {
            Some(through) => format!("calls {through}, which uses {}", definition.name),
            None => format!("uses {} in line {}", definition.name, link.line),
        },
        quote: String::new(),
        certainty,
        path: Some(path),
    }
}

/// The certainty of an edge; `None` for one that is not shown.
fn certainty(of: Certainty) -> Option<WhyCertainty> {
    match of {
        Certainty::SameFile | Certainty::Import => Some(WhyCertainty::Certain),
        Certainty::UniqueName => Some(WhyCertainty::Likely),
        Certainty::OneOf(count) if count <= 3 => Some(WhyCertainty::Possible),
        Certainty::OneOf(_) | Certainty::Outside => None,
    }
}

fn share(certainty: WhyCertainty) -> f64 {
    match certainty {
        WhyCertainty::Certain => 1.0,
        WhyCertainty::Likely => 0.7,
        WhyCertainty::Possible => 0.3,
    }
}
