//! The server: the Model Context Protocol for coding agents, over pipes and HTTP, and the requests of the web
//! page.
//!
//! **Invariant:** asynchronous code stays in `server`, `pipes`, `http` and `pages`. A tool is a synchronous
//! function on a thread of its own, which queries the engine as every command does.
//!
//! **Invariant:** standard output carries the protocol alone; everything else goes to standard error.
//!
//! **Invariant:** a handshake opens nothing: no settings, no engine, no index.

#![allow(
    clippy::disallowed_methods,
    reason = "the server reads its token, the current directory and the files of `read`"
)]

pub mod access;
pub mod answer;
pub mod arguments;
pub mod control;
pub mod failure;
pub mod http;
pub mod operations;
pub mod pages;
mod pipes;
mod requests;
mod resources;
pub mod roots;
mod server;
mod stored;
pub mod systems;
pub mod tools;
pub mod tree;
pub mod tree_set;
pub mod uris;

use std::time::Duration;

use anyhow::Context as _;
use lore_settings::flags::{CommonArguments, TreeArguments};
use tokio::runtime::{Builder, Runtime};

pub use self::pipes::over_pipes;
use self::systems::System;

/// Maximum number of calls that are answered at a time: more than clients send.
const THREADS: usize = 32;

/// Options of a server.
#[derive(Debug, Default)]
pub struct Options {
    /// Replaced systems whose tools are offered, too.
    pub systems: Vec<&'static System>,
    /// True if a session receives no text twice.
    pub remembers: bool,
    /// The tree and the location of its index.
    pub tree: TreeArguments,
    /// Name of a workspace whose repositories are served instead of one tree.
    pub workspace: Option<String>,
    /// URL of a cluster whose repositories are served instead, without clones.
    pub cluster: Option<String>,
    /// Globs that choose some of the repositories of the workspace or cluster.
    pub repositories: Vec<String>,
    /// Style of messages on standard error.
    pub common: CommonArguments,
    /// Time limit for the headers of a request over HTTP, and for its body; `None` for the default.
    pub max_request_time: Option<Duration>,
}

/// The runtime of a server: two threads for messages, and further ones for calls.
fn runtime() -> anyhow::Result<Runtime> {
    Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(THREADS)
        .enable_all()
        .build()
        .context("could not start the server")
}

/// Registers for signals at once, inside a runtime. The returned future ends when the system requests
/// the end of the program.
pub(crate) fn stop_requested() -> std::io::Result<impl Future<Output = ()>> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};

        let (mut terminate, mut interrupt) =
            (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
        Ok(async move {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
        })
    }
    #[cfg(windows)]
    {
        let mut stop = tokio::signal::windows::ctrl_c()?;
        Ok(async move {
            stop.recv().await;
        })
    }
}
