//! The rule of the floor, statement by statement.

use lore_schema::{Attributes, DocKey, TextOrigin, Trust};

use super::*;

fn node(id: &str, description: &str, body: &str) -> Node {
    Node {
        id: id.to_owned(),
        title: id.to_owned(),
        path: format!(".spec/{id}/spec.md"),
        description: description.to_owned(),
        body: body.to_owned(),
        code: Vec::new(),
    }
}

/// Nodes that hold none of the words of the tests, so that no word is in every node.
fn with_fillers(mut nodes: Vec<Node>) -> Vec<Node> {
    for filler in ["alpha", "bravo", "charlie", "delta", "echoes"] {
        nodes.push(node(filler, "Nothing of interest.", "Plain filler prose, written at length."));
    }
    nodes
}

fn check(nodes: Vec<Node>, query: &str, expected: &[&str]) {
    let answer = rank(&with_fillers(nodes), query, 10);
    let ids: Vec<&str> = answer.hits.iter().map(|hit| hit.id.as_str()).collect();
    assert_eq!(ids, expected, "{query}");
    assert!(answer.hits.iter().all(|hit| 0.0 < hit.score), "{query}");
    assert!(answer.hits.is_sorted_by(|left, right| right.score <= left.score), "{query}");
}

#[test]
fn names_outrank_descriptions_and_descriptions_bodies() {
    let nodes = vec![
        node("third", "Quiet.", "The anchor is mentioned here in passing."),
        node("second", "Where the anchor is described.", "Quiet prose about it."),
        node("anchor", "Quiet.", "Quiet prose about it."),
        node("moored-weighanchors", "Quiet.", "Quiet prose about it."),
    ];
    check(nodes, "where is the anchor?", &["anchor", "moored-weighanchors", "second", "third"]);
}

#[test]
fn words_match_from_their_start_except_inside_names() {
    check(vec![node("first", "", "A domain of its own.")], "main", &[]);
    check(vec![node("domain", "", "Nothing.")], "main", &["domain"]);
    check(vec![node("first", "", "It is merging now.")], "merge", &["first"]);
    check(vec![node("first", "", "They merge now.")], "merging", &["first"]);
    check(vec![node("first", "", "One session.")], "sessions", &["first"]);
}

#[test]
fn tiers_of_names_hold_in_trees_of_every_size() {
    for size in [0, 1, 8, 62, 3_000] {
        let mut nodes = vec![
            node("domain", "", ""),
            node("main-guard-of-the-trunk", "", ""),
            node("the-maintenance-of-old-piers", "", ""),
            node("body", "The main.", "The main of it."),
        ];
        nodes.extend((0..size).map(|number| node(&format!("n{number}"), "Nothing.", "Prose.")));
        let answer = rank(&with_fillers(nodes), "main", 10);
        let ids: Vec<&str> = answer.hits.iter().map(|hit| hit.id.as_str()).collect();
        assert_eq!(ids[2..], ["domain", "body"], "{size}");
        let first = &ids[..2];
        assert!(first.contains(&"main-guard-of-the-trunk"), "{size}: {ids:?}");
        assert!(first.contains(&"the-maintenance-of-old-piers"), "{size}: {ids:?}");
    }
}

#[test]
fn a_plural_does_not_flood_names_with_the_singular() {
    let nodes = vec![
        node("spec-lint", "Checks.", "Prose."),
        node("spec-tree", "Draws.", "Prose."),
        node("owner", "Which specs own a file.", "Prose."),
    ];
    check(nodes, "specs", &["owner"]);
}

#[test]
fn a_part_of_a_word_of_a_name_counts_less_than_the_word() {
    let nodes = vec![node("portable-layout", "", ""), node("port", "", "")];
    check(nodes, "port", &["port", "portable-layout"]);
}

#[test]
fn no_word_outweighs_a_name() {
    let mut nodes = vec![node("tide-table", "", ""), node("xylophone", "", "")];
    nodes.extend((0..3000).map(|number| node(&format!("n{number}"), "", "")));
    let answer = rank(&nodes, "tide table xylophone", 10);
    let scores: Vec<f64> = answer.hits.iter().map(|hit| hit.score).collect();
    assert_eq!(scores, [16.0, 8.0]); // 8 tide + 8 table; 8 xylophone
}

#[test]
fn scores_are_sums_of_best_fields() {
    let nodes = vec![
        node("one", "About cranes.", "Cranes, cranes and cranes."),
        node("two", "", ""),
        node("three", "", ""),
        node("four", "", ""),
    ];
    let answer = rank(&nodes, "cranes", 10);
    // ln(4/1) = 1.386; description of 2 words, average 0.5, at least 1: saturation
    // 2.2 / (1 + 1.2 * (0.6 + 0.4 * 2)) = 0.821, times 2.2 = 1.806; body of 4 words, average 1:
    // 3 * 2.2 / (3 + 1.2 * (0.6 + 0.4 * 4)) = 1.170. The description is the best field.
    assert!((answer.hits[0].score - 2.5).abs() < 1e-9); // 1.386 * 1.806
}

#[test]
fn repeated_mentions_beat_one_in_a_long_text() {
    let long = format!("The winch is named once. {}", "Many other words follow here. ".repeat(60));
    let nodes = vec![node("aa", "", &long), node("bb", "", "The winch: a winch is no winch.")];
    check(nodes, "winch", &["bb", "aa"]);
}

#[test]
fn a_word_that_every_node_holds_finds_nothing() {
    let nodes: Vec<Node> =
        ["a1", "b2", "c3"].iter().map(|id| node(id, "", "A spec of something.")).collect();
    assert!(rank(&nodes, "spec", 10).hits.is_empty());
}

#[test]
fn a_single_node_can_be_found() {
    let answer = rank(&[node("only", "", "The lighthouse.")], "lighthouse", 10);
    assert_eq!(answer.hits.len(), 1);
    assert!(rank(&[node("only", "", "The lighthouse.")], "harbour", 10).hits.is_empty());
}

#[test]
fn ties_go_to_the_shorter_identifier_then_to_the_smaller() {
    let nodes = vec![node("ccc", "", "quay"), node("bbb", "", "quay"), node("dd", "", "quay")];
    check(nodes, "quay", &["dd", "bbb", "ccc"]);
}

#[test]
fn chinese_is_searched_by_characters() {
    let nodes = vec![node("tree", "", "每个节点是一个 spec"), node("other", "", "没有关系")];
    check(nodes.clone(), "节点", &["tree"]);
    check(nodes, "会话", &[]);
}

#[test]
fn function_words_alone_find_nothing() {
    check(vec![node("how", "does it", "the is")], "how does the it is", &[]);
    check(vec![node("how", "", "")], "", &[]);
    check(vec![node("first", "", "There are too many owners.")], "too many", &["first"]);
}

#[test]
fn nearest_titles_only_where_nothing_is_found() {
    let nodes = with_fillers(vec![node("keyboard-nav", "", "Keys."), node("quay", "", "")]);
    let answer = rank(&nodes, "kyeboard", 10);
    assert!(answer.hits.is_empty());
    assert_eq!(answer.nearest, ["keyboard-nav"]);
    assert!(rank(&nodes, "keyboard", 10).nearest.is_empty());
    assert!(rank(&nodes, "会话", 10).nearest.is_empty());
    assert!(rank(&nodes, "zzzzzzzzzz", 10).nearest.is_empty());
}

#[test]
fn snippets_are_one_line_around_the_first_match() {
    let before = "Words that come before it. ".repeat(20);
    let after = "Words\n\tthat come after it. ".repeat(20);
    let nodes =
        with_fillers(vec![node("first", "Short.", &format!("{before}The Capstan turns. {after}"))]);
    let snippet = rank(&nodes, "capstan", 10).hits.remove(0).snippet;
    assert!(snippet.starts_with('…') && snippet.ends_with('…'), "{snippet}");
    assert!(snippet.contains("The Capstan turns. Words that"), "{snippet}");
    assert!(snippet.chars().count() <= 142 && !snippet.contains('\n'), "{snippet}");

    let check = |description: &str, body: &str, query: &str, expected: &str| {
        let nodes = with_fillers(vec![node("capstan", description, body)]);
        assert_eq!(rank(&nodes, query, 10).hits[0].snippet, expected);
    };
    check("What it is.", "A body.", "capstan", "What it is.");
    check("", "A body.", "capstan", "A body.");
    check("", "", "capstan", "");
    check("Of the set.", "All settings.", "settings", "Of the set. All settings.");
}

#[test]
fn the_answer_counts_nodes_and_words_and_obeys_its_limit() {
    let nodes =
        vec![node("aa", "one two", "three"), node("bb", "", "three four"), node("cc", "", "")];
    let answer = rank(&nodes, "three", 1);
    assert_eq!(answer.hits.len(), 1);
    assert_eq!((answer.nodes, answer.tokens), (3, 11)); // ids and titles count, too
    assert_eq!(rank(&[], "three", 1), SpecAnswer::default());
}

#[test]
fn documents_become_nodes() {
    let text = "---\ntitle: x\n---\n# Berths\nstatus line\nProse.\n";
    let document = |source, id: Option<&str>, title: &str| Document {
        key: DocKey { source, locator: "specs/7/README.md".to_owned() },
        path: "specs/7/README.md".to_owned(),
        format: "leanspec",
        kind: "spec",
        title: title.to_owned(),
        text: text.to_owned(),
        origin: TextOrigin::File,
        metadata: vec![0..17, 26..38],
        attributes: Attributes { id: id.map(str::to_owned), ..Attributes::default() },
        trust: Trust::Own,
    };
    let nodes = nodes(&[
        document(SourceName::Specs, Some("7"), "Berths"),
        document(SourceName::Docs, Some("8"), "Not a spec"),
        document(SourceName::Specs, None, ""),
    ]);
    assert_eq!(nodes.len(), 2);
    assert_eq!((nodes[0].id.as_str(), nodes[0].title.as_str()), ("7", "Berths"));
    assert_eq!(nodes[0].body, "# Berths\nProse.\n");
    assert_eq!(nodes[1].title, "specs/7/README.md");
}

#[test]
fn order_does_not_depend_on_the_order_of_the_nodes() {
    let mut nodes = with_fillers(vec![
        node("crane", "Lifts boxes.", "A crane lifts a box onto a ship."),
        node("box", "What is lifted.", "Ships carry boxes."),
        node("ship", "", "A ship carries a box."),
    ]);
    let expected = rank(&nodes, "which crane lifts boxes onto ships", 10);
    assert_eq!(expected.hits.len(), 3);
    nodes.reverse();
    assert_eq!(rank(&nodes, "which crane lifts boxes onto ships", 10), expected);
}

#[test]
fn odd_texts_are_survived() {
    let long = "x".repeat(100_000);
    for text in ["", "\u{0}", "e\u{301}", "İSTANBUL ß ŉ", "…🙂…", "a\r\nb", long.as_str()]
    {
        let nodes = with_fillers(vec![node(text, text, text), node("aa", text, text)]);
        rank(&nodes, text, 10);
        rank(&nodes, "istanbul", 10);
        rank(&nodes, &format!("{text} {text}q"), 10);
    }
}
