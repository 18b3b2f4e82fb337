//! Reads documents from sources: files, git history, spec stores and ticket stores.
//!
//! One walk of the tree serves every source that reads files. Each file belongs to exactly one
//! source and one reader, decided from paths alone.
//!
//! Start reading here:
//!
//! 1. `Tree::walk` (`tree.rs`, `walk.rs`, `rules.rs`) lists the files of a folder or of a commit.
//! 2. `claims.rs` assigns each file to a reader of one format (`formats.rs`).
//! 3. `Source::scan` (`source.rs`, `file_source.rs`, `git/history.rs`) reports the changes of a
//!    source.

#![expect(clippy::disallowed_methods, reason = "this crate reads files and repositories")]

mod attributes;
mod claims;
mod custom;
mod custom_scan;
mod dates;
mod error;
mod exports;
mod file_source;
mod files;
mod fingerprint;
#[cfg(test)]
mod fixture;
mod formats;
mod front_matter;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
mod git;
mod grep;
mod header;
mod listing;
mod live;
mod markdown;
pub mod native;
mod options;
mod patch;
mod paths;
#[cfg(test)]
#[cfg(target_os = "linux")]
mod races;
mod records;
mod registry;
mod regular;
mod root;
mod rules;
mod safe_open;
mod secrets;
mod source;
mod specs;
mod store;
mod stored;
mod table;
mod text;
mod tickets;
mod title;
mod tree;
mod unindexed;
mod unit_files;
mod units;
mod value;
mod walk;
mod watch;
mod workload;
mod writeback;

pub(crate) use crate::unit_files::UnitFiles;
pub use crate::{
    custom::{
        CustomDocument, CustomEntry, CustomError, CustomSource, CustomSources, content_version,
    },
    error::SourceError,
    exports::canonical_path,
    files::source_of_path,
    git::{
        Before, ChangedText, CommitDetails, GitStamp, HeadHistory, LastCommit, LineChange,
        LineOrigin, NameHistory, NameHistoryRequest, NameRole, NameRules, NewState, PastCommit,
        PastCommits, PastTree, PathCommit, PathCommits, Removal, Revision, SoughtName, SoughtPath,
        SoughtText, Step, UnsuitableCommit, WorktreeStatus, changed_texts, commit_details,
        head_commit, last_changes, last_commits, line_history, line_origins, lines_added,
        merged_by, name_history, past_commits, path_commits, repository_names, tree_distances,
        without_number,
    },
    grep::{
        FileFilter, FileMatches, GrepResults, MatchedLine, Pattern, PatternError, grep,
        matching_lines,
    },
    listing::Entry,
    live::{LiveTree, TreeCheck},
    options::WalkOptions,
    patch::{PatchedTexts, patched_texts},
    registry::{SOURCES, current_content, malformed_units, read_documents},
    regular::{open_regular, read_regular, read_regular_text},
    root::{canonical_root, common_dir, exists, find_root, is_bare_repository},
    secrets::{
        FINGERPRINT as SECRETS_FINGERPRINT, Secrets, count_redactions, redact, secret_rule_names,
    },
    source::{FormatCount, IndexState, Scan, ScanReport, Source},
    stored::{StoredFiles, StoredTree},
    text::{read_bytes, read_text, read_text_with_fingerprint},
    tree::{Difference, Tree, TreeVersion, fingerprint_of, is_unchanged},
    unindexed::{
        UnindexedBounds, UnindexedMatch, UnindexedMatches, UnindexedReason, search_unindexed,
    },
    watch::{StopSignal, WakeReason},
    workload::{Workload, file_bytes},
};
