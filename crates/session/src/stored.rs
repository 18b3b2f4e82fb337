//! The repositories of a cluster, which are searched without clones.

use lore_console::report::UsageError;
use lore_engine::{
    ClusterLayout, Engine, EngineConfig, OpenSearchBackend, StoredTree, select_repositories,
};
use lore_settings::{Override, Settings, env_vars, workspace::chosen_names};

use crate::{
    Context, cluster, embedding, parsers,
    workspace::{OpenMember, OpenWorkspace},
};

/// Maximum number of repositories that answer a question: those that its words fit best. More make an answer
/// slower, and seldom add a hit to its first ten.
pub const MAX_SELECTED: usize = 8;

/// The repositories of the cluster that the user's own settings and flags name.
#[derive(Debug)]
pub struct StoredRepositories {
    settings: Settings,
    cluster: &'static OpenSearchBackend,
}

impl StoredRepositories {
    /// Reads the user's settings, with these flags. Opens no connection.
    ///
    /// # Errors
    /// If the settings name no cluster, or do not fit together.
    pub fn new(flags: Vec<Override>) -> anyhow::Result<StoredRepositories> {
        let settings = Settings::load(&StoredTree::roots(), &env_vars::from_process, flags)?;
        let lookup = &env_vars::from_process;
        let cluster = cluster::backend(&settings, ANY, lookup, ClusterLayout::default())?;
        Ok(StoredRepositories { settings, cluster })
    }

    /// The settings of all repositories of the cluster.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The names of the repositories that match one of the globs, or of all without globs, sorted.
    ///
    /// # Errors
    /// If the cluster does not answer, or a glob matches no name.
    pub fn names(&self, globs: &[String]) -> anyhow::Result<Vec<String>> {
        let mut names = self.cluster.names()?;
        names.retain(|name| StoredTree::root(name).is_some());
        if names.is_empty() {
            let error = UsageError::new("the cluster has no repository");
            return Err(error.hint("run `lore cluster ingest` in a repository").into());
        }
        Ok(chosen_names(names, globs)?)
    }

    /// Selects at most [`MAX_SELECTED`] of these repositories for a question. Also returns a warning if others
    /// are not searched.
    ///
    /// # Errors
    /// If the cluster does not answer.
    pub fn select(
        &self,
        question: &str,
        names: &[String],
    ) -> anyhow::Result<(Vec<String>, Option<String>)> {
        let selected = select_repositories(self.cluster, question, names, MAX_SELECTED)?;
        let all = names.len();
        let warning = (selected.len() < all && !selected.is_empty()).then(|| {
            format!(
                "{} of {all} repositories are searched: those that contain most of the words; `--repo` \
                 chooses others",
                selected.len()
            )
        });
        // Without any of the words anywhere, the first ones explain the empty answer.
        let first = || names.iter().take(MAX_SELECTED).cloned().collect();
        Ok((if selected.is_empty() { first() } else { selected }, warning))
    }

    /// Opens a repository. Its embedder is that of the settings; if that cannot be used, the second value is
    /// the reason, and the built-in model is used.
    ///
    /// # Errors
    /// If the cluster does not answer, or has no such repository.
    pub fn engine(&self, name: &str) -> anyhow::Result<(Engine, Option<String>)> {
        let lookup = &env_vars::from_process;
        let (embedding, error) = embedding::configured(&self.settings, lookup)?;
        let backend = cluster::backend(&self.settings, name, lookup, ClusterLayout::default())?;
        let config = EngineConfig {
            parsers: parsers::host(),
            backend,
            ..self.settings.engine(&StoredTree::roots(), embedding)
        };
        Ok((Engine::open_stored(config, name)?, error.map(|error| error.reason)))
    }
}

/// Name of the backend for requests about all repositories, which concern no rows of this name.
const ANY: &str = "any repository";

impl OpenWorkspace {
    /// Opens the repositories of a cluster that a question is about, as a workspace. `globs` choose some by
    /// their names. A repository that cannot be opened is skipped, with a warning.
    ///
    /// # Errors
    /// If the cluster does not answer, or no repository can be opened.
    pub fn of_cluster(
        globs: &[String],
        question: &str,
        flags: &[Override],
    ) -> anyhow::Result<OpenWorkspace> {
        let stored = StoredRepositories::new(flags.to_vec())?;
        let names = stored.names(globs)?;
        let (names, warning) = stored.select(question, &names)?;
        let places = names.into_iter().map(|name| (name.clone(), name)).collect();
        let (index, skipped) =
            (stored.settings.cluster_index().to_owned(), warning.into_iter().collect());
        OpenWorkspace::of_places(index, StoredTree::roots(), skipped, places, |_, name| {
            let (engine, _) = stored.engine(&name)?;
            let root = StoredTree::root(&name).unwrap_or_default();
            let context = Context::of_root(root, flags.to_vec())?;
            Ok(OpenMember { name, context, engine: engine.into() })
        })
    }
}
