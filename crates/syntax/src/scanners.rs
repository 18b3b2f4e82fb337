//! Texts that the hand-written scanner of a grammar stops the whole process at: such a text is never
//! given to it.

/// Longest name of a here-document in bytes that the scanner can tell the length of.
const HEREDOC_NAME: usize = 255;

/// Columns that blocks of YAML may be nested in; the scanner keeps 253 blocks.
const NESTED_BLOCKS: usize = 250;

/// For grammars whose scanner takes every text.
pub(crate) fn takes_all(_: &str) -> bool {
    true
}

/// Ruby: the name of a here-document is kept with its length in one byte.
pub(crate) fn ruby(text: &str) -> bool {
    text.match_indices("<<").all(|(start, sign)| {
        let name = text[start + sign.len()..].trim_start_matches(['~', '-']);
        let (name, end) = match name.chars().next() {
            Some(quote @ ('"' | '\'' | '`')) => (&name[1..], name[1..].find([quote, '\n'])),
            _ => (name, name.find(|letter: char| !letter.is_alphanumeric() && letter != '_')),
        };
        end.unwrap_or(name.len()) <= HEREDOC_NAME
    })
}

/// YAML: each block inside of another one begins in a later column, and takes a place in a list of
/// fixed size.
pub(crate) fn yaml(text: &str) -> bool {
    text.lines().all(|line| {
        let content = line.trim_start_matches([' ', '\t', '-', '?', ':']);
        line.len() - content.len() <= NESTED_BLOCKS
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_here_documents() {
        let long = "A".repeat(HEREDOC_NAME);
        for before in ["<<", "<<~", "<<-", "<<~\"", "<<'"] {
            assert!(ruby(&format!("puts {before}{long}")));
            assert!(!ruby(&format!("puts {before}{long}A")));
        }
        assert!(ruby("list << 1; text <<~TEXT\n  a\nTEXT\n"));
    }

    #[test]
    fn nested_blocks() {
        assert!(yaml("a:\n  - b\n  - - c\n"));
        assert!(yaml(&"- ".repeat(NESTED_BLOCKS / 2)));
        assert!(!yaml(&"- ".repeat(NESTED_BLOCKS)));
        assert!(!yaml(&format!("a:\n{}b", " ".repeat(NESTED_BLOCKS + 1))));
    }
}
