//! Parses a command line into [`Flags`].
//!
//! Short flags combine (`-in`), values follow directly or as the next word (`-A1`, `-A 1`,
//! `--color=never`), flags and paths mix, and nothing after `--` is a flag. The last of several
//! contradicting flags counts.

use std::ffi::OsString;

use lexopt::Arg;

use crate::flags::{Flag, Flags, Special, TABLE, Update};

/// Maximum number of names that an error suggests.
const MAX_SUGGESTIONS: usize = 3;

/// Reason why a command line cannot be run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub(crate) struct UsageError {
    /// The error, without a final period.
    pub(crate) message: String,
    /// A suggestion.
    pub(crate) hint: Option<String>,
}

impl UsageError {
    pub(crate) fn new(message: impl Into<String>) -> UsageError {
        UsageError { message: message.into(), hint: None }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> UsageError {
        self.hint = Some(hint.into());
        self
    }
}

/// A flag and the name by which it was given.
struct Named {
    flag: &'static Flag,
    /// With its dashes.
    name: String,
    negated: bool,
}

/// Parses the words after `lore rg`.
///
/// # Errors
/// If a flag is unknown, unsupported or has an invalid value.
pub(crate) fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Flags, UsageError> {
    let mut flags = Flags::default();
    let mut unsupported: Vec<(&Flag, UsageError)> = Vec::new();
    let mut parser = lexopt::Parser::from_args(words);
    loop {
        let argument = parser.next().map_err(|error| UsageError::new(error.to_string()))?;
        let named = match argument {
            None => break,
            Some(Arg::Value(value)) => {
                flags.positional.push(value);
                continue;
            }
            Some(Arg::Short('h') | Arg::Long("help")) => {
                flags.special = Some(Special::Help);
                continue;
            }
            Some(Arg::Short('V') | Arg::Long("version")) => {
                flags.special = Some(Special::Version);
                continue;
            }
            Some(Arg::Short(letter)) => by_letter(letter)?,
            Some(Arg::Long(name)) => by_name(name)?,
        };
        if let Update::Unsupported(reason, takes_value) = named.flag.update {
            unsupported.retain(|(flag, _)| flag.long != named.flag.long);
            if !named.negated {
                if takes_value {
                    value(&mut parser, &named.name)?;
                }
                unsupported.push((named.flag, unsupported_flag(&named.name, reason)));
            }
            continue;
        }
        update(&mut flags, &named, &mut parser)?;
    }
    match unsupported.into_iter().next() {
        Some((_, error)) if flags.special.is_none() => Err(error),
        _ => Ok(flags),
    }
}

/// Applies a flag, with its value if it takes one.
fn update(flags: &mut Flags, named: &Named, parser: &mut lexopt::Parser) -> Result<(), UsageError> {
    let applied = match named.flag.update {
        Update::Switch(set) => {
            set(flags, !named.negated);
            Ok(())
        }
        Update::Counter(add) => add(flags),
        Update::Value(_, off) if named.negated => {
            off(flags);
            Ok(())
        }
        Update::Value(set, _) => set(flags, value(parser, &named.name)?),
        Update::Unsupported(..) => Ok(()),
    };
    applied.map_err(|reason| UsageError::new(format!("invalid `{}`: {reason}", named.name)))
}

fn value(parser: &mut lexopt::Parser, name: &str) -> Result<OsString, UsageError> {
    parser.value().map_err(|_| UsageError::new(format!("`{name}` requires a value")))
}

fn by_letter(letter: char) -> Result<Named, UsageError> {
    let name = format!("-{letter}");
    match TABLE.iter().find(|flag| flag.short == Some(letter)) {
        Some(flag) => Ok(Named { flag, name, negated: false }),
        None => Err(UsageError::new(format!("unrecognized flag `{name}`"))
            .hint("`lore rg --help` lists the flags")),
    }
}

fn by_name(name: &str) -> Result<Named, UsageError> {
    let typed = format!("--{name}");
    for flag in TABLE {
        if flag.long == name || flag.alias == Some(name) {
            return Ok(Named { flag, name: typed, negated: false });
        }
        if flag.negated == Some(name) {
            return Ok(Named { flag, name: typed, negated: true });
        }
    }
    let similar = similar_names(name);
    let hint = if similar.is_empty() {
        "`lore rg --help` lists the flags".to_owned()
    } else {
        format!("similar flags are {}", similar.join(", "))
    };
    Err(UsageError::new(format!("unrecognized flag `{typed}`")).hint(hint))
}

fn unsupported_flag(name: &str, reason: &str) -> UsageError {
    UsageError::new(format!("`lore rg` does not support `{name}`: {reason}"))
        .hint("run the same command with `rg` in place of `lore rg`")
}

/// The names that share a prefix or most pairs of letters with an unknown one, best first.
fn similar_names(typed: &str) -> Vec<String> {
    let supported = TABLE.iter().filter(|flag| !matches!(flag.update, Update::Unsupported(..)));
    let names = supported.flat_map(|flag| [Some(flag.long), flag.alias, flag.negated]);
    let mut scored: Vec<(usize, &str)> = names
        .flatten()
        .map(|name| (similarity(typed, name), name))
        .filter(|(score, _)| *score >= 50)
        .collect();
    scored.sort_by(|left, right| right.0.cmp(&left.0).then(left.1.cmp(right.1)));
    scored.iter().take(MAX_SUGGESTIONS).map(|(_, name)| format!("`--{name}`")).collect()
}

/// Shared pairs of letters, in percent of all pairs (Dice's coefficient).
fn similarity(left: &str, right: &str) -> usize {
    let pairs = |name: &str| -> Vec<[u8; 2]> {
        name.as_bytes().windows(2).map(|pair| [pair[0], pair[1]]).collect()
    };
    let (left, mut rest) = (pairs(left), pairs(right));
    let total = left.len() + rest.len();
    let mut shared = 0;
    for pair in &left {
        if let Some(at) = rest.iter().position(|other| other == pair) {
            rest.swap_remove(at);
            shared += 2;
        }
    }
    shared * 100 / total.max(1)
}

#[cfg(test)]
mod tests;
