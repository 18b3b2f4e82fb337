//! The definition around a line of an outline. Pure.

use lore_schema::{Outline, Symbol, SymbolKind};

/// Returns true if a definition of this kind is a unit of code by itself, rather than a member or a
/// container.
pub(crate) fn stands_alone(kind: SymbolKind) -> bool {
    kind.is_type()
        || matches!(
            kind,
            SymbolKind::Function | SymbolKind::Impl | SymbolKind::Macro | SymbolKind::Method
        )
}

/// Returns the innermost definition that contains the lines.
pub(crate) fn definition_at(outline: &Outline, from: u32, to: u32) -> Option<&Symbol> {
    outline
        .symbols
        .iter()
        .filter(|symbol| stands_alone(symbol.kind))
        .filter(|symbol| symbol.start_line <= from && to <= symbol.end_line)
        // Among equals the last one wins: a container comes before its members.
        .rev()
        .min_by_key(|symbol| symbol.end_line - symbol.start_line)
}
