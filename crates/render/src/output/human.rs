//! The format for people: one block per hit, then the receipt.

mod absence;

use std::{
    fmt,
    io::{self, Write},
    ops::Range,
};

use lore_console::{
    dates,
    text::{self, Line},
};
use lore_engine::{Explanation, Freshness, Hit, Link, Receipt, Snippet};
use lore_schema::{SkipCounts, SkipReason, SourceName};

pub use self::absence::absence;
pub(crate) use self::absence::near;
use super::{
    Answer, Format, Style, failure,
    style::{Grouping, Role},
};
use crate::budget::{BudgetReport, LevelSummary};

/// Number of shown characters of a commit's hash.
const SHORT_HASH_LEN: usize = 10;

/// Columns before the text of a block, in addition to those of the number.
const INDENT: usize = 2;

/// One block per hit: number, title and kind, source and status, place, breadcrumb, snippet.
///
/// A line of a snippet that contains a word of the query has `:` after its number, the lines around it
/// have `-`, as in `grep`, so that matches are visible without colours.
pub(super) struct Human;

impl Format for Human {
    fn name(&self) -> &'static str {
        "human"
    }

    fn write(&self, answer: &Answer<'_>, style: &Style, out: &mut dyn Write) -> io::Result<()> {
        let response = answer.response;
        if let Some(report) =
            response.receipt.failure.as_ref().filter(|report| !report.failures.is_empty())
        {
            for line in failure::lines(report) {
                writeln!(out, "{}", text::cut(&text::clean(&line), style.width))?;
            }
            writeln!(out)?;
        }
        if response.hits.is_empty() {
            return receipt_line(answer, style, out);
        }
        let notices = super::notices(response);
        for notice in &notices {
            writeln!(out, "{notice}")?;
        }
        if !notices.is_empty() {
            writeln!(out)?;
        }
        let groups = groups(&response.hits, style.grouping);
        let last = response.hits.len();
        let digits = last.to_string().len();
        for (source, hits) in groups {
            if let Some(source) = source {
                writeln!(
                    out,
                    "{}",
                    style.paint(Role::Heading, heading(source, hits.len(), *style))
                )?;
                writeln!(out)?;
            }
            for hit in hits {
                // The number is the rank, so that grouping does not hide the order.
                let by_signature = answer.shows_signature(hit);
                let in_group = source.is_some();
                let block = Block { hit, number: hit.rank, digits, in_group, by_signature, style };
                block.write(out)?;
                writeln!(out)?;
            }
        }
        receipt_line(answer, style, out)?;
        if !answer.response.follow_ups.is_empty() {
            writeln!(out, "{}", style.paint(Role::Dim, "suggested queries:"))?;
        }
        for follow_up in &answer.response.follow_ups {
            let query = text::cut(&text::clean(&follow_up.query), style.width.saturating_sub(2));
            writeln!(out, "  {query}")?;
        }
        Ok(())
    }
}

/// The hits by source, sources in the order of their best hits. Without grouping, one group without a
/// source.
pub(super) fn groups(hits: &[Hit], grouping: Grouping) -> Vec<(Option<SourceName>, Vec<&Hit>)> {
    let mut groups: Vec<(Option<SourceName>, Vec<&Hit>)> = Vec::new();
    for hit in hits {
        match groups.iter_mut().find(|(source, _)| *source == Some(hit.source)) {
            Some((_, group)) => group.push(hit),
            None => groups.push((Some(hit.source), vec![hit])),
        }
    }
    let grouped = match grouping {
        Grouping::Always => true,
        Grouping::Several => groups.len() > 1,
        Grouping::Never => false,
    };
    if grouped { groups } else { vec![(None, hits.iter().collect())] }
}

fn heading(source: SourceName, hits: usize, style: Style) -> String {
    let icon = match source {
        _ if !style.icons => "",
        SourceName::Code => "💻 ",
        SourceName::Docs => "📚 ",
        SourceName::Git => "📝 ",
        SourceName::Patterns => "🔧 ",
        SourceName::Specs => "📐 ",
        SourceName::Tickets => "📋 ",
    };
    format!("{icon}{source} ({})", plural(hits as u64, "hit", "hits"))
}

/// A link of a hit: `governs src/refund.rs:10-42 (Refunds.retry)`.
pub fn link(link: &Link) -> String {
    let lines = link.start_line.zip(link.end_line);
    let lines = lines.map_or_else(String::new, |(start, end)| format!(":{start}-{end}"));
    let name = link.id.split_once('#').map_or_else(String::new, |(_, name)| format!(" ({name})"));
    let missing = if link.found { "" } else { ", which does not exist" };
    format!("{} {}{lines}{name}{missing}", link.relation, link.path)
}

/// The block of one hit.
struct Block<'a> {
    hit: &'a Hit,
    number: usize,
    digits: usize,
    in_group: bool,
    /// True to show the signature instead of the passage.
    by_signature: bool,
    style: &'a Style,
}

impl Block<'_> {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        self.title(out)?;
        self.place(out)?;
        self.via(out)?;
        self.doubts(out)?;
        self.signature(out)?;
        self.snippet(out)?;
        self.more(out)?;
        match &self.hit.explanation {
            Some(explanation) => self.explanation(explanation, out),
            None => Ok(()),
        }
    }

    /// Spaces as wide as the number and its period.
    fn indent(&self) -> String {
        " ".repeat(self.digits + INDENT)
    }

    fn width(&self) -> usize {
        self.style.width.saturating_sub(self.digits + INDENT)
    }

    /// Returns whether the date and the author of a commit fit beside its whole title. Otherwise they
    /// are beside its hash.
    fn has_room_for_origin(&self) -> bool {
        let source = if self.in_group { "" } else { self.hit.source.as_str() };
        let texts = [names(self.hit).0, &self.hit.kind, source, &origin(self.hit).join(" · ")];
        let texts: usize = texts.iter().map(|text| columns(&text::clean(text))).sum();
        // The brackets around the kind, and what separates the parts.
        texts + 8 <= self.width()
    }

    fn title(&self, out: &mut dyn Write) -> io::Result<()> {
        let Block { hit, number, digits, style, .. } = self;
        let mut about = vec![];
        if !self.in_group {
            about.push(hit.source.as_str().to_owned());
        }
        // In answers of `lore related`, the similarity is more useful than the rank.
        if matches!(hit.match_type, "near-clone" | "similar") {
            about.push(format!("{} {:.2}", hit.match_type, hit.score));
        }
        // Who and when is often the question about a commit.
        if hit.path.is_none() && self.has_room_for_origin() {
            about.extend(origin(hit));
        }
        about.extend(hit.status.clone());
        // Two files of a store may disagree about the state of a ticket.
        let conflict = hit.extra.iter().find(|(name, _)| name == "stateConflict");
        about.extend(conflict.map(|(_, states)| format!("conflict: {states}")));
        about.extend(hit.priority.as_ref().map(|priority| format!("priority {priority}")));
        // The category of a file does not apply to the tickets in it.
        let is_file =
            matches!(hit.source, SourceName::Code | SourceName::Docs | SourceName::Patterns);
        if is_file && hit.category != "own" {
            about.push(hit.category.to_owned());
        }
        let is_whole = hit.path.is_none() && self.has_room_for_origin();
        let most = if is_whole { self.width() } else { self.width() / 2 };
        let about = text::cut(&text::clean(&about.join(" · ")), most);
        let kind = text::clean(&hit.kind);
        let room = self.width().saturating_sub(columns(&about) + columns(&kind) + 5);
        let title = text::cut(&text::clean(names(hit).0), room.max(10));
        write!(out, "{number:>digits$}. {} ({kind})", style.paint(Role::Title, title))?;
        if !about.is_empty() {
            write!(out, "  {}", style.paint(Role::Dim, about))?;
        }
        writeln!(out)
    }

    fn place(&self, out: &mut dyn Write) -> io::Result<()> {
        let Block { hit, style, .. } = self;
        let mut about = Vec::new();
        let place = match &hit.path {
            Some(path) => {
                let path = text::quoted(path);
                match line(hit) {
                    Some(line) => format!("{path}:{line}"),
                    None => path,
                }
            }
            None => commit(&hit.id),
        };
        let is_ticket = hit.path.is_some() && hit.source == SourceName::Tickets;
        if is_ticket || hit.path.is_none() && !self.has_room_for_origin() {
            about.extend(origin(hit));
        }
        let (_, breadcrumb) = names(hit);
        if !breadcrumb.is_empty() {
            about.push(breadcrumb.join(" > "));
        }
        about.extend((!hit.tags.is_empty()).then(|| format!("#{}", hit.tags.join(" #"))));
        let about = text::clean(&about.join("  "));
        // A path is never cut, so that it can be opened.
        let room = self.width().saturating_sub(columns(&place) + 2);
        let about = if room < 8 { String::new() } else { text::cut(&about, room) };
        let place = style.paint(Role::Path, place);
        if about.is_empty() {
            writeln!(out, "{}{place}", self.indent())
        } else {
            writeln!(out, "{}{place}  {}", self.indent(), style.paint(Role::Dim, about))
        }
    }

    /// A change like this one that was undone, and the age of a document.
    fn doubts(&self, out: &mut dyn Write) -> io::Result<()> {
        for doubt in tried_before(self.hit).into_iter().chain(older_than_code(self.hit)) {
            let doubt = text::cut(&doubt, self.width());
            writeln!(out, "{}{}", self.indent(), self.style.paint(Role::Dim, doubt))?;
        }
        Ok(())
    }

    /// The origin of a hit that was reached from a better hit or from a place in a log.
    fn via(&self, out: &mut dyn Write) -> io::Result<()> {
        let Some(via) = &self.hit.via else { return Ok(()) };
        // The text of a place in a log needs no prefix.
        let prefix = if self.hit.hops > 0 { "via " } else { "" };
        let via = text::cut(&text::clean(&format!("{prefix}{via}")), self.width());
        writeln!(out, "{}{}", self.indent(), self.style.paint(Role::Dim, via))
    }

    fn signature(&self, out: &mut dyn Write) -> io::Result<()> {
        let signature = self.hit.signature.as_deref().filter(|_| self.by_signature);
        let Some(signature) = signature else { return Ok(()) };
        writeln!(out, "{}{}", self.indent(), text::cut(&text::clean(signature), self.width()))
    }

    fn snippet(&self, out: &mut dyn Write) -> io::Result<()> {
        let lines = lines(&self.hit.snippet);
        let numbered = self.hit.start_line.is_some() && !self.hit.is_composed;
        let last = lines.last().map_or(0, |(number, _)| *number);
        let digits = last.to_string().len().max(4);
        for (number, line) in lines {
            // Without line numbers, empty lines are skipped.
            if !numbered && line.is_blank() {
                continue;
            }
            write!(out, "{}", self.indent())?;
            let gutter = if numbered {
                let sign = if line.is_matched() { ':' } else { '-' };
                format!("{number:>digits$}{sign}")
            } else {
                " ".to_owned()
            };
            write!(out, "{}", self.style.paint(Role::Dim, &gutter))?;
            if !line.is_blank() {
                write!(out, " ")?;
            }
            for piece in line.window(self.width().saturating_sub(gutter.len() + 1)) {
                if piece.matched {
                    write!(out, "{}", self.style.paint(Role::Match, piece.text))?;
                } else {
                    write!(out, "{}", piece.text)?;
                }
            }
            writeln!(out)?;
        }
        Ok(())
    }

    /// Other lines that match, and copies of the same text.
    fn more(&self, out: &mut dyn Write) -> io::Result<()> {
        let hit = self.hit;
        let shown = u32::try_from(hit.snippet.text.lines().count()).unwrap_or(u32::MAX);
        let snippet = hit.snippet.start_line..hit.snippet.start_line.saturating_add(shown);
        let mut others: Vec<u32> = hit
            .matches
            .iter()
            .filter_map(|place| place.line)
            .filter(|line| !snippet.contains(line))
            .collect();
        others.sort_unstable();
        others.dedup();
        let mut notes = Vec::new();
        if hit.start_line.is_some() && !hit.is_composed && !others.is_empty() {
            let total = plural(hit.total_matches as u64, "line matches", "lines match");
            let word = if others.len() == 1 { "line" } else { "lines" };
            let others: Vec<String> = others.iter().map(u32::to_string).collect();
            notes.push(format!("also {word} {} ({total})", others.join(", ")));
        }
        if !hit.also_found_in.is_empty() {
            notes.push(format!("the same text in {}", hit.also_found_in.join(", ")));
        }
        notes.extend(hit.links.iter().map(link));
        for note in notes {
            let note = text::cut(&text::clean(&note), self.width());
            writeln!(out, "{}{}", self.indent(), self.style.paint(Role::Dim, note))?;
        }
        Ok(())
    }

    fn explanation(&self, explanation: &Explanation, out: &mut dyn Write) -> io::Result<()> {
        let indent = self.indent();
        let names = explanation.parts.iter().map(|part| part.name.len());
        let width = names.max().unwrap_or(0).max("signal".len());
        let raw = explanation.sum();
        writeln!(out, "{indent}score {:.3} from the sum {raw:.4}", self.hit.score)?;
        let header = format!("{:<width$}   value    weight  contribution", "signal");
        writeln!(out, "{indent}{}", self.style.paint(Role::Dim, header))?;
        for part in &explanation.parts {
            writeln!(
                out,
                "{indent}{:<width$}  {:>6.4}  {:>8.4}  {:>12.4}",
                part.name,
                // Adding 0.0 turns -0.0 into 0.0.
                part.value + 0.0,
                part.weight,
                part.contribution + 0.0
            )?;
        }
        Ok(())
    }
}

/// The date, the author and the reverts of a hit.
fn origin(hit: &Hit) -> Vec<String> {
    let parts = [hit.date.and_then(dates::day), hit.author.clone(), reverts(hit)];
    parts.into_iter().flatten().collect()
}

/// The commits that revert this one.
pub fn reverts(hit: &Hit) -> Option<String> {
    let by = hit.extra.iter().filter(|(name, _)| name == "reverted_by");
    let by: Vec<&str> = by.map(|(_, hash)| hash.as_str()).collect();
    (!by.is_empty()).then(|| format!("reverted by {}", by.join(", ")))
}

/// The line about a change like this one that was undone.
pub fn tried_before(hit: &Hit) -> Option<String> {
    let tried = hit.extra.iter().find(|(name, _)| name == "tried_before");
    tried.map(|(_, line)| format!("tried before: {}", text::clean(line)))
}

/// The line about a document that is older than the code that it names.
pub fn older_than_code(hit: &Hit) -> Option<String> {
    let age = hit.extra.iter().find(|(name, _)| name == "older_than_code");
    age.map(|(_, line)| format!("older than its code {}", text::clean(line)))
}

/// A commit's identifier with a short hash.
fn commit(id: &str) -> String {
    let document = id.split_once('#').map_or(id, |(document, _)| document);
    let (source, hash) = document.split_once(':').unwrap_or(("", document));
    let short: String = hash.chars().take(SHORT_HASH_LEN).collect();
    text::quoted(&if source.is_empty() { short } else { format!("{source}:{short}") })
}

/// The title and the breadcrumb, without repeating one in the other.
///
/// The first heading of a ticket is its title with its identifier, so it replaces the title.
pub(super) fn names(hit: &Hit) -> (&str, &[String]) {
    let title = hit.title.as_str();
    let repeats = |name: &str| {
        name.strip_suffix(title)
            .is_some_and(|before| before.is_empty() || before.ends_with(char::is_whitespace))
    };
    match hit.breadcrumb.as_slice() {
        [first, rest @ ..] if hit.source == SourceName::Tickets && repeats(first) => (first, rest),
        [first, rest @ ..] if repeats(first) => (title, rest),
        [rest @ .., last] if last == title => (title, rest),
        breadcrumb => (title, breadcrumb),
    }
}

/// The line to open: the first matching line of the snippet.
fn line(hit: &Hit) -> Option<u32> {
    let start = hit.start_line?;
    if hit.is_composed {
        return Some(start);
    }
    let matched = lines(&hit.snippet).into_iter().find(|(_, line)| line.is_matched());
    Some(matched.map_or(start, |(number, _)| number))
}

/// The lines of a snippet with their numbers and matches, without empty lines at both ends.
fn lines(snippet: &Snippet) -> Vec<(u32, Line)> {
    let mut lines = Vec::new();
    let mut start = 0;
    for (number, line) in (snippet.start_line..).zip(snippet.text.split('\n')) {
        let end = start + line.chars().count();
        let matches: Vec<Range<usize>> = snippet
            .highlights
            .iter()
            .filter(|(from, to)| *from < end && *to > start)
            .map(|(from, to)| from.saturating_sub(start)..to.saturating_sub(start))
            .collect();
        lines.push((line.trim().is_empty(), number, Line::new(line, &matches)));
        start = end + 1;
    }
    let first = lines.iter().position(|(blank, ..)| !blank).unwrap_or(lines.len());
    let last = lines.iter().rposition(|(blank, ..)| !blank).map_or(first, |last| last + 1);
    lines.drain(first..last).map(|(_, number, line)| (number, line)).collect()
}

fn receipt_line(answer: &Answer<'_>, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let response = answer.response;
    let receipt = text::clean(&receipt(&response.receipt, response.hits.len()));
    writeln!(out, "{}", style.paint(Role::Dim, receipt))?;
    match answer.budget_report {
        Some(spent) => writeln!(out, "{}", style.paint(Role::Dim, budget_report(spent, answer))),
        None => Ok(()),
    }
}

/// The used budget and the levels of the hits.
pub(super) fn budget_report(budget_report: &BudgetReport, answer: &Answer<'_>) -> String {
    let BudgetReport { tokens, used, tokenizer, .. } = budget_report;
    let colon = if answer.levels.is_empty() { "" } else { ": " };
    format!(
        "budget: {} of {} tokens ({}){colon}{}",
        count(*used as u64),
        count(*tokens as u64),
        tokenizer.as_str(),
        LevelSummary(answer.levels)
    )
}

/// The receipt on one line: totals, failures and reliability.
pub(super) fn receipt(receipt: &Receipt, shown: usize) -> String {
    let documents = receipt.sources.values().map(|report| report.documents).sum();
    let verb = if receipt.total == 1 { "matches" } else { "match" };
    let shown = match shown {
        0 => String::new(),
        _ if receipt.exhaustive => ", all shown".to_owned(),
        shown => format!(", {} shown", count(shown as u64)),
    };
    let documents = plural(documents, "document", "documents");
    let mut parts = vec![format!("{} of {documents} {verb}{shown}", count(receipt.total))];
    parts.extend(receipt.failure.as_ref().map(failure::summary));
    parts.extend(trust(receipt));
    parts.join(" · ")
}

/// The searched sources, skipped files, freshness and elapsed time.
pub(super) fn trust(receipt: &Receipt) -> Vec<String> {
    let mut parts = Vec::new();
    let sources: Vec<&str> = receipt
        .sources
        .iter()
        .filter(|(_, report)| report.documents > 0)
        .map(|(source, _)| source.as_str())
        .collect();
    if !sources.is_empty() {
        parts.push(sources.join(", "));
    }
    parts.extend(unexpectedly_skipped(receipt));
    parts.push(match receipt.fresh {
        Freshness::Verified => "fresh".to_owned(),
        Freshness::Partial(pending) => {
            format!("{} not searched yet", plural(pending, "change", "changes"))
        }
        Freshness::Stale => "not all hits could be checked".to_owned(),
    });
    parts.push(format!("{} ms", milliseconds(receipt.elapsed_ms)));
    parts
}

/// The numbers of skipped files, except ignored and empty ones, which users expect to be skipped.
fn unexpectedly_skipped(receipt: &Receipt) -> Option<String> {
    let mut counts = SkipCounts::new();
    for (reason, number) in receipt.sources.values().flat_map(|report| &report.skipped) {
        *counts.entry(*reason).or_default() += number;
    }
    counts.retain(|reason, _| !matches!(reason, SkipReason::Ignored | SkipReason::Empty));
    let counts = skipped(&counts);
    (!counts.is_empty()).then(|| format!("skipped: {counts}"))
}

/// The number of skipped files for each reason, in words; empty if there are none.
pub fn skipped(counts: &SkipCounts) -> String {
    let counts: Vec<String> = counts
        .iter()
        .filter(|(_, number)| **number > 0)
        .map(|(reason, number)| {
            let reason = match reason {
                SkipReason::NotAFile => "not a file",
                SkipReason::BeyondLimit => {
                    "older commits (later runs read them; `lore index --all-history` reads all now)"
                }
                SkipReason::Symlink if *number == 1 => "symlink",
                SkipReason::Symlink => "symlinks",
                SkipReason::TooLarge => "too large",
                reason => reason.as_str(),
            };
            format!("{} {reason}", count(*number))
        })
        .collect();
    counts.join(", ")
}

/// A number with thousands separators.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A number with its noun.
pub fn plural(number: u64, singular: &str, plural: &str) -> String {
    format!("{} {}", count(number), if number == 1 { singular } else { plural })
}

/// Milliseconds, with one decimal below ten.
pub fn milliseconds(number: f64) -> impl fmt::Display {
    if number < 10.0 { format!("{number:.1}") } else { format!("{number:.0}") }
}

/// A number of bytes in a suitable unit.
pub fn bytes(number: u64) -> String {
    const UNITS: [&str; 4] = ["kB", "MB", "GB", "TB"];
    if number < 1000 {
        return format!("{number} B");
    }
    let mut value = number as f64 / 1000.0;
    let mut unit = 0;
    while value >= 999.95 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    format!("{value:.1} {}", UNITS[unit])
}

/// Number of columns of a text on a terminal.
pub(super) fn columns(text: &str) -> usize {
    unicode_width::UnicodeWidthStr::width(text)
}

#[cfg(test)]
mod tests;
