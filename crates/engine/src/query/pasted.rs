//! Recognises pasted text, which is searched as text and never read as query language, and splits
//! long text into views. Pure.

use std::sync::LazyLock;

use lore_failures::{one_line, positions, read, stable_words};
use regex::Regex;

use super::files::path_words;

/// Number of words from which a one-line query counts as pasted.
const MIN_PASTED_WORDS: usize = 40;

/// Maximum number of words of a one-line query whose incomplete operator is reported as an error.
const MAX_OPERATOR_WORDS: usize = 8;

/// Maximum number of frames, paths and identifiers in one view.
const MAX_NAMES: usize = 24;

/// Matches the start of a log line, a traceback or an error message.
static LOG_PREFIX: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?x)^\s*(?:
        [\[(]?\d{4}-\d{2}-\d{2}[T\x20]\d{2}:\d{2}                      # 2026-01-31T10:20
        | [\[(]?\d{2}:\d{2}:\d{2}\b                                    # 10:20:30
        | [A-Z][a-z]{2}\x20+\d{1,2}\x20\d{2}:\d{2}:\d{2}               # Jan 31 10:20:30
        | \[?(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL|CRITICAL)(?:\]|:)
        | (?:error|warning|fatal|panic|note)(?:\[\w+\])?:\x20
        | Traceback\x20\(
        | Exception\x20in\x20thread
        | thread\x20'[^']*'\x20panicked
        | (?:\w+\.)*\w+(?:Error|Exception):\x20
        )",
    )
    .expect("a fixed pattern")
});

/// Returns true for pasted text: several lines, a log line, source code or a page of prose. `is_field`
/// returns true for the lower-case name of a field of the query language.
pub(crate) fn is_pasted(text: &str, is_field: impl Fn(&str) -> bool) -> bool {
    if text.lines().filter(|line| !line.trim().is_empty()).count() > 1 {
        return true;
    }
    if LOG_PREFIX.is_match(text) || text.split_whitespace().count() >= MIN_PASTED_WORDS {
        return true;
    }
    let has_field = text.split_whitespace().any(|word| {
        let word = word.trim_start_matches(['(', '-', '+']);
        word.split_once(':').is_some_and(|(name, value)| {
            let is_value = !value.is_empty() && !value.starts_with([':', '/', '\\']);
            // The fields of front matter are unknown here. Only a field is compared.
            let is_compared = value.starts_with(['<', '>']) && name.chars().all(is_name);
            is_value && (is_compared || is_field(&name.to_lowercase()))
        })
    });
    !has_field
        && (has_code(text) || has_quote_in_word(text) || has_flag(text) || has_position(text))
}

/// Returns true if a syntax error of a query should be reported: a short line without brackets or
/// quotes left open, whose operator can only be meant as one.
pub(crate) fn is_operator_meant(text: &str) -> bool {
    text.split_whitespace().count() <= MAX_OPERATOR_WORDS
        && text.matches('"').count().is_multiple_of(2)
        && has_pairs(text)
}

/// Returns true if every parenthesis of a text has its partner.
fn has_pairs(text: &str) -> bool {
    let mut depth = 0_i32;
    for character in text.chars() {
        depth += i32::from(character == '(') - i32::from(character == ')');
        if depth < 0 {
            return false;
        }
    }
    depth == 0
}

/// Returns true for characters of source code that the query language does not use.
fn has_code(text: &str) -> bool {
    text.contains(['{', '}', '=', ';', '[', ']', '%', '$', '\\', '|', '`'])
        || ["->", "=>", "//", "/*", "*/", "&&", " + ", " - ", " * "]
            .iter()
            .any(|sign| text.contains(sign))
}

/// Returns true if a double quote is inside a word: `("a"`, `"key":`, `5"`.
fn has_quote_in_word(text: &str) -> bool {
    let mut is_open = false;
    let (mut second, mut before) = (' ', ' ');
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if character == '"' {
            is_open = !is_open;
            let after = characters.peek().copied().unwrap_or(' ');
            let is_edge = if is_open {
                // A parenthesis after a word is a call.
                let is_call = before == '(' && second.is_alphanumeric();
                before.is_whitespace() || "(+-:".contains(before) && !is_call
            } else {
                after.is_whitespace() || after == ')'
            };
            if !is_edge {
                return true;
            }
        }
        (second, before) = (before, character);
    }
    false
}

/// Returns true for a file with a line number: `src/a.rs:12`, `File "a.py", line 3`.
fn has_position(text: &str) -> bool {
    text.contains('.') && text.contains(|c: char| c.is_ascii_digit()) && !positions(text).is_empty()
}

/// Returns true for a character of the name of a field.
fn is_name(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '-')
}

/// Returns true for an option of a command line: `-x`, `--all`.
fn has_flag(text: &str) -> bool {
    text.split_whitespace().any(|word| {
        let Some(name) = word.strip_prefix('-') else { return false };
        name.starts_with('-') && name.len() > 1
            || name.chars().count() == 1 && name.starts_with(char::is_alphabetic)
    })
}

/// A part of a long text that is searched as a query of its own.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct View {
    /// Its name in explanations.
    pub(crate) name: &'static str,
    /// Its text.
    pub(crate) text: String,
    /// True if every character of it is text.
    pub(crate) is_raw: bool,
    /// Its weight among the views.
    pub(crate) weight: f32,
}

impl View {
    /// A view whose every character is text.
    fn raw(name: &'static str, text: String) -> View {
        View { name, text, is_raw: true, weight: 1.0 }
    }

    /// The only view of words.
    pub(crate) fn of_words(text: &str) -> Vec<View> {
        vec![View::raw("whole", text.to_owned())]
    }

    /// The views of a text that may be query language: as the language, and as text.
    pub(crate) fn of_ambiguous(text: &str) -> Vec<View> {
        let typed = View::raw("typed", text.to_owned());
        vec![View { is_raw: false, ..typed }, View::raw("whole", text.to_owned())]
    }
}

/// Weight of the title of a long text, and of its copied parts, relative to its prose. Between 0 and 2
/// times these, Acc@1 of the issues varies between .51 and .58 (`docs/concepts/ranking.md`).
const TITLE: f32 = 1.5;
const COPIED: f32 = 0.5;

/// Splits a text into views: first the whole; for a long text also its title, prose, identifiers,
/// frames, messages and code blocks.
pub(crate) fn views(text: &str) -> Vec<View> {
    let whole = View::raw("whole", text.to_owned());
    if !is_long(text) {
        return vec![whole];
    }
    let (prose, code) = split_blocks(text);
    let reading = read(text);
    let mut frames: Vec<String> = Vec::new();
    let mut messages: Vec<String> = Vec::new();
    for failure in &reading.failures {
        let own = failure.all_frames().map(|frame| {
            format!("{} {}", frame.path, frame.function.as_deref().unwrap_or_default())
        });
        add_distinct(&mut frames, own);
        add_distinct(&mut messages, [stable_words(&failure.summary())]);
    }
    let paths = path_words(text).filter(|word| {
        word.rsplit_once('.').is_some_and(|(stem, ending)| {
            stem.contains('/') && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())
        })
    });
    add_distinct(&mut frames, paths.map(str::to_owned));
    let mut views = vec![View { weight: COPIED, ..whole }];
    for (name, text, weight) in [
        ("title", title(text).to_owned(), TITLE),
        ("prose", prose, 1.0),
        ("identifiers", identifiers(text).join(" "), COPIED),
        ("frames", frames.join(" "), COPIED),
        ("messages", one_line(&messages.join(" ")), 1.0),
        ("code", code, COPIED),
    ] {
        let has_words = text.chars().any(char::is_alphanumeric);
        if has_words && !views.iter().any(|known| known.text.trim() == text.trim()) {
            views.push(View { weight, ..View::raw(name, text) });
        }
    }
    views
}

/// Returns true for several lines, or a page in one line.
fn is_long(text: &str) -> bool {
    text.lines().filter(|line| !line.trim().is_empty()).count() > 1
        || text.split_whitespace().count() >= MIN_PASTED_WORDS
}

/// The first line with words.
fn title(text: &str) -> &str {
    let mut lines = text.lines().map(str::trim);
    lines.find(|line| line.contains(char::is_alphanumeric)).unwrap_or_default()
}

/// Maximum number of messages that are read from a text.
const MAX_MESSAGES: usize = 8;

/// Minimum number of words of a quotation that may be a message.
const MIN_QUOTED_WORDS: usize = 3;

/// Maximum number of lines of a text whose every line may be a message.
const MAX_LINES_OF_MESSAGES: usize = 4;

/// A text that may be a message of the tree.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MessageText {
    /// The message.
    pub(crate) text: String,
    /// Its share of the pasted text, 0.0..=1.0: a message in a long report is less often its subject.
    pub(crate) share: f32,
}

/// The messages in a text: those of its failures, its log lines, its title and longer quotations. A
/// short text is one.
pub(crate) fn messages(text: &str) -> Vec<MessageText> {
    if !is_long(text) {
        return vec![MessageText { text: text.to_owned(), share: 1.0 }];
    }
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let logged = lines
        .iter()
        .filter(|line| lines.len() <= MAX_LINES_OF_MESSAGES || LOG_PREFIX.is_match(line))
        .map(|line| (*line).to_owned());
    let quoted = QUOTED.captures_iter(text).filter_map(|found| {
        let text = found.iter().skip(1).flatten().next()?.as_str();
        (words(text).count() >= MIN_QUOTED_WORDS).then(|| text.to_owned())
    });
    let title = [title(text).to_owned()];
    let all = distinct(failure_messages(text).into_iter().chain(logged).chain(title).chain(quoted));
    let length = words(text).count().max(1) as f32;
    let with_share = all.into_iter().map(|text| {
        let share = (words(&text).count() as f32 / length).min(1.0);
        MessageText { text, share }
    });
    with_share.collect()
}

/// The messages of the failures in a log.
pub(crate) fn messages_of_log(log: &str) -> Vec<MessageText> {
    let messages = distinct(failure_messages(log).into_iter()).into_iter();
    messages.map(|text| MessageText { text, share: 1.0 }).collect()
}

/// The messages of the failures in a text, root causes first.
fn failure_messages(text: &str) -> Vec<String> {
    let failures = read(text).failures;
    let parts = failures.iter().flat_map(|failure| failure.causes.iter().rev().chain([failure]));
    parts.map(|part| part.message.clone()).collect()
}

/// The first messages, without those that are part of one before.
fn distinct(all: impl Iterator<Item = String>) -> Vec<String> {
    let mut messages: Vec<String> = Vec::new();
    for message in all {
        let is_new = !messages.iter().any(|known| known.contains(message.trim()));
        if messages.len() < MAX_MESSAGES && words(&message).count() > 1 && is_new {
            messages.push(message);
        }
    }
    messages
}

/// Matches a quotation in one line.
static QUOTED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#""([^"\n]{10,200})"|`([^`\n]{10,200})`|\B'([^'\n]{10,200})'\B"#)
        .expect("a fixed pattern")
});

/// The runs of letters and digits of a text.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// Adds texts that are not in a list yet, up to [`MAX_NAMES`].
fn add_distinct(list: &mut Vec<String>, texts: impl IntoIterator<Item = String>) {
    for text in texts {
        if list.len() < MAX_NAMES && !text.trim().is_empty() && !list.contains(&text) {
            list.push(text);
        }
    }
}

/// Matches comments of HTML, which are the instructions of a form.
static HTML_COMMENT: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?s)<!--.*?-->").expect("a fixed pattern"));

/// Returns true for a heading, which in a form has the words of the form: `### Steps`, `**Steps**`.
fn is_heading(line: &str) -> bool {
    let line = line.trim().trim_end_matches(':');
    line.starts_with('#') || line.len() > 4 && line.starts_with("**") && line.ends_with("**")
}

/// Splits a text into its prose, without headings, and its blocks of code: fenced, indented, or with
/// a prompt.
fn split_blocks(text: &str) -> (String, String) {
    let text = HTML_COMMENT.replace_all(text, "");
    let (mut prose, mut code) = (String::new(), String::new());
    let mut is_fenced = false;
    for line in text.lines() {
        let trimmed = line.trim_start();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            is_fenced = !is_fenced;
            continue;
        }
        let is_code = is_fenced
            || line.starts_with("    ")
            || line.starts_with('\t')
            || [">>> ", "... ", "$ ", "In ["].iter().any(|prompt| trimmed.starts_with(prompt));
        if !is_code && is_heading(line) && !prose.is_empty() {
            continue;
        }
        let part = if is_code { &mut code } else { &mut prose };
        part.push_str(line);
        part.push('\n');
    }
    (prose, code)
}

/// The names in a text that look like code, in their order, once each: `snake_case`, `camelCase`,
/// `a.b`, `call()`, and words in backquotes.
fn identifiers(text: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '`' | '(');
    for word in text.split(|c: char| !is_part(c)) {
        let name = word.trim_matches(['`', '.', '(']).split('(').next().unwrap_or_default();
        let has_lower = name.chars().any(char::is_lowercase);
        let is_mixed = has_lower && name.chars().skip(1).any(char::is_uppercase);
        let is_code = name.trim_matches('_').contains('_')
            || is_mixed
            || name.split('.').filter(|part| part.len() > 1).count() > 1
            || word.trim_start_matches(['`', '(']).contains('(') && name.len() > 2
            || word.starts_with('`') && word.ends_with('`');
        if is_code && name.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            add_distinct(&mut names, [name.to_owned()]);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn pasted_text_is_recognised() {
        let is_field = |name: &str| matches!(name, "lang" | "status" | "path");
        for (text, expected) in [
            ("token refresh", false),
            ("\"token refresh\" status:planned", false),
            ("lang:rust foo", false),
            ("refund -draft +cart", false),
            ("a AND (b OR \"c d\")", false),
            ("where is \"a b\" set?", false),
            ("path:src/{a,b}/** retry", false),
            ("title\nbody", true),
            ("2026-01-31 10:20:30 -x lost", true),
            ("ERROR: \"a\" failed", true),
            ("ValueError: \"x\" is bad", true),
            ("  File \"a/b.py\", line 3, in f", true),
            ("git commit -m \"x\"", true),
            ("tar --exclude foo", true),
            ("print(\"a b\")", true),
            ("{\"key\": 1}", true),
            ("x = \"a b\"", true),
            ("points:>=5 points:<13", false),
            ("epic:\"big door\"", false),
            ("it fails in src/a.rs:12 for me", true),
            ("what does src/a.rs do", false),
        ] {
            assert_eq!(is_pasted(text, is_field), expected, "{text:?}");
        }
        assert!(is_pasted(&"word ".repeat(MIN_PASTED_WORDS), is_field));
    }

    #[test]
    fn a_long_text_has_views() {
        let text = "Retry loses `order_id`\nIt calls RefundJob.run() twice.\n```\nretry(cart)\n```\n\
            Traceback (most recent call last):\n  File \"shop/refund.py\", line 12, in retry\n    \
            raise ValueError('no order 4711')\nValueError: no order 4711\n";
        let texts: Vec<String> = views(text).into_iter().map(|view| view.text).collect();
        assert_eq!(texts[0], text);
        assert_eq!(texts[1], "Retry loses `order_id`");
        assert!(texts.contains(&"order_id RefundJob.run retry refund.py ValueError".to_owned()));
        assert!(texts.iter().any(|text| text.starts_with("shop/refund.py retry")), "{texts:?}");
        assert!(texts.contains(&"ValueError: no order".to_owned()), "{texts:?}");
        assert!(texts.iter().any(|text| text.starts_with("retry(cart)\n")), "{texts:?}");
        assert_eq!(views("one short line").len(), 1);
    }

    proptest! {
        #[test]
        fn several_lines_are_pasted(first in "\\PC*[a-z]", second in "[a-z]\\PC*") {
            let text = format!("{first}\n{second}");
            prop_assert!(is_pasted(&text, |_| true));
            prop_assert_eq!(views(&text).first().map(|view| view.text.clone()), Some(text));
        }

        #[test]
        fn any_text_is_accepted(text in any::<String>()) {
            let _ = (is_pasted(&text, |_| false), is_operator_meant(&text), views(&text));
        }
    }
}
