//! Failures and their frames, as written in the log.

/// Severity of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// An error.
    Error,
    /// A warning.
    Warning,
}

impl Severity {
    /// Returns the name shown to users.
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
        }
    }
}

/// A stack frame or source position.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Frame {
    /// The path as written, with `/` between its components. For a JVM frame: package and file.
    /// Empty if only a function name is known.
    pub path: String,
    /// Line, 1-based.
    pub line: Option<u32>,
    /// Column, 1-based, as counted by the tool.
    pub column: Option<u32>,
    /// The function as written, without its arguments.
    pub function: Option<String>,
}

impl Frame {
    /// Creates a frame for a position in a file. Zeros count as unknown, since some tools write
    /// them.
    pub(crate) fn at(path: &str, line: Option<u32>, column: Option<u32>) -> Frame {
        Frame {
            path: path.trim().replace('\\', "/"),
            line: line.filter(|line| *line > 0),
            column: column.filter(|column| *column > 0),
            function: None,
        }
    }

    /// Returns the frame with a function name. Blank names are ignored.
    pub(crate) fn within(self, function: &str) -> Frame {
        let name = function.trim();
        Frame { function: (!name.is_empty()).then(|| name.to_owned()), ..self }
    }

    /// Returns the frame as one line: `src/refund.py:12 retry`.
    pub fn summary(&self) -> String {
        let mut text = self.path.clone();
        if let Some(line) = self.line {
            text.push(':');
            text.push_str(&line.to_string());
        }
        if let Some(function) = &self.function {
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(function);
        }
        text
    }
}

/// A failure: an exception, a panic, a compiler message or a failed test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Tool family: `python`, `rust` …
    pub family: &'static str,
    /// Severity.
    pub severity: Severity,
    /// The exception type or the message code; empty if there is none.
    pub kind: String,
    /// The message, on one line.
    pub message: String,
    /// The test that failed.
    pub test: Option<String>,
    /// Stack frames, innermost first.
    pub frames: Vec<Frame>,
    /// Causes, nearest first. Causes have no causes of their own.
    pub causes: Vec<Failure>,
    /// Number of times the log contains it.
    pub count: usize,
}

impl Failure {
    /// Creates an error without frames.
    pub(crate) fn new(family: &'static str, kind: &str, message: &str) -> Failure {
        Failure {
            family,
            severity: Severity::Error,
            kind: kind.trim().to_owned(),
            message: one_line(message),
            test: None,
            frames: Vec::new(),
            causes: Vec::new(),
            count: 1,
        }
    }

    /// Iterates over all frames, starting with those of the root cause.
    pub fn all_frames(&self) -> impl Iterator<Item = &Frame> {
        self.causes.iter().rev().chain([self]).flat_map(|failure| failure.frames.iter())
    }

    /// Returns the failure as one line: `ValueError: the amount is negative`.
    pub fn summary(&self) -> String {
        match (self.kind.is_empty(), self.message.is_empty()) {
            (true, true) => self.test.clone().unwrap_or_else(|| self.severity.as_str().to_owned()),
            (true, false) => self.message.clone(),
            (false, true) => self.kind.clone(),
            (false, false) => format!("{}: {}", self.kind, self.message),
        }
    }

    /// Returns the next failure in a chain, with this one as its nearest cause.
    pub(crate) fn causing(mut self, mut next: Failure) -> Failure {
        let earlier = std::mem::take(&mut self.causes);
        next.causes.push(self);
        next.causes.extend(earlier);
        next
    }
}

/// Maximum length of a message, in bytes.
const MAX_MESSAGE_LEN: usize = 2_000;

/// Joins a text into one trimmed line and truncates very long text.
pub fn one_line(text: &str) -> String {
    let mut line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.truncate(line.floor_char_boundary(MAX_MESSAGE_LEN));
    line
}

/// Result of parsing a log.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reading {
    /// The failures in log order, without duplicates.
    pub failures: Vec<Failure>,
    /// Number of warnings that were dropped because there are errors.
    pub warnings: usize,
    /// Number of failures over the maximum.
    pub beyond: usize,
}
