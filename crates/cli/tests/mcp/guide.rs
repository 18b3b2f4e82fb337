//! The session in the guide is a real one: every block of it is sent to a server and compared.

use std::{fs, path::Path};

use serde_json::Value;

use crate::{
    client::{Client, text},
    workspace::Workspace,
};

#[test]
fn the_session_of_the_guide_is_true() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = fs::read_to_string(project.join("docs/guide/mcp.md")).expect("the page is there");
    let workspace = Workspace::shop();
    let mut client = Client::start(&workspace, &[]);
    let mut blocks = 0;
    for block in page.split("```mcp\n> ").skip(1) {
        let (block, _) = block.split_once("\n```").expect("a block ends");
        let (asked, expected) = block.split_once('\n').expect("a block has an answer");
        let answer = if asked.starts_with('{') {
            client.line(asked.as_bytes());
            let message: Value = serde_json::from_str(asked).expect("a message");
            let answer = client.answer(message["id"].as_u64().expect("a number"));
            format!("{answer:#}")
        } else {
            let (tool, arguments) = asked.split_once(' ').expect("a tool and its arguments");
            let arguments = serde_json::from_str(arguments).expect("arguments");
            text(&client.call(tool, &arguments)).to_owned()
        };
        assert!(matches(expected.trim_end(), answer.trim_end()), "> {asked}\n{answer}");
        blocks += 1;
    }
    assert!(5 < blocks, "the page has a session");
}

/// Whether a text is as shown, where `[..]` stands for anything.
fn matches(shown: &str, text: &str) -> bool {
    let parts: Vec<&str> = shown.split("[..]").collect();
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
