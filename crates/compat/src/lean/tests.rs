//! The shapes, against expectations that are written by hand from the published ones.

use lore_engine::AttributeFilter;

use super::{search::LeanSpec, *};

/// Two specs of a harbour, the second one with next to nothing.
fn answer() -> LeanAnswer {
    let found = |field, text: &str, highlights: &[(usize, usize)], line| LeanMatch {
        field,
        text: text.to_owned(),
        score: 30,
        highlights: highlights.to_vec(),
        line,
        page: None,
    };
    LeanAnswer {
        hits: vec![
            LeanHit {
                spec: LeanSpec {
                    name: "012-crane-booking".into(),
                    path: "specs/012-crane-booking/README.md".into(),
                    format: "lean-spec",
                    title: "Crane booking".into(),
                    status: Some("in-progress".into()),
                    priority: Some("high".into()),
                    tags: vec!["crane".into(), "harbour".into()],
                    assignee: Some("ada".into()),
                    created: Some(1_762_041_600),
                    custom: vec![
                        ("epic".into(), "DOCK-1".into()),
                        ("ref".into(), "a".into()),
                        ("ref".into(), "b".into()),
                    ],
                    pages: vec!["specs/012-crane-booking/TESTING.md".into()],
                    ..LeanSpec::default()
                },
                score: 95,
                mentions: vec![
                    (LeanField::Title, 1),
                    (LeanField::Tags, 1),
                    (LeanField::Description, 1),
                    (LeanField::Content, 3),
                ],
                matches: vec![
                    found(LeanField::Title, "Crane booking", &[(0, 5)], None),
                    found(LeanField::Tags, "crane, harbour", &[(0, 5)], None),
                    found(
                        LeanField::Content,
                        "...the crane of\u{1b} a berth.",
                        &[(7, 12)],
                        Some(9),
                    ),
                    LeanMatch {
                        page: Some("specs/012-crane-booking/TESTING.md".into()),
                        ..found(LeanField::Content, "A dummy crane.", &[(8, 13)], Some(3))
                    },
                ],
                missing: Vec::new(),
            },
            LeanHit {
                spec: LeanSpec {
                    name: "crane".into(),
                    path: "openspec/crane.md".into(),
                    format: "openspec",
                    title: "Crane".into(),
                    ..LeanSpec::default()
                },
                score: 40,
                mentions: vec![(LeanField::Name, 1), (LeanField::Content, 1)],
                matches: Vec::new(),
                missing: Vec::new(),
            },
        ],
        total: 2,
        searched: 1,
        words: vec!["crane".into()],
        elapsed_ms: 4.9,
        ..LeanAnswer::default()
    }
}

fn written(answer: &LeanAnswer, style: &Style) -> String {
    let mut out = Vec::new();
    human::write(answer, style, &mut out).expect("a vector takes everything");
    String::from_utf8(out).expect("text")
}

const HUMAN: &str = "\
🔍 Found 2 specs (searched 1 spec in 4 ms)

1. 012-crane-booking (95% match) [in-progress]
   🟡 high · [crane, harbour]

   Title: \"Crane booking\"
   Tags: crane

   Content (3 matches):
   \"...the crane of␛ a berth.\"
   TESTING.md: \"A dummy crane.\"

   More: +1 match in description

2. crane (40% match)

   More: +1 match in name, +1 match in content

View full spec: lean-spec view 012
Search in spec: lean-spec view 012 | grep -i \"crane\"
";

#[test]
fn people_read_the_published_layout() {
    assert_eq!(written(&answer(), &Style::plain()), HUMAN);
    let mut one = answer();
    one.hits.remove(0);
    one.total = 1;
    one.searched = 1_386;
    one.words.clear();
    assert_eq!(
        written(&one, &Style::plain()),
        "🔍 Found 1 spec (searched 1,386 specs in 4 ms)\n\n1. crane (40% match)\n\n   \
         More: +1 match in name, +1 match in content\n\nView full spec: cat openspec/crane.md\n"
    );
    let none = LeanAnswer { searched: 3, ..LeanAnswer::default() };
    assert_eq!(written(&none, &Style::plain()), "🔍 Found 0 specs (searched 3 specs in 0 ms)\n");
}

#[test]
fn matched_tags_alone_are_shown() {
    let shown = |highlights: &[(usize, usize)]| {
        let mut answer = answer();
        answer.hits[0].matches[1].text = "crane, harbour, crâne-lift".into();
        answer.hits[0].matches[1].highlights = highlights.to_vec();
        let text = written(&answer, &Style::plain());
        text.lines().find(|line| line.starts_with("   Tags: ")).expect("tags").to_owned()
    };
    assert_eq!(shown(&[(7, 14)]), "   Tags: harbour");
    assert_eq!(shown(&[(0, 5), (16, 21)]), "   Tags: crane, crâne-lift");
    assert_eq!(shown(&[(0, 14)]), "   Tags: crane, harbour, crâne-lift");
}

#[test]
fn colours_come_on_top_of_the_same_text() {
    let style = Style { color: true, ..Style::plain() };
    let colored = written(&answer(), &style);
    assert!(colored.contains("\u{1b}[1m\u{1b}[31mcrane\u{1b}[0m of␛ a berth"), "{colored:?}");
    let mut plain = String::new();
    let mut rest = colored.as_str();
    while let Some(start) = rest.find('\u{1b}') {
        plain.push_str(&rest[..start]);
        let end = rest[start..].find('m').expect("a whole sequence");
        rest = &rest[start + end + 1..];
    }
    plain.push_str(rest);
    assert_eq!(plain, HUMAN);
}

#[test]
fn programs_read_the_published_shape() {
    let specs = Specs {
        query: "crane".into(),
        answer: answer(),
        filters: filters(&SearchRequest::new("crane").with_attributes(AttributeFilter {
            statuses: vec!["in-progress".into()],
            tags: vec!["crane".into(), "harbour".into()],
            ..AttributeFilter::default()
        })),
    };
    let wire = serde_json::to_value(specs.wire()).expect("it is JSON");
    assert_eq!(
        wire,
        json!({
            "results": [
                {
                    "spec": {
                        "name": "012-crane-booking",
                        "path": "specs/012-crane-booking",
                        "status": "in-progress",
                        "priority": "high",
                        "tags": ["crane", "harbour"],
                        "title": "Crane booking",
                        "created": "2025-11-02",
                        "assignee": "ada",
                        "customFields": { "epic": "DOCK-1", "ref": ["a", "b"] },
                        "subSpecs": ["specs/012-crane-booking/TESTING.md"]
                    },
                    "score": 95,
                    "totalMatches": 6,
                    "matches": [
                        { "field": "title", "text": "Crane booking", "score": 30,
                          "highlights": [[0, 5]] },
                        { "field": "tags", "text": "crane, harbour", "score": 30,
                          "highlights": [[0, 5]] },
                        { "field": "content", "text": "...the crane of\u{1b} a berth.",
                          "score": 30, "highlights": [[7, 12]], "lineNumber": 9 },
                        { "field": "content", "text": "A dummy crane.", "score": 30,
                          "highlights": [[8, 13]], "lineNumber": 3,
                          "file": "specs/012-crane-booking/TESTING.md" }
                    ]
                },
                {
                    "spec": { "name": "crane", "path": "openspec/crane.md", "tags": [],
                              "title": "Crane" },
                    "score": 40,
                    "totalMatches": 2,
                    "matches": []
                }
            ],
            "metadata": {
                "totalResults": 2,
                "searchTime": 4,
                "query": "crane",
                "filters": { "status": "in-progress", "tags": ["crane", "harbour"] },
                "specsSearched": 1
            }
        })
    );
    let text = serde_json::to_string(&specs.wire()).expect("it is JSON");
    let order = [
        "\"results\"",
        "\"spec\"",
        "\"name\"",
        "\"path\"",
        "\"status\"",
        "\"score\"",
        "\"totalMatches\"",
        "\"matches\"",
        "\"field\"",
        "\"metadata\"",
        "\"totalResults\"",
    ];
    let places: Vec<_> = order.iter().map(|key| text.find(key).expect("it is there")).collect();
    assert!(places.is_sorted(), "{text}");
}
