//! Splits a log into lines of text without colours, progress bars and timestamps.

/// Maximum length of a line, in bytes. The rest of a longer line is treated as data and cut.
const MAX_LINE_LEN: usize = 4_096;

/// Returns the lines of a log as a terminal would show them.
pub fn lines(text: &str) -> Vec<String> {
    text.split('\n').map(line).collect()
}

fn line(raw: &str) -> String {
    let cut = &raw[..raw.floor_char_boundary(raw.len().min(MAX_LINE_LEN))];
    let plain = without_escapes(cut);
    // A carriage return moves the cursor back: the text after it overwrites the text before it.
    let shown = plain.trim_end_matches('\r');
    let shown = shown.rsplit('\r').find(|part| !part.trim().is_empty()).unwrap_or_default();
    let shown: String =
        shown.chars().filter(|character| !character.is_control() || *character == '\t').collect();
    without_prefix(&shown).trim_end().to_owned()
}

/// Removes escape sequences: colours, links and cursor movements.
fn without_escapes(line: &str) -> String {
    if !line.contains(['\u{1b}', '\u{9b}']) {
        return line.to_owned();
    }
    let mut plain = String::with_capacity(line.len());
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        let introducer = match character {
            '\u{9b}' => Some('['),
            '\u{1b}' => characters.next(),
            other => {
                plain.push(other);
                continue;
            }
        };
        match introducer {
            // A control sequence ends with a character in this range.
            Some('[') => {
                for next in characters.by_ref() {
                    if ('\u{40}'..='\u{7e}').contains(&next) {
                        break;
                    }
                }
            }
            // A string sequence ends with a bell or with `ESC \`.
            Some(']' | 'P' | '_' | '^') => {
                while let Some(next) = characters.next() {
                    if next == '\u{7}' {
                        break;
                    }
                    if next == '\u{1b}' {
                        characters.next_if_eq(&'\\');
                        break;
                    }
                }
            }
            // One more character selects a character set.
            Some('(' | ')') => {
                characters.next();
            }
            _ => {}
        }
    }
    plain
}

/// Removes the prefix that build machines write before each line: a timestamp or a container name.
fn without_prefix(line: &str) -> &str {
    let bytes = line.as_bytes();
    // 2026-01-31T10:20:30.1234567Z, and one space.
    let is_time = bytes.len() > 20
        && bytes[..19].iter().zip(b"0000-00-00T00:00:00").all(|(byte, form)| match form {
            b'0' => byte.is_ascii_digit(),
            form => byte == form,
        });
    if is_time && let Some((stamp, rest)) = line.split_once(' ') {
        let fraction = &stamp[19..];
        if let Some(digits) = fraction.strip_suffix('Z')
            && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
        {
            return rest.strip_prefix("##[error]").unwrap_or(rest);
        }
    }
    // web_1  | Traceback …
    if let Some((name, rest)) = line.split_once('|') {
        let name = name.trim_end();
        let number = name.trim_end_matches(|last: char| last.is_ascii_digit());
        let is_container = number.len() < name.len()
            && number.ends_with(['-', '_'])
            && number.starts_with(|first: char| first.is_ascii_lowercase())
            && number.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
        if is_container {
            return rest.strip_prefix(' ').unwrap_or(rest);
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_shown_as_in_a_terminal() {
        for (written, seen) in [
            ("\u{1b}[0m\u{1b}[1m\u{1b}[38;5;9merror\u{1b}[0m: no", "error: no"),
            ("\u{1b}]8;;file:///x\u{1b}\\x.rs\u{1b}]8;;\u{7}:3", "x.rs:3"),
            ("\u{9b}31mred\u{9b}0m", "red"),
            (" 10%\r 50%\r100%\r", "100%"),
            ("100%\rerror: no\r", "error: no"),
            ("  indented\r", "  indented"),
            ("2026-01-31T10:20:30.1234567Z   at f (x.js:1:2)", "  at f (x.js:1:2)"),
            ("2026-01-31T10:20:30Z ##[error]no", "no"),
            ("2026-01-31T10:20:30Z", "2026-01-31T10:20:30Z"),
            ("web_1  |   File \"x.py\", line 3", "  File \"x.py\", line 3"),
            ("12 |     let x = 1;", "12 |     let x = 1;"),
            ("a\u{0}b\u{7}", "ab"),
            ("\u{1b}[", ""),
        ] {
            assert_eq!(line(written), seen, "{written:?}");
        }
    }
}
