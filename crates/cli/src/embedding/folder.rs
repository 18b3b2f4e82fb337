//! Models in folders, in the format of `Model2Vec`.

use std::{path::Path, sync::Arc};

use lore_engine::{EmbedError, Embedder, Fault};

/// The largest file of a model.
const TENSORS: &str = "model.safetensors";

/// Whether a folder seems to hold a model.
pub(crate) fn is_model(folder: &Path) -> bool {
    folder.join(TENSORS).is_file()
}

/// Reads the model in a folder, which answers call `name`.
///
/// # Errors
/// When a file is missing or is not what its name says.
pub(super) fn open(name: &str, folder: &Path) -> Result<Arc<dyn Embedder>, EmbedError> {
    let error = |reason: String, hint: Option<String>| EmbedError {
        reason: format!("could not open the model in `{}`: {reason}", folder.display()),
        hint,
        at_fault: Fault::Embedder,
    };
    if !folder.is_dir() {
        return Err(error(
            "there is no such folder".to_owned(),
            Some("run `lore model list` to see the models that are there".to_owned()),
        ));
    }
    model2vec(name, folder).map_err(|EmbedError { reason, hint, .. }| error(reason, hint))
}

#[cfg(feature = "model2vec")]
fn model2vec(name: &str, folder: &Path) -> Result<Arc<dyn Embedder>, EmbedError> {
    let read = |file: &str| {
        std::fs::read(folder.join(file)).map_err(|error| EmbedError {
            reason: format!("`{file}`: {error}"),
            hint: Some(format!(
                "a model has `{TENSORS}`, `tokenizer.json` and `config.json` in one folder"
            )),
            at_fault: Fault::Embedder,
        })
    };
    let files = lore_engine::Model2VecFiles {
        config: read("config.json")?,
        tokenizer: read("tokenizer.json")?,
        tensors: read(TENSORS)?,
    };
    Ok(Arc::new(lore_engine::Model2VecEmbedder::open(name, files)?))
}

#[cfg(not(feature = "model2vec"))]
fn model2vec(_name: &str, _folder: &Path) -> Result<Arc<dyn Embedder>, EmbedError> {
    Err(EmbedError {
        reason: "this build of `lore` reads no models".to_owned(),
        hint: Some("build it with the feature `model2vec`".to_owned()),
        at_fault: Fault::Embedder,
    })
}
