//! Multi-hop search: follows what the best hits call and use.

use std::collections::HashMap;

use lore_index::{ChunkId, DocumentId, IndexError};
use lore_schema::{ReferenceKind, Span};

use super::code_graph::{CodeGraph, Definition};
use crate::Certainty;

/// Share of a hit's score that one step keeps.
const STEP: f32 = 0.7;

/// Share of its score that each further path to a definition adds.
const FURTHER_WAY: f32 = 0.1;

/// Maximum number of definitions reached from one hit.
const MAX_STEPS: usize = 12;

/// Maximum number of definitions reached in total.
const MAX_HOPS: usize = 200;

/// A hit to start from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seed {
    /// The document.
    pub(crate) document: DocumentId,
    /// The passage.
    pub(crate) span: Span,
    /// Its score, 0.0..=1.0.
    pub(crate) score: f32,
}

/// A definition reached from a hit.
#[derive(Debug, Clone)]
pub(crate) struct Hop {
    /// The definition.
    pub(crate) definition: Definition,
    /// The chunk that declares it.
    pub(crate) chunk: ChunkId,
    /// Steps from the hit, from 1.
    pub(crate) depth: usize,
    /// Score, lower than that of the best hit that leads here, 0.0..=1.0.
    pub(crate) score: f32,
    /// Source of the step: `path#name`.
    pub(crate) from: String,
}

/// Follows what the seeds call and use, up to `depth` steps, best first.
pub(crate) fn follow(
    graph: &CodeGraph<'_>,
    seeds: &[Seed],
    depth: usize,
) -> Result<Vec<Hop>, IndexError> {
    let mut found: HashMap<(DocumentId, u32), Hop> = HashMap::new();
    // A definition inside a seed is not a hop.
    let mut sources: Vec<(Definition, f32)> = Vec::new();
    for seed in seeds {
        let file = graph.file(seed.document)?;
        let inside = Definition::all(&file)
            .filter(|definition| seed.span.has_line(definition.symbol().line));
        sources.extend(inside.map(|definition| (definition, seed.score)));
    }
    let is_seed = |definition: &Definition| {
        seeds.iter().any(|seed| {
            seed.document == definition.file.id && seed.span.has_line(definition.symbol().line)
        })
    };
    for step in 1..=depth {
        let mut next: Vec<(Definition, f32)> = Vec::new();
        for (source, score) in sources {
            if found.len() >= MAX_HOPS {
                break;
            }
            let mut links = graph.used_by(&source, &[ReferenceKind::Call, ReferenceKind::Type])?.0;
            links.sort_by_key(|link| (link.certainty, link.line));
            let mut taken = 0;
            for link in links {
                let sure = match link.certainty {
                    Certainty::SameFile | Certainty::Import => 1.0,
                    Certainty::UniqueName => 0.8,
                    Certainty::OneOf(_) | Certainty::Outside => break,
                };
                let Some(target) = link.to.definition().filter(|target| !is_seed(target)) else {
                    continue;
                };
                let reached = score * STEP * sure;
                if let Some(known) = found.get_mut(&target.key()) {
                    // Several paths count more than one, but never as much as a better hit.
                    let ceiling = known.score.max(score * 0.95);
                    known.score = (known.score.max(reached) + FURTHER_WAY * reached).min(ceiling);
                    continue;
                }
                let Some((chunk, _)) = graph.declaring_chunk(&target)? else { continue };
                found.insert(
                    target.key(),
                    Hop {
                        definition: target.clone(),
                        chunk,
                        depth: step,
                        score: reached,
                        from: format!("{}#{}", source.file.path, source.symbol().name),
                    },
                );
                next.push((target, reached));
                taken += 1;
                if taken == MAX_STEPS {
                    break;
                }
            }
        }
        sources = next;
    }
    let mut hops: Vec<Hop> = found.into_values().collect();
    hops.sort_by(|left, right| {
        right
            .score
            .total_cmp(&left.score)
            .then_with(|| left.definition.file.path.cmp(&right.definition.file.path))
            .then_with(|| left.definition.symbol.cmp(&right.definition.symbol))
    });
    Ok(hops)
}
