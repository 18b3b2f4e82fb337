//! The wire form of the failures of a log.

use lore_engine::{Failure, FailureReport, Frame};
use schemars::JsonSchema;
use serde::Serialize;

/// The failures of a log, in the receipt of an answer.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct FailureReportWire<'a> {
    failures: Vec<FailureWire<'a>>,
    warnings: usize,
    beyond: usize,
    frames: FramesWire,
    undecided: Vec<UndecidedWire<'a>>,
    moved: Vec<MovedWire<'a>>,
    left_out_bytes: u64,
    words: &'a str,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct FramesWire {
    in_tree: usize,
    outside: usize,
    unresolved: usize,
    relocated: usize,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct FailureWire<'a> {
    family: &'static str,
    severity: &'static str,
    kind: &'a str,
    message: &'a str,
    test: Option<&'a str>,
    count: usize,
    frames: Vec<FrameWire<'a>>,
    causes: Vec<FailureWire<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct FrameWire<'a> {
    path: &'a str,
    line: Option<u32>,
    column: Option<u32>,
    function: Option<&'a str>,
}

#[derive(Serialize, JsonSchema)]
struct UndecidedWire<'a> {
    place: &'a str,
    candidates: &'a [String],
}

#[derive(Serialize, JsonSchema)]
struct MovedWire<'a> {
    from: &'a str,
    to: &'a str,
}

/// Maximum number of frames of a failure: the innermost ones are written.
const MAX_FRAMES: usize = 20;

/// The wire form of the failures of a log.
pub(super) fn report(report: &FailureReport) -> FailureReportWire<'_> {
    FailureReportWire {
        failures: report.failures.iter().map(failure).collect(),
        warnings: report.warnings,
        beyond: report.beyond,
        frames: FramesWire {
            in_tree: report.in_tree,
            outside: report.outside,
            unresolved: report.unresolved,
            relocated: report.relocated,
        },
        undecided: report
            .undecided
            .iter()
            .map(|frame| UndecidedWire { place: &frame.place, candidates: &frame.candidates })
            .collect(),
        moved: report
            .moved
            .iter()
            .map(|file| MovedWire { from: &file.from, to: &file.to })
            .collect(),
        left_out_bytes: report.skipped_bytes,
        words: &report.words,
    }
}

fn failure(failure: &Failure) -> FailureWire<'_> {
    FailureWire {
        family: failure.family,
        severity: failure.severity.as_str(),
        kind: &failure.kind,
        message: &failure.message,
        test: failure.test.as_deref(),
        count: failure.count,
        frames: failure.frames.iter().take(MAX_FRAMES).map(frame).collect(),
        causes: failure.causes.iter().map(self::failure).collect(),
    }
}

fn frame(frame: &Frame) -> FrameWire<'_> {
    FrameWire {
        path: &frame.path,
        line: frame.line,
        column: frame.column,
        function: frame.function.as_deref(),
    }
}
