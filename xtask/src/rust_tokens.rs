//! Splits Rust source into tokens, exactly enough to keep code, strings and comments apart.

use std::ops::Range;

/// Kind of a [`Token`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// An identifier or a keyword.
    Name,
    /// One character of punctuation.
    Mark,
    /// A number, a character or a lifetime.
    Literal,
    /// The contents of a string literal, escapes as written.
    Text,
    /// The contents of a comment.
    Comment,
    /// The contents of a doc comment.
    Doc,
}

/// A piece of source with the line it starts on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'a> {
    pub kind: Kind,
    pub text: &'a str,
    pub line: usize,
}

impl Token<'_> {
    /// Returns true for punctuation or a name with exactly this text.
    pub(crate) fn is(&self, text: &str) -> bool {
        matches!(self.kind, Kind::Name | Kind::Mark) && self.text == text
    }

    /// Returns true unless the token is a comment.
    pub(crate) fn is_code(&self) -> bool {
        !matches!(self.kind, Kind::Comment | Kind::Doc)
    }
}

/// Returns all tokens of a file, whitespace skipped.
pub(crate) fn tokens(source: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = source;
    let mut line = 1;
    while let Some(first) = rest.chars().next() {
        if first.is_whitespace() {
            line += usize::from(first == '\n');
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let (kind, text, length) = scan(rest, first);
        let started = line + rest[..text.start].matches('\n').count();
        tokens.push(Token { kind, text: &rest[text], line: started });
        line += rest[..length].matches('\n').count();
        rest = &rest[length..];
    }
    tokens
}

/// Kind of the token at the start of `rest`, the range of its contents and its whole length.
fn scan(rest: &str, first: char) -> (Kind, Range<usize>, usize) {
    if let Some(comment) = comment(rest) {
        return comment;
    }
    if let Some((text, length)) = string(rest) {
        return (Kind::Text, text, length);
    }
    if first == '\'' {
        let length = quoted(rest);
        return (Kind::Literal, 0..length, length);
    }
    if let Some(raw) = rest.strip_prefix("r#") {
        let length = 2 + word(raw);
        return (Kind::Name, 2..length, length);
    }
    match word(rest) {
        0 => (Kind::Mark, 0..first.len_utf8(), first.len_utf8()),
        length if first.is_ascii_digit() => (Kind::Literal, 0..length, length),
        length => (Kind::Name, 0..length, length),
    }
}

/// Length of the identifier at the start of `rest`.
fn word(rest: &str) -> usize {
    rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len())
}

/// The comment at the start of `rest`.
fn comment(rest: &str) -> Option<(Kind, Range<usize>, usize)> {
    if rest.starts_with("//") {
        let end = rest.find('\n').unwrap_or(rest.len());
        let doc = rest.starts_with("//!") || (rest.starts_with("///") && !rest.starts_with("////"));
        let kind = if doc { Kind::Doc } else { Kind::Comment };
        return Some((kind, 2 + usize::from(doc)..end, end));
    }
    if !rest.starts_with("/*") {
        return None;
    }
    let mut depth = 0_usize;
    let mut at = 0;
    while at < rest.len() {
        if rest[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if rest[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                break;
            }
        } else {
            at += rest[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    Some((Kind::Comment, 2..at.saturating_sub(2).max(2), at))
}

/// The contents and the whole length of the string literal at the start of `rest`.
fn string(rest: &str) -> Option<(Range<usize>, usize)> {
    let prefix = rest.find(|c| !matches!(c, 'b' | 'c' | 'r'))?;
    if prefix > 2 {
        return None;
    }
    let raw = rest[..prefix].ends_with('r');
    let hashes = rest[prefix..].find(|c| c != '#')?;
    let start = prefix + hashes + 1;
    if !rest[prefix + hashes..].starts_with('"') || (hashes > 0 && !raw) {
        return None;
    }
    let end = if raw {
        let close = format!("\"{}", "#".repeat(hashes));
        rest[start..].find(&close)?
    } else {
        closing_quote(&rest[start..])?
    };
    Some((start..start + end, start + end + 1 + hashes))
}

/// Offset of the first quotation mark that no backslash escapes.
fn closing_quote(text: &str) -> Option<usize> {
    let mut escaped = false;
    text.char_indices().find_map(|(offset, c)| {
        let closes = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        closes.then_some(offset)
    })
}

/// Length of the character or lifetime at the start of `rest`.
fn quoted(rest: &str) -> usize {
    let mut after = rest[1..].char_indices();
    match (after.next(), after.next()) {
        (Some((_, '\\')), Some((escaped, c))) => {
            let from = 1 + escaped + c.len_utf8();
            from + rest[from..].find('\'').map_or(0, |close| close + 1)
        }
        (Some(_), Some((close, '\''))) => close + 2,
        _ => 1 + word(&rest[1..]),
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, tokens};

    #[test]
    fn code_strings_and_comments_are_kept_apart() {
        let source = "fn f<'a>(x: char) { // note\n let s = \"a \\\" b\"; '\"' }\n/// doc\n\
                      const R: &str = r#\"raw \" text\"#; /* a /* b */ c */ let n = '\\n';";
        let all = tokens(source);
        let of = |kind| all.iter().filter(|t| t.kind == kind).map(|t| t.text).collect::<Vec<_>>();
        assert_eq!(of(Kind::Text), ["a \\\" b", "raw \" text"]);
        assert_eq!(of(Kind::Comment), [" note", " a /* b */ c "]);
        assert_eq!(of(Kind::Doc), [" doc"]);
        assert_eq!(of(Kind::Literal), ["'a", "'\"'", "'\\n'"]);
        assert_eq!(all.iter().find(|t| t.text == "R").unwrap().line, 4);
    }
}
