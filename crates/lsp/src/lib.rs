//! The server for editors: the Language Server Protocol over pipes.
//!
//! It answers from the same engine as every command, with the texts of open files in place of those on
//! disk.
//!
//! **Invariant:** standard output carries the protocol alone; everything else goes to standard error.
//!
//! **Invariant:** a handshake opens nothing: no settings, no engine, no index. Nothing below the
//! folders of the editor is written.

mod answers;
mod client;
mod documents;
mod frames;
mod handshake;
mod session;
mod state;
mod text;
mod workspaces;

use std::io;

use lore_server::Options;

pub use self::session::Ended;
use self::{client::Client, session::Session};

/// Answers an editor over standard input and output until it ends the session.
///
/// # Errors
/// When standard input cannot be read or a thread cannot be started.
pub fn over_pipes(options: Options) -> anyhow::Result<Ended> {
    let session = Session::new(options, Client::new(Box::new(io::stdout())))?;
    session.run(&mut io::stdin().lock())
}
