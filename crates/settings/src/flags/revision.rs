//! Arguments of the commands that can look at an earlier tree.

use clap::Args;

/// Which version of the tree is searched.
#[derive(Debug, Args, Default, Clone)]
pub struct RevisionArguments {
    /// Search the tree of a commit instead of the files on disk
    ///
    /// A commit, branch or tag as git names them (`v1.2`, `HEAD~3`), or a date (`2025-01-31`,
    /// `yesterday`, `3 weeks ago`): the newest commit up to then on the line of first parents of
    /// HEAD. Files are read from git, and changes that are not committed are left out.
    #[arg(long, value_name = "REV", help_heading = "Tree")]
    pub at: Option<String>,
}
