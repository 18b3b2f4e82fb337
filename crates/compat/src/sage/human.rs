//! The answers for people: in groups of sources with numbers that go on, or one line a hit.

use std::io::{self, Write};

use lore_console::{dates, text};
use lore_render::output::{
    plural,
    style::{Role, Style},
};

use super::search::{SageHit, SageSource};
use super::{Results, place, points};

/// Digits of a hash.
const SHORT_HASH: usize = 7;

/// Indentation of the lines below the name of a hit.
const INDENT: &str = "     ";

/// A group: its heading and its sources.
const GROUPS: &[(&str, &[SageSource])] = &[
    ("📋 Tickets", &[SageSource::Tickets]),
    (
        "📚 Documentation",
        &[SageSource::Agent, SageSource::Docs, SageSource::Specs, SageSource::Templates],
    ),
    ("🔧 Code Patterns", &[SageSource::Patterns]),
    ("📝 Git History", &[SageSource::Git]),
];

fn matches(count: usize) -> String {
    plural(count as u64, "match", "matches")
}

/// Writes the hits in groups, in the published layout, and below them their number and the time.
pub(super) fn detailed(results: &Results, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let answer = &results.answer;
    writeln!(out, "🔍 Search Results for \"{}\"", text::clean(&results.query))?;
    let mut number = 0;
    for (heading, sources) in GROUPS {
        let of_group = |hit: &&SageHit| hit.source.is_some_and(|source| sources.contains(&source));
        let hits: Vec<&SageHit> = answer.hits.iter().filter(of_group).collect();
        if hits.is_empty() {
            continue;
        }
        let heading = style.paint(Role::Heading, heading).to_string();
        writeln!(out, "\n{heading} ({}):", matches(hits.len()))?;
        for (position, hit) in hits.into_iter().enumerate() {
            number += 1;
            if 0 < position {
                writeln!(out)?;
            }
            block(number, hit, results.explain, style, out)?;
        }
    }
    let elapsed = answer.elapsed_ms.max(0.0);
    writeln!(out, "\n{} in {elapsed:.0} ms", matches(answer.total))
}

fn block(
    number: usize,
    hit: &SageHit,
    explain: bool,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let id = hit.id.as_deref().unwrap_or_default();
    let title = text::clean(&hit.title);
    let name = match hit.source {
        Some(SageSource::Tickets) => format!("{}: {title}", text::clean(id)),
        Some(SageSource::Git) => {
            let hash: String = id.chars().take(SHORT_HASH).collect();
            format!("commit {} - \"{title}\"", text::clean(&hash))
        }
        _ => hit.line.map_or_else(
            || text::quoted(&hit.path),
            |line| format!("{}:{line}", text::quoted(&hit.path)),
        ),
    };
    write!(out, "  {number}. {}", style.paint(Role::Title, name))?;
    if explain {
        write!(out, " [Score: {}]", points(hit.score))?;
    }
    writeln!(out)?;
    let day = |seconds: Option<i64>| seconds.and_then(dates::day);
    let snippet = highlighted(hit, style);
    match hit.source {
        Some(SageSource::Tickets) => {
            let field = capital(&text::clean(&hit.section));
            writeln!(out, "{INDENT}→ {field}: \"{snippet}\"")?;
            let state = hit.status.as_ref().map(|state| format!("State: {}", text::clean(state)));
            let created = day(hit.created).map(|day| format!("Created: {day}"));
            line(out, &[state, created])?;
            named(out, "Blocked by", &hit.blocked_by)?;
            named(out, "Related", &hit.related)?;
        }
        Some(SageSource::Git) => {
            let author = hit.author.as_ref().map(|name| format!("Author: {}", text::clean(name)));
            line(out, &[author, day(hit.created).map(|day| format!("Date: {day}"))])?;
        }
        Some(SageSource::Patterns) => {
            let language = hit.language.as_ref().map(|name| format!("Language: {name}"));
            let case = hit.use_case.as_ref().map(|case| format!("Use Case: {}", text::clean(case)));
            line(out, &[language, case])?;
            writeln!(out, "{INDENT}→ Code: \"{snippet}\"")?;
        }
        _ => {
            writeln!(out, "{INDENT}→ Section: \"{}\"", capital(&text::clean(&hit.section)))?;
            writeln!(out, "{INDENT}\"{snippet}\"")?;
        }
    }
    named(out, "Also found in", &hit.also_in)?;
    if explain {
        let parts: Vec<String> =
            hit.parts.iter().map(|(name, points)| format!("{name} +{points}")).collect();
        let parts = if parts.is_empty() { "nothing".to_owned() } else { parts.join(", ") };
        writeln!(out, "{INDENT}Points: {parts}; × {}", hit.factor)?;
    }
    Ok(())
}

/// Writes the parts that are present, on one line.
fn line(out: &mut dyn Write, parts: &[Option<String>]) -> io::Result<()> {
    let parts: Vec<&str> = parts.iter().flatten().map(String::as_str).collect();
    if parts.is_empty() { Ok(()) } else { writeln!(out, "{INDENT}{}", parts.join(" | ")) }
}

fn named(out: &mut dyn Write, name: &str, values: &[String]) -> io::Result<()> {
    if values.is_empty() {
        return Ok(());
    }
    writeln!(out, "{INDENT}{name}: {}", text::clean(&values.join(", ")))
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}

/// Writes one line a hit, best first.
pub(super) fn compact(results: &Results, out: &mut dyn Write) -> io::Result<()> {
    for hit in &results.answer.hits {
        let source = hit.source.map_or("", SageSource::as_str);
        let place = place(hit);
        let place = text::quoted(&place);
        write!(out, "Source: {source} | Match: {place}")?;
        if let Some(line) = hit.line {
            write!(out, ":{line}")?;
        }
        write!(out, " | {}", text::clean(&hit.snippet))?;
        if results.explain {
            write!(out, " [Score: {}]", points(hit.score))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// The snippet, its words in their colour.
fn highlighted(hit: &SageHit, style: &Style) -> String {
    let characters: Vec<char> = hit.snippet.chars().collect();
    let slice = |from: usize, to: usize| {
        let part: String = characters[from..to].iter().collect();
        text::clean(&part)
    };
    let mut line = String::new();
    let mut at = 0;
    for &(start, end) in hit.highlights.iter().filter(|(start, end)| start < end) {
        if start < at {
            continue;
        }
        line.push_str(&slice(at, start));
        line.push_str(&style.paint(Role::Match, slice(start, end)).to_string());
        at = end;
    }
    line.push_str(&slice(at, characters.len()));
    line
}
