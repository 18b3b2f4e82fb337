//! Exports of trackers: each format with its edge cases, and detection of named exports.

use std::{fmt::Write, fs};

use lore_schema::{SkipReason, SourceName, Trust};
use proptest::prelude::*;

use super::{github, jira, linear};
use crate::{
    SourceError, Tree, WalkOptions,
    fixture::{Folder, Memory, options},
    specs::tests::{check_metadata, read_with, show},
    store::UnitContent,
};

/// Reads an export and shows its documents.
fn read(name: &str, bytes: &[u8]) -> String {
    let folder = Folder::new();
    folder.write(name, bytes);
    let (documents, skipped) = read_with(SourceName::Tickets, folder.path(), &[name]);
    assert!(documents.iter().all(|document| document.trust == Trust::Outside));
    let mut shown: String = documents.iter().map(show).collect();
    if !skipped.is_empty() {
        writeln!(shown, "skipped {skipped:?}").unwrap();
    }
    shown
}

/// Returns the identifiers of an export's tickets, and the number of malformed records.
fn ids(name: &str, text: &str) -> (Vec<String>, u64) {
    let folder = Folder::new();
    folder.write(name, text);
    let (documents, skipped) = read_with(SourceName::Tickets, folder.path(), &[name]);
    let ids =
        documents.into_iter().map(|document| document.attributes.id.unwrap_or_default()).collect();
    (ids, skipped.get(&SkipReason::Malformed).copied().unwrap_or(0))
}

const GITHUB: &str = r####"[
  { "assignees": [{"login": "ann", "name": "Ann"}, {"login": "ben"}],
    "author": {"id": "U_1", "is_bot": false, "login": "carl"},
    "body": "### What happened\r\n\r\nRefunds are paid twice.\r\n\r\n### Logs\r\n\r\n_No response_\r\n\r\n### Version\r\n\r\n1.2",
    "closedAt": null,
    "comments": [
      {"id": "IC_1", "author": {"login": "ann"}, "body": "Seen, too.", "createdAt": "2025-03-05T08:00:00Z"},
      {"author": null, "body": "", "createdAt": "2025-03-06T08:00:00Z"} ],
    "createdAt": "2025-03-04T16:31:17Z", "id": "I_kw", "isPinned": false,
    "labels": [{"id": "L_1", "name": "bug", "description": "", "color": "d73a4a"}, {"name": "money, back"}],
    "milestone": {"number": 1, "title": "v2", "description": ""},
    "number": 42, "reactionGroups": [{"content": "HEART"}], "state": "OPEN", "stateReason": "",
    "title": "Refund: \"twice\"", "updatedAt": "2025-03-06T08:00:00Z",
    "url": "https://github.com/shop/pay/issues/42" },
  { "number": 43, "title": "Only a title", "body": null, "labels": [], "state": "CLOSED", "stateReason": "NOT_PLANNED" },
  { "title": "no number" },
  7
]"####;

#[test]
fn github_issues() {
    insta::assert_snapshot!(read("issues.json", GITHUB.as_bytes()), @r#"
    tickets:issues.json#shop/pay/42 · github ticket · 42 · Refund: "twice"
      status: OPEN
      tags: bug, money, back
      assignee: ann, ben
      author: carl
      description: Refunds are paid twice.
      created: 1741105877
      updated: 1741248000
      + milestone: v2
      + url: https://github.com/shop/pay/issues/42
      + isPinned: false
      | # 42: Refund: "twice"
      |
      | ## Description
      |
      | ### What happened
      |
      | Refunds are paid twice.
      |
      |
      | ### Version
      |
      | 1.2
      |
      | ## Comments
      |
      | **ann 2025-03-05**
      |
      | Seen, too.
    tickets:issues.json#43 · github ticket · 43 · Only a title
      status: CLOSED
      + stateReason: NOT_PLANNED
      | # 43: Only a title
    skipped {Malformed: 2}
    "#);
}

#[test]
fn github_issues_of_the_api() {
    let page = r#"[{"url": "https://api.github.com/repos/shop/pay/issues/7", "repository_url": "https://x",
      "html_url": "https://github.com/shop/pay/pull/7", "node_id": "PR_1", "number": 7, "title": "Pay back",
      "user": {"login": "carl", "url": "https://x", "type": "User"}, "labels": [{"name": "bug", "url": "https://x"}],
      "state": "open", "assignee": {"login": "ann"}, "assignees": [{"login": "ann"}], "comments": 3,
      "created_at": "2025-03-04T16:31:17Z", "updated_at": "2025-03-04T16:31:17Z", "author_association": "OWNER",
      "pull_request": {"url": "https://x", "merged_at": null}, "reactions": {"url": "https://x", "+1": 0},
      "body": "Text."}]"#;
    // Pages of the API, one after the other.
    let export =
        format!("{page}{}", page.replace("shop/pay", "shop/web").replace("Pay back", "Web"));
    insta::assert_snapshot!(read("api.json", export.as_bytes()), @r"
    tickets:api.json#shop/pay/7 · github ticket · 7 · Pay back
      status: open
      tags: bug
      assignee: ann
      author: carl
      description: Text.
      created: 1741105877
      updated: 1741105877
      + url: https://github.com/shop/pay/pull/7
      + type: pull request
      | # 7: Pay back
      |
      | ## Description
      |
      | Text.
    tickets:api.json#shop/web/7 · github ticket · 7 · Web
      status: open
      tags: bug
      assignee: ann
      author: carl
      description: Text.
      created: 1741105877
      updated: 1741105877
      + url: https://github.com/shop/web/pull/7
      + type: pull request
      | # 7: Web
      |
      | ## Description
      |
      | Text.
    ");
}

const LINEAR: &str = "\u{feff}\"ID\",\"Team\",\"Title\",\"Description\",\"Status\",\"Estimate\",\"Priority\",\"Project\",\"Creator\",\"Assignee\",\"Labels\",\"Cycle Number\",\"Created\",\"Updated\",\"Completed\",\"Parent issue\",\"Related to\",\"Blocked by\"\r\n\
\"PAY-7\",\"Payments\",\"Pay back, \"\"twice\"\"\",\"First line.\r\n\r\n* a, b\",\"In Progress\",\"3\",\"Urgent\",\"Refunds\",\"carl@shop.example\",\"ann@shop.example\",\"bug, money\",\"12\",\"Tue Mar 04 2025 16:31:17 GMT+0000 (GMT)\",\"2025-03-05T08:00:00.000Z\",\"\",\"PAY-1\",\"PAY-2, PAY-3\",\"PAY-4\"\r\n\
\"PAY-8\",\"Payments\",\"Short row\"\r\n\
,Payments,No number\r\n";

#[test]
fn linear_issues() {
    insta::assert_snapshot!(read("linear.csv", LINEAR.as_bytes()), @r#"
    tickets:linear.csv#PAY-7 · linear ticket · PAY-7 · Pay back, "twice"
      status: In Progress
      priority: Urgent
      tags: bug, money
      assignee: ann@shop.example
      author: carl@shop.example
      description: First line.
      created: 1741105877
      updated: 1741161600
      + Team: Payments
      + Estimate: 3
      + Project: Refunds
      + Cycle Number: 12
      + parent: PAY-1
      + relatedTo: PAY-2
      + relatedTo: PAY-3
      + dependency: PAY-4
      | # PAY-7: Pay back, "twice"
      |
      | ## Description
      |
      | First line.
      |
      | * a, b
    tickets:linear.csv#PAY-8 · linear ticket · PAY-8 · Short row
      + Team: Payments
      | # PAY-8: Short row
    skipped {Malformed: 1}
    "#);
}

const JIRA: &str = "Summary,Issue key,Issue id,Parent id,Issue Type,Status,Project key,Priority,Resolution,Assignee,Assignee Id,Reporter,Creator,Created,Updated,Due Date,Labels,Labels,Description,Environment,Sprint,Sprint,Inward issue link (Blocks),Outward issue link (Relates),Custom field (Story Points),Comment,Comment\n\
Pay back,PAY-7,10007,,Bug,In Progress,PAY,High,,Ann,5f:1,Carl,Robot,04/Mar/25 4:31 PM,05/Mar/25 8:00 AM,,money,bug,\"h2. Steps\n{code:java}\nint a;\n{code}\nSee {{Refund}}.\",Linux,S1,S2,PAY-1,PAY-2,3.0,04/Mar/25 5:00 PM;ann;Seen.,\"05/Mar/25 6:00 PM;ben;Me; too.\"\n\
,PAY-8\n\
No key,,10009\n";

#[test]
fn jira_issues_of_a_table() {
    insta::assert_snapshot!(read("jira.csv", JIRA.as_bytes()), @r"
    tickets:jira.csv#PAY-7 · jira ticket · PAY-7 · Pay back
      status: In Progress
      priority: High
      tags: money, bug
      assignee: Ann
      author: Carl
      description: ```java int a; ``` See `Refund`.
      created: 1741105860
      updated: 1741161600
      + type: Bug
      + Project key: PAY
      + Sprint: S1
      + Sprint: S2
      + dependency: PAY-1
      + relatedTo: PAY-2
      + Custom field (Story Points): 3.0
      | # PAY-7: Pay back
      |
      | ## Description
      |
      | #### Steps
      | ```java
      | int a;
      | ```
      | See `Refund`.
      |
      | ## Environment
      |
      | Linux
      |
      | ## Comments
      |
      | **ann 04/Mar/25 5:00 PM**
      |
      | Seen.
      |
      | **ben 05/Mar/25 6:00 PM**
      |
      | Me; too.
    tickets:jira.csv#PAY-8 · jira ticket · PAY-8 · PAY-8
      | # PAY-8
    skipped {Malformed: 1}
    ");
    let semicolons = "Summary;Issue key\r\n\"a;b\";X-1\r\n".as_bytes();
    assert!(read("jira.csv", semicolons).contains("X-1 · a;b"));
}

const JIRA_JSON: &str = r#"{"expand": "names", "startAt": 0, "total": 2, "issues": [
  {"id": "10007", "key": "PAY-7", "self": "https://x", "names": {"customfield_9": "Acceptance Criteria"}, "fields": {
    "summary": "Pay back", "issuetype": {"id": "1", "name": "Bug"}, "status": {"name": "Done", "statusCategory": {"key": "done"}},
    "priority": {"name": "High", "id": "2"}, "assignee": {"displayName": "Ann", "emailAddress": "a@x"}, "reporter": {"displayName": "Carl"},
    "creator": {"displayName": "Robot"}, "labels": ["money"], "components": [{"name": "ledger"}], "parent": {"key": "PAY-1", "fields": {"summary": "Epic"}},
    "created": "2025-03-04T16:31:17.000+0000", "updated": "2025-03-05T08:00:00.000+0000", "duedate": null,
    "description": {"type": "doc", "version": 1, "content": [{"type": "paragraph", "content": [{"type": "text", "text": "A tree."}]}]},
    "customfield_9": {"type": "doc", "version": 1, "content": [{"type": "paragraph", "content": [{"type": "text", "text": "Paid once."}]}]},
    "customfield_10": {"value": "Gold", "id": "3"}, "customfield_11": 5.0, "customfield_12": null,
    "subtasks": [{"key": "PAY-9"}],
    "issuelinks": [{"type": {"name": "Blocks", "inward": "is blocked by"}, "inwardIssue": {"key": "PAY-2"}},
                   {"type": {"name": "Relates"}, "outwardIssue": {"key": "PAY-3"}}],
    "comment": {"comments": [{"author": {"displayName": "Ben"}, "created": "2025-03-05T08:00:00.000+0000",
       "body": {"type": "doc", "content": [{"type": "paragraph", "content": [{"type": "text", "text": "Done so."}]}]}}], "total": 1}}},
  {"key": "PAY-8", "fields": {"summary": "Older", "description": "h1. Text"}},
  {"key": "PAY-10", "fields": "none"},
  {"fields": {"summary": "no key"}}
]}"#;

#[test]
fn jira_issues_of_the_api() {
    insta::assert_snapshot!(read("jira.json", JIRA_JSON.as_bytes()), @r"
    tickets:jira.json#PAY-7 · jira ticket · PAY-7 · Pay back
      status: Done
      priority: High
      tags: money
      assignee: Ann
      author: Carl
      description: A tree.
      created: 1741105877
      updated: 1741161600
      + child: PAY-9
      + parent: PAY-1
      + dependency: PAY-2
      + relatedTo: PAY-3
      + type: Bug
      + components: ledger
      + customfield_10: Gold
      + customfield_11: 5.0
      | # PAY-7: Pay back
      |
      | ## Description
      |
      | A tree.
      |
      | ## Acceptance Criteria
      |
      | Paid once.
      |
      | ## Comments
      |
      | **Ben 2025-03-05**
      |
      | Done so.
    tickets:jira.json#PAY-8 · jira ticket · PAY-8 · Older
      | # PAY-8: Older
      |
      | ## Description
      |
      | ### Text
    tickets:jira.json#PAY-10 · jira ticket · PAY-10 · PAY-10
      | # PAY-10
    skipped {Malformed: 1}
    ");
}

#[test]
fn export_edge_cases() {
    let deep = |levels: usize| {
        let open = r#"{"type":"bulletList","content":["#.repeat(levels);
        format!(
            r#"[{{"key":"D-1","fields":{{"summary":"deep","description":{open}{{"type":"text","text":"core"}}{}}}}},{{"key":"D-2","fields":{{}}}}]"#,
            "]}".repeat(levels)
        )
    };
    let numbers = |list: &[&str]| list.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>();
    for (name, text, expected, malformed) in [
        ("bom", "\u{feff}[{\"number\": 1, \"title\": \"a\"}]".to_owned(), &["1"][..], 0),
        ("crlf", "{\"number\":1,\"title\":\"a\"}\r\n\r\n{\"number\":2,\"title\":\"b\"}\r\n".to_owned(), &["1", "2"], 0),
        (
            "conflict",
            "<<<<<<< HEAD\n{\"number\":1,\"title\":\"a\"}\n=======\n{\"number\":1,\"title\":\"b\"}\n>>>>>>> x\n{\"number\":2,\"title\":\"cut\n{\"number\":3,\"title\":\"c\"}\n".to_owned(),
            &["1", "3"],
            1,
        ),
        ("cut", "[{\"number\":1,\"title\":\"a\"},{\"number\":2,\"ti".to_owned(), &["1"], 1),
        ("texts for numbers", "[{\"number\":\"1\",\"title\":5,\"labels\":\"x\",\"comments\":[null,3,\"c\"],\"author\":\"me\",\"state\":[\"a\"]}]".to_owned(), &["1"], 0),
        ("none", "[]".to_owned(), &[], 0),
        ("columns only", "ID,Title,Status\n".to_owned(), &[], 0),
        ("deep", deep(50), &["D-1", "D-2"], 0),
        ("deeper than can be", deep(5_000), &["D-2"], 1),
    ] {
        assert_eq!(ids("export", &text), (numbers(expected), malformed), "{name}");
    }
    let utf16: Vec<u8> = [0xFF, 0xFE]
        .into_iter()
        .chain("[{\"number\": 1, \"title\": \"\u{e9}\"}]".encode_utf16().flat_map(u16::to_le_bytes))
        .collect();
    assert!(read("power.json", &utf16).contains("1 · \u{e9}"), "PowerShell writes UTF-16");
    assert!(
        read("latin.csv", b"ID,Title,Status\nA-1,caf\xE9,Done\n").contains("A-1 · caf\u{fffd}")
    );
    let huge = "x".repeat(3 << 20);
    let huge = format!("[{{\"body\":\"{huge}\",\"number\":1,\"title\":\"a\"}}]");
    assert_eq!(ids("huge.json", &huge), (numbers(&["1"]), 0), "larger than other files may be");
}

#[test]
fn the_last_state_of_duplicate_tickets_is_kept() {
    let lines = "{\"number\":1,\"title\":\"new\",\"updatedAt\":\"2025-02-01T00:00:00Z\"}\n{\"number\":1,\"title\":\"old\",\"updatedAt\":\"2025-01-01T00:00:00Z\"}\n";
    assert!(read("x.jsonl", lines.as_bytes()).contains("1 · new"));
    assert_eq!(ids("x.jsonl", lines).0, ["1"]);
}

fn with(exports: &[&std::path::Path]) -> WalkOptions {
    WalkOptions { exports: exports.iter().map(|path| (*path).to_owned()).collect(), ..options() }
}

#[test]
fn exports_are_read_only_if_named() {
    let folder = Folder::of(
        "//- /.gitignore\nignored.json\n//- /ignored.json\n[{\"number\": 1, \"title\": \"a\"}]\n//- /shown.csv\nID,Title,Status\nA-1,b,Done\n",
    );
    folder.git("", &["init", "-q"]);
    let outside = Folder::new();
    outside.write("more.jsonl", "{\"number\": 2, \"title\": \"c\"}\n");
    let outside = outside.path().canonicalize().unwrap().join("more.jsonl");

    let mut memory = Memory::default();
    let none = Tree::walk(folder.path(), &with(&[])).unwrap();
    assert!(memory.scan(SourceName::Tickets, &none).is_empty());
    assert!(none.entry("ignored.json").is_none());
    let owner = |tree: &Tree, path: &str| {
        let mut memory = Memory::default();
        memory.scan(SourceName::Code, tree);
        memory.documents.contains_key(path)
    };
    assert!(owner(&none, "shown.csv"), "a table as any other");

    let (ignored, shown) = (folder.join("ignored.json"), folder.join("shown.csv"));
    let named = with(&[&ignored, &shown, std::path::Path::new("./shown.csv"), &outside]);
    let tree = Tree::walk(folder.path(), &named).unwrap();
    let unit = outside.to_str().unwrap();
    let expected =
        [format!("replace {unit}"), "replace ignored.json".into(), "replace shown.csv".into()];
    assert_eq!(memory.scan(SourceName::Tickets, &tree), expected);
    assert!(!owner(&tree, "shown.csv"), "a file has one source");
    assert_eq!(memory.documents[unit][0].key.to_string(), format!("tickets:{unit}#2"));
    assert_eq!(memory.report.formats.len(), 2);

    // The next scan reports the change, and a scan without the export finds nothing.
    fs::write(&outside, "{\"number\": 3, \"title\": \"d\"}\n").unwrap();
    let tree = Tree::walk(folder.path(), &named).unwrap();
    assert!(memory.scan(SourceName::Tickets, &tree).contains(&format!("replace {unit}")));
    assert_eq!(memory.documents[unit][0].title, "d");
    memory.scan(SourceName::Tickets, &none);
    assert!(memory.all().is_empty());
}

#[test]
fn invalid_exports_are_errors_with_a_reason() {
    let folder = Folder::of(
        "//- /a.json\n{\"name\": \"x\"}\n//- /b.csv\nname,price\na,1\n//- /c.md\n# Hello\n//- /folder/d\nx\n",
    );
    folder.write("empty.json", "");
    folder.write("binary.json", b"\x7FELF\x00\x00");
    for (path, reason) in [
        (
            "a.json",
            "it is not a supported export; expected issues of GitHub (JSON or JSON lines with `number` and `title`), of Linear (CSV with the columns `ID`, `Title` and `Status`), of Jira (CSV with the columns `Issue key` and `Summary`, or JSON with `key` and `fields`), or of sage (`index.json` with `tickets`)",
        ),
        ("b.csv", "it is not a supported export; expected "),
        ("c.md", "it is not a supported export; expected "),
        ("empty.json", "it is empty"),
        ("binary.json", "it is not text; expected issues of GitHub"),
        ("folder", "it is not a file"),
        ("missing.json", "No such file or directory"),
    ] {
        let named = with(&[&folder.join(path)]);
        let error = Tree::walk(folder.path(), &named).unwrap_err();
        let SourceError::Export { path: of, reason: why } = &error else { panic!("{error}") };
        assert_eq!(*of, folder.join(path));
        assert!(why.starts_with(reason), "{path}: {why}");
        assert!(error.to_string().starts_with("could not read the tickets of `"), "{error}");
    }
}

proptest! {
    #[test]
    fn readers_never_panic(cut in 0_usize..4_000, noise in ".{0,40}", pick in 0_usize..4) {
        let whole = [GITHUB, LINEAR, JIRA, JIRA_JSON][pick];
        let cut = whole.floor_char_boundary(cut.min(whole.len()));
        let text = format!("{}{noise}{}", &whole[..cut], &whole[cut..]);
        let mut content = UnitContent::default();
        for text in [&text, &whole[..cut], &whole[cut..]] {
            crate::exports::sniff(text);
            github::parse("a.json", text, &mut content);
            linear::parse("a.csv", text, &mut content);
            jira::parse("a", text, &mut content);
        }
        content.documents.iter().for_each(check_metadata);
    }
}
