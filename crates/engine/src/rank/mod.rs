//! From candidates to hits: signals, order, sources side by side, passages. Pure.

mod calibration;
mod candidate;
mod duplicates;
mod faces;
mod fusion;
mod interleave;
#[cfg(feature = "benchmarks")]
pub(crate) mod latency;
mod lines;
mod naming;
mod neighbours;
mod passage;
pub(crate) mod signals;
mod spotter;
mod surroundings;
mod weights;

pub(crate) use calibration::Calibration;
pub use calibration::ScoreCurve;
pub(crate) use candidate::{CandidateParts, DocumentCandidate, Question, sort_chunks};
pub(crate) use duplicates::{Passage, group};
pub(crate) use fusion::Balance;
pub(crate) use interleave::{Ranked, by_rank, interleave};
pub(crate) use lines::line_count;
pub(crate) use neighbours::{DefinedOnce, Neighbours, neighbours};
pub(crate) use passage::{HighlightTerms, Passages, Window, find_body, find_passages};
pub(crate) use surroundings::{add_context_signals, centrality};
pub use weights::{SignalWeight, signal_weights};
