//! The committed pages and schemas of the reference are those that the program writes, and the tables
//! behind them fit the source text.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use lore_settings::{SETTINGS, env_vars, flags::flags_of};

use crate::packages::{generated, names};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

fn assert_committed(files: &str, folder: &str) {
    let written = generated(files);
    let written = written.path().join("new/folder");
    let committed = root().join(folder);
    for name in names(&written) {
        let expected = fs::read_to_string(written.join(&name)).expect("a file");
        let found = fs::read_to_string(committed.join(&name)).unwrap_or_default();
        assert!(expected == found, "{folder}/{name} is out of date: run `cargo xtask generate`");
    }
}

#[test]
fn pages_of_the_reference_are_current() {
    assert_committed("reference", "docs/reference");
}

#[test]
fn schemas_of_the_reference_are_current_and_have_no_others_beside_them() {
    assert_committed("schemas", "docs/reference/schemas");
    let written = generated("schemas");
    let committed = names(&root().join("docs/reference/schemas"));
    assert_eq!(committed, names(&written.path().join("new/folder")));
}

/// The text of every source file that is not a test.
fn sources() -> Vec<(PathBuf, String)> {
    let mut sources = Vec::new();
    for entry in fs::read_dir(root().join("crates")).expect("the crates") {
        collect(&entry.expect("an entry").path().join("src"), &mut sources);
    }
    assert!(300 < sources.len());
    sources
}

fn collect(folder: &Path, sources: &mut Vec<(PathBuf, String)>) {
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.expect("an entry").path();
        if path.is_dir() && !path.ends_with("tests") {
            collect(&path, sources);
        } else if path.extension().is_some_and(|extension| extension == "rs")
            && !path.ends_with("tests.rs")
        {
            let text = fs::read_to_string(&path).expect("a source file");
            // Tests at the end of a file set variables of their own.
            let text =
                text.split("\n#[cfg(test)]\nmod tests").next().unwrap_or_default().to_owned();
            sources.push((path, text));
        }
    }
}

#[test]
fn variables_are_read_by_the_names_of_the_table() {
    let mut direct = Vec::new();
    let mut used = BTreeSet::new();
    for (path, text) in sources() {
        let name = path.strip_prefix(root()).expect("below the root").display().to_string();
        for (number, line) in (1..).zip(text.lines()) {
            if line.trim_start().starts_with("//") {
                continue;
            }
            // `vars_os` lists the names, to report those that have no effect.
            let reads = ["env::var(", "env::var_os(", "lookup(\"", "from_process(\""];
            if reads.iter().any(|read| line.contains(read)) {
                direct.push(format!("{name}:{number}"));
            }
            for part in line.split("env_vars::").skip(1) {
                let end = part
                    .find(|c: char| !(c.is_ascii_uppercase() || c == '_'))
                    .unwrap_or(part.len());
                used.insert(part[..end].to_owned());
            }
        }
    }
    let expected: Vec<String> = direct
        .iter()
        .filter(|place| !place.starts_with("crates/settings/src/env_vars.rs:"))
        .filter(|place| !place.starts_with("crates/sources/src/fixture.rs:"))
        .cloned()
        .collect();
    assert_eq!(expected, [""; 0], "use a name of `env_vars`");
    // Names that the source uses are in the table because the table defines them. The reverse:
    let is_ours =
        |variable: &&env_vars::Variable| variable.group != env_vars::VariableGroup::Libraries;
    for variable in env_vars::VARIABLES.iter().filter(is_ours) {
        let is_locale = env_vars::LOCALE.contains(&variable.name);
        assert!(is_locale || used.contains(variable.name), "{} is not read", variable.name);
    }
}

#[test]
fn flags_of_settings_are_those_of_the_source() {
    let mut found: BTreeSet<(String, String)> = BTreeSet::new();
    for (_, text) in sources() {
        // An override is a call or a literal of at most four lines, with the key first.
        let lines: Vec<&str> = text.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            for setting in SETTINGS {
                let key = format!("\"{}\"", setting.key);
                let Some(start) = line.find(&key) else { continue };
                let head = line[..start].trim_start();
                if !(head.ends_with("set(") || head.ends_with("key: ") || head == "(") {
                    continue;
                }
                let rest = [&[&line[start..]], &lines[at + 1..lines.len().min(at + 3)]].concat();
                let flag =
                    rest.iter().take(if line.contains("\"--") { 1 } else { 3 }).find_map(|line| {
                        let (_, flag) = line.split_once("\"--")?;
                        Some(format!("--{}", flag.split('"').next()?))
                    });
                if let Some(flag) = flag {
                    found.insert((setting.key.to_owned(), flag));
                }
            }
        }
    }
    let table: BTreeSet<(String, String)> = SETTINGS
        .iter()
        .flat_map(|setting| flags_of(setting.key).iter().map(|flag| (setting.key, *flag)))
        .map(|(key, flag)| (key.to_owned(), flag.to_owned()))
        .collect();
    // `lore rg --ranked` never writes the index, and `lore pick` has two names for one setting.
    found.remove(&("cache.write".to_owned(), "--ranked".to_owned()));
    for pair in ["--history", "--no-history"] {
        found.insert(("history.enabled".to_owned(), pair.to_owned()));
    }
    assert_eq!(table, found);
    let mut definition = lorehound::command();
    definition.build();
    let commands = definition.get_subcommands();
    let flags: BTreeSet<String> = commands
        .flat_map(|command| std::iter::once(command).chain(command.get_subcommands()))
        .flat_map(clap::Command::get_arguments)
        .flat_map(|argument| argument.get_long_and_visible_aliases().into_iter().flatten())
        .map(|name| format!("--{name}"))
        .collect();
    for (key, flag) in table {
        assert!(flags.contains(&flag), "{key}: {flag}");
    }
}
