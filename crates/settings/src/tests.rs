//! Tests of the layers, their order and their errors.

use std::{ffi::OsString, path::Path, time::Duration};

use lore_engine::{Embedding, Fusion};

use super::*;
use crate::terminal::ColorChoice;

fn environment(name: &str) -> Option<OsString> {
    (name == "HOME").then(|| "/home/ada".into())
}

fn file(path: &str, text: &str) -> SettingsFile {
    SettingsFile { path: path.into(), text: text.into() }
}

/// The error of a user's settings file, with its hint.
fn refused(text: &str) -> String {
    let file = file("/etc/lorehound.toml", text);
    let error = Settings::merge(Some(&file), None, &environment, Vec::new()).unwrap_err();
    match error.hint() {
        Some(hint) => format!("{error}; {hint}"),
        None => error.to_string(),
    }
}

#[test]
fn later_layers_override_earlier_ones_and_origins_are_kept() {
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
    assert!(!settings.engine(Path::new("/tree"), Embedding::Embedded).hidden);
    let origin = |key: &str| settings.get(key).expect("it has a value").origin.clone();
    assert_eq!(origin("search.limit"), Origin::Environment("LOREHOUND_SEARCH_LIMIT".into()));
    assert_eq!(origin("search.in"), Origin::User { path: "/u.toml".into(), line: 3 });
    assert_eq!(origin("output.group"), Origin::Project { path: "/p.toml".into(), line: 3 });
    assert_eq!(origin("output.color"), Origin::Flag("--color"));
    assert_eq!(origin("cache.write"), Origin::Default);
    assert!(settings.warnings.is_empty());
}

#[test]
fn a_project_may_not_set_output_folders() {
    let project = file("/p.toml", "[cache]\nwrite = false\ndir = \"/tmp/evil\"\n");
    let settings = Settings::merge(None, Some(&project), &environment, Vec::new()).expect("valid");
    assert_eq!(settings.cache_dir(), Some(Path::new("/home/ada/.cache/lorehound")));
    assert!(!settings.engine(Path::new("/tree"), Embedding::Embedded).write);
    assert_eq!(
        settings.warnings,
        [
            "ignored the setting `cache.dir` from `/p.toml` line 3: only your own settings file, the \
          environment and flags may set it; run `lore trust` to review and allow it"
        ]
    );
    let settings = Settings::merge(Some(&project), None, &environment, Vec::new()).expect("valid");
    assert_eq!(settings.cache_dir(), Some(Path::new("/tmp/evil")));
}

#[test]
fn a_project_may_not_set_programs_or_the_history() {
    for key in ["search.expand-cmd", "search.rerank-cmd"] {
        let project = file("/p.toml", &format!("\n{key} = [\"sh\", \"-c\", \"evil\"]\n"));
        let settings =
            Settings::merge(None, Some(&project), &environment, Vec::new()).expect("valid");
        assert!(settings.expand_command().is_empty() && settings.rerank_command().is_empty());
        assert_eq!(
            settings.warnings,
            [format!(
                "ignored the setting `{key}` from `/p.toml` line 2: it runs a program, and the \
                 authors of the repository wrote the project's settings file: only your own \
                 settings file, the environment and flags may set it"
            )]
        );
        let own = Settings::merge(Some(&project), None, &environment, Vec::new())
            .expect("a user setting");
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
         `search.limt`; the settings are cache.dir, cache.write, cluster.ca, cluster.index, cluster.key_env, \
         cluster.password_env, cluster.repository, cluster.url, cluster.user, embedding.batch, embedding.endpoint, \
         embedding.key_env, embedding.model, embedding.timeout, history.enabled, index.all-history, index.backend, index.commits, \
         index.hidden, index.max-file-size, index.threads, index.tickets, limits.cores, limits.disk, \
         limits.idle-writes, limits.memory, output.color, output.format, output.group, output.hyperlink-format, output.pager, output.snippet-lines, output.theme, privacy.redact, search.alpha, search.bm25_weight, search.command-timeout, \
         search.expand, search.expand-cmd, search.in, search.limit, search.mode, search.rerank-cmd, \
         search.rewrite, search.rrf_k, search.semantic_weight, search.source_boost, search.wait, server.otlp and ranking.weights.SIGNAL; did you mean `search.limit`?"
    );
    assert_eq!(
        refused("[search]\nlimit = \"ten\"\n"),
        "could not use the setting `search.limit` from `/etc/lorehound.toml` line 2: expected a \
         whole number from 1 to 100000, found `\"ten\"`"
    );
    assert_eq!(
        refused("search.in = [\"code\", \"svn\"]"),
        "could not use the setting `search.in` from `/etc/lorehound.toml` line 1: expected a list \
         of agent, code, docs, examples, git, patterns, specs, templates, tickets, found `[\"code\", \"svn\"]`"
    );
    assert!(refused("search.limit = -1").ends_with("found `-1`"));
    assert!(refused("search.limit = 0").ends_with("found `0`"));
    assert!(refused("search.limit = 1e3").contains("expected a whole number"));
    assert!(refused("search = 3").contains("line 1: there is no setting `search`"));
    assert!(refused("[ranking.weights]\na = \"b\"").contains("expected a number, found `\"b\"`"));
    assert!(refused("[ranking.weights.a]\nb = 1").contains("expected a number, found a table"));
    assert!(refused("a = 1\n[search\n").contains("`/etc/lorehound.toml`: line 2: "));
    assert!(refused("a = 1\na = 2\n").contains("line 2: duplicate key"));
    assert!(refused("[embeddings]\nendpoint = \"http://x\"").contains("`embeddings`"));
}

#[test]
fn weight_settings_accept_any_signal_name() {
    let user = file("/u.toml", "\u{feff}[ranking.weights]\nstem = 0.25\npath = 2\n");
    let settings = Settings::merge(Some(&user), None, &environment, Vec::new()).expect("valid");
    let weights = settings.engine(Path::new("/tree"), Embedding::Embedded).ranking.weights;
    assert_eq!(
        weights.into_iter().collect::<Vec<_>>(),
        [("path".into(), 2.0), ("source-path".into(), 0.095_310_18), ("stem".into(), 0.25)]
    );
}

#[test]
fn a_source_boost_sets_the_weight_to_its_logarithm() {
    let weight = |text: &str| {
        let user = file("/u.toml", text);
        let settings = Settings::merge(Some(&user), None, &environment, Vec::new()).expect("valid");
        settings.engine(Path::new("/tree"), Embedding::Embedded).ranking.weights["source-path"]
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

#[test]
fn a_project_may_not_choose_the_embedding_server() {
    let rows = [
        ("batch", "1"),
        ("endpoint", "\"https://evil.example.com/v1\""),
        ("key_env", "\"OPENAI_API_KEY\""),
        ("model", "\"evil\""),
        ("timeout", "1"),
        // Also where the value would be wrong anyway.
        ("endpoint", "3"),
    ];
    for (name, value) in rows {
        let project = file("/p.toml", &format!("[embedding]\n{name} = {value}\n"));
        let error = Settings::merge(None, Some(&project), &environment, Vec::new())
            .expect_err("a project may not set it");
        assert_eq!(
            error.to_string(),
            format!(
                "could not use the setting `embedding.{name}` from `/p.toml` line 2: only your own \
                 settings may choose the embedding model and server, not those of a project"
            )
        );
        assert_eq!(
            error.hint(),
            Some(format!(
                "put `embedding.{name}` into your own settings file \
                 `/home/ada/.config/lorehound/lorehound.toml`, or set `LOREHOUND_EMBEDDING_{}`{}",
                name.to_uppercase(),
                if name == "model" { ", or run `lore trust`" } else { "" }
            ))
        );
    }
}

#[test]
fn only_the_user_chooses_the_collector() {
    let text = "[server]\notlp = \"http://evil.example.com\"\n";
    let project = file("/p.toml", text);
    let settings =
        Settings::merge(None, Some(&project), &environment, Vec::new()).expect("it is ignored");
    assert_eq!(settings.collector(), None);
    assert!(settings.warnings[0].contains("`server.otlp`"), "{:?}", settings.warnings);
    let own = file("/u.toml", text);
    let settings = Settings::merge(Some(&own), None, &environment, Vec::new()).expect("valid");
    let url = settings.collector().map(|collector| collector.url());
    assert_eq!(url.as_deref(), Some("http://evil.example.com/v1/traces"));
}

#[test]
fn the_user_chooses_the_embedding_server() {
    let user = file(
        "/u.toml",
        "[embedding]\nendpoint = \"http://localhost:11434/v1\"\nmodel = \"a\"\ntimeout = 5\n",
    );
    let lookup = |name: &str| match name {
        "LOREHOUND_EMBEDDING_MODEL" => Some("nomic-embed-text".into()),
        "LOREHOUND_EMBEDDING_KEY_ENV" => Some("OPENAI_API_KEY".into()),
        name => environment(name),
    };
    let flag =
        Override { key: "embedding.batch", value: Value::Number(2048), flag: "--embedding-batch" };
    let settings = Settings::merge(Some(&user), None, &lookup, vec![flag]).expect("valid");
    assert_eq!(settings.embedding_endpoint(), Some("http://localhost:11434/v1"));
    assert_eq!(settings.embedding_model(), "nomic-embed-text");
    assert_eq!(settings.embedding_key_variable(), Some("OPENAI_API_KEY"));
    assert_eq!(settings.embedding_batch(), 2048);
    assert_eq!(settings.embedding_timeout(), Duration::from_secs(5));
    let defaults = Settings::merge(None, None, &environment, Vec::new()).expect("valid");
    assert_eq!(defaults.embedding_endpoint(), None);
    assert_eq!(defaults.embedding_key_variable(), None);
    assert_eq!(defaults.embedding_model(), "embedded");
    assert_eq!(defaults.embedding_batch(), 64);
    assert_eq!(defaults.embedding_timeout(), Duration::from_secs(30));
}

#[test]
fn possible_secrets_are_not_repeated_in_errors() {
    let cases = [
        ("embedding.endpoint", "https://ada:Secret1@example.com/v1", "a user name or password"),
        ("embedding.endpoint", "https://example.com/v1?key=Secret1", "a query"),
        ("embedding.endpoint", "Secret1", "neither with"),
        ("embedding.key_env", "sk-Secret1", "found a text that is not such a name"),
        ("embedding.key_env", "Secret1", "found a text that is not such a name"),
        ("embedding.key_env", "1SECRET", "found a text that is not such a name"),
    ];
    for (key, text, expected) in cases {
        let variable = Setting::find(key).expect("a setting").variable();
        let lookup = |name: &str| (name == variable).then(|| text.into());
        let flag = Override { key, value: Value::Text(text.into()), flag: "--flag" };
        let user = file("/u.toml", &format!("{key} = \"{text}\"\n"));
        let merged = [
            Settings::merge(Some(&user), None, &environment, Vec::new()),
            Settings::merge(None, None, &lookup, Vec::new()),
            Settings::merge(None, None, &environment, vec![flag]),
        ];
        for merged in merged {
            let error = merged.expect_err(text).to_string();
            assert!(error.contains(expected), "{error}");
            assert!(!error.to_lowercase().contains("secret"), "{error}");
        }
    }
}

#[test]
fn a_flag_out_of_its_range_is_refused() {
    let value = Value::Number(0);
    let flag = Override { key: "embedding.batch", value, flag: "--embedding-batch" };
    let error = Settings::merge(None, None, &environment, vec![flag]).expect_err("no batch");
    assert_eq!(
        error.to_string(),
        "could not use the setting `embedding.batch` from the flag `--embedding-batch`: expected a \
         whole number from 1 to 2048, found `0`"
    );
}

#[test]
fn the_missing_weight_is_the_remainder_to_one() {
    let fusion = |text: &str, flags: Vec<Override>| {
        let user = file("/u.toml", text);
        Settings::merge(Some(&user), None, &environment, flags).expect("valid").fusion()
    };
    let weights = |text: &str| {
        let Fusion { semantic_weight, bm25_weight, .. } = fusion(text, Vec::new());
        format!("{semantic_weight:.2} {bm25_weight:.2}")
    };
    assert_eq!(weights(""), "0.30 0.70");
    assert_eq!(weights("search.semantic_weight = 0.9"), "0.90 0.10");
    assert_eq!(weights("search.bm25_weight = 0.6"), "0.40 0.60");
    assert_eq!(weights("[search]\nsemantic_weight = 0.5\nbm25_weight = 1"), "0.50 1.00");

    let flag = Override {
        key: "search.semantic_weight",
        value: Value::Weight(0.25),
        flag: "--semantic-weight",
    };
    let set = "[search]\nsemantic_weight = 0.9\nalpha = 0.5\nrrf_k = 10\n";
    let expected = Fusion { semantic_weight: 0.25, bm25_weight: 0.75, rrf_k: 10.0, alpha: 0.5 };
    assert_eq!(fusion(set, vec![flag]), expected);
}

#[test]
fn given_settings_override_published_values() {
    let published = Fusion { semantic_weight: 0.7, bm25_weight: 0.3, rrf_k: 60.0, alpha: 0.7 };
    let over = |text: &str| {
        let user = file("/u.toml", text);
        let settings = Settings::merge(Some(&user), None, &environment, Vec::new()).expect("valid");
        settings.fusion_over(published)
    };
    assert_eq!(over(""), published);
    assert_eq!(over("search.alpha = 0.25"), Fusion { alpha: 0.25, ..published });
    assert_eq!(over("search.rrf_k = 5"), Fusion { rrf_k: 5.0, ..published });
    let expected = Fusion { semantic_weight: 0.25, bm25_weight: 0.75, ..published };
    assert_eq!(over("search.semantic_weight = 0.25"), expected);
}

#[test]
fn shares_are_between_0_and_1() {
    for (key, value) in [
        ("alpha", "1.1"),
        ("bm25_weight", "-0.1"),
        ("semantic_weight", "2"),
        ("semantic_weight", "\"much\""),
        ("rrf_k", "0"),
        ("rrf_k", "1001"),
    ] {
        let error = refused(&format!("search.{key} = {value}\n"));
        assert!(
            error.contains(&format!("`search.{key}` from `/etc/lorehound.toml` line 1")),
            "{error}"
        );
        assert!(error.ends_with(&format!("found `{value}`")), "{error}");
    }
}

#[test]
fn tuned_weights_override_files_and_only_set_weights() {
    let user = file("/u.toml", "[ranking.weights]\ncomments = 1\ntitle = 2\n");
    let project = file("/p.toml", "[ranking.weights]\ncomments = 3\n");
    let tuned = file(
        "/tuned/a.toml",
        "[ranking.weights]\ncomments = 0.5\nno-signal = 1\n[search]\nlimit = 3\nmode = \"lexical\"\n",
    );
    let tuned = Some((Path::new("/tree"), &tuned));
    let settings = Settings::merge_all(
        Some(&user),
        Some((&project, trust::TrustState::Unknown)),
        tuned,
        &environment,
        Vec::new(),
    )
    .expect("valid");
    let weights = settings.engine(Path::new("/tree"), Embedding::Off).ranking.weights;
    assert_eq!((weights["comments"], weights["title"]), (0.5, 2.0));
    assert!(!weights.contains_key("no-signal"));
    assert_eq!(settings.limit(), 10);
    assert_eq!(settings.warnings.len(), 3, "{:?}", settings.warnings);
    assert_eq!(settings.tuned(), Some((Path::new("/tuned/a.toml"), 1)));
    let origin = &settings.get("ranking.weights.comments").expect("a weight").origin;
    assert_eq!((origin.layer(), origin.location().as_deref()), ("tuned", Some("/tuned/a.toml:2")));

    let without = Settings::merge(Some(&user), Some(&project), &environment, Vec::new());
    assert_eq!(without.expect("valid").tuned(), None);
}

#[test]
fn each_tree_has_its_own_tuned_file() {
    let of = |root: &str| tuned_file(Path::new(root), &environment).expect("a place");
    let shop = of("/no/such/sh op\n");
    assert_eq!(shop.parent(), Some(Path::new("/home/ada/.config/lorehound/tuned")));
    let name = shop.file_name().expect("a name").to_string_lossy().into_owned();
    assert!(
        name.starts_with("shop-") && name.len() == "shop-0123456789abcdef.toml".len(),
        "{name}"
    );
    assert_eq!(of("/no/such/sh op\n"), shop);
    assert_ne!(of("/no/other/sh op\n"), shop);
    let none = |name: &str| (name == "LOREHOUND_CONFIG").then(OsString::new);
    assert_eq!(tuned_file(Path::new("/a"), &none), None);
}
