//! The answers as JSON.

use std::sync::Arc;

use lore_engine::{Relation, SuggestRequest};
use lore_render::{
    output::{Answer, offsets::Offsets},
    wire::{self, page as wires},
};
use lore_server::tree::NotesOnly;
use serde_json::Value;

use crate::{
    commit,
    error::PageError,
    file, find, history, names,
    openapi::Endpoint,
    params::Params,
    query::{self, MAX_HITS, PER_PAGE},
    record,
    site::Site,
    status, symbol, tree, why,
};

/// Maximum number of edges of an answer.
const MAX_EDGES: usize = 500;

/// Maximum number of completions.
const MAX_SUGGESTIONS: usize = 12;

/// Answers a request to an endpoint with the text of a JSON value.
pub(crate) fn answer(
    site: &Arc<Site>,
    endpoint: &Endpoint,
    params: &Params,
) -> Result<String, PageError> {
    endpoint.check(params, &[])?;
    let value = (endpoint.answer)(site, params)?;
    Ok(written(&value))
}

pub(crate) fn written(value: &Value) -> String {
    let mut out = Vec::new();
    // Writing to a vector cannot fail.
    let _ = wire::write_line(value, &mut out);
    String::from_utf8(out).unwrap_or_default()
}

/// The JSON of an error.
pub(crate) fn error(error: &PageError) -> String {
    written(&wires::value(&wires::error(&error.message, error.hint.as_deref())))
}

fn required<'p>(params: &'p Params, name: &str) -> &'p str {
    // Checked before.
    params.get(name).unwrap_or_default()
}

pub(crate) fn search(site: &Arc<Site>, params: &Params) -> Result<Value, PageError> {
    let limit = params.number("limit", PER_PAGE, MAX_HITS)?;
    let (at_site, asked) = (Arc::clone(site), params.clone());
    let answer = site.run(move |opened| query::search(&asked, limit, &at_site, opened));
    let response = match answer {
        Err(PageError { progress: Some(_), .. }) => query::live(params, site)?,
        answer => answer?,
    };
    Ok(wires::search(&Answer::whole(&response, Offsets::Utf16)))
}

pub(crate) fn suggest(site: &Arc<Site>, params: &Params) -> Result<Value, PageError> {
    let request = SuggestRequest {
        prefix: required(params, "q").to_owned(),
        kinds: Vec::new(),
        limit: MAX_SUGGESTIONS,
    };
    let response = site.run(move |opened| Ok(opened.engine.suggest(&request, &NotesOnly)?))?;
    Ok(wires::value(&wire::suggestions(&response)))
}

pub(crate) fn files(site: &Arc<Site>, params: &Params) -> Result<Value, PageError> {
    let paths = find::find(site, params.get("q").unwrap_or_default())?;
    Ok(wires::value(&wires::files(&paths)))
}

pub(crate) fn folder(site: &Arc<Site>, params: &Params) -> Result<Value, PageError> {
    let view = tree::read(site, params.get("path").unwrap_or_default(), params.get("at"))?;
    let entries = view.entries.iter().map(|entry| (entry.name.as_str(), entry.files));
    Ok(wires::value(&wires::folder(&view.path, view.commit.as_deref(), entries)))
}

pub(crate) fn text(site: &Arc<Site>, params: &Params) -> Result<Value, PageError> {
    let view = file::read(site, required(params, "path"), params.get("at"), false)?;
    Ok(wires::value(&wires::file(
        &view.path,
        &view.text,
        view.language,
        view.commit.as_deref(),
        &view.outline,
        &view.owners,
    )))
}

pub(crate) fn lines(site: &Arc<Site>, params: &Params) -> Result<Value, PageError> {
    let view = file::read(site, required(params, "path"), params.get("at"), true)?;
    let history = view.history.unwrap_or_default();
    Ok(wires::value(&wires::lines(&view.path, &history)))
}

pub(crate) fn name(site: &Arc<Site>, params: &Params) -> Result<Value, PageError> {
    let place = names::place(required(params, "place"))?;
    let view = names::look_up(site, required(params, "path"), place, params.get("at"))?;
    let uses = view
        .uses
        .iter()
        .map(|place| (place.path.as_str(), place.line, place.kind, place.text.as_str()));
    Ok(wires::value(&wires::name(&view.name, view.certainty, &view.definitions, uses, view.total)))
}

pub(crate) fn symbols(site: &Arc<Site>, params: &Params) -> Result<Value, PageError> {
    let hits = symbol::named(site, required(params, "name"))?;
    Ok(wires::value(&wires::definitions(required(params, "name"), &hits)))
}

pub(crate) fn graph(site: &Arc<Site>, params: &Params) -> Result<Value, PageError> {
    let typed = params.get("relation").unwrap_or("callers");
    let relation = Relation::ALL.iter().copied().find(|relation| relation.as_str() == typed);
    let Some(relation) = relation.filter(|relation| *relation != Relation::Path) else {
        return Err(PageError::bad(format!("there is no relation `{typed}`")).hint(
            "the relations are callees, callers, dependencies, dependents, implementations, references, related",
        ));
    };
    let id = required(params, "id").to_owned();
    let response = site.run(move |opened| {
        let name = id.strip_prefix("code:").or(id.strip_prefix("patterns:")).unwrap_or(&id);
        symbol::graph(&opened.engine, relation, name, MAX_EDGES)
    })?;
    Ok(wires::value(&wire::research(relation, &response)))
}

pub(crate) fn commit(site: &Arc<Site>, params: &Params) -> Result<Value, PageError> {
    let (view, hops) = commit::read(site, required(params, "hash"))?;
    Ok(wires::value(&wires::commit(&view, &hops)))
}

pub(crate) fn history(site: &Arc<Site>, params: &Params) -> Result<Value, PageError> {
    let view = history::read(site, required(params, "path"), params)?;
    Ok(wires::value(&wires::history(&view.path, view.page, &view.all, view.shown())))
}

pub(crate) fn why(site: &Arc<Site>, params: &Params) -> Result<Value, PageError> {
    let response = why::read(site, required(params, "target"))?;
    Ok(wires::value(&wire::why(&response)))
}

pub(crate) fn record(site: &Arc<Site>, params: &Params) -> Result<Value, PageError> {
    let (record, text, hops) = record::read(site, required(params, "id"))?;
    Ok(wires::value(&wires::record(&record, &text, &hops)))
}

pub(crate) fn status(site: &Arc<Site>, _: &Params) -> Result<Value, PageError> {
    let status = status::read(site)?;
    Ok(wires::value(&wire::status(&status)))
}
