//! A directory as the last word of a search, as in `rg WORD DIR`.
//!
//! | Last word | Effect |
//! |---|---|
//! | a directory of the tree that is written as a path (`src/`, `./src`, `.`) | the same as `--path` |
//! | a directory outside the tree that is written as a path | the same as `-C` |
//! | a directory that is written as a word (`src`), or the only word | a word of the query, with a hint |
//! | with `-C`, `-W`, `--path`, `--at`, `--raw` or `--as` | a word of the query |

use std::{
    fs,
    path::{Component, Path, PathBuf, is_separator},
};

use lore_console::report;

use crate::args::SearchArguments;

/// Place of a directory that is the last word.
#[derive(Debug, PartialEq, Eq)]
enum Place {
    /// The whole tree.
    Tree,
    /// A directory of the tree, as a glob for `--path`.
    Inside(String),
    /// Another tree.
    Other(PathBuf),
}

/// Applies a directory that is the last word, or prints a hint if it may be a word of the query.
pub(in crate::commands) fn in_folder(mut arguments: SearchArguments) -> SearchArguments {
    let has_place = arguments.tree.directory.is_some()
        || arguments.scope.workspace.is_some()
        || arguments.scope.cluster_url().is_some()
        || !arguments.filter.code.paths.is_empty()
        || arguments.revision.at.is_some()
        || arguments.raw
        || arguments.contract.system.is_some();
    let Some((last, words)) = arguments.query.split_last().filter(|_| !has_place) else {
        return arguments;
    };
    let Some(place) = place_of(last) else { return arguments };
    if words.is_empty() || !is_written_as_path(last) {
        if let Some(command) = command(words, &place) {
            report::hint_line(&format!(
                "`{last}` is searched as a word; to search in that directory, run `{command}`"
            ));
        }
        return arguments;
    }
    arguments.query.pop();
    match place {
        Place::Tree => {}
        Place::Inside(path) => arguments.filter.code.paths.push(path),
        Place::Other(folder) => arguments.tree.directory = Some(folder),
    }
    arguments
}

/// Returns true for a word that is written as a path, not as a part of a query.
fn is_written_as_path(word: &str) -> bool {
    word == "." || word == ".." || word.contains(is_separator)
}

/// Returns the directory that a word names; `None` if there is none, or its name is not text that `--path`
/// can express.
fn place_of(word: &str) -> Option<Place> {
    let folder = Path::new(word);
    if !fs::metadata(folder).is_ok_and(|found| found.is_dir()) {
        return None;
    }
    let root = lore_session::root(None).ok()?;
    let (root, folder) = (canonical(&root), canonical(folder));
    let Ok(inside) = folder.strip_prefix(&root) else { return Some(Place::Other(folder)) };
    let mut path = String::new();
    for part in inside.components() {
        let Component::Normal(name) = part else { return None };
        if !path.is_empty() {
            path.push('/');
        }
        path.push_str(name.to_str()?);
    }
    let is_glob = path.contains(['*', '?', '[', ']', '{', '}', '\\', '!']);
    if path.is_empty() {
        return Some(Place::Tree);
    }
    // A name without a slash would match directories of that name anywhere.
    (!is_glob).then(|| Place::Inside(format!("{path}/**")))
}

fn canonical(folder: &Path) -> PathBuf {
    fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned())
}

/// Returns the command that searches the other words in the directory; `None` if it would be the same.
fn command(words: &[String], place: &Place) -> Option<String> {
    let mut command = "lore".to_owned();
    for word in words {
        command = format!("{command} {}", quoted(word));
    }
    match place {
        Place::Tree => None,
        Place::Inside(path) => Some(format!("{command} --path {}", quoted(path))),
        Place::Other(_) if words.is_empty() => None,
        Place::Other(folder) => Some(format!("{command} -C {}", quoted(folder.to_str()?))),
    }
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=@%+,".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_are_certain() {
        for path in [".", "..", "src/", "./src", "../other", "/srv"] {
            assert!(is_written_as_path(path), "{path}");
        }
        for word in ["src", "docs", "...", ""] {
            assert!(!is_written_as_path(word), "{word}");
        }
    }

    #[test]
    fn the_command_of_a_hint_is_quoted() {
        let words = ["it's".to_owned(), "refund".to_owned()];
        let inside = Place::Inside("my docs/**".to_owned());
        let expected = r"lore 'it'\''s' refund --path 'my docs/**'";
        assert_eq!(command(&words, &inside).as_deref(), Some(expected));
        let listed = command(&[], &Place::Inside("src/**".to_owned()));
        assert_eq!(listed.as_deref(), Some("lore --path 'src/**'"));
        assert_eq!(command(&words, &Place::Tree), None);
    }
}
