//! The wire form of answers about similar code.

use lore_engine::{ExistsResponse, Helper, Hit, NearClone, RelatedResponse, Subject, Usage};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{
    AbsenceWire, HitWire, ReceiptWire, SCHEMA, SearchWire, absence, hit_at, receipt, rounded,
    search_wire,
};
use crate::output::{Answer, offsets::Offsets, similar};

/// A passage that others are compared with.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SubjectWire<'a> {
    /// Identifier, which other commands accept.
    id: &'a str,
    /// Source: code, docs, git, patterns, specs or tickets.
    source: &'static str,
    /// Kind, such as function, class, section, spec, ticket or commit.
    kind: &'a str,
    /// Title or name of the compared passage.
    title: &'a str,
    /// Path from the root, with `/` between names; null without a file.
    path: Option<&'a str>,
    /// First line, from 1.
    start_line: Option<u32>,
    /// Last line, from 1, included.
    end_line: Option<u32>,
}

/// An answer of `lore related`: that of a search, with the compared passage.
#[derive(Serialize, JsonSchema)]
pub(super) struct RelatedWire<'a> {
    #[serde(flatten)]
    search: SearchWire<'a>,
    /// The compared passage.
    subject: SubjectWire<'a>,
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
    let related = RelatedWire { search: search_wire(answer), subject };
    serde_json::to_value(related).expect("every key is a string")
}

/// An answer of `lore exists`.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExistsWire<'a> {
    /// Version of the form of this object: 1. It increases when a key changes its meaning or is
    /// removed.
    schema: u32,
    /// The text, as it was typed.
    query: &'a str,
    /// code or intent.
    asked: &'static str,
    /// yes, perhaps or no.
    verdict: &'static str,
    /// The result in one line.
    summary: String,
    /// Code that is nearly the same.
    clones: Vec<CloneWire<'a>>,
    /// Number of near clones, shown or not.
    clone_count: usize,
    /// Number of files with near clones.
    clone_files: usize,
    /// Definitions that do the same in other words.
    helpers: Vec<HelperWire<'a>>,
    /// Most similar definition, if nothing is similar enough.
    nearest: Option<HitWire<'a>>,
    /// Reasons why nothing was found; null if there is an answer.
    absence: Option<AbsenceWire<'a>>,
    /// Conditions of the answer: tree, freshness, searched sources.
    receipt: ReceiptWire<'a>,
    /// Problems that did not stop the run, one line each.
    warnings: &'a [String],
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct CloneWire<'a> {
    #[serde(flatten)]
    hit: HitWire<'a>,
    /// Share of the text that the clone contains, from 0 to 1.
    held: f64,
    /// Share of equal lines, from 0 to 1.
    common_lines: f64,
}

#[derive(Serialize, JsonSchema)]
struct HelperWire<'a> {
    #[serde(flatten)]
    hit: HitWire<'a>,
    /// Uses of the definition; null if unknown.
    usage: Option<UsageWire>,
}

#[derive(Serialize, JsonSchema)]
struct UsageWire {
    /// Number of uses.
    uses: usize,
    /// Number of files with uses.
    files: usize,
    /// Number of uses by name alone.
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
