//! The shapes, against expectations that are written by hand from the published ones.

use super::*;

fn hit(source: SageSource, path: &str, title: &str, snippet: &str) -> SageHit {
    SageHit {
        source: Some(source),
        path: path.into(),
        title: title.into(),
        score: 91.0,
        exact: true,
        parts: vec![("exact phrase", 50.0), ("near words", 20.0)],
        factor: 1.3,
        section: "Flow".into(),
        line: Some(12),
        lines: vec![12, 40],
        snippet: snippet.into(),
        highlights: vec![(0, 4)],
        ..SageHit::default()
    }
}

fn results() -> Results {
    let ticket = SageHit {
        id: Some("TIDE-7".into()),
        section: "Acceptance Criteria".into(),
        line: None,
        lines: Vec::new(),
        status: Some("COMPLETED".into()),
        created: Some(1_760_000_000),
        blocked_by: vec!["TIDE-1".into()],
        related: vec!["MOON-2".into(), "TIDE-1".into()],
        ..hit(SageSource::Tickets, ".sage/tickets/TIDE-7.md", "Tide table", "tide is high")
    };
    let spec = SageHit {
        also_in: vec!["agent:.sage/agent/tide.md".into()],
        ..hit(SageSource::Specs, "docs/specs/tide/spec.md", "Tide", "tide and\u{1b} ebb")
    };
    let pattern = SageHit {
        language: Some("python".into()),
        use_case: Some("Reads a table.".into()),
        ..hit(SageSource::Patterns, ".sage/agent/examples/tide.py", "tide.py", "tide()")
    };
    let commit = SageHit {
        id: Some("0123456789abcdef0123456789abcdef01234567".into()),
        author: Some("Ada".into()),
        created: Some(1_760_000_000),
        line: None,
        files: vec!["src/tide.py".into()],
        ..hit(SageSource::Git, "", "feat: tide", "tide")
    };
    Results {
        query: "tide".into(),
        explain: false,
        sources: Vec::new(),
        answer: SageAnswer {
            hits: vec![spec, commit, ticket, pattern],
            total: 12,
            elapsed_ms: 3.2,
            ..SageAnswer::default()
        },
    }
}

fn written(results: &Results, format: &str) -> String {
    let mut out = Vec::new();
    results.write(format, &Style::plain(), &mut out).expect("a vector takes everything");
    String::from_utf8(out).expect("text")
}

#[test]
fn people_read_groups_with_numbers_that_go_on() {
    let mut results = results();
    let page = hit(SageSource::Docs, "docs/moon.md", "Moon", "tide");
    results.answer.hits.push(SageHit { section: "title".into(), ..page });
    assert_eq!(
        written(&results, "detailed"),
        "\
🔍 Search Results for \"tide\"

📋 Tickets (1 match):
  1. TIDE-7: Tide table
     → Acceptance Criteria: \"tide is high\"
     State: COMPLETED | Created: 2025-10-09
     Blocked by: TIDE-1
     Related: MOON-2, TIDE-1

📚 Documentation (2 matches):
  2. docs/specs/tide/spec.md:12
     → Section: \"Flow\"
     \"tide and␛ ebb\"
     Also found in: agent:.sage/agent/tide.md

  3. docs/moon.md:12
     → Section: \"Title\"
     \"tide\"

🔧 Code Patterns (1 match):
  4. .sage/agent/examples/tide.py:12
     Language: python | Use Case: Reads a table.
     → Code: \"tide()\"

📝 Git History (1 match):
  5. commit 0123456 - \"feat: tide\"
     Author: Ada | Date: 2025-10-09

12 matches in 3 ms
"
    );
}

#[test]
fn points_are_shown_on_request() {
    let mut results = results();
    results.explain = true;
    results.answer.hits.truncate(1);
    assert!(
        written(&results, "human").contains(
            "  1. docs/specs/tide/spec.md:12 [Score: 91]\n     → Section: \"Flow\"\n     \
             \"tide and␛ ebb\"\n     Also found in: agent:.sage/agent/tide.md\n     \
             Points: exact phrase +50, near words +20; × 1.3\n"
        ),
        "{}",
        written(&results, "human")
    );
    assert_eq!(
        written(&results, "compact"),
        "Source: specs | Match: docs/specs/tide/spec.md:12 | tide and␛ ebb [Score: 91]\n"
    );
}

#[test]
fn programs_read_the_keys_of_each_source() {
    let wire = serde_json::to_value(results().wire()).expect("it is JSON");
    assert_eq!((&wire["query"], &wire["total_results"]), (&json!("tide"), &json!(12)));
    assert_eq!(
        wire["results"],
        json!([
            {
                "source": "specs", "path": "docs/specs/tide/spec.md", "relevance_score": 91.0,
                "title": "Tide", "file": "docs/specs/tide/spec.md", "line": 12, "lines": [12, 40],
                "section": "Flow", "modified_time": null, "snippet": "tide and\u{1b} ebb",
                "also_found_in": ["agent:.sage/agent/tide.md"]
            },
            {
                "source": "git", "path": "git:0123456789abcdef0123456789abcdef01234567",
                "relevance_score": 91.0, "title": "feat: tide",
                "commit_hash": "0123456789abcdef0123456789abcdef01234567", "author": "Ada",
                "date": "2025-10-09T08:53:20Z", "message": "feat: tide", "files": ["src/tide.py"],
                "snippet": "tide", "also_found_in": []
            },
            {
                "source": "tickets", "path": ".sage/tickets/TIDE-7.md", "relevance_score": 91.0,
                "title": "Tide table", "ticket_id": "TIDE-7", "field": "acceptanceCriteria",
                "state": "COMPLETED", "created": "2025-10-09T08:53:20Z",
                "blocked_by": ["TIDE-1"], "related_to": ["MOON-2", "TIDE-1"],
                "snippet": "tide is high", "also_found_in": []
            },
            {
                "source": "patterns", "path": ".sage/agent/examples/tide.py",
                "relevance_score": 91.0, "title": "tide.py",
                "file": ".sage/agent/examples/tide.py", "line": 12, "lines": [12, 40],
                "section": "Flow", "modified_time": null, "language": "python",
                "use_case": "Reads a table.", "snippet": "tide()", "also_found_in": []
            }
        ])
    );
}

#[test]
fn sources_have_the_names_of_both_vocabularies() {
    for name in ["agent", "docs", "git", "patterns", "specs", "templates", "Tickets"] {
        assert!(source(name).is_ok(), "{name}");
    }
    let error = source("ticket").unwrap_err();
    assert_eq!(error.to_string(), "there is no source `ticket`");
    assert_eq!(
        error.hint.as_deref(),
        Some(
            "the sources are agent, docs, git, patterns, specs, templates, tickets; \
             did you mean `tickets`?"
        )
    );
}
