//! The call hierarchy: callers and callees, one level for each request.

use lore_engine::{CallPlace, Certainty, Navigator, SymbolHit};
use lsp_server::ResponseError;
use lsp_types::{
    CallHierarchyIncomingCall, CallHierarchyIncomingCallsParams, CallHierarchyItem,
    CallHierarchyOutgoingCall, CallHierarchyOutgoingCallsParams, CallHierarchyPrepareParams,
    Position, Range, SymbolKind,
};
use serde_json::Value;

use super::{
    Spot, Work,
    places::{Places, symbol_kind},
    work,
};
use crate::state::{EditorState, decode};

/// `textDocument/prepareCallHierarchy`.
pub(super) fn prepare(editor: &EditorState, params: Value) -> Result<Work, ResponseError> {
    let params: CallHierarchyPrepareParams = decode(params)?;
    let spot = Spot::of(editor, &params.text_document_position_params)?;
    let root = spot.root.clone();
    Ok(work(editor, &root, Navigator::NAMES, move |places| {
        let Some((name, _)) = places.name_at(&spot.path, spot.position) else { return Ok(None) };
        let Some(meaning) = places.navigator.meaning(&name)? else { return Ok(None) };
        let items: Vec<CallHierarchyItem> =
            meaning.definitions.iter().filter_map(|hit| item(places, hit, None)).collect();
        Ok(Some(items).filter(|items| !items.is_empty()))
    }))
}

/// `callHierarchy/incomingCalls`.
pub(super) fn incoming(editor: &EditorState, params: Value) -> Result<Work, ResponseError> {
    let params: CallHierarchyIncomingCallsParams = decode(params)?;
    let spot = spot_of(editor, &params.item)?;
    let root = spot.root.clone();
    Ok(work(editor, &root, Navigator::NAMES, move |places| {
        let Some((name, _)) = places.name_at(&spot.path, spot.position) else { return Ok(None) };
        let calls = places.navigator.callers(&name)?;
        let groups = grouped(calls, |call| match &call.definition {
            Some(hit) => format!("{} {}", hit.id, hit.line),
            None => call.place.path.clone(),
        });
        let answers = groups.into_iter().filter_map(|calls| {
            let first = calls.first()?;
            let from = match &first.definition {
                Some(hit) => item(places, hit, Some(first.place.certainty))?,
                None => file_item(places, &first.place.path)?,
            };
            Some(CallHierarchyIncomingCall { from, from_ranges: ranges(places, &calls) })
        });
        Ok(Some(answers.collect::<Vec<_>>()))
    }))
}

/// `callHierarchy/outgoingCalls`.
pub(super) fn outgoing(editor: &EditorState, params: Value) -> Result<Work, ResponseError> {
    let params: CallHierarchyOutgoingCallsParams = decode(params)?;
    let spot = spot_of(editor, &params.item)?;
    let root = spot.root.clone();
    Ok(work(editor, &root, Navigator::NAMES, move |places| {
        let Some((name, _)) = places.name_at(&spot.path, spot.position) else { return Ok(None) };
        let calls = places.navigator.callees(&name)?;
        let groups = grouped(calls, |call| {
            let hit = call.definition.as_ref();
            hit.map(|hit| format!("{} {}", hit.id, hit.line)).unwrap_or_default()
        });
        let answers = groups.into_iter().filter_map(|calls| {
            let first = calls.first()?;
            let to = item(places, first.definition.as_ref()?, Some(first.place.certainty))?;
            Some(CallHierarchyOutgoingCall { to, from_ranges: ranges(places, &calls) })
        });
        Ok(Some(answers.collect::<Vec<_>>()))
    }))
}

/// Returns the position of an item.
fn spot_of(editor: &EditorState, item: &CallHierarchyItem) -> Result<Spot, ResponseError> {
    Spot::at(editor, item.uri.as_str(), item.selection_range.start)
}

/// Groups calls by a key, in the order of the first call of each.
fn grouped(calls: Vec<CallPlace>, key: impl Fn(&CallPlace) -> String) -> Vec<Vec<CallPlace>> {
    let mut groups: Vec<(String, Vec<CallPlace>)> = Vec::new();
    for call in calls {
        let key = key(&call);
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, group)) => group.push(call),
            None => groups.push((key, vec![call])),
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

/// Returns the ranges of calls, each once.
fn ranges(places: &Places<'_>, calls: &[CallPlace]) -> Vec<Range> {
    let mut ranges: Vec<Range> = Vec::new();
    for CallPlace { place, .. } in calls {
        let range = places.name_in(&place.path, place.line, &place.names, place.nth);
        if !ranges.contains(&range) {
            ranges.push(range);
        }
    }
    ranges
}

/// Describes a definition. An uncertain edge states the number of candidates.
fn item(
    places: &Places<'_>,
    hit: &SymbolHit,
    certainty: Option<Certainty>,
) -> Option<CallHierarchyItem> {
    let mut detail: Vec<String> = Vec::new();
    detail.extend(hit.container.clone());
    detail.push(hit.path.clone());
    if let Some(Certainty::OneOf(count)) = certainty {
        detail.push(format!("one of {count} candidates"));
    }
    let selection_range = places.name_of(hit);
    let mut range = places.lines_of(hit);
    range.start = range.start.min(selection_range.start);
    range.end = range.end.max(selection_range.end);
    Some(CallHierarchyItem {
        name: hit.name.clone(),
        kind: symbol_kind(hit.kind),
        tags: None,
        detail: Some(detail.join(" · ")),
        uri: places.uri(&hit.path)?,
        range,
        selection_range,
        data: None,
    })
}

/// Describes code of a file outside every definition.
fn file_item(places: &Places<'_>, path: &str) -> Option<CallHierarchyItem> {
    let start = Range::new(Position::default(), Position::default());
    Some(CallHierarchyItem {
        name: path.rsplit('/').next().unwrap_or(path).to_owned(),
        kind: SymbolKind::FILE,
        tags: None,
        detail: Some(path.to_owned()),
        uri: places.uri(path)?,
        range: start,
        selection_range: start,
        data: None,
    })
}
