//! `lore access`: tokens of the users of a server.

use lore_console::report::{Status, UsageError};
use lore_server::{access::token_hash, http::new_token};
use lore_session::write_output;
use lore_settings::workspace::RepositoryGlobs;
use toml::Value;

use crate::args::{AccessAction, AccessArguments, AccessTokenArguments};

/// Runs an action.
pub(super) fn run(arguments: &AccessArguments) -> anyhow::Result<Status> {
    match &arguments.action {
        AccessAction::Token(arguments) => token(arguments),
    }
}

fn token(arguments: &AccessTokenArguments) -> anyhow::Result<Status> {
    RepositoryGlobs::new(&arguments.repo).map_err(|reason| {
        UsageError::new(reason).hint("use a glob such as `shop/*`, or `**` for all repositories")
    })?;
    let token = new_token()?;
    let globs = arguments.repo.iter().cloned().map(Value::String).collect();
    let (name, hash) = (Value::String(arguments.name.clone()), token_hash(&token));
    let repositories = Value::Array(globs);
    write_output(|out| {
        writeln!(out, "{token}\n\n[[user]]\nname = {name}\ntoken_sha256 = \"{hash}\"")?;
        writeln!(out, "repositories = {repositories}")
    })?;
    Ok(Status::Success)
}
