//! Conversion between paths of the operating system and paths of a tree. No other module converts
//! them.
//!
//! Paths of a tree start at its root and separate names with `/` on every system. Systems differ in
//! which names are allowed, how paths are written and which names denote the same file. Every rule
//! is a pure function of a [`PathConvention`], so that the rules of each system are tested on all
//! systems.

use std::{
    io,
    path::{Path, PathBuf},
};

use unicode_normalization::UnicodeNormalization as _;

/// Path syntax of a system, and its rule for equal names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathConvention {
    /// `/` separates names; every other character is allowed in a name.
    Unix,
    /// Like Unix, but case and Unicode composition are ignored (APFS and HFS+ by default).
    MacOs,
    /// `\` and `/` separate names, paths start with a drive or share, and some names are devices.
    Windows,
}

impl PathConvention {
    /// Every convention.
    pub const ALL: &'static [PathConvention] =
        &[PathConvention::Unix, PathConvention::MacOs, PathConvention::Windows];

    /// Convention of the current system.
    pub const CURRENT: PathConvention = if cfg!(windows) {
        PathConvention::Windows
    } else if cfg!(target_os = "macos") {
        PathConvention::MacOs
    } else {
        PathConvention::Unix
    };

    fn is_separator(self, character: char) -> bool {
        character == '/' || (self == PathConvention::Windows && character == '\\')
    }
}

/// Reason why a path is not valid in a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathError {
    /// The path is empty, or contains an empty name.
    Empty,
    /// The path starts at a root, a drive or a share, or leads upwards.
    Outside,
    /// The system does not allow a name: a device, or a name with reserved characters or a reserved
    /// ending.
    Name,
}

/// Checks a path of a tree: names separated by `/`, none of them empty, `.` or `..`, and each one a
/// name that the system opens literally.
///
/// # Errors
/// If the path must not be opened.
pub fn check(path: &str, convention: PathConvention) -> Result<(), PathError> {
    if path.starts_with('/') {
        return Err(PathError::Outside);
    }
    for name in path.split('/') {
        match name {
            "" => return Err(PathError::Empty),
            "." | ".." => return Err(PathError::Outside),
            _ if !is_name(name, convention) => return Err(PathError::Name),
            _ => {}
        }
    }
    Ok(())
}

/// Returns whether a system opens a name literally.
fn is_name(name: &str, convention: PathConvention) -> bool {
    if name.contains('\0') {
        return false;
    }
    convention != PathConvention::Windows || is_windows_name(name)
}

/// Applies Microsoft's rules ("Naming Files, Paths, and Namespaces"): no reserved characters, no
/// dot or space at the end, which Windows cuts off, and no device name, with any extension.
fn is_windows_name(name: &str) -> bool {
    // A colon separates a file from one of its streams.
    let is_reserved = |character: char| character < ' ' || "<>:\"|?*\\".contains(character);
    if name.ends_with(['.', ' ']) || name.contains(is_reserved) {
        return false;
    }
    let stem = name.split('.').next().unwrap_or(name).trim_end();
    let stem = stem.to_uppercase();
    if ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"].contains(&stem.as_str()) {
        return false;
    }
    let number = stem.strip_prefix("COM").or_else(|| stem.strip_prefix("LPT"));
    let mut digits = number.unwrap_or_default().chars();
    // Windows treats superscript digits as digits.
    !matches!((digits.next(), digits.next()), (Some('1'..='9' | '¹' | '²' | '³'), None))
}

/// Converts a relative path of the system to a path of a tree. Does not check whether its names can
/// be opened: they were found on disk.
///
/// If it is not relative, or leads out of the folder.
pub fn from_relative(path: &str, convention: PathConvention) -> Result<String, PathError> {
    if path.is_empty() {
        return Err(PathError::Empty);
    }
    if !split_root(path, convention).0.is_empty() {
        return Err(PathError::Outside);
    }
    join(path, convention)
}

/// Joins the names of a path without a root by `/`.
fn join(path: &str, convention: PathConvention) -> Result<String, PathError> {
    let mut joined = String::with_capacity(path.len());
    for name in path.split(|character| convention.is_separator(character)) {
        match name {
            // Repeated separators and `.` are dropped.
            "" | "." => continue,
            ".." => return Err(PathError::Outside),
            _ => {}
        }
        if !joined.is_empty() {
            joined.push('/');
        }
        joined.push_str(name);
    }
    if joined.is_empty() { Err(PathError::Empty) } else { Ok(joined) }
}

/// Returns the path of something inside a folder, relative to that folder. Both are absolute paths
/// of the system.
///
/// [`PathError::Outside`] if it is not inside the folder, [`PathError::Empty`] if it is the folder
/// itself.
pub fn relative_to(
    folder: &str,
    path: &str,
    convention: PathConvention,
) -> Result<String, PathError> {
    let (folder, path) =
        (without_verbatim_prefix(folder, convention), without_verbatim_prefix(path, convention));
    let (folder_root, folder_rest) = split_root(&folder, convention);
    let (root, rest) = split_root(&path, convention);
    // Drives and servers are case-insensitive.
    let root_of = |root: &str| {
        let root =
            if convention == PathConvention::Windows { root.to_lowercase() } else { root.into() };
        let root = root.replace('\\', "/");
        if root.starts_with("//") { root.trim_end_matches('/').to_owned() } else { root }
    };
    if root.is_empty() || root_of(root) != root_of(folder_root) {
        return Err(PathError::Outside);
    }
    let parts = |text: &str| -> Vec<String> {
        text.split(|character| convention.is_separator(character))
            .filter(|name| !name.is_empty() && *name != ".")
            .map(str::to_owned)
            .collect()
    };
    let (outer, all) = (parts(folder_rest), parts(rest));
    let is_below = all.len() >= outer.len()
        && outer.iter().zip(&all).all(|(left, right)| is_same_name(left, right, convention));
    if !is_below || all.iter().any(|name| name == "..") {
        return Err(PathError::Outside);
    }
    let below = &all[outer.len()..];
    if below.is_empty() { Err(PathError::Empty) } else { Ok(below.join("/")) }
}

/// Splits a path into its root (`/`, `C:\`, `\\server\share\`) and the rest. `C:x` is relative to
/// the current folder of a drive: its root is `C:`.
fn split_root(path: &str, convention: PathConvention) -> (&str, &str) {
    if convention != PathConvention::Windows {
        return if path.starts_with('/') { path.split_at(1) } else { ("", path) };
    }
    let is_separator = |character: char| convention.is_separator(character);
    let mut characters = path.chars();
    let (first, second) = (characters.next(), characters.next());
    if first.is_some_and(is_separator) && second.is_some_and(is_separator) {
        // The root of a share includes the server and the share.
        let mut ends = path[2..].match_indices(is_separator).map(|(at, _)| at + 3);
        let end = ends.nth(1).unwrap_or(path.len());
        return path.split_at(end);
    }
    if first.is_some_and(|letter| letter.is_ascii_alphabetic()) && second == Some(':') {
        let end = if characters.next().is_some_and(is_separator) { 3 } else { 2 };
        return path.split_at(end);
    }
    if first.is_some_and(is_separator) { path.split_at(1) } else { ("", path) }
}

/// Removes the verbatim prefix of a Windows path (`\\?\C:\a` becomes `C:\a`, `\\?\UNC\server\share`
/// becomes `\\server\share`) if the path means the same without it. Users never type the prefix,
/// and many programs do not accept it.
fn without_verbatim_prefix(path: &str, convention: PathConvention) -> String {
    /// Maximum length of a path that every program opens without the prefix, in UTF-16 units.
    const MAX_SHORT_PATH_LEN: usize = 259;

    let unchanged = || path.to_owned();
    if convention != PathConvention::Windows {
        return unchanged();
    }
    let Some(rest) = path.strip_prefix(r"\\?\") else { return unchanged() };
    let short = match rest.strip_prefix(r"UNC\") {
        Some(share) => format!(r"\\{share}"),
        None => rest.to_owned(),
    };
    let (root, below) = split_root(&short, convention);
    let is_rooted = root.len() > 2;
    let names = below.split('\\').filter(|name| !name.is_empty());
    // In a verbatim path `/`, `..` and device names have no special meaning.
    let means_the_same =
        names.into_iter().all(|name| name != "." && name != ".." && is_windows_name(name));
    if is_rooted
        && means_the_same
        && !below.contains('/')
        && short.encode_utf16().count() <= MAX_SHORT_PATH_LEN
    {
        short
    } else {
        unchanged()
    }
}

/// Returns whether two names denote the same file on a system.
pub fn is_same_name(left: &str, right: &str, convention: PathConvention) -> bool {
    left == right || comparison_key(left, convention) == comparison_key(right, convention)
}

/// Returns a key that is equal for all spellings of one path: two paths with equal keys cannot both
/// exist. The system's own Unicode table may be older. Paths that it distinguishes and this
/// function does not are rare, and are only rejected.
pub fn comparison_key(path: &str, convention: PathConvention) -> String {
    match convention {
        PathConvention::Unix => path.to_owned(),
        // Windows distinguishes composed and decomposed accents.
        PathConvention::Windows => path.chars().map(upper).collect(),
        PathConvention::MacOs => path.nfd().flat_map(char::to_lowercase).nfc().collect(),
    }
}

/// Returns the upper-case form of a character if it is a single character: NTFS has no others.
fn upper(character: char) -> char {
    let mut upper = character.to_uppercase();
    match (upper.next(), upper.next()) {
        (Some(upper), None) => upper,
        _ => character,
    }
}

/// Returns whether a name denotes git's folder on any system, which must not be written to: in any
/// case, with characters that Windows drops or adds (`.git `, `.git::$INDEX_ALLOCATION`, `GIT~1`),
/// and with characters that HFS+ ignores. The result is the same on every system, because trees are
/// copied between systems.
pub fn is_git_folder(name: &str) -> bool {
    let seen: String = name.chars().filter(|character| !is_ignored_by_hfs(*character)).collect();
    let seen = seen.split(':').next().unwrap_or_default().trim_end_matches(['.', ' ']);
    seen.eq_ignore_ascii_case(".git") || seen.eq_ignore_ascii_case("git~1")
}

/// Returns whether HFS+ ignores a character: direction and joining marks.
fn is_ignored_by_hfs(character: char) -> bool {
    matches!(character, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
}

/// Returns the real path of an existing file or folder: absolute, without links, spelled as on
/// disk, and without the verbatim prefix.
///
/// If it does not exist or cannot be reached.
pub fn canonical(path: &Path) -> io::Result<PathBuf> {
    let real = path.canonicalize()?;
    Ok(match real.to_str() {
        Some(text) if PathConvention::CURRENT == PathConvention::Windows => {
            without_verbatim_prefix(text, PathConvention::CURRENT).into()
        }
        _ => real,
    })
}

/// Returns the path on disk of a path of a tree.
///
/// # Errors
/// If the path must not be opened.
pub fn to_disk(root: &Path, path: &str) -> Result<PathBuf, PathError> {
    check(path, PathConvention::CURRENT)?;
    // Joined name by name, so that the system's separator is used.
    Ok(path.split('/').fold(root.to_owned(), |place, name| place.join(name)))
}

/// Returns the path of something below a root, relative to the root, both as returned by
/// [`canonical`]. `None` if it is outside the root, is the root itself, or is not Unicode.
pub fn from_disk(root: &Path, path: &Path) -> Option<String> {
    from_relative(path.strip_prefix(root).ok()?.to_str()?, PathConvention::CURRENT).ok()
}

/// Returns an absolute path as shown in answers, with `/` on every system.
pub fn display(path: &str) -> String {
    match PathConvention::CURRENT {
        PathConvention::Windows => path.replace('\\', "/"),
        PathConvention::Unix | PathConvention::MacOs => path.to_owned(),
    }
}

#[cfg(test)]
mod tests;
