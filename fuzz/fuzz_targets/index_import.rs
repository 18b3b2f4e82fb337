//! Any bytes as an export of an index, or as the description of one: it is refused, and nothing is left
//! on disk, or it is the export that was written.
//!
//! The first byte selects the input: the bytes as a file, or the bytes over a part of a valid
//! description, whose hash is then set. The second one is where they start.

#![no_main]
#![expect(clippy::disallowed_methods, reason = "an export is a file")]

use std::{fs, path::Path, sync::OnceLock};

use libfuzzer_sys::fuzz_target;
use lore_index::{
    BACKENDS, ExportOptions, IndexError, IndexLocation, SourceToExport, UnitUpdate,
};
use lore_schema::{SkipCounts, SourceName, Stamp};
use xxhash_rust::xxh3::xxh3_128;

/// Length of magic and version, and of length and hash at the end.
const START: usize = 20;
const END: usize = 24;

/// Writes an index and exports it.
fn build(folder: &Path) -> Result<Vec<u8>, IndexError> {
    let (view, file) = (folder.join("view"), folder.join("export"));
    let index = view.join("code");
    let location = IndexLocation::Folder(index.clone());
    let store = BACKENDS[0].open(SourceName::Code, &location, "fuzz")?;
    let writer = store.writer(store.reader()?.version())?;
    for number in 0..5 {
        writer.replace(UnitUpdate {
            name: format!("src/{number}.rs"),
            stamp: Stamp { metadata: 1, content: number + 1 },
            skipped: SkipCounts::new(),
            documents: Vec::new(),
        })?;
    }
    writer.commit("cursor")?;
    let options = ExportOptions {
        view: &view,
        sources: &[SourceToExport { name: SourceName::Code, folder: index }],
        models: &[],
        analysis: "fuzz",
        options: "",
        commit: None,
    };
    BACKENDS[0].cache().export(&options, &file)?;
    Ok(fs::read(file).expect("a file"))
}

/// Sets the hash at the end of an export.
fn seal(bytes: &mut [u8], described: usize) {
    let end = bytes.len() - END;
    let mut hashed = bytes[..START].to_vec();
    hashed.extend_from_slice(&(described as u64).to_le_bytes());
    hashed.extend_from_slice(&bytes[end - described..end]);
    let hash = xxh3_128(&hashed);
    bytes[end + 8..].copy_from_slice(&hash.to_le_bytes());
}

fuzz_target!(|input: &[u8]| {
    static EXPORT: OnceLock<Vec<u8>> = OnceLock::new();
    let [kind, position, bytes @ ..] = input else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let valid = EXPORT.get_or_init(|| build(folder.path()).expect("an export"));
    let mut export = bytes.to_vec();
    if kind % 2 == 1 {
        export.clone_from(valid);
        let end = export.len() - END;
        let length = export[end..end + 8].try_into().expect("eight bytes");
        let described = u64::from_le_bytes(length) as usize;
        let start = (end - described + usize::from(*position)).min(end);
        for (old, new) in export[start..end].iter_mut().zip(bytes) {
            *old = *new;
        }
        seal(&mut export, described);
    }
    let file = folder.path().join("import");
    fs::write(&file, &export).expect("a file");
    let view = folder.path().join("cache/view");
    let cache = BACKENDS[0].cache();
    let _ = cache.describe_export(&file);
    match cache.unpack(&file, &view, &[SourceName::Code], "fuzz") {
        Ok(unpacked) => {
            let store = BACKENDS[0]
                .open(SourceName::Code, &unpacked.location(SourceName::Code), "fuzz")
                .expect("it was checked");
            assert!(store.reader().expect("it was checked").unit_count() <= 5);
        }
        Err(IndexError::Import { .. }) => {}
        Err(error) => panic!("{error}"),
    }
    assert!(!folder.path().join("cache").exists(), "something is left");
});
