//! Numbers, dates and names in words.

use lore_engine::Clock;

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// A number with separators, and the noun for it.
pub(crate) fn plural(count: usize, single: &str, several: &str) -> String {
    lore_render::output::plural(count as u64, single, several)
}

/// The time since a date, for people: `3 days ago`. Beyond a month, the day.
pub(crate) fn ago(seconds: i64, now: Clock) -> String {
    let passed = now.now - seconds;
    let (count, single, several) = match passed {
        ..0 => return day(seconds),
        0..MINUTE => return "just now".to_owned(),
        MINUTE..HOUR => (passed / MINUTE, "minute ago", "minutes ago"),
        HOUR..DAY => (passed / HOUR, "hour ago", "hours ago"),
        _ if passed < 31 * DAY => (passed / DAY, "day ago", "days ago"),
        _ => return day(seconds),
    };
    plural(usize::try_from(count).unwrap_or_default(), single, several)
}

/// The day of a time, in UTC.
pub(crate) fn day(seconds: i64) -> String {
    lore_console::dates::day(seconds).unwrap_or_default()
}

/// The name of a person without the address.
pub(crate) fn person(author: &str) -> &str {
    let name = author.split(" <").next().unwrap_or(author).trim();
    if name.is_empty() { author } else { name }
}

/// A text in which characters that reorder or control text are replaced, so that it looks as it is.
pub(crate) fn visible(text: &str) -> String {
    let is_hidden = |c: char| {
        (c.is_control() && c != '\n' && c != '\t') || lore_console::text::is_reordering(c)
    };
    text.chars().map(|c| if is_hidden(c) { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

/// The beginning of a hash.
pub(crate) fn short(hash: &str) -> &str {
    hash.get(..10).unwrap_or(hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_relative_for_a_month() {
        let now = Clock { now: 1_000_000_000, offset: 0 };
        let shown = |passed: i64| ago(now.now - passed, now);
        assert_eq!(shown(10), "just now");
        assert_eq!(shown(61), "1 minute ago");
        assert_eq!(shown(7_200), "2 hours ago");
        assert_eq!(shown(30 * DAY), "30 days ago");
        assert_eq!(shown(40 * DAY), "2001-07-31");
        assert_eq!(shown(-5), "2001-09-09");
        assert_eq!(person("Ada Lovelace <ada@example.org>"), "Ada Lovelace");
    }
}
