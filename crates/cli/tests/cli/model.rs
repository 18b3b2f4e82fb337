//! `lore model`: lists, chooses and verifies embedding models.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use crate::workspace::{Ran, Workspace};

/// A small model from the tests of the crate that reads models.
const SMALL: &str = "../text/tests/fixtures/model2vec/wordpiece-f32";

struct Models {
    workspace: Workspace,
}

impl Models {
    /// A user with one model, `small`.
    fn new() -> Models {
        let models = Models { workspace: Workspace::empty() };
        models.add("small");
        models
    }

    fn folder(&self) -> PathBuf {
        self.workspace.cache().with_file_name("config")
    }

    fn settings_file(&self) -> PathBuf {
        self.folder().join("lorehound.toml")
    }

    fn add(&self, name: &str) {
        let folder = self.folder().join("models").join(name);
        fs::create_dir_all(&folder).expect("a new folder");
        for file in
            fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(SMALL)).expect("it is there")
        {
            let file = file.expect("it can be listed");
            fs::copy(file.path(), folder.join(file.file_name())).expect("it can be copied");
        }
    }

    fn run(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Ran {
        let mut command = self.workspace.command(arguments);
        command.env("LOREHOUND_CONFIG", self.settings_file()).envs(variables.iter().copied());
        Ran::new(&command.output().expect("the program starts"))
    }

    fn settings(&self) -> String {
        fs::read_to_string(self.settings_file()).unwrap_or_default()
    }

    /// The names in the list, and that of the model in use.
    fn listed(&self) -> (Vec<String>, Option<String>) {
        let json = self.run(&["model", "list", "--json"], &[]).json();
        let models = json["models"].as_array().expect("a list").clone();
        let name = |model: &Value| model["name"].as_str().expect("a name").to_owned();
        let in_use = models.iter().find(|model| model["inUse"] == true).map(name);
        (models.iter().map(name).collect(), in_use)
    }
}

#[test]
fn a_model_is_listed_chosen_and_reset() {
    let models = Models::new();
    fs::create_dir_all(models.folder().join("models/empty")).expect("a new folder");
    let names = vec!["embedded".to_owned(), "small".to_owned()];
    assert_eq!(models.listed(), (names.clone(), Some("embedded".to_owned())));

    let ran = models.run(&["model", "use", "small"], &[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.starts_with("embedding.model is `small`, 24 dimensions\n"), "{ran:?}");
    assert_eq!(models.settings(), "[embedding]\nmodel = \"small\"\n");
    assert_eq!(models.listed(), (names.clone(), Some("small".to_owned())));

    let ran = models.run(&["model", "verify", "--json"], &[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let json = ran.json();
    assert_eq!(
        (&json["model"], &json["dimension"], &json["problems"]),
        (&json!("small"), &json!(24), &json!([]))
    );
    assert_eq!(json["fingerprint"].as_str().expect("one").len(), 16);
    assert!(json["passagesPerSecond"].as_f64().expect("a number") > 1.0);

    for model in ["off", "embedded"] {
        let ran = models.run(&["model", "use", model, "--json"], &[]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert_eq!(ran.json()["model"], model);
        let in_use = (model == "embedded").then(|| model.to_owned());
        assert_eq!(models.listed(), (names.clone(), in_use));
    }
    let ran = models.run(&["model", "verify"], &[("LOREHOUND_EMBEDDING_MODEL", "off")]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("there is no model to verify"), "{ran:?}");
}

#[test]
fn a_model_is_chosen_by_path_and_other_settings_are_kept() {
    let models = Models::new();
    fs::write(models.settings_file(), "# mine\n[search]\nlimit = 3\n").expect("a new file");
    let folder = models.workspace.tree().join("models/other");
    fs::create_dir_all(folder.parent().expect("a folder")).expect("a new folder");
    fs::rename(models.folder().join("models/small"), &folder).expect("it can be moved");
    let ran = models.run(&["model", "use", "models/other"], &[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let settings = models.settings();
    assert!(settings.starts_with("# mine\n[search]\nlimit = 3\n\n[embedding]\nmodel = "));
    assert!(settings.contains("models/other\""), "{settings}");
    assert_eq!(
        models.listed(),
        (vec!["embedded".to_owned(), "other".to_owned()], Some("other".to_owned()))
    );
    // A flag and a variable override the file, and a path may be relative.
    let ran = models.run(&["model", "verify", "--json", "--model", "embedded"], &[]);
    assert_eq!(ran.json()["model"], "embedded");
    let ran =
        models.run(&["model", "use", "off"], &[("LOREHOUND_EMBEDDING_MODEL", "models/other")]);
    assert!(ran.stderr.contains("`LOREHOUND_EMBEDDING_MODEL` sets `models/other`"), "{ran:?}");
    let variables = [("LOREHOUND_EMBEDDING_MODEL", "models/other")];
    let ran = models.run(&["model", "verify", "--json"], &variables);
    assert_eq!(ran.json()["model"], "other");
}

#[test]
fn a_model_that_cannot_be_opened_is_not_chosen() {
    let models = Models::new();
    for (model, expected) in [
        ("nothing", "there is no model `nothing`"),
        ("/no/such/folder", "there is no model `/no/such/folder`"),
    ] {
        let ran = models.run(&["model", "use", model], &[]);
        assert_eq!(ran.code, Some(2));
        assert!(ran.stderr.contains(expected) && ran.stderr.contains("hint: "), "{ran:?}");
    }
    let small = models.folder().join("models/small");
    for (file, expected) in [
        ("tokenizer.json", "`tokenizer.json`: "),
        ("config.json", "`config.json`: "),
        ("model.safetensors", "`model.safetensors`: "),
    ] {
        models.add("small");
        fs::write(small.join(file), "{").expect("it can be written");
        for command in ["use", "verify"] {
            let ran = models.run(&["model", command, "small"], &[]);
            assert_eq!(ran.code, Some(2));
            assert!(ran.stderr.contains("could not open the model in `"), "{ran:?}");
            assert!(ran.stderr.contains(expected), "{ran:?}");
            assert!(ran.stderr.contains("\nhint: "), "{ran:?}");
        }
    }
    models.add("small");
    fs::remove_file(small.join("config.json")).expect("it was there");
    let ran = models.run(&["model", "use", "small"], &[]);
    assert!(ran.stderr.contains("`config.json`: No such file"), "{ran:?}");
    assert_eq!(models.settings(), "");
    // Without a settings directory, no model can be chosen.
    let ran = models.run(&["model", "use", "off"], &[("LOREHOUND_CONFIG", "")]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("you have no settings file"), "{ran:?}");
}
