//! Splits a command line into a program and its arguments, without a shell.

/// Splits a line into words. Whitespace ends a word; `'…'` and `"…"` keep their content together.
/// In double quotes, `\\"` and `\\\\` are a quote and a backslash; outside quotes, a backslash is
/// an ordinary character, as in Windows paths. `None` if a quote is not closed.
///
/// Nothing is expanded: variables, globs and pipes are ordinary words.
pub(super) fn split(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            blank if blank.is_whitespace() => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match characters.next()? {
                        '\'' => break,
                        inner => word.push(inner),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match characters.next()? {
                        '"' => break,
                        '\\' => word.push(
                            characters.next_if(|next| matches!(next, '"' | '\\')).unwrap_or('\\'),
                        ),
                        inner => word.push(inner),
                    }
                }
            }
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: Option<&[&str]>) {
        let words = split(line);
        let words: Option<Vec<&str>> =
            words.as_ref().map(|words| words.iter().map(String::as_str).collect());
        assert_eq!(words.as_deref(), expected, "{line:?}");
    }

    #[test]
    fn quotes_keep_words_together() {
        check("rank --top 5", Some(&["rank", "--top", "5"]));
        check("  a\t b ", Some(&["a", "b"]));
        check("'my rank' \"a \\\"b\\\" \\c\"", Some(&["my rank", "a \"b\" \\c"]));
        check("a'b c'd", Some(&["ab cd"]));
        check("C:\\tools\\rank.exe", Some(&["C:\\tools\\rank.exe"]));
        check("''", Some(&[""]));
        check("", Some(&[]));
        check("a $HOME *.rs | b; c && d", Some(&["a", "$HOME", "*.rs", "|", "b;", "c", "&&", "d"]));
        check("'a", None);
        check("\"a", None);
        check("\"a\\\"", None);
    }
}
