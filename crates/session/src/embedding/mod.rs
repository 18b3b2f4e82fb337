//! The embedder that the settings choose.

mod endpoint;
mod folder;
mod unusable;

use std::{
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use lore_engine::{EmbedError, Embedder, Embedding, Fault, StaticEmbedder};
use lore_settings::{EMBEDDED, OFF, Origin, Settings, env_vars::Lookup, user_file};

use self::unusable::Unusable;
pub use self::{endpoint::Endpoint, folder::is_model};

/// Folder of models, beside the user's settings file.
const FOLDER_NAME: &str = "models";

/// An embedder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// Nothing: searches go by words.
    Off,
    /// The built-in model.
    Embedded,
    /// A model in this folder.
    Folder {
        /// Its name in answers: the folder's name.
        name: String,
        /// The folder.
        path: PathBuf,
    },
    /// The server that the settings name.
    Server,
}

impl Choice {
    /// The choice of the settings.
    ///
    /// A path is a folder. A name is a model of the server, if the settings name one, and else a
    /// folder among the user's models.
    pub fn of(settings: &Settings, lookup: Lookup<'_>) -> Result<Choice, EmbedError> {
        let model = settings.embedding_model();
        let origin = settings.get("embedding.model").map(|decided| &decided.origin);
        let server = settings.embedding_endpoint().is_some();
        match model {
            OFF => return Ok(Choice::Off),
            EMBEDDED if server && origin == Some(&Origin::Default) => return Ok(Choice::Server),
            EMBEDDED => return Ok(Choice::Embedded),
            _ => {}
        }
        let path = Path::new(model);
        if path.is_absolute() {
            return Ok(Choice::folder(path.to_owned()));
        }
        if server {
            return Ok(Choice::Server);
        }
        if is_name(model) {
            let folder = models_folder(lookup).ok_or_else(|| EmbedError {
                reason: format!(
                    "could not find the model `{model}`: there is no directory for your models"
                ),
                hint: Some("set `HOME`, or name the model by the path of its directory".to_owned()),
                at_fault: Fault::Embedder,
            })?;
            return Ok(Choice::folder(folder.join(model)));
        }
        // Paths in a file are relative to the file, typed paths to the current folder.
        let path = match origin {
            Some(Origin::User { path: file, .. }) => {
                file.parent().unwrap_or(Path::new("")).join(path)
            }
            _ => lore_settings::absolute(path.to_owned()),
        };
        Ok(Choice::folder(path))
    }

    /// The model in a folder, called by the folder's name.
    pub fn folder(path: PathBuf) -> Choice {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        Choice::Folder { name: name.unwrap_or_else(|| path.display().to_string()), path }
    }

    /// Makes ready what was chosen; `None` for nothing.
    ///
    /// # Errors
    /// When the model cannot be read, or the settings of the server contradict each other.
    /// No connection is opened.
    pub fn open(
        &self,
        settings: &Settings,
        lookup: Lookup<'_>,
    ) -> Result<Option<Arc<dyn Embedder>>, EmbedError> {
        Ok(match self {
            Choice::Off => None,
            Choice::Embedded => Some(Arc::new(StaticEmbedder::builtin())),
            Choice::Folder { name, path } => Some(folder::open(name, path)?),
            Choice::Server => Endpoint::configured(settings, lookup)?
                .map(|endpoint| Arc::new(endpoint) as Arc<dyn Embedder>),
        })
    }
}

/// The embedder that the settings choose, and the reason if it is another one.
///
/// A model in a folder is read when something is embedded. What cannot be used stops no search: the
/// built-in model replaces it.
///
/// # Errors
/// As [`Choice::open`], if the model was typed for this call.
pub fn configured(
    settings: &Settings,
    lookup: Lookup<'_>,
) -> Result<(Embedding, Option<EmbedError>), EmbedError> {
    let origin = settings.get("embedding.model").map(|decided| &decided.origin);
    let is_typed = matches!(origin, Some(Origin::Flag(_)));
    let opened = Choice::of(settings, lookup).and_then(|choice| {
        Ok(match &choice {
            Choice::Embedded => Embedding::Embedded,
            Choice::Folder { name, path } if !is_typed => {
                Embedding::Other(folder::open_later(name, path)?)
            }
            _ => choice.open(settings, lookup)?.map_or(Embedding::Off, Embedding::Other),
        })
    });
    match opened {
        Err(error) if !is_typed => {
            let name = match settings.embedding_model() {
                EMBEDDED => "the server of `embedding.endpoint`",
                model => model,
            };
            let unusable = Unusable::new(name.to_owned(), error.clone());
            Ok((Embedding::Other(Arc::new(unusable)), Some(error)))
        }
        opened => Ok((opened?, None)),
    }
}

/// The folder of the user's models; `None` where there is no place for one.
pub fn models_folder(lookup: Lookup<'_>) -> Option<PathBuf> {
    let file = user_file(lookup).map(lore_settings::absolute)?;
    Some(file.parent()?.join(FOLDER_NAME))
}

/// The user's models, by name.
pub fn models(lookup: Lookup<'_>) -> Vec<Choice> {
    let Some(entries) = models_folder(lookup).and_then(|folder| std::fs::read_dir(folder).ok())
    else {
        return Vec::new();
    };
    let paths = entries.filter_map(|entry| entry.ok().map(|entry| entry.path()));
    let mut paths: Vec<PathBuf> = paths.filter(|path| is_model(path)).collect();
    paths.sort();
    paths.into_iter().map(Choice::folder).collect()
}

/// Returns true if a text can be the name of a folder and is not a path.
pub fn is_name(text: &str) -> bool {
    let mut components = Path::new(text).components();
    matches!((components.next(), components.next()), (Some(Component::Normal(name)), None) if name == text)
}

#[cfg(test)]
mod tests;
