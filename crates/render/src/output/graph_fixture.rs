//! Fixture answers about definitions and the graph for the tests of the formats.

use lore_engine::{
    Absence, Certainty, EdgeKind, GraphEdge, GraphNode, Receipt, ResearchResponse, SymbolHit,
    SymbolMatch, SymbolResponse,
};
use lore_schema::SourceName;

use super::fixture;

fn receipt(total: u64) -> Receipt {
    let mut receipt = fixture::receipt();
    receipt.sources.retain(|source, _| *source == SourceName::Code);
    Receipt { exhaustive: true, total, matched_all: total, ..receipt }
}

/// A method of `container`, or a struct without one.
pub fn symbol(name: &str, container: Option<&str>, line: u32) -> SymbolHit {
    let dotted = container.map(|container| format!("{container}.")).unwrap_or_default();
    SymbolHit {
        id: format!("code:src/disk.rs#{dotted}{name}"),
        name: name.into(),
        kind: if container.is_some() { "method" } else { "struct" },
        visibility: "public",
        container: container.map(str::to_owned),
        breadcrumb: container.map(str::to_owned).into_iter().collect(),
        path: "src/disk.rs".into(),
        line,
        start_line: line,
        end_line: line + 3,
        language: Some("rust".into()),
        signature: if container.is_some() {
            format!("pub fn {name}(&mut self, row: Row)")
        } else {
            format!("pub struct {name}")
        },
        doc_comment: None,
        conformances: Vec::new(),
        category: "own",
        matched: None,
    }
}

/// A type with its members, the same name elsewhere, and a near name.
pub fn symbols() -> SymbolResponse {
    let matched = |how, hit: SymbolHit| SymbolHit { matched: Some(how), ..hit };
    let disk = SymbolHit {
        doc_comment: Some("\nKeeps rows on the disk.\n\nAll of them.".into()),
        conformances: vec![("implements", "Store".into()), ("derives", "Debug".into())],
        ..symbol("Disk", None, 12)
    };
    let other =
        SymbolHit { path: "tests/disk.rs".into(), category: "test", ..symbol("Disk", None, 3) };
    let far = SymbolHit { path: "src/store.rs".into(), ..symbol("open", Some("Disk"), 7) };
    let hits = vec![
        matched(SymbolMatch::Exact, disk),
        matched(SymbolMatch::Exact, other),
        matched(SymbolMatch::Member, symbol("save", Some("Disk"), 120)),
        matched(SymbolMatch::Member, far),
        matched(SymbolMatch::Prefix, symbol("DiskError", None, 40)),
        matched(SymbolMatch::Near, symbol("Risk", None, 99)),
    ];
    let total = hits.len() as u64;
    SymbolResponse {
        query: "Disk".into(),
        hits,
        receipt: receipt(total),
        absence: None,
        warnings: Vec::new(),
    }
}

/// The definitions of two files, cut.
pub fn files() -> SymbolResponse {
    let other =
        SymbolHit { path: "src/row.rs".into(), signature: String::new(), ..symbol("Row", None, 1) };
    let hits = vec![symbol("Disk", None, 12), symbol("save", Some("Disk"), 120), other];
    let receipt = Receipt { exhaustive: false, total: 9, ..receipt(9) };
    SymbolResponse { query: "src".into(), hits, receipt, absence: None, warnings: Vec::new() }
}

fn node(name: &str, path: &str, line: u32) -> GraphNode {
    GraphNode {
        id: format!("code:{path}#{name}"),
        name: name.into(),
        kind: "method",
        path: Some(path.into()),
        line: Some(line),
        signature: None,
    }
}

fn edge(from: usize, to: usize, line: u32, depth: usize) -> GraphEdge {
    GraphEdge {
        from,
        to,
        kind: EdgeKind::Calls,
        certainty: Certainty::SameFile,
        line: Some(line),
        depth,
        count: 1,
    }
}

/// An answer without edges.
pub fn no_edges() -> ResearchResponse {
    ResearchResponse {
        question: "callers of Disk.save".into(),
        subjects: vec![0],
        nodes: vec![node("Disk.save", "src/disk.rs", 120)],
        edges: Vec::new(),
        lines: Vec::new(),
        outside: 0,
        guesses: 0,
        unparsed: Vec::new(),
        partly_parsed: Vec::new(),
        is_cut: false,
        receipt: receipt(0),
        absence: Some(Absence::default()),
        warnings: Vec::new(),
    }
}

/// Callers in two steps.
pub fn callers() -> ResearchResponse {
    let file = GraphNode {
        id: "code:run.py".into(),
        name: "run.py".into(),
        kind: "file",
        line: None,
        ..node("run.py", "run.py", 1)
    };
    ResearchResponse {
        nodes: vec![
            node("Disk.save", "src/disk.rs", 120),
            node("Shop.pay", "src/shop.rs", 30),
            node("main", "src/main.rs", 4),
            file,
        ],
        edges: vec![
            GraphEdge { certainty: Certainty::Import, ..edge(1, 0, 33, 1) },
            GraphEdge { certainty: Certainty::Import, ..edge(1, 0, 38, 1) },
            GraphEdge { certainty: Certainty::OneOf(4), ..edge(3, 0, 9, 1) },
            GraphEdge { certainty: Certainty::UniqueName, ..edge(2, 1, 6, 2) },
        ],
        lines: vec![
            Some("self.disk.save(&order)?;".into()),
            Some("disk.save(&refund)".into()),
            None,
            Some("shop.pay();".into()),
        ],
        unparsed: ["a.py", "b.py", "c.py", "d.py"].map(str::to_owned).to_vec(),
        partly_parsed: vec!["src/odd.rs".into()],
        is_cut: true,
        absence: None,
        ..no_edges()
    }
}

/// Callees in two steps, which are also a path.
pub fn callees() -> ResearchResponse {
    ResearchResponse {
        question: "callees of main".into(),
        subjects: vec![2],
        edges: vec![edge(2, 1, 6, 1), edge(1, 0, 33, 2)],
        lines: vec![Some("shop.pay();".into()), None],
        outside: 3,
        guesses: 0,
        unparsed: Vec::new(),
        partly_parsed: Vec::new(),
        is_cut: false,
        ..callers()
    }
}

/// Imports of folders.
pub fn dependencies() -> ResearchResponse {
    let folder = |name: &str| GraphNode {
        id: name.into(),
        name: name.into(),
        kind: "folder",
        path: Some(name.into()),
        line: None,
        signature: None,
    };
    let import = |from, to, count| GraphEdge {
        kind: EdgeKind::Imports,
        certainty: Certainty::Import,
        line: None,
        count,
        ..edge(from, to, 1, 1)
    };
    let outside = GraphNode { kind: "name", path: None, ..folder("serde") };
    ResearchResponse {
        question: "dependencies".into(),
        subjects: Vec::new(),
        nodes: vec![folder("src"), folder("src/store"), folder("tests"), outside],
        edges: vec![
            import(0, 1, 3),
            import(2, 0, 1),
            import(0, 2, 1),
            GraphEdge { certainty: Certainty::Outside, ..import(0, 3, 1) },
        ],
        absence: None,
        ..no_edges()
    }
}

const EVIL: &str = "a\x1b[2J\x1b]0;title\x07\u{9b}31m\u{202e}b\r\x08\nc";

/// Definitions whose texts all contain control sequences for a terminal.
pub fn hostile_symbols() -> SymbolResponse {
    let evil = || EVIL.to_owned();
    let hit = |how| SymbolHit {
        id: evil(),
        name: evil(),
        container: Some(evil()),
        breadcrumb: vec![evil()],
        path: evil(),
        language: Some(evil()),
        signature: evil(),
        doc_comment: Some(evil()),
        conformances: vec![("implements", evil())],
        matched: Some(how),
        ..symbol("x", None, 1)
    };
    let hits = [SymbolMatch::Exact, SymbolMatch::Member, SymbolMatch::Parts, SymbolMatch::Near];
    SymbolResponse { query: evil(), hits: hits.map(hit).to_vec(), ..symbols() }
}

/// A graph whose texts all contain control sequences for a terminal.
pub fn hostile_graph() -> ResearchResponse {
    let evil = || EVIL.to_owned();
    let node = |kind| GraphNode {
        id: evil(),
        name: evil(),
        kind,
        path: Some(evil()),
        line: Some(1),
        signature: Some(evil()),
    };
    ResearchResponse {
        question: evil(),
        nodes: ["method", "file", "folder", "name"].map(node).to_vec(),
        edges: vec![edge(0, 1, 1, 1), edge(2, 0, 1, 2), edge(3, 0, 1, 2)],
        unparsed: vec![evil()],
        partly_parsed: vec![evil()],
        ..no_edges()
    }
}
