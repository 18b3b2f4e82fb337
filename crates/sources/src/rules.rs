//! What a walk leaves out: the ignore files of a tree and the built-in lists.

mod screen;

use std::{
    fs,
    io::{self, BufRead as _},
    path::{Path, PathBuf},
    sync::Arc,
};

use ignore::{
    Match,
    gitignore::{Gitignore, GitignoreBuilder},
};

use self::screen::Screen;
use crate::{paths::file_name, root};

/// Folders of version control. They are never listed, whatever the rules say.
const VERSION_CONTROL: &[&str] =
    &[".bzr", ".git", ".hg", ".jj", ".pijul", ".sl", ".svn", "CVS", "_darcs"];

/// Folders that programs fill and may empty again: caches, virtual environments, installed
/// packages. Left out even where no ignore file says so; a `!` line in `.loreignore` lists one
/// after all. Folders that say so themselves (`CACHEDIR.TAG`, `pyvenv.cfg`) are left out, too.
const CACHES: &[&str] = &[
    ".bundle",
    ".cache",
    ".dart_tool",
    ".direnv",
    ".eggs",
    ".gradle",
    ".hypothesis",
    ".ipynb_checkpoints",
    ".mypy_cache",
    ".next",
    ".nox",
    ".nuxt",
    ".nyc_output",
    ".parcel-cache",
    ".pnpm-store",
    ".pytest_cache",
    ".ruff_cache",
    ".svelte-kit",
    ".terraform",
    ".tox",
    ".turbo",
    ".venv",
    ".yarn",
    "__pycache__",
    "bower_components",
    "node_modules",
];

/// Folders of spec, ticket and agent stores: read even where version control ignores them.
const STORES: &[&str] = &[
    ".agent-os",
    ".beads",
    ".kiro",
    ".lean-spec",
    ".lspec",
    ".moai",
    ".planning",
    ".sage",
    ".spec",
    ".specify",
    ".taskmaster",
    "adr",
    "adrs",
    "backlog",
    "openspec",
    "specs",
];

/// Folders inside `docs` and `doc` that are stores as well.
const DOC_STORES: &[&str] = &[
    "adr",
    "adrs",
    "architecture",
    "breakdown",
    "decisions",
    "features",
    "requirements",
    "research",
    "rfcs",
    "specs",
];

/// Ignored folders that may hold a store among other things: their other content stays ignored.
const PASSAGES: &[(&str, &[&str])] =
    &[(".cursor", &["rules"]), ("doc", DOC_STORES), ("docs", DOC_STORES)];

/// Files that instruct agents: docs, read even where version control ignores them.
const AGENT_FILES: &[&str] = &[
    ".clinerules",
    ".cursorrules",
    ".windsurfrules",
    "AGENT.md",
    "AGENTS.md",
    "CLAUDE.local.md",
    "CLAUDE.md",
    "GEMINI.md",
    "copilot-instructions.md",
];

/// What `CACHEDIR.TAG` begins with, by the Cache Directory Tagging Specification.
pub(crate) const CACHE_TAG: &[u8] = b"Signature: 8a477f597d28d172789f06886806bc55";

/// Whether a folder belongs to version control.
pub(crate) fn is_version_control(name: &str) -> bool {
    VERSION_CONTROL.contains(&name)
}

/// Whether a folder is a cache by its name.
pub(crate) fn is_cache(name: &str) -> bool {
    CACHES.contains(&name)
}

/// Whether a folder is a cache or a virtual environment by one of the files in it.
pub(crate) fn is_cache_mark(folder: &Path, file_name: &str) -> bool {
    match file_name {
        "pyvenv.cfg" => true,
        "CACHEDIR.TAG" => {
            let mut head = [0; CACHE_TAG.len()];
            fs::File::open(folder.join(file_name))
                .and_then(|mut file| io::Read::read_exact(&mut file, &mut head))
                .is_ok_and(|()| head == CACHE_TAG)
        }
        _ => false,
    }
}

/// Whether a folder is a store, by its name and that of the folder it lies in.
pub(crate) fn is_store(parent: &str, name: &str) -> bool {
    STORES.contains(&name) || passage(parent).is_some_and(|stores| stores.contains(&name))
}

/// Whether a path runs through a store.
pub(crate) fn in_store(path: &str) -> bool {
    let mut parent = "";
    path.split('/').any(|name| is_store(std::mem::replace(&mut parent, name), name))
}

/// The stores that an ignored folder of this name may hold.
pub(crate) fn passage(name: &str) -> Option<&'static [&'static str]> {
    PASSAGES.iter().find(|(passage, _)| *passage == name).map(|(_, stores)| *stores)
}

/// Whether a file instructs agents.
pub(crate) fn is_agent_file(name: &str) -> bool {
    AGENT_FILES.contains(&name)
}

/// Whether a path is a search index that another tool keeps: full of the words that people look
/// for, and never an answer.
pub(crate) fn is_foreign_index(path: &str) -> bool {
    let within = |marker: &str| {
        path.strip_suffix(marker).is_some_and(|head| head.is_empty() || head.ends_with('/'))
    };
    within(".sage/search-index.json") || within(".sage/search")
}

/// What the rules say of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// No rule leaves it out.
    Listed,
    /// `.loreignore` asks for it by a `!` line.
    Wanted,
    /// `.loreignore` or `.ignore` leaves it out: the user's word, which holds in stores, too.
    Unwanted,
    /// Version control ignores it.
    Ignored,
}

/// The rules that hold inside a folder: its own, then those of its parents.
#[derive(Debug)]
pub(crate) struct Rules {
    parent: Option<Arc<Rules>>,
    loreignore: Globs,
    ignore: Globs,
    gitignore: Globs,
    exclude: Globs,
    /// Whether another repository begins here, so that git's rules from above end.
    is_repository: bool,
}

/// Which files with rules a folder holds.
#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "a set of four files, each there or not")]
pub(crate) struct RuleFiles {
    pub(crate) loreignore: bool,
    pub(crate) ignore: bool,
    pub(crate) gitignore: bool,
    pub(crate) git: bool,
}

impl RuleFiles {
    /// Notes a name of a folder's listing.
    pub(crate) fn note(&mut self, name: &str) {
        match name {
            ".loreignore" => self.loreignore = true,
            ".ignore" => self.ignore = true,
            ".gitignore" => self.gitignore = true,
            ".git" => self.git = true,
            _ => {}
        }
    }

    fn any(self) -> bool {
        self.loreignore || self.ignore || self.gitignore || self.git
    }
}

/// The rules of a whole walk. Paths given to it are relative to its base, the enclosing git
/// repository, so that the rules of folders above the root hold as they do for git.
#[derive(Debug)]
pub(crate) struct RuleSet {
    /// The root relative to the base: empty, or with a final `/`.
    pub(crate) prefix: String,
    /// What holds in the root's parent, if that is inside the base.
    pub(crate) above: Option<Arc<Rules>>,
    global: Gitignore,
}

impl RuleSet {
    /// Reads the rules from outside the root. A folder outside any repository has none.
    pub(crate) fn new(canonical_root: &Path) -> RuleSet {
        let base = root::enclosing(canonical_root, &[".git", ".jj"]).unwrap_or(canonical_root);
        let mut above = None;
        let mut prefix = String::new();
        let inside = canonical_root.strip_prefix(base).unwrap_or(Path::new(""));
        let mut folder = base.to_owned();
        for name in inside {
            let files = RuleFiles {
                loreignore: true,
                ignore: true,
                gitignore: true,
                git: prefix.is_empty(),
            };
            above = Rules::extend(above, &folder, &prefix, files);
            folder.push(name);
            prefix.push_str(&name.to_string_lossy());
            prefix.push('/');
        }
        let (global, _) = GitignoreBuilder::new("").build_global();
        RuleSet { prefix, above, global }
    }

    /// The rules for a tree that version control keeps, whose root lies at this path in it, empty or
    /// with a final `/`. None of those hold that say what it should not keep.
    pub(crate) fn of_versions(prefix: &str) -> RuleSet {
        RuleSet { prefix: prefix.to_owned(), above: None, global: Gitignore::empty() }
    }

    /// Decides about a path. The nearest rule wins inside one kind of file; `.loreignore` stands
    /// above `.ignore`, that above `.gitignore`, `info/exclude` and the user's global file.
    pub(crate) fn verdict(&self, rules: Option<&Arc<Rules>>, path: &str, is_dir: bool) -> Verdict {
        let (mut own, mut plain, mut git, mut exclude) = (None, None, None, None);
        let mut git_holds = true;
        let mut next = rules;
        let asked = Asked { path, name: file_name(path), is_dir };
        while let Some(rules) = next {
            decide(&mut own, &rules.loreignore, &asked);
            decide(&mut plain, &rules.ignore, &asked);
            if git_holds {
                decide(&mut git, &rules.gitignore, &asked);
                decide(&mut exclude, &rules.exclude, &asked);
                git_holds = !rules.is_repository;
            }
            next = rules.parent.as_ref();
        }
        match own {
            Some(true) => return Verdict::Unwanted,
            Some(false) => return Verdict::Wanted,
            None => {}
        }
        match plain {
            Some(true) => return Verdict::Unwanted,
            Some(false) => return Verdict::Listed,
            None => {}
        }
        let global = || verdict_of(&self.global, path, is_dir) == Some(true);
        let ignored = git.or(exclude).unwrap_or_else(global);
        if ignored { Verdict::Ignored } else { Verdict::Listed }
    }
}

/// The globs of one ignore file.
#[derive(Debug)]
struct Globs {
    all: Gitignore,
    screen: Screen,
}

impl Globs {
    /// None.
    fn empty() -> Globs {
        Globs { all: Gitignore::empty(), screen: Screen::default() }
    }

    /// Those of the lines of an ignore file in a folder. A malformed line is left out, as git does.
    fn of<T: AsRef<str>>(folder: &str, lines: impl Iterator<Item = T>) -> Globs {
        let mut builder = GitignoreBuilder::new(folder);
        let mut screen = Screen::new(folder);
        for line in lines {
            let _ = builder.add_line(None, line.as_ref());
            screen.add_line(line.as_ref());
        }
        Globs { all: builder.build().unwrap_or_else(|_| Gitignore::empty()), screen }
    }

    /// Those of an ignore file for a folder.
    fn read(folder: &str, file: &Path) -> Globs {
        let Ok(file) = fs::File::open(file) else { return Globs::empty() };
        // A line that is no text ends it.
        let lines = io::BufReader::new(file).lines().map_while(Result::ok);
        let unmarked = |(number, line): (usize, String)| {
            if number == 0 { line.trim_start_matches('\u{feff}').to_owned() } else { line }
        };
        Globs::of(folder, lines.enumerate().map(unmarked))
    }
}

/// What rules are asked about.
struct Asked<'a> {
    path: &'a str,
    /// The last name of the path.
    name: &'a str,
    is_dir: bool,
}

/// Asks one set of globs, unless a nearer one has answered: true to leave out.
fn decide(answer: &mut Option<bool>, globs: &Globs, asked: &Asked<'_>) {
    let may_match = || asked.is_dir || globs.screen.may_match(asked.path, asked.name);
    if answer.is_none() && may_match() {
        *answer = verdict_of(&globs.all, asked.path, asked.is_dir);
    }
}

/// What a set of globs says of a path: true to leave it out.
fn verdict_of(globs: &Gitignore, path: &str, is_dir: bool) -> Option<bool> {
    match globs.matched(path, is_dir) {
        Match::None => None,
        Match::Ignore(_) => Some(true),
        Match::Whitelist(_) => Some(false),
    }
}

impl Rules {
    /// The rules inside a folder, given those above it and the names it holds. `path` is the
    /// folder's path in the terms of the [`RuleSet`], empty or with a final `/`. A malformed line
    /// is left out, as git does.
    pub(crate) fn extend(
        parent: Option<Arc<Rules>>,
        folder: &Path,
        path: &str,
        files: RuleFiles,
    ) -> Option<Arc<Rules>> {
        if !files.any() {
            return parent;
        }
        let base = path.trim_end_matches('/');
        let read = |wanted: bool, file: PathBuf| {
            // Only regular files: opening a named pipe would wait for a writer.
            if !wanted || !file.metadata().is_ok_and(|metadata| metadata.is_file()) {
                return Globs::empty();
            }
            Globs::read(base, &file)
        };
        let exclude = match files.git.then(|| root::git_dir(folder)).flatten() {
            Some(git_dir) => read(true, root::common_of(&git_dir).join("info/exclude")),
            None => Globs::empty(),
        };
        Some(Arc::new(Rules {
            parent,
            loreignore: read(files.loreignore, folder.join(".loreignore")),
            ignore: read(files.ignore, folder.join(".ignore")),
            gitignore: read(files.gitignore, folder.join(".gitignore")),
            exclude,
            is_repository: files.git,
        }))
    }
}

impl Rules {
    /// The rules inside a folder of which the texts of two files are known, `.loreignore` and
    /// `.ignore`; those of version control are left out.
    pub(crate) fn of_texts(
        parent: Option<Arc<Rules>>,
        path: &str,
        loreignore: Option<&str>,
        ignore: Option<&str>,
    ) -> Option<Arc<Rules>> {
        if loreignore.is_none() && ignore.is_none() {
            return parent;
        }
        let read = |text: Option<&str>| {
            Globs::of(path.trim_end_matches('/'), text.unwrap_or_default().lines())
        };
        Some(Arc::new(Rules {
            parent,
            loreignore: read(loreignore),
            ignore: read(ignore),
            gitignore: Globs::empty(),
            exclude: Globs::empty(),
            is_repository: false,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted() {
        for list in [VERSION_CONTROL, CACHES, STORES, DOC_STORES, AGENT_FILES] {
            assert!(list.is_sorted(), "{list:?}");
        }
        assert!(PASSAGES.is_sorted());
    }

    #[test]
    fn stores_and_foreign_indexes_are_told_by_their_paths() {
        for path in ["specs/a", "x/.sage/tickets/index.json", "docs/rfcs/1.md", ".cursor/rules/a"] {
            assert!(in_store(path), "{path}");
        }
        for path in ["rfcs/1.md", "docs/guide.md", "src/decisions/a.rs", ".cursor/mcp.json"] {
            assert!(!in_store(path), "{path}");
        }
        for path in [".sage/search-index.json", "x/.sage/search", ".sage/search"] {
            assert!(is_foreign_index(path), "{path}");
        }
        for path in ["a.sage/search", ".sage/searching.md", ".sage/search-index.json.md"] {
            assert!(!is_foreign_index(path), "{path}");
        }
    }
}
