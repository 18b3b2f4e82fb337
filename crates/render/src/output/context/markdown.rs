//! Packages as Markdown: a heading for each section, a line or a passage for each item.
//!
//! Text of files is never interpreted as Markdown: names are code spans or escaped, code is in fences,
//! and prose of several lines is a quotation.

use std::io::{self, Write as _};

use lore_console::text;
use lore_engine::{ContextItem, ContextPackage, Detail, Freshness, IntentOrigin, SectionName};

use super::{Footer, PackageWriter, Selection};
use crate::output::{
    ingested,
    markdown::{fenced, span, word},
};

/// Maximum number of triggers in the header.
const MAX_TRIGGERS: usize = 3;

/// The text of a package.
pub(super) fn text(
    writer: &PackageWriter<'_>,
    selection: &Selection,
    footer: Footer,
) -> anyhow::Result<String> {
    let mut out = Vec::new();
    head(writer.package, &mut out)?;
    for (section, shown) in writer.package.sections.iter().zip(selection) {
        if shown.iter().all(Option::is_none) {
            continue;
        }
        blank_line(&mut out);
        writeln!(out, "## {}\n", heading(section.name))?;
        for (item, shown) in section.items.iter().zip(shown) {
            let Some(shown) = shown else { continue };
            let text = self::item(item, item.details.get(*shown))?;
            if text.starts_with('#') {
                blank_line(&mut out);
            }
            write!(out, "{text}")?;
        }
    }
    foot(writer, selection, footer, &mut out)?;
    Ok(String::from_utf8(out)?)
}

/// Ends the text with an empty line.
fn blank_line(out: &mut Vec<u8>) {
    if !out.ends_with(b"\n\n") {
        out.push(b'\n');
    }
}

fn heading(name: SectionName) -> &'static str {
    match name {
        SectionName::Ticket => "Ticket",
        SectionName::LinkedTickets => "Linked tickets",
        SectionName::Specs => "Specs",
        SectionName::Symbols => "Symbols",
        SectionName::Related => "Related code",
        SectionName::UsualFiles => "Files that such tickets change",
        SectionName::Tests => "Tests",
        SectionName::Decisions => "Decisions",
        SectionName::Docs => "Docs",
        SectionName::Patterns => "Patterns",
        SectionName::SimilarTickets => "Similar tickets",
        SectionName::Commits => "Commits",
        SectionName::Tree => "Files",
    }
}

fn head(package: &ContextPackage, out: &mut Vec<u8>) -> io::Result<()> {
    let task = match &package.ticket {
        Some(ticket) if package.task.trim().eq_ignore_ascii_case(&ticket.id) => {
            format!("{}: {}", ticket.id, ticket.title)
        }
        _ => package.task.trim().to_owned(),
    };
    writeln!(out, "# {}\n", word(&task))?;
    let intent = &package.intent;
    let why = match package.intent_origin {
        IntentOrigin::Request => "as requested".to_owned(),
        IntentOrigin::TicketType => "from the type of the ticket".to_owned(),
        IntentOrigin::Words if intent.triggers.is_empty() => "by default".to_owned(),
        IntentOrigin::Words => {
            let triggers: Vec<String> =
                intent.triggers.iter().take(MAX_TRIGGERS).map(|trigger| word(trigger)).collect();
            format!("{} of 1: {}", intent.confidence, triggers.join(", "))
        }
    };
    let mut about = vec![format!("intent: {} ({why})", intent.name)];
    about.push(format!("level {}", package.level));
    let component = package.ticket.as_ref().and_then(|ticket| ticket.component.as_deref());
    about.extend(component.map(|component| format!("component {}", word(component))));
    about.extend(package.receipt.tree.as_ref().map(|tree| format!("tree {tree}")));
    match package.receipt.fresh {
        Freshness::Verified => {}
        Freshness::Ingested(_) => about.push(ingested(package.receipt.fresh)),
        Freshness::Partial(pending) => {
            about.push(format!("{pending} changed files are missing"));
        }
        Freshness::Stale => about.push("not all of it could be checked".to_owned()),
    }
    writeln!(out, "{}", about.join(" · "))
}

/// An item with one of its texts, or with name and place only.
pub(super) fn item(item: &ContextItem, detail: Option<&Detail>) -> io::Result<String> {
    let mut out = Vec::new();
    let prose = detail.map_or("", |detail| detail.prose.trim());
    let code = detail.map_or("", |detail| detail.code.trim_end());
    let is_long = prose.contains('\n') || code.contains('\n');
    let head = head_of(item);
    if !is_long {
        write!(out, "- {head}")?;
        if !code.is_empty() {
            write!(out, "\n  {}", span(&text::clean(code.trim())))?;
        }
        match (prose.is_empty(), code.is_empty()) {
            (true, _) => {}
            (false, true) => write!(out, ": {}", with_spans(prose))?,
            (false, false) => write!(out, "\n  {}", with_spans(prose))?,
        }
        writeln!(out)?;
        return Ok(String::from_utf8_lossy(&out).into_owned());
    }
    writeln!(out, "### {head}\n")?;
    if !prose.is_empty() {
        for line in prose.lines() {
            writeln!(out, "{}", format!("> {}", text::clean_code(line)).trim_end())?;
        }
        writeln!(out)?;
    }
    if !code.is_empty() {
        let language = detail.map_or("", |detail| detail.language.as_str());
        fenced(code, language, &mut out)?;
    }
    Ok(String::from_utf8_lossy(&out).into_owned())
}

/// The name, kind, place and relation of an item, on one line.
fn head_of(item: &ContextItem) -> String {
    let lines = match (item.start_line, item.end_line) {
        (Some(start), Some(end)) if end > start => format!(":{start}-{end}"),
        (Some(start), _) => format!(":{start}"),
        _ => String::new(),
    };
    let mut parts = Vec::new();
    match item.kind.as_str() {
        "folder" => parts.push(span(&text::clean(&item.name))),
        "commit" => {
            let hash = item.id.strip_prefix("git:").unwrap_or(&item.id);
            parts.push(format!("{} {}", span(hash), word(&item.name)));
        }
        kind => {
            let is_name = item.start_line.is_some() && !item.name.contains(' ');
            let name = if is_name { span(&text::clean(&item.name)) } else { word(&item.name) };
            // The heading of the section states these kinds already.
            let is_stated = matches!(kind, "ticket" | "spec" | "file");
            parts.push(if is_stated { name } else { format!("{name} {}", word(kind)) });
            parts.extend(
                item.path.as_ref().map(|path| span(&format!("{}{lines}", text::quoted(path)))),
            );
        }
    }
    parts.extend(
        Some(item.relation.as_str()).filter(|relation| !relation.is_empty()).map(with_spans),
    );
    for (name, value) in &item.about {
        parts.push(match *name {
            "status" | "date" | "author" => word(value),
            name => format!("{name} {}", word(value)),
        });
    }
    parts.join(" · ")
}

/// A text on one line, with its code spans.
fn with_spans(line: &str) -> String {
    if line.matches('`').count() % 2 == 1 || line.contains("``") {
        return word(line);
    }
    let mut shown = String::new();
    for (index, part) in line.split('`').enumerate() {
        shown.push_str(&if index % 2 == 0 { word(part) } else { span(&text::clean(part)) });
    }
    shown
}

fn foot(
    writer: &PackageWriter<'_>,
    selection: &Selection,
    footer: Footer,
    out: &mut Vec<u8>,
) -> io::Result<()> {
    let budget = writer.budget;
    blank_line(out);
    writeln!(out, "---")?;
    let shortened = super::shortened(selection);
    let mut omissions: Vec<String> = writer
        .omitted(selection, footer)
        .iter()
        .map(|(name, missing, present)| format!("{missing} of {} {name}", missing + present))
        .collect();
    if !omissions.is_empty() {
        omissions[0].insert_str(0, "omitted: ");
    }
    omissions.extend((shortened > 0).then(|| format!("{shortened} shortened")));
    let omissions =
        if omissions.is_empty() { "nothing omitted".to_owned() } else { omissions.join(", ") };
    let tokenizer = budget.tokenizer.as_str();
    writeln!(out, "budget {} {tokenizer} tokens; {omissions}", budget.tokens)?;
    if let Some(command) = writer.full_command(selection) {
        writeln!(out, "all of it: {}", span(&text::clean(&command)))?;
    }
    if footer == Footer::Whole {
        for (name, beyond, command) in writer.beyond() {
            writeln!(out, "{beyond} more {name}: {}", span(&text::clean(&command)))?;
        }
    }
    Ok(())
}
