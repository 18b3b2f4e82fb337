//! The tokens of an import statement.

/// A token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'t> {
    /// A word or a path with its separators: `a.b`, `crate::x`, `A\B`, `./a`.
    Path(&'t str),
    /// Text in quotes, or in `<>` after `#include`.
    Quoted(&'t str),
    /// Any other sign.
    Sign(char),
}

/// Splits a statement into tokens. Comments to the end of a line are skipped.
#[derive(Debug, Clone)]
pub(super) struct Tokens<'t> {
    rest: &'t str,
    after_include: bool,
}

impl<'t> Tokens<'t> {
    /// Creates the tokens of a statement.
    pub(super) fn new(statement: &'t str) -> Tokens<'t> {
        Tokens { rest: statement, after_include: false }
    }

    /// Takes the text before the next `end`, which is dropped.
    fn until(&mut self, end: char) -> &'t str {
        let rest = &self.rest[1..];
        let at = rest.find([end, '\n']).unwrap_or(rest.len());
        let taken = &rest[..at];
        self.rest = rest[at..].strip_prefix(end).unwrap_or(&rest[at..]);
        taken
    }
}

impl<'t> Iterator for Tokens<'t> {
    type Item = Token<'t>;

    fn next(&mut self) -> Option<Token<'t>> {
        loop {
            self.rest = self.rest.trim_start();
            let comment = self.rest.starts_with("//")
                || (self.rest.starts_with('#') && !self.rest.starts_with("#i"));
            if !comment {
                break;
            }
            self.rest = self.rest.split_once('\n').map_or("", |(_, rest)| rest);
        }
        let first = self.rest.chars().next()?;
        match first {
            '"' | '\'' | '`' => return Some(Token::Quoted(self.until(first))),
            '<' if self.after_include => return Some(Token::Quoted(self.until('>'))),
            _ => {}
        }
        let is_path = |letter: char| letter.is_alphanumeric() || "_.$\\/-@~%".contains(letter);
        let mut end = 0;
        while let Some(letter) = self.rest[end..].chars().next() {
            if is_path(letter) {
                end += letter.len_utf8();
            } else if self.rest[end..].starts_with("::") {
                end += 2;
            } else {
                break;
            }
        }
        if end == 0 {
            self.rest = &self.rest[first.len_utf8()..];
            return Some(Token::Sign(first));
        }
        // `foldl'`: a prime, not a quote that opens a string.
        while self.rest[end..].starts_with('\'')
            && !self.rest[end + 1..].starts_with(|next: char| is_path(next))
        {
            end += 1;
        }
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        self.after_include = matches!(word, "include" | "import" | "include_next");
        Some(Token::Path(word))
    }
}
