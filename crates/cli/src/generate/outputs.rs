//! Every JSON output with its commands and its schema.

use lore_compat::spex;
use lore_eval::outputs as eval;
use lore_render::wire::{SCHEMA, outputs};
use serde_json::{Value, json};

use super::GeneratedFile;

/// A JSON output.
pub(crate) struct Output {
    /// Its name, and that of its schema file.
    pub(crate) name: &'static str,
    /// Its content, on one line.
    pub(crate) about: &'static str,
    /// Commands that write it, as typed.
    pub(crate) commands: &'static [&'static str],
    /// Schema of the output, or of a line of it.
    schema: fn() -> Value,
}

const fn output(
    name: &'static str,
    about: &'static str,
    commands: &'static [&'static str],
    schema: fn() -> Value,
) -> Output {
    Output { name, about, commands, schema }
}

/// Every JSON output, sorted by name.
pub(crate) static OUTPUTS: &[Output] = &[
    output("bench", "Costs of generated trees", &["lore bench --json"], eval::bench),
    output(
        "classify",
        "The intent of a task",
        &["lore classify TASK --json", "lore classify - --format jsonl (each line)"],
        outputs::classify,
    ),
    output(
        "classify-list",
        "The intents of several tasks",
        &["lore classify - --json"],
        outputs::classify_list,
    ),
    output("clean", "Indexes that are no longer needed", &["lore clean --json"], outputs::clean),
    output(
        "cluster-status",
        "State of the search cluster",
        &["lore cluster status --json"],
        outputs::cluster,
    ),
    output("config", "Settings with their origin", &["lore config --json"], outputs::config),
    output(
        "context",
        "A context package",
        &["lore context TASK --json", "the MCP tool `context`"],
        outputs::context,
    ),
    output(
        "context-line",
        "An item of a context package, or the rest",
        &["lore context TASK --format jsonl (each line)"],
        outputs::context_lines,
    ),
    output("doctor", "Passed checks and problems", &["lore doctor --json"], outputs::doctor),
    output(
        "drift",
        "Statements that the code no longer supports",
        &["lore drift --json"],
        outputs::drift,
    ),
    output(
        "drift-baseline",
        "Findings that later runs omit",
        &["lore drift --write-baseline FILE"],
        outputs::drift_baseline,
    ),
    output("eval", "Figures of natural questions", &["lore eval COLLECTION --json"], eval::report),
    output(
        "eval-agents",
        "Simulated costs of a question",
        &["lore eval COLLECTION --agents --json (each line)"],
        eval::agents,
    ),
    output("exists", "Similar code", &["lore exists TEXT --json"], outputs::exists),
    output("expand", "A view of a place", &["lore expand PLACE --json"], outputs::expand),
    output(
        "expand-cmd",
        "Input of a program that adds words to a query",
        &["standard input of `search.expand-cmd`"],
        outputs::expand_cmd,
    ),
    output(
        "expand-line",
        "A commit of a place, or the rest",
        &["lore expand PLACE --format jsonl (each line)"],
        || outputs::lines(outputs::expand(), "changes"),
    ),
    output("history", "Earlier searches", &["lore history --json"], outputs::history),
    output(
        "index",
        "Result of an index run",
        &["lore index --json", "lore index --watch --json (each line)"],
        outputs::index,
    ),
    output(
        "index-estimate",
        "What an index run would do",
        &["lore index --dry-run --json"],
        outputs::index_estimate,
    ),
    output(
        "index-import",
        "What an import would take from a file",
        &["lore index --import FILE --dry-run --json"],
        outputs::index_import,
    ),
    output(
        "index-progress",
        "Progress of an index run",
        &["lore index --progress json (each line of standard error that starts with `{`)"],
        outputs::index_progress,
    ),
    output(
        "index-sage",
        "The written index file of sage",
        &["lore index --sage --json"],
        outputs::index_sage,
    ),
    output(
        "index-workspace",
        "Result of an index run over a workspace",
        &["lore index -W NAME --json"],
        outputs::index_workspace,
    ),
    output(
        "mcp-read",
        "Answer of the MCP tool `read`",
        &["the MCP tool `read`"],
        outputs::mcp_read,
    ),
    output(
        "mcp-search",
        "Answer of the MCP tool `search`",
        &["the MCP tool `search`"],
        outputs::mcp_search,
    ),
    output(
        "mcp-status",
        "State of the index over MCP",
        &["the MCP resource `lore://status`"],
        outputs::mcp_status,
    ),
    output(
        "mcp-trace",
        "Answer of the MCP tool `trace`",
        &["the MCP tool `trace`"],
        outputs::mcp_trace,
    ),
    output(
        "model-list",
        "Available embedding models",
        &["lore model list --json"],
        outputs::model_list,
    ),
    output(
        "model-use",
        "The selected embedding model",
        &["lore model use MODEL --json"],
        outputs::model_use,
    ),
    output(
        "model-verify",
        "Result of verifying an embedding model",
        &["lore model verify --json"],
        outputs::model_verify,
    ),
    output("owners", "Specs that govern a file", &["lore owners PATH --json"], outputs::owners),
    output(
        "policy",
        "Contents of a context package, by intent",
        &["lore policy --json"],
        outputs::policy,
    ),
    output("related", "Similar passages", &["lore related PASSAGE --json"], outputs::related),
    output(
        "request",
        "A request that a server answered",
        &["lore serve --log json (each line of standard error that starts with `{`)"],
        outputs::request,
    ),
    output(
        "research",
        "Edges of the call, type and import graph",
        &["lore research QUESTION --json"],
        outputs::research,
    ),
    output(
        "research-line",
        "An edge with its ends, or the rest",
        &["lore research QUESTION --format jsonl (each line)"],
        outputs::research_lines,
    ),
    output(
        "review",
        "What a change touches, and what it may break",
        &["lore review --json"],
        outputs::review,
    ),
    output(
        "review-line",
        "A finding, or the rest",
        &["lore review --format jsonl (each line)"],
        || outputs::lines(outputs::review(), "findings"),
    ),
    output(
        "search",
        "Hits of a search",
        &["lore QUERY --json", "standard input of `search.rerank-cmd`"],
        outputs::search,
    ),
    output(
        "search-line",
        "A hit, or the rest",
        &[
            "lore QUERY --format jsonl (each line)",
            "lore related PASSAGE --format jsonl (each line)",
        ],
        || outputs::lines(outputs::search(), "results"),
    ),
    output(
        "search-list",
        "Answers to several questions",
        &["lore -e QUESTION -e QUESTION --json"],
        outputs::search_list,
    ),
    output("spec", "Spec nodes", &["lore spec QUERY --json"], spex::schema),
    output(
        "spec-followed",
        "Spec nodes with the code that they govern",
        &["lore spec QUERY --follow code --json"],
        spex::followed_schema,
    ),
    output(
        "status",
        "State of the index",
        &["lore status --json", "lore index --status --json", "lore sources --json"],
        outputs::status,
    ),
    output("suggest", "Completions of a query", &["lore suggest PREFIX --json"], outputs::suggest),
    output(
        "symbols",
        "Definitions",
        &["lore symbol NAME --json", "lore file FRAGMENT --json"],
        outputs::symbols,
    ),
    output(
        "symbols-line",
        "A definition, or the rest",
        &[
            "lore symbol NAME --format jsonl (each line)",
            "lore file FRAGMENT --format jsonl (each line)",
        ],
        || outputs::lines(outputs::symbols(), "results"),
    ),
    output("tried", "Earlier attempts", &["lore tried QUERY --json"], outputs::tried),
    output(
        "tried-line",
        "An attempt, or the rest",
        &["lore tried QUERY --format jsonl (each line)"],
        || outputs::lines(outputs::tried(), "attempts"),
    ),
    output("why", "Reasons of a place", &["lore why PLACE --json"], outputs::why),
    output(
        "why-line",
        "A step of the reasons, or the rest",
        &["lore why PLACE --format jsonl (each line)"],
        || outputs::lines(outputs::why(), "hops"),
    ),
    output(
        "workspace-list",
        "Workspaces with their directories",
        &["lore workspace list --json"],
        outputs::workspaces,
    ),
];

impl Output {
    /// The file of the schema.
    pub(crate) fn file(&self) -> String {
        format!("{}.schema.json", self.name)
    }

    /// The schema, with its identifier.
    pub(crate) fn schema(&self) -> Value {
        let mut schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$id": format!("urn:lorehound:json:{SCHEMA}:{}", self.name),
            "title": self.about,
        });
        if let (Some(fields), Value::Object(rest)) = (schema.as_object_mut(), (self.schema)()) {
            for (key, value) in rest {
                fields.entry(key).or_insert(value);
            }
        }
        schema
    }
}

/// The schema files.
pub(crate) fn schemas() -> Vec<GeneratedFile> {
    let file = |output: &Output| GeneratedFile {
        name: output.file(),
        text: format!("{:#}\n", output.schema()),
    };
    OUTPUTS.iter().map(file).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calls a function for each property of a schema, with its path.
    fn properties(schema: &Value, path: &str, visit: &mut dyn FnMut(&str, &Value)) {
        let Value::Object(fields) = schema else {
            if let Value::Array(items) = schema {
                for item in items {
                    properties(item, path, visit);
                }
            }
            return;
        };
        for (key, value) in fields {
            let Value::Object(parts) = value else {
                properties(value, path, visit);
                continue;
            };
            for (name, part) in parts.iter().filter(|_| key == "properties") {
                visit(&format!("{path}.{name}"), part);
            }
            properties(value, &format!("{path}/{key}"), visit);
        }
    }

    #[test]
    fn outputs_are_sorted_and_every_key_has_a_description() {
        assert!(OUTPUTS.is_sorted_by(|left, right| left.name < right.name));
        let mut missing = Vec::new();
        for output in OUTPUTS {
            properties(&output.schema(), output.name, &mut |path, property| {
                if !property["description"].is_string() {
                    missing.push(path.to_owned());
                }
            });
        }
        assert_eq!(missing, [""; 0]);
    }

    #[test]
    fn schemas_accept_keys_of_later_versions() {
        for output in OUTPUTS {
            assert!(
                !output.schema().to_string().contains("\"additionalProperties\":false"),
                "{}",
                output.name
            );
        }
    }
}
