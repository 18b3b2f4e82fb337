//! `cargo xtask stats`: size and structure of each crate, as Markdown tables.

use std::{fmt::Write as _, path::Path};

use anyhow::Result;

use crate::{
    modules::{ModuleGraph, closing},
    rust_tokens::{Kind, Token, tokens},
    tidy::collect,
};

/// Length in lines from which a function is listed.
const LONG_FUNCTION: usize = 60;

/// A function with its length in lines.
struct Function {
    lines: usize,
    name: String,
    place: String,
}

/// One row of the table.
struct Row {
    name: String,
    files: usize,
    lines: usize,
    /// Functions outside of tests, longest first.
    functions: Vec<Function>,
    /// Files in the largest import circle.
    circle: Vec<String>,
}

/// The tables.
pub(crate) fn report(root: &Path) -> Result<String> {
    let mut folders: Vec<_> = std::fs::read_dir(root.join("crates"))?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<std::io::Result<_>>()?;
    folders.push(root.join("xtask"));
    folders.retain(|folder| folder.join("Cargo.toml").is_file());
    folders.sort();
    let mut rows = Vec::new();
    let mut literals = Vec::new();
    for folder in folders {
        rows.push(row(root, &folder, &mut literals)?);
    }
    Ok(render(&rows, &literals))
}

/// The import circles of the crate with this `src`, each with its edges.
pub(crate) fn circles(src: &Path) -> Result<String> {
    let graph = ModuleGraph::read(src)?;
    let mut out = String::new();
    for circle in graph.circles() {
        _ = writeln!(out, "Circle of {} files:", circle.len());
        for (from, to) in graph.edges_within(&circle) {
            _ = writeln!(out, "  {} -> {}", from.display(), to.display());
        }
    }
    Ok(out)
}

/// Measures one crate; adds the places of its `SearchRequest` literals.
fn row(root: &Path, folder: &Path, literals: &mut Vec<String>) -> Result<Row> {
    let mut paths = Vec::new();
    collect(folder, &mut paths)?;
    paths.sort();
    let mut row = Row {
        name: folder.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        files: paths.len(),
        lines: 0,
        functions: Vec::new(),
        circle: Vec::new(),
    };
    for path in paths {
        let text = std::fs::read_to_string(&path)?;
        row.lines += text.lines().count();
        let shown = path.strip_prefix(root).unwrap_or(&path).display().to_string();
        let code: Vec<_> = tokens(&text).into_iter().filter(Token::is_code).collect();
        let places = search_requests(&code).into_iter().map(|line| format!("{shown}:{line}"));
        literals.extend(places);
        if !shown.contains("/tests") {
            row.functions.extend(functions(&code, &shown));
        }
    }
    row.functions.sort_by(|a, b| b.lines.cmp(&a.lines).then_with(|| a.place.cmp(&b.place)));
    let graph = ModuleGraph::read(&folder.join("src"))?;
    if let Some(circle) = graph.circles().first() {
        row.circle = circle.iter().map(|path| path.display().to_string()).collect();
    }
    Ok(row)
}

/// Functions with their lengths, those of test modules not included.
fn functions(code: &[Token<'_>], path: &str) -> Vec<Function> {
    let mut found = Vec::new();
    let mut at = 0;
    while at + 2 < code.len() {
        if code[at].is("mod") && code[at + 1].is("tests") && code[at + 2].is("{") {
            at += 3 + closing(&code[at + 3..]);
            continue;
        }
        if code[at].is("fn")
            && code[at + 1].kind == Kind::Name
            && let Some(open) = body(&code[at..])
        {
            let close = at + open + 1 + closing(&code[at + open + 1..]);
            let end = code.get(close).or(code.last()).map_or(0, |token| token.line);
            found.push(Function {
                lines: end + 1 - code[at].line,
                name: code[at + 1].text.to_owned(),
                place: format!("{path}:{}", code[at].line),
            });
        }
        at += 1;
    }
    found
}

/// Offset of the `{` of a function's body; none for a declaration.
fn body(code: &[Token<'_>]) -> Option<usize> {
    let mut depth = 0_i32;
    for (at, token) in code.iter().enumerate() {
        if token.is("(") || token.is("[") {
            depth += 1;
        } else if token.is(")") || token.is("]") {
            depth -= 1;
        } else if depth == 0 && token.is("{") {
            return Some(at);
        } else if depth == 0 && token.is(";") {
            return None;
        }
    }
    None
}

/// Lines of the `SearchRequest { … }` expressions.
fn search_requests(code: &[Token<'_>]) -> Vec<usize> {
    let literal = |at: &usize| {
        let before = at.checked_sub(1).and_then(|at| code.get(at));
        let defines = before.is_some_and(|token| {
            ["struct", "impl", "for", "let", ">"].iter().any(|word| token.is(word))
        });
        code[*at].is("SearchRequest") && code.get(at + 1).is_some_and(|t| t.is("{")) && !defines
    };
    (0..code.len()).filter(literal).map(|at| code[at].line).collect()
}

/// The measurements as Markdown.
fn render(rows: &[Row], literals: &[String]) -> String {
    let mut out = String::from(
        "| Crate | Files | Lines | Longest function | Functions over 60 lines | Largest import circle |\n\
         |---|---:|---:|---|---:|---:|\n",
    );
    for Row { name, files, lines, functions, circle } in rows {
        let longest = functions
            .first()
            .map_or_else(String::new, |longest| format!("{} (`{}`)", longest.lines, longest.name));
        let long = functions.iter().filter(|function| function.lines > LONG_FUNCTION).count();
        let circle = circle.len();
        _ = writeln!(out, "| `{name}` | {files} | {lines} | {longest} | {long} | {circle} |");
    }
    let files: usize = rows.iter().map(|row| row.files).sum();
    let lines: usize = rows.iter().map(|row| row.lines).sum();
    _ = writeln!(out, "| all | {files} | {lines} | | | |");

    _ = writeln!(out, "\n| Function over {LONG_FUNCTION} lines | Lines | Place |\n|---|---:|---|");
    for function in rows.iter().flat_map(|row| &row.functions) {
        if function.lines > LONG_FUNCTION {
            _ = writeln!(
                out,
                "| `{}` | {} | `{}` |",
                function.name, function.lines, function.place
            );
        }
    }
    out.push_str("\n| Crate | Files of the largest import circle |\n|---|---|\n");
    for row in rows.iter().filter(|row| !row.circle.is_empty()) {
        _ = writeln!(out, "| `{}` | {} |", row.name, row.circle.join(", "));
    }
    let tests = literals.iter().filter(|place| place.contains("/tests")).count();
    _ = writeln!(
        out,
        "\n`SearchRequest {{` literals: {} outside of tests, {tests} in tests.",
        literals.len() - tests
    );
    out
}

#[cfg(test)]
mod tests {
    use super::{functions, search_requests};
    use crate::rust_tokens::{Token, tokens};

    fn code(source: &str) -> Vec<Token<'_>> {
        tokens(source).into_iter().filter(Token::is_code).collect()
    }

    #[test]
    fn functions_are_measured_from_name_to_brace_outside_of_tests() {
        let source = "trait T { fn a(&self); }\nfn b(x: [u8; 2]) {\n  if x {}\n}\n\
                      mod tests { fn c() {} }";
        let found: Vec<_> =
            functions(&code(source), "a.rs").into_iter().map(|f| (f.name, f.lines)).collect();
        assert_eq!(found, [("b".to_owned(), 3)]);
    }

    #[test]
    fn only_expressions_count_as_literals() {
        let source = "struct SearchRequest { a: u8 }\nimpl SearchRequest {}\n\
                      fn f() -> SearchRequest { SearchRequest { a: 1 } }";
        assert_eq!(search_requests(&code(source)), [3]);
    }
}
