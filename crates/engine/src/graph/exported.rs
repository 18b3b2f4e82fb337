//! Definitions of one tree for the questions of another, and their uses there.

use lore_schema::{Filter, ReferenceKind};

use super::{
    answer::{admitted, lines_of},
    code_graph::SOURCES,
    outside::Foreign,
    packages::{MANIFESTS, Package},
    research::{Findings, Side},
    symbols::exact_symbols,
};
use crate::{
    EngineConfig, EngineError, GraphEdge, GraphNode, IndexMode, Progress, ResearchRequest,
    state::refresh,
};

/// Maximum depth of the directory of a manifest.
const MAX_DEPTH: usize = 3;

/// Directories whose packages are not for others.
const INNER: &[&str] =
    &["example", "examples", "fixtures", "node_modules", "test", "testdata", "tests"];

/// Definitions of a name, with the packages of their tree.
#[derive(Debug, Default)]
pub(crate) struct Exported {
    definitions: Vec<Foreign>,
    packages: Vec<Package>,
}

impl Exported {
    /// Returns true if no other tree can import a definition.
    pub(crate) fn is_empty(&self) -> bool {
        self.definitions.is_empty() || self.packages.is_empty()
    }
}

/// Uses of definitions of another tree. The edges lead to a node with their name.
#[derive(Debug)]
pub(crate) struct ForeignUses {
    pub(crate) nodes: Vec<GraphNode>,
    pub(crate) edges: Vec<GraphEdge>,
    pub(crate) lines: Vec<Option<String>>,
    pub(crate) is_cut: bool,
}

/// Finds the definitions of a name, and the packages of the tree.
pub(crate) fn exported(
    config: &EngineConfig,
    name: &str,
    progress: &dyn Progress,
) -> Result<Exported, EngineError> {
    let snapshot = refresh::take(config, SOURCES, IndexMode::Update, progress)?;
    let graph = snapshot.graph();
    let mut exported = Exported::default();
    for definition in exact_symbols(&graph, name)? {
        let symbol = definition.symbol();
        let foreign = Foreign {
            name: symbol.name.clone(),
            container: symbol.container.clone(),
            language: definition.file.language.clone(),
        };
        if !exported.definitions.contains(&foreign) {
            exported.definitions.push(foreign);
        }
    }
    for entry in snapshot.tree.entries() {
        let (folder, file) = entry.path.rsplit_once('/').unwrap_or(("", &entry.path));
        let mut folders = folder.split('/');
        let is_inner = folders.any(|name| INNER.contains(&name));
        if MANIFESTS.contains(&file) && !is_inner && folder.matches('/').count() < MAX_DEPTH {
            let text = config.read_text(&entry.path).unwrap_or_default();
            exported.packages.extend(Package::of_manifest(&entry.path, &text));
        }
    }
    exported.packages.sort();
    exported.packages.dedup();
    Ok(exported)
}

/// Finds the uses of definitions of other trees, for each of these trees. The filter of the request
/// applies, its subject does not.
pub(crate) fn foreign_uses(
    config: &EngineConfig,
    exported: &[&Exported],
    kinds: &[ReferenceKind],
    request: &ResearchRequest,
    progress: &dyn Progress,
) -> Result<Vec<ForeignUses>, EngineError> {
    let filter = Filter { kinds: Vec::new(), ..request.filter.clone() };
    let snapshot = refresh::take(config, SOURCES, IndexMode::Update, progress)?;
    let graph = snapshot.graph();
    let uses = exported.iter().map(|exported| {
        let admitted = admitted(&graph, &filter)?;
        let mut findings = Findings::new(request.limit, Side::From, admitted, request.guesses);
        for definition in &exported.definitions {
            for link in graph.users_of_foreign(definition, &exported.packages, kinds)? {
                findings.add(&link, 1);
            }
        }
        findings.finish();
        let lines = lines_of(&findings, config);
        let is_cut = findings.is_cut || graph.was_cut();
        Ok(ForeignUses { nodes: findings.nodes, edges: findings.edges, lines, is_cut })
    });
    uses.collect()
}
