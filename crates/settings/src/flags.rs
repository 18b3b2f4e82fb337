//! Flags that commands share: the tree and its index, messages, filters and search modes.
#![expect(clippy::struct_excessive_bools, reason = "each flag is a switch")]

mod embedding;
mod filter;
mod fusion;
mod revision;

use std::path::PathBuf;

use clap::{ArgAction, Args};

pub use self::{
    embedding::EmbeddingArguments,
    filter::{CodeFilterArguments, FilterArguments, score, share},
    fusion::FusionArguments,
    revision::RevisionArguments,
};
use crate::{folders::absolute, kind::Value, resolved::Override};

/// Settings and the flags that override them, sorted by key. Not every command has every flag.
const FLAGS: &[(&str, &[&str])] = &[
    ("cache.dir", &["--cache-dir"]),
    ("cache.write", &["--no-write"]),
    ("cluster.repository", &["--as"]),
    ("cluster.url", &["--cluster"]),
    ("embedding.batch", &["--embedding-batch"]),
    ("embedding.endpoint", &["--embedding-endpoint"]),
    ("embedding.key_env", &["--embedding-key-env"]),
    ("embedding.model", &["--model"]),
    ("embedding.timeout", &["--embedding-timeout"]),
    ("history.enabled", &["--history", "--no-history"]),
    ("index.all-history", &["--all-history"]),
    ("index.hidden", &["--hidden", "--no-hidden"]),
    ("index.tickets", &["--tickets"]),
    ("output.color", &["--color"]),
    ("output.format", &["--format", "--json"]),
    ("output.group", &["--group", "--no-group"]),
    ("output.hyperlink-format", &["--hyperlink-format"]),
    ("output.snippet-lines", &["--snippet"]),
    ("output.theme", &["--theme"]),
    ("search.alpha", &["--alpha"]),
    ("search.bm25_weight", &["--bm25-weight"]),
    ("search.expand", &["--expand"]),
    ("search.expand-cmd", &["--expand-cmd"]),
    ("search.limit", &["--limit"]),
    ("search.mode", &["--mode"]),
    ("search.rerank-cmd", &["--rerank-cmd"]),
    ("search.rewrite", &["--no-rewrite"]),
    ("search.rrf_k", &["--rrf-k"]),
    ("search.semantic_weight", &["--semantic-weight"]),
    ("search.wait", &["--wait"]),
    ("server.otlp", &["--otlp"]),
];

/// The flags that override a setting.
pub fn flags_of(key: &str) -> &'static [&'static str] {
    FLAGS.iter().find(|(setting, _)| *setting == key).map_or(&[], |(_, flags)| *flags)
}

/// Arguments of every command that prints text.
#[derive(Debug, Args, Default)]
#[command(next_help_heading = "Output")]
pub struct CommonArguments {
    /// Use colours: auto, always or never [default: auto]
    ///
    /// `auto` uses them on a terminal, unless `NO_COLOR` is set.
    #[arg(long, value_name = "WHEN", value_parser = ["auto", "always", "never"], hide_possible_values = true)]
    pub color: Option<String>,

    /// Show more details, and timing and counts on standard error
    #[arg(short = 'v', long = "stats")]
    pub stats: bool,
}

/// Arguments that select the tree and the location of its index.
#[derive(Debug, Args, Clone, Default)]
#[command(next_help_heading = "Index")]
pub struct TreeArguments {
    /// Search this directory
    ///
    /// By default, the repository that contains the current directory, or that directory itself.
    /// Printed paths are relative to it.
    #[arg(short = 'C', value_name = "DIR")]
    pub directory: Option<PathBuf>,

    /// Store indexes in this directory
    #[arg(long, value_name = "DIR")]
    pub cache_dir: Option<PathBuf>,

    /// Do not update the index, even if it is out of date
    #[arg(long, action = ArgAction::SetTrue)]
    pub no_write: bool,

    /// Search hidden files (the default)
    #[arg(long, overrides_with = "no_hidden")]
    pub hidden: bool,

    /// Exclude hidden files and directories
    #[arg(long, overrides_with = "hidden")]
    pub no_hidden: bool,

    /// Read all commits before the answer; otherwise later runs read the older ones
    #[arg(long)]
    pub all_history: bool,

    /// Also read the tickets in this export
    ///
    /// Exports of GitHub (JSON), Linear (CSV) or Jira (CSV or JSON), recognised by content, from
    /// any folder. Repeatable; adds to `index.tickets`.
    #[arg(long, value_name = "FILE")]
    pub tickets: Vec<PathBuf>,

    /// The embedding model and server.
    #[command(flatten)]
    pub embedding: EmbeddingArguments,
}

/// The settings that the shared flags override.
pub fn shared_flags(tree: &TreeArguments, common: &CommonArguments) -> Vec<Override> {
    let mut flags = Vec::new();
    let mut set = |key, value, flag| flags.push(Override { key, value, flag });
    if let Some(dir) = &tree.cache_dir {
        set("cache.dir", Value::Folder(dir.clone()), "--cache-dir");
    }
    if tree.no_write {
        set("cache.write", Value::Switch(false), "--no-write");
    }
    if tree.hidden {
        set("index.hidden", Value::Switch(true), "--hidden");
    }
    if tree.no_hidden {
        set("index.hidden", Value::Switch(false), "--no-hidden");
    }
    if tree.all_history {
        set("index.all-history", Value::Switch(true), "--all-history");
    }
    if !tree.tickets.is_empty() {
        let files = tree.tickets.iter().cloned().map(absolute).collect();
        set("index.tickets", Value::Files(files), "--tickets");
    }
    let embedding = &tree.embedding;
    if let Some(model) = &embedding.model {
        set("embedding.model", Value::Text(model.clone()), "--model");
    }
    if let Some(url) = &embedding.endpoint {
        set("embedding.endpoint", Value::Text(url.clone()), "--embedding-endpoint");
    }
    if let Some(name) = &embedding.key_env {
        set("embedding.key_env", Value::Text(name.clone()), "--embedding-key-env");
    }
    if let Some(texts) = embedding.batch {
        set("embedding.batch", Value::Number(texts), "--embedding-batch");
    }
    if let Some(seconds) = embedding.timeout {
        set("embedding.timeout", Value::Number(seconds), "--embedding-timeout");
    }
    if let Some(color) = &common.color {
        set("output.color", Value::Text(color.clone()), "--color");
    }
    flags
}
