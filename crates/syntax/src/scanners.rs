//! Checks for texts on which the hand-written scanner of a grammar aborts the process. Such a text
//! is never passed to it.

/// Maximum length in bytes of a here-document's name; the scanner stores the length in one byte.
const MAX_HEREDOC_NAME_LEN: usize = 255;

/// Maximum column of nested YAML blocks; the scanner keeps 253 blocks.
const MAX_BLOCK_COLUMN: usize = 250;

/// The check for grammars whose scanner accepts every text.
pub(crate) fn accepts_all(_: &str) -> bool {
    true
}

/// Check for Ruby: the scanner stores the length of a here-document's name in one byte.
pub(crate) fn ruby(text: &str) -> bool {
    text.match_indices("<<").all(|(start, sign)| {
        let name = text[start + sign.len()..].trim_start_matches(['~', '-']);
        let (name, end) = match name.chars().next() {
            Some(quote @ ('"' | '\'' | '`')) => (&name[1..], name[1..].find([quote, '\n'])),
            _ => (name, name.find(|letter: char| !letter.is_alphanumeric() && letter != '_')),
        };
        end.unwrap_or(name.len()) <= MAX_HEREDOC_NAME_LEN
    })
}

/// Check for YAML: each nested block starts in a later column, and takes a slot in a list of fixed
/// size.
pub(crate) fn yaml(text: &str) -> bool {
    text.lines().all(|line| {
        let content = line.trim_start_matches([' ', '\t', '-', '?', ':']);
        line.len() - content.len() <= MAX_BLOCK_COLUMN
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_here_documents() {
        let long = "A".repeat(MAX_HEREDOC_NAME_LEN);
        for before in ["<<", "<<~", "<<-", "<<~\"", "<<'"] {
            assert!(ruby(&format!("puts {before}{long}")));
            assert!(!ruby(&format!("puts {before}{long}A")));
        }
        assert!(ruby("list << 1; text <<~TEXT\n  a\nTEXT\n"));
    }

    #[test]
    fn nested_blocks() {
        assert!(yaml("a:\n  - b\n  - - c\n"));
        assert!(yaml(&"- ".repeat(MAX_BLOCK_COLUMN / 2)));
        assert!(!yaml(&"- ".repeat(MAX_BLOCK_COLUMN)));
        assert!(!yaml(&format!("a:\n{}b", " ".repeat(MAX_BLOCK_COLUMN + 1))));
    }
}
