//! Dates and periods as people type them. Pure: the current time is an argument.

use jiff::{Span, Timestamp, ToSpan, Zoned, civil::Date, tz::Offset};

/// The current time and the time zone of the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Clock {
    /// Seconds since the epoch.
    pub now: i64,
    /// Seconds that local time is ahead of UTC.
    pub offset: i32,
}

/// A period of time, in seconds since the epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Period {
    /// Its first second.
    pub start: i64,
    /// The first second after it.
    pub end: i64,
}

impl Period {
    /// Parses a date as the period that it covers: a year, month or day, a second for a time as in RFC
    /// 3339, a day for `today` and `yesterday`, a second for `7 days ago`, `7d` and `last month`. Returns
    /// `None` for other texts.
    ///
    /// Years, months and days are those of UTC, as dates in documents have no zone; relative dates
    /// count from local time.
    pub fn parse(text: &str, clock: Clock) -> Option<Period> {
        let text = text.trim();
        let second = |start: i64| Period { start, end: start.saturating_add(1) };
        if let Ok(time) = text.parse::<Timestamp>() {
            return Some(second(time.as_second()));
        }
        if let Some((first, length)) = calendar(text) {
            return between(first, first.checked_add(length).ok()?, Offset::UTC);
        }
        let offset = Offset::from_seconds(clock.offset).ok()?;
        let now = Timestamp::from_second(clock.now).ok()?.to_zoned(offset.to_time_zone());
        let text = text.to_lowercase();
        match text.as_str() {
            "today" => between(now.date(), now.date().tomorrow().ok()?, offset),
            "yesterday" => between(now.date().yesterday().ok()?, now.date(), offset),
            _ => words(&text, &now).map(|then| second(then.timestamp().as_second())),
        }
    }
}

fn between(first: Date, next: Date, offset: Offset) -> Option<Period> {
    let midnight = |date: Date| offset.to_timestamp(date.at(0, 0, 0, 0)).ok();
    Some(Period { start: midnight(first)?.as_second(), end: midnight(next)?.as_second() })
}

/// Parses `YYYY`, `YYYY-MM` or `YYYY-MM-DD` as its first day and its length.
fn calendar(text: &str) -> Option<(Date, Span)> {
    let parts: Vec<&str> = text.split('-').collect();
    if parts.len() > 3
        || parts[0].len() != 4
        || !parts.iter().all(|part| part.bytes().all(|byte| byte.is_ascii_digit()))
        || parts[1..].iter().any(|part| part.len() > 2)
    {
        return None;
    }
    let number = |index: usize| parts.get(index).map_or(Some(1), |part| part.parse::<i8>().ok());
    let length = match parts.len() {
        1 => 1.year(),
        2 => 1.month(),
        _ => 1.day(),
    };
    Some((Date::new(parts[0].parse().ok()?, number(1)?, number(2)?).ok()?, length))
}

/// Parses `7 days ago`, `last week`, `7d`.
fn words(text: &str, now: &Zoned) -> Option<Zoned> {
    let words: Vec<&str> = text.split_whitespace().filter(|word| *word != "ago").collect();
    match *words.as_slice() {
        ["now"] => Some(now.clone()),
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

/// A period by its name, in full or as one letter. `m` is a month: minutes are too short to be
/// useful.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// 2025-03-10T15:30:00+02:00.
    const CLOCK: Clock = Clock { now: 1_741_613_400, offset: 7_200 };

    fn check(text: &str, expected: &str) {
        let shown = |seconds| Timestamp::from_second(seconds).expect("in range").to_string();
        let found = Period::parse(text, CLOCK).map_or("none".into(), |period| {
            format!("{} {}", shown(period.start), shown(period.end))
        });
        assert_eq!(found, expected, "for {text:?}");
    }

    #[test]
    fn calendar_dates_cover_their_precision() {
        check("2025-01-31", "2025-01-31T00:00:00Z 2025-02-01T00:00:00Z");
        check("2025-1-3", "2025-01-03T00:00:00Z 2025-01-04T00:00:00Z");
        check("2025-02", "2025-02-01T00:00:00Z 2025-03-01T00:00:00Z");
        check("2024", "2024-01-01T00:00:00Z 2025-01-01T00:00:00Z");
        check("2025-01-31T12:00:00Z", "2025-01-31T12:00:00Z 2025-01-31T12:00:01Z");
        check("2025-01-31T12:00:00+05:00", "2025-01-31T07:00:00Z 2025-01-31T07:00:01Z");
    }

    #[test]
    fn relative_dates_count_from_local_time() {
        check("today", "2025-03-09T22:00:00Z 2025-03-10T22:00:00Z");
        check("Yesterday", "2025-03-08T22:00:00Z 2025-03-09T22:00:00Z");
        check("7 days ago", "2025-03-03T13:30:00Z 2025-03-03T13:30:01Z");
        check("7d", "2025-03-03T13:30:00Z 2025-03-03T13:30:01Z");
        check("2w", "2025-02-24T13:30:00Z 2025-02-24T13:30:01Z");
        check("12h", "2025-03-10T01:30:00Z 2025-03-10T01:30:01Z");
        check("last month", "2025-02-10T13:30:00Z 2025-02-10T13:30:01Z");
        check("a year ago", "2024-03-10T13:30:00Z 2024-03-10T13:30:01Z");
        check("an hour ago", "2025-03-10T12:30:00Z 2025-03-10T12:30:01Z");
    }

    #[test]
    fn other_texts_are_rejected() {
        for text in
            ["", "soon", "2025-13", "2025-02-30", "25-01-01", "2025-01-01-01", "7", "d", "-7d"]
        {
            check(text, "none");
        }
        check("99999999999 days ago", "none");
        check("4000000000 years ago", "none");
        check("7 parsecs ago", "none");
        check("9999", "none");
    }
}
