//! Parses dates in specs and tickets to seconds since the epoch.

use jiff::{Timestamp, civil, fmt::strtime::BrokenDownTime, tz::Offset};

/// Parses a date: RFC 3339 with or without fractions, with a space instead of `T`, without seconds,
/// a day alone, in quotes, or after a label (`Date: 2020-01-02`). Without a time zone it is UTC.
/// `None` for anything else (`unknown`, an empty text, a month that does not exist).
pub(crate) fn parse(text: &str) -> Option<i64> {
    let text = trim(text);
    let text = match text.split_once(':') {
        Some((label, date)) if is_label(trim(label)) => trim(date),
        _ => text,
    };
    parse_iso(text).or_else(|| parse_tracker_date(text)).or_else(|| {
        // "2025-10-31 (revised)": the first word is the date.
        let word = text.split_whitespace().next().filter(|word| word.len() < text.len())?;
        parse_iso(word.trim_end_matches([',', ';', '.']))
    })
}

/// Date formats of trackers' exports: Jira's default and its 24-hour variant, and Linear's, which
/// is that of browsers.
const TRACKER_FORMATS: &[&str] = &[
    "%d/%b/%y %I:%M %p",
    "%d/%b/%Y %I:%M %p",
    "%d/%b/%y %H:%M",
    "%d/%b/%Y %H:%M",
    "%d/%b/%y",
    "%d/%b/%Y",
    "%a %b %d %Y %H:%M:%S GMT%z",
];

fn parse_tracker_date(text: &str) -> Option<i64> {
    if !text.contains(|character: char| character.is_ascii_alphabetic()) {
        return None;
    }
    // "… GMT+0100 (Central European Standard Time)"
    let text = text.split(" (").next().unwrap_or(text).trim();
    TRACKER_FORMATS.iter().find_map(|form| {
        let parts = BrokenDownTime::parse(form, text).ok()?;
        if let Ok(timestamp) = parts.to_timestamp() {
            return Some(timestamp.as_second());
        }
        let date = parts.to_date().ok()?;
        let time = parts.to_time().unwrap_or(civil::Time::midnight());
        Some(Offset::UTC.to_timestamp(date.to_datetime(time)).ok()?.as_second())
    })
}

/// Formats the day of a time in milliseconds since the epoch, as `2025-03-04`.
pub(crate) fn day_of_milliseconds(milliseconds: i64) -> Option<String> {
    let moment = Timestamp::from_millisecond(milliseconds).ok()?;
    Some(Offset::UTC.to_datetime(moment).date().to_string())
}

fn trim(text: &str) -> &str {
    text.trim_matches(|character: char| {
        character.is_whitespace() || matches!(character, '"' | '\'' | '`' | '*' | '_')
    })
}

fn is_label(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|character| character.is_alphabetic() || character == ' ')
}

fn parse_iso(text: &str) -> Option<i64> {
    // Every accepted form starts with a year. The library would also accept texts that are not
    // meant as dates.
    if !text.starts_with(|character: char| character.is_ascii_digit()) {
        return None;
    }
    if let Ok(timestamp) = text.parse::<Timestamp>() {
        return Some(timestamp.as_second());
    }
    let date_time = text
        .parse::<civil::DateTime>()
        .or_else(|_| text.replacen(['/', '.'], "-", 2).parse::<civil::DateTime>())
        .ok()?;
    Some(Offset::UTC.to_timestamp(date_time).ok()?.as_second())
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn every_date_format_is_parsed() {
        for (text, seconds) in [
            ("2025-11-05T15:04:09.830130+00:00", 1_762_355_049),
            ("2026-02-05T13:38:06.533540123Z", 1_770_298_686),
            ("2025-12-07T16:40:55.276865-08:00", 1_765_154_455),
            ("2025-11-05T15:04:09", 1_762_355_049),
            ("2026-05-08 14:29", 1_778_250_540),
            ("'2025-11-13'", 1_762_992_000),
            ("\"2025-11-13\"", 1_762_992_000),
            ("2025-11-13", 1_762_992_000),
            ("2025/11/13", 1_762_992_000),
            ("20251113", 1_762_992_000),
            ("Date: 2025-11-13", 1_762_992_000),
            ("**Date**: 2025-11-13", 1_762_992_000),
            ("2025-11-13 (revised)", 1_762_992_000),
            ("2025-11-13, by hand", 1_762_992_000),
            ("1969-12-31T23:59:59Z", -1),
            ("2025-03-04T16:31:17.000+0000", 1_741_105_877),
            ("2025-03-04T17:31:17.000+0100", 1_741_105_877),
            ("04/Mar/25 4:31 PM", 1_741_105_860),
            ("04/Mar/2025 16:31", 1_741_105_860),
            ("4/Mar/25", 1_741_046_400),
            ("Tue Mar 04 2025 17:31:17 GMT+0100 (Central European Standard Time)", 1_741_105_877),
            ("Tue Mar 04 2025 16:31:17 GMT+0000 (GMT)", 1_741_105_877),
        ] {
            assert_eq!(parse(text), Some(seconds), "{text}");
        }
    }

    #[test]
    fn invalid_dates_are_none() {
        for text in [
            "",
            " ",
            "unknown",
            "null",
            "~",
            "TBD",
            "2025",
            "2025-13-01",
            "2025-02-30",
            "12:30",
            "Date:",
            "next week",
            "+002025-01-01x",
            "2025-11",
            "3",
            "\u{663}",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
