//! The Markdown format, for a chat or an issue: a heading per hit, its passage in a fence, the receipt.
//!
//! Text of files is never interpreted as Markdown: a fence is longer than any run of backticks in it,
//! and names are code spans or escaped.

use std::io::{self, Write};

use lore_console::{dates, text};
use lore_engine::{Hit, Snippet};

use super::{Answer, Format, Style, human};

/// Minimum length of a fence.
const MIN_FENCE_LEN: usize = 3;

/// Markdown with one section per hit.
pub(super) struct Markdown;

impl Format for Markdown {
    fn name(&self) -> &'static str {
        "markdown"
    }

    fn write(&self, answer: &Answer<'_>, style: &Style, out: &mut dyn Write) -> io::Result<()> {
        for notice in super::notices(answer.response) {
            writeln!(out, "{}\n", escaped(&notice))?;
        }
        for (source, hits) in human::groups(&answer.response.hits, style.grouping) {
            if let Some(source) = source {
                let hits = human::plural(hits.len() as u64, "hit", "hits");
                writeln!(out, "## {source} ({hits})\n")?;
            }
            for hit in hits {
                section(hit, answer, out)?;
            }
        }
        let receipt = human::receipt(&answer.response.receipt, answer.response.hits.len());
        writeln!(out, "{}", escaped(&text::clean(&receipt)))?;
        match answer.budget_report {
            Some(budget_report) => {
                writeln!(out, "\n{}", escaped(&human::budget_report(budget_report, answer)))
            }
            None => Ok(()),
        }
    }
}

fn section(hit: &Hit, answer: &Answer<'_>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "### {}. {}\n", hit.rank, span(&place(hit)))?;
    let (title, breadcrumb) = human::names(hit);
    let mut about = vec![format!("**{}** ({})", escaped(&text::clean(title)), word(&hit.kind))];
    let breadcrumb: Vec<String> = breadcrumb.iter().map(|name| word(name)).collect();
    about.extend((!breadcrumb.is_empty()).then(|| breadcrumb.join(" › ")));
    about.push(hit.source.as_str().to_owned());
    about.extend(hit.status.as_deref().map(word));
    about.extend(hit.priority.as_deref().map(|priority| format!("priority {}", word(priority))));
    if hit.path.is_none() {
        about.extend(hit.date.and_then(dates::day));
        about.extend(hit.author.as_deref().map(word));
        about.extend(human::reverts(hit).as_deref().map(word));
    }
    about.extend(hit.tags.iter().map(|tag| span(&text::clean(tag))));
    about.extend(human::tried_before(hit).as_deref().map(word));
    about.extend(human::older_than_code(hit).as_deref().map(word));
    let prefix = if hit.hops > 0 { "via " } else { "" };
    about.extend(hit.via.as_deref().map(|via| format!("{prefix}{}", span(&text::clean(via)))));
    writeln!(out, "{}\n", about.join(" · "))?;
    let language = hit.language.as_deref().unwrap_or_default();
    if let Some((line, passage)) = passage(&hit.snippet) {
        if !hit.is_composed && hit.start_line.is_some_and(|start| start != line) {
            writeln!(out, "From line {line}:\n")?;
        }
        fenced(passage, language, out)?;
    } else if let Some(signature) = hit.signature.as_deref().filter(|_| answer.shows_signature(hit))
    {
        fenced(signature, language, out)?;
    }
    if !hit.also_found_in.is_empty() {
        let others: Vec<String> =
            hit.also_found_in.iter().map(|other| span(&text::clean(other))).collect();
        writeln!(out, "The same text in {}\n", others.join(", "))?;
    }
    if let Some(explanation) = &hit.explanation {
        writeln!(out, "| signal | value | weight | contribution |\n|---|--:|--:|--:|")?;
        for part in &explanation.parts {
            let (value, contribution) = (part.value + 0.0, part.contribution + 0.0);
            writeln!(
                out,
                "| {} | {value:.4} | {:.4} | {contribution:.4} |",
                part.name, part.weight
            )?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// A passage without empty lines at both ends, and the number of its first line; `None` if it is empty.
fn passage(snippet: &Snippet) -> Option<(u32, &str)> {
    let text = snippet.text.trim_end();
    let indented = text.trim_start();
    let blank = text[..text.len() - indented.len()].rfind('\n').map_or(0, |end| end + 1);
    let skipped = text[..blank].matches('\n').count();
    let line = snippet.start_line.saturating_add(u32::try_from(skipped).unwrap_or(u32::MAX));
    (!indented.is_empty()).then(|| (line, &text[blank..]))
}

/// `path:first-last`, or the commit.
fn place(hit: &Hit) -> String {
    let path = hit.path.as_deref().unwrap_or_else(|| super::paths::name(hit));
    let path = text::quoted(path);
    match (hit.start_line, hit.end_line) {
        (Some(start), Some(end)) if end > start => format!("{path}:{start}-{end}"),
        (Some(start), _) => format!("{path}:{start}"),
        _ => path,
    }
}

/// A short text from a file, on one line and escaped.
pub(super) fn word(name: &str) -> String {
    escaped(&text::clean(name))
}

/// Text as a code span, with delimiters that do not occur in it.
pub(super) fn span(text: &str) -> String {
    if text.is_empty() {
        return "` `".to_owned();
    }
    let ticks = "`".repeat(longest_run(text) + 1);
    // A space beside the delimiter is not part of the code; it separates a backtick from it.
    let blank = if text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']) { " " } else { "" };
    format!("{ticks}{blank}{text}{blank}{ticks}")
}

/// Writes text in a fence with the name of its language.
pub(super) fn fenced(code: &str, language: &str, out: &mut dyn Write) -> io::Result<()> {
    let fence = "`".repeat((longest_run(code) + 1).max(MIN_FENCE_LEN));
    let is_plain =
        |character: char| character.is_ascii_alphanumeric() || "+#-_".contains(character);
    let language = if language.chars().all(is_plain) { language } else { "" };
    writeln!(out, "{fence}{language}")?;
    for line in code.split('\n') {
        writeln!(out, "{}", text::clean_code(line))?;
    }
    writeln!(out, "{fence}\n")
}

/// Length of the longest run of backticks.
fn longest_run(text: &str) -> usize {
    text.split(|character| character != '`').map(str::len).max().unwrap_or(0)
}

/// Text escaped so that nothing in it is Markdown, HTML or a mention of a user.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    let mut before = ' ';
    while let Some(character) = characters.next() {
        let next = characters.peek().copied().unwrap_or(' ');
        let is_inside = before.is_alphanumeric() && next.is_alphanumeric();
        match character {
            // Inside a word, it is not emphasis.
            '_' if is_inside => escaped.push('_'),
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '~' | '&' | '#' | '!' | '$' => {
                escaped.push('\\');
                escaped.push(character);
            }
            // A word joiner after the sign, so that it mentions no user.
            '@' => escaped.push_str("@\u{2060}"),
            character => escaped.push(character),
        }
        before = character;
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::{fixture, style::Grouping, written};

    #[test]
    fn sections_of_an_answer() {
        insta::assert_snapshot!(written(&Markdown, &fixture::response(), &Style::plain()));
    }

    #[test]
    fn explanations_are_tables() {
        insta::assert_snapshot!(written(&Markdown, &fixture::explained(), &Style::plain()));
    }

    #[test]
    fn text_of_a_file_cannot_close_its_fence() {
        let mut response = fixture::response();
        response.hits.truncate(1);
        let hit = &mut response.hits[0];
        hit.snippet.text = "a\n```\n# no heading\n````\r```\n~~~~~\n</pre>\n`````".into();
        hit.language = Some("rust\n# evil".into());
        hit.path = Some("a`b\n# c.md".into());
        hit.title = "<img src=x> [a](b) @everyone\n# c".into();
        let style = Style { grouping: Grouping::Never, ..Style::plain() };
        let text = written(&Markdown, &response, &style);
        let headings: Vec<&str> = text.lines().filter(|line| line.starts_with('#')).collect();
        assert_eq!(headings, ["### 1. ``\"a`b\\n# c.md\":10-42``", "# no heading"]);
        let fences: Vec<&str> = text.lines().filter(|line| line.starts_with("``````")).collect();
        assert_eq!(fences, ["``````", "``````"], "one fence, longer than those inside it");
        let inside = text.split("``````").nth(1).expect("there is a fence");
        assert!(inside.contains("# no heading") && inside.contains("`````\n"));
        assert!(text.contains("\\<img src=x\\> \\[a\\](b) @\u{2060}everyone \\# c"));
    }

    #[test]
    fn passages_start_and_end_with_text() {
        let of = |text: &str| {
            let snippet = Snippet { text: text.into(), start_line: 7, ..Snippet::default() };
            passage(&snippet).map(|(line, text)| (line, text.to_owned()))
        };
        assert_eq!(of("\n \n  a\n\n\tb\n \n"), Some((9, "  a\n\n\tb".to_owned())));
        assert_eq!(of("a"), Some((7, "a".to_owned())));
        assert_eq!(of(" \n\t\n"), None);
    }

    #[test]
    fn only_markup_characters_are_escaped() {
        assert_eq!(escaped("mask_card _a_ *b* <i>"), "mask_card \\_a\\_ \\*b\\* \\<i\\>");
    }

    #[test]
    fn code_spans_may_contain_backticks() {
        assert_eq!(span("a"), "`a`");
        assert_eq!(span("a`b"), "``a`b``");
        assert_eq!(span("`a``"), "``` `a`` ```");
    }
}
