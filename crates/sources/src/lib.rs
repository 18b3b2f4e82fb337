//! Turns places into documents: folders, git history, spec and ticket stores.
//!
//! One walk of the tree serves every source of files; each file belongs to exactly one source and
//! one reader, decided from the paths alone.

#![expect(
    clippy::disallowed_methods,
    reason = "reading files and repositories is what this crate is for"
)]

mod attributes;
mod beneath;
mod claims;
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
mod markdown;
pub mod native;
mod options;
mod paths;
mod records;
mod registry;
mod root;
mod rules;
mod secrets;
mod source;
mod specs;
mod store;
mod table;
mod text;
mod tickets;
mod title;
mod tree;
mod unindexed;
mod units;
mod value;
mod walk;
mod watch;

pub use crate::{
    error::SourceError,
    exports::canonical_path,
    files::source_of_path,
    git::{
        PastCommit, PastCommits, PastTree, Revision, UnsuitableCommit, WorktreeStatus, head_commit,
        last_changes, lines_added, past_commits, tree_distances,
    },
    grep::{
        FileFilter, FileMatches, GrepResults, MatchedLine, Pattern, PatternError, grep,
        matching_lines,
    },
    listing::Entry,
    options::WalkOptions,
    registry::{SOURCES, current_content, read_documents},
    root::{canonical_root, common_dir, find_root},
    secrets::{
        FINGERPRINT as SECRETS_FINGERPRINT, Secrets, count_redactions, redact, secret_rule_names,
    },
    source::{FormatCount, IndexState, Scan, ScanReport, Source},
    text::{read_text, read_text_with_fingerprint},
    tree::{Tree, fingerprint_of, is_unchanged},
    unindexed::{
        UnindexedBounds, UnindexedMatch, UnindexedMatches, UnindexedReason, search_unindexed,
    },
    watch::{StopSignal, WakeReason, Watcher},
};
