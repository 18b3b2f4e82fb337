//! The signals: named numbers in 0.0..=1.0 (beside a middling hit, in -1.0..=1.0), each with a
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

use super::{Balance, DocumentCandidate, Question};
use crate::{Explanation, Part, RankingConfig};

/// One named number about a document and a question.
pub(crate) trait Signal: Sync {
    /// Its name in explanations and settings.
    fn name(&self) -> &'static str;

    /// What it measures, 0.0..=1.0; of what only one source has, beside a middling hit, -1.0..=1.0.
    fn value(&self, question: &Question<'_>, candidate: &DocumentCandidate) -> f32;

    /// Where it gets that from.
    fn side(&self) -> Side {
        Side::Words
    }

    /// Whether it is only told once it is known which candidates are the best by all others.
    fn is_of_the_best(&self) -> bool {
        false
    }
}

/// Where a signal gets its knowledge from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// From the words of the question.
    Words,
    /// From what the question means, or instead of what that does not tell.
    Meaning,
    /// From the document alone.
    Document,
}

/// Every signal with its weight, in the order of explanations.
///
/// The weights were fitted on the development set; `docs/design/0002-ranking.md` tells how, and
/// `docs/concepts/ranking.md` has the figures and how far each may move.
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
    (&meaning::Meaning, 3.0),
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
];

/// What the evidence of chunks counts for, by field: the weights of the signals that read it.
pub(crate) const CHUNK_EVIDENCE: [(Field, f32); 3] =
    [(Field::Body, CHUNKS), (Field::Context, CONTEXT), (Field::Whole, WHOLE)];

const CHUNKS: f32 = 3.25;
const CONTEXT: f32 = 1.8;
const WHOLE: f32 = 1.0;

/// The names of all signals, in the order of explanations.
pub(crate) fn names() -> Vec<&'static str> {
    SIGNALS.iter().map(|(signal, _)| signal.name()).collect()
}

/// The parts of a candidate's score.
pub(crate) fn explain(
    question: &Question<'_>,
    candidate: &DocumentCandidate,
    settings: &RankingConfig,
    balance: &Balance,
) -> Explanation {
    let parts = SIGNALS
        .iter()
        .map(|(signal, built_in)| {
            let weight = settings.weights.get(signal.name()).copied().unwrap_or(*built_in);
            let weight = weight * balance.of_scores(signal.side());
            let value = signal.value(question, candidate);
            // A value below 0 at a weight of 0 comes to -0.0, which would be written so.
            Part { name: signal.name(), value, weight, contribution: value * weight + 0.0 }
        })
        .collect();
    Explanation { parts }
}

/// Takes the signals into the parts of a candidate's score that are only told once it is known which
/// candidates are the best.
pub(crate) fn complete(
    explanation: &mut Explanation,
    question: &Question<'_>,
    candidate: &DocumentCandidate,
) {
    let parts = explanation.parts.iter_mut().zip(SIGNALS);
    for (part, (signal, _)) in parts.filter(|(_, (signal, _))| signal.is_of_the_best()) {
        part.value = signal.value(question, candidate);
        part.contribution = part.value * part.weight;
    }
}
