//! Snapshots of the format for people.

use lore_engine::{Absence, FilterLoss, SearchResponse};
use lore_highlight::Theme;

use super::*;
use crate::output::{self, fixture, links::Links, style::Amount};

fn written(response: &SearchResponse, style: &Style) -> String {
    let text = output::written(&Human, response, style);
    // Makes escape sequences readable in the snapshots.
    text.replace('\x1b', "␛")
}

/// The answer with ten hits.
fn ten_hits() -> SearchResponse {
    let mut response = fixture::response();
    let hits: Vec<Hit> = response.hits.iter().cycle().take(10).cloned().collect();
    response.hits = (1..).zip(hits).map(|(rank, hit)| Hit { rank, ..hit }).collect();
    response
}

#[test]
fn hits_are_listed_by_rank() {
    insta::assert_snapshot!(written(&fixture::response(), &Style::plain()));
}

#[test]
fn hits_are_grouped_by_request() {
    let style = Style { grouping: Grouping::Always, ..Style::plain() };
    insta::assert_snapshot!(written(&fixture::response(), &style));
}

#[test]
fn details_are_shown_by_request() {
    let style = Style { verbose: true, ..Style::plain() };
    insta::assert_snapshot!(written(&fixture::response(), &style));
}

#[test]
fn ten_hits_fit_on_a_screen() {
    for width in [40, 60, 80, 120, 200] {
        let style = Style { width, amount: Amount::Screen, ..Style::plain() };
        let mut response = ten_hits();
        response.follow_ups.clear();
        let text = written(&response, &style);
        assert!(text.lines().count() <= SCREEN, "{width}: {text}");
        let ranks = text.lines().filter_map(|line| line.split_once(". ")?.0.trim().parse().ok());
        let ranks: Vec<usize> = ranks.collect();
        assert_eq!(ranks, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], "{width}: {text}");
        for line in text.lines().filter(|line| !line.contains("docs/refunds.md")) {
            assert!(columns(line) <= width, "{width}: {line}");
        }
    }
}

#[test]
fn places_are_links_and_code_has_colours() {
    let format = "kitty".parse().expect("a format");
    let links = Links::new(format, std::path::Path::new("/tree"), "box", None);
    let style = Style { color: true, theme: Theme::Dark, links: Some(links), ..Style::plain() };
    let text = written(&fixture::response(), &style);
    assert!(
        text.contains("␛]8;;file://box/tree/src/refund.rs#9␛\\␛[35msrc/refund.rs:9␛[0m␛]8;;␛\\")
    );
    assert!(text.contains("␛[38;5;177mpub␛[0m"), "{text}");
    // The match keeps the colour of its class.
    assert!(text.contains("␛[1m␛[4m␛[38;5;117mretry_refund␛[0m"), "{text}");
}

#[test]
fn a_terminal_has_colours_and_icons() {
    let style = Style { color: true, icons: true, ..Style::plain() };
    insta::assert_snapshot!(written(&fixture::response(), &style));
}

#[test]
fn a_narrow_terminal_cuts_lines() {
    let style = Style { width: 44, grouping: Grouping::Never, ..Style::plain() };
    insta::assert_snapshot!(written(&fixture::response(), &style));
}

#[test]
fn explanations_are_tables() {
    insta::assert_snapshot!(written(&fixture::explained(), &Style::plain()));
}

#[test]
fn control_sequences_of_files_are_not_written() {
    insta::assert_snapshot!(written(&fixture::hostile(), &Style::plain()));
}

#[test]
fn an_answer_without_hits_is_the_receipt() {
    insta::assert_snapshot!(written(&fixture::nothing(), &Style::plain()));
    let response = fixture::nothing();
    let absence = response.absence.as_ref().expect("there is no hit");
    insta::assert_snapshot!(super::absence(&response.query, absence).join("\n"), @r"
    nothing found for `refnd`
      no document contains `refnd`
      of the documents that contain a word, `--lang rust` removed 12
      near: `refund`, `Refunds`
    ");
}

#[test]
fn filters_are_reported_as_they_were_typed() {
    let kind = || FilterLoss { name: "kind", values: vec!["function".to_owned()], removed: 3 };
    let absence = Absence { filters: vec![kind()], ..Absence::default() };
    let last_line = |query: &str| super::absence(query, &absence).pop().expect("a line");
    assert_eq!(
        last_line("refund Type:function"),
        "  of the documents that contain a word, `Type:function` removed 3"
    );
    assert_eq!(
        last_line("refund type"),
        "  of the documents that contain a word, `--kind function` removed 3"
    );
    assert_eq!(last_line("kind:function tag:a"), "  of the documents, `kind:function` removed 3");
    assert_eq!(last_line(" "), "  of the documents, `--kind function` removed 3");
}
