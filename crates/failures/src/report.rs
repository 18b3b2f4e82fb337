//! What a log tells: failures with their frames, as they were written.

/// How grave a failure is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Something went wrong.
    Error,
    /// Something is suspicious.
    Warning,
}

impl Severity {
    /// The name that users read.
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
        }
    }
}

/// A place that a failure names.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Frame {
    /// The path as it was written, with `/` between its parts; of a JVM frame its package and file.
    /// Empty where only a name is told.
    pub path: String,
    /// Line, 1-based.
    pub line: Option<u32>,
    /// Column, 1-based, as the tool counts them.
    pub column: Option<u32>,
    /// The function as it was written, without its arguments.
    pub function: Option<String>,
}

impl Frame {
    /// A place in a file. Zeros, which some tools write for what they do not know, are nothing.
    pub(crate) fn at(path: &str, line: Option<u32>, column: Option<u32>) -> Frame {
        Frame {
            path: path.trim().replace('\\', "/"),
            line: line.filter(|line| *line > 0),
            column: column.filter(|column| *column > 0),
            function: None,
        }
    }

    /// The same, in a function. Blank names are none.
    pub(crate) fn within(self, function: &str) -> Frame {
        let name = function.trim();
        Frame { function: (!name.is_empty()).then(|| name.to_owned()), ..self }
    }

    /// The frame in a line of text: `src/refund.py:12 retry`.
    pub fn summary(&self) -> String {
        let mut told = self.path.clone();
        if let Some(line) = self.line {
            told.push(':');
            told.push_str(&line.to_string());
        }
        if let Some(function) = &self.function {
            if !told.is_empty() {
                told.push(' ');
            }
            told.push_str(function);
        }
        told
    }
}

/// A failure: an exception, a panic, a message of a compiler, a test that did not pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The family of tools that writes so: `python`, `rust` …
    pub family: &'static str,
    /// How grave it is.
    pub severity: Severity,
    /// The type of the exception or the code of the message; empty where there is none.
    pub kind: String,
    /// What it says, on one line.
    pub message: String,
    /// The test that failed.
    pub test: Option<String>,
    /// Its places, from the failing point outwards.
    pub frames: Vec<Frame>,
    /// What brought it about, the nearest cause first. They have no causes of their own.
    pub causes: Vec<Failure>,
    /// How often the log tells it.
    pub count: usize,
}

impl Failure {
    /// A failure without places.
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

    /// Every place, those of the root cause first.
    pub fn all_frames(&self) -> impl Iterator<Item = &Frame> {
        self.causes.iter().rev().chain([self]).flat_map(|one| one.frames.iter())
    }

    /// The failure in a line of text: `ValueError: the amount is negative`.
    pub fn summary(&self) -> String {
        match (self.kind.is_empty(), self.message.is_empty()) {
            (true, true) => self.test.clone().unwrap_or_else(|| self.severity.as_str().to_owned()),
            (true, false) => self.message.clone(),
            (false, true) => self.kind.clone(),
            (false, false) => format!("{}: {}", self.kind, self.message),
        }
    }

    /// Makes what follows in a chain the failure, and this one its nearest cause.
    pub(crate) fn causing(mut self, mut next: Failure) -> Failure {
        let earlier = std::mem::take(&mut self.causes);
        next.causes.push(self);
        next.causes.extend(earlier);
        next
    }
}

/// Longest message that is kept, in bytes.
const LONGEST_MESSAGE: usize = 2_000;

/// A text on one line, without blanks at its ends, cut where it is very long.
pub fn one_line(text: &str) -> String {
    let mut line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.truncate(line.floor_char_boundary(LONGEST_MESSAGE));
    line
}

/// What was read of a log.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reading {
    /// The failures, in the order of the log, each once.
    pub failures: Vec<Failure>,
    /// Warnings that are not among them, since there are errors.
    pub warnings: usize,
    /// Failures beyond the most that are kept.
    pub beyond: usize,
}
