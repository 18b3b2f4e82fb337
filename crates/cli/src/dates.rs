//! Reads the dates that people type.

use jiff::{Span, Timestamp, ToSpan, Zoned, civil::Date};

/// The forms that are understood, for messages.
pub(crate) const FORMS: &str = "write 2025-01-31, 2025-01, 2025, 2025-01-31T12:00:00Z, today, yesterday, `7 days ago`, 7d, \
     2w, 12h or `last month`";

/// The first second that a date stands for, in seconds since the epoch; `None` if it is not
/// understood.
///
/// A day, month or year starts at midnight in the time zone of `now`.
pub(crate) fn since(text: &str, now: &Zoned) -> Option<i64> {
    let text = text.trim();
    if let Ok(time) = text.parse::<Timestamp>() {
        return Some(time.as_second());
    }
    let start = match calendar(text) {
        Some(date) => date.to_zoned(now.time_zone().clone()).ok()?,
        None => words(&text.to_lowercase(), now)?,
    };
    Some(start.timestamp().as_second())
}

/// `YYYY`, `YYYY-MM` or `YYYY-MM-DD`.
fn calendar(text: &str) -> Option<Date> {
    let parts: Vec<&str> = text.split('-').collect();
    if parts.len() > 3
        || parts[0].len() != 4
        || !parts.iter().all(|part| part.bytes().all(|byte| byte.is_ascii_digit()))
        || parts[1..].iter().any(|part| part.len() > 2)
    {
        return None;
    }
    let number = |index: usize| parts.get(index).map_or(Some(1), |part| part.parse::<i8>().ok());
    Date::new(parts[0].parse().ok()?, number(1)?, number(2)?).ok()
}

/// `today`, `yesterday`, `7 days ago`, `last week`, `7d`.
fn words(text: &str, now: &Zoned) -> Option<Zoned> {
    let words: Vec<&str> = text.split_whitespace().filter(|word| *word != "ago").collect();
    match *words.as_slice() {
        ["now"] => Some(now.clone()),
        ["today"] => now.start_of_day().ok(),
        ["yesterday"] => now.checked_sub(1.day()).ok()?.start_of_day().ok(),
        ["last", name] => now.checked_sub(unit(name, 1)?).ok(),
        [count, name] => {
            let count = if matches!(count, "a" | "an") { 1 } else { count.parse::<u32>().ok()? };
            now.checked_sub(unit(name, count)?).ok()
        }
        [short] => {
            let letter = short.find(|character: char| !character.is_ascii_digit())?;
            let (count, name) = short.split_at(letter);
            now.checked_sub(unit(name, count.parse().ok()?)?).ok()
        }
        _ => None,
    }
}

/// A stretch of time by its name, in full or as one letter. `m` is a month: minutes are too short
/// to be asked for.
fn unit(name: &str, count: u32) -> Option<Span> {
    let count = i64::from(count);
    let span = Span::new();
    match name {
        "minute" | "minutes" | "min" => span.try_minutes(count),
        "hour" | "hours" | "h" => span.try_hours(count),
        "day" | "days" | "d" => span.try_days(count),
        "week" | "weeks" | "w" => span.try_weeks(count),
        "month" | "months" | "m" => span.try_months(count),
        "year" | "years" | "y" => span.try_years(count),
        _ => return None,
    }
    .ok()
}

/// The date and time in RFC 3339 and UTC; `None` outside the years that the format has.
pub(crate) fn rfc3339(seconds: i64) -> Option<String> {
    Timestamp::from_second(seconds).ok().map(|time| time.to_string())
}

/// The day in UTC, as `2025-01-31`; `None` outside the years that the format has.
pub(crate) fn day(seconds: i64) -> Option<String> {
    Timestamp::from_second(seconds).ok().map(|time| time.strftime("%Y-%m-%d").to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let now: Zoned = "2025-03-10T15:30:00+02:00[+02:00]".parse().expect("a valid time");
        let found = since(text, &now).and_then(rfc3339);
        assert_eq!(found.as_deref().unwrap_or("none"), expected, "for {text:?}");
    }

    #[test]
    fn calendar_dates_start_at_local_midnight() {
        check("2025-01-31", "2025-01-30T22:00:00Z");
        check("2025-1-3", "2025-01-02T22:00:00Z");
        check("2025-01", "2024-12-31T22:00:00Z");
        check("2024", "2023-12-31T22:00:00Z");
        check("2025-01-31T12:00:00Z", "2025-01-31T12:00:00Z");
        check("2025-01-31T12:00:00+05:00", "2025-01-31T07:00:00Z");
    }

    #[test]
    fn words_count_back_from_now() {
        check("today", "2025-03-09T22:00:00Z");
        check("Yesterday", "2025-03-08T22:00:00Z");
        check("7 days ago", "2025-03-03T13:30:00Z");
        check("7d", "2025-03-03T13:30:00Z");
        check("2w", "2025-02-24T13:30:00Z");
        check("12h", "2025-03-10T01:30:00Z");
        check("last month", "2025-02-10T13:30:00Z");
        check("a year ago", "2024-03-10T13:30:00Z");
        check("an hour ago", "2025-03-10T12:30:00Z");
    }

    #[test]
    fn everything_else_is_refused() {
        for text in
            ["", "soon", "2025-13", "2025-02-30", "25-01-01", "2025-01-01-01", "7", "d", "-7d"]
        {
            check(text, "none");
        }
        check("99999999999 days ago", "none");
        check("4000000000 years ago", "none");
        check("7 parsecs ago", "none");
    }
}
