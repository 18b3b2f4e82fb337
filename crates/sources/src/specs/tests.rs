//! Each spec format on a small tree, read like in a scan.

use std::{fmt::Write, fs, path::Path};

use lore_schema::{Attributes, Document, SkipCounts, SourceName, TextOrigin, testing};
use proptest::prelude::*;

use super::{SPEC_FORMATS, adr, agentos, gsd, kiro, leanspec, openspec, plain, speckit, spex};
use crate::{Tree, WalkOptions, fixture, formats::FILE_SOURCES};

/// Writes a fixture to a folder and reads it through one source. Shows every document with its
/// attributes, then the skipped files.
pub(crate) fn read(source: SourceName, fixture: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in testing::files(fixture) {
        write(folder.path(), path, text.as_bytes());
    }
    let (documents, skipped) = read_folder(source, folder.path());
    let mut shown: String = documents.iter().map(show).collect();
    if !skipped.is_empty() {
        writeln!(shown, "skipped {skipped:?}").unwrap();
    }
    shown
}

pub(crate) fn write(folder: &Path, path: &str, bytes: &[u8]) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

/// Reads every document of a source in a folder, in the order of the units.
pub(crate) fn read_folder(source: SourceName, folder: &Path) -> (Vec<Document>, SkipCounts) {
    read_with(source, folder, &[])
}

/// Like [`documents`], with exports.
pub(crate) fn read_with(
    source: SourceName,
    folder: &Path,
    exports: &[&str],
) -> (Vec<Document>, SkipCounts) {
    let exports = exports.iter().map(Into::into).collect();
    let options = WalkOptions { threads: 1, commits: None, exports, ..fixture::options() };
    let tree = Tree::walk(folder, &options).unwrap();
    let readers = FILE_SOURCES.iter().find(|files| files.name == source).unwrap().readers;
    let mut documents = Vec::new();
    let mut skipped = SkipCounts::new();
    for unit in crate::claims::of(&tree).of(source) {
        let content = readers[unit.reader].read(&crate::UnitFiles::new(&tree), &unit.claim);
        for (reason, count) in content.skipped {
            *skipped.entry(reason).or_default() += count;
        }
        for document in &content.documents {
            check_metadata(document);
        }
        documents.extend(content.documents);
    }
    (documents, skipped)
}

/// Checks that metadata ranges are ordered, disjoint, and consist of whole lines.
pub(crate) fn check_metadata(document: &Document) {
    let text = &document.text;
    let is_line_start = |at: usize| at == 0 || at == text.len() || text.as_bytes()[at - 1] == b'\n';
    let mut last = 0;
    for range in &document.metadata {
        assert!(range.start >= last && range.end > range.start, "{}: {range:?}", document.key);
        assert!(is_line_start(range.start) && is_line_start(range.end), "{}", document.key);
        last = range.end;
    }
}

pub(crate) fn show(document: &Document) -> String {
    let Attributes {
        id,
        status,
        priority,
        tags,
        assignee,
        author,
        description,
        created,
        updated,
        lines: _,
        extra,
    } = &document.attributes;
    let mut shown = String::new();
    let id = id.as_deref().unwrap_or("-");
    writeln!(
        shown,
        "{} · {} {} · {id} · {}",
        document.key, document.format, document.kind, document.title
    )
    .unwrap();
    let fields = [
        ("status", status.clone()),
        ("priority", priority.clone()),
        ("tags", Some(tags.join(", ")).filter(|tags| !tags.is_empty())),
        ("assignee", assignee.clone()),
        ("author", author.clone()),
        ("description", description.clone()),
        ("created", created.map(|seconds| seconds.to_string())),
        ("updated", updated.map(|seconds| seconds.to_string())),
    ];
    for (name, value) in fields {
        if let Some(value) = value {
            writeln!(shown, "  {name}: {value}").unwrap();
        }
    }
    for (name, value) in extra {
        writeln!(shown, "  + {name}: {value}").unwrap();
    }
    for range in &document.metadata {
        writeln!(shown, "  metadata {:?}", &document.text[range.clone()]).unwrap();
    }
    if document.origin == TextOrigin::Composed {
        for line in document.text.lines() {
            writeln!(shown, "{}", format!("  | {line}").trim_end()).unwrap();
        }
    }
    shown
}

#[test]
fn formats_are_sorted() {
    assert!(SPEC_FORMATS.windows(2).all(|pair| pair[0].name() < pair[1].name()));
}

#[test]
fn spex() {
    let shown = read(
        SourceName::Specs,
        r#"
//- /.spec/shop/spec.md
---
title: the shop
status: active
hue: 200
desc: Sells things: "cheap", {id,title} and `more`.
code:
  - src/shop.ts#sell
related:
  - src/cart.ts
---
# shop
## raw source
//- /.spec/shop/cart/probe/spec.md
No front matter at all.
//- /.spec/shop/till/probe/spec.md
---
title: probe
---
//- /.spec/shop/.plugins/lint/spec.md
---
status: pending
---
//- /.spec/shop/cart/probe/eval.md
scenarios
//- /.spec/shop/cart/yatsu.md
scenarios
//- /.spec/.issues/late.md
---
concern: late
---
"#,
    );
    insta::assert_snapshot!(shown, @r#"
    specs:.spec/shop/.plugins/lint/spec.md · spex spec · lint · lint
      status: pending
      metadata "---\nstatus: pending\n---\n"
    specs:.spec/shop/cart/probe/spec.md · spex spec · cart_probe · cart_probe
    specs:.spec/shop/till/probe/spec.md · spex spec · till_probe · probe
      metadata "---\ntitle: probe\n---\n"
    specs:.spec/shop/spec.md · spex spec · shop · the shop
      status: active
      description: Sells things: "cheap", {id,title} and `more`.
      + hue: 200
      + code: src/shop.ts#sell
      + related: src/cart.ts
      metadata "---\ntitle: the shop\nstatus: active\nhue: 200\ndesc: Sells things: \"cheap\", {id,title} and `more`.\ncode:\n  - src/shop.ts#sell\nrelated:\n  - src/cart.ts\n---\n"
    "#);
}

#[test]
fn spex_names_compare_composed() {
    let folder = tempfile::tempdir().unwrap();
    // "é" as one character, and as "e" with a combining accent.
    write(folder.path(), ".spec/a/caf\u{e9}/spec.md", b"---\ntitle: a\n---\n");
    write(folder.path(), ".spec/b/cafe\u{301}/spec.md", b"---\ntitle: b\n---\n");
    let (documents, _) = read_folder(SourceName::Specs, folder.path());
    let ids: Vec<_> = documents.iter().map(|document| document.attributes.id.as_deref()).collect();
    assert_eq!(ids, [Some("a_caf\u{e9}"), Some("b_caf\u{e9}")]);
}

#[test]
fn spex_identifiers_of_nested_nodes() {
    let shown = read(
        SourceName::Specs,
        "//- /.spec/spec.md\nroot\n//- /.spec/probe/spec.md\nx\n//- /.spec/a/b/probe/spec.md\nx\n\
         //- /.spec/c/b/probe/spec.md\nx\n//- /.spec/a_probe/spec.md\nx\n",
    );
    insta::assert_snapshot!(shown, @r"
    specs:.spec/a/b/probe/spec.md · spex spec · a_b_probe · a_b_probe
    specs:.spec/c/b/probe/spec.md · spex spec · c_b_probe · c_b_probe
    specs:.spec/probe/spec.md · spex spec · probe · probe
    specs:.spec/a_probe/spec.md · spex spec · a_probe · a_probe
    specs:.spec/spec.md · spex spec · .spec · .spec
    ");
}

#[test]
fn lean_spec() {
    let shown = read(
        SourceName::Specs,
        r"
//- /.lean-spec/config.json
{}
//- /specs/042-refunds/README.md
---
status: complete
created: '2025-11-13'
priority: high
tags:
- money
- api
depends_on:
- 041-payments
created_at: 2025-11-13T10:00:00.533540Z
transitions:
- status: in-progress
  at: 2025-11-14T00:00:00Z
---

# Refunds

> **Status**: ✅ Complete · **Priority**: High · **Created**: 2025-11-13 · **Tags**: money, api

**Team**: payments

## Overview
> **Status**: a quotation, not metadata.
//- /specs/042-refunds/DESIGN.md
# How refunds work
//- /specs/043-mojibake/README.md
# Broken signs

> **Status**: âœ… Complete Â· **Priority**: Low
//- /specs/archived/001-old/README.md
---
status: complete
superseded-by: 042-refunds
---
# Old
//- /specs/20251031/002-flat.md
---
status: archived
---
No heading.
//- /specs/README.md
Not a spec.
//- /specs/050-kit/spec.md
# Feature Specification: Kit
//- /specs/notes/README.md
Not numbered.
",
    );
    insta::assert_snapshot!(shown, @r#"
    specs:specs/042-refunds/DESIGN.md · lean-spec design · 042-refunds/DESIGN · How refunds work
      + parent: 042-refunds
    specs:specs/042-refunds/README.md · lean-spec spec · 042-refunds · Refunds
      status: complete
      priority: high
      tags: money, api
      created: 1763028000
      + depends_on: 041-payments
      + transitions: status: in-progress, at: 2025-11-14T00:00:00Z
      + Team: payments
      metadata "---\nstatus: complete\ncreated: '2025-11-13'\npriority: high\ntags:\n- money\n- api\ndepends_on:\n- 041-payments\ncreated_at: 2025-11-13T10:00:00.533540Z\ntransitions:\n- status: in-progress\n  at: 2025-11-14T00:00:00Z\n---\n"
      metadata "> **Status**: ✅ Complete · **Priority**: High · **Created**: 2025-11-13 · **Tags**: money, api\n"
      metadata "**Team**: payments\n"
    specs:specs/043-mojibake/README.md · lean-spec spec · 043-mojibake · Broken signs
      status: Complete
      priority: Low
      metadata "> **Status**: âœ… Complete Â· **Priority**: Low\n"
    specs:specs/050-kit/spec.md · spec-kit spec · 050-kit · Kit
    specs:specs/20251031/002-flat.md · lean-spec spec · 002-flat · 002-flat
      status: archived
      + archived: true
      metadata "---\nstatus: archived\n---\n"
    specs:specs/archived/001-old/README.md · lean-spec spec · 001-old · Old
      status: complete
      + superseded-by: 042-refunds
      + archived: true
      + supersededBy: 042-refunds
      metadata "---\nstatus: complete\nsuperseded-by: 042-refunds\n---\n"
    "#);
}

#[test]
fn lean_spec_in_a_configured_folder() {
    let fixture = "//- /docs/design/specs/001-x/README.md\n# X\n";
    assert_eq!(read(SourceName::Specs, fixture), "");
    let configured = format!("//- /.lean-spec/config.json\n{{}}\n{fixture}");
    insta::assert_snapshot!(read(SourceName::Specs, &configured), @"specs:docs/design/specs/001-x/README.md · lean-spec spec · 001-x · X");
}

#[test]
fn openspec() {
    let shown = read(
        SourceName::Specs,
        r"
//- /openspec/project.md
# Project Context
//- /openspec/AGENTS.md
Instructions.
//- /openspec/specs/billing/spec.md
# billing Specification
## Requirements
### Requirement: Refund
//- /openspec/specs/pay/cards/spec.md
## Purpose
//- /openspec/changes/add-refunds/proposal.md
## Why
//- /openspec/changes/add-refunds/design.md
# Design of refunds
//- /openspec/changes/add-refunds/tasks.md
- [ ] 1.1 Do it
//- /openspec/changes/add-refunds/specs/billing/spec.md
## ADDED Requirements
//- /openspec/changes/archive/2025-08-06-add-init/proposal.md
# Change: Add init
//- /openspec/changes/archive/rename-it/tasks.md
x
",
    );
    insta::assert_snapshot!(shown, @r"
    specs:openspec/changes/add-refunds/design.md · openspec design · add-refunds/design · add-refunds: Design of refunds
      + change: add-refunds
    specs:openspec/changes/add-refunds/proposal.md · openspec proposal · add-refunds · add-refunds
      + change: add-refunds
    specs:openspec/changes/add-refunds/specs/billing/spec.md · openspec delta · add-refunds/billing · add-refunds: billing
      + change: add-refunds
      + capability: billing
    specs:openspec/changes/add-refunds/tasks.md · openspec tasks · add-refunds/tasks · add-refunds: tasks
      + change: add-refunds
    specs:openspec/changes/archive/2025-08-06-add-init/proposal.md · openspec proposal · add-init · Add init
      created: 1754438400
      + change: add-init
      + archived: true
    specs:openspec/changes/archive/rename-it/tasks.md · openspec tasks · rename-it/tasks · rename-it: tasks
      + change: rename-it
      + archived: true
    specs:openspec/project.md · openspec steering · project · Project Context
    specs:openspec/specs/billing/spec.md · openspec spec · billing · billing
    specs:openspec/specs/pay/cards/spec.md · openspec spec · pay/cards · pay/cards
    ");
}

#[test]
fn spec_kit() {
    let shown = read(
        SourceName::Specs,
        r#"
//- /.specify/memory/constitution.md
<!--
# Report
-->
# The Constitution
//- /.specify/templates/spec-template.md
# Feature Specification: {{FEATURE_NAME}}
//- /specs/002-stt-api/spec.md
# Feature Specification: Speech to text

**Feature Branch**: `002-stt-api`
**Created**: 2025-12-26
**Status**: Draft
**Input**: User description: "Transcribe what people say"

## User Scenarios
//- /specs/002-stt-api/plan.md
# Implementation Plan: Speech to text

**Branch**: `002-stt-api` | **Date**: 2025-12-27 | **Spec**: [spec.md](./spec.md)
//- /specs/002-stt-api/tasks.md
# Tasks
- [ ] T001 [P] [US1] Write it
//- /specs/002-stt-api/checklists/requirements.md
# Checklist
//- /specs/002-stt-api/contracts/openapi.yaml
openapi: 3.0.0
//- /specs/web/003-ui/spec.md
No heading.
"#,
    );
    insta::assert_snapshot!(shown, @r#"
    specs:.specify/memory/constitution.md · spec-kit steering · constitution · The Constitution
    specs:specs/002-stt-api/checklists/requirements.md · spec-kit tasks · 002-stt-api/checklists/requirements · Checklist
      + parent: 002-stt-api
    specs:specs/002-stt-api/plan.md · spec-kit plan · 002-stt-api/plan · Implementation Plan: Speech to text
      created: 1766793600
      + Branch: `002-stt-api`
      + Spec: [spec.md](./spec.md)
      + parent: 002-stt-api
      metadata "**Branch**: `002-stt-api` | **Date**: 2025-12-27 | **Spec**: [spec.md](./spec.md)\n"
    specs:specs/002-stt-api/spec.md · spec-kit spec · 002-stt-api · Speech to text
      status: Draft
      created: 1766707200
      + Feature Branch: `002-stt-api`
      metadata "**Feature Branch**: `002-stt-api`\n"
      metadata "**Created**: 2025-12-26\n"
      metadata "**Status**: Draft\n"
    specs:specs/002-stt-api/tasks.md · spec-kit tasks · 002-stt-api/tasks · Tasks
      + parent: 002-stt-api
    specs:specs/web/003-ui/spec.md · spec-kit spec · 003-ui · 003-ui
    "#);
}

#[test]
fn malformed_bytes_are_tolerated() {
    let folder = tempfile::tempdir().unwrap();
    write(
        folder.path(),
        "docs/specs/mark.md",
        b"\xEF\xBB\xBF---\r\nstatus: open\r\n---\r\n# Mark\r\n",
    );
    write(
        folder.path(),
        "docs/specs/latin.md",
        b"---\nstatus: open\nauthor: Ren\xE9\n---\n# Caf\xE9\n",
    );
    write(folder.path(), "docs/specs/blank.md", b" \n");
    write(folder.path(), "docs/specs/image.md", b"\x89PNG\x00\x00");
    write(folder.path(), "docs/specs/large.md", &b"# Large\n".repeat(1 << 18));
    let (documents, skipped) = read_folder(SourceName::Specs, folder.path());
    let shown: String = documents.iter().map(show).collect();
    insta::assert_snapshot!(format!("{shown}{skipped:?}"), @r#"
    specs:docs/specs/latin.md · plain spec · latin · Caf�
      status: open
      author: Ren�
      metadata "---\nstatus: open\nauthor: Ren�\n---\n"
    specs:docs/specs/mark.md · plain spec · mark · Mark
      status: open
      metadata "---\r\nstatus: open\r\n---\r\n"
    {Binary: 1, Empty: 1, TooLarge: 1}
    "#);
}

proptest! {
    #[test]
    fn readers_never_panic(
        path in "(specs/|openspec/changes/|docs/adr/|.kiro/specs/){0,2}[-0-9a-zé/. ]{0,30}",
        pieces in prop::collection::vec(
            prop_oneof![
                Just("---\n"), Just("\n"), Just("# "), Just("## Status\n"), Just("> **Status**: "),
                Just("**"), Just(":"), Just("Date: "), Just("ADR-1: "), Just("Superseded by ["),
                Just("]("), Just("```\n"), Just("<!--"), Just("é·Â"), Just("title: x\n"), Just("- a\n"),
            ],
            0..30,
        ),
        words in ".{0,60}",
    ) {
        let text = pieces.concat() + &words;
        for document in [
            adr::document, agentos::document, gsd::document, kiro::document, leanspec::document, openspec::document, plain::document,
            speckit::document, |path: &str, text| spex::document(path, text, path.to_owned()),
        ] {
            let document = document(&path, text.clone());
            check_metadata(&document);
            prop_assert_eq!(&document.text, &text);
        }
    }
}
