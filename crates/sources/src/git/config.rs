//! The settings of git that decide which files are searched: `core.excludesFile` and the object
//! format. Everything else in a configuration is ignored.
//!
//! Git's library would open included files by name and wait for ever for a named pipe, so the files
//! are read here, up to a size and a depth. Nothing in them runs.

use std::path::{Path, PathBuf};

use gix::{
    bstr::{BStr, BString, ByteSlice},
    config::{File, file::Metadata, file::init::Options},
    glob::wildmatch::Mode,
    hash::Kind,
};

use crate::{regular::read_regular, root};

/// Maximum size in bytes of a configuration file.
const MAX_CONFIG_BYTES: u64 = 1 << 20;

/// Maximum nesting of included files, as in git.
const MAX_DEPTH: usize = 10;

/// Maximum number of configuration files that are read.
const MAX_FILES: usize = 64;

/// Settings of one repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GitConfig {
    /// The ignore file of `core.excludesFile`, as the repository's own configuration names it.
    pub(crate) excludes_file: Option<PathBuf>,
    /// The kind of the repository's hashes.
    pub(crate) hash: Kind,
    /// The files that were read, or would be if they existed.
    pub(crate) files: Vec<PathBuf>,
}

/// Returns the files in which git looks for the ignore rules of a user, existing or not: its two
/// configurations and those that they include, the ignore file that they name, and the default one.
pub(crate) fn user_ignore_files() -> Vec<PathBuf> {
    let xdg = |name: &str| gix::path::env::xdg_config(name, &mut gix::path::env::var);
    let (nowhere, no_top) = (PathBuf::new(), Path::new(""));
    let mut reader = Reader::new(nowhere, no_top);
    let own = gix::path::env::home_dir().map(|home| home.join(".gitconfig"));
    for file in [xdg("config"), own].into_iter().flatten() {
        reader.file(&file, 0);
    }
    let mut files = reader.files;
    files.extend(reader.excludes_file);
    files.extend(xdg("ignore"));
    files
}

impl GitConfig {
    /// Reads the configuration of a repository: `config`, then `config.worktree`, with the files
    /// that they include. `top` is the folder of the checkout.
    pub(crate) fn read(git_dir: &Path, top: &Path) -> GitConfig {
        let common = root::common_of(git_dir);
        let mut reader =
            Reader::new(git_dir.canonicalize().unwrap_or_else(|_| git_dir.to_owned()), top);
        reader.file(&common.join("config"), 0);
        if reader.has_worktree_config {
            reader.file(&git_dir.join("config.worktree"), 0);
        }
        GitConfig { excludes_file: reader.excludes_file, hash: reader.hash, files: reader.files }
    }
}

struct Reader<'a> {
    git_dir: PathBuf,
    top: &'a Path,
    /// Number of files that may still be read.
    left: usize,
    excludes_file: Option<PathBuf>,
    hash: Kind,
    has_worktree_config: bool,
    files: Vec<PathBuf>,
}

impl<'a> Reader<'a> {
    fn new(git_dir: PathBuf, top: &'a Path) -> Reader<'a> {
        Reader {
            git_dir,
            top,
            left: MAX_FILES,
            excludes_file: None,
            hash: Kind::Sha1,
            has_worktree_config: false,
            files: Vec::new(),
        }
    }

    /// Reads one file. A file that cannot be read, or is damaged, has no settings.
    fn file(&mut self, path: &Path, depth: usize) {
        let Some(left) = self.left.checked_sub(1) else { return };
        self.left = left;
        self.files.push(path.to_owned());
        let Ok(bytes) = read_regular(path, MAX_CONFIG_BYTES) else { return };
        // Parsing costs more than this test, and most files have none of these settings.
        let lower = bytes.to_ascii_lowercase();
        let names = ["excludesfile", "include", "objectformat", "worktreeconfig"];
        if !names.iter().any(|name| lower.contains_str(name)) {
            return;
        }
        let parsed = File::from_bytes_no_includes(&bytes, Metadata::api(), Options::default());
        let Ok(config) = parsed else { return };
        for section in config.sections() {
            let name = section.header().name().to_ascii_lowercase();
            let condition = section.header().subsection_name();
            match (name.as_slice(), condition) {
                (b"core", None) => {
                    if let Some(value) = section.value("excludesFile") {
                        self.excludes_file = Reader::place(value.as_bstr(), self.top);
                    }
                }
                (b"extensions", None) => self.extensions(
                    section.value("objectFormat").as_ref(),
                    section.value("worktreeConfig").as_ref(),
                ),
                (b"include", None) => self.include(&section.values("path"), path, depth),
                (b"includeif", Some(condition)) if self.holds(condition, path) => {
                    self.include(&section.values("path"), path, depth);
                }
                _ => {}
            }
        }
    }

    fn extensions(&mut self, format: Option<&BString>, worktree: Option<&BString>) {
        if format.is_some_and(|format| format.eq_ignore_ascii_case(b"sha256")) {
            self.hash = Kind::Sha256;
        }
        let is_on = |value: &BString| {
            matches!(value.to_ascii_lowercase().as_slice(), b"true" | b"yes" | b"on" | b"1")
        };
        self.has_worktree_config |= worktree.is_some_and(is_on);
    }

    /// Reads included files. `from` is the file that includes them.
    fn include(&mut self, paths: &[BString], from: &Path, depth: usize) {
        if depth == MAX_DEPTH {
            return;
        }
        for path in paths {
            if let Some(path) =
                Reader::place(path.as_bstr(), from.parent().unwrap_or(Path::new("")))
            {
                self.file(&path, depth + 1);
            }
        }
    }

    /// Returns the path that a value names: absolute, below the home directory, or relative to a
    /// folder. An empty value names an empty path.
    fn place(value: &BStr, folder: &Path) -> Option<PathBuf> {
        let value = value.to_str().ok()?;
        if value.is_empty() {
            return Some(PathBuf::new());
        }
        match value.strip_prefix("~/") {
            Some(rest) => Some(gix::path::env::home_dir()?.join(rest)),
            // The directory of another user, or of git's installation.
            None if value.starts_with('~') || value.starts_with("%(") => None,
            None => Some(folder.join(value)),
        }
    }

    /// Returns true if the condition of an `includeIf` holds. Those on remotes never do.
    fn holds(&self, condition: &BStr, from: &Path) -> bool {
        let Ok(condition) = condition.to_str() else { return false };
        let Some((kind, pattern)) = condition.split_once(':') else { return false };
        let mut mode = Mode::NO_MATCH_SLASH_LITERAL;
        let (pattern, subject) = match kind {
            "gitdir" | "gitdir/i" => {
                if kind == "gitdir/i" {
                    mode |= Mode::IGNORE_CASE;
                }
                let Some(pattern) = Reader::folder_pattern(pattern, from) else { return false };
                let mut folder = self.git_dir.to_string_lossy().into_owned();
                if pattern.ends_with("/**") {
                    folder.push('/');
                }
                (pattern, folder)
            }
            "onbranch" => {
                let Ok(head) = read_regular(&self.git_dir.join("HEAD"), MAX_CONFIG_BYTES) else {
                    return false;
                };
                let head = String::from_utf8_lossy(&head).trim_end().to_owned();
                let Some(branch) = head.strip_prefix("ref: refs/heads/") else { return false };
                let all = if pattern.ends_with('/') { "**" } else { "" };
                (format!("{pattern}{all}"), branch.to_owned())
            }
            _ => return false,
        };
        gix::glob::wildmatch(pattern.as_bytes().as_bstr(), subject.as_bytes().as_bstr(), mode)
    }

    /// Completes a pattern for folders, as gitconfig(5) describes.
    fn folder_pattern(pattern: &str, from: &Path) -> Option<String> {
        let mut pattern = if let Some(rest) = pattern.strip_prefix("~/") {
            gix::path::env::home_dir()?.join(rest).to_str()?.to_owned()
        } else if let Some(rest) = pattern.strip_prefix("./") {
            from.parent()?.canonicalize().ok()?.join(rest).to_str()?.to_owned()
        } else if pattern.starts_with('/') {
            pattern.to_owned()
        } else {
            format!("**/{pattern}")
        };
        if pattern.ends_with('/') {
            pattern.push_str("**");
        }
        Some(pattern)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Folder;

    #[test]
    fn the_last_setting_counts_also_of_included_files() {
        let folder = Folder::new();
        let read = || {
            let git_dir = folder.path().canonicalize().unwrap().join("top/.git");
            let config = GitConfig::read(&git_dir, &folder.join("top"));
            config.excludes_file.map(|path| path.file_name().map(std::borrow::ToOwned::to_owned))
        };
        let named = |name: &str| Some(Some(std::ffi::OsString::from(name)));
        folder.write("top/.git/HEAD", "ref: refs/heads/feature/a\n");
        for (config, expected) in [
            ("", None),
            ("[core]\n\tbare = false\n", None),
            ("[core]\n\texcludesFile = one\n", named("one")),
            ("[Core]\n\texcludesfile = one\n[core]\nEXCLUDESFILE = two\n", named("two")),
            ("[core]\n\texcludesFile =\n", Some(None)),
            ("[include]\n\tpath = ../../more\n", named("more")),
            (
                "[core]\nexcludesFile=a\n[include]\npath=../../more\n[core]\nexcludesFile=b\n",
                named("b"),
            ),
            ("[includeIf \"gitdir:top/\"]\n\tpath = ../../more\n", named("more")),
            ("[includeIf \"gitdir:other/\"]\n\tpath = ../../more\n", None),
            ("[includeIf \"gitdir/i:TOP/.git\"]\n\tpath = ../../more\n", named("more")),
            ("[includeIf \"onbranch:feature/\"]\n\tpath = ../../more\n", named("more")),
            ("[includeIf \"onbranch:main\"]\n\tpath = ../../more\n", None),
            ("[include]\n\tpath = config\n[core]\nexcludesFile = self\n", named("self")),
            ("[include]\n\tpath = missing\n", None),
            ("[core\nexcludesFile = a\n", None),
        ] {
            folder.write("top/.git/config", config);
            folder.write("more", "[core]\n\texcludesFile = more\n");
            assert_eq!(read(), expected, "{config}");
        }
    }
}
