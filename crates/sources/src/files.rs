//! Readers of plain files: one file, one document. The path decides whether a file belongs to
//! `patterns`, `docs` or `code`.

use lore_schema::{Attributes, DocKey, Document, SkipCounts, SourceName, TextOrigin, Trust};

use crate::{
    UnitFiles, attributes,
    front_matter::{self, Dialect},
    header,
    paths::file_name,
    rules,
    store::{Listing, Reader, UnitContent},
    title,
    units::Claim,
};

/// Name of the format of plain files.
const FORMAT: &str = "files";

/// File extensions of prose, in lower case.
const PROSE_ENDINGS: &[&str] = &[
    "adoc", "asciidoc", "markdown", "md", "mdc", "mdown", "mdx", "mkd", "org", "rst", "textile",
    "txt",
];

/// First words of file names that are prose whatever their extension, in lower case.
const PROSE_STEMS: &[&str] = &[
    "authors",
    "bugs",
    "changelog",
    "changes",
    "code_of_conduct",
    "contributing",
    "contributors",
    "copying",
    "credits",
    "faq",
    "hacking",
    "history",
    "install",
    "license",
    "maintainers",
    "news",
    "notice",
    "readme",
    "release-notes",
    "release_notes",
    "releasenotes",
    "roadmap",
    "thanks",
    "todo",
    "upgrading",
];

/// Endings of manual pages in the format of `man` that are not digits only, without the section.
const MANUAL_ENDINGS: &[&str] = &["in", "prebuilt"];

/// Stem of a manual in YAML, and the folder of several of them.
const MANUAL: &str = "manual";

/// Text files that are read by programs, not prose.
const LISTS: &[&str] = &["cmakelists.txt", "llms.txt", "robots.txt"];

/// Reader of every file that no other reader claims.
pub(crate) struct CodeReader;

/// Reader of prose: guides, readmes, instructions to agents.
pub(crate) struct DocsReader;

/// Reader of patterns to follow or to avoid, as agents store them. A repository's own `examples`
/// are code or docs, like its other files.
pub(crate) struct PatternsReader;

impl Reader for CodeReader {
    fn name(&self) -> &'static str {
        FORMAT
    }

    fn claim(&self, listing: &Listing<'_>) -> Vec<Claim> {
        claim_files(listing, |listing, index| !listing.is_ignored(index))
    }

    fn read(&self, tree: &UnitFiles<'_>, unit: &Claim) -> UnitContent {
        read_file(tree, unit, |document| {
            document.title = file_name(&document.path).to_owned();
        })
    }
}

impl Reader for DocsReader {
    fn name(&self) -> &'static str {
        FORMAT
    }

    fn claim(&self, listing: &Listing<'_>) -> Vec<Claim> {
        claim_files(listing, |listing, index| {
            let path = listing.path(index);
            is_agent_page(path) || (!listing.is_ignored(index) && is_prose(path))
        })
    }

    fn read(&self, tree: &UnitFiles<'_>, unit: &Claim) -> UnitContent {
        read_file(tree, unit, |document| {
            document.key.source = SourceName::Docs;
            describe_page(document);
            if let Some(rest) = inside(&document.path, ".sage/agent/") {
                let value = if rest.starts_with("templates/") { "templates" } else { "true" };
                document.attributes.extra.push(("agent".to_owned(), value.to_owned()));
            }
        })
    }
}

impl Reader for PatternsReader {
    fn name(&self) -> &'static str {
        FORMAT
    }

    fn claim(&self, listing: &Listing<'_>) -> Vec<Claim> {
        claim_files(listing, |listing, index| pattern_kind(listing.path(index)).is_some())
    }

    fn read(&self, tree: &UnitFiles<'_>, unit: &Claim) -> UnitContent {
        read_file(tree, unit, |document| {
            document.key.source = SourceName::Patterns;
            document.kind = "pattern";
            let use_case = if is_prose(&document.path) {
                describe_page(document);
                let from = document.metadata.last().map_or(0, |range| range.end);
                header::first_paragraph(&document.text[from..])
            } else {
                document.title = file_name(&document.path).to_owned();
                header::header_comment(&document.text)
            };
            let use_case = header::stated_use(&document.text).or(use_case);
            let extra = &mut document.attributes.extra;
            if let Some(use_case) = use_case {
                extra.push(("useCase".to_owned(), use_case));
            }
            match pattern_kind(&document.path) {
                Some(PatternKind::Good) => extra.push(("pattern".to_owned(), "good".to_owned())),
                Some(PatternKind::Anti) => {
                    extra.push(("pattern".to_owned(), "anti".to_owned()));
                    document.kind = "anti-pattern";
                }
                _ => {}
            }
        })
    }
}

/// Claims every unclaimed file that `accepts` selects, each as its own unit.
fn claim_files(listing: &Listing<'_>, accepts: fn(&Listing<'_>, usize) -> bool) -> Vec<Claim> {
    let free = |index: &usize| !listing.is_claimed(*index) && accepts(listing, *index);
    // Counted first, so that the claims are allocated once.
    let files: Vec<usize> = (0..listing.entries().len()).filter(free).collect();
    files.into_iter().map(|index| Claim::file(listing, index)).collect()
}

/// Reads the one file of a unit as a code document, and lets `finish` adapt it.
fn read_file(tree: &UnitFiles<'_>, unit: &Claim, finish: fn(&mut Document)) -> UnitContent {
    let mut content = UnitContent::default();
    for &index in &unit.files {
        let path = &tree.entries()[index].path;
        match tree.read_text(path) {
            Ok(text) => {
                let mut document = Document {
                    key: DocKey { source: SourceName::Code, locator: path.clone() },
                    path: path.clone(),
                    format: FORMAT,
                    kind: "file",
                    title: String::new(),
                    text,
                    origin: TextOrigin::File,
                    metadata: Vec::new(),
                    attributes: Attributes::default(),
                    trust: Trust::Own,
                };
                // Only dates stated in the file count: file-system times are those of the clone.
                finish(&mut document);
                content.documents.push(document);
            }
            Err(reason) => content.skipped = SkipCounts::from([(reason, 1)]),
        }
    }
    content
}

/// Sets the title and attributes of a page from its front matter and headings.
fn describe_page(document: &mut Document) {
    let front_matter = front_matter::split(&document.text, Dialect::Yaml);
    let body = front_matter.range.end;
    if !front_matter.range.is_empty() {
        document.metadata.push(front_matter.range);
    }
    for (name, value) in front_matter.fields.iter().filter(|(name, _)| *name != "title") {
        attributes::keep(&mut document.attributes, name, value);
    }
    document.title = front_matter
        .fields
        .text(&["title"])
        .or_else(|| title::of_page(&document.path, &document.text[body..]))
        .unwrap_or_else(|| page_name(&document.path).to_owned());
}

/// Name of a page without its extension, used when it has no title.
fn page_name(path: &str) -> &str {
    let name = file_name(path);
    match name.rsplit_once('.') {
        Some((stem, ending))
            if !stem.is_empty() && PROSE_ENDINGS.contains(&ending.to_lowercase().as_str()) =>
        {
            stem
        }
        _ => name,
    }
}

/// Returns whether a file is prose, judged by its name.
fn is_prose(path: &str) -> bool {
    let name = file_name(path);
    if !may_be_prose(name) {
        return false;
    }
    let name = name.to_lowercase();
    if LISTS.contains(&name.as_str()) || is_requirements_list(&name) {
        return false;
    }
    if is_manual_page(&name) || is_yaml_manual(path) {
        return true;
    }
    let (stem, ending) = name.split_once('.').unwrap_or((&name, ""));
    let last = ending.rsplit('.').next().unwrap_or(ending);
    if PROSE_ENDINGS.contains(&last) {
        return true;
    }
    // "README", "README.de", "CHANGELOG-1.2" are prose, "install.sh" and "license.rs" are not.
    let is_stem = |prose: &&str| {
        stem.strip_prefix(*prose)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '_']))
    };
    let is_locale = ending.len() == 2 && !matches!(ending, "sh" | "py" | "rs" | "js" | "ts" | "go");
    let is_version = !ending.contains(char::is_alphabetic);
    PROSE_STEMS.iter().any(is_stem) && (is_version || is_locale)
}

/// Returns whether a name may be that of prose: a quick test by extension, without a copy.
fn may_be_prose(name: &str) -> bool {
    let (_, ending) = name.split_once('.').unwrap_or((name, ""));
    let last = ending.rsplit('.').next().unwrap_or(ending);
    !name.is_ascii()
        || ending.len() <= 3
        || MANUAL_ENDINGS.contains(&last)
        || last.eq_ignore_ascii_case("yaml")
        || !ending.contains(|c: char| c.is_ascii_alphabetic())
        || PROSE_ENDINGS.iter().any(|prose| prose.eq_ignore_ascii_case(last))
}

/// Returns whether a file is a page of a manual in the format of `man`: `tool.1`, `tool.1.in`,
/// `tool.3pm`. `name` is in lower case.
fn is_manual_page(name: &str) -> bool {
    let page = MANUAL_ENDINGS
        .iter()
        .find_map(|ending| name.strip_suffix(*ending)?.strip_suffix('.'))
        .unwrap_or(name);
    let Some((stem, section)) = page.rsplit_once('.') else { return false };
    let is_section = section.starts_with(|digit| ('1'..='8').contains(&digit))
        && matches!(&section[1..], "" | "p" | "pm" | "x" | "ssl");
    // `libtool-2.4.1` and `libz.so.1` end in versions.
    let is_library = matches!(stem.rsplit_once('.'), Some((_, "so")));
    let is_version = is_library || stem.ends_with(|last: char| last.is_ascii_digit());
    is_section && !is_version && stem.starts_with(char::is_alphabetic)
}

/// Returns whether a file is a manual in YAML, from which pages are made: `manual.yml`, or a file
/// in a folder `manual`.
fn is_yaml_manual(path: &str) -> bool {
    let Some((stem, ending)) = path.rsplit_once('.') else { return false };
    if !matches!(ending, "yml" | "yaml") {
        return false;
    }
    let mut parts = stem.rsplit('/');
    parts.next() == Some(MANUAL) || parts.next() == Some(MANUAL)
}

/// Returns whether a file lists the dependencies of a Python project.
fn is_requirements_list(name: &str) -> bool {
    name.strip_suffix(".txt")
        .is_some_and(|stem| stem.starts_with("requirements") || stem.starts_with("constraints"))
}

/// Returns whether a file contains instructions to agents.
fn is_agent_page(path: &str) -> bool {
    if rules::is_agent_file(file_name(path)) {
        return true;
    }
    is_below_hidden(path)
        && ((inside(path, ".sage/agent/").is_some() && !is_hidden(path))
            || inside(path, ".cursor/rules/").is_some()
            || inside(path, ".github/instructions/").is_some())
}

enum PatternKind {
    Anti,
    Good,
    Shared,
}

fn pattern_kind(path: &str) -> Option<PatternKind> {
    if !is_below_hidden(path) || is_hidden(path) {
        None
    } else if inside(path, ".sage/patterns/good/").is_some() {
        Some(PatternKind::Good)
    } else if inside(path, ".sage/patterns/anti/").is_some() {
        Some(PatternKind::Anti)
    } else if inside(path, ".sage/agent/examples/").is_some() {
        Some(PatternKind::Shared)
    } else {
        None
    }
}

/// Returns the source that a path alone suggests. Specs and tickets are not recognized: they depend
/// on the store that contains the file.
pub fn source_of_path(path: &str) -> SourceName {
    if pattern_kind(path).is_some() {
        SourceName::Patterns
    } else if is_agent_page(path) || is_prose(path) {
        SourceName::Docs
    } else {
        SourceName::Code
    }
}

/// Returns whether a name in a path starts with a dot: a quick test that rejects most paths.
fn is_below_hidden(path: &str) -> bool {
    path.starts_with('.') || path.as_bytes().windows(2).any(|pair| pair == b"/.")
}

/// Returns the part of a path after a folder at any depth. `folder` ends with `/`.
fn inside<'a>(path: &'a str, folder: &str) -> Option<&'a str> {
    let start = path.find(folder)?;
    let is_whole = start == 0 || path.as_bytes()[start - 1] == b'/';
    is_whole.then(|| &path[start + folder.len()..])
}

/// Returns whether a file name is hidden, such as `.gitignore`.
fn is_hidden(path: &str) -> bool {
    file_name(path).starts_with('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_recognized_by_file_name() {
        for path in [
            "README",
            "README.md",
            "docs/a.rst",
            "b.adoc",
            "notes.txt",
            "CHANGELOG-1.2",
            "x/LICENSE",
            "LICENSE-MIT",
            "readme.de",
            "todo.org",
            "AUTHORS",
            "a.b.markdown",
            "RELEASE-NOTES",
            "docs/BUGS",
            "INSTALL",
            "tool.1",
            "doc/tool-sub.1.in",
            "tool.1.prebuilt",
            "lib/Tool::Name.3pm",
            "docs/manual.yml",
            "docs/manual/v1/manual.yaml",
            "docs/manual/basics.yml",
        ] {
            assert!(is_prose(path), "{path}");
        }
        for path in [
            "CMakeLists.txt",
            "requirements-dev.txt",
            "robots.txt",
            "install.sh",
            "license.rs",
            "history.go",
            "newsletter",
            "Makefile",
            "a.json",
            "readme.py",
            "mdx",
            "tool-1.2",
            "libz.so.1",
            "data.10",
            "page.9",
            "a.in",
            "src/bugs.rs",
            "docs/settings.yml",
            "manual/a/b.yml",
            "app.log.1",
        ] {
            assert!(!is_prose(path), "{path}");
        }
    }

    #[test]
    fn a_page_without_a_title_is_named_after_its_file() {
        for (path, name) in [
            ("docs/CHANGELOG.md", "CHANGELOG"),
            ("a/Notes.v2.RST", "Notes.v2"),
            ("LICENSE", "LICENSE"),
            ("CHANGELOG-1.2", "CHANGELOG-1.2"),
            ("readme.de", "readme.de"),
            (".cursorrules", ".cursorrules"),
            (".md", ".md"),
            (".sage/agent/tasks/a.json", "a.json"),
        ] {
            assert_eq!(page_name(path), name, "{path}");
        }
    }

    #[test]
    fn agent_pages_and_patterns_are_recognized_by_folder() {
        for path in [
            "AGENTS.md",
            "sub/CLAUDE.md",
            ".cursorrules",
            ".sage/agent/tasks/a.json",
            ".sage/agent/skills/testing/SKILL.md",
            "sub/.cursor/rules/x.mdc",
            ".github/copilot-instructions.md",
        ] {
            assert!(is_agent_page(path), "{path}");
        }
        for path in [
            "agents.rs",
            ".sage/agent/.gitignore",
            "x.sage/agent/a.md",
            ".cursor/mcp.json",
            "src/CLAUDE.mdx",
        ] {
            assert!(!is_agent_page(path), "{path}");
        }
        assert!(matches!(pattern_kind(".sage/patterns/anti/a.py"), Some(PatternKind::Anti)));
        assert!(pattern_kind("examples/a.rs").is_none());
        assert!(pattern_kind(".sage/patterns/other/a.py").is_none());
        assert!(pattern_kind(".sage/agent/examples/.gitignore").is_none());
    }
}
