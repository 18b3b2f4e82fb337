//! Snapshots of the format for people.

use lore_engine::{Absence, FilterLoss, SearchResponse};

use super::*;
use crate::output::{self, fixture};

fn written(response: &SearchResponse, style: &Style) -> String {
    let text = output::written(&Human, response, style);
    // Makes escape sequences readable in the snapshots.
    text.replace('\x1b', "␛")
}

#[test]
fn several_sources_are_grouped() {
    insta::assert_snapshot!(written(&fixture::response(), &Style::plain()));
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

#[test]
fn numbers_have_thousands_separators() {
    assert_eq!(count(0), "0");
    assert_eq!(count(999), "999");
    assert_eq!(count(1_204), "1,204");
    assert_eq!(count(1_234_567), "1,234,567");
    assert_eq!(plural(1, "hit", "hits"), "1 hit");
    assert_eq!(milliseconds(9.44).to_string(), "9.4");
    assert_eq!(milliseconds(12.7).to_string(), "13");
}

#[test]
fn sizes_are_short() {
    assert_eq!(bytes(0), "0 B");
    assert_eq!(bytes(999), "999 B");
    assert_eq!(bytes(1_000), "1.0 kB");
    assert_eq!(bytes(999_999), "1.0 MB");
    assert_eq!(bytes(41_500_000), "41.5 MB");
    assert_eq!(bytes(u64::MAX), "18446744.1 TB");
}
