//! Reduces the expression before a name to a path: `Arc::new(Notify::new())` to `Notify::new()`,
//! `rows.first()?.store` to `rows.first().store`.

use crate::limits::MAX_QUALIFIER_LEN;

/// Maximum length of an expression in bytes. The expressions of a long chain contain each other.
const MAX_EXPRESSION_LEN: usize = 2_000;

/// Maximum depth of expressions in parentheses and in wrappers.
const MAX_NESTING: usize = 4;

/// Functions whose result is used like their argument.
const WRAPPERS: &[&str] = &[
    "Arc::clone",
    "Arc::new",
    "Box::new",
    "Box::pin",
    "Cow::Borrowed",
    "Cow::Owned",
    "Err",
    "Ok",
    "Pin::new",
    "Promise.resolve",
    "Rc::clone",
    "Rc::new",
    "Some",
    "std::move",
];

/// Methods whose result is used like their object.
const UNWRAPPERS: &[&str] = &[
    "as_deref",
    "as_mut",
    "as_ref",
    "borrow",
    "borrow_mut",
    "clone",
    "expect",
    "get_mut",
    "orElseThrow",
    "to_owned",
    "unwrap",
    "unwrap_or_default",
];

/// Words before an expression that do not change which object it is.
const PREFIXES: &[&str] = &["await ", "mut ", "new ", "try ", "try! ", "try? "];

/// The path of an expression: names with their separators, and `()` after each that is called.
/// `None` if it is another kind of expression, or too long.
pub(super) fn path_of(text: &str) -> Option<String> {
    let path = reduced(text, 0)?;
    (!path.is_empty() && path.len() <= MAX_QUALIFIER_LEN).then_some(path)
}

fn reduced(text: &str, depth: usize) -> Option<String> {
    if text.len() > MAX_EXPRESSION_LEN || depth > MAX_NESTING {
        return None;
    }
    let mut rest = unprefixed(text);
    let mut path = String::new();
    while let Some(letter) = rest.chars().next() {
        match letter {
            '(' => {
                let (inside, after) = balanced(rest, '(', ')')?;
                rest = after;
                if path.is_empty() || is_wrapper(&path) {
                    path = reduced(first_argument(inside), depth + 1)?;
                } else if let Some(object) = unwrapped(&path) {
                    path.truncate(object);
                } else {
                    path.push_str("()");
                }
            }
            '<' => {
                rest = balanced(rest, '<', '>')?.1;
                path.truncate(path.trim_end_matches(':').len());
            }
            '?' | '!' => rest = &rest[1..],
            _ if rest.starts_with("//") => {
                rest = rest.split_once('\n').map_or("", |(_, rest)| rest);
            }
            _ if letter.is_whitespace() => {
                rest = rest.trim_start();
                let is_joined =
                    path.ends_with(['.', ':']) || rest.starts_with(['.', ':', '?', '!', '/']);
                if !is_joined && !rest.is_empty() {
                    return None;
                }
            }
            _ if letter.is_alphanumeric() || "_.:$->@#\\/'".contains(letter) => {
                path.push(letter);
                rest = &rest[letter.len_utf8()..];
            }
            _ => return None,
        }
    }
    let path = path.strip_suffix(".await").unwrap_or(&path);
    Some(path.trim_end_matches([':', '.']).replace(".await.", "."))
}

/// An expression without references, dereferences and leading words.
fn unprefixed(text: &str) -> &str {
    let mut text = text;
    loop {
        let before = text;
        text = text.trim_start_matches(['&', '*']).trim();
        for prefix in PREFIXES {
            text = text.strip_prefix(prefix).unwrap_or(text);
        }
        if text == before {
            return text;
        }
    }
}

/// Returns true for one of the wrappers, also with the path of its module: `std::sync::Arc::new`.
fn is_wrapper(path: &str) -> bool {
    WRAPPERS.iter().any(|wrapper| {
        path.strip_suffix(wrapper).is_some_and(|module| module.is_empty() || module.ends_with("::"))
    })
}

/// The length of a path without its last name, if that is a method that returns its own object.
fn unwrapped(path: &str) -> Option<usize> {
    let (object, method) = path.rsplit_once('.')?;
    UNWRAPPERS.contains(&method).then_some(object.len())
}

/// The text between a bracket at the start and the one that closes it, and the text behind that.
fn balanced(text: &str, open: char, close: char) -> Option<(&str, &str)> {
    let mut depth = 0_usize;
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        if letter == open {
            depth += 1;
        } else if letter == close && !(close == '>' && text[..at].ends_with(['-', '='])) {
            depth -= 1;
            if depth == 0 {
                return Some((&text[open.len_utf8()..at], &text[at + close.len_utf8()..]));
            }
        } else if letter == '"' {
            // The closing quote; a quote in a text that runs on is no expression.
            loop {
                match letters.next()?.1 {
                    '\\' => drop(letters.next()),
                    '"' => break,
                    _ => {}
                }
            }
        } else if letter == '\'' {
            // A single character in quotes, not a lifetime.
            let mut ahead = text[at + 1..].chars();
            if ahead.next().is_some() && ahead.next() == Some('\'') {
                letters.next();
                letters.next();
            }
        }
    }
    None
}

/// The arguments of a call up to the first comma outside of brackets.
fn first_argument(arguments: &str) -> &str {
    let mut depth = 0_usize;
    for (at, letter) in arguments.char_indices() {
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => return &arguments[..at],
            _ => {}
        }
    }
    arguments
}

#[cfg(test)]
mod tests {
    use super::path_of;

    #[test]
    fn expressions_are_paths() {
        let check = |text: &str, expected: &str| {
            assert_eq!(path_of(text).as_deref().unwrap_or("-"), expected, "{text}");
        };
        check("store", "store");
        check("&mut self.store", "self.store");
        check("Notify::new()", "Notify::new()");
        check("Arc::new(Notify::new())", "Notify::new()");
        check("sync::Rc::new(Store::open())", "Store::open()");
        check("make_shared<Store>(path)", "make_shared()");
        check("Arc::new(Mutex::new(Store::open(a, b)?))", "Mutex::new()");
        check("std::sync::Arc::new(sync::Notify::new())", "sync::Notify::new()");
        check(
            "runtime::Builder::new_current_thread()\n    .enable_all()",
            "runtime::Builder::new_current_thread().enable_all()",
        );
        check("Builder::new() // all\n  .build()", "Builder::new().build()");
        check("Runtime::new().unwrap()", "Runtime::new()");
        check("open(\"a)\", ')').await?", "open()");
        check("store.get::<Row>(1)?.expect(\"a row\").clone()", "store.get()");
        check("rows.iter().map(|row| row.a(1))", "rows.iter().map()");
        check("(await store.open(1))", "store.open()");
        check("new Store(1, 2)", "Store()");
        check("this?.store!.row", "this.store.row");
        check("try! Store.open()", "Store.open()");
        check("pkg.New(\n\tctx,\n)", "pkg.New()");
        check("Vec::<u8>", "Vec");
        check("Counter::<u8>::default()", "Counter::default()");
        check("\"text\"", "-");
        check("a + b", "-");
        check("rows[0]", "-");
        check("|row| row", "-");
        check("f(", "-");
        check(&"a().".repeat(1_000), "-");
    }
}
