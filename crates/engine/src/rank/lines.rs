//! The lines of a text, as [`str::lines`] returns them, with numbers and positions.

use memchr::{memchr, memchr_iter, memrchr};

/// Iterator over the lines of a text: number, start and end, line ending included.
pub(super) struct Lines<'t> {
    text: &'t str,
    /// Number of the next line, from 1.
    pub(super) number: u32,
    /// Start of the next line.
    start: usize,
}

impl<'t> Lines<'t> {
    pub(super) fn new(text: &'t str) -> Lines<'t> {
        Lines { text, number: 1, start: 0 }
    }

    /// Skips to the line that contains a position, but not beyond line `last`.
    pub(super) fn skip_to(&mut self, place: usize, last: u32) {
        let most = last.saturating_sub(self.number) as usize;
        let Some(ahead) = self.text.as_bytes().get(self.start..place) else { return };
        let count = memchr_iter(b'\n', ahead).count();
        let end = if count <= most {
            memrchr(b'\n', ahead)
        } else {
            most.checked_sub(1).and_then(|before| memchr_iter(b'\n', ahead).nth(before))
        };
        if let Some(end) = end {
            self.start += end + 1;
            self.number += u32::try_from(count.min(most)).unwrap_or(u32::MAX);
        }
    }
}

impl Iterator for Lines<'_> {
    type Item = (u32, usize, usize);

    fn next(&mut self) -> Option<(u32, usize, usize)> {
        let rest = self.text.as_bytes().get(self.start..).filter(|rest| !rest.is_empty())?;
        let end = self.start + memchr(b'\n', rest).map_or(rest.len(), |end| end + 1);
        let line = (self.number, self.start, end);
        (self.number, self.start) = (self.number + 1, end);
        Some(line)
    }
}

/// Number of lines of a text, as [`str::lines`] counts them; 1 for an empty one.
pub(crate) fn line_count(text: &str) -> u32 {
    let ends = memchr_iter(b'\n', text.as_bytes()).count();
    let rest = usize::from(!text.is_empty() && !text.ends_with('\n'));
    u32::try_from(ends + rest).unwrap_or(u32::MAX).max(1)
}

/// A line without its line ending, as [`str::lines`] returns it.
pub(super) fn without_end(line: &str) -> &str {
    let Some(line) = line.strip_suffix('\n') else { return line };
    line.strip_suffix('\r').unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_equal_those_of_the_standard_library() {
        for text in ["", "a", "a\n", "\n", "\n\n", "a\r\nb", "é\n\nb\n", "a\n\n"] {
            let known: Vec<&str> = text.split_inclusive('\n').collect();
            let found: Vec<&str> = Lines::new(text).map(|(_, from, to)| &text[from..to]).collect();
            assert_eq!(found, known, "{text:?}");
            let numbers: Vec<u32> = Lines::new(text).map(|line| line.0).collect();
            assert!(numbers.into_iter().eq((1..).take(known.len())), "{text:?}");
            for place in 0..=text.len() {
                for last in 1..5 {
                    let mut lines = Lines::new(text);
                    lines.skip_to(place, last);
                    let holds =
                        Lines::new(text).take_while(|line| line.1 <= place && line.0 <= last);
                    let held = holds.last().map_or(0, |line| line.1);
                    // The end of a text may be behind its last line.
                    let expected = if place == text.len() && text.ends_with('\n') {
                        let ends = known.len() < last as usize;
                        if ends { text.len() } else { held }
                    } else {
                        held
                    };
                    assert_eq!(lines.start, expected, "{text:?} {place} {last}");
                    assert_eq!(
                        lines.number as usize,
                        1 + text[..expected].matches('\n').count(),
                        "{text:?} {place} {last}"
                    );
                }
            }
            assert_eq!(line_count(text) as usize, text.lines().count().max(1), "{text:?}");
        }
    }
}
