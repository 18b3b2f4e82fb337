//! The two text forms of swift-index: lines for people, and its compact form for agents.

use std::io::{self, Write};

use lore_console::text;
use lore_engine::FollowUp;
use lore_render::{
    output::style::{Role, Style},
    wire::percent,
};

use super::{Boosts, Chunk, kind};

/// Characters of a documentation comment for people.
const HUMAN_DOC: usize = 100;

/// Characters of a documentation comment in the compact form.
const TOON_DOC: usize = 150;

/// Lines of code for people.
const HUMAN_LINES: usize = 5;

/// Lines of code in the compact form, and of documentation for people.
const TOON_LINES: usize = 10;

/// Lines of documentation in the compact form.
const DOCS_LINES: usize = 20;

/// Columns of a rule between parts.
const RULE: usize = 60;

/// One block a hit, with a header. `docs`: the hits are documentation.
pub(super) fn human(
    chunks: &[Chunk<'_>],
    seconds: f64,
    docs: bool,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    if chunks.is_empty() {
        let what = if docs { "documentation" } else { "results" };
        return writeln!(out, "No {what} found.");
    }
    writeln!(out, "Found {} results in {seconds:.3}s", chunks.len())?;
    writeln!(out, "{}", "─".repeat(RULE))?;
    for (position, chunk) in chunks.iter().enumerate() {
        let (start, end) = chunk.lines();
        let path = style.paint(Role::Path, text::quoted(chunk.path()));
        writeln!(out, "\n[{}] {path}:{start}-{end}", position + 1)?;
        let mut row =
            |label: &str, value: &str| writeln!(out, "    {label}: {}", text::clean(value));
        let hit = chunk.hit;
        let hop = if hit.hops == 0 { String::new() } else { format!(" [hop {}]", hit.hops) };
        row("Kind", &format!("{}{hop}", kind(hit)))?;
        if !docs && !chunk.symbols.is_empty() {
            row("Symbols", &chunk.symbols.join(", "))?;
        }
        if let Some(breadcrumb) = &chunk.breadcrumb {
            row("Location", breadcrumb)?;
        }
        if let Some(signature) = hit.signature.as_ref().filter(|_| !docs) {
            row("Signature", signature)?;
        }
        let rank = hit.bm25_rank.filter(|_| !docs);
        let rank = rank.map_or_else(String::new, |rank| format!(" (keyword rank #{rank})"));
        row("Relevance", &format!("{}%{rank}", percent(hit.score)))?;
        if hit.explanation.is_some() {
            row("Boosts", &boosts(&Boosts::of(hit)))?;
        }
        if let Some(comment) = hit.doc_comment.as_ref().filter(|_| !docs) {
            row("Doc", &cut(comment, HUMAN_DOC))?;
        }
        writeln!(out, "    ────")?;
        let most = if docs { TOON_LINES } else { HUMAN_LINES };
        let rest = code(&chunk.content, most, "    ", out)?;
        if 0 < rest {
            writeln!(out, "    ... ({rest} more lines)")?;
        }
    }
    writeln!(out)
}

/// The suggested queries, one a line.
pub(super) fn human_follow_ups(next: &[FollowUp], out: &mut dyn Write) -> io::Result<()> {
    if next.is_empty() {
        return Ok(());
    }
    writeln!(out, "Follow-up queries:")?;
    next.iter().try_for_each(|next| writeln!(out, "    {}", text::clean(&next.query)))
}

/// The suggested queries as a table.
pub(super) fn toon_follow_ups(next: &[FollowUp], out: &mut dyn Write) -> io::Result<()> {
    if next.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nfollow_ups[{}]{{q,c}}:", next.len())?;
    next.iter().try_for_each(|next| {
        writeln!(out, "  {},{}", string(&next.query), string(next.category.as_str()))
    })
}

/// `exact-symbol 2.5 × conformance 1.5 = 3.75`; without a factor, 1.
fn boosts(boosts: &Boosts) -> String {
    if boosts.factors.is_empty() {
        return "none".to_owned();
    }
    let factors: Vec<String> =
        boosts.factors.iter().map(|factor| format!("{} {}", factor.name, factor.factor)).collect();
    format!("{} = {}", factors.join(" × "), boosts.product)
}

/// Tables of short columns; `~` marks an unknown value.
pub(super) fn toon(
    query: &str,
    chunks: &[Chunk<'_>],
    seconds: f64,
    out: &mut dyn Write,
) -> io::Result<()> {
    let count = chunks.len();
    writeln!(
        out,
        "search{{q,n,ms}}:\n  {},{count},{:.0}\n",
        string(query),
        (seconds * 1e3).floor()
    )?;
    if chunks.is_empty() {
        return Ok(());
    }
    writeln!(out, "results[{count}]{{r,rel,p,l,k,s,lang,tok}}:")?;
    for (position, chunk) in chunks.iter().enumerate() {
        let (start, end) = chunk.lines();
        let symbols: Vec<String> = chunk.symbols.iter().map(|name| string(name)).collect();
        writeln!(
            out,
            "  {},{},{},[{start},{end}],{},[{}],{},{}",
            position + 1,
            percent(chunk.hit.score),
            string(chunk.path()),
            string(kind(chunk.hit)),
            symbols.join(","),
            string(chunk.language()),
            chunk.tokens(),
        )?;
    }
    let has_meta = |chunk: &Chunk<'_>| chunk.hit.signature.is_some() || chunk.breadcrumb.is_some();
    if chunks.iter().any(has_meta) {
        writeln!(out, "\nmeta[{count}]{{sig,bc}}:")?;
        for chunk in chunks {
            let signature = optional(chunk.hit.signature.as_deref());
            writeln!(out, "  {signature},{}", optional(chunk.breadcrumb.as_deref()))?;
        }
    }
    if chunks.iter().any(|chunk| chunk.hit.doc_comment.is_some()) {
        writeln!(out, "\ndocs[{count}]:")?;
        for chunk in chunks {
            let comment = chunk.hit.doc_comment.as_ref();
            let comment = comment.map(|comment| cut(comment, TOON_DOC).replace('\n', " "));
            writeln!(out, "  {}", optional(comment.as_deref()))?;
        }
    }
    writeln!(out, "\ncode[{count}]:")?;
    blocks(chunks, TOON_LINES, out)
}

/// As [`toon`], for documentation.
pub(super) fn docs_toon(query: &str, chunks: &[Chunk<'_>], out: &mut dyn Write) -> io::Result<()> {
    let count = chunks.len();
    writeln!(out, "docs_search{{q,n}}:\n  {},{count}", string(query))?;
    if chunks.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nsnippets[{count}]{{r,rel,p,l,k,bc,lang,tok}}:")?;
    for (position, chunk) in chunks.iter().enumerate() {
        let (start, end) = chunk.lines();
        writeln!(
            out,
            "  {},{},{},[{start},{end}],{},{},{},{}",
            position + 1,
            percent(chunk.hit.score),
            string(chunk.path()),
            string(kind(chunk.hit)),
            optional(chunk.breadcrumb.as_deref()),
            text::clean(chunk.language()),
            chunk.tokens(),
        )?;
    }
    writeln!(out, "\ncontent[{count}]:")?;
    blocks(chunks, DOCS_LINES, out)
}

/// The beginning of every content, each after a line of dashes.
fn blocks(chunks: &[Chunk<'_>], most: usize, out: &mut dyn Write) -> io::Result<()> {
    for chunk in chunks {
        writeln!(out, "  ---")?;
        let rest = code(&chunk.content, most, "  ", out)?;
        if 0 < rest {
            writeln!(out, "  ...{rest} more lines")?;
        }
    }
    Ok(())
}

/// Writes the first lines of a text and returns the number of the others.
fn code(content: &str, most: usize, indent: &str, out: &mut dyn Write) -> io::Result<usize> {
    let lines: Vec<&str> = content.lines().collect();
    for line in lines.iter().take(most) {
        let shown: String = text::Line::new(line, &[])
            .window(usize::MAX)
            .into_iter()
            .map(|piece| piece.text)
            .collect();
        writeln!(out, "{indent}{shown}")?;
    }
    Ok(lines.len().saturating_sub(most))
}

/// The first characters of a text, with `...` if there are more.
fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

/// A text in quotes.
fn string(text: &str) -> String {
    let escaped = text
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
        .replace('\r', "\\r")
        .replace('\t', "\\t");
    format!("\"{}\"", text::clean(&escaped))
}

/// A text in quotes, or the sign for none.
fn optional(text: Option<&str>) -> String {
    text.map_or_else(|| "~".to_owned(), string)
}
