//! Formats that are recognized by the path of a page, each on a small tree.

use lore_schema::SourceName;

use super::tests::read;

#[test]
fn gsd() {
    let shown = read(
        SourceName::Specs,
        r#"
//- /.planning/PROJECT.md
# Shop

Sells things.
//- /.planning/REQUIREMENTS.md
# Requirements: Shop

**Defined:** 2025-03-04

## v1 Requirements

### Signing

- [x] **SIGN-01**: Users sign in
- [ ] **SIGN-02**: Users sign out

```
- [x] **NOT-01**: in a fence
```

## v2 Requirements

- **SIGN-03**: later

## Traceability

| Requirement | Phase | Status |
|-------------|-------|--------|
| SIGN-01 | Phase 1 | Complete |
| SIGN-02 | Phase 2 | Pending |
//- /.planning/STATE.md
No heading
//- /.planning/codebase/STACK.md
# Technology Stack
//- /.planning/config.json
{}
//- /.planning/milestones/v0.9-ROADMAP.md
# Roadmap of v0.9
//- /.planning/phases/01-login/01-01-PLAN.md
---
phase: 01-login
plan: 01
type: execute
depends_on: []
requirements: [SIGN-01]
must_haves:
  truths:
    - "A user signs in"
---

<objective>
Add a form to sign in. Then more.

Purpose: login.
</objective>
//- /.planning/phases/01-login/01-01-SUMMARY.md
# Phase 1 Plan 1: Login Summary
//- /.planning/phases/01-login/01-RESEARCH.md
no heading
//- /.planning/quick/03-typo/03-PLAN.md
x
//- /.planning/todos/done/a.md
---
title: Tidy up
---
x
"#,
    );
    insta::assert_snapshot!(shown, @r#"
    specs:.planning/PROJECT.md · gsd steering · PROJECT · Shop
    specs:.planning/REQUIREMENTS.md · gsd requirements · REQUIREMENTS · Requirements: Shop
      + Defined: 2025-03-04
      + progress: 1/2
      + requirement.done: SIGN-01
      + requirement: SIGN-01
      + requirement.open: SIGN-02
      + requirement: SIGN-02
      + requirement: SIGN-03
      + requirement.phase: SIGN-01: Phase 1, Complete
      + requirement.phase: SIGN-02: Phase 2, Pending
      metadata "**Defined:** 2025-03-04\n"
    specs:.planning/STATE.md · gsd steering · STATE · STATE
    specs:.planning/codebase/STACK.md · gsd steering · codebase/STACK · Technology Stack
    specs:.planning/milestones/v0.9-ROADMAP.md · gsd plan · milestones/v0.9-ROADMAP · Roadmap of v0.9
      + archived: true
    specs:.planning/phases/01-login/01-01-PLAN.md · gsd plan · 01-login/01-01-PLAN · 01-login: Add a form to sign in.
      description: Add a form to sign in.
      + phase: 01-login
      + plan: 01
      + type: execute
      + requirements: SIGN-01
      + must_haves.truths: A user signs in
      + parent: 01-login
      metadata "---\nphase: 01-login\nplan: 01\ntype: execute\ndepends_on: []\nrequirements: [SIGN-01]\nmust_haves:\n  truths:\n    - \"A user signs in\"\n---\n"
    specs:.planning/phases/01-login/01-01-SUMMARY.md · gsd report · 01-login/01-01-SUMMARY · Phase 1 Plan 1: Login Summary
      + parent: 01-login
    specs:.planning/phases/01-login/01-RESEARCH.md · gsd research · 01-login/01-RESEARCH · 01-login: 01-RESEARCH
      + parent: 01-login
    specs:.planning/quick/03-typo/03-PLAN.md · gsd plan · quick/03-typo/03-PLAN · 03-typo: 03-PLAN
      + parent: 03-typo
    specs:.planning/todos/done/a.md · gsd tasks · todos/done/a · Tidy up
      status: done
      metadata "---\ntitle: Tidy up\n---\n"
    "#);
}

#[test]
fn agent_os() {
    let shown = read(
        SourceName::Specs,
        r"
//- /.agent-os/instructions/core.md
Left to the docs.
//- /.agent-os/product/decisions.md
# Product Decisions Log

> Override Priority: Highest
> Last Updated: 2025-07-30

## 2025-07-29: First
//- /.agent-os/product/mission.md
# Product Mission
//- /.agent-os/specs/2025-07-29-password-reset/spec.md
# Spec Requirements Document

> Spec: Password Reset Flow
> Created: 2025-07-30
> Status: Planning

## Overview

> Note: quoted below the head.
//- /.agent-os/specs/2025-07-29-password-reset/sub-specs/technical-spec.md
# Technical Specification

Text.
//- /.agent-os/specs/2025-07-29-password-reset/tasks.md
# Spec Tasks

- [x] 1. Do
//- /.agent-os/specs/loose/spec.md
no heading
//- /agent-os/product/mission.md
# Product Mission of the next version
//- /agent-os/specs/2025-10-01-export/planning/requirements.md
# Spec Requirements: Export
",
    );
    insta::assert_snapshot!(shown, @r#"
    specs:.agent-os/product/decisions.md · agent-os decision · product/decisions · Product Decisions Log
      updated: 1753833600
      + Override Priority: Highest
      metadata "> Override Priority: Highest\n"
      metadata "> Last Updated: 2025-07-30\n"
    specs:.agent-os/product/mission.md · agent-os steering · product/mission · Product Mission
    specs:.agent-os/specs/2025-07-29-password-reset/spec.md · agent-os spec · password-reset · Password Reset Flow
      status: Planning
      created: 1753833600
      metadata "> Spec: Password Reset Flow\n"
      metadata "> Created: 2025-07-30\n"
      metadata "> Status: Planning\n"
    specs:.agent-os/specs/2025-07-29-password-reset/sub-specs/technical-spec.md · agent-os design · password-reset/technical-spec · password-reset: Technical Specification
      created: 1753747200
      + parent: password-reset
    specs:.agent-os/specs/2025-07-29-password-reset/tasks.md · agent-os tasks · password-reset/tasks · password-reset: Spec Tasks
      created: 1753747200
      + parent: password-reset
    specs:.agent-os/specs/loose/spec.md · agent-os spec · loose · loose
    specs:agent-os/product/mission.md · agent-os steering · product/mission · Product Mission of the next version
    specs:agent-os/specs/2025-10-01-export/planning/requirements.md · agent-os requirements · export/requirements · export: Spec Requirements: Export
      created: 1759276800
      + parent: export
    "#);
    let code = "//- /agent-os/specs/a/spec.md\n# A library of that name\n";
    assert_eq!(read(SourceName::Specs, code), "");
}

#[test]
fn kiro() {
    let shown = read(
        SourceName::Specs,
        r"
//- /.kiro/specs/login/requirements.md
# Requirements Document
//- /.kiro/specs/login/tasks.md
- [x] 2. Do it
//- /.kiro/steering/product.md
---
inclusion: always
---
# Product
//- /.kiro/settings/mcp.json
{}
",
    );
    insta::assert_snapshot!(shown, @r#"
    specs:.kiro/specs/login/requirements.md · kiro spec · login · login: Requirements Document
    specs:.kiro/specs/login/tasks.md · kiro tasks · login/tasks · login: tasks
      + parent: login
    specs:.kiro/steering/product.md · kiro steering · product · Product
      + inclusion: always
      metadata "---\ninclusion: always\n---\n"
    "#);
}

#[test]
fn decision_records() {
    let shown = read(
        SourceName::Specs,
        r"
//- /docs/adr/0001-record-decisions.md
# 1. Record decisions

Date: 2020-01-02

## Status

Superseded by [2. Use a log](0002-use-a-log.md)

## Context
//- /docs/decisions/0002-use-a-log.md
---
status: accepted
date: 2021-03-04
decision-makers: [ann, bob]
---
# Use a log
//- /svc/doc/adr/ADR-003-madr-2.md
# ADR-003: Old style

* Status: proposed
* Deciders: ann
* Date: 2019-05-06

## Context
//- /backlog/decisions/decision-1 - Use-it.md
---
id: decision-1
title: Use it
date: '2025-06-22'
status: proposed
---
//- /docs/adr/template.md
# {{TITLE}}
//- /docs/adr/README.md
Index.
//- /src/decisions/0001-code.md
No record.
",
    );
    insta::assert_snapshot!(shown, @r#"
    specs:backlog/decisions/decision-1 - Use-it.md · adr decision · decision-1 · Use it
      status: proposed
      created: 1750550400
      metadata "---\nid: decision-1\ntitle: Use it\ndate: '2025-06-22'\nstatus: proposed\n---\n"
    specs:docs/adr/0001-record-decisions.md · adr decision · 0001 · Record decisions
      status: Superseded
      created: 1577923200
      + supersededBy: 0002-use-a-log.md
      metadata "Date: 2020-01-02\n"
    specs:docs/decisions/0002-use-a-log.md · adr decision · 0002 · Use a log
      status: accepted
      created: 1614816000
      + decision-makers: ann
      + decision-makers: bob
      metadata "---\nstatus: accepted\ndate: 2021-03-04\ndecision-makers: [ann, bob]\n---\n"
    specs:svc/doc/adr/ADR-003-madr-2.md · adr decision · 003 · Old style
      status: proposed
      created: 1557100800
      + deciders: ann
      metadata "* Status: proposed\n"
      metadata "* Deciders: ann\n"
      metadata "* Date: 2019-05-06\n"
    "#);
}

#[test]
fn plain_pages() {
    let shown = read(
        SourceName::Specs,
        r"
//- /docs/specs/cache/spec.md
# Cache

**Version:** 1.0
**Status:** Draft
//- /docs/specs/cache/plan.md
Plan.
//- /docs/features/cache.md
---
title: Caching
---
//- /docs/research/cache-intel.md
# Intel
//- /docs/rfcs/0001-x.md
# RFC
//- /docs/prd-v2.md
# Product
//- /docs/PRD.txt
No Markdown.
//- /PRPs/one.md
# One
//- /docs/guide.md
# Not a spec
//- /src/docs/specs/x.md
# Not at the root
",
    );
    insta::assert_snapshot!(shown, @r#"
    specs:PRPs/one.md · plain requirements · PRPs/one · One
    specs:docs/features/cache.md · plain spec · features/cache · Caching
      metadata "---\ntitle: Caching\n---\n"
    specs:docs/prd-v2.md · plain requirements · prd-v2 · Product
    specs:docs/research/cache-intel.md · plain research · research/cache-intel · Intel
    specs:docs/rfcs/0001-x.md · plain rfc · rfcs/0001-x · RFC
    specs:docs/specs/cache/plan.md · plain plan · cache/plan · cache/plan
      + parent: cache
    specs:docs/specs/cache/spec.md · plain spec · cache · Cache
      status: Draft
      + Version: 1.0
      metadata "**Version:** 1.0\n"
      metadata "**Status:** Draft\n"
    "#);
}
