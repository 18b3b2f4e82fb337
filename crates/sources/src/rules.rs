//! Rules for what a walk skips: the ignore files of a tree and the built-in lists.

mod screen;

use std::{
    io::{self, BufRead as _},
    path::{Path, PathBuf},
    sync::{Arc, PoisonError, RwLock},
};

use ignore::{
    Match,
    gitignore::{Gitignore, GitignoreBuilder},
};

use self::screen::Screen;
use crate::{
    git::{self, GitConfig},
    paths::file_name,
    regular::open_regular,
    root,
};

/// Maximum size in bytes of an ignore file. A larger one is not applied.
pub(crate) const MAX_RULE_FILE_BYTES: u64 = 1 << 20;

/// Version-control folders. They are never listed, whatever the rules.
const VERSION_CONTROL: &[&str] =
    &[".bzr", ".git", ".hg", ".jj", ".pijul", ".sl", ".svn", "CVS", "_darcs"];

/// Folders that programs fill and may delete: caches, virtual environments, installed packages.
/// Skipped even without an ignore rule; a `!` line in `.loreignore` includes them. Folders marked
/// as caches (`CACHEDIR.TAG`, `pyvenv.cfg`) are skipped, too.
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

/// Folders of spec, ticket and agent stores: read even if version control ignores them.
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

/// Folders inside `docs` and `doc` that are also stores.
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

/// Folders that may contain a store even if ignored. Their other content stays ignored.
const STORE_PARENTS: &[(&str, &[&str])] =
    &[(".cursor", &["rules"]), ("doc", DOC_STORES), ("docs", DOC_STORES)];

/// Files with instructions to agents: read as docs even if version control ignores them.
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

/// First bytes of `CACHEDIR.TAG`, by the Cache Directory Tagging Specification.
pub(crate) const CACHE_TAG: &[u8] = b"Signature: 8a477f597d28d172789f06886806bc55";

/// Names of the files with rules, and of what starts a repository.
pub(crate) const RULE_FILES: &[&str] = &[".git", ".gitignore", ".ignore", ".loreignore"];

/// Names of the files that mark their folder as a cache or a virtual environment.
pub(crate) const CACHE_MARKS: &[&str] = &["CACHEDIR.TAG", "pyvenv.cfg"];

/// Returns whether a folder belongs to version control.
pub(crate) fn is_version_control(name: &str) -> bool {
    VERSION_CONTROL.contains(&name)
}

/// Returns whether a folder is a cache, judged by its name.
pub(crate) fn is_cache(name: &str) -> bool {
    CACHES.contains(&name)
}

/// Returns whether a file marks its folder as a cache or a virtual environment.
pub(crate) fn is_cache_mark(folder: &Path, file_name: &str) -> bool {
    match file_name {
        "pyvenv.cfg" => true,
        "CACHEDIR.TAG" => {
            let mut head = [0; CACHE_TAG.len()];
            open_regular(&folder.join(file_name), u64::MAX)
                .and_then(|(mut file, _)| io::Read::read_exact(&mut file, &mut head))
                .is_ok_and(|()| head == CACHE_TAG)
        }
        _ => false,
    }
}

/// Returns whether a folder is a store, judged by its name and its parent's name.
pub(crate) fn is_store(parent: &str, name: &str) -> bool {
    STORES.contains(&name) || stores_inside(parent).is_some_and(|stores| stores.contains(&name))
}

/// Returns whether a path contains a store folder.
pub(crate) fn in_store(path: &str) -> bool {
    let mut parent = "";
    path.split('/').any(|name| is_store(std::mem::replace(&mut parent, name), name))
}

/// Returns the names of stores that a folder with this name may contain.
pub(crate) fn stores_inside(name: &str) -> Option<&'static [&'static str]> {
    STORE_PARENTS.iter().find(|(folder, _)| *folder == name).map(|(_, stores)| *stores)
}

/// Returns whether a file contains instructions to agents.
pub(crate) fn is_agent_file(name: &str) -> bool {
    AGENT_FILES.contains(&name)
}

/// Returns whether a path is another tool's search index: it repeats the words of other files, and
/// is never an answer.
pub(crate) fn is_foreign_index(path: &str) -> bool {
    let within = |marker: &str| {
        path.strip_suffix(marker).is_some_and(|head| head.is_empty() || head.ends_with('/'))
    };
    within(".sage/search-index.json") || within(".sage/search")
}

/// Outcome of the rules for a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RuleOutcome {
    /// No rule excludes it.
    Included,
    /// A `!` line of `.loreignore` includes it.
    Reincluded,
    /// `.loreignore` or `.ignore` excludes it. This is the user's explicit choice and also applies
    /// in stores.
    Excluded,
    /// Version control ignores it.
    GitIgnored,
}

/// Rules that apply inside a folder: its own, then those of its parents.
#[derive(Debug)]
pub(crate) struct Rules {
    parent: Option<Arc<Rules>>,
    loreignore: Globs,
    ignore: Globs,
    gitignore: Globs,
    exclude: Globs,
    /// Paths of the ignore files of this folder that are too large to apply.
    pub(crate) oversized: Vec<String>,
    /// The repository that starts here, if one does: git rules of parent folders do not apply.
    repository: Option<Repository>,
}

/// A repository inside the base of the rules.
#[derive(Debug)]
struct Repository {
    /// Path of its folder relative to the base: empty, or with a final `/`.
    folder: String,
    /// Its git folder and the settings there; `None` if it belongs to another tree.
    git: Option<(PathBuf, GitConfig)>,
    /// The file with the repository's own ignore rules.
    exclude: Option<PathBuf>,
    /// Its index, read when the first ignored file is found.
    index: RwLock<KnownIndex>,
}

/// Index of a repository, as far as it was read.
#[derive(Debug, Default)]
enum KnownIndex {
    /// Not read.
    #[default]
    Unread,
    /// There is none, or it is damaged.
    Missing,
    Read(Arc<git::Index>),
}

impl Repository {
    /// Returns true if git tracks a file, or a file below a folder. `path` is relative to the base.
    fn tracks(&self, path: &str, is_folder: bool) -> bool {
        let (Some((git_dir, config)), Some(inner)) =
            (&self.git, path.strip_prefix(self.folder.as_str()))
        else {
            return false;
        };
        let is_tracked = |known: &KnownIndex| match known {
            KnownIndex::Unread => None,
            KnownIndex::Missing => Some(false),
            KnownIndex::Read(index) => Some(git::is_tracked(index, inner, is_folder)),
        };
        let known = is_tracked(&self.index.read().unwrap_or_else(PoisonError::into_inner));
        known.unwrap_or_else(|| {
            let read = git::read_index(&git_dir.join("index"), config.hash);
            let read = read.map_or(KnownIndex::Missing, KnownIndex::Read);
            let is_tracked = is_tracked(&read) == Some(true);
            *self.index.write().unwrap_or_else(PoisonError::into_inner) = read;
            is_tracked
        })
    }
}

/// Presence of rule files in a folder.
#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "four files, each present or absent")]
pub(crate) struct RuleFiles {
    pub(crate) loreignore: bool,
    pub(crate) ignore: bool,
    pub(crate) gitignore: bool,
    pub(crate) git: bool,
}

impl RuleFiles {
    /// Records a name from the listing of a folder.
    pub(crate) fn note(&mut self, name: &str) {
        match name {
            ".loreignore" => self.loreignore = true,
            ".ignore" => self.ignore = true,
            ".gitignore" => self.gitignore = true,
            ".git" => self.git = true,
            _ => {}
        }
    }

    /// Returns true if there is any of them.
    pub(crate) fn any(self) -> bool {
        self.loreignore || self.ignore || self.gitignore || self.git
    }
}

/// Rules of a whole walk. Paths are relative to its base, the enclosing git repository, so that the
/// rules of folders above the root apply as they do in git.
#[derive(Debug, Default)]
pub(crate) struct RuleSet {
    /// Path of the root relative to the base: empty, or with a final `/`.
    pub(crate) prefix: String,
    /// Rules of the root's parent folder, if it is inside the base.
    pub(crate) above: Option<Arc<Rules>>,
    /// The ignore file of `core.excludesFile`.
    global: Option<Gitignore>,
    /// Paths of ignore files outside the root that are too large to apply.
    pub(crate) oversized: Vec<String>,
    /// Files outside the root that were read, or would be if they existed.
    files: Vec<PathBuf>,
}

impl RuleSet {
    /// Reads the rules of the folders above the root. Outside a repository there are none.
    pub(crate) fn new(canonical_root: &Path) -> RuleSet {
        let base = root::enclosing(canonical_root, &[".git", ".jj"]).unwrap_or(canonical_root);
        let mut above = None;
        let mut prefix = String::new();
        let inside = canonical_root.strip_prefix(base).unwrap_or(Path::new(""));
        let mut folder = base.to_owned();
        let mut files = Vec::new();
        for name in inside {
            files.extend([".loreignore", ".ignore", ".gitignore"].map(|name| folder.join(name)));
            let present = RuleFiles {
                loreignore: true,
                ignore: true,
                gitignore: true,
                git: prefix.is_empty(),
            };
            above = Rules::extend(above, &folder, &prefix, present);
            folder.push(name);
            prefix.push_str(&name.to_string_lossy());
            prefix.push('/');
        }
        let mut oversized = above.as_ref().map_or_else(Vec::new, |rules| rules.oversized.clone());
        let own = root::git_dir(base).map(|git_dir| GitConfig::read(&git_dir, base));
        files.extend(own.iter().flat_map(|config| config.files.clone()));
        let global = if let Some(file) = own.and_then(|config| config.excludes_file) {
            let globs = Globs::read("", &file, &mut oversized).all;
            files.push(file);
            globs
        } else {
            // The user's own configuration, or its default.
            files.extend(git::user_ignore_files());
            GitignoreBuilder::new("").build_global().0
        };
        RuleSet { prefix, above, global: Some(global), oversized, files }
    }

    /// Returns the files outside the folders of the tree that decide what is listed, and the
    /// indexes of git, for the folders above the root.
    pub(crate) fn inputs(&self) -> (Vec<PathBuf>, Vec<PathBuf>) {
        let (mut files, mut indexes) = (self.files.clone(), Vec::new());
        let mut next = self.above.as_ref();
        while let Some(rules) = next {
            rules.add_inputs(&mut files, &mut indexes);
            next = rules.parent.as_ref();
        }
        (files, indexes)
    }

    /// Returns true if git tracks a file, or a file below a folder: ignore rules do not apply to it.
    pub(crate) fn is_tracked(rules: Option<&Arc<Rules>>, path: &str, is_folder: bool) -> bool {
        let mut next = rules;
        while let Some(rules) = next {
            if let Some(repository) = &rules.repository {
                return repository.tracks(path, is_folder);
            }
            next = rules.parent.as_ref();
        }
        false
    }

    /// Creates the rules for the tree of a commit. `prefix` is the path of the root in the
    /// repository, empty or with a final `/`. Version-control ignore rules do not apply to
    /// committed files.
    pub(crate) fn for_commit(prefix: &str) -> RuleSet {
        RuleSet { prefix: prefix.to_owned(), ..RuleSet::default() }
    }

    /// Decides about a path. Among files of one kind, the nearest rule wins. Between kinds,
    /// `.loreignore` has precedence over `.ignore`, then `.gitignore`, `info/exclude` and the
    /// user's global file.
    pub(crate) fn outcome(
        &self,
        rules: Option<&Arc<Rules>>,
        path: &str,
        is_dir: bool,
    ) -> RuleOutcome {
        let (mut own, mut plain, mut git, mut exclude) = (None, None, None, None);
        let mut git_holds = true;
        let mut next = rules;
        let target = PathToMatch { path, name: file_name(path), is_dir };
        while let Some(rules) = next {
            apply_globs(&mut own, &rules.loreignore, &target);
            apply_globs(&mut plain, &rules.ignore, &target);
            if git_holds {
                apply_globs(&mut git, &rules.gitignore, &target);
                apply_globs(&mut exclude, &rules.exclude, &target);
                git_holds = rules.repository.is_none();
            }
            next = rules.parent.as_ref();
        }
        match own {
            Some(true) => return RuleOutcome::Excluded,
            Some(false) => return RuleOutcome::Reincluded,
            None => {}
        }
        match plain {
            Some(true) => return RuleOutcome::Excluded,
            Some(false) => return RuleOutcome::Included,
            None => {}
        }
        let global = || {
            let globs = self.global.as_ref();
            globs.is_some_and(|globs| match_globs(globs, path, is_dir) == Some(true))
        };
        let ignored = git.or(exclude).unwrap_or_else(global);
        if ignored { RuleOutcome::GitIgnored } else { RuleOutcome::Included }
    }
}

/// Globs of one ignore file.
#[derive(Debug)]
struct Globs {
    all: Gitignore,
    screen: Screen,
}

impl Globs {
    /// Creates an empty set.
    fn empty() -> Globs {
        Globs { all: Gitignore::empty(), screen: Screen::default() }
    }

    /// Parses the lines of an ignore file in a folder. Malformed lines are skipped, as in git.
    fn of<T: AsRef<str>>(folder: &str, lines: impl Iterator<Item = T>) -> Globs {
        let mut builder = GitignoreBuilder::new(folder);
        let mut screen = Screen::new(folder);
        for line in lines {
            let _ = builder.add_line(None, line.as_ref());
            screen.add_line(line.as_ref());
        }
        Globs { all: builder.build().unwrap_or_else(|_| Gitignore::empty()), screen }
    }

    /// Reads an ignore file for a folder. One that is too large is added to `oversized` and not
    /// applied.
    fn read(folder: &str, file: &Path, oversized: &mut Vec<String>) -> Globs {
        let file = match open_regular(file, MAX_RULE_FILE_BYTES) {
            Ok((file, _)) => file,
            Err(error) => {
                if error.kind() == io::ErrorKind::FileTooLarge {
                    oversized.push(file.display().to_string());
                }
                return Globs::empty();
            }
        };
        // A line that is not UTF-8 ends the file.
        let file = io::Read::take(io::BufReader::new(file), MAX_RULE_FILE_BYTES);
        let lines = file.lines().map_while(Result::ok);
        let unmarked = |(number, line): (usize, String)| {
            if number == 0 { line.trim_start_matches('\u{feff}').to_owned() } else { line }
        };
        Globs::of(folder, lines.enumerate().map(unmarked))
    }
}

/// A path to match against the rules.
struct PathToMatch<'a> {
    path: &'a str,
    /// The last name of the path.
    name: &'a str,
    is_dir: bool,
}

/// Applies one set of globs, unless a nearer one has decided: true to exclude.
fn apply_globs(decision: &mut Option<bool>, globs: &Globs, target: &PathToMatch<'_>) {
    let may_match = || target.is_dir || globs.screen.may_match(target.path, target.name);
    if decision.is_none() && may_match() {
        *decision = match_globs(&globs.all, target.path, target.is_dir);
    }
}

/// Matches a path against a set of globs: true to exclude it, false to include it, `None` if no
/// glob matches.
fn match_globs(globs: &Gitignore, path: &str, is_dir: bool) -> Option<bool> {
    match globs.matched(path, is_dir) {
        Match::None => None,
        Match::Ignore(_) => Some(true),
        Match::Whitelist(_) => Some(false),
    }
}

impl Rules {
    /// Returns the rules inside a folder, given those of its parent and which rule files it
    /// contains. `path` is the folder's path relative to the base of the [`RuleSet`], empty or with
    /// a final `/`. Malformed lines are skipped, as in git.
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
        let mut oversized = Vec::new();
        let mut read = |wanted: bool, file: PathBuf| {
            if wanted { Globs::read(base, &file, &mut oversized) } else { Globs::empty() }
        };
        let git_dir = files.git.then(|| root::git_dir(folder)).flatten();
        let common = git_dir.as_deref().map(root::common_of);
        let exclude_file = common.as_ref().map(|common| common.join("info/exclude"));
        let exclude = match (&common, &exclude_file) {
            (Some(common), Some(file)) => read(root::is_inside(common, file), file.clone()),
            _ => Globs::empty(),
        };
        let repository = files.git.then(|| Repository {
            folder: path.to_owned(),
            git: git_dir.map(|git_dir| {
                let config = GitConfig::read(&git_dir, folder);
                (git_dir, config)
            }),
            exclude: exclude_file,
            index: RwLock::default(),
        });
        let loreignore = read(files.loreignore, folder.join(".loreignore"));
        let ignore = read(files.ignore, folder.join(".ignore"));
        let gitignore = read(files.gitignore, folder.join(".gitignore"));
        Some(Arc::new(Rules {
            parent,
            loreignore,
            ignore,
            gitignore,
            exclude,
            oversized,
            repository,
        }))
    }
}

impl Rules {
    /// Adds the files of git that decide what is listed in the repository that starts here, if one
    /// does, and its index.
    pub(crate) fn add_inputs(&self, files: &mut Vec<PathBuf>, indexes: &mut Vec<PathBuf>) {
        let Some(Repository { git, exclude, .. }) = &self.repository else { return };
        files.extend(exclude.clone());
        if let Some((git_dir, config)) = git {
            files.extend(config.files.iter().cloned());
            indexes.push(git_dir.join("index"));
        }
    }

    /// Reads the index of the repository that starts here, if one does, again when it is needed.
    pub(crate) fn forget_index(&self) {
        if let Some(repository) = &self.repository {
            *repository.index.write().unwrap_or_else(PoisonError::into_inner) = KnownIndex::Unread;
        }
    }

    /// Returns the rules inside a folder, given the texts of its `.loreignore` and `.ignore`.
    /// Version-control ignore files are not used.
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
            oversized: Vec::new(),
            repository: None,
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
        assert!(STORE_PARENTS.is_sorted());
    }

    #[test]
    fn stores_and_foreign_indexes_are_recognized_by_path() {
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
