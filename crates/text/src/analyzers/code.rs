//! The analyzer of indexed text: identifiers whole and in parts, nothing dropped.

use crate::{Analyzer, Token, scan::scan};

/// Identifiers whole and in parts; words; CJK characters and pairs. No stop words, no stems.
pub(crate) struct Code;

impl Analyzer for Code {
    fn name(&self) -> &'static str {
        "code"
    }

    fn analyze(&self, text: &str, sink: &mut dyn FnMut(Token<'_>)) {
        scan(text, sink);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Form;

    fn check(text: &str, expected: &str) {
        let mut terms = Vec::new();
        Code.analyze(text, &mut |token| {
            assert!(text.is_char_boundary(token.start) && text.is_char_boundary(token.end));
            terms.push(match token.form {
                Form::Part => token.term.to_owned(),
                Form::Whole => format!("={}", token.term),
            });
        });
        assert_eq!(terms.join(" "), expected, "{text:?}");
    }

    #[test]
    fn identifiers_and_words() {
        check("getUserById", "get user by id =getuserbyid");
        check("HTTPServer2xx", "http server 2 xx =httpserver2xx");
        check("retry_refund(max)", "retry refund =retryrefund max");
        check("_private __init__", "private init");
        check("USearchError", "u search error =usearcherror");
        check("URLs userIDs IDs_of", "url =urls user id =userids id of =idsof");
        check("HTTPSession TLSs2 IDS", "http session =httpsession tls 2 =tlss2 ids");
        check("POJOAsArray URLsFor", "pojo as array =pojoasarray ur ls for =urlsfor");
        check("Es xs As", "es xs as");
        check("oauth2 SHA256", "oauth 2 =oauth2 sha 256 =sha256");
        check("plain words, only", "plain words only");
        check("std::sync::Arc", "std sync arc");
        check("x = 1.5e3", "x 1 5 e 3 =5e3");
        check("___ - ", "");
    }

    #[test]
    fn other_scripts() {
        check("ÉTUDE étude e\u{301}tude", "etude etude etude");
        check("Straße ΣΊΣΥΦΟΣ İstanbul", "strasse σισυφοσ istanbul");
        check("会话 abc", "会 话 =会话 abc");
        check("データ型x", "デ ー =デー タ =ータ 型 =タ型 x");
        check("emoji 🦀crab", "emoji crab");
        check("userÉtude", "user etude =useretude");
    }

    #[test]
    fn runs_without_words_are_skipped() {
        check(&"A1".repeat(80), "");
        check(&format!("{} tail", "x".repeat(300)), "tail");
    }
}
