//! Reading git: the source of commits, the trees of commits, and facts from the history.

mod changed_texts;
mod changes;
mod commit_details;
mod config;
mod disk_changes;
mod distance;
mod files;
mod guard;
mod head_history;
mod history;
mod line_history;
mod line_origins;
mod lines;
mod merges;
mod name_history;
mod past;
mod past_tree;
mod past_walk;
mod path_commits;
mod repository;
mod revision;
mod stamp;
mod subject;
mod tracked;
mod unindexed;
mod worktree_status;

pub(crate) use changed_texts::hunks;
pub use changed_texts::{ChangedText, NewState, changed_texts};
pub use changes::{LastCommit, last_changes, last_commits};
pub use commit_details::{CommitDetails, commit_details};
pub(crate) use config::{GitConfig, user_ignore_files};
pub use distance::tree_distances;
pub use head_history::HeadHistory;
pub(crate) use history::GitSource;
pub use line_history::{Before, LineChange, line_history};
pub use line_origins::{LineOrigin, line_origins};
pub use lines::lines_added;
pub use merges::merged_by;
pub use name_history::{
    NameHistory, NameHistoryRequest, NameRole, NameRules, Removal, SoughtName, SoughtPath,
    SoughtText, Step, name_history,
};
pub use past::{PastCommit, PastCommits, UnsuitableCommit, past_commits};
pub use past_tree::PastTree;
pub(crate) use past_walk::list;
pub use path_commits::{PathCommit, PathCommits, path_commits};
pub use repository::{head_commit, repository_names};
pub(crate) use revision::Blob;
pub use revision::Revision;
pub use stamp::GitStamp;
pub use subject::without_number;
pub(crate) use tracked::{Index, is_tracked, read_index};
pub(crate) use unindexed::search_unindexed;
pub use worktree_status::WorktreeStatus;
