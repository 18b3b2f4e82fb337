//! A small index with arbitrary bytes over one of its files: when opened and read, it returns the
//! right answer or reports damage. No panic leaves the index.
//!
//! The first byte picks the file, the second one the damage, the next two where it starts.

#![no_main]
#![expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "an index is files; and a panic that was not caught is shown"
)]

use std::{
    cell::RefCell,
    fmt::Write as _,
    fs,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::OnceLock,
    time::{Duration, SystemTime},
};

use libfuzzer_sys::fuzz_target;
use lore_index::{
    BACKENDS, DenseQuery, DocumentSet, DocumentVectors, FieldTerm, IndexError, IndexLocation,
    IndexedChunk, IndexedDocument, LexicalQuery, StoredChunk, StoredDocument, TermGroup, Terms,
    UnitUpdate,
};
use lore_schema::{
    Attributes, Category, ChunkKind, DocKey, Field, Filter, SkipCounts, SkipReason, SourceName,
    Span, Stamp, Symbol, SymbolKind, Trust, Visibility,
};

/// A file of the index as built.
struct Original {
    path: PathBuf,
    bytes: Vec<u8>,
    modified: SystemTime,
}

struct Built {
    folder: PathBuf,
    files: Vec<Original>,
    answer: String,
}

thread_local! {
    /// Message of the last panic. Most are caught inside the index and mean damage.
    static LAST_PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

fn terms(text: &str) -> Terms {
    let mut terms = Terms::default();
    text.split(' ').for_each(|word| terms.push(word));
    terms
}

fn document(locator: &str, number: usize) -> IndexedDocument {
    let symbol = Symbol {
        name: format!("symbol{number}"),
        kind: SymbolKind::Function,
        visibility: Visibility::Public,
        container: Some("Container".to_owned()),
        line: 1,
        start_line: 1,
        end_line: 1,
        repetition: 1,
        signature: "fn symbol()".to_owned(),
        doc_comment: None,
        conformances: Vec::new(),
    };
    let chunk = |ordinal: u32| IndexedChunk {
        stored: StoredChunk {
            ordinal,
            span: Span { start: 0, end: 9, start_line: 1, end_line: 1 },
            kind: ChunkKind::Definition,
            symbol: Some(symbol.clone()),
            symbols: vec![symbol.clone()],
            breadcrumb: vec!["outer".to_owned()],
            comments: Vec::new(),
        },
        terms: vec![(Field::Body, terms(&format!("common word{number} again again")))],
    };
    IndexedDocument {
        stored: StoredDocument {
            key: DocKey { source: SourceName::Code, locator: locator.to_owned() },
            path: locator.to_owned(),
            format: "files".to_owned(),
            kind: "file".to_owned(),
            title: format!("title {number}"),
            language: Some("rust".to_owned()),
            category: Category::Own,
            attributes: Attributes { updated: Some(1), ..Attributes::default() },
            trust: Trust::Own,
            text: Some("common text".to_owned()),
            bytes: 11,
            fell_back: false,
            names: vec![symbol.name.clone()],
            outer_names: 0,
        },
        terms: vec![(Field::Title, terms("common title"))],
        chunks: vec![chunk(0), chunk(1)],
        vectors: vec![DocumentVectors {
            model: MODEL.into(),
            chunks: vec![vec![1.0, number as f32, 0.5], vec![-1.0, 0.25, 0.0]],
        }],
        outline: None,
    }
}

const MODEL: &str = "model";

/// An index of two segments, one of them with deleted rows.
fn build(folder: &Path) -> Result<(), IndexError> {
    let store =
        BACKENDS[0].open(SourceName::Code, &IndexLocation::Folder(folder.to_owned()), "fuzz")?;
    for round in 0..3 {
        let writer = store.writer(store.reader()?.version())?;
        for number in 0..8 {
            let name = format!("src/{round}/{number}.rs");
            match round {
                2 if number == 0 => writer.delete("src/0/3.rs")?,
                2 => {}
                _ => writer.replace(UnitUpdate {
                    stamp: Stamp { metadata: 1, content: 1 },
                    skipped: SkipCounts::from([(SkipReason::Malformed, 1)]),
                    documents: vec![document(&name, number)],
                    name,
                })?,
            }
        }
        writer.commit("cursor")?;
    }
    Ok(())
}

fn built() -> &'static Built {
    static BUILT: OnceLock<Built> = OnceLock::new();
    BUILT.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a temporary folder").keep();
        build(&folder).expect("builds");
        let mut paths: Vec<PathBuf> = fs::read_dir(&folder)
            .expect("a folder")
            .map(|entry| entry.expect("an entry").path())
            .collect();
        // Names of segments are random; their extensions and sizes are not.
        paths.sort_by_key(|path| {
            let size = fs::metadata(path).map_or(0, |metadata| metadata.len());
            (path.extension().map(ToOwned::to_owned), size)
        });
        let files = paths
            .into_iter()
            .map(|path| Original {
                bytes: fs::read(&path).expect("reads"),
                modified: fs::metadata(&path).and_then(|of| of.modified()).expect("a time"),
                path,
            })
            .collect();
        let answer = ask(&folder).expect("an answer");
        Built { folder, files, answer }
    })
}

/// The whole contents of the index, as text.
fn ask(folder: &Path) -> Result<String, IndexError> {
    let store =
        BACKENDS[0].open(SourceName::Code, &IndexLocation::Folder(folder.to_owned()), "fuzz")?;
    let reader = store.reader()?;
    let mut seen = format!("{} {:?}", reader.generation(), reader.cursor());
    for unit in reader.units() {
        write!(seen, " {unit} {:?}", reader.stamp(unit)).expect("a string takes all");
    }
    let group = |word: &str| TermGroup {
        weight: 1.0,
        optional: false,
        forms: [Field::Body, Field::Title]
            .map(|field| FieldTerm { field, term: word.to_owned(), weight: 1.0 })
            .to_vec(),
    };
    let query = LexicalQuery {
        groups: vec![group("common"), group("word5")],
        weights: [1.0; Field::ALL.len()],
        chunks_per_document: 2,
        within: DocumentSet::all(),
        ..LexicalQuery::default()
    };
    let near = DenseQuery {
        model: MODEL.into(),
        vector: vec![0.6, 0.8, 0.0],
        chunks_per_document: 2,
        min_similarity: None,
        within: DocumentSet::all(),
        threads: 1,
    };
    let narrow = Filter {
        kinds: vec!["function".to_owned()],
        excludes: vec!["src/1/3.rs".to_owned()],
        languages: vec!["rust".to_owned()],
        since: Some(0),
        ..Filter::default()
    };
    for filter in [&Filter::default(), &narrow] {
        let matches = reader.lexical(&query, filter, 50)?;
        let (groups, total, all) = (&matches.groups, matches.total, matches.matched_all);
        write!(seen, " {groups:?} {total} {all}").expect("a string takes all");
        for candidate in &matches.candidates {
            let documents = reader.documents(&[candidate.id])?;
            let evidence = &candidate.evidence;
            write!(seen, " {documents:?} {evidence:?}").expect("a string takes all");
            for chunk in &candidate.chunks {
                let chunks = reader.chunks(&[chunk.id])?;
                write!(seen, " {chunks:?} {:?}", chunk.evidence).expect("a string takes all");
            }
        }
    }
    for filter in [&Filter::default(), &narrow] {
        for similar in reader.dense(&near, filter, 50)?.candidates {
            let documents = reader.documents(&[similar.id])?;
            write!(seen, " {documents:?}").expect("a string takes all");
            for chunk in similar.chunks {
                let (chunks, vector) =
                    (reader.chunks(&[chunk.id])?, reader.vector(MODEL, chunk.id)?);
                write!(seen, " {chunks:?} {} {vector:?}", chunk.similarity)
                    .expect("a string takes all");
            }
        }
    }
    for field in [Field::Body, Field::Title] {
        let terms = reader.terms(field, "", 100)?;
        let frequency = reader.document_frequency(field, "common")?;
        write!(seen, " {terms:?} {frequency}").expect("a string takes all");
    }
    // Unused files may come and go.
    let summary = reader.summary();
    write!(seen, " {summary:?}").expect("a string takes all");
    Ok(seen)
}

fn write_file(path: &Path, bytes: &[u8], modified: SystemTime) {
    fs::write(path, bytes).expect("writes");
    let file = fs::File::options().append(true).open(path).expect("opens");
    file.set_modified(modified).expect("touches");
}

fn read_damaged(built: &Built, original: &Original, damage: u8, start: usize, bytes: &[u8]) {
    let length = original.bytes.len();
    let mut damaged = original.bytes.clone();
    match damage % 3 {
        0 => bytes.clone_into(&mut damaged),
        1 => damaged.truncate(start % (length + 1)),
        _ => {
            let start = start % (length + 1);
            let end = length.min(start + bytes.len());
            damaged[start..end].copy_from_slice(&bytes[..end - start]);
        }
    }
    // With its size and time unchanged, the file would count as intact until it is verified.
    let later = Duration::from_secs(3_600);
    write_file(&original.path, &damaged, original.modified + later);
    let answer = ask(&built.folder);
    let store =
        BACKENDS[0].open(SourceName::Code, &IndexLocation::Folder(built.folder.clone()), "fuzz");
    let verified = store.and_then(|store| store.verify());
    write_file(&original.path, &original.bytes, original.modified);
    let name = original.path.display();
    match answer {
        Ok(answer) => assert_eq!(answer, built.answer, "{name}"),
        Err(error) => assert!(is_refusal(&error), "{name}: {error}"),
    }
    if let Err(error) = verified {
        assert!(is_refusal(&error), "{name}: {error}");
    }
}

fn is_refusal(error: &IndexError) -> bool {
    matches!(error, IndexError::Damaged { .. } | IndexError::Incompatible { .. })
}

fuzz_target!(
    init: {
        built();
        // Replaces the hook that aborts: the index catches panics of its storage.
        std::panic::set_hook(Box::new(|panic| {
            LAST_PANIC.with_borrow_mut(|last| *last = panic.to_string());
        }));
    },
    |data: &[u8]| {
        let &[file, damage, high, low, ref bytes @ ..] = data else { return };
        let built = built();
        let original = &built.files[usize::from(file) % built.files.len()];
        let start = usize::from(u16::from_be_bytes([high, low]));
        let run = AssertUnwindSafe(|| read_damaged(built, original, damage, start, bytes));
        if catch_unwind(run).is_err() {
            LAST_PANIC.with_borrow(|last| eprintln!("{last}"));
            std::process::abort();
        }
    }
);
