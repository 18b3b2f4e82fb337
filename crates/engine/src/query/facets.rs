//! What documents say of themselves, as exact terms: how they are written when a document is
//! indexed and when a query asks for them. Pure.

use std::collections::BTreeSet;

use lore_index::Terms;
use lore_schema::{Attributes, Chunked, Document};
use lore_text::{Form, analyzer, fold};

/// Fields that every corpus has, beside the keys of its own documents.
pub(crate) const FIELDS: &[&str] = &[
    "assignee",
    "author",
    "content",
    "created",
    "description",
    "format",
    "id",
    "kind",
    "lang",
    "name",
    "path",
    "priority",
    "source",
    "status",
    "tag",
    "title",
    "updated",
];

/// Other names of fields.
const ALIASES: &[(&str, &str)] = &[
    ("blocked_by", "dependency"),
    ("blockedby", "dependency"),
    ("body", "content"),
    ("dependencies", "dependency"),
    ("depends_on", "dependency"),
    ("desc", "description"),
    ("label", "tag"),
    ("labels", "tag"),
    ("language", "lang"),
    ("state", "status"),
    ("tags", "tag"),
    ("type", "kind"),
];

/// Longest value, in bytes, that is kept whole: longer ones are texts.
const LONGEST_VALUE: usize = 200;

/// Most words of a value that are kept.
const MOST_WORDS: usize = 64;

/// Most values of a document that are kept.
const MOST_VALUES: usize = 256;

/// The term of documents whose text is not in the index from end to end: no key is empty.
pub(crate) const INCOMPLETE: &str = ":incomplete";

/// The field that names what was taken out of a text, by rule.
pub(crate) const SECRET: &str = "secret";

/// Starts the terms that tell how much was taken out of a document: rule, `*`, number.
pub(crate) const SECRETS: &str = ":secrets=";

/// The name under which a field is kept, whatever it is called.
pub(crate) fn canonical(name: &str) -> String {
    let folded = fold(name);
    let alias = ALIASES.iter().find(|(alias, _)| *alias == folded);
    alias.map_or(folded, |(_, name)| (*name).to_owned())
}

/// A value as it is compared: in any letter case, `in progress`, `in-progress` and `in_progress`
/// alike.
pub(crate) fn normal(value: &str) -> String {
    let folded = fold(value);
    let is_joint = |c: char| c.is_whitespace() || matches!(c, '-' | '_');
    let words: Vec<&str> = folded.split(is_joint).filter(|word| !word.is_empty()).collect();
    words.join("-")
}

/// The term of a whole value.
pub(crate) fn value_term(name: &str, value: &str) -> String {
    format!("{name}={}", normal(value))
}

/// The term of a word in a value.
pub(crate) fn word_term(name: &str, word: &str) -> String {
    format!("{name}:{word}")
}

/// Whether a document is kept for the record only.
pub(crate) fn is_archived(attributes: &Attributes) -> bool {
    let says = |name: &str, value: &str| canonical(name) == "archived" && normal(value) == "true";
    attributes.extra.iter().any(|(name, value)| says(name, value))
}

/// The terms of a document.
pub(crate) fn facet_terms(document: &Document, chunked: &Chunked) -> Terms {
    let mut found = BTreeSet::new();
    let attributes = &document.attributes;
    let mut whole = |name: &str, value: &str| {
        let term = value_term(name, value);
        if value.len() <= LONGEST_VALUE && !term.ends_with('=') {
            found.insert(term);
        }
    };
    let optional = [
        ("id", &attributes.id),
        ("status", &attributes.status),
        ("priority", &attributes.priority),
        ("assignee", &attributes.assignee),
        ("author", &attributes.author),
    ];
    for (name, value) in optional {
        if let Some(value) = value {
            whole(name, value);
        }
    }
    attributes.tags.iter().for_each(|tag| whole("tag", tag));
    whole("title", &document.title);
    whole("kind", document.kind);
    whole("format", document.format);
    chunked.language.iter().for_each(|language| whole("lang", language));
    let kinds: BTreeSet<_> = chunked.outline.symbols.iter().map(|symbol| symbol.kind).collect();
    for kind in kinds {
        whole("kind", kind.as_str());
    }
    for (name, value) in attributes.extra.iter().take(MOST_VALUES) {
        whole(&canonical(name), value);
    }
    for (name, date) in [("created", attributes.created), ("updated", attributes.updated)] {
        found.extend(date.map(|seconds| format!("{name}={seconds}")));
    }
    let stem = document.path.rsplit('/').next().unwrap_or_default();
    let folder = document.path.rsplit('/').nth(1).unwrap_or_default();
    let mut words = |name: &str, value: &str| {
        let mut count = 0;
        analyzer("code").analyze(value, &mut |token| {
            count += 1;
            if count <= MOST_WORDS {
                found.insert(word_term(name, token.term));
            }
        });
    };
    let texts = [
        ("title", Some(document.title.as_str())),
        ("name", Some(stem)),
        ("name", (document.kind != "file").then_some(folder)),
        ("name", attributes.id.as_deref()),
        ("id", attributes.id.as_deref()),
        ("description", attributes.description.as_deref()),
        ("assignee", attributes.assignee.as_deref()),
        ("author", attributes.author.as_deref()),
    ];
    for (name, value) in texts {
        if let Some(value) = value {
            words(name, value);
        }
    }
    for (name, value) in attributes.extra.iter().take(MOST_VALUES) {
        words(&canonical(name), value);
    }
    for (rule, count) in lore_sources::count_redactions(&document.text) {
        found.insert(value_term(SECRET, rule));
        found.insert(format!("{SECRETS}{rule}*{count}"));
    }
    // Metadata is no content, and a parser that gave up may have lost some.
    if !document.metadata.is_empty() || chunked.fell_back {
        found.insert(INCOMPLETE.to_owned());
    }
    let mut terms = Terms::default();
    for term in &found {
        terms.push(term);
    }
    terms
}

/// The words of a value that is asked for, as they are kept.
pub(crate) fn words_of(value: &str) -> Vec<String> {
    let mut words = Vec::new();
    analyzer("code").analyze(value, &mut |token| {
        if token.form == Form::Part {
            words.push(token.term.to_owned());
        }
    });
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_compared_without_their_spelling() {
        for value in ["In Progress", "in_progress", "in-progress", " IN  PROGRESS "] {
            assert_eq!(value_term("status", value), "status=in-progress");
        }
        assert_eq!(value_term("author", "Zoë"), value_term("author", "ZOË"));
    }

    #[test]
    fn fields_have_other_names() {
        assert_eq!(canonical("State"), "status");
        assert_eq!(canonical("labels"), "tag");
        assert_eq!(canonical("blockedBy"), "dependency");
        assert_eq!(canonical("epic"), "epic");
        assert!(FIELDS.is_sorted());
        assert!(ALIASES.is_sorted());
    }
}
