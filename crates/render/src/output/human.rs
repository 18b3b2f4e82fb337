//! The format for people: one list by rank that fits on a screen, then the receipt.

mod absence;
mod block;
mod hit;
mod numbers;
mod passage;
mod receipt;

use std::io::{self, Write};

use lore_console::text;
use lore_engine::Hit;
use lore_schema::SourceName;

pub use self::{
    absence::absence,
    hit::{link, older_than_code, reverts, tried_before},
    numbers::{bytes, count, milliseconds, plural},
    receipt::skipped,
};
pub(crate) use self::{absence::near, receipt::ingested};
use self::{
    block::{Block, is_whole},
    passage::Passage,
};
pub(in crate::output) use self::{
    hit::names,
    numbers::columns,
    passage::line_to_open,
    receipt::{budget_report, receipt, trust},
};
use super::{
    Answer, Format, Style, failure,
    style::{Grouping, Role},
};

/// Maximum number of lines of an answer with ten hits: a terminal of 40 lines also shows the command
/// and the next prompt.
const SCREEN: usize = 38;

/// Maximum number of hits that share a screen.
const HITS_PER_SCREEN: usize = 10;

/// Maximum number of lines of a passage on a shared screen.
const PASSAGE_LINES: usize = 3;

/// One block per hit: a line with number, title, kind, place and source, then a passage.
pub(super) struct Human;

impl Format for Human {
    fn name(&self) -> &'static str {
        "human"
    }

    fn write(&self, answer: &Answer<'_>, style: &Style, out: &mut dyn Write) -> io::Result<()> {
        let before = before(answer, style);
        let after = after(answer, style);
        let blocks = blocks(answer, style);
        let layout = Layout::new(&blocks, before.len() + after.len(), style);
        for line in before {
            writeln!(out, "{line}")?;
        }
        let mut counts = layout.counts.iter();
        for (source, blocks) in &blocks {
            if let Some(source) = source {
                let heading = heading(*source, blocks.len(), style);
                writeln!(out, "{}\n", style.paint(Role::Heading, heading))?;
            }
            for (block, count) in blocks.iter().zip(counts.by_ref()) {
                for line in block.lines(*count) {
                    writeln!(out, "{line}")?;
                }
                if layout.is_spaced {
                    writeln!(out)?;
                }
            }
        }
        if !layout.is_spaced {
            writeln!(out)?;
        }
        for line in after {
            writeln!(out, "{line}")?;
        }
        Ok(())
    }
}

/// The lines above the hits.
fn before(answer: &Answer<'_>, style: &Style) -> Vec<String> {
    let mut lines = Vec::new();
    let failures = &answer.response.receipt.failure;
    if let Some(report) = failures.as_ref().filter(|report| !report.failures.is_empty()) {
        let failures = failure::lines(report);
        lines.extend(failures.iter().map(|line| text::cut(&text::clean(line), style.width)));
        lines.push(String::new());
    }
    let notices = super::notices(answer.response);
    if !notices.is_empty() {
        lines.extend(notices.iter().flat_map(|notice| text::wrapped(notice, style.width)));
        lines.push(String::new());
    }
    lines
}

/// The lines below the hits: the receipt, the budget and the suggested queries.
fn after(answer: &Answer<'_>, style: &Style) -> Vec<String> {
    let response = answer.response;
    let receipt = receipt::line(response, style);
    let mut lines = text::wrapped(&receipt, style.width);
    if let Some(spent) = answer.budget_report {
        lines.push(budget_report(spent, answer));
    }
    if !response.follow_ups.is_empty() {
        lines.push("suggested queries:".to_owned());
    }
    let mut lines: Vec<String> =
        lines.iter().map(|line| style.paint(Role::Dim, line).to_string()).collect();
    lines.extend(response.follow_ups.iter().map(|follow_up| {
        let query = text::cut(&text::clean(&follow_up.query), style.width.saturating_sub(2));
        format!("  {query}")
    }));
    lines
}

/// The blocks of the hits, by source if they are grouped.
fn blocks<'a>(answer: &Answer<'a>, style: &'a Style) -> Vec<(Option<SourceName>, Vec<Block<'a>>)> {
    let hits = &answer.response.hits;
    let digits = hits.len().to_string().len();
    let grouping =
        if style.grouping == Grouping::Always { Grouping::Always } else { Grouping::Never };
    let of_group = |(source, hits): (Option<SourceName>, Vec<&'a Hit>)| {
        let blocks = hits.into_iter().map(|hit| Block {
            hit,
            digits,
            in_group: source.is_some(),
            by_signature: answer.shows_signature(hit),
            style,
            passage: Passage::new(hit, answer.file(hit), style, is_whole(style)),
        });
        (source, blocks.collect())
    };
    groups(hits, grouping).into_iter().map(of_group).collect()
}

/// The division of a screen among the hits.
struct Layout {
    /// Number of lines of each hit's passage.
    counts: Vec<usize>,
    /// True if there is an empty line after each hit.
    is_spaced: bool,
}

impl Layout {
    /// `others` is the number of lines above and below the hits.
    fn new(
        groups: &[(Option<SourceName>, Vec<Block<'_>>)],
        others: usize,
        style: &Style,
    ) -> Layout {
        let blocks: Vec<&Block<'_>> = groups.iter().flat_map(|(_, blocks)| blocks).collect();
        let available: Vec<usize> = blocks.iter().map(|block| block.passage.lines.len()).collect();
        if is_whole(style) {
            return Layout { counts: available, is_spaced: true };
        }
        let headings = groups.iter().filter(|(source, _)| source.is_some()).count();
        let mut room = SCREEN.saturating_sub(others + 2 * headings);
        room = room.saturating_sub(blocks.iter().map(|block| block.lines(0).len()).sum());
        let needed: usize = available.iter().map(|lines| (*lines).min(PASSAGE_LINES - 1)).sum();
        let is_spaced = needed + blocks.len() <= room || headings > 0;
        room = room.saturating_sub(if is_spaced { blocks.len() } else { 1 });
        // More hits than a screen shows are read with a pager.
        let least = if blocks.len() > HITS_PER_SCREEN { PASSAGE_LINES - 1 } else { 1 };
        let mut counts: Vec<usize> = available.iter().map(|lines| (*lines).min(least)).collect();
        room = room.saturating_sub(counts.iter().sum());
        // The best hits get more lines first.
        for most in least + 1..=PASSAGE_LINES {
            for (count, available) in counts.iter_mut().zip(&available) {
                if room > 0 && *count < most && *count < *available {
                    *count += 1;
                    room -= 1;
                }
            }
        }
        Layout { counts, is_spaced }
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

fn heading(source: SourceName, hits: usize, style: &Style) -> String {
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

#[cfg(test)]
mod tests;
