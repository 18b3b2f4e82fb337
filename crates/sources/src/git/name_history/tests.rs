//! Removals in repositories created by git itself.

use std::time::Duration;

use super::*;
use crate::fixture::Folder;

struct Words;

impl NameRules for Words {
    fn is_code(&self, path: &str) -> bool {
        path.starts_with(['a', 'b', 's']) && !path.contains("md")
    }

    fn split(&self, _: &str, text: &str) -> (String, String) {
        (text.to_owned(), String::new())
    }

    fn is_evidence(&self, line: &str, name: &str, role: NameRole) -> bool {
        role == NameRole::Word || line.contains(&format!("fn {name}"))
    }

    fn has_parameter(&self, code: &str, function: &str, parameter: &str) -> bool {
        code.contains(&format!("fn {function}({parameter})"))
    }

    fn replacement(&self, old: &str, new: &str, name: &str) -> Option<String> {
        let (before, after) = old.split_once(name)?;
        Some(new.strip_prefix(before)?.strip_suffix(after)?.to_owned())
    }
}

/// A repository with one commit for each list of files; an empty content removes the file.
fn repository(commits: &[&[(&str, &str)]]) -> Folder {
    let folder = Folder::new();
    folder.write("one/other", "x\n");
    folder.git("one", &["init", "-q", "-b", "main"]);
    for (day, files) in (1..).zip(commits) {
        for (path, content) in *files {
            if content.is_empty() {
                std::fs::remove_file(folder.join("one").join(path)).unwrap();
            } else {
                folder.write(&format!("one/{path}"), content);
            }
        }
        folder.git("one", &["add", "-A"]);
        folder.git_on("one", day, &["commit", "-q", "-m", &format!("change {day}")]);
    }
    folder
}

fn history(folder: &Folder, names: &[SoughtName], paths: &[SoughtPath]) -> NameHistory {
    let text = |text: &str| SoughtText { document: "a.md".to_owned(), text: text.to_owned() };
    let texts = [text("save"), text("a.rs")];
    let time = Duration::from_mins(1);
    let request = NameHistoryRequest { names, paths, texts: &texts, at: None, since: None, time };
    name_history(&folder.join("one"), &request, &Words).unwrap()
}

fn name(form: &str, role: NameRole) -> SoughtName {
    SoughtName { forms: vec![form.to_owned()], role, parameter: None, texts: vec![0] }
}

#[test]
fn removals_and_origins_are_found() {
    let folder = repository(&[
        &[("a.rs", "fn save() {}\n")],
        &[("a.md", "call save in a.rs\n")],
        &[("a.rs", "fn store() {}\n")],
    ]);
    let found = history(&folder, &[name("save", NameRole::Definition)], &[]);
    let removal = found.names[0].as_ref().unwrap();
    assert_eq!(removal.step.subject, "change 3");
    assert_eq!(removal.replacement.as_deref(), Some("store"));
    assert_eq!(found.texts[0], None);
}

#[test]
fn the_search_ends_where_the_text_was_written() {
    let folder = repository(&[
        &[("a.rs", "fn save() {}\n")],
        &[("a.rs", "fn store() {}\n")],
        &[("a.md", "call save in a.rs\n")],
    ]);
    let found = history(&folder, &[name("save", NameRole::Definition)], &[]);
    assert_eq!(found.names[0], None);
    assert_eq!(found.texts[0].as_ref().unwrap().subject, "change 3");
    assert_eq!(found.commits, 1);
}

#[test]
fn uses_are_no_definitions() {
    let folder =
        repository(&[&[("a.rs", "x::save();\n"), ("a.md", "call save\n")], &[("a.rs", "y();\n")]]);
    let found =
        history(&folder, &[name("save", NameRole::Definition), name("save", NameRole::Word)], &[]);
    assert_eq!(found.names[0], None);
    assert!(found.names[1].is_some());
}

#[test]
fn moved_files_and_uncommitted_changes_are_found() {
    let text = "fn one() {}\nfn two() {}\nfn three() {}\n";
    let folder = repository(&[
        &[("a.rs", text), ("a.md", "see a.rs and save\n"), ("b.rs", "fn save() {}\n")],
        &[("a.rs", ""), ("src/a.rs", text)],
    ]);
    let path =
        |path: &str| SoughtPath { paths: vec![path.to_owned()], is_suffix: false, texts: vec![1] };
    folder.write("one/b.rs", "fn load() {}\n");
    let found =
        history(&folder, &[name("save", NameRole::Definition)], &[path("a.rs"), path("c.rs")]);
    let removal = found.paths[0].as_ref().unwrap();
    assert_eq!(
        (removal.step.subject.as_str(), removal.replacement.as_deref()),
        ("change 2", Some("src/a.rs"))
    );
    assert_eq!(found.paths[1], None);
    assert_eq!(found.names[0].as_ref().unwrap().step.hash, None);
}
