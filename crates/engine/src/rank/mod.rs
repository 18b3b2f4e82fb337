//! From candidates to hits: signals, order, sources side by side, passages. Pure.

mod calibration;
mod candidate;
mod certainty;
mod choice;
mod duplicates;
mod faces;
mod fusion;
mod highlight;
mod interleave;
#[cfg(feature = "benchmarks")]
pub(crate) mod latency;
mod lines;
mod messages;
mod naming;
mod neighbours;
mod passage;
mod rerank;
pub(crate) mod signals;
mod spotter;
mod surroundings;
mod weights;
mod windows;

pub(crate) use calibration::Calibration;
pub use calibration::ScoreCurve;
pub(crate) use candidate::{CandidateParts, DocumentCandidate, Question, sort_chunks};
pub(crate) use certainty::{AnswerEvidence, FirstEvidence};
pub(crate) use choice::{ChunkEvidence, choose_window};
pub(crate) use duplicates::{Passage, group};
pub(crate) use fusion::Balance;
pub(crate) use highlight::HighlightTerms;
pub(crate) use interleave::{Ranked, by_rank, exact_first, interleave};
pub(crate) use lines::line_count;
pub(crate) use messages::{Message, MessageMatch};
pub(crate) use neighbours::{DefinedOnce, Neighbours, neighbours};
pub(crate) use passage::{Passages, Window, find_body, find_passages};
pub(crate) use rerank::{Features, Place, Reading, SOURCE_PART, rerank};
pub(crate) use surroundings::{CentralNames, add_context_signals, centrality};
pub use weights::{SignalWeight, signal_weights};
pub(crate) use windows::{Sequence, WindowEvidence, window_evidence};
