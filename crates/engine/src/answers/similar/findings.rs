//! Parts that `lore exists` shares for code and for descriptions: accepted kinds of definitions,
//! number of uses, and the response.

use std::collections::HashSet;

use lore_index::IndexError;
use lore_schema::{ReferenceKind, SymbolKind};

use super::{Existence, ExistsInput, ExistsRequest, ExistsResponse, Helper, NearClone, Usage};
use crate::{
    Absence, Certainty, EngineConfig, Hit, Receipt,
    graph::{CodeGraph, Definition},
    state::{embedding::QueryVector, snapshot::Snapshot},
};

/// Penalty on the similarity of code that is not the repository's own, such as tests and examples.
pub(super) const NOT_OWN: f32 = 0.1;

/// Kinds of definitions that can be used instead of new code.
pub(super) const KINDS: &[SymbolKind] = &[
    SymbolKind::Class,
    SymbolKind::Enum,
    SymbolKind::Function,
    SymbolKind::Interface,
    SymbolKind::Macro,
    SymbolKind::Method,
    SymbolKind::Struct,
    SymbolKind::Type,
];

pub(super) fn verdict_of(helpers: &[Helper], is_sure: bool) -> Existence {
    match (helpers.is_empty(), is_sure) {
        (true, _) => Existence::No,
        (false, true) => Existence::Yes,
        (false, false) => Existence::Perhaps,
    }
}

/// Clones and helpers found.
pub(super) struct Findings {
    pub(super) clones: Vec<NearClone>,
    pub(super) clone_count: usize,
    pub(super) clone_files: usize,
    pub(super) helpers: Vec<Helper>,
    pub(super) nearest: Option<Hit>,
    pub(super) verdict: Existence,
    pub(super) total: u64,
}

impl Findings {
    pub(super) fn answer(
        self,
        request: &ExistsRequest,
        input: ExistsInput,
        reason: &str,
        snapshot: Snapshot,
        config: &EngineConfig,
        (meaning, warnings): (QueryVector, Vec<String>),
    ) -> ExistsResponse {
        let shown = (self.clones.len() + self.helpers.len()) as u64;
        let receipt = Receipt {
            semantic: meaning.name,
            semantic_fallback: meaning.fallback,
            ..snapshot.receipt(config, self.total.max(shown), shown, shown)
        };
        let absence = (self.verdict == Existence::No).then(|| Absence {
            reasons: vec![reason.to_owned()],
            nearest: self.nearest.iter().map(|hit| hit.title.clone()).collect(),
            ..Absence::default()
        });
        let mut all = snapshot.warnings;
        all.extend(warnings.into_iter().filter(|warning| !warning.is_empty()));
        all.dedup();
        ExistsResponse {
            query: request.text.clone(),
            input,
            verdict: self.verdict,
            clones: self.clones,
            clone_count: self.clone_count,
            clone_files: self.clone_files,
            helpers: self.helpers,
            nearest: self.nearest,
            receipt,
            absence,
            warnings: all,
        }
    }
}

/// Counts the uses of a definition.
pub(super) fn usage(definition: &Definition, graph: &CodeGraph<'_>) -> Result<Usage, IndexError> {
    let kinds: &[ReferenceKind] = if definition.symbol().kind.is_type() {
        ReferenceKind::USES
    } else {
        &[ReferenceKind::Call]
    };
    let mut usage = Usage::default();
    let mut files = HashSet::new();
    for link in graph.users(std::slice::from_ref(definition), kinds)? {
        if matches!(link.certainty, Certainty::OneOf(_)) {
            usage.perhaps += 1;
        } else {
            usage.uses += 1;
            files.insert(link.from.file.id);
        }
    }
    usage.files = files.len();
    Ok(usage)
}
