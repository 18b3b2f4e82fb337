//! The tools that a client can call. One file and one row each.
//!
//! A tool is a synchronous function on a thread of its own; it asks the engine through its tree.

mod context;
mod read;
mod research;
mod search;
mod status;

use std::{
    collections::BTreeMap,
    fmt,
    path::PathBuf,
    sync::{Arc, Mutex},
};

use lore_engine::Receipt;
use lore_render::pack::Memory;
use serde_json::{Value, json};

pub use self::search::no_index;
use super::{
    answer::{MAX_TOKENS, MIN_TOKENS, TOKENS},
    arguments::Arguments,
    failure::Failure,
    tree::{Asked, Opened, Tree, settled},
    watch::Watch,
};

/// A tool.
pub struct Tool {
    /// The name that clients call.
    pub name: &'static str,
    /// The name that people read.
    pub title: &'static str,
    /// What it is for, short: every session pays for it.
    pub description: &'static str,
    /// Whether it changes nothing, not even the index's schedule.
    pub is_read_only: bool,
    /// The schema of its arguments.
    pub input: fn() -> Value,
    /// The schema of the object it answers with; `None` for text alone.
    pub output: Option<fn() -> Value>,
    /// Answers.
    pub call: fn(&Call<'_>) -> Result<Given, Failure>,
}

impl fmt::Debug for Tool {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Tool").field(&self.name).finish()
    }
}

/// The own tools, in the order in which clients see them.
pub static TOOLS: &[&Tool] =
    &[&search::TOOL, &read::TOOL, &research::TOOL, &context::TOOL, &status::TOOL];

/// What a tool answers with.
#[derive(Debug)]
pub struct Given {
    /// For the model.
    pub text: String,
    /// For programs.
    pub structured: Option<Value>,
}

/// A call of a tool.
#[derive(Debug)]
pub struct Call<'a> {
    /// The arguments, which fit the tool's schema.
    pub arguments: Arguments,
    /// The trees of the session, at least one. The first is asked where none is named.
    pub trees: &'a [Arc<Tree>],
    /// How long it may take, and who hears how far it is.
    pub watch: Watch,
    /// What the session was given.
    pub memories: &'a Memories,
}

/// What a session was given of each root; `None` where it is given everything anew.
pub type Memories = Option<Arc<Mutex<BTreeMap<PathBuf, Memory>>>>;

impl Call<'_> {
    /// The tree that is asked: one of those of the session, never another one.
    pub fn tree(&self) -> Result<&Arc<Tree>, Failure> {
        let first = self.trees.first().ok_or_else(|| {
            Failure::new("there is no tree to read").remedy("start the server as `lore mcp -C DIR`")
        })?;
        let Some(name) = self.arguments.text("root") else { return Ok(first) };
        let is_at = |tree: &&Arc<Tree>| tree.root.as_os_str() == name.trim_end_matches('/');
        if let Some(tree) = self.trees.iter().find(is_at) {
            return Ok(tree);
        }
        let mut named = self.trees.iter().filter(|tree| tree.name == name);
        match (named.next(), named.next()) {
            (Some(tree), None) => Ok(tree),
            (Some(_), Some(_)) => {
                let same = self.trees.iter().filter(|tree| tree.name == name);
                let paths: Vec<String> =
                    same.map(|tree| format!("`{}`", tree.root.display())).collect();
                Err(Failure::new(format!("several roots of this session are called `{name}`"))
                    .remedy(format!("name one by its path: {}", paths.join(", "))))
            }
            (None, _) => {
                let names: Vec<String> = self
                    .trees
                    .iter()
                    .map(|tree| format!("`{}` ({})", tree.name, tree.root.display()))
                    .collect();
                Err(Failure::new(format!("`{name}` is no root of this session")).remedy(format!(
                    "the roots are {}; only the client can add one",
                    names.join(", ")
                )))
            }
        }
    }
}

impl Call<'_> {
    /// What only an index can answer, of the tree as it is on disk as far as there is time; otherwise
    /// how far the index is.
    fn settled<T: Send + 'static>(
        &self,
        tree: &Tree,
        receipt: impl Fn(&T) -> &Receipt + Send + 'static,
        question: impl Fn(&Opened) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let until = self.watch.deadline();
        match tree.ask(&self.watch, move |opened| settled(until, receipt, || question(opened)))? {
            Asked::Answered(answer) => Ok(answer),
            Asked::Later(standing) => Err(no_index(standing)),
        }
    }
}

/// The schema of arguments, with those that every tool has.
fn input(properties: &[(&str, Value)], required: &[&str]) -> Value {
    let mut all: serde_json::Map<String, Value> =
        properties.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    all.insert(
        "root".to_owned(),
        json!({"type": "string", "description": "Name or path of a root; default the first"}),
    );
    json!({
        "type": "object",
        "properties": all,
        "required": required,
        "additionalProperties": false,
    })
}

/// The schema of the budget.
fn max_tokens() -> (&'static str, Value) {
    let schema = json!({
        "type": "integer", "minimum": MIN_TOKENS, "maximum": MAX_TOKENS, "default": TOKENS,
        "description": "Most tokens of the answer",
    });
    ("max_tokens", schema)
}

/// The schema of the cursor.
fn cursor() -> (&'static str, Value) {
    (
        "cursor",
        json!({"type": "string", "description": "nextCursor of the answer to the same question"}),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_describes_itself_briefly() {
        for tool in TOOLS {
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

    #[test]
    fn the_own_tools_cost_few_tokens() {
        let described: Vec<String> = TOOLS
            .iter()
            .map(|tool| format!("{}{}{}", tool.name, tool.description, (tool.input)()))
            .collect();
        let described = described.concat();
        let tokens = lore_render::tokens::Tokenizer::O200k.count(&described);
        assert!(tokens <= 1_100, "{tokens}");
    }
}
