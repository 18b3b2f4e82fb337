//! Tests of the choice of an embedder.

use std::{ffi::OsString, path::PathBuf};

use lore_engine::Embedding;
use lore_settings::{Override, Settings, SettingsFile, Value};

use super::{Choice, configured, is_name};

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

fn merged(user: &str, flag: Option<&str>) -> Settings {
    let user = SettingsFile { path: "/etc/own.toml".into(), text: user.into() };
    let flag = flag.map(|model| Override {
        key: "embedding.model",
        value: Value::Text(model.to_owned()),
        flag: "--model",
    });
    Settings::merge(Some(&user), None, &environment, flag.into_iter().collect()).expect("valid")
}

#[test]
fn the_program_has_a_model_and_nothing_is_a_choice() {
    let open = |model: &str| configured(&merged("", Some(model)), &environment);
    let embedding = |model: &str| {
        let (embedding, error) = open(model).expect("it is valid");
        assert_eq!(error, None);
        embedding
    };
    assert_eq!(embedding("embedded"), Embedding::Embedded);
    assert_eq!(embedding("off"), Embedding::Off);
    let error = open("/there/is/none").map(|_| ()).expect_err("there is none");
    assert_eq!(
        error.reason,
        "could not open the model in `/there/is/none`: there is no such directory"
    );
    assert!(error.hint.is_some());
}

#[test]
fn what_is_set_and_cannot_be_used_stops_nothing() {
    let server = "endpoint = \"http://localhost:1/v1\"\n";
    for (set, name, reason) in [
        ("model = \"/there/is/none\"".to_owned(), "/there/is/none", "there is no such directory"),
        (server.to_owned(), "the server of `embedding.endpoint`", "does not name one"),
        (
            format!("{server}model = \"small\"\nkey_env = \"SMALL_KEY\""),
            "small",
            "names the variable `SMALL_KEY`",
        ),
    ] {
        let settings = merged(&format!("[embedding]\n{set}\n"), None);
        let (embedding, error) = configured(&settings, &environment).expect("it stops nothing");
        let error = error.expect("there is a reason");
        assert!(error.reason.contains(reason), "{error:?}");
        let Embedding::Other(embedder) = embedding else { panic!("{embedding:?}") };
        assert_eq!(embedder.name(), name);
        assert_eq!(embedder.embed_query("a question"), Err(error.clone()));
        assert_eq!(embedder.embed_chunks(&[]), Err(error));
        assert!(!embedder.is_fast());
    }
}

#[test]
#[cfg(feature = "model2vec")]
fn a_model_is_read_when_something_is_embedded() {
    use std::path::Path;

    use super::folder;

    let small = "../text/tests/fixtures/model2vec/wordpiece-f32";
    let small = Path::new(env!("CARGO_MANIFEST_DIR")).join(small);
    let now = folder::open("small", &small).expect("a model");
    let later = folder::open_later("small", &small).expect("a model");
    assert_eq!((later.name(), later.fingerprint()), ("small", now.fingerprint()));
    assert_eq!(later.embed_query("a refund"), now.embed_query("a refund"));
    assert!(later.is_fast());

    let folder = tempfile::TempDir::new().expect("a temporary folder");
    for file in ["model.safetensors", "tokenizer.json", "config.json"] {
        std::fs::copy(small.join(file), folder.path().join(file)).expect("a copy");
    }
    std::fs::write(folder.path().join("tokenizer.json"), "{").expect("it can be written");
    let broken = folder::open_later("broken", folder.path()).expect("its files are there");
    assert_ne!(broken.fingerprint(), now.fingerprint());
    assert!(broken.is_fast(), "unknown so far");
    let error = broken.embed_query("a refund").expect_err("it is no model");
    assert!(error.reason.contains("`tokenizer.json`: "), "{error:?}");
    assert!(!broken.is_fast(), "it is not tried for every source");
    std::fs::remove_file(folder.path().join("config.json")).expect("it is there");
    let error =
        folder::open_later("broken", folder.path()).map(|_| ()).expect_err("a file is missing");
    assert!(error.reason.contains("`config.json`: "), "{error:?}");
}
