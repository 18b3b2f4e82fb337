//! `index_codebase` and `check_indexing_status`: the server maintains the index, so the first
//! starts the work that the first query would start, and the second reports its progress.

use std::{sync::Arc, time::Duration};

use lore_server::{
    answer::mark,
    control::CallControl,
    failure::Failure,
    tools::{Call, Tool, ToolAnswer},
    tree::{Outcome, Tree},
};
use serde_json::{Value, json};

use super::place;

/// Time after which a client may ask again, in milliseconds.
const POLL: usize = 10_000;

/// Time limit of a call that waits for the complete index.
const LONGEST: Duration = Duration::from_hours(1);

pub(super) static INDEX_CODEBASE: Tool = Tool {
    name: "index_codebase",
    title: "Code Indexer",
    description: "Start to index one of this session's roots. Every search does so by itself; nothing \
                  ever needs to be forced.",
    is_read_only: false,
    input: || {
        json!({
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "Absolute path of a root of this session"},
                "force": {"type": "boolean", "default": false, "description": "Taken, and changes nothing"},
                "async": {"type": "boolean", "default": true, "description": "Do not wait for the end"},
                "poll_interval": {
                    "type": "integer", "minimum": 1000, "maximum": 300_000, "default": POLL,
                    "description": "Milliseconds between two questions for the state",
                },
            },
            "required": ["path"],
            "additionalProperties": false,
        })
    },
    output: None,
    call: |call| index(call),
};

pub(super) static CHECK_INDEXING_STATUS: Tool = Tool {
    name: "check_indexing_status",
    title: "Indexing Status",
    description: "Tell how far an indexing task is that index_codebase started.",
    is_read_only: true,
    input: || {
        json!({
            "type": "object",
            "properties": {"task_id": {"type": "string", "description": "From index_codebase"}},
            "required": ["task_id"],
            "additionalProperties": false,
        })
    },
    output: None,
    call: |call| check(call),
};

fn index(call: &Call<'_>) -> Result<ToolAnswer, Failure> {
    let (tree, _) = place(call)?;
    let opened = tree.open()?;
    Tree::start_indexing(&opened);
    if call.arguments.all().get("async") == Some(&Value::Bool(false)) {
        return Ok(ToolAnswer { text: pretty(&finished(call, &tree)?), structured: None });
    }
    let progress = tree.progress().map(|(_, progress)| progress).unwrap_or_default();
    let value = json!({
        "task_id": task(&tree),
        "status": "started",
        "estimated_files": progress.known,
        "message": "Indexing runs. Call check_indexing_status with this task_id, or search already.",
    });
    Ok(ToolAnswer { text: pretty(&value), structured: None })
}

/// Waits for the whole index, and counts.
fn finished(call: &Call<'_>, tree: &Tree) -> Result<Value, Failure> {
    Tree::wait_until_ready(tree.open()?.as_ref(), &call.control.with_limit(LONGEST))?;
    if call.control.is_cancelled() {
        return Err(Failure::new("the call was cancelled; indexing goes on"));
    }
    let progress = tree.progress().map(|(_, progress)| progress).unwrap_or_default();
    let (files, chunks) = counts(call, tree)?;
    Ok(json!({
        "path": tree.root.display().to_string(),
        "forced": false,
        "indexed_files": progress.done,
        "skipped_files": files.saturating_sub(progress.done),
        "total_chunks": chunks,
        "total_files": files,
        "errors": 0,
    }))
}

/// Documents and chunks of the index.
fn counts(call: &Call<'_>, tree: &Tree) -> Result<(u64, u64), Failure> {
    let fresh = CallControl::new(|| false, None);
    let control = if call.control.remaining().is_zero() { &fresh } else { &call.control };
    match tree.run(control, |opened| Ok(opened.engine.status()?))? {
        Outcome::Answered(status) => Ok((
            status.sources.values().map(|source| source.documents).sum(),
            status.sources.values().map(|source| source.chunks).sum(),
        )),
        Outcome::NotReady(_) => Ok((0, 0)),
    }
}

fn check(call: &Call<'_>) -> Result<ToolAnswer, Failure> {
    let asked = call.arguments.text("task_id").unwrap_or_default();
    let tree: &Arc<Tree> = call.trees.iter().find(|tree| task(tree) == asked).ok_or_else(|| {
        Failure::new(format!("there is no task `{asked}`"))
            .remedy("call index_codebase, which names one")
    })?;
    let value = match tree.progress() {
        Some((true, progress)) => {
            let (_, chunks) = counts(call, tree)?;
            json!({
                "task_id": asked,
                "status": "completed",
                "files_indexed": progress.done,
                "chunks_indexed": chunks,
                "errors": 0,
            })
        }
        Some((false, progress)) => json!({
            "task_id": asked,
            "status": "working",
            "retry_after_ms": POLL,
            "files_processed": progress.done,
            "total_files": progress.known,
            "percent_complete": (progress.done * 100).checked_div(progress.known).unwrap_or(0),
            "message": progress.describe(),
        }),
        None => {
            return Err(Failure::new("indexing did not begin, or failed")
                .remedy("call index_codebase again; its answer reports the problem"));
        }
    };
    Ok(ToolAnswer { text: pretty(&value), structured: None })
}

/// The name of the task of a tree: it is always the same one.
fn task(tree: &Tree) -> String {
    let root = json!({"root": tree.root.display().to_string()});
    format!(
        "index-{:016x}",
        mark("index_codebase", root.as_object().unwrap_or(&serde_json::Map::new()), [""; 0])
    )
}

fn pretty(value: &Value) -> String {
    format!("{value:#}")
}
