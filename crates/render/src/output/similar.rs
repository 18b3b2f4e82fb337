//! Answers of `lore exists` and `lore related` for people.

use std::io::{self, Write};

use lore_console::text;
use lore_engine::{ExistsResponse, Hit, Subject, Usage};

use super::{
    human::{columns, count, names, plural, trust},
    style::{Role, Style},
};

/// Indentation of the lines below a definition's name.
const INDENT: usize = 5;

/// Maximum number of columns of a name in the summary.
const MAX_NAME_WIDTH: usize = 60;

/// Writes the compared passage and an empty line.
pub fn subject(subject: &Subject, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let place = match (&subject.path, subject.start_line.zip(subject.end_line)) {
        (Some(path), Some((start, end))) => format!("{}:{start}-{end}", text::quoted(path)),
        (Some(path), None) => text::quoted(path),
        (None, _) => text::quoted(&subject.id),
    };
    let room = style.width.saturating_sub(columns(&subject.kind) + 8).max(10);
    let title = text::cut(&text::clean(&subject.title), room);
    writeln!(
        out,
        "like {} ({})  {}\n",
        style.paint(Role::Title, title),
        text::clean(&subject.kind),
        style.paint(Role::Path, place)
    )
}

/// The answer on one line.
pub fn summary(response: &ExistsResponse) -> String {
    let mut parts = Vec::new();
    if response.clone_count > 0 {
        let clones = plural(response.clone_count as u64, "near clone", "near clones");
        parts.push(format!("{clones} in {}", files(response.clone_files)));
    }
    if !response.helpers.is_empty() {
        parts.push(plural(response.helpers.len() as u64, "helper", "helpers"));
    }
    let findings = match (&response.nearest, parts.is_empty()) {
        (_, false) => parts.join(", "),
        (None, true) => "nothing like it".to_owned(),
        (Some(hit), true) => {
            let near = hit.semantic_score.map(|near| format!(", similarity {near:.2}"));
            format!("nothing like it (nearest `{}`{})", short(hit), near.unwrap_or_default())
        }
    };
    format!("{}: {findings}", response.verdict.as_str())
}

/// Writes an answer of `lore exists`: the verdict, near clones, helpers and the reliability.
pub fn exists(response: &ExistsResponse, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let line = text::cut(&text::clean(&summary(response)), style.width.max(10));
    writeln!(out, "{}", style.paint(Role::Title, line))?;
    if !response.clones.is_empty() {
        writeln!(out, "\n{}", style.paint(Role::Heading, "Near clones"))?;
    }
    for clone in &response.clones {
        let mut about = format!("{} of the code", percent(clone.held));
        // For code on a single line, the share of lines adds nothing.
        if response.query.trim().lines().count() > 1 {
            about = format!("{about}, {} of its lines", percent(clone.common_lines));
        }
        block(&clone.hit, &about, style, out)?;
    }
    if !response.helpers.is_empty() {
        writeln!(out, "\n{}", style.paint(Role::Heading, "Helpers"))?;
    }
    for helper in &response.helpers {
        let similarity = helper.hit.semantic_score.map(|score| format!("similarity {score:.2}"));
        let about: Vec<String> = similarity.into_iter().chain(helper.usage.map(used)).collect();
        block(&helper.hit, &about.join(" · "), style, out)?;
    }
    let trust = text::clean(&trust(&response.receipt).join(" · "));
    writeln!(out, "\n{}", style.paint(Role::Dim, trust))
}

/// One definition: name and kind, place, declaration, comment and details.
fn block(hit: &Hit, about: &str, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let room = style.width.saturating_sub(columns(&hit.kind) + INDENT + 3).max(10);
    let title = text::cut(&text::clean(names(hit).0), room);
    let kind = text::clean(&hit.kind);
    writeln!(out, "{:>3}. {} ({kind})", hit.rank, style.paint(Role::Title, title))?;
    let indent = " ".repeat(INDENT);
    let width = style.width.saturating_sub(INDENT).max(10);
    let mut place = text::quoted(hit.path.as_deref().unwrap_or(&hit.id));
    if let Some((start, end)) = hit.start_line.zip(hit.end_line) {
        place = format!("{place}:{start}-{end}");
    }
    write!(out, "{indent}{}", style.paint(Role::Path, place))?;
    if hit.category != "own" {
        write!(out, "  {}", style.paint(Role::Dim, hit.category))?;
    }
    writeln!(out)?;
    let comment = hit.doc_comment.as_deref().unwrap_or_default();
    let comment = comment.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let declaration = text::cut(&text::clean(hit.signature.as_deref().unwrap_or_default()), width);
    let comment = text::cut(text::clean(comment).trim(), width);
    for line in [declaration, comment].iter().filter(|line| !line.is_empty()) {
        writeln!(out, "{indent}{line}")?;
    }
    writeln!(out, "{indent}{}", style.paint(Role::Dim, text::cut(about, width)))
}

/// The number of uses of a definition, in words.
fn used(usage: Usage) -> String {
    let Usage { uses, files: of_files, perhaps } = usage;
    let perhaps = match perhaps {
        0 => String::new(),
        perhaps => format!(", perhaps {} more", count(perhaps as u64)),
    };
    match uses {
        0 => format!("not used by name{perhaps}"),
        uses => {
            format!("used {} in {}{perhaps}", plural(uses as u64, "time", "times"), files(of_files))
        }
    }
}

fn files(number: usize) -> String {
    plural(number as u64, "file", "files")
}

fn percent(share: f32) -> String {
    format!("{} %", crate::wire::percent(share))
}

/// The title of a hit, cut to [`MAX_NAME_WIDTH`].
fn short(hit: &Hit) -> String {
    text::cut(&text::clean(&hit.title), MAX_NAME_WIDTH)
}

#[cfg(test)]
mod tests {
    use lore_engine::{Existence, ExistsInput, Helper, NearClone};
    use lore_schema::SourceName;

    use super::*;
    use crate::output::fixture;

    /// An answer in which the first hit is a near clone and the others are helpers.
    fn response(hits: Vec<Hit>) -> ExistsResponse {
        let answer = fixture::response();
        let mut hits = hits.into_iter();
        let clones: Vec<NearClone> = hits
            .next()
            .map(|hit| NearClone { hit, held: 0.914, common_lines: 0.5 })
            .into_iter()
            .collect();
        let usage = Some(Usage { uses: 1_200, files: 1, perhaps: 3 });
        let helpers: Vec<Helper> = hits.map(|hit| Helper { hit, usage }).collect();
        ExistsResponse {
            query: "fn pay()\n{}".to_owned(),
            input: ExistsInput::Code,
            verdict: Existence::Yes,
            clone_count: clones.len() * 3,
            clone_files: clones.len() * 2,
            clones,
            helpers,
            nearest: None,
            receipt: answer.receipt,
            absence: None,
            warnings: Vec::new(),
        }
    }

    fn written(response: &ExistsResponse, style: &Style) -> String {
        let mut out = Vec::new();
        exists(response, style, &mut out).expect("writing to a vector cannot fail");
        String::from_utf8(out).expect("output is Unicode")
    }

    #[test]
    fn the_verdict_is_the_first_line() {
        let hits = fixture::response().hits;
        let all = response(hits.clone());
        let helpers = all.helpers.len();
        assert_eq!(summary(&all), format!("yes: 3 near clones in 2 files, {helpers} helpers"));
        let text = written(&all, &Style::plain());
        assert!(text.starts_with("yes: 3 near clones in 2 files, "), "{text}");
        assert!(text.contains("\n     91 % of the code, 50 % of its lines\n"), "{text}");
        assert!(text.contains("used 1,200 times in 1 file, perhaps 3 more\n"), "{text}");

        let mut none = response(Vec::new());
        none.verdict = Existence::No;
        assert_eq!(summary(&none), "no: nothing like it");
        none.nearest =
            Some(Hit { title: "pay".to_owned(), semantic_score: Some(0.414), ..hits[0].clone() });
        assert_eq!(summary(&none), "no: nothing like it (nearest `pay`, similarity 0.41)");
    }

    #[test]
    fn control_sequences_of_files_are_not_written() {
        let hostile = fixture::hostile().hits;
        let title = hostile[0].title.clone();
        let mut all = response(hostile);
        all.nearest = Some(all.clones[0].hit.clone());
        for width in [10, 80] {
            let mut text = written(&all, &Style { width, ..Style::plain() });
            let mut out = Vec::new();
            let compared = Subject {
                id: title.clone(),
                source: SourceName::Code,
                kind: title.clone(),
                title: title.clone(),
                path: all.clones[0].hit.path.clone(),
                start_line: Some(1),
                end_line: Some(2),
            };
            subject(&compared, &Style { width, ..Style::plain() }, &mut out)
                .expect("writing to a vector cannot fail");
            text.push_str(std::str::from_utf8(&out).expect("output is Unicode"));
            let control = text.chars().find(|c| {
                (c.is_control() && *c != '\n') || text::is_reordering(*c) || text::is_unseen(*c)
            });
            assert_eq!(control, None, "{text:?}");
        }
    }
}
