//! `lore spec`: lexical search over spec nodes.

use std::io::{self, Write};

use lore_compat::{
    Answer,
    spex::{self, Nodes, SpecHit},
};
use lore_console::{
    report::{self, Status},
    text,
};
use lore_engine::Link;
use lore_render::{
    output::{
        self,
        style::{Role, Style},
    },
    wire,
};
use lore_session::{Context, number, progress::Reporter, write_output};
use lore_settings::{Override, Value};

use super::{query, search::record_search};
use crate::args::SpecArguments;

/// Hint for a tree without specs.
const NO_SPECS: &str = "this tree has no specs; `lore sources` lists what it contains";

/// Runs the query and writes the answer. An empty answer is a success.
pub(super) fn run(arguments: &SpecArguments) -> anyhow::Result<Status> {
    let query = query(&arguments.query)?;
    let flags = arguments.limit.map(|limit| Override {
        key: "search.limit",
        value: Value::Number(limit),
        flag: "--limit",
    });
    let context = Context::new(&arguments.tree, &arguments.common, flags.into_iter().collect())?
        .at(&arguments.revision);
    let engine = context.engine()?;
    let style = context.style();
    if arguments.system.is_some() {
        // The same answer as `lore search --as spex`.
        let limit = arguments.limit.map_or(spex::LIMIT, number);
        let answer = spex::search_nodes(&engine, &query, limit)?;
        let nodes = Nodes::new(answer, &query, &context.root, arguments.id_sep.as_deref());
        let format = if arguments.json { "json" } else { "human" };
        write_output(|out| nodes.write(format, &style, out))?;
        nodes.report(&engine);
        return Ok(Status::Success);
    }
    let mut answer = spex::search_specs(&engine, &query, context.settings.limit())?;
    spex::separate(&mut answer.hits, arguments.id_sep.as_deref());

    let mut links = vec![Vec::new(); answer.hits.len()];
    if arguments.follow.is_some() {
        let progress = Reporter::start(context.terminal);
        for (hit, links) in answer.hits.iter().zip(&mut links) {
            *links = engine.follow(&hit.code, &progress)?;
        }
        progress.finish();
    }
    write_output(|out| {
        if arguments.json && arguments.follow.is_some() {
            wire::write(&spex::followed(&answer.hits, &links), out)
        } else if arguments.json {
            wire::write(&spex::wire(&answer.hits), out)
        } else {
            let mut hits = answer.hits.iter().zip(&links).enumerate();
            hits.try_for_each(|(position, (hit, links))| {
                write_hit(position + 1, hit, links, &style, out)
            })
        }
    })?;
    let hits = answer.hits.len() as u64;
    record_search(&context.settings, &context.root, &query, [hits; 2], answer.compute_ms);
    let folder = context.root.join(".spec").is_dir();
    for line in spex::absence(&answer, &query, folder, NO_SPECS) {
        line.report();
    }
    report::plain_line(&spex::timing(&answer));
    Ok(Status::Success)
}

fn write_hit(
    number: usize,
    hit: &SpecHit,
    links: &[Link],
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let title = text::clean(&hit.title);
    let id = text::clean(&hit.id);
    write!(out, "{number:>2}. {}", style.paint(Role::Title, &title))?;
    if id != title {
        write!(out, "  {}", style.paint(Role::Dim, id))?;
    }
    writeln!(out)?;
    writeln!(out, "    {}", style.paint(Role::Path, text::quoted(&hit.path)))?;
    let snippet = text::cut(&text::clean(&hit.snippet), style.width.saturating_sub(4));
    writeln!(out, "    {snippet}")?;
    for link in links {
        let link = text::cut(&text::clean(&output::link(link)), style.width.saturating_sub(4));
        writeln!(out, "    {}", style.paint(Role::Dim, link))?;
    }
    writeln!(out)
}
