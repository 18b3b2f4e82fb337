//! Any file that is configured as an export of a tracker: it is refused, or read by the format that
//! its content has, from the file to the chunks.

#![no_main]
#![expect(clippy::disallowed_methods, reason = "the readers read files, so files are written")]

use std::{collections::HashSet, fs, ops::ControlFlow, path::PathBuf, sync::OnceLock};

use libfuzzer_sys::fuzz_target;
use lore_fuzz::{assert_chunks, assert_metadata};
use lore_schema::{Change, SourceName, Stamp};
use lore_sources::{IndexState, SOURCES, Tree, WalkOptions};
use lore_syntax::chunk;

/// Name of the export, which no other reader claims.
const FILE: &str = "named.export";

struct Nothing;

impl IndexState for Nothing {
    fn stamp(&self, _: &str) -> Option<Stamp> {
        None
    }

    fn cursor(&self) -> Option<&str> {
        None
    }
}

/// A directory with the lifetime of the process.
fn root() -> &'static PathBuf {
    static ROOT: OnceLock<PathBuf> = OnceLock::new();
    ROOT.get_or_init(|| tempfile::tempdir().expect("a temporary folder").keep())
}

fuzz_target!(|data: &[u8]| {
    fs::write(root().join(FILE), data).expect("a file");
    let is_export = lore_sources::fuzzing::export(&String::from_utf8_lossy(data));
    let options = WalkOptions {
        hidden: true,
        max_file_size: 1 << 20,
        threads: 1,
        commits: Some(0),
        older_commits: false,
        exports: vec![FILE.into()],
        custom: lore_sources::CustomSources::none(),
        at: None,
        stored: None,
        secrets: lore_sources::Secrets::Redacted,
    };
    // A file that is not an export is refused before it is searched.
    let Ok(tree) = Tree::walk(root(), &options) else { return };
    let is_utf8 = std::str::from_utf8(data).is_ok_and(|text| !text.starts_with('\u{feff}'));
    assert!(is_export || !is_utf8, "read although its content does not say so");
    let mut sources = SOURCES.iter().filter(|source| source.name() == SourceName::Tickets);
    let source = *sources.next().expect("tickets are a source");
    let mut locators = HashSet::new();
    let scan = source.scan(&tree, &Nothing, &mut |change| {
        let Change::Replace { documents, .. } = change else {
            panic!("an unknown unit is read: {change:?}")
        };
        for document in documents {
            assert_eq!(document.path, FILE);
            assert_metadata(&document);
            assert_chunks(&document, &chunk(&document));
            let locator = document.key.locator;
            assert!(locators.insert(locator.clone()), "{locator:?} is there twice");
        }
        ControlFlow::Continue(())
    });
    scan.expect("files can be read");
});
