//! The wire form of the failures of a log.

use lore_engine::{Failure, FailureReport, Frame};
use schemars::JsonSchema;
use serde::Serialize;

/// The failures of a log, in the receipt of an answer.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct FailureReportWire<'a> {
    /// Failures, in the order of the log.
    failures: Vec<FailureWire<'a>>,
    /// Number of warnings in the log.
    warnings: usize,
    /// Number of failures that are not listed.
    beyond: usize,
    /// Counts of frames.
    frames: FramesWire,
    /// Places that fit several files.
    undecided: Vec<UndecidedWire<'a>>,
    /// Files that the log names by an earlier path.
    moved: Vec<MovedWire<'a>>,
    /// Number of bytes of the log that were not read.
    left_out_bytes: u64,
    /// Words of the messages that were searched.
    words: &'a str,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct FramesWire {
    /// Number of frames in files of the tree.
    in_tree: usize,
    /// Number of frames in other files.
    outside: usize,
    /// Number of frames without a file.
    unresolved: usize,
    /// Number of frames whose line was corrected.
    relocated: usize,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct FailureWire<'a> {
    /// Family of tools, such as rustc or pytest.
    family: &'static str,
    /// Severity.
    severity: &'static str,
    /// Kind of the failure, such as the class of an exception.
    kind: &'a str,
    /// Message.
    message: &'a str,
    /// Test that failed; null without one.
    test: Option<&'a str>,
    /// Number of times that it occurs.
    count: usize,
    /// Frames, innermost first.
    frames: Vec<FrameWire<'a>>,
    /// Causes of the failure.
    causes: Vec<FailureWire<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct FrameWire<'a> {
    /// Path from the root, with `/` between names.
    path: &'a str,
    /// Line of the file, from 1.
    line: Option<u32>,
    /// Column of the line, from 1.
    column: Option<u32>,
    /// Function; null if unknown.
    function: Option<&'a str>,
}

#[derive(Serialize, JsonSchema)]
struct UndecidedWire<'a> {
    /// Place as the log names it.
    place: &'a str,
    /// Paths of the files.
    candidates: &'a [String],
}

#[derive(Serialize, JsonSchema)]
struct MovedWire<'a> {
    /// Earlier path.
    from: &'a str,
    /// Present path.
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
