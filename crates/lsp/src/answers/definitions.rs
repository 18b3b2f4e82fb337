//! Definitions, uses and implementations of the name at a position.

use std::collections::BTreeSet;

use lore_engine::Navigator;
use lsp_server::ResponseError;
use lsp_types::{GotoDefinitionParams, Location, ReferenceParams};
use serde_json::Value;

use super::{Spot, Work, work};
use crate::state::{EditorState, decode};

/// `textDocument/definition`.
pub(super) fn definition(editor: &EditorState, params: Value) -> Result<Work, ResponseError> {
    let params: GotoDefinitionParams = decode(params)?;
    let spot = Spot::of(editor, &params.text_document_position_params)?;
    let root = spot.root.clone();
    Ok(work(editor, &root, Navigator::NAMES, move |places| {
        let Some((name, _)) = places.name_at(&spot.path, spot.position) else { return Ok(None) };
        let meaning = places.navigator.meaning(&name)?;
        let hits = meaning.into_iter().flat_map(|meaning| meaning.definitions);
        let locations: Vec<Location> = hits.filter_map(|hit| places.definition(&hit)).collect();
        Ok(Some(locations).filter(|locations| !locations.is_empty()))
    }))
}

/// `textDocument/implementation`.
pub(super) fn implementation(editor: &EditorState, params: Value) -> Result<Work, ResponseError> {
    let params: GotoDefinitionParams = decode(params)?;
    let spot = Spot::of(editor, &params.text_document_position_params)?;
    let root = spot.root.clone();
    Ok(work(editor, &root, Navigator::NAMES, move |places| {
        let Some((name, _)) = places.name_at(&spot.path, spot.position) else { return Ok(None) };
        let hits = places.navigator.implementations(&name)?;
        let locations: Vec<Location> =
            hits.iter().filter_map(|hit| places.definition(hit)).collect();
        Ok(Some(locations).filter(|locations| !locations.is_empty()))
    }))
}

/// `textDocument/references`.
pub(super) fn references(editor: &EditorState, params: Value) -> Result<Work, ResponseError> {
    let params: ReferenceParams = decode(params)?;
    let spot = Spot::of(editor, &params.text_document_position)?;
    let with_definitions = params.context.include_declaration;
    let root = spot.root.clone();
    Ok(work(editor, &root, Navigator::NAMES, move |places| {
        let Some((name, _)) = places.name_at(&spot.path, spot.position) else { return Ok(None) };
        let Some(meaning) = places.navigator.meaning(&name)? else { return Ok(None) };
        let mut locations: Vec<Location> = Vec::new();
        if with_definitions {
            locations.extend(meaning.definitions.iter().filter_map(|hit| places.definition(hit)));
        }
        let uses = places.navigator.uses(&name)?;
        locations.extend(uses.iter().filter_map(|place| places.usage(place)));
        let mut seen = BTreeSet::new();
        locations.retain(|Location { uri, range }| {
            let (start, end) = (range.start, range.end);
            seen.insert((uri.as_str().to_owned(), start.line, start.character, end.line))
        });
        Ok(Some(locations))
    }))
}
