//! The tools that a client can call. One file and one row each.
//!
//! A tool is a synchronous function on a thread of its own. It queries the engine through its tree.

mod context;
mod read;
mod ready;
mod search;
mod status;
mod trace;

use std::{
    collections::BTreeMap,
    fmt,
    path::PathBuf,
    sync::{Arc, Mutex},
};

use lore_engine::{Receipt, WorkspacePaths};
use lore_render::{pack::Memory, tokens::Tokenizer, wire::schema::arguments_schema};
use lore_schema::SourceName;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

pub use self::search::{no_index, search_trees, search_words};
pub(crate) use self::status::TOOL as STATUS;
use super::{
    arguments::Arguments,
    control::CallControl,
    failure::Failure,
    tree::{Opened, Outcome, Tree, until_fresh},
    tree_set::TreeSet,
};

/// A tool.
pub struct Tool {
    /// The name that clients call.
    pub name: &'static str,
    /// The name that people read.
    pub title: &'static str,
    /// Short description: every session pays its tokens.
    pub description: &'static str,
    /// True if the tool changes nothing, not even the schedule of the index.
    pub is_read_only: bool,
    /// The schema of its arguments.
    pub input: fn() -> Value,
    /// The schema of the object it answers with; `None` for text alone.
    pub output: Option<fn() -> Value>,
    /// Answers a call.
    pub call: fn(&Call<'_>) -> Result<ToolAnswer, Failure>,
}

impl fmt::Debug for Tool {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Tool").field(&self.name).finish()
    }
}

/// The own tools, in the order in which clients see them.
pub static TOOLS: &[&Tool] = &[&search::TOOL, &read::TOOL, &trace::TOOL, &context::TOOL];

/// The number of tokens that the own tools take in every session: their names, descriptions and
/// arguments, as the server lists them.
pub fn own_tokens() -> usize {
    let described: Vec<String> = TOOLS
        .iter()
        .map(|tool| format!("{}{}{}", tool.name, tool.description, (tool.input)()))
        .collect();
    Tokenizer::O200k.count(&described.concat())
}

/// The answer of a tool.
#[derive(Debug)]
pub struct ToolAnswer {
    /// The answer as text, for the model.
    pub text: String,
    /// The same answer as an object, for programs.
    pub structured: Option<Value>,
}

impl ToolAnswer {
    /// Creates an answer with an object.
    fn new(text: String, object: &impl Serialize) -> Result<ToolAnswer, Failure> {
        let structured = serde_json::to_value(object)
            .map_err(|error| Failure::new(format!("could not write the answer: {error}")))?;
        Ok(ToolAnswer { text, structured: Some(structured) })
    }
}

/// A call of a tool.
#[derive(Debug)]
pub struct Call<'a> {
    /// The arguments, which fit the tool's schema.
    pub arguments: Arguments,
    /// The trees of the server.
    pub all: &'a dyn TreeSet,
    /// The trees of the session, at least one. The first is the default.
    pub trees: &'a [Arc<Tree>],
    /// A warning for each tree of the session that cannot be read.
    pub skipped: &'a [String],
    /// Time limit and receiver of progress.
    pub control: CallControl,
    /// The texts that the session received.
    pub memories: &'a Memories,
}

/// The texts that a session received, by root; `None` if the server may send a text twice.
pub type Memories = Option<Arc<Mutex<BTreeMap<PathBuf, Memory>>>>;

/// Maximum number of trees that an error names.
const MAX_NAMED: usize = 20;

impl Call<'_> {
    /// The tree of the call: always one of the session.
    pub fn tree(&self) -> Result<&Arc<Tree>, Failure> {
        let first = self.trees.first().ok_or_else(|| {
            Failure::new("there is no tree to read").remedy("start the server as `lore mcp -C DIR`")
        })?;
        let Some(name) = self.arguments.text("root") else { return Ok(first) };
        let is_at = |tree: &&Arc<Tree>| tree.root.as_os_str() == name.trim_end_matches('/');
        if let Some(tree) = self.trees.iter().find(is_at) {
            return Ok(tree);
        }
        // As an answer over all trees names it.
        if name.contains('/') {
            let paths = self.paths();
            if let Some(member) = (0..self.trees.len()).find(|at| paths.name(*at) == name) {
                return Ok(&self.trees[member]);
            }
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
                let named = self.trees.iter().take(MAX_NAMED);
                let names: Vec<String> = named
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
    /// The names of the trees in an answer over all of them.
    fn paths(&self) -> WorkspacePaths {
        self.all.paths_of(self.trees)
    }

    /// The trees that a search reads: the one that the client names, or all.
    pub fn searched(&self) -> Result<Vec<&Arc<Tree>>, Failure> {
        if self.arguments.text("root").is_some() || self.trees.len() <= 1 {
            return Ok(vec![self.tree()?]);
        }
        Ok(self.trees.iter().collect())
    }

    /// Those of them that a question is about, if there are too many. Also returns a warning if others are
    /// not searched.
    pub fn searched_for(
        &self,
        question: &str,
    ) -> Result<(Vec<Arc<Tree>>, Option<String>), Failure> {
        let searched: Vec<Arc<Tree>> = self.searched()?.into_iter().cloned().collect();
        self.all.select(question, &searched)
    }

    /// The tree of a task, which concerns one: that which the client names, or the best one of many.
    pub fn tree_for(&self, question: &str) -> Result<Arc<Tree>, Failure> {
        let first = || self.tree().cloned();
        if self.arguments.text("root").is_some() {
            return first();
        }
        let (selected, _) = self.all.select(question, self.trees)?;
        if selected.len() == self.trees.len() {
            first()
        } else {
            selected.into_iter().next().map_or_else(first, Ok)
        }
    }

    /// The tree of a place, and the place inside it: `api/src/x.rs:10`, as an answer over several trees
    /// names it, is in the tree `api`.
    pub fn tree_of(&self, place: &str) -> Result<(&Arc<Tree>, String), Failure> {
        match self.named_tree_of(place) {
            Some(found) => Ok(found),
            None => Ok((self.tree()?, place.to_owned())),
        }
    }

    /// The same; `None` if the place names no tree, or need not because there is one.
    fn named_tree_of(&self, place: &str) -> Option<(&Arc<Tree>, String)> {
        if self.arguments.text("root").is_some() || self.trees.len() <= 1 {
            return None;
        }
        let is_source = |name: &str| SourceName::from_name(name).is_some();
        let split = place.split_once(':').filter(|(source, _)| is_source(source));
        let (source, path) = split.map_or((None, place), |(source, path)| (Some(source), path));
        let paths = self.paths();
        let (member, inside) = paths.locate(path).filter(|(_, inside)| !inside.is_empty())?;
        let inside = source.map_or_else(|| inside.to_owned(), |it| format!("{it}:{inside}"));
        Some((&self.trees[member], inside))
    }

    /// Runs a query on the index, and repeats it while files change and time is left. Fails with the
    /// progress of the index if that is not ready.
    fn run_until_fresh<T: Send + 'static>(
        &self,
        tree: &Tree,
        receipt: impl Fn(&T) -> &Receipt + Send + 'static,
        query: impl Fn(&Opened) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let deadline = self.control.deadline();
        match tree
            .run(&self.control, move |opened| until_fresh(deadline, receipt, || query(opened)))?
        {
            Outcome::Answered(answer) => Ok(answer),
            Outcome::NotReady(progress) => Err(no_index(progress)),
        }
    }
}

/// Arguments that every tool has.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "its schema alone is used; `Call::tree` reads the argument")]
struct Common {
    /// Name or path of a root; default the first, for a search all
    root: Option<String>,
}

/// Returns the schema of the arguments of a tool, with those that every tool has.
fn input<T: JsonSchema>() -> Value {
    let mut schema = arguments_schema::<T>();
    if let Some(fields) = schema.as_object_mut() {
        let common = arguments_schema::<Common>()["properties"].take();
        let properties = fields.entry("properties").or_insert_with(|| json!({}));
        if let (Some(properties), Value::Object(common)) = (properties.as_object_mut(), common) {
            properties.extend(common);
        }
        // The tool has a description of its own.
        fields.remove("description");
        fields.entry("required").or_insert_with(|| json!([]));
        fields.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
    schema
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
        let tokens = own_tokens();
        assert!(tokens <= 1_200, "{tokens}");
    }
}
