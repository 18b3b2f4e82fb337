//! Names in lines of code: the one at a position, its qualifier, and whether the text around it binds
//! it. Pure, and the same for all languages.

use std::ops::Range;

use super::NamePosition;

/// Maximum number of lines before a position that are searched for a local binding.
const MAX_LINES_BEFORE: u32 = 400;

/// Words before a name that they bind.
const BINDERS: &[&str] =
    &["as", "auto", "catch", "const", "final", "for", "let", "mut", "ref", "val", "var"];

/// Words that start the head of a function.
const FUNCTIONS: &[&str] = &["def", "fn", "fun", "func", "function", "lambda"];

/// Words that start a statement with parentheses and a block.
const CONTROLS: &[&str] = &[
    "catch", "else", "for", "if", "loop", "match", "select", "switch", "try", "unless", "while",
    "with",
];

/// Returns true if a character can be part of a name.
fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_' || character == '$'
}

/// Returns the byte range of the name at a byte column, or directly before it.
fn word_at(line: &str, column: usize) -> Option<Range<usize>> {
    let column = line.floor_char_boundary(column);
    let before = line[..column].chars().rev().take_while(|character| is_word(*character));
    let start = column - before.map(char::len_utf8).sum::<usize>();
    let after = line[column..].chars().take_while(|character| is_word(*character));
    let end = column + after.map(char::len_utf8).sum::<usize>();
    let is_name = line[start..end].starts_with(|first: char| !first.is_ascii_digit());
    (start < end && is_name).then_some(start..end)
}

/// Returns the byte columns of a name in a line, as a whole word.
pub fn occurrences<'a>(line: &'a str, name: &'a str) -> impl Iterator<Item = usize> + 'a {
    line.match_indices(name).filter_map(move |(at, _)| {
        let is_whole =
            !line[..at].ends_with(is_word) && !line[at + name.len()..].starts_with(is_word);
        (is_whole && !name.is_empty()).then_some(at)
    })
}

/// Returns the name at a byte column of a line, or directly before it, and its byte range in the line. `line`
/// is 1-based, and `line_of` returns a line of the file without its end; empty after the last one.
pub fn name_at<'t>(
    path: &str,
    (line, column): (u32, usize),
    line_of: &dyn Fn(u32) -> &'t str,
) -> Option<(NamePosition, Range<usize>)> {
    let text = line_of(line);
    let word = word_at(text, column.min(text.len()))?;
    let name = &text[word.clone()];
    let qualifier = qualifier(&text[..word.start]);
    let position = NamePosition {
        path: path.to_owned(),
        line,
        name: name.to_owned(),
        nth: occurrences(text, name).take_while(|at| *at < word.start).count(),
        is_local: qualifier.is_none() && is_local(line_of, line, name),
        qualifier,
    };
    Some((position, word))
}

/// Returns the expression before a name: `self.store` in `self.store.save`, `?` for one that is no
/// path, `None` without a dot or colons.
fn qualifier(before: &str) -> Option<String> {
    let joints = ["::", "?.", "->", "."];
    let rest = joints.iter().find_map(|joint| before.strip_suffix(joint))?;
    let is_part = |character: char| is_word(character) || matches!(character, '.' | ':' | '@');
    let start = rest
        .char_indices()
        .rev()
        .take_while(|(_, character)| is_part(*character))
        .last()
        .map_or(rest.len(), |(at, _)| at);
    let path = rest[start..].trim_start_matches(['.', ':']);
    Some(if path.is_empty() { "?".to_owned() } else { path.to_owned() })
}

/// Returns true if the function around a line binds a name: as a parameter or as a variable.
fn is_local<'t>(line_of: &dyn Fn(u32) -> &'t str, line: u32, name: &str) -> bool {
    let mut indent = usize::MAX;
    for number in (line.saturating_sub(MAX_LINES_BEFORE).max(1)..=line).rev() {
        let line = line_of(number);
        let code = line.trim_start();
        if code.is_empty() {
            continue;
        }
        let own = line.len() - code.len();
        let is_outer = own < indent;
        let is_head = is_outer && is_head(code);
        if (own > 0 || is_head) && binds(line, name, is_head) {
            return true;
        }
        if is_head || (own == 0 && is_outer && code.starts_with(is_word) && indent != usize::MAX) {
            return false;
        }
        indent = indent.min(own);
    }
    false
}

/// Returns true if a line starts a function.
fn is_head(code: &str) -> bool {
    let mut words = code.split(|character: char| !is_word(character));
    if words.clone().any(|word| FUNCTIONS.contains(&word)) {
        return true;
    }
    // A method without a keyword: `save(row: Row): void {`.
    let first = words.find(|word| !word.is_empty()).unwrap_or_default();
    code.ends_with('{') && code.contains('(') && !CONTROLS.contains(&first) && !code.contains("=>")
}

/// Returns true if a line binds a name.
fn binds(line: &str, name: &str, is_head: bool) -> bool {
    occurrences(line, name).any(|at| {
        let before = line[..at].trim_end();
        let after = line[at + name.len()..].trim_start();
        let binder =
            before.rsplit(|character: char| !is_word(character)).next().unwrap_or_default();
        if BINDERS.contains(&binder) && before.len() < line[..at].len() {
            return true;
        }
        // `name = …`, `name := …`, `name: Type = …`, at the start of a statement.
        let assigns = after.starts_with(":=")
            || (after.starts_with('=') && !after.starts_with("==") && !after.starts_with("=>"));
        let is_first = before.is_empty() || before.ends_with([',', '(']) || before.ends_with("let");
        if assigns && is_first {
            return true;
        }
        // A parameter, in the parentheses of a head.
        let opened = before.matches('(').count();
        is_head && before.contains('(') && opened > before.matches(')').count()
            || before.ends_with('|') && after.starts_with(['|', ',', ':'])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The name at the caret.
    fn found(source: &str) -> Option<NamePosition> {
        let offset = source.find('^').unwrap();
        let text = source.replacen('^', "", 1);
        let before = &text[..offset];
        let line = u32::try_from(before.matches('\n').count()).unwrap() + 1;
        let column = before.len() - before.rfind('\n').map_or(0, |at| at + 1);
        let lines: Vec<&str> = text.lines().collect();
        let line_of = |number: u32| lines.get(number as usize - 1).copied().unwrap_or_default();
        Some(name_at("a", (line, column), &line_of)?.0)
    }

    fn check(source: &str) -> NamePosition {
        found(source).unwrap()
    }

    #[test]
    fn the_name_at_a_position_has_a_qualifier_and_an_ordinal() {
        let position = check("save(self.store.sa^ve(row))");
        assert_eq!(position.name, "save");
        assert_eq!((position.line, position.nth), (1, 1));
        assert_eq!(position.qualifier.as_deref(), Some("self.store"));
        assert_eq!(check("save^(row)").qualifier, None);
        assert_eq!(check("open(x).^save()").qualifier.as_deref(), Some("?"));
        assert_eq!(check("Disk::n^ew()").qualifier.as_deref(), Some("Disk"));
        assert_eq!(check("let größe🦀 = f^(1)").name, "f");
    }

    #[test]
    fn numbers_and_whitespace_are_no_names() {
        for source in ["a + 12^3", "a  ^ b", "^"] {
            assert_eq!(found(source), None, "{source}");
        }
    }

    #[test]
    fn locally_bound_names_are_recognised() {
        for source in [
            "fn f(row: Row) {\n    use_it(ro^w)\n}",
            "fn f() {\n    let mut row = 1;\n    g(ro^w)\n}",
            "def f(row):\n    g(ro^w)",
            "def f():\n    row = 1\n    g(ro^w)",
            "func f() {\n\trow := 1\n\tg(ro^w)\n}",
            "class A {\n  save(row: Row): void {\n    g(ro^w);\n  }\n}",
            "const f = () => {\n  const row = 1;\n  g(ro^w);\n};",
        ] {
            assert!(check(source).is_local, "{source}");
        }
        for source in [
            "fn g(row: Row) {}\nfn f() {\n    use_it(ro^w)\n}",
            "def g():\n    row = 1\n\ndef f():\n    g(ro^w)",
            "class A {\n  g(row: Row) {\n  }\n  f() {\n    g(ro^w);\n  }\n}",
            "const ROW: u8 = 1;\nfn f() {\n    g(RO^W)\n}",
            "ROW = 1\n\ndef f():\n    g(RO^W)",
            "fn f() {\n    self.ro^w = 1;\n}",
        ] {
            assert!(!check(source).is_local, "{source}");
        }
    }
}
