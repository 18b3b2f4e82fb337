//! The tools of other systems, by their old names and with their answers. One file each; the
//! contracts of this crate find and write the answers.

mod lean;
mod semtree;
mod spex;
mod swift;

use lore_render::output::style::Style;
use lore_server::{
    failure::Failure,
    systems::System,
    tools::{Call, ToolAnswer, no_index},
    tree::{Outcome as FromTree, Tree},
};
use lore_session::progress::Reporter;
use lore_settings::{filters, flags::FilterArguments, request::search_request, terminal::Terminal};
use serde_json::{Value, json};

use crate::{ContractArguments, ContractRequest, with_defaults};

/// Every system, in the order of the names.
pub static SYSTEMS: &[System] = &[
    System { name: "lean", tools: lean::TOOLS },
    System { name: "semtree", tools: semtree::TOOLS },
    System { name: "spex", tools: spex::TOOLS },
    System { name: "swift", tools: swift::TOOLS },
];

/// The names of the systems.
pub fn names() -> Vec<&'static str> {
    SYSTEMS.iter().map(|system| system.name).collect()
}

/// The systems with these names, in the order of the table.
pub fn systems(names: &[String]) -> Vec<&'static System> {
    SYSTEMS.iter().filter(|system| names.iter().any(|name| name == system.name)).collect()
}

/// Request of a system's tool: a search under its contract, in one of its formats.
struct Question {
    contract: &'static str,
    format: String,
    query: String,
    limit: Option<usize>,
    filter: FilterArguments,
    typed: ContractArguments,
    /// Requested minimum score, on the contract's scale.
    min_score: Option<f32>,
    /// Weight of meaning, 0.0..=1.0.
    semantic_weight: Option<f32>,
    /// Minimum similarity in meaning, 0.0..=1.0.
    min_similarity: Option<f32>,
    /// Steps from the best hits.
    hops: usize,
    /// True if the answer suggests further queries.
    follow_ups: bool,
}

impl Question {
    fn new(contract: &'static str, format: &str, query: &str) -> Question {
        Question {
            contract,
            format: format.to_owned(),
            query: query.to_owned(),
            limit: None,
            filter: FilterArguments::default(),
            typed: ContractArguments::default(),
            min_score: None,
            semantic_weight: None,
            min_similarity: None,
            hops: 0,
            follow_ups: false,
        }
    }
}

/// Answers as the system's own program does.
fn answer(call: &Call<'_>, tree: &Tree, question: Question) -> Result<String, Failure> {
    let is_lean = question.contract == "lean";
    answer_of_system(call, tree, question)
        .map_err(|failure| failure.adapt(|remedy| own(remedy, is_lean)))
}

/// The argument of `search` of lore that remedies name. The tools of the systems do not have it;
/// beside `search` of lean, that of lore is `lore_search`.
const OF_LORE: &str = ", or look for the text as it is with {\"match\": \"literal\"}";

fn own(remedy: &str, is_lean: bool) -> String {
    let with = if is_lean { format!("{OF_LORE} in `lore_search`") } else { String::new() };
    remedy.replace(OF_LORE, &with)
}

fn answer_of_system(call: &Call<'_>, tree: &Tree, question: Question) -> Result<String, Failure> {
    let asked = tree.run(&call.control, move |opened| {
        let contract = crate::contract(question.contract)
            .ok_or_else(|| Failure::new(format!("there is no contract `{}`", question.contract)))?;
        let defaults = contract.defaults();
        let now = jiff::Zoned::now();
        let sources: Vec<String> =
            defaults.sources.iter().map(|source| source.as_str().to_owned()).collect();
        let mut filter = filters::filter(&question.filter, &sources, &opened.root, &now)?;
        if let Some(glob) = &question.typed.path_filter {
            filter.paths.push(filters::path("path_filter", glob, &opened.root)?);
        }
        let settings = &opened.settings;
        let request = search_request(question.query, &question.filter, filter, settings, &now)?;
        let mut request = with_defaults(request, contract, settings).with_hops(question.hops);
        if let Some(min_score) = question.min_score {
            request.min_score = min_score;
        }
        if let Some(limit) = question.limit {
            request.limit = limit;
        }
        if let Some(weight) = question.semantic_weight {
            request.fusion.semantic_weight = weight;
            request.fusion.bm25_weight = 1.0 - weight;
        }
        request.min_similarity = question.min_similarity;
        request.extras.follow_ups = question.follow_ups;
        contract.prepare(&mut request, &question.typed)?;
        let progress = Reporter::start(Terminal { output: false, messages: false, width: 80 });
        let found = contract.search(&ContractRequest {
            engine: &opened.engine,
            root: &opened.root,
            request,
            typed: &question.typed,
            sources: &question.filter.sources,
            progress: &progress,
        })?;
        let style = Style::plain();
        let mut out = Vec::new();
        found.write(&question.format, &style, &mut out).map_err(anyhow::Error::from)?;
        let text = String::from_utf8(out).map_err(anyhow::Error::from)?;
        Ok(text.trim_end().to_owned())
    })?;
    match asked {
        FromTree::Answered(text) => Ok(text),
        FromTree::NotReady(progress) => Err(no_index(progress)),
    }
}

/// Rejects a blank query.
fn not_empty<'a>(call: &'a Call<'_>, name: &str) -> Result<&'a str, Failure> {
    let query = call.arguments.text(name).unwrap_or_default();
    if query.trim().is_empty() {
        return Err(Failure::new("the query is empty")
            .remedy("say what to look for, for example {\"query\": \"retry a refund\"}"));
    }
    Ok(query)
}

/// The text as an object, if it is one.
fn parsed(text: String) -> Result<ToolAnswer, Failure> {
    let structured = serde_json::from_str(&text).map_err(anyhow::Error::from)?;
    Ok(ToolAnswer { text, structured: Some(structured) })
}

/// The text, which is a list; the protocol requires an object around it.
fn listed(text: String) -> Result<ToolAnswer, Failure> {
    let list: Value = serde_json::from_str(&text).map_err(anyhow::Error::from)?;
    Ok(ToolAnswer { text, structured: Some(json!({"results": list})) })
}

#[cfg(test)]
mod tests {
    use lore_server::systems::tools;

    use super::*;

    #[test]
    fn remedies_name_arguments_that_exist() {
        let remedy = format!("end the phrase with `\"`{OF_LORE}");
        assert_eq!(own(&remedy, false), "end the phrase with `\"`");
        assert_eq!(own(&remedy, true), format!("{remedy} in `lore_search`"));
    }

    #[test]
    fn systems_are_sorted_and_no_two_tools_share_a_name() {
        assert!(names().is_sorted());
        let all: Vec<String> = names().iter().map(|name| (*name).to_owned()).collect();
        for systems in [&all[..], &all[..1], &all[2..], &[]] {
            let mut tools: Vec<&str> =
                tools(&super::systems(systems)).iter().map(|tool| tool.name).collect();
            let count = tools.len();
            tools.sort_unstable();
            tools.dedup();
            assert_eq!(tools.len(), count, "{systems:?}");
        }
    }

    #[test]
    fn the_own_search_gives_way_to_that_of_lean() {
        let of = |systems: &[&str]| -> Vec<&str> {
            let systems: Vec<String> = systems.iter().map(|name| (*name).to_owned()).collect();
            tools(&super::systems(&systems)).iter().map(|tool| tool.name).collect()
        };
        assert_eq!(of(&[]), ["search", "read", "trace", "context"]);
        assert_eq!(of(&["lean"]), ["lore_search", "read", "trace", "context", "search"]);
        assert!(of(&["swift"]).starts_with(&["search", "read", "trace", "context"]));
    }

    #[test]
    fn every_tool_describes_itself_briefly() {
        for tool in SYSTEMS.iter().flat_map(|system| system.tools) {
            let input = (tool.input)();
            assert_eq!(input["type"], "object", "{}", tool.name);
            assert_eq!(input["additionalProperties"], false, "{}", tool.name);
            assert!(tool.description.len() <= 400, "{}", tool.name);
            for (name, schema) in input["properties"].as_object().expect("properties") {
                assert!(schema["description"].is_string(), "{}.{name}", tool.name);
            }
            if let Some(output) = tool.output {
                assert_eq!(output()["type"], "object", "{}", tool.name);
            }
        }
    }
}
