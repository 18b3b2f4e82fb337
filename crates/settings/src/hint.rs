//! Hints for errors of the settings.

use lore_console::{names::did_you_mean, report};

use crate::{error::SettingsError, keys::WEIGHTS, registry::SETTINGS, trust, tuned};

impl SettingsError {
    /// A suggestion for the user.
    pub fn hint(&self) -> Option<String> {
        match self {
            SettingsError::UnknownKey { key, .. } | SettingsError::NoSuchSetting { key } => {
                let known: Vec<&str> = SETTINGS.iter().map(|setting| setting.key).collect();
                let near = did_you_mean(key, &known);
                Some(format!("the settings are {} and {WEIGHTS}SIGNAL{near}", known.join(", ")))
            }
            SettingsError::Foreign { key, variable, own, .. } => {
                let own = own.as_ref().map_or_else(
                    || "settings file".to_owned(),
                    |path| format!("settings file `{}`", path.display()),
                );
                Some(format!(
                    "put `{key}` into your own {own}, or set `{variable}`{}",
                    if trust::may_allow(key) { ", or run `lore trust`" } else { "" }
                ))
            }
            SettingsError::Tuned { root, .. } => {
                Some(format!("delete the tuned weights with `{}`", tuned::reset_command(root)))
            }
            SettingsError::Unreadable { .. }
            | SettingsError::Syntax { .. }
            | SettingsError::Unwritable { .. }
            | SettingsError::Value { .. } => None,
        }
    }
}

/// The hint of an error, if it has one.
pub fn hint(error: &(dyn std::error::Error + 'static)) -> Option<String> {
    let settings = std::iter::successors(Some(error), |error| error.source())
        .find_map(|error| error.downcast_ref::<SettingsError>());
    match settings {
        Some(settings) => settings.hint(),
        None => report::hint(error),
    }
}
