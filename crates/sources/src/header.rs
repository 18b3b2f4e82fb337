//! Stated purpose of an example: the first sentence of its header comment.

/// Maximum number of lines that are searched.
const MAX_LINES: usize = 80;

/// Maximum length of a sentence in characters.
const MAX_SENTENCE_LEN: usize = 240;

/// Prefixes of a comment line, longer ones before their own prefixes.
const LINE_SIGNS: &[&str] = &["///", "//!", "//", "##", "#", "--", ";;", ";", "%", "'"];

/// Returns the first sentence of the comment at the start of a source text. Skips licence notices
/// and lines for programs.
pub(crate) fn header_comment(text: &str) -> Option<String> {
    let mut lines = text.lines().take(MAX_LINES).enumerate().peekable();
    while let Some((number, line)) = lines.next() {
        let line = line.trim();
        if line.is_empty() || (number == 0 && line.starts_with("#!")) || is_for_programs(line) {
            continue;
        }
        let mut words = Vec::new();
        if let Some((first, end)) = block_start(line) {
            let mut next = Some(first);
            while let Some(line) = next {
                match line.split_once(end) {
                    Some((last, _)) => {
                        words.push(last);
                        break;
                    }
                    None => words.push(line),
                }
                next = lines.next().map(|(_, line)| line);
            }
            let words: Vec<&str> =
                words.iter().map(|line| line.trim().trim_start_matches('*').trim()).collect();
            if let Some(sentence) = first_sentence(&words) {
                return Some(sentence);
            }
        } else {
            words.push(comment_line(line)?);
            while let Some(more) = lines.peek().and_then(|(_, line)| comment_line(line.trim())) {
                words.push(more);
                lines.next();
            }
            if let Some(sentence) = first_sentence(&words) {
                return Some(sentence);
            }
        }
    }
    None
}

/// Returns the first sentence of the first paragraph of a page.
pub(crate) fn first_paragraph(body: &str) -> Option<String> {
    let words: Vec<&str> = body
        .lines()
        .take(MAX_LINES)
        .map(str::trim)
        .skip_while(|line| line.is_empty() || line.starts_with(['#', '!', '[', '<', '>', '=']))
        .take_while(|line| !line.is_empty() && !line.starts_with("```"))
        .collect();
    first_sentence(&words)
}

/// Labels of a stated purpose, in lower case.
const USE_LABELS: &[&str] =
    &["use case", "use cases", "use for", "use it when", "use when", "when to use"];

/// Returns the stated purpose of a text, after a label (`Use when: …`) or below a heading with that
/// name.
pub(crate) fn stated_use(text: &str) -> Option<String> {
    let mut lines = text.lines().take(MAX_LINES);
    while let Some(line) = lines.next() {
        let line = line.trim();
        let words = line.trim_start_matches(|character: char| !character.is_alphanumeric());
        let end = words.find([':', '*']).unwrap_or(words.len());
        let (label, rest) = words.split_at(end);
        if !USE_LABELS.contains(&label.trim().to_lowercase().as_str()) {
            continue;
        }
        let rest = rest.trim_start_matches([':', '*', ' ']);
        if !rest.is_empty() {
            return first_sentence(&[rest]);
        }
        if line.starts_with('#') || line.ends_with([':', '*']) {
            let below: Vec<&str> = lines
                .map(|line| line.trim().trim_start_matches(['#', '/', '*', '-', ' ']))
                .skip_while(|line| line.is_empty())
                .take_while(|line| !line.is_empty())
                .collect();
            return first_sentence(&below);
        }
    }
    None
}

/// Returns the text after the opening of a block comment or docstring, and its closing delimiter.
fn block_start(line: &str) -> Option<(&str, &'static str)> {
    const BLOCKS: &[(&str, &str)] = &[
        ("\"\"\"", "\"\"\""),
        ("r\"\"\"", "\"\"\""),
        ("'''", "'''"),
        ("/*", "*/"),
        ("<!--", "-->"),
        ("{-", "-}"),
        ("(*", "*)"),
        ("--[[", "]]"),
    ];
    BLOCKS.iter().find_map(|(start, end)| Some((line.strip_prefix(start)?, *end)))
}

/// Returns the text of a comment line.
fn comment_line(line: &str) -> Option<&str> {
    let sign = LINE_SIGNS.iter().find(|sign| line.starts_with(**sign))?;
    let rest = &line[sign.len()..];
    // "#include", "#[test]" and "--flag" are not comments.
    let is_comment = sign.starts_with("//") || rest.is_empty() || rest.starts_with([' ', '\t']);
    is_comment.then(|| rest.trim())
}

fn is_for_programs(line: &str) -> bool {
    ["<?php", "<?xml", "<!DOCTYPE", "#![", "package ", "'use strict'", "\"use strict\""]
        .iter()
        .any(|start| line.starts_with(start))
        || (line.contains("-*-") && line.contains("coding"))
}

/// Returns the first sentence of some lines, up to the first empty one; `None` for a licence
/// notice.
fn first_sentence(lines: &[&str]) -> Option<String> {
    let paragraph: Vec<&str> = lines
        .iter()
        .skip_while(|line| !line.contains(char::is_alphanumeric))
        .take_while(|line| !line.is_empty())
        .copied()
        .collect();
    let text = paragraph.join(" ");
    let text = text.trim();
    let lower = text.to_lowercase();
    let is_notice = ["copyright", "spdx-license", "licensed under", "(c) "]
        .iter()
        .any(|mark| lower.contains(mark));
    if text.is_empty() || is_notice {
        return None;
    }
    let end = text
        .match_indices(['.', '!', '?', '\u{3002}'])
        .map(|(position, sign)| position + sign.len())
        .find(|&end| text[end..].is_empty() || text[end..].starts_with(char::is_whitespace))
        .unwrap_or(text.len());
    Some(text[..end].chars().take(MAX_SENTENCE_LEN).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_purpose_of_an_example_is_its_first_sentence() {
        let cases = [
            ("//! Shows how to retry. More.\nfn main() {}\n", Some("Shows how to retry.")),
            (
                "// Copyright 2020 A\n\n// Echo server\n// over TCP.\nfn a() {}",
                Some("Echo server over TCP."),
            ),
            ("#!/usr/bin/env python\n# Reads v1.2 files\n\nimport x\n", Some("Reads v1.2 files")),
            (
                "# -*- coding: utf-8 -*-\n\"\"\"\nParse a date.\n\nLong.\n\"\"\"\n",
                Some("Parse a date."),
            ),
            (
                "/**\n * Adds two numbers\n * @param a\n */\nint f();",
                Some("Adds two numbers @param a"),
            ),
            ("/* one line */ int f();", Some("one line")),
            ("<?php\n// Sends mail!\n", Some("Sends mail!")),
            ("#include <stdio.h>\n// later\n", None),
            ("fn main() {}\n// later\n", None),
            ("/* never closed", Some("never closed")),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(header_comment(text).as_deref(), expected, "{text}");
        }
        for (text, expected) in [
            ("# Retry\n\n**Use case**: calls that fail. Else not.\n", Some("calls that fail.")),
            ("# A\n\n## When to use\n\n- Under load\n\nMore.\n", Some("Under load")),
            ("/// Retries.\n/// Use when: a bank is slow\nfn a() {}", Some("a bank is slow")),
            ("# Use case:\n", None),
            ("We use it when all fails.\n", None),
        ] {
            assert_eq!(stated_use(text).as_deref(), expected, "{text}");
        }
        assert_eq!(
            first_paragraph("# T\n\n[![b](c)](d)\n\nUse it when\nall fails. Else not.\n")
                .as_deref(),
            Some("Use it when all fails.")
        );
    }
}
