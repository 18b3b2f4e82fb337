//! The settings: defaults < user's file < project's file < tuned weights < environment < flags.
//!
//! Every value remembers where it came from. A file with an unknown key or a value of the wrong
//! type is an error that names file, line and key: a setting that is silently not applied is worse
//! than none. A project's file comes from whoever wrote the repository, so that it may not say
//! where files are written or
//! which programs run; such a key in it is left out with a warning. That it may not say where texts
//! are sent to is an error, so that nobody believes it was heard.

#![allow(
    clippy::disallowed_methods,
    reason = "settings files and the environment are read here, and files are written whole"
)]

pub mod address;
mod command;
mod edit;
mod embedding;
pub mod env_vars;
mod file;
pub mod filters;
pub mod flags;
mod origin;
mod policy;
mod registry;
mod size;
pub mod terminal;
pub mod trust;
mod tuned;
mod values;
pub mod whole_file;

use std::{
    collections::BTreeMap,
    ffi::OsString,
    io,
    path::{Path, PathBuf},
};

use lore_console::{names::did_you_mean, report};
use lore_engine::{RankingConfig, signal_weights};

pub use self::{
    edit::set,
    file::FILE_NAME,
    origin::Origin,
    policy::PolicyValue,
    registry::{
        DefaultValue, EMBEDDED, FORMATS, Kind, MAX_HITS, MAX_LINES, NONE, OFF, SETTINGS, Setting,
        Value,
    },
    tuned::{remove_tuned, tuned_file, write_tuned},
};
use self::{env_vars::Lookup, file::Entry, trust::TrustState};

/// Starts the keys of the ranking weights, which are as many as there are signals.
const WEIGHTS: &str = "ranking.weights.";

/// Starts the keys that say what makes vectors, and where texts are sent for it.
const EMBEDDING: &str = "embedding.";

/// Name of this program's folder among the user's caches and settings.
const FOLDER_NAME: &str = "lorehound";

/// Why the settings cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// The file is there but cannot be read.
    #[error("could not read the settings file `{}`", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// The file is no TOML.
    #[error("could not understand the settings file `{}`: line {line}: {reason}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// 1-based.
        line: usize,
        /// What the parser said, without a dot.
        reason: String,
    },
    /// The file has a key that no setting has.
    #[error(
        "could not understand the settings file `{}`: line {line}: there is no setting `{key}`",
        path.display()
    )]
    UnknownKey {
        /// The file.
        path: PathBuf,
        /// 1-based.
        line: usize,
        /// The key, with its table.
        key: String,
    },
    /// A project says what makes vectors.
    #[error(
        "could not use the setting `{key}` from {origin}: only your own settings, not those of a \
         project, say what makes vectors and where texts are sent"
    )]
    Foreign {
        /// The key, with its table.
        key: String,
        /// Where it stands.
        origin: Origin,
        /// The environment variable of the setting.
        variable: String,
        /// Where the user's own settings file lies, or would lie.
        own: Option<PathBuf>,
    },
    /// A value has the wrong type or lies outside its range.
    #[error("could not use the setting `{key}` from {origin}: expected {expected}, found {found}")]
    Value {
        /// The key, with its table.
        key: String,
        /// Where the value was read.
        origin: Origin,
        /// What the setting takes.
        expected: String,
        /// What was there.
        found: String,
    },
    /// The file with tuned weights cannot be used.
    #[error("{source}")]
    Tuned {
        /// The tree that they were fitted to.
        root: PathBuf,
        /// What is wrong with it.
        source: Box<SettingsError>,
    },
    /// A file cannot be changed.
    #[error("could not write `{key}` into the settings file `{}`", path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// The key, with its table.
        key: String,
        /// What stands in the way.
        source: io::Error,
    },
    /// The user asks for a setting that is none.
    #[error("there is no setting `{key}`")]
    NoSuchSetting {
        /// What was typed.
        key: String,
    },
}

impl SettingsError {
    /// What to do about it.
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
                    if trust::may_allow(key) { ", or look at `lore trust`" } else { "" }
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

/// The instruction that helps after an error, for the errors that have one.
pub fn hint(error: &(dyn std::error::Error + 'static)) -> Option<String> {
    let settings = std::iter::successors(Some(error), |error| error.source())
        .find_map(|error| error.downcast_ref::<SettingsError>());
    match settings {
        Some(settings) => settings.hint(),
        None => report::hint(error),
    }
}

/// A value and where it came from.
#[derive(Debug, Clone, PartialEq)]
pub struct ResolvedValue {
    /// The value.
    pub value: Value,
    /// Where it came from.
    pub origin: Origin,
}

/// A value that a flag of this call sets.
#[derive(Debug, Clone, PartialEq)]
pub struct Override {
    /// The setting's key.
    pub key: &'static str,
    /// Its value.
    pub value: Value,
    /// The flag, with its dashes.
    pub flag: &'static str,
}

/// A settings file that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsFile {
    /// Where it lies.
    pub path: PathBuf,
    /// What it says.
    pub text: String,
}

/// Every setting, decided.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    values: BTreeMap<String, ResolvedValue>,
    /// The files that were read.
    pub files: Vec<PathBuf>,
    /// What was left out, one line each.
    pub warnings: Vec<String>,
}

impl Settings {
    /// Reads the settings for a tree.
    pub fn load(
        root: &Path,
        lookup: Lookup<'_>,
        flags: Vec<Override>,
    ) -> Result<Settings, SettingsError> {
        let tuned = match tuned_file(root, lookup) {
            Some(path) => find(path).map_err(|source| tuned::unusable(root, source))?,
            None => None,
        };
        Settings::load_with(root, tuned.as_ref(), lookup, flags)
    }

    /// Reads the settings for a tree without the weights that were fitted to it.
    pub fn load_untuned(
        root: &Path,
        lookup: Lookup<'_>,
        flags: Vec<Override>,
    ) -> Result<Settings, SettingsError> {
        Settings::load_with(root, None, lookup, flags)
    }

    fn load_with(
        root: &Path,
        tuned: Option<&SettingsFile>,
        lookup: Lookup<'_>,
        flags: Vec<Override>,
    ) -> Result<Settings, SettingsError> {
        let user = match user_file(lookup) {
            Some(path) => find(path)?,
            None => None,
        };
        // With `-C` at the user's own settings folder, one file would count twice.
        let project = find(root.join(FILE_NAME))?
            .filter(|project| user.as_ref().is_none_or(|user| user.path != project.path));
        let tuned = tuned.map(|file| (root, file));
        let standing = project.as_ref().map(|file| trust::trust_state(root, &file.text, lookup));
        let project = project.as_ref().map(|file| (file, standing.unwrap_or_default()));
        Settings::merge_all(user.as_ref(), project, tuned, lookup, flags)
    }

    /// Puts the layers on top of each other, without tuned weights; the project's file is not trusted.
    pub fn merge(
        user: Option<&SettingsFile>,
        project: Option<&SettingsFile>,
        lookup: Lookup<'_>,
        flags: Vec<Override>,
    ) -> Result<Settings, SettingsError> {
        let project = project.map(|file| (file, TrustState::Unknown));
        Settings::merge_all(user, project, None, lookup, flags)
    }

    /// Puts the layers on top of each other. Tuned weights come with the tree that they are for.
    fn merge_all(
        user: Option<&SettingsFile>,
        project: Option<(&SettingsFile, TrustState)>,
        tuned: Option<(&Path, &SettingsFile)>,
        lookup: Lookup<'_>,
        flags: Vec<Override>,
    ) -> Result<Settings, SettingsError> {
        let mut settings = Settings::defaults(lookup);
        if let Some(file) = user {
            let of_user = |path, line| Origin::User { path, line };
            settings.apply_file(file, TrustState::Trusted, lookup, of_user)?;
        }
        if let Some((file, standing)) = project {
            let of_project = |path, line| Origin::Project { path, line };
            settings.apply_file(file, standing, lookup, of_project)?;
        }
        if let Some((root, file)) = tuned {
            settings.apply_tuned(file).map_err(|source| tuned::unusable(root, source))?;
        }
        settings.apply_environment(lookup)?;
        for Override { key, mut value, flag } in flags {
            // Files that are typed come to those that are set.
            if let (Value::Files(typed), Some(ResolvedValue { value: Value::Files(set), .. })) =
                (&mut value, settings.get(key))
            {
                typed.splice(0..0, set.iter().cloned());
            }
            settings.decide_flag(key, value, flag)?;
        }
        Ok(settings)
    }

    fn defaults(lookup: Lookup<'_>) -> Settings {
        let values = SETTINGS
            .iter()
            .filter_map(|setting| {
                let value = match setting.default {
                    DefaultValue::CacheFolder => Value::Folder(cache_folder(lookup)?),
                    DefaultValue::Files => Value::Files(Vec::new()),
                    DefaultValue::Names => Value::Names(Vec::new()),
                    DefaultValue::Number(number) => Value::Number(number),
                    DefaultValue::Size(bytes) => Value::Size(bytes),
                    DefaultValue::Switch(switch) => Value::Switch(switch),
                    DefaultValue::Text(text) => Value::Text(text.to_owned()),
                    DefaultValue::Weight(weight) => Value::Weight(weight),
                };
                Some((setting.key.to_owned(), ResolvedValue { value, origin: Origin::Default }))
            })
            .collect();
        Settings { values, files: Vec::new(), warnings: Vec::new() }
    }

    fn apply_file(
        &mut self,
        file: &SettingsFile,
        standing: TrustState,
        lookup: Lookup<'_>,
        origin: impl Fn(PathBuf, usize) -> Origin,
    ) -> Result<(), SettingsError> {
        for Entry { key, line, value } in file::parse(&file.path, &file.text)? {
            let origin = origin(file.path.clone(), line);
            if matches!(origin, Origin::Project { .. })
                && let Some(setting) = Setting::find(&key).filter(|setting| !setting.project)
                && !(standing == TrustState::Trusted && trust::may_allow(&key))
            {
                if key.starts_with(EMBEDDING) {
                    let (variable, own) = (setting.variable(), user_file(lookup));
                    return Err(SettingsError::Foreign { key, origin, variable, own });
                }
                let reason = if setting.is_program() {
                    "it runs a program, and a project's settings file comes from whoever wrote the \
                     repository: "
                } else if standing == TrustState::Changed {
                    "the file changed since it was trusted: "
                } else {
                    ""
                };
                let help = if trust::may_allow(&key) {
                    "; `lore trust` shows what it would do, and asks"
                } else {
                    ""
                };
                self.warnings.push(format!(
                    "left out the setting `{key}` from {origin}: {reason}only your own settings \
                     file, the environment and flags may say it{help}"
                ));
                continue;
            }
            match value {
                Ok(Value::Files(paths)) => {
                    let paths = self.usable_files(&key, paths, file, standing, &origin);
                    self.decide(&key, Value::Files(paths), origin);
                }
                Ok(Value::Folder(path)) => {
                    let folder = file.path.parent().unwrap_or(Path::new("")).join(path);
                    self.decide(&key, Value::Folder(folder), origin);
                }
                Ok(value) => self.decide(&key, value, origin),
                Err((expected, found)) => {
                    return Err(SettingsError::Value { key, origin, expected, found });
                }
            }
        }
        self.files.push(file.path.clone());
        Ok(())
    }

    /// Applies weights that were fitted to the tree. What another version left there costs no search.
    fn apply_tuned(&mut self, file: &SettingsFile) -> Result<(), SettingsError> {
        let known = signal_weights(&RankingConfig::default());
        for Entry { key, line, value } in file::parse(&file.path, &file.text)? {
            let origin = Origin::Tuned { path: file.path.clone(), line };
            let signal = key.strip_prefix(WEIGHTS);
            match value {
                Ok(value) if known.iter().any(|one| signal == Some(one.name)) => {
                    self.decide(&key, value, origin);
                }
                Ok(_) => self.warnings.push(format!(
                    "left out `{key}` from {origin}: it is no weight of this version; \
                     `lore tune --apply` fits anew, `lore tune --reset` deletes the file"
                )),
                Err((expected, found)) => {
                    return Err(SettingsError::Value { key, origin, expected, found });
                }
            }
        }
        self.files.push(file.path.clone());
        Ok(())
    }

    /// The file of the tuned weights that are in force, and how many there are.
    pub fn tuned(&self) -> Option<(&Path, usize)> {
        let mut files = self.values.values().filter_map(|decided| match &decided.origin {
            Origin::Tuned { path, .. } => Some(path.as_path()),
            _ => None,
        });
        files.next().map(|path| (path, 1 + files.count()))
    }

    fn apply_environment(&mut self, lookup: Lookup<'_>) -> Result<(), SettingsError> {
        for setting in SETTINGS {
            let variable = setting.variable();
            let Some(text) = env_vars::non_empty(lookup, &variable) else { continue };
            let value = if matches!(setting.kind, Kind::Folder) {
                // A path need not be Unicode.
                Some(Value::Folder(text.clone().into()))
            } else if matches!(setting.kind, Kind::Files) {
                Some(Value::Files(std::env::split_paths(&text).map(absolute).collect()))
            } else {
                text.to_str().and_then(|text| setting.kind.parse(text))
            };
            let origin = Origin::Environment(variable);
            match value {
                Some(value) => self.decide(setting.key, value, origin),
                None => {
                    return Err(SettingsError::Value {
                        key: setting.key.to_owned(),
                        origin,
                        expected: setting.kind.to_string(),
                        found: setting.kind.found(&text.to_string_lossy()),
                    });
                }
            }
        }
        Ok(())
    }

    /// The files that a settings file names, from its folder on, as far as they can be used. One
    /// that is missing costs no search, since not everybody has it; and a project may name only
    /// files of its own tree.
    fn usable_files(
        &mut self,
        key: &str,
        paths: Vec<PathBuf>,
        file: &SettingsFile,
        standing: TrustState,
        origin: &Origin,
    ) -> Vec<PathBuf> {
        let folder = file.path.parent().unwrap_or(Path::new(""));
        let is_confined =
            matches!(origin, Origin::Project { .. }) && standing != TrustState::Trusted;
        let tree = is_confined.then(|| lore_engine::native::canonical(folder).ok());
        let mut usable = Vec::new();
        for path in paths {
            let path = folder.join(path);
            let reason = match (lore_engine::native::canonical(&path), &tree) {
                (Err(error), _) => error.to_string(),
                (Ok(real), Some(tree)) if !tree.as_ref().is_some_and(|it| real.starts_with(it)) => {
                    "it lies outside of the tree, and only your own settings file, the environment \
                     and flags may name such a file; `lore trust` shows what it would do, and asks"
                        .to_owned()
                }
                (Ok(_), _) => {
                    usable.push(path);
                    continue;
                }
            };
            self.warnings.push(format!(
                "left out `{}` of the setting `{key}` from {origin}: {reason}",
                path.display()
            ));
        }
        usable
    }

    /// Decides what a flag says. Most flags are checked where they are parsed, which repeats what was
    /// typed; those that may hold a secret are checked here.
    fn decide_flag(
        &mut self,
        key: &str,
        value: Value,
        flag: &'static str,
    ) -> Result<(), SettingsError> {
        let origin = Origin::Flag(flag);
        if let Some(kind) = Setting::find(key).map(|setting| setting.kind)
            && !kind.accepts(&value)
        {
            return Err(SettingsError::Value {
                key: key.to_owned(),
                origin,
                expected: kind.to_string(),
                found: kind.found(&value.to_string()),
            });
        }
        self.decide(key, value, origin);
        Ok(())
    }

    fn decide(&mut self, key: &str, value: Value, origin: Origin) {
        self.values.insert(key.to_owned(), ResolvedValue { value, origin });
    }

    /// Every setting that has a value, in the order of the keys.
    pub fn all(&self) -> impl Iterator<Item = (&str, &ResolvedValue)> {
        self.values.iter().map(|(key, decided)| (key.as_str(), decided))
    }

    /// One setting.
    pub fn get(&self, key: &str) -> Option<&ResolvedValue> {
        self.values.get(key)
    }
}

/// A settings file, if it is there.
fn find(path: PathBuf) -> Result<Option<SettingsFile>, SettingsError> {
    Ok(file::read(&path)?.map(|text| SettingsFile { path, text }))
}

/// Reads a program with its arguments as a flag gives it.
///
/// # Errors
/// What is wrong with it.
pub fn command_line(text: &str) -> Result<Value, String> {
    Kind::Command.parse(text).ok_or_else(|| format!("expected {}", Kind::Command))
}

/// A path from the current folder on, in full.
pub fn absolute(path: PathBuf) -> PathBuf {
    std::path::absolute(&path).unwrap_or(path)
}

/// Where the user's settings file would lie; `None` where there is no place for one.
pub fn user_file(lookup: Lookup<'_>) -> Option<PathBuf> {
    if let Some(path) = lookup(env_vars::LOREHOUND_CONFIG) {
        return (!path.is_empty()).then(|| path.into());
    }
    let folder = user_folder(lookup, env_vars::XDG_CONFIG_HOME, env_vars::APPDATA, ".config")?;
    Some(folder.join(FOLDER_NAME).join(FILE_NAME))
}

fn cache_folder(lookup: Lookup<'_>) -> Option<PathBuf> {
    let folder = user_folder(lookup, env_vars::XDG_CACHE_HOME, env_vars::LOCALAPPDATA, ".cache")?;
    Some(folder.join(FOLDER_NAME))
}

/// Where the program remembers what must not be lost with a cache; `None` where there is no place
/// for it.
pub fn state_folder(lookup: Lookup<'_>) -> Option<PathBuf> {
    let below_home = ".local/state";
    let folder = user_folder(lookup, env_vars::XDG_STATE_HOME, env_vars::LOCALAPPDATA, below_home)?;
    Some(folder.join(FOLDER_NAME))
}

/// A folder of the user by the XDG rules, by which a relative path does not count.
fn user_folder(
    lookup: Lookup<'_>,
    variable: &str,
    on_windows: &str,
    below_home: &str,
) -> Option<PathBuf> {
    let absolute = |value: OsString| Some(PathBuf::from(value)).filter(|path| path.is_absolute());
    let named = env_vars::non_empty(lookup, variable).and_then(absolute);
    let windows = || {
        let value = cfg!(windows).then(|| env_vars::non_empty(lookup, on_windows)).flatten();
        value.and_then(absolute)
    };
    let home = || {
        let home = env_vars::non_empty(lookup, env_vars::HOME).and_then(absolute);
        home.map(|home| home.join(below_home))
    };
    named.or_else(windows).or_else(home)
}

#[cfg(test)]
mod tests;
