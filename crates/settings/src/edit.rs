//! Changes one setting in a settings file and leaves every other byte as it is.
//!
//! `toml_edit` finds the position. Its writer is not used: it turns CRLF into LF and adds a final
//! line end, which would change the user's lines.

use std::{
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use toml_edit::{Document, Item};

use crate::{error::SettingsError, file};

/// Sets a setting in a settings file, which is created if it does not exist. Comments and the order
/// of the keys stay.
///
/// # Errors
/// If the file is not a settings file, has no place for the key or cannot be written. It is then
/// unchanged.
pub fn set(path: &Path, key: &str, value: &str) -> Result<(), SettingsError> {
    let text = file::read(path)?.unwrap_or_default();
    let changed = changed(path, &text, key, value)?;
    write(path, &changed).map_err(|source| SettingsError::Unwritable {
        path: path.to_owned(),
        key: key.to_owned(),
        source,
    })
}

/// The text of a settings file with a new value for a key.
fn changed(path: &Path, text: &str, key: &str, value: &str) -> Result<String, SettingsError> {
    let before = file::parse(path, text)?;
    let value = serde_json::to_string(value).expect("every string is JSON, and this JSON is TOML");
    let (table, name) = key.rsplit_once('.').unwrap_or(("", key));
    let candidates = [
        replaced(text, key, &value),
        below_header(text, table, &format!("{name} = {value}")),
        Some(appended(text, &format!("[{table}]\n{name} = {value}\n"))),
        Some(format!("{key} = {value}\n{text}")),
    ];
    let is_right = |candidate: &String| {
        let Ok(mut after) = file::parse(path, candidate) else { return false };
        let Some(at) = after.iter().position(|entry| entry.key == key) else { return false };
        after.remove(at);
        let mut others: Vec<_> = before.iter().filter(|entry| entry.key != key).collect();
        others.sort_by(|left, right| left.key.cmp(&right.key));
        after.sort_by(|left, right| left.key.cmp(&right.key));
        others.len() == after.len()
            && others
                .iter()
                .zip(&after)
                .all(|(left, right)| left.key == right.key && left.value == right.value)
    };
    candidates.into_iter().flatten().find(is_right).ok_or_else(|| SettingsError::Unwritable {
        path: path.to_owned(),
        key: key.to_owned(),
        source: io::Error::other(format!(
            "the file has no place for the key; add `{key} = {value}` by hand"
        )),
    })
}

/// The text with the key's existing value replaced; `None` if the key is not set.
fn replaced(text: &str, key: &str, value: &str) -> Option<String> {
    let document = Document::parse(text).ok()?;
    let span = find(&document, key)?.span()?;
    Some([&text[..span.start], value, &text[span.end..]].concat())
}

/// The text with a line added below the header of a table.
fn below_header(text: &str, table: &str, line: &str) -> Option<String> {
    let document = Document::parse(text).ok()?;
    let table = find(&document, table)?.as_table().filter(|table| !table.is_implicit())?;
    let header = table.span()?;
    let (end, line_end) = match text[header.end..].find('\n') {
        Some(rest) => (header.end + rest + 1, ""),
        None => (text.len(), "\n"),
    };
    Some([&text[..end], line_end, line, "\n", &text[end..]].concat())
}

/// Looks up a dotted key.
fn find<'d>(document: &'d Document<&str>, key: &str) -> Option<&'d Item> {
    key.split('.').try_fold(document.as_item(), |item, name| item.get(name))
}

/// The text with `lines` appended after an empty line.
fn appended(text: &str, lines: &str) -> String {
    let between = match text {
        "" => "",
        text if text.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    [text, between, lines].concat()
}

/// Replaces a file atomically. A symbolic link stays, and its target is replaced.
pub(super) fn write(path: &Path, text: &str) -> io::Result<()> {
    let path: PathBuf = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = path.parent().unwrap_or(Path::new(""));
    fs::create_dir_all(folder)?;
    let mut builder = tempfile::Builder::new();
    let existing = fs::metadata(&path).ok();
    // A new file gets default permissions, less the user's mask.
    #[cfg(unix)]
    if existing.is_none() {
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    }
    let mut draft = builder.tempfile_in(folder)?;
    draft.write_all(text.as_bytes())?;
    if let Some(metadata) = existing {
        fs::set_permissions(draft.path(), metadata.permissions())?;
    }
    draft.persist(&path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(before: &str, after: &str) {
        let changed = changed(Path::new("/u.toml"), before, "embedding.model", "a \"b\" \\ c");
        assert_eq!(changed.expect("it can be changed"), after);
    }

    #[test]
    fn only_the_setting_is_changed() {
        check("", "[embedding]\nmodel = \"a \\\"b\\\" \\\\ c\"\n");
        check(
            "# mine\n[search]\nlimit = 5 # few\n",
            "# mine\n[search]\nlimit = 5 # few\n\n[embedding]\nmodel = \"a \\\"b\\\" \\\\ c\"\n",
        );
        check(
            "[embedding] # how\nbatch = 8\n[search]\nlimit = 5",
            "[embedding] # how\nmodel = \"a \\\"b\\\" \\\\ c\"\nbatch = 8\n[search]\nlimit = 5",
        );
        check(
            "[embedding]\nbatch = 8\nmodel = 'old' # was\n",
            "[embedding]\nbatch = 8\nmodel = \"a \\\"b\\\" \\\\ c\" # was\n",
        );
        check("[embedding]", "[embedding]\nmodel = \"a \\\"b\\\" \\\\ c\"\n");
        check("embedding.model = \"old\"\n", "embedding.model = \"a \\\"b\\\" \\\\ c\"\n");
        check(
            "embedding = { batch = 8, model = \"old\" }\n",
            "embedding = { batch = 8, model = \"a \\\"b\\\" \\\\ c\" }\n",
        );
        check(
            "embedding.batch = 8\n",
            "embedding.model = \"a \\\"b\\\" \\\\ c\"\nembedding.batch = 8\n",
        );
        // A line inside a string that looks like a header.
        check(
            "[embedding]\nmodel = \"\"\"\n[embedding]\n\"\"\"\n",
            "[embedding]\nmodel = \"a \\\"b\\\" \\\\ c\"\n",
        );
    }

    #[test]
    fn a_file_that_cannot_take_the_key_is_unchanged() {
        let error = changed(
            Path::new("/u.toml"),
            "embedding = { batch = 8 }\n",
            "embedding.model",
            "small",
        );
        assert_eq!(
            error.expect_err("an inline table gets no new keys").to_string(),
            "could not write `embedding.model` into the settings file `/u.toml`"
        );
        assert!(changed(Path::new("/u.toml"), "[broken", "embedding.model", "small").is_err());
    }

    #[test]
    fn files_are_created_and_links_stay() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("a/b/lorehound.toml");
        set(&path, "embedding.model", "small").expect("it is created");
        set(&path, "embedding.model", "large").expect("it is changed");
        let text = fs::read_to_string(&path).expect("it is there");
        assert_eq!(text, "[embedding]\nmodel = \"large\"\n");
        assert_eq!(fs::read_dir(path.parent().expect("a folder")).expect("one").count(), 1);
        #[cfg(unix)]
        {
            let link = folder.path().join("link.toml");
            std::os::unix::fs::symlink(&path, &link).expect("a link");
            set(&link, "embedding.model", "off").expect("its target is written");
            assert!(link.is_symlink());
            assert!(fs::read_to_string(&path).expect("it is there").contains("\"off\""));
        }
        let refused = set(&folder.path().join("a"), "embedding.model", "small");
        assert!(refused.is_err(), "a folder is not a file");
    }
}
