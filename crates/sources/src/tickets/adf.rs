//! Converts Jira's two forms of long text to Markdown: trees of the Atlassian Document Format, and
//! the older line markup.

use std::fmt::Write as _;

use crate::value::{Fields, Value};

/// Returns whether a value is the root of a document tree.
pub(super) fn is_document(value: &Value) -> bool {
    value.fields().is_some_and(|fields| fields.text(&["type"]).as_deref() == Some("doc"))
}

/// Converts a long text: a tree, or a string with markup.
pub(super) fn text_of(value: &Value) -> String {
    match value {
        Value::Map(node) => {
            let mut text = String::new();
            block(node, "", &mut text);
            text.trim().to_owned()
        }
        value => of_markup(&value.text().unwrap_or_default()),
    }
}

/// Appends a block; each line after the first starts with `indent`. The depth is bounded by that of
/// the JSON parser.
fn block(node: &Fields, indent: &str, text: &mut String) {
    let kind = node.text(&["type"]).unwrap_or_default();
    match kind.as_str() {
        "paragraph" | "heading" | "taskItem" | "decisionItem" | "caption" => {
            let level = attribute(node, "level").and_then(|level| level.parse::<usize>().ok());
            // Headings of the text are below that of the section.
            let marks = match (kind.as_str(), level) {
                ("heading", level) => "#".repeat((level.unwrap_or(1) + 2).clamp(3, 6)) + " ",
                ("taskItem", _) if attribute(node, "state").as_deref() == Some("DONE") => {
                    "- [x] ".to_owned()
                }
                ("taskItem", _) => "- [ ] ".to_owned(),
                ("decisionItem", _) => "- ".to_owned(),
                _ => String::new(),
            };
            text.push_str(&marks);
            children(node).for_each(|child| inline(child, indent, text));
            end_block(text, indent);
        }
        "codeBlock" => {
            let language = attribute(node, "language").unwrap_or_default();
            let mut code = String::new();
            children(node).for_each(|child| inline(child, "", &mut code));
            let fence = if code.contains("```") { "~~~~" } else { "```" };
            let code = code.trim_end().replace('\n', &format!("\n{indent}"));
            let _ = write!(text, "{fence}{language}\n{indent}{code}\n{indent}{fence}");
            end_block(text, indent);
        }
        "bulletList" | "orderedList" => {
            let first = attribute(node, "order").and_then(|order| order.parse::<u32>().ok());
            for (number, item) in (first.unwrap_or(1)..).zip(children(node)) {
                let mark =
                    if kind == "bulletList" { "- ".to_owned() } else { format!("{number}. ") };
                let inner = format!("{indent}{}", " ".repeat(mark.len()));
                text.push_str(&mark);
                let start = text.len();
                children(item).for_each(|child| block(child, &inner, text));
                trim_end(text, start);
                text.push('\n');
                text.push_str(indent);
            }
            end_block(text, indent);
        }
        "blockquote" => {
            let inner = format!("{indent}> ");
            text.push_str("> ");
            let start = text.len();
            children(node).for_each(|child| block(child, &inner, text));
            trim_end(text, start);
            end_block(text, indent);
        }
        "rule" => {
            text.push_str("---");
            end_block(text, indent);
        }
        "tableRow" => {
            for cell in children(node) {
                let mut inner = String::new();
                children(cell).for_each(|child| block(child, "", &mut inner));
                let words: Vec<&str> = inner.split_whitespace().collect();
                let _ = write!(text, "| {} ", words.join(" "));
            }
            text.push_str("|\n");
            text.push_str(indent);
        }
        "doc" | "table" | "taskList" | "decisionList" | "panel" | "expand" | "nestedExpand"
        | "layoutSection" | "layoutColumn" | "listItem" | "mediaSingle" | "mediaGroup" => {
            if let Some(title) = attribute(node, "title") {
                let _ = write!(text, "**{title}**");
                end_block(text, indent);
            }
            children(node).for_each(|child| block(child, indent, text));
            if matches!(kind.as_str(), "table" | "taskList" | "decisionList") {
                end_block(text, indent);
            }
        }
        // Text outside a paragraph, and nodes added to the format later.
        _ => {
            inline(node, indent, text);
            if children(node).next().is_some() {
                end_block(text, indent);
            }
        }
    }
}

/// Ends a block with an empty line.
fn end_block(text: &mut String, indent: &str) {
    trim_end(text, 0);
    text.push('\n');
    text.push_str(indent.trim_end());
    text.push('\n');
    text.push_str(indent);
}

/// Removes whitespace and quote markers at the end of the text that was appended from `start` on.
fn trim_end(text: &mut String, start: usize) {
    while text.len() > start {
        let Some((rest, last)) = text[start..].rsplit_once('\n') else { break };
        if !last.chars().all(|character| character == '>' || character.is_whitespace()) {
            break;
        }
        let length = start + rest.len();
        text.truncate(length);
    }
    let length = start + text[start..].trim_end().len();
    text.truncate(length);
}

/// Appends an inline node.
fn inline(node: &Fields, indent: &str, text: &mut String) {
    let kind = node.text(&["type"]).unwrap_or_default();
    match kind.as_str() {
        "text" => marked(node, text),
        "hardBreak" => {
            text.push('\n');
            text.push_str(indent);
        }
        "mention" | "status" => {
            text.push_str(&attribute(node, "text").unwrap_or_default());
        }
        "emoji" => {
            let name = attribute(node, "text").or_else(|| attribute(node, "shortName"));
            text.push_str(&name.unwrap_or_default());
        }
        "inlineCard" | "blockCard" | "embedCard" => {
            text.push_str(&attribute(node, "url").unwrap_or_default());
        }
        "date" => {
            let milliseconds =
                attribute(node, "timestamp").and_then(|text| text.parse::<i64>().ok());
            let day = milliseconds.and_then(crate::dates::day_of_milliseconds);
            text.push_str(&day.unwrap_or_default());
        }
        "media" | "mediaInline" => text.push_str(&attribute(node, "alt").unwrap_or_default()),
        _ => {
            if let Value::Text(own) = node.get("text") {
                text.push_str(own);
            }
            children(node).for_each(|child| inline(child, indent, text));
        }
    }
}

/// Appends a text node with its marks.
fn marked(node: &Fields, text: &mut String) {
    let Value::Text(own) = node.get("text") else { return };
    let (mut before, mut after) = (String::new(), String::new());
    for mark in node.get("marks").items().iter().filter_map(Value::fields) {
        let sign = match mark.text(&["type"]).unwrap_or_default().as_str() {
            "code" => "`",
            "em" => "_",
            "strike" => "~~",
            "strong" => "**",
            "link" => {
                if let Some(address) = attribute(mark, "href").filter(|address| address != own) {
                    before.push('[');
                    after.insert_str(0, &format!("]({address})"));
                }
                continue;
            }
            _ => continue,
        };
        before.push_str(sign);
        after.insert_str(0, sign);
    }
    let _ = write!(text, "{before}{own}{after}");
}

fn children(node: &Fields) -> impl Iterator<Item = &Fields> {
    node.get("content").items().iter().filter_map(Value::fields)
}

fn attribute(node: &Fields, name: &str) -> Option<String> {
    node.get("attrs").fields()?.text(&[name])
}

/// Converts the older markup to Markdown: headings, code blocks and inline code. The rest is
/// readable unchanged.
pub(super) fn of_markup(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut open: Option<&str> = None;
    for line in text.lines() {
        let trimmed = line.trim();
        if let Some(tag) = open {
            match trimmed.split_once(tag) {
                Some((last, rest)) => {
                    lines.extend((!last.trim().is_empty()).then(|| last.to_owned()));
                    lines.push("```".to_owned());
                    lines.extend((!rest.trim().is_empty()).then(|| rest.trim().to_owned()));
                    open = None;
                }
                None => lines.push(line.trim_end().to_owned()),
            }
            continue;
        }
        let code = ["{code", "{noformat"].iter().find_map(|tag| {
            let (name, rest) = trimmed.strip_prefix(tag)?.split_once('}')?;
            (name.is_empty() || name.starts_with(':')).then_some((*tag, name, rest))
        });
        if let Some((tag, name, rest)) = code {
            let language: String =
                name.chars().skip(1).take_while(char::is_ascii_alphanumeric).collect();
            let end = if tag == "{code" { "{code}" } else { "{noformat}" };
            lines.push(format!("```{language}"));
            if let Some((only, after)) = rest.split_once(end) {
                lines.extend([only.to_owned(), "```".to_owned()]);
                lines.extend((!after.trim().is_empty()).then(|| after.trim().to_owned()));
            } else {
                lines.extend((!rest.is_empty()).then(|| rest.to_owned()));
                open = Some(end);
            }
        } else if let [b'h', level @ b'1'..=b'6', b'.', b' ', ..] = trimmed.as_bytes() {
            let level = usize::from(level - b'0' + 2).min(6);
            lines.push(format!("{} {}", "#".repeat(level), trimmed[4..].trim()));
        } else {
            lines.push(line.trim_end().replace("{{", "`").replace("}}", "`"));
        }
    }
    if open.is_some() {
        lines.push("```".to_owned());
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flat(json: &str) -> String {
        text_of(&serde_json::from_str(json).expect("valid JSON"))
    }

    #[test]
    fn trees_are_converted_to_markdown() {
        let text = flat(
            r#"{"type": "doc", "version": 1, "content": [
              {"type": "heading", "attrs": {"level": 2}, "content": [{"type": "text", "text": "Why"}]},
              {"type": "paragraph", "content": [
                {"type": "text", "text": "Pay "},
                {"type": "text", "text": "back", "marks": [{"type": "strong"}, {"type": "em"}]},
                {"type": "hardBreak"},
                {"type": "mention", "attrs": {"id": "1", "text": "@ann"}},
                {"type": "text", "text": " see "},
                {"type": "text", "text": "docs", "marks": [{"type": "link", "attrs": {"href": "https://x"}}]}]},
              {"type": "bulletList", "content": [
                {"type": "listItem", "content": [
                  {"type": "paragraph", "content": [{"type": "text", "text": "one"}]},
                  {"type": "orderedList", "content": [
                    {"type": "listItem", "content": [{"type": "paragraph", "content": [{"type": "text", "text": "inner"}]}]}]}]},
                {"type": "listItem", "content": [{"type": "paragraph", "content": [{"type": "text", "text": "two"}]}]}]},
              {"type": "codeBlock", "attrs": {"language": "rust"}, "content": [{"type": "text", "text": "fn a() {\n}\n"}]},
              {"type": "taskList", "content": [
                {"type": "taskItem", "attrs": {"state": "DONE"}, "content": [{"type": "text", "text": "did"}]},
                {"type": "taskItem", "attrs": {"state": "TO\u0044O"}, "content": [{"type": "text", "text": "do"}]}]},
              {"type": "blockquote", "content": [
                {"type": "paragraph", "content": [{"type": "text", "text": "said"}]},
                {"type": "paragraph", "content": [{"type": "text", "text": "again"}]}]},
              {"type": "table", "content": [
                {"type": "tableRow", "content": [
                  {"type": "tableHeader", "content": [{"type": "paragraph", "content": [{"type": "text", "text": "K"}]}]},
                  {"type": "tableCell", "content": [{"type": "paragraph", "content": [{"type": "text", "text": "V"}]}]}]}]},
              {"type": "panel", "content": [{"type": "paragraph", "content": [
                {"type": "date", "attrs": {"timestamp": "1741046400000"}},
                {"type": "emoji", "attrs": {"shortName": ":ok:"}}]}]},
              {"type": "newThing", "content": [{"type": "text", "text": "kept"}]},
              {"type": "rule"}]}"#,
        );
        let expected = "\
#### Why

Pay **_back_**
@ann see [docs](https://x)

- one

  1. inner
- two

```rust
fn a() {
}
```

- [x] did

- [ ] do

> said
>
> again

| K | V |

2025-03-04:ok:

kept

---";
        assert_eq!(text, expected);
    }

    #[test]
    fn other_values_stay_text() {
        assert_eq!(flat("\"plain\""), "plain");
        assert_eq!(flat("null"), "");
        assert_eq!(flat("{}"), "");
        assert_eq!(flat(r#"{"type": "doc", "content": [7, null, {"text": "bare"}]}"#), "bare");
    }

    #[test]
    fn markup_is_converted_to_markdown() {
        for (text, expected) in [
            ("h2. Steps\r\n\r\n* run {{cargo test}}", "#### Steps\n\n* run `cargo test`"),
            ("{code:java|title=A}\nint a;\n{code}\nend", "```java\nint a;\n```\nend"),
            ("{noformat}x{noformat} y", "```\nx\n```\ny"),
            ("{code}\nopen", "```\nopen\n```"),
            ("{color:red}stop{color}", "{color:red}stop{color}"),
            ("", ""),
        ] {
            assert_eq!(of_markup(text), expected, "{text}");
        }
    }
}
