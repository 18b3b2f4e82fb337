//! The kinds of statements, one file each.

mod environment;
mod flag;
mod key;
mod link;
mod message;
mod path;
mod signature;
mod symbol;
mod version;

use crate::{read::Located, segments::Segment, statement::Kind};

/// Finds the statements of one kind in a segment.
type Finder = fn(&Segment<'_>) -> Vec<Located>;

/// All kinds. An earlier row has precedence where two of them find the same text.
pub(crate) const KINDS: &[(Kind, Finder)] = &[
    (Kind::Link, link::find),
    (Kind::Version, version::find),
    (Kind::Message, message::find),
    (Kind::Signature, signature::find),
    (Kind::Path, path::find),
    (Kind::Flag, flag::find),
    (Kind::Environment, environment::find),
    (Kind::Key, key::find),
    (Kind::Symbol, symbol::find),
];

/// Returns true for fences of shells and terminals.
pub(crate) fn is_shell(language: &str) -> bool {
    matches!(
        language.to_ascii_lowercase().as_str(),
        "sh" | "bash"
            | "shell"
            | "console"
            | "zsh"
            | "fish"
            | "shell-session"
            | "terminal"
            | "ps1"
            | "powershell"
            | "text"
            | "txt"
            | ""
    )
}

/// Returns true for fences of configuration files.
pub(crate) fn is_settings(language: &str) -> bool {
    matches!(
        language.to_ascii_lowercase().as_str(),
        "toml"
            | "yaml"
            | "yml"
            | "ini"
            | "json"
            | "jsonc"
            | "json5"
            | "properties"
            | "env"
            | "conf"
    )
}
