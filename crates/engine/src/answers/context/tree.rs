//! The files of a package and their neighbours in the tree.

use std::collections::BTreeMap;

use super::section::{ContextItem, Detail};

/// Maximum number of other files listed per folder.
const MAX_BESIDE: usize = 30;

/// Returns the folders of some files with their content, those of the package marked, in the order
/// of the files. With `all`, the other folders of the tree follow, by path.
pub(super) fn folders<'a>(
    files: &[String],
    tree: impl Iterator<Item = &'a str>,
    all: bool,
) -> Vec<ContextItem> {
    let mut folders: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for path in tree.filter(|path| !path.starts_with('/')) {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        folders.entry(folder).or_default().push(name);
    }
    let mut order: Vec<&str> = Vec::new();
    for file in files {
        let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
        if !order.contains(&folder) && folders.contains_key(folder) {
            order.push(folder);
        }
    }
    if all {
        order.extend(
            folders.keys().copied().filter(|folder| !order.contains(folder)).collect::<Vec<_>>(),
        );
    }
    order.iter().map(|folder| item(folder, &folders[folder], files)).collect()
}

fn item(folder: &str, names: &[&str], files: &[String]) -> ContextItem {
    let path = |name: &str| {
        if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
    };
    let (own, beside): (Vec<&str>, Vec<&str>) =
        names.iter().partition(|name| files.contains(&path(name)));
    let marked: Vec<String> = own.iter().map(|name| format!("{name}*")).collect();
    let mut short: Vec<&str> = marked.iter().map(String::as_str).collect();
    let few = short.join(", ");
    short.extend(beside.iter().take(MAX_BESIDE));
    let more = beside.len().saturating_sub(MAX_BESIDE);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let mut details = vec![Detail::prose(format!("{}{more}", short.join(", ")))];
    if !own.is_empty() && !beside.is_empty() {
        details.push(Detail::prose(format!("{few} and {} more", beside.len())));
    }
    let name = if folder.is_empty() { "./".to_owned() } else { format!("{folder}/") };
    ContextItem {
        id: name.clone(),
        kind: "folder".to_owned(),
        path: Some(name.clone()),
        name,
        details,
        ..ContextItem::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered(items: &[ContextItem]) -> Vec<String> {
        items.iter().map(|item| format!("{} {}", item.name, item.details[0].prose)).collect()
    }

    #[test]
    fn folders_list_their_files() {
        let tree = ["README.md", "docs/a.md", "src/a.rs", "src/b.rs", "src/deep/c.rs", "/out.csv"];
        let files = ["src/b.rs".to_owned(), "README.md".to_owned()];
        let own = folders(&files, tree.iter().copied(), false);
        assert_eq!(rendered(&own), ["src/ b.rs*, a.rs", "./ README.md*"]);
        assert_eq!(own[0].details[1].prose, "b.rs* and 1 more");
        let all = folders(&files, tree.iter().copied(), true);
        assert_eq!(rendered(&all)[2..], ["docs/ a.md", "src/deep/ c.rs"]);
    }

    #[test]
    fn large_folders_are_cut() {
        let names: Vec<String> = (0..40).map(|number| format!("f{number:02}.rs")).collect();
        let items = folders(&["f39.rs".to_owned()], names.iter().map(String::as_str), false);
        assert!(rendered(&items)[0].starts_with("./ f39.rs*, f00.rs, "));
        assert!(rendered(&items)[0].ends_with(" f29.rs and 9 more"));
    }
}
