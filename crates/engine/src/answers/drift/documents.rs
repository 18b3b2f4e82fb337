//! Reads the documents, the comments and the code of a tree.

use std::{collections::HashSet, sync::LazyLock};

use lore_schema::Category;
use lore_sources::Tree;
use lore_statements::{Statement, TextFormat, read, split};
use regex::Regex;

use super::{DriftRequest, vocabulary::Vocabulary};
use crate::EngineConfig;

/// Maximum size of a file that is read, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// Extensions of documents.
const DOCUMENTS: &[&str] =
    &["adoc", "asciidoc", "markdown", "md", "mdx", "org", "pod", "rdoc", "rst", "textile", "txt"];

/// Extensions of documents in Markdown.
const MARKDOWN: &[&str] = &["markdown", "md", "mdx"];

/// Names of files that list past changes or are about other versions, without extension.
const HISTORIES: &[&str] = &[
    "authors",
    "breaking-changes",
    "changelog",
    "changelogs",
    "changes",
    "contributors",
    "copying",
    "deprecations",
    "history",
    "license",
    "migrating",
    "migration",
    "news",
    "notice",
    "release-notes",
    "release_notes",
    "releases",
    "releasenotes",
    "thanks",
    "upgrade",
    "upgrading",
    "whatsnew",
];

/// Folders of such files.
const HISTORY_FOLDERS: &[&str] = &[
    ".changes",
    ".changeset",
    "archive",
    "archived",
    "blog",
    "changelog",
    "changelog.d",
    "changelogs",
    "changes",
    "migrations",
    "news",
    "newsfragments",
    "posts",
    "release-notes",
    "release_notes",
    "releases",
    "superseded",
    "upgrading",
    "whatsnew",
];

/// A statement that its document is no longer in force.
static CLOSED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?im)^\W*status\W+(superseded|deprecated|rejected|archived|closed|done|completed?|cancell?ed|resolved|withdrawn|implemented|obsolete|final|released)\b",
    )
    .expect("a valid pattern")
});

/// Words of lines about the past.
static PAST: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)no longer|\b(?:was|were|been) (?:removed|renamed|dropped|deleted|replaced|split|merged)|removed in\b|^\W*(?:removed?|dropped?|renamed?)\b|\brenamed\b|\bformerly\b|\bpreviously\b|used to be|\bdeprecated\b|\bobsolete\b|prior to\b|\bhistorical|before v?\d",
    )
    .expect("a valid pattern")
});

/// Number of lines at the start of a document with its status.
const STATUS_LINES: usize = 30;

/// A document, or the comments of a source file.
pub(super) struct DriftDocument {
    pub(super) path: String,
    pub(super) statements: Vec<Statement>,
    /// True for the comments of a source file.
    pub(super) is_code: bool,
    /// The whole text of a document, for its anchors and columns.
    pub(super) text: String,
}

/// The files of a tree.
pub(super) struct Files {
    pub(super) documents: Vec<DriftDocument>,
    pub(super) vocabulary: Vocabulary,
    /// Paths of the code.
    pub(super) code: Vec<String>,
}

/// Reads all files of a tree once.
pub(super) fn read_files(tree: &Tree, config: &EngineConfig, request: &DriftRequest) -> Files {
    let entries: Vec<&str> = tree
        .entries()
        .iter()
        .filter(|entry| entry.size <= MAX_FILE_BYTES && !entry.path.starts_with('/'))
        .map(|entry| entry.path.as_str())
        .collect();
    let share = entries.len().div_ceil(config.threads.max(1)).max(1);
    let parts: Vec<Files> = std::thread::scope(|scope| {
        let shares: Vec<_> = entries
            .chunks(share)
            .map(|paths| scope.spawn(move || read_some(paths, config, request)))
            .collect();
        shares
            .into_iter()
            .map(|share| share.join().expect("reading a file does not panic"))
            .collect()
    });
    let mut files =
        Files { documents: Vec::new(), vocabulary: Vocabulary::default(), code: Vec::new() };
    for part in parts {
        files.documents.extend(part.documents);
        files.vocabulary.extend(part.vocabulary);
        files.code.extend(part.code);
    }
    files
}

fn read_some(paths: &[&str], config: &EngineConfig, request: &DriftRequest) -> Files {
    let mut files =
        Files { documents: Vec::new(), vocabulary: Vocabulary::default(), code: Vec::new() };
    for path in paths {
        let Ok(text) = config.read_text(path) else { continue };
        let is_wanted = is_requested(path, &request.paths) && !is_about_past(path);
        if is_document(path) {
            let category = lore_syntax::categorize(path, &text);
            if is_wanted && is_checked(category, true) && !is_closed(&text) {
                files.documents.push(document(path, text, request));
            }
            continue;
        }
        let parts = split(path, &text);
        files.vocabulary.add(&parts.code);
        files.code.push((*path).to_owned());
        let category = lore_syntax::categorize(path, &text);
        let is_own = is_checked(category, false) && !is_beside_code(path);
        if is_wanted && is_own && !parts.comments.trim().is_empty() {
            let statements = statements(&parts.comments, TextFormat::Comment, request);
            let path = (*path).to_owned();
            let text = if statements.is_empty() { String::new() } else { text };
            files.documents.push(DriftDocument { path, statements, is_code: true, text });
        }
    }
    files
}

fn document(path: &str, text: String, request: &DriftRequest) -> DriftDocument {
    let is_markdown = MARKDOWN.contains(&extension(path)) || !file_name(path).contains('.');
    let format = if is_markdown { TextFormat::Markdown } else { TextFormat::Plain };
    let statements = statements(&text, format, request);
    DriftDocument { path: path.to_owned(), statements, is_code: false, text }
}

fn statements(text: &str, format: TextFormat, request: &DriftRequest) -> Vec<Statement> {
    let lines: Vec<&str> = text.lines().collect();
    let notes = version_notes(&lines);
    let mut found = read(text, format);
    found.retain(|statement| {
        let line = lines.get(statement.line - 1).copied().unwrap_or_default();
        !notes.contains(&statement.line)
            && (request.kinds.is_empty() || request.kinds.contains(&statement.kind))
            && !PAST.is_match(line)
    });
    found
}

/// The 1-based lines of notes about changes of versions in reStructuredText.
fn version_notes(lines: &[&str]) -> HashSet<usize> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut notes = HashSet::new();
    let mut open: Option<usize> = None;
    for (line, number) in lines.iter().zip(1..) {
        if open.is_some_and(|outer| !line.trim().is_empty() && indent(line) <= outer) {
            open = None;
        }
        let trimmed = line.trim_start();
        if trimmed.starts_with(".. version") || trimmed.starts_with(".. deprecated") {
            open = Some(indent(line));
        }
        if open.is_some() {
            notes.insert(number);
        }
    }
    notes
}

/// Returns true if a path is below one of the requested ones.
fn is_requested(path: &str, requested: &[String]) -> bool {
    let is_below = |folder: &String| {
        path.strip_prefix(folder.as_str())
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || folder.is_empty())
    };
    requested.is_empty() || requested.iter().any(is_below)
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn extension(path: &str) -> &str {
    file_name(path).rsplit_once('.').map_or("", |(_, extension)| extension)
}

/// Folders whose code is no evidence: it shows the use of the project, or of others.
const BESIDE_CODE: &[&str] = &[
    ".circleci",
    ".github",
    ".gitlab",
    "__tests__",
    "bench",
    "benches",
    "benchmark",
    "benchmarks",
    "demo",
    "demos",
    "doc",
    "docs",
    "documentation",
    "example",
    "examples",
    "fixtures",
    "samples",
    "spec",
    "test",
    "testdata",
    "tests",
    "website",
];

/// Returns true for tests, examples, pages and settings of build servers: a name that was removed from
/// them alone was none of the project.
pub(super) fn is_beside_code(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let is_server = [
        ".travis.yml",
        "appveyor.yml",
        ".appveyor.yml",
        "azure-pipelines.yml",
        ".cirrus.yml",
        ".gitlab-ci.yml",
    ]
    .contains(&name);
    is_server
        || folders.split('/').any(|folder| BESIDE_CODE.contains(&folder))
        || name.starts_with("test_")
        || [
            "_test.go",
            ".test.ts",
            ".test.js",
            ".spec.ts",
            ".spec.js",
            "_test.py",
            "Test.java",
            "_spec.rb",
        ]
        .iter()
        .any(|end| name.ends_with(end))
}

/// Returns true for documents, by the name of the file.
pub(super) fn is_document(path: &str) -> bool {
    let name = file_name(path);
    let lower = name.to_ascii_lowercase();
    let is_list =
        lower.starts_with("requirements") || lower == "cmakelists.txt" || lower == "robots.txt";
    let is_bare = !name.contains('.')
        && ["README", "CONTRIBUTING", "INSTALL", "HACKING", "FAQ", "NEWS", "CHANGES", "CHANGELOG"]
            .contains(&name);
    is_bare || (DOCUMENTS.contains(&extension(&lower)) && !is_list)
}

/// Returns true for files that are about the past or about other versions.
fn is_about_past(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    let (folders, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
    // The name of a version contains periods: `5.0-upgrade.md`.
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let is_history = |known: &str| {
        stem.strip_prefix(known).or(stem.strip_suffix(known)).is_some_and(|rest| {
            rest.is_empty() || rest.starts_with(['-', '_', '.']) || rest.ends_with(['-', '_', '.'])
        })
    };
    HISTORIES.iter().any(|known| is_history(known))
        || folders.split('/').any(|folder| HISTORY_FOLDERS.contains(&folder))
}

fn is_checked(category: Category, is_document: bool) -> bool {
    match category {
        Category::Own | Category::Example | Category::Translation => true,
        Category::Test => is_document,
        _ => false,
    }
}

/// Returns true if the start of a document says that it is closed or superseded.
fn is_closed(text: &str) -> bool {
    let end = text.match_indices('\n').nth(STATUS_LINES).map_or(text.len(), |(at, _)| at);
    CLOSED.is_match(&text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn histories_and_closed_documents_are_skipped() {
        for path in
            ["CHANGELOG.old.md", "docs/changes/a.md", "doc/UPGRADING.rst", "docs/5.0-Upgrade.md"]
        {
            assert!(is_about_past(path), "{path}");
        }
        assert!(!is_about_past("docs/news-api/server.md"));
        assert!(is_closed("# 3. Retry\n\nStatus: Superseded by 4\n"));
        assert!(is_closed("---\nstatus: done\n---\n"));
        assert!(!is_closed("# Status\n\nThe work is not done.\n"));
    }

    #[test]
    fn documents_are_recognised_by_name() {
        for path in ["README", "docs/a.md", "a/b.rst"] {
            assert!(is_document(path), "{path}");
        }
        assert!(!is_document("requirements.txt") && !is_document("src/a.rs"));
    }
}
