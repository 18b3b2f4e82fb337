//! Resolves all settings: reads the files, the environment and the flags in their order.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use lore_engine::{RankingConfig, signal_weights};

use crate::{
    env_vars::{self, Lookup},
    error::SettingsError,
    file::{self, Entry},
    folders::{absolute, cache_folder, user_file},
    keys::{EMBEDDING, FILE_NAME, WEIGHTS},
    kind::{Kind, Value},
    origin::Origin,
    registry::{DefaultValue, SETTINGS, Setting},
    resolved::{Override, ResolvedValue, SettingsFile},
    trust::{self, TrustState},
    tuned::{self, tuned_file},
};

/// All settings, resolved.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    values: BTreeMap<String, ResolvedValue>,
    /// The files that were read.
    pub files: Vec<PathBuf>,
    /// Ignored settings and other problems, one line each.
    pub warnings: Vec<String>,
}

impl Settings {
    /// Loads the settings for a tree.
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

    /// Loads the settings for a tree without tuned weights.
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
        // With `-C` at the user's settings folder, the same file would count twice.
        let project = find(root.join(FILE_NAME))?
            .filter(|project| user.as_ref().is_none_or(|user| user.path != project.path));
        let tuned = tuned.map(|file| (root, file));
        let trust_state = project.as_ref().map(|file| trust::trust_state(root, &file.text, lookup));
        let project = project.as_ref().map(|file| (file, trust_state.unwrap_or_default()));
        Settings::merge_all(user.as_ref(), project, tuned, lookup, flags)
    }

    /// Merges the layers, without tuned weights; the project's file is not trusted.
    pub fn merge(
        user: Option<&SettingsFile>,
        project: Option<&SettingsFile>,
        lookup: Lookup<'_>,
        flags: Vec<Override>,
    ) -> Result<Settings, SettingsError> {
        let project = project.map(|file| (file, TrustState::Unknown));
        Settings::merge_all(user, project, None, lookup, flags)
    }

    /// Merges the layers. Tuned weights come with the tree that they are for.
    pub(crate) fn merge_all(
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
        if let Some((file, trust_state)) = project {
            let of_project = |path, line| Origin::Project { path, line };
            settings.apply_file(file, trust_state, lookup, of_project)?;
        }
        if let Some((root, file)) = tuned {
            settings.apply_tuned(file).map_err(|source| tuned::unusable(root, source))?;
        }
        settings.apply_environment(lookup)?;
        for Override { key, mut value, flag } in flags {
            // Files given by flags are added to those in the settings.
            if let (Value::Files(typed), Some(ResolvedValue { value: Value::Files(set), .. })) =
                (&mut value, settings.get(key))
            {
                typed.splice(0..0, set.iter().cloned());
            }
            settings.set_from_flag(key, value, flag)?;
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
        trust_state: TrustState,
        lookup: Lookup<'_>,
        origin: impl Fn(PathBuf, usize) -> Origin,
    ) -> Result<(), SettingsError> {
        for Entry { key, line, value } in file::parse(&file.path, &file.text)? {
            let origin = origin(file.path.clone(), line);
            if matches!(origin, Origin::Project { .. })
                && let Some(setting) = Setting::find(&key).filter(|setting| !setting.project)
                && !(trust_state == TrustState::Trusted && trust::may_allow(&key))
            {
                if key.starts_with(EMBEDDING) {
                    let (variable, own) = (setting.variable(), user_file(lookup));
                    return Err(SettingsError::Foreign { key, origin, variable, own });
                }
                let reason = if setting.is_program() {
                    "it runs a program, and the authors of the repository wrote the project's \
                     settings file: "
                } else if trust_state == TrustState::Changed {
                    "the file changed since it was trusted: "
                } else {
                    ""
                };
                let help = if trust::may_allow(&key) {
                    "; run `lore trust` to review and allow it"
                } else {
                    ""
                };
                self.warnings.push(format!(
                    "ignored the setting `{key}` from {origin}: {reason}only your own settings \
                     file, the environment and flags may set it{help}"
                ));
                continue;
            }
            match value {
                Ok(Value::Files(paths)) => {
                    let paths = self.usable_files(&key, paths, file, trust_state, &origin);
                    self.set(&key, Value::Files(paths), origin);
                }
                Ok(Value::Folder(path)) => {
                    let folder = file.path.parent().unwrap_or(Path::new("")).join(path);
                    self.set(&key, Value::Folder(folder), origin);
                }
                Ok(value) => self.set(&key, value, origin),
                Err((expected, found)) => {
                    return Err(SettingsError::Value { key, origin, expected, found });
                }
            }
        }
        self.files.push(file.path.clone());
        Ok(())
    }

    /// Applies tuned weights. Weights of another version of `lore` are skipped with a warning.
    fn apply_tuned(&mut self, file: &SettingsFile) -> Result<(), SettingsError> {
        let known = signal_weights(&RankingConfig::default());
        for Entry { key, line, value } in file::parse(&file.path, &file.text)? {
            let origin = Origin::Tuned { path: file.path.clone(), line };
            let signal = key.strip_prefix(WEIGHTS);
            match value {
                Ok(value) if known.iter().any(|known| signal == Some(known.name)) => {
                    self.set(&key, value, origin);
                }
                Ok(_) => self.warnings.push(format!(
                    "ignored `{key}` from {origin}: this version has no such weight; run \
                     `lore tune --apply` to fit again, or `lore tune --reset` to delete the file"
                )),
                Err((expected, found)) => {
                    return Err(SettingsError::Value { key, origin, expected, found });
                }
            }
        }
        self.files.push(file.path.clone());
        Ok(())
    }

    /// The file of the tuned weights in use, and their number.
    pub fn tuned(&self) -> Option<(&Path, usize)> {
        let mut files = self.values.values().filter_map(|resolved| match &resolved.origin {
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
                // A path may be invalid Unicode.
                Some(Value::Folder(text.clone().into()))
            } else if matches!(setting.kind, Kind::Files) {
                Some(Value::Files(std::env::split_paths(&text).map(absolute).collect()))
            } else {
                text.to_str().and_then(|text| setting.kind.parse(text))
            };
            let origin = Origin::Environment(variable);
            match value {
                Some(value) => self.set(setting.key, value, origin),
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

    /// The usable files of a setting in a settings file, relative to its folder. A missing file
    /// gives a warning, since not all users have it. A project may only name files of its own tree.
    fn usable_files(
        &mut self,
        key: &str,
        paths: Vec<PathBuf>,
        file: &SettingsFile,
        trust_state: TrustState,
        origin: &Origin,
    ) -> Vec<PathBuf> {
        let folder = file.path.parent().unwrap_or(Path::new(""));
        let is_confined =
            matches!(origin, Origin::Project { .. }) && trust_state != TrustState::Trusted;
        let tree = is_confined.then(|| lore_engine::native::canonical(folder).ok());
        let mut usable = Vec::new();
        for path in paths {
            let path = folder.join(path);
            let reason = match (lore_engine::native::canonical(&path), &tree) {
                (Err(error), _) => error.to_string(),
                (Ok(real), Some(tree)) if !tree.as_ref().is_some_and(|it| real.starts_with(it)) => {
                    "it is outside the tree, and only your own settings file, the environment \
                     and flags may name such a file; run `lore trust` to review and allow it"
                        .to_owned()
                }
                (Ok(_), _) => {
                    usable.push(path);
                    continue;
                }
            };
            self.warnings.push(format!(
                "ignored `{}` of the setting `{key}` from {origin}: {reason}",
                path.display()
            ));
        }
        usable
    }

    /// Sets a value from a flag. Most flags are validated by the argument parser, whose errors
    /// repeat the typed text; flags that might contain a secret are validated here.
    fn set_from_flag(
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
        self.set(key, value, origin);
        Ok(())
    }

    fn set(&mut self, key: &str, value: Value, origin: Origin) {
        self.values.insert(key.to_owned(), ResolvedValue { value, origin });
    }

    /// Every setting with a value, sorted by key.
    pub fn all(&self) -> impl Iterator<Item = (&str, &ResolvedValue)> {
        self.values.iter().map(|(key, resolved)| (key.as_str(), resolved))
    }

    /// The value of a setting.
    pub fn get(&self, key: &str) -> Option<&ResolvedValue> {
        self.values.get(key)
    }
}

/// A settings file, if it exists.
fn find(path: PathBuf) -> Result<Option<SettingsFile>, SettingsError> {
    Ok(file::read(&path)?.map(|text| SettingsFile { path, text }))
}

/// Parses a program with its arguments, as given to a flag.
///
/// # Errors
/// If the text is not valid.
pub fn command_line(text: &str) -> Result<Value, String> {
    Kind::Command.parse(text).ok_or_else(|| format!("expected {}", Kind::Command))
}
