//! Collects nodes and edges without duplicates.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    rc::Rc,
};

use lore_index::DocumentId;

use crate::{
    Certainty, EdgeKind, GraphEdge, GraphNode,
    graph::{
        code_graph::File,
        edge::{End, Link},
    },
    response::id::symbol_id,
};

/// Maximum number of partly parsed files to name.
const MAX_PARTLY: usize = 10;

/// The end of an edge that answers the question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Side {
    /// The referring end.
    #[default]
    From,
    /// The end referred to.
    To,
}

/// Nodes and edges found so far.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is independent of the others")]
pub(crate) struct Findings {
    /// The nodes.
    pub(crate) nodes: Vec<GraphNode>,
    /// The edges.
    pub(crate) edges: Vec<GraphEdge>,
    /// Indices of the subjects.
    pub(crate) subjects: Vec<usize>,
    /// Number of names that are not defined in the tree.
    pub(crate) outside: usize,
    /// True if the other end of a path is defined.
    pub(crate) has_object: bool,
    /// True if the edges keep the order in which they were added.
    pub(crate) keep_order: bool,
    /// True if there were more edges than the limit.
    pub(crate) is_cut: bool,
    limit: usize,
    answers_with: Side,
    admitted: Option<HashSet<DocumentId>>,
    /// True if guesses count like other edges.
    with_guesses: bool,
    /// Edges by name alone with their steps, which are shown only if there are no others.
    aside: Vec<(Link, usize)>,
    numbers: HashMap<Key, usize>,
    known: HashMap<(usize, usize, EdgeKind, Option<u32>), usize>,
    partly: BTreeSet<String>,
}

#[derive(Debug, PartialEq, Eq, Hash)]
enum Key {
    Definition(DocumentId, Option<u32>),
    Name(String),
}

impl Findings {
    /// Creates a collection for up to `limit` edges. The `side` of each edge answers the question
    /// and must be admitted.
    pub(crate) fn new(
        limit: usize,
        answers_with: Side,
        admitted: Option<HashSet<DocumentId>>,
        with_guesses: bool,
    ) -> Findings {
        Findings {
            limit,
            answers_with,
            admitted,
            with_guesses,
            has_object: true,
            ..Findings::default()
        }
    }

    /// Decides what becomes of the guesses, then sorts the edges.
    pub(crate) fn finish(&mut self) {
        if self.edges.is_empty() {
            self.with_guesses = true;
            for (link, depth) in std::mem::take(&mut self.aside) {
                self.add(&link, depth);
            }
        }
        self.sort();
    }

    /// Returns the number of guesses that are not shown, those of one line counted once.
    pub(crate) fn guesses(&self) -> usize {
        let places = self.aside.iter().map(|(link, _)| (link.from.file.id, link.line, link.kind));
        places.collect::<HashSet<_>>().len()
    }

    /// Returns true if there is no room for another edge.
    pub(crate) fn is_full(&self) -> bool {
        self.edges.len() >= self.limit
    }

    /// Adds a subject.
    pub(crate) fn subject(&mut self, end: &End) {
        let node = self.node(end);
        if !self.subjects.contains(&node) {
            self.subjects.push(node);
        }
    }

    /// Adds an edge.
    pub(crate) fn add(&mut self, link: &Link, depth: usize) {
        if link.from.file.outline.has_errors && self.partly.len() < MAX_PARTLY {
            self.partly.insert(link.from.file.path.clone());
        }
        let answer = match self.answers_with {
            Side::From => &link.from,
            Side::To => &link.to,
        };
        if self.admitted.as_ref().is_some_and(|admitted| !admitted.contains(&answer.file.id)) {
            return;
        }
        let is_guess = matches!(link.certainty, Certainty::OneOf(count) if count > super::MAX_GUESSES)
            && !link.is_one_asked;
        if is_guess && !self.with_guesses {
            self.aside.push((link.clone(), depth));
            return;
        }
        let from = self.node(&link.from);
        let to = match &link.outside {
            Some(name) => self.named(name, "name", false),
            None => self.node(&link.to),
        };
        self.push(GraphEdge {
            from,
            to,
            kind: link.kind,
            certainty: link.certainty,
            line: Some(link.line),
            depth,
            count: 1,
        });
    }

    /// Adds an edge between nodes, or increases its count.
    pub(crate) fn push(&mut self, edge: GraphEdge) {
        let key = (edge.from, edge.to, edge.kind, edge.line);
        if let Some(known) = self.known.get(&key) {
            self.edges[*known].count += edge.count;
            self.edges[*known].certainty = self.edges[*known].certainty.min(edge.certainty);
            return;
        }
        if self.is_full() {
            self.is_cut = true;
            return;
        }
        self.known.insert(key, self.edges.len());
        self.edges.push(edge);
    }

    /// Returns the node of a file, a folder or a name outside the tree.
    pub(crate) fn named(&mut self, name: &str, kind: &'static str, in_tree: bool) -> usize {
        if let Some(number) = self.numbers.get(&Key::Name(name.to_owned())) {
            return *number;
        }
        self.numbers.insert(Key::Name(name.to_owned()), self.nodes.len());
        self.nodes.push(GraphNode {
            id: name.to_owned(),
            name: name.to_owned(),
            kind,
            path: in_tree.then(|| name.to_owned()),
            line: None,
            signature: None,
        });
        self.nodes.len() - 1
    }

    fn node(&mut self, end: &End) -> usize {
        let key = Key::Definition(end.file.id, end.symbol);
        if let Some(number) = self.numbers.get(&key) {
            return *number;
        }
        self.numbers.insert(key, self.nodes.len());
        self.nodes.push(describe(&end.file, end.symbol));
        self.nodes.len() - 1
    }

    /// Returns the paths of files with text that the parser could not read.
    pub(crate) fn partly_parsed(&self) -> Vec<String> {
        self.partly.iter().cloned().collect()
    }

    /// Sorts the edges: nearest first, most certain first, then by position.
    fn sort(&mut self) {
        if self.keep_order {
            return;
        }
        let nodes = &self.nodes;
        let certainty = |certainty: Certainty| match certainty {
            // Both are certain, so they rank equally.
            Certainty::SameFile => Certainty::Import,
            other => other,
        };
        self.edges.sort_by(|left, right| {
            let path = |edge: &GraphEdge| nodes[edge.from].path.as_deref().unwrap_or("");
            left.depth
                .cmp(&right.depth)
                .then_with(|| certainty(left.certainty).cmp(&certainty(right.certainty)))
                .then_with(|| right.count.cmp(&left.count))
                .then_with(|| path(left).cmp(path(right)))
                .then_with(|| left.line.cmp(&right.line))
        });
    }
}

fn describe(file: &Rc<File>, symbol: Option<u32>) -> GraphNode {
    let key = format!("{}:{}", file.id.source, file.path);
    let Some(symbol) = symbol.map(|index| file.symbol(index)) else {
        return GraphNode {
            id: key,
            name: file.path.clone(),
            kind: "file",
            path: Some(file.path.clone()),
            line: None,
            signature: None,
        };
    };
    let container =
        symbol.container.as_ref().map(|container| format!("{container}.")).unwrap_or_default();
    GraphNode {
        id: symbol_id(&key, symbol),
        name: format!("{container}{}", symbol.name),
        kind: symbol.kind.as_str(),
        path: Some(file.path.clone()),
        line: Some(symbol.line),
        signature: Some(symbol.signature.clone()).filter(|line| !line.is_empty()),
    }
}
