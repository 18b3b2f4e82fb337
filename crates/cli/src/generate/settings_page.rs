//! The pages of the reference about settings and environment variables.

use std::fmt::Write as _;

use lore_settings::{
    DefaultValue, SETTINGS, Setting,
    env_vars::{VARIABLES, VariableGroup},
    flags::flags_of,
};

use super::markdown::{cell, codes, head, sentence};

/// The page about settings.
pub(crate) fn settings() -> String {
    let mut page = head("Settings");
    page.push_str(
        "Every setting. [Settings](../guide/settings.md) in the guide describes the files and the order in \
         which they apply; `lore config KEY` shows the value of one setting on your machine.\n\n\
         The weights of ranking signals are settings, too: `ranking.weights.NAME`, a number, with the \
         names that `--explain` prints. So are the contents of context packages: \
         `context.policy.INTENT.NAME`, which `lore policy` lists.\n\n\
         A project's `lorehound.toml` may set a key only if its row has \"yes\" under Project. `lore trust` \
         allows a few others for a file that you reviewed ([Trust](../guide/trust.md)).\n",
    );
    let mut table = "";
    for setting in SETTINGS {
        let (name, _) = setting.key.split_once('.').unwrap_or((setting.key, ""));
        if name != table {
            table = name;
            let _ = writeln!(
                page,
                "\n## `{table}`\n\n| Key | Meaning | Values | Default | Variable | Flags | Project |\n|---|---|---|---|---|---|---|"
            );
        }
        let _ = writeln!(
            page,
            "| `{}` | {} | {} | {} | `{}` | {} | {} |",
            setting.key,
            cell(&sentence(setting.about)),
            cell(&setting.kind.to_string()),
            default(setting),
            setting.variable(),
            codes(flags_of(setting.key)),
            if setting.project { "yes" } else { "no" },
        );
    }
    page
}

/// The default of a setting, in the form of a settings file.
fn default(setting: &Setting) -> String {
    match setting.default {
        DefaultValue::CacheFolder => {
            "`lorehound` in the user's cache directory, such as `~/.cache/lorehound`".to_owned()
        }
        DefaultValue::Files | DefaultValue::Names => "`[]`".to_owned(),
        DefaultValue::Number(number) => format!("`{number}`"),
        DefaultValue::Size(bytes) => format!("`\"{}\"`", lore_settings::Value::Size(bytes)),
        DefaultValue::Switch(switch) => format!("`{switch}`"),
        DefaultValue::Text(text) => format!("`\"{text}\"`"),
        DefaultValue::Weight(weight) => format!("`{weight:?}`"),
    }
}

/// The page about environment variables.
pub(crate) fn environment() -> String {
    let mut page = head("Environment variables");
    page.push_str(
        "Every variable that `lore` reads. Those of settings are listed with the setting in \
         [Settings](settings.md). Another variable that starts with `LOREHOUND_` has no effect, and \
         `lore doctor` reports it as a problem.\n\n\
         The setting `embedding.key_env` names one more variable, which contains the key of an embedding \
         server. Git variables such as `GIT_DIR` have no effect.\n",
    );
    for group in VariableGroup::ALL {
        let _ = writeln!(page, "\n## {}\n\n| Variable | Effect |\n|---|---|", group.heading());
        for variable in VARIABLES.iter().filter(|variable| variable.group == group) {
            let _ = writeln!(page, "| `{}` | {} |", variable.name, cell(&sentence(variable.about)));
        }
    }
    page.push_str("\n## Settings\n\n| Variable | Setting |\n|---|---|\n");
    for setting in SETTINGS {
        let _ = writeln!(page, "| `{}` | `{}` |", setting.variable(), setting.key);
    }
    page
}
