//! The signals: named numbers in 0.0..=1.0 (relative to a median hit, in -1.0..=1.0), each with a
//! weight. A score is their weighted sum.

mod category;
mod declaration;
mod definition;
mod evidence;
mod length;
mod meaning;
mod neighbours;
mod path;
mod prose;

use lore_schema::Field;

pub(crate) use self::path::is_path_of;

use super::{Balance, DocumentCandidate, Question};
use crate::{Explanation, Part, RankingConfig};

/// One named number about a document and a query.
pub(crate) trait Signal: Sync {
    /// Name in explanations and settings.
    fn name(&self) -> &'static str;

    /// Value for a document, 0.0..=1.0; of a signal of one source only, relative to a median hit,
    /// -1.0..=1.0.
    fn value(&self, question: &Question<'_>, candidate: &DocumentCandidate) -> f32;

    /// The kind of evidence that it reads.
    fn side(&self) -> Side {
        Side::Words
    }

    /// Returns whether its value depends on the scores of the other candidates, so that it is
    /// computed after all other signals.
    fn is_relative(&self) -> bool {
        false
    }
}

/// The kind of evidence that a signal reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// The words of the query.
    Words,
    /// Similarity to the query, or a correction of it.
    Meaning,
    /// The document alone.
    Document,
}

/// Every signal with its weight, in the order of explanations.
///
/// The weights were fitted on the development set: `docs/design/0002-ranking.md` describes the
/// method, `docs/concepts/ranking.md` has the figures and the range of each.
pub(crate) static SIGNALS: &[(&dyn Signal, f32)] = &[
    (&evidence::Chunks, CHUNKS),
    (&evidence::BestChunk, 0.75),
    (&evidence::Context, CONTEXT),
    (&evidence::Whole, WHOLE),
    (&evidence::Title, 0.74),
    (&evidence::Names, 1.75),
    (&evidence::Comments, 1.2),
    (&evidence::Attributes, 0.2),
    (&evidence::Coverage, 0.6),
    (&path::PathEvidence, 1.0),
    (&path::StemCoverage, 0.34),
    (&path::PathQuery, 3.0),
    (&path::NamedFile, 1.0),
    (&definition::SymbolQuery, 0.72),
    (&definition::EmbeddedSymbol, 0.59),
    (&definition::NamedDefinition, 0.26),
    (&definition::Centrality, 0.14),
    (&declaration::ExactSymbol, 0.916),
    (&declaration::TypeDeclaration, 0.1),
    (&declaration::ProtocolDefinition, 0.262),
    (&declaration::Conformance, 0.405),
    (&declaration::ImplementingDeclaration, 1.099),
    (&declaration::StandardExtension, -0.693),
    (&declaration::Public, 0.095),
    (&declaration::SourcePath, 0.095),
    (&declaration::PartialName, -1.204),
    (&meaning::Similarity, 3.0),
    (&meaning::NearestChunk, 2.6),
    (&category::Test, -1.44),
    (&category::Example, -0.2),
    (&category::Foreign, -1.2),
    (&category::Derived, -1.2),
    (&category::Compatibility, -0.8),
    (&category::Superseded, -1.2),
    (&category::Configuration, -0.9),
    (&length::Length, 0.7),
    (&neighbours::Siblings, 0.6),
    (&neighbours::Unit, 0.66),
    (&neighbours::Users, 0.5),
    (&prose::Heading, 0.375),
    (&prose::Detail, -0.3),
    (&prose::Record, RECORD),
];

/// Weights of the signals that read the evidence of chunks, by field.
pub(crate) const CHUNK_EVIDENCE: [(Field, f32); 3] =
    [(Field::Body, CHUNKS), (Field::Context, CONTEXT), (Field::Whole, WHOLE)];

/// Weight of the record that the query names: above the sum of all other signals, since a number
/// has no synonyms.
const RECORD: f32 = 6.0;

const CHUNKS: f32 = 3.25;
const CONTEXT: f32 = 1.8;
const WHOLE: f32 = 1.0;

/// The names of all signals, in the order of explanations.
pub(crate) fn names() -> Vec<&'static str> {
    SIGNALS.iter().map(|(signal, _)| signal.name()).collect()
}

/// Weight of each signal: the built-in one or that of the settings, times the balance of its side.
pub(crate) fn weights(settings: &RankingConfig, balance: &Balance) -> Vec<f32> {
    let weight = |(signal, built_in): &(&dyn Signal, f32)| {
        let weight = settings.weights.get(signal.name()).copied().unwrap_or(*built_in);
        weight * balance.of_scores(signal.side())
    };
    SIGNALS.iter().map(weight).collect()
}

/// The value of each signal. Those of relative signals are 0 until a candidate was compared with
/// the others.
pub(crate) fn values(question: &Question<'_>, candidate: &DocumentCandidate) -> Vec<f32> {
    SIGNALS.iter().map(|(signal, _)| signal.value(question, candidate)).collect()
}

/// Computes the values of relative signals again.
pub(crate) fn update_relative(
    values: &mut [f32],
    question: &Question<'_>,
    candidate: &DocumentCandidate,
) {
    for (value, (signal, _)) in values.iter_mut().zip(SIGNALS) {
        if signal.is_relative() {
            *value = signal.value(question, candidate);
        }
    }
}

/// The weighted sum of signals, as [`explain`] adds them up.
pub(crate) fn sum(values: &[f32], weights: &[f32]) -> f32 {
    values.iter().zip(weights).map(|(value, weight)| value * weight).sum()
}

/// The parts of a score.
pub(crate) fn explain(values: &[f32], weights: &[f32]) -> Explanation {
    let part = |(((signal, _), value), weight): ((&(&dyn Signal, f32), &f32), &f32)| {
        let product = value * weight;
        // A negative value at a weight of 0 gives -0.0, which would be written with its sign. In
        // relative signals it has always been written: an empty sum is -0.0.
        let contribution = if signal.is_relative() { product } else { product + 0.0 };
        Part { name: signal.name(), value: *value, weight: *weight, contribution }
    };
    Explanation { parts: SIGNALS.iter().zip(values).zip(weights).map(part).collect() }
}
