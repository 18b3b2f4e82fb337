//! temporary
#![allow(
    clippy::all,
    clippy::pedantic,
    clippy::print_stdout,
    clippy::unwrap_used,
    missing_docs,
    reason = "temporary"
)]
use lore_index::*;
use lore_schema::*;
use std::path::{Path, PathBuf};
use std::time::Instant;

fn walk(p: &Path, out: &mut Vec<PathBuf>) {
    for e in std::fs::read_dir(p).unwrap().flatten() {
        let p = e.path();
        let n = e.file_name().into_string().unwrap_or_default();
        let t = e.file_type().unwrap();
        if t.is_symlink() || n == ".git" || n == "target" || n == "node_modules" {
            continue;
        }
        if t.is_dir() {
            walk(&p, out)
        } else if e.metadata().unwrap().len() < 1_000_000 {
            out.push(p)
        }
    }
}
fn terms(text: &str, whole: bool) -> Terms {
    let mut t = Terms::default();
    for w in text.split(|c: char| !(c.is_alphanumeric() || (whole && c == '_'))) {
        if w.is_empty() {
            continue;
        }
        if whole && w.len() < 3 {
            continue;
        }
        t.push(&w.to_lowercase());
    }
    t
}
fn unit(root: &Path, path: &Path) -> Option<(UnitUpdate, usize)> {
    let text = std::fs::read_to_string(path).ok()?;
    let name = path.strip_prefix(root).ok()?.to_str()?.to_owned();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut chunks = vec![];
    let mut start = 0;
    for (i, c) in lines.chunks(30).enumerate() {
        let body: String = c.concat();
        let end = start + body.len();
        let sym = Symbol {
            name: format!("sym{i}"),
            kind: SymbolKind::Function,
            visibility: Visibility::Public,
            container: None,
            line: 1,
        };
        chunks.push(IndexedChunk {
            stored: StoredChunk {
                ordinal: i as u32,
                span: Span {
                    start,
                    end,
                    start_line: i as u32 * 30 + 1,
                    end_line: i as u32 * 30 + 30,
                },
                kind: ChunkKind::Definition,
                symbol: Some(sym.clone()),
                symbols: vec![sym.clone(), sym],
                breadcrumb: vec!["outer".into()],
                signature: Some(c[0].trim().chars().take(80).collect()),
                doc_comment: None,
            },
            terms: vec![
                (Field::Body, terms(&body, false)),
                (Field::Whole, terms(&body, true)),
                (Field::Context, terms(&name, false)),
                (Field::Symbol, terms(c[0], true)),
            ],
        });
        start = end;
    }
    let n = text.len();
    let title = name.rsplit('/').next().unwrap().to_owned();
    let doc = IndexedDocument {
        stored: StoredDocument {
            key: DocKey { source: SourceName::Code, locator: name.clone() },
            path: name.clone(),
            format: "files".into(),
            kind: "file".into(),
            title: title.clone(),
            language: Some("rust".into()),
            category: Category::Own,
            attributes: Attributes::default(),
            trust: Trust::Own,
            text: None,
            bytes: n as u64,
            fell_back: false,
            names: vec![],
        },
        terms: vec![
            (Field::Title, terms(&title, false)),
            (Field::Path, terms(&name, false)),
            (Field::Names, terms(&lines.iter().step_by(10).copied().collect::<String>(), false)),
            (
                Field::Comments,
                terms(
                    &lines.iter().filter(|l| l.contains("//")).copied().collect::<String>(),
                    false,
                ),
            ),
        ],
        chunks,
    };
    Some((
        UnitUpdate {
            name,
            stamp: Stamp { metadata: n as u64 * 7919, content: n as u64 * 104729 },
            skipped: Default::default(),
            documents: vec![doc],
        },
        n,
    ))
}
fn rss() -> String {
    std::fs::read_to_string("/proc/self/status")
        .unwrap()
        .lines()
        .filter(|l| l.starts_with("VmHWM") || l.starts_with("VmRSS"))
        .collect::<Vec<_>>()
        .join(" ")
}
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let place = Place::Folder(PathBuf::from(&args[2]));
    let b = BACKENDS[0];
    match args[1].as_str() {
        "build" => {
            let root = PathBuf::from(&args[3]);
            let mut files = vec![];
            walk(&root, &mut files);
            let t = Instant::now();
            let store = b.open(SourceName::Code, &place, "x").unwrap();
            let base = store.reader().unwrap();
            let w = store.writer(&*base).unwrap();
            let bytes = std::sync::atomic::AtomicUsize::new(0);
            let next = std::sync::atomic::AtomicUsize::new(0);
            std::thread::scope(|s| {
                for _ in 0..2 {
                    s.spawn(|| {
                        loop {
                            let i = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                            let Some(f) = files.get(i) else { break };
                            if let Some((u, n)) = unit(&root, f) {
                                bytes.fetch_add(n, std::sync::atomic::Ordering::Relaxed);
                                w.replace(u).unwrap();
                            }
                        }
                    });
                }
            });
            let added = t.elapsed();
            w.commit("c").unwrap();
            let all = t.elapsed();
            let r = store.reader().unwrap();
            let s = r.summary();
            let n = bytes.into_inner();
            println!(
                "build: {} docs {} chunks {:.1} MB, added {:.2?}, with commit {:.2?}, {:.1} MB/s, disk {:.1} MB ({:.2}), {}",
                s.documents,
                s.chunks,
                n as f64 / 1e6,
                added,
                all,
                n as f64 / 1e6 / all.as_secs_f64(),
                s.disk_bytes as f64 / 1e6,
                s.disk_bytes as f64 / n as f64,
                rss()
            );
        }
        "edit" => {
            let root = PathBuf::from(&args[3]);
            let mut files = vec![];
            walk(&root, &mut files);
            for i in 0..8 {
                let Some((u, _)) = unit(&root, &files[i * 7]) else { continue };
                let t = Instant::now();
                let store = b.open(SourceName::Code, &place, "x").unwrap();
                let base = store.reader().unwrap();
                let opened = t.elapsed();
                let w = store.writer(&*base).unwrap();
                let began = t.elapsed();
                w.replace(u).unwrap();
                w.commit("c").unwrap();
                println!(
                    "edit: open {opened:.2?} writer {:.2?} all {:.2?}",
                    began - opened,
                    t.elapsed()
                );
            }
        }
        "open" => {
            let mut times = vec![];
            for _ in 0..40 {
                let t = Instant::now();
                let s = b.open(SourceName::Code, &place, "x").unwrap();
                times.push(t.elapsed());
                let t = Instant::now();
                drop(s);
                times.push(t.elapsed());
            }
            let (mut open, mut close): (Vec<_>, Vec<_>) = (
                times.iter().step_by(2).copied().collect(),
                times.iter().skip(1).step_by(2).copied().collect(),
            );
            open.sort();
            close.sort();
            println!("open min {:.2?} p50 {:.2?}, drop {:.2?}", open[0], open[20], close[20]);
        }
        "query" => {
            let t = Instant::now();
            let store = b.open(SourceName::Code, &place, "x").unwrap();
            let open = t.elapsed();
            let r = store.reader().unwrap();
            let reader = t.elapsed();
            let units: Vec<&str> = r.units().collect();
            let listed = t.elapsed();
            for u in &units {
                assert!(r.stamp(u).is_some());
            }
            let stamped = t.elapsed();
            println!(
                "open {open:.2?} reader {:.2?} list {:.2?} stamps of {} {:.2?}",
                reader - open,
                listed - reader,
                units.len(),
                stamped - listed
            );
            let queries = [
                ["error", "handling", "in", "the", "parser"],
                ["self", "fn", "let", "return", "the"],
                ["thread", "pool", "spawn", "blocking", "task"],
                ["config", "file", "path", "load", "default"],
            ];
            let filter = Filter {
                paths: vec!["src".into()],
                kinds: vec!["function".into()],
                ..Filter::default()
            };
            for q in queries {
                let groups = q
                    .iter()
                    .map(|w| TermGroup {
                        forms: Field::ALL
                            .iter()
                            .flat_map(|f| {
                                [(*w).to_owned(), format!("{w}s"), format!("{w}ing")]
                                    .map(|term| FieldTerm { field: *f, term, weight: 0.8 })
                            })
                            .collect(),
                    })
                    .collect();
                let query = LexicalQuery { groups, weights: [1.0; 9], chunks_per_document: 3 };
                let mut times = vec![];
                let mut last = None;
                for i in 0..101 {
                    let t = Instant::now();
                    let m = r.lexical(&query, &Filter::default(), 200).unwrap();
                    if i == 0 {
                        print!("cold {:.2?} ", t.elapsed())
                    }
                    times.push(t.elapsed());
                    last = Some(m);
                }
                times.sort();
                let m = last.unwrap();
                let t = Instant::now();
                let f = r.lexical(&query, &filter, 200).unwrap();
                let filtered = t.elapsed();
                let t = Instant::now();
                let d =
                    r.documents(&m.candidates.iter().map(|c| c.id).collect::<Vec<_>>()).unwrap();
                let c = r
                    .chunks(
                        &m.candidates
                            .iter()
                            .flat_map(|c| c.chunks.iter().map(|c| c.id))
                            .collect::<Vec<_>>(),
                    )
                    .unwrap();
                println!(
                    "{q:?}: min {:.2?} p50 {:.2?} total {} all {}; filtered {:.2?} {}; load {} + {} {:.2?}",
                    times[10],
                    times[20],
                    m.total,
                    m.matched_all,
                    filtered,
                    f.total,
                    d.len(),
                    c.len(),
                    t.elapsed()
                );
            }
            println!("{}", rss());
        }
        _ => unreachable!(),
    }
}
