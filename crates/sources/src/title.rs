//! The title of a page, in the markup of its kind.

use crate::markdown;

/// How many lines of a page are looked at: a title stands at the top.
const REACH: usize = 200;

/// The title of a page, if it has one. `body` is its text behind the front matter.
pub(crate) fn of_page(path: &str, body: &str) -> Option<String> {
    let ending = path.rsplit('.').next().unwrap_or("").to_lowercase();
    let title = match ending.as_str() {
        "rst" | "txt" => underlined(body).map(str::to_owned),
        "adoc" | "asciidoc" => {
            head(body).find_map(|line| line.strip_prefix("= ")).map(str::to_owned)
        }
        "org" => of_org(body).map(str::to_owned),
        _ => of_markdown(body),
    };
    title.map(|title| plain(&title)).filter(|title| !title.is_empty())
}

fn head(body: &str) -> impl Iterator<Item = &str> {
    body.lines().take(REACH)
}

/// The first heading of the first level, written with `#`, underlined, or as an HTML element.
fn of_markdown(body: &str) -> Option<String> {
    let mut previous: Option<&str> = None;
    for line in markdown::lines(body, 0).take(REACH) {
        if line.verbatim {
            previous = None;
            continue;
        }
        if let Some((1, text)) = markdown::heading(line.text) {
            // A heading that is only an image has no words: the next one may.
            if !plain(text).is_empty() {
                return Some(text.to_owned());
            }
        }
        if let Some(text) = previous.filter(|_| is_rule(line.text, '=')) {
            return Some(text.to_owned());
        }
        if line.text.contains("<h1") {
            let from = line.range.start;
            let element = body[from..].split("</h1>").next().unwrap_or("");
            let text = plain(&element[element.find("<h1").unwrap_or(0)..]);
            if !text.is_empty() {
                return Some(text);
            }
        }
        previous = Some(line.text).filter(|text| !text.trim().is_empty());
    }
    None
}

/// The first line that is underlined, as reStructuredText has its titles.
fn underlined(body: &str) -> Option<&str> {
    const SIGNS: &str = "=-~#*^\"+`";
    let mut previous = "";
    for line in head(body) {
        let title = previous.trim();
        if let Some(sign) = line.chars().next().filter(|sign| SIGNS.contains(*sign))
            && is_rule(line, sign)
            && title.contains(char::is_alphanumeric)
            && title.chars().count() <= line.trim_end().chars().count() + 2
        {
            return Some(title);
        }
        previous = line;
    }
    None
}

fn of_org(body: &str) -> Option<&str> {
    let keyword = head(body).find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("#+title").then_some(value)
    });
    keyword.or_else(|| head(body).find_map(|line| line.strip_prefix("* "))).map(str::trim)
}

/// Whether a line is at least three of one sign and nothing else.
fn is_rule(line: &str, sign: char) -> bool {
    let line = line.trim_end();
    line.len() >= 3 && line.chars().all(|letter| letter == sign)
}

/// A title without images, link targets, HTML tags, code and emphasis signs.
fn plain(title: &str) -> String {
    let mut text = String::with_capacity(title.len());
    let mut rest = title;
    while let Some(letter) = rest.chars().next() {
        let after = &rest[letter.len_utf8()..];
        rest = match letter {
            '!' if after.starts_with('[') => {
                after_link(&after[1..]).map_or(after, |(_, tail)| tail)
            }
            '[' => {
                if let Some((label, tail)) = after_link(after) {
                    text.push_str(&plain(label));
                    tail
                } else {
                    text.push(letter);
                    after
                }
            }
            '<' if after.starts_with(|next: char| next.is_ascii_alphabetic() || next == '/') => {
                after.find('>').map_or("", |end| &after[end + 1..])
            }
            '`' | '*' => after,
            _ => {
                text.push(letter);
                after
            }
        };
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The label of a link and what follows the link, given what follows its first bracket.
fn after_link(text: &str) -> Option<(&str, &str)> {
    let mut depth = 1;
    let end = text.char_indices().find_map(|(position, letter)| {
        match letter {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => {}
        }
        (depth == 0).then_some(position)
    })?;
    let tail = &text[end + 1..];
    let (open, close) = match tail.chars().next()? {
        '(' => ('(', ')'),
        '[' => ('[', ']'),
        _ => return None,
    };
    let stop = tail.strip_prefix(open)?.find(close)?;
    Some((&text[..end], &tail[stop + 2..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles() {
        let cases = [
            ("a.md", "text\n\n# One *two* `three`\n", Some("One two three")),
            ("a.md", "```\n# no\n```\n# Yes\n", Some("Yes")),
            ("a.md", "Title\n=====\n\n# Other\n", Some("Title")),
            ("a.md", "# [Name](https://x.y) [![badge](a.svg)](b)\n", Some("Name")),
            ("a.md", "# ![logo](a.svg)\n# Name\n", Some("Name")),
            ("a.md", "<h1 align=\"center\">\n  <img src=\"x\">\n  Name\n</h1>\n", Some("Name")),
            ("a.md", "# Array [T] and x < y\n", Some("Array [T] and x < y")),
            ("a.md", "## Only two\n", None),
            ("README", "# Plain\n", Some("Plain")),
            ("a.rst", ".. comment\n\n=====\nTitle\n=====\n\nOther\n-----\n", Some("Title")),
            ("a.rst", "a longer line of text\n---\n", None),
            ("a.txt", "no title here\n", None),
            ("a.adoc", "// c\n= Title\n== Sub\n", Some("Title")),
            ("a.org", "#+TITLE: Over\n* Head\n", Some("Over")),
            ("a.org", "* Head\n", Some("Head")),
            ("a.md", "", None),
        ];
        for (path, body, expected) in cases {
            assert_eq!(of_page(path, body).as_deref(), expected, "{path}: {body}");
        }
    }
}
