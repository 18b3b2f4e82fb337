//! The repositories of a cluster, in a build without the feature `opensearch`: there are none.

use std::convert::Infallible;

use lore_console::report::UsageError;
use lore_engine::Engine;
use lore_settings::{Override, Settings};

use crate::workspace::OpenWorkspace;

/// Maximum number of repositories that answer a question.
pub const MAX_SELECTED: usize = 0;

/// The repositories of a cluster. This build cannot open them.
#[derive(Debug)]
pub struct StoredRepositories(Infallible);

impl StoredRepositories {
    /// Fails.
    ///
    /// # Errors
    /// Always.
    pub fn new(_: Vec<Override>) -> anyhow::Result<StoredRepositories> {
        Err(unsupported().into())
    }

    /// Never called.
    pub fn settings(&self) -> &Settings {
        match self.0 {}
    }

    /// Never called.
    pub fn names(&self, _: &[String]) -> anyhow::Result<Vec<String>> {
        match self.0 {}
    }

    /// Never called.
    pub fn select(&self, _: &str, _: &[String]) -> anyhow::Result<(Vec<String>, Option<String>)> {
        match self.0 {}
    }

    /// Never called.
    pub fn engine(&self, _: &str) -> anyhow::Result<(Engine, Option<String>)> {
        match self.0 {}
    }
}

impl OpenWorkspace {
    /// Fails.
    ///
    /// # Errors
    /// Always.
    pub fn of_cluster(_: &[String], _: &str, _: &[Override]) -> anyhow::Result<OpenWorkspace> {
        Err(unsupported().into())
    }
}

fn unsupported() -> UsageError {
    UsageError::new("this build has no support for clusters")
        .hint("use a build with the feature `opensearch`")
}
