//! Numbers of records in a query: `KEP 1287`, `RFC-2094`, `spec 213`, `SHOP-1204`, `#734`. Pure.

use lore_index::StoredDocument;
use lore_schema::SourceName;

/// A record that a query names by its number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RecordReference {
    /// The word before the number, folded; empty for `#734`.
    word: String,
    /// The number without leading zeros; parts of a subtask are separated by dots.
    number: String,
}

/// The records that a word before a number means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Any spec.
    Spec,
    /// Specs of one kind.
    SpecOf(&'static str),
    /// Any ticket.
    Ticket,
}

/// Words before the number of a record.
const WORDS: &[(&str, Kind)] = &[
    ("adr", Kind::SpecOf("decision")),
    ("bug", Kind::Ticket),
    ("decision", Kind::SpecOf("decision")),
    ("issue", Kind::Ticket),
    ("kep", Kind::SpecOf("kep")),
    ("pep", Kind::SpecOf("pep")),
    ("proposal", Kind::Spec),
    ("rfc", Kind::SpecOf("rfc")),
    ("spec", Kind::Spec),
    ("story", Kind::Ticket),
    ("task", Kind::Ticket),
    ("ticket", Kind::Ticket),
];

/// Maximum number of digits of a number: longer ones are dates and timestamps.
const MAX_DIGITS: usize = 7;

/// Maximum number of records of a query: a pasted list names none in particular.
const MAX_RECORDS: usize = 4;

/// The records that a query names.
pub(super) fn record_references(text: &str) -> Vec<RecordReference> {
    let mut before = "";
    let mut found = Vec::new();
    for word in text.split_whitespace() {
        let is_edge = |letter: char| !letter.is_alphanumeric() && letter != '#';
        let word = word.trim_matches(is_edge);
        found.extend(reference(before, word));
        before = word;
        if found.len() == MAX_RECORDS {
            break;
        }
    }
    found
}

/// The record that a word names, after another word.
fn reference(before: &str, word: &str) -> Option<RecordReference> {
    let of = |word: &str, number: &str| {
        Some(RecordReference { word: lore_text::fold(word), number: number_of(number)? })
    };
    let is_known = |word: &str| WORDS.iter().any(|(known, _)| known.eq_ignore_ascii_case(word));
    if let Some(number) = word.strip_prefix('#') {
        return of(if is_known(before) { before } else { "" }, number);
    }
    let letters = word.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (letters, rest) = word.split_at(letters);
    if letters.is_empty() {
        return is_known(before).then(|| of(before, rest)).flatten();
    }
    match rest.strip_prefix(['-', '_', '#']) {
        Some(number) => of(letters, number),
        None => is_known(letters).then(|| of(letters, rest)).flatten(),
    }
}

/// A number without leading zeros, with the parts of a subtask: `68`, `68.1`.
fn number_of(text: &str) -> Option<String> {
    let mut parts = Vec::new();
    for part in text.split('.') {
        let is_number = (1..=MAX_DIGITS).contains(&part.len())
            && part.bytes().all(|byte| byte.is_ascii_digit());
        let number = part.trim_start_matches('0');
        parts.push(if number.is_empty() { "0" } else { number });
        if !is_number {
            return None;
        }
    }
    Some(parts.join("."))
}

/// The letters and the number in the identifier of a record: `KEP` and `1287` of `KEP-1287`, nothing
/// and `213` of `213-some-name`. `None` for a part of a record, such as `213-some-name/plan`.
pub(crate) fn parts_of_id(id: &str) -> Option<(&str, String)> {
    let id = id.strip_prefix("rfcs/").unwrap_or(id);
    let letters = id.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (letters, rest) = id.split_at(letters);
    let rest = if letters.is_empty() { rest } else { rest.strip_prefix(['-', '_', '#', ' '])? };
    let is_digit = |letter: char| letter.is_ascii_digit() || letter == '.';
    let digits = rest.find(|letter: char| !is_digit(letter)).unwrap_or(rest.len());
    let (digits, name) = rest.split_at(digits);
    let is_name = name.is_empty() || name.starts_with(['-', '_', ' ']);
    let number = number_of(digits.trim_end_matches('.'))?;
    (is_name && !name.contains('/')).then_some((letters, number))
}

impl RecordReference {
    /// Returns whether a document is the record.
    pub(crate) fn names(&self, document: &StoredDocument) -> bool {
        let source = document.key.source;
        if !matches!(source, SourceName::Specs | SourceName::Tickets) {
            return false;
        }
        let Some((letters, number)) = document.attributes.id.as_deref().and_then(parts_of_id)
        else {
            return false;
        };
        let is_kind = || match WORDS.iter().find(|(word, _)| *word == self.word) {
            Some((_, Kind::Spec)) => source == SourceName::Specs,
            Some((_, Kind::SpecOf(kind))) => source == SourceName::Specs && document.kind == *kind,
            Some((_, Kind::Ticket)) => source == SourceName::Tickets,
            None => self.word.is_empty(),
        };
        number == self.number && (letters.eq_ignore_ascii_case(&self.word) || is_kind())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_named_by_a_word_and_a_number() {
        for (text, expected) in [
            ("KEP 1287", Some(("kep", "1287"))),
            ("what does KEP-1287 change?", Some(("kep", "1287"))),
            ("rfc 0042", Some(("rfc", "42"))),
            ("PEP487", Some(("pep", "487"))),
            ("why spec 213, of all", Some(("spec", "213"))),
            ("task 4.2", Some(("task", "4.2"))),
            ("fixed by #734.", Some(("", "734"))),
            ("issue #734", Some(("issue", "734"))),
            ("SHOP-1204 retry", Some(("shop", "1204"))),
            ("retry 3 times", None),
            ("spec of 2024-05-01", None),
            ("issue 123456789", None),
            ("sha256 sums", None),
            ("#include", None),
            ("C# 12", None),
            ("", None),
        ] {
            let found = record_references(text);
            let found = found.first().map(|found| (found.word.as_str(), found.number.as_str()));
            assert_eq!(found, expected, "{text:?}");
        }
    }

    #[test]
    fn several_records_are_named() {
        let found = record_references("UTF-8 and PEP 7 #1 #2 #3");
        let numbers: Vec<_> = found.iter().map(|found| found.number.as_str()).collect();
        assert_eq!(numbers, ["8", "7", "1", "2"]);
    }

    #[test]
    fn identifiers_have_letters_and_numbers() {
        for (id, expected) in [
            ("KEP-1287", Some(("KEP", "1287"))),
            ("213-some-name", Some(("", "213"))),
            ("001-some-name", Some(("", "1"))),
            ("0001", Some(("", "1"))),
            ("task-68.1", Some(("task", "68.1"))),
            ("rfcs/0007-carts", Some(("", "7"))),
            ("7", Some(("", "7"))),
            ("213-some-name/plan", None),
            ("KEP-1287/kep.yaml", None),
            ("bd-03z45", None),
            ("some-name", None),
            ("12ab", None),
            ("", None),
        ] {
            let found = parts_of_id(id);
            let found = found.as_ref().map(|(letters, number)| (*letters, number.as_str()));
            assert_eq!(found, expected, "{id:?}");
        }
    }
}
