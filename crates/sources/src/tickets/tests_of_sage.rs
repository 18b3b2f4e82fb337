//! The sage format: index and pages of one store.

use lore_schema::SourceName;

use crate::specs::tests::read;

#[test]
fn sage_merges_index_and_pages() {
    let shown = read(
        SourceName::Tickets,
        r#"
//- /.sage/tickets/index.json
{ "version": "2.0", "tickets": [
  { "id": "PAY-001", "title": "Refunds", "state": "COMPLETED", "type": "implementation",
    "priority": "P0", "sprint": 3, "effort": {"storyPoints": 5}, "created": "2025-11-13T10:00:00",
    "updated": "unknown", "dependencies": ["PAY-000", "PAY-002"], "notes": "From the index.",
    "github": {"issueNumber": 7, "labels": ["money"], "assignees": ["ann"], "milestone": null},
    "deferReason": {"category": "blocked", "message": "No bank"} },
  { "id": "PAY-002", "title": "Only here", "state": "DEFERRED", "parent": null,
    "acceptanceCriteria": ["One", "Two"], "targetFiles": [{"path": "a.py", "action": "create"}],
    "description": "No description provided." },
  { "id": "PAY-003", "status": "OPEN", "title": "Old", "updated": "2025-01-01" },
  { "id": "PAY-003", "status": "DONE", "title": "New", "updated": "2025-02-01" },
  { "title": "no number" },
  7
] }
//- /.sage/tickets/PAY-001.md
# PAY-001: Refunds

## Metadata

**ID:** PAY-001
**State:** UNPROCESSED
**Type:** Bug
**Component:** payments

## Description

Money goes back.

Always.

## Dependencies

- PAY-000 (the ledger)

## Risks

```
# not a heading
```

---

*Created: 2025-09-27T00:00:00Z*
*Updated: 2025-09-30T00:00:00Z*
//- /.sage/tickets/PAY-003.md
# PAY-003: New

**State:** done
//- /.sage/tickets/PAY-009.md
# Only a page

**ID:** PAY-009
**State:** IN_PROGRESS
**Priority:** P2

## Description

No description provided.
//- /.sage/tickets/PAY-009-summary.md
# PAY-009: Summary

All done.
//- /.sage/tickets/README.md
Not a ticket.
//- /.sage/tickets/index.json.backup
{ "tickets": [ { "id": "PAY-100" } ] }
//- /.sage/search-index.json
{ "PAY-001": "refunds" }
//- /.sage/search/index.json
{ "PAY-001": "refunds" }
"#,
    );
    insta::assert_snapshot!(shown, @r"
    tickets:.sage/tickets/PAY-001.md · sage ticket · PAY-001 · Refunds
      status: COMPLETED
      priority: P0
      tags: money
      assignee: ann
      description: Money goes back.
      created: 1763028000
      + stateConflict: index COMPLETED, file UNPROCESSED
      + dependency: PAY-000
      + dependency: PAY-002
      + type: implementation
      + sprint: 3
      + effort.storyPoints: 5
      + updated: unknown
      + github.issueNumber: 7
      + component: payments
      | # PAY-001: Refunds
      |
      | ## Description
      |
      | Money goes back.
      |
      | Always.
      |
      | ## Notes
      |
      | From the index.
      |
      | ## Dependencies
      |
      | - PAY-000 (the ledger)
      | - PAY-002
      |
      | ## Deferred
      |
      | - category: blocked
      | - message: No bank
      |
      | ## Risks
      |
      | ```
      | # not a heading
      | ```
    tickets:.sage/tickets/index.json#PAY-002 · sage ticket · PAY-002 · Only here
      status: DEFERRED
      | # PAY-002: Only here
      |
      | ## Acceptance Criteria
      |
      | - One
      | - Two
      |
      | ## Target Files
      |
      | - path: a.py, action: create
    tickets:.sage/tickets/PAY-003.md · sage ticket · PAY-003 · New
      status: DONE
      updated: 1738368000
      | # PAY-003: New
    tickets:.sage/tickets/PAY-009-summary.md · sage ticket · PAY-009-summary · Summary
      description: All done.
      | # PAY-009-summary: Summary
      |
      | ## Description
      |
      | All done.
    tickets:.sage/tickets/PAY-009.md · sage ticket · PAY-009 · Only a page
      status: IN_PROGRESS
      priority: P2
      | # PAY-009: Only a page
    skipped {Malformed: 2}
    ");
}

#[test]
fn sage_without_a_readable_index() {
    let shown = read(
        SourceName::Tickets,
        "//- /.sage/tickets/index.json\n<<<<<<< HEAD\n{\n//- /.sage/tickets/A-1.md\n# A-1: Page\n\n**State:** OPEN\n",
    );
    insta::assert_snapshot!(shown, @r"
    tickets:.sage/tickets/A-1.md · sage ticket · A-1 · Page
      status: OPEN
      | # A-1: Page
    skipped {Malformed: 1}
    ");
}

#[test]
fn sage_index_of_other_shapes() {
    for index in [r#"[{"id": "A-1", "title": "T"}]"#, r#"{"tickets": {"A-1": {"title": "T"}}}"#] {
        let shown = read(SourceName::Tickets, &format!("//- /.sage/tickets/index.json\n{index}\n"));
        assert_eq!(
            shown,
            "tickets:.sage/tickets/index.json#A-1 · sage ticket · A-1 · T\n  | # A-1: T\n"
        );
    }
}
