//! Arguments of commands that can search the tree of a commit.

use clap::Args;

/// Arguments that select the revision of the tree.
#[derive(Debug, Args, Default, Clone)]
pub struct RevisionArguments {
    /// Search the tree of a commit instead of the files on disk
    ///
    /// A commit, branch or tag in git's syntax (`v1.2`, `HEAD~3`), or a date (`2025-01-31`, `yesterday`,
    /// `3 weeks ago`): the newest commit up to then, following HEAD's first-parent line. Files
    /// are read from git; uncommitted changes are ignored.
    #[arg(long, value_name = "REV", help_heading = "Tree")]
    pub at: Option<String>,
}
