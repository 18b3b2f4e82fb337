//! Places of values beside names: after a sign, in an attribute, in an element, as an argument.

use super::{
    lexical::{
        contains_any, ends_with_folded, is_name, line_before, run, skip_spaces, starts_with_folded,
    },
    name::Name,
};

/// Place of a value.
pub(super) struct Place {
    /// Offset of the value, or of its opening quote.
    pub(super) at: usize,
    pub(super) style: Style,
}

/// End of a value without quotes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// The end of a line or a statement.
    Assigned,
    /// A space: arguments of commands.
    Argument,
    /// The next tag.
    Element,
    /// It must be in quotes.
    Quoted,
    /// A space or a full stop: a word of a sentence.
    Prose,
}

/// Signs between a name and its value, longest first.
const SIGNS: &[&[u8]] = &[
    b"!==", b"===", b"::=", b"??=", b"||=", b"!=", b"+=", b":=", b"<-", b"==", b"=>", b"?:", b"?=",
    b"??", b"||", b"=", b":",
];

/// Signs that occur in conditions and expressions: only a text in quotes is a value.
const SIGNS_OF_EXPRESSIONS: &[&[u8]] =
    &[b"!==", b"===", b"??=", b"||=", b"!=", b"==", b"?:", b"??", b"||"];

/// Maximum length in bytes of a type between a name and its value.
const MAX_TYPE_BYTES: usize = 48;

/// Maximum distance in bytes between a name and the value of a pair.
const MAX_PAIR_BYTES: usize = 160;

/// Returns the place of the value of a name.
pub(super) fn find(bytes: &[u8], name: &Name) -> Option<Place> {
    // A quote and a bracket may end the name: `"token": …`, `config['token'] = …`.
    let is_closer = |byte: u8| matches!(byte, b'"' | b'\'' | b'`' | b']' | b'\\');
    let closers = run(bytes, name.range.end, is_closer);
    let is_quoted = bytes[closers.clone()].iter().any(|byte| matches!(byte, b'"' | b'\''));
    let mut at = closers.end;
    // An array: `char key[] = …`.
    if bytes.get(at) == Some(&b'[') {
        let size = run(bytes, at + 1, |byte| byte.is_ascii_digit());
        if bytes.get(size.end) == Some(&b']') {
            at = size.end + 1;
        }
    }
    let spaces = at;
    at = skip_spaces(bytes, at);
    if is_named_entry(bytes, name)
        && let Some(place) = value_of_pair(bytes, closers.end)
    {
        return Some(place);
    }
    if let Some(sign) = SIGNS.iter().find(|sign| bytes[at..].starts_with(sign)) {
        let is_expression = SIGNS_OF_EXPRESSIONS.contains(sign);
        let value = skip_spaces(bytes, at + sign.len());
        if *sign == b"=" && is_argument(bytes, name) {
            return Some(Place { at: value, style: Style::Argument });
        }
        let typed = (*sign == b":").then(|| after_type(bytes, value)).flatten();
        let style = if is_expression { Style::Quoted } else { Style::Assigned };
        return Some(Place { at: typed.unwrap_or(value), style });
    }
    match bytes.get(at) {
        // A default, or an argument of a function that sets a variable.
        Some(b',') if is_quoted => {
            Some(Place { at: skip_spaces(bytes, at + 1), style: Style::Quoted })
        }
        Some(b'(') if !is_quoted => {
            Some(Place { at: skip_spaces(bytes, at + 1), style: Style::Quoted })
        }
        // A property of C#: `ApiKey { get; set; } = …`.
        Some(b'{') => {
            let block = run(bytes, at + 1, |byte| byte != b'}' && byte != b'\n');
            let block_end = bytes.get(block.end) == Some(&b'}')
                && contains_any(&bytes[block.clone()], &["get"]);
            let sign = skip_spaces(bytes, block.end + 1);
            (block_end && bytes.get(sign) == Some(&b'='))
                .then(|| Place { at: skip_spaces(bytes, sign + 1), style: Style::Quoted })
        }
        Some(b'>') if is_element(bytes, name) => Some(Place { at: at + 1, style: Style::Element }),
        Some(b'<') if bytes[at..].starts_with(b"</key>") => {
            let next = run(bytes, at + 6, |byte| byte.is_ascii_whitespace()).end;
            bytes[next..]
                .starts_with(b"<string>")
                .then_some(Place { at: next + 8, style: Style::Element })
        }
        Some(_) if at > spaces => after_space(bytes, name, at),
        _ => None,
    }
}

/// Returns the offset of the value after a type: `: &'static str = "…"`.
fn after_type(bytes: &[u8], start: usize) -> Option<usize> {
    let is_type = |byte: u8| {
        is_name(byte)
            || matches!(
                byte,
                b' ' | b'&' | b'\'' | b'<' | b'>' | b'?' | b'[' | b']' | b'.' | b':' | b'!' | b'*'
            )
    };
    let first = bytes.get(start)?;
    if !first.is_ascii_alphabetic() && !matches!(first, b'&' | b'[' | b'*') {
        return None;
    }
    let written = run(&bytes[..bytes.len().min(start + MAX_TYPE_BYTES)], start, is_type);
    let is_sign =
        bytes.get(written.end) == Some(&b'=') && bytes.get(written.end + 1) != Some(&b'=');
    is_sign.then(|| skip_spaces(bytes, written.end + 1))
}

/// Returns true if a name is itself the value of an attribute: `name="api_key"`, `- name: API_KEY`,
/// `variable "api_key"`.
fn is_named_entry(bytes: &[u8], name: &Name) -> bool {
    let before = line_before(bytes, name.range.start, 48).trim_ascii_end();
    // The dotted front of a key: `app.datasource.password`.
    let is_front = |byte: &&u8| is_name(**byte) || **byte == b'.';
    let front = before.iter().rev().take_while(is_front).count();
    let before = if before.ends_with(b".") { &before[..before.len() - front] } else { before };
    let before = before.trim_ascii_end();
    let quote = before.strip_suffix(b"\"").or(before.strip_suffix(b"'"));
    let is_quoted = quote.is_some();
    let before = quote.unwrap_or(before).trim_ascii_end();
    let before = before.strip_suffix(b"\\").unwrap_or(before);
    if is_quoted && ends_with_folded(before, "variable") {
        return true;
    }
    let Some(before) = before.strip_suffix(b"=").or(before.strip_suffix(b":")) else {
        return false;
    };
    let before = before.trim_ascii_end();
    let before = before.strip_suffix(b"\"").or(before.strip_suffix(b"'")).unwrap_or(before);
    ["name", "key"].iter().any(|word| ends_with_folded(before, word))
}

/// Returns the place of the value beside an attribute with a name: `value="…"`, `value: …`,
/// `default = "…"`, or the text of the element.
fn value_of_pair(bytes: &[u8], from: usize) -> Option<Place> {
    let mut at = from;
    let end = bytes.len().min(from + MAX_PAIR_BYTES);
    while at < end {
        match bytes[at] {
            // The next tag, pair or object.
            b'}' | b'<' => return None,
            b'>' if bytes.get(at.wrapping_sub(1)) != Some(&b'/') => {
                return Some(Place { at: at + 1, style: Style::Element });
            }
            byte if byte.is_ascii_alphabetic() => {
                let word = run(bytes, at, is_name);
                let text = &bytes[word.clone()];
                if at > from
                    && ["name", "key"].iter().any(|name| text.eq_ignore_ascii_case(name.as_bytes()))
                {
                    return None;
                }
                let is_value = ["value", "default", "defaultvalue", "content"]
                    .iter()
                    .any(|name| text.eq_ignore_ascii_case(name.as_bytes()));
                let sign =
                    run(bytes, word.end, |byte| matches!(byte, b'"' | b'\'' | b' ' | b'\\')).end;
                if is_value && matches!(bytes.get(sign), Some(b'=' | b':')) {
                    let skipped = usize::from(bytes[sign..].starts_with(b"=>"));
                    return Some(Place {
                        at: skip_spaces(bytes, sign + 1 + skipped),
                        style: Style::Argument,
                    });
                }
                at = word.end;
            }
            _ => at += 1,
        }
    }
    None
}

/// Returns true if a name is that of an opening tag: `<password>`, `<db:api-key>`.
fn is_element(bytes: &[u8], name: &Name) -> bool {
    let before = line_before(bytes, name.range.start, 32);
    let front =
        before.iter().rev().take_while(|byte| is_name(**byte) || matches!(byte, b'.' | b':'));
    let front = before.len() - front.count();
    front.checked_sub(1).is_some_and(|at| before[at] == b'<')
}

/// Returns the place of a value that only a space separates from its name, if the words before the
/// name expect one: flags, `ENV`, `#define`, netrc, SQL.
fn after_space(bytes: &[u8], name: &Name, at: usize) -> Option<Place> {
    let written = &bytes[name.range.clone()];
    let argument = Some(Place { at, style: Style::Argument });
    if written.starts_with(b"-") {
        return (written.starts_with(b"--") || written.len() <= 12).then_some(()).and(argument);
    }
    let before = line_before(bytes, name.range.start, 160);
    let line = before.trim_ascii();
    let commands = [
        "#define", "# define", "ENV", "ARG", "setenv", "setx", "set", "set -x", "set -gx",
        "set -Ux",
    ];
    if commands.iter().any(|command| line == command.as_bytes()) {
        return argument;
    }
    let word = &bytes[name.word.clone()];
    if ["requirepass", "masterauth"].iter().any(|setting| starts_with_folded(word, setting)) {
        return line.is_empty().then_some(()).and(argument);
    }
    // Go: `var apiKey string = "…"`.
    if let Some(at) = after_type(bytes, at) {
        return Some(Place { at, style: Style::Quoted });
    }
    let prose = after_verb(bytes, name, at);
    if !starts_with_folded(word, "passw") && !starts_with_folded(word, "identified") {
        return prose;
    }
    // netrc: on one line, or on lines of their own.
    let from = name.range.start.saturating_sub(200);
    let above = &bytes[from..name.range.start];
    let is_netrc =
        contains_any(above, &["login "]) && contains_any(above, &["machine ", "default "]);
    if is_netrc && name.range == name.word {
        return argument;
    }
    // SQL: `PASSWORD '…'`, `IDENTIFIED BY '…'`, `IDENTIFIED WITH mysql_native_password BY '…'`.
    let by = if starts_with_folded(&bytes[at..], "by ") { skip_spaces(bytes, at + 3) } else { at };
    if bytes.get(by) == Some(&b'\'') {
        return Some(Place { at: by, style: Style::Quoted });
    }
    prose
}

/// Returns the place of a value in a sentence: `the password is …`, `set the token to …`,
/// `token …`.
fn after_verb(bytes: &[u8], name: &Name, at: usize) -> Option<Place> {
    if name.range != name.word {
        return None;
    }
    let verbs = ["is ", "to ", "was "];
    let verb = verbs.iter().find(|verb| starts_with_folded(&bytes[at..], verb));
    let at = verb.map_or(at, |verb| skip_spaces(bytes, at + verb.len()));
    Some(Place { at, style: Style::Prose })
}

/// Returns true if a name with an equals sign is an argument of a command: `--password=…`,
/// `-Dpassword=…`, `--set auth.password=…`.
fn is_argument(bytes: &[u8], name: &Name) -> bool {
    let before = line_before(bytes, name.range.start, 64);
    let is_front = |byte: &&u8| is_name(**byte) || matches!(**byte, b'.' | b',');
    let front = before.iter().rev().take_while(is_front).count();
    let (before, front) = before.split_at(before.len() - front);
    front.starts_with(b"-")
        || bytes[name.range.start] == b'-'
        || ["--set ", "--set-string ", "-e ", "--env ", "--build-arg "]
            .iter()
            .any(|flag| before.ends_with(flag.as_bytes()))
}
