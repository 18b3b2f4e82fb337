//! Tests of reading collections.

use super::*;

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        fs::write(folder.path().join(name), text).expect("written");
    }
    folder
}

fn target(name: &str, lines: Option<(u32, u32)>) -> Target {
    Target { name: name.to_owned(), lines }
}

#[test]
fn labelled_lines_of_every_form() {
    let folder = folder(&[(
        "cases.jsonl",
        concat!(
            r#"{"id":"q","repo":"r","query":"a","relevant":[{"path":"a.rs","start_line":2,"end_line":5}],"secondary":[{"path":"b.rs"}],"exclude":["c.rs"],"tests":[]}"#,
            "\r\n\n",
            r#"{"repo":"owner/r","commit":null,"query":"b","relevant":["a.md","a.md#x"],"first":"a.md"}"#,
            "\n",
            r#"{"name":"q","query":""}"#,
            "\n",
            r#"{"op":"search_by_file","query":"x"}"#,
            "\n",
            r#"{"equal_to":"x"}"#,
        ),
    )]);
    let collection = Collection::load(&folder.path().join("cases.jsonl")).expect("a collection");
    assert_eq!(collection.name, "cases");
    assert_eq!(collection.unsupported, 2);
    let ids: Vec<&str> = collection.queries.iter().map(|query| query.id.as_str()).collect();
    assert_eq!(ids, ["q", "cases#1", "q~2"]);
    assert_eq!(collection.queries[0].targets, [target("a.rs", Some((2, 5))), target("b.rs", None)]);
    assert_eq!(collection.queries[0].excluded, ["c.rs"]);
    assert_eq!(collection.queries[1].targets, [target("a.md", None), target("a.md#x", None)]);
    assert_eq!(collection.queries[1].first.as_deref(), Some("a.md"));
    assert_eq!(collection.repositories(), ["", "owner/r", "r"]);
}

#[test]
fn roots_are_read_from_the_file_next_to_the_queries() {
    let folder = folder(&[
        (
            "queries.jsonl",
            r#"{"id":"q","repo":"flask","query":"a","relevant":["src/flask/app.py"]}"#,
        ),
        (
            "repositories.json",
            r#"[{"name":"flask","root":"src/flask"},{"name":"whole","root":""}]"#,
        ),
    ]);
    let collection = Collection::load(folder.path()).expect("a collection");
    assert_eq!(collection.roots.len(), 1);
    let trees = crate::Trees { folder: Some(folder.path().to_owned()), ..crate::Trees::default() };
    assert!(matches!(trees.find("flask", &collection), Err(EvalError::NoTree { .. })));
    fs::create_dir_all(folder.path().join("flask/src/flask")).expect("made");
    let place = trees.find("flask", &collection).expect("a tree");
    assert_eq!(place.prefix, "src/flask/");
    assert_eq!(place.root, folder.path().join("flask/src/flask"));
    for name in ["/", "", "..", "owner/.."] {
        assert!(trees.find(name, &collection).is_err(), "{name}");
    }
    let place = trees.find("fixture:flask", &collection).expect("a tree");
    assert_eq!(place.root, folder.path().join("flask"));
}

#[test]
fn a_directory_in_the_trec_format() {
    let folder = folder(&[
        ("collection.toml", "name = 'small'\ndescription = 'd'\nsources = ['code', 'docs']\n"),
        ("queries.jsonl", "{\"id\":\"q1\",\"query\":\"a\"}\n{\"id\":\"q2\",\"query\":\"b\"}\n"),
        ("qrels.txt", "q1 0 a%20b.rs 1\nq1 0 c.rs#L3-L9 1\nq1 0 wrong.rs 0\nq2 0 wrong.rs 0\n"),
    ]);
    let collection = Collection::load(folder.path()).expect("a collection");
    assert_eq!(collection.name, "small");
    assert_eq!(collection.sources, [SourceName::Code, SourceName::Docs]);
    assert_eq!(collection.corpus, Some(folder.path().join("corpus")));
    assert_eq!(
        collection.queries[0].targets,
        [target("a b.rs", None), target("c.rs", Some((3, 9)))]
    );
    assert!(collection.queries[1].targets.is_empty());
    assert_eq!(collection.repositories(), ["small"]);
}

#[test]
fn errors_name_file_and_line() {
    let check = |files: &[(&str, &str)], expected: &str| {
        let folder = folder(files);
        let error = Collection::load(folder.path()).expect_err(expected).to_string();
        let name = folder.path().display().to_string();
        assert!(error.contains(expected), "{error}");
        assert!(error.contains(&name), "{error}");
    };
    let toml = ("collection.toml", "");
    check(&[], "is not a collection");
    check(&[("queries.jsonl", "{}\n{")], "line 2");
    check(&[("queries.jsonl", "{\"query\":1}")], "line 1");
    check(&[toml], "queries.jsonl");
    check(&[("collection.toml", "a = \n")], "line 1");
    check(&[("collection.toml", "\nsurprise = 1\n")], "line 2");
    check(&[("collection.toml", "sources = ['x']")], "no source `x`");
    let queries = ("queries.jsonl", "{\"id\":\"q\",\"query\":\"a\"}");
    check(&[toml, queries, ("qrels.txt", "q 0 a.rs")], "4 columns");
    check(&[toml, queries, ("qrels.txt", "q 0 a.rs x")], "not a relevance");
    check(&[toml, queries, ("qrels.txt", "other 0 a.rs 1")], "no query `other`");
    let missing = Collection::load(Path::new("/no/such/place")).expect_err("missing");
    assert!(missing.to_string().contains("/no/such/place"));
}

#[test]
fn natural_questions_are_judged_by_their_documents() {
    let folder = folder(&[
        (
            "b.jsonl",
            concat!(
                r#"{"id":"b1","repo":"b","type":"how","query":"a","answers":["#,
                r#"{"path":"a.rs","start":2,"end":5,"grade":2},{"path":"a.rs","start":9,"end":9,"grade":2},"#,
                r#"{"commit":"0123456789ab","grade":2},{"path":"c.rs","grade":1},{"ticket":"7"}]}"#,
                "\n",
                r#"{"id":"b2","repo":"b","type":"none","query":"b","answers":[]}"#,
            ),
        ),
        ("a.jsonl", r#"{"id":"b2","repo":"a","type":"why","query":"c","answers":[{"path":"x"}]}"#),
        ("README.md", "not a query"),
    ]);
    let collection = Collection::load(folder.path()).expect("a collection");
    assert!(collection.is_natural());
    let ids: Vec<&str> = collection.queries.iter().map(|query| query.id.as_str()).collect();
    assert_eq!(ids, ["b2", "b1", "b2~2"]);
    let query = &collection.queries[1];
    assert_eq!(query.category, "how");
    let documents = ["a.rs", "git:0123456789ab", "#7"].map(|name| target(name, None));
    assert_eq!(query.targets, documents);
    let spans: Vec<_> = query.spans.iter().map(|span| span.target.lines).collect();
    assert_eq!(spans, [Some((2, 5)), Some((9, 9)), None, None]);
    assert!(collection.queries[2].targets.is_empty());
}

#[test]
fn malformed_natural_questions_are_refused() {
    for (question_type, answers, expected) in [
        ("none", r#"[{"path":"a"}]"#, "has no answers"),
        ("how", "[]", "has no answers"),
        ("how", r#"[{"path":"a","grade":1}]"#, "no answer has the grade 2"),
        ("how", r#"[{"grade":2}]"#, "needs a `path`"),
        ("how", r#"[{"path":"a","start":1,"anchor":"b"}]"#, "a `start` or an `anchor`"),
        ("how", r#"[{"path":"a","begin":1}]"#, "begin"),
        ("how", r#"["a"]"#, "`answers`"),
    ] {
        let row = format!(r#"{{"type":"{question_type}","query":"a","answers":{answers}}}"#);
        let folder = folder(&[("queries.jsonl", &row)]);
        let error = Collection::load(folder.path()).expect_err(expected).to_string();
        assert!(error.contains(expected) && error.contains("line 1"), "{error}");
    }
}

#[test]
fn rows_with_answers_of_another_kind_are_plain_queries() {
    let folder =
        folder(&[("q.jsonl", r#"{"id":"q","query":"a","relevant":["a"],"answers":["yes"]}"#)]);
    let collection = Collection::load(folder.path()).expect("a collection");
    assert!(!collection.is_natural());
    assert_eq!(collection.queries[0].targets, [target("a", None)]);
}
