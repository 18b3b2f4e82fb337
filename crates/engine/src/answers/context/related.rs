//! Callers, callees, implementations and users of the definitions in a package.

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

/// Number of definitions whose relations are included.
const SUBJECTS: usize = 8;

/// Maximum number of candidates of an edge that is included.
const MAX_GUESSES: usize = 3;

/// Maximum number of edges of one kind for the first definition, unless all are wanted; later
/// definitions have fewer.
const MAX_EDGES: usize = 12;

/// Minimum of that number.
const MIN_EDGES: usize = 3;

/// Relations to include.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    /// All references to the definitions, with all edges.
    AllReferences,
    /// Only types: supertypes and subtypes.
    Hierarchy,
    /// Callers, callees, implementations and users.
    Neighbours,
}

/// An end of edges with its relations.
struct RelatedEnd {
    end: End,
    /// Verb and object, with the lines of the end that contain the reference.
    relations: Vec<(String, Vec<u32>)>,
    certainty: Certainty,
}

/// Returns what is related to the first definitions: referring code before referenced code, the
/// first definition before the next. Also returns the number of dropped edges.
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
        collected.max_ends = match scope {
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
        let users = graph.users(own, ReferenceKind::USES)?;
        collected.add(users, scope, |link| &link.from, |kind| verb(kind, &name));
        // The calls of a type are those of its members.
        if !subject.symbol().kind.is_type() {
            let (used, _) = graph.used_by(subject, &[ReferenceKind::Call])?;
            collected.add(used, scope, |link| &link.to, |kind| passive(kind, &name));
        }
    }
    let items = collected.found.iter().map(|found| related_item(found, picked, scope)).collect();
    Ok((items, collected.dropped))
}

#[derive(Default)]
struct Collected {
    found: Vec<RelatedEnd>,
    graph: HashMap<(DocumentId, Option<u32>), usize>,
    /// Maximum number of ends that are added next.
    max_ends: usize,
    dropped: usize,
}

impl Collected {
    /// Adds edges, grouped by their far end.
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
        let mut count = 0;
        for link in links {
            let end = far(&link);
            // Tests have a section of their own.
            if !all && end.definition().is_some_and(|definition| is_test(&definition)) {
                continue;
            }
            let relation = say(link.kind);
            let known = self.graph.get(&end.key()).copied();
            if known.is_none() {
                count += 1;
                if count > self.max_ends {
                    self.dropped += 1;
                    continue;
                }
            }
            let at = known.unwrap_or_else(|| {
                self.found.push(RelatedEnd {
                    end: end.clone(),
                    relations: Vec::new(),
                    certainty: link.certainty,
                });
                self.graph.insert(end.key(), self.found.len() - 1);
                self.found.len() - 1
            });
            let found = &mut self.found[at];
            found.certainty = found.certainty.min(link.certainty);
            // Line numbers belong to the referring file: only those of the far end are shown.
            let line = (end.key() == link.from.key()).then_some(link.line);
            match found.relations.iter_mut().find(|(known, _)| *known == relation) {
                Some((_, lines)) => lines.extend(line),
                None => found.relations.push((relation, line.into_iter().collect())),
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

fn related_item(found: &RelatedEnd, picked: &[Definition], scope: Scope) -> ContextItem {
    let mut relations = Vec::new();
    for (relation, lines) in &found.relations {
        let mut lines = lines.clone();
        lines.sort_unstable();
        lines.dedup();
        let shown: Vec<String> = lines.iter().map(u32::to_string).collect();
        relations.push(match lines.len() {
            0 => relation.clone(),
            1 => format!("{relation} in line {}", shown[0]),
            _ => format!("{relation} in lines {}", shown.join(", ")),
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
    // A selected definition needs no declaration here, and for long lists only the lines matter.
    if !picked.contains(&definition) && scope != Scope::AllReferences {
        let declaration = declaration(&definition);
        item.details.extend(Some(declaration).filter(|detail| !detail.is_empty()));
    }
    item
}
