//! One row of the table of flags.

use std::ffi::OsString;

use super::Flags;

/// A flag.
pub(crate) struct Flag {
    /// The letter after one dash.
    pub(crate) short: Option<char>,
    /// The name after two dashes.
    pub(crate) long: &'static str,
    /// Another name with the same effect.
    pub(crate) alias: Option<&'static str>,
    /// The name that undoes the flag.
    pub(crate) negated: Option<&'static str>,
    pub(crate) update: Update,
    /// One line of help, without a final period.
    pub(crate) help: &'static str,
}

/// The effect of a flag.
pub(crate) enum Update {
    /// A switch. The negated name calls it with `false`.
    Switch(fn(&mut Flags, bool)),
    /// A switch that can be given too often.
    Counter(fn(&mut Flags) -> Result<(), String>),
    /// A flag with a value, and the effect of its negated name.
    Value(SetValue, fn(&mut Flags)),
    /// A flag of ripgrep that is rejected, with the reason. `true` if it takes a value.
    Unsupported(&'static str, bool),
}

pub(super) const fn switch(
    long: &'static str,
    update: fn(&mut Flags, bool),
    help: &'static str,
) -> Flag {
    Flag { short: None, long, alias: None, negated: None, update: Update::Switch(update), help }
}

/// Sets a value, or returns the reason why it is invalid.
type SetValue = fn(&mut Flags, OsString) -> Result<(), String>;

pub(super) const fn value(long: &'static str, update: SetValue, help: &'static str) -> Flag {
    let update = Update::Value(update, |_| {});
    Flag { short: None, long, alias: None, negated: None, update, help }
}

pub(super) const fn unsupported(
    long: &'static str,
    takes_value: bool,
    reason: &'static str,
) -> Flag {
    let update = Update::Unsupported(reason, takes_value);
    Flag { short: None, long, alias: None, negated: None, update, help: "" }
}

impl Flag {
    pub(super) const fn short(mut self, short: char) -> Flag {
        self.short = Some(short);
        self
    }

    pub(super) const fn negated(mut self, negated: &'static str) -> Flag {
        self.negated = Some(negated);
        self
    }

    pub(super) const fn alias(mut self, alias: &'static str) -> Flag {
        self.alias = Some(alias);
        self
    }

    pub(super) const fn off(mut self, off: fn(&mut Flags)) -> Flag {
        if let Update::Value(update, _) = self.update {
            self.update = Update::Value(update, off);
        }
        self
    }
}
