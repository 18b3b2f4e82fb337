//! `lore bench`: the cost of indexing and searching, on generated trees of several sizes.

mod arguments;
mod curve;
mod json;
mod measure;
mod memory;
mod questions;
mod random;
mod shapes;
mod tree;
mod words;

pub(crate) use self::json::BenchWire;
use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use lore_console::report::{self, Status, UsageError};
use lore_engine::{Embedding, EngineConfig, Mode, find_root};
use lore_render::{
    output::{
        self, bytes,
        table::{self, Align},
    },
    wire,
};
use lore_session::{Context, engine_config, interrupt::Removal, progress::Reporter, write_output};
use lore_settings::flags::TreeArguments;
use tempfile::TempDir;

pub use self::arguments::BenchArguments;
pub(crate) use self::{curve::Growth, measure::Measured};
use self::{measure::Plan, tree::Generator};

/// Default sizes.
const SIZES: [u64; 3] = [1_000, 10_000, 100_000];

/// Default seed.
const SEED: u64 = 1;

/// Measures each size and writes the results.
pub fn run(arguments: &BenchArguments) -> anyhow::Result<Status> {
    let work = Work::create(arguments.keep.as_deref())?;
    let tree = TreeArguments { directory: Some(work.folder.clone()), ..TreeArguments::default() };
    let context = Context::new(&tree, &arguments.common, Vec::new())?;
    let embedding = if arguments.lexical { Embedding::Off } else { Embedding::Embedded };
    let plan = Plan {
        generator: Generator { seed: arguments.seed.unwrap_or(SEED) },
        runs: arguments.runs.unwrap_or(1),
        modes: measure::modes(&embedding),
        config: EngineConfig {
            write: true,
            exports: Vec::new(),
            ..engine_config(&context.settings, &work.folder, embedding)?
        },
    };
    let mut requested = arguments.sizes.clone();
    if requested.is_empty() {
        requested = SIZES.to_vec();
    }
    requested.sort_unstable();
    requested.dedup();

    let mut sizes = Vec::new();
    for size in requested {
        let folder = work.folder.join(size.to_string());
        let progress = Reporter::start(context.terminal);
        let measured = measure::measure(&plan, size, &folder, &progress);
        progress.finish();
        let measured = measured?;
        report::note(&format!(
            "{} chunks: indexed in {:.1} s",
            output::count(measured.chunks),
            measured.index_seconds
        ));
        sizes.push(measured);
        if arguments.keep.is_none() {
            fs::remove_dir_all(&folder)
                .with_context(|| format!("could not remove `{}`", folder.display()))?;
        }
    }
    let growth = curve::growth(&sizes);
    let is_json = arguments.json || arguments.format.as_deref() == Some("json");
    write_output(|out| {
        if is_json {
            let made = (plan.generator.seed, plan.runs, plan.config.threads);
            return wire::write(&json::bench(made, &sizes, growth), out);
        }
        write(&plan, &sizes, growth, out)
    })?;
    Ok(Status::Success)
}

/// The folder of the trees.
struct Work {
    folder: PathBuf,
    /// Dropped first, so that the folder is removed once.
    _removal: Option<Removal>,
    _temporary: Option<TempDir>,
}

impl Work {
    /// A folder that is kept, or a temporary one that only this user can read.
    fn create(keep: Option<&Path>) -> Result<Work, UsageError> {
        let (folder, temporary) = if let Some(folder) = keep {
            fs::create_dir(folder).map_err(|error| {
                UsageError::new(format!("could not create `{}`: {error}", folder.display()))
                    .hint("name a folder that does not exist yet, in one that does")
            })?;
            (folder.to_owned(), None)
        } else {
            let temporary =
                tempfile::Builder::new().prefix("lore-bench-").tempdir().map_err(|error| {
                    let place = std::env::temp_dir();
                    let place = place.display();
                    UsageError::new(format!("could not create a folder in `{place}`: {error}"))
                        .hint("name another folder with the variable `TMPDIR`")
                })?;
            (temporary.path().to_owned(), Some(temporary))
        };
        let folder = lore_engine::native::canonical(&folder).unwrap_or(folder);
        // The ignore rules of the surrounding repository would apply.
        let around = find_root(&folder);
        if around != folder {
            let _ = fs::remove_dir(&folder);
            return Err(UsageError::new(format!(
                "`{}` is in the repository `{}`",
                folder.display(),
                around.display()
            ))
            .hint("name a folder outside of it with `--keep DIR` or the variable `TMPDIR`"));
        }
        let removal = temporary.as_ref().map(|_| Removal::of(&folder));
        Ok(Work { folder, _removal: removal, _temporary: temporary })
    }
}

fn write(
    plan: &Plan,
    sizes: &[Measured],
    growth: Option<Growth>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let memory = |memory: Option<u64>| memory.map_or_else(|| "-".to_owned(), bytes);
    let heads =
        ["chunks", "files", "text", "index", "of text", "time", "MB/s", "µs a chunk", "memory"];
    let mut rows = vec![heads.map(str::to_owned)];
    for size in sizes {
        rows.push([
            output::count(size.chunks),
            output::count(size.files),
            bytes(size.text_bytes),
            bytes(size.index_bytes),
            format!("{:.2}", size.share()),
            format!("{:.2} s", size.index_seconds),
            format!("{:.2}", size.speed()),
            format!("{:.0}", size.per_chunk()),
            memory(size.index_memory),
        ]);
    }
    writeln!(out, "indexing, {} threads", plan.config.threads)?;
    table::write([Align::Right; 9], &rows, out)?;

    let mut rows = vec![["chunks", "mode", "p50", "p99", "answers", "memory"].map(str::to_owned)];
    for mode in &plan.modes {
        for (size, times) in sizes.iter().filter_map(|size| Some((size, size.times(*mode)?))) {
            rows.push([
                output::count(size.chunks),
                mode.as_str().to_owned(),
                format!("{:.2} ms", times.p50),
                format!("{:.2} ms", times.p99),
                output::count(times.answers as u64),
                memory(size.search_memory),
            ]);
        }
    }
    let [right, left] = [Align::Right, Align::Left];
    writeln!(out, "\nquestions, in one process on one thread")?;
    table::write([right, left, right, right, right, right], &rows, out)?;

    if let Some(growth) = growth {
        let (from, to) = growth.range;
        writeln!(out, "\nfrom {} to {} chunks", output::count(from), output::count(to))?;
        writeln!(
            out,
            "index time for each chunk: at most {:.0} % {}",
            growth.index.abs() * 100.0,
            if growth.index > 0.0 { "more" } else { "less" }
        )?;
        if sizes.iter().all(|size| size.times(Mode::Lexical).is_some()) {
            writeln!(
                out,
                "answers by words (p50): {:.1} times as long in a tree of a hundred times the size",
                growth.lexical
            )?;
        }
    }
    Ok(())
}
