//! Hits, definitions and files as items of the picker.

use std::ops::Range;

use lore_engine::{Hit, Snippet, SymbolHit};
use lore_picker::Item;

/// Number of digits of a commit.
const COMMIT_DIGITS: usize = 10;

/// A file.
pub(super) fn of_path(path: &str, place_marks: Vec<u32>) -> Item {
    Item {
        key: format!("path:{path}"),
        path: Some(path.to_owned()),
        place: path.to_owned(),
        place_marks,
        ..Item::default()
    }
}

/// A definition. `query` marks its name.
pub(super) fn of_symbol(hit: &SymbolHit, query: &str) -> Item {
    let name = query.rsplit(['.', ':', '#', ' ']).next().unwrap_or_default().to_lowercase();
    let lower = hit.signature.to_lowercase();
    let mark = lower.find(&name).filter(|_| !name.is_empty() && lower.len() == hit.signature.len());
    let marks = mark.map(|start| {
        let start = lower[..start].chars().count();
        start..start + name.chars().count()
    });
    Item {
        key: hit.id.clone(),
        path: Some(hit.path.clone()),
        line: Some(hit.line),
        place: hit.path.clone(),
        label: match &hit.container {
            Some(container) => format!("{} {container}.{}", hit.kind, hit.name),
            None => format!("{} {}", hit.kind, hit.name),
        },
        text: hit.signature.clone(),
        text_marks: marks.into_iter().collect(),
        language: hit.language.clone(),
        answer: hit.start_line..hit.end_line + 1,
        ..Item::default()
    }
}

/// A passage.
pub(super) fn of_hit(hit: &Hit) -> Item {
    let lines = snippet_lines(&hit.snippet);
    let (line, text, text_marks) = best_line(hit, &lines);
    let place = match &hit.path {
        Some(path) => path.clone(),
        None => commit(&hit.id),
    };
    let has_lines = hit.path.is_some() && !hit.is_composed;
    let count = u32::try_from(lines.len()).unwrap_or(u32::MAX);
    let answer = if has_lines {
        hit.snippet.start_line..hit.snippet.start_line.saturating_add(count)
    } else {
        let start = hit.start_line.unwrap_or(0);
        start..start
    };
    let answer_marks = lines
        .iter()
        .zip(hit.snippet.start_line..)
        .flat_map(|((_, marks), line)| marks.iter().map(move |mark| (line, mark.clone())))
        .collect();
    Item {
        key: hit.id.clone(),
        path: hit.path.clone(),
        line: hit.path.as_ref().and(if has_lines {
            line.or(hit.start_line)
        } else {
            hit.start_line
        }),
        place,
        label: format!("{} {}", hit.kind, hit.title),
        text,
        text_marks,
        language: if has_lines { hit.language.clone() } else { None },
        answer,
        answer_marks,
        ..Item::default()
    }
}

/// `git:1a2b3c4d5e` for the identifier of a commit.
fn commit(id: &str) -> String {
    let end = id.char_indices().nth("git:".len() + COMMIT_DIGITS).map_or(id.len(), |(end, _)| end);
    id[..end].to_owned()
}

type Marks = Vec<Range<usize>>;

/// The lines of a snippet with their highlights, in characters of the line.
fn snippet_lines(snippet: &Snippet) -> Vec<(&str, Marks)> {
    let mut start = 0;
    let mut lines = Vec::new();
    for line in snippet.text.split('\n') {
        let end = start + line.chars().count();
        let marks = snippet
            .highlights
            .iter()
            .filter(|(from, to)| *from < end && start < *to)
            .map(|(from, to)| from.saturating_sub(start)..(*to).min(end) - start)
            .collect();
        lines.push((line, marks));
        start = end + 1;
    }
    lines
}

/// The line that is shown for a hit: its best matching line, if that is in the hit, or the first line of
/// its snippet with a match.
fn best_line(hit: &Hit, lines: &[(&str, Marks)]) -> (Option<u32>, String, Marks) {
    if hit.path.is_none() {
        return (None, hit.title.clone(), Vec::new());
    }
    let span = hit.start_line.unwrap_or(0)..=hit.end_line.unwrap_or(u32::MAX);
    let mut best: Option<&lore_engine::Match> = None;
    for found in hit.matches.iter().filter(|found| found.field == "content") {
        let is_inside = found.line.is_some_and(|line| span.contains(&line));
        if is_inside && best.is_none_or(|best| best.score < found.score) {
            best = Some(found);
        }
    }
    if let Some(found) = best {
        let marks = found.highlights.iter().map(|(from, to)| *from..*to).collect();
        return trimmed(found.line, &found.text, marks);
    }
    let first = lines.iter().position(|(_, marks)| !marks.is_empty()).unwrap_or(0);
    let Some((text, marks)) = lines.get(first) else {
        return (hit.start_line, String::new(), Vec::new());
    };
    let line = hit.snippet.start_line.saturating_add(u32::try_from(first).unwrap_or(0));
    trimmed(Some(line), text, marks.clone())
}

/// A line without its indentation.
fn trimmed(line: Option<u32>, text: &str, marks: Marks) -> (Option<u32>, String, Marks) {
    let trimmed = text.trim_start();
    let cut = text.chars().count() - trimmed.chars().count();
    let marks = marks
        .into_iter()
        .map(|mark| mark.start.saturating_sub(cut)..mark.end.saturating_sub(cut))
        .filter(|mark| !mark.is_empty())
        .collect();
    (line, trimmed.to_owned(), marks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn highlights_of_a_snippet_belong_to_its_lines() {
        let snippet = Snippet {
            text: "é retry\n\nthe refund".to_owned(),
            start_line: 5,
            highlights: vec![(2, 7), (13, 19)],
        };
        let lines = snippet_lines(&snippet);
        assert_eq!(lines[0].1, [2..7; 1]);
        assert_eq!(lines[1], ("", Vec::new()));
        assert_eq!(lines[2].1, [4..10; 1]);
    }

    #[test]
    fn a_line_loses_its_indentation_with_its_marks() {
        assert_eq!(
            trimmed(Some(3), "    let x", vec![0..2, 4..7]),
            (Some(3), "let x".to_owned(), vec![0..3; 1])
        );
    }
}
