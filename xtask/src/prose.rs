//! Keeps prose and names plain: fails on the words and names of [`rules::RULES`].
//!
//! Text that is data and not prose is exempt by a comment with a reason:
//!
//! * `prose: data` in a comment exempts its line, or the next one if the comment has a line to itself;
//! * `prose: data begins` and `prose: data ends` exempt the lines between them.
//!
//! String literals of a single word and code in backticks are keys or names, and never checked.

mod rules;

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use anyhow::Result;

use crate::rust_tokens::{Kind, Token, tokens};
use rules::{RULES, Rule, Scope};

/// Paths that are not checked, each with the reason.
const EXEMPT: &[(&str, &str)] = &[
    ("xtask/src/prose/", "the rules and their bad examples"),
    ("eval/collections/", "texts and questions of collections; their READMEs are checked"),
    ("eval/calibration/", "questions and labels; its README is checked"),
];

/// Folders below which nothing is prose of this project.
const FOREIGN: &[&str] = &["fixtures", "snapshots", "target", "corpus", "node_modules"];

/// Folders with prose; Markdown at the root is checked as well.
const FOLDERS: &[&str] = &[
    "benches",
    "crates",
    "deploy",
    "docs",
    "eval",
    "fuzz",
    "packaging",
    "training",
    "xtask",
    ".ci",
    ".github",
];

/// Keywords before a name that is being defined.
const DEFINING: &[&str] =
    &["fn", "struct", "enum", "trait", "type", "mod", "const", "static", "union", "let"];

/// Marker of lines that are data.
const MARKER: &str = concat!("prose: ", "data");

/// Violations below the paths, or in the whole tree if there are none; one line each.
pub(crate) fn check(root: &Path, paths: &[PathBuf]) -> Result<Vec<String>> {
    let mut files = BTreeSet::new();
    for folder in FOLDERS {
        collect(&root.join(folder), &mut files)?;
    }
    for entry in std::fs::read_dir(root)? {
        let path = entry?.path();
        if path.is_file() && has_extension(&path, &["md"]) {
            files.insert(path);
        }
    }
    let mut violations = Vec::new();
    for path in files {
        if !paths.is_empty() && !paths.iter().any(|wanted| path.starts_with(wanted)) {
            continue;
        }
        let shown = path.strip_prefix(root).unwrap_or(&path).display().to_string();
        let readme = shown.ends_with("README.md");
        if EXEMPT.iter().any(|(prefix, _)| shown.starts_with(prefix)) && !readme {
            continue;
        }
        let text = std::fs::read_to_string(&path)?;
        violations.extend(check_text(&shown, &text));
    }
    Ok(violations)
}

/// Violations in the text of one file, ordered by line.
fn check_text(path: &str, text: &str) -> Vec<String> {
    let file = Path::new(path);
    let mut found = if has_extension(file, &["rs"]) {
        rust(text)
    } else if has_extension(file, &["md"]) {
        markdown(text)
    } else {
        line_comments(text, if has_extension(file, &["scm"]) { ';' } else { '#' })
    };
    let mut exempt = marked(text);
    if path == "CHANGELOG.md" {
        exempt.extend(released(text));
    }
    found.retain(|violation| !exempt.contains(&violation.line));
    found.sort_by_key(|violation| violation.line);
    found
        .iter()
        .map(|Violation { line, text, rule }| {
            let instead = rule.instead;
            if rule.scope == Scope::DocStart {
                format!("{path}:{line}: \"{text} …\": write {instead}")
            } else {
                format!("{path}:{line}: \"{text}\": write \"{instead}\"")
            }
        })
        .collect()
}

/// Text that a rule forbids, with its line.
struct Violation {
    line: usize,
    text: String,
    rule: &'static Rule,
}

/// Adds the files below a folder that have prose in them.
fn collect(folder: &Path, files: &mut BTreeSet<PathBuf>) -> Result<()> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Ok(()) };
    for entry in entries {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            if !FOREIGN.contains(&name.as_str()) {
                collect(&path, files)?;
            }
        } else if has_extension(&path, &["rs", "md", "toml", "scm", "py", "sh"])
            || path.ends_with(".ci/run")
        {
            files.insert(path);
        }
    }
    Ok(())
}

fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    path.extension().is_some_and(|extension| extensions.iter().any(|wanted| extension == *wanted))
}

/// Lines that a marker exempts.
fn marked(text: &str) -> BTreeSet<usize> {
    let mut lines = BTreeSet::new();
    let mut open = false;
    for (number, line) in (1..).zip(text.lines()) {
        let Some(at) = line.find(MARKER) else {
            if open {
                lines.insert(number);
            }
            continue;
        };
        let rest = line[at + MARKER.len()..].trim_start();
        lines.insert(number);
        open = match rest.split_whitespace().next() {
            Some("begins") => true,
            Some("ends") => false,
            _ => open,
        };
        let alone =
            ["//", "#", ";", "<!--"].iter().any(|start| line.trim_start().starts_with(start));
        if alone {
            lines.insert(number + 1);
        }
    }
    lines
}

/// Lines of a changelog that belong to released versions, and stay as they were published.
fn released(text: &str) -> BTreeSet<usize> {
    let mut unreleased = true;
    let mut lines = BTreeSet::new();
    for (number, line) in (1..).zip(text.lines()) {
        if line.starts_with("## ") {
            unreleased = line.contains("Unreleased");
        }
        if !unreleased {
            lines.insert(number);
        }
    }
    lines
}

/// Violations in Rust source.
fn rust(text: &str) -> Vec<Violation> {
    let all = tokens(text);
    let mut found = Vec::new();
    for comments in
        all.chunk_by(|token, next| token.kind == next.kind && next.line == token.line + 1)
    {
        let first = &comments[0];
        if matches!(first.kind, Kind::Comment | Kind::Doc) {
            let lines: Vec<_> =
                comments.iter().flat_map(|token| (token.line..).zip(token.text.lines())).collect();
            sentences(&lines, &mut found);
        }
        if first.kind == Kind::Doc {
            found.extend(doc_start(first));
        }
    }
    for token in &all {
        if token.kind == Kind::Text && token.text.split_whitespace().nth(1).is_some() {
            string(token, &mut found);
        }
    }
    let code: Vec<_> = all.into_iter().filter(Token::is_code).collect();
    found.extend(names(&code));
    found.extend(variables(&code));
    found
}

/// The violation at the first word of a doc comment.
fn doc_start(doc: &Token<'_>) -> Option<Violation> {
    let word = doc.text.split_whitespace().next()?.trim_end_matches(|c: char| !c.is_alphanumeric());
    let rule = of_scope(Scope::DocStart).find(|rule| rule.patterns.contains(&word))?;
    Some(Violation { line: doc.line, text: word.to_owned(), rule })
}

/// Adds the violations in a string literal.
fn string(token: &Token<'_>, found: &mut Vec<Violation>) {
    let text = token.text.replace("\\\n", " \n").replace("\\n", " . ").replace("\\\"", "\"");
    let lines: Vec<_> = (token.line..).zip(text.lines()).collect();
    sentences(&lines, found);
}

/// Violations in the names that the code defines.
fn names(code: &[Token<'_>]) -> Vec<Violation> {
    let mut found = Vec::new();
    for (at, keyword) in code.iter().enumerate() {
        if keyword.kind != Kind::Name || !DEFINING.contains(&keyword.text) {
            continue;
        }
        let Some(name) = code[at + 1..].iter().find(|token| !token.is("mut")) else { continue };
        if name.kind != Kind::Name {
            continue;
        }
        let constant = keyword.is("const") || keyword.is("static");
        let forbidden =
            of_scope(Scope::Name).find(|rule| rule.patterns.contains(&name.text)).or_else(|| {
                let forbids =
                    |rule: &&Rule| rule.patterns.iter().any(|start| name.text.starts_with(start));
                of_scope(Scope::ConstantPrefix).find(|rule| constant && forbids(rule))
            });
        if let Some(rule) = forbidden {
            found.push(Violation { line: name.line, text: name.text.to_owned(), rule });
            continue;
        }
        let spaced = spaced(name.text);
        let mut in_words = Vec::new();
        sentences(&[(name.line, &spaced)], &mut in_words);
        found.extend(
            in_words.into_iter().map(|word| Violation { text: name.text.to_owned(), ..word }),
        );
    }
    found
}

/// The words of a name, separated by spaces.
fn spaced(name: &str) -> String {
    let camel = name.contains(char::is_lowercase);
    let mut words = String::new();
    for c in name.chars() {
        if c == '_' || (camel && c.is_uppercase()) {
            words.push(' ');
        }
        if c != '_' {
            words.extend(c.to_lowercase());
        }
    }
    words
}

/// Violations in the names of closure parameters and loop variables.
fn variables(code: &[Token<'_>]) -> Vec<Violation> {
    let mut found = Vec::new();
    for (at, token) in code.iter().enumerate() {
        let Some(rule) = of_scope(Scope::Variable)
            .find(|rule| token.kind == Kind::Name && rule.patterns.contains(&token.text))
        else {
            continue;
        };
        let before = code[..at].iter().rev().find(|token| !token.is("&") && !token.is("mut"));
        let after = code.get(at + 1);
        let closure = before.is_some_and(|token| token.is("|"))
            && after.is_some_and(|token| token.is("|") || token.is(",") || token.is(":"));
        let last = before.is_some_and(|token| token.is(",")) && after.is_some_and(|t| t.is("|"));
        if closure || last || before.is_some_and(|token| token.is("for")) {
            found.push(Violation { line: token.line, text: token.text.to_owned(), rule });
        }
    }
    found
}

/// Violations in Markdown: each paragraph as sentences. Code blocks are output of the program, whose
/// messages are checked in its source, or quote example repositories.
fn markdown(text: &str) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut paragraph = Vec::new();
    // Number of backticks that opened the code block; a longer fence may contain shorter ones.
    let mut fence = 0;
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim_start();
        let backticks = line.len() - line.trim_start_matches('`').len();
        let is_fence = backticks >= 3 && (fence == 0 || backticks >= fence);
        if is_fence {
            fence = if fence == 0 { backticks } else { 0 };
        }
        if fence > 0 || is_fence || line.is_empty() {
            sentences(&paragraph, &mut found);
            paragraph.clear();
        } else {
            paragraph.push((number, line));
        }
    }
    sentences(&paragraph, &mut found);
    found
}

/// Violations in the comments of a file whose comments run from a mark to the end of the line.
fn line_comments(text: &str, mark: char) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut block: Vec<(usize, &str)> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let comment = line
            .split_once(mark)
            .filter(|(before, _)| before.is_empty() || before.ends_with(char::is_whitespace));
        if let Some((_, comment)) = comment {
            block.push((number, comment));
        } else {
            sentences(&block, &mut found);
            block.clear();
        }
    }
    sentences(&block, &mut found);
    found
}

/// Adds the violations in consecutive lines of prose; a phrase may run over the end of a line.
fn sentences(lines: &[(usize, &str)], found: &mut Vec<Violation>) {
    let words: Vec<(usize, String)> =
        lines.iter().flat_map(|(number, line)| words(*number, line)).collect();
    let starts_with = |at: usize, phrase: &str| {
        let mut length = 0;
        for (offset, expected) in phrase.split(' ').enumerate() {
            if words.get(at + offset).is_none_or(|(_, word)| word != expected) {
                return 0;
            }
            length = offset + 1;
        }
        length
    };
    let mut at = 0;
    while at < words.len() {
        let longest = of_scope(Scope::Prose)
            .filter(|rule| rule.unless.iter().all(|phrase| starts_with(at, phrase) == 0))
            .flat_map(|rule| rule.patterns.iter().map(move |phrase| (rule, *phrase)))
            .map(|(rule, phrase)| (starts_with(at, phrase), phrase, rule))
            .max_by_key(|(length, ..)| *length);
        match longest {
            Some((length, phrase, rule)) if length > 0 => {
                found.push(Violation { line: words[at].0, text: phrase.to_owned(), rule });
                at += length;
            }
            _ => at += 1,
        }
    }
}

/// The lower-case words of a line; punctuation and code in backticks are words that match nothing.
fn words(number: usize, line: &str) -> Vec<(usize, String)> {
    let mut words: Vec<(usize, String)> = vec![];
    let mut word = String::new();
    let mut rest = line.trim_start();
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        if c.is_alphanumeric() || c == '_' {
            word.extend(c.to_lowercase());
            continue;
        }
        if !word.is_empty() {
            words.push((number, std::mem::take(&mut word)));
        }
        if c == '`'
            && let Some(close) = rest.find('`')
        {
            rest = &rest[close + 1..];
        }
        if !c.is_whitespace() {
            words.push((number, c.to_string()));
        }
    }
    if !word.is_empty() {
        words.push((number, word));
    }
    words
}

fn of_scope(scope: Scope) -> impl Iterator<Item = &'static Rule> {
    RULES.iter().filter(move |rule| rule.scope == scope)
}

#[cfg(test)]
mod tests;
