//! Anchors of a page: those of its headings, and explicit ones.

use std::{collections::HashMap, sync::LazyLock};

use regex::Regex;

static EXPLICIT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?i)\{:?\s*#([\w.:\-]+)|\b(?:id|name)\s*=\s*["']([^"']+)["']"#)
        .expect("a valid pattern")
});

static LINK: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])?").expect("a valid pattern")
});

/// Returns the anchors of a page in Markdown, lower case, sorted.
pub fn anchors(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut counts: HashMap<String, usize> = HashMap::new();
    let mut in_fence = false;
    let mut previous = "";
    for line in text.lines() {
        let trimmed = line.trim_start();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            in_fence = !in_fence;
        }
        for explicit in EXPLICIT.captures_iter(line) {
            let name = explicit.get(1).or(explicit.get(2));
            found.extend(name.map(|name| name.as_str().to_lowercase()));
        }
        let hashes = trimmed.bytes().take_while(|byte| *byte == b'#').count();
        let is_underline = trimmed.len() > 1
            && (trimmed.bytes().all(|byte| byte == b'=')
                || trimmed.bytes().all(|byte| byte == b'-'));
        let heading = match hashes {
            1..=6 if !in_fence => Some(trimmed[hashes..].trim().trim_end_matches('#').trim()),
            0 if !in_fence && is_underline => Some(previous.trim()),
            _ => None,
        };
        if let Some(heading) = heading.filter(|heading| !heading.is_empty()) {
            let slug = slug(heading);
            let count = counts.entry(slug.clone()).or_default();
            found.push(if *count == 0 { slug } else { format!("{slug}-{count}") });
            *count += 1;
        }
        previous = line;
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Returns the form of an anchor that is compared: words only. Sites differ in their treatment of
/// punctuation.
pub fn comparable(anchor: &str) -> String {
    anchor.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The anchor of a heading: lower case, spaces as hyphens, no punctuation.
fn slug(heading: &str) -> String {
    let text = LINK.replace_all(heading, "$1");
    let mut slug = String::new();
    for character in text.trim().chars() {
        if character.is_alphanumeric() || character == '-' || character == '_' {
            slug.extend(character.to_lowercase());
        } else if character == ' ' {
            slug.push('-');
        }
    }
    slug
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_and_ids_are_anchors() {
        let text =
            "# The `lore` way!\n\nSetup\n-----\n## Setup\n<a name=\"Old\"></a>\n### X {#y}\n";
        let found = anchors(text);
        for wanted in ["the-lore-way", "setup", "setup-1", "old", "y"] {
            assert!(found.iter().any(|anchor| anchor == wanted), "{wanted}: {found:?}");
        }
    }
}
