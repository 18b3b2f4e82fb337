//! The layers, their order and their errors.

use super::*;

fn environment(name: &str) -> Option<OsString> {
    (name == "HOME").then(|| "/home/ada".into())
}

fn file(path: &str, text: &str) -> SettingsFile {
    SettingsFile { path: path.into(), text: text.into() }
}

/// The error of a user's file, with its hint.
fn refused(text: &str) -> String {
    let file = file("/etc/lorehound.toml", text);
    let error = Settings::merge(Some(&file), None, &environment, Vec::new()).unwrap_err();
    match error.hint() {
        Some(hint) => format!("{error}; {hint}"),
        None => error.to_string(),
    }
}

#[test]
fn later_layers_win_and_are_remembered() {
    let user = file("/u.toml", "[search]\nlimit = 20\nin = [\"docs\", \"code\"]\n");
    let project = file("/p.toml", "search.limit = 30\n[output]\ngroup = \"never\"\n");
    let lookup = |name: &str| match name {
        "LOREHOUND_SEARCH_LIMIT" => Some("40".into()),
        "LOREHOUND_INDEX_HIDDEN" => Some("no".into()),
        "LOREHOUND_OUTPUT_FORMAT" => Some("".into()),
        name => environment(name),
    };
    let flags =
        vec![Override { key: "output.color", value: Value::Text("never".into()), flag: "--color" }];
    let settings =
        Settings::merge(Some(&user), Some(&project), &lookup, flags).expect("valid settings");
    assert_eq!(settings.limit(), 40);
    assert_eq!(settings.sources(), ["docs", "code"]);
    assert_eq!(settings.group(), "never");
    assert_eq!(settings.format(), "human");
    assert_eq!(settings.color(), ColorChoice::Never);
    assert!(!settings.engine(Path::new("/tree")).hidden);
    let origin = |key: &str| settings.get(key).expect("it has a value").origin.clone();
    assert_eq!(origin("search.limit"), Origin::Environment("LOREHOUND_SEARCH_LIMIT".into()));
    assert_eq!(origin("search.in"), Origin::User { path: "/u.toml".into(), line: 3 });
    assert_eq!(origin("output.group"), Origin::Project { path: "/p.toml".into(), line: 3 });
    assert_eq!(origin("output.color"), Origin::Flag("--color"));
    assert_eq!(origin("cache.write"), Origin::Default);
    assert!(settings.warnings.is_empty());
}

#[test]
fn a_project_may_not_say_where_files_are_written() {
    let project = file("/p.toml", "[cache]\nwrite = false\ndir = \"/tmp/evil\"\n");
    let settings = Settings::merge(None, Some(&project), &environment, Vec::new()).expect("valid");
    assert_eq!(settings.cache_dir(), Some(Path::new("/home/ada/.cache/lorehound")));
    assert!(!settings.engine(Path::new("/tree")).write);
    assert_eq!(
        settings.warnings,
        [
            "left out the setting `cache.dir` from `/p.toml` line 3: only your own settings file, the \
          environment and flags may say it"
        ]
    );
    let settings = Settings::merge(Some(&project), None, &environment, Vec::new()).expect("valid");
    assert_eq!(settings.cache_dir(), Some(Path::new("/tmp/evil")));
}

#[test]
fn a_project_may_not_name_programs_nor_keep_a_history() {
    for key in ["search.expand-cmd", "search.rerank-cmd"] {
        let project = file("/p.toml", &format!("\n{key} = [\"sh\", \"-c\", \"evil\"]\n"));
        let settings =
            Settings::merge(None, Some(&project), &environment, Vec::new()).expect("valid");
        assert!(settings.expand_command().is_empty() && settings.rerank_command().is_empty());
        assert_eq!(
            settings.warnings,
            [format!(
                "left out the setting `{key}` from `/p.toml` line 2: it runs a program, and a \
                 project's settings file comes from whoever wrote the repository: only your own \
                 settings file, the environment and flags may say it"
            )]
        );
        let own =
            Settings::merge(Some(&project), None, &environment, Vec::new()).expect("one's own");
        let words = match key {
            "search.expand-cmd" => own.expand_command(),
            _ => own.rerank_command(),
        };
        assert_eq!(words, ["sh", "-c", "evil"]);
    }
    let project = file("/p.toml", "[history]\nenabled = true\n");
    let settings = Settings::merge(None, Some(&project), &environment, Vec::new()).expect("valid");
    assert!(!settings.history());
    assert_eq!(settings.warnings.len(), 1);
    let settings = Settings::merge(Some(&project), None, &environment, Vec::new()).expect("valid");
    assert!(settings.history());
    let lookup = |name: &str| match name {
        "LOREHOUND_SEARCH_RERANK_CMD" => Some("rank 'a b'".into()),
        "LOREHOUND_SEARCH_EXPAND_CMD" => Some("'open".into()),
        name => environment(name),
    };
    let error = Settings::merge(None, None, &lookup, Vec::new()).expect_err("an open quote");
    assert!(error.to_string().ends_with("expected a program with its arguments, found `'open`"));
}

#[test]
fn folders_follow_the_xdg_rules() {
    let cache = |pairs: &[(&str, &str)]| {
        let lookup = |name: &str| {
            pairs.iter().find(|pair| pair.0 == name).map(|pair| OsString::from(pair.1))
        };
        let settings = Settings::merge(None, None, &lookup, Vec::new()).expect("valid");
        settings.cache_dir().map(|path| path.display().to_string())
    };
    assert_eq!(cache(&[("HOME", "/h")]).as_deref(), Some("/h/.cache/lorehound"));
    let both = [("HOME", "/h"), ("XDG_CACHE_HOME", "/c")];
    assert_eq!(cache(&both).as_deref(), Some("/c/lorehound"));
    let relative = [("HOME", "/h"), ("XDG_CACHE_HOME", "c")];
    assert_eq!(cache(&relative).as_deref(), Some("/h/.cache/lorehound"));
    assert_eq!(cache(&[("LOREHOUND_CACHE_DIR", "x")]).as_deref(), Some("x"));
    assert_eq!(cache(&[]), None);

    let named = |name: &str| (name == "LOREHOUND_CONFIG").then(|| "/x.toml".into());
    assert_eq!(user_file(&named), Some("/x.toml".into()));
    let none = |name: &str| match name {
        "LOREHOUND_CONFIG" => Some(OsString::new()),
        name => environment(name),
    };
    assert_eq!(user_file(&none), None);
    assert_eq!(user_file(&environment), Some("/home/ada/.config/lorehound/lorehound.toml".into()));
}

#[test]
fn errors_name_file_line_and_key() {
    assert_eq!(
        refused("\n[search]\nlimt = 3\n"),
        "could not understand the settings file `/etc/lorehound.toml`: line 3: there is no setting \
         `search.limt`; the settings are cache.dir, cache.write, history.enabled, index.all-history, index.commits, \
         index.hidden, index.max-file-size, index.threads, index.tickets, output.color, output.format, \
         output.group, output.snippet-lines, search.command-timeout, search.expand, \
         search.expand-cmd, search.in, search.limit, search.mode, search.rerank-cmd, \
         search.source_boost and ranking.weights.SIGNAL; did you mean `search.limit`?"
    );
    assert_eq!(
        refused("[search]\nlimit = \"ten\"\n"),
        "could not use the setting `search.limit` from `/etc/lorehound.toml` line 2: expected a \
         whole number from 1 to 100000, found `\"ten\"`"
    );
    assert_eq!(
        refused("search.in = [\"code\", \"svn\"]"),
        "could not use the setting `search.in` from `/etc/lorehound.toml` line 1: expected a list \
         of agent, code, docs, git, patterns, specs, templates, tickets, found `[\"code\", \"svn\"]`"
    );
    assert!(refused("search.limit = -1").ends_with("found `-1`"));
    assert!(refused("search.limit = 0").ends_with("found `0`"));
    assert!(refused("search.limit = 1e3").contains("expected a whole number"));
    assert!(refused("search = 3").contains("line 1: there is no setting `search`"));
    assert!(refused("[ranking.weights]\na = \"b\"").contains("expected a number, found `\"b\"`"));
    assert!(refused("[ranking.weights.a]\nb = 1").contains("expected a number, found a table"));
    assert!(refused("a = 1\n[search\n").contains("`/etc/lorehound.toml`: line 2: "));
    assert!(refused("a = 1\na = 2\n").contains("line 2: duplicate key"));
    assert!(refused("[embedding]\nendpoint = \"http://x\"").contains("`embedding`"));
}

#[test]
fn weights_have_open_names() {
    let user = file("/u.toml", "\u{feff}[ranking.weights]\nstem = 0.25\npath = 2\n");
    let settings = Settings::merge(Some(&user), None, &environment, Vec::new()).expect("valid");
    let weights = settings.engine(Path::new("/tree")).ranking.weights;
    assert_eq!(
        weights.into_iter().collect::<Vec<_>>(),
        [("path".into(), 2.0), ("source-path".into(), 0.095_310_18), ("stem".into(), 0.25)]
    );
}

#[test]
fn a_source_boost_is_the_weight_of_its_logarithm() {
    let weight = |text: &str| {
        let user = file("/u.toml", text);
        let settings = Settings::merge(Some(&user), None, &environment, Vec::new()).expect("valid");
        settings.engine(Path::new("/tree")).ranking.weights["source-path"]
    };
    assert!((weight("[search]\nsource_boost = 2.0\n") - std::f32::consts::LN_2).abs() < 1e-6);
    assert!(weight("[search]\nsource_boost = 1\n").abs() < 1e-6);
    let both = "[search]\nsource_boost = 2\n[ranking.weights]\nsource-path = 0.5\n";
    assert!((weight(both) - 0.5).abs() < 1e-6);
}

#[test]
fn the_environment_is_checked_like_a_file() {
    let lookup = |name: &str| (name == "LOREHOUND_OUTPUT_COLOR").then(|| "blue".into());
    let error = Settings::merge(None, None, &lookup, Vec::new()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "could not use the setting `output.color` from the environment variable \
         `LOREHOUND_OUTPUT_COLOR`: expected one of always, auto, never, found `blue`"
    );
}
