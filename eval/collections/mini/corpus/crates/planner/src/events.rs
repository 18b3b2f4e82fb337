//! What happened, in the order in which it happened.

use std::collections::VecDeque;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    BerthReserved { vessel: u64, from: i64 },
    BerthReleased { vessel: u64 },
    CallDelayed { vessel: u64, minutes: i64 },
    StormWarning { gust_dm: u32 },
}

/// Keeps the newest events for subscribers that fell behind. Older ones must be read from the ledger.
#[derive(Debug)]
pub struct EventLog {
    first: u64,
    events: VecDeque<Event>,
    capacity: usize,
}

impl EventLog {
    pub fn with_capacity(capacity: usize) -> EventLog {
        EventLog { first: 0, events: VecDeque::with_capacity(capacity), capacity }
    }

    pub fn append(&mut self, event: Event) -> u64 {
        if self.events.len() == self.capacity {
            self.events.pop_front();
            self.first += 1;
        }
        self.events.push_back(event);
        self.first + self.events.len() as u64 - 1
    }

    /// Events from a sequence number on; `None` when the subscriber is too far behind.
    pub fn since(&self, sequence: u64) -> Option<impl Iterator<Item = &Event>> {
        let skip = sequence.checked_sub(self.first)?;
        Some(self.events.iter().skip(skip as usize))
    }
}
