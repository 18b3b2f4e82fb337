//! The definitions of a file, and those of all folders by name.

use lore_engine::{Navigator, SymbolHit};
use lsp_server::ResponseError;
use lsp_types::{
    DocumentSymbol, DocumentSymbolParams, DocumentSymbolResponse, Position, SymbolInformation,
    WorkspaceSymbolParams,
};
use serde_json::Value;

use super::{
    Folder, Spot, Work,
    places::{Places, symbol_kind},
    run, work,
};
use crate::state::{EditorState, decode};

/// Maximum number of symbols of a folder.
const MAX_SYMBOLS: usize = 128;

/// `textDocument/documentSymbol`.
pub(super) fn of_document(editor: &EditorState, params: Value) -> Result<Work, ResponseError> {
    let params: DocumentSymbolParams = decode(params)?;
    let spot = Spot::at(editor, params.text_document.uri.as_str(), Position::default())?;
    let root = spot.root.clone();
    Ok(work(editor, &root, Navigator::NAMES, move |places| {
        let Some(hits) = places.navigator.outline(&spot.path)? else { return Ok(None) };
        Ok(Some(if places.features.nested_symbols {
            DocumentSymbolResponse::Nested(nested(places, &hits))
        } else {
            DocumentSymbolResponse::Flat(
                hits.iter().filter_map(|hit| information(places, hit)).collect(),
            )
        }))
    }))
}

/// Nests definitions in text order, in which a container comes before its members.
fn nested(places: &Places<'_>, hits: &[SymbolHit]) -> Vec<DocumentSymbol> {
    let mut symbols = Vec::new();
    let mut rest = hits;
    while let Some((hit, after)) = rest.split_first() {
        let inner = after.iter().take_while(|inner| {
            hit.start_line <= inner.start_line && inner.end_line <= hit.end_line
        });
        let (children, next) = after.split_at(inner.count());
        let children = nested(places, children);
        symbols.push(symbol(places, hit, children));
        rest = next;
    }
    symbols
}

fn symbol(places: &Places<'_>, hit: &SymbolHit, children: Vec<DocumentSymbol>) -> DocumentSymbol {
    let mut range = places.lines_of(hit);
    let selection_range = places.name_of(hit);
    // The protocol requires that one contains the other.
    range.start = range.start.min(selection_range.start);
    range.end = range.end.max(selection_range.end);
    #[expect(deprecated, reason = "the type has the field; tags replace it")]
    DocumentSymbol {
        name: hit.name.clone(),
        detail: Some(hit.signature.clone()).filter(|line| !line.is_empty()),
        kind: symbol_kind(hit.kind),
        tags: None,
        deprecated: None,
        range,
        selection_range,
        children: Some(children).filter(|children| !children.is_empty()),
    }
}

/// `workspace/symbol`: from all folders, exact matches first.
pub(super) fn of_workspace(editor: &EditorState, params: Value) -> Result<Work, ResponseError> {
    let params: WorkspaceSymbolParams = decode(params)?;
    let folders: Vec<Folder> =
        editor.workspaces.roots().iter().map(|root| Folder::of(editor, root)).collect();
    Ok(Box::new(move |flag| {
        let mut found = Vec::new();
        if params.query.trim().is_empty() {
            return Ok(Value::Array(Vec::new()));
        }
        for folder in folders {
            let query = params.query.clone();
            let root = folder.root.clone();
            found.extend(run(&root, flag, move |opened| {
                Ok(folder.navigate(opened, Navigator::NAMES, |places| {
                    let hits = places.navigator.symbols(&query, MAX_SYMBOLS)?;
                    let described = hits
                        .iter()
                        .filter_map(|hit| Some((hit.matched, information(places, hit)?)));
                    Ok(described.collect::<Vec<_>>())
                })?)
            })?);
        }
        // Stable, so that the order within a folder is kept.
        found.sort_by_key(|(matched, _)| *matched);
        let symbols: Vec<SymbolInformation> =
            found.into_iter().map(|(_, information)| information).collect();
        Ok(serde_json::to_value(symbols).unwrap_or_default())
    }))
}

fn information(places: &Places<'_>, hit: &SymbolHit) -> Option<SymbolInformation> {
    #[expect(deprecated, reason = "the type has the field; tags replace it")]
    Some(SymbolInformation {
        name: hit.name.clone(),
        kind: symbol_kind(hit.kind),
        tags: None,
        deprecated: None,
        location: places.definition(hit)?,
        container_name: hit.container.clone(),
    })
}
