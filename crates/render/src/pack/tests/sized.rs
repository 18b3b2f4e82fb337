//! An answer has the size of its sureness.

use lore_engine::{Confidence, Sureness};

use super::*;

fn confidence(sureness: Sureness, complete: Option<&str>) -> Confidence {
    let complete = complete.map(str::to_owned);
    Confidence { sureness, probability: 0.9, hits: 3, complete }
}

/// A function of 40 lines whose lines from this one on are the best passage.
fn with_passage(rank: usize, line: u32) -> Hit {
    let number = line - 9;
    let text = (number..number + 5).map(|at| format!("    let value_{at} = compute({at});"));
    let text = text.collect::<Vec<_>>().join("\n");
    // `value_N` of the second line.
    let highlights = vec![(text.find('\n').unwrap_or(0) + 9, text.find('\n').unwrap_or(0) + 16)];
    let snippet = Snippet { text, start_line: line, highlights };
    Hit { snippet, ..function(rank, 40) }
}

#[test]
fn a_sure_answer_is_its_lines_and_an_unsure_one_a_list() {
    let mut answer = response((1..=20).map(|rank| with_passage(rank, 30)).collect());
    answer.warnings.clear();
    let text = |answer: &SearchResponse| {
        pack(answer, &Holders::default(), &PackRequest::default(), None).expect("it fits").text
    };
    answer.receipt.confidence = Some(confidence(Sureness::Found, None));
    let found = text(&answer);
    insta::assert_snapshot!("found", found);
    answer.receipt.confidence = Some(confidence(Sureness::Likely, None));
    insta::assert_snapshot!("likely", text(&answer));
    answer.receipt.confidence = Some(confidence(Sureness::Unsure, None));
    insta::assert_snapshot!("unsure", text(&answer));
    answer.receipt.confidence = Some(confidence(Sureness::Found, Some("all 4 callers of retry")));
    assert!(text(&answer).starts_with("found, all 4 callers of retry: no need to look further\n"));
}

#[test]
fn answers_have_the_size_of_their_sureness() {
    let hits: Vec<Hit> = (1..=60).map(|rank| with_passage(rank, 20)).collect();
    let long = response(hits);
    for (sureness, most) in
        [(Sureness::Found, 250), (Sureness::Likely, 450), (Sureness::Unsure, 350)]
    {
        for mut answer in [long.clone(), fixture::hostile()] {
            answer.receipt.confidence = Some(confidence(sureness, None));
            let mut request = PackRequest::default();
            let mut seen = Vec::new();
            let mut most = most;
            loop {
                let packed = packed(&answer, &request);
                let counted = Tokenizer::O200k.count(&packed.text);
                assert!(counted <= most, "{counted} of {most}: {}", packed.text);
                seen.extend(packed.shown.iter().map(|shown| shown.hit));
                for shown in &packed.shown {
                    let of_hit = &packed.text[..shown.end];
                    for line in &shown.lines {
                        assert!(of_hit.contains(&format!("{line}")), "{line}: {of_hit}");
                    }
                }
                most = 500;
                request.cursor = packed.next_cursor;
                if request.cursor.is_none() {
                    break;
                }
            }
            assert_eq!(seen, (0..answer.hits.len()).collect::<Vec<_>>());
        }
    }
}

#[test]
fn files_are_listed_for_a_name_a_pattern_and_on_request() {
    for (query, pattern, lists_files, expected) in [
        ("retry", None, false, true),
        ("how is a refund retried", None, false, false),
        ("how is a refund retried", None, true, true),
        ("retry (a|b)", Some(lore_engine::PatternKind::Regex), false, true),
    ] {
        let mut search = SearchRequest::new(query).with_pattern(pattern);
        PackRequest { lists_files, ..PackRequest::default() }.apply_to(&mut search);
        assert_eq!(search.extras.holders, expected, "{query}");
    }
}

#[test]
fn an_unsure_answer_names_the_next_query() {
    let mut answer = response(vec![function(1, 9)]);
    answer.receipt.confidence = Some(confidence(Sureness::Unsure, None));
    for (query, unknown, expected) in [
        (
            "why is a refund retried",
            vec![],
            "unsure: if none of these fits, ask the same with `--in git`",
        ),
        ("how does a retry end", vec![], "unsure: if none of these fits, ask `retry_1`"),
        (
            "how is a refund frobnicated",
            vec!["frobnicated"],
            "unsure: if none of these fits, ask `how is a refund`",
        ),
        ("retry_1", vec![], "unsure: if none of these fits, search for a literal with ripgrep"),
    ] {
        answer.query = query.to_owned();
        let unknown_words = unknown.into_iter().map(str::to_owned).collect();
        answer.absence = Some(Absence { unknown_words, ..Absence::default() });
        let text = packed(&answer, &PackRequest::default()).text;
        assert_eq!(text.lines().next(), Some(expected));
    }
}
