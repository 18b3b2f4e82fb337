//! The vocabulary of the stored bytes: lists of names whose values are stored as positions.

use lore_schema::{
    Category, ConformanceKind, Field, ReferenceKind, SkipReason, SourceName, SymbolKind,
};
use xxhash_rust::xxh3::Xxh3;

/// Returns the position of a value in the list of all values.
pub(super) fn position<T: PartialEq + Copy>(all: &[T], value: T) -> u8 {
    let index = all.iter().position(|other| *other == value);
    index.and_then(|index| u8::try_from(index).ok()).expect("lists of names are short and complete")
}

/// Returns a hash of all lists whose order the stored bytes depend on.
pub(super) fn vocabulary() -> u64 {
    let names = Field::ALL
        .iter()
        .map(|field| field.as_str())
        .chain(SourceName::ALL.iter().map(|source| source.as_str()))
        .chain(Category::ALL.iter().map(|category| category.as_str()))
        .chain(SymbolKind::ALL.iter().map(|kind| kind.as_str()))
        .chain(SkipReason::ALL.iter().map(|reason| reason.as_str()))
        .chain(ConformanceKind::ALL.iter().map(|kind| kind.as_str()))
        .chain(ReferenceKind::ALL.iter().map(|kind| kind.as_str()));
    let mut hasher = Xxh3::new();
    for name in names {
        hasher.update(name.as_bytes());
        hasher.update(b"\n");
    }
    hasher.digest()
}
