//! Exports whose hashes are right and whose content is not.

use std::{
    fs,
    path::{Path, PathBuf},
};

use lore_schema::{SkipCounts, SourceName, Stamp};

use super::{
    container::{self, Contents, FIRST_FILE},
    export, unpack,
};
use crate::{
    Backend as _, ExportOptions, IndexLocation, SourceToExport, UnitUpdate,
    backends::local::LocalBackend,
};

/// The files of an export, by name.
type Files = Vec<(String, Vec<u8>)>;

/// Writes an index with some units and exports it.
fn exported(folder: &Path) -> PathBuf {
    let (view, file) = (folder.join("view"), folder.join("export"));
    let index = view.join("code");
    let store =
        LocalBackend.open(SourceName::Code, &IndexLocation::Folder(index.clone()), "test").unwrap();
    let writer = store.writer(store.reader().unwrap().version()).unwrap();
    for number in 1..5 {
        let unit = UnitUpdate {
            name: format!("src/{number}.rs"),
            stamp: Stamp { metadata: 7, content: number },
            skipped: SkipCounts::new(),
            documents: Vec::new(),
        };
        writer.replace(unit).unwrap();
    }
    writer.commit("private cursor").unwrap();
    let options = ExportOptions {
        view: &view,
        sources: &[SourceToExport { name: SourceName::Code, folder: index }],
        models: &[],
        analysis: "test",
        options: "",
        commit: None,
    };
    export(&options, &file).unwrap();
    file
}

/// Unpacks the files of an export, changes them and packs them again.
fn repacked(file: &Path, change: impl FnOnce(&mut Contents, &mut Files)) -> PathBuf {
    let bytes = fs::read(file).unwrap();
    let mut contents = container::contents(&mut std::io::Cursor::new(&bytes)).unwrap();
    let mut files = Files::new();
    let mut rest = &bytes[usize::try_from(FIRST_FILE).unwrap()..];
    for packed in &contents.sources[0].files {
        let mut unpacked = Vec::new();
        let (mut own, others) = rest.split_at(usize::try_from(packed.packed).unwrap());
        container::unpack(&mut own, packed, Some(&mut unpacked)).unwrap();
        files.push((packed.name.clone(), unpacked));
        rest = others;
    }
    change(&mut contents, &mut files);
    let mut out = Vec::new();
    container::start(&mut out).unwrap();
    let packed = files.iter().map(|(name, bytes)| container::pack(name, bytes, &mut out).unwrap());
    contents.sources[0].files = packed.collect();
    container::finish(&contents, &mut out).unwrap();
    let changed = file.with_extension("changed");
    fs::write(&changed, out).unwrap();
    changed
}

fn import(file: &Path) -> Result<Vec<(String, Stamp)>, String> {
    let view = file.with_file_name("cache").join("view");
    let result = unpack(file, &view, &[SourceName::Code], "test");
    let result = result.map_err(|error| error.to_string()).map(|unpacked| {
        let location = unpacked.location(SourceName::Code);
        let store = LocalBackend.open(SourceName::Code, &location, "test").unwrap();
        let reader = store.reader().unwrap();
        assert_eq!(reader.cursor(), Some(""));
        reader.units().map(|unit| (unit.to_owned(), reader.stamp(unit).unwrap())).collect()
    });
    assert!(!file.with_file_name("cache").exists(), "something is left");
    result
}

#[test]
fn an_export_has_contents_and_no_metadata() {
    let folder = tempfile::tempdir().unwrap();
    let file = exported(folder.path());
    let units = import(&file).unwrap();
    assert_eq!(units.len(), 4);
    assert_eq!(units[2], ("src/3.rs".to_owned(), Stamp { metadata: 0, content: 3 }));
    assert_eq!(import(&repacked(&file, |_, _| {})), Ok(units));
}

#[test]
fn files_that_do_not_belong_to_the_commit_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = exported(folder.path());
    let refused = |change: &dyn Fn(&mut Contents, &mut Files)| {
        let refused = import(&repacked(&file, change)).unwrap_err();
        assert!(refused.contains("it is damaged: its index of `code`: "), "{refused}");
        refused
    };
    let added = refused(&|_, files| files.push(("state-99.bin".to_owned(), b"more".to_vec())));
    assert!(added.contains("its files are not those of its commit"), "{added}");
    refused(&|_, files| files.clear());
    refused(&|_, files| files.retain(|(name, _)| name == "meta.json"));
    refused(&|_, files| files.retain(|(name, _)| name != "meta.json"));
    for at in [0, 1] {
        refused(&|_, files| files[at].1.truncate(9));
        refused(&|_, files| files[at].1.clear());
        refused(&|_, files| files[at].1[20] ^= 1);
    }
}

#[test]
fn other_versions_and_sources_are_described_and_not_unpacked() {
    let folder = tempfile::tempdir().unwrap();
    let file = exported(folder.path());
    let other = repacked(&file, |contents, _| contents.format = 99);
    assert_eq!(super::describe(&other).unwrap().format, 99);
    // The files of the index have a format of their own.
    assert!(unpack(&file, &folder.path().join("cache"), &[SourceName::Code], "other").is_err());
    let unknown = repacked(&file, |contents, _| "music".clone_into(&mut contents.sources[0].name));
    assert!(super::describe(&unknown).unwrap_err().to_string().contains("unexpected index"));
    let long = repacked(&file, |contents, _| contents.commit = Some("0".repeat(5 << 20)));
    assert!(super::describe(&long).unwrap_err().to_string().contains("too long"));
}
