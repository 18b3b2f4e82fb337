//! Finds definitions line by line, by keyword and shape, for languages without a grammar.

pub(crate) mod shapes;

use std::ops::Range;

use lore_schema::{SymbolKind, Visibility};

use self::shapes::Shape;
use crate::{
    leading::Leading,
    limits::MAX_SIGNATURE_CHARS,
    line_table::LineTable,
    outline::{Definition, Outline, collapsed},
};

/// Words before a keyword that make a definition public.
const PUBLIC: &[&str] = &["export", "open", "pub", "public"];

/// Words before a keyword that make a definition private.
const PRIVATE: &[&str] = &["fileprivate", "internal", "local", "private", "protected"];

/// Keywords that make a definition private by themselves.
const PRIVATE_KEYWORDS: &[&str] = &["(defn-", "defmacrop", "defp"];

/// Other words that may precede a keyword.
const MODIFIERS: &[&str] = &[
    "abstract",
    "actual",
    "annotation",
    "async",
    "base",
    "case",
    "companion",
    "const",
    "convenience",
    "data",
    "default",
    "expect",
    "extern",
    "external",
    "final",
    "implicit",
    "indirect",
    "infix",
    "inline",
    "inner",
    "lazy",
    "mutable",
    "mutating",
    "new",
    "nonisolated",
    "operator",
    "override",
    "partial",
    "readonly",
    "ref",
    "required",
    "sealed",
    "static",
    "suspend",
    "tailrec",
    "transparent",
    "unsafe",
    "value",
    "virtual",
    "volatile",
];

/// Receivers that do not name a type.
const OWN: &[&str] = &["self", "this"];

/// Maximum length of a line with a definition; longer lines are not written by hand.
const MAX_LINE_LEN: usize = 400;

/// A definition found on one line.
struct LineDefinition<'t> {
    name: &'t str,
    receiver: Option<&'t str>,
    kind: SymbolKind,
    visibility: Visibility,
}

/// The definitions of a text. Their ends are unknown, so each covers its own lines only.
pub(crate) fn outline(
    text: &str,
    lines: &LineTable,
    shapes: &[Shape],
    comments: Vec<Range<usize>>,
) -> Outline {
    let mut outline = Outline { comments, ..Outline::default() };
    if shapes.is_empty() {
        return outline;
    }
    let leading = Leading::new(text, lines, &outline.comments, Vec::new());
    let mut comment = 0;
    // Indentation of the enclosing types, outermost first.
    let mut types: Vec<usize> = Vec::new();
    for line in 0..lines.count() {
        let start = lines.start(line);
        while outline.comments.get(comment).is_some_and(|range| range.end <= start) {
            comment += 1;
        }
        let in_comment = outline.comments.get(comment).is_some_and(|range| range.start < start);
        let content = lines.text(text, line).trim_end();
        if in_comment || content.len() > MAX_LINE_LEN {
            continue;
        }
        let Some(mut found) = find(content, shapes) else { continue };
        let indentation = content.len() - content.trim_start().len();
        while types.last().is_some_and(|outer| *outer >= indentation) {
            types.pop();
        }
        if found.kind == SymbolKind::Function && !types.is_empty() {
            found.kind = SymbolKind::Method;
        }
        if found.kind.is_type() || found.kind == SymbolKind::Impl {
            types.push(indentation);
        }
        let anchor = start + indentation;
        let head = leading.head(text, lines, &(anchor..start + content.len()));
        let signature = collapsed(content, MAX_SIGNATURE_CHARS);
        outline.definitions.push(Definition {
            name: found.name.to_owned(),
            kind: found.kind,
            visibility: found.visibility,
            receiver: found.receiver.map(str::to_owned),
            name_line: line,
            anchor,
            lines: head.first_line..line + 1,
            signature: signature.trim_end_matches([' ', '{', '=', ':']).to_owned(),
            doc_comment: leading.doc(text, head.marks),
            parent: None,
            depth: 0,
            conformances: Vec::new(),
        });
    }
    outline
}

/// The definition on a line, if the line has one of the shapes.
fn find<'t>(line: &'t str, shapes: &[Shape]) -> Option<LineDefinition<'t>> {
    let (mut rest, visibility, modified) = after_modifiers(line.trim_start(), shapes);
    // A keyword may be a modifier of the next one: `class func`, `enum class`.
    let mut best = None;
    for _ in 0..3 {
        let Some((kind, after)) = keyword(line, rest, shapes) else { break };
        let (name, receiver) = name_of(after);
        let is_private =
            rest.split_whitespace().next().is_some_and(|word| PRIVATE_KEYWORDS.contains(&word));
        let visibility = if is_private { Visibility::Private } else { visibility };
        if !name.is_empty() {
            best = Some(LineDefinition { name, receiver, kind, visibility });
        }
        rest = after_modifiers(after, shapes).0;
    }
    best.or_else(|| {
        shapes.iter().find_map(|shape| {
            let (kind, name) = shaped(line, rest, modified, *shape)?;
            let (name, receiver) = name_of(name);
            (!name.is_empty()).then_some(LineDefinition { name, receiver, kind, visibility })
        })
    })
}

/// A definition that is recognised by more than a keyword.
fn shaped<'t>(
    line: &'t str,
    rest: &'t str,
    modified: bool,
    shape: Shape,
) -> Option<(SymbolKind, &'t str)> {
    let at_top = !line.starts_with(char::is_whitespace);
    match shape {
        Shape::Keyword(..) | Shape::TopKeyword(..) => None,
        Shape::AssignedFunction => {
            let (name, value) = rest.split_once('=').or_else(|| rest.split_once("<-"))?;
            let name = name.trim_end_matches(['<', ' ']);
            let is_name =
                name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.".contains(&byte));
            let function = value.trim_start().strip_prefix("function")?.trim_start();
            (is_name && function.starts_with('(')).then_some((SymbolKind::Function, name))
        }
        Shape::AssignedType => {
            let (name, value) = rest.split_once('=')?;
            let mut words = value.split(|letter: char| !letter.is_alphabetic());
            let word = words.find(|word| !["", "packed", "extern"].contains(word))?;
            let kind = match word {
                "struct" | "union" | "opaque" => SymbolKind::Struct,
                "enum" | "error" => SymbolKind::Enum,
                _ => return None,
            };
            modified.then_some((kind, name.trim_end()))
        }
        Shape::Block => {
            let (kind, labels) = rest.split_once(" \"")?;
            let name =
                labels.trim_end_matches([' ', '{']).trim_end_matches('"').rsplit('"').next()?;
            let kind = if kind == "module" { SymbolKind::Module } else { SymbolKind::Variable };
            (at_top && line.ends_with('{')).then_some((kind, name))
        }
        Shape::Clause => {
            let (name, _) = rest.split_once('(')?;
            (at_top && line.ends_with("->") && name.starts_with(|first: char| first.is_lowercase()))
                .then_some((SymbolKind::Function, name))
        }
        Shape::Create => created(rest),
        Shape::ModifiedMethod => {
            let (head, _) = rest.split_once('(')?;
            let head = head.split('<').next().filter(|part| part.contains(' ')).unwrap_or(head);
            let name = head.trim_end().rsplit(' ').next()?;
            // A constructor has no type before its name, so it needs the word for its visibility.
            let is_declared = head.trim_end().contains(' ') || line.contains("public ");
            let ends = !line.ends_with(';') || line.contains("abstract ");
            (modified && is_declared && ends && !head.contains('='))
                .then_some((SymbolKind::Method, name))
        }
        Shape::SelectorMethod => {
            let after = rest.strip_prefix(['-', '+'])?.trim_start().strip_prefix('(')?;
            Some((SymbolKind::Method, after.split_once(')')?.1.trim_start()))
        }
        Shape::ShellFunction => {
            let (name, after) = rest.split_once("()")?;
            let ends = after.trim_start();
            let is_name = name
                .trim_end()
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"_-:.".contains(&byte));
            (is_name && (ends.is_empty() || ends.starts_with(['{', '('])))
                .then_some((SymbolKind::Function, name))
        }
        Shape::Target => {
            let (name, after) = rest.split_once(':')?;
            let is_name = !name.starts_with('.')
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-./".contains(&byte));
            (at_top && is_name && !after.starts_with('=')).then_some((SymbolKind::Function, name))
        }
        Shape::TypeSignature => {
            let (name, _) = rest.split_once(" ::")?;
            let is_name =
                name.chars().all(|letter| letter.is_alphanumeric() || "_', ".contains(letter));
            (at_top
                && is_name
                && name.starts_with(|first: char| first.is_lowercase() || first == '_'))
            .then_some((SymbolKind::Function, name))
        }
    }
}

/// The kind and name that an SQL statement creates.
fn created(rest: &str) -> Option<(SymbolKind, &str)> {
    let mut after = rest;
    let mut kind = None;
    for index in 0..10 {
        let end = after.find(char::is_whitespace)?;
        let word = &after[..end];
        let is = |words: &[&str]| words.iter().any(|other| word.eq_ignore_ascii_case(other));
        if (index == 0) != is(&["create"]) {
            return None;
        }
        after = after[end..].trim_start();
        if is(&["table", "view", "type"]) {
            kind = Some(SymbolKind::Type);
        } else if is(&["function", "procedure", "trigger"]) {
            kind = Some(SymbolKind::Function);
        }
        let next = after.split_whitespace().next()?;
        if let Some(kind) = kind
            && !["if", "not", "exists"].iter().any(|other| next.eq_ignore_ascii_case(other))
        {
            return Some((kind, after.trim_start_matches(['"', '`', '['])));
        }
    }
    None
}

/// The keyword at the start of `rest`, and the text after it.
fn keyword<'t>(line: &str, rest: &'t str, shapes: &[Shape]) -> Option<(SymbolKind, &'t str)> {
    let end = rest.find(char::is_whitespace)?;
    let (word, after) = rest.split_at(end);
    let at_top = !line.starts_with(char::is_whitespace);
    let kind = shapes.iter().find_map(|shape| match shape {
        Shape::Keyword(keyword, kind) if *keyword == word => Some(*kind),
        Shape::TopKeyword(keyword, kind) if at_top && *keyword == word => Some(*kind),
        _ => None,
    })?;
    Some((kind, after.trim_start()))
}

/// A line without its modifiers and annotations, their visibility, and whether there are any.
fn after_modifiers<'t>(line: &'t str, shapes: &[Shape]) -> (&'t str, Visibility, bool) {
    let is_keyword = |word: &str| {
        shapes.iter().any(|shape| {
            matches!(shape, Shape::Keyword(keyword, _) | Shape::TopKeyword(keyword, _) if *keyword == word)
        })
    };
    let mut rest = line;
    let mut visibility = Visibility::Unknown;
    let mut modified = false;
    while let Some(end) = rest.find(char::is_whitespace) {
        let word = &rest[..end];
        // `private(set)`, `private[scope]`.
        let bare = match word.split_once('[') {
            Some((bare, scope)) if scope.ends_with(']') => bare,
            _ => word.trim_end_matches("(set)"),
        };
        if PUBLIC.contains(&bare) {
            visibility = Visibility::Public;
        } else if PRIVATE.contains(&bare) {
            visibility = Visibility::Private;
        } else if is_keyword(word) || !(MODIFIERS.contains(&bare) || is_annotation(word)) {
            break;
        }
        modified = true;
        rest = rest[end..].trim_start();
    }
    (rest, visibility, modified)
}

/// Returns true for a word that is an annotation and not a keyword of Objective-C.
fn is_annotation(word: &str) -> bool {
    let keywords = ["@interface", "@implementation", "@protocol", "@doc"];
    (word.starts_with('@') && !keywords.contains(&word))
        || (word.starts_with('[') && word.ends_with(']'))
}

/// The name at the start of a text, and the type before its last dot.
fn name_of(text: &str) -> (&str, Option<&str>) {
    let text = match text.strip_prefix('<') {
        // Type parameters before the name.
        Some(parameters) => parameters.split_once('>').map_or("", |(_, name)| name.trim_start()),
        None => text,
    };
    let is_part = |letter: char| letter.is_alphanumeric() || "_$?!'-.:\\/".contains(letter);
    let end = text.find(|letter: char| !is_part(letter)).unwrap_or(text.len());
    let path = text[..end].trim_end_matches(['.', ':', '-', '/', '\\']);
    let cut = path.rfind(['.', ':', '\\']);
    let (receiver, name) = cut.map_or((None, path), |cut| {
        let outer = path[..cut].trim_end_matches([':', '.', '\\']);
        let outer = outer.rsplit(['.', ':', '\\']).next().unwrap_or(outer);
        (Some(outer).filter(|outer| !outer.is_empty() && !OWN.contains(outer)), &path[cut + 1..])
    });
    let starts =
        name.starts_with(|first: char| first.is_alphabetic() || first == '_' || first == '$');
    if starts { (name, receiver) } else { ("", None) }
}

#[cfg(test)]
mod tests;
