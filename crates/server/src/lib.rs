//! The server for coding agents: the Model Context Protocol, over pipes and HTTP.
//!
//! **Invariant:** asynchronous code stays in `server`, `pipes` and `http`. A tool is a synchronous
//! function on a thread of its own, which asks the engine as every command does.
//!
//! **Invariant:** standard output carries the protocol alone; everything else goes to standard error.
//!
//! **Invariant:** a handshake opens nothing: no settings, no engine, no index.

#![allow(
    clippy::disallowed_methods,
    reason = "the server reads its token, the current folder and the files of `read`"
)]

pub mod answer;
pub mod arguments;
pub mod failure;
pub mod http;
mod pipes;
mod resources;
mod roots;
mod server;
pub mod systems;
pub mod tools;
pub mod tree;
pub mod watch;

use anyhow::Context as _;
use lore_settings::flags::{CommonArguments, TreeArguments};
use tokio::runtime::{Builder, Runtime};

pub use self::pipes::over_pipes;
use self::systems::System;

/// Threads that answer calls: more at a time than any client asks.
const THREADS: usize = 32;

/// Options of a server.
#[derive(Debug, Default)]
pub struct Options {
    /// Systems whose tools are taken, too.
    pub systems: Vec<&'static System>,
    /// True if a session receives no text twice.
    pub remembers: bool,
    /// The tree and the location of its index.
    pub tree: TreeArguments,
    /// Style of messages on standard error.
    pub common: CommonArguments,
}

/// The runtime of a server: two threads for messages, and those of calls as they come.
fn runtime() -> anyhow::Result<Runtime> {
    Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(THREADS)
        .enable_all()
        .build()
        .context("could not start the server")
}

/// Listens from the moment of the call, in a runtime; the returned future ends when the system
/// asks the program to end.
pub(crate) fn asked_to_end() -> std::io::Result<impl Future<Output = ()>> {
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
        let mut asked = tokio::signal::windows::ctrl_c()?;
        Ok(async move {
            asked.recv().await;
        })
    }
}
