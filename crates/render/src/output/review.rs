//! A review: the changed files, the findings by kind, and the files that the change probably concerns.

use std::{
    fmt::Write as _,
    io::{self, Write},
    ops::Range,
};

use lore_console::text;
use lore_engine::{
    DefinitionChange, RelatedFile, ReviewFinding, ReviewKind, ReviewResponse, ReviewedFile,
    WhyCertainty,
};

use super::{Style, agent, edges::write_paths, human::plural, jsonl, markdown, style::Role, toon};
use crate::{tokens::Tokenizer, wire};

/// Default token budget of the text for agents.
pub const DEFAULT_BUDGET: usize = 1_500;

/// Maximum number of definitions of a file that are listed.
const MAX_DEFINITIONS: usize = 6;

/// A review, and how much of it to write.
pub struct ReviewAnswer<'a> {
    /// The answer.
    pub response: &'a ReviewResponse,
    /// Maximum number of tokens of the text for agents.
    pub tokens: usize,
}

/// An output format of reviews.
pub struct ReviewFormat {
    /// The name that users type.
    pub name: &'static str,
    /// Writes the answer. The output never contains control sequences for a terminal but those of `style`.
    pub write: fn(&ReviewAnswer<'_>, &Style, &mut dyn Write) -> io::Result<()>,
}

/// Every format of reviews, sorted by name.
pub static REVIEW_FORMATS: &[ReviewFormat] = &[
    ReviewFormat {
        name: agent::NAME,
        write: |answer, _, out| out.write_all(agent_text(answer).as_bytes()),
    },
    ReviewFormat { name: "human", write: human },
    ReviewFormat {
        name: "json",
        write: |answer, _, out| wire::write(&wire::review(answer.response), out),
    },
    ReviewFormat {
        name: "jsonl",
        write: |answer, _, out| {
            jsonl::write(serde_json::to_value(wire::review(answer.response))?, "findings", out)
        },
    },
    ReviewFormat { name: "markdown", write: in_markdown },
    ReviewFormat {
        name: "paths",
        write: |answer, style, out| {
            let related = answer.response.related.iter().map(|file| file.path.as_str());
            write_paths(related, style.null, out)
        },
    },
    ReviewFormat {
        name: "toon",
        write: |answer, _, out| {
            writeln!(out, "{}", toon::encode(&serde_json::to_value(wire::review(answer.response))?))
        },
    },
];

/// The format of reviews with this name, if it exists.
pub fn review_format(name: &str) -> Option<&'static ReviewFormat> {
    REVIEW_FORMATS.iter().find(|format| format.name == name)
}

/// The names of the formats of reviews.
pub fn review_format_names() -> Vec<&'static str> {
    REVIEW_FORMATS.iter().map(|format| format.name).collect()
}

/// The text for agents: as many findings as fit into the budget, then how many are missing.
fn agent_text(answer: &ReviewAnswer<'_>) -> String {
    let response = answer.response;
    let mut out = head_text(response);
    let missing = |shown: usize| {
        let count = response.findings.len() - shown + response.omitted;
        let more = plural(count as u64, "more finding", "more findings");
        format!("… {more}: repeat with `--budget 8000 --limit 100`\n")
    };
    let related = related_text(response);
    let reserved = Tokenizer::O200k.count(&missing(0)) + Tokenizer::O200k.count(&related);
    let mut left = answer.tokens.saturating_sub(Tokenizer::O200k.count(&out) + reserved);
    let mut shown = 0;
    for finding in &response.findings {
        let block = block(finding);
        let Some(cost) = Tokenizer::O200k.count_within(&block, left) else { break };
        left -= cost;
        out.push_str(&block);
        shown += 1;
    }
    if shown < response.findings.len() || 0 < response.omitted {
        out.push_str(&missing(shown));
    }
    out.push_str(&related);
    out
}

/// The text of a range of the findings for agents. The first page begins with the changed files and ends with
/// the related ones.
pub fn page_text(response: &ReviewResponse, range: Range<usize>) -> String {
    let mut out = if range.start == 0 { head_text(response) } else { String::new() };
    out.extend(response.findings[range.clone()].iter().map(block));
    if range.start == 0 {
        out.push_str(&related_text(response));
    }
    out
}

fn head_text(response: &ReviewResponse) -> String {
    let mut out = String::new();
    for file in &response.files {
        let _ = writeln!(out, "{}", changed(file));
    }
    for note in notes(response) {
        let _ = writeln!(out, "{note}");
    }
    out
}

fn related_text(response: &ReviewResponse) -> String {
    let mut out = String::new();
    if !response.related.is_empty() {
        out.push_str("not in the change:\n");
    }
    for file in &response.related {
        let _ = writeln!(out, "  {}", related(file));
    }
    out
}

fn human(answer: &ReviewAnswer<'_>, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let response = answer.response;
    for file in &response.files {
        writeln!(out, "{}", style.paint(Role::Path, changed(file)))?;
    }
    for note in notes(response) {
        writeln!(out, "{}", style.paint(Role::Dim, note))?;
    }
    for (kind, findings) in by_kind(response) {
        writeln!(out, "\n{}", style.paint(Role::Heading, heading(kind)))?;
        for finding in findings {
            let place = style.paint(Role::Path, place(finding)).to_string();
            writeln!(out, "  {place}{}", style.paint(Role::Dim, about(finding, "  ")))?;
            if !finding.quote.is_empty() {
                let width = style.width.saturating_sub(6);
                writeln!(out, "    {}", text::cut(&text::clean(&finding.quote), width))?;
            }
        }
    }
    if !response.related.is_empty() {
        writeln!(out, "\n{}", style.paint(Role::Heading, "Files to look at"))?;
    }
    for file in &response.related {
        let path = style.paint(Role::Path, text::quoted(&file.path)).to_string();
        let reasons = text::clean(&file.reasons.join("; "));
        writeln!(out, "  {path}  {}", style.paint(Role::Dim, reasons))?;
    }
    if 0 < response.omitted {
        let more = plural(response.omitted as u64, "more finding", "more findings");
        writeln!(out, "\n{}", style.paint(Role::Dim, format!("… {more}: --limit 100")))?;
    }
    Ok(())
}

fn in_markdown(answer: &ReviewAnswer<'_>, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let response = answer.response;
    writeln!(out, "### Review\n")?;
    for file in &response.files {
        writeln!(out, "- {}", markdown::word(&changed(file)))?;
    }
    for note in notes(response) {
        writeln!(out, "\n{}", markdown::word(&note))?;
    }
    for (kind, findings) in by_kind(response) {
        writeln!(out, "\n#### {}\n", heading(kind))?;
        for finding in findings {
            writeln!(
                out,
                "- {}{}",
                markdown::span(&place(finding)),
                markdown::word(&about(finding, " "))
            )?;
            if !finding.quote.is_empty() {
                writeln!(out, "  > {}", markdown::word(&text::clean(&finding.quote)))?;
            }
        }
    }
    if !response.related.is_empty() {
        writeln!(out, "\n#### Files to look at\n")?;
    }
    for file in &response.related {
        let reasons = markdown::word(&text::clean(&file.reasons.join("; ")));
        writeln!(out, "- {}: {reasons}", markdown::span(&text::quoted(&file.path)))?;
    }
    if 0 < response.omitted {
        let more = plural(response.omitted as u64, "more finding", "more findings");
        writeln!(out, "\n{more}")?;
    }
    Ok(())
}

/// The kinds that have findings, with them.
fn by_kind(response: &ReviewResponse) -> impl Iterator<Item = (ReviewKind, Vec<&ReviewFinding>)> {
    ReviewKind::ALL.iter().filter_map(|kind| {
        let of_kind: Vec<&ReviewFinding> =
            response.findings.iter().filter(|finding| finding.kind == *kind).collect();
        (!of_kind.is_empty()).then_some((*kind, of_kind))
    })
}

fn heading(kind: ReviewKind) -> &'static str {
    match kind {
        ReviewKind::Caller => "Uses that the change does not touch",
        ReviewKind::CoChange => "Files that usually change together with these",
        ReviewKind::Document => "Statements that are no longer true",
        ReviewKind::Revert => "Earlier reverts in these lines",
        ReviewKind::Spec => "Specs and decisions that govern these files",
        ReviewKind::Test => "Tests that are not in the change",
    }
}

/// A changed file on one line.
fn changed(file: &ReviewedFile) -> String {
    let mut line = text::quoted(&file.path);
    if let Some(old) = &file.old_path {
        let _ = write!(line, " (was {})", text::quoted(old));
    }
    let _ = write!(line, " +{} -{}", file.added, file.removed);
    // New definitions are not listed: a new file has nothing else.
    let shown: Vec<_> = file
        .definitions
        .iter()
        .filter(|definition| definition.change != DefinitionChange::Added)
        .collect();
    let names: Vec<String> = shown
        .iter()
        .take(MAX_DEFINITIONS)
        .map(|definition| match definition.change {
            DefinitionChange::Body => text::clean(&definition.name),
            change => format!("{} ({})", text::clean(&definition.name), change.as_str()),
        })
        .collect();
    if !names.is_empty() {
        let _ = write!(line, ": {}", names.join(", "));
    }
    if MAX_DEFINITIONS < shown.len() {
        let _ = write!(line, " and {} more", shown.len() - MAX_DEFINITIONS);
    }
    line
}

fn notes(response: &ReviewResponse) -> Vec<String> {
    let mut notes = Vec::new();
    if response.files.is_empty() {
        notes.push("nothing is changed".to_owned());
    } else if response.findings.is_empty() {
        notes.push("nothing else is concerned".to_owned());
    }
    notes.extend(response.warnings.iter().map(|note| format!("note: {}", text::clean(note))));
    notes
}

/// A finding for agents: one line, and one for the quote.
fn block(finding: &ReviewFinding) -> String {
    let mut block =
        format!("{} {}{}\n", finding.kind.as_str(), place(finding), about(finding, " "));
    if !finding.quote.is_empty() {
        let _ = writeln!(block, "  \"{}\"", text::clean(&finding.quote));
    }
    block
}

fn place(finding: &ReviewFinding) -> String {
    match (&finding.path, finding.line) {
        (Some(path), Some(line)) => format!("{}:{line}", text::quoted(path)),
        (Some(path), None) => text::quoted(path),
        (None, _) => text::clean(&finding.name),
    }
}

/// Name, evidence and certainty, after a gap.
fn about(finding: &ReviewFinding, gap: &str) -> String {
    let mut about = String::new();
    let is_named = finding.path.is_some() && finding.path.as_deref() != Some(&finding.name);
    if is_named && !finding.evidence.contains(&finding.name) {
        let _ = write!(about, "{gap}{}", text::clean(&finding.name));
    }
    let _ = write!(about, "{gap}{}", text::clean(&finding.evidence));
    if finding.certainty != WhyCertainty::Certain && finding.kind != ReviewKind::CoChange {
        let _ = write!(about, ", {}", finding.certainty.as_str());
    }
    about
}

fn related(file: &RelatedFile) -> String {
    format!("{} {}", text::quoted(&file.path), text::clean(&file.reasons.join("; ")))
}
