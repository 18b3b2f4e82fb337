//! The analyzer of paths: words of directories once, of the file's stem twice, no extension.

use crate::{Analyzer, Token, scan::scan};

/// Words of a root-relative path with `/`. The stem names the file, so it counts twice. An
/// extension names a language, which is a filter and not a word.
pub(crate) struct Path;

impl Analyzer for Path {
    fn name(&self) -> &'static str {
        "path"
    }

    fn analyze(&self, text: &str, sink: &mut dyn FnMut(Token<'_>)) {
        let name_start = text.rfind('/').map_or(0, |slash| slash + 1);
        let stem_end = match text[name_start..].rfind('.') {
            // A leading dot is part of the name: `.gitignore`.
            Some(dot) if dot > 0 => name_start + dot,
            _ => text.len(),
        };
        scan(&text[..stem_end], sink);
        scan(&text[name_start..stem_end], &mut |token| {
            sink(Token { start: token.start + name_start, end: token.end + name_start, ..token });
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stem_counts_twice_and_the_extension_is_dropped() {
        let mut terms = Vec::new();
        Path.analyze("src/http_client/Retry.policy.rs", &mut |token| {
            terms.push(token.term.to_owned());
        });
        assert_eq!(terms.join(" "), "src http client httpclient retry policy retry policy");
    }
}
