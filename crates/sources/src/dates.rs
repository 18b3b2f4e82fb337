//! The dates that specs and tickets write, as seconds since the epoch.

use jiff::{Timestamp, civil, fmt::strtime::BrokenDownTime, tz::Offset};

/// Reads a date: RFC 3339 with or without fractions, with a space for the `T`, without seconds, a
/// day alone, in quotes, behind a label (`Date: 2020-01-02`). Without a zone it is UTC. What is no
/// date (`unknown`, an empty text, a month that does not exist) is `None`.
pub(crate) fn parse(text: &str) -> Option<i64> {
    let text = trim(text);
    let text = match text.split_once(':') {
        Some((label, date)) if is_label(trim(label)) => trim(date),
        _ => text,
    };
    moment(text).or_else(|| of_exports(text)).or_else(|| {
        // "2025-10-31 (revised)": the first word is the date.
        let word = text.split_whitespace().next().filter(|word| word.len() < text.len())?;
        moment(word.trim_end_matches([',', ';', '.']))
    })
}

/// How trackers write a date where they write it for people: Jira by its default and by the one
/// with 24 hours, Linear as browsers do.
const OF_EXPORTS: &[&str] = &[
    "%d/%b/%y %I:%M %p",
    "%d/%b/%Y %I:%M %p",
    "%d/%b/%y %H:%M",
    "%d/%b/%Y %H:%M",
    "%d/%b/%y",
    "%d/%b/%Y",
    "%a %b %d %Y %H:%M:%S GMT%z",
];

fn of_exports(text: &str) -> Option<i64> {
    if !text.contains(|letter: char| letter.is_ascii_alphabetic()) {
        return None;
    }
    // "… GMT+0100 (Central European Standard Time)"
    let text = text.split(" (").next().unwrap_or(text).trim();
    OF_EXPORTS.iter().find_map(|form| {
        let parts = BrokenDownTime::parse(form, text).ok()?;
        if let Ok(timestamp) = parts.to_timestamp() {
            return Some(timestamp.as_second());
        }
        let date = parts.to_date().ok()?;
        let time = parts.to_time().unwrap_or(civil::Time::midnight());
        Some(Offset::UTC.to_timestamp(date.to_datetime(time)).ok()?.as_second())
    })
}

/// The day, as `2025-03-04`, of a moment in milliseconds since the epoch.
pub(crate) fn day_of_milliseconds(milliseconds: i64) -> Option<String> {
    let moment = Timestamp::from_millisecond(milliseconds).ok()?;
    Some(Offset::UTC.to_datetime(moment).date().to_string())
}

fn trim(text: &str) -> &str {
    text.trim_matches(|letter: char| {
        letter.is_whitespace() || matches!(letter, '"' | '\'' | '`' | '*' | '_')
    })
}

fn is_label(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|letter| letter.is_alphabetic() || letter == ' ')
}

fn moment(text: &str) -> Option<i64> {
    // Every form starts with a year. Anything else the library may read is not meant as a date.
    if !text.starts_with(|letter: char| letter.is_ascii_digit()) {
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
    fn every_form_of_the_formats() {
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
    fn what_is_no_date_is_none() {
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
