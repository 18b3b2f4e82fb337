//! `read`: a file, a stretch of it, a definition, a section or a commit.

use std::{fmt::Write as _, sync::Arc};

use lore_console::text;
use lore_engine::{Subject, SymbolHit, SymbolMatch, SymbolRequest, SymbolResponse};
use lore_render::{
    pack::fence,
    tokens::Tokenizer,
    wire::{
        agent::{self, ReadAnswer},
        schema::answer_schema,
    },
};
use lore_schema::{Filter, SkipReason, SourceName, Trust};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{Call, Tool, ToolAnswer, input, no_index};
use crate::{
    answer::{self, MAX_TOKENS, MIN_TOKENS, TOKENS},
    failure::Failure,
    resources,
    tree::{LocateError, NotesOnly, Outcome, Tree},
};

/// Maximum size of a file that is read, in bytes: larger than any text that people write.
const MAX_FILE_BYTES: u64 = 64 << 20;

/// Number of bytes at the start of a file that are checked for NUL, which marks a binary file.
const BINARY_CHECK_BYTES: usize = 8_192;

/// Maximum number of lines on each side of a line range.
const MAX_AROUND: usize = 200;

/// Maximum number of definitions of a name that are looked up.
const MAX_NAMESAKES: usize = 20;

/// Maximum number of definitions of a file that are checked for those around a passage.
const MAX_DEFINITIONS: usize = 10_000;

/// Tokens reserved for the parts around the text: keys, names and enclosing definitions.
const FRAME_TOKENS: usize = 150;

/// Upper estimate of the characters per token: the first cut of a line that does not fit is the budget
/// times this.
const MAX_CHARACTERS_PER_TOKEN: usize = 8;

pub(super) static TOOL: Tool = Tool {
    name: "read",
    title: "Read a place",
    description: "Read a file, lines of it (path:10-40), an id of a hit, a heading (path#Heading), or a \
                  definition by name, with what encloses it. Paths start at the root; nothing outside \
                  of it is read.",
    is_read_only: true,
    input: input::<ReadArguments>,
    output: Some(answer_schema::<ReadAnswer<'_>>),
    call,
};

/// Arguments of a reading. The comments are the descriptions that clients read.
#[derive(Deserialize, JsonSchema)]
struct ReadArguments {
    /// path, path:line, path:first-last, path#name, id of a hit, or name of a definition
    target: String,
    /// Lines shown before and after
    #[serde(default)]
    #[schemars(range(min = 0, max = MAX_AROUND))]
    around: usize,
    /// Most tokens of the answer
    #[schemars(range(min = MIN_TOKENS, max = MAX_TOKENS), extend("default" = TOKENS))]
    max_tokens: Option<usize>,
    /// nextCursor of the answer to the same question
    cursor: Option<String>,
}

/// The passage to read.
struct WantedPassage {
    /// Its name.
    id: String,
    kind: String,
    /// Root-relative; `None` for a commit.
    path: Option<String>,
    /// The line of the first one of `lines`, 1-based; `None` for what has no lines in a file.
    first: Option<usize>,
    lines: Vec<String>,
    /// Other definitions of the same name.
    others: Vec<String>,
}

fn call(call: &Call<'_>) -> Result<ToolAnswer, Failure> {
    let arguments: ReadArguments = call.arguments.parse()?;
    let target = arguments.target.trim();
    let target = resources::path_of(target).unwrap_or_else(|| target.to_owned());
    let (tree, target) = call.tree_of(&target)?;
    if target.is_empty() {
        return Err(Failure::new("the target is empty")
            .remedy("name a file or a definition, for example {\"target\": \"src/lib.rs:1-40\"}"));
    }
    let found = find(call, tree, &target, arguments.around)?;
    let mark = answer::mark(TOOL.name, call.arguments.all(), &found.lines);
    let sent = arguments.cursor.map_or(Ok(0), |cursor| answer::offset(&cursor, mark))?;
    let enclosing = enclosing(call, tree, &found);
    let tokens = answer::tokens(arguments.max_tokens);
    write(tree, found, enclosing, sent, tokens, mark)
}

/// Finds the passage that a target names. Files are found without the index; hits and definitions
/// need it.
fn find(
    call: &Call<'_>,
    tree: &Arc<Tree>,
    target: &str,
    around: usize,
) -> Result<WantedPassage, Failure> {
    let (base, range) = split_line_range(target);
    let path = base.split_once(':').filter(|(name, _)| SourceName::from_name(name).is_some());
    let path = path.map_or(base, |(_, path)| path);
    let missing = match tree.locate(path) {
        Ok(located) => {
            if tree.is_directory(&located) {
                return Err(Failure::new(format!("`{path}` is a directory")).remedy(
                    "read a file of it; `search` with {\"path\": [\"DIR/**\"]} finds them",
                ));
            }
            let (_, shown) = located;
            let lines = lines(tree, &shown, path)?;
            return select_lines(shown, lines, range, around);
        }
        Err(LocateError::Outside(failure)) => return Err(failure),
        Err(LocateError::Missing(failure)) => failure,
    };
    let is_id = path.len() < base.len() || target.contains('#');
    if is_id {
        return passage(call, tree, target, around);
    }
    named(call, tree, target, around, missing)
}

/// Splits the line range from the end of a target: first and last line, from 1.
fn split_line_range(target: &str) -> (&str, Option<(usize, usize)>) {
    let lines = target.rsplit_once(':').and_then(|(base, lines)| {
        let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
        Some((base, (first.parse().ok()?, last.parse().ok()?)))
    });
    match lines {
        Some((base, range)) => (base, Some(range)),
        None => (target, None),
    }
}

/// The lines of a text file. `path` is root-relative, `shown` its name in errors.
fn lines(tree: &Tree, path: &str, shown: &str) -> Result<Vec<String>, Failure> {
    // The path was located before, and may have become a link or a pipe since.
    let bytes = tree.read_bytes(path, MAX_FILE_BYTES).map_err(|reason| match reason {
        SkipReason::TooLarge => Failure::new(format!("`{shown}` is too large to be read"))
            .remedy("`search` with {\"match\": \"literal\"} looks through it"),
        SkipReason::NotAFile => Failure::new(format!("`{shown}` is no file that could be read"))
            .remedy("`search` finds files by their words"),
        _ => Failure::new(format!("could not read `{shown}`"))
            .remedy("check that the file is there, and its permissions"),
    })?;
    if bytes.iter().take(BINARY_CHECK_BYTES).any(|byte| *byte == 0) {
        return Err(Failure::new(format!("`{shown}` is no text"))
            .remedy("`search` finds what is known of it"));
    }
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let text = tree.open()?.settings.secrets().apply(text);
    Ok(text.lines().map(str::to_owned).collect())
}

/// Returns the lines of a range with `around` further lines on each side; the whole file without a range.
fn select_lines(
    path: String,
    lines: Vec<String>,
    range: Option<(usize, usize)>,
    around: usize,
) -> Result<WantedPassage, Failure> {
    let count = lines.len();
    let Some((first, last)) = range else {
        return Ok(WantedPassage {
            id: path.clone(),
            kind: "file".to_owned(),
            path: Some(path),
            first: Some(1),
            lines,
            others: Vec::new(),
        });
    };
    if first == 0 || last < first || count < first {
        return Err(Failure::new(format!("`{path}` has no lines {first}-{last}"))
            .remedy(format!("it has {count} lines; the first one is 1")));
    }
    let from = first.saturating_sub(around).max(1);
    let to = last.saturating_add(around).min(count);
    Ok(WantedPassage {
        id: format!("{path}:{first}-{}", last.min(count)),
        kind: "lines".to_owned(),
        path: Some(path),
        first: Some(from),
        lines: lines.into_iter().skip(from - 1).take(to + 1 - from).collect(),
        others: Vec::new(),
    })
}

/// The passage that the identifier of a hit names.
fn passage(
    call: &Call<'_>,
    tree: &Arc<Tree>,
    id: &str,
    around: usize,
) -> Result<WantedPassage, Failure> {
    let wanted = id.to_owned();
    let outcome =
        tree.run(&call.control, move |opened| Ok(opened.engine.passage(&wanted, &NotesOnly)?))?;
    let (subject, text) = match outcome {
        Outcome::Answered(found) => found,
        Outcome::NotReady(progress) => return Err(no_index(progress)),
    };
    of_subject(tree, &subject, &text, around)
}

fn of_subject(
    tree: &Tree,
    subject: &Subject,
    text: &str,
    around: usize,
) -> Result<WantedPassage, Failure> {
    let found = WantedPassage {
        id: subject.id.clone(),
        kind: subject.kind.clone(),
        path: subject.path.clone(),
        first: subject.start_line.map(|line| line as usize),
        lines: text.lines().map(str::to_owned).collect(),
        others: Vec::new(),
    };
    let (Some(path), Some(first), Some(last)) =
        (&subject.path, subject.start_line, subject.end_line)
    else {
        return Ok(found);
    };
    // The lines around it are those of the file.
    let (_, shown) = tree.locate(path)?;
    let range = Some((first as usize, last as usize));
    let text = lines(tree, &shown, path)?;
    let around = select_lines(shown, text, range, around)?;
    Ok(WantedPassage { first: around.first, lines: around.lines, ..found })
}

/// Finds the definition with exactly this name. `missing` is the error of the target read as a path.
fn named(
    call: &Call<'_>,
    tree: &Arc<Tree>,
    name: &str,
    around: usize,
    missing: Failure,
) -> Result<WantedPassage, Failure> {
    let request =
        SymbolRequest { query: name.to_owned(), filter: Filter::default(), limit: MAX_NAMESAKES };
    let response = call.run_until_fresh(
        tree,
        |response: &SymbolResponse| &response.receipt,
        move |opened| Ok(opened.engine.symbols(&request, &NotesOnly)?),
    )?;
    let exact: Vec<&SymbolHit> =
        response.hits.iter().filter(|hit| hit.matched == Some(SymbolMatch::Exact)).collect();
    let Some(hit) = exact.first() else {
        // A target with a slash was probably a path.
        if name.contains('/') {
            return Err(missing);
        }
        let near: Vec<String> =
            response.hits.iter().take(3).map(|hit| format!("`{}`", hit.id)).collect();
        let remedy = if near.is_empty() {
            "`search` finds definitions by other words".to_owned()
        } else {
            format!("near are {}", near.join(", "))
        };
        return Err(
            Failure::new(format!("no file and no definition is called `{name}`")).remedy(remedy)
        );
    };
    let (_, shown) = tree.locate(&hit.path)?;
    let range = Some((hit.start_line as usize, hit.end_line as usize));
    let text = lines(tree, &shown, &hit.path)?;
    let found = select_lines(shown, text, range, around)?;
    Ok(WantedPassage {
        id: hit.id.clone(),
        kind: hit.kind.to_owned(),
        others: exact.iter().skip(1).map(|other| other.id.clone()).collect(),
        ..found
    })
}

/// The definitions around a passage, outermost first; none while the index is not ready.
fn enclosing(call: &Call<'_>, tree: &Arc<Tree>, found: &WantedPassage) -> Vec<SymbolHit> {
    let (Some(path), Some(first)) = (&found.path, found.first) else { return Vec::new() };
    // A whole file is enclosed by nothing.
    if found.kind == "file" || !tree.progress().is_some_and(|(is_ready, _)| is_ready) {
        return Vec::new();
    }
    let last = first + found.lines.len().saturating_sub(1);
    let request = SymbolRequest {
        query: path.clone(),
        filter: Filter { paths: vec![globset::escape(path)], ..Filter::default() },
        limit: MAX_DEFINITIONS,
    };
    let outcome = tree
        .run(&call.control, move |opened| Ok(opened.engine.file_symbols(&request, &NotesOnly)?));
    let Ok(Outcome::Answered(response)) = outcome else { return Vec::new() };
    let encloses = |hit: &SymbolHit| {
        let (start, end) = (hit.start_line as usize, hit.end_line as usize);
        hit.path == *path && start <= first && last <= end && (start, end) != (first, last)
    };
    response.hits.into_iter().filter(|hit| hit.id != found.id && encloses(hit)).collect()
}

/// Writes as many lines as fit into the budget. A first line that does not fit is cut.
fn write(
    tree: &Tree,
    mut found: WantedPassage,
    mut enclosing: Vec<SymbolHit>,
    sent: usize,
    tokens: usize,
    mark: u64,
) -> Result<ToolAnswer, Failure> {
    let rest = found.lines.get(sent..).unwrap_or_default();
    if rest.is_empty() && 0 < sent {
        return Err(Failure::new("there is nothing after this cursor")
            .remedy("leave `cursor` out to begin again"));
    }
    let counter = Tokenizer::O200k;
    let mut left = tokens.saturating_sub(FRAME_TOKENS);
    let mut shown = 0;
    for line in rest {
        // As written in the object, with its line end. A line of megabytes is not counted to its end.
        let written = Value::String(format!("{line}\n")).to_string();
        let Some(cost) = counter.count_within(&written, left) else { break };
        left -= cost;
        shown += 1;
    }
    let line = found.lines.get(sent).cloned().unwrap_or_default();
    // Characters of the first line that are shown; all, unless it does not fit.
    let mut max_chars = usize::MAX;
    if shown == 0 && !rest.is_empty() {
        (shown, max_chars) = (1, tokens * MAX_CHARACTERS_PER_TOKEN);
    }
    loop {
        if let Some((end, _)) = line.char_indices().nth(max_chars) {
            found.lines[sent] = format!("{}… ({} bytes more)", &line[..end], line.len() - end);
        }
        let page = render_page(tree, &found, &enclosing, (sent, shown), mark)?;
        let object = page.structured.as_ref().map(Value::to_string).unwrap_or_default();
        let fits = counter.count_within(&object, tokens).is_some()
            && counter.count_within(&page.text, tokens).is_some();
        if fits {
            return Ok(page);
        }
        if 1 < shown {
            shown -= (shown / 20).max(1);
        } else if !enclosing.is_empty() {
            enclosing.clear();
        } else if !found.others.is_empty() {
            found.others.clear();
        } else if 1 < max_chars && !line.is_empty() {
            max_chars = max_chars.min(line.len()) / 2;
        } else {
            return Err(Failure::new(format!("{tokens} tokens do not hold one line of it"))
                .remedy("raise the budget with {\"max_tokens\": 8000}"));
        }
    }
}

/// The origin of a passage, derived from its path: vendored files and exports of trackers come
/// from outside.
fn origin(tree: &Tree, found: &WantedPassage) -> Trust {
    let Some(path) = &found.path else { return Trust::Own };
    let is_export = || {
        let real = tree.locate(path).ok().map(|(real, _)| real);
        let opened = tree.open().ok();
        let exports = opened.iter().flat_map(|opened| opened.settings.tickets());
        exports.filter_map(|export| export.canonicalize().ok()).any(|export| Some(export) == real)
    };
    if lore_engine::is_vendored(path) || is_export() { Trust::Outside } else { Trust::Own }
}

/// Renders the page of `shown` lines after the first `sent` ones.
fn render_page(
    tree: &Tree,
    found: &WantedPassage,
    enclosing: &[SymbolHit],
    (sent, shown): (usize, usize),
    mark: u64,
) -> Result<ToolAnswer, Failure> {
    let lines = &found.lines[sent..sent + shown];
    let mut body = text::clean_lines(&lines.join("\n"));
    let origin = origin(tree, found);
    if origin == Trust::Outside {
        body = fence::fenced(&format!("{body}\n"));
        body.truncate(body.trim_end_matches('\n').len());
    }
    let start = found.first.map(|first| first + sent);
    let end = start.map(|start| start + shown.max(1) - 1);
    let next = (sent + shown < found.lines.len()).then(|| answer::cursor(sent + shown, mark));
    let place = match (&found.path, start, end) {
        (Some(path), Some(start), Some(end)) => format!("{path}:{start}-{end}"),
        _ => found.id.clone(),
    };
    let mut out = text::clean(&format!("{place}  {} {}", found.kind, found.id));
    out.push('\n');
    for outer in enclosing {
        let signature = text::clean(&outer.signature);
        let _ = writeln!(out, "in {}:{} {signature}", outer.kind, outer.line);
    }
    if !found.others.is_empty() {
        let _ = writeln!(out, "others of this name: {}", text::clean(&found.others.join(", ")));
    }
    let _ = write!(out, "\n{body}");
    if let Some(next) = &next {
        let _ = write!(
            out,
            "\n\n{} of {} lines; more: {{\"cursor\": \"{next}\"}}",
            sent + shown,
            found.lines.len()
        );
    }
    let object = ReadAnswer {
        id: &found.id,
        kind: &found.kind,
        path: found.path.as_deref(),
        start_line: start,
        end_line: end,
        lines: found.lines.len(),
        origin: origin.as_str(),
        text: &body,
        enclosing: enclosing.iter().map(agent::enclosing).collect(),
        others: &found.others,
        next_cursor: next.as_deref(),
        root: tree.root.display().to_string(),
    };
    ToolAnswer::new(out, &object)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ranges_and_names_are_distinguished() {
        assert_eq!(split_line_range("src/a.rs:10-20"), ("src/a.rs", Some((10, 20))));
        assert_eq!(split_line_range("src/a.rs:7"), ("src/a.rs", Some((7, 7))));
        assert_eq!(split_line_range("src/a.rs"), ("src/a.rs", None));
        assert_eq!(split_line_range("Store::save"), ("Store::save", None));
        assert_eq!(split_line_range("code:src/a.rs:1-2"), ("code:src/a.rs", Some((1, 2))));
    }

    #[test]
    fn a_line_range_has_the_lines_around_it_and_no_others() {
        let lines = || (1..=9).map(|line| line.to_string()).collect::<Vec<_>>();
        let found = select_lines("a".into(), lines(), Some((2, 3)), 2).expect("it is there");
        assert_eq!((found.first, found.lines.join(" ").as_str()), (Some(1), "1 2 3 4 5"));
        let found =
            select_lines("a".into(), lines(), Some((9, 12)), 0).expect("the start is there");
        assert_eq!((found.first, found.lines.join(" ").as_str()), (Some(9), "9"));
        assert!(select_lines("a".into(), lines(), Some((0, 3)), 0).is_err());
        assert!(select_lines("a".into(), lines(), Some((10, 11)), 0).is_err());
        assert!(select_lines("a".into(), lines(), Some((3, 2)), 0).is_err());
    }
}
