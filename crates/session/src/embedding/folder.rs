//! Models in folders, in the format of `Model2Vec`.

use std::{path::Path, sync::Arc};

use lore_engine::{EmbedError, Embedder, Fault};

/// The largest file of a model.
const TENSORS: &str = "model.safetensors";

/// Returns true if a folder looks like a model.
pub fn is_model(folder: &Path) -> bool {
    folder.join(TENSORS).is_file()
}

/// Reads the model in a folder, which answers call `name`.
///
/// # Errors
/// When a file is missing or is not what its name says.
pub(super) fn open(name: &str, folder: &Path) -> Result<Arc<dyn Embedder>, EmbedError> {
    check(folder)?;
    reader::open(name, folder).map_err(|error| in_folder(folder, error))
}

/// The model in a folder, which is read when something is embedded: most commands embed nothing.
///
/// # Errors
/// When there is no such folder, or a file is missing.
pub(super) fn open_later(name: &str, folder: &Path) -> Result<Arc<dyn Embedder>, EmbedError> {
    check(folder)?;
    reader::open_later(name, folder).map_err(|error| in_folder(folder, error))
}

fn check(folder: &Path) -> Result<(), EmbedError> {
    if folder.is_dir() {
        return Ok(());
    }
    let error = EmbedError {
        reason: "there is no such directory".to_owned(),
        hint: Some("run `lore model list` to see the available models".to_owned()),
        at_fault: Fault::Embedder,
    };
    Err(in_folder(folder, error))
}

fn in_folder(folder: &Path, EmbedError { reason, hint, at_fault }: EmbedError) -> EmbedError {
    let folder = folder.display();
    EmbedError {
        reason: format!("could not open the model in `{folder}`: {reason}"),
        hint,
        at_fault,
    }
}

#[cfg(feature = "model2vec")]
mod reader {
    //! Reads the files.

    use std::{
        fs, io,
        path::{Path, PathBuf},
        sync::{Arc, OnceLock},
    };

    use lore_engine::{ChunkText, EmbedError, Embedder, Fault, Model2VecEmbedder, Model2VecFiles};

    use super::{TENSORS, in_folder};

    const TOKENIZER: &str = "tokenizer.json";
    const CONFIG: &str = "config.json";

    pub(super) fn open(name: &str, folder: &Path) -> Result<Arc<dyn Embedder>, EmbedError> {
        Ok(Arc::new(Model2VecEmbedder::open(name, files(folder)?)?))
    }

    pub(super) fn open_later(name: &str, folder: &Path) -> Result<Arc<dyn Embedder>, EmbedError> {
        for file in [CONFIG, TOKENIZER, TENSORS] {
            fs::metadata(folder.join(file)).map_err(|error| unreadable(file, &error))?;
        }
        Ok(Arc::new(Later {
            name: name.to_owned(),
            folder: folder.to_owned(),
            fingerprint: OnceLock::new(),
            model: OnceLock::new(),
        }))
    }

    fn files(folder: &Path) -> Result<Model2VecFiles, EmbedError> {
        let read = |file| fs::read(folder.join(file)).map_err(|error| unreadable(file, &error));
        Ok(Model2VecFiles {
            config: read(CONFIG)?,
            tokenizer: read(TOKENIZER)?,
            tensors: read(TENSORS)?,
        })
    }

    fn unreadable(file: &str, error: &io::Error) -> EmbedError {
        EmbedError {
            reason: format!("`{file}`: {error}"),
            hint: Some(format!(
                "a model has `{TENSORS}`, `{TOKENIZER}` and `{CONFIG}` in one directory"
            )),
            at_fault: Fault::Embedder,
        }
    }

    /// A model that is read when it is needed.
    struct Later {
        name: String,
        folder: PathBuf,
        /// Known without the model: reading and hashing its files takes milliseconds, understanding
        /// its tokenizer a hundred of them.
        fingerprint: OnceLock<String>,
        model: OnceLock<Result<Model2VecEmbedder, EmbedError>>,
    }

    impl Later {
        fn model(&self) -> Result<&Model2VecEmbedder, EmbedError> {
            let model = self
                .model
                .get_or_init(|| self.read().map_err(|error| in_folder(&self.folder, error)));
            model.as_ref().map_err(EmbedError::clone)
        }

        fn read(&self) -> Result<Model2VecEmbedder, EmbedError> {
            let model = Model2VecEmbedder::open(&self.name, files(&self.folder)?)?;
            // Its vectors would go by the name of another model's.
            if model.fingerprint() != self.fingerprint() {
                return Err(EmbedError {
                    reason: "its files are being changed".to_owned(),
                    hint: Some("try again when they are complete".to_owned()),
                    at_fault: Fault::Embedder,
                });
            }
            Ok(model)
        }
    }

    impl Embedder for Later {
        fn name(&self) -> &str {
            &self.name
        }

        /// Empty if the files cannot be read; the error is reported when something is embedded.
        fn fingerprint(&self) -> &str {
            self.fingerprint.get_or_init(|| {
                files(&self.folder).map(|files| files.fingerprint()).unwrap_or_default()
            })
        }

        fn is_fast(&self) -> bool {
            // One that cannot be read is not tried again for each source.
            !matches!(self.model.get(), Some(Err(_)))
        }

        fn embed_query(&self, query: &str) -> Result<Vec<f32>, EmbedError> {
            self.model()?.embed_query(query)
        }

        fn embed_chunks(&self, chunks: &[ChunkText<'_>]) -> Result<Vec<Vec<f32>>, EmbedError> {
            self.model()?.embed_chunks(chunks)
        }
    }
}

#[cfg(not(feature = "model2vec"))]
mod reader {
    //! Says that this build reads no files.

    use std::{path::Path, sync::Arc};

    use lore_engine::{EmbedError, Embedder, Fault};

    pub(super) fn open(_: &str, _: &Path) -> Result<Arc<dyn Embedder>, EmbedError> {
        Err(EmbedError {
            reason: "this build of `lore` does not support models on disk".to_owned(),
            hint: Some("build it with the feature `model2vec`".to_owned()),
            at_fault: Fault::Embedder,
        })
    }

    pub(super) use open as open_later;
}
