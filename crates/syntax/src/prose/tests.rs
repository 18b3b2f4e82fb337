//! Tests of section boundaries and breadcrumbs.

use super::{Section, sections};
use crate::{language::Prose, line_table::LineTable};

fn cut(prose: Prose, text: &str) -> Vec<Section> {
    sections(text, &LineTable::new(text), prose, &[])
}

/// Checks first line (from 1) and breadcrumb of every section.
fn check(prose: Prose, text: &str, expected: &[(usize, &str)]) {
    let found: Vec<(usize, String)> = cut(prose, text)
        .into_iter()
        .map(|section| (section.lines.start + 1, section.breadcrumb.join(" > ")))
        .collect();
    let found: Vec<(usize, &str)> =
        found.iter().map(|(line, breadcrumb)| (*line, breadcrumb.as_str())).collect();
    assert_eq!(found, expected, "{text}");
}

/// A paragraph above the minimum size.
const PARAGRAPH: &str = "\nThis paragraph is long enough that its section counts on its own, because it says more than one thing, and says it at a length that a reader could want to be led to.\n\n";

#[test]
fn sections_by_heading() {
    let p = PARAGRAPH;
    check(
        Prose::Markdown,
        &format!("# A\n{p}## B\n{p}# C\n{p}"),
        &[(1, "A"), (5, "A > B"), (9, "C")],
    );
    check(Prose::Markdown, &format!("# A\n\n## B\n\n### C\n{p}"), &[(1, "A > B > C")]);
    check(
        Prose::Markdown,
        &format!("## B\n{p}# A\n{p}### C\n{p}"),
        &[(1, "B"), (5, "A"), (9, "A > C")],
    );
    check(Prose::Markdown, &format!("```\n# no\n```\n{p}Yes\n===\n{p}"), &[(1, ""), (7, "Yes")]);
    check(Prose::Markdown, "# A\n\nx\n\n# B\n\ny\n", &[(1, "A")]);
    check(Prose::Markdown, &format!("---\na: b\n---\n# A\n{p}"), &[(1, "A")]);
    check(
        Prose::Rst,
        &format!("A\n=\n{p}B\n---\n{p}C\n===\n{p}"),
        &[(1, ""), (6, "B"), (11, "B > C")],
    );
    check(Prose::Rst, &format!("===\nA\n===\n{p}B\n===\n{p}"), &[(1, "A"), (7, "A > B")]);
    check(
        Prose::Asciidoc,
        &format!("= A\n{p}----\n== no\n----\n\n== B\n{p}"),
        &[(1, "A"), (9, "A > B")],
    );
    check(Prose::Org, &format!("* A\n{p}** B\n{p}"), &[(1, "A"), (5, "A > B")]);
    check(Prose::Plain, "* A\n\n# B\n", &[(1, "")]);
}

#[test]
fn long_sections_are_cut_at_paragraphs() {
    let text = format!("# A\n\n{}", PARAGRAPH.trim_start().repeat(20));
    let found = cut(Prose::Markdown, &text);
    assert!(found.len() > 2);
    let lines = LineTable::new(&text);
    for section in &found {
        assert_eq!(section.breadcrumb, ["A"]);
        assert!(lines.size(&section.lines) <= 1_500);
        assert!(section.lines.start == 0 || lines.text(&text, section.lines.start - 1) == "\n");
    }
}

#[test]
fn fenced_code_stays_together() {
    let code = format!("```\n{}```\n", "let a = 1;\n\n".repeat(50));
    let text = format!("# A\n\n{}{code}{}", PARAGRAPH.repeat(3), PARAGRAPH.repeat(5));
    let lines = LineTable::new(&text);
    let pieces = cut(Prose::Markdown, &text);
    assert!(pieces.iter().any(|section| text[lines.bytes(&section.lines)].contains(&code)));
}
