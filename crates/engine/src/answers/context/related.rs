//! What calls, is called by, implements or uses the definitions of a package.

use std::collections::HashMap;

use lore_index::{DocumentId, IndexError};
use lore_schema::{ReferenceKind, SymbolKind};

use super::{
    definitions::{declaration, is_test, item, qualified},
    section::ContextItem,
};
use crate::{
    Certainty, EdgeKind,
    graph::{CodeGraph, Definition, End, Link},
};

/// Definitions whose relations are told.
const SUBJECTS: usize = 8;

/// Most definitions of a name among which one is meant for an edge to be told.
const MAX_GUESSES: usize = 3;

/// Most ends of the first definition's edges of one kind, unless all are asked for; the next ones have
/// fewer.
const MAX_EDGES: usize = 12;

/// Least of that.
const MIN_EDGES: usize = 3;

/// Which relations are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    /// Every place that names the definitions, with all edges.
    AllReferences,
    /// Types alone: what they are, and who is it.
    Hierarchy,
    /// Callers, callees, implementations and users.
    Neighbours,
}

/// What is told of one end of edges.
struct Found {
    end: End,
    /// Verb and what it is said of, with lines where the end says it.
    said: Vec<(String, Vec<u32>)>,
    certainty: Certainty,
}

/// What belongs together with the first of some definitions: who names them before what they name,
/// the first definition's before the next one's; and how many edges were left out.
pub(super) fn related(
    graph: &CodeGraph<'_>,
    picked: &[Definition],
    scope: Scope,
) -> Result<(Vec<ContextItem>, usize), IndexError> {
    let mut collected = Collected::default();
    let subjects = picked.iter().filter(|definition| {
        let kind = definition.symbol().kind;
        kind.is_type()
            || (scope != Scope::Hierarchy
                && matches!(
                    kind,
                    SymbolKind::Function
                        | SymbolKind::Method
                        | SymbolKind::Macro
                        | SymbolKind::Const
                ))
    });
    for (number, subject) in subjects.take(SUBJECTS).enumerate() {
        collected.most = match scope {
            Scope::AllReferences => usize::MAX,
            _ => (MAX_EDGES / (number + 1)).max(MIN_EDGES),
        };
        let own = std::slice::from_ref(subject);
        let name = qualified(subject);
        if subject.symbol().kind.is_type() {
            let implementers = graph.implementers(&subject.symbol().name, own, false)?;
            collected.add(implementers, scope, |link| &link.from, |kind| verb(kind, &name));
            let supertypes = graph.supertypes(subject)?;
            collected.add(supertypes, scope, |link| &link.to, |kind| passive(kind, &name));
        }
        if scope == Scope::Hierarchy {
            continue;
        }
        let users = graph.users(own, ReferenceKind::ALL)?;
        collected.add(users, scope, |link| &link.from, |kind| verb(kind, &name));
        // What a type calls is what its members call.
        if !subject.symbol().kind.is_type() {
            let (used, _) = graph.used_by(subject, &[ReferenceKind::Call])?;
            collected.add(used, scope, |link| &link.to, |kind| passive(kind, &name));
        }
    }
    let items = collected.found.iter().map(|found| told(found, picked, scope)).collect();
    Ok((items, collected.left_out))
}

#[derive(Default)]
struct Collected {
    found: Vec<Found>,
    graph: HashMap<(DocumentId, Option<u32>), usize>,
    /// Most ends of the edges that are added next.
    most: usize,
    left_out: usize,
}

impl Collected {
    /// Adds edges, each to what is told of its far end.
    fn add(
        &mut self,
        mut links: Vec<Link>,
        scope: Scope,
        far: fn(&Link) -> &End,
        say: impl Fn(EdgeKind) -> String,
    ) {
        let all = scope == Scope::AllReferences;
        links.retain(|link| match link.certainty {
            Certainty::Outside => false,
            Certainty::OneOf(count) => all || count <= MAX_GUESSES,
            Certainty::SameFile | Certainty::Import | Certainty::UniqueName => true,
        });
        links.sort_by(|left, right| {
            let key = |link: &Link| {
                let end = far(link);
                (link.certainty, end.file.path.clone(), end.symbol, link.line)
            };
            key(left).cmp(&key(right))
        });
        let mut told = 0;
        for link in links {
            let end = far(&link);
            // Tests have a section of their own.
            if !all && end.definition().is_some_and(|definition| is_test(&definition)) {
                continue;
            }
            let said = say(link.kind);
            let known = self.graph.get(&end.key()).copied();
            if known.is_none() {
                told += 1;
                if told > self.most {
                    self.left_out += 1;
                    continue;
                }
            }
            let at = known.unwrap_or_else(|| {
                self.found.push(Found {
                    end: end.clone(),
                    said: Vec::new(),
                    certainty: link.certainty,
                });
                self.graph.insert(end.key(), self.found.len() - 1);
                self.found.len() - 1
            });
            let found = &mut self.found[at];
            found.certainty = found.certainty.min(link.certainty);
            // Lines are those of the file that names: only that of the far end is told.
            let line = (end.key() == link.from.key()).then_some(link.line);
            match found.said.iter_mut().find(|(known, _)| *known == said) {
                Some((_, lines)) => lines.extend(line),
                None => found.said.push((said, line.into_iter().collect())),
            }
        }
    }
}

fn verb(kind: EdgeKind, name: &str) -> String {
    format!("{} `{name}`", kind.as_str())
}

fn passive(kind: EdgeKind, name: &str) -> String {
    let verb = match kind {
        EdgeKind::Calls => "called by",
        EdgeKind::Contains => "held by",
        EdgeKind::Derives => "derived by",
        EdgeKind::Extends => "extended by",
        EdgeKind::Implements => "implemented by",
        EdgeKind::Imports => "imported by",
        EdgeKind::Satisfies => "satisfied by",
        EdgeKind::Uses => "used by",
    };
    format!("{verb} `{name}`")
}

fn told(found: &Found, picked: &[Definition], scope: Scope) -> ContextItem {
    let mut relations = Vec::new();
    for (said, lines) in &found.said {
        let mut lines = lines.clone();
        lines.sort_unstable();
        lines.dedup();
        let shown: Vec<String> = lines.iter().map(u32::to_string).collect();
        relations.push(match lines.len() {
            0 => said.clone(),
            1 => format!("{said} in line {}", shown[0]),
            _ => format!("{said} in lines {}", shown.join(", ")),
        });
    }
    if let Certainty::OneOf(count) = found.certainty {
        relations.push(format!("by its name, which {count} definitions have"));
    }
    let relation = relations.join("; ");
    let Some(definition) = found.end.definition() else {
        return ContextItem {
            id: found.end.file.path.clone(),
            kind: "file".to_owned(),
            name: found.end.file.path.clone(),
            path: Some(found.end.file.path.clone()),
            relation,
            ..ContextItem::default()
        };
    };
    let mut item = item(&definition);
    item.relation = relation;
    // What is told as a definition already needs no declaration here, and of many places only the lines
    // matter.
    if !picked.contains(&definition) && scope != Scope::AllReferences {
        let declaration = declaration(&definition);
        item.details.extend(Some(declaration).filter(|detail| !detail.is_empty()));
    }
    item
}
