//! Tests of the existence check on a part of this repository, for things that are labelled as there
//! or not.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests make folders, and a failure there is a failed test"
)]

mod common;

use std::{fs, path::Path};

use common::{Silent, Workspace};
use lore_engine::{Engine, Existence, ExistsInput, ExistsRequest};
use lore_schema::Filter;

/// Folders of this repository that are searched.
const FOLDERS: &[&str] = &["console", "index", "install", "server", "settings"];

/// Things that exist, described as their definitions describe them, or by name.
const THERE: &[&str] = &[
    "cut a text within a width with an ellipsis",
    "decode percent escapes of a path in a uri",
    "read a document comment from settings",
    "parse a size such as 500MB",
    "check the token of a request",
    "wait until an index is ready",
    "path of a file uri",
    "unknown languages hint",
    "CallControl",
    "path_of_uri",
    "terminal width",
    "remove what was inserted into a file",
];

/// Things that do not exist.
const NOT_THERE: &[&str] = &[
    "password reset endpoint",
    "send an email to the customer",
    "a rate limiter for outgoing requests",
    "convert an image to grayscale",
    "resize a thumbnail",
    "train a neural network",
    "kubernetes deployment controller",
    "parse a credit card number",
    "play a sound when the index is done",
    "RetryBudget",
    "upload_to_bucket",
    "translate messages into french",
];

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[test]
fn only_things_that_are_there_exist() {
    let workspace = Workspace::new("");
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for folder in FOLDERS {
        copy(&crates.join(folder).join("src"), &workspace.tree.path().join(folder).join("src"));
    }
    let engine = Engine::open(workspace.config()).unwrap();
    let mut verdicts = Vec::new();
    for (things, is_there) in [(THERE, true), (NOT_THERE, false)] {
        for text in things {
            let request = ExistsRequest {
                text: (*text).to_owned(),
                input: Some(ExistsInput::Intent),
                filter: Filter::default(),
                limit: 5,
            };
            let response = engine.exists(&request, &Silent).unwrap();
            let first = response.helpers.first().map(|helper| helper.hit.id.clone());
            verdicts.push((*text, is_there, response.verdict, first));
        }
    }
    let wrong: Vec<_> = verdicts
        .iter()
        .filter(|(_, is_there, verdict, _)| match verdict {
            Existence::Yes => !is_there,
            Existence::No => *is_there,
            Existence::Perhaps => false,
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}\n{verdicts:#?}");
    let doubtful = verdicts.iter().filter(|(.., verdict, _)| *verdict == Existence::Perhaps);
    assert!(doubtful.count() <= 8, "{verdicts:#?}");
}
