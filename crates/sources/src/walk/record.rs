//! Record of a folder that a walk has read: everything that is needed to read it again alone, and
//! its share of the totals.

use std::sync::Arc;

use lore_schema::{SkipCounts, SkipReason};

use super::{Job, Link, MAX_NAMED_IGNORED, add_counts};
use crate::rules::{RuleSet, Rules};

/// State of a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FolderState {
    /// It was read.
    Read,
    /// A file in it marks it as a cache: its content is ignored.
    Cache,
    /// It could not be listed.
    Unreadable,
}

/// Record of a folder.
#[derive(Debug, Clone)]
pub(crate) struct FolderRecord {
    /// The job that read it.
    pub(crate) job: Job,
    /// Rules inside it.
    pub(crate) rules: Option<Arc<Rules>>,
    /// True if it has rule files of its own.
    pub(crate) has_rules: bool,
    pub(crate) state: FolderState,
    /// Names of its subfolders that were read.
    pub(crate) folders: Vec<String>,
    pub(crate) links: Vec<Link>,
    /// Number of names that were skipped, by reason.
    pub(crate) skipped: SkipCounts,
    /// Root-relative paths of ignored files and folders, the latter with a final `/`; at most
    /// [`MAX_NAMED_IGNORED`].
    pub(crate) ignored: Vec<String>,
    /// Root-relative paths of files and folders that are read although a rule ignores them, because
    /// git tracks them; folders with a final `/`.
    pub(crate) tracked: Vec<String>,
}

impl FolderRecord {
    /// Creates the record of a folder that is about to be read.
    pub(super) fn new(job: Job) -> FolderRecord {
        FolderRecord {
            job,
            rules: None,
            has_rules: false,
            state: FolderState::Read,
            folders: Vec::new(),
            links: Vec::new(),
            skipped: SkipCounts::new(),
            ignored: Vec::new(),
            tracked: Vec::new(),
        }
    }

    /// Root-relative path without a final `/`; empty for the root.
    pub(crate) fn path(&self) -> &str {
        self.job.path.trim_end_matches('/')
    }

    /// Counts an ignored file or folder, and lists it by name.
    pub(super) fn ignore(&mut self, path: &str, is_folder: bool) {
        self.skip(SkipReason::Ignored);
        if self.ignored.len() < MAX_NAMED_IGNORED {
            let slash = if is_folder && !path.ends_with('/') { "/" } else { "" };
            self.ignored.push(format!("{path}{slash}"));
        }
    }

    pub(super) fn skip(&mut self, reason: SkipReason) {
        *self.skipped.entry(reason).or_default() += 1;
    }

    /// Returns the record of the folder as one that is ignored because it is a cache. Names that
    /// were skipped before its mark was found are not counted twice.
    pub(super) fn into_cache(self) -> FolderRecord {
        let skipped = self.skipped.clone();
        let mut record = FolderRecord::new(self.job);
        record.skipped = skipped;
        record.state = FolderState::Cache;
        let path = record.job.path.clone();
        record.ignore(&path, true);
        record
    }
}

/// Sums over the folders of a tree.
#[derive(Debug, Default)]
pub(crate) struct Totals {
    pub(crate) skipped: SkipCounts,
    /// Ignored files and folders, sorted; at most [`MAX_NAMED_IGNORED`].
    pub(crate) ignored: Vec<String>,
    /// Ignore files that are too large to apply, sorted.
    pub(crate) oversized: Vec<String>,
}

/// Adds up the folders of a tree.
pub(crate) fn totals<'a>(
    records: impl IntoIterator<Item = &'a FolderRecord>,
    rule_set: &RuleSet,
) -> Totals {
    let mut totals = Totals { oversized: rule_set.oversized.clone(), ..Totals::default() };
    let mut ignored = Vec::new();
    for record in records {
        add_counts(&mut totals.skipped, &record.skipped);
        ignored.extend(record.ignored.iter());
        if let Some(rules) = record.rules.as_ref().filter(|_| record.has_rules) {
            totals.oversized.extend(rules.oversized.iter().cloned());
        }
    }
    ignored.sort_unstable();
    ignored.truncate(MAX_NAMED_IGNORED);
    totals.ignored = ignored.into_iter().cloned().collect();
    totals.oversized.sort_unstable();
    totals
}
