//! Title of a page, by the markup of its format.

use crate::markdown;

/// Maximum number of lines of an HTML heading. Otherwise an unclosed heading would span the rest of
/// the page.
const ELEMENT_LINES: usize = 20;

/// Returns the title of a page: its only first-level heading, anywhere. A page with several (a
/// change log) has none, nor does one whose heading is a version, a date or a placeholder. `body`
/// is the text after the front matter.
pub(crate) fn of_page(path: &str, body: &str) -> Option<String> {
    let ending = path.rsplit('.').next().unwrap_or("").to_lowercase();
    let title = match ending.as_str() {
        "rst" | "txt" => underlined(body),
        "adoc" | "asciidoc" => of_asciidoc(body),
        "org" => of_org(body),
        _ => of_markdown(body),
    };
    title.filter(|title| !title.is_empty() && !is_entry(title))
}

/// Returns the item if there is exactly one.
fn only<T>(mut items: impl Iterator<Item = T>) -> Option<T> {
    let first = items.next()?;
    items.next().is_none().then_some(first)
}

/// Returns the only first-level heading, written with `#`, underlined, or as an HTML element. A
/// heading that contains only an image does not count.
fn of_markdown(body: &str) -> Option<String> {
    let mut previous: Option<&str> = None;
    let titles = markdown::lines(body, 0).filter_map(|line| {
        if line.verbatim {
            previous = None;
            return None;
        }
        let above = previous.replace(line.text).filter(|text| !text.trim().is_empty());
        if let Some((level, text)) = markdown::heading(line.text) {
            previous = None;
            return (level == 1).then(|| plain(text));
        }
        if let Some(text) = above.filter(|_| is_rule(line.text, '=')) {
            return Some(plain(text));
        }
        let from = &body[line.range.start + line.text.find("<h1")?..];
        let length = from.split_inclusive('\n').take(ELEMENT_LINES).map(str::len).sum();
        from[..length].split("</h1>").next().map(plain)
    });
    only(titles.filter(|title| !title.is_empty()))
}

/// Returns the only line with the same underline style as the first underlined line: the title in
/// reStructuredText.
fn underlined(body: &str) -> Option<String> {
    const SIGNS: &str = "=-~#*^\"+`";
    let (mut above, mut previous) = ("", "");
    let headings = body.lines().filter_map(|line| {
        let (over, text) = (above, std::mem::replace(&mut previous, line));
        above = text;
        let title = text.trim();
        let sign = line.chars().next().filter(|sign| SIGNS.contains(*sign))?;
        let is_heading = is_rule(line, sign)
            && title.contains(char::is_alphanumeric)
            && title.chars().count() <= line.trim_end().chars().count() + 2;
        is_heading.then(|| ((sign, is_rule(over, sign)), title))
    });
    let mut style = None;
    let titles =
        headings.filter(|(found, _)| style.get_or_insert(*found) == found).map(|(_, title)| title);
    only(titles).map(plain)
}

fn of_asciidoc(body: &str) -> Option<String> {
    let mut verbatim: Option<&str> = None;
    let titles = body.lines().filter_map(|line| {
        let line = line.trim_end();
        if line.len() >= 4 && (is_rule(line, '-') || is_rule(line, '.')) {
            match verbatim {
                None => verbatim = Some(line),
                Some(open) if open == line => verbatim = None,
                Some(_) => {}
            }
        }
        line.strip_prefix("= ").filter(|_| verbatim.is_none())
    });
    only(titles).map(plain)
}

fn of_org(body: &str) -> Option<String> {
    let keyword = body.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("#+title").then_some(value)
    });
    keyword.or_else(|| only(body.lines().filter_map(|line| line.strip_prefix("* ")))).map(plain)
}

/// Returns whether a heading names an entry of a change log rather than the page: it consists of
/// versions, dates and placeholders only.
fn is_entry(title: &str) -> bool {
    const PLACEHOLDERS: &[&str] = &["tbd", "unreleased"];
    const MONTHS: &[&str] = &[
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    let lower = title.to_lowercase();
    let mut has_version = false;
    let fits = lower
        .split(|character: char| {
            character.is_whitespace() || "()[],:\u{2013}\u{2014}".contains(character)
        })
        .filter(|word| word.contains(char::is_alphanumeric))
        .all(|word| {
            let numbered = is_version(word);
            has_version |= numbered || PLACEHOLDERS.contains(&word);
            let word = word.trim_end_matches('.');
            // A month may be abbreviated: "Sept." or "Jan".
            let is_month = word.len() >= 3 && MONTHS.iter().any(|month| month.starts_with(word));
            numbered
                || is_month
                || PLACEHOLDERS.contains(&word)
                || ["release", "released", "version"].contains(&word)
        });
    fits && has_version
}

/// Returns whether a word is a version or a numeric date: `v1.2.3-rc.1`, `2.x`, `2024-01-05`,
/// `5th`.
fn is_version(word: &str) -> bool {
    let digits = word.strip_prefix('v').unwrap_or(word);
    let tail = digits.trim_start_matches(|character: char| character.is_ascii_digit());
    if tail.len() == digits.len() {
        return false;
    }
    match tail.chars().next() {
        None => true,
        Some('.' | '-' | '/') if is_version(&tail[1..]) => true,
        Some('.') => ["", "x", "*"].contains(&&tail[1..]),
        Some('-' | '+') => {
            tail[1..]
                .chars()
                .all(|character| character.is_ascii_alphanumeric() || ".-+".contains(character))
                && PRE_RELEASES.iter().any(|name| tail[1..].starts_with(name))
        }
        Some(_) => {
            let name = tail
                .trim_end_matches(|character: char| character.is_ascii_digit() || character == '.');
            ["st", "nd", "rd", "th", "a", "b"].contains(&name) || PRE_RELEASES.contains(&name)
        }
    }
}

/// Names of pre-release versions.
const PRE_RELEASES: &[&str] = &["alpha", "beta", "dev", "post", "pre", "preview", "rc", "snapshot"];

/// Returns whether a line consists of at least three of one character.
fn is_rule(line: &str, sign: char) -> bool {
    let line = line.trim_end();
    line.len() >= 3 && line.chars().all(|character| character == sign)
}

/// Removes images, link targets, HTML tags, code and emphasis markers from a title.
fn plain(title: &str) -> String {
    let mut text = String::with_capacity(title.len());
    let mut rest = title;
    while let Some(character) = rest.chars().next() {
        let after = &rest[character.len_utf8()..];
        rest = match character {
            '!' if after.starts_with('[') => {
                after_link(&after[1..]).map_or(after, |(_, tail)| tail)
            }
            '[' => {
                if let Some((label, tail)) = after_link(after) {
                    text.push_str(&plain(label));
                    tail
                } else {
                    text.push(character);
                    after
                }
            }
            '<' if after.starts_with(|next: char| next.is_ascii_alphabetic() || next == '/') => {
                after.find('>').map_or("", |end| &after[end + 1..])
            }
            '`' | '*' => after,
            _ => {
                text.push(character);
                after
            }
        };
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the label of a link and the text after the link, given the text after its first bracket.
fn after_link(text: &str) -> Option<(&str, &str)> {
    let mut depth = 1;
    let end = text.char_indices().find_map(|(position, character)| {
        match character {
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
            ("a.md", "Title\n=====\n\n## Other\n", Some("Title")),
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
            ("a.md", "# 1.1\n\ntext\n\n# 1.0\n", None),
            ("a.md", "# News\n\n<h1>More</h1>\n", None),
            ("a.md", "News\n====\n\n# More\n", None),
            ("a.md", "# News\n===\n", Some("News")),
            ("a.md", "# Guide\n\n```sh\n# a comment\n```\n", Some("Guide")),
            ("a.rst", "News\n====\n\n1.1\n---\n\n1.0\n---\n", Some("News")),
            ("a.rst", "First\n=====\n\nSecond\n======\n", None),
            ("a.txt", "1.1\n---\n\n1.0\n---\n", None),
            ("a.adoc", "= One\n\n----\n= verbatim\n----\n", Some("One")),
            ("a.adoc", "= One\n\n= Two\n", None),
            ("a.org", "* Head\n** Sub\n* Other\n", None),
            ("a.md", "# [Unreleased]\n", None),
            ("a.rst", "1.2.3\n=====\n", None),
        ];
        for (path, body, expected) in cases {
            assert_eq!(of_page(path, body).as_deref(), expected, "{path}: {body}");
        }
    }

    #[test]
    fn change_log_entries_are_not_titles() {
        for title in [
            "1.2.3",
            "v0.4",
            "V2",
            "[1.2.3] - 2024-01-05",
            "Version 1.2 (January 5th, 2024)",
            "1.0.0-rc.1",
            "1.0rc1",
            "2.x",
            "2024-01-05",
            "5 Sept. 2024",
            "05/01/2024",
            "2024",
            "TBD",
            "[Unreleased]",
            "Release 3.0 \u{2013} TBD",
        ] {
            assert!(is_entry(title), "{title}");
        }
        for title in [
            "Title",
            "March",
            "Version",
            "Release",
            "Tokio 1.2.3",
            "2FA",
            "3D",
            "v8-profiler",
            "Retry 3 times",
            "1.2.3 and later",
            "2024 roadmap",
            "10x",
            "3-way",
            "\u{5909}\u{66f4}\u{5c65}\u{6b74}",
        ] {
            assert!(!is_entry(title), "{title}");
        }
    }

    #[test]
    fn unclosed_headings_take_linear_time() {
        assert_eq!(of_page("a.md", &"<h1 \n".repeat(20_000)), None);
    }
}
