//! The description file of a view, which lets a new view start from the nearest existing one.
//!
//! No other view starts from a view whose description is missing or unreadable.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::private;
use crate::{DescribedView, ViewDescription};

/// Name of the description file.
const FILE: &str = "view.txt";

/// Maximum size of a description file in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// First line of the description file. Another format has another one.
const HEADER: &str = "lorehound view 1";

/// Writes the description of the view in an existing folder, atomically.
///
/// # Errors
/// An error of the file system, if the file cannot be written.
pub(super) fn describe(folder: &Path, view: &ViewDescription) -> io::Result<()> {
    let kind = if view.is_revision { "commit" } else { "folder" };
    let (options, root) = (in_one_line(&view.options), in_one_line(&view.root));
    let head = view.head.as_ref().map(|head| format!("head {}\n", in_one_line(head)));
    let head = head.unwrap_or_default();
    let text = format!("{HEADER}\nof {kind}\noptions {options}\n{head}root {root}\n");
    private::replace(folder, FILE, text.as_bytes())
}

/// Names of the description files in a folder, with drafts of writers that were killed.
pub(super) fn description_files(folder: &Path) -> Vec<String> {
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

/// Lists the described views below the folder of a repository, last written first.
pub(super) fn list(repository: &Path) -> Vec<DescribedView> {
    let Ok(entries) = fs::read_dir(repository) else { return Vec::new() };
    // A link may lead to a folder of the user.
    let folders = entries
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let mut views: Vec<DescribedView> = folders.filter_map(|entry| read(entry.path())).collect();
    views.sort_by(|left, right| {
        right.written.cmp(&left.written).then_with(|| left.path.cmp(&right.path))
    });
    views
}

/// Reads the description of the view in a folder.
pub(super) fn description(folder: &Path) -> Option<ViewDescription> {
    read(folder.to_owned()).map(|view| view.description)
}

fn read(path: PathBuf) -> Option<DescribedView> {
    let file = path.join(FILE);
    let metadata = fs::metadata(&file).ok().filter(fs::Metadata::is_file)?;
    let text = String::from_utf8(private::read(&file, MAX_BYTES).ok()?).ok()?;
    let mut lines = text.lines();
    if lines.next() != Some(HEADER) {
        return None;
    }
    let mut description = ViewDescription::default();
    for line in lines {
        let (name, value) = line.split_once(' ')?;
        match name {
            "of" => description.is_revision = value == "commit",
            "options" => value.clone_into(&mut description.options),
            "head" => description.head = Some(value.to_owned()),
            "root" => value.clone_into(&mut description.root),
            _ => return None,
        }
    }
    Some(DescribedView { path, description, written: metadata.modified().ok()? })
}

fn in_one_line(text: &str) -> String {
    text.replace(['\n', '\r'], "?")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_are_read_back_and_unreadable_ones_are_skipped() {
        let folder = tempfile::tempdir().unwrap();
        let view = ViewDescription {
            root: "/a\nb".to_owned(),
            options: "hidden=true max=1".to_owned(),
            head: Some("0123".to_owned()),
            is_revision: true,
        };
        for (name, view) in [("one", &view), ("two", &ViewDescription::default())] {
            fs::create_dir(folder.path().join(name)).unwrap();
            describe(&folder.path().join(name), view).unwrap();
        }
        fs::create_dir(folder.path().join("older")).unwrap();
        fs::create_dir(folder.path().join("other")).unwrap();
        fs::write(folder.path().join("other").join(FILE), "lorehound view 2\n").unwrap();
        fs::create_dir(folder.path().join("torn")).unwrap();
        fs::write(folder.path().join("torn").join(FILE), format!("{HEADER}\noptio")).unwrap();
        let found = list(folder.path());
        let names: Vec<_> =
            found.iter().filter_map(|found| found.path.file_name()?.to_str()).collect();
        assert_eq!(names.len(), 2, "{names:?}");
        let first = description(&folder.path().join("one")).unwrap();
        assert_eq!(first, ViewDescription { root: "/a?b".to_owned(), ..view });
        assert_eq!(description(&folder.path().join("two")), Some(ViewDescription::default()));
        assert_eq!(list(&folder.path().join("missing")), []);
    }
}
