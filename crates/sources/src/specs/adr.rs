//! Architecture decision records in the forms of Nygard and adr-tools, MADR, and Backlog.md:
//! numbered Markdown files in a folder for decisions, at any depth, and `adr-NNN-title.md` anywhere.

use lore_schema::Document;

use super::page::{Page, read_pages, stem};
use crate::{
    UnitFiles,
    front_matter::Dialect,
    markdown::{self, is_markdown},
    store::{Listing, Reader, UnitContent},
    units::Claim,
    value::Value,
};

pub(super) struct Adr;

/// Labels of MADR that do not correspond to an attribute.
const LABELS: &[&str] =
    &["consulted", "deciders", "decision-makers", "informed", "supersedes", "technical story"];

impl Reader for Adr {
    fn name(&self) -> &'static str {
        "adr"
    }

    fn claim(&self, listing: &Listing<'_>) -> Vec<Claim> {
        (0..listing.entries().len())
            .filter(|&index| is_record(listing.path(index)))
            .map(|index| Claim::file(listing, index))
            .collect()
    }

    fn read(&self, tree: &UnitFiles<'_>, unit: &Claim) -> UnitContent {
        read_pages(tree, unit, document)
    }
}

/// Returns whether a path is that of a record. Called for every file of a tree.
fn is_record(path: &str) -> bool {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let (above, last) = folder.rsplit_once('/').unwrap_or(("", folder));
    let is_folder = match last {
        "adr" | "adrs" | "ADR" => true,
        "decisions" => {
            let parent = above.rsplit('/').next().unwrap_or(above);
            matches!(parent, "doc" | "docs" | "architecture" | "backlog" | ".backlog")
        }
        _ => false,
    };
    let is_named = || name.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("adr"));
    (is_folder || is_named()) && is_markdown(name) && number(name).is_some()
}

/// Returns the number in the name of a record: `0001-use-x.md`, `ADR-7 use x.md`, `decision-1 -
/// Use-x.md`.
fn number(name: &str) -> Option<&str> {
    let start = name.find(|character: char| character.is_ascii_digit())?;
    let prefix = name[..start].trim_end_matches(['-', '_', ' ']);
    let is_prefix =
        ["", "adr", "decision", "madr"].iter().any(|known| prefix.eq_ignore_ascii_case(known));
    let digits = name[start..].bytes().take_while(u8::is_ascii_digit).count();
    let rest = &name[start + digits..];
    (is_prefix && digits <= 6 && rest.starts_with(['-', '_', ' ', '.']))
        .then(|| &name[start..start + digits])
}

/// Reads a page.
pub(super) fn document(path: &str, text: String) -> Document {
    let mut page = Page::new(path, text, Dialect::Yaml);
    page.take_labels(LABELS);
    take_plain_labels(&mut page);
    if page.attributes.status.is_none() {
        page.attributes.status = status_section(&page);
    }
    if let Some((status, successor)) = page.attributes.status.as_deref().and_then(superseded) {
        page.add("supersededBy", successor);
        page.attributes.status = Some(status);
    }
    let name = path.rsplit('/').next().unwrap_or(path);
    let stated = page.attributes.id.clone();
    let id = stated.unwrap_or_else(|| number(name).unwrap_or(stem(path)).to_owned());
    let title = page
        .stated_title
        .take()
        .or_else(|| page.heading().map(|heading| without_number(heading).to_owned()))
        .unwrap_or_else(|| stem(path).to_owned());
    page.into_document("adr", "decision", id, title)
}

/// Reads labels that are not bold (`Date: 2020-01-02`, `* Status: accepted`) above the first
/// section.
fn take_plain_labels(page: &mut Page) {
    let mut found: Vec<(&str, String)> = Vec::new();
    for line in markdown::lines(&page.text, page.body).filter(|line| !line.verbatim) {
        if page.metadata.contains(&line.range) {
            continue;
        }
        if markdown::heading(line.text).is_some_and(|(level, _)| level >= 2) {
            break;
        }
        let Some((name, value)) = line.text.trim_start_matches(['*', '-', ' ']).split_once(':')
        else {
            continue;
        };
        let known = ["date", "deciders", "status"]
            .into_iter()
            .chain(LABELS.iter().copied())
            .find(|known| known.eq_ignore_ascii_case(name.trim()));
        if let Some(known) = known {
            page.metadata.push(line.range);
            found.push((known, value.trim().to_owned()));
        }
    }
    for (name, value) in found {
        crate::attributes::keep(&mut page.attributes, name, &Value::of_text(&value));
    }
}

/// Returns the first line of the section `## Status`.
fn status_section(page: &Page) -> Option<String> {
    markdown::sections(&page.text, page.body, 2)
        .into_iter()
        .find(|section| section.level == 2 && section.title.eq_ignore_ascii_case("status"))?
        .body
        .lines()
        .map(|line| line.trim().trim_start_matches(['*', '-', ' ']).trim_end_matches(['*', '.']))
        .find(|line| !line.is_empty() && !line.starts_with("<!--"))
        .map(|line| markdown::without_sign(line).to_owned())
}

/// Splits `Superseded by [2. Use y](0002-use-y.md)` into the bare status and the successor.
fn superseded(status: &str) -> Option<(String, String)> {
    let (word, successor) = status.split_once(" by ")?;
    let word = word.trim();
    if !["superseded", "superceded", "replaced"]
        .iter()
        .any(|known| word.eq_ignore_ascii_case(known))
    {
        return None;
    }
    // The target of a link is the best name of the record.
    let target = successor
        .split_once("](")
        .and_then(|(_, target)| target.split(')').next())
        .unwrap_or(successor);
    Some((word.to_owned(), target.trim().trim_matches(['[', ']', '.']).to_owned()))
}

/// Removes the record's number from a heading: `1. Use x`, `ADR-001: Use x`.
fn without_number(heading: &str) -> &str {
    let rest = heading
        .get(..3)
        .filter(|start| start.eq_ignore_ascii_case("adr"))
        .map_or(heading, |_| heading[3..].trim_start_matches(['-', ' ']));
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let title = rest[digits..].trim_start();
    match title.strip_prefix(['.', ':', '-', '\u{2013}', '\u{2014}']) {
        Some(title) if digits > 0 && !title.trim().is_empty() => title.trim(),
        _ => heading,
    }
}
