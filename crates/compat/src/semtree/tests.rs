//! The published forms, written by hand from their description.

use lore_render::output::graph_fixture::{hostile_symbols, symbol};

use super::*;

fn found(name: &str, doc: Option<&str>) -> SymbolHit {
    SymbolHit {
        id: format!("code:src/auth.py#{name}"),
        name: name.into(),
        kind: "function",
        path: "src/auth.py".into(),
        line: 10,
        start_line: 9,
        end_line: 13,
        language: Some("python".into()),
        signature: format!("def {name}(user: str) -> bool"),
        doc_comment: doc.map(str::to_owned),
        matched: None,
        ..symbol(name, None, 10)
    }
}

fn written(rows: Vec<Row>, format: &str) -> String {
    let answer = Definitions {
        rows,
        root: PathBuf::from("/no/tree"),
        query: "auth".into(),
        filter: Filter::default(),
        absence: None,
    };
    let mut out = Vec::new();
    answer.write(format, &Style::plain(), &mut out).expect("a vector takes everything");
    String::from_utf8(out).expect("it is text")
}

#[test]
fn json_is_an_array_of_seven_keys() {
    let doc = "d".repeat(150);
    let rows = vec![
        Row { hit: found("login", Some(&doc)), band: Band::Exact, score: 10.0 },
        Row { hit: found("log_out", None), band: Band::Fts, score: 3.123_456 },
    ];
    assert_eq!(
        written(rows, "json"),
        format!(
            r#"[
  {{
    "name": "login",
    "kind": "function",
    "file": "src/auth.py",
    "line": 10,
    "signature": "def login(user: str) -> bool",
    "docstring": "{}",
    "score": 10.0
  }},
  {{
    "name": "log_out",
    "kind": "function",
    "file": "src/auth.py",
    "line": 10,
    "signature": "def log_out(user: str) -> bool",
    "docstring": "",
    "score": 3.1235
  }}
]
"#,
            "d".repeat(100)
        )
    );
    assert_eq!(written(Vec::new(), "json"), "[]\n");
}

#[test]
fn the_form_for_agents_adds_five_keys_and_a_longer_comment() {
    let doc = "d".repeat(250);
    let rows = vec![Row { hit: found("login", Some(&doc)), band: Band::Prefix, score: 0.75 }];
    assert_eq!(
        written(rows, "mcp"),
        format!(
            r#"[
  {{
    "name": "login",
    "kind": "function",
    "file": "src/auth.py",
    "line": 10,
    "signature": "def login(user: str) -> bool",
    "docstring": "{}",
    "score": 0.75,
    "line_start": 9,
    "line_end": 13,
    "git_author": null,
    "git_date": null,
    "match_source": "prefix"
  }}
]
"#,
            "d".repeat(200)
        )
    );
}

#[test]
fn people_read_kind_name_place_and_score() {
    let rows = vec![Row { hit: found("login", None), band: Band::Exact, score: 10.0 }];
    assert_eq!(
        written(rows, "human"),
        "function login  src/auth.py:10  10.00\n         def login(user: str) -> bool\n"
    );
}

#[test]
fn bands_do_not_meet() {
    assert!((Band::Exact.score(1.0) - 10.0).abs() < 1e-9);
    assert!((Band::Fts.score(1.0) - 5.0).abs() < 1e-9);
    assert!((Band::Prefix.score(1.0) - 1.0).abs() < 1e-9);
    assert!((Band::Semantic.score(1.0) - 0.5).abs() < 1e-9);
    for (lower, upper) in
        [(Band::Semantic, Band::Prefix), (Band::Prefix, Band::Fts), (Band::Fts, Band::Exact)]
    {
        assert!(lower.score(7.0) < upper.score(0.0));
        assert!(lower.score(0.2) < lower.score(0.3));
    }
}

#[test]
fn a_definition_is_listed_once_in_its_best_band() {
    let mut rows = Rows::default();
    rows.add(&found("login", None), Band::Fts, 0.9);
    rows.add(&found("login", None), Band::Exact, 0.5);
    rows.add(&found("login", None), Band::Prefix, 1.0);
    rows.add(&found("log", None), Band::Fts, 0.9);
    rows.add(&found("logs", None), Band::Fts, 0.9);
    let rows = rows.best(2);
    let shown: Vec<(&str, Band)> =
        rows.iter().map(|row| (row.hit.name.as_str(), row.band)).collect();
    assert_eq!(shown, [("login", Band::Exact), ("log", Band::Fts)]);
}

#[test]
fn words_of_a_short_query_are_names() {
    assert_eq!(names("authenticate_user"), [("authenticate_user", 1.0)]);
    assert_eq!(names("AuthToken refresh"), [("AuthToken", 0.5), ("refresh", 0.5)]);
    assert_eq!(names("how does AuthToken get stored"), [("AuthToken", 0.2)]);
    assert_eq!(names("where is the user stored"), []);
}

#[test]
fn a_definition_holds_words_from_their_beginning() {
    assert_eq!(
        words("getUserID2 of auth.py-token"),
        ["get", "user", "id2", "of", "auth", "py", "token"]
    );
    let login = found("hashPassword", Some("Hashes with bcrypt."));
    let share = |query: &str| held(&login, &words(query));
    assert!((share("password bcrypt") - 1.0).abs() < 1e-9);
    assert!((share("passwords token") - 0.5).abs() < 1e-9);
    assert!(share("sword") < 1e-9);
    assert!(share("") < 1e-9);
}

#[test]
fn no_form_lets_a_file_steer_the_terminal() {
    for format in ["human", "json", "mcp"] {
        let hits = hostile_symbols().hits.into_iter();
        let rows = hits.map(|hit| Row { hit, band: Band::Fts, score: 2.0 }).collect();
        let text = written(rows, format);
        let steering = text.chars().find(|character| {
            (character.is_control() && *character != '\n') || text::is_reordering(*character)
        });
        assert_eq!(steering, None, "{format}: {text:?}");
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the test writes a file with a known date")]
fn dates_are_those_of_the_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let hit = found("login", None);
    let file = folder.path().join(&hit.path);
    std::fs::create_dir_all(file.parent().expect("a folder")).expect("it can be made");
    let file = std::fs::File::create(file).expect("it can be made");
    let changed = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_600_000_000);
    file.set_modified(changed).expect("it can be set");
    let kept = |since, until| {
        let mut hits = vec![hit.clone()];
        let filter = Filter { since, until, ..Filter::default() };
        keep_changed(folder.path(), &filter, &mut hits);
        hits.len()
    };
    assert_eq!(kept(None, None), 1);
    assert_eq!(kept(Some(1_600_000_000), Some(1_600_000_001)), 1);
    assert_eq!(kept(Some(1_600_000_001), None), 0);
    assert_eq!(kept(None, Some(1_600_000_000)), 0);
}
