//! Sends every block of the session in the guide to a server and compares the answers.

use std::{fs, path::Path};

use serde_json::Value;

use crate::{
    client::{Client, text},
    workspace::Workspace,
};

#[test]
fn the_session_in_the_guide_matches_real_answers() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = fs::read_to_string(project.join("docs/guide/mcp.md")).expect("the page is there");
    let workspace = Workspace::shop();
    let mut client = Client::start(&workspace, &[]);
    let mut blocks = 0;
    for block in page.split("```mcp\n> ").skip(1) {
        let (block, _) = block.split_once("\n```").expect("a block ends");
        let (request, expected) = block.split_once('\n').expect("a block has an answer");
        let answer = if request.starts_with('{') {
            client.line(request.as_bytes());
            let message: Value = serde_json::from_str(request).expect("a message");
            let answer = client.answer(message["id"].as_u64().expect("a number"));
            format!("{answer:#}")
        } else {
            let (tool, arguments) = request.split_once(' ').expect("a tool and its arguments");
            let arguments = serde_json::from_str(arguments).expect("arguments");
            text(&client.call(tool, &arguments)).to_owned()
        };
        assert!(matches(expected.trim_end(), answer.trim_end()), "> {request}\n{answer}");
        blocks += 1;
    }
    assert!(5 < blocks, "the page has a session");
}

/// Compares a text with the page, where `[..]` matches anything.
fn matches(pattern: &str, text: &str) -> bool {
    let parts: Vec<&str> = pattern.split("[..]").collect();
    let (Some(first), Some(last)) = (parts.first(), parts.last()) else { return false };
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    if parts.len() == 1 {
        return rest.is_empty();
    }
    for part in &parts[1..parts.len() - 1] {
        let Some((_, after)) = rest.split_once(part) else { return false };
        rest = after;
    }
    rest.ends_with(last)
}
