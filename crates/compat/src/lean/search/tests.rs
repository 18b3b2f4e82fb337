//! The search of lean-spec over a small harbour: hits, scores and matches.

use lore_engine::{AttributeFilter, Syntax};
use lore_schema::{Attributes, DocKey, SourceName, TextOrigin, Trust};

use super::*;

/// A page of a spec. Its first line is the heading, the rest the body.
fn page(name: &str, text: &str) -> Document {
    let path = format!("specs/{name}/README.md");
    let title = text.lines().next().unwrap_or_default().trim_start_matches("# ").to_owned();
    Document {
        key: DocKey { source: SourceName::Specs, locator: path.clone() },
        path,
        format: "lean-spec",
        kind: "spec",
        title,
        text: text.to_owned(),
        origin: TextOrigin::File,
        metadata: Vec::new(),
        attributes: Attributes { id: Some(name.to_owned()), ..Attributes::default() },
        trust: Trust::Own,
    }
}

fn with(mut document: Document, change: impl FnOnce(&mut Attributes)) -> Document {
    change(&mut document.attributes);
    document
}

/// The docks of a small harbour.
fn corpus() -> Vec<Document> {
    vec![
        with(
            page(
                "001-crane-booking",
                "# Crane booking\n\nA berth books its crane.\n\n## Plan\n\nThe crane is booked \
                 by the pilot.\nCrane hours are limited.\n",
            ),
            |of| {
                of.status = Some("in-progress".into());
                of.priority = Some("high".into());
                of.tags = vec!["crane".into(), "harbour".into()];
                of.created = Some(1_762_000_000);
                of.assignee = Some("Ada".into());
                of.extra.push(("epic".into(), "DOCK-1".into()));
            },
        ),
        with(
            page(
                "002-pilot-roster",
                "# Pilot roster\n\nWho is on duty.\n\n## Plan\n\nPilots come when a crane waits.\n",
            ),
            |of| {
                of.status = Some("planned".into());
                of.tags = vec!["harbour-master".into()];
                of.created = Some(1_763_000_000);
            },
        ),
        with(page("003-old-crane", "# Old crane\n\nRusty.\n"), |of| {
            of.status = Some("archived".into());
            of.created = Some(1_700_000_000);
            of.extra.push(("archived".into(), "true".into()));
        }),
    ]
}

fn request(query: &str) -> SearchRequest {
    SearchRequest::new(query).with_limit(50).with_min_score(10.0)
}

fn answer_to(request: &SearchRequest) -> LeanAnswer {
    rank(&corpus(), request, false).expect("a query that is understood")
}

fn names(query: &str) -> Vec<String> {
    answer_to(&request(query)).hits.into_iter().map(|hit| hit.spec.name).collect()
}

#[test]
fn every_word_is_required_across_fields() {
    assert_eq!(names("crane"), ["001-crane-booking", "003-old-crane", "002-pilot-roster"]);
    assert_eq!(names("pilot crane"), ["001-crane-booking", "002-pilot-roster"]);
    assert_eq!(names("roster waits"), ["002-pilot-roster"], "title and body");
    assert_eq!(names("the roster of a crane"), ["002-pilot-roster"], "function words are not");
    assert!(names("crane submarine").is_empty());
}

#[test]
fn operators_fields_and_dates_restrict() {
    assert_eq!(names("crane NOT pilot"), ["003-old-crane"]);
    assert_eq!(names("(roster OR booking) AND crane").len(), 2);
    assert_eq!(names("status:in-progress"), ["001-crane-booking"]);
    assert_eq!(names("tag:harbour"), ["001-crane-booking"], "the whole tag");
    assert_eq!(names("tag:harbour*").len(), 2);
    assert_eq!(names("title:pilot"), ["002-pilot-roster"]);
    assert_eq!(names("content:waits"), ["002-pilot-roster"]);
    assert!(names("content:roster").is_empty(), "the heading is the title");
    assert_eq!(names("epic:dock-1"), ["001-crane-booking"], "a key of the corpus");
    assert_eq!(names("id:002"), ["002-pilot-roster"]);
    assert_eq!(names("created:2025-11-01"), ["001-crane-booking"]);
    assert_eq!(names("created:>2025-11-01"), ["002-pilot-roster"]);
    assert_eq!(names("created:2023..2025-11-01 assignee:ada"), ["001-crane-booking"]);
    assert_eq!(names("\"crane hours\""), ["001-crane-booking"]);
    assert_eq!(names("rustry~"), ["003-old-crane"]);
    assert_eq!(names("NOT crane"), [""; 0]);
}

#[test]
fn conditions_are_those_of_every_search() {
    let mut documents = corpus();
    documents[0].attributes.assignee = Some("Ada Lovelace".into());
    documents[0].attributes.extra.push(("due".into(), "2025-06-12".into()));
    documents[1].attributes.extra.push(("archived".into(), "false".into()));
    documents[1].attributes.extra.push(("due".into(), "2025-07-01".into()));
    let found = |request: &SearchRequest| -> Vec<String> {
        let answer = rank(&documents, request, true).expect("understood");
        let names = answer.hits.into_iter().map(|hit| hit.spec.name);
        names.map(|name| name[..3].to_owned()).collect()
    };
    for (query, expected) in [
        ("created:2023,2026", &["003"][..]),
        ("created:2023,2025", &["002", "001", "003"]),
        ("assignee:ada", &["001"]),
        ("assignee:ad", &[]),
        ("assignee:\"ada lovelace\"", &["001"]),
        ("path:specs/001*", &["001"]),
        ("path:001*", &["001"]),
        ("path:s/001*", &[]),
        ("path:CRANE", &["001", "003"]),
        ("due:>=2025-06 due:<=2025-06", &["001"]),
        ("due:>2025-06", &["002"]),
        ("format:lean-spec source:specs priority:high", &["001"]),
    ] {
        assert_eq!(found(&request(query)), expected, "{query}");
    }
    let status = AttributeFilter {
        fields: vec![("status".into(), "planned".into())],
        ..AttributeFilter::default()
    };
    assert_eq!(found(&request("crane").with_attributes(status)), ["002"]);
    let archived = AttributeFilter { archived: Archived::Only, ..AttributeFilter::default() };
    assert_eq!(found(&request("crane").with_attributes(archived)), ["003"]);
    let answer = rank(&documents, &request("crane created:soon"), true).expect("understood");
    assert_eq!(answer.warnings, ["could not understand the date `soon`"]);
    assert!(answer.hits.is_empty());
}

#[test]
fn files_tell_when_specs_were_changed_that_do_not_say() {
    let mut request = request("crane");
    let path = |number: usize| corpus()[number].path.clone();
    request.filter.dates = [(path(0), 100), (path(1), 200), (path(2), 300)].into();
    request.filter.since = Some(150);
    request.filter.until = Some(250);
    let found: Vec<_> = answer_to(&request).hits.into_iter().map(|hit| hit.spec.name).collect();
    assert_eq!(found, ["002-pilot-roster"]);
    let filter = lore_schema::Filter { dates: request.filter.dates.clone(), ..Default::default() };
    let by_field = request.with_query("crane updated:>1971").with_filter(filter);
    assert!(answer_to(&by_field).hits.is_empty());
}

#[test]
fn without_words_the_score_is_neutral_and_the_newest_comes_first() {
    let answer = answer_to(&request("created:>2000"));
    let names: Vec<_> = answer.hits.iter().map(|hit| hit.spec.name.as_str()).collect();
    assert_eq!(names, ["002-pilot-roster", "001-crane-booking", "003-old-crane"]);
    let scores: Vec<_> = answer.hits.iter().map(|hit| hit.score).collect();
    assert_eq!(scores, [50, 50, 45]);
}

#[test]
fn scores_are_cut_for_show_only() {
    let answer = answer_to(&request("crane"));
    assert!(answer.hits.iter().take(2).all(|hit| hit.score == 100));
    // "crane" once in the body, late or not, whole word: 1 × 2 × 1.5 × 10.
    assert_eq!(answer.hits[2].score, 30);
}

#[test]
fn archived_specs_are_a_choice() {
    let with = |archived| {
        let attributes = AttributeFilter { archived, ..AttributeFilter::default() };
        let answer = answer_to(&request("crane").with_attributes(attributes));
        answer.hits.into_iter().map(|hit| hit.spec.name).collect::<Vec<_>>()
    };
    assert_eq!(with(Archived::Include).len(), 3);
    assert_eq!(with(Archived::Exclude), ["001-crane-booking", "002-pilot-roster"]);
    assert_eq!(with(Archived::Only), ["003-old-crane"]);
}

#[test]
fn partial_matches_are_a_hint_and_never_hits() {
    let answer = answer_to(&request("pilot submarine"));
    assert_eq!((answer.hits.len(), answer.total), (0, 0));
    let partial: Vec<_> = answer.partial.iter().map(|hit| hit.spec.name.as_str()).collect();
    assert_eq!(partial, ["002-pilot-roster", "001-crane-booking"]);
    assert_eq!(answer.partial[0].missing, ["submarine"]);
    let strict = rank(&corpus(), &request("pilot submarine"), true).expect("understood");
    assert!(strict.partial.is_empty() && strict.near.is_empty());
    let near = answer_to(&request("brooking")).near;
    assert_eq!(near, [("brooking".to_owned(), "booking".to_owned())]);
}

#[test]
fn matches_are_few_apart_and_lead_to_their_line() {
    let answer = answer_to(&request("crane"));
    let hit = &answer.hits[0];
    let fields: Vec<_> = hit.matches.iter().map(|found| found.field.as_str()).collect();
    assert_eq!(fields, ["title", "name", "tags", "description", "content"]);
    let text = &corpus()[0].text;
    for found in &hit.matches {
        let characters: Vec<char> = found.text.chars().collect();
        for &(start, end) in &found.highlights {
            let word: String = characters[start..end].iter().collect();
            assert_eq!(word.to_lowercase(), "crane");
        }
        if let Some(line) = found.line {
            let line = text.lines().nth(line as usize - 1).expect("the line is there");
            assert!(line.to_lowercase().contains("crane"), "{line}");
        }
    }
    assert_eq!(
        hit.mentions,
        [
            (LeanField::Title, 1),
            (LeanField::Name, 1),
            (LeanField::Tags, 1),
            (LeanField::Description, 1),
            (LeanField::Content, 3)
        ]
    );
    assert_eq!(hit.total_matches(), 7);
}

#[test]
fn other_pages_of_a_folder_belong_to_the_spec() {
    let mut documents = corpus();
    let mut testing = page("001-crane-booking", "# Testing\n\nWith a dummy load of concrete.\n");
    testing.path = "specs/001-crane-booking/TESTING.md".into();
    testing.key.locator.clone_from(&testing.path);
    testing.attributes.id = Some("001-crane-booking/TESTING".into());
    testing.attributes.extra.push(("parent".into(), "001-crane-booking".into()));
    documents.push(testing);
    let answer = rank(&documents, &request("booking concrete"), false).expect("understood");
    assert_eq!(answer.searched, 3);
    assert_eq!(answer.hits.len(), 1);
    let hit = &answer.hits[0];
    assert_eq!(hit.spec.path, "specs/001-crane-booking/README.md");
    assert_eq!(hit.spec.pages, ["specs/001-crane-booking/TESTING.md"]);
    let found = hit.matches.iter().find(|found| found.field == LeanField::Content);
    let found = found.expect("the page is searched");
    assert_eq!(found.page.as_deref(), Some("specs/001-crane-booking/TESTING.md"));
    assert_eq!(found.line, Some(3));
}

#[test]
fn metadata_is_no_content() {
    let mut document = page("004-fog", "# Fog\n\n> **Status**: planned\n\nA horn.\n");
    document.metadata.push(7..29);
    let answer = rank(&[document.clone()], &request("status"), false).expect("understood");
    assert!(answer.hits.is_empty());
    let answer = rank(&[document], &request("horn"), false).expect("understood");
    assert_eq!(answer.hits[0].matches.last().and_then(|found| found.line), None, "described");
}

#[test]
fn letters_of_every_script_are_found_where_they_stand() {
    let documents = [page(
        "005-écluse",
        "# L'ÉCLUSE\n\nx\n\n## Plan\n\nİİİ 🚀 L'ÉTUDE de l'écluse, 水門の仕様。\n",
    )];
    for (query, expected) in
        [("étude", "ÉTUDE"), ("ÉTUDE", "ÉTUDE"), ("仕様", "仕様"), ("水門", "水門")]
    {
        let answer = rank(&documents, &request(query), false).expect("understood");
        let found = answer.hits[0].matches.last().expect("there is a match");
        let (start, end) = found.highlights[0];
        let slice: String = found.text.chars().skip(start).take(end - start).collect();
        assert_eq!((slice.as_str(), found.line), (expected, Some(7)), "{query}");
    }
}

#[test]
fn what_cannot_be_understood_is_an_error() {
    let error = |query: &str| rank(&corpus(), &request(query), false).err();
    assert!(matches!(error("  "), Some(EngineError::EmptyQuery)));
    assert!(matches!(error("\"\""), Some(EngineError::EmptyQuery)));
    for query in ["crane AND", "AND", "tag:", "\"crane", "(crane"] {
        assert!(matches!(error(query), Some(EngineError::Query(_))), "{query}");
    }
    let answer = answer_to(&request("foo:bar"));
    assert_eq!(answer.warnings, ["`foo:` is no field here: it is searched as text"]);
    assert!(answer.hits.is_empty());
    let raw = answer_to(&request("crane AND").with_syntax(Syntax::Raw));
    assert_eq!(raw.total, 3, "`and` is a function word");
}

#[test]
fn filters_come_before_the_ranking_and_change_no_order() {
    let filtered = |attributes| {
        let answer = answer_to(&request("crane").with_attributes(attributes));
        let names: Vec<_> = answer.hits.into_iter().map(|hit| hit.spec.name).collect();
        (names, answer.searched)
    };
    let none = AttributeFilter::default;
    let planned = filtered(AttributeFilter { statuses: vec!["Planned".into()], ..none() });
    assert_eq!(planned, (vec!["002-pilot-roster".to_owned()], 1));
    let epic = AttributeFilter {
        fields: vec![("epic".into(), "dock-1".into())],
        priorities: vec!["HIGH".into(), "low".into()],
        assignees: vec!["ada".into()],
        tags: vec!["harb*".into()],
        ..none()
    };
    assert_eq!(filtered(epic), (vec!["001-crane-booking".to_owned()], 1));
    let tag = AttributeFilter { tags: vec!["none".into()], ..none() };
    assert_eq!(filtered(tag), (Vec::new(), 0));
    let both = |more: &str| AttributeFilter { tags: vec!["harb*".into(), more.into()], ..none() };
    assert_eq!(filtered(both("crane")), (vec!["001-crane-booking".to_owned()], 1), "all tags");
    assert_eq!(filtered(both("none")), (Vec::new(), 0));
    let limited = answer_to(&request("crane").with_limit(1));
    assert_eq!((limited.hits.len(), limited.total), (1, 3));
}

proptest::proptest! {
    #[test]
    fn more_evidence_never_lowers_a_score(
        words in proptest::collection::vec("(crane|cranes|pilot|x)", 0..8),
        place in 0_usize..8,
        more in "(crane|cranes|pilot)",
    ) {
        // Mentions are far enough down that an insertion moves none of them out of the start.
        let score = |words: &[String]| {
            let filler = "- ".repeat(60);
            let text = format!("# T\n\n{filler}\n\n{} crane pilot\n", words.join(" "));
            let documents = [page("009-t", &text)];
            let answer = rank(&documents, &request("crane pilot"), false).expect("understood");
            answer.hits[0].score
        };
        let before = score(&words);
        let mut grown = words.clone();
        grown.insert(place.min(grown.len()), more);
        proptest::prop_assert!(before <= score(&grown));
    }
}

#[test]
fn other_forms_of_a_word_match_and_score() {
    let documents = [
        page("001-parser", "# Parser\n\nThe implementation of a parser, with one token.\n"),
        page("002-lexer", "# Lexer\n\nNothing else.\n"),
    ];
    let hits = |query: &str| -> Vec<(String, u8)> {
        let answer = rank(&documents, &request(query), false).expect("a query that is understood");
        answer.hits.into_iter().map(|hit| (hit.spec.name, hit.score)).collect()
    };
    // A form scores like a part of a word: here 75 for the description and 15 for the content.
    assert_eq!(hits("implementing"), [("001-parser".to_owned(), 90)]);
    assert_eq!(hits("implement"), hits("implementing"));
    // Beside a word as typed, a form matches and scores nothing.
    assert_eq!(hits("parser implementing"), hits("parser"));
    assert_eq!(hits("tokens").len(), 1);
    assert!(hits("impressing").is_empty());
    let answer = rank(&documents, &request("implementing"), false).expect("a query");
    let (start, end) = answer.hits[0].matches[0].highlights[0];
    assert_eq!(&answer.hits[0].matches[0].text[start..end], "implementation");
}

#[test]
fn specs_among_test_input_are_skipped() {
    assert!(is_fixture("packages/cli/test-fixtures/adr-sample/docs/adr/0001-use.md"));
    assert!(is_fixture("src/__fixtures__/specs/001-a"));
    assert!(!is_fixture("specs/012-fixtures-editor/README.md"));
}
