//! Bytes of a parser's result: postcard over private mirrors, borrowed in both directions.
//!
//! They are exchanged between processes of one version and never stored.

use std::ops::Range;

use lore_schema::{
    Conformance, ConformanceKind, Import, Reference, ReferenceKind, SymbolKind, Visibility,
};
use serde::{Deserialize, Serialize};

use crate::outline::{Definition, Outline};

/// All visibilities, by their number in the bytes.
const VISIBILITIES: [Visibility; 3] =
    [Visibility::Public, Visibility::Private, Visibility::Unknown];

#[derive(Serialize, Deserialize)]
struct OutlineBytes<'a> {
    #[serde(borrow)]
    definitions: Vec<DefinitionBytes<'a>>,
    /// Starts and ends.
    comments: Vec<(usize, usize)>,
    references: Vec<ReferenceBytes<'a>>,
    imports: Vec<ImportBytes<'a>>,
    has_errors: bool,
}

#[derive(Serialize, Deserialize)]
struct DefinitionBytes<'a> {
    name: &'a str,
    kind: u8,
    visibility: u8,
    receiver: Option<&'a str>,
    name_line: usize,
    anchor: usize,
    lines: (usize, usize),
    signature: &'a str,
    doc_comment: Option<&'a str>,
    parent: Option<usize>,
    depth: usize,
    #[serde(borrow)]
    conformances: Vec<ConformanceBytes<'a>>,
}

#[derive(Serialize, Deserialize)]
struct ConformanceBytes<'a> {
    kind: u8,
    name: &'a str,
    qualifier: Option<&'a str>,
}

#[derive(Serialize, Deserialize)]
struct ReferenceBytes<'a> {
    kind: u8,
    name: &'a str,
    qualifier: Option<&'a str>,
    line: u32,
    within: Option<u32>,
}

#[derive(Serialize, Deserialize)]
struct ImportBytes<'a> {
    module: &'a str,
    name: Option<&'a str>,
    alias: Option<&'a str>,
    reexported: bool,
    line: u32,
}

/// Appends the bytes of an outline.
pub(super) fn encode(outline: &Outline, bytes: Vec<u8>) -> Vec<u8> {
    let mirror = OutlineBytes {
        definitions: outline.definitions.iter().map(definition_bytes).collect(),
        comments: outline.comments.iter().map(|range| (range.start, range.end)).collect(),
        references: outline.references.iter().map(reference_bytes).collect(),
        imports: outline.imports.iter().map(import_bytes).collect(),
        has_errors: outline.has_errors,
    };
    postcard::to_extend(&mirror, bytes).expect("a vector grows as needed")
}

/// The outline that the bytes contain; `None` if they contain none.
pub(super) fn decode(bytes: &[u8]) -> Option<Outline> {
    let mirror: OutlineBytes<'_> = postcard::from_bytes(bytes).ok()?;
    Some(Outline {
        definitions: mirror.definitions.iter().map(definition).collect::<Option<_>>()?,
        comments: mirror.comments.iter().map(|(start, end)| *start..*end).collect(),
        references: mirror.references.iter().map(reference).collect::<Option<_>>()?,
        imports: mirror.imports.iter().map(import).collect(),
        has_errors: mirror.has_errors,
    })
}

fn definition_bytes(definition: &Definition) -> DefinitionBytes<'_> {
    let Range { start, end } = definition.lines;
    DefinitionBytes {
        name: &definition.name,
        kind: position(SymbolKind::ALL, definition.kind),
        visibility: position(&VISIBILITIES, definition.visibility),
        receiver: definition.receiver.as_deref(),
        name_line: definition.name_line,
        anchor: definition.anchor,
        lines: (start, end),
        signature: &definition.signature,
        doc_comment: definition.doc_comment.as_deref(),
        parent: definition.parent,
        depth: definition.depth,
        conformances: definition.conformances.iter().map(conformance_bytes).collect(),
    }
}

fn definition(bytes: &DefinitionBytes<'_>) -> Option<Definition> {
    Some(Definition {
        name: bytes.name.to_owned(),
        kind: *SymbolKind::ALL.get(usize::from(bytes.kind))?,
        visibility: *VISIBILITIES.get(usize::from(bytes.visibility))?,
        receiver: bytes.receiver.map(str::to_owned),
        name_line: bytes.name_line,
        anchor: bytes.anchor,
        lines: bytes.lines.0..bytes.lines.1,
        signature: bytes.signature.to_owned(),
        doc_comment: bytes.doc_comment.map(str::to_owned),
        parent: bytes.parent,
        depth: bytes.depth,
        conformances: bytes.conformances.iter().map(conformance).collect::<Option<_>>()?,
    })
}

fn conformance_bytes(conformance: &Conformance) -> ConformanceBytes<'_> {
    ConformanceBytes {
        kind: position(ConformanceKind::ALL, conformance.kind),
        name: &conformance.name,
        qualifier: conformance.qualifier.as_deref(),
    }
}

fn conformance(bytes: &ConformanceBytes<'_>) -> Option<Conformance> {
    Some(Conformance {
        kind: *ConformanceKind::ALL.get(usize::from(bytes.kind))?,
        name: bytes.name.to_owned(),
        qualifier: bytes.qualifier.map(str::to_owned),
    })
}

fn reference_bytes(reference: &Reference) -> ReferenceBytes<'_> {
    ReferenceBytes {
        kind: position(ReferenceKind::ALL, reference.kind),
        name: &reference.name,
        qualifier: reference.qualifier.as_deref(),
        line: reference.line,
        within: reference.within,
    }
}

fn reference(bytes: &ReferenceBytes<'_>) -> Option<Reference> {
    Some(Reference {
        kind: *ReferenceKind::ALL.get(usize::from(bytes.kind))?,
        name: bytes.name.to_owned(),
        qualifier: bytes.qualifier.map(str::to_owned),
        line: bytes.line,
        within: bytes.within,
    })
}

fn import_bytes(import: &Import) -> ImportBytes<'_> {
    ImportBytes {
        module: &import.module,
        name: import.name.as_deref(),
        alias: import.alias.as_deref(),
        reexported: import.reexported,
        line: import.line,
    }
}

fn import(bytes: &ImportBytes<'_>) -> Import {
    Import {
        module: bytes.module.to_owned(),
        name: bytes.name.map(str::to_owned),
        alias: bytes.alias.map(str::to_owned),
        reexported: bytes.reexported,
        line: bytes.line,
    }
}

/// Position of a value in the list of all values.
fn position<T: Copy + PartialEq>(all: &[T], value: T) -> u8 {
    let position = all.iter().position(|other| *other == value).expect("the list is complete");
    u8::try_from(position).expect("the list is short")
}
