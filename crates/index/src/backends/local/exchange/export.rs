//! Writes the indexes of a view to one file.
//!
//! Each index is copied by links into a private folder. There, a commit removes everything that is not
//! live, the metadata of all files in the stamps, and the cursor, which names branches that the
//! reader of the file may not have. The files of that commit are packed.

use std::{
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::Path,
    sync::Arc,
};

use lore_schema::{SourceName, Stamp};
use tantivy::directory::DirectoryLock;

use super::{container, folder};
use crate::{
    Backend as _, ExportDescription, ExportOptions, IndexError, SourceToExport, Writer,
    backends::local::{
        backend::LocalBackend,
        failure::{guarded, unwritable, while_reading},
        file_names::META_FILE,
        payload::Payload,
        private,
        seal::segment_files,
        seed::fill,
        snapshot::{Expected, Snapshot},
        state::VectorFile,
        storage::Storage,
        writer::LocalWriter,
    },
};

/// Maximum attempts to copy an index while other processes commit.
const MAX_ATTEMPTS: usize = 8;

/// Writes an export and returns its description and its size in bytes.
pub(in crate::backends::local) fn export(
    options: &ExportOptions<'_>,
    target: &Path,
) -> Result<(ExportDescription, u64), IndexError> {
    let failed = |error: &io::Error| IndexError::Export {
        path: target.to_owned(),
        reason: error.to_string(),
    };
    if target.is_dir() {
        return Err(failed(&io::Error::from(io::ErrorKind::IsADirectory)));
    }
    if target.exists() && !container::is_export(target) {
        return Err(failed(&io::Error::other("another file has this name; choose a new one")));
    }
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let draft = folder.unwrap_or(Path::new(".")).join(private::temporary_name(&name));
    // Created first, so that a folder that cannot be written is reported before the work.
    let file = private::create_new(&draft).map_err(|error| failed(&error))?;
    let written = write(options, file, &failed).and_then(|contents| {
        let bytes = fs::metadata(&draft).map_err(|error| failed(&error))?.len();
        fs::rename(&draft, target).map_err(|error| failed(&error))?;
        Ok((super::import::description(&contents), bytes))
    });
    if written.is_err() {
        // If this fails as well, the folder is full or read-only.
        let _ = fs::remove_file(&draft);
    }
    written
}

fn write(
    options: &ExportOptions<'_>,
    file: File,
    failed: &dyn Fn(&io::Error) -> IndexError,
) -> Result<container::Contents, IndexError> {
    let mut out = BufWriter::new(file);
    container::start(&mut out).map_err(|error| failed(&error))?;
    let mut contents = container::Contents {
        program: env!("CARGO_PKG_VERSION").to_owned(),
        backend: LocalBackend.name().to_owned(),
        format: LocalBackend.format(),
        analysis: options.analysis.to_owned(),
        options: options.options.to_owned(),
        commit: options.commit.map(str::to_owned),
        sources: Vec::new(),
    };
    let exchange = folder::create(options.view)?;
    for source in options.sources {
        let copy = exchange.folder_of(source.name);
        let expected = LocalBackend::expected(source.name, options.analysis);
        if copy_live(source, &copy, &expected, options.models)? {
            let packed = pack(source, &copy, &expected, &mut out, failed)?;
            contents.sources.push(packed);
        }
        // The copy of a large index need not wait for the others.
        let _ = fs::remove_dir_all(&copy);
    }
    container::finish(&contents, &mut out).map_err(|error| failed(&error))?;
    let file = out.into_inner().map_err(|error| failed(error.error()))?;
    file.sync_all().map_err(|error| failed(&error))?;
    Ok(contents)
}

/// Copies the last commit of an index and removes what is not live or belongs to this machine. Returns
/// false if there is no commit.
fn copy_live(
    source: &SourceToExport,
    copy: &Path,
    expected: &Expected,
    models: &[&str],
) -> Result<bool, IndexError> {
    let from = Storage::Folder(source.folder.clone());
    for _ in 0..MAX_ATTEMPTS {
        let base = Snapshot::open(&from, expected)?;
        let Some(meta) = base.meta.as_deref().filter(|_| base.payload.is_some()) else {
            return Ok(false);
        };
        private::create_folder(copy).map_err(|error| unwritable(copy, &error))?;
        if let Some(lock) = fill(&base, meta, &source.folder, copy, expected)? {
            purge(copy, expected, models, lock)?;
            return Ok(true);
        }
        fs::remove_dir_all(copy).map_err(|error| unwritable(copy, &error))?;
    }
    Err(IndexError::Moved { path: source.folder.clone() })
}

/// Removes what is not live from a copy, whose lock is passed on to the writer.
fn purge(
    copy: &Path,
    expected: &Expected,
    models: &[&str],
    lock: DirectoryLock,
) -> Result<(), IndexError> {
    let storage = Storage::Folder(copy.to_owned());
    let base = Arc::new(Snapshot::open(&storage, expected)?);
    let made = || LocalWriter::new(Arc::clone(&base), storage.create()?, lock, u64::MAX);
    let writer: Box<dyn Writer> = Box::new(guarded(copy, made)?);
    writer.purge();
    writer.keep_models(models)?;
    // The stamp of a commit depends on its hash alone.
    if expected.source != SourceName::Git {
        for unit in base.state.units().iter() {
            let Stamp { content, .. } = unit.stamp;
            writer.restamp(base.state.text(unit.name), Stamp { metadata: 0, content })?;
        }
    }
    writer.commit("")
}

/// Packs the files of the last commit of an index.
fn pack(
    source: &SourceToExport,
    copy: &Path,
    expected: &Expected,
    out: &mut dyn Write,
    failed: &dyn Fn(&io::Error) -> IndexError,
) -> Result<container::SourceContents, IndexError> {
    let storage = Storage::Folder(copy.to_owned());
    let snapshot = Snapshot::open(&storage, expected)?;
    let damage = |error: tantivy::TantivyError| while_reading(copy, &error);
    let directory = storage.create()?;
    let list = tantivy::Index::open(directory.box_clone()).and_then(|index| index.load_metas());
    let mut names = vec![META_FILE.to_owned()];
    names.extend(snapshot.payload.as_ref().map(Payload::state_file));
    names.extend(segment_files(&list.map_err(damage)?));
    names.extend(snapshot.state.vector_files().iter().map(VectorFile::name));
    let mut files = Vec::with_capacity(names.len());
    for name in names {
        let Some(bytes) = storage.map(&*directory, &name)? else {
            return Err(unwritable(copy, &format_args!("`{name}` is missing")));
        };
        files.push(container::pack(&name, &bytes, out).map_err(|error| failed(&error))?);
    }
    let state = &snapshot.state;
    Ok(container::SourceContents {
        name: source.name.as_str().to_owned(),
        units: state.units().len() as u64,
        documents: state.documents().len() as u64,
        chunks: state.totals().chunks,
        models: state.models().iter().map(|model| model.name.clone()).collect(),
        files,
    })
}
