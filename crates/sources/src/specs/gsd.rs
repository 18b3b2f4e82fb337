//! GSD: the plan of a project in `.planning`. `PROJECT`, `REQUIREMENTS`, `ROADMAP` and `STATE`
//! describe the whole project, `phases/NN-name/NN-MM-{PLAN,SUMMARY}` and `NN-{CONTEXT,RESEARCH,…}`
//! its parts, `quick` small tasks, and `codebase` and `research` the findings.
//!
//! Plans have front matter and tags instead of headings. Requirements are list items, and a table
//! assigns them to phases.

use std::collections::BTreeMap;

use lore_schema::Document;

use super::page::{Page, read_pages};
use crate::{
    UnitFiles,
    front_matter::Dialect,
    header,
    markdown::{self, is_markdown},
    store::{Listing, Reader, UnitContent},
    units::Claim,
};

pub(super) struct Gsd;

const FOLDER: &str = ".planning";

impl Reader for Gsd {
    fn name(&self) -> &'static str {
        "gsd"
    }

    fn claim(&self, listing: &Listing<'_>) -> Vec<Claim> {
        listing
            .under(FOLDER)
            .filter(|&index| {
                let path = listing.path(index);
                is_markdown(path) && !path.starts_with(".planning/templates/")
            })
            .map(|index| Claim::file(listing, index))
            .collect()
    }

    fn read(&self, tree: &UnitFiles<'_>, unit: &Claim) -> UnitContent {
        read_pages(tree, unit, document)
    }
}

/// Folders in which each subfolder is a piece of work.
const WORK: &[&str] = &["phases", "quick"];

/// Reads a page.
pub(super) fn document(path: &str, text: String) -> Document {
    let mut page = Page::new(path, text, Dialect::Yaml);
    page.take_labels(&["defined", "depends on", "goal", "mode", "phase", "plan"]);
    let inner = path.strip_prefix(".planning/").unwrap_or(path);
    let inner = inner.rsplit_once('.').map_or(inner, |(inner, _)| inner);
    // Finished work is in `milestones/v1.0-phases/…` or in `milestones/v1.0/phases/…`.
    let is_done = ["archive/", "milestones/"].iter().any(|folder| inner.starts_with(folder));
    if is_done {
        page.mark_archived();
    }
    let work = piece_of_work(inner);
    let name = inner.rsplit('/').next().unwrap_or(inner);
    if let Some(work) = work {
        page.add("parent", work);
    }
    if let Some(state) = inner.strip_prefix("todos/").and_then(|rest| rest.split_once('/')) {
        page.attributes.status.get_or_insert_with(|| state.0.to_owned());
    }
    if name.ends_with("REQUIREMENTS") {
        add_requirements(&mut page);
    }
    let objective = element(&page.text[page.body..], "objective").and_then(header::first_paragraph);
    let heading = page.stated_title.take().or_else(|| page.heading().map(str::to_owned));
    let title = match (heading, work, &objective) {
        (Some(heading), ..) => heading,
        (None, Some(work), Some(objective)) => format!("{work}: {objective}"),
        (None, Some(work), None) => format!("{work}: {name}"),
        (None, None, _) => name.to_owned(),
    };
    if page.attributes.description.is_none() {
        page.attributes.description = objective;
    }
    // Numbers restart in each milestone and for small tasks: their folders stay in the name.
    let id = inner.strip_prefix("phases/").unwrap_or(inner).to_owned();
    page.into_document("gsd", kind(inner, name), id, title)
}

/// Returns the folder of the phase or the small task that a page belongs to.
fn piece_of_work(inner: &str) -> Option<&str> {
    let mut parts = inner.split('/').peekable();
    while let Some(folder) = parts.next() {
        let is_work = WORK.iter().any(|work| {
            folder == *work || folder.strip_suffix(work).is_some_and(|start| start.ends_with('-'))
        });
        if is_work {
            let work = parts.next()?;
            return parts.peek().map(|_| work);
        }
    }
    None
}

/// Returns the kind of a page, by its folder and by the upper-case word at the end of its name.
fn kind(inner: &str, name: &str) -> &'static str {
    if inner.starts_with("codebase/") || inner.starts_with("intel/") {
        return "steering";
    }
    if inner.starts_with("research/") {
        return "research";
    }
    if inner.starts_with("todos/") {
        return "tasks";
    }
    match name.rsplit('-').next().unwrap_or(name) {
        "PLAN" | "ROADMAP" | "MILESTONES" => "plan",
        "REQUIREMENTS" => "requirements",
        "RESEARCH" => "research",
        "CONTEXT" | "SPEC" => "design",
        "SUMMARY" | "VERIFICATION" | "UAT" | "VALIDATION" | "REVIEW" | "AUDIT" => "report",
        "PROJECT" | "STATE" => "steering",
        _ => "spec",
    }
}

/// Returns the text of an element such as `<objective>…</objective>`.
fn element<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(&format!("<{name}>"))?;
    rest.split_once(&format!("</{name}>")).map(|(inner, _)| inner)
}

/// Stores every requirement, whether it is done, and the phase assigned to it.
fn add_requirements(page: &mut Page) {
    let mut found: Vec<(String, Option<bool>)> = Vec::new();
    let mut traced: BTreeMap<String, String> = BTreeMap::new();
    for line in markdown::lines(&page.text, page.body).filter(|line| !line.verbatim) {
        let line = line.text.trim();
        if let Some((id, done)) = item(line) {
            if found.iter().all(|(known, _)| known != id) {
                found.push((id.to_owned(), done));
            }
        } else if let Some((id, rest)) = row(line) {
            traced.entry(id.to_owned()).or_insert(rest);
        }
    }
    let count = |wanted| found.iter().filter(|(_, done)| *done == wanted).count();
    let (done, open) = (count(Some(true)), count(Some(false)));
    if done + open > 0 {
        page.add("progress", format!("{done}/{}", done + open));
    }
    for (id, done) in found {
        match done {
            Some(true) => page.add("requirement.done", id.clone()),
            Some(false) => page.add("requirement.open", id.clone()),
            None => {}
        }
        page.add("requirement", id);
    }
    for (id, rest) in traced {
        page.add("requirement.phase", format!("{id}: {rest}"));
    }
}

/// Returns the identifier of an item such as `- [x] **SIGN-01**: …`, and whether it is done.
/// Deferred and out-of-scope items have no box.
fn item(line: &str) -> Option<(&str, Option<bool>)> {
    let rest = line.strip_prefix("- ").or_else(|| line.strip_prefix("* "))?.trim_start();
    let (done, rest) = match rest.split_at_checked(3) {
        Some(("[x]" | "[X]", rest)) => (Some(true), rest),
        Some(("[ ]", rest)) => (Some(false), rest),
        _ => (None, rest),
    };
    let (id, _) = rest.trim_start().strip_prefix("**")?.split_once("**")?;
    let id = id.trim_end_matches(':');
    is_id(id).then_some((id, done))
}

/// Returns the identifier at the start of a row of the table of phases, and its other cells.
fn row(line: &str) -> Option<(&str, String)> {
    let mut cells = line.strip_prefix('|')?.trim_end_matches('|').split('|').map(str::trim);
    let id = cells.next()?.trim_matches('*');
    let rest: Vec<&str> = cells.filter(|cell| !cell.is_empty()).collect();
    (is_id(id) && !rest.is_empty()).then(|| (id, rest.join(", ")))
}

/// Returns whether a word is the identifier of a requirement: `SIGN-01`, `V2-AUTH-3`.
fn is_id(word: &str) -> bool {
    let Some((area, number)) = word.rsplit_once('-') else { return false };
    area.starts_with(|character: char| character.is_ascii_uppercase())
        && area
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'-')
        && !number.is_empty()
        && number.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requirements_are_items_and_rows() {
        for (line, expected) in [
            ("- [x] **SIGN-01**: Users sign in", Some(("SIGN-01", Some(true)))),
            ("- [ ] **SIGN-02:** later", Some(("SIGN-02", Some(false)))),
            ("* **V2-AUTH-3**: put off", Some(("V2-AUTH-3", None))),
            ("- [x] **Phase 1: Ground**", None),
            ("- [x] SIGN-01", None),
            ("**SIGN-01**", None),
            ("- [", None),
        ] {
            assert_eq!(item(line), expected, "{line}");
        }
        assert_eq!(row("| SIGN-01 | Phase 1 | Done |"), Some(("SIGN-01", "Phase 1, Done".into())));
        assert_eq!(row("| Requirement | Phase |"), None);
        assert_eq!(row("|---|---|"), None);
        assert_eq!(row("| SIGN-01 |"), None);
    }

    #[test]
    fn pieces_of_work_and_kinds_are_read_from_paths() {
        for (inner, work, expected) in [
            ("phases/10-login/10-01-PLAN", Some("10-login"), "plan"),
            ("phases/10-login/10-RESEARCH", Some("10-login"), "research"),
            ("phases/loose", None, "spec"),
            ("quick/03-typo/03-SUMMARY", Some("03-typo"), "report"),
            ("milestones/v1.0-phases/01-a/01-01-PLAN", Some("01-a"), "plan"),
            ("milestones/v1.0-REQUIREMENTS", None, "requirements"),
            ("codebase/STACK", None, "steering"),
            ("research/SUMMARY", None, "research"),
            ("todos/pending/a", None, "tasks"),
            ("STATE", None, "steering"),
        ] {
            let name = inner.rsplit('/').next().expect("a name");
            assert_eq!((piece_of_work(inner), kind(inner, name)), (work, expected), "{inner}");
        }
    }
}
