//! The sections of specs, decisions, pages, patterns and tickets.

use std::collections::HashSet;

use lore_schema::{Category, Document, Filter, SourceName};

use super::{
    package::{PackageBuilder, Task, files_of, near_the_best},
    prose,
    section::{ContextItem, ContextSection, SectionName},
    ticket,
    tickets::Tickets,
};
use crate::{EngineError, Hit, answers::owners};

/// Maximum number of specs found by the words of the task.
const MAX_SPECS: usize = 5;

/// Maximum number of decisions, of pages, and of patterns with examples.
const MAX_DOCUMENTS: usize = 3;

/// Maximum number of similar tickets.
const MAX_SIMILAR: usize = 5;

/// Minimum score of a pattern. It is higher because patterns match by chance more often.
const MIN_PATTERN: f32 = 0.45;

/// Minimum score of an example. Most best hits in code have a higher one.
const MIN_EXAMPLE: f32 = 0.6;

impl PackageBuilder<'_> {
    /// Returns the sections of specs, decisions, pages, patterns and tickets. `files` are the files of the
    /// task, and `named` are the paths that its ticket names.
    pub(super) fn texts(
        &mut self,
        task: &Task<'_>,
        tickets: &Tickets,
        files: &[String],
        named: &[&String],
    ) -> Result<Vec<ContextSection>, EngineError> {
        let passages = self.named_passages(task, named)?;
        let mut specs = self.known_specs(files, named, &passages)?;
        let decisions = self.found_specs(task, named, &mut specs)?;
        let docs = self.docs(task, named, &passages)?;
        let with_component = match &task.component {
            Some(component) => format!("{} {component}", task.query),
            None => task.query.clone(),
        };
        let patterns = self.patterns(&with_component)?;
        let similar = self.similar_tickets(task, tickets, &with_component)?;
        Ok(vec![
            ContextSection::new(SectionName::Specs, specs),
            ContextSection::new(SectionName::Decisions, decisions),
            ContextSection::new(SectionName::Docs, docs),
            ContextSection::new(SectionName::Patterns, patterns),
            ContextSection::new(SectionName::SimilarTickets, similar),
        ])
    }

    /// Returns the best passages of the specs and pages that the ticket names.
    fn named_passages(
        &mut self,
        task: &Task<'_>,
        named: &[&String],
    ) -> Result<Vec<Hit>, EngineError> {
        let mut passages = Vec::new();
        if !named.is_empty() {
            let only = |filter: &mut Filter| {
                filter.paths = named.iter().map(|&path| path.clone()).collect();
            };
            for source in [SourceName::Specs, SourceName::Docs] {
                passages.extend(self.ask(source, &task.query, named.len(), only)?);
            }
        }
        Ok(passages)
    }

    /// Returns the specs that the ticket names, and those that govern a file of the task.
    fn known_specs(
        &self,
        files: &[String],
        named: &[&String],
        passages: &[Hit],
    ) -> Result<Vec<ContextItem>, EngineError> {
        let tree = &self.snapshot.tree;
        let specs = lore_sources::read_documents(tree, SourceName::Specs, &|_| true)?;
        let mut items: Vec<ContextItem> = Vec::new();
        for path in named {
            if let Some(document) = specs.iter().find(|spec| spec.path == **path) {
                let relation = "named by the ticket".to_owned();
                items.push(prose::whole(document, relation, passage_of(passages, path)));
            }
        }
        for file in files {
            for owner in owners::owners(&specs, file).governing {
                let Some(document) = specs.iter().find(|spec| spec.path == owner.path) else {
                    continue;
                };
                let relation = format!("governs `{file}`");
                match items.iter_mut().find(|item| item.path.as_deref() == Some(&*owner.path)) {
                    Some(known) if known.relation.is_empty() => known.relation = relation,
                    Some(known) if known.relation.starts_with("governs") => {
                        known.relation = format!("{}, `{file}`", known.relation);
                    }
                    Some(_) => {}
                    None => items.push(prose::governing(&owner, document, relation)),
                }
            }
        }
        Ok(items)
    }

    /// Adds the specs that match the words of the task, and returns the decisions that do.
    fn found_specs(
        &mut self,
        task: &Task<'_>,
        named: &[&String],
        specs: &mut Vec<ContextItem>,
    ) -> Result<Vec<ContextItem>, EngineError> {
        let mut decisions = Vec::new();
        let found = self.ask(SourceName::Specs, &task.query, MAX_SPECS + MAX_DOCUMENTS, |_| {})?;
        for hit in near_the_best(&found) {
            let is_known = files_of(specs).contains(&hit.path.as_deref());
            if hit.kind == "decision" || hit.format.contains("adr") {
                decisions.push(prose::found(hit));
            } else if !is_known && specs.len() < MAX_SPECS.max(named.len()) {
                specs.push(prose::found(hit));
            }
        }
        if decisions.is_empty() {
            let kind = |filter: &mut Filter| filter.kinds = vec!["decision".to_owned()];
            let found = self.ask(SourceName::Specs, &task.query, MAX_DOCUMENTS, kind)?;
            decisions.extend(near_the_best(&found).map(prose::found));
        }
        decisions.truncate(MAX_DOCUMENTS);
        Ok(decisions)
    }

    /// Returns the pages that the ticket names, and those that match the words of the task.
    fn docs(
        &mut self,
        task: &Task<'_>,
        named: &[&String],
        passages: &[Hit],
    ) -> Result<Vec<ContextItem>, EngineError> {
        let mut docs: Vec<ContextItem> = Vec::new();
        let pages = lore_sources::read_documents(&self.snapshot.tree, SourceName::Docs, &|unit| {
            named.iter().any(|path| path.as_str() == unit)
        })?;
        docs.extend(pages.iter().map(|page| {
            let relation = "named by the ticket".to_owned();
            prose::whole(page, relation, passage_of(passages, &page.path))
        }));
        let found = self.ask(SourceName::Docs, &task.query, MAX_DOCUMENTS, |_| {})?;
        let others = near_the_best(&found)
            .filter(|hit| !hit.path.as_deref().is_some_and(is_changelog))
            .filter(|hit| !pages.iter().any(|page| Some(&page.path) == hit.path.as_ref()));
        docs.extend(others.map(prose::found));
        Ok(docs)
    }

    /// Returns patterns and examples for a query.
    fn patterns(&mut self, query: &str) -> Result<Vec<ContextItem>, EngineError> {
        let found = self.ask(SourceName::Patterns, query, MAX_DOCUMENTS, |_| {})?;
        let mut patterns: Vec<ContextItem> = near_the_best(&found)
            .filter(|hit| hit.score >= MIN_PATTERN)
            .map(prose::found)
            .collect();
        let of_examples = |filter: &mut Filter| filter.categories = vec![Category::Example];
        let found = self.ask(SourceName::Code, query, MAX_DOCUMENTS, of_examples)?;
        let examples = found.iter().filter(|hit| hit.score >= MIN_EXAMPLE);
        patterns.extend(examples.map(|hit| ContextItem {
            kind: Category::Example.as_str().to_owned(),
            ..prose::found(hit)
        }));
        patterns.truncate(MAX_DOCUMENTS);
        Ok(patterns)
    }

    /// Returns tickets for a query, apart from the task's own ticket and those linked to it.
    fn similar_tickets(
        &mut self,
        task: &Task<'_>,
        tickets: &Tickets,
        query: &str,
    ) -> Result<Vec<ContextItem>, EngineError> {
        let known: HashSet<String> = task.ticket.map_or_else(HashSet::new, |own| {
            let linked = tickets.linked(own);
            let linked = linked.iter().filter_map(|linked| linked.ticket);
            linked.chain([own]).map(|ticket| ticket.key.to_string()).collect()
        });
        let limit = MAX_SIMILAR + known.len().min(20);
        let found = self.ask(SourceName::Tickets, query, limit, |_| {})?;
        let similar = near_the_best(&found)
            .filter(|hit| !known.contains(hit.id.split_once(":#").map_or(&*hit.id, |(id, _)| id)))
            .map(|hit| {
                let is_hit = |document: &&Document| document.key.to_string() == hit.id;
                let ticket = tickets.all().iter().find(is_hit);
                ticket.map_or_else(|| prose::found(hit), ticket::item)
            });
        Ok(similar.take(MAX_SIMILAR).collect())
    }
}

/// Returns the passage of a document.
fn passage_of<'a>(passages: &'a [Hit], path: &str) -> Option<&'a Hit> {
    passages.iter().find(|hit| hit.path.as_deref() == Some(path))
}

/// Returns true if a page is a changelog, which mentions everything once.
fn is_changelog(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    ["changelog", "changes", "history", "release"].iter().any(|start| name.starts_with(start))
}
