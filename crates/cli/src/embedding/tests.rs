//! What the settings choose.

use std::{ffi::OsString, path::PathBuf};

use lore_engine::Embedding;

use super::{Choice, configured, is_name};
use crate::settings::{Override, Settings, SettingsFile, Value};

fn environment(name: &str) -> Option<OsString> {
    (name == "HOME").then(|| "/home/ada".into())
}

fn chosen(user: &str, flags: Vec<Override>) -> Choice {
    let user = SettingsFile { path: "/etc/own.toml".into(), text: user.into() };
    let settings = Settings::merge(Some(&user), None, &environment, flags).expect("valid");
    Choice::of(&settings, &environment).expect("there is a home")
}

fn folder(name: &str, path: &str) -> Choice {
    Choice::Folder { name: name.to_owned(), path: PathBuf::from(path) }
}

#[test]
#[cfg(unix)]
fn a_path_is_a_folder_and_a_name_is_one_of_yours_or_of_the_server() {
    let server = "embedding.endpoint = \"http://localhost:1/v1\"\n";
    let mine = "/home/ada/.config/lorehound/models/small";
    for (model, without, with) in [
        ("", Choice::Embedded, Choice::Server),
        ("embedding.model = \"embedded\"\n", Choice::Embedded, Choice::Embedded),
        ("embedding.model = \"off\"\n", Choice::Off, Choice::Off),
        ("embedding.model = \"small\"\n", folder("small", mine), Choice::Server),
        (
            "embedding.model = \"/m/small\"\n",
            folder("small", "/m/small"),
            folder("small", "/m/small"),
        ),
        ("embedding.model = \"org/small\"\n", folder("small", "/etc/org/small"), Choice::Server),
        ("embedding.model = \"./small\"\n", folder("small", "/etc/./small"), Choice::Server),
    ] {
        assert_eq!(chosen(model, Vec::new()), without, "{model}");
        assert_eq!(chosen(&[server, model].concat(), Vec::new()), with, "{model}");
    }
    let here = std::env::current_dir().expect("a folder").join("org/small");
    let value = Value::Text("org/small".to_owned());
    let flag = Override { key: "embedding.model", value, flag: "--model" };
    assert_eq!(chosen("", vec![flag]), folder("small", &here.display().to_string()));
}

#[test]
fn names_are_no_paths() {
    for name in ["small", "potion-base-8M", "a b", "ünï"] {
        assert!(is_name(name), "{name}");
    }
    for path in ["", ".", "..", "/", "/a", "a/b", "a/", "./a", "../a"] {
        assert!(!is_name(path), "{path}");
    }
}

#[test]
fn the_program_has_a_model_and_nothing_is_a_choice() {
    let open = |model: &str| {
        let flag = Override {
            key: "embedding.model",
            value: Value::Text(model.to_owned()),
            flag: "--model",
        };
        let settings =
            Settings::merge(None, None, &environment, vec![flag]).expect("valid settings");
        configured(&settings, &environment)
    };
    assert_eq!(open("embedded").expect("it is inside of the program"), Embedding::Embedded);
    assert_eq!(open("off").expect("it is valid"), Embedding::Off);
    let error = open("/there/is/none").map(|_| ()).expect_err("there is none");
    assert_eq!(
        error.reason,
        "could not open the model in `/there/is/none`: there is no such folder"
    );
    assert!(error.hint.is_some());
}
