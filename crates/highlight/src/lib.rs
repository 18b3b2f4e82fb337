//! Colours of code: classifies the parts of a text by the tokens of its language.
//!
//! The text is scanned, not parsed. A scanner needs a bounded number of steps for each byte, takes
//! part of a file as well as a whole one, and cannot end the process as the parser library can on a
//! crafted file. The words that a language reserves come from its grammar.
//!
//! **Invariant:** pure, and linear in the size of the text.

mod code;
mod markup;
mod prose;
mod rules;
mod spans;
mod theme;

pub use crate::{
    spans::{Class, Span, in_lines},
    theme::{Color, Look, Theme},
};

use lore_syntax::Language;

/// Maximum number of bytes that are classified: about 20,000 lines, in 20 ms.
pub const MAX_BYTES: usize = 1 << 20;

/// Classifies the parts of a text in a language, given by its name or an alias. The spans are sorted and
/// disjoint; text between them has no class. Without a known language, there are none.
pub fn highlight(text: &str, language: Option<&str>) -> Vec<Span> {
    let text = &text[..text.floor_char_boundary(MAX_BYTES)];
    match language.and_then(lore_syntax::named) {
        Some(language) => of_language(text, language),
        None => Vec::new(),
    }
}

/// Classifies a text by the language that its path, or its first line, shows.
pub fn highlight_file(path: &str, text: &str) -> Vec<Span> {
    let text = &text[..text.floor_char_boundary(MAX_BYTES)];
    lore_syntax::detect(path, text).map_or_else(Vec::new, |language| of_language(text, language))
}

/// Name of the language of a file; `None` for an unknown one.
pub fn language_of(path: &str, text: &str) -> Option<&'static str> {
    lore_syntax::detect(path, text).map(|language| language.name)
}

fn of_language(text: &str, language: &Language) -> Vec<Span> {
    match language.name {
        "html" | "xml" | "svg" | "vue" | "svelte" => markup::scan(text),
        "markdown" => prose::markdown(text),
        _ if language.is_prose() => prose::plain(text),
        _ => code::scan(text, language),
    }
}

#[cfg(test)]
mod tests;
