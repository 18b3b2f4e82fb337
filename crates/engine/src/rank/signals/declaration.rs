//! Signals of declarations: definitions before mentions, implementations before uses.
//!
//! The weights are logarithms of published factors (a factor m is a part of ln m in a sum), from a
//! code search that multiplies: x2.5 for a rare exact name, x1.5 for the declaration of a type,
//! x1.3 for a protocol, x1.5 and x3 for conforming and declaring so, x0.5 for an extension that
//! only conforms to standard protocols, x1.1 for what is public, x1.1 for source folders, x0.3 for
//! names that share only parts.

use lore_index::StoredChunk;
use lore_schema::{Category, ChunkKind, SourceName, Symbol, SymbolKind, Visibility};

use super::{Side, Signal};
use crate::{
    query::WordForm,
    rank::{DocumentCandidate, Question, candidate::is_symbol},
};

/// A name in fewer documents than this is rare.
const RARE: u64 = 10;

fn is_rare(documents: u64) -> bool {
    documents < RARE
}

/// The document defines a name of the query in the same letter case, and few documents contain it.
pub(crate) struct ExactSymbol;

impl Signal for ExactSymbol {
    fn name(&self) -> &'static str {
        "exact-symbol"
    }

    fn side(&self) -> Side {
        Side::Document
    }

    fn value(&self, question: &Question<'_>, candidate: &DocumentCandidate) -> f32 {
        flag(question.names().any(|(word, name)| {
            is_rare(question.frequency(word))
                && symbols(candidate).any(|symbol| symbol.name == name)
        }))
    }
}

/// The document declares a type with a name of the query.
pub(crate) struct TypeDeclaration;

impl Signal for TypeDeclaration {
    fn name(&self) -> &'static str {
        "type-declaration"
    }

    fn side(&self) -> Side {
        Side::Document
    }

    fn value(&self, question: &Question<'_>, candidate: &DocumentCandidate) -> f32 {
        flag(declares(question, candidate, SymbolKind::is_type))
    }
}

/// The query is for an interface or its implementations, and the document declares it.
pub(crate) struct ProtocolDefinition;

impl Signal for ProtocolDefinition {
    fn name(&self) -> &'static str {
        "protocol-definition"
    }

    fn side(&self) -> Side {
        Side::Document
    }

    fn value(&self, question: &Question<'_>, candidate: &DocumentCandidate) -> f32 {
        let asks = question.intent.interface || question.intent.implementers;
        flag(asks && declares(question, candidate, |kind| kind == SymbolKind::Interface))
    }
}

/// The query is for implementations of a name, and the document contains one.
pub(crate) struct Conformance;

impl Signal for Conformance {
    fn name(&self) -> &'static str {
        "conformance"
    }

    fn side(&self) -> Side {
        Side::Document
    }

    fn value(&self, question: &Question<'_>, candidate: &DocumentCandidate) -> f32 {
        flag(candidate.conforming(question).is_some())
    }
}

/// [`Conformance`] in the declaration of a type or a block that extends it.
pub(crate) struct ImplementingDeclaration;

impl Signal for ImplementingDeclaration {
    fn name(&self) -> &'static str {
        "implementing-declaration"
    }

    fn side(&self) -> Side {
        Side::Document
    }

    fn value(&self, question: &Question<'_>, candidate: &DocumentCandidate) -> f32 {
        flag(candidate.conforming(question).is_some_and(|symbol| {
            (symbol.kind.is_type() && symbol.kind != SymbolKind::Interface)
                || symbol.kind == SymbolKind::Impl
        }))
    }
}

/// Every definition of the best chunks is an extension that only conforms to standard protocols,
/// and the query names neither.
pub(crate) struct StandardExtension;

impl Signal for StandardExtension {
    fn name(&self) -> &'static str {
        "standard-extension"
    }

    fn side(&self) -> Side {
        Side::Document
    }

    fn value(&self, question: &Question<'_>, candidate: &DocumentCandidate) -> f32 {
        let conforms_as_all_do = |symbol: &Symbol| {
            symbol.kind == SymbolKind::Impl
                && !symbol.conformances.is_empty()
                && symbol.conformances.iter().all(|base| is_standard(&base.name))
        };
        let is_named = |symbol: &Symbol| {
            question.names().any(|(_, name)| {
                symbol.name == name || symbol.conformances.iter().any(|base| base.name == name)
            })
        };
        let mut subjects = candidate.parts.chunks.iter().filter_map(|chunk| chunk.symbol.as_ref());
        let applies = subject(candidate).is_some()
            && subjects.all(|symbol| conforms_as_all_do(symbol) && !is_named(symbol));
        flag(!is_symbol(question) && applies)
    }
}

/// The subject of the best chunk is public.
pub(crate) struct Public;

impl Signal for Public {
    fn name(&self) -> &'static str {
        "public"
    }

    fn side(&self) -> Side {
        Side::Document
    }

    fn value(&self, _: &Question<'_>, candidate: &DocumentCandidate) -> f32 {
        flag(subject(candidate).is_some_and(|symbol| symbol.visibility == Visibility::Public))
    }
}

/// The document is the repository's own: source in a language whose definitions are known, or any
/// document of a source other than code, so that both have the same base.
pub(crate) struct SourcePath;

impl Signal for SourcePath {
    fn name(&self) -> &'static str {
        "source-path"
    }

    fn side(&self) -> Side {
        Side::Document
    }

    fn value(&self, question: &Question<'_>, candidate: &DocumentCandidate) -> f32 {
        let has_definitions =
            candidate.parts.chunks.iter().any(|chunk| chunk.kind == ChunkKind::Definition);
        flag(
            candidate.parts.document.category == Category::Own
                && (has_definitions || question.source != SourceName::Code),
        )
    }
}

/// The query is a name of several parts, and the document contains only some of them.
pub(crate) struct PartialName;

impl Signal for PartialName {
    fn name(&self) -> &'static str {
        "partial-name"
    }

    fn side(&self) -> Side {
        Side::Document
    }

    fn value(&self, question: &Question<'_>, candidate: &DocumentCandidate) -> f32 {
        let mut wholes = question
            .query
            .words
            .iter()
            .enumerate()
            .filter(|(_, word)| word.form == WordForm::Whole)
            .peekable();
        flag(
            is_symbol(question)
                && wholes.peek().is_some()
                && wholes.all(|(word, _)| !candidate.holds[word]),
        )
    }
}

/// Standard protocols of the languages that declare conformance in blocks of its own: Swift's
/// protocols, Rust's traits for deriving and formatting, Haskell's and Scala's classes.
const STANDARD: &[&str] = &[
    "AsRef",
    "Borrow",
    "Bounded",
    "CaseIterable",
    "Clone",
    "Codable",
    "Comparable",
    "Copy",
    "CustomDebugStringConvertible",
    "CustomStringConvertible",
    "Debug",
    "Decodable",
    "Default",
    "Deref",
    "DerefMut",
    "Display",
    "Drop",
    "Encodable",
    "Enum",
    "Eq",
    "Equatable",
    "Error",
    "From",
    "Hash",
    "Hashable",
    "Identifiable",
    "Into",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "Read",
    "Sendable",
    "Serializable",
    "Show",
    "Sync",
    "Unpin",
    "UnwindSafe",
];

fn is_standard(name: &str) -> bool {
    STANDARD.binary_search(&name).is_ok()
}

fn flag(value: bool) -> f32 {
    f32::from(u8::from(value))
}

/// All definitions in the best chunks.
fn symbols(candidate: &DocumentCandidate) -> impl Iterator<Item = &Symbol> {
    candidate.parts.chunks.iter().flat_map(|chunk| &chunk.symbols)
}

/// The definition that is the subject of the best chunk.
fn subject(candidate: &DocumentCandidate) -> Option<&Symbol> {
    candidate.parts.chunks.first().and_then(|chunk: &StoredChunk| chunk.symbol.as_ref())
}

/// Returns whether the best chunks declare a name of the query, as one of some kinds.
fn declares(
    question: &Question<'_>,
    candidate: &DocumentCandidate,
    kinds: impl Fn(SymbolKind) -> bool,
) -> bool {
    question
        .names()
        .any(|(_, name)| symbols(candidate).any(|symbol| kinds(symbol.kind) && symbol.name == name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nine_documents_are_few_and_ten_are_not() {
        assert!(is_rare(9));
        assert!(!is_rare(10));
        assert!(!is_rare(11));
    }

    #[test]
    fn standard_names_are_sorted() {
        assert!(STANDARD.is_sorted());
        assert!(is_standard("Comparable") && !is_standard("ChunkStore"));
    }
}
