//! The texts of the files that a patch changes, before and after it.
//!
//! The patch may be applied to the files on disk already, or not yet.

use std::{borrow::Cow, path::Path};

use diffy::{
    Patch,
    patch_set::{FileOperation, FilePatch, ParseOptions, PatchKind, PatchSet},
};

use lore_schema::SkipReason;

use crate::{
    error::SourceError,
    git::{ChangedText, hunks},
    secrets::Secrets,
    text,
};

/// Maximum size of a patched file, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// Maximum number of files of a patch.
const MAX_FILES: usize = 2_000;

/// The files that a patch changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchedTexts {
    /// The files, by path.
    pub texts: Vec<ChangedText>,
    /// True if the files on disk have the changes already.
    pub is_applied: bool,
}

/// Reads the files that a patch changes, in the format of `git diff` or `diff -u`. Its paths are relative to
/// the root; `a/` and `b/` before them are removed. Binary files are omitted.
///
/// # Errors
/// [`SourceError::Patch`] if it contains no change, cannot be parsed, or fits neither the files on disk nor,
/// reversed, those files.
pub fn patched_texts(
    root: &Path,
    patch: &str,
    secrets: Secrets,
) -> Result<PatchedTexts, SourceError> {
    let files = parse(patch)?;
    let read = |path: &str| {
        if path.is_empty() {
            return Ok(String::new());
        }
        match text::read_text(root, path, MAX_FILE_BYTES, Secrets::Shown) {
            Err(SkipReason::Empty) => Ok(String::new()),
            read => read.map_err(|reason| format!("`{path}` cannot be read: {}", reason.as_str())),
        }
    };
    let forward = |file: &File<'_>| {
        let old = read(&file.old)?;
        if file.old.is_empty() && read(&file.new).is_ok() {
            return Err(format!("`{}` exists already", file.new));
        }
        let new = changed(&old, file.patch.as_ref()).map_err(|hunk| unfit(&file.old, &hunk))?;
        Ok((old, new))
    };
    let backward = |file: &File<'_>| {
        let new = read(&file.new)?;
        if file.new.is_empty() && read(&file.old).is_ok() {
            return Err(format!("`{}` still exists", file.old));
        }
        let patch = file.patch.as_ref().map(Patch::reverse);
        let old = changed(&new, patch.as_ref()).map_err(|hunk| unfit(&file.new, &hunk))?;
        Ok((old, new))
    };
    let (pairs, is_applied) = match files.iter().map(forward).collect::<Result<Vec<_>, _>>() {
        Ok(pairs) => (pairs, false),
        Err(reason) => {
            let reversed: Result<Vec<_>, String> = files.iter().map(backward).collect();
            (reversed.map_err(|_| SourceError::Patch { reason })?, true)
        }
    };
    let mut texts: Vec<ChangedText> = files
        .iter()
        .zip(pairs)
        .map(|(file, (old, new))| {
            let (old, new) = (secrets.apply(old), secrets.apply(new));
            let is_removed = file.new.is_empty();
            let path = if is_removed { &file.old } else { &file.new };
            ChangedText {
                path: path.to_string(),
                old_path: (!file.old.is_empty() && file.old != *path).then(|| file.old.to_string()),
                hunks: hunks(&old, &new),
                old: (!file.old.is_empty()).then_some(old),
                new: (!is_removed).then_some(new),
                skipped: None,
                is_removed,
            }
        })
        .collect();
    texts.sort_by(|left, right| left.path.cmp(&right.path));
    Ok(PatchedTexts { texts, is_applied })
}

/// A file of a patch. A path is empty if the file does not exist in this state.
struct File<'a> {
    old: Cow<'a, str>,
    new: Cow<'a, str>,
    /// The change of the text; `None` for a renaming alone.
    patch: Option<Patch<'a, str>>,
}

fn parse(patch: &str) -> Result<Vec<File<'_>>, SourceError> {
    let invalid = |reason: String| SourceError::Patch { reason };
    let is_of_git = patch.lines().any(|line| line.starts_with("diff --git "));
    let options = if is_of_git { ParseOptions::gitdiff() } else { ParseOptions::unidiff() };
    let mut files = Vec::new();
    for file in PatchSet::parse(patch, options).take(MAX_FILES) {
        let file = file.map_err(|error| invalid(error.to_string()))?;
        files.extend(read_file(file));
    }
    if files.is_empty() {
        return Err(invalid("it contains no changed text file".to_owned()));
    }
    Ok(files)
}

/// Reads a file of a patch; `None` for a binary file.
fn read_file(file: FilePatch<'_, str>) -> Option<File<'_>> {
    let (old, new) = match file.operation().clone() {
        FileOperation::Delete(path) => (without_prefix(path, "a/"), Cow::default()),
        FileOperation::Create(path) => (Cow::default(), without_prefix(path, "b/")),
        FileOperation::Modify { original, modified } => {
            (without_prefix(original, "a/"), without_prefix(modified, "b/"))
        }
        // Git writes these paths without a prefix.
        FileOperation::Rename { from, to } => (from, to),
        FileOperation::Copy { to, .. } => (Cow::default(), to),
    };
    let patch = match file.into_patch() {
        PatchKind::Text(patch) => (!patch.hunks().is_empty()).then_some(patch),
        PatchKind::Binary(_) => return None,
    };
    Some(File { old, new, patch })
}

fn without_prefix<'a>(path: Cow<'a, str>, prefix: &str) -> Cow<'a, str> {
    match path {
        Cow::Borrowed(path) => Cow::Borrowed(path.strip_prefix(prefix).unwrap_or(path)),
        Cow::Owned(path) => Cow::Owned(path.strip_prefix(prefix).unwrap_or(&path).to_owned()),
    }
}

/// Applies a patch to a text.
fn changed(text: &str, patch: Option<&Patch<'_, str>>) -> Result<String, String> {
    match patch {
        Some(patch) => diffy::apply(text, patch).map_err(|error| error.to_string()),
        None => Ok(text.to_owned()),
    }
}

fn unfit(path: &str, reason: &str) -> String {
    format!("it does not fit `{path}`: {reason}")
}
