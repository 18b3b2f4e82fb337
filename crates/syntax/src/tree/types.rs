//! Extracts the bare name of a type from its many notations.

use super::paths::bare;

/// Words before a type that qualify it and are not part of its name.
const PREFIXES: &[&str] = &[
    "any", "class", "const", "dyn", "enum", "final", "impl", "mut", "some", "struct", "typename",
    "union",
];

/// Types that are transparent to their users, each with the bracket that opens its arguments: their
/// methods are called without unwrapping, or the type is only an annotation.
const TRANSPARENT: &[(&str, char)] = &[
    ("Annotated", '['),
    ("Arc", '<'),
    ("Box", '<'),
    ("Cow", '<'),
    ("Final", '['),
    ("Optional", '['),
    ("Rc", '<'),
    ("Readonly", '<'),
    ("Required", '<'),
    ("Type", '['),
    ("shared_ptr", '<'),
    ("type", '['),
    ("unique_ptr", '<'),
];

/// Words in the position of a type that name none.
const NO_TYPES: &[&str] =
    &["Any", "any", "auto", "dynamic", "let", "never", "object", "unknown", "val", "var", "void"];

/// Words for no value, which may be one alternative of a type.
const NOTHING: &[&str] = &["None", "nil", "null", "undefined"];

/// Maximum depth of nested types.
const MAX_TYPE_NESTING: usize = 4;

/// Returns the bare name of a type in the notation of any language: `Store` for `Arc<disk::Store>`.
/// `None` for a list, a function, or a choice of several types.
pub fn type_name(text: &str) -> Option<&str> {
    let mut text = text;
    for _ in 0..MAX_TYPE_NESTING {
        text = only_choice(stripped(text))?;
        let Some(open) = text.find(['<', '[', '(', '{']) else { break };
        let (outer, arguments) = text.split_at(open);
        let name = bare(outer.trim_end_matches(':'));
        let bracket = arguments.chars().next()?;
        if !TRANSPARENT.contains(&(name, bracket)) {
            let is_more = matches!(bracket, '(' | '{') || arguments.starts_with("[]");
            return if is_more { None } else { named(name) };
        }
        let held = arguments[1..].trim_end_matches([']', '>']);
        text = held.split(',').next().unwrap_or(held);
    }
    named(bare(text))
}

/// A name, if it can be the name of a type.
fn named(name: &str) -> Option<&str> {
    let name = name.trim_end_matches(['?', '!']);
    let is_name = name.starts_with(|first: char| first.is_alphabetic() || first == '_');
    (is_name && !NO_TYPES.contains(&name)).then_some(name)
}

/// A type without quotes, references, lifetimes and leading words.
fn stripped(text: &str) -> &str {
    let mut text = text.trim();
    loop {
        let before = text;
        let quote = text.chars().next().filter(|first| matches!(first, '"' | '\''));
        if let Some(quoted) = quote.and_then(|quote| text.strip_prefix(quote)?.strip_suffix(quote))
        {
            text = quoted;
        } else if quote.is_some() {
            text = text.split_once(' ').map_or("", |(_, rest)| rest);
        }
        text = text.trim_start_matches(['&', '*', ':', '?', '@']).trim();
        if let Some((word, rest)) = text.split_once(' ')
            && PREFIXES.contains(&word)
        {
            text = rest.trim_start();
        }
        if text == before {
            return text;
        }
    }
}

/// The only alternative of a union besides the empty value.
fn only_choice(text: &str) -> Option<&str> {
    if !text.contains('|') {
        return Some(text);
    }
    let mut depth = 0_usize;
    let mut choices = text
        .split(|letter| {
            match letter {
                '<' | '[' | '(' | '{' => depth += 1,
                '>' | ']' | ')' | '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            letter == '|' && depth == 0
        })
        .map(str::trim)
        .filter(|choice| !choice.is_empty() && !NOTHING.contains(choice));
    let choice = choices.next()?;
    choices.next().is_none().then_some(choice)
}

#[cfg(test)]
mod tests {
    use super::type_name;

    #[test]
    fn types_have_names() {
        let check = |text: &str, expected: &str| {
            assert_eq!(type_name(text).unwrap_or("-"), expected, "{text}");
        };
        check("Store", "Store");
        check("&'a mut disk::Store<'a, Row>", "Store");
        check("*const Store", "Store");
        check("&dyn Storage", "Storage");
        check("Arc<Store>", "Store");
        check("std::sync::Arc<Box<dyn Storage>>", "Storage");
        check("std::unique_ptr<Store>", "Store");
        check("Queue::<Row>", "Queue");
        check("struct store", "store");
        check("Vec<Store>", "Vec");
        check("Optional[\"app.Store\"]", "Store");
        check("Annotated[Store, Depends(store)]", "Store");
        check("'Store'", "Store");
        check("Store | None", "Store");
        check("null | Store", "Store");
        check("Map<string, A | B> | null", "Map");
        check("Store?", "Store");
        check("App.Store!", "Store");
        check("A | B", "-");
        check("Store[]", "-");
        check("[]Store", "-");
        check("(A, B)", "-");
        check("fn(A) -> B", "-");
        check("var", "-");
        check("", "-");
    }
}
