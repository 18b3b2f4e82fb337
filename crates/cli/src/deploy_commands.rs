//! Checks that the commands of `lore` below `deploy` exist, with their flags: those of containers, and those in the
//! text of the files.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;

use crate::{
    page_commands::{command, fault},
    yaml,
};

/// Files that belong to the user.
const IGNORED: &[&str] = &["certificates", ".env", "access"];

#[test]
fn commands_of_the_deployment_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy");
    let mut files = Vec::new();
    collect(&root, &mut files);
    let mut faults = Vec::new();
    let mut count = 0;
    for file in files {
        let text = fs::read_to_string(&file).expect("a text");
        let mut commands = Vec::new();
        for line in text.lines() {
            // The odd pieces between backticks are code.
            let code = line.split('`').skip(1).step_by(2);
            commands.extend(code.filter_map(command).map(str::to_owned));
            // In scripts, after a condition.
            let start = line.find("lore cluster ").filter(|_| is(&file, "sh"));
            commands.extend(start.map(|start| line[start..].replace(';', " ;")));
        }
        if is(&file, "yaml") {
            for document in yaml::documents(&text).expect("YAML") {
                containers(&document, &mut commands);
            }
        }
        count += commands.len();
        for command in commands {
            if let Some(fault) = fault(&command) {
                faults.push(format!("{}: `{command}`: {fault}", file.display()));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(8 < count, "{count} commands");
}

/// Adds the commands of containers with the image of Lorehound, and of their health checks.
fn containers(value: &Value, commands: &mut Vec<String>) {
    let words = |value: &Value| -> Vec<String> {
        let words = value.as_array().into_iter().flatten();
        words.map(|word| word.as_str().map_or_else(|| word.to_string(), str::to_owned)).collect()
    };
    match value {
        Value::Array(items) => {
            for item in items {
                containers(item, commands);
            }
        }
        Value::Object(entries) => {
            let image = entries.get("image").and_then(Value::as_str).unwrap_or_default();
            if image == "lorehound" || image.starts_with("${LOREHOUND_IMAGE") {
                let arguments = entries.get("args").or_else(|| entries.get("command"));
                let arguments = arguments.map(words).unwrap_or_default();
                commands.push(format!("lore {}", quoted(&arguments)));
                let check = words(&value["healthcheck"]["test"]);
                if check.get(1).is_some_and(|program| program == "/lore") {
                    commands.push(format!("lore {}", quoted(&check[2..])));
                }
            }
            for value in entries.values() {
                containers(value, commands);
            }
        }
        _ => {}
    }
}

/// One line; variables of compose files are replaced by a number.
fn quoted(words: &[String]) -> String {
    let words = words.iter().map(|word| {
        let mut parts = word.split("${");
        let start = parts.next().unwrap_or_default().to_owned();
        parts.fold(start, |word, part| word + "1" + part.split_once('}').map_or("", |(_, it)| it))
    });
    words.collect::<Vec<_>>().join(" ")
}

fn is(file: &Path, extension: &str) -> bool {
    file.extension().is_some_and(|found| found == extension)
}

/// Adds the files below a folder.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && !IGNORED.contains(&name.as_str()) {
            collect(&path, files);
        } else if path.is_file() && !IGNORED.contains(&name.as_str()) {
            files.push(path);
        }
    }
}
