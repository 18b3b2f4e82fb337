//! Parses the dates that users type.

use jiff::{Timestamp, Zoned};
use lore_engine::{Clock, Period};

/// The accepted date formats, for messages.
pub const FORMS: &str = "write 2025-01-31, 2025-01, 2025, 2025-01-31T12:00:00Z, today, yesterday, `7 days ago`, 7d, \
     2w, 12h or `last month`";

/// The current local time, in the engine's form.
pub fn clock(now: &Zoned) -> Clock {
    Clock { now: now.timestamp().as_second(), offset: now.offset().seconds() }
}

/// The period that a date describes; `None` if it is not a valid date.
pub fn period(text: &str, now: &Zoned) -> Option<Period> {
    Period::parse(text, clock(now))
}

/// The date and time in RFC 3339 and UTC; `None` for years outside the format's range.
pub fn rfc3339(seconds: i64) -> Option<String> {
    Timestamp::from_second(seconds).ok().map(|time| time.to_string())
}

/// The day in UTC, such as `2025-01-31`; `None` for years outside the format's range.
pub fn day(seconds: i64) -> Option<String> {
    Timestamp::from_second(seconds).ok().map(|time| time.strftime("%Y-%m-%d").to_string())
}
