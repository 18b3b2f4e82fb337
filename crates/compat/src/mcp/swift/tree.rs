//! `parse_tree`: the definitions of a file or folder, nested as in the source.

use std::fmt::Write as _;

use lore_console::text;
use lore_engine::SymbolHit;
use lore_schema::Filter;
use lore_server::{
    failure::Failure,
    tools::{Call, Tool, ToolAnswer, no_index},
    tree::{NotesOnly, Outcome},
};
use serde_json::{Value, json};

use super::place;
use crate::swift::kinds;

/// Most definitions that are listed.
const MOST: usize = 2_000;

pub(super) static PARSE_TREE: Tool = Tool {
    name: "parse_tree",
    title: "Parse Tree Visualizer",
    description: "List the definitions of a file or folder, nested as in the source.",
    is_read_only: true,
    input: || {
        json!({
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "A file or folder of this session's roots"},
                "pattern": {"type": "string", "description": "Of a folder, only files that match this glob"},
                "max_depth": {"type": "integer", "minimum": 0, "description": "Most levels below the first"},
                "kind_filter": {"type": "string", "description": "Only these kinds, as in `class,method`"},
                "format": {
                    "type": "string", "enum": ["toon", "json", "human"], "default": "toon",
                    "description": "How they are written",
                },
            },
            "required": ["path"],
            "additionalProperties": false,
        })
    },
    output: None,
    call: |call| parse(call),
};

/// A definition at its depth.
struct Node {
    depth: usize,
    hit: SymbolHit,
}

/// The definitions of one file.
struct File {
    path: String,
    language: String,
    nodes: Vec<Node>,
}

impl File {
    fn deepest(&self) -> usize {
        self.nodes.iter().map(|node| node.depth).max().unwrap_or_default()
    }
}

fn parse(call: &Call<'_>) -> Result<ToolAnswer, Failure> {
    let arguments = &call.arguments;
    let (tree, folder) = place(call)?;
    let is_file = folder.as_ref().is_some_and(|glob| !glob.ends_with("/**"));
    let paths = match (folder, arguments.text("pattern")) {
        (Some(folder), Some(pattern)) if !is_file => {
            vec![format!("{}/{pattern}", folder.trim_end_matches("/**"))]
        }
        (None, Some(pattern)) => vec![pattern.to_owned()],
        (folder, _) => folder.into_iter().collect(),
    };
    let filter = Filter { paths, ..Filter::default() };
    let asked = tree.run(&call.control, move |opened| {
        Ok(opened.engine.definitions(&filter, MOST, &NotesOnly)?)
    })?;
    let response = match asked {
        Outcome::Answered(response) => response,
        Outcome::NotReady(progress) => return Err(no_index(progress)),
    };
    let kinds: Vec<String> = arguments
        .text("kind_filter")
        .unwrap_or_default()
        .split(',')
        .map(|kind| kind.trim().to_lowercase())
        .filter(|kind| !kind.is_empty())
        .collect();
    let deepest = arguments.number("max_depth").unwrap_or(usize::MAX);
    let mut files = nest(response.hits);
    for file in &mut files {
        file.nodes.retain(|node| {
            node.depth <= deepest && kinds::is_requested(&kinds, kind(&node.hit), node.hit.kind)
        });
    }
    files.retain(|file| !file.nodes.is_empty());
    let shown = arguments.text("path").unwrap_or_default();
    if files.is_empty() {
        let text = format!("No declarations found in: {}", text::clean(shown));
        return Ok(ToolAnswer { text, structured: None });
    }
    let text = match (arguments.text("format"), files.as_slice()) {
        (Some("json"), [file]) if is_file => format!("{:#}", object(file)),
        (Some("json"), files) => format!("{:#}", batch(shown, files)),
        (Some("human"), files) => human(files),
        (_, [file]) if is_file => toon(file),
        (_, files) => toon_of_all(shown, files),
    };
    Ok(ToolAnswer { text, structured: None })
}

/// Definitions in the order of their files and lines, with their depth.
fn nest(hits: Vec<SymbolHit>) -> Vec<File> {
    let mut files: Vec<File> = Vec::new();
    let mut open: Vec<u32> = Vec::new();
    for hit in hits {
        if files.last().is_none_or(|file| file.path != hit.path) {
            open.clear();
            files.push(File {
                path: hit.path.clone(),
                language: hit.language.clone().unwrap_or_default(),
                nodes: Vec::new(),
            });
        }
        while open.last().is_some_and(|end| *end < hit.start_line) {
            open.pop();
        }
        let depth = open.len();
        open.push(hit.end_line);
        if let Some(file) = files.last_mut() {
            file.nodes.push(Node { depth, hit });
        }
    }
    files
}

/// The nodes with their children, from a list in which these follow.
fn children(nodes: &[Node]) -> Vec<Value> {
    let mut out = Vec::new();
    let mut rest = nodes;
    while let [node, tail @ ..] = rest {
        let end = tail.iter().position(|next| next.depth <= node.depth).unwrap_or(tail.len());
        out.push(json!({
            "kind": kind(&node.hit),
            "name": node.hit.name,
            "startLine": node.hit.start_line,
            "endLine": node.hit.end_line,
            "signature": node.hit.signature,
            "children": children(&tail[..end]),
            "depth": node.depth,
        }));
        rest = &tail[end..];
    }
    out
}

fn object(file: &File) -> Value {
    json!({
        "nodes": children(&file.nodes),
        "totalNodes": file.nodes.len(),
        "maxDepth": file.deepest(),
        "path": file.path,
        "language": file.language,
    })
}

fn batch(root: &str, files: &[File]) -> Value {
    json!({
        "files": files.iter().map(object).collect::<Vec<_>>(),
        "totalFiles": files.len(),
        "totalNodes": files.iter().map(|file| file.nodes.len()).sum::<usize>(),
        "maxDepth": files.iter().map(File::deepest).max().unwrap_or_default(),
        "rootPath": root,
        "skippedFiles": [],
    })
}

fn human(files: &[File]) -> String {
    let mut out = String::new();
    for file in files {
        let count = file.nodes.len();
        let _ = writeln!(out, "{} ({}), {count} nodes", text::clean(&file.path), file.language);
        for Node { depth, hit } in &file.nodes {
            let (indent, name) = ("  ".repeat(depth + 1), text::clean(&hit.name));
            let _ =
                writeln!(out, "{indent}{} {name} {}-{}", kind(hit), hit.start_line, hit.end_line);
        }
    }
    out.truncate(out.trim_end().len());
    out
}

fn toon(file: &File) -> String {
    let mut out = format!(
        "ast{{path,lang,nodes,depth}}:\n  {},{},{},{}\n\ntree[{}]{{d,k,name,l,sig}}:\n",
        quoted(&file.path),
        quoted(&file.language),
        file.nodes.len(),
        file.deepest(),
        file.nodes.len(),
    );
    for node in &file.nodes {
        let _ = writeln!(out, "  {},{}", row(node), quoted(&node.hit.signature));
    }
    out.truncate(out.trim_end().len());
    out
}

fn toon_of_all(root: &str, files: &[File]) -> String {
    let nodes: usize = files.iter().map(|file| file.nodes.len()).sum();
    let deepest = files.iter().map(File::deepest).max().unwrap_or_default();
    let mut out = format!(
        "batch{{root,files,nodes,depth}}:\n  {},{},{nodes},{deepest}\n",
        quoted(root),
        files.len()
    );
    for (position, file) in files.iter().enumerate() {
        let count = file.nodes.len();
        let _ = write!(
            out,
            "\nfile[{position}]{{path,nodes,depth}}:\n  {},{count},{}\ntree[{count}]{{d,k,name,l}}:\n",
            quoted(&file.path),
            file.deepest(),
        );
        for node in &file.nodes {
            let _ = writeln!(out, "  {}", row(node));
        }
    }
    out.truncate(out.trim_end().len());
    out
}

fn row(Node { depth, hit }: &Node) -> String {
    format!(
        "{depth},{},{},[{},{}]",
        quoted(kind(hit)),
        quoted(&hit.name),
        hit.start_line,
        hit.end_line
    )
}

/// The kind of a definition under the name of swift-index.
fn kind(hit: &SymbolHit) -> &str {
    kinds::published(hit.kind, hit.language.as_deref(), Some(&hit.signature))
}

fn quoted(text: &str) -> String {
    Value::String(text::clean(text)).to_string()
}
