//! Search engine for a directory: finds the places in code, docs, specs, tickets and git history
//! that answer a question, by words and by meaning.
//!
//! The program `lore` is built on this crate, and so can yours be. The engine keeps an index of a
//! directory, the *tree*. Every request first compares the files with the index, so an edit shows in
//! the next answer. Nothing is sent anywhere.
//!
//! # First answer
//!
//! Open an [`Engine`] with an [`EngineConfig`], send a [`SearchRequest`] and read the
//! [`SearchResponse`]:
//!
//! ```
//! use lore_engine::{Engine, EngineConfig, SearchRequest};
//!
//! # #[expect(clippy::disallowed_methods, reason = "the example writes the tree that it searches")]
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let root = folder.path();
//! std::fs::write(root.join("refund.rs"), "/// Pays back.\nfn retry_refund() {}\n")?;
//!
//! let engine = Engine::open(EngineConfig::new(root))?;
//! let response = engine.search(&SearchRequest::new("retry refund"), &())?;
//!
//! let hit = &response.hits[0];
//! assert_eq!(hit.path.as_deref(), Some("refund.rs"));
//! assert_eq!((hit.start_line, hit.end_line), (Some(1), Some(2)));
//! assert_eq!(response.receipt.total, 1);
//! # Ok(())
//! # }
//! ```
//!
//! The second argument of most methods receives [`Progress`]; `&()` ignores it.
//!
//! # Requests
//!
//! | Method | Answer |
//! |---|---|
//! | [`Engine::search`] | ranked hits for words or a question, or all matches of a pattern |
//! | [`Engine::symbols`], [`Engine::research`] | definitions; callers, uses and paths between them |
//! | [`Engine::related`], [`Engine::exists`] | passages similar to a passage; existing code like a draft |
//! | [`Engine::place`] | a definition whole, with its users and its history |
//! | [`Engine::context`] | what to read for a task |
//! | [`Engine::failure`] | the code behind a log, from [`read_failures`] |
//! | [`Engine::index`], [`Engine::keep_up`] | nothing: they bring the index up to date, once or until stopped |
//! | [`Engine::searcher`] | a fixed state of the tree for many queries |
//!
//! Every answer to a search has a [`Receipt`]: the tree, the number of searched and matching
//! documents, skipped files, and the freshness. An answer without hits has an [`Absence`] with the
//! reasons.
//!
//! Paths in requests and answers are relative to the root and separated by `/`. Lines start at 1 and
//! ranges of lines include both ends. Scores are from 0 to 1; hits are best first. Dates are seconds since 1970-01-01 UTC. The same files, settings and
//! request give the same answer.
//!
//! # Your own documents
//!
//! Implement [`CustomSource`] for records that are not files of the tree, such as the tickets of a
//! database, and add it to [`EngineConfig::custom`]:
//!
//! ```
//! use std::path::Path;
//! use lore_engine::{
//!     CustomDocument, CustomEntry, CustomError, CustomSource, CustomSources, Engine, EngineConfig,
//!     SearchRequest, content_version,
//! };
//!
//! struct Notes(Vec<(&'static str, &'static str)>);
//!
//! impl CustomSource for Notes {
//!     fn name(&self) -> &'static str {
//!         "notes"
//!     }
//!
//!     fn list(&self, _root: &Path) -> Result<Vec<CustomEntry>, CustomError> {
//!         let entry = |(id, text): &(&str, &str)| CustomEntry {
//!             id: (*id).to_owned(),
//!             version: content_version(text),
//!         };
//!         Ok(self.0.iter().map(entry).collect())
//!     }
//!
//!     fn read(&self, _root: &Path, id: &str) -> Result<Option<CustomDocument>, CustomError> {
//!         let note = self.0.iter().find(|(name, _)| *name == id);
//!         Ok(note.map(|(name, text)| CustomDocument::new(*name, *text)))
//!     }
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! let notes = Notes(vec![("Cashier", "The cashier counts coins at noon.")]);
//! let custom = CustomSources::none().with(notes);
//! let engine = Engine::open(EngineConfig { custom, ..EngineConfig::new(folder.path()) })?;
//! let response = engine.search(&SearchRequest::new("counts coins"), &())?;
//! assert_eq!(response.hits[0].id, "docs:notes#Cashier");
//! # Ok(())
//! # }
//! ```
//!
//! Patterns ([`SearchRequest::with_pattern`]) and [`Engine::live`] read files only, not custom sources.
//!
//! # Your own embedding model
//!
//! Implement [`Embedder`] and set it as [`Embedding::Other`]. Vectors are stored under
//! [`Embedder::fingerprint`] and never compared with those of another one. The example
//! `own_embedder.rs` is a complete program. While documents lack vectors, or the embedder fails, the
//! built-in model takes part, and [`Receipt::semantic_fallback`] has the reason.
//!
//! # Cache
//!
//! [`CachePlace::Memory`] builds the index again in each process. [`CachePlace::Folder`] keeps it below
//! a directory of your choice, which needs no other content and no backup. Within it, each repository
//! has one directory, and each worktree, commit and set of options one below that;
//! [`Engine::cache_folder`] returns it. Several processes may use one directory at the same time: none
//! waits for another one to answer. Answers never depend on the state of the cache. An index that is
//! damaged or of another version is rebuilt, with a warning in the answer.
//!
//! A search keeps small changes in memory. [`Engine::settle`] writes larger ones; dropping the engine
//! does the same.
//!
//! # Threads
//!
//! [`Engine`] is `Send` and `Sync`. Its methods take `&self`, block until they have the answer, and may
//! be called from several threads: share it in an [`Arc`](std::sync::Arc). In an asynchronous program,
//! call them on a thread for blocking work. A call starts up to [`EngineConfig::threads`] threads that
//! end with it. [`Engine::keep_up`] is the only method that runs until it is stopped.
//!
//! Texts are parsed in your process by default ([`Parsers::in_process`]). Some hostile texts make a
//! parser take gigabytes of memory. If you index files that you do not trust, implement [`ParserHost`]
//! with processes that can be limited, as `lore` does.
//!
//! # Errors
//!
//! Methods return [`EngineError`]. Bad content is no error: a file that cannot be read or parsed is
//! counted in the receipt, and the rest is searched. Errors are unusable requests (an empty query, an
//! unknown place), a tree that cannot be read, a custom source that cannot list its records, and an
//! index that can be neither read nor rebuilt. If the cache cannot be written, the answer comes from
//! memory, with a warning.
//!
//! # Features
//!
//! | Feature | Default | Effect |
//! |---|---|---|
//! | `grammars` | yes | parsers for 24 languages beside C, C++, Go, Java, JavaScript, Python, Rust and TypeScript |
//! | `heavy-grammars` | yes | parsers for Julia, Objective-C, OCaml and Perl: as large as all others together |
//! | `model2vec` | no | [`Model2VecEmbedder`](https://docs.rs/lorehound-engine/latest/lore_engine/struct.Model2VecEmbedder.html), for local models that were distilled into tables |
//!
//! A language without a parser is divided by lines and patterns, and found all the same. `fuzzing` and
//! `benchmarks` are for the tests of this crate.
//!
//! # Stability
//!
//! This crate follows semantic versioning for all public items, including those of the modules
//! [`schema`] and [`documents`], but not those hidden from this documentation. Before 1.0, a new minor
//! version may break callers and a patch version never does. Three rules keep code compiling with a new
//! minor version in most cases:
//!
//! - Build settings with `..EngineConfig::new(root)` and requests with `new` and `with_` methods: fields
//!   may be added.
//! - End a `match` on errors with `_`: variants may be added. Patterns of response types end with `..`.
//! - Scores, the order of hits, warnings and texts of errors may change in every version. So may the
//!   format of the index, which is then rebuilt.
//!
//! The other crates named `lorehound-` have no stable interface; use their items through this crate.
//!
//! # Structure
//!
//! Every front end builds a request, such as [`SearchRequest`], and reads a response, such as
//! [`SearchResponse`]. None of them uses an index, a parser or a source directly.
//!
//! **Invariant:** the modules `query` and `rank` are pure: no I/O, no clock, no randomness.

mod answers;
#[cfg(feature = "benchmarks")]
#[doc(hidden)]
pub mod benchmarks;
#[cfg(feature = "opensearch")]
mod cluster;
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
mod workspace;

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
        RelatedFile, RepositoryReceipt, ResearchResponse, ReviewFinding, ReviewKind, ReviewRequest,
        ReviewResponse, ReviewedChange, ReviewedDefinition, ReviewedFile, Scanned, SearchResponse,
        SecretCount, Snippet, SourceReport, SourceStatus, Status, Sureness, SymbolHit, SymbolMatch,
        SymbolResponse, TriedRequest, TriedResponse, Undecided, UnparsedFile, WhyCertainty, WhyHop,
        WhyKind, WhyRequest, WhyResponse,
    },
    searcher::Searcher,
    state::{
        estimate::{IndexCosts, IndexEstimate},
        exchange::{ExportReport, ImportPlan, ImportReport},
        following::Followed,
        last_check::LastCheck,
        limits::Limits,
        older_commits::OlderCommits,
        overlays::Overlays,
        shared_walk::Listing,
        stored::StoredRepository,
    },
    workspace::{
        WorkspaceMember, WorkspacePaths, WorkspaceQuery, research_workspace, search_workspace,
        symbols_workspace,
    },
};
#[cfg(feature = "opensearch")]
pub use cluster::select_repositories;
pub use lore_failures::{
    Failure, Frame, Reading, Severity, families as failure_families, read as read_failures,
};
pub use lore_index::{
    Backend, CachedRepository, CachedView, ClusterIndex, ClusterRepository, ClusterStatus,
    IndexError, PrivateFolder, default_backend, is_reading_index, own_memory, written_bytes,
};
#[cfg(feature = "opensearch")]
pub use lore_index::{ClusterAddress, ClusterCredentials, ClusterLayout, OpenSearchBackend};
pub use lore_schema as schema;
pub use lore_sources::{
    ChangedText, CommitDetails, CustomDocument, CustomEntry, CustomError, CustomSource,
    CustomSources, PastCommit, PastCommits, PastTree, PathCommit, PathCommits, Revision, Secrets,
    SourceError, StopSignal, StoredTree, TreeCheck, UnindexedMatch, UnindexedMatches,
    UnindexedReason, UnsuitableCommit, Workload, content_version, find_root, native, open_regular,
    past_commits, read_bytes, read_regular, read_regular_text, redact,
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
