//! Separates the comments of a source file from its code, by the syntax of its family of languages.
//!
//! A light scanner without a grammar. Both results have the length and the lines of the text: every
//! byte of the other part is replaced by a space.

/// A source file in two parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// The text without its comments.
    pub code: String,
    /// The comments without their markers.
    pub comments: String,
}

/// The syntax of comments and strings.
struct Family {
    line: &'static [&'static str],
    block: &'static [(&'static str, &'static str)],
    quotes: &'static [u8],
    /// True if texts in three quotation marks at the start of a line are comments.
    docstrings: bool,
}

impl Family {
    /// The first bytes of comments and strings.
    fn starts(&self) -> [bool; 256] {
        let mut starts = [false; 256];
        let line = self.line.iter().copied();
        for mark in line.chain(self.block.iter().map(|(start, _)| *start)) {
            starts[usize::from(mark.as_bytes()[0])] = true;
        }
        for quote in self.quotes.iter().chain(b"'") {
            starts[usize::from(*quote)] = true;
        }
        starts
    }
}

const C: Family =
    Family { line: &["//"], block: &[("/*", "*/")], quotes: b"\"`", docstrings: false };
const HASH: Family =
    Family { line: &["#"], block: &[("=begin\n", "=end")], quotes: b"\"'", docstrings: false };
const PYTHON: Family = Family { line: &["#"], block: &[], quotes: b"\"'", docstrings: true };
const ELIXIR: Family = Family { line: &["#"], block: &[], quotes: b"\"", docstrings: true };
const LUA: Family =
    Family { line: &["--"], block: &[("--[[", "]]")], quotes: b"\"'", docstrings: false };
const HASKELL: Family =
    Family { line: &["--"], block: &[("{-", "-}")], quotes: b"\"", docstrings: false };
const LISP: Family = Family { line: &[";"], block: &[], quotes: b"\"", docstrings: false };
const MARKUP: Family =
    Family { line: &[], block: &[("<!--", "-->")], quotes: b"", docstrings: false };
const VIM: Family = Family { line: &["\""], block: &[], quotes: b"'", docstrings: false };

fn family(path: &str) -> Option<&'static Family> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let extension = name.rsplit_once('.').map_or(name, |(_, extension)| extension);
    Some(match extension.to_ascii_lowercase().as_str() {
        "rs" | "c" | "h" | "cc" | "cpp" | "cxx" | "hpp" | "hh" | "java" | "kt" | "kts"
        | "scala" | "sbt" | "go" | "js" | "jsx" | "ts" | "tsx" | "mjs" | "cjs" | "mts" | "cts"
        | "swift" | "cs" | "php" | "dart" | "proto" | "groovy" | "gradle" | "zig" | "m" | "mm"
        | "scss" | "less" | "css" | "vue" | "svelte" => &C,
        "py" | "pyi" | "pyx" => &PYTHON,
        "ex" | "exs" | "jl" => &ELIXIR,
        "rb" | "sh" | "bash" | "zsh" | "fish" | "yaml" | "yml" | "toml" | "pl" | "pm" | "r"
        | "cfg" | "conf" | "dockerfile" | "makefile" | "mk" | "cmake" | "nix" | "tf"
        | "gemspec" | "rakefile" | "gemfile" | "justfile" | "properties" | "ini" | "ps1"
        | "tcl" => &HASH,
        "lua" | "sql" => &LUA,
        "hs" | "elm" | "adb" | "ads" => &HASKELL,
        "clj" | "cljs" | "lisp" | "el" | "scm" | "asm" => &LISP,
        "html" | "xml" | "svg" | "csproj" | "props" => &MARKUP,
        "vim" => &VIM,
        _ => return None,
    })
}

/// Splits a source file into code and comments. A file of an unknown family is all code.
pub fn split(path: &str, text: &str) -> Split {
    let Some(family) = family(path) else {
        return Split { code: text.to_owned(), comments: String::new() };
    };
    let blank = |byte: &u8| if *byte == b'\n' { b'\n' } else { b' ' };
    let bytes = text.as_bytes();
    let comments = bytes.iter().map(blank).collect();
    let mut scanner = Scanner { bytes, family, code: bytes.to_vec(), comments, at: 0 };
    scanner.run();
    let text_of = |bytes: Vec<u8>| {
        String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
    };
    Split { code: text_of(scanner.code), comments: text_of(scanner.comments) }
}

struct Scanner<'a> {
    bytes: &'a [u8],
    family: &'static Family,
    /// The text, in which comments are overwritten.
    code: Vec<u8>,
    /// Spaces, which are overwritten with comments.
    comments: Vec<u8>,
    at: usize,
}

impl Scanner<'_> {
    fn run(&mut self) {
        let starts = self.family.starts();
        while self.at < self.bytes.len() {
            let rest = &self.bytes[self.at..];
            if !starts[usize::from(rest[0])] {
                self.at += 1;
            } else if let Some(mark) = self.docstring(rest).filter(|_| self.is_line_start()) {
                self.comment(3, mark);
            } else if let Some((start, end)) =
                self.family.block.iter().find(|(start, _)| rest.starts_with(start.as_bytes()))
            {
                self.comment(start.len(), end.as_bytes());
            } else if let Some(start) = self
                .family
                .line
                .iter()
                .find(|start| rest.starts_with(start.as_bytes()) && self.may_comment(start))
            {
                self.comment(start.len(), b"\n");
            } else if self.family.quotes.contains(&rest[0]) {
                self.string(rest[0]);
            } else if rest[0] == b'\'' {
                self.character();
            } else {
                self.copy(1);
            }
        }
    }

    fn is_line_start(&self) -> bool {
        let before = self.bytes[..self.at].iter().rev();
        before.copied().find(|byte| !matches!(byte, b' ' | b'\t')).is_none_or(|byte| byte == b'\n')
    }

    fn docstring(&self, rest: &[u8]) -> Option<&'static [u8]> {
        if !self.family.docstrings {
            return None;
        }
        [b"\"\"\"".as_slice(), b"'''"].into_iter().find(|mark| rest.starts_with(mark))
    }

    /// Returns true if a comment may start here: `#` and `"` have other uses inside words.
    fn may_comment(&self, start: &str) -> bool {
        match start {
            "#" => {
                let before = self.at.checked_sub(1).map(|at| self.bytes[at]);
                before.is_none_or(|byte| {
                    byte.is_ascii_whitespace() || matches!(byte, b';' | b')' | b']' | b'}' | b',')
                }) && self.bytes.get(self.at + 1) != Some(&b'[')
            }
            "//" => self.at.checked_sub(1).is_none_or(|at| !matches!(self.bytes[at], b':' | b'\\')),
            "\"" => self.is_line_start(),
            _ => true,
        }
    }

    /// Keeps bytes as code.
    fn copy(&mut self, count: usize) {
        self.at = (self.at + count).min(self.bytes.len());
    }

    /// Moves a comment up to its end mark.
    fn comment(&mut self, marker: usize, end: &[u8]) {
        let body = self.at + marker;
        let rest = &self.bytes[body.min(self.bytes.len())..];
        let length = find(rest, end);
        let is_line = end == b"\n";
        let stop = length.map_or(self.bytes.len(), |length| body + length);
        let next = if is_line { stop } else { (stop + end.len()).min(self.bytes.len()) };
        let mut is_start = true;
        for at in self.at..next {
            let byte = self.bytes[at];
            self.code[at] = if byte == b'\n' { byte } else { b' ' };
            let is_marker = at < body
                || (at >= stop && !is_line)
                || (is_start
                    && matches!(byte, b'/' | b'!' | b'*' | b'#' | b';' | b'-')
                    && self.family.line.len() + self.family.block.len() > 0);
            if byte == b'\n' {
                is_start = true;
            } else if !is_marker && !byte.is_ascii_whitespace() {
                is_start = false;
            }
            self.comments[at] = if is_marker && byte != b'\n' { b' ' } else { byte };
        }
        self.at = next;
    }

    /// Copies a string as code. A string that does not end on its line, or in the text for backticks,
    /// is a single quotation mark.
    fn string(&mut self, quote: u8) {
        let rest = &self.bytes[self.at + 1..];
        let raw = self.raw_end(quote);
        if let Some(length) = raw {
            self.copy(length);
            return;
        }
        let triple = [quote; 3];
        if self.family.docstrings && self.bytes[self.at..].starts_with(&triple) {
            let inner = &self.bytes[self.at + 3..];
            let length = find(inner, &triple).map_or(inner.len(), |length| length + 3);
            self.copy(3 + length);
            return;
        }
        let mut escaped = false;
        for (offset, &byte) in rest.iter().enumerate() {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'\n' if quote == b'\'' => break,
                _ if byte == quote => {
                    self.copy(offset + 2);
                    return;
                }
                _ => {}
            }
        }
        self.copy(1);
    }

    /// The length of a raw string of Rust with hashes that starts at the quotation mark.
    fn raw_end(&self, quote: u8) -> Option<usize> {
        if quote != b'"' {
            return None;
        }
        let hashes = self.bytes[..self.at].iter().rev().take_while(|byte| **byte == b'#').count();
        let letter = self.at.checked_sub(hashes + 1).map(|at| self.bytes[at]);
        if hashes == 0 || letter != Some(b'r') {
            return None;
        }
        let end = [b"\"".as_slice(), &vec![b'#'; hashes]].concat();
        let rest = &self.bytes[self.at + 1..];
        Some(1 + find(rest, &end).map_or(rest.len(), |length| length + end.len()))
    }

    /// Copies a character literal, or a single quotation mark.
    fn character(&mut self) {
        let rest = &self.bytes[self.at..];
        let end = |skip: usize, max: usize| {
            let mut inner = rest.iter().skip(skip).take(max);
            inner.position(|byte| *byte == b'\'').map(|at| at + skip + 1)
        };
        let is_character = |end: &usize| {
            let inner = std::str::from_utf8(&rest[1..end - 1]);
            inner.is_ok_and(|text| text.chars().count() == 1)
        };
        let length =
            if rest.get(1) == Some(&b'\\') { end(2, 8) } else { end(1, 5).filter(is_character) };
        if let Some(length) = length {
            self.copy(length);
            return;
        }
        // Other languages quote strings with it.
        let line = rest.iter().skip(1).position(|byte| matches!(byte, b'\'' | b'\n'));
        match line.filter(|end| rest.get(end + 1) == Some(&b'\'') && rest[1..=*end].contains(&b'/'))
        {
            Some(end) => self.copy(end + 2),
            None => self.copy(1),
        }
    }
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    let first = *wanted.first()?;
    let mut at = 0;
    loop {
        at += bytes.get(at..)?.iter().position(|byte| *byte == first)?;
        if bytes[at..].starts_with(wanted) {
            return Some(at);
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, text: &str, comments: &[&str], code: &[&str]) {
        let parts = split(path, text);
        assert_eq!(parts.code.len(), text.len());
        assert!(parts.comments.is_empty() || parts.comments.len() == text.len());
        let words: Vec<&str> = parts.comments.split_whitespace().collect();
        assert_eq!(words, comments, "{path}");
        for part in code {
            assert!(parts.code.contains(part), "{path}: {part} in {}", parts.code);
        }
    }

    #[test]
    fn comments_of_each_family_are_separated() {
        check(
            "a.rs",
            "/// one\nlet a = \"// no\"; // two\n/* three\n * four */ b('\\'', 'x, y)",
            &["one", "two", "three", "four"],
            &["// no", "b('"],
        );
        check("a.rs", "r#\"a \" // b\"# // c", &["c"], &["// b"]);
        check(
            "a.py",
            "x = '# no' # yes\ndef f():\n    \"\"\"doc\n    more\"\"\"\n    return \"\"\"no\"\"\"",
            &["yes", "doc", "more"],
            &["# no", "\"\"\"no"],
        );
        check("a.sh", "echo ${#a} # b", &["b"], &["${#a}"]);
        check("a.lua", "a = 1 -- b\n--[[ c\nd ]] e", &["b", "c", "d"], &["e"]);
        check("a.js", "let u = 'https://a.b/c'; // d", &["d"], &["https://a.b/c"]);
        check("a.unknown", "# a", &[], &["# a"]);
    }
}
