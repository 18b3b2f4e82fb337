//! Sizes with units: `500MB`, `1.5 GB`, `64MiB`.

use crate::keys::NONE;

/// Units with their bytes, largest first.
const UNITS: &[(&str, u64)] = &[
    ("TiB", 1 << 40),
    ("GiB", 1 << 30),
    ("MiB", 1 << 20),
    ("KiB", 1 << 10),
    ("TB", 1_000_000_000_000),
    ("GB", 1_000_000_000),
    ("MB", 1_000_000),
    ("kB", 1_000),
    ("B", 1),
];

/// Parses a size in any letter case, with or without a space before the unit; a number alone is in
/// bytes. `none` is the maximum number.
pub(super) fn parse(text: &str) -> Option<u64> {
    let text = text.trim();
    if text == NONE {
        return Some(u64::MAX);
    }
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let unit = match unit.trim() {
        "" => 1,
        unit => UNITS.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit))?.1,
    };
    if let Ok(whole) = number.parse::<u64>() {
        return whole.checked_mul(unit).filter(|bytes| *bytes != u64::MAX);
    }
    // Integer arithmetic, so that a size is shown as it was typed. A fraction of a byte is invalid.
    let (whole, rest) = number.split_once('.').filter(|_| unit > 1)?;
    let scale = 10_u64.checked_pow(u32::try_from(rest.len()).ok()?)?;
    let part = rest.parse::<u64>().ok()?.checked_mul(unit)? / scale;
    whole.parse::<u64>().ok()?.checked_mul(unit)?.checked_add(part)
}

/// A size in the largest unit that represents it exactly with one decimal.
pub(super) fn shown(bytes: u64) -> String {
    match bytes {
        u64::MAX => return NONE.to_owned(),
        0 => return "0B".to_owned(),
        _ => {}
    }
    let fits = |unit: u64| unit <= bytes && (unit == 1 || bytes.is_multiple_of((unit / 10).max(1)));
    let decimal = UNITS.iter().filter(|(name, _)| !name.ends_with("iB")).find(|unit| fits(unit.1));
    let binary = UNITS.iter().filter(|(name, _)| name.ends_with("iB"));
    let binary =
        binary.filter(|(_, unit)| *unit <= bytes).find(|(_, unit)| bytes.is_multiple_of(*unit));
    let (name, unit) = match (decimal, binary) {
        // Powers of two have too many digits in decimal units.
        (Some((_, unit)), Some(binary)) if *unit <= 1_000 => *binary,
        (Some(decimal), _) => *decimal,
        (None, _) => ("B", 1),
    };
    let (whole, tenths) = (bytes / unit, if unit == 1 { 0 } else { bytes % unit / (unit / 10) });
    if tenths == 0 { format!("{whole}{name}") } else { format!("{whole}.{tenths}{name}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_and_shown() {
        let check = |text: &str, bytes: u64, back: &str| {
            assert_eq!(parse(text), Some(bytes), "{text}");
            assert_eq!(shown(bytes), back, "{text}");
            assert_eq!(parse(back), Some(bytes), "{back}");
        };
        check("1.5GB", 1_500_000_000, "1.5GB");
        check("1.5 gb", 1_500_000_000, "1.5GB");
        check("500MB", 500_000_000, "500MB");
        check("64MiB", 64 << 20, "64MiB");
        check("1048576", 1 << 20, "1MiB");
        check("1234567", 1_234_567, "1234567B");
        check("2500", 2500, "2.5kB");
        check("0", 0, "0B");
        check("none", u64::MAX, "none");
        for text in ["", "GB", "-1GB", "1.5", "1..5GB", "five", "1XB", "99999999TB"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
