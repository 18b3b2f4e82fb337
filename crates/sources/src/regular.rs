//! Opens and reads regular files of a sane size, and nothing else.
//!
//! A named pipe in place of a file would make a reader wait for ever, a device may have side
//! effects, and a sparse file of terabytes costs its author nothing.

use std::{
    fs::{File, OpenOptions},
    io::{self, Read},
    path::Path,
};

/// Opens a file for reading without waiting, and checks that it is a regular file of at most `max`
/// bytes. Returns the file and its size.
pub fn open_regular(path: &Path, max: u64) -> io::Result<(File, u64)> {
    // Opening a device may have side effects, so its kind is checked before as well.
    checked(&path.metadata()?, max)?;
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;

        let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
        options.custom_flags(flags.bits().cast_signed());
    }
    let file = options.open(path)?;
    let size = checked(&file.metadata()?, max)?;
    Ok((file, size))
}

/// Reads a regular file of at most `max` bytes.
pub fn read_regular(path: &Path, max: u64) -> io::Result<Vec<u8>> {
    let (file, size) = open_regular(path, max)?;
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0) + 1);
    // The file may have grown: one byte past the limit reveals that.
    file.take(max.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max { Err(too_large(bytes.len() as u64, max)) } else { Ok(bytes) }
}

/// Reads a regular file of at most `max` bytes as UTF-8.
pub fn read_regular_text(path: &Path, max: u64) -> io::Result<String> {
    String::from_utf8(read_regular(path, max)?)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8"))
}

/// Returns the size of a regular file of at most `max` bytes.
pub(crate) fn checked(metadata: &std::fs::Metadata, max: u64) -> io::Result<u64> {
    if metadata.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory"));
    }
    if !metadata.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    if metadata.len() > max {
        return Err(too_large(metadata.len(), max));
    }
    Ok(metadata.len())
}

fn too_large(size: u64, max: u64) -> io::Error {
    let reason = format!("it has {size} bytes, and at most {max} are read");
    io::Error::new(io::ErrorKind::FileTooLarge, reason)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn only_regular_files_of_a_sane_size_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, "0123456789").unwrap();
        assert_eq!(read_regular(&path, 10).unwrap(), b"0123456789");
        let kind = |path: &Path, max| read_regular(path, max).unwrap_err().kind();
        assert_eq!(kind(&path, 9), io::ErrorKind::FileTooLarge);
        assert_eq!(kind(folder.path(), 9), io::ErrorKind::IsADirectory);
        assert_eq!(kind(&folder.path().join("b"), 9), io::ErrorKind::NotFound);
        fs::write(&path, [0xff]).unwrap();
        assert_eq!(read_regular_text(&path, 9).unwrap_err().kind(), io::ErrorKind::InvalidData);
        #[cfg(unix)]
        {
            assert_eq!(kind(Path::new("/dev/null"), 9), io::ErrorKind::InvalidInput);
            std::os::unix::fs::symlink("a", folder.path().join("link")).unwrap();
            assert_eq!(read_regular(&folder.path().join("link"), 9).unwrap(), [0xff]);
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
        assert_eq!(read_regular(&pipe, 9).unwrap_err().kind(), io::ErrorKind::InvalidInput);
    }
}
