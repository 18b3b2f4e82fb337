//! Lines of code that define a name, and the lines that replaced them.

use std::sync::LazyLock;

use regex::Regex;

/// Words before a name that they define.
const KEYWORDS: &[&str] = &[
    "actor",
    "alias",
    "annotation",
    "associatedtype",
    "case",
    "class",
    "const",
    "constexpr",
    "def",
    "define",
    "defmacro",
    "defmodule",
    "defn",
    "defp",
    "defun",
    "enum",
    "export",
    "extension",
    "extern",
    "final",
    "fn",
    "fun",
    "func",
    "function",
    "impl",
    "inline",
    "int",
    "interface",
    "let",
    "local",
    "macro",
    "macro_rules!",
    "mixin",
    "mod",
    "module",
    "mut",
    "namespace",
    "newtype",
    "object",
    "package",
    "property",
    "protocol",
    "pub",
    "record",
    "static",
    "struct",
    "sub",
    "template",
    "trait",
    "type",
    "typealias",
    "typedef",
    "union",
    "val",
    "var",
    "void",
    "bool",
];

static WORD: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\w+|[^\w\s]").expect("a valid pattern"));

/// Maximum length of a line that is compared, in bytes.
const MAX_LINE_LEN: usize = 1_000;

/// Returns true if a line of code seems to define a name: after a keyword, before `=` or `:`, as a
/// function with a body, or as a member of an enumeration.
pub fn is_definition(line: &str, name: &str) -> bool {
    if line.len() > MAX_LINE_LEN {
        return false;
    }
    let mut rest = line;
    let mut offset = 0;
    while let Some(at) = rest.find(name) {
        let (start, end) = (offset + at, offset + at + name.len());
        if is_word_at(line, start, end) && defines(&line[..start], &line[end..]) {
            return true;
        }
        offset = end;
        rest = &line[end..];
    }
    false
}

fn defines(before: &str, after: &str) -> bool {
    let before = before.trim_end();
    let after = after.trim_start();
    let keyword = before.rsplit([' ', '\t', '(']).next().unwrap_or_default();
    if KEYWORDS.contains(&keyword.trim_start_matches(['#', '@'])) {
        return true;
    }
    let first = before.split_whitespace().next().unwrap_or_default();
    // `func (r *Reader) Name(`, `fn Type.name(`, `impl Trait for Name`.
    let is_keyword = KEYWORDS.contains(&first.trim_start_matches('#'));
    if is_keyword
        && (before.ends_with([')', '.', ':', '*', '&', '<', '>']) || after.starts_with(['=', '{']))
    {
        return true;
    }
    let is_assigned =
        (after.starts_with('=') && !after.starts_with("==")) || after.starts_with(":=");
    let is_typed = after.starts_with(':') && !after.starts_with("::");
    let is_first =
        before.is_empty() || before.ends_with(['{', ',', '"', '\'']) || is_modifiers(before);
    let is_path = before.ends_with(['.', '$']) || before == "self.";
    if (is_assigned || is_typed) && (is_first || is_path) {
        return true;
    }
    // `Type name(…) {`, `name(…) {` and members of enumerations.
    let is_function = after.starts_with(['(', '<'])
        && (after.ends_with('{') || after.contains(") {") || after.contains("=>"))
        && (is_modifiers(before) || before.is_empty());
    let is_declared = after.starts_with('(')
        && !before.is_empty()
        && before.ends_with(|c: char| c.is_alphanumeric() || "*&>]".contains(c))
        && !before.ends_with("return")
        && !before.ends_with("await")
        && !before.ends_with("new")
        && is_modifiers(before);
    let is_member = before.is_empty()
        && (after.starts_with('{') || (after.starts_with('(') && after.ends_with("),")));
    is_function || is_declared || is_member
}

/// Returns true if a line defines a name by a keyword directly before it: `fn name`, `class name`.
pub fn is_declared(line: &str, name: &str) -> bool {
    line.len() <= MAX_LINE_LEN
        && line.match_indices(name).any(|(at, _)| {
            let keyword = line[..at].trim_end().rsplit([' ', '\t', '(']).next().unwrap_or_default();
            is_word_at(line, at, at + name.len())
                && at > 0
                && KEYWORDS.contains(&keyword.trim_start_matches(['#', '@']))
        })
}

/// Returns true if a line of code declares a flag or key: in a string, in a pattern of a shell, as a key
/// of a table, or as the definition of an identifier from which it is derived.
pub fn is_option(line: &str, name: &str) -> bool {
    if line.len() > MAX_LINE_LEN {
        return false;
    }
    let declares = |at: usize| {
        let (before, after) = (&line[..at], &line[at + name.len()..]);
        // Of ordinary words, only whole strings are names.
        let is_whole = before.chars().next_back().is_some_and(|c| "\"'`".contains(c))
            && after.chars().next() == before.chars().next_back();
        let is_open = |quote: char| {
            if name.contains('-') { before.matches(quote).count() % 2 == 1 } else { is_whole }
        };
        is_bounded(line, at, name)
            && (is_open('"')
                || is_open('\'')
                || is_open('`')
                || after.starts_with([')', '|'])
                || before.trim().is_empty() && after.trim_start().starts_with([':', '=']))
    };
    line.match_indices(name).any(|(at, _)| declares(at))
        || (!name.contains('-') && is_definition(line, name))
}

/// Returns true for words such as `pub static final List<String>`.
fn is_modifiers(before: &str) -> bool {
    !before.is_empty()
        && before
            .chars()
            .all(|c| c.is_alphanumeric() || c.is_whitespace() || "_<>[]*&:,?.@()".contains(c))
        && !before.ends_with(['.', ',', '('])
        && before
            .starts_with(|c: char| c.is_alphabetic() || c.is_whitespace() || c == '@' || c == '_')
        && !["return", "if", "while", "else", "throw", "await", "yield", "not", "in", "and", "or"]
            .contains(&before.split_whitespace().next().unwrap_or_default())
}

/// Returns true if a range of a text is a whole word: no letter, digit or underscore is beside it.
pub fn is_word_at(text: &str, start: usize, end: usize) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    !text[..start].chars().next_back().is_some_and(is_word)
        && !text[end..].chars().next().is_some_and(is_word)
}

/// Returns the name that replaces `name` in a later version of a line: both lines are equal but for
/// it. `None` if they differ in anything else.
pub fn replacement(old: &str, new: &str, name: &str) -> Option<String> {
    if old.len() > MAX_LINE_LEN || new.len() > MAX_LINE_LEN || old == new {
        return None;
    }
    let at = old.match_indices(name).map(|(at, _)| at).find(|at| is_bounded(old, *at, name))?;
    let (before, after) = (&old[..at], &old[at + name.len()..]);
    let (before, after) = (before.trim_start(), after.trim_end());
    let new = new.trim();
    if let Some(rest) = new.strip_prefix(before)
        && let Some(middle) = rest.strip_suffix(after)
        && is_name(middle)
    {
        return Some(middle.to_owned());
    }
    let (old, new) = (tokens(old), tokens(new));
    if old.len() != new.len() {
        return None;
    }
    let mut found: Option<&str> = None;
    let mut other = 0;
    for (left, right) in old.iter().zip(&new) {
        if left == right {
            continue;
        }
        if *left != name {
            other += 1;
        } else if found.is_some_and(|found| found != *right) {
            return None;
        } else {
            found = Some(right);
        }
    }
    found.filter(|found| is_name(found) && other * 4 <= old.len()).map(str::to_owned)
}

fn is_bounded(text: &str, at: usize, name: &str) -> bool {
    let is_inner = |c: char| c.is_alphanumeric() || c == '_';
    let starts = !name.starts_with(is_inner) || !text[..at].ends_with(is_inner);
    let ends = !name.ends_with(is_inner) || !text[at + name.len()..].starts_with(is_inner);
    starts && ends
}

fn is_name(text: &str) -> bool {
    let is_inner = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    !text.is_empty() && text.chars().all(is_inner) && text.chars().any(char::is_alphabetic)
}

fn tokens(line: &str) -> Vec<&str> {
    WORD.find_iter(line).map(|token| token.as_str()).collect()
}

/// Maximum length of the parameters of a function, in bytes.
const MAX_PARAMETERS_LEN: usize = 4_000;

/// Returns the words between the parentheses of each definition of a function in a text, in order.
pub fn parameters(code: &str, name: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices(name) {
        let end = at + name.len();
        if !is_word_at(code, at, end) {
            continue;
        }
        let rest = skip_generics(&code[end..]);
        let Some(inner) = rest.strip_prefix('(') else { continue };
        let start = code[..at].rfind('\n').map_or(0, |line| line + 1);
        let line = code[start..].lines().next().unwrap_or_default();
        if !is_definition(line, name) {
            continue;
        }
        let mut depth = 1_usize;
        let close = inner.bytes().take(MAX_PARAMETERS_LEN).position(|byte| {
            match byte {
                b'(' => depth += 1,
                b')' => depth -= 1,
                _ => {}
            }
            depth == 0
        });
        let Some(close) = close else { continue };
        let words = WORD.find_iter(&inner[..close]).map(|word| word.as_str().to_owned());
        found.push(
            words
                .filter(|word| word.starts_with(|c: char| c.is_alphabetic() || c == '_'))
                .collect(),
        );
    }
    found
}

/// Skips type parameters such as `<T: Into<U>>`.
fn skip_generics(rest: &str) -> &str {
    if !rest.starts_with('<') {
        return rest;
    }
    let mut depth = 0_i32;
    for (at, byte) in rest.bytes().take(500).enumerate() {
        match byte {
            b'<' => depth += 1,
            b'>' if at > 0 && rest.as_bytes()[at - 1] != b'-' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &rest[at + 1..];
        }
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_recognised_by_their_line() {
        for line in [
            "pub fn save(path: &Path) -> Result<()> {",
            "def save(self):",
            "func (d *Disk) save(path string) error {",
            "const save = () => {",
            "    save: bool,",
            "save = 3",
            "    public static void save(String path) {",
            "int save(struct disk *disk);",
            "#define save 1",
            "    Save.save = function () {",
        ] {
            assert!(is_definition(line, "save"), "{line}");
        }
        for line in
            ["    return save(path);", "    x = disk.save(path)", "if save == 3 {", "resave = 1"]
        {
            assert!(!is_definition(line, "save"), "{line}");
        }
    }

    #[test]
    fn options_are_declared_in_strings() {
        for line in [
            "arg(\"--dry-run\")",
            "  \"      --dry-run  Do nothing\\n\"",
            "    --dry-run)",
            "'--dry-run',",
        ] {
            assert!(is_option(line, "--dry-run"), "{line}");
        }
        assert!(!is_option("run: tool --dry-run now", "--dry-run"));
        assert!(
            is_option("dry-run = true", "dry-run") && is_option("pub dry_run: bool,", "dry_run")
        );
    }

    #[test]
    fn replacements_differ_in_the_name_only() {
        assert_eq!(
            replacement("pub fn save(a: b)", "pub fn store(a: b)", "save").as_deref(),
            Some("store")
        );
        assert_eq!(
            replacement("    \"--dry\",", "\t\"--try\",", "--dry").as_deref(),
            Some("--try")
        );
        assert_eq!(
            replacement("\"--dry-run\"", "\"--simulate\"", "dry-run").as_deref(),
            Some("simulate")
        );
        assert_eq!(replacement("fn save(a)", "fn load(b, c)", "save"), None);
    }

    #[test]
    fn parameters_are_those_of_definitions() {
        let code =
            "pub fn save<T: Into<A>>(\n    path: &Path,\n    text: T,\n) {\n    save(other);\n}";
        let found = parameters(code, "save");
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains(&"path".to_owned()) && found[0].contains(&"text".to_owned()));
    }
}
