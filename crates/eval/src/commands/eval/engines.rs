//! Engines for the trees of collections.

use std::{error::Error, path::Path};

use lore_engine::{Engine, EngineConfig, RankingConfig};
use lore_session::embedding;
use lore_settings::{
    Settings, env_vars,
    flags::{CommonArguments, TreeArguments, shared_flags},
};

/// Makes an engine for a tree, with its settings.
pub(super) fn engine_of(
    tree: &TreeArguments,
    common: &CommonArguments,
    root: &Path,
) -> Result<Engine, Box<dyn Error + Send + Sync>> {
    Ok(Engine::open(engine_config(tree, common, root)?)?)
}

/// Makes an engine with the settings of a tree, but with the built-in ranking weights: measuring or
/// fitting those needs answers that use them.
pub(super) fn engine_of_built_in_weights(
    tree: &TreeArguments,
    common: &CommonArguments,
    root: &Path,
) -> Result<Engine, Box<dyn Error + Send + Sync>> {
    let config = engine_config(tree, common, root)?;
    Ok(Engine::open(EngineConfig { ranking: RankingConfig::default(), ..config })?)
}

fn engine_config(
    tree: &TreeArguments,
    common: &CommonArguments,
    root: &Path,
) -> Result<EngineConfig, Box<dyn Error + Send + Sync>> {
    let root = lore_engine::native::canonical(root)?;
    let flags = shared_flags(tree, common);
    let settings = Settings::load(&root, &env_vars::from_process, flags)?;
    let (embedding, error) = embedding::configured(&settings, &env_vars::from_process)?;
    // Figures of another model than the configured one would mislead.
    if let Some(error) = error {
        return Err(error.into());
    }
    Ok(lore_session::engine_config(&settings, &root, embedding)?)
}
