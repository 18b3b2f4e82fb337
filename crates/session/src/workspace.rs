//! The repositories of a workspace, each opened with its own settings.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use lore_console::report::UsageError;
use lore_engine::{WorkspacePaths, native};
use lore_settings::{
    Override, env_vars,
    workspace::{chosen_repositories, find_workspace},
};

use crate::{Context, OpenEngine};

/// A workspace whose repositories are open.
pub struct OpenWorkspace {
    /// Its name.
    pub name: String,
    /// The folder that contains all repositories, and their places in it.
    pub paths: WorkspacePaths,
    /// The repositories, in the order of `paths`.
    pub members: Vec<OpenMember>,
    /// A warning for each repository that could not be opened.
    pub skipped: Vec<String>,
}

/// A repository of a workspace.
pub struct OpenMember {
    /// Its name: see [`WorkspacePaths::name`].
    pub name: String,
    /// Its tree and settings.
    pub context: Context,
    /// Its engine.
    pub engine: OpenEngine,
}

/// The directories of a workspace.
pub struct Directories {
    /// Name of the workspace.
    pub name: String,
    /// The places of the directories.
    pub paths: WorkspacePaths,
    /// The directories that can be opened, canonical, in the order of `paths`.
    pub roots: Vec<PathBuf>,
    /// A warning for each that cannot be opened.
    pub skipped: Vec<String>,
}

/// Finds the directories of a workspace by its name, as it is typed in the current directory. `globs`
/// choose some of them by their names.
///
/// # Errors
/// If there is no such workspace, or none of its directories can be opened.
pub fn directories(name: &str, globs: &[String]) -> anyhow::Result<Directories> {
    let current = std::env::current_dir().context("could not find the current directory")?;
    let workspace = find_workspace(name, &current, &env_vars::from_process)?;
    let mut roots: Vec<PathBuf> = Vec::new();
    let mut skipped = Vec::new();
    for path in &workspace.repositories {
        let problem = match native::canonical(path) {
            Ok(root) if !root.is_dir() => "it is not a directory".to_owned(),
            Ok(root) => {
                if !roots.contains(&root) {
                    roots.push(root);
                }
                continue;
            }
            Err(error) => error.to_string(),
        };
        let path = path.display();
        skipped.push(format!("`{path}` of the workspace `{name}` is skipped: {problem}"));
    }
    if roots.is_empty() {
        let file = workspace.file.display();
        let error =
            UsageError::new(format!("no directory of the workspace `{name}` can be opened"));
        return Err(error.hint(format!("change `{file}`, or use `lore workspace add`")).into());
    }
    let paths = |roots: &[PathBuf]| {
        WorkspacePaths::new(&roots.iter().map(PathBuf::as_path).collect::<Vec<_>>())
    };
    let all = paths(&roots);
    let names: Vec<String> = (0..roots.len()).map(|member| all.name(member)).collect();
    let chosen = chosen_repositories(&names, globs)?;
    // The paths stay those of the whole workspace, so that they do not depend on the choice.
    let prefixes = all.prefixes.into_iter().zip(&chosen).filter(|(_, chosen)| **chosen);
    let prefixes = prefixes.map(|(prefix, _)| prefix).collect();
    let mut chosen = chosen.iter();
    roots.retain(|_| chosen.next().copied().unwrap_or(false));
    let paths = WorkspacePaths { root: all.root, prefixes };
    Ok(Directories { name: workspace.name, paths, roots, skipped })
}

impl OpenWorkspace {
    /// Opens the repositories of a workspace. `flags` are the settings of the command line. A
    /// repository that cannot be opened is skipped, with a warning.
    ///
    /// # Errors
    /// If there is no such workspace, or no repository can be opened.
    pub fn open(
        name: &str,
        globs: &[String],
        flags: impl Fn() -> Vec<Override>,
    ) -> anyhow::Result<OpenWorkspace> {
        let Directories { name, paths, roots, skipped } = directories(name, globs)?;
        let names = (0..roots.len()).map(|member| paths.name(member));
        let places: Vec<(String, String)> = names.zip(paths.prefixes.iter().cloned()).collect();
        OpenWorkspace::of_places(name, paths.root, skipped, places, |member, name| {
            open_member(name, &roots[member], flags())
        })
    }

    /// Opens repositories with these names and places in the directory `root`. `open` gets the number and the
    /// name of each. One that cannot be opened is added to `skipped`, with the reason.
    ///
    /// # Errors
    /// If no repository can be opened.
    pub(crate) fn of_places(
        name: String,
        root: PathBuf,
        skipped: Vec<String>,
        places: Vec<(String, String)>,
        open: impl Fn(usize, String) -> anyhow::Result<OpenMember>,
    ) -> anyhow::Result<OpenWorkspace> {
        let paths = WorkspacePaths { root, prefixes: Vec::new() };
        let mut opened = OpenWorkspace { name, paths, members: Vec::new(), skipped };
        let mut first_error = None;
        for (member, (name, prefix)) in places.into_iter().enumerate() {
            match open(member, name.clone()) {
                Ok(member) => {
                    opened.paths.prefixes.push(prefix);
                    opened.members.push(member);
                }
                Err(error) => {
                    opened.skipped.push(format!("`{name}` is skipped: {error:#}"));
                    first_error.get_or_insert(error);
                }
            }
        }
        match first_error {
            Some(error) if opened.members.is_empty() => Err(error),
            _ => Ok(opened),
        }
    }

    /// Returns the text of a file, given by its path in an answer of the workspace.
    pub fn text(&self, path: &str) -> Option<String> {
        let (member, path) = self.paths.locate(path)?;
        self.members[member].engine.text(path).ok()
    }
}

fn open_member(name: String, root: &Path, flags: Vec<Override>) -> anyhow::Result<OpenMember> {
    let context = Context::of_root(root.to_owned(), flags)?;
    let (engine, _) = context.quiet_engine()?;
    Ok(OpenMember { name, context, engine })
}

impl Context {
    /// The context of the folder that contains the repositories of a workspace: its output is that
    /// of one tree.
    ///
    /// # Errors
    /// If the settings cannot be read.
    pub fn of_workspace(paths: &WorkspacePaths, flags: Vec<Override>) -> anyhow::Result<Context> {
        Context::of_root(paths.root.clone(), flags)
    }
}
