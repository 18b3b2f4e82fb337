//! Sentences that are quoted from messages and descriptions.

/// Maximum length of a quote, in characters.
const MAX_QUOTE: usize = 200;

/// Returns the first sentence of a text, on one line. Trailers and quoted hashes give no reason.
pub(crate) fn first_sentence(text: &str) -> String {
    let is_trailer = |line: &str| {
        line.split_once(": ").is_some_and(|(name, _)| {
            let is_word = |c: char| c.is_ascii_alphabetic() || matches!(c, '-' | ' ');
            let is_shouted = name.contains(' ') && name.chars().all(|c| !c.is_ascii_lowercase());
            (is_shouted || (name.contains('-') && !name.contains(' '))) && name.chars().all(is_word)
        })
    };
    let text = text.replace("\r\n", "\n");
    let paragraph = text
        .split("\n\n")
        .map(|paragraph| {
            let lines = paragraph.lines().map(str::trim);
            let lines = lines.filter(|line| {
                !is_trailer(line) && !line.starts_with('#') && !line.starts_with("This reverts")
            });
            // Of a list, the first item.
            let mut kept: Vec<&str> = Vec::new();
            for line in lines {
                if item(line).is_some() && !kept.is_empty() {
                    break;
                }
                kept.push(item(line).unwrap_or(line));
            }
            kept.join(" ")
        })
        .find(|paragraph| paragraph.split_whitespace().count() > 2)
        .unwrap_or_default();
    let end = paragraph
        .match_indices(['.', '!', '?'])
        .map(|(at, _)| at + 1)
        .find(|end| paragraph[*end..].is_empty() || paragraph[*end..].starts_with(' '))
        .unwrap_or(paragraph.len());
    shortened(paragraph[..end].trim())
}

/// Returns the text of an item of a list.
fn item(line: &str) -> Option<&str> {
    line.strip_prefix("* ").or(line.strip_prefix("- "))
}

/// Cuts a text for a quote.
pub(crate) fn shortened(text: &str) -> String {
    if text.chars().count() <= MAX_QUOTE {
        return text.to_owned();
    }
    let cut: String = text.chars().take(MAX_QUOTE - 1).collect();
    format!("{}…", cut.rsplit_once(' ').map_or(cut.as_str(), |(head, _)| head))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_sentence_is_no_trailer() {
        let check = |text: &str, expected: &str| assert_eq!(first_sentence(text), expected);
        check("The bank\ntimes out. So retry.\n\nSigned-off-by: A <a@b.c>", "The bank times out.");
        check("Signed-off-by: A B <a@b.c>\n\nIt was v1.2 that failed", "It was v1.2 that failed");
        check("# Problem\n\n* It failed\n  late\n* and more", "It failed late");
        check("WARNING: It may fail.\r\n\r\nRELEASE NOTES: none today", "WARNING: It may fail.");
        check(
            "This reverts commit 1a2b3c4d, as it was slow.\n\nIt was too slow.",
            "It was too slow.",
        );
        check("", "");
        check("ok", "");
    }

    #[test]
    fn quotes_end_at_a_word() {
        let long = "word ".repeat(100);
        let quote = shortened(long.trim());
        assert!(quote.chars().count() <= MAX_QUOTE && quote.ends_with("word…"), "{quote}");
    }
}
