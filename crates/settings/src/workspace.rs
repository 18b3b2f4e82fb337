//! Workspaces: named lists of repositories that are searched together.
//!
//! There are two kinds. Those of the user are in `workspaces.toml` beside the settings file, which
//! `lore workspace` writes. A folder with repositories may contain `lorehound.workspace.toml`, which
//! lists folders inside it. That file may come from others, so it can name no other place.

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use globset::{GlobBuilder, GlobMatcher};
use lore_console::{names::did_you_mean, report::UsageError};
use toml::de::{DeTable, DeValue};

use crate::{edit, env_vars::Lookup, file, folders::user_file};

/// Name of the file in a folder with repositories.
pub const WORKSPACE_FILE: &str = "lorehound.workspace.toml";

/// Name of the user's file, beside the settings file.
const USER_FILE: &str = "workspaces.toml";

/// Name of the workspace that `lore workspace` changes unless one is named.
pub const DEFAULT_WORKSPACE: &str = "default";

/// The key of the list of repositories.
const REPOSITORIES: &str = "repositories";

/// The first line of the user's file.
const HEADER: &str =
    "# Repositories that `lore -W NAME` searches together; see `lore workspace`.\n";

/// Maximum number of repositories of a workspace: each has an open index.
pub const MAX_REPOSITORIES: usize = 256;

/// A workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workspace {
    /// Its name.
    pub name: String,
    /// The file that defines it.
    pub file: PathBuf,
    /// Its repositories, absolute, in the order of the file. They may not exist.
    pub repositories: Vec<PathBuf>,
}

/// Returns the workspaces that can be named in a folder: those of the user, sorted by name, then that
/// of the nearest file in the folder or above.
///
/// # Errors
/// If a file cannot be read or understood.
pub fn workspaces(folder: &Path, lookup: Lookup<'_>) -> Result<Vec<Workspace>, UsageError> {
    let mut all = of_user(lookup)?;
    if let Some(path) = nearest_file(folder) {
        all.push(of_folder(&path)?);
    }
    Ok(all)
}

/// Finds a workspace by its name; `.` is that of the nearest file in `folder` or above.
///
/// # Errors
/// If there is none of that name, it is empty, or a file cannot be read or understood.
pub fn find_workspace(
    name: &str,
    folder: &Path,
    lookup: Lookup<'_>,
) -> Result<Workspace, UsageError> {
    let mut found = if name == "." {
        None
    } else {
        of_user(lookup)?.into_iter().find(|workspace| workspace.name == name)
    };
    // Only then, because the file may be another user's.
    if found.is_none()
        && let Some(path) = nearest_file(folder)
    {
        let nearest = of_folder(&path)?;
        found = (name == "." || nearest.name == name).then_some(nearest);
    }
    match found {
        Some(workspace) if workspace.repositories.is_empty() => {
            let file = workspace.file.display();
            let error = format!("the workspace `{name}` of `{file}` has no repository");
            Err(UsageError::new(error).hint(
                "add directories to `repositories` in this file; `*` finds git repositories only",
            ))
        }
        Some(workspace) => Ok(workspace),
        None => Err(unknown(name, folder, lookup)),
    }
}

/// The error for a name without a workspace.
fn unknown(name: &str, folder: &Path, lookup: Lookup<'_>) -> UsageError {
    if name == "." {
        let folder = folder.display();
        return UsageError::new(format!(
            "there is no `{WORKSPACE_FILE}` in `{folder}` or in a directory above it"
        ))
        .hint(
            "run `lore workspace add DIR…` to make a workspace, and search it with `-W default`",
        );
    }
    let known = workspaces(folder, lookup).unwrap_or_default();
    let names: Vec<&str> = known.iter().map(|workspace| workspace.name.as_str()).collect();
    let error =
        UsageError::new(format!("there is no workspace `{name}`{}", did_you_mean(name, &names)));
    if names.is_empty() && check_name(name).is_ok() {
        return error.hint(format!("run `lore workspace add -W {name} DIR…` to make it"));
    }
    if names.is_empty() {
        return error.hint("run `lore workspace add DIR…` to make one");
    }
    error.hint(format!("the workspaces are {}; `lore workspace list` shows them", names.join(", ")))
}

/// Adds repositories to a workspace of the user, which is made if it does not exist. Returns it, and
/// the number of those that were new.
///
/// # Errors
/// If the file cannot be read, understood or written.
pub fn add_repositories(
    name: &str,
    repositories: &[PathBuf],
    lookup: Lookup<'_>,
) -> Result<(Workspace, usize), UsageError> {
    check_name(name)?;
    let mut all = of_user(lookup)?;
    let at = if let Some(at) = all.iter().position(|workspace| workspace.name == name) {
        at
    } else {
        let file = user_workspaces(lookup)?;
        all.push(Workspace { name: name.to_owned(), file, repositories: Vec::new() });
        all.len() - 1
    };
    let known = &mut all[at].repositories;
    let before = known.len();
    for repository in repositories {
        if !known.contains(repository) {
            known.push(repository.clone());
        }
    }
    if known.len() > MAX_REPOSITORIES {
        return Err(UsageError::new(format!(
            "{} repositories are too many for a workspace: it has at most {MAX_REPOSITORIES}",
            known.len()
        )));
    }
    let added = known.len() - before;
    let changed = all[at].clone();
    write(&mut all, lookup)?;
    Ok((changed, added))
}

/// Removes repositories from a workspace of the user, or the workspace with all of them if
/// `repositories` is empty. Returns the number of removed repositories.
///
/// # Errors
/// If there is no such workspace of the user, or the file cannot be read, understood or written.
pub fn remove_repositories(
    name: &str,
    repositories: &[PathBuf],
    lookup: Lookup<'_>,
) -> Result<usize, UsageError> {
    let mut all = of_user(lookup)?;
    let Some(at) = all.iter().position(|workspace| workspace.name == name) else {
        return Err(unknown(name, Path::new("/"), lookup));
    };
    let before = all[at].repositories.len();
    all[at].repositories.retain(|known| !repositories.contains(known));
    let mut left = all[at].repositories.len();
    if repositories.is_empty() || left == 0 {
        all.remove(at);
        left = 0;
    }
    if left < before || repositories.is_empty() {
        write(&mut all, lookup)?;
    }
    Ok(before - left)
}

/// A name that can be typed after `-W` and is no path.
fn check_name(name: &str) -> Result<(), UsageError> {
    let is_letter = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_');
    if !name.is_empty() && name.chars().all(is_letter) {
        return Ok(());
    }
    Err(UsageError::new(format!("`{name}` cannot be the name of a workspace"))
        .hint("use letters, digits, `-` and `_`, for example `-W work`"))
}

/// The path of the user's workspaces.
fn user_workspaces(lookup: Lookup<'_>) -> Result<PathBuf, UsageError> {
    let folder = user_file(lookup).and_then(|file| Some(file.parent()?.to_owned()));
    let folder = folder.ok_or_else(|| {
        UsageError::new("there is no directory for your settings")
            .hint("set `HOME` or `XDG_CONFIG_HOME` to an absolute path")
    })?;
    Ok(folder.join(USER_FILE))
}

/// The workspaces of the user, sorted by name.
fn of_user(lookup: Lookup<'_>) -> Result<Vec<Workspace>, UsageError> {
    let Ok(path) = user_workspaces(lookup) else { return Ok(Vec::new()) };
    let Some(text) = read(&path)? else { return Ok(Vec::new()) };
    let file = WorkspaceText { path: &path, text: &text };
    let mut all = Vec::new();
    for (name, value) in file.parse()? {
        let at = name.span().start;
        let DeValue::Table(table) = value.get_ref() else {
            return Err(file.error(at, "expected a table, for example `[work]`"));
        };
        let mut repositories = Vec::new();
        for (key, value) in table {
            if key.get_ref() != REPOSITORIES {
                return Err(
                    file.error(key.span().start, &format!("there is no key `{}`", key.get_ref()))
                );
            }
            for (at, path) in file.strings(value.get_ref(), value.span().start)? {
                let path = PathBuf::from(path);
                if !path.is_absolute() {
                    return Err(file.error(at, "a repository has an absolute path"));
                }
                repositories.push(path);
            }
        }
        all.push(Workspace { name: name.get_ref().to_string(), file: path.clone(), repositories });
    }
    all.sort_by(|left, right| left.name.cmp(&right.name));
    Ok(all)
}

/// Writes the workspaces of the user.
fn write(all: &mut [Workspace], lookup: Lookup<'_>) -> Result<(), UsageError> {
    let path = user_workspaces(lookup)?;
    all.sort_by(|left, right| left.name.cmp(&right.name));
    let mut text = HEADER.to_owned();
    // Every string in JSON is one in TOML.
    let quoted = |text: &str| serde_json::to_string(text).unwrap_or_default();
    for workspace in all {
        let _ = writeln!(text, "\n[{}]\n{REPOSITORIES} = [", quoted(&workspace.name));
        for repository in &workspace.repositories {
            let Some(repository) = repository.to_str() else {
                return Err(UsageError::new(format!(
                    "the path `{}` is not UTF-8, and cannot be in a workspace",
                    repository.display()
                )));
            };
            let _ = writeln!(text, "    {},", quoted(repository));
        }
        text.push_str("]\n");
    }
    edit::write(&path, &text)
        .map_err(|error| UsageError::new(format!("could not write `{}`: {error}", path.display())))
}

/// The nearest workspace file in a folder or above.
fn nearest_file(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().map(|folder| folder.join(WORKSPACE_FILE)).find(|path| path.is_file())
}

/// The workspace of a file in a folder of repositories.
fn of_folder(path: &Path) -> Result<Workspace, UsageError> {
    let text = read(path)?.unwrap_or_default();
    let file = WorkspaceText { path, text: &text };
    let folder = path.parent().unwrap_or(Path::new("/"));
    let own_name = folder.file_name().map(|name| name.to_string_lossy().into_owned());
    let mut name = own_name.unwrap_or_else(|| DEFAULT_WORKSPACE.to_owned());
    let mut patterns = vec![(0, "*".to_owned())];
    for (key, value) in file.parse()? {
        let at = value.span().start;
        match (key.get_ref().as_ref(), value.get_ref()) {
            ("name", DeValue::String(typed)) => {
                check_name(typed).map_err(|error| file.error(at, &error.message))?;
                name = typed.to_string();
            }
            ("name", _) => return Err(file.error(at, "`name` is a text in quotation marks")),
            (REPOSITORIES, value) => patterns = file.strings(value, at)?,
            (key, _) => return Err(file.error(at, &format!("there is no key `{key}`"))),
        }
    }
    let mut repositories = Vec::new();
    for (at, pattern) in patterns {
        let found = folders(folder, &pattern).map_err(|reason| file.error(at, &reason))?;
        for found in found {
            if !repositories.contains(&found) {
                repositories.push(found);
            }
        }
        if repositories.len() > MAX_REPOSITORIES {
            return Err(file.error(at, &format!("more than {MAX_REPOSITORIES} repositories")));
        }
    }
    Ok(Workspace { name, file: path.to_owned(), repositories })
}

/// The folders that a pattern names, sorted. `*` stands for any letters of one name; a name with it
/// finds git repositories alone.
fn folders(base: &Path, pattern: &str) -> Result<Vec<PathBuf>, String> {
    let names: Vec<&str> = pattern.trim_end_matches('/').split('/').collect();
    let is_inside = |name: &&str| !matches!(*name, "" | "." | "..") && !name.contains(['\\', ':']);
    if pattern != "." && !names.iter().all(is_inside) {
        return Err(format!(
            "`{pattern}` must be a path below this directory, with `/` between names"
        ));
    }
    if pattern == "." {
        return Ok(vec![base.to_owned()]);
    }
    let has_pattern = pattern.contains(['*', '?', '[', '{']);
    let mut found = vec![base.to_owned()];
    for name in names {
        if !name.contains(['*', '?', '[', '{']) {
            for path in &mut found {
                path.push(name);
            }
            continue;
        }
        let matcher = glob(name)?;
        let mut inside = Vec::new();
        for folder in &found {
            let Ok(entries) = fs::read_dir(folder) else { continue };
            for entry in entries.flatten() {
                // A link could lead to another place.
                let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
                if is_folder && matcher.is_match(entry.file_name()) {
                    inside.push(entry.path());
                }
            }
        }
        inside.sort();
        found = inside;
    }
    if has_pattern {
        found.retain(|path| path.join(".git").exists());
    }
    let real_base = lore_engine::native::canonical(base).map_err(|error| error.to_string())?;
    let leads_out = |path: &&PathBuf| {
        let real = lore_engine::native::canonical(path);
        real.is_ok_and(|real| !real.starts_with(&real_base))
    };
    match found.iter().find(leads_out) {
        Some(path) => Err(format!("`{}` is a link out of this directory", path.display())),
        None => Ok(found),
    }
}

/// Returns the names that any of the globs matches, as [`chosen_repositories`].
///
/// # Errors
/// As [`chosen_repositories`].
pub fn chosen_names(names: Vec<String>, globs: &[String]) -> Result<Vec<String>, UsageError> {
    let chosen = chosen_repositories(&names, globs)?;
    let names = names.into_iter().zip(chosen).filter(|(_, is_chosen)| *is_chosen);
    Ok(names.map(|(name, _)| name).collect())
}

/// A glob over one name or path, in which `*` does not match `/`.
fn glob(pattern: &str) -> Result<GlobMatcher, String> {
    let built = GlobBuilder::new(pattern).literal_separator(true).build();
    built
        .map(|glob| glob.compile_matcher())
        .map_err(|error| format!("could not understand the glob `{pattern}`: {}", error.kind()))
}

/// Globs over the whole names of repositories. `*` does not match `/`, and `**` matches everything.
#[derive(Debug, Clone, Default)]
pub struct RepositoryGlobs(Vec<GlobMatcher>);

impl RepositoryGlobs {
    /// Compiles globs.
    ///
    /// # Errors
    /// A description of the first one that cannot be understood.
    pub fn new(globs: &[String]) -> Result<RepositoryGlobs, String> {
        globs.iter().map(|typed| glob(typed)).collect::<Result<_, _>>().map(RepositoryGlobs)
    }

    /// Returns true if a glob matches the name.
    pub fn matches(&self, name: &str) -> bool {
        !name.is_empty() && self.0.iter().any(|glob| glob.is_match(name))
    }
}

/// Maximum number of names in an error.
const MAX_NAMED: usize = 20;

/// Returns which of these repositories any of the globs matches: by its whole name, or by the last
/// part of it. Without globs, all.
///
/// # Errors
/// If a glob cannot be understood, or matches no repository.
pub fn chosen_repositories(names: &[String], globs: &[String]) -> Result<Vec<bool>, UsageError> {
    let mut chosen = vec![globs.is_empty(); names.len()];
    for typed in globs {
        let matcher = glob(typed).map_err(UsageError::new)?;
        let mut has_match = false;
        for (name, chosen) in names.iter().zip(&mut chosen) {
            let last = name.rsplit('/').next().unwrap_or(name);
            if matcher.is_match(name) || matcher.is_match(last) {
                *chosen = true;
                has_match = true;
            }
        }
        if !has_match {
            let shown = &names[..names.len().min(MAX_NAMED)];
            let more = if shown.len() < names.len() { ", …" } else { "" };
            return Err(UsageError::new(format!("no repository matches `{typed}`"))
                .hint(format!("the repositories are {}{more}", shown.join(", "))));
        }
    }
    Ok(chosen)
}

fn read(path: &Path) -> Result<Option<String>, UsageError> {
    file::read(path).map_err(|error| UsageError::new(error.to_string()))
}

/// A workspace file with its text, for messages.
struct WorkspaceText<'a> {
    path: &'a Path,
    text: &'a str,
}

impl<'a> WorkspaceText<'a> {
    fn parse(&self) -> Result<DeTable<'a>, UsageError> {
        let parsed = DeTable::parse(self.text);
        parsed.map(toml::Spanned::into_inner).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            self.error(at, &error.message().replace('\n', ", "))
        })
    }

    /// The texts of a list, with their positions.
    fn strings(&self, value: &DeValue<'_>, at: usize) -> Result<Vec<(usize, String)>, UsageError> {
        let expected = "expected a list of paths, for example `repositories = [\"one\", \"two\"]`";
        let DeValue::Array(values) = value else { return Err(self.error(at, expected)) };
        let mut texts = Vec::new();
        for value in values {
            let at = value.span().start;
            let text = value.get_ref().as_str().ok_or_else(|| self.error(at, expected))?;
            texts.push((at, text.to_owned()));
        }
        Ok(texts)
    }

    fn error(&self, at: usize, reason: &str) -> UsageError {
        let line = self.text[..at.min(self.text.len())].matches('\n').count() + 1;
        UsageError::new(format!(
            "could not understand the workspace file `{}`: line {line}: {reason}",
            self.path.display()
        ))
    }
}

#[cfg(test)]
mod tests {
    use std::{ffi::OsString, fs, path::Path};

    use super::*;

    fn in_config(folder: &Path) -> impl Fn(&str) -> Option<OsString> {
        let path = folder.join("config/lorehound.toml");
        move |name| (name == "LOREHOUND_CONFIG").then(|| path.clone().into_os_string())
    }

    #[test]
    fn workspaces_of_the_user_are_added_to_and_removed_from() {
        let folder = tempfile::tempdir().unwrap();
        let lookup = in_config(folder.path());
        let paths: Vec<PathBuf> =
            ["one", "two \"x\""].iter().map(|name| folder.path().join(name)).collect();
        let (made, added) = add_repositories("work", &paths, &lookup).unwrap();
        assert_eq!((made.repositories.len(), added), (2, 2));
        let (_, added) = add_repositories("work", &paths[..1], &lookup).unwrap();
        assert_eq!(added, 0);
        let found = find_workspace("work", folder.path(), &lookup).unwrap();
        assert_eq!(found.repositories, paths);
        let error = find_workspace("wark", folder.path(), &lookup).unwrap_err();
        assert_eq!(error.message, "there is no workspace `wark`; did you mean `work`?");
        assert_eq!(remove_repositories("work", &paths[..1], &lookup).unwrap(), 1);
        assert_eq!(find_workspace("work", folder.path(), &lookup).unwrap().repositories.len(), 1);
        assert_eq!(remove_repositories("work", &[], &lookup).unwrap(), 1);
        assert!(workspaces(folder.path(), &lookup).unwrap().is_empty());
        assert!(add_repositories("a/b", &paths, &lookup).is_err());
    }

    #[test]
    fn a_workspace_file_names_folders_inside_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let lookup = in_config(folder.path());
        let root = folder.path().join("shop");
        for name in ["api/.git", "web/.git", "notes", "libs/a/.git", "libs/b/.git"] {
            fs::create_dir_all(root.join(name)).unwrap();
        }
        let file = root.join(WORKSPACE_FILE);
        let found = |text: &str| {
            fs::write(&file, text).unwrap();
            find_workspace(".", &root.join("libs/a"), &lookup).map(|workspace| {
                let inside = workspace.repositories.iter();
                let names: Vec<String> = inside
                    .map(|path| path.strip_prefix(&root).unwrap().display().to_string())
                    .collect();
                (workspace.name, names.join(" "))
            })
        };
        let shop = |names: &str| ("shop".to_owned(), names.to_owned());
        assert_eq!(found("").unwrap(), shop("api web"));
        assert_eq!(
            found("repositories = [\"libs/*\", \"notes\"]").unwrap(),
            shop("libs/a libs/b notes")
        );
        let named = found("name = \"all\"\nrepositories = [\"web\"]").unwrap();
        assert_eq!(named, ("all".to_owned(), "web".to_owned()));
        for wrong in
            ["repositories = [\"../x\"]", "repositories = [\"/etc\"]", "other = 1", "name = 2"]
        {
            let error = found(wrong).unwrap_err();
            assert!(error.message.contains("line 1"), "{wrong}: {}", error.message);
        }
        let outside = folder.path().join("elsewhere");
        fs::create_dir_all(&outside).unwrap();
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(&outside, root.join("link")).unwrap();
            let error = found("repositories = [\"link\"]").unwrap_err();
            assert!(error.message.contains("is a link out of this directory"), "{}", error.message);
        }
        assert!(find_workspace(".", &outside, &lookup).is_err());
    }

    #[test]
    fn globs_choose_repositories() {
        let names = ["api", "libs/core", "libs/web"].map(str::to_owned);
        let chosen = |globs: &[&str]| {
            let globs: Vec<String> = globs.iter().map(ToString::to_string).collect();
            chosen_repositories(&names, &globs)
        };
        assert_eq!(chosen(&[]).unwrap(), [true, true, true]);
        assert_eq!(chosen(&["libs/*"]).unwrap(), [false, true, true]);
        assert_eq!(chosen(&["core", "a*"]).unwrap(), [true, true, false]);
        assert!(chosen(&["x*"]).is_err() && chosen(&["["]).is_err());
    }
}
