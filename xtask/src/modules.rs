//! The graph of a crate's source files by the paths in their code, and its circles.
//!
//! Files are nodes. A path that starts with `crate`, `super` or `self` is an edge to the file of the
//! longest prefix that is a module. A declaration `mod x;` and a `pub use` are no edges: a parent
//! that lists its children does not depend on them. Code for tests is no part of the graph.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use anyhow::Result;

use crate::rust_tokens::{Token, tokens};

/// Path of a module, the crate's name not included; the crate's root is empty.
type ModulePath = Vec<String>;

/// Imports between the files of one crate.
pub(crate) struct ModuleGraph {
    /// Files, relative to the crate's `src`.
    files: Vec<PathBuf>,
    /// For each file, the files that its code names.
    edges: Vec<BTreeSet<usize>>,
}

impl ModuleGraph {
    /// Reads the graph of the crate whose `src` is given.
    pub(crate) fn read(src: &Path) -> Result<ModuleGraph> {
        let mut paths = Vec::new();
        crate::tidy::collect(src, &mut paths)?;
        paths.sort();
        let mut sources = Vec::new();
        for path in paths {
            let text = std::fs::read_to_string(&path)?;
            sources.push((path.strip_prefix(src)?.to_owned(), text));
        }
        Ok(ModuleGraph::from_sources(&sources))
    }

    /// Builds the graph of files given by path relative to `src`, and text.
    pub(crate) fn from_sources(sources: &[(PathBuf, String)]) -> ModuleGraph {
        let mut modules = BTreeMap::new();
        let mut contents = BTreeMap::new();
        let mut only_tests: Vec<ModulePath> = Vec::new();
        for (path, text) in sources {
            let module = module_path(path);
            let all = tokens(text);
            let code: Vec<_> = all.into_iter().filter(Token::is_code).collect();
            let content = Content::of(&code, &module);
            only_tests.extend(content.test_modules.iter().cloned());
            // `lib.rs` comes before `main.rs`, whose paths start at another root.
            modules.entry(module.clone()).or_insert_with(|| path.clone());
            contents.entry(path.clone()).or_insert((module, content));
        }
        let is_test = |module: &ModulePath| only_tests.iter().any(|test| module.starts_with(test));
        modules.retain(|module, _| !is_test(module));
        let files: Vec<PathBuf> = modules.values().cloned().collect();
        let number = |path: &PathBuf| files.iter().position(|file| file == path);
        let mut edges = vec![BTreeSet::new(); files.len()];
        for (from, path) in files.iter().enumerate() {
            let (_, content) = &contents[path];
            for target in &content.paths {
                let file = (0..=target.len())
                    .rev()
                    .find_map(|length| modules.get(&target[..length]).and_then(number));
                edges[from].extend(file.filter(|to| *to != from));
            }
        }
        ModuleGraph { files, edges }
    }

    /// Sets of files that all reach each other, largest first; files outside of circles are missing.
    pub(crate) fn circles(&self) -> Vec<Vec<&Path>> {
        let reached: Vec<BTreeSet<usize>> =
            (0..self.files.len()).map(|from| self.reachable(from)).collect();
        let mut assigned = BTreeSet::new();
        let mut circles = Vec::new();
        for from in 0..self.files.len() {
            if assigned.contains(&from) || !reached[from].contains(&from) {
                continue;
            }
            let circle: Vec<usize> =
                reached[from].iter().copied().filter(|to| reached[*to].contains(&from)).collect();
            assigned.extend(circle.iter().copied());
            circles.push(circle.into_iter().map(|file| self.files[file].as_path()).collect());
        }
        circles.sort_by_key(|circle: &Vec<&Path>| std::cmp::Reverse(circle.len()));
        circles
    }

    /// Edges between the files of a set, as pairs of paths.
    pub(crate) fn edges_within(&self, set: &[&Path]) -> Vec<(&Path, &Path)> {
        let mut pairs = Vec::new();
        for (from, targets) in self.edges.iter().enumerate() {
            for to in targets {
                let pair = (self.files[from].as_path(), self.files[*to].as_path());
                if set.contains(&pair.0) && set.contains(&pair.1) {
                    pairs.push(pair);
                }
            }
        }
        pairs
    }

    /// Files that a file reaches over one edge or more.
    fn reachable(&self, from: usize) -> BTreeSet<usize> {
        let mut reached = BTreeSet::new();
        let mut open = vec![from];
        while let Some(file) = open.pop() {
            for &target in &self.edges[file] {
                if reached.insert(target) {
                    open.push(target);
                }
            }
        }
        reached
    }
}

/// Module path of a file below `src`.
fn module_path(file: &Path) -> ModulePath {
    let mut path: ModulePath = file
        .with_extension("")
        .components()
        .map(|component| component.as_os_str().to_string_lossy().into_owned())
        .collect();
    let root = path.len() == 1 && matches!(path[0].as_str(), "lib" | "main");
    if root || path.last().is_some_and(|last| last == "mod") {
        path.pop();
    }
    path
}

/// The parts of a file that make edges.
#[derive(Default)]
struct Content {
    /// Absolute paths that the code names.
    paths: BTreeSet<ModulePath>,
    /// Modules that are compiled for tests only.
    test_modules: Vec<ModulePath>,
}

impl Content {
    fn of(code: &[Token<'_>], module: &[String]) -> Content {
        let mut content = Content::default();
        content.scan(code, module);
        content
    }

    /// Reads the code of a module, and that of the modules inside it.
    fn scan(&mut self, code: &[Token<'_>], module: &[String]) {
        let mut at = 0;
        while at < code.len() {
            if let Some(length) = declaration(&code[at..]) {
                let mut inner = module.to_vec();
                inner.push(code[at + length - 2].text.to_owned());
                let test = follows_test_attribute(&code[..at]);
                let block = code[at + length - 1].is("{");
                if test {
                    self.test_modules.push(inner.clone());
                }
                at += length;
                if block {
                    let close = at + closing(&code[at..]);
                    if !test {
                        self.scan(&code[at..close], &inner);
                    }
                    at = close;
                }
                continue;
            }
            if code[at].is("pub")
                && let Some(length) = re_export(&code[at..])
            {
                at += length;
                continue;
            }
            let starts = !at.checked_sub(1).is_some_and(|before| code[before].is(":"));
            match base(&code[at..], module).filter(|_| starts) {
                Some((base, length)) => {
                    at += length;
                    at += self.path(&code[at..], &base);
                }
                None => at += 1,
            }
        }
    }

    /// Reads the rest of a path, after `crate` and the like; returns the tokens that it takes.
    fn path(&mut self, code: &[Token<'_>], base: &[String]) -> usize {
        let mut path = base.to_vec();
        let mut at = 0;
        while is_separator(&code[at..]) {
            at += 2;
            let Some(next) = code.get(at) else { break };
            if next.is("{") {
                let end = at + 1 + closing(&code[at + 1..]);
                let mut item = at + 1;
                while item < end {
                    item += self.item(&code[item..end], &path);
                }
                return end + 1;
            }
            if next.is("*") || next.is("<") {
                break;
            }
            path.push(next.text.to_owned());
            at += 1;
        }
        self.paths.insert(path);
        at
    }

    /// Reads an item of `{…}` in an import, and the comma after it; returns the tokens it takes.
    fn item(&mut self, code: &[Token<'_>], base: &[String]) -> usize {
        let mut path = base.to_vec();
        if !code[0].is("self") && !code[0].is("*") {
            path.push(code[0].text.to_owned());
        }
        let length = 1 + self.path(&code[1..], &path);
        let comma = code.get(length..).and_then(|rest| rest.iter().position(|token| token.is(",")));
        comma.map_or(code.len(), |comma| length + comma + 1)
    }
}

/// Number of tokens of `mod name;` or `mod name {` at the start of `code`.
fn declaration(code: &[Token<'_>]) -> Option<usize> {
    let [keyword, _, end, ..] = code else { return None };
    (keyword.is("mod") && (end.is(";") || end.is("{"))).then_some(3)
}

/// Returns true if the attribute `#[cfg(test)]` comes right before, a visibility apart.
fn follows_test_attribute(before: &[Token<'_>]) -> bool {
    let Some(close) = before.iter().rposition(|token| token.is("]")) else { return false };
    let visibility = &before[close + 1..];
    let visible = visibility.is_empty() || visibility[0].is("pub");
    let Some(open) = before[..close].iter().rposition(|token| token.is("[")) else { return false };
    let attribute = &before[open + 1..close];
    visible
        && visibility.len() <= 4
        && attribute.first().is_some_and(|token| token.is("cfg"))
        && attribute.iter().any(|token| token.is("test"))
        && !attribute.iter().any(|token| token.is("not"))
}

/// Number of tokens of a `pub use …;` or `pub(…) use …;` at the start of `code`.
fn re_export(code: &[Token<'_>]) -> Option<usize> {
    let keyword = code.iter().take(6).position(|token| token.is("use"))?;
    let visibility = &code[1..keyword];
    let scoped = visibility.first().is_none_or(|token| token.is("("))
        && visibility.last().is_none_or(|token| token.is(")"));
    let end = code.iter().position(|token| token.is(";"))?;
    scoped.then_some(end + 1)
}

/// The module that `crate`, `self` and `super` at the start of `code` mean, and their tokens.
fn base(code: &[Token<'_>], module: &[String]) -> Option<(ModulePath, usize)> {
    let first = code.first()?;
    if !is_separator(&code[1..]) {
        return None;
    }
    if first.is("crate") {
        return Some((Vec::new(), 1));
    }
    if first.is("self") {
        return Some((module.to_vec(), 1));
    }
    if !first.is("super") {
        return None;
    }
    let mut path = module.to_vec();
    path.pop();
    let mut at = 1;
    while is_separator(&code[at..]) && code.get(at + 2).is_some_and(|token| token.is("super")) {
        path.pop();
        at += 3;
    }
    Some((path, at))
}

/// Returns true if `code` starts with `::`.
fn is_separator(code: &[Token<'_>]) -> bool {
    matches!(code, [first, second, ..] if first.is(":") && second.is(":"))
}

/// Offset of the `}` that closes a block whose `{` comes right before `code`.
pub(crate) fn closing(code: &[Token<'_>]) -> usize {
    let mut depth = 0_usize;
    for (at, token) in code.iter().enumerate() {
        if token.is("{") {
            depth += 1;
        } else if token.is("}") {
            if depth == 0 {
                return at;
            }
            depth -= 1;
        }
    }
    code.len()
}

#[cfg(test)]
mod tests {
    use super::ModuleGraph;

    fn graph(files: &[(&str, &str)]) -> ModuleGraph {
        let files: Vec<_> =
            files.iter().map(|(path, text)| (path.into(), (*text).into())).collect();
        ModuleGraph::from_sources(&files)
    }

    fn circles(files: &[(&str, &str)]) -> Vec<Vec<String>> {
        let graph = graph(files);
        let show = |path: &&std::path::Path| path.display().to_string();
        graph.circles().iter().map(|circle| circle.iter().map(show).collect()).collect()
    }

    #[test]
    fn files_that_import_each_other_are_a_circle() {
        let files = [
            ("lib.rs", "mod a; mod b; mod c; pub use a::A;"),
            ("a.rs", "use crate::{b::{self, B}, c};"),
            ("b.rs", "fn f() { crate::c::g() }"),
            ("c/mod.rs", "use super::a::A as Other;"),
        ];
        assert_eq!(circles(&files), [["a.rs", "b.rs", "c/mod.rs"]]);
    }

    #[test]
    fn declarations_re_exports_and_tests_are_no_edges() {
        let files = [
            ("lib.rs", "mod a; pub(crate) use self::a::{A, B}; #[cfg(test)] mod help;"),
            ("a.rs", "use crate::Error; #[cfg(test)] mod tests { use crate::help::f; }"),
            ("help.rs", "use crate::a::A;"),
        ];
        assert!(circles(&files).is_empty());
        assert_eq!(graph(&files).files.len(), 2);
    }

    #[test]
    fn edges_lead_to_the_longest_module_of_a_path() {
        let files = [
            ("lib.rs", ""),
            ("a/b.rs", "use super::{c::{D, E}, *};"),
            ("a.rs", ""),
            ("a/c.rs", "fn f() -> crate::a::b::Kind { self::g() }"),
        ];
        let graph = graph(&files);
        let all: Vec<_> = graph.files.iter().map(std::path::PathBuf::as_path).collect();
        let edges: Vec<_> = graph
            .edges_within(&all)
            .into_iter()
            .map(|(from, to)| format!("{} {}", from.display(), to.display()))
            .collect();
        assert_eq!(edges, ["a/b.rs a.rs", "a/b.rs a/c.rs", "a/c.rs a/b.rs"]);
    }
}
