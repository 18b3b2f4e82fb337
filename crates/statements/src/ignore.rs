//! Comments that suppress findings: `lore-drift: ignore` and `lore-drift: ignore-file`.

use std::collections::HashSet;

const MARK: &str = "lore-drift:";

/// The lines of a text whose statements are suppressed.
pub(crate) enum Ignored {
    /// The whole text.
    File,
    /// These 0-based lines.
    Lines(HashSet<usize>),
}

/// Returns the suppressed lines. A comment on a line of its own applies to the next line that is not
/// blank, another one to its own line.
pub(crate) fn ignored(text: &str) -> Ignored {
    let mut lines = HashSet::new();
    if !text.contains(MARK) {
        return Ignored::Lines(lines);
    }
    let all: Vec<&str> = text.lines().collect();
    for (index, line) in all.iter().enumerate() {
        let Some((before, after)) = line.split_once(MARK) else { continue };
        let word = after.trim_start();
        if word.starts_with("ignore-file") {
            return Ignored::File;
        }
        if !word.starts_with("ignore") {
            continue;
        }
        lines.insert(index);
        if before.chars().all(|c| !c.is_alphanumeric()) {
            let next = (index + 1..all.len()).find(|next| !all[*next].trim().is_empty());
            lines.extend(next);
        }
    }
    Ignored::Lines(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_suppress_their_line_or_the_next_one() {
        let text = "a\n<!-- lore-drift: ignore -->\n\nb\nc <!-- lore-drift: ignore -->\nd";
        let Ignored::Lines(lines) = ignored(text) else { panic!("not the whole file") };
        let mut lines: Vec<usize> = lines.into_iter().collect();
        lines.sort_unstable();
        assert_eq!(lines, [1, 3, 4]);
        assert!(matches!(ignored("# lore-drift: ignore-file"), Ignored::File));
    }
}
