//! Reads the dates that people type.

use jiff::{Timestamp, Zoned};
use lore_engine::{Clock, Period};

/// The forms that are understood, for messages.
pub const FORMS: &str = "write 2025-01-31, 2025-01, 2025, 2025-01-31T12:00:00Z, today, yesterday, `7 days ago`, 7d, \
     2w, 12h or `last month`";

/// What time it is here, for the engine.
pub fn clock(now: &Zoned) -> Clock {
    Clock { now: now.timestamp().as_second(), offset: now.offset().seconds() }
}

/// The stretch of time that a date stands for; `None` if it is not understood.
pub fn period(text: &str, now: &Zoned) -> Option<Period> {
    Period::parse(text, clock(now))
}

/// The date and time in RFC 3339 and UTC; `None` outside the years that the format has.
pub fn rfc3339(seconds: i64) -> Option<String> {
    Timestamp::from_second(seconds).ok().map(|time| time.to_string())
}

/// The day in UTC, as `2025-01-31`; `None` outside the years that the format has.
pub fn day(seconds: i64) -> Option<String> {
    Timestamp::from_second(seconds).ok().map(|time| time.strftime("%Y-%m-%d").to_string())
}
