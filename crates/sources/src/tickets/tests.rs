//! Each ticket format on a small tree, read like in a scan.

use lore_schema::SourceName;
use proptest::prelude::*;

use super::{TICKET_FORMATS, backlog, beads, sage, spexissues, taskmaster};
use crate::{
    specs::tests::{check_metadata, read, read_folder, write},
    store::UnitContent,
};

#[test]
fn formats_are_sorted() {
    assert!(TICKET_FORMATS.windows(2).all(|pair| pair[0].name() < pair[1].name()));
}

#[test]
fn stores_of_another_shape_are_counted() {
    let sage = ".sage/tickets/index.json";
    let beads = ".beads/issues.jsonl";
    let task_master = ".taskmaster/tasks/tasks.json";
    for (path, text, malformed) in [
        (sage, r#"{"items": []}"#, 1),
        (sage, r#"{"tickets": 5}"#, 1),
        (sage, r#"{"tickets": "none"}"#, 1),
        (sage, "7", 1),
        (sage, "null", 1),
        (sage, "{", 1),
        (sage, r#"{"tickets": []}"#, 0),
        (sage, r#"{"tickets": {}}"#, 0),
        (sage, r#"{"tickets": [5, {"title": "no number"}]}"#, 2),
        (beads, "7", 1),
        (beads, r#"[{"id": "a-1"}]"#, 1),
        (beads, "{}\n\nnull\n{", 3),
        (task_master, "7", 1),
        (task_master, "[]", 1),
        (task_master, r#"{"items": []}"#, 1),
        (task_master, r#"{"tasks": 5}"#, 1),
        (task_master, r#"{"tasks": {"1": {"id": 1}}}"#, 1),
        (task_master, r#"{"master": {"tasks": []}, "side": {"tasks": 5}}"#, 1),
        (task_master, r#"{"master": {"tasks": []}, "meta": {"version": 1}}"#, 0),
        (task_master, r#"{"tasks": []}"#, 0),
    ] {
        let shown = read(SourceName::Tickets, &format!("//- /{path}\n{text}\n"));
        let expected = match malformed {
            0 => String::new(),
            count => format!("skipped {{Malformed: {count}}}\n"),
        };
        assert_eq!(shown, expected, "{path}: {text}");
    }
    let subtasks = format!(
        "//- /{task_master}\n{}\n",
        r#"{"tasks": [{"id": 1, "title": "T", "subtasks": 5}], "side": {"tasks": [{"id": 1}]}}"#
    );
    insta::assert_snapshot!(read(SourceName::Tickets, &subtasks), @r"
    tickets:.taskmaster/tasks/tasks.json#1 · taskmaster ticket · 1 · T
      | # 1: T
    tickets:.taskmaster/tasks/tasks.json#side/1 · taskmaster ticket · 1 · 1
      + tag: side
      | # 1
    skipped {Malformed: 1}
    ");
}

#[test]
fn search_indexes_are_never_claimed() {
    let fixture = "//- /.sage/search-index.json\n{\"a\": 1}\n//- /.sage/search/index.json\n{}\n";
    for source in SourceName::ALL.iter().filter(|source| **source != SourceName::Git) {
        assert_eq!(read(*source, fixture), "", "{source}");
    }
}

#[test]
fn beads_with_a_conflict() {
    let shown = read(
        SourceName::Tickets,
        r#"
//- /.beads/issues.jsonl
{"id":"x-1","title":"First","description":"One.\n\nTwo.","status":"open","priority":0,"issue_type":"epic","labels":["a"],"created_at":"2025-12-07T16:40:55.276865-08:00","updated_at":"2025-12-08T00:00:00Z","dependencies":[{"issue_id":"x-1","depends_on_id":"x-2","type":"parent-child"}],"comments":[{"author":"ann","text":"Well.","created_at":"2025-12-08T00:00:00Z"}]}
<<<<<<< HEAD
{"id":"x-2","title":"Ours","status":"open","updated_at":"2025-12-09T00:00:00Z"}
=======
{"id":"x-2","title":"Theirs","status":"closed","close_reason":"done","updated_at":"2025-12-08T00:00:00Z"}
>>>>>>> other
{"id":"x-3","title":"cut o
{"title":"no number"}
{"id":"x-4","title":"gone","status":"tombstone"}

"#,
    );
    insta::assert_snapshot!(shown, @r"
    tickets:.beads/issues.jsonl#x-1 · beads ticket · x-1 · First
      status: open
      priority: 0
      tags: a
      description: One.
      created: 1765154455
      updated: 1765152000
      + type: epic
      + dependency: x-2
      | # x-1: First
      |
      | ## Description
      |
      | One.
      |
      | Two.
      |
      | ## Dependencies
      |
      | - x-2 (parent-child)
      |
      | ## Comments
      |
      | **ann 2025-12-08**
      |
      | Well.
    tickets:.beads/issues.jsonl#x-2 · beads ticket · x-2 · Ours
      status: open
      updated: 1765238400
      | # x-2: Ours
    skipped {Malformed: 5}
    ");
}

#[test]
fn backlog_pages() {
    let shown = read(
        SourceName::Tickets,
        r#"
//- /backlog/config.yml
statuses: ["To Do", "Done"]
//- /backlog/tasks/task-68 - Pay-(back)-50%-—-now.md
---
id: task-68
title: 'Pay back: half'
status: To Do
assignee:
  - '@ann'
created_date: '2026-05-08 14:29'
labels: [money]
dependencies: [task-1]
parent_task_id: task-60
priority: high
ordinal: 1000
---

## Description

<!-- SECTION:DESCRIPTION:BEGIN -->
Half of it.
<!-- SECTION:DESCRIPTION:END -->
//- /backlog/archive/tasks/task-68 - Other.md
---
id: task-68
status: Done
---
# task-68 - Another one
//- /backlog/completed/task-2 - Done.md
No front matter.
//- /backlog/drafts/draft-1 - Idea.md
# Idea
//- /backlog/docs/doc-1 - Guide.md
A doc.
//- /backlog/milestones/m-1 - x.md
A milestone.
//- /backlog/tasks/readme.md
A readme.
"#,
    );
    insta::assert_snapshot!(shown, @r#"
    tickets:backlog/archive/tasks/task-68 - Other.md · backlog ticket · task-68 · Another one
      status: Done
      + archived: true
      metadata "---\nid: task-68\nstatus: Done\n---\n"
    tickets:backlog/completed/task-2 - Done.md · backlog ticket · task-2 · task-2
      + archived: true
    tickets:backlog/drafts/draft-1 - Idea.md · backlog ticket · draft-1 · Idea
      + draft: true
    tickets:backlog/tasks/task-68 - Pay-(back)-50%-—-now.md · backlog ticket · task-68 · Pay back: half
      status: To Do
      priority: high
      tags: money
      assignee: @ann
      created: 1778250540
      + dependency: task-1
      + parent: task-60
      + ordinal: 1000
      metadata "---\nid: task-68\ntitle: 'Pay back: half'\nstatus: To Do\nassignee:\n  - '@ann'\ncreated_date: '2026-05-08 14:29'\nlabels: [money]\ndependencies: [task-1]\nparent_task_id: task-60\npriority: high\nordinal: 1000\n---\n"
      metadata "<!-- SECTION:DESCRIPTION:END -->\n"
    "#);
}

#[test]
fn backlog_folders_of_other_tools_are_ignored() {
    let fixture = "//- /backlog/tasks/notes.md\nx\n//- /backlog/tasks/task-1 - x.md\n# X\n";
    insta::assert_snapshot!(read(SourceName::Tickets, fixture), @"tickets:backlog/tasks/task-1 - x.md · backlog ticket · task-1 · X");
}

#[test]
fn task_keys_are_unique() {
    let text =
        r#"{"tasks": [{"id": 1}, {"id": 1}, {"id": "1~2"}, {"id": "2~2"}, {"id": 2}, {"id": 2}]}"#;
    let mut content = UnitContent::default();
    taskmaster::parse("tasks.json", text, &mut content);
    let keys: Vec<&str> =
        content.documents.iter().map(|document| document.key.locator.as_str()).collect();
    let expected = ["#1", "#1~2", "#1~2~2", "#2~2", "#2", "#2~3"];
    assert_eq!(keys, expected.map(|key| format!("tasks.json{key}")));
}

#[test]
fn task_master_with_tags() {
    let shown = read(
        SourceName::Tickets,
        r#"
//- /.taskmaster/tasks/tasks.json
{ "master": { "tasks": [
    { "id": 1, "title": "Refunds", "description": "Money back.", "priority": "high",
      "details": "First.\n<info added on 2025-08-29T14:11:44.406Z>\nSecond, a < b.\n</info added on 2025-08-29T14:11:44.406Z>",
      "testStrategy": "Try it.", "dependencies": [2], "status": "done",
      "subtasks": [ { "id": 1, "title": "Ledger", "status": "pending", "dependencies": [] },
                    { "id": "1.2", "title": "Bank" }, "broken" ] },
    { "id": 1, "title": "The same number" } ], "metadata": { "description": "x" } },
  "side": { "tasks": [ { "id": 1, "title": "UnindexedMatches" } ] } }
"#,
    );
    insta::assert_snapshot!(shown, @r"
    tickets:.taskmaster/tasks/tasks.json#master/1 · taskmaster ticket · 1 · Refunds
      status: done
      priority: high
      description: Money back.
      + tag: master
      + dependency: 2
      | # 1: Refunds
      |
      | ## Description
      |
      | Money back.
      |
      | ## Details
      |
      | First.
      |
      | Second, a < b.
      |
      | ## Test Strategy
      |
      | Try it.
      |
      | ## Dependencies
      |
      | - 2
      |
      | ## Subtasks
      |
      | - Ledger
      | - Bank
    tickets:.taskmaster/tasks/tasks.json#master/1.1 · taskmaster ticket · 1.1 · Ledger
      status: pending
      + tag: master
      + parent: 1
      | # 1.1: Ledger
    tickets:.taskmaster/tasks/tasks.json#master/1.2 · taskmaster ticket · 1.2 · Bank
      + tag: master
      + parent: 1
      | # 1.2: Bank
    tickets:.taskmaster/tasks/tasks.json#master/1~2 · taskmaster ticket · 1 · The same number
      + tag: master
      | # 1: The same number
    tickets:.taskmaster/tasks/tasks.json#side/1 · taskmaster ticket · 1 · UnindexedMatches
      + tag: side
      | # 1: UnindexedMatches
    skipped {Malformed: 1}
    ");
}

#[test]
fn the_old_task_master_path_is_recognized_by_shape() {
    let of = |json: &str| format!("//- /tasks/tasks.json\n{json}\n//- /tasks/task_001.txt\nx\n");
    let ours = of(r#"{"tasks": [{"id": 1, "title": "T", "status": "done"}, 7], "meta": {}}"#);
    insta::assert_snapshot!(read(SourceName::Tickets, &ours), @r"
    tickets:tasks/tasks.json#1 · taskmaster ticket · 1 · T
      status: done
      | # 1: T
    skipped {Malformed: 1}
    ");
    let tagged = of(r#"{"master": {"tasks": [{"id": 1, "title": "T", "status": "done"}]}}"#);
    assert!(read(SourceName::Tickets, &tagged).contains("#master/1 "), "tagged");
    for other in [
        r#"{"tasks": [{"id": 1, "title": "T"}]}"#,
        r#"{"tasks": [{"label": "build", "type": "shell"}]}"#,
        r#"[{"id": 1, "title": "T", "status": "done"}]"#,
        r#"{"tasks": []}"#,
        r#"{"tasks": "#,
        "7",
    ] {
        assert_eq!(read(SourceName::Tickets, &of(other)), "", "{other}");
        assert!(read(SourceName::Code, &of(other)).contains("tasks/tasks.json"), "{other}");
    }
    let broken = "//- /.taskmaster/tasks/tasks.json\n{\"a\": 1}\n";
    assert_eq!(read(SourceName::Tickets, broken), "skipped {Malformed: 1}\n");
}

#[test]
fn spex_issues() {
    let shown = read(
        SourceName::Tickets,
        r"
//- /.spec/.issues/late-refund.md
---
concern: refunds: they come late [[shop]]
by: 60b8fd9a
status: landed
nodes: shop, till
created: 2026-07-02T12:15:07.665Z
evidence:
---

They do.

<!-- reply: a @ 2026-07-02T14:15:57.491Z -->
Fixed.
//- /.spec/.issues/bare.md
No front matter.
",
    );
    insta::assert_snapshot!(shown, @r#"
    tickets:.spec/.issues/bare.md · spex-issues ticket · bare · bare
    tickets:.spec/.issues/late-refund.md · spex-issues ticket · late-refund · refunds: they come late [[shop]]
      status: landed
      author: 60b8fd9a
      created: 1782994507
      + node: shop
      + node: till
      metadata "---\nconcern: refunds: they come late [[shop]]\nby: 60b8fd9a\nstatus: landed\nnodes: shop, till\ncreated: 2026-07-02T12:15:07.665Z\nevidence:\n---\n"
    "#);
}

#[test]
fn records_of_a_store_have_their_lines() {
    let lines = |documents: &[lore_schema::Document]| -> Vec<_> {
        documents
            .iter()
            .map(|document| (document.attributes.id.clone().unwrap(), document.attributes.lines))
            .collect()
    };
    let mut content = UnitContent::default();
    let text = "{\"id\": \"x-1\"}\n<<<<<<< HEAD\n\n{\"id\": \"x-2\"}\n";
    beads::parse(".beads/issues.jsonl", text, &mut content);
    let expected = [("x-1".to_owned(), Some((1, 1))), ("x-2".to_owned(), Some((4, 4)))];
    assert_eq!(lines(&content.documents), expected);

    let mut content = UnitContent::default();
    let text = "{\n\"a\": {\"tasks\": [\n7,\n{\"id\": 1,\n\"subtasks\": [\n{\"id\": 1}]},\n{\"id\": 2}]}}\n";
    taskmaster::parse(".taskmaster/tasks/tasks.json", text, &mut content);
    let expected = [
        ("1".to_owned(), Some((4, 6))),
        ("1.1".to_owned(), Some((6, 6))),
        ("2".to_owned(), Some((7, 7))),
    ];
    assert_eq!(lines(&content.documents), expected);
}

#[test]
fn stores_may_be_large() {
    let folder = tempfile::tempdir().unwrap();
    let filler = "x".repeat(1 << 20);
    let line = format!("{{\"id\": \"x-1\", \"title\": \"T\", \"notes\": \"{filler}\"}}\n");
    write(folder.path(), ".beads/issues.jsonl", line.as_bytes());
    let index = format!("{{\"tickets\": [{{\"id\": \"A-1\", \"notes\": \"{filler}\"}}]}}");
    write(folder.path(), ".sage/tickets/index.json", index.as_bytes());
    let (documents, skipped) = read_folder(SourceName::Tickets, folder.path());
    assert_eq!((documents.len(), skipped.len()), (2, 0));
}

proptest! {
    #[test]
    fn readers_never_panic(text in ".{0,200}", pieces in json_pieces()) {
        for text in [&text, &pieces] {
            let mut content = UnitContent::default();
            beads::parse(".beads/issues.jsonl", text, &mut content);
            taskmaster::parse(".taskmaster/tasks/tasks.json", text, &mut content);
            sage::parse(Some((".sage/tickets/index.json", text)), &[(".sage/tickets/A-1.md", text.clone())], &mut content);
            content.documents.push(backlog::parse("backlog/tasks/task-1 - x.md", text.clone()));
            content.documents.push(spexissues::parse(".spec/.issues/x.md", text.clone()));
            content.documents.iter().for_each(check_metadata);
        }
    }
}

/// Texts of the shapes of stores, and of invalid ones.
fn json_pieces() -> impl Strategy<Value = String> {
    let value = prop_oneof![
        Just("null"),
        Just("7"),
        Just("-1.5e9"),
        Just("true"),
        Just("\"\""),
        Just("\"a: b\""),
        Just("[]"),
        Just("{}"),
        Just("[{\"id\": 1}]"),
        Just("{\"id\": [1, {}]}"),
        Just("\"\\u0000\""),
    ];
    let name = prop_oneof![
        Just("id"),
        Just("title"),
        Just("tasks"),
        Just("subtasks"),
        Just("tickets"),
        Just("state"),
        Just("notes"),
        Just("dependencies"),
        Just("comments"),
        Just("github"),
        Just("created_at"),
    ];
    let object = prop::collection::vec((name, value), 0..8).prop_map(|fields| {
        let fields = fields.iter().map(|(name, value)| format!("\"{name}\": {value}"));
        format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
    });
    prop_oneof![
        object.clone(),
        object.clone().prop_map(|object| format!("[{object}]")),
        object.clone().prop_map(|object| format!("{{\"tickets\": [{object}]}}")),
        object.clone().prop_map(|object| format!("{{\"m\": {{\"tasks\": [{object}]}}}}")),
        object.prop_map(|object| format!("---\n{object}\n---\n# A-1: x\n**State:** {object}\n")),
    ]
}
