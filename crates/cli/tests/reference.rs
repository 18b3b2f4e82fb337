//! Generated files: man pages and completions.
#![allow(clippy::disallowed_methods, reason = "tests run `lore` and read the files that it writes")]

#[path = "reference/packages.rs"]
mod packages;
#[allow(dead_code, reason = "other test binaries use the rest")]
#[path = "cli/workspace.rs"]
mod workspace;
