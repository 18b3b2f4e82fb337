//! Schemas of the outputs of commands, by name.
//!
//! The table of the program adds the commands to them (`cli/src/generate/outputs.rs`).

use serde_json::{Value, json};

use super::{SearchWire, schema::output_schema};

/// Defines a function for each schema.
macro_rules! schemas {
    ($($(#[$doc:meta])* $name:ident => $wire:ty;)*) => {
        $($(#[$doc])* pub fn $name() -> Value { output_schema::<$wire>() })*
    };
}

schemas! {
    /// An answer to a search.
    search => SearchWire<'_>;
    /// The answers to several questions.
    search_list => Vec<SearchWire<'_>>;
    /// Definitions.
    symbols => super::graph::SymbolsWire<'_>;
    /// A view of a place.
    expand => super::place::PlaceWire<'_>;
    /// The reasons of a place.
    why => super::why::WhyWire<'_>;
    /// Earlier attempts.
    tried => super::tried::TriedWire<'_>;
    /// A review.
    review => super::review::ReviewWire<'_>;
    /// Edges of the graph.
    research => super::graph::ResearchWire<'_>;
    /// A context package.
    context => super::context::ContextWire<'_>;
    /// The intent of a task.
    classify => super::context::IntentWire<'_>;
    /// The intents of several tasks.
    classify_list => super::context::IntentsWire<'_>;
    /// Policies.
    policy => super::context::PoliciesWire<'_>;
    /// Similar passages.
    related => super::similar::RelatedWire<'_>;
    /// Similar code.
    exists => super::similar::ExistsWire<'_>;
    /// Completions.
    suggest => super::suggest::SuggestWire<'_>;
    /// The specs of a file.
    owners => super::owners::OwnersWire<'_>;
    /// Drift.
    drift => super::drift::DriftWire<'_>;
    /// Known drift.
    drift_baseline => super::drift::BaselineWire<'_>;
    /// An index run.
    index => super::upkeep::IndexWire<'_>;
    /// An estimate of an index run.
    index_estimate => super::progress::EstimateWire;
    /// An import that would be made.
    index_import => super::exchange::ImportPlanWire<'_>;
    /// A line of the progress of an index run.
    index_progress => super::progress::ProgressWire;
    /// The state of a search cluster.
    cluster => super::cluster::ClusterWire<'_>;
    /// A request that a server answered.
    request => super::requests::RequestWire<'_>;
    /// An index run over a workspace.
    index_workspace => super::workspaces::IndexWorkspaceWire<'_>;
    /// Workspaces.
    workspaces => super::workspaces::WorkspacesWire;
    /// The written index file of sage.
    index_sage => super::upkeep::SageIndexWire<'_>;
    /// The state of the index.
    status => super::upkeep::StatusWire<'_>;
    /// A check.
    doctor => super::upkeep::CheckWire<'_>;
    /// Removable indexes.
    clean => super::upkeep::CleanWire;
    /// Earlier searches.
    history => super::history::HistoryWire<'_>;
    /// Settings.
    config => super::upkeep::ConfigWire<'_>;
    /// Models.
    model_list => super::model::ModelsWire<'_>;
    /// A selected model.
    model_use => super::model::ChosenWire<'_>;
    /// A verified model.
    model_verify => super::model::VerifiedWire<'_>;
    /// The input of a program that adds words.
    expand_cmd => super::expand::ExpandableWire<'_>;
    /// An answer of the MCP tool `search`.
    mcp_search => super::agent::SearchAnswer<'_>;
    /// An answer of the MCP tool `read`.
    mcp_read => super::agent::ReadAnswer<'_>;
    /// An answer of the MCP tool `trace`.
    mcp_trace => super::agent::TraceAnswer<'_>;
    /// The state of the index over MCP.
    mcp_status => super::agent::StatusAnswer<'_>;
}

/// The schema of a line of JSON Lines: an item of a list of the object, or the rest of the object.
pub fn lines(mut object: Value, list: &str) -> Value {
    let item = object["properties"]
        .as_object_mut()
        .and_then(|properties| properties.shift_remove(list))
        .map_or(Value::Null, |list| items(&list));
    if let Some(required) = object["required"].as_array_mut() {
        required.retain(|key| key != list);
    }
    alternatives(item, object)
}

/// The schema of a line of `lore research`, whose edges contain their ends.
pub fn research_lines() -> Value {
    let mut object = lines(research(), "edges");
    let node = json!({ "$ref": "#/$defs/Node", "description": "Definition at this end." });
    for end in ["from", "to"] {
        object["$defs"]["Edge"]["properties"][end] = node.clone();
    }
    let rest = &mut object["anyOf"][1];
    rest["properties"]["subjects"] = json!({ "type": "array", "items": { "$ref": "#/$defs/Node" }, "description": "The subjects." });
    if let Some(properties) = rest["properties"].as_object_mut() {
        properties.shift_remove("nodes");
    }
    if let Some(required) = rest["required"].as_array_mut() {
        required.retain(|key| key != "nodes");
    }
    object
}

/// The schema of a line of `lore context`: an item with the name of its section.
pub fn context_lines() -> Value {
    let mut object = lines(context(), "sections");
    object["anyOf"][0] = json!({ "$ref": "#/$defs/ContextItem" });
    let item = &mut object["$defs"]["ContextItem"];
    item["properties"]["section"] =
        json!({ "type": "string", "description": "Name of the section." });
    if let Some(required) = item["required"].as_array_mut() {
        required.insert(0, "section".into());
    }
    if let Some(parts) = object["$defs"].as_object_mut() {
        parts.shift_remove("Section");
    }
    object
}

/// The schema of the items of a list, which may be null instead.
fn items(list: &Value) -> Value {
    list["items"].clone()
}

/// A schema of two alternatives, with the parts of the second one.
fn alternatives(first: Value, mut second: Value) -> Value {
    let parts = second.as_object_mut().and_then(|fields| {
        fields.shift_remove("description");
        fields.shift_remove("$schema");
        fields.shift_remove("$defs")
    });
    let mut schema = json!({});
    schema["anyOf"] = Value::Array(vec![first, second]);
    if let Some(parts) = parts {
        schema["$defs"] = parts;
    }
    schema
}
