//! Reads the file of `RIPGREP_CONFIG_PATH`: one argument per line, with comments after `#`.

use std::{ffi::OsString, fs, io, path::Path};

use bstr::ByteSlice as _;

/// The arguments of a file, and the numbers of the lines that are not valid text on this system.
///
/// # Errors
/// If the file cannot be read.
pub(crate) fn arguments(path: &Path) -> io::Result<(Vec<OsString>, Vec<usize>)> {
    let text = fs::read(path)?;
    let mut arguments = Vec::new();
    let mut invalid = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with(b"#") {
            continue;
        }
        match line.to_os_str() {
            Ok(argument) => arguments.push(argument.to_owned()),
            Err(_) => invalid.push(number),
        }
    }
    Ok((arguments, invalid))
}
