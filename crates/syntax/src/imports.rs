//! Parses import statements, with one small parser for each family of languages.
//!
//! The grammar finds the start and end of a statement. Inside, the families differ more in words
//! than in structure, so tokens are enough.

mod listed;
mod tokens;

use std::ops::Range;

use lore_schema::Import;

use self::tokens::{Token, Tokens};
use crate::{limits::MAX_IMPORTS, line_table::LineTable, outline::line_number};

/// Import syntax of a family of languages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// No imports of names: data, styles.
    None,
    /// `[a.b :as c :refer [d]]`: one entry of a list.
    Clojure,
    /// `import a.b.C as D`, `use A\{B, C as D}`: the last segment is the name.
    DottedName,
    /// `import A.B (c, d)`, `using A.B`, `open A`: the whole path is the module.
    DottedModule,
    /// `import d, {a as b} from "m"`, `export * from "m"`, `const a = require("m")`.
    Ecmascript,
    /// `alias A.{B, C}`, `import A, only: [b: 1]`.
    Elixir,
    /// `-import(lists, [map/2])`, `-include("a.hrl")`.
    Erlang,
    /// `import ("a/b"; c "d/e")`.
    Go,
    /// `import qualified A.B as C`, `import A (b, c)`.
    Haskell,
    /// `use A::B qw(c d)`.
    Perl,
    /// `from a.b import c as d`, `import a.b as c`.
    Python,
    /// `#include <a.h>`, `require "a"`, `source a.sh`, `const a = @import("a")`: a file.
    Quoted,
    /// `pub use a::{b, c::*, d as e}`.
    Rust,
}

/// Parses the import statements at the given ranges.
pub(crate) fn read(
    text: &str,
    lines: &LineTable,
    style: Style,
    mut statements: Vec<Range<usize>>,
) -> Vec<Import> {
    statements.sort_by_key(|range| range.start);
    let mut imports = Vec::new();
    for range in statements {
        let line = line_number(lines.line_of(range.start));
        let tokens = Tokens::new(&text[range]);
        let before = imports.len();
        match style {
            Style::None => {}
            Style::Clojure => listed::clojure(tokens, &mut imports),
            Style::DottedName => dotted(tokens, true, &mut imports),
            Style::DottedModule => dotted(tokens, false, &mut imports),
            Style::Ecmascript => ecmascript(tokens, &mut imports),
            Style::Elixir => listed::elixir(tokens, &mut imports),
            Style::Erlang => listed::erlang(tokens, &mut imports),
            Style::Go => go(tokens, &mut imports),
            Style::Haskell => listed::haskell(tokens, &mut imports),
            Style::Perl => listed::perl(tokens, &mut imports),
            Style::Python => python(tokens, &mut imports),
            Style::Quoted => quoted(tokens, &mut imports),
            Style::Rust => rust(tokens, &mut imports),
        }
        for import in &mut imports[before..] {
            import.line = line;
        }
        if imports.len() >= MAX_IMPORTS {
            imports.truncate(MAX_IMPORTS);
            break;
        }
    }
    imports
}

/// Words that may precede or be inside a path and are not part of it.
const KEYWORDS: &[&str] = &[
    "alias",
    "class",
    "const",
    "enum",
    "export",
    "exported",
    "extension",
    "func",
    "function",
    "given",
    "global",
    "hiding",
    "import",
    "include",
    "let",
    "library",
    "module",
    "open",
    "package",
    "part",
    "protocol",
    "public",
    "qualified",
    "require",
    "safe",
    "static",
    "struct",
    "type",
    "typealias",
    "use",
    "using",
    "var",
];

/// Words before a path that ends with the name of one definition: `import struct A.B`.
const KINDS: &[&str] = &["class", "enum", "func", "let", "protocol", "struct", "typealias", "var"];

fn dotted(tokens: Tokens<'_>, last_is_name: bool, imports: &mut Vec<Import>) {
    let mut tokens: Vec<Token<'_>> = tokens.collect();
    let is_word = |token: &Token<'_>, words: &[&str]| match token {
        Token::Path(word) => words.contains(word) || word.starts_with('@'),
        _ => false,
    };
    let last_is_name =
        last_is_name || matches!(tokens.as_slice(), [.., kind, _] if is_word(kind, KINDS));
    tokens.retain(|token| !is_word(token, KEYWORDS));
    let mut rest = tokens.as_slice();
    // `using Alias = A.B`
    let mut renamed = None;
    if let [Token::Path(alias), Token::Sign('='), after @ ..] = rest {
        renamed = Some((*alias).to_owned());
        rest = after;
    }
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        let (Token::Path(path) | Token::Quoted(path)) = first else { continue };
        let is_open = path.ends_with(['.', '\\', ':']);
        let path = path.trim_end_matches(['.', '\\', ':']);
        match after {
            [Token::Sign('*'), after @ ..] if is_open => {
                imports.push(named(path, "*"));
                rest = after;
            }
            [Token::Sign(open @ ('{' | '(' | ':')), ..] => {
                let end = after
                    .iter()
                    .position(|token| matches!(token, Token::Sign('}' | ')')))
                    .unwrap_or(after.len());
                // Elixir writes `as:` where other languages list names.
                if *open == ':' && matches!(after.get(1), Some(Token::Path("as"))) {
                    continue;
                }
                group(path, &after[1..end.max(1)], imports);
                rest = after.get(end + 1..).unwrap_or_default();
            }
            _ => {
                let mut import = if let (true, Some(cut)) = (last_is_name, split_last(path)) {
                    named(cut.0, cut.1)
                } else if last_is_name {
                    Import { module: path.to_owned(), ..Import::default() }
                } else {
                    named(path, "*")
                };
                if import.name.as_deref() == Some("_") {
                    import.name = Some("*".to_owned());
                }
                if let Some((alias, after)) = alias(after) {
                    import.alias = Some(alias);
                    rest = after;
                    if !last_is_name {
                        import.name = None;
                    }
                } else {
                    import.alias = renamed.take();
                }
                imports.push(import);
            }
        }
    }
}

/// The names in brackets after a path.
fn group(path: &str, tokens: &[Token<'_>], imports: &mut Vec<Import>) {
    let mut rest = tokens;
    let mut found = false;
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        let Token::Path(name) = first else { continue };
        let mut import = match split_last(name) {
            Some((module, name)) => named(&format!("{path}.{module}"), name),
            None => named(path, if *name == "_" { "*" } else { name }),
        };
        if let Some((alias, after)) = alias(after) {
            import.alias = Some(alias);
            rest = after;
        }
        found = true;
        imports.push(import);
    }
    if !found {
        imports.push(Import { module: path.to_owned(), ..Import::default() });
    }
}

/// `as name`, `=> name`, `, as: name` at the start of the tokens, and the tokens after it.
fn alias<'s, 't>(tokens: &'s [Token<'t>]) -> Option<(String, &'s [Token<'t>])> {
    match tokens {
        [Token::Path("as"), Token::Path(alias), rest @ ..]
        | [Token::Sign('='), Token::Sign('>'), Token::Path(alias), rest @ ..]
        | [Token::Sign(','), Token::Path("as"), Token::Sign(':'), Token::Path(alias), rest @ ..] => {
            Some(((*alias).to_owned(), rest))
        }
        _ => None,
    }
}

/// A path before and after its last separator.
fn split_last(path: &str) -> Option<(&str, &str)> {
    let at = path.rfind(['.', '\\', ':', '/'])?;
    let module = path[..at].trim_end_matches([':', '.']);
    (!module.is_empty()).then(|| (module, &path[at + 1..]))
}

fn named(module: &str, name: &str) -> Import {
    Import { module: module.to_owned(), name: Some(name.to_owned()), ..Import::default() }
}

fn quoted(mut tokens: Tokens<'_>, imports: &mut Vec<Import>) {
    if let Some(import) = assigned(tokens.clone()) {
        imports.push(import);
        return;
    }
    let mut plain = None;
    let mut module = None;
    let mut name = None;
    let mut previous = "";
    let mut reexported = false;
    for token in tokens.by_ref() {
        match token {
            Token::Quoted(path) => {
                module.get_or_insert(path);
            }
            Token::Path(word) => {
                if previous == "as" {
                    name = Some(word.to_owned());
                }
                reexported |= word == "export" && plain.is_none();
                plain = Some(word);
                previous = word;
            }
            Token::Sign(_) => {}
        }
    }
    if let Some(path) = module.or(plain) {
        // The names of an included file are visible without further words, unless the import has an
        // alias.
        let all = if name.is_some() { None } else { Some("*".to_owned()) };
        imports.push(Import {
            module: path.to_owned(),
            name: all,
            alias: name,
            reexported,
            line: 0,
        });
    }
}

/// `local a = require("b")`, `const a = @import("b").c`, `const a = b.c.a`.
fn assigned(tokens: Tokens<'_>) -> Option<Import> {
    let tokens: Vec<Token<'_>> = tokens.collect();
    let at = tokens.iter().position(|token| *token == Token::Sign('='))?;
    let (before, after) = (&tokens[..at], &tokens[at + 1..]);
    let Some(Token::Path(name)) = before.last() else { return None };
    let quoted = after.iter().position(|token| matches!(token, Token::Quoted(_)));
    let mut import = match quoted.map(|at| (after[at], &after[at + 1..])) {
        Some((Token::Quoted(module), [Token::Path(field), ..] | [_, Token::Path(field), ..])) => {
            named(module, field.rsplit('.').next().unwrap_or(field))
        }
        Some((Token::Quoted(module), _)) => {
            Import { module: module.to_owned(), ..Import::default() }
        }
        _ => {
            let Some(Token::Path(path)) = after.first() else { return None };
            split_last(path).map(|(module, name)| named(module, name))?
        }
    };
    import.alias = (import.name.as_deref() != Some(*name)).then(|| (*name).to_owned());
    import.reexported = before.contains(&Token::Path("pub"));
    Some(import)
}

fn go(tokens: Tokens<'_>, imports: &mut Vec<Import>) {
    let mut alias = None;
    for token in tokens {
        match token {
            Token::Path("import") | Token::Sign(_) => {}
            Token::Path(word) => alias = Some(word.to_owned()),
            Token::Quoted(path) => {
                let alias = alias.take();
                let name = (alias.as_deref() == Some(".")).then(|| "*".to_owned());
                let alias = alias.filter(|word| word != "." && word != "_");
                imports.push(Import { module: path.to_owned(), name, alias, ..Import::default() });
            }
        }
    }
}

fn python(tokens: Tokens<'_>, imports: &mut Vec<Import>) {
    let tokens: Vec<Token<'_>> = tokens.collect();
    let (module, mut rest) = match tokens.as_slice() {
        [Token::Path("from"), Token::Path(module), Token::Path("import"), rest @ ..] => {
            (Some(*module), rest)
        }
        // `from . import a`: the dots are a token of their own.
        [Token::Path("import"), rest @ ..] => (None, rest),
        _ => return,
    };
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        let path = match first {
            Token::Path(path) => *path,
            Token::Sign('*') => "*",
            _ => continue,
        };
        let mut import = match module {
            Some(module) => named(module, path),
            None => Import { module: path.to_owned(), ..Import::default() },
        };
        // Names that a package imports are importable from it.
        import.reexported = module.is_some();
        if let Some((alias, after)) = alias(after) {
            import.alias = Some(alias);
            rest = after;
        }
        imports.push(import);
    }
}

fn ecmascript(tokens: Tokens<'_>, imports: &mut Vec<Import>) {
    let tokens: Vec<Token<'_>> = tokens.collect();
    let Some(module) = tokens.iter().rev().find_map(|token| match token {
        Token::Quoted(path) => Some((*path).to_owned()),
        _ => None,
    }) else {
        return;
    };
    let own_exports =
        |path: &str| path.starts_with("module.exports") || path.starts_with("exports.");
    let reexported =
        matches!(tokens.first(), Some(Token::Path(path)) if *path == "export" || own_exports(path));
    let add = |name: Option<&str>, alias: Option<String>, imports: &mut Vec<Import>| {
        imports.push(Import {
            module: module.clone(),
            name: name.map(str::to_owned),
            alias,
            reexported,
            line: 0,
        });
    };
    let before = imports.len();
    let mut rest = tokens.as_slice();
    let mut in_braces = false;
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        match first {
            Token::Path("import" | "export" | "const" | "let" | "var" | "type" | "typeof") => {}
            Token::Path("from" | "require" | "await") | Token::Quoted(_) => break,
            Token::Sign('{') => in_braces = true,
            Token::Sign('}') => in_braces = false,
            Token::Sign('*') => {
                if let Some((alias, after)) = alias(after) {
                    // `* as z`: the module under a name; exported, a namespace of that name.
                    add(None, Some(alias), imports);
                    rest = after;
                } else {
                    add(Some("*"), None, imports);
                }
            }
            Token::Path(name) if in_braces => match after {
                // `{a as b}`, and `{a: b}` of a pattern.
                [Token::Path("as") | Token::Sign(':'), Token::Path(alias), after @ ..] => {
                    add(Some(name), Some((*alias).to_owned()), imports);
                    rest = after;
                }
                _ => add(Some(name), None, imports),
            },
            // `module.exports = require(…)`, `exports.name = require(…)`
            Token::Path("module.exports") => add(Some("*"), None, imports),
            Token::Path(path) if own_exports(path) => {
                let name = split_last(path).map(|(_, name)| name.to_owned());
                add(None, name, imports);
            }
            // `import name from`, and `const name = require(…)`: the module's value.
            Token::Path(name) => {
                let whole = matches!(after.first(), Some(Token::Sign('=')));
                add((!whole).then_some("default"), Some((*name).to_owned()), imports);
            }
            Token::Sign(_) => {}
        }
    }
    if imports.len() == before {
        add(None, None, imports);
    }
}

fn rust(tokens: Tokens<'_>, imports: &mut Vec<Import>) {
    let tokens: Vec<Token<'_>> = tokens.collect();
    let keyword = tokens.iter().position(|token| matches!(token, Token::Path("use")));
    let extern_crate = || {
        let at = tokens
            .windows(2)
            .position(|pair| pair == [Token::Path("extern"), Token::Path("crate")]);
        at.map(|at| at + 1)
    };
    let Some(start) = keyword.or_else(extern_crate) else { return };
    let reexported = tokens[..start].iter().any(|token| matches!(token, Token::Path("pub")));
    // Paths before each open brace.
    let mut prefixes: Vec<String> = vec![String::new()];
    let mut rest = &tokens[start + 1..];
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        let prefix = prefixes.last().map_or("", String::as_str);
        let (path, opens) = match first {
            Token::Path(path) => (*path, matches!(after.first(), Some(Token::Sign('{')))),
            Token::Sign('*') => ("*", false),
            Token::Sign('{') => ("", true),
            Token::Sign('}') => {
                prefixes.pop();
                continue;
            }
            _ => continue,
        };
        let full = join(prefix, path);
        if opens {
            if *first != Token::Sign('{') {
                rest = &after[1..];
            }
            prefixes.push(full);
            continue;
        }
        if path.ends_with("::") && matches!(after.first(), Some(Token::Sign('*'))) {
            imports.push(Import { reexported, ..named(&full, "*") });
            rest = &after[1..];
            continue;
        }
        let mut import = match full.rsplit_once("::") {
            // `use a::b::{self}`
            Some((module, "self")) => match module.rsplit_once("::") {
                Some((outer, name)) => named(outer, name),
                None => Import { module: module.to_owned(), ..Import::default() },
            },
            Some((module, name)) => named(module, name),
            None => Import { module: full.clone(), ..Import::default() },
        };
        import.reexported = reexported;
        if let Some((alias, after)) = alias(after) {
            import.alias = Some(alias);
            rest = after;
        }
        imports.push(import);
    }
}

/// Joins two parts of a path.
fn join(prefix: &str, path: &str) -> String {
    let path = path.trim_end_matches("::").trim_start_matches("::");
    match (prefix.is_empty(), path.is_empty()) {
        (true, _) => path.to_owned(),
        (false, true) => prefix.to_owned(),
        (false, false) => format!("{prefix}::{path}"),
    }
}

#[cfg(test)]
mod tests;
