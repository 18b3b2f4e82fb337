//! The search of sage over single pages: points, tiers, sources, snippets.

use lore_schema::{Attributes, DocKey, TextOrigin, Trust};

use lore_engine::{AttributeFilter, Clock, PatternKind, SearchRequest, Syntax};

use super::*;

const NOW: i64 = 1_763_000_000;

fn document(source: SourceName, path: &str, text: &str) -> Document {
    let title = text.lines().next().unwrap_or_default().trim_start_matches("# ");
    Document {
        key: DocKey { source, locator: path.to_owned() },
        path: if source == SourceName::Git { String::new() } else { path.to_owned() },
        format: "files",
        kind: "file",
        title: title.split_once(": ").map_or(title, |(_, title)| title).to_owned(),
        text: text.to_owned(),
        origin: TextOrigin::File,
        metadata: Vec::new(),
        attributes: Attributes::default(),
        trust: Trust::Own,
    }
}

fn ticket(id: &str, state: &str, text: &str) -> Document {
    let path = format!(".sage/tickets/{id}.md");
    let mut ticket = document(SourceName::Tickets, &path, &format!("# {id}: {text}"));
    ticket.attributes.id = Some(id.to_owned());
    ticket.attributes.status = Some(state.to_owned());
    ticket
}

fn request(query: &str) -> SageRequest {
    let clock = Clock { now: NOW, offset: 0 };
    SageRequest { search: SearchRequest::new(query).with_clock(clock), sources: Vec::new() }
}

fn answer(documents: &[Document], request: &SageRequest) -> SageAnswer {
    rank(documents, request, &|_| BTreeMap::new()).expect("a query that is understood")
}

fn scores(documents: &[Document], query: &str) -> Vec<(String, f64)> {
    let hits = answer(documents, &request(query)).hits;
    hits.into_iter().map(|hit| (hit.path, hit.score)).collect()
}

#[test]
fn points_add_up_and_sources_multiply() {
    // 50 for the phrase, 20 for two words near each other.
    let text = "# A page\n\nThe spring tide comes.\n";
    let of = |source, path: &str| scores(&[document(source, path, text)], "spring tide")[0].1;
    let near = |left: f64, right: f64| assert!((left - right).abs() < 1e-9, "{left} {right}");
    near(of(SourceName::Docs, "notes.md"), 70.0);
    near(of(SourceName::Specs, "docs/research/tides.md"), 105.0);
    near(of(SourceName::Specs, "docs/specs/tides/spec.md"), 91.0);
    near(of(SourceName::Patterns, ".sage/patterns/good/x.py"), 84.0);
    near(of(SourceName::Tickets, ".sage/tickets/T-1.md"), 70.0);
    near(of(SourceName::Git, "0123"), 56.0);
    // 30 for the title, once although it is a heading as well, 10 for being done, 20 for two days.
    let mut done = ticket("T-2", "COMPLETED", "Spring tide\n");
    done.attributes.updated = Some(NOW - 2 * 86_400 - 5);
    let hit = answer(&[done], &request("spring tide")).hits.remove(0);
    near(hit.score, 50.0 + 30.0 + 20.0 + 20.0 + 10.0);
    let names: Vec<_> = hit.parts.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["exact phrase", "title", "near words", "recency", "completed"]);
}

#[test]
fn exact_hits_rank_above_partial_hits() {
    let mut new = ticket("T-1", "COMPLETED", "Tide of spring\n");
    new.attributes.updated = Some(NOW);
    let documents = [
        new,
        document(SourceName::Docs, "b.md", "# B\n\nLong ago a spring tide came.\n"),
        document(SourceName::Docs, "a.md", "# A\n\nLong ago a spring tide came in.\n"),
    ];
    let paths: Vec<_> =
        scores(&documents, "spring tide").into_iter().map(|(path, _)| path).collect();
    assert_eq!(paths, ["a.md", "b.md", ".sage/tickets/T-1.md"], "ties by name");
}

#[test]
fn one_word_of_several_is_no_answer_beside_better_ones() {
    let documents = [
        document(SourceName::Docs, "a.md", "# A\n\nA spring tide.\n"),
        document(SourceName::Docs, "b.md", "# B\n\nA spring.\n"),
    ];
    assert_eq!(scores(&documents, "spring tide").len(), 1);
    assert_eq!(scores(&documents, "spring ebb").len(), 2, "nothing is better");
    assert_eq!(scores(&documents, "PRIN").len(), 2, "any part of a word");
    assert!(scores(&documents, "xyzzy").is_empty());
}

#[test]
fn sources_are_those_of_sage() {
    let mut template = document(SourceName::Docs, ".sage/agent/templates/t.md", "# tide\n");
    template.attributes.extra.push(("agent".into(), "templates".into()));
    let documents = [
        document(SourceName::Code, "src/tide.rs", "tide"),
        document(SourceName::Code, ".sage/lib/tide.sh", "tide"),
        document(SourceName::Docs, ".sage/agent/tide.md", "# tide\n"),
        document(SourceName::Docs, "tide.md", "# tide\n"),
        document(SourceName::Specs, "docs/specs/tide/spec.md", "# tide\n"),
        document(SourceName::Git, "0123", "tide"),
        template,
    ];
    let of = |sources: &[SageSource]| {
        let request = SageRequest { sources: sources.to_vec(), ..request("tide") };
        let mut found: Vec<_> = answer(&documents, &request)
            .hits
            .iter()
            .filter_map(|hit| hit.source)
            .map(SageSource::as_str)
            .collect();
        found.sort_unstable();
        found
    };
    assert_eq!(of(&[]), ["agent", "agent", "docs", "git", "specs"]);
    assert_eq!(of(&[SageSource::Docs]), ["agent", "agent", "docs", "specs"]);
    assert_eq!(of(&[SageSource::Agent]), ["agent", "agent"]);
    assert_eq!(of(&[SageSource::Git, SageSource::Templates]), ["git", "templates"]);
}

#[test]
fn states_filter_and_relations_are_reported() {
    let mut open = ticket("T-1", "UNPROCESSED", "Tide\n\n## Notes\n\nMoon phases matter.\n");
    open.attributes.extra =
        vec![("dependency".into(), "T-2".into()), ("dependency".into(), "T-3".into())];
    let documents =
        [open, ticket("T-2", "COMPLETED", "Moon\n"), ticket("T-3", "DEFERRED", "Sun\n")];
    let attributes =
        AttributeFilter { statuses: vec!["unprocessed".into()], ..AttributeFilter::default() };
    let mut request = request("moon");
    request.search.attributes = attributes;
    let hits = answer(&documents, &request).hits;
    assert_eq!(hits.len(), 1);
    assert_eq!(hits[0].section, "Notes");
    assert_eq!(hits[0].blocked_by, ["T-3"]);
    assert_eq!(hits[0].related, ["T-2", "T-3"]);
}

#[test]
fn patterns_tell_every_line_and_mistakes_are_errors() {
    let page = document(SourceName::Docs, ".sage/agent/a.md", "# A\n\nStep 1: x\n\nstep 2: y\n");
    let mut regex = request(r"Step.*[0-9]");
    regex.search.pattern = Some(PatternKind::Regex);
    let hits = answer(std::slice::from_ref(&page), &regex).hits;
    assert_eq!(hits[0].lines, [3, 5]);
    regex.search.query = "[".into();
    let error = rank(std::slice::from_ref(&page), &regex, &|_| BTreeMap::new()).err();
    assert!(matches!(error, Some(EngineError::Query(_))), "{error:?}");

    let lines = |text: &str, case_sensitive| {
        let mut literal = request(text);
        literal.search.pattern = Some(PatternKind::Literal);
        literal.search.case_sensitive = case_sensitive;
        let hits = answer(std::slice::from_ref(&page), &literal).hits;
        hits.first().map(|hit| hit.lines.clone()).unwrap_or_default()
    };
    assert_eq!(lines("tep 1:", false), [3]);
    assert_eq!(lines("STEP", false), [3, 5]);
    assert_eq!(lines("Step", true), [3]);
    assert_eq!(lines("Step.*", false), [0_u32; 0]);
}

#[test]
fn the_query_language_restricts_and_words_rank() {
    let documents = [
        document(SourceName::Docs, "a.md", "# A\n\nA spring tide at the quay.\n"),
        document(SourceName::Docs, "b.md", "# B\n\nThe tide in spring, and the moon.\n"),
        ticket("T-1", "COMPLETED", "Ebb tide\n"),
    ];
    for (query, expected) in [
        ("spring tide", &["a.md", "b.md"][..]),
        ("\"spring tide\"", &["a.md"]),
        ("spring tide NOT quay", &["b.md"]),
        ("spring tide -moon", &["a.md"]),
        ("tide AND (moon OR ebb)", &[".sage/tickets/T-1.md", "b.md"]),
        ("tide status:completed", &[".sage/tickets/T-1.md"]),
        ("status:completed", &[".sage/tickets/T-1.md"]),
        ("path:*.md tide +quay", &["a.md"]),
        ("sprng~", &["a.md", "b.md"]),
        ("moo*", &["b.md"]),
    ] {
        let mut paths: Vec<_> =
            scores(&documents, query).into_iter().map(|score| score.0).collect();
        paths.sort_unstable();
        assert_eq!(paths, expected, "{query}");
    }
    let raw = request("tide NOT quay").search.with_syntax(Syntax::Raw);
    let raw = SageRequest { search: raw, sources: Vec::new() };
    assert_eq!(answer(&documents, &raw).total, 1, "`quay` is a word");
    let unknown = answer(&documents, &request("tide flow:high"));
    assert_eq!(unknown.warnings, ["`flow:` is no field here: it is searched as text"]);
    for query in ["tide AND", "(tide", "\"tide"] {
        let error = rank(&documents, &request(query), &|_| BTreeMap::new()).err();
        assert!(matches!(error, Some(EngineError::Query(_))), "{query}");
    }
}

#[test]
fn what_says_the_same_is_shown_once() {
    let body = "a spring tide lifts every boat in the harbour and leaves the mud bare at ebb";
    let documents = [
        document(SourceName::Specs, "docs/specs/tide/spec.md", body),
        document(SourceName::Docs, ".sage/agent/tide.md", body),
        document(SourceName::Docs, "other.md", "a spring tide of another kind, which is long too"),
    ];
    let answer = answer(&documents, &request("spring tide"));
    assert_eq!(answer.total, 2);
    assert_eq!(answer.hits[0].path, "docs/specs/tide/spec.md");
    assert_eq!(answer.hits[0].also_in, ["agent:.sage/agent/tide.md"]);
}

#[test]
fn snippets_are_long_enough_and_no_longer() {
    let filler = "words that say little and go on for a while, ".repeat(8);
    for text in [
        format!("# T\n\n{filler}spring tide {filler}"),
        format!("spring tide {filler}"),
        format!("# T\n\n{filler}spring tide"),
        format!("# T\n\n{}spring tide {}", "潮位 ".repeat(90), "🌊 ".repeat(90)),
    ] {
        let documents = [document(SourceName::Docs, "a.md", &text)];
        let hit = answer(&documents, &request("spring tide")).hits.remove(0);
        let length = hit.snippet.chars().count();
        assert!((150..=200).contains(&length), "{length}: {}", hit.snippet);
        let (start, end) = hit.highlights[0];
        let found: String = hit.snippet.chars().skip(start).take(end - start).collect();
        assert_eq!(found, "spring tide");
    }
}

#[test]
fn of_a_commit_the_message_is_searched() {
    let mut commit = document(SourceName::Git, "0123", "feat: moon\n\nsrc/tide.rs");
    commit.attributes.extra.push(("file".into(), "src/tide.rs".into()));
    keep_message(&mut commit);
    assert_eq!(commit.text, "feat: moon");
}

/// The section of the only match of a word on a page.
fn section(text: &str) -> String {
    let page = document(SourceName::Docs, "a.md", text);
    answer(&[page], &request("frob")).hits.remove(0).section
}

#[test]
fn sections_follow_underlines_and_skip_fences() {
    for fence in ["```", "~~~~"] {
        let text = format!("# A\n\n## Real\n\n{fence}sh\n# Comment\n{fence}\n\nfrob\n");
        assert_eq!(section(&text), "Real", "{fence}");
    }
    assert_eq!(section("# A\n\n## Real\n\n<!--\n# Hidden\n-->\nfrob\n"), "Real");
    assert_eq!(section("# A\n\nUnder\n---\n\nfrob\n"), "Under");
    assert_eq!(
        section("Title\n=====\n\nUnder a\nlong line\n---\r\n\nfrob\n"),
        "Under a\nlong line"
    );
    assert_eq!(section("# A\n\nUnder frob\n---\n\nText\n"), "Under frob");
    // A rule, a table, a list and a quote are no headings.
    for above in ["Text\n\n---", "| a |\n---", "- one\n---", "> one\n---", "1. one\n---"] {
        assert_eq!(section(&format!("# A\n\n## Real\n\n{above}\n\nfrob\n")), "Real", "{above}");
    }
}

#[test]
fn metadata_has_no_headings() {
    let text = "---\nowner: ada\n---\n\nfrob\n";
    let mut page = document(SourceName::Docs, "a.md", text);
    page.metadata.push(0..19);
    assert_eq!(answer(&[page], &request("frob")).hits.remove(0).section, "title");
}

#[test]
fn tickets_have_dates_of_their_own() {
    let dated = |id: &str, created, updated| {
        let mut ticket = ticket(id, "OPEN", "Login\n");
        ".sage/tickets/index.json".clone_into(&mut ticket.path);
        ticket.attributes.created = created;
        ticket.attributes.updated = updated;
        ticket
    };
    let old = NOW - 400 * 86_400;
    let documents = [
        dated("T-1", Some(old), None),
        dated("T-2", Some(old), Some(NOW)),
        dated("T-3", None, None),
        dated("T-4", Some(NOW), None),
    ];
    let mut request = request("login");
    request.search.filter.since = Some(NOW - 86_400);
    request.search.filter.dates = [(".sage/tickets/index.json".to_owned(), NOW)].into();
    let mut ids: Vec<_> =
        answer(&documents, &request).hits.into_iter().filter_map(|hit| hit.id).collect();
    ids.sort_unstable();
    assert_eq!(ids, ["T-2", "T-3", "T-4"]);
}

#[test]
fn tickets_with_different_identifiers_are_never_merged() {
    let body = "a spring tide lifts every boat in the harbour and leaves the mud bare at ebb";
    let documents = [
        document(SourceName::Specs, "docs/specs/tide/spec.md", body),
        ticket("T-1", "OPEN", body),
        ticket("T-2", "OPEN", body),
    ];
    let answer = answer(&documents, &request("spring tide"));
    let shown: Vec<_> = answer.hits.iter().map(|hit| hit.path.as_str()).collect();
    assert_eq!(answer.total, 2, "{shown:?}");
    let names: Vec<_> = answer.hits.iter().flat_map(|hit| hit.also_in.clone()).collect();
    assert_eq!((shown.len(), names.len()), (2, 1), "{shown:?} {names:?}");
    let mut boats = ticket("T-1", "OPEN", body);
    boats.title = "Boats".to_owned();
    let hits = self::answer(&[documents[0].clone(), boats], &request("spring tide")).hits;
    let names: Vec<_> = hits.iter().flat_map(|hit| hit.also_in.clone()).collect();
    assert_eq!(names, ["tickets:T-1"]);
}
