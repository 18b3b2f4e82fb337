//! The only door: brings the index up to date and answers searches.
//!
//! The program, the evaluation and every later front end build a [`SearchRequest`] and read a
//! [`SearchResponse`]; none of them sees an index, a parser or a source.
//!
//! **Invariant:** what is under `query` and `rank` is pure: no I/O, no clock, no randomness.

mod answers;
#[cfg(feature = "benchmarks")]
#[doc(hidden)]
pub mod benchmarks;
mod config;
mod contracts;
mod engine;
mod error;
mod floor;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
mod graph;
mod query;
mod rank;
mod request;
mod response;
mod search;
mod searcher;
mod state;
#[cfg(any(test, feature = "benchmarks"))]
mod testing;

pub use crate::{
    answers::{
        context::{
            ContextItem, ContextPackage, ContextRequest, ContextSection, ContextTicket, Detail,
            Intent, IntentOrigin, MAX_LEVEL, MIN_CONFIDENCE, POLICY_KINDS, Policy, SectionName,
            classify, classify_many, policies, policy_of,
        },
        failure::FailureRequest,
        similar::{
            Existence, ExistsInput, ExistsRequest, ExistsResponse, Helper, NearClone,
            RelatedRequest, RelatedResponse, Subject, Usage,
        },
        suggest::{SuggestRequest, SuggestResponse, Suggestion, SuggestionKind},
    },
    config::{CachePlace, Embedding, EngineConfig, RankingConfig},
    contracts::{
        LeanAnswer, LeanField, LeanHit, LeanMatch, LeanSpec, SageAnswer, SageDocument, SageHit,
        SageRequest, SageSource,
    },
    engine::Engine,
    error::EngineError,
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
    state::{following::Followed, limits::Limits, overlays::Overlays},
};
pub use lore_failures::{
    Failure, Frame, Reading, Severity, families as failure_families, read as read_failures,
};
pub use lore_index::{
    Backend, CachedRepository, CachedView, IndexError, default_backend, own_memory, written_bytes,
};
pub use lore_schema as schema;
pub use lore_sources::{
    PastCommit, PastCommits, PastTree, Revision, Secrets, SourceError, StopSignal, UnindexedMatch,
    UnindexedMatches, UnindexedReason, UnsuitableCommit, find_root, native, past_commits, redact,
};
pub use lore_text::{ChunkText, EmbedError, Embedder, Fault, StaticEmbedder};
#[cfg(feature = "model2vec")]
pub use lore_text::{Model2VecEmbedder, Model2VecFiles};

/// Returns true if an index of a view was written by another version or is damaged.
pub fn is_unusable(backend: &dyn Backend, view: &CachedView) -> bool {
    backend.cache().is_unusable(&view.path, &state::storage::fingerprint())
}

/// The words of a query that others may be added to, folded, in the order of the query.
pub fn expandable_words(query: &str) -> Vec<String> {
    search::parse::expandable_words(query)
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
