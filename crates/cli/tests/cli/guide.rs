//! Every example of the guide and of the README runs as it is printed there.

use std::{env, path::Path};

use crate::workspace::{ENVIRONMENT, PROGRAM, Workspace};

#[test]
fn examples_of_the_guide_are_true() {
    let workspace = Workspace::shop();
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let project = project.canonicalize().expect("the project is there");
    // The page on measuring asks queries that lie beside the tree, where they are not searched.
    let queries = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/queries.jsonl");
    std::fs::copy(queries, workspace.tree().join("../queries.jsonl")).expect("a fixture");
    // No other test of this binary looks at the current folder.
    env::set_current_dir(workspace.tree()).expect("the tree is there");
    let cases = trycmd::TestCases::new();
    cases.register_bin("lore", Path::new(PROGRAM));
    cases.env("LOREHOUND_CACHE_DIR", workspace.cache().to_string_lossy());
    cases.env("COLUMNS", "80");
    for (name, value) in ENVIRONMENT {
        cases.env(*name, *value);
    }
    let cache = workspace.cache().to_string_lossy().into_owned();
    cases.insert_var("[CACHE]", cache).expect("a valid name");
    cases.case(project.join("docs/guide/*.md"));
    cases.case(project.join("README.md"));
    cases.run();
}
