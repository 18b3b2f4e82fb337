//! The policies: each searches and reads, step by step, until a line that answers was in view.

use std::{
    collections::HashMap,
    fmt::Write as _,
    fs,
    path::Path,
    process::{Command, Stdio},
};

use lore_engine::{Hit, Progress, SearchRequest, SearchResponse, Searcher, Sureness};
use lore_render::{
    pack::{Pack, PackRequest, pack},
    tokens::Tokenizer,
};

use super::Row;
use crate::{Query, Ranked, natural::shows_answer};

/// Names of the policies, in the order of [`Row::paid`].
pub(super) const NAMES: [&str; 3] = ["lore", "ripgrep and git", "passages of BM25"];

/// Maximum number of steps of a policy. After them it has failed.
const MAX_STEPS: usize = 12;

/// Number of places that are opened after an answer that does not show the lines.
const OPENED: usize = 3;

/// Number of lines around a place that are opened.
const OPENED_LINES: u32 = 60;

/// Number of lines of a search that are read, as `head` cuts them.
const MAX_LISTED: usize = 40;

/// Number of characters of a line of a search that are read.
const MAX_LINE: usize = 300;

/// Number of words that are searched one after another.
const MAX_WORDS: usize = 4;

/// Maximum number of tokens of an answer and its next page.
const TWO_PAGES: usize = 1_000;

/// Costs of one question under a policy.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Paid {
    /// Characters that it read.
    pub(super) characters: usize,
    /// Calls that it made.
    pub(super) calls: usize,
    /// True if a line that answers was in view in the end.
    pub(super) found: bool,
}

impl Paid {
    fn read(&mut self, text: &str) {
        self.characters += text.chars().count();
        self.calls += 1;
    }
}

/// Runs all policies for one question.
pub(super) fn measure(
    query: &Query,
    root: &Path,
    searcher: &mut Searcher<'_>,
    template: &SearchRequest,
    progress: &dyn Progress,
) -> anyhow::Result<Row> {
    let first = ask(&query.text, None, searcher, template, progress)?;
    let in_view = shows(query, &first);
    let next = match &first.pack.next_cursor {
        Some(cursor) => Some(ask(&query.text, Some(cursor), searcher, template, progress)?),
        None => None,
    };
    let tokens = |answer: &Answer| Tokenizer::O200k.count(&answer.pack.text);
    let in_two_pages = in_view
        || next
            .as_ref()
            .is_some_and(|next| shows(query, next) && tokens(&first) + tokens(next) <= TWO_PAGES);
    let sureness = first.response.receipt.confidence.as_ref().map(|found| found.sureness);
    let mut by_words = template.clone();
    by_words.mode = lore_engine::Mode::Lexical;
    let paid = vec![
        with_lore(query, root, &first, next.as_ref(), sureness),
        with_ripgrep(query, root, Paid::default()),
        with_passages(query, root, searcher, &by_words, progress)?,
    ];
    Ok(Row {
        id: query.id.clone(),
        probability: first.response.receipt.confidence.as_ref().map(|found| found.probability),
        question_type: query.category.clone(),
        characters: first.pack.text.chars().count(),
        sureness,
        in_view,
        in_two_pages,
        paid,
    })
}

/// An answer as agents read it.
struct Answer {
    response: SearchResponse,
    pack: Pack,
}

fn ask(
    text: &str,
    cursor: Option<&str>,
    searcher: &mut Searcher<'_>,
    template: &SearchRequest,
    progress: &dyn Progress,
) -> anyhow::Result<Answer> {
    let packing = PackRequest { cursor: cursor.map(str::to_owned), ..PackRequest::default() };
    let mut request = template.clone().with_query(text.to_owned());
    packing.apply_to(&mut request);
    let response = searcher.search(&request, progress)?;
    let holders = response.holders.clone().unwrap_or_default();
    let pack = pack(&response, &holders, &packing, None)?;
    Ok(Answer { response, pack })
}

/// Returns whether an answer shows a line that answers, or the commit or ticket that does.
fn shows(query: &Query, answer: &Answer) -> bool {
    answer.pack.shown.iter().any(|shown| {
        let hit = &answer.response.hits[shown.hit];
        let at = |line: Option<u32>| ranked(hit, line);
        match &shown.lines[..] {
            [] => shows_answer(query, &at(None)),
            lines => lines.iter().any(|line| shows_answer(query, &at(Some(*line)))),
        }
    })
}

/// A hit that shows one line, or none.
fn ranked(hit: &Hit, line: Option<u32>) -> Ranked {
    Ranked {
        path: hit.path.clone().unwrap_or_default(),
        id: hit.id.clone(),
        start_line: line,
        end_line: line,
        shown: line.map(|line| (line, line)),
        ..Ranked::default()
    }
}

/// Asks; opens the best places; reads the next page if the answer is not sure; then uses ripgrep.
fn with_lore(
    query: &Query,
    root: &Path,
    first: &Answer,
    next: Option<&Answer>,
    sureness: Option<Sureness>,
) -> Paid {
    let mut paid = Paid::default();
    let read = |answer: &Answer, paid: &mut Paid| {
        paid.read(&answer.pack.text);
        shows(query, answer) || opens(query, root, answer, paid)
    };
    paid.found = read(first, &mut paid);
    if !paid.found && sureness != Some(Sureness::Found) {
        paid.found = next.is_some_and(|next| read(next, &mut paid));
    }
    if paid.found { paid } else { with_ripgrep(query, root, paid) }
}

/// Opens the first places of an answer. Returns true once a line that answers is in view.
fn opens(query: &Query, root: &Path, answer: &Answer, paid: &mut Paid) -> bool {
    let mut hits = answer.pack.shown.iter().map(|shown| &answer.response.hits[shown.hit]);
    let mut opened = 0;
    while let Some(hit) = hits.next().filter(|_| opened < OPENED) {
        let (Some(path), Some(start)) = (&hit.path, hit.start_line) else { continue };
        opened += 1;
        if open(query, root, path, hit.snippet.start_line.max(start), paid) {
            return true;
        }
    }
    false
}

/// Opens the lines around a line of a file. Returns true if one of them answers.
fn open(query: &Query, root: &Path, path: &str, line: u32, paid: &mut Paid) -> bool {
    let Ok(text) = fs::read_to_string(root.join(path)) else { return false };
    let first = line.saturating_sub(OPENED_LINES / 2).max(1);
    let lines = (1..).zip(text.lines()).skip(first as usize - 1).take(OPENED_LINES as usize);
    let mut is_found = false;
    let mut shown = String::new();
    for (number, text) in lines {
        let _ = writeln!(shown, "{number}:{text}");
        is_found |= shows_line(query, path, number);
    }
    paid.read(&shown);
    is_found
}

fn shows_line(query: &Query, path: &str, line: u32) -> bool {
    let ranked = Ranked {
        path: path.to_owned(),
        start_line: Some(line),
        end_line: Some(line),
        shown: Some((line, line)),
        ..Ranked::default()
    };
    shows_answer(query, &ranked)
}

/// Searches the rarest words of the question one after another with ripgrep, in the files and in the
/// titles of commits, and opens the file with the most matches after each.
fn with_ripgrep(query: &Query, root: &Path, mut paid: Paid) -> Paid {
    let steps = paid.calls + MAX_STEPS;
    for word in words(&query.text) {
        let listed = run(root, "rg", &["-n", "-i", "--sort", "path", "--", &word, "."]);
        let lines: Vec<&str> = listed.lines().take(MAX_LISTED).collect();
        let shown: Vec<String> = lines.iter().map(|line| shortened(line)).collect();
        paid.read(&shown.join("\n"));
        let mut matches: HashMap<&str, (usize, u32)> = HashMap::new();
        for line in &lines {
            let Some((path, number)) = place(line) else { continue };
            if shows_line(query, path, number) {
                return Paid { found: true, ..paid };
            }
            let entry = matches.entry(path).or_insert((0, number));
            entry.0 += 1;
        }
        let best =
            matches.iter().max_by_key(|(path, (count, _))| (*count, std::cmp::Reverse(*path)));
        if let Some((path, (_, line))) = best
            && open(query, root, path, *line, &mut paid)
        {
            return Paid { found: true, ..paid };
        }
        let format = "--format=%H %ad %an %s";
        let grep = format!("--grep={word}");
        let log =
            run(root, "git", &["log", "--all", "-i", "--date=short", "-n", "20", format, &grep]);
        paid.read(&log);
        let is_commit = |line: &str| {
            let hash = line.split(' ').next().unwrap_or_default();
            shows_answer(query, &Ranked { id: format!("git:{hash}"), ..Ranked::default() })
        };
        if log.lines().any(is_commit) {
            return Paid { found: true, ..paid };
        }
        if paid.calls >= steps {
            break;
        }
    }
    paid
}

/// Reads passages of ten lines around the best lines of a search by words alone, five at a time.
fn with_passages(
    query: &Query,
    root: &Path,
    searcher: &mut Searcher<'_>,
    template: &SearchRequest,
    progress: &dyn Progress,
) -> anyhow::Result<Paid> {
    const PASSAGES: usize = 5;
    let request = template.clone().with_query(query.text.clone()).with_snippet_lines(10);
    let response = searcher.search(&request.with_limit(PASSAGES * 3), progress)?;
    let mut paid = Paid::default();
    for page in response.hits.chunks(PASSAGES) {
        let mut text = String::new();
        let mut is_found = false;
        for hit in page {
            let path = hit.path.as_deref().unwrap_or(&hit.id);
            let start = hit.snippet.start_line;
            let _ = write!(text, "{path}:{start}\n{}\n\n", hit.snippet.text);
            let lines = (start..).zip(hit.snippet.text.lines());
            is_found |= match &hit.path {
                Some(_) => {
                    lines.into_iter().any(|(line, _)| shows_answer(query, &ranked(hit, Some(line))))
                }
                None => shows_answer(query, &ranked(hit, None)),
            };
        }
        paid.read(&text);
        if is_found {
            return Ok(Paid { found: true, ..paid });
        }
    }
    Ok(with_ripgrep(query, root, paid))
}

/// Words of four letters or more that say nothing about the subject of a question.
const QUESTION_WORDS: &[&str] = &[
    "about",
    "after",
    "against",
    "already",
    "also",
    "another",
    "anything",
    "because",
    "before",
    "being",
    "between",
    "cannot",
    "does",
    "doing",
    "during",
    "each",
    "every",
    "from",
    "have",
    "having",
    "happens",
    "instead",
    "into",
    "itself",
    "just",
    "made",
    "make",
    "more",
    "most",
    "only",
    "other",
    "over",
    "same",
    "should",
    "some",
    "something",
    "than",
    "that",
    "their",
    "them",
    "then",
    "there",
    "these",
    "they",
    "thing",
    "this",
    "those",
    "through",
    "under",
    "until",
    "used",
    "uses",
    "using",
    "want",
    "were",
    "what",
    "when",
    "where",
    "whether",
    "which",
    "while",
    "whose",
    "will",
    "with",
    "without",
    "work",
    "works",
    "would",
    "your",
];

/// The words of a question that a person would search first: longest first, without everyday words.
fn words(question: &str) -> Vec<String> {
    let is_word = |word: &&str| {
        word.chars().count() > 3 && !QUESTION_WORDS.contains(&word.to_lowercase().as_str())
    };
    let split = question.split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-' | '.'));
    let mut words: Vec<String> =
        split.map(|word| word.trim_matches('.')).filter(is_word).map(str::to_owned).collect();
    let is_name = |word: &String| {
        word.contains(['_', '-', '.']) || word.chars().skip(1).any(char::is_uppercase)
    };
    words.sort_by_key(|word| (!is_name(word), std::cmp::Reverse(word.chars().count())));
    words.dedup();
    words.truncate(MAX_WORDS);
    words
}

/// The output of a program in a folder; nothing if it cannot be run.
fn run(root: &Path, program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(root)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output();
    output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default()
}

/// The path and line of a line that ripgrep printed.
fn place(line: &str) -> Option<(&str, u32)> {
    let (path, rest) = line.split_once(':')?;
    let (number, _) = rest.split_once(':')?;
    Some((path.strip_prefix("./").unwrap_or(path), number.parse().ok()?))
}

fn shortened(line: &str) -> String {
    line.chars().take(MAX_LINE).collect()
}
