//! Resources: `lore://status`, and `lore://file/…` for every file of the trees.

use serde_json::json;

use super::{
    failure::Failure,
    tools::{self, Call, TOOLS, Tool, ToolAnswer},
    uris::decode,
};

/// The address of the state of the index.
pub(crate) const STATUS: &str = "lore://status";

/// Starts the addresses of files.
const FILE: &str = "lore://file/";

/// Template of the address of a file.
pub(crate) const TEMPLATE: &str = "lore://file/{+path}";

/// The tool that reads an address, and its arguments; `None` if there is no such resource.
pub(crate) fn reader(uri: &str) -> Option<(&'static Tool, serde_json::Value)> {
    let tool = |name: &str| TOOLS.iter().copied().find(|tool| tool.name == name);
    if uri == STATUS {
        return Some((&tools::STATUS, json!({})));
    }
    let path = uri.strip_prefix(FILE).filter(|path| !path.is_empty())?;
    let path = decode(path)?;
    Some((tool("read")?, json!({"target": path, "max_tokens": super::answer::MAX_TOKENS})))
}

/// The path in the address of a file.
pub(crate) fn path_of(uri: &str) -> Option<String> {
    decode(uri.strip_prefix(FILE)?)
}

/// Content of a resource: the text of a file.
pub(crate) fn contents(call: &Call<'_>, tool: &Tool) -> Result<String, Failure> {
    let ToolAnswer { text, structured } = (tool.call)(call)?;
    let lines = structured.as_ref().and_then(|object| object["text"].as_str());
    Ok(lines.map_or(text, str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_by_tools() {
        let read = |uri: &str| {
            reader(uri).map(|(tool, arguments)| (tool.name, arguments["target"].clone()))
        };
        assert_eq!(read("lore://file/src/a%20b.rs"), Some(("read", json!("src/a b.rs"))));
        assert_eq!(read("lore://status").map(|(name, _)| name), Some("status"));
        assert_eq!(read("lore://file/"), None);
        assert_eq!(read("lore://other"), None);
        assert_eq!(read("file:///etc/passwd"), None);
    }
}
