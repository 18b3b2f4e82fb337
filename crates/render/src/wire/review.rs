//! The wire form of a review.

use lore_engine::{ReviewFinding, ReviewResponse, ReviewedFile};
use schemars::JsonSchema;
use serde::Serialize;

use super::{ReceiptWire, SCHEMA, receipt};

/// An answer of `lore review`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReviewWire<'a> {
    schema: u32,
    files: Vec<ReviewedFileWire<'a>>,
    findings: Vec<ReviewFindingWire<'a>>,
    related: Vec<RelatedFileWire<'a>>,
    omitted: usize,
    receipt: ReceiptWire<'a>,
    warnings: &'a [String],
}

/// A changed file.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ReviewedFileWire<'a> {
    path: &'a str,
    old_path: Option<&'a str>,
    added: usize,
    removed: usize,
    definitions: Vec<ReviewedDefinitionWire<'a>>,
}

/// A changed definition. `line` is 1-based, in the old text if the definition was removed.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ReviewedDefinitionWire<'a> {
    name: &'a str,
    change: &'static str,
    line: u32,
}

/// Something that the change touches or may break.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReviewFindingWire<'a> {
    kind: &'static str,
    path: Option<&'a str>,
    line: Option<u32>,
    name: &'a str,
    subject: &'a str,
    evidence: &'a str,
    quote: &'a str,
    support: Option<SupportWire>,
    certainty: &'static str,
}

/// Number of commits that changed both files, and of all commits of the changed file.
#[derive(Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SupportWire {
    both: usize,
    all: usize,
}

/// A file that the change does not contain. `score` is the estimated chance that it should.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RelatedFileWire<'a> {
    path: &'a str,
    score: f64,
    reasons: &'a [String],
}

/// The wire form of a review.
pub fn review(response: &ReviewResponse) -> ReviewWire<'_> {
    let related = response.related.iter().map(|file| RelatedFileWire {
        path: &file.path,
        score: (file.score * 1e3).round() / 1e3,
        reasons: &file.reasons,
    });
    ReviewWire {
        schema: SCHEMA,
        files: response.files.iter().map(file).collect(),
        findings: response.findings.iter().map(review_finding).collect(),
        related: related.collect(),
        omitted: response.omitted,
        receipt: receipt(&response.receipt),
        warnings: &response.warnings,
    }
}

/// The wire form of a finding.
pub fn review_finding(finding: &ReviewFinding) -> ReviewFindingWire<'_> {
    ReviewFindingWire {
        kind: finding.kind.as_str(),
        path: finding.path.as_deref(),
        line: finding.line,
        name: &finding.name,
        subject: &finding.subject,
        evidence: &finding.evidence,
        quote: &finding.quote,
        support: finding.support.map(|(both, all)| SupportWire { both, all }),
        certainty: finding.certainty.as_str(),
    }
}

fn file(file: &ReviewedFile) -> ReviewedFileWire<'_> {
    let definitions = file.definitions.iter().map(|definition| ReviewedDefinitionWire {
        name: &definition.name,
        change: definition.change.as_str(),
        line: definition.line,
    });
    ReviewedFileWire {
        path: &file.path,
        old_path: file.old_path.as_deref(),
        added: file.added,
        removed: file.removed,
        definitions: definitions.collect(),
    }
}
