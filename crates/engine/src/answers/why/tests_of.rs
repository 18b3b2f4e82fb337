//! The tests that cover a definition: those that call it, those that call what calls it, and the test files
//! with its name.

use lore_index::IndexError;
use lore_schema::{Category, Filter, ReferenceKind, SourceName, Symbol};

use super::chain::Chain;
use crate::{
    Certainty, WhyCertainty, WhyHop, WhyKind,
    answers::context::{is_test, paired_tests},
    graph::{CodeGraph, Definition},
    response::id::symbol_id,
};

/// Maximum number of tests.
const MAX_TESTS: usize = 5;

/// Maximum number of definitions that a use may mean.
const MAX_NAMESAKES: usize = 2;

/// Maximum number of callers whose tests are looked up.
const MAX_CALLERS: usize = 12;

/// Adds the tests of a definition, or of a file.
pub(super) fn add_tests(
    chain: &mut Chain<'_>,
    graph: &CodeGraph<'_>,
    path: &str,
    symbol: Option<&Symbol>,
) -> Result<(), IndexError> {
    let mut count = 0;
    if let Some(symbol) = symbol {
        let own: Vec<Definition> = graph
            .definitions(&symbol.name)?
            .iter()
            .filter(|found| found.file.path == path && found.symbol().container == symbol.container)
            .cloned()
            .collect();
        count += add_callers(chain, graph, &own)?;
    }
    if count < MAX_TESTS {
        add_paired(chain, path, MAX_TESTS - count)?;
    }
    Ok(())
}

/// Adds the tests that use the definitions and, if there are none, those that use what uses them.
fn add_callers(
    chain: &mut Chain<'_>,
    graph: &CodeGraph<'_>,
    own: &[Definition],
) -> Result<usize, IndexError> {
    let mut direct = Vec::new();
    let mut between: Vec<Definition> = Vec::new();
    for link in graph.users(own, ReferenceKind::USES)? {
        let Some(user) = link.from.definition() else { continue };
        if is_test(&user) {
            direct.push((user, link.line, link.certainty, None));
        } else if link.certainty.candidates() == 1 && !between.contains(&user) {
            between.push(user);
        }
    }
    if direct.is_empty() {
        between.truncate(MAX_CALLERS);
        for user in &between {
            for link in graph.users(std::slice::from_ref(user), &[ReferenceKind::Call])? {
                // Of a name that other types have, too, the call may be another one.
                if !link.certainty.is_certain() {
                    continue;
                }
                let Some(test) = link.from.definition().filter(is_test) else { continue };
                let through = user.symbol().name.clone();
                direct.push((test, link.line, link.certainty, Some(through)));
            }
        }
    }
    direct.retain(|(.., certainty, _)| match certainty {
        Certainty::SameFile | Certainty::Import | Certainty::UniqueName => true,
        Certainty::OneOf(count) => *count <= MAX_NAMESAKES,
        Certainty::Outside => false,
    });
    direct.sort_by(|left, right| {
        let key = |test: &(Definition, u32, Certainty, Option<String>)| {
            (test.2, test.0.file.path.clone(), test.1)
        };
        key(left).cmp(&key(right))
    });
    let mut count = 0;
    for (test, line, certainty, through) in direct {
        if count == MAX_TESTS {
            break;
        }
        let key = format!("{}:{}", test.file.id.source, test.file.path);
        let id = symbol_id(&key, test.symbol());
        if chain.has(&id) {
            continue;
        }
        count += 1;
        let evidence = match &through {
            None => format!("uses it in line {line}"),
            Some(name) => format!("calls {name}, which uses it, in line {line}"),
        };
        let certainty = match certainty {
            Certainty::SameFile | Certainty::Import if through.is_none() => WhyCertainty::Certain,
            Certainty::SameFile | Certainty::Import | Certainty::UniqueName => WhyCertainty::Likely,
            Certainty::OneOf(_) | Certainty::Outside => WhyCertainty::Possible,
        };
        let symbol = test.symbol();
        chain.add(hop(
            id,
            symbol.name.clone(),
            &test.file.path,
            Some(symbol.line),
            evidence,
            certainty,
        ));
    }
    Ok(count)
}

/// Adds the test files with the name of a file.
fn add_paired(chain: &mut Chain<'_>, path: &str, limit: usize) -> Result<(), IndexError> {
    let Some(reader) = chain.reader(SourceName::Code) else { return Ok(()) };
    let filter = Filter { categories: vec![Category::Test], ..Filter::default() };
    let listing = reader.listing(&filter)?;
    let tests: Vec<&str> = listing.iter().map(|listed| listed.path).collect();
    let files = [path.to_owned()];
    for (test, _) in paired_tests(&files, &tests).into_iter().take(limit) {
        let id = format!("code:{test}");
        let is_known = chain
            .hops
            .iter()
            .any(|hop| hop.kind == WhyKind::Test && hop.path.as_deref() == Some(test));
        if is_known {
            continue;
        }
        let name = test.rsplit('/').next().unwrap_or(test).to_owned();
        let evidence = "has the name of the file".to_owned();
        chain.add(hop(id, name, test, None, evidence, WhyCertainty::Possible));
    }
    Ok(())
}

fn hop(
    id: String,
    title: String,
    path: &str,
    line: Option<u32>,
    evidence: String,
    certainty: WhyCertainty,
) -> WhyHop {
    WhyHop {
        path: Some(path.to_owned()),
        line,
        certainty,
        ..WhyHop::new(WhyKind::Test, id, title, evidence, None)
    }
}
