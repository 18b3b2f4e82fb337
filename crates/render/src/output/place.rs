//! A place with what surrounds it: its whole text, the code that uses it, or the history of its lines. The
//! first line states the cost of each view in tokens.

use std::{
    fmt::Write as _,
    io::{self, Write},
    ops::Range,
};

use lore_console::{dates, text};
use lore_engine::{PlaceChange, PlaceResponse, ResearchResponse, Subject};
use lore_schema::Trust;

use super::{
    GraphAnswer, Style, agent,
    edges::{self, write_paths},
    human::plural,
    jsonl, markdown, toon,
};
use crate::{pack::fence, tokens::Tokenizer, wire};

/// Maximum number of columns of what a message of a commit says after its first line.
const MAX_BODY_WIDTH: usize = 300;

/// Number of digits of a hash.
const HASH_LEN: usize = 10;

/// A view of a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum View {
    /// Its whole text.
    #[default]
    Whole,
    /// The code that uses it.
    Uses,
    /// The commits that changed its lines.
    History,
}

/// The numbers of tokens of the views; `None` for those that the place does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Costs {
    /// Of the whole text.
    pub whole: usize,
    /// Of the uses.
    pub uses: Option<usize>,
    /// Of the history.
    pub history: Option<usize>,
}

/// A view of a place, and how to get the others.
pub struct PlaceAnswer<'a> {
    /// The place.
    pub response: &'a PlaceResponse,
    /// The view to write.
    pub view: View,
    /// Maximum number of tokens of the text of the view.
    pub tokens: usize,
    /// The tokens of each view.
    pub costs: Costs,
    /// The command for a view, as it is typed.
    pub command: &'a dyn Fn(View) -> String,
}

impl PlaceAnswer<'_> {
    /// Counts the tokens of each view.
    pub fn costs(response: &PlaceResponse) -> Costs {
        let count = |text: &str| Tokenizer::O200k.count(text);
        Costs {
            whole: count(&numbered(response).concat()),
            uses: response.uses.as_ref().map(|uses| count(&uses_text(response, uses))),
            history: response.changes.as_ref().map(|_| count(&history(response).concat())),
        }
    }
}

/// An output format of places.
pub struct PlaceFormat {
    /// The name that users type.
    pub name: &'static str,
    /// Writes the view. The output never contains control sequences for a terminal.
    pub write: fn(&PlaceAnswer<'_>, &Style, &mut dyn Write) -> io::Result<()>,
}

/// Every format for places, sorted by name.
pub static PLACE_FORMATS: &[PlaceFormat] = &[
    PlaceFormat { name: agent::NAME, write: plain },
    PlaceFormat { name: "human", write: plain },
    PlaceFormat { name: "json", write: |answer, _, out| wire::write(&object(answer), out) },
    PlaceFormat {
        name: "jsonl",
        write: |answer, _, out| jsonl::write(serde_json::to_value(object(answer))?, "changes", out),
    },
    PlaceFormat { name: "markdown", write: in_markdown },
    PlaceFormat { name: "paths", write: paths },
    PlaceFormat {
        name: "toon",
        write: |answer, _, out| {
            writeln!(out, "{}", toon::encode(&serde_json::to_value(object(answer))?))
        },
    },
];

/// The format for places with this name, if it exists.
pub fn place_format(name: &str) -> Option<&'static PlaceFormat> {
    PLACE_FORMATS.iter().find(|format| format.name == name)
}

/// The names of the formats for places.
pub fn place_format_names() -> Vec<&'static str> {
    PLACE_FORMATS.iter().map(|format| format.name).collect()
}

fn object<'a>(answer: &'a PlaceAnswer<'_>) -> wire::PlaceWire<'a> {
    wire::place_view(answer.response, answer.view, &answer.costs)
}

/// The head, the other views with their costs, then as many lines of the view as fit.
fn plain(answer: &PlaceAnswer<'_>, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", head(answer))?;
    for note in notes(answer) {
        writeln!(out, "{note}")?;
    }
    let lines = lines(answer);
    let shown = fitting(&lines, answer.tokens);
    writeln!(out)?;
    for line in &lines[..shown] {
        out.write_all(line.as_bytes())?;
    }
    left(answer, shown, lines.len(), out)
}

/// The lines of the view, each with a line end.
fn lines(answer: &PlaceAnswer<'_>) -> Vec<String> {
    let response = answer.response;
    match (answer.view, &response.uses) {
        (View::Whole, _) => numbered(response),
        (View::Uses, Some(uses)) => {
            let text = uses_text(response, uses);
            text.split_inclusive('\n').map(str::to_owned).collect()
        }
        (View::Uses, None) => vec!["it is no definition, so nothing calls it\n".to_owned()],
        (View::History, _) => history(response),
    }
}

/// The place, its kind and name, and the cost of the view.
fn head(answer: &PlaceAnswer<'_>) -> String {
    let response = answer.response;
    let subject = &response.subject;
    let tokens = |tokens: usize| plural(tokens as u64, "token", "tokens");
    let about = match answer.view {
        View::Whole => {
            let count = response.text.lines().count();
            let lines = plural(count as u64, "line", "lines");
            format!("{lines}, {}", tokens(answer.costs.whole))
        }
        View::Uses => {
            let uses = answer.costs.uses.unwrap_or(0);
            let extent = response.uses.as_ref().map_or_else(String::new, |uses| {
                format!(" ({})", edges::extent(uses, &(0..uses.edges.len())))
            });
            format!("{}{extent}, {}", response.relation.as_str(), tokens(uses))
        }
        View::History => {
            let history = answer.costs.history.unwrap_or(0);
            format!("changed by {}, {}", commits(response), tokens(history))
        }
    };
    format!("{}: {about}", place(subject))
}

/// The place or record of a subject, its kind and its name.
pub(super) fn place(subject: &Subject) -> String {
    let place = match (&subject.path, subject.start_line, subject.end_line) {
        (Some(path), Some(first), Some(last)) => format!("{}:{first}-{last}", text::quoted(path)),
        (Some(path), _, _) => text::quoted(path),
        (None, _, _) => text::clean(&subject.id),
    };
    format!("{place} {} {}", text::clean(&subject.kind), text::clean(&subject.title))
}

/// Other definitions of the name, the other views with their costs, and warnings.
fn notes(answer: &PlaceAnswer<'_>) -> Vec<String> {
    let response = answer.response;
    let mut notes = Vec::new();
    if !response.others.is_empty() {
        notes.push(format!("others of this name: {}", text::clean(&response.others.join(", "))));
    }
    let mut offer = |view: View, what: String, tokens: usize| {
        if view != answer.view {
            let command = (answer.command)(view);
            notes.push(format!("{what}: {tokens} tokens, `{command}`"));
        }
    };
    offer(View::Whole, "the text".to_owned(), answer.costs.whole);
    if let (Some(uses), Some(tokens)) = (&response.uses, answer.costs.uses)
        && !uses.edges.is_empty()
    {
        let more = if uses.is_cut { " or more" } else { "" };
        let relation = response.relation.as_str();
        let one = relation.trim_end_matches('s');
        let uses = plural(uses.edges.len() as u64, one, relation);
        offer(View::Uses, format!("{uses}{more}"), tokens);
    }
    if let (Some(changes), Some(tokens)) = (&response.changes, answer.costs.history)
        && !changes.is_empty()
    {
        offer(View::History, commits(response), tokens);
    }
    notes.extend(response.warnings.iter().map(|note| format!("note: {}", text::clean(note))));
    notes
}

/// The lines of the text with their numbers, each with a line end.
fn numbered(response: &PlaceResponse) -> Vec<String> {
    let body = response.text.trim_end_matches('\n');
    let is_outside = response.trust == Trust::Outside;
    if is_outside && fence::looks_like_instructions(body) {
        let fenced = fence::fenced(&format!("{}\n", text::clean_lines(body)));
        return fenced.split_inclusive('\n').map(str::to_owned).collect();
    }
    let first = response.subject.start_line;
    let line = |(at, line): (u32, &str)| {
        let line = text::clean_code(line);
        match first {
            Some(first) => format!("{}:{line}\n", first.saturating_add(at)),
            None => format!("{line}\n"),
        }
    };
    (0..).zip(body.lines()).map(line).collect()
}

fn uses_text(response: &PlaceResponse, uses: &ResearchResponse) -> String {
    let answer = GraphAnswer { relation: response.relation, response: uses };
    edges::rows(&answer, 0..uses.edges.len())
}

/// A text for each commit: hash, date, author and subject; then what the message says.
fn history(response: &PlaceResponse) -> Vec<String> {
    let Some(changes) = &response.changes else {
        return vec!["it has no lines in a file, so no commit changed them\n".to_owned()];
    };
    if changes.is_empty() {
        return vec!["no indexed commit changed these lines\n".to_owned()];
    }
    changes.iter().map(commit).collect()
}

/// The text of a range of the commits for agents, after a line on the place and their number.
pub fn history_text(response: &PlaceResponse, range: Range<usize>) -> String {
    let mut out = format!("{}: changed by {}\n", place(&response.subject), commits(response));
    match response.changes.as_deref().unwrap_or_default() {
        [] => out.push_str(&history(response).concat()),
        changes => out.extend(changes[range].iter().map(commit)),
    }
    for note in &response.warnings {
        let _ = writeln!(out, "note: {}", text::clean(note));
    }
    out
}

/// The number of commits that changed the lines.
fn commits(response: &PlaceResponse) -> String {
    let count = response.changes.as_ref().map_or(0, Vec::len);
    let more = if response.has_older_changes { " or more" } else { "" };
    format!("{}{more}", plural(count as u64, "commit", "commits"))
}

fn commit(change: &PlaceChange) -> String {
    let hash: String = change.hash.chars().take(HASH_LEN).collect();
    let mut line = vec![hash];
    line.extend(change.date.and_then(dates::day));
    line.extend(change.author.clone());
    line.push(change.subject.clone());
    let mut out = text::clean(&line.join(" "));
    if let Some(path) = &change.renamed_from {
        let _ = write!(out, " (renamed from {})", text::quoted(path));
    }
    if change.is_origin {
        out.push_str(" (first)");
    }
    out.push('\n');
    let body = text::cut(&text::clean(change.body.trim()), MAX_BODY_WIDTH);
    if !body.is_empty() {
        let _ = writeln!(out, "  {body}");
    }
    out
}

/// The number of lines that fit; at least one.
fn fitting(lines: &[String], tokens: usize) -> usize {
    let mut left = tokens;
    for (at, line) in lines.iter().enumerate() {
        let Some(cost) = Tokenizer::O200k.count_within(line, left) else { return at.max(1) };
        left -= cost;
    }
    lines.len()
}

/// Counts the lines that do not fit, with the command for all of them.
fn left(
    answer: &PlaceAnswer<'_>,
    shown: usize,
    total: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    if shown == total {
        return Ok(());
    }
    let lines = plural((total - shown) as u64, "more line", "more lines");
    let command = (answer.command)(answer.view);
    writeln!(out, "… {lines}: `{command} --budget {}`", all_tokens(answer))
}

/// The tokens of the requested view.
fn all_tokens(answer: &PlaceAnswer<'_>) -> usize {
    match answer.view {
        View::Whole => answer.costs.whole,
        View::Uses => answer.costs.uses.unwrap_or(0),
        View::History => answer.costs.history.unwrap_or(0),
    }
}

fn in_markdown(answer: &PlaceAnswer<'_>, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let response = answer.response;
    writeln!(out, "### {}\n", markdown::word(&head(answer)))?;
    match (answer.view, &response.changes) {
        (View::Whole, _) => markdown::fenced(response.text.trim_end(), "", out),
        (View::History, Some(changes)) => {
            for change in changes {
                writeln!(out, "- {}", markdown::word(commit(change).trim_end()))?;
            }
            Ok(())
        }
        _ => lines(answer)
            .iter()
            .try_for_each(|line| writeln!(out, "- {}", markdown::word(line.trim_end()))),
    }
}

/// The path of the place, or those of the code that uses it.
fn paths(answer: &PlaceAnswer<'_>, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let response = answer.response;
    match (answer.view, &response.uses) {
        (View::Uses, Some(uses)) => {
            let graph = GraphAnswer { relation: response.relation, response: uses };
            edges::paths(&graph, style, out)
        }
        _ => write_paths(response.subject.path.as_deref().into_iter(), style.null, out),
    }
}
