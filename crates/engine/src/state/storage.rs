//! The fingerprint of the analysis that an index depends on, and the options of the walk.

use lore_sources::WalkOptions;

use crate::{EngineConfig, state::analyze::FINGERPRINT};

/// Fingerprint of the analysis that produced the terms of an index.
pub(crate) fn fingerprint() -> String {
    let of_secrets = lore_sources::SECRETS_FINGERPRINT;
    let of_text = lore_text::fingerprint();
    format!("{of_text}/{}/{FINGERPRINT}/{of_secrets}", lore_syntax::fingerprint())
}

/// The options of the walk.
pub(crate) fn walk_options(config: &EngineConfig) -> WalkOptions {
    WalkOptions {
        hidden: config.hidden,
        max_file_size: config.max_file_size,
        threads: config.threads,
        commits: config.commits,
        older_commits: false,
        exports: config.exports.clone(),
        custom: config.custom.clone(),
        at: config.at.clone(),
        stored: config.stored.as_ref().map(|stored| stored.tree().clone()),
        secrets: config.secrets,
    }
}
