//! The analyzer of natural language in queries: as for indexed text, without function words.

use crate::{Analyzer, Form, Token, scan::scan, stop::is_stop_word};

/// Words without stop words and without single letters. If nothing would remain, nothing is
/// dropped.
pub(crate) struct Prose;

impl Analyzer for Prose {
    fn name(&self) -> &'static str {
        "prose"
    }

    fn analyze(&self, text: &str, sink: &mut dyn FnMut(Token<'_>)) {
        let mut kept = false;
        scan(text, &mut |token| {
            if !is_dropped(&token) {
                kept = true;
                sink(token);
            }
        });
        if !kept {
            scan(text, sink);
        }
    }
}

fn is_dropped(token: &Token<'_>) -> bool {
    token.form == Form::Part
        && (is_stop_word(token.term)
            || (token.term.len() == 1 && !token.term.as_bytes()[0].is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let mut terms = Vec::new();
        Prose.analyze(text, &mut |token| terms.push(token.term.to_owned()));
        assert_eq!(terms.join(" "), expected, "{text:?}");
    }

    #[test]
    fn function_words_are_dropped_unless_nothing_else_remains() {
        check("how does the session's worktree end?", "session worktree end");
        check("to be or", "to be or");
        check("too many owners", "too many owners");
        check("会 话", "会 话");
        check("x", "x");
    }
}
