//! The picker from outside: driven in tmux, key by key.
//!
//! Without tmux, each test says that it did not check anything.
#![cfg(unix)]
#![allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "tests start the program, make the trees that it searches, and say what they do not check"
)]

#[path = "pick/choices.rs"]
mod choices;
#[path = "pick/keys.rs"]
mod keys;
#[path = "pick/screens.rs"]
mod screens;
#[path = "pick/tmux.rs"]
mod tmux;
#[expect(dead_code, reason = "shared with the tests of the commands, which need more of it")]
#[path = "cli/workspace.rs"]
mod workspace;
