//! Decoding of bytes to text. Ingest and snippets share it, so that byte ranges computed by one are
//! valid in the other.

use std::{
    fs::{File, Metadata},
    io::{self, Read},
    path::Path,
};

use lore_schema::SkipReason;

use crate::{
    Secrets, fingerprint::FileStat, regular::open_regular, safe_open::OpenRoot, writeback,
};

/// Number of bytes that are checked for a NUL byte, as in git.
pub(crate) const BINARY_PROBE: usize = 8_000;

/// Reads a file of a tree as text. `path` is root-relative, with `/`.
///
/// UTF-8 and UTF-16 with a byte order mark are decoded and lose the mark. Invalid UTF-8 becomes
/// U+FFFD. Line ends are kept. Secrets are redacted if `secrets` says so. The same bytes always
/// give the same text.
///
/// The reason why there is no text: the file is larger than `max` bytes, binary, empty, not a
/// regular file, or unreadable. A path that leads out of the root, also through a link, is
/// unreadable.
pub fn read_text(
    root: &Path,
    path: &str,
    max: u64,
    secrets: Secrets,
) -> Result<String, SkipReason> {
    Ok(read_text_with_fingerprint(root, path, max, secrets)?.0)
}

/// Like [`read_text`], but also returns the fingerprint of the file, as
/// [`fingerprint_of`](crate::fingerprint_of) computes it. It is taken from the open file after all
/// bytes were read.
///
/// # Errors
/// Same as [`read_text`].
pub fn read_text_with_fingerprint(
    root: &Path,
    path: &str,
    max: u64,
    secrets: Secrets,
) -> Result<(String, u64), SkipReason> {
    let (bytes, metadata) = read_inside(root, path, max)?;
    Ok((decode(bytes, secrets)?, FileStat::of(&metadata).fingerprint))
}

/// Reads a file of a tree as bytes, up to `max` bytes. Like [`read_text`] otherwise.
pub fn read_bytes(root: &Path, path: &str, max: u64) -> Result<Vec<u8>, SkipReason> {
    Ok(read_inside(root, path, max)?.0)
}

/// Reads a whole file at any path if it has at most `max` bytes.
pub(crate) fn read_file(path: &Path, max: u64) -> Result<Vec<u8>, SkipReason> {
    let (file, size) = open_regular(path, max).map_err(|error| reason_of(&error))?;
    Ok(read_open(&file, size, max)?.0)
}

/// Reads a whole file of a tree, and returns the metadata of the open file afterwards.
fn read_inside(root: &Path, path: &str, max: u64) -> Result<(Vec<u8>, Metadata), SkipReason> {
    let root = OpenRoot::open(root).map_err(|error| reason_of(&error))?;
    read_beneath(&root, path, max)
}

/// Reads a whole file beneath a root, and returns the metadata of the open file afterwards.
pub(crate) fn read_beneath(
    root: &OpenRoot,
    path: &str,
    max: u64,
) -> Result<(Vec<u8>, Metadata), SkipReason> {
    let (file, metadata) = root.file(path, max).map_err(|error| reason_of(&error))?;
    read_open(&file, metadata.len(), max)
}

/// Reads a whole open file; `size` is its expected size.
fn read_open(file: &File, size: u64, max: u64) -> Result<(Vec<u8>, Metadata), SkipReason> {
    writeback::start(file);
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0) + 1);
    // The file may have grown: one byte past the limit reveals that.
    let mut limited = file.take(max.saturating_add(1));
    limited.read_to_end(&mut bytes).map_err(|error| reason_of(&error))?;
    if bytes.len() as u64 > max {
        return Err(SkipReason::TooLarge);
    }
    let metadata = file.metadata().map_err(|error| reason_of(&error))?;
    Ok((bytes, metadata))
}

/// Returns the metadata of a file of a tree, following links. `None` if nothing exists there inside
/// the root.
pub(crate) fn metadata_inside(root: &Path, path: &str) -> Option<Metadata> {
    OpenRoot::open(root).ok()?.metadata(path).ok()
}

/// Converts an error of the operating system to a skip reason.
pub(crate) fn reason_of(error: &io::Error) -> SkipReason {
    match error.kind() {
        io::ErrorKind::IsADirectory | io::ErrorKind::InvalidInput => SkipReason::NotAFile,
        io::ErrorKind::FileTooLarge => SkipReason::TooLarge,
        _ => SkipReason::Unreadable,
    }
}

/// Decodes the bytes of a file.
pub(crate) fn decode(mut bytes: Vec<u8>, secrets: Secrets) -> Result<String, SkipReason> {
    let text = if let Some(units) = utf16_units(&bytes) {
        char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
    } else {
        if bytes[..bytes.len().min(BINARY_PROBE)].contains(&0) {
            return Err(SkipReason::Binary);
        }
        if bytes.starts_with(b"\xEF\xBB\xBF") {
            bytes.drain(..3);
        }
        String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
    };
    let probe = &text.as_bytes()[..text.len().min(BINARY_PROBE)];
    if probe.contains(&0) {
        return Err(SkipReason::Binary);
    }
    if text.trim_start().is_empty() {
        return Err(SkipReason::Empty);
    }
    Ok(secrets.apply(text))
}

/// Returns the code units after a UTF-16 byte order mark, if there is one.
fn utf16_units(bytes: &[u8]) -> Option<impl Iterator<Item = u16> + '_> {
    let read: fn([u8; 2]) -> u16 = match bytes {
        [0xFF, 0xFE, ..] => u16::from_le_bytes,
        [0xFE, 0xFF, ..] => u16::from_be_bytes,
        _ => return None,
    };
    Some(bytes[2..].chunks_exact(2).map(move |pair| read([pair[0], pair[1]])))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn bytes_are_decoded_or_rejected_with_a_reason() {
        let utf16 = |mark: [u8; 2], bytes: fn(u16) -> [u8; 2]| {
            let units: Vec<u16> = "h\u{e9} \u{1F600}\r\n".encode_utf16().collect();
            mark.into_iter().chain(units.into_iter().flat_map(bytes)).collect::<Vec<u8>>()
        };
        let cases: Vec<(&str, Vec<u8>, Result<&str, SkipReason>)> = vec![
            ("plain", b"fn a() {}\n".to_vec(), Ok("fn a() {}\n")),
            ("line ends are kept", b"a\r\nb\r\n".to_vec(), Ok("a\r\nb\r\n")),
            ("byte order mark", b"\xEF\xBB\xBF# T\n".to_vec(), Ok("# T\n")),
            ("utf-16 le", utf16([0xFF, 0xFE], u16::to_le_bytes), Ok("h\u{e9} \u{1F600}\r\n")),
            ("utf-16 be", utf16([0xFE, 0xFF], u16::to_be_bytes), Ok("h\u{e9} \u{1F600}\r\n")),
            ("half a surrogate", b"\xFF\xFE\x00\xD8a\x00".to_vec(), Ok("\u{FFFD}a")),
            ("odd utf-16", b"\xFF\xFEa\x00b".to_vec(), Ok("a")),
            ("latin-1", b"caf\xE9\n".to_vec(), Ok("caf\u{FFFD}\n")),
            ("nul", b"\x7FELF\x00\x00".to_vec(), Err(SkipReason::Binary)),
            ("utf-32", b"\xFF\xFE\x00\x00a\x00\x00\x00".to_vec(), Err(SkipReason::Binary)),
            ("nothing", Vec::new(), Err(SkipReason::Empty)),
            ("only a mark", b"\xEF\xBB\xBF".to_vec(), Err(SkipReason::Empty)),
            ("white space", b" \r\n\t\n".to_vec(), Err(SkipReason::Empty)),
        ];
        for (name, bytes, expected) in cases {
            assert_eq!(decode(bytes, Secrets::Redacted), expected.map(str::to_owned), "{name}");
        }
    }

    #[test]
    fn nothing_outside_the_root_is_read() {
        let read = |root: &Path, path: &str, max| read_text(root, path, max, Secrets::Shown);
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("root");
        fs::create_dir_all(root.join("inner")).unwrap();
        fs::write(folder.path().join("secret.txt"), "secret").unwrap();
        fs::write(root.join("a.txt"), "0123456789").unwrap();
        assert_eq!(read(&root, "a.txt", 10), Ok("0123456789".to_owned()));
        assert_eq!(read(&root, "a.txt", 9), Err(SkipReason::TooLarge));
        assert_eq!(read(&root, "inner", 9), Err(SkipReason::NotAFile));
        let absolute = folder.path().join("secret.txt");
        for path in ["../secret.txt", "inner/../../secret.txt", "", absolute.to_str().unwrap()] {
            assert_eq!(read(&root, path, 99), Err(SkipReason::Unreadable), "{path}");
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("../secret.txt", root.join("out.txt")).unwrap();
            std::os::unix::fs::symlink("a.txt", root.join("in.txt")).unwrap();
            assert_eq!(read(&root, "out.txt", 99), Err(SkipReason::Unreadable));
            assert_eq!(read(&root, "in.txt", 99), Ok("0123456789".to_owned()));
            // Absolute links, and one on the way.
            std::os::unix::fs::symlink(&absolute, root.join("far.txt")).unwrap();
            std::os::unix::fs::symlink(root.join("a.txt"), root.join("near.txt")).unwrap();
            std::os::unix::fs::symlink("..", root.join("inner/up")).unwrap();
            std::os::unix::fs::symlink("../..", root.join("inner/away")).unwrap();
            for (path, expected) in [
                ("far.txt", Err(SkipReason::Unreadable)),
                ("near.txt", Ok("0123456789".to_owned())),
                ("inner/up/a.txt", Ok("0123456789".to_owned())),
                ("inner/away/secret.txt", Err(SkipReason::Unreadable)),
            ] {
                assert_eq!(read(&root, path, 99), expected, "{path}");
                assert_eq!(metadata_inside(&root, path).is_some(), expected.is_ok(), "{path}");
            }
            // A root that is a link, and an empty root.
            std::os::unix::fs::symlink("root", folder.path().join("link")).unwrap();
            let link = folder.path().join("link");
            assert_eq!(read(&link, "in.txt", 99), Ok("0123456789".to_owned()));
            assert_eq!(read(&link, "out.txt", 99), Err(SkipReason::Unreadable));
            assert!(read(Path::new(""), "Cargo.toml", 1 << 20).is_err());
        }
    }

    /// Opening a pipe for reading waits for a writer.
    #[cfg(target_os = "linux")]
    #[test]
    fn named_pipes_do_not_block() {
        use rustix::fs::{CWD, FileType, Mode, mknodat};

        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        let read = read_text(folder.path(), "pipe", 99, Secrets::Shown);
        assert_eq!(read, Err(SkipReason::NotAFile));
    }
}
