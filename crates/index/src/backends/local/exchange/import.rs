//! Reads an export: checks every byte, unpacks its indexes into a private folder, and puts them in
//! place.

use std::{
    collections::BTreeSet,
    fs::{self, File, OpenOptions},
    io::{self, BufReader, BufWriter, Read as _, Seek as _, SeekFrom},
    path::Path,
    sync::Mutex,
};

use lore_schema::SourceName;
use tantivy::Index;

use super::{
    container::{self, Contents, FIRST_FILE, PackedFile, Refusal, SourceContents},
    folder,
};
use crate::{
    ExchangeFolder, ExportDescription, ExportedSource, FoundExport, IndexError, IndexLocation,
    backends::local::{
        backend::LocalBackend,
        disk,
        failure::{damaged, guarded, unwritable, while_reading},
        file_names::{MANAGED_FILE, META_FILE},
        payload::Payload,
        private,
        seal::{seal, segment_files, unseal},
        snapshot::{Expected, Snapshot},
        state::VectorFile,
        storage::Storage,
    },
};

/// Number of threads that unpack: more would wait for the disk.
const THREADS: usize = 4;

/// Reads the description of an export.
pub(in crate::backends::local) fn describe(file: &Path) -> Result<ExportDescription, IndexError> {
    let (_, contents) = open(file)?;
    Ok(description(&contents))
}

/// Reads the descriptions of the regular files in a folder.
pub(in crate::backends::local) fn exports_in(
    folder: &Path,
    limit: usize,
) -> Result<Vec<FoundExport>, IndexError> {
    let failed = |error: io::Error| refused(folder, &Refusal::Unreadable(error));
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        // A link to a file counts as that file.
        if path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    files.truncate(limit);
    Ok(files.into_iter().map(|path| (path.clone(), describe(&path))).collect())
}

/// Opens an export and reads its description.
fn open(path: &Path) -> Result<(File, Contents), IndexError> {
    let unreadable = |error: io::Error| refused(path, &Refusal::Unreadable(error));
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        // A named pipe is refused below, not waited for.
        let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags.bits().cast_signed());
    }
    let mut file = options.open(path).map_err(unreadable)?;
    if !file.metadata().map_err(unreadable)?.is_file() {
        return Err(IndexError::Import {
            path: path.to_owned(),
            reason: "it is not a regular file".to_owned(),
        });
    }
    let contents = container::contents(&mut file).map_err(|refusal| refused(path, &refusal))?;
    Ok((file, contents))
}

fn refused(path: &Path, refusal: &Refusal) -> IndexError {
    let reason = match refusal {
        Refusal::Foreign => "it is no export of an index".to_owned(),
        Refusal::Version(version) => {
            format!("it is an export of layout {version}, which this version does not read")
        }
        Refusal::Damaged(reason) => format!("it is damaged: {reason}"),
        Refusal::Unreadable(error) => error.to_string(),
    };
    IndexError::Import { path: path.to_owned(), reason }
}

/// The description of the contents of an export.
pub(super) fn description(contents: &Contents) -> ExportDescription {
    let source = |source: &SourceContents| {
        let name = SourceName::ALL.iter().copied().find(|name| name.as_str() == source.name)?;
        Some(ExportedSource {
            name,
            units: source.units,
            documents: source.documents,
            chunks: source.chunks,
            models: source.models.clone(),
            bytes: source.files.iter().map(|file| file.bytes).fold(0, u64::saturating_add),
        })
    };
    ExportDescription {
        program: contents.program.clone(),
        backend: contents.backend.clone(),
        format: contents.format,
        analysis: contents.analysis.clone(),
        options: contents.options.clone(),
        commit: contents.commit.clone(),
        sources: contents.sources.iter().filter_map(source).collect(),
    }
}

/// Checks all of an export, and unpacks the indexes of these sources into a new private folder in
/// that of the view. A failure leaves nothing.
pub(in crate::backends::local) fn unpack(
    path: &Path,
    view: &Path,
    wanted: &[SourceName],
    analysis: &str,
) -> Result<ExchangeFolder, IndexError> {
    let (_, contents) = open(path)?;
    let exchange = folder::create(view)?;
    unpack_files(path, &contents, &exchange, wanted)?;
    for source in wanted {
        let expected = LocalBackend::expected(*source, analysis);
        let folder = exchange.folder_of(*source);
        let Some(described) = contents.sources.iter().find(|it| it.name == source.as_str()) else {
            continue;
        };
        complete(&folder, described, &expected).map_err(|error| match error {
            IndexError::Damaged { reason, .. } | IndexError::Incompatible { reason, .. } => {
                refused(path, &Refusal::Damaged(format!("its index of `{source}`: {reason}")))
            }
            error => error,
        })?;
    }
    Ok(exchange)
}

/// A packed file, with its position and the folder that it is unpacked to.
struct Job<'a> {
    file: &'a PackedFile,
    position: u64,
    folder: Option<std::path::PathBuf>,
}

/// Checks and unpacks all files, on several threads.
fn unpack_files(
    path: &Path,
    contents: &Contents,
    exchange: &ExchangeFolder,
    wanted: &[SourceName],
) -> Result<(), IndexError> {
    let mut jobs = Vec::new();
    let mut position = FIRST_FILE;
    for source in &contents.sources {
        let name = wanted.iter().copied().find(|name| name.as_str() == source.name);
        let folder = name.map(|name| exchange.folder_of(name));
        if let Some(folder) = &folder {
            private::create_folder(folder).map_err(|error| unwritable(folder, &error))?;
        }
        for file in &source.files {
            jobs.push(Job { file, position, folder: folder.clone() });
            position = position.saturating_add(file.packed);
        }
    }
    // Large files first, so that no thread has one left at the end.
    jobs.sort_by_key(|job| job.file.packed);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = Mutex::new(jobs);
    let next = || jobs.lock().ok()?.pop();
    let work = || -> Result<(), IndexError> {
        // Each thread has a position of its own in the file.
        let (mut input, again) = open(path)?;
        if again != *contents {
            let reason = "it changed while it was read".to_owned();
            return Err(refused(path, &Refusal::Damaged(reason)));
        }
        while let Some(job) = next() {
            let unpacked = unpack_file(&mut input, &job);
            if let Err(error) = unpacked {
                if let Ok(mut jobs) = jobs.lock() {
                    jobs.clear();
                }
                return Err(match error {
                    Failure::Input(refusal) => refused(path, &refusal),
                    Failure::Output(error) => {
                        let folder = job.folder.unwrap_or_default();
                        unwritable(&folder, &error)
                    }
                });
            }
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.clamp(1, THREADS)).map(|_| scope.spawn(work)).collect();
        let results = workers.into_iter().map(|worker| {
            let panicked = || refused(path, &Refusal::Damaged("reading it panicked".to_owned()));
            worker.join().unwrap_or_else(|_| Err(panicked()))
        });
        results.fold(Ok(()), Result::and)
    })
}

enum Failure {
    Input(Refusal),
    Output(io::Error),
}

fn unpack_file(input: &mut File, job: &Job<'_>) -> Result<(), Failure> {
    input.seek(SeekFrom::Start(job.position)).map_err(|error| Failure::Input(error.into()))?;
    let mut input = BufReader::with_capacity(1 << 16, input).take(job.file.packed);
    let Some(folder) = &job.folder else {
        return container::unpack(&mut input, job.file, None).map_err(Failure::Input);
    };
    let file = private::create_new(&folder.join(&job.file.name)).map_err(Failure::Output)?;
    let mut out = Output { out: BufWriter::with_capacity(1 << 20, file), error: None };
    let unpacked = container::unpack(&mut input, job.file, Some(&mut out));
    if let Some(error) = out.error {
        return Err(Failure::Output(error));
    }
    unpacked.map_err(Failure::Input)?;
    let file = out.out.into_inner().map_err(|error| Failure::Output(error.into_error()))?;
    // The seal states that the files are whole, also after a power failure.
    file.sync_data().map_err(Failure::Output)
}

/// A file that keeps the error of a failed write, to distinguish it from a failed read.
struct Output {
    out: BufWriter<File>,
    error: Option<io::Error>,
}

impl io::Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes).map_err(|error| {
            let kind = error.kind();
            self.error = Some(error);
            kind.into()
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Opens an unpacked index, which verifies it, and writes the files that belong to this machine.
fn complete(
    folder: &Path,
    described: &SourceContents,
    expected: &Expected,
) -> Result<(), IndexError> {
    let storage = Storage::Folder(folder.to_owned());
    let directory = storage.create()?;
    // A seal without stamps, so that opening verifies the checksum of every file.
    let unwritten = |error: io::Error| unwritable(folder, &error);
    seal(&storage, &*directory).map_err(unwritten)?;
    unseal(&storage, &*directory).map_err(unwritten)?;
    let snapshot = Snapshot::open(&storage, expected)?;
    if snapshot.payload.is_none() || snapshot.is_partial() {
        return Err(damaged(folder, "it is not complete"));
    }
    let damage = |error: tantivy::TantivyError| while_reading(folder, &error);
    // The list of the files that the storage library may delete.
    let mut managed = vec![META_FILE.to_owned()];
    managed.extend(guarded(folder, || {
        let list = Index::open(directory.box_clone()).and_then(|index| index.load_metas());
        // The documents of the rows must be those of the state.
        snapshot.addresses().map_err(damage)?;
        Ok(segment_files(&list.map_err(damage)?))
    })?);
    let vectors = snapshot.state.vector_files().iter().map(VectorFile::name);
    let state = snapshot.payload.as_ref().map(Payload::state_file);
    let named: BTreeSet<String> = managed.iter().cloned().chain(vectors).chain(state).collect();
    let files: BTreeSet<String> = described.files.iter().map(|file| file.name.clone()).collect();
    if files != named {
        return Err(damaged(folder, "its files are not those of its commit"));
    }
    let managed = serde_json::to_vec(&managed).map_err(|error| unwritable(folder, &error))?;
    let written = disk::replace(folder, Path::new(MANAGED_FILE), &managed, false);
    written.map_err(unwritten)?;
    seal(&storage, &*directory).map_err(unwritten)
}

/// Puts an index of the folder in the place of another one, which is removed. Fails if that one is being
/// written.
pub(in crate::backends::local) fn place(
    exchange: &ExchangeFolder,
    source: SourceName,
    to: &IndexLocation,
) -> Result<(), IndexError> {
    let IndexLocation::Folder(to) = to else { return Ok(()) };
    let from = exchange.folder_of(source);
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::AlreadyExists => {
            IndexError::Busy { path: to.clone() }
        }
        _ => unwritable(to, &error),
    };
    if !to.exists() {
        return fs::rename(&from, to).map_err(failed);
    }
    // While it is being written, its folder must not move.
    let storage = Storage::Folder(to.clone());
    let directory = storage.directory()?;
    let lock = directory.as_ref().map(|directory| storage.lock(&**directory)).transpose()?;
    // The old index is deleted with the folder of the exchange, after the new one is in its place.
    let old = from.with_extension("old");
    fs::rename(to, &old).map_err(failed)?;
    drop(lock);
    fs::rename(&from, to).map_err(|error| {
        // The old index stays in use.
        let _ = fs::rename(&old, to);
        failed(error)
    })
}
