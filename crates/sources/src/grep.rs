//! Searches every text file of a tree for a pattern, without an index.

use std::{
    io,
    ops::Range,
    sync::atomic::{AtomicUsize, Ordering},
};

use grep_matcher::Matcher as _;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkFinish, SinkMatch};
use lore_schema::{SkipCounts, SkipReason, SourceName};

use crate::{Secrets, Tree, redact};

/// A compiled search pattern.
#[derive(Debug, Clone)]
pub struct Pattern {
    matcher: RegexMatcher,
    /// True if a match may span several lines.
    multi_line: bool,
}

/// Maximum size of a compiled pattern in bytes: `(a{1000}){1000}` would have a million states.
const MAX_PATTERN_BYTES: usize = 10 << 20;

/// Reason why a regular expression is invalid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternError {
    /// Description of the error, without a final dot.
    pub message: String,
    /// Byte range of the error in the expression.
    pub span: Range<usize>,
}

impl Pattern {
    /// Compiles a regular expression, or a literal text.
    ///
    /// If the expression is invalid.
    pub fn new(text: &str, literal: bool, case_sensitive: bool) -> Result<Pattern, PatternError> {
        if !literal {
            let ast = regex_syntax::ast::parse::Parser::new().parse(text);
            ast.map_err(|error| PatternError {
                message: error.kind().to_string(),
                span: error.span().start.offset..error.span().end.offset,
            })?;
        }
        let mut builder = RegexMatcherBuilder::new();
        builder.size_limit(MAX_PATTERN_BYTES);
        builder.case_insensitive(!case_sensitive).multi_line(true).fixed_strings(literal);
        // Matching line by line is faster. Only a pattern that can match a line end needs more.
        let of_line = builder.clone().line_terminator(Some(b'\n')).build(text);
        let (matcher, multi_line) = match of_line {
            Ok(matcher) => (Ok(matcher), false),
            Err(_) => (builder.build(text), true),
        };
        let matcher = matcher.map_err(|error| PatternError {
            message: last_line(&error.to_string()),
            span: 0..text.len(),
        })?;
        Ok(Pattern { matcher, multi_line })
    }

    /// Returns up to `keep` matching lines of a text, numbered from 1, and the total number of
    /// matching lines.
    pub fn matching_lines_in(&self, text: &str, keep: usize) -> (Vec<MatchedLine>, u64) {
        let mut sink = Lines::new(self, keep);
        // Reading a slice cannot fail.
        let _ = searcher(self, keep).search_slice(&self.matcher, text.as_bytes(), &mut sink);
        (sink.kept, sink.total)
    }
}

fn last_line(text: &str) -> String {
    let line = text.lines().next_back().unwrap_or_default();
    line.strip_prefix("error: ").unwrap_or(line).to_owned()
}

/// A matching line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchedLine {
    /// Line number in the file, from 1; of the first line if a match spans several.
    pub number: u32,
    /// Text without the line end.
    pub text: String,
    /// Byte ranges of the matches in `text`, ordered and disjoint.
    pub ranges: Vec<Range<usize>>,
}

/// A file with matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileMatches {
    /// Source that the file belongs to.
    pub source: SourceName,
    /// Root-relative path with `/`.
    pub path: String,
    /// The first matching lines.
    pub lines: Vec<MatchedLine>,
    /// Number of matching lines.
    pub total: u64,
}

/// Results of a search of all files.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GrepResults {
    /// Files with matches, sorted by path.
    pub files: Vec<FileMatches>,
    /// Number of searched files and skipped files of each source.
    pub sources: Vec<(SourceName, u64, SkipCounts)>,
}

/// Number of files that a worker takes at a time.
const BATCH: usize = 8;

/// The same for files that are not on disk: one request reads them all.
const STORED_BATCH: usize = 100;

/// Selection of the files to search.
pub enum FileFilter<'a> {
    /// Files selected by path, whatever their source. The search starts before files are assigned
    /// to readers.
    Paths(&'a (dyn Fn(&str) -> bool + Sync)),
    /// Files selected by source and path.
    Sources(&'a (dyn Fn(SourceName, &str) -> bool + Sync)),
}

/// Returns the source of each entry.
fn sources_of(tree: &Tree) -> Vec<SourceName> {
    let mut source_of = vec![SourceName::Code; tree.entries().len()];
    for source in SourceName::ALL {
        for unit in crate::claims::of(tree).of(*source) {
            for &file in &unit.claim.files {
                source_of[file] = *source;
            }
        }
    }
    source_of
}

/// Searches every listed file that `filter` selects, on `threads` threads. Binary files are
/// searched up to their first NUL byte and counted as skipped. UTF-16 with a byte order mark is
/// decoded. At most `keep` lines per file are kept.
pub fn grep(
    tree: &Tree,
    pattern: &Pattern,
    threads: usize,
    keep: usize,
    filter: &FileFilter<'_>,
) -> GrepResults {
    let entries = tree.entries();
    let selected: Vec<usize> = match filter {
        FileFilter::Paths(filter) => {
            (0..entries.len()).filter(|&index| filter(&entries[index].path)).collect()
        }
        FileFilter::Sources(filter) => {
            let source_of = sources_of(tree);
            let is_selected = |index: &usize| filter(source_of[*index], &entries[*index].path);
            (0..entries.len()).filter(is_selected).collect()
        }
    };
    let next = AtomicUsize::new(0);
    let size = if tree.is_on_disk() { BATCH } else { STORED_BATCH };
    let work = || {
        let mut searcher = searcher(pattern, keep);
        let mut files = Vec::new();
        let mut outcomes: Vec<(usize, Option<SkipReason>)> = Vec::new();
        loop {
            let from = next.fetch_add(size, Ordering::Relaxed);
            let Some(batch) = selected.get(from..selected.len().min(from + size)) else { break };
            if batch.is_empty() {
                break;
            }
            tree.read_ahead(batch.iter().map(|index| entries[*index].path.as_str()));
            for &index in batch {
                let mut sink = Lines::new(pattern, keep);
                let path = &entries[index].path;
                let outcome = search_file(&mut searcher, pattern, tree, path, &mut sink);
                outcomes.push((index, outcome));
                if sink.total > 0 && outcome.is_none() {
                    files.push((index, sink.kept, sink.total));
                }
            }
        }
        (files, outcomes)
    };
    let mut results = GrepResults::default();
    let (parts, source_of) = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(work)).collect();
        let source_of = sources_of(tree);
        let parts = workers.into_iter().map(std::thread::ScopedJoinHandle::join);
        (parts.collect::<Vec<_>>(), source_of)
    });
    let mut counts: Vec<(SourceName, u64, SkipCounts)> = Vec::new();
    for source in SourceName::ALL {
        counts.push((*source, 0, SkipCounts::new()));
    }
    for part in parts {
        let (files, outcomes) = part.expect("searching a file does not panic");
        results.files.extend(files.into_iter().map(|(index, lines, total)| FileMatches {
            source: source_of[index],
            path: entries[index].path.clone(),
            lines,
            total,
        }));
        for (index, outcome) in outcomes {
            let of_source = counts.iter_mut().find(|(name, ..)| *name == source_of[index]);
            let (_, searched, skipped) = of_source.expect("every source is there");
            match outcome {
                None => *searched += 1,
                Some(reason) => *skipped.entry(reason).or_default() += 1,
            }
        }
    }
    counts.retain(|(_, searched, skipped)| *searched > 0 || !skipped.is_empty());
    results.sources = counts;
    results.files.sort_unstable_by(|left, right| left.path.cmp(&right.path));
    results
}

/// Returns up to `keep` matching lines of one file; none if it can no longer be read.
pub fn matching_lines(tree: &Tree, path: &str, pattern: &Pattern, keep: usize) -> Vec<MatchedLine> {
    let mut sink = Lines::new(pattern, keep);
    if tree.entry(path).is_some() {
        search_file(&mut searcher(pattern, keep), pattern, tree, path, &mut sink);
    }
    if tree.options().secrets == Secrets::Redacted && !sink.kept.is_empty() {
        redact_lines(tree, path, pattern, &mut sink.kept);
    }
    sink.kept
}

/// Replaces lines with those of the redacted text. If no match is left in a line, nothing is
/// highlighted: the match was a secret.
fn redact_lines(tree: &Tree, path: &str, pattern: &Pattern, lines: &mut Vec<MatchedLine>) {
    // If the file is not text, each line is redacted separately.
    let text = tree.read_text_up_to(path, u64::MAX);
    let whole: Option<Vec<&str>> = text.as_ref().ok().map(|text| text.lines().collect());
    for line in lines {
        let count = line.text.lines().count().max(1);
        let number = line.number.saturating_sub(1) as usize;
        let redacted = match &whole {
            Some(whole) => {
                let last = whole.len().min(number + count);
                whole[number.min(last)..last].join("\n")
            }
            None => redact(line.text.clone()),
        };
        if redacted.contains(&line.text) {
            continue;
        }
        let mut ranges = Vec::new();
        // The matcher never fails: its error type has no values.
        let _ = pattern.matcher.find_iter(redacted.as_bytes(), |found| {
            if !found.is_empty() {
                ranges.push(found.start()..found.end());
            }
            true
        });
        (line.text, line.ranges) = displayed_line(redacted.as_bytes(), &ranges);
    }
}

/// Creates a searcher. Lines are numbered only if some are kept.
fn searcher(pattern: &Pattern, keep: usize) -> Searcher {
    SearcherBuilder::new()
        .binary_detection(BinaryDetection::quit(0))
        .line_number(keep > 0)
        .multi_line(pattern.multi_line)
        .build()
}

/// Searches one file; `None` if it was searched to its end.
fn search_file(
    searcher: &mut Searcher,
    pattern: &Pattern,
    tree: &Tree,
    path: &str,
    sink: &mut Lines<'_>,
) -> Option<SkipReason> {
    let searched = if tree.is_on_disk() {
        match tree.open_file(path, u64::MAX) {
            Ok(file) => searcher.search_file(&pattern.matcher, &file, &mut *sink),
            Err(reason) => return Some(reason),
        }
    } else {
        match tree.read_bytes(path, u64::MAX) {
            // Read through a reader like files on disk, so that both classify the same files as
            // binary.
            Ok(bytes) => searcher.search_reader(&pattern.matcher, &bytes[..], &mut *sink),
            Err(reason) => return Some(reason),
        }
    };
    match searched {
        Ok(()) if sink.binary => Some(SkipReason::Binary),
        Ok(()) => None,
        Err(_) => Some(SkipReason::Unreadable),
    }
}

/// Collects the matching lines of one text.
struct Lines<'a> {
    pattern: &'a Pattern,
    keep: usize,
    kept: Vec<MatchedLine>,
    total: u64,
    binary: bool,
}

impl<'a> Lines<'a> {
    fn new(pattern: &'a Pattern, keep: usize) -> Lines<'a> {
        Lines { pattern, keep, kept: Vec::new(), total: 0, binary: false }
    }
}

/// Maximum length of a kept line in bytes; the rest of a longer one is cut.
const MAX_LINE_BYTES: usize = 4_096;

impl Sink for Lines<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        self.total += found.lines().count() as u64;
        if self.kept.len() < self.keep {
            let bytes = found.bytes();
            let end = bytes.iter().rposition(|byte| !matches!(byte, b'\r' | b'\n'));
            let bytes = &bytes[..end.map_or(0, |last| last + 1)];
            let mut ranges: Vec<Range<usize>> = Vec::new();
            // The matcher never fails: its error type has no values.
            let _ = self.pattern.matcher.find_iter(bytes, |found| {
                if !found.is_empty() {
                    ranges.push(found.start()..found.end());
                }
                true
            });
            let (text, ranges) = displayed_line(bytes, &ranges);
            let number = found.line_number().unwrap_or(1);
            self.kept.push(MatchedLine {
                number: u32::try_from(number).unwrap_or(u32::MAX),
                text,
                ranges,
            });
        }
        Ok(true)
    }

    fn finish(&mut self, _: &Searcher, finish: &SinkFinish) -> io::Result<()> {
        self.binary = finish.binary_byte_offset().is_some();
        Ok(())
    }
}

/// Returns a line as text, cut around its first match if it is too long, with the match ranges in
/// it.
fn displayed_line(bytes: &[u8], ranges: &[Range<usize>]) -> (String, Vec<Range<usize>>) {
    let first = ranges.first().map_or(0, |range| range.start);
    let from =
        if bytes.len() > MAX_LINE_BYTES { first.saturating_sub(MAX_LINE_BYTES / 4) } else { 0 };
    let to = bytes.len().min(from + MAX_LINE_BYTES);
    // Cut between characters.
    let is_inside = |at: usize| bytes.get(at).is_some_and(|byte| byte & 0xC0 == 0x80);
    let from = (from..to).find(|&at| !is_inside(at)).unwrap_or(from);
    let mut text = String::new();
    let mut marks = Vec::new();
    let mut at = from;
    for range in ranges {
        let (start, end) = (range.start.clamp(at, to), range.end.clamp(at, to));
        if start >= end {
            continue;
        }
        text.push_str(&String::from_utf8_lossy(&bytes[at..start]));
        let mark = text.len();
        text.push_str(&String::from_utf8_lossy(&bytes[start..end]));
        marks.push(mark..text.len());
        at = end;
    }
    text.push_str(&String::from_utf8_lossy(&bytes[at..to]));
    (text, marks)
}

#[cfg(test)]
mod tests;
