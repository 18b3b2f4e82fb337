//! Every reader of tickets and specs on arbitrary bytes, from the file to the chunks. The first
//! byte picks the store; in a store with two files, a byte `0xFF` separates them.

#![no_main]
#![expect(clippy::disallowed_methods, reason = "the readers read files, so files are written")]

use std::{collections::HashSet, fs, ops::ControlFlow, path::PathBuf, sync::OnceLock};

use libfuzzer_sys::fuzz_target;
use lore_fuzz::{assert_chunks, assert_metadata};
use lore_schema::{Change, SourceName, Stamp};
use lore_sources::{IndexState, SOURCES, Source, Tree, WalkOptions};
use lore_syntax::chunk;

/// A store: its reader and its files. Files from the third one on stay unchanged. An export is
/// recognised by its first content, and then contains anything.
struct Store {
    source: SourceName,
    format: &'static str,
    files: &'static [&'static str],
    /// Initial contents of the files.
    first: &'static str,
    is_export: bool,
}

const fn store(source: SourceName, format: &'static str, files: &'static [&'static str]) -> Store {
    Store { source, format, files, first: "# Text\n", is_export: false }
}

const fn export(
    format: &'static str,
    files: &'static [&'static str],
    first: &'static str,
) -> Store {
    Store { source: SourceName::Tickets, format, files, first, is_export: true }
}

const STORES: &[Store] = &[
    store(SourceName::Tickets, "backlog", &["backlog/tasks/task-1 - Title.md"]),
    store(SourceName::Tickets, "backlog", &["backlog/archive/drafts/task-1.2.md"]),
    store(SourceName::Tickets, "beads", &[".beads/issues.jsonl"]),
    store(
        SourceName::Tickets,
        "sage",
        &[".sage/tickets/index.json", ".sage/tickets/CACHE-017.md", ".sage/tickets/B.md"],
    ),
    store(SourceName::Tickets, "sage", &[".sage/tickets/CACHE-017.md"]),
    store(SourceName::Tickets, "spex-issues", &[".spec/.issues/a-1.md"]),
    store(SourceName::Tickets, "taskmaster", &[".taskmaster/tasks/tasks.json"]),
    export("github", &["issues.json"], "[{\"number\": 1, \"title\": \"a\"}]"),
    export("jira", &["jira.csv"], "Summary,Issue key\na,A-1\n"),
    export(
        "jira",
        &["jira.json"],
        "{\"issues\": [{\"key\": \"A-1\", \"fields\": {\"summary\": \"a\"}}]}",
    ),
    export("linear", &["linear.csv"], "ID,Title,Status\nA-1,a,Done\n"),
    store(SourceName::Specs, "adr", &["docs/adr/0001-use-x.md"]),
    store(SourceName::Specs, "agent-os", &[".agent-os/specs/2025-07-29-a/sub-specs/tests.md"]),
    store(SourceName::Specs, "agent-os", &[".agent-os/product/mission.md"]),
    store(SourceName::Specs, "gsd", &[".planning/REQUIREMENTS.md"]),
    store(SourceName::Specs, "gsd", &[".planning/phases/01-a/01-01-PLAN.md"]),
    store(SourceName::Specs, "kiro", &[".kiro/specs/a/tasks.md"]),
    store(SourceName::Specs, "kiro", &[".kiro/steering/product.md"]),
    store(SourceName::Specs, "lean-spec", &["specs/001-a/README.md", "specs/001-a/plan.md"]),
    store(SourceName::Specs, "lean-spec", &["specs/20251031/001-a.md"]),
    store(SourceName::Specs, "openspec", &["openspec/specs/a/spec.md"]),
    store(SourceName::Specs, "openspec", &["openspec/changes/archive/2025-01-02-a/proposal.md"]),
    store(SourceName::Specs, "openspec", &["openspec/changes/a/specs/b/spec.md"]),
    store(SourceName::Specs, "plain", &["docs/specs/a/spec.md"]),
    store(SourceName::Specs, "plain", &["docs/prd.md"]),
    store(SourceName::Specs, "spec-kit", &["specs/001-a/spec.md", "specs/001-a/plan.md"]),
    store(SourceName::Specs, "spec-kit", &[".specify/memory/constitution.md"]),
    store(SourceName::Specs, "spex", &[".spec/a/b/spec.md", ".spec/c/b/spec.md"]),
];

/// A store on disk, listed once: the contents of its files change, their names do not.
struct Written {
    root: PathBuf,
    tree: Tree,
    source: &'static dyn Source,
}

struct Nothing;

impl IndexState for Nothing {
    fn stamp(&self, _: &str) -> Option<Stamp> {
        None
    }

    fn cursor(&self) -> Option<&str> {
        None
    }
}

/// Every store, written to directories with the lifetime of the process.
fn written() -> &'static [Written] {
    static WRITTEN: OnceLock<Vec<Written>> = OnceLock::new();
    WRITTEN.get_or_init(|| {
        STORES
            .iter()
            .map(|store| {
                let root = tempfile::tempdir().expect("a temporary folder").keep();
                for file in store.files {
                    let path = root.join(file);
                    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
                    fs::write(path, store.first).expect("a file");
                }
                let options = WalkOptions {
                    hidden: true,
                    max_file_size: 1 << 20,
                    threads: 1,
                    commits: Some(0),
                    older_commits: false,
                    custom: lore_sources::CustomSources::none(),
                    exports: if store.is_export {
                        store.files.iter().map(Into::into).collect()
                    } else {
                        Vec::new()
                    },
                    at: None,
                    stored: None,
                    secrets: lore_sources::Secrets::Redacted,
                };
                let tree = Tree::walk(&root, &options).expect("a folder can be walked");
                let mut sources = SOURCES.iter().filter(|source| source.name() == store.source);
                let source = *sources.next().expect("every name has a source");
                let scan = source.scan(&tree, &Nothing, &mut |_| ControlFlow::Continue(()));
                let (lore_sources::Scan::Complete(report) | lore_sources::Scan::Delta(report)) =
                    scan.expect("files can be read");
                let formats: Vec<_> = report.formats.iter().map(|count| count.format).collect();
                assert_eq!(formats, [store.format], "{:?}", store.files);
                Written { root, tree, source }
            })
            .collect()
    })
}

fuzz_target!(
    init: {
        written();
    },
    |data: &[u8]| {
        let Some((first, rest)) = data.split_first() else { return };
        let place = usize::from(*first) % STORES.len();
        let (store, written) = (&STORES[place], &written()[place]);
        let parts: Vec<&[u8]> = match store.files {
            [_] => vec![rest],
            _ => rest.splitn(2, |byte| *byte == 0xFF).collect(),
        };
        for (file, bytes) in store.files.iter().zip(parts) {
            lore_sources::fuzzing::export(&String::from_utf8_lossy(bytes));
            fs::write(written.root.join(file), bytes).expect("a file");
        }
        let mut locators = HashSet::new();
        let scan = written.source.scan(&written.tree, &Nothing, &mut |change| {
            let Change::Replace { documents, .. } = change else {
                panic!("an unknown unit is read: {change:?}")
            };
            for document in documents {
                assert_eq!(document.format, store.format);
                assert_eq!(document.key.source, store.source);
                assert!(store.files.contains(&document.path.as_str()), "{}", document.path);
                assert_metadata(&document);
                assert_chunks(&document, &chunk(&document));
                let locator = document.key.locator;
                assert!(locators.insert(locator.clone()), "{locator:?} is there twice");
            }
            ControlFlow::Continue(())
        });
        scan.expect("files can be read");
    }
);
