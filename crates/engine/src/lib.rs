//! The engine: brings indexes up to date and answers queries.
//!
//! Every front end builds a request, such as [`SearchRequest`], and reads a response, such as
//! [`SearchResponse`]. None of them uses an index, a parser or a source directly.
//!
//! **Invariant:** the modules `query` and `rank` are pure: no I/O, no clock, no randomness.

mod answers;
#[cfg(feature = "benchmarks")]
#[doc(hidden)]
pub mod benchmarks;
mod commits;
mod config;
pub mod documents;
mod engine;
mod error;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
mod graph;
mod parsers;
mod query;
mod rank;
mod request;
mod response;
mod search;
mod searcher;
mod sentences;
mod state;
#[cfg(any(test, feature = "benchmarks"))]
mod testing;

pub use crate::{
    answers::{
        browse::{CommitView, LineHistory, LineOrigin, RecordView, RelatedRecord},
        context::{
            ContextItem, ContextPackage, ContextRequest, ContextSection, ContextTicket, Detail,
            Intent, IntentOrigin, MAX_LEVEL, MIN_CONFIDENCE, POLICY_KINDS, Policy, SectionName,
            classify, classify_many, policies, policy_of,
        },
        drift::{
            DriftCommit, DriftFinding, DriftRequest, DriftResponse, DriftState, StatementKind,
            StatementPlace,
        },
        failure::FailureRequest,
        navigation::{
            CallPlace, LastChange, NamePosition, Navigator, OpenText, ResolvedName, UsePlace,
            name_at, occurrences,
        },
        place::{PlaceChange, PlaceRequest, PlaceResponse},
        similar::{
            Existence, ExistsInput, ExistsRequest, ExistsResponse, Helper, NearClone,
            RelatedRequest, RelatedResponse, Subject, Usage,
        },
        suggest::{SuggestRequest, SuggestResponse, Suggestion, SuggestionKind},
    },
    config::{CachePlace, Embedding, EngineConfig, RankingConfig},
    engine::Engine,
    error::EngineError,
    parsers::{
        InProcess, ParserFault, ParserHost, Parsers, limit_parser_memory, needs_preparation,
        parse_time, parser_fingerprint, prepare_language,
    },
    query::{Clock, Period, QueryError},
    rank::{ScoreCurve, SignalWeight, signal_weights},
    request::{
        Archived, AttributeFilter, Expansion, Extras, Fusion, IndexMode, Mode, PatternKind, Phase,
        Progress, Relation, ResearchQuestion, ResearchRequest, SearchRequest, SymbolRequest,
        Syntax,
    },
    response::{
        Absence, Attempt, Certainty, CheckReport, Confidence, Correction, DefinitionChange,
        EdgeKind, Explanation, FacetValue, Facets, FailureReport, FilterLoss, FollowUp,
        FollowUpCategory, Freshness, GraphEdge, GraphNode, GraphPart, HeldWord, Hit, Holders,
        HoldingFile, IndexReport, Link, Match, Moved, Outcome, Owner, OwnersAnswer, Part, Receipt,
        RelatedFile, ResearchResponse, ReviewFinding, ReviewKind, ReviewRequest, ReviewResponse,
        ReviewedChange, ReviewedDefinition, ReviewedFile, Scanned, SearchResponse, SecretCount,
        Snippet, SourceReport, SourceStatus, Status, Sureness, SymbolHit, SymbolMatch,
        SymbolResponse, TriedRequest, TriedResponse, Undecided, UnparsedFile, WhyCertainty, WhyHop,
        WhyKind, WhyRequest, WhyResponse,
    },
    searcher::Searcher,
    state::{following::Followed, limits::Limits, older_commits::OlderCommits, overlays::Overlays},
};
pub use lore_failures::{
    Failure, Frame, Reading, Severity, families as failure_families, read as read_failures,
};
pub use lore_index::{
    Backend, CachedRepository, CachedView, IndexError, PrivateFolder, default_backend,
    is_reading_index, own_memory, written_bytes,
};
pub use lore_schema as schema;
pub use lore_sources::{
    ChangedText, CommitDetails, PastCommit, PastCommits, PastTree, PathCommit, PathCommits,
    Revision, Secrets, SourceError, StopSignal, UnindexedMatch, UnindexedMatches, UnindexedReason,
    UnsuitableCommit, find_root, native, open_regular, past_commits, read_bytes, read_regular,
    read_regular_text, redact,
};
pub use lore_syntax::Parsed;
pub use lore_text::{ChunkText, EmbedError, Embedder, Fault, StaticEmbedder};
#[cfg(feature = "model2vec")]
pub use lore_text::{Model2VecEmbedder, Model2VecFiles};

/// Returns true if an index of a view was written by another version or is damaged.
pub fn is_unusable(backend: &dyn Backend, view: &CachedView) -> bool {
    backend.cache().is_unusable(&view.path, &state::storage::fingerprint())
}

/// Returns the words of a query that may be expanded, folded, in the order of the query.
pub fn expandable_words(query: &str) -> Vec<String> {
    search::parse::expandable_words(query)
}

/// Returns the canonical name of a language for a name or alias in any letter case: `cpp` for `c++`;
/// `None` for an unknown language.
pub fn language_name(name: &str) -> Option<&'static str> {
    lore_syntax::named(name).map(|language| language.name)
}

/// Returns true if a root-relative path belongs to vendored third-party code.
pub fn is_vendored(path: &str) -> bool {
    lore_syntax::categorize(path, "") == lore_schema::Category::Vendored
}

/// Returns true if a root-relative path is the lock file of a package manager.
pub fn is_lock_file(path: &str) -> bool {
    lore_syntax::categorize(path, "") == lore_schema::Category::Lock
}
