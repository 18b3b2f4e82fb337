//! Judges whether the lines of the first hits of an answer are the right ones.

use lore_schema::SourceName;

use super::{
    context::SearchContext,
    named::OnlyPlace,
    parse::{Order, ParsedQuery},
    score::ScoredDocument,
};
use crate::{
    Confidence, Fusion, GraphPart, Sureness,
    rank::{FirstEvidence, Ranked},
};

/// Returns how sure the answer of these documents is, best first; `None` without one, and for queries
/// whose order is not that of the signals.
pub(super) fn confidence(
    ranked: &[&Ranked<ScoredDocument>],
    query: &ParsedQuery,
    only: Option<OnlyPlace>,
    graph: Option<&GraphPart>,
    is_weak: bool,
    context: SearchContext<'_>,
) -> Option<Confidence> {
    let request = context.request;
    if query.order() != Order::Signals || request.fusion != Fusion::default() {
        return None;
    }
    let first = ranked.first()?;
    if let Some(graph) = graph {
        return Some(of_graph(graph));
    }
    let words = &query.plan.query;
    let is_corrected = !query.corrected.is_empty();
    if let Some(only) = only
        && let Some(confidence) = of_name(first, only, &words.text, is_corrected)
    {
        return Some(confidence);
    }
    let probability = evidence(ranked, words.text.split_whitespace().count()).probability();
    let sureness = match probability {
        _ if is_weak => Sureness::Unsure,
        // Another name was searched than the one that was typed.
        LIKELY.. if is_corrected => Sureness::Likely,
        FOUND.. => Sureness::Found,
        LIKELY.. => Sureness::Likely,
        _ => Sureness::Unsure,
    };
    let hits = FIRST.min(ranked.len()).min(request.limit);
    Some(Confidence { sureness, probability, hits, complete: None })
}

/// Number of first hits that an answer is judged by.
const FIRST: usize = 3;

/// Minimum probability of an answer that is called found: of the questions outside of the fit, .86 of
/// these are right. With 0.8, as many are right and fewer are called found.
const FOUND: f32 = 0.73;

/// Minimum probability of an answer that is called likely: below it, .40 of the questions outside of
/// the fit have their lines among the first three hits, and a list of ten lines serves better.
const LIKELY: f32 = 0.45;

/// Score of a hit that does not exist.
const NO_HIT: f32 = 0.05;

/// The edges of a graph are complete as far as the graph knows.
fn of_graph(graph: &GraphPart) -> Confidence {
    let GraphPart { question, shown, total } = graph;
    let complete = (shown == total).then(|| match total {
        1 => format!("the only one of the {question}"),
        _ => format!("all {total} {question}"),
    });
    let sureness = if complete.is_some() { Sureness::Found } else { Sureness::Likely };
    // The definition takes one place.
    let hits = usize::try_from(*shown).unwrap_or(usize::MAX).saturating_add(1);
    Confidence { sureness, probability: OF_GRAPH, hits, complete }
}

/// Share of the edges in answers of the graph that are right, over the questions of
/// `docs/design/0003-graph.md`.
const OF_GRAPH: f32 = 0.95;

/// A name whose only definition is the first hit. A corrected name is probably the one that was meant.
fn of_name(
    first: &Ranked<ScoredDocument>,
    only: OnlyPlace,
    name: &str,
    is_corrected: bool,
) -> Option<Confidence> {
    if first.source != SourceName::Code {
        return None;
    }
    // Another passage of its file may be shown, as the head of the class for one of its methods.
    let chunk = first.payload.candidate.parts.chunks.first();
    let is_shown = chunk.is_some_and(|chunk| chunk.span.has_line(only.line));
    if only.file != first.payload.id() || !is_shown {
        return None;
    }
    let name = if is_corrected { format!("`{}`", name.trim()) } else { "this name".to_owned() };
    Some(Confidence {
        sureness: if is_corrected { Sureness::Likely } else { Sureness::Found },
        probability: if is_corrected { OF_CORRECTED } else { OF_NAME },
        hits: 1,
        complete: Some(format!("the only definition of {name}")),
    })
}

/// Share of the names with one definition for which that was wanted.
const OF_NAME: f32 = 0.95;

/// The same for a name that replaces a misspelt one.
const OF_CORRECTED: f32 = 0.8;

/// The evidence of the first hits.
fn evidence(ranked: &[&Ranked<ScoredDocument>], words: usize) -> FirstEvidence {
    let value = |at: usize, name: &str| {
        ranked.get(at).map_or(0.0, |document| document.payload.explanation.value(name))
    };
    let largest = |name: &str| (0..FIRST).map(|at| value(at, name)).fold(0.0, f32::max);
    let score = |at: usize| ranked.get(at).map_or(NO_HIT, |document| document.score);
    FirstEvidence {
        scores: [score(0), score(2), score(3)],
        words,
        lines: value(0, "lines"),
        window: value(0, "window"),
        run: value(0, "run"),
        longest_run: largest("run"),
        nearest: largest("nearest"),
        path: value(0, "path-share"),
    }
}
