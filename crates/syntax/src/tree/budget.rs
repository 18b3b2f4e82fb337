//! Limits on the work for one text.

use std::{
    ops::ControlFlow,
    time::{Duration, Instant},
};

use crate::limits::{PARSE_STEPS, PARSE_STEPS_PER_KILOBYTE, parse_time};

/// Limits for one text: steps of the parser and of the query each, and the total time.
pub(super) struct Budget {
    steps: usize,
    deadline: Instant,
}

impl Budget {
    pub(super) fn new(text: &str) -> Budget {
        Budget {
            steps: PARSE_STEPS + text.len() / 1_024 * PARSE_STEPS_PER_KILOBYTE,
            deadline: Instant::now() + parse_time(text.len()),
        }
    }

    /// Extends the deadline by a wait that the text did not cause.
    pub(super) fn extend(&mut self, wait: Duration) {
        self.deadline += wait;
    }

    /// Counts one step, and breaks when the budget is spent.
    pub(super) fn step(&self, steps: &mut usize) -> ControlFlow<()> {
        *steps += 1;
        let spent = *steps > self.steps || Instant::now() > self.deadline;
        if spent { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
