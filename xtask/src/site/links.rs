//! The text of a page on the site: links that lead out of the site are replaced, and the empty line at
//! the end of a tested example is removed.

use std::path::Path;

use crate::pages;

/// Destination of a link within the repository.
pub(super) enum Target {
    /// A file of the site: the link stays.
    Site,
    /// An address outside the site.
    Elsewhere(String),
    /// No address: the text of the link stays alone.
    Text,
}

/// The page with its links replaced. `target` gets a path from the root of the repository.
pub(super) fn rewrite(page: &str, text: &str, target: &mut dyn FnMut(&str) -> Target) -> String {
    let folder = Path::new(page).parent().unwrap_or(Path::new(""));
    let mut result = String::with_capacity(text.len());
    // The fence of the open block, which a longer one may contain.
    let mut open: Option<&str> = None;
    for line in text.split_inclusive('\n') {
        let content = line.trim_start();
        let fence = &content[..content.len() - content.trim_start_matches('`').len()];
        match open {
            Some(opening) if fence.len() >= opening.len() => {
                if result.ends_with("\n\n") {
                    result.pop();
                }
                open = None;
            }
            None if fence.len() >= 3 => open = Some(fence),
            None => {
                rewrite_line(line, folder, target, &mut result);
                continue;
            }
            Some(_) => {}
        }
        result.push_str(line);
    }
    result
}

/// Appends a line of prose with its links replaced.
fn rewrite_line(
    line: &str,
    folder: &Path,
    target: &mut dyn FnMut(&str) -> Target,
    result: &mut String,
) {
    // Starts of open brackets in the result, outside code.
    let mut open = Vec::new();
    let mut is_code = false;
    let mut rest = line;
    while let Some(character) = rest.chars().next() {
        is_code ^= character == '`';
        if let Some(address) = rest.strip_prefix("](").filter(|_| !is_code)
            && let Some((address, after)) = address.split_once(')')
        {
            let start = open.pop();
            match start.map_or(Target::Site, |_| resolve(folder, address, target)) {
                Target::Site => result.extend(["](", address, ")"]),
                Target::Elsewhere(address) => result.extend(["](", &address, ")"]),
                Target::Text => {
                    result.remove(start.unwrap_or_default());
                }
            }
            rest = after;
            continue;
        }
        if character == '[' && !is_code {
            open.push(result.len());
        }
        if character == ']' && !is_code {
            open.pop();
        }
        result.push(character);
        rest = &rest[character.len_utf8()..];
    }
}

/// The destination of an address, without its anchor.
fn resolve(folder: &Path, address: &str, target: &mut dyn FnMut(&str) -> Target) -> Target {
    let path = address.split('#').next().unwrap_or_default();
    if path.is_empty() || path.contains(':') {
        return Target::Site;
    }
    target(&pages::resolve(folder, path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_out_of_the_site_are_replaced() {
        let cases = [
            ("see [a](a.md#part) and ![b](../b.svg)", "see [a](a.md#part) and ![b](../b.svg)"),
            ("see [`x.rs`](../../src/x.rs).", "see `x.rs`."),
            ("see [y](../../y.rs).", "see [y](https://host/y.rs)."),
            ("[[x](../../src/x.rs)]", "[x]"),
            ("`[x](../../src/x.rs)`", "`[x](../../src/x.rs)`"),
            ("```\n[x](../../src/x.rs)\n```\n", "```\n[x](../../src/x.rs)\n```\n"),
            ("````\n```\n[x](../../src/x.rs)\n````\n", "````\n```\n[x](../../src/x.rs)\n````\n"),
            (
                "[web](https://example.com), [here](#part)",
                "[web](https://example.com), [here](#part)",
            ),
        ];
        for (text, expected) in cases {
            let page = rewrite("docs/guide/page.md", text, &mut |path| match path {
                "src/x.rs" => Target::Text,
                "y.rs" => Target::Elsewhere("https://host/y.rs".to_owned()),
                "docs/guide/a.md" | "docs/b.svg" => Target::Site,
                _ => panic!("{path}"),
            });
            assert_eq!(page, expected);
        }
    }
}
