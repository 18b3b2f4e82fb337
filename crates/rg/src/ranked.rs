//! The most relevant matches, listed before the output by `--ranked`.

use std::{
    collections::BTreeMap,
    path::{Component, Path, PathBuf},
};

use grep_regex::RegexMatcher;
use grep_searcher::sinks::Bytes;

use crate::{
    builders,
    files::SearchedFile,
    flags::{Mode, SearchMode},
    options::Options,
    parse::UsageError,
};

/// Maximum number of listed matches.
const MAX_LINES: usize = 5;

/// Maximum number of characters of a listed line.
const MAX_TEXT: usize = 160;

/// A ranked passage of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// The absolute path.
    pub path: PathBuf,
    /// The first and last line, 1-based.
    pub lines: (u64, u64),
}

/// Ranks passages for words, best first. Returns none if no index can be used.
pub type Ranker<'a> = dyn FnMut(&str) -> Vec<Passage> + 'a;

/// Rejects output in which lines of another kind would be mistaken for data.
pub(crate) fn check(options: &Options) -> Result<(), UsageError> {
    let flags = &options.flags;
    let conflicts = [
        (options.mode == Mode::Search(SearchMode::Json), "--json"),
        (options.mode == Mode::Files, "--files"),
        (options.mode == Mode::Types, "--type-list"),
        (flags.invert_match, "--invert-match"),
        (flags.null, "--null"),
        (flags.quiet, "--quiet"),
    ];
    match conflicts.iter().find(|(is_set, _)| *is_set) {
        Some((_, other)) => {
            Err(UsageError::new(format!("`--ranked` cannot be combined with `{other}`"))
                .hint("leave `--ranked` away, or search twice"))
        }
        None => Ok(()),
    }
}

/// The lines before the output; empty if nothing relevant matches.
pub(crate) fn head(
    options: &Options,
    matcher: &RegexMatcher,
    files: &[SearchedFile],
    ranker: &mut Ranker<'_>,
) -> Vec<u8> {
    let words = words(&options.patterns);
    if words.is_empty() {
        return Vec::new();
    }
    let passages = ranker(&words);
    if passages.is_empty() {
        return Vec::new();
    }
    let directory = options.directory.canonicalize().unwrap_or_else(|_| options.directory.clone());
    let shown: BTreeMap<PathBuf, &SearchedFile> = files
        .iter()
        .filter(|file| !file.is_stdin)
        .map(|file| (normal(&directory.join(&file.path)), file))
        .collect();
    let mut lines: Vec<String> = Vec::new();
    for passage in passages {
        let Some(file) = shown.get(&normal(&passage.path)) else { continue };
        let Some((number, text)) = first_match(options, matcher, &file.path, passage.lines) else {
            continue;
        };
        let line = format!("# most relevant: {}:{number}: {text}\n", file.path.display());
        if !lines.contains(&line) {
            lines.push(line);
        }
        if lines.len() == MAX_LINES {
            break;
        }
    }
    lines.concat().into_bytes()
}

/// The words of the patterns, without the syntax of regular expressions.
fn words(patterns: &[String]) -> String {
    let mut words: Vec<String> = Vec::new();
    for pattern in patterns {
        let mut text = String::new();
        let mut characters = pattern.chars();
        while let Some(c) = characters.next() {
            match c {
                // `\b`, `\w` and other classes are not part of a word.
                '\\' => {
                    let escaped = characters.next().filter(|c| !c.is_alphanumeric());
                    text.push(escaped.filter(|c| *c == '_').unwrap_or(' '));
                }
                c if c.is_alphanumeric() || c == '_' => text.push(c),
                _ => text.push(' '),
            }
        }
        for word in text.split_whitespace().filter(|word| word.chars().count() > 1) {
            if !words.iter().any(|known| known == word) {
                words.push(word.to_owned());
            }
        }
    }
    words.join(" ")
}

/// The first matching line in a range of lines, otherwise the first of the file, with its number.
fn first_match(
    options: &Options,
    matcher: &RegexMatcher,
    path: &Path,
    (first, last): (u64, u64),
) -> Option<(u64, String)> {
    let mut of_file = None;
    let mut of_range = None;
    let sink = Bytes(|number, text| {
        if (first..=last).contains(&number) {
            of_range = Some((number, shown_text(text)));
        } else if of_file.is_none() {
            of_file = Some((number, shown_text(text)));
        }
        Ok(of_range.is_none() && (number <= last || of_file.is_none()))
    });
    builders::searcher(options, true).search_path(matcher, path, sink).ok()?;
    of_range.or(of_file)
}

/// The start of a line, without control characters.
fn shown_text(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let line = text.lines().next().unwrap_or_default().trim();
    line.chars().filter(|c| !c.is_control()).take(MAX_TEXT).collect()
}

/// An absolute path without `.` and `..`, as far as its names show.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            component => normal.push(component),
        }
    }
    normal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_pattern_have_no_syntax() {
        let words = |pattern: &str| super::words(&[pattern.to_owned()]);
        assert_eq!(words(r"\bfn\s+retry_refund\("), "fn retry_refund");
        assert_eq!(words(r"Refund(Error|s)"), "Refund Error");
        assert_eq!(words(r"\d+"), "");
        assert_eq!(super::words(&["a_b".to_owned(), "a_b|cd".to_owned()]), "a_b cd");
    }

    #[test]
    fn paths_are_compared_without_dots() {
        assert_eq!(normal(Path::new("/a/./b/../c")), Path::new("/a/c"));
    }
}
