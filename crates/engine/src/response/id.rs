//! Stable ids of hits and definitions.

use lore_schema::{SourceName, Symbol};

/// Returns the id of a hit: `source:path#Container.name`. Lines are part of it only if there is
/// neither a symbol nor a heading.
pub(crate) fn hit_id(
    key: &str,
    symbol: Option<&Symbol>,
    heading: Option<&str>,
    lines: Option<(u32, u32)>,
) -> String {
    match (symbol, heading, lines) {
        (Some(symbol), _, _) => symbol_id(key, symbol),
        (None, Some(heading), _) => format!("{key}#{heading}"),
        (None, None, Some((start, end))) if !key.starts_with(SourceName::Git.as_str()) => {
            format!("{key}:{start}-{end}")
        }
        _ => key.to_owned(),
    }
}

/// Returns the id of a definition: `key#Container.name`, with its ordinal if the name is repeated.
pub(crate) fn symbol_id(key: &str, symbol: &Symbol) -> String {
    let container = symbol.container.as_ref().map(|name| format!("{name}.")).unwrap_or_default();
    let name = &symbol.name;
    match symbol.repetition {
        0 | 1 => format!("{key}#{container}{name}"),
        ordinal => format!("{key}#{container}{name}~{ordinal}"),
    }
}
