//! The wire form of drift: JSON, SARIF 2.1.0 and baselines.

use std::fmt::Write as _;

use lore_console::dates;
use lore_engine::{DriftFinding, DriftResponse, DriftState};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::{SCHEMA, tenths};

/// The address of the schema of SARIF.
const SARIF_SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// An answer of `lore drift`.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DriftWire<'a> {
    /// Version of the form of this object: 1. It increases when a key changes its meaning or is
    /// removed.
    schema: u32,
    /// Findings.
    findings: Vec<FindingWire<'a>>,
    /// Number of checked documents.
    documents: usize,
    /// Number of checked statements.
    statements: usize,
    /// Number of searched commits.
    commits: usize,
    /// True if the tree has a history to compare with.
    has_history: bool,
    /// True if everything was checked within the time limit.
    complete: bool,
    /// Time in milliseconds.
    elapsed_ms: f64,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct FindingWire<'a> {
    /// Path from the root, with `/` between names.
    path: &'a str,
    /// Line of the file, from 1.
    line: usize,
    /// Column of the line, from 1.
    column: usize,
    /// Kind of the statement, such as path, link, symbol, flag or version.
    kind: &'static str,
    /// gone, renamed, moved, changed, broken or unknown.
    state: &'static str,
    /// The statement.
    text: &'a str,
    /// The name that it contains.
    name: &'a str,
    /// Form of the statement, such as a code span or a comment.
    place: &'static str,
    /// Present name or value; null if unknown.
    replacement: Option<&'a str>,
    /// Commit that made the statement untrue; null if unknown.
    commit: Option<CommitWire<'a>>,
    /// True if a change that is not committed made it untrue.
    uncommitted: bool,
}

#[derive(Serialize, JsonSchema)]
struct CommitWire<'a> {
    /// Hash of the commit.
    hash: &'a str,
    /// Time, RFC 3339 in UTC.
    date: Option<String>,
    /// Subject line.
    subject: &'a str,
}

/// The findings that later runs omit.
#[derive(Serialize, JsonSchema)]
pub struct BaselineWire<'a> {
    /// Version of the form of this object: 1. It increases when a key changes its meaning or is
    /// removed.
    schema: u32,
    /// Findings that later runs omit.
    findings: Vec<KnownWire<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct KnownWire<'a> {
    /// Path from the root, with `/` between names.
    path: &'a str,
    /// Kind of the statement.
    kind: &'static str,
    /// The statement.
    text: &'a str,
    /// The name that it contains.
    name: &'a str,
}

/// The wire form of drift.
pub fn drift(response: &DriftResponse) -> DriftWire<'_> {
    DriftWire {
        schema: SCHEMA,
        findings: response.findings.iter().map(finding).collect(),
        documents: response.documents,
        statements: response.statements,
        commits: response.commits,
        has_history: !response.has_no_history,
        complete: !response.is_cut,
        elapsed_ms: tenths(response.elapsed_ms),
    }
}

/// The baseline with all findings. Lines are omitted, because they change with every edit.
pub fn drift_baseline(response: &DriftResponse) -> BaselineWire<'_> {
    let known = response.findings.iter().map(|finding| KnownWire {
        path: &finding.path,
        kind: finding.kind.as_str(),
        text: &finding.text,
        name: &finding.name,
    });
    BaselineWire { schema: SCHEMA, findings: known.collect() }
}

fn finding(finding: &DriftFinding) -> FindingWire<'_> {
    FindingWire {
        path: &finding.path,
        line: finding.line,
        column: finding.column,
        kind: finding.kind.as_str(),
        state: finding.state.as_str(),
        text: &finding.text,
        name: &finding.name,
        place: finding.place.as_str(),
        replacement: finding.replacement.as_deref(),
        commit: finding.commit.as_ref().map(|commit| CommitWire {
            hash: &commit.hash,
            date: commit.date.and_then(dates::rfc3339),
            subject: &commit.subject,
        }),
        uncommitted: finding.is_uncommitted,
    }
}

/// The log of drift in SARIF 2.1.0, with one rule for each state.
pub fn drift_sarif(response: &DriftResponse) -> Value {
    let rules: Vec<Value> = DriftState::ALL
        .iter()
        .map(|state| {
            json!({
                "id": rule(*state),
                "shortDescription": { "text": description(*state) },
                "defaultConfiguration": { "level": level(*state) },
            })
        })
        .collect();
    let results: Vec<Value> = response.findings.iter().map(sarif_result).collect();
    json!({
        "$schema": SARIF_SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "lore drift",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn sarif_result(finding: &DriftFinding) -> Value {
    let mut message = format!("`{}`: {}", finding.text, description(finding.state));
    if let Some(now) = &finding.replacement {
        let _ = write!(message, " Now: `{now}`.");
    }
    if let Some(commit) = &finding.commit {
        let _ = write!(message, " Commit {}: {}", commit.hash, commit.subject);
    }
    let index = DriftState::ALL.iter().position(|state| *state == finding.state);
    json!({
        "ruleId": rule(finding.state),
        "ruleIndex": index,
        "level": level(finding.state),
        "message": { "text": message },
        "locations": [{ "physicalLocation": {
            "artifactLocation": { "uri": uri(&finding.path), "uriBaseId": "%SRCROOT%" },
            "region": { "startLine": finding.line, "startColumn": finding.column },
        } }],
        "partialFingerprints": {
            "drift/v1": format!("{}:{}:{}", finding.kind.as_str(), finding.text, finding.name),
        },
    })
}

fn rule(state: DriftState) -> String {
    format!("drift/{}", state.as_str())
}

fn description(state: DriftState) -> &'static str {
    match state {
        DriftState::Gone => "The statement names something that was removed.",
        DriftState::Renamed => "The statement names something that was renamed.",
        DriftState::Moved => "The statement names a file that was moved.",
        DriftState::Changed => "The statement names a value or parameter that changed.",
        DriftState::Broken => "The link leads nowhere.",
        DriftState::Unknown => "The statement names something that does not exist.",
    }
}

fn level(state: DriftState) -> &'static str {
    if state == DriftState::Unknown { "note" } else { "warning" }
}

/// A relative path as a relative URI.
fn uri(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use lore_engine::{DriftCommit, StatementKind, StatementPlace};

    use super::*;

    fn response() -> DriftResponse {
        let finding = DriftFinding {
            kind: StatementKind::Symbol,
            state: DriftState::Renamed,
            path: "docs/a b.md".to_owned(),
            line: 3,
            column: 5,
            text: "Disk::save".to_owned(),
            name: "save".to_owned(),
            place: StatementPlace::Span,
            replacement: Some("store".to_owned()),
            commit: Some(DriftCommit {
                hash: "1a2b3c4d".to_owned(),
                date: Some(0),
                subject: "disk: rename save".to_owned(),
            }),
            is_uncommitted: false,
        };
        DriftResponse { findings: vec![finding], ..DriftResponse::default() }
    }

    #[test]
    fn sarif_has_the_required_properties() {
        let log = drift_sarif(&response());
        assert_eq!(log["version"], "2.1.0");
        let run = &log["runs"][0];
        let driver = &run["tool"]["driver"];
        assert!(driver["name"].is_string());
        let rules = driver["rules"].as_array().unwrap();
        assert!(rules.iter().all(|rule| rule["id"].is_string()));
        let result = &run["results"][0];
        assert!(result["message"]["text"].as_str().unwrap().contains("store"));
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
        assert!(["none", "note", "warning", "error"].contains(&result["level"].as_str().unwrap()));
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "docs/a%20b.md");
        assert!(place["region"]["startLine"].as_u64().unwrap() >= 1);
        assert!(place["region"]["startColumn"].as_u64().unwrap() >= 1);
    }

    #[test]
    fn json_has_every_key() {
        let value = serde_json::to_value(drift(&response())).unwrap();
        let finding = value["findings"][0].as_object().unwrap();
        for key in [
            "path",
            "line",
            "kind",
            "state",
            "text",
            "name",
            "replacement",
            "commit",
            "uncommitted",
        ] {
            assert!(finding.contains_key(key), "{key}");
        }
        let baseline = serde_json::to_value(drift_baseline(&response())).unwrap();
        assert!(baseline["findings"][0].get("line").is_none());
    }
}
