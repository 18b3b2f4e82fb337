//! `lore status`: the state of the index.

mod limits;

use std::{
    collections::BTreeMap,
    io::{self, Write},
    path::Path,
};

use lore_console::{report::Status, text};
use lore_engine::{ParserFault, SecretCount, Status as IndexStatus, UnparsedFile};
use lore_render::{
    output::{
        self, bytes,
        table::{self, Align},
    },
    wire,
};
use lore_session::{Context, write_output};
use lore_settings::flags::{CommonArguments, TreeArguments};

pub(crate) use lore_render::wire::Limit;

use crate::args::ReportArguments;

/// Shows indexed and pending documents of each source.
pub(super) fn run(arguments: &ReportArguments) -> anyhow::Result<Status> {
    show(&arguments.tree, &arguments.common, arguments.json)
}

/// Shows the same for `lore index --status`.
pub(super) fn show(
    tree: &TreeArguments,
    common: &CommonArguments,
    json: bool,
) -> anyhow::Result<Status> {
    let context = Context::new(tree, common, Vec::new())?;
    let status = context.engine()?.status()?;
    let limits = limits::limits(&context.settings);
    write_output(|out| {
        if json {
            let status = wire::status(&status).with_limits(&limits).with_tools(tools());
            wire::write(&status, out)
        } else {
            write(&status, (context.settings.tuned(), &limits), out)
        }
    })?;
    Ok(Status::Success)
}

fn write(
    status: &IndexStatus,
    (tuned, limits): (Option<(&Path, usize)>, &[Limit]),
    out: &mut dyn Write,
) -> io::Result<()> {
    write_head(status, tuned, out)?;
    writeln!(out)?;
    write_sources(status, out)?;
    write_limits(limits, out)?;
    writeln!(out)?;
    write_secrets(status, out)?;
    write_unparsed(status, out)?;
    write_partly_parsed(status, out)?;
    for problem in &status.problems {
        writeln!(out, "problem: {}", text::clean(problem))?;
    }
    write_tools(out)?;
    // The last line, which agents are given at the start of a session.
    let pending: u64 = status.sources.values().map(|source| source.pending).sum();
    if pending == 0 {
        return writeln!(out, "the index is up to date");
    }
    let pending = output::plural(pending, "change", "changes");
    writeln!(out, "{pending} since the last update of the index; the next search reads them")
}

/// The number of the tools of `lore mcp`, and of the tokens that these take in every session.
fn tools() -> (usize, usize) {
    (lore_server::tools::TOOLS.len(), lore_server::tools::own_tokens())
}

fn write_tools(out: &mut dyn Write) -> io::Result<()> {
    let (tools, tokens) = tools();
    let tools = output::plural(tools as u64, "tool", "tools");
    let tokens = output::plural(tokens as u64, "token", "tokens");
    writeln!(out, "`lore mcp` has {tools}, which take {tokens} of every session")
}

/// Writes the directories, the embedding model and the tuned weights.
fn write_head(
    status: &IndexStatus,
    tuned: Option<(&Path, usize)>,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "tree   {}", text::clean(&status.root.display().to_string()))?;
    match &status.cache {
        Some(cache) => writeln!(out, "index  {}", text::clean(&cache.display().to_string()))?,
        None => writeln!(out, "index  in memory")?,
    }
    let shared: u64 = status.sources.values().map(|source| source.shared_bytes).sum();
    if status.views > 1 {
        let all: u64 = status.sources.values().map(|source| source.disk_bytes).sum();
        writeln!(
            out,
            "views  {} of this repository; {} of {} on disk are shared with others",
            output::count(status.views as u64),
            bytes(shared),
            bytes(all)
        )?;
    }
    writeln!(out, "model  {}", text::clean(status.embedder.as_deref().unwrap_or("off")))?;
    if let Some((path, weights)) = tuned {
        let count = output::plural(weights as u64, "weight of this tree", "weights of this tree");
        let path = text::clean(&path.display().to_string());
        writeln!(out, "tuned  {count}: {path}")?;
    }
    Ok(())
}

/// Writes a table with one row per source.
fn write_sources(status: &IndexStatus, out: &mut dyn Write) -> io::Result<()> {
    let mut rows = vec![
        ["source", "documents", "chunks", "embedded", "text", "on disk", "out of date"]
            .map(str::to_owned),
    ];
    for (name, source) in &status.sources {
        rows.push([
            name.as_str().to_owned(),
            output::count(source.documents),
            output::count(source.chunks),
            output::count(source.embedded),
            bytes(source.text_bytes),
            bytes(source.disk_bytes),
            output::count(source.pending),
        ]);
    }
    let [right, left] = [Align::Right, Align::Left];
    table::write([left, right, right, right, right, right, right], &rows, out)
}

fn write_limits(limits: &[Limit], out: &mut dyn Write) -> io::Result<()> {
    let mut rows = vec![["limit", "value", "from", "used"].map(str::to_owned)];
    for limit in limits {
        let cells = [limit.key, &limit.value, &limit.origin, &limit.in_words];
        rows.push(cells.map(text::clean));
    }
    writeln!(out)?;
    table::write([Align::Left; 4], &rows, out)
}

/// Maximum number of unparsed files that are named.
const MAX_UNPARSED: usize = 20;

/// Writes the files that ended their parser.
fn write_unparsed(status: &IndexStatus, out: &mut dyn Write) -> io::Result<()> {
    let files: Vec<&UnparsedFile> =
        status.sources.values().flat_map(|source| &source.unparsed).collect();
    for file in files.iter().take(MAX_UNPARSED) {
        let reason = match file.fault {
            ParserFault::Crashed => "ended its parser",
            ParserFault::Memory => "needed too much memory to parse",
            ParserFault::Time => "took too long to parse",
        };
        let path = text::clean(&file.path);
        writeln!(out, "unparsed: `{path}` {reason}; it is split by lines until it changes")?;
    }
    if let Some(more) = files.len().checked_sub(MAX_UNPARSED).filter(|more| *more > 0) {
        let more = output::plural(more as u64, "more file", "more files");
        writeln!(out, "unparsed: {more}; `lore status --json` lists them")?;
    }
    Ok(())
}

/// Maximum number of partly parsed files that are named.
const MAX_PARTLY_PARSED: usize = 5;

/// Writes the files with text that the parser could not read.
fn write_partly_parsed(status: &IndexStatus, out: &mut dyn Write) -> io::Result<()> {
    let paths: Vec<&String> =
        status.sources.values().flat_map(|source| &source.partly_parsed).collect();
    if paths.is_empty() {
        return Ok(());
    }
    let named = paths.iter().take(MAX_PARTLY_PARSED);
    let named: Vec<String> = named.map(|path| format!("`{}`", text::clean(path))).collect();
    let more = match paths.len().saturating_sub(MAX_PARTLY_PARSED) {
        0 => String::new(),
        more => {
            format!(" and {} more; `lore status --json` lists them", output::count(more as u64))
        }
    };
    writeln!(out, "parsed in part, names may be missing: {}{more}", named.join(", "))
}

/// Writes the number of redacted secrets by kind.
fn write_secrets(status: &IndexStatus, out: &mut dyn Write) -> io::Result<()> {
    let mut counts = BTreeMap::<&str, SecretCount>::new();
    for (rule, of_source) in status.sources.values().flat_map(|source| &source.secrets) {
        let count = counts.entry(rule).or_default();
        count.documents += of_source.documents;
        count.secrets += of_source.secrets;
    }
    if counts.is_empty() {
        return Ok(());
    }
    let all = counts.values().map(|count| count.secrets).sum();
    let each = counts.iter().map(|(rule, count)| {
        let places = output::plural(count.documents, "document", "documents");
        format!("{rule} {} in {places}", output::count(count.secrets))
    });
    let each: Vec<String> = each.collect();
    writeln!(out, "{} redacted: {}", output::plural(all, "secret", "secrets"), each.join(", "))
}
