//! The tokenizer of tantivy's fields: splits analysed terms at NUL.

use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

/// Maximum length of an indexed term in bytes. Longer terms are noise (encoded data, minified
/// lines) that would swell the dictionary.
pub(super) const MAX_TERM_BYTES: usize = 255;

/// Returns true if a term is indexed.
pub(super) fn is_indexed(term: &str) -> bool {
    !term.is_empty() && term.len() <= MAX_TERM_BYTES
}

/// Splits at NUL and skips empty and overlong terms.
#[derive(Debug, Clone, Default)]
pub(super) struct EncodedTerms {
    token: Token,
}

impl Tokenizer for EncodedTerms {
    type TokenStream<'a> = EncodedTermStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> EncodedTermStream<'a> {
        self.token.reset();
        // Positions are not indexed.
        self.token.position = 0;
        EncodedTermStream { rest: text, token: &mut self.token }
    }
}

/// The terms of one field of one row.
#[derive(Debug)]
pub(super) struct EncodedTermStream<'a> {
    rest: &'a str,
    token: &'a mut Token,
}

impl TokenStream for EncodedTermStream<'_> {
    fn advance(&mut self) -> bool {
        // Terms are a few bytes long, so that the setup of a vectorised search would cost more.
        while let Some(end) = self.rest.bytes().position(|byte| byte == 0) {
            let term = &self.rest[..end];
            self.rest = &self.rest[end + 1..];
            if is_indexed(term) {
                self.token.text.clear();
                self.token.text.push_str(term);
                return true;
            }
        }
        false
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}

#[cfg(test)]
mod tests {
    use tantivy::tokenizer::{TokenStream, Tokenizer};

    use super::{EncodedTerms, MAX_TERM_BYTES};
    use crate::Terms;

    #[test]
    fn empty_and_overlong_terms_are_skipped() {
        let long = "x".repeat(MAX_TERM_BYTES + 1);
        let cases: [(&[&str], &str); 4] = [
            (&[], ""),
            (&["a"], "a"),
            (&["a", "", "b"], "a, b"),
            (&["", "ä b", long.as_str(), "c"], "ä b, c"),
        ];
        let mut tokenizer = EncodedTerms::default();
        for (terms, expected) in cases {
            let mut encoded = Terms::default();
            for term in terms {
                encoded.push(term);
            }
            let mut stream = tokenizer.token_stream(encoded.as_encoded());
            let mut found = Vec::new();
            while stream.advance() {
                found.push(stream.token().text.clone());
            }
            assert_eq!(found.join(", "), expected);
        }
    }
}
