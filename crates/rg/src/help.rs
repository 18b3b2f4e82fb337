//! The help and version of `lore rg`.

use std::fmt::Write as _;

use crate::flags::{TABLE, Update};

/// The version of ripgrep whose output is matched.
pub const RIPGREP_VERSION: &str = "15.2.0";

/// Column of the descriptions.
const INDENT: usize = 38;

const START: &str = "\
Search files for a pattern, with the flags and the output of ripgrep

Usage: lore rg [FLAGS] PATTERN [PATH...]
       lore rg [FLAGS] -e PATTERN... [PATH...]
       lore rg [FLAGS] --files [PATH...]

Searches the files on disk, without an index: every match, in the order of `rg --sort path`.
Lines are printed as they are in the files. Secrets are not removed, unlike in other commands.

Flags:
";

/// The help text.
pub(crate) fn text() -> String {
    let mut text = START.to_owned();
    for flag in TABLE {
        if matches!(flag.update, Update::Unsupported(..)) {
            continue;
        }
        let short = flag.short.map_or_else(|| "    ".to_owned(), |short| format!("-{short}, "));
        let value = if matches!(flag.update, Update::Value(..)) { " VALUE" } else { "" };
        let name = format!("  {short}--{}{value}", flag.long);
        let _ = writeln!(text, "{name:INDENT$}  {}", flag.help);
    }
    let unsupported: Vec<String> = TABLE
        .iter()
        .filter(|flag| matches!(flag.update, Update::Unsupported(..)))
        .map(|flag| format!("--{}", flag.long))
        .collect();
    let _ = write!(
        text,
        "\nFor these flags, run `rg`: {}.\n\
         RIPGREP_CONFIG_PATH can name a file with further flags, as for `rg`.\n\
         Exit codes: 0 with a match, 1 without, 2 after an error.\n",
        unsupported.join(", ")
    );
    text
}

/// The version. Scripts read the version of ripgrep from the first line.
pub(crate) fn version(lore: &str) -> String {
    format!("ripgrep {RIPGREP_VERSION} (flags and output, by lore {lore})\n")
}
