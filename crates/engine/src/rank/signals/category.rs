//! Signals of the category of a file. They are penalties, and none applies when the query names the
//! category.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use lore_schema::{Category, SourceName};
use lore_text::same_stem;

use super::{Side, Signal};
use crate::{
    query::Tests,
    rank::{
        DocumentCandidate, Question,
        candidate::{folder_words, stem_words},
    },
};

macro_rules! category_signal {
    ($(#[$doc:meta])* $type:ident, $name:literal, [$($category:pat),+], $words:expr) => {
        $(#[$doc])*
        pub(crate) struct $type;

        impl Signal for $type {
            fn name(&self) -> &'static str {
                $name
            }

            fn value(&self, question: &Question<'_>, candidate: &DocumentCandidate) -> f32 {
                let applies = matches!(candidate.parts.document.category, $($category)|+);
                // An implementation is an answer in files of any category.
                let answers = candidate.conforming(question).is_some();
                f32::from(u8::from(applies && !answers && !names_category(question, $words)))
            }

            fn side(&self) -> Side {
                Side::Document
            }
        }
    };
}

/// A test: it uses the subject of the query.
pub(crate) struct Test;

impl Signal for Test {
    fn name(&self) -> &'static str {
        "test"
    }

    fn value(&self, question: &Question<'_>, candidate: &DocumentCandidate) -> f32 {
        let is_penalised = candidate.parts.document.category == Category::Test
            && is_penalty_in(question.source)
            && candidate.conforming(question).is_none();
        match question.query.tests {
            Tests::NotMentioned if is_penalised => 1.0,
            Tests::Mentioned if is_penalised => IN_PASSING,
            _ => 0.0,
        }
    }

    fn side(&self) -> Side {
        Side::Document
    }
}

/// Value of the penalty of a test where the query mentions tests but is about something else. With
/// the similarity of tests at half, 0.25 to 1.0 give the same figures; at 0.0 the commit sets lose
/// 0.0027.
const IN_PASSING: f32 = 0.25;

category_signal! {
    /// An example: it uses the subject of the query.
    Example, "example", [Category::Example],
    &["example", "examples", "sample", "demo", "tutorial", "usage", "benchmark"]
}
category_signal! {
    /// Vendored code of another project.
    Foreign, "vendored", [Category::Vendored], &["vendor", "vendored", "third", "dependency"]
}
category_signal! {
    /// Made from something else: generated, minified, locked, data, translated.
    Derived, "derived",
    [
        Category::Generated,
        Category::Minified,
        Category::Lock,
        Category::Data,
        Category::Translation
    ],
    &[
        "generated", "minified", "lock", "lockfile", "data", "snapshot", "changelog",
        "translation", "translated"
    ]
}

/// A shim for another version: `compat`, `legacy`, `deprecated` in the path.
pub(crate) struct Compatibility;

/// Words in the path of a shim.
const COMPATIBILITY: &[&str] =
    &["compat", "compatibility", "legacy", "deprecated", "shim", "polyfill"];

impl Signal for Compatibility {
    fn name(&self) -> &'static str {
        "compatibility"
    }

    fn value(&self, question: &Question<'_>, candidate: &DocumentCandidate) -> f32 {
        let applies = leads_to_shim(&candidate.parts.document.path);
        f32::from(u8::from(applies && !names_category(question, COMPATIBILITY)))
    }

    fn side(&self) -> Side {
        Side::Document
    }
}

/// Returns whether the name of a folder or the file in a path contains a word for shims.
fn leads_to_shim(path: &str) -> bool {
    static LETTERS: LazyLock<AhoCorasick> = LazyLock::new(|| {
        let mut builder = AhoCorasick::builder();
        builder.ascii_case_insensitive(true).build(COMPATIBILITY).expect("fixed words")
    });
    // Few paths need to be split into words. Other letters than ASCII may fold to these words.
    if path.is_ascii() && !LETTERS.is_match(path) {
        return false;
    }
    let mut words = stem_words(path).into_iter().chain(folder_words(path));
    words.any(|word| COMPATIBILITY.contains(&word.as_str()))
}

/// Input of tools: settings, workflows, manifests. It names everything and explains nothing.
pub(crate) struct Configuration;

impl Signal for Configuration {
    fn name(&self) -> &'static str {
        "configuration"
    }

    fn value(&self, question: &Question<'_>, candidate: &DocumentCandidate) -> f32 {
        const LANGUAGES: &[&str] =
            &["cmake", "dockerfile", "go-module", "ini", "json", "make", "toml", "xml", "yaml"];
        // As words of a query, `build` and `chore` describe what code does.
        const TYPES: &[&str] = &["build", "chore", "ci"];
        const WORDS: &[&str] = &[
            "ci",
            "config",
            "configuration",
            "dependency",
            "manifest",
            "pipeline",
            "setting",
            "workflow",
        ];
        let language = candidate.parts.document.language.as_deref();
        let Some(language) = language.filter(|language| LANGUAGES.contains(language)) else {
            return 0.0;
        };
        let query = question.query;
        let asks = question.source != SourceName::Code
            || candidate.stem_share >= 1.0
            || query.commit_type.as_deref().is_some_and(|of| TYPES.contains(&of))
            || query.words[..query.typed()].iter().any(|word| {
                let mut names = WORDS.iter().chain([&language]);
                names.any(|name| same_stem(&word.term, name))
            });
        f32::from(u8::from(!asks))
    }

    fn side(&self) -> Side {
        Side::Document
    }
}

/// An older version beside a newer one: `v3` beside `v4`.
pub(crate) struct Superseded;

impl Signal for Superseded {
    fn name(&self) -> &'static str {
        "superseded"
    }

    fn value(&self, _: &Question<'_>, candidate: &DocumentCandidate) -> f32 {
        f32::from(u8::from(candidate.superseded))
    }

    fn side(&self) -> Side {
        Side::Document
    }
}

/// Returns whether the query names the category, or searches a source in which it is no penalty.
fn names_category(question: &Question<'_>, words: &[&str]) -> bool {
    !is_penalty_in(question.source) || question.query.contains_word(|word| words.contains(&word))
}

/// Returns whether categories are penalties in a source.
fn is_penalty_in(source: SourceName) -> bool {
    matches!(source, SourceName::Code | SourceName::Docs)
}

#[cfg(test)]
mod tests {
    use super::leads_to_shim;

    #[test]
    fn shims_are_recognised_by_whole_words_of_a_path() {
        for (path, expected) in [
            ("src/compat/zlib.c", true),
            ("src/LegacyServer.cs", true),
            ("polyfill/index.js", true),
            ("src/node_shim.ts", true),
            ("lib/COMPATIBILITY.md", true),
            ("src/compatible/zlib.c", false),
            ("src/shimmer.rs", false),
            ("src/server.rs", false),
            ("é/compat.c", true),
            ("ｃｏｍｐａｔ/zlib.c", true),
            ("é/server.rs", false),
        ] {
            assert_eq!(leads_to_shim(path), expected, "{path}");
        }
    }
}
