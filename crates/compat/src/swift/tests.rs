//! The published forms, written by hand from their description.

use lore_engine::{Explanation, Part, Snippet};
use lore_render::output::fixture;

use super::*;

/// A method with everything that can be known of it.
fn method() -> Hit {
    Hit {
        kind: "method".into(),
        title: "validate".into(),
        path: Some("Sources/Auth/Login.swift".into()),
        start_line: Some(10),
        end_line: Some(16),
        language: Some("swift".into()),
        breadcrumb: vec!["Auth".into(), "Login".into()],
        signature: Some("public func validate(_ token: String) -> Bool".into()),
        doc_comment: Some(format!("Checks a token.\n{}", "x".repeat(200))),
        score: 0.876,
        bm25_score: Some(0.5),
        bm25_rank: Some(3),
        semantic_score: None,
        semantic_rank: None,
        snippet: Snippet {
            text:
                "import Foundation\n/// Checks a token.\npublic func validate(_ token: String) -> \
                   Bool {\n    let \"s\" = 1\n    two\n    three\n    four\n}"
                    .into(),
            start_line: 9,
            highlights: vec![(0, 6), (31, 36)],
        },
        ..fixture::hit(1, SourceName::Code, "code:Sources/Auth/Login.swift#Login.validate")
    }
}

/// A file of which nothing is known, reached from another hit.
fn bare() -> Hit {
    Hit {
        path: Some("run.zig".into()),
        start_line: Some(1),
        end_line: Some(1),
        score: 0.25,
        match_type: "multi-hop",
        hops: 1,
        snippet: Snippet { text: "call(a\\b)".into(), start_line: 1, highlights: Vec::new() },
        ..fixture::hit(2, SourceName::Code, "code:run.zig:1-1")
    }
}

fn written(hits: Vec<Hit>, docs: bool, format: &str) -> String {
    let results = Results {
        query: "check \"token\"".into(),
        hits,
        follow_ups: Vec::new(),
        elapsed_ms: 12.9,
        docs,
        filter: Filter::default(),
        absence: None,
        notes: Vec::new(),
    };
    let mut out = Vec::new();
    results.write(format, &Style::plain(), &mut out).expect("a vector takes everything");
    String::from_utf8(out).expect("it is text")
}

#[test]
fn json_has_every_key_in_every_result() {
    assert_eq!(
        written(vec![bare()], false, "json"),
        r#"{
  "query": "check \"token\"",
  "resultCount": 1,
  "elapsedSeconds": 0.0129,
  "results": [
    {
      "id": "code:run.zig:1-1",
      "path": "run.zig",
      "startLine": 1,
      "endLine": 1,
      "kind": "file",
      "symbols": [],
      "content": "call(a\\b)",
      "docComment": null,
      "signature": null,
      "breadcrumb": null,
      "tokenCount": 3,
      "language": "unknown",
      "score": 0.25,
      "relevancePercent": 25,
      "matchType": "multi-hop",
      "highlights": [],
      "isMultiHop": true,
      "hopDepth": 1,
      "bm25Score": null,
      "semanticScore": null,
      "bm25Rank": null,
      "semanticRank": null
    }
  ]
}
"#
    );
}

#[test]
fn json_carries_what_is_known() {
    let json: serde_json::Value =
        serde_json::from_str(&written(vec![method(), bare()], false, "json")).expect("it is JSON");
    assert_eq!(json["resultCount"], 2);
    let first = &json["results"][0];
    assert_eq!(first["breadcrumb"], "Auth > Login > validate");
    assert_eq!(first["symbols"], serde_json::json!(["validate"]));
    assert_eq!(first["relevancePercent"], 88);
    assert_eq!(first["matchType"], "bm25");
    assert_eq!(first["bm25Rank"], 3);
    // The passage begins a line before the definition: its highlights move along, or fall away.
    let content = first["content"].as_str().expect("a text");
    assert!(content.starts_with("/// Checks a token.\n") && content.ends_with("four\n}"));
    let ranges = first["highlights"].as_array().expect("ranges");
    let text: Vec<String> = ranges
        .iter()
        .map(|range| {
            let at = |end: usize| {
                usize::try_from(range[end].as_u64().expect("a number")).expect("it is small")
            };
            content.chars().skip(at(0)).take(at(1) - at(0)).collect()
        })
        .collect();
    assert_eq!(text, ["token"]);
}

#[test]
fn people_read_one_block_a_hit() {
    let doc = format!("Checks a token. {}...", "x".repeat(84));
    let rule = "─".repeat(60);
    assert_eq!(
        written(vec![method(), bare()], false, "human"),
        format!(
            "Found 2 results in 0.013s
{rule}

[1] Sources/Auth/Login.swift:10-16
    Kind: method
    Symbols: validate
    Location: Auth > Login > validate
    Signature: public func validate(_ token: String) -> Bool
    Relevance: 88% (keyword rank #3)
    Doc: {doc}
    ────
    /// Checks a token.
    public func validate(_ token: String) -> Bool {{
        let \"s\" = 1
        two
        three
    ... (2 more lines)

[2] run.zig:1-1
    Kind: file [hop 1]
    Relevance: 25%
    ────
    call(a\\b)

"
        )
    );
    assert_eq!(written(Vec::new(), false, "human"), "No results found.\n");
}

#[test]
fn the_compact_form_has_tables() {
    let doc = format!("Checks a token. {}...", "x".repeat(134));
    assert_eq!(
        written(vec![method(), bare()], false, "toon"),
        format!(
            r#"search{{q,n,ms}}:
  "check \"token\"",2,12

results[2]{{r,rel,p,l,k,s,lang,tok}}:
  1,88,"Sources/Auth/Login.swift",[10,16],"method",["validate"],"swift",28
  2,25,"run.zig",[1,1],"file",[],"unknown",3

meta[2]{{sig,bc}}:
  "public func validate(_ token: String) -> Bool","Auth > Login > validate"
  ~,~

docs[2]:
  "{doc}"
  ~

code[2]:
  ---
  /// Checks a token.
  public func validate(_ token: String) -> Bool {{
      let "s" = 1
      two
      three
      four
  }}
  ---
  call(a\b)
"#
        )
    );
    assert_eq!(
        written(Vec::new(), false, "toon"),
        "search{q,n,ms}:\n  \"check \\\"token\\\"\",0,12\n\n"
    );
}

#[test]
fn what_nothing_is_known_of_has_no_table() {
    let written = written(vec![bare()], false, "toon");
    assert!(!written.contains("meta[") && !written.contains("docs["), "{written}");
}

fn section(lines: usize) -> Hit {
    let text: Vec<String> = (1..=lines).map(|line| format!("line {line}")).collect();
    Hit {
        kind: "section".into(),
        path: Some("docs/login.md".into()),
        start_line: Some(1),
        end_line: u32::try_from(lines).ok(),
        language: Some("markdown".into()),
        breadcrumb: vec!["Guide".into(), "Login".into()],
        score: 0.5,
        snippet: Snippet { text: text.join("\n"), start_line: 1, highlights: Vec::new() },
        ..fixture::hit(1, SourceName::Docs, "docs:docs/login.md#Login")
    }
}

#[test]
fn documentation_has_its_own_forms() {
    let lines: Vec<String> = (1..=20).map(|line| format!("  line {line}\n")).collect();
    let lines = lines.concat();
    assert_eq!(
        written(vec![section(22)], true, "toon"),
        format!(
            r#"docs_search{{q,n}}:
  "check \"token\"",1

snippets[1]{{r,rel,p,l,k,bc,lang,tok}}:
  1,50,"docs/login.md",[1,22],"section","Guide > Login",markdown,42

content[1]:
  ---
{lines}  ...2 more lines
"#
        )
    );
    let json: serde_json::Value =
        serde_json::from_str(&written(vec![section(1)], true, "json")).expect("it is JSON");
    let mut keys: Vec<&str> =
        json["results"][0].as_object().expect("an object").keys().map(String::as_str).collect();
    keys.sort_unstable();
    assert_eq!(
        keys,
        [
            "breadcrumb",
            "content",
            "endLine",
            "id",
            "kind",
            "language",
            "path",
            "relevancePercent",
            "startLine",
            "tokenCount"
        ]
    );
    assert_eq!(written(Vec::new(), true, "human"), "No documentation found.\n");
}

/// The parts of these signals: name, value, weight.
fn explained(parts: &[(&'static str, f32, f32)]) -> Hit {
    let part = |&(name, value, weight): &(&'static str, f32, f32)| Part {
        name,
        value,
        weight,
        contribution: value * weight,
    };
    Hit { explanation: Some(Explanation { parts: parts.iter().map(part).collect() }), ..method() }
}

#[test]
fn published_factors_multiply() {
    let product = |parts: &[(&'static str, f32, f32)]| Boosts::of(&explained(parts)).product;
    // A rare exact name (2.5) that conforms to the requested type (1.5).
    let stacked = [("chunks", 0.8, 3.1), ("conformance", 1.0, 0.405), ("exact-symbol", 1.0, 0.916)];
    assert!((product(&stacked) - 3.75).abs() < 1e-9);
    // A public type declaration in a source folder: 1.5 × 1.1 × 1.1 = 1.815.
    let declared =
        [("type-declaration", 1.0, 0.1), ("public", 1.0, 0.0953), ("source-path", 1.0, 0.0953)];
    assert!((product(&declared) - 1.815).abs() < 0.006);
    // A signal without a value, and a factor that the settings switch off.
    assert!((product(&[("public", 0.0, 0.0953), ("source-path", 1.0, 0.0)]) - 1.0).abs() < 1e-9);
    let human = written(vec![explained(&stacked)], false, "human");
    assert!(human.contains("    Boosts: conformance 1.5 × exact-symbol 2.5 = 3.75\n"), "{human}");
    let json = written(vec![explained(&stacked)], false, "json");
    assert!(json.contains("\"product\": 3.75"), "{json}");
}

#[test]
fn extensions_and_globs_meet() {
    let meet = |globs: &[&str], extensions: &[&str]| {
        let own = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
        with_extensions(&own(globs), &own(extensions)).map_err(|error| error.to_string())
    };
    let paths = |paths: &[&str]| Ok(paths.iter().map(|&path| path.to_owned()).collect());
    assert_eq!(meet(&[], &["swift", ".ts"]), paths(&["*.swift", "*.ts"]));
    assert_eq!(meet(&["Sources/**"], &["swift"]), paths(&["Sources/**/*.swift"]));
    assert_eq!(meet(&["Sources"], &["swift"]), paths(&["Sources/**/*.swift"]));
    assert_eq!(meet(&["a/Log*"], &["swift"]), paths(&["a/Log*.swift"]));
    assert_eq!(meet(&["*.swift", "*.c"], &["swift"]), paths(&["*.swift"]));
    assert!(meet(&["*.c"], &["swift"]).is_err());
    assert!(meet(&[], &["sw*ift"]).is_err());
    assert!(meet(&[], &[" "]).is_err());
}

#[test]
fn no_form_lets_a_file_steer_the_terminal() {
    for format in ["human", "json", "toon"] {
        for docs in [false, true] {
            let text = written(fixture::hostile().hits, docs, format);
            let steering = text.chars().find(|character| {
                (character.is_control() && *character != '\n')
                    || lore_console::text::is_reordering(*character)
            });
            assert_eq!(steering, None, "{format}: {text:?}");
        }
    }
}
