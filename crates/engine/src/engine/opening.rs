//! Opening of an engine: for a folder, for a commit, and for a repository in a cluster.

use lore_sources::StoredTree;

use crate::{
    CachePlace, Clock, Engine, EngineConfig, EngineError, Overlays, StoredRepository,
    answers::{follow_ups::FollowUpCache, navigation::NavigationStates},
    rank::signals,
    state::revision,
};

impl Engine {
    /// Opens a tree. Reads only the root folder itself.
    ///
    /// # Errors
    /// - [`EngineError::Root`] when the root is not a folder that can be read.
    /// - [`EngineError::UnknownSignal`] when a weight is set for a signal that does not exist.
    /// - [`EngineError::CustomSource`] when a custom source has an invalid name, or that of another one.
    pub fn open(mut config: EngineConfig) -> Result<Engine, EngineError> {
        let known = signals::names();
        if let Some(name) =
            config.ranking.weights.keys().find(|name| !known.contains(&name.as_str()))
        {
            return Err(EngineError::UnknownSignal { name: name.clone(), known });
        }
        if let Err((name, reason)) = config.custom.check() {
            return Err(EngineError::CustomSource { name: name.to_owned(), reason });
        }
        if config.stored.is_some() {
            return Ok(Engine::with(config));
        }
        config.root = lore_sources::canonical_root(&config.root).map_err(|reason| {
            EngineError::Root { path: config.root.clone(), reason: reason.to_string() }
        })?;
        Ok(Engine::with(config))
    }

    fn with(config: EngineConfig) -> Engine {
        let (follow_ups, states) = (FollowUpCache::default(), NavigationStates::default());
        Engine { config, follow_ups, states }
    }

    /// Opens a repository that was ingested into a cluster, to search it without a clone. Nothing is read
    /// from the disk or written. `config` has the backend of the repository; its root is replaced.
    ///
    /// # Errors
    /// [`EngineError::Root`] when the cluster has no repository with this name, or the name is no relative
    /// path; [`EngineError::Index`] when the cluster does not answer. Otherwise as [`Engine::open`].
    pub fn open_stored(mut config: EngineConfig, name: &str) -> Result<Engine, EngineError> {
        let refused = || EngineError::Root {
            path: name.into(),
            reason: "it is no name of a repository".to_owned(),
        };
        config.root = StoredTree::root(name).ok_or_else(refused)?;
        config.cache = CachePlace::Folder(config.root.clone());
        (config.write, config.at) = (false, None);
        config.stored = Some(StoredRepository::open(config.backend, &config.root, name)?);
        Engine::open(config)
    }

    /// Returns true if this engine searches a repository in a cluster.
    pub fn is_stored(&self) -> bool {
        self.config.stored.is_some()
    }

    /// Rejects a request that needs files or history on this machine.
    ///
    /// # Errors
    /// [`EngineError::NeedsClone`] for a repository in a cluster.
    pub fn check_clone(&self, what: &'static str) -> Result<(), EngineError> {
        if self.is_stored() { Err(EngineError::NeedsClone { what }) } else { Ok(()) }
    }

    /// Returns an engine for the tree of a commit. Files are read from git, and only the cache is written.
    ///
    /// `name` is a hash or its beginning, a branch or a tag, each with an optional `~3` or `^2`; or a date,
    /// which selects the newest commit up to its end among the first parents of HEAD.
    ///
    /// # Errors
    /// [`EngineError::Revision`] when no commit has that name, [`EngineError::Source`] outside git,
    /// [`EngineError::NeedsClone`] for a repository in a cluster.
    pub fn at(&self, name: &str, clock: Clock) -> Result<Engine, EngineError> {
        self.check_clone("an earlier state")?;
        let at = Some(revision::find(&self.config.root, name, clock)?);
        let config = EngineConfig { at, overlays: Overlays::default(), ..self.config.clone() };
        Ok(Engine::with(config))
    }
}
