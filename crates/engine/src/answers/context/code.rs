//! The definitions of a package, related definitions, their tests and their commits.

use std::collections::{BTreeSet, HashMap, HashSet};

use lore_index::DocumentId;
use lore_schema::{Category, Field, Filter, SourceName, SymbolKind};

use super::{
    changes::{self, Change},
    definitions::{self, SelectionInput},
    package::{PackageBuilder, Task, files_of, near_the_best},
    prose,
    related::{self, Scope},
    section::{ContextItem, ContextSection, SectionName},
    tests_of,
    words::TaskWords,
};
use crate::{
    EngineError, Hit, SearchRequest,
    commits::{message, short},
    graph::{CodeGraph, Definition},
    query::facets,
};

/// Maximum number of tests found by the words of the task.
const MAX_TESTS: usize = 6;

/// Maximum number of commits.
const MAX_COMMITS: usize = 10;

/// The code of a package, collected so far.
struct Code<'a> {
    task: &'a Task<'a>,
    graph: &'a CodeGraph<'a>,
    /// Hits in code, best first.
    hits: &'a [Hit],
    /// Hits in tests, best first.
    tests: &'a [Hit],
    /// The selected definitions.
    picked: &'a [Definition],
    /// Documents by path.
    documents: &'a HashMap<String, DocumentId>,
    /// Paths of test files, and of all others.
    of_tests: &'a [&'a str],
    modules: &'a [&'a str],
    commits: &'a [Change],
}

impl PackageBuilder<'_> {
    /// Returns the sections about code. `typed` are files that the request names; `files` are those
    /// and the ones that were found.
    pub(super) fn code(
        &mut self,
        task: &Task<'_>,
        hits: &[Hit],
        typed: &[String],
        files: &[String],
    ) -> Result<Vec<ContextSection>, EngineError> {
        let is_of_tests = |filter: &mut Filter| filter.categories = vec![Category::Test];
        let tests = self.ask(SourceName::Code, &task.query, MAX_TESTS, is_of_tests)?;
        let commits = self.commits(task, files)?;
        let words = TaskWords::new(&task.query);
        let graph = self.snapshot.graph();
        let listing = graph.listing(&Filter::default())?;
        let documents: HashMap<String, DocumentId> =
            listing.iter().map(|listed| (listed.path.to_owned(), listed.id)).collect();
        let filter = Filter { categories: vec![Category::Test], ..Filter::default() };
        let of_tests: Vec<&str> =
            graph.listing(&filter)?.into_iter().map(|listed| listed.path).collect();
        let known: HashSet<&str> = of_tests.iter().copied().collect();
        let paths = listing.iter().map(|listed| listed.path);
        let modules: Vec<&str> = paths.filter(|path| !known.contains(path)).collect();
        let of_hits: Vec<String> = hits
            .iter()
            .filter(|hit| hit.category == Category::Test.as_str())
            .filter_map(|hit| hit.path.clone())
            .collect();
        let input = SelectionInput {
            hits,
            under_test: &tests_of::paired(&of_hits, &modules),
            files: typed,
            documents: &documents,
            words: &words,
            policy: &task.policy,
        };
        let (mut picked, beyond) = definitions::pick(&graph, &input)?;
        picked.retain(|definition| !self.is_pending(&definition.file.path));
        let code = Code {
            task,
            graph: &graph,
            hits,
            tests: &tests,
            picked: &picked,
            documents: &documents,
            of_tests: &of_tests,
            modules: &modules,
            commits: &commits,
        };
        let mut sections = vec![self.symbols(&code, beyond)?];
        sections.extend(code.related()?);
        sections.push(self.tests(&code, typed, files)?);
        sections.push(code.changes());
        Ok(sections)
    }

    fn symbols(&self, code: &Code<'_>, beyond: usize) -> Result<ContextSection, EngineError> {
        let task = code.task;
        let mut symbols = Vec::new();
        let mut texts: HashMap<&str, Option<String>> = HashMap::new();
        for definition in code.picked {
            let path = definition.file.path.as_str();
            let text = texts.entry(path).or_insert_with(|| {
                (task.level > 2).then(|| self.snapshot.tree.read_text(path).ok()).flatten()
            });
            let mut item = definitions::item(definition);
            let holds_others = definitions::holds_others(definition, code.picked);
            let text = text.as_deref();
            item.details =
                definitions::details(code.graph, definition, task.level, text, holds_others)?;
            let changes_it = |change: &&Change| change.files.iter().any(|file| file == path);
            if task.level > 2
                && let Some(last) = code.commits.iter().find(changes_it)
            {
                item.about.push(("last commit", short(&last.commit)));
            }
            symbols.push(item);
        }
        // Files without definitions are represented by their best passage.
        let listed_files: HashSet<&str> =
            code.picked.iter().map(|definition| definition.file.path.as_str()).collect();
        let passages = near_the_best(code.hits).filter(|hit| {
            hit.signature.is_none()
                && hit.category == Category::Own.as_str()
                && hit.path.as_deref().is_some_and(|path| !listed_files.contains(path))
        });
        let room = task.policy.max_symbols.saturating_sub(symbols.len());
        symbols.extend(passages.take(room).map(|hit| {
            let mut item = prose::found(hit);
            if task.level < 2 {
                item.details.clear();
            }
            item
        }));
        let command = ["search", "--in", "code", "--limit", "50", "--", task.title.as_str()];
        Ok(ContextSection {
            beyond,
            command: command.into_iter().map(str::to_owned).collect(),
            ..ContextSection::new(SectionName::Symbols, symbols)
        })
    }

    /// Finds tests by name, by their calls, and by the words of the task; also what is tested by a
    /// test file that the request names.
    fn tests(
        &self,
        code: &Code<'_>,
        typed: &[String],
        files: &[String],
    ) -> Result<ContextSection, EngineError> {
        let mut items = Vec::new();
        for (test, of) in tests_of::paired(files, code.of_tests) {
            items.push(tests_of::file(test, &code.names(test)?, format!("tests `{of}`")));
        }
        let typed: Vec<String> =
            typed.iter().filter(|path| code.of_tests.contains(&path.as_str())).cloned().collect();
        for (module, of) in tests_of::paired(&typed, code.modules) {
            items.push(tests_of::file(module, &code.names(module)?, format!("tested by `{of}`")));
        }
        for (test, relation) in tests_of::callers(code.graph, code.picked)? {
            // For writing tests, existing tests are shown as examples.
            let text = (code.task.intent == "test")
                .then(|| self.snapshot.tree.read_text(&test.file.path).ok())
                .flatten();
            items.push(tests_of::test(&test, relation, text.as_deref()));
        }
        for hit in near_the_best(code.tests) {
            let is_listed = items.iter().any(|item: &ContextItem| item.id == hit.id);
            if !is_listed && !files_of(&items).contains(&hit.path.as_deref()) {
                items.push(prose::found(hit));
            }
        }
        Ok(ContextSection::new(SectionName::Tests, items))
    }

    /// Adds the commits that name the ticket, and those on the files; each newest first.
    fn commits(&mut self, task: &Task<'_>, files: &[String]) -> Result<Vec<Change>, EngineError> {
        let mut named: Vec<Change> = Vec::new();
        if let Some(id) = task.ticket.and_then(|ticket| ticket.attributes.id.clone()) {
            let request =
                SearchRequest::new(format!("\"{}\"", id.replace('"', " "))).with_limit(MAX_COMMITS);
            let found = self.search_source(SourceName::Git, &request)?;
            if let Some(reader) = self.reader(SourceName::Git) {
                let hashes: BTreeSet<&str> =
                    found.iter().filter_map(|hit| hit.id.strip_prefix("git:")).collect();
                let mut ids = Vec::new();
                for hash in hashes {
                    let term = facets::value_term("id", &hash[..hash.len().min(10)]);
                    let holders = reader.holders(Field::Facets, &term, 2)?;
                    ids.extend(holders.into_iter().map(|holder| holder.document));
                }
                ids.sort_unstable();
                for commit in reader.documents(&ids)? {
                    if names(message(&commit), &id) {
                        named.push(Change { commit, files: Vec::new() });
                    }
                }
            }
            named.sort_by(|left, right| {
                let key = |change: &Change| {
                    (change.commit.attributes.updated, change.commit.key.locator.clone())
                };
                key(right).cmp(&key(left))
            });
        }
        if let Some(reader) = self.reader(SourceName::Git) {
            let known: HashSet<String> =
                named.iter().map(|change| change.commit.key.locator.clone()).collect();
            let on_files = changes::on_files(reader, files)?;
            named.extend(
                on_files.into_iter().filter(|change| !known.contains(&change.commit.key.locator)),
            );
        }
        Ok(named)
    }
}

impl Code<'_> {
    fn related(&self) -> Result<Option<ContextSection>, EngineError> {
        let scope = match (self.task.policy.include_related, self.task.intent) {
            (true, "refactor") => Scope::AllReferences,
            (true, _) => Scope::Neighbours,
            (false, "explain") => Scope::Hierarchy,
            (false, _) => return Ok(None),
        };
        let (items, beyond) = related::related(self.graph, self.picked, scope)?;
        let command = self.picked.first().map(|first| {
            let question = format!("references to {}", definitions::qualified(first));
            vec!["research".to_owned(), question]
        });
        Ok(Some(ContextSection {
            beyond,
            command: command.unwrap_or_default(),
            ..ContextSection::new(SectionName::Related, items)
        }))
    }

    /// Returns the names of the functions in a file.
    fn names(&self, path: &str) -> Result<Vec<String>, EngineError> {
        let Some(id) = self.documents.get(path) else { return Ok(Vec::new()) };
        let file = self.graph.file(*id)?;
        let functions = Definition::all(&file).filter(|definition| {
            matches!(definition.symbol().kind, SymbolKind::Function | SymbolKind::Method)
        });
        Ok(functions.map(|definition| definition.symbol().name.clone()).collect())
    }

    /// Returns the commits that name the ticket and, if the policy includes them, those on the
    /// files.
    fn changes(&self) -> ContextSection {
        let task = self.task;
        let (named, on_files): (Vec<&Change>, Vec<&Change>) =
            self.commits.iter().partition(|change| change.files.is_empty());
        let mut items: Vec<ContextItem> = named
            .iter()
            .map(|change| changes::item(&change.commit, "names the ticket".to_owned()))
            .collect();
        let mut beyond = 0;
        if task.policy.include_git_context || !named.is_empty() {
            let (sweeps, small): (Vec<&Change>, Vec<&Change>) =
                on_files.into_iter().partition(|change| changes::is_sweep(&change.commit));
            let shown = if small.is_empty() { sweeps } else { small };
            let room = MAX_COMMITS.saturating_sub(items.len());
            beyond = shown.len().saturating_sub(room);
            items.extend(shown.into_iter().take(room).map(|change| {
                let paths: Vec<String> =
                    change.files.iter().map(|path| format!("`{path}`")).collect();
                changes::item(&change.commit, format!("changes {}", paths.join(", ")))
            }));
        }
        ContextSection { beyond, ..ContextSection::new(SectionName::Commits, items) }
    }
}

/// Returns true if a text contains an identifier as a whole word.
fn names(text: &str, id: &str) -> bool {
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let text = text.to_lowercase();
    let id = id.to_lowercase();
    text.match_indices(&id).any(|(at, found)| {
        let after = text[at + found.len()..].chars().next();
        !is_part(text[..at].chars().next_back()) && !is_part(after)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identifier_is_a_word() {
        assert!(names("cache: warm up (#CACHE-017)", "CACHE-017"));
        assert!(names("Closes cache-017.", "CACHE-017"));
        assert!(!names("see CACHE-0171", "CACHE-017"));
        assert!(!names("see XCACHE-017", "CACHE-017"));
    }
}
