//! The reasons of a place: a line for each hop with its kind, date and evidence, indented below the hop that
//! it follows from, and the sentence that gives the reason.

use std::{
    fmt::Write as _,
    io::{self, Write},
    ops::Range,
};

use lore_console::{dates, shell::shell_word, text};
use lore_engine::{WhyCertainty, WhyHop, WhyResponse};

use super::{
    Style, agent, edges::write_paths, human::plural, jsonl, markdown, place::place as place_of,
    style::Role, toon,
};
use crate::{tokens::Tokenizer, wire};

/// Default token budget of the text for agents.
pub const DEFAULT_BUDGET: usize = 800;

/// Maximum depth of an indentation.
const MAX_DEPTH: usize = 6;

/// Reasons, and how much of them to write.
pub struct WhyAnswer<'a> {
    /// The answer.
    pub response: &'a WhyResponse,
    /// The target, as typed.
    pub target: &'a str,
    /// Maximum number of tokens of the text for agents.
    pub tokens: usize,
}

/// An output format of reasons.
pub struct WhyFormat {
    /// The name that users type.
    pub name: &'static str,
    /// Writes the answer. The output never contains control sequences for a terminal but those of `style`.
    pub write: fn(&WhyAnswer<'_>, &Style, &mut dyn Write) -> io::Result<()>,
}

/// Every format of reasons, sorted by name.
pub static WHY_FORMATS: &[WhyFormat] = &[
    WhyFormat {
        name: agent::NAME,
        write: |answer, _, out| out.write_all(agent_text(answer).as_bytes()),
    },
    WhyFormat { name: "human", write: human },
    WhyFormat {
        name: "json",
        write: |answer, _, out| wire::write(&wire::why(answer.response), out),
    },
    WhyFormat {
        name: "jsonl",
        write: |answer, _, out| {
            jsonl::write(serde_json::to_value(wire::why(answer.response))?, "hops", out)
        },
    },
    WhyFormat { name: "markdown", write: in_markdown },
    WhyFormat { name: "paths", write: paths },
    WhyFormat {
        name: "toon",
        write: |answer, _, out| {
            writeln!(out, "{}", toon::encode(&serde_json::to_value(wire::why(answer.response))?))
        },
    },
];

/// The format of reasons with this name, if it exists.
pub fn why_format(name: &str) -> Option<&'static WhyFormat> {
    WHY_FORMATS.iter().find(|format| format.name == name)
}

/// The names of the formats of reasons.
pub fn why_format_names() -> Vec<&'static str> {
    WHY_FORMATS.iter().map(|format| format.name).collect()
}

/// The text for agents: as many hops as fit into the budget, then how many are missing.
pub fn agent_text(answer: &WhyAnswer<'_>) -> String {
    let response = answer.response;
    let mut out = format!("{}\n", place_of(&response.subject));
    for note in notes(response) {
        let _ = writeln!(out, "{note}");
    }
    let missing = |shown: usize| {
        let count = response.hops.len() - shown + response.omitted;
        let more = plural(count as u64, "more hop", "more hops");
        let command = command(answer.target, response.hops.len() + response.omitted);
        format!("… {more}: `{command}`\n")
    };
    let reserved = Tokenizer::O200k.count(&missing(0));
    let mut left = answer.tokens.saturating_sub(Tokenizer::O200k.count(&out) + reserved);
    let mut shown = 0;
    for hop in &response.hops {
        let block = block(hop, depth(&response.hops, hop));
        let Some(cost) = Tokenizer::O200k.count_within(&block, left) else { break };
        left -= cost;
        out.push_str(&block);
        shown += 1;
    }
    if shown < response.hops.len() || 0 < response.omitted {
        out.push_str(&missing(shown));
    }
    out
}

/// The text of a range of the hops for agents, after a line on the place and notes.
pub fn page_text(response: &WhyResponse, range: Range<usize>) -> String {
    let mut out = format!("{}\n", place_of(&response.subject));
    for note in notes(response) {
        let _ = writeln!(out, "{note}");
    }
    out.extend(response.hops[range].iter().map(|hop| block(hop, depth(&response.hops, hop))));
    out
}

fn command(target: &str, limit: usize) -> String {
    format!("lore why {} --limit {limit} --budget 8000", shell_word(target))
}

fn human(answer: &WhyAnswer<'_>, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let response = answer.response;
    writeln!(out, "{}", style.paint(Role::Heading, place_of(&response.subject)))?;
    for note in notes(response) {
        writeln!(out, "{}", style.paint(Role::Dim, note))?;
    }
    for hop in &response.hops {
        let indent = "  ".repeat(depth(&response.hops, hop) + 1);
        let kind = style.paint(Role::Dim, format!("{:<8}", hop.kind.as_str()));
        let title = style.paint(Role::Title, named(hop));
        writeln!(out, "{indent}{kind} {title}")?;
        let below = format!("{indent}{:<8} ", "");
        let about = [evidence(hop)].into_iter().chain(place(hop)).collect::<Vec<_>>().join(" · ");
        writeln!(out, "{below}{}", style.paint(Role::Dim, about))?;
        if !hop.quote.is_empty() {
            let width = style.width.saturating_sub(below.len() + 2);
            writeln!(out, "{below}“{}”", text::cut(&text::clean(&hop.quote), width))?;
        }
    }
    if 0 < response.omitted {
        let more = plural(response.omitted as u64, "more hop", "more hops");
        let command = command(answer.target, response.hops.len() + response.omitted);
        writeln!(out, "{}", style.paint(Role::Dim, format!("… {more}: {command}")))?;
    }
    Ok(())
}

fn in_markdown(answer: &WhyAnswer<'_>, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let response = answer.response;
    writeln!(out, "### Why {}\n", markdown::word(&place_of(&response.subject)))?;
    for hop in &response.hops {
        let indent = "  ".repeat(depth(&response.hops, hop));
        let place = place(hop).map_or_else(String::new, |place| format!(" · {place}"));
        let line = format!("{} {} · {}{place}", hop.kind.as_str(), named(hop), evidence(hop));
        writeln!(out, "{indent}- {}", markdown::word(&line))?;
        if !hop.quote.is_empty() {
            writeln!(out, "{indent}  > {}", markdown::word(&text::clean(&hop.quote)))?;
        }
    }
    Ok(())
}

fn paths(answer: &WhyAnswer<'_>, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let response = answer.response;
    let hops = response.hops.iter().filter_map(|hop| hop.path.as_deref());
    write_paths(response.subject.path.as_deref().into_iter().chain(hops), style.null, out)
}

fn notes(response: &WhyResponse) -> Vec<String> {
    let mut notes = Vec::new();
    if !response.others.is_empty() {
        notes.push(format!("others of this name: {}", text::clean(&response.others.join(", "))));
    }
    if response.hops.is_empty() {
        notes.push("no commit, ticket, spec, document or test explains it".to_owned());
    }
    if response.has_older_changes {
        notes.push("older commits may have changed these lines".to_owned());
    }
    notes.extend(response.warnings.iter().map(|note| format!("note: {}", text::clean(note))));
    notes
}

/// A hop for agents: one line, and one for the quote.
fn block(hop: &WhyHop, depth: usize) -> String {
    let indent = "  ".repeat(depth);
    let place = place(hop).map_or_else(String::new, |place| format!(" {place}"));
    let mut block =
        format!("{indent}{} {}{place} ({})\n", hop.kind.as_str(), named(hop), evidence(hop));
    if !hop.quote.is_empty() {
        let _ = writeln!(block, "{indent}  \"{}\"", text::clean(&hop.quote));
    }
    block
}

/// Identifier, date, author, title and status.
fn named(hop: &WhyHop) -> String {
    let mut words = Vec::new();
    // A commit has no path, and a record that is not in the tree has nothing else.
    if hop.path.is_none() {
        words.push(hop.id.strip_prefix("git:").unwrap_or(&hop.id).to_owned());
    }
    words.extend(hop.date.and_then(dates::day));
    words.extend(hop.author.clone());
    if !hop.title.is_empty() {
        words.push(hop.title.clone());
    }
    words.extend(hop.status.as_ref().map(|status| format!("[{status}]")));
    text::clean(&words.join(" "))
}

fn place(hop: &WhyHop) -> Option<String> {
    let path = text::quoted(hop.path.as_deref()?);
    Some(match hop.line {
        Some(line) => format!("{path}:{line}"),
        None => path,
    })
}

fn evidence(hop: &WhyHop) -> String {
    let mut evidence = text::clean(&hop.evidence);
    if hop.certainty != WhyCertainty::Certain {
        let _ = write!(evidence, ", {}", hop.certainty.as_str());
    }
    if !hop.is_known {
        evidence.push_str(", not in this tree");
    }
    evidence
}

/// The number of hops between a hop and the subject.
fn depth(hops: &[WhyHop], hop: &WhyHop) -> usize {
    let before = std::iter::successors(hop.from, |at| hops.get(*at)?.from);
    before.take(MAX_DEPTH).count()
}
