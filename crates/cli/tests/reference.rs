//! Generated files: man pages, completions, pages of the reference, and the schemas of JSON outputs.
#![allow(clippy::disallowed_methods, reason = "tests run `lore` and read the files that it writes")]

#[path = "reference/compare.rs"]
mod compare;
#[path = "reference/json.rs"]
mod json;
#[path = "reference/outputs.rs"]
mod outputs;
#[path = "reference/packages.rs"]
mod packages;
#[path = "reference/pages.rs"]
mod pages;
#[path = "reference/validator.rs"]
mod validator;
#[allow(dead_code, reason = "other test binaries use the rest")]
#[path = "cli/workspace.rs"]
mod workspace;
