//! `lore spec`: the lexical floor over spec nodes.

use std::io::{self, Write};

use lore_engine::SpecHit;

use super::{Context, query, write_output};
use crate::{
    args::SpecArguments,
    output::{
        style::{Role, Style},
        text,
    },
    report::{self, Status},
    settings::{Override, Value},
    wire,
};

/// Asks the engine, and writes what it answers. Nothing found is an answer.
pub(super) fn run(arguments: &SpecArguments) -> anyhow::Result<Status> {
    let query = query(&arguments.query)?;
    let flags = arguments.limit.map(|limit| Override {
        key: "search.limit",
        value: Value::Number(limit),
        flag: "--limit",
    });
    let context = Context::new(&arguments.tree, &arguments.common, flags.into_iter().collect())?;
    let answer = context.engine()?.spec(&query, context.settings.limit())?;

    let style = context.style();
    write_output(|out| {
        if arguments.json {
            wire::write(&wire::spec(&answer.hits), out)
        } else {
            answer
                .hits
                .iter()
                .enumerate()
                .try_for_each(|(position, hit)| write_hit(position + 1, hit, &style, out))
        }
    })?;
    if answer.hits.is_empty() {
        report::plain(&format!("no spec matches `{}`", text::cut(&query, 100)));
        if answer.nodes == 0 {
            report::hint_line("this tree holds no specs; `lore sources` lists what it holds");
        } else {
            if !answer.nearest.is_empty() {
                report::hint_line(&format!("near: {}", answer.nearest.join(", ")));
            }
            if !query.is_ascii()
                && query.chars().any(|character| !character.is_ascii() && character.is_alphabetic())
            {
                report::hint_line(
                    "the specs may be in English: translate the words and search again",
                );
            }
            let folder = context.root.join(".spec").is_dir();
            report::hint_line(if folder {
                "to browse, run `lore sources` or `ls -R .spec`"
            } else {
                "to browse, run `lore sources`"
            });
        }
    }
    report::plain(&format!(
        "compute {:.1}ms · {} nodes · {} tokens",
        answer.compute_ms, answer.nodes, answer.tokens
    ));
    Ok(Status::Found)
}

fn write_hit(number: usize, hit: &SpecHit, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let title = text::clean(&hit.title);
    let id = text::clean(&hit.id);
    write!(out, "{number:>2}. {}", style.paint(Role::Title, &title))?;
    if id != title {
        write!(out, "  {}", style.paint(Role::Dim, id))?;
    }
    writeln!(out)?;
    writeln!(out, "    {}", style.paint(Role::Path, text::quoted(&hit.path)))?;
    let snippet = text::cut(&text::clean(&hit.snippet), style.width.saturating_sub(4));
    writeln!(out, "    {snippet}\n")
}
