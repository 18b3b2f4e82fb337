//! The only door: brings the index up to date and answers searches.
//!
//! The program, the evaluation and every later front end build a [`SearchRequest`] and read a
//! [`SearchResponse`]; none of them sees an index, a parser or a source.
//!
//! **Invariant:** what is under `query` and `rank` is pure: no I/O, no clock, no randomness.

mod absence;
mod analyze;
mod config;
mod context;
mod contracts;
mod counts;
mod embedding;
mod engine;
mod error;
mod exhaustive;
mod failure;
mod files;
mod floor;
mod follow_ups;
mod following;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
mod graph;
mod hit;
mod holders;
mod housekeeping;
mod ingest;
mod limits;
mod live;
mod opening;
mod overlays;
mod owners;
mod proof;
mod query;
mod question;
mod rank;
mod recovery;
mod redacted;
mod request;
mod response;
mod restrict;
mod retrieval;
mod revision;
mod rewrite;
mod search;
mod searcher;
mod similar;
mod snapshot;
mod suggest;
mod templates;
#[cfg(test)]
mod testing;
mod views;

pub use crate::{
    config::{CachePlace, Embedding, EngineConfig, RankingConfig},
    context::{
        ContextItem, ContextPackage, ContextRequest, ContextSection, ContextTicket, Detail, Intent,
        IntentOrigin, LEAST_CONFIDENCE, MOST_LEVEL, POLICY_KINDS, Policy, SectionName, classify,
        classify_many, policies, policy_of,
    },
    contracts::{
        LeanAnswer, LeanField, LeanHit, LeanMatch, LeanSpec, SageAnswer, SageDocument, SageHit,
        SageRequest, SageSource,
    },
    engine::Engine,
    error::EngineError,
    failure::{Failure, FailureRequest, Frame, Reading, Severity, failure_families, read_failures},
    following::Followed,
    limits::Limits,
    overlays::Overlays,
    query::{Clock, Period, QueryError},
    rank::{ScoreCurve, SignalWeight, signal_weights},
    request::{
        Archived, AttributeFilter, Expansion, Extras, Fusion, IndexMode, Mode, PatternKind,
        Progress, Relation, ResearchQuestion, ResearchRequest, SearchRequest, SymbolRequest,
        Syntax,
    },
    response::{
        Absence, Certainty, CheckReport, EdgeKind, Explanation, FailureReport, FilterLoss,
        FollowUp, FollowUpCategory, Freshness, GraphEdge, GraphNode, HeldWord, Hit, Holders,
        HoldingFile, IndexReport, Link, Match, Moved, Owner, OwnersAnswer, Part, Receipt,
        ResearchResponse, Scanned, SearchResponse, SecretCount, Snippet, SourceReport,
        SourceStatus, SpecAnswer, SpecHit, Status, SymbolHit, SymbolMatch, SymbolResponse,
        Undecided,
    },
    searcher::Searcher,
    similar::{
        Asked, ExistsRequest, ExistsResponse, Helper, NearClone, RelatedRequest, RelatedResponse,
        Subject, Usage, Verdict,
    },
    suggest::{SuggestRequest, SuggestResponse, Suggestion, SuggestionKind},
};
pub use lore_index::{IndexError, Shelf, View, own_memory, survey, written_bytes};
pub use lore_schema as schema;
pub use lore_sources::{
    Elsewhere, PastCommit, PastCommits, PastTree, Revision, Secrets, Sighting, SourceError, Stop,
    Unfit, Whereabouts, find_root, native, past_commits, redact,
};
pub use lore_text::{ChunkText, EmbedError, Embedder, Fault, StaticEmbedder};
#[cfg(feature = "model2vec")]
pub use lore_text::{Model2VecEmbedder, Model2VecFiles};

/// Whether an index of a tree was made by another version, or is damaged.
pub fn is_foreign(view: &View) -> bool {
    view.is_foreign(&snapshot::fingerprint())
}

/// The words of a query that others may be added to, folded, in the order of the query.
pub fn expandable_words(query: &str) -> Vec<String> {
    question::expandable_words(query)
}

/// The name of a language that users may call by another one, in any letter case: `c++` for `cpp`;
/// `None` for a language that is not known.
pub fn language_name(name: &str) -> Option<&'static str> {
    lore_syntax::named(name).map(|language| language.name)
}

/// Whether a root-relative path is that of somebody else's code, kept in the tree.
pub fn is_vendored(path: &str) -> bool {
    lore_syntax::categorize(path, "") == lore_schema::Category::Vendored
}

/// Whether a root-relative path is that of a lock file of a package manager.
pub fn is_lock_file(path: &str) -> bool {
    lore_syntax::categorize(path, "") == lore_schema::Category::Lock
}
