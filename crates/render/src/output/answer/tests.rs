//! Answers within budgets, in every format.

use proptest::{collection::vec, option, prelude::*};
use serde_json::Value;

use super::*;
use crate::{
    budget::{BudgetError, Fitted, fit},
    output::{FORMATS, fixture, format},
};

/// The fixture's answer with a body for each hit.
fn response() -> SearchResponse {
    let mut response = fixture::response();
    for hit in &mut response.hits {
        let text = format!("// {}\n{}", hit.title, "    let refund = retry(refund)?;\n".repeat(20));
        hit.body = Some(Snippet { text, start_line: 1, highlights: vec![(3, 8)] });
    }
    response
}

fn fitted(name: &str, response: &SearchResponse, tokens: usize) -> Result<Fitted, BudgetError> {
    let format = format(name).expect("there is such a format");
    let style = Style::plain();
    let page = Page::new(format, response, &style, Offsets::Char);
    fit(&page, tokens, Tokenizer::O200k)
}

/// Number of tokens of an answer, counted by another implementation.
fn count(text: &str) -> usize {
    bpe_openai::o200k_base().count(text)
}

#[test]
fn text_formats_report_the_level_of_each_hit() {
    let written = |tokens| fitted("human", &response(), tokens).expect("it fits").text;
    insta::assert_snapshot!(written(700));
    insta::assert_snapshot!(written(170));
    insta::assert_snapshot!(fitted("markdown", &response(), 400).expect("it fits").text);
}

#[test]
fn json_reports_the_level_of_each_hit() {
    let fitted = fitted("json", &response(), 1_500).expect("it fits");
    let json: Value = serde_json::from_str(&fitted.text).expect("JSON");
    let budget = &json["receipt"]["budget"];
    assert_eq!(budget["tokens"], 1_500);
    assert_eq!(budget["used"], count(&fitted.text));
    assert_eq!(budget["tokenizer"], "o200k");
    let degraded: Vec<&str> = json["results"]
        .as_array()
        .expect("an array")
        .iter()
        .filter_map(|hit| hit["degraded"].as_str())
        .collect();
    let levels: Vec<&str> = fitted.levels.iter().map(|level| level.as_str()).collect();
    assert_eq!(degraded, levels[..degraded.len()]);
    assert!(levels[degraded.len()..].iter().all(|level| *level == "dropped"));
    assert_eq!(budget["dropped"], levels.len() - degraded.len());
}

#[test]
fn dropped_hits_are_listed_if_they_fit() {
    let mut response = response();
    for hit in &mut response.hits[1..] {
        hit.snippet.text = "long ".repeat(400);
    }
    // Room for the first hit, but not for a second one, even without a passage.
    let whole = fitted(
        "json",
        &SearchResponse { hits: response.hits[..1].to_vec(), ..response.clone() },
        9_000,
    )
    .expect("it fits")
    .budget_report
    .used;
    let fitted = fitted("json", &response, whole).expect("it fits");
    let json: Value = serde_json::from_str(&fitted.text).expect("JSON");
    let budget = &json["receipt"]["budget"];
    assert_eq!(budget["dropped"], 3);
    let ids = budget["droppedIds"].as_array().expect("there is room");
    let expected: Vec<&str> = response.hits[1..].iter().map(|hit| hit.id.as_str()).collect();
    assert_eq!(ids.iter().filter_map(Value::as_str).collect::<Vec<_>>(), expected);
    assert_eq!(json["receipt"]["exhaustive"], false);
}

#[test]
fn every_key_is_present_at_every_level() {
    let response = response();
    let keys = |text: &str| -> Vec<Vec<String>> {
        let json: Value = serde_json::from_str(text).expect("JSON");
        let results = json["results"].as_array().expect("an array");
        results
            .iter()
            .filter_map(|hit| hit.as_object().map(|hit| hit.keys().cloned().collect()))
            .collect()
    };
    let style = Style::plain();
    let json = format("json").expect("there is JSON");
    let whole = keys(&crate::output::written(json, &response, &style)).remove(0);
    let page = Page::new(json, &response, &style, Offsets::Char);
    let levels = [Level::Body, Level::Snippet, Level::Signature, Level::Path];
    let budget_report =
        BudgetReport { tokens: 9, used: 9, tokenizer: Tokenizer::Cl100k, names_dropped: true };
    let text = page.render(&levels, &budget_report).expect("it is written");
    for hit_keys in keys(&text) {
        assert_eq!(hit_keys, whole);
    }
    let json: Value = serde_json::from_str(&text).expect("JSON");
    let hits = &json["results"];
    let body = response.hits[0].body.as_ref().expect("there is a body");
    assert_eq!(hits[0]["snippet"], body.text);
    assert_eq!(hits[0]["tokenCount"], bpe_openai::cl100k_base().count(body.text.as_str()));
    assert_eq!(hits[1]["snippet"], response.hits[1].snippet.text);
    assert_eq!(hits[2]["snippet"], Value::Null);
    assert_eq!(hits[3]["signature"], Value::Null);
    assert_eq!(hits[3]["path"], "src/retry.rs");
}

fn hit(number: usize, name: &str, lines: &[String], with_path: bool) -> Hit {
    let mut hit = fixture::response().hits[number % 4].clone();
    let text = lines.join("\n");
    hit.rank = number + 1;
    hit.id = format!("code:{number}#{name}");
    hit.path = with_path.then(|| format!("src/{number}/{name}"));
    hit.title = name.to_owned();
    hit.snippet.text = lines.first().cloned().unwrap_or_default();
    hit.body = Some(Snippet { text, start_line: 9, highlights: vec![(0, 3)] });
    hit
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn no_format_exceeds_the_budget(
        hits in vec((any::<String>(), vec("\\PC{0,60}", 0..9), any::<bool>()), 0..14),
        tokens in 1_usize..4_000,
        warning in option::of("\\PC{0,40}"),
    ) {
        let hits: Vec<Hit> = hits
            .iter()
            .enumerate()
            .map(|(number, (name, lines, with_path))| hit(number, name, lines, *with_path))
            .collect();
        let warnings = warning.into_iter().collect();
        let response = SearchResponse { hits, warnings, ..fixture::response() };
        for format in FORMATS {
            match fitted(format.name(), &response, tokens) {
                Ok(fitted) => {
                    let used = count(&fitted.text);
                    prop_assert!(used <= tokens, "{} has {used} of {tokens}", format.name());
                    prop_assert_eq!(used, fitted.budget_report.used);
                }
                Err(BudgetError::TooSmall { least }) => {
                    prop_assert!(least > tokens);
                    prop_assert!(fitted(format.name(), &response, least).is_ok());
                }
                Err(BudgetError::Unwritten(error)) => panic!("{error}"),
            }
        }
    }
}
