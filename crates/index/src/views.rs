//! What the folders below the cache of a repository hold: a view each, which is one of its work trees
//! or one of its commits.
//!
//! A view says in a small file what it is, so that a new one can start from the nearest of them. A
//! view without that file, or with one that cannot be read, is nobody's sibling and works as before.

#![expect(clippy::disallowed_methods, reason = "it keeps the folders that indexes lie in")]

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::SystemTime,
};

use crate::{IndexError, shelves};

/// Name of the file in which a view says what it is.
const FILE: &str = "view.txt";

/// First line of that file. Another version writes another one.
const HEADER: &str = "lorehound view 1";

/// What a view is of.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ViewNote {
    /// The folder that is searched, for people.
    pub root: String,
    /// Whatever else decides about the documents. Only views with the same options are alike.
    pub options: String,
    /// The commit that was checked out when something was last written, or whose tree it is.
    pub head: Option<String>,
    /// Whether it is the tree of a commit, and not a folder on disk.
    pub is_revision: bool,
}

/// A view on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotedView {
    /// Its folder, with one folder for each source in it.
    pub path: PathBuf,
    /// What it is of.
    pub view: ViewNote,
    /// When it last said so.
    pub written: SystemTime,
}

/// Says what the view in a folder is, in one step. The folder is there already.
///
/// # Errors
/// When the file cannot be written; the view is then nobody's sibling.
pub fn note_view(folder: &Path, view: &ViewNote) -> io::Result<()> {
    let kind = if view.is_revision { "commit" } else { "folder" };
    let (options, root) = (in_one_line(&view.options), in_one_line(&view.root));
    let head = view.head.as_ref().map(|head| format!("head {}\n", in_one_line(head)));
    let head = head.unwrap_or_default();
    let text = format!("{HEADER}\nof {kind}\noptions {options}\n{head}root {root}\n");
    let draft = folder.join(format!("{FILE}.{}.new", std::process::id()));
    let written = fs::write(&draft, text).and_then(|()| fs::rename(&draft, folder.join(FILE)));
    if written.is_err() {
        // The folder is full or forbidden already.
        let _ = fs::remove_file(&draft);
    }
    written
}

/// Names of the files in which the view in a folder says what it is, drafts that were left included.
pub(crate) fn note_files(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let names =
        entries.filter_map(Result::ok).filter_map(|entry| entry.file_name().into_string().ok());
    names
        .filter(|name| {
            let rest = name.strip_prefix(FILE);
            rest.is_some_and(|rest| rest.is_empty() || rest.strip_suffix(".new").is_some())
        })
        .collect()
}

/// The views below the folder of a repository, the one that was written last first.
pub fn views(repository: &Path) -> Vec<NotedView> {
    let Ok(entries) = fs::read_dir(repository) else { return Vec::new() };
    // A link may lead to a folder of somebody else.
    let folders = entries
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let mut views: Vec<NotedView> = folders.filter_map(|entry| read(entry.path())).collect();
    views.sort_by(|left, right| {
        right.written.cmp(&left.written).then_with(|| left.path.cmp(&right.path))
    });
    views
}

/// What the view in a folder is.
pub fn view_in(folder: &Path) -> Option<ViewNote> {
    read(folder.to_owned()).map(|found| found.view)
}

/// Removes a view with the indexes in it; what else lies in its folder stays.
///
/// # Errors
/// [`IndexError::Busy`] while somebody writes one of them; what was removed by then stays removed.
pub fn remove_view(folder: &Path) -> Result<(), IndexError> {
    shelves::view(folder.to_owned()).0.remove()
}

fn read(path: PathBuf) -> Option<NotedView> {
    let file = path.join(FILE);
    let metadata = fs::metadata(&file).ok().filter(fs::Metadata::is_file)?;
    let text = fs::read_to_string(&file).ok()?;
    let mut lines = text.lines();
    if lines.next() != Some(HEADER) {
        return None;
    }
    let mut view = ViewNote::default();
    for line in lines {
        let (name, value) = line.split_once(' ')?;
        match name {
            "of" => view.is_revision = value == "commit",
            "options" => value.clone_into(&mut view.options),
            "head" => view.head = Some(value.to_owned()),
            "root" => value.clone_into(&mut view.root),
            _ => return None,
        }
    }
    Some(NotedView { path, view, written: metadata.modified().ok()? })
}

fn in_one_line(text: &str) -> String {
    text.replace(['\n', '\r'], "?")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_come_back_and_what_is_none_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let view = ViewNote {
            root: "/a\nb".to_owned(),
            options: "hidden=true max=1".to_owned(),
            head: Some("0123".to_owned()),
            is_revision: true,
        };
        for (name, view) in [("one", &view), ("two", &ViewNote::default())] {
            fs::create_dir(folder.path().join(name)).unwrap();
            note_view(&folder.path().join(name), view).unwrap();
        }
        fs::create_dir(folder.path().join("older")).unwrap();
        fs::create_dir(folder.path().join("other")).unwrap();
        fs::write(folder.path().join("other").join(FILE), "lorehound view 2\n").unwrap();
        fs::create_dir(folder.path().join("torn")).unwrap();
        fs::write(folder.path().join("torn").join(FILE), format!("{HEADER}\noptio")).unwrap();
        let found = views(folder.path());
        let names: Vec<_> =
            found.iter().filter_map(|found| found.path.file_name()?.to_str()).collect();
        assert_eq!(names.len(), 2, "{names:?}");
        let one = view_in(&folder.path().join("one")).unwrap();
        assert_eq!(one, ViewNote { root: "/a?b".to_owned(), ..view });
        assert_eq!(view_in(&folder.path().join("two")), Some(ViewNote::default()));
        assert_eq!(views(&folder.path().join("missing")), []);
    }
}
