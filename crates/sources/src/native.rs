//! The one place where paths of the operating system become ours and back.
//!
//! Ours start at the root of a tree and part names by `/` on every system. What a name may be, how a
//! path is written and which two names are one file differs; every rule is a pure function of a
//! [`PathConvention`], so that each system's rules are tested on all of them.

use std::{
    io,
    path::{Path, PathBuf},
};

use unicode_normalization::UnicodeNormalization as _;

/// How a system writes paths, and what it takes for one name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathConvention {
    /// `/` alone parts names; every other character may be in one.
    Unix,
    /// As Unix, but letter case and the composition of accents make no difference (APFS and HFS+ as
    /// they are set up).
    MacOs,
    /// `\` and `/` part names, drives and shares begin a path, and some names are devices.
    Windows,
}

impl PathConvention {
    /// Every convention.
    pub const ALL: &'static [PathConvention] =
        &[PathConvention::Unix, PathConvention::MacOs, PathConvention::Windows];

    /// That of the system which the program runs on.
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

/// Why a path is none of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathError {
    /// It is empty, or has an empty name.
    Empty,
    /// It starts at a root, a drive or a share, or goes up.
    Outside,
    /// The system does not take a name of it: a device, or with signs or an ending that it gives
    /// another meaning.
    Name,
}

/// Checks a path in our form: names parted by `/`, none of them empty, `.` or `..`, and each one that
/// the system opens as what it is called.
///
/// # Errors
/// Why it must not be opened.
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

/// Whether a system takes a name for a file of just this name.
fn is_name(name: &str, convention: PathConvention) -> bool {
    if name.contains('\0') {
        return false;
    }
    convention != PathConvention::Windows || is_windows_name(name)
}

/// Names by Microsoft's rules ("Naming Files, Paths, and Namespaces"): no reserved signs, no dot or
/// blank at the end, which Windows cuts off, and no name of a device, with any ending.
fn is_windows_name(name: &str) -> bool {
    // A colon names a stream of the file before it.
    let is_reserved = |sign: char| sign < ' ' || "<>:\"|?*\\".contains(sign);
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
    // Superscript digits count as digits there.
    !matches!((digits.next(), digits.next()), (Some('1'..='9' | '¹' | '²' | '³'), None))
}

/// A path below some folder, as the system writes it, in our form. Whether its names can be opened is
/// not asked: they were found on the disk.
///
/// # Errors
/// When it is not relative, or leads out of the folder.
pub fn from_relative(path: &str, convention: PathConvention) -> Result<String, PathError> {
    if path.is_empty() {
        return Err(PathError::Empty);
    }
    if !split_root(path, convention).0.is_empty() {
        return Err(PathError::Outside);
    }
    join(path, convention)
}

/// The names of a path without a root, joined by `/`.
fn join(path: &str, convention: PathConvention) -> Result<String, PathError> {
    let mut ours = String::with_capacity(path.len());
    for name in path.split(|character| convention.is_separator(character)) {
        match name {
            // What stands twice or means "here" says nothing.
            "" | "." => continue,
            ".." => return Err(PathError::Outside),
            _ => {}
        }
        if !ours.is_empty() {
            ours.push('/');
        }
        ours.push_str(name);
    }
    if ours.is_empty() { Err(PathError::Empty) } else { Ok(ours) }
}

/// What a path says of a folder: the path of what lies in it, in our form. Both are absolute, as the
/// system writes them.
///
/// # Errors
/// [`PathError::Outside`] when it does not lie there, [`PathError::Empty`] when it is the folder itself.
pub fn relative_to(
    folder: &str,
    path: &str,
    convention: PathConvention,
) -> Result<String, PathError> {
    let (folder, path) = (plain(folder, convention), plain(path, convention));
    let (folder_root, folder_rest) = split_root(&folder, convention);
    let (root, rest) = split_root(&path, convention);
    // Drives and servers have no letter case.
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
        && outer.iter().zip(&all).all(|(one, other)| is_same_name(one, other, convention));
    if !is_below || all.iter().any(|name| name == "..") {
        return Err(PathError::Outside);
    }
    let below = &all[outer.len()..];
    if below.is_empty() { Err(PathError::Empty) } else { Ok(below.join("/")) }
}

/// The root of a path (`/`, `C:\`, `\\server\share\`), and what follows it. `C:x` starts at a folder
/// that only that process knows: its root is `C:`.
fn split_root(path: &str, convention: PathConvention) -> (&str, &str) {
    if convention != PathConvention::Windows {
        return if path.starts_with('/') { path.split_at(1) } else { ("", path) };
    }
    let is_separator = |character: char| convention.is_separator(character);
    let mut characters = path.chars();
    let (first, second) = (characters.next(), characters.next());
    if first.is_some_and(is_separator) && second.is_some_and(is_separator) {
        // A share: the server and the name belong to the root.
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

/// A Windows path without the prefix that turns off the reading of paths (`\\?\C:\a` is `C:\a`,
/// `\\?\UNC\server\share` is `\\server\share`), where it means the same without it. People never type
/// the prefix, and other programs do not know it.
fn plain(path: &str, convention: PathConvention) -> String {
    /// Longest path that every program opens without the prefix, in units of UTF-16.
    const LONGEST: usize = 259;

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
    // In such a path `/`, `..` and names of devices are names like any other.
    let means_the_same =
        names.into_iter().all(|name| name != "." && name != ".." && is_windows_name(name));
    if is_rooted
        && means_the_same
        && !below.contains('/')
        && short.encode_utf16().count() <= LONGEST
    {
        short
    } else {
        unchanged()
    }
}

/// Whether a system takes two names for one file.
pub fn is_same_name(left: &str, right: &str, convention: PathConvention) -> bool {
    left == right || comparison_key(left, convention) == comparison_key(right, convention)
}

/// What all spellings of one file have in common: paths whose spellings are equal cannot both exist.
/// The system's own table of letters may be older; what it tells apart and this does not is rare, and
/// only refused.
pub fn comparison_key(path: &str, convention: PathConvention) -> String {
    match convention {
        PathConvention::Unix => path.to_owned(),
        // Windows compares composed and decomposed accents as different.
        PathConvention::Windows => path.chars().map(upper).collect(),
        PathConvention::MacOs => path.nfd().flat_map(char::to_lowercase).nfc().collect(),
    }
}

/// The capital of a letter that has one of one character: NTFS knows no others.
fn upper(letter: char) -> char {
    let mut capitals = letter.to_uppercase();
    match (capitals.next(), capitals.next()) {
        (Some(capital), None) => capital,
        _ => letter,
    }
}

/// Whether a name means the folder of git to some system, which must not be written to: in any letter
/// case, with what Windows cuts off or adds (`.git `, `.git::$INDEX_ALLOCATION`, `GIT~1`) and with
/// what HFS+ leaves out when it compares. The same on every system, since trees travel.
pub fn is_git_folder(name: &str) -> bool {
    let seen: String = name.chars().filter(|character| !is_left_out(*character)).collect();
    let seen = seen.split(':').next().unwrap_or_default().trim_end_matches(['.', ' ']);
    seen.eq_ignore_ascii_case(".git") || seen.eq_ignore_ascii_case("git~1")
}

/// What HFS+ leaves out: marks of direction and of joining.
fn is_left_out(character: char) -> bool {
    matches!(character, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
}

/// The real path of something that exists: absolute, without links, spelled as the disk has it, and
/// as people write it.
///
/// # Errors
/// When it does not exist or cannot be reached.
pub fn canonical(path: &Path) -> io::Result<PathBuf> {
    let real = path.canonicalize()?;
    Ok(match real.to_str() {
        Some(text) if PathConvention::CURRENT == PathConvention::Windows => {
            plain(text, PathConvention::CURRENT).into()
        }
        _ => real,
    })
}

/// Where a path of a tree lies on the disk.
///
/// # Errors
/// Why it must not be opened.
pub fn to_disk(root: &Path, path: &str) -> Result<PathBuf, PathError> {
    check(path, PathConvention::CURRENT)?;
    // Each name by itself, so that the path is written as the system writes it.
    Ok(path.split('/').fold(root.to_owned(), |place, name| place.join(name)))
}

/// The path from a root of something below it, both as [`canonical`] gives them. `None` for what lies
/// elsewhere, for the root itself, and for names that are not Unicode.
pub fn from_disk(root: &Path, path: &Path) -> Option<String> {
    from_relative(path.strip_prefix(root).ok()?.to_str()?, PathConvention::CURRENT).ok()
}

/// An absolute path as answers show it, with `/` on every system.
pub fn display(path: &str) -> String {
    match PathConvention::CURRENT {
        PathConvention::Windows => path.replace('\\', "/"),
        PathConvention::Unix | PathConvention::MacOs => path.to_owned(),
    }
}

#[cfg(test)]
mod tests;
