//! `lore config`: every setting and where its value comes from.

use std::{
    io::{self, Write},
    path::Path,
};

use lore_console::{report::Status, text};
use lore_render::{
    output::table::{self, Align},
    wire::{self, SettingRow, ValueWire},
};
use lore_session::{Context, write_output};
use lore_settings::{
    NONE, Origin, ResolvedValue, Setting, SettingsError, Value, env_vars, user_file,
};

use crate::args::ConfigArguments;

/// Shows one setting or all of them.
pub(super) fn run(arguments: &ConfigArguments) -> anyhow::Result<Status> {
    let report = &arguments.report;
    let context = Context::new(&report.tree, &report.common, Vec::new())?;
    let settings = &context.settings;
    let rows: Vec<(&str, &ResolvedValue)> = match arguments.key.as_deref() {
        None => settings.all().collect(),
        Some(key) => match settings.get(key) {
            Some(resolved) => vec![(key, resolved)],
            // A setting may have no value: the cache directory if there is no home directory.
            None if Setting::find(key).is_some() => Vec::new(),
            None => return Err(SettingsError::NoSuchSetting { key: key.to_owned() }.into()),
        },
    };
    write_output(|out| {
        if report.json {
            wire::write(&wire::config(&settings.files, rows.iter().copied().map(row)), out)
        } else {
            write(&rows, arguments.key.is_some(), out)
        }
    })?;
    Ok(Status::Success)
}

/// A setting in its wire form.
fn row<'a>((key, resolved): (&'a str, &'a ResolvedValue)) -> SettingRow<'a> {
    let display = |path: &Path| path.display().to_string();
    SettingRow {
        key,
        value: match &resolved.value {
            Value::Files(paths) => {
                ValueWire::Files(paths.iter().map(|path| display(path)).collect())
            }
            Value::Folder(path) => ValueWire::Folder(display(path)),
            Value::Names(names) => ValueWire::Names(names),
            Value::Number(number) => ValueWire::Number(*number),
            Value::Size(u64::MAX) => ValueWire::Text(NONE),
            Value::Size(bytes) => ValueWire::Number(*bytes),
            Value::Switch(switch) => ValueWire::Switch(*switch),
            Value::Text(text) => ValueWire::Text(text),
            Value::Weight(weight) => ValueWire::Weight(*weight),
        },
        origin: resolved.origin.layer(),
        place: resolved.origin.location(),
    }
}

fn write(settings: &[(&str, &ResolvedValue)], alone: bool, out: &mut dyn Write) -> io::Result<()> {
    let rows: Vec<[String; 3]> = settings
        .iter()
        .map(|(key, resolved)| {
            let origin = match &resolved.origin {
                Origin::Default => "default".to_owned(),
                origin => format!("{} {}", origin.layer(), origin.location().unwrap_or_default()),
            };
            [key, resolved.value.to_string().as_str(), &origin].map(text::clean)
        })
        .collect();
    table::write([Align::Left, Align::Left, Align::Left], &rows, out)?;
    if !alone {
        let file = user_file(&env_vars::from_process)
            .map_or_else(|| "none".to_owned(), |path| path.display().to_string());
        writeln!(out, "\nyour settings file: {}", text::clean(&file))?;
        return Ok(());
    }
    let about = settings.iter().filter_map(|(key, _)| Setting::find(key));
    for setting in about {
        writeln!(out, "\n{}; {}", setting.about, setting.kind)?;
        writeln!(out, "environment: {}", setting.variable())?;
    }
    Ok(())
}
