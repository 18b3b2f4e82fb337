//! Quoted messages of the program.

use std::sync::LazyLock;

use regex::Regex;

use crate::{
    read::Located,
    segments::Segment,
    statement::{Place, TextFormat},
};

static QUOTED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new("\"([^\"]{16,200})\"|“([^”]{16,200})”").expect("a valid pattern"));

/// Separators of the fixed parts of a message.
static VARIABLE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"<[^>]*>|\{[^}]*\}|%[a-z]|`[^`]*`|'[^']*'|"[^"]*"|\S*\d\S*|…|\.\.\.|\S*/\S*"#)
        .expect("a valid pattern")
});

/// Minimum length of the fixed part that is looked up, in bytes.
const MIN_FIXED_LEN: usize = 16;

/// First words of commands, which are no messages.
const COMMANDS: &[&str] = &[
    "brew", "bundle", "cargo", "cd", "cmake", "curl", "docker", "gem", "git", "go", "kubectl",
    "make", "mvn", "node", "npm", "npx", "pip", "pnpm", "poetry", "python", "python3", "rustup",
    "sudo", "uv", "yarn",
];

/// Minimum number of spaces in it.
const MIN_SPACES: usize = 3;

/// Finds spans and quotations of several words that are about errors. The name is their longest
/// fixed part.
pub(crate) fn find(segment: &Segment<'_>) -> Vec<Located> {
    if segment.format == TextFormat::Comment || !is_about_messages(segment.whole) {
        return Vec::new();
    }
    let ranges: Vec<_> = match segment.place {
        Place::Span => std::iter::once(0..segment.text.len()).collect(),
        Place::Prose => {
            let quoted = QUOTED.captures_iter(segment.text);
            quoted.filter_map(|found| Some(found.get(1).or(found.get(2))?.range())).collect()
        }
        Place::Fence | Place::Link => Vec::new(),
    };
    let mut found = Vec::new();
    for range in ranges {
        let text = &segment.text[range.clone()];
        let parts =
            VARIABLE.split(text).map(|part| part.trim_matches([' ', ':', ',', '.', '(', ')', '"']));
        let fixed = parts.max_by_key(|part| part.len()).unwrap_or_default();
        let is_command = text.split(' ').next().is_some_and(|word| COMMANDS.contains(&word));
        let is_code =
            is_command || fixed.contains(['=', '{', ';', '$', '|', '\\']) || fixed.contains("--");
        if fixed.len() >= MIN_FIXED_LEN && fixed.matches(' ').count() >= MIN_SPACES && !is_code {
            found.push(Located::new(range, fixed));
        }
    }
    found
}

/// Returns true for a line that mentions an error, a warning or a message.
fn is_about_messages(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    ["error", "warning", "message", "fails with", "panics with"]
        .iter()
        .any(|word| line.contains(word))
}
