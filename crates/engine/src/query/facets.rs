//! Facets: attributes of documents as exact terms, written when a document is indexed and looked up
//! by conditions of a query. Pure.

use std::collections::BTreeSet;

use lore_index::Terms;
use lore_schema::{Attributes, Chunked, Document, SourceName};
use lore_text::{Form, analyzer, fold};

/// Fields that every corpus has, in addition to the keys of its own documents.
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

/// Maximum length of a value that is stored as a whole, in bytes: longer ones are texts.
const MAX_VALUE_LEN: usize = 200;

/// Maximum number of words of a value that are stored.
const MAX_WORDS: usize = 64;

/// Maximum number of values of a document that are stored.
const MAX_VALUES: usize = 256;

/// The term of documents whose text is not completely in the index. Keys are never empty, so it is
/// unique.
pub(crate) const INCOMPLETE: &str = ":incomplete";

/// The field with the rules of the secrets removed from a text.
pub(crate) const SECRET: &str = "secret";

/// Prefix of the terms with the number of secrets removed from a document: rule, `*`, number.
pub(crate) const SECRETS: &str = ":secrets=";

/// Prefix of the terms with the paths that a commit changes, as they are written.
pub(crate) const CHANGED: &str = ":changed=";

/// The term of documents with text that their parser could not read.
pub(crate) const PARTLY_PARSED: &str = ":partly-parsed";

/// Prefix of the term of a document that ended its parser: the name of the fault follows.
pub(crate) const PARSER_FAULT: &str = ":parser-fault=";

/// The name under which a field is stored, for any of its aliases.
pub fn canonical(name: &str) -> String {
    let folded = fold(name);
    let alias = ALIASES.iter().find(|(alias, _)| *alias == folded);
    alias.map_or(folded, |(_, name)| (*name).to_owned())
}

/// Normalises a value for comparison: ignores case, and treats `in progress`, `in-progress` and
/// `in_progress` alike.
pub fn normal(value: &str) -> String {
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

/// Returns true if a document is archived.
pub fn is_archived(attributes: &Attributes) -> bool {
    let mut extra = attributes.extra.iter();
    extra.any(|(name, value)| canonical(name) == "archived" && normal(value) == "true")
}

/// The facet terms of a document.
pub(crate) fn facet_terms(document: &Document, chunked: &Chunked) -> Terms {
    let mut found = BTreeSet::new();
    add_values(document, chunked, &mut found);
    add_words(document, &mut found);
    for (rule, count) in lore_sources::count_redactions(&document.text) {
        found.insert(value_term(SECRET, rule));
        found.insert(format!("{SECRETS}{rule}*{count}"));
    }
    if document.key.source == SourceName::Git {
        let extra = document.attributes.extra.iter().filter(|(name, _)| name == "file");
        found.extend(extra.map(|(_, path)| format!("{CHANGED}{path}")));
    }
    // Metadata is not content, and a parser that gave up may have lost some text.
    if !document.metadata.is_empty() || chunked.fell_back {
        found.insert(INCOMPLETE.to_owned());
    }
    if chunked.outline.has_errors && !chunked.fell_back {
        found.insert(PARTLY_PARSED.to_owned());
    }
    let mut terms = Terms::default();
    for term in &found {
        terms.push(term);
    }
    terms
}

/// Adds a term for each whole value and each date.
fn add_values(document: &Document, chunked: &Chunked, found: &mut BTreeSet<String>) {
    let attributes = &document.attributes;
    let mut add = |name: &str, value: &str| {
        let term = value_term(name, value);
        if value.len() <= MAX_VALUE_LEN && !term.ends_with('=') {
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
            add(name, value);
        }
    }
    attributes.tags.iter().for_each(|tag| add("tag", tag));
    add("title", &document.title);
    add("kind", document.kind);
    add("format", document.format);
    chunked.language.iter().for_each(|language| add("lang", language));
    let kinds: BTreeSet<_> = chunked.outline.symbols.iter().map(|symbol| symbol.kind).collect();
    for kind in kinds {
        add("kind", kind.as_str());
    }
    for (name, value) in attributes.extra.iter().take(MAX_VALUES) {
        add(&canonical(name), value);
    }
    for (name, date) in [("created", attributes.created), ("updated", attributes.updated)] {
        found.extend(date.map(|seconds| format!("{name}={seconds}")));
    }
}

/// Adds a term for each word of the values that are texts.
fn add_words(document: &Document, found: &mut BTreeSet<String>) {
    let attributes = &document.attributes;
    let stem = document.path.rsplit('/').next().unwrap_or_default();
    let folder = document.path.rsplit('/').nth(1).unwrap_or_default();
    let mut add = |name: &str, value: &str| {
        let mut count = 0;
        analyzer("code").analyze(value, &mut |token| {
            count += 1;
            if count <= MAX_WORDS {
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
            add(name, value);
        }
    }
    for (name, value) in attributes.extra.iter().take(MAX_VALUES) {
        add(&canonical(name), value);
    }
}

/// The words of a requested value, as they are stored.
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
    fn values_ignore_case_and_separators() {
        for value in ["In Progress", "in_progress", "in-progress", " IN  PROGRESS "] {
            assert_eq!(value_term("status", value), "status=in-progress");
        }
        assert_eq!(value_term("author", "Zoë"), value_term("author", "ZOË"));
    }

    #[test]
    fn fields_have_aliases() {
        assert_eq!(canonical("State"), "status");
        assert_eq!(canonical("labels"), "tag");
        assert_eq!(canonical("blockedBy"), "dependency");
        assert_eq!(canonical("epic"), "epic");
        assert!(FIELDS.is_sorted());
        assert!(ALIASES.is_sorted());
    }
}
