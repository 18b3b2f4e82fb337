//! The wire form of a review.

use lore_engine::{ReviewFinding, ReviewResponse, ReviewedFile};
use schemars::JsonSchema;
use serde::Serialize;

use super::{ReceiptWire, SCHEMA, receipt};

/// An answer of `lore review`.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReviewWire<'a> {
    /// Version of the form of this object: 1. It increases when a key changes its meaning or is
    /// removed.
    schema: u32,
    /// Changed files.
    files: Vec<ReviewedFileWire<'a>>,
    /// Findings.
    findings: Vec<ReviewFindingWire<'a>>,
    /// Files that the change does not contain, but may need.
    related: Vec<RelatedFileWire<'a>>,
    /// Number of results that were not shown.
    omitted: usize,
    /// Conditions of the answer: tree, freshness, searched sources.
    receipt: ReceiptWire<'a>,
    /// Problems that did not stop the run, one line each.
    warnings: &'a [String],
}

/// A changed file.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ReviewedFileWire<'a> {
    /// Path from the root, with `/` between names.
    path: &'a str,
    /// Earlier path; null if the file was not renamed.
    old_path: Option<&'a str>,
    /// Number of added lines.
    added: usize,
    /// Number of removed lines.
    removed: usize,
    /// Changed definitions.
    definitions: Vec<ReviewedDefinitionWire<'a>>,
}

/// A changed definition. `line` is 1-based, in the old text if the definition was removed.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ReviewedDefinitionWire<'a> {
    /// Name.
    name: &'a str,
    /// added, body, moved, removed or signature.
    change: &'static str,
    /// Line, from 1; in the old text if the definition was removed.
    line: u32,
}

/// Something that the change touches or may break.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReviewFindingWire<'a> {
    /// caller, co-change, document, revert, spec or test.
    kind: &'static str,
    /// Path from the root, with `/` between names; null without a file.
    path: Option<&'a str>,
    /// Line of the file, from 1.
    line: Option<u32>,
    /// Name.
    name: &'a str,
    /// Definition or file of the change that it concerns.
    subject: &'a str,
    /// Evidence, in words.
    evidence: &'a str,
    /// Quoted line or text of the evidence.
    quote: &'a str,
    /// Commits behind the finding; null for other evidence.
    support: Option<SupportWire>,
    /// Certainty of the finding.
    certainty: &'static str,
}

/// Number of commits that changed both files, and of all commits of the changed file.
#[derive(Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SupportWire {
    /// Number of commits that changed both files.
    both: usize,
    /// Number of commits that changed the file.
    all: usize,
}

/// A file that the change does not contain. `score` is the estimated chance that it should.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct RelatedFileWire<'a> {
    /// Path from the root, with `/` between names.
    path: &'a str,
    /// Estimated probability that the change should contain the file.
    score: f64,
    /// Reasons, one line each.
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
