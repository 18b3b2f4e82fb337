//! Traces of a server, sent to the OpenTelemetry collector that the user's own settings name.
//!
//! A trace is handed over when its request has been answered. A thread of the library sends traces in batches;
//! while it waits for a slow collector, a bounded number is kept and further ones are dropped.

#[cfg(feature = "otlp")]
mod otlp;

use std::{borrow::Cow, time::SystemTime};

#[cfg(not(feature = "otlp"))]
use lore_settings::address::Address;

#[cfg(feature = "otlp")]
pub use self::otlp::Exporter;

/// The trace of a request.
#[derive(Debug, Clone)]
pub struct Trace {
    /// Identifier, not zero.
    pub id: [u8; 16],
    /// The whole request.
    pub request: Span,
    /// Its stages.
    pub stages: Vec<Span>,
}

/// A part of a trace.
#[derive(Debug, Clone)]
pub struct Span {
    /// Name, of a small set.
    pub name: Cow<'static, str>,
    /// Start.
    pub started: SystemTime,
    /// End.
    pub ended: SystemTime,
    /// True if it failed.
    pub is_error: bool,
    /// Attributes by name.
    pub attributes: Vec<(&'static str, Attribute)>,
}

/// Value of an attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Attribute {
    /// A text.
    Text(String),
    /// A number.
    Number(i64),
    /// Several texts.
    Texts(Vec<String>),
}

/// Results of the requests to the collector so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Exports {
    /// Requests that the collector accepted.
    pub accepted: u64,
    /// Requests that failed.
    pub failed: u64,
}

/// A build without traces.
#[cfg(not(feature = "otlp"))]
#[derive(Debug)]
pub enum Exporter {}

#[cfg(not(feature = "otlp"))]
impl Exporter {
    /// Fails: this build cannot send traces.
    pub fn start(_: &Address) -> anyhow::Result<Exporter> {
        anyhow::bail!("could not send traces: this build of lore lacks the cargo feature `otlp`")
    }

    /// Sends nothing.
    pub fn send(&self, _: Trace) {
        match *self {}
    }

    /// Counts nothing.
    pub fn exports(&self) -> Exports {
        match *self {}
    }

    /// Waits for nothing.
    pub fn finish(&self) {
        match *self {}
    }
}
