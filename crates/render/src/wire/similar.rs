//! The wire form of answers about similar code.

use lore_engine::{ExistsResponse, Helper, Hit, NearClone, RelatedResponse, Subject, Usage};
use serde::Serialize;
use serde_json::Value;

use super::{AbsenceWire, HitWire, ReceiptWire, SCHEMA, absence, hit_at, receipt, rounded, search};
use crate::output::{Answer, offsets::Offsets, similar};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SubjectWire<'a> {
    id: &'a str,
    source: &'static str,
    kind: &'a str,
    title: &'a str,
    path: Option<&'a str>,
    start_line: Option<u32>,
    end_line: Option<u32>,
}

/// The wire form of an answer of `lore related`: that of a search, with the compared passage.
pub fn related(response: &RelatedResponse, answer: &Answer<'_>) -> Value {
    let Subject { id, source, kind, title, path, start_line, end_line } = &response.subject;
    let subject = SubjectWire {
        id,
        source: source.as_str(),
        kind,
        title,
        path: path.as_deref(),
        start_line: *start_line,
        end_line: *end_line,
    };
    let mut value = search(answer);
    value["subject"] = serde_json::to_value(subject).expect("every key is a string");
    value
}

/// An answer of `lore exists`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExistsWire<'a> {
    schema: u32,
    query: &'a str,
    asked: &'static str,
    verdict: &'static str,
    summary: String,
    clones: Vec<CloneWire<'a>>,
    clone_count: usize,
    clone_files: usize,
    helpers: Vec<HelperWire<'a>>,
    nearest: Option<HitWire<'a>>,
    absence: Option<AbsenceWire<'a>>,
    receipt: ReceiptWire<'a>,
    warnings: &'a [String],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CloneWire<'a> {
    #[serde(flatten)]
    hit: HitWire<'a>,
    held: f64,
    common_lines: f64,
}

#[derive(Serialize)]
struct HelperWire<'a> {
    #[serde(flatten)]
    hit: HitWire<'a>,
    usage: Option<UsageWire>,
}

#[derive(Serialize)]
struct UsageWire {
    uses: usize,
    files: usize,
    perhaps: usize,
}

/// The wire form of an answer of `lore exists`.
pub fn exists(response: &ExistsResponse) -> ExistsWire<'_> {
    ExistsWire {
        schema: SCHEMA,
        query: &response.query,
        asked: response.input.as_str(),
        verdict: response.verdict.as_str(),
        summary: similar::summary(response),
        clones: response.clones.iter().map(near_clone).collect(),
        clone_count: response.clone_count,
        clone_files: response.clone_files,
        helpers: response.helpers.iter().map(helper).collect(),
        nearest: response.nearest.as_ref().map(plain),
        absence: response.absence.as_ref().map(absence),
        receipt: receipt(&response.receipt),
        warnings: &response.warnings,
    }
}

fn plain(hit: &Hit) -> HitWire<'_> {
    hit_at(hit, None, Offsets::default())
}

fn near_clone(clone: &NearClone) -> CloneWire<'_> {
    CloneWire {
        hit: plain(&clone.hit),
        held: rounded(clone.held),
        common_lines: rounded(clone.common_lines),
    }
}

fn helper(helper: &Helper) -> HelperWire<'_> {
    let usage = |Usage { uses, files, perhaps }| UsageWire { uses, files, perhaps };
    HelperWire { hit: plain(&helper.hit), usage: helper.usage.map(usage) }
}
