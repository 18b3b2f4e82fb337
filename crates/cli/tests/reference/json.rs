//! JSON outputs fit their schemas, and those of earlier versions stay valid.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;

use crate::{
    compare::broken, outputs::outputs, packages::generated, validator::faults, workspace::Workspace,
};

/// Outputs that no command of the test writes: a measurement takes minutes without optimisation, a cluster
/// is not there (`cli/cluster.rs` checks its state), the state over MCP is a resource, whose content is the
/// text of the tool `status`, and the log of a server is checked in `tests/mcp/operations.rs`.
const NOT_RUN: &[&str] = &["bench", "cluster-status", "mcp-status", "request"];

/// The first release; its outputs are the oldest that readers may rely on.
const FIRST: &str = "0.1.0";

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/json")
}

/// The schemas of this version, by name.
fn schemas() -> BTreeMap<String, Value> {
    let folder = generated("schemas");
    let entries = fs::read_dir(folder.path().join("new/folder")).expect("a folder");
    let schema = |entry: fs::DirEntry| {
        let name = entry.file_name().to_string_lossy().replace(".schema.json", "");
        let text = fs::read_to_string(entry.path()).expect("a schema");
        (name, serde_json::from_str(&text).expect("JSON"))
    };
    entries.map(|entry| schema(entry.expect("an entry"))).collect()
}

/// The folders of the fixtures, one for each version.
fn versions() -> Vec<PathBuf> {
    let entries = fs::read_dir(fixtures()).expect("the fixtures are there");
    let mut versions: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    versions.sort();
    versions
}

fn read(path: &Path) -> Value {
    let text = fs::read_to_string(path).expect("a fixture");
    serde_json::from_str(&text).expect("JSON")
}

#[test]
fn outputs_of_every_command_fit_their_schemas() {
    let schemas = schemas();
    let outputs = outputs();
    let mut all = Vec::new();
    for (name, command, value) in &outputs {
        let schema = schemas.get(*name).unwrap_or_else(|| panic!("no schema {name}"));
        all.extend(faults(schema, value).into_iter().map(|fault| format!("{command}: {fault}")));
    }
    assert_eq!(all, [""; 0]);
    let run: BTreeSet<&str> = outputs.iter().map(|(name, _, _)| *name).collect();
    let missing: Vec<&String> = schemas
        .keys()
        .filter(|name| !run.contains(name.as_str()) && !NOT_RUN.contains(&name.as_str()))
        .collect();
    assert_eq!(missing, [""; 0]);
}

#[test]
fn outputs_of_earlier_versions_fit_the_schemas() {
    let schemas = schemas();
    let mut count = 0;
    for version in versions() {
        for entry in fs::read_dir(&version).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            if name == "schemas" {
                continue;
            }
            let schema = schemas.get(&name).unwrap_or_else(|| panic!("no schema {name}"));
            for value in read(&path).as_array().expect("a list of outputs") {
                count += 1;
                // A key that was added since may be missing.
                let faults: Vec<String> = faults(schema, value)
                    .into_iter()
                    .filter(|fault| version.ends_with(FIRST) || !fault.contains(": has no "))
                    .collect();
                assert_eq!(faults, [""; 0], "{}", path.display());
            }
        }
    }
    assert!(60 < count, "{count}");
}

#[test]
fn schemas_keep_the_promises_of_earlier_versions() {
    let schemas = schemas();
    for version in versions() {
        let earlier = read(&version.join("schemas.json"));
        for (name, old) in earlier.as_object().expect("an object") {
            let new = schemas.get(name).unwrap_or_else(|| panic!("no schema {name}"));
            assert_eq!(broken(old, new), [""; 0], "{name}");
        }
    }
}

/// Removes descriptions, which are no promise.
fn without_text(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for key in ["$schema", "$id", "title", "minimum"] {
                fields.remove(key);
            }
            if fields.get("description").is_some_and(Value::is_string) {
                fields.remove("description");
            }
            fields.values_mut().for_each(without_text);
        }
        Value::Array(items) => items.iter_mut().for_each(without_text),
        _ => {}
    }
}

/// Writes the fixtures of this version, at a release.
#[test]
#[ignore = "writes the fixtures of a release"]
fn write_fixtures() {
    let folder = fixtures().join(env!("CARGO_PKG_VERSION"));
    fs::create_dir_all(&folder).expect("a folder");
    let mut outputs_by_name: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    for (name, _, value) in outputs() {
        outputs_by_name.entry(name).or_default().push(value);
    }
    for (name, values) in outputs_by_name {
        let lines: Vec<String> = values.iter().take(8).map(Value::to_string).collect();
        let text = format!("[\n{}\n]\n", lines.join(",\n"));
        fs::write(folder.join(format!("{name}.json")), text).expect("a fixture");
    }
    let lines: Vec<String> = schemas()
        .into_iter()
        .map(|(name, mut schema)| {
            without_text(&mut schema);
            format!("{}:{schema}", Value::from(name))
        })
        .collect();
    let text = format!("{{\n{}\n}}\n", lines.join(",\n"));
    fs::write(folder.join("schemas.json"), text).expect("a fixture");
}

#[test]
fn an_index_run_has_the_schema_of_the_index() {
    let workspace = Workspace::shop();
    let ran = workspace.run(&["index", "--json"]);
    assert_eq!(faults(&schemas()["index"], &ran.json()), [""; 0]);
}
