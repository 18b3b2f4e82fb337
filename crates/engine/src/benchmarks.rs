//! Timings of private functions for `benches/latency.rs`, with the feature `benchmarks`. Not part of the
//! public interface.

pub use crate::{graph::latency::lookups, rank::latency::candidates};

/// The best time of a function over several rounds.
#[derive(Debug)]
pub struct Timing {
    /// The function and its input.
    pub name: String,
    /// Milliseconds that it took.
    pub ms: f64,
    /// Maximum milliseconds in an optimised build; infinite if there is no limit.
    pub max_ms: f64,
}
