//! Updates of [`Flags`] that several rows of the table share, and conversions of values.

use std::ffi::{OsStr, OsString};

use grep_searcher::Encoding;

use super::{ColorMode, Context, EncodingMode, Flags, Mode, SearchMode, Sort, SortKey};

/// The text of a value.
pub(super) fn text(value: OsString) -> Result<String, String> {
    value.into_string().map_err(|_| "the value is not valid UTF-8".to_owned())
}

/// A whole number of at least 0.
pub(super) fn number<N: std::str::FromStr>(value: &OsStr) -> Result<N, String> {
    let number = value.to_str().and_then(|value| value.parse().ok());
    number.ok_or_else(|| format!("`{}` is not a valid number", value.display()))
}

/// A number of bytes with an optional `K`, `M` or `G`.
pub(super) fn size(value: OsString) -> Result<u64, String> {
    grep_cli::parse_human_readable_size(&text(value)?).map_err(|error| error.to_string())
}

/// As [`size`], for a limit in memory.
pub(super) fn memory_size(value: OsString) -> Result<usize, String> {
    usize::try_from(size(value)?).map_err(|_| "the size is too large".to_owned())
}

/// The bytes of a value with escapes such as `\t` and `\x00`.
pub(super) fn unescaped(value: OsString) -> Result<Vec<u8>, String> {
    Ok(grep_cli::unescape(&text(value)?))
}

/// One of the names, or the error that lists them.
pub(super) fn choice<T: Copy>(value: OsString, choices: &[(&str, T)]) -> Result<T, String> {
    let name = text(value)?;
    let known = choices.iter().find(|(known, _)| *known == name);
    known.map(|(_, choice)| *choice).ok_or_else(|| {
        let names: Vec<&str> = choices.iter().map(|(known, _)| *known).collect();
        format!("`{name}` is not one of {}", names.join(", "))
    })
}

pub(super) fn set_search_mode(flags: &mut Flags, mode: SearchMode) {
    flags.mode = Mode::Search(mode);
}

pub(super) fn set_json(flags: &mut Flags, on: bool) {
    if on {
        set_search_mode(flags, SearchMode::Json);
    } else if flags.mode == Mode::Search(SearchMode::Json) {
        set_search_mode(flags, SearchMode::Standard);
    }
}

/// Sets the number of context lines on some sides, each given by its own flag.
pub(super) fn set_context(
    flags: &mut Flags,
    value: &OsStr,
    field: impl FnOnce(&mut Context) -> Option<&mut Option<usize>>,
) -> Result<(), String> {
    let lines = number(value)?;
    if flags.context == Context::Passthru {
        flags.context = Context::default();
    }
    if let Some(field) = field(&mut flags.context) {
        *field = Some(lines);
    }
    Ok(())
}

pub(super) fn before(context: &mut Context) -> Option<&mut Option<usize>> {
    match context {
        Context::Lines { before, .. } => Some(before),
        Context::Passthru => None,
    }
}

pub(super) fn after(context: &mut Context) -> Option<&mut Option<usize>> {
    match context {
        Context::Lines { after, .. } => Some(after),
        Context::Passthru => None,
    }
}

pub(super) fn both(context: &mut Context) -> Option<&mut Option<usize>> {
    match context {
        Context::Lines { both, .. } => Some(both),
        Context::Passthru => None,
    }
}

pub(super) fn set_color(flags: &mut Flags, value: OsString) -> Result<(), String> {
    flags.color = choice(
        value,
        &[
            ("never", ColorMode::Never),
            ("auto", ColorMode::Auto),
            ("always", ColorMode::Always),
            ("ansi", ColorMode::Ansi),
        ],
    )?;
    Ok(())
}

pub(super) fn set_encoding(flags: &mut Flags, value: OsString) -> Result<(), String> {
    flags.encoding = match text(value)?.as_str() {
        "auto" => EncodingMode::Auto,
        "none" => EncodingMode::Disabled,
        label => EncodingMode::Some(Encoding::new(label).map_err(|error| error.to_string())?),
    };
    Ok(())
}

/// Sets the order; `none` removes it.
pub(super) fn set_sort(flags: &mut Flags, value: OsString, reverse: bool) -> Result<(), String> {
    let key = choice(
        value,
        &[
            ("none", None),
            ("path", Some(SortKey::Path)),
            ("modified", Some(SortKey::Modified)),
            ("accessed", Some(SortKey::Accessed)),
            ("created", Some(SortKey::Created)),
        ],
    )?;
    flags.sort = key.map(|key| Sort { key, reverse });
    Ok(())
}

pub(super) fn set_no_ignore(flags: &mut Flags, on: bool) {
    flags.no_ignore_dot = on;
    flags.no_ignore_exclude = on;
    flags.no_ignore_global = on;
    flags.no_ignore_parent = on;
    flags.no_ignore_vcs = on;
}

/// Switches off one more kind of filter each time: ignore files, hidden files, binary files.
pub(super) fn add_unrestricted(flags: &mut Flags) -> Result<(), String> {
    flags.unrestricted += 1;
    match flags.unrestricted {
        1 => set_no_ignore(flags, true),
        2 => flags.hidden = true,
        3 => flags.binary = super::BinaryMode::SearchAndSuppress,
        _ => return Err("it can be given at most three times".to_owned()),
    }
    Ok(())
}

pub(super) fn set_path_separator(flags: &mut Flags, value: OsString) -> Result<(), String> {
    flags.separators.path = match unescaped(value)?.as_slice() {
        [] => None,
        [byte] => Some(*byte),
        bytes => return Err(format!("it must be one byte, and the value has {}", bytes.len())),
    };
    Ok(())
}
