//! The block of one hit: a line with its name and place, notes, and its passage.

use lore_console::text;
use lore_engine::{Explanation, Hit};
use lore_schema::SourceName;

use super::{
    hit::{commit, link, names, older_than_code, origin, tried_before},
    numbers::{columns, plural},
    passage::{self, Passage, PassageLine},
};
use crate::output::{
    Style,
    style::{Amount, Role},
};

/// Columns between the number of a hit and its text, the period included.
const INDENT: usize = 2;

/// Minimum number of columns of a title beside its place. If there are fewer, the place is on a line
/// of its own.
const MIN_TITLE_WIDTH: usize = 30;

/// Separates details.
const SEPARATOR: &str = " · ";

/// The block of one hit.
pub(super) struct Block<'a> {
    pub(super) hit: &'a Hit,
    /// Number of digits of the highest rank.
    pub(super) digits: usize,
    /// True if a heading names the source.
    pub(super) in_group: bool,
    /// True to show the signature instead of the passage.
    pub(super) by_signature: bool,
    pub(super) style: &'a Style,
    pub(super) passage: Passage,
}

impl Block<'_> {
    /// The lines of the block, with at most `count` lines of the passage.
    pub(super) fn lines(&self, count: usize) -> Vec<String> {
        let shown = self.passage.best(count);
        let mut lines = self.header(shown);
        lines.extend(self.notes());
        lines.extend(self.signature());
        lines.extend(shown.iter().map(|line| self.passage_line(line)));
        if self.style.verbose {
            lines.extend(self.more(shown));
        }
        lines.extend(self.hit.explanation.iter().flat_map(|parts| self.explanation(parts)));
        lines
    }

    /// Spaces as wide as the number and its period.
    fn indent(&self) -> String {
        " ".repeat(self.digits + INDENT)
    }

    fn width(&self) -> usize {
        self.style.width.saturating_sub(self.digits + INDENT)
    }

    fn note(&self, text: &str) -> String {
        let text = text::cut(&text::clean(text), self.width());
        format!("{}{}", self.indent(), self.style.paint(Role::Dim, text))
    }

    /// Rank, title, kind, place, source and details: on one line if there is room, otherwise with the
    /// place on a second line.
    fn header(&self, shown: &[PassageLine]) -> Vec<String> {
        let Block { hit, digits, style, .. } = self;
        let (place, painted) = self.place(shown);
        let (title, breadcrumb) = names(hit);
        let title = text::clean(title);
        let kind = format!(" ({})", text::clean(&hit.kind));
        let source = match hit.source.as_str() {
            _ if self.in_group => String::new(),
            source => format!("  {}", style.paint(Role::Source, source)),
        };
        let source_width = if self.in_group { 0 } else { hit.source.as_str().len() + 2 };
        let separator = if self.in_group { "  " } else { SEPARATOR };
        let room = self.width().saturating_sub(columns(&kind) + source_width);
        let mut about = self.about(breadcrumb);
        let number = format!("{:>digits$}. ", hit.rank);
        if self.is_named_by_place() {
            let details = self.details(&mut about, room.saturating_sub(columns(&place)), separator);
            return vec![format!("{number}{painted}{kind}{source}{details}")];
        }
        let beside = room.saturating_sub(columns(&place) + 2);
        // A commit has room for a second line, since its passage repeats its title.
        let needed = match hit.path {
            Some(_) => columns(&title).min(MIN_TITLE_WIDTH),
            None => columns(&title) + about.iter().map(|part| columns(part) + 3).sum::<usize>(),
        };
        if needed <= beside {
            let title = text::cut(&title, beside);
            let details = self.details(&mut about, beside - columns(&title), separator);
            let title = style.paint(Role::Title, title);
            return vec![format!("{number}{title}{kind}  {painted}{source}{details}")];
        }
        let title = text::cut(&title, room.max(10));
        let is_commit = hit.path.is_none();
        let details = if is_commit {
            String::new()
        } else {
            self.details(&mut about, room.saturating_sub(columns(&title)), separator)
        };
        let title = style.paint(Role::Title, title);
        let rest = self.details(&mut about, self.width().saturating_sub(columns(&place)), "  ");
        vec![
            format!("{number}{title}{kind}{source}{details}"),
            format!("{}{painted}{rest}", self.indent()),
        ]
    }

    /// Returns true for a hit whose title is its path or the end of it.
    fn is_named_by_place(&self) -> bool {
        let before = self.hit.path.as_deref().and_then(|path| path.strip_suffix(&self.hit.title));
        before.is_some_and(|before| before.is_empty() || before.ends_with('/'))
    }

    /// Takes the details that fit into a number of columns, with the separators before them. The others
    /// stay, since a name that is cut would read as another one.
    fn details(&self, about: &mut Vec<String>, mut room: usize, first: &str) -> String {
        let mut text = String::new();
        let mut separator = first;
        about.retain(|part| {
            let needed = columns(part) + columns(separator);
            if needed > room {
                return true;
            }
            room -= needed;
            text.push_str(separator);
            text.push_str(part);
            separator = SEPARATOR;
            false
        });
        if text.is_empty() { text } else { self.style.paint(Role::Dim, text).to_string() }
    }

    /// Details of the hit, the most important first.
    fn about(&self, breadcrumb: &[String]) -> Vec<String> {
        let hit = self.hit;
        let mut about = Vec::new();
        // In answers of `lore related`, the similarity is more useful than the rank.
        if matches!(hit.match_type, "near-clone" | "similar") {
            about.push(format!("{} {:.2}", hit.match_type, hit.score));
        } else if self.style.verbose {
            about.push(format!("score {:.2}", hit.score));
        }
        about.extend(hit.status.clone());
        // Two files of a store may disagree about the state of a ticket.
        let conflict = hit.extra.iter().find(|(name, _)| name == "stateConflict");
        about.extend(conflict.map(|(_, states)| format!("conflict: {states}")));
        about.extend(hit.priority.as_ref().map(|priority| format!("priority {priority}")));
        // Who and when is often the question about a commit.
        if hit.path.is_none() || hit.source == SourceName::Tickets {
            about.extend(origin(hit, self.style.verbose));
        }
        // The category of a file does not apply to the tickets in it.
        let is_file =
            matches!(hit.source, SourceName::Code | SourceName::Docs | SourceName::Patterns);
        if is_file && hit.category != "own" {
            about.push(hit.category.to_owned());
        }
        about.extend((!breadcrumb.is_empty()).then(|| breadcrumb.join(" > ")));
        about.extend((!hit.tags.is_empty()).then(|| format!("#{}", hit.tags.join(" #"))));
        about.iter().map(|part| text::clean(part)).collect()
    }

    /// The place as text, and as it is written: coloured, and a link if links are on. A path is never
    /// cut, so that it can be opened.
    fn place(&self, shown: &[PassageLine]) -> (String, String) {
        let Block { hit, style, .. } = self;
        let Some(path) = &hit.path else {
            let place = commit(&hit.id);
            let painted = style.paint(Role::Path, &place).to_string();
            return (place, painted);
        };
        let opened = Passage::place(hit, shown);
        let quoted = text::quoted(path);
        let place = opened.map_or_else(|| quoted.clone(), |(line, _)| format!("{quoted}:{line}"));
        let painted = style.paint(Role::Path, &place).to_string();
        let (line, column) = opened.unwrap_or((1, 1));
        let painted = match &style.links {
            Some(links) => links.wrap((path, line, column), painted),
            None => painted,
        };
        (place, painted)
    }

    /// The origin of a hit that was reached from another one, a change like this one that was undone,
    /// the age of a document, and the places that a spec governs.
    fn notes(&self) -> Vec<String> {
        let hit = self.hit;
        let mut notes = Vec::new();
        // The text of a place in a log needs no prefix.
        let prefix = if hit.hops > 0 { "via " } else { "" };
        notes.extend(hit.via.as_ref().map(|via| format!("{prefix}{via}")));
        notes.extend(tried_before(hit));
        notes.extend(older_than_code(hit));
        notes.extend(hit.links.iter().map(link));
        notes.iter().map(|note| self.note(note)).collect()
    }

    fn signature(&self) -> Option<String> {
        let signature = self.hit.signature.as_deref().filter(|_| self.by_signature)?;
        Some(format!("{}{}", self.indent(), text::cut(&text::clean(signature), self.width())))
    }

    /// A line with its number and `:` if it contains a match, otherwise `-`, as in `grep`, so that
    /// matches are visible without colours.
    fn passage_line(&self, line: &PassageLine) -> String {
        let PassageLine { number, line, .. } = line;
        let last = self.passage.lines.last().map_or(0, |last| last.number);
        let digits = last.to_string().len().max(4);
        let gutter = if self.passage.is_numbered {
            let sign = if line.is_matched() { ':' } else { '-' };
            format!("{number:>digits$}{sign}")
        } else {
            " ".to_owned()
        };
        let mut shown = format!("{}{}", self.indent(), self.style.paint(Role::Dim, &gutter));
        if !line.is_blank() {
            shown.push(' ');
        }
        for piece in line.window(self.width().saturating_sub(gutter.len() + 1)) {
            let class = piece.class.and_then(passage::class);
            shown.push_str(&self.style.code(class, piece.matched, piece.text).to_string());
        }
        shown
    }

    /// Other lines that match, and copies of the same text.
    fn more(&self, shown: &[PassageLine]) -> Vec<String> {
        let hit = self.hit;
        let mut others: Vec<u32> = hit
            .matches
            .iter()
            .filter_map(|place| place.line)
            .filter(|line| shown.iter().all(|shown| shown.number != *line))
            .collect();
        others.sort_unstable();
        others.dedup();
        let mut notes = Vec::new();
        if self.passage.is_numbered && !others.is_empty() {
            let total = plural(hit.total_matches as u64, "line matches", "lines match");
            let word = if others.len() == 1 { "line" } else { "lines" };
            let others: Vec<String> = others.iter().map(u32::to_string).collect();
            notes.push(format!("also {word} {} ({total})", others.join(", ")));
        }
        if let (None, Some(repository)) = (&hit.path, &hit.repository) {
            notes.push(format!("in {}", text::clean(repository)));
        }
        if !hit.also_found_in.is_empty() {
            notes.push(format!("the same text in {}", hit.also_found_in.join(", ")));
        }
        notes.iter().map(|note| self.note(note)).collect()
    }

    /// The parts of the score that contribute to it.
    fn explanation(&self, explanation: &Explanation) -> Vec<String> {
        let indent = self.indent();
        let parts = || {
            let is_shown = |contribution: f32| format!("{:.4}", contribution.abs()) != "0.0000";
            explanation.parts.iter().filter(move |part| is_shown(part.contribution))
        };
        let width = parts().map(|part| part.name.len()).max().unwrap_or(0).max("signal".len());
        let raw = explanation.sum();
        let header = format!("{:<width$}   value    weight  contribution", "signal");
        let mut lines = vec![
            format!("{indent}score {:.3} from the sum {raw:.4}", self.hit.score),
            format!("{indent}{}", self.style.paint(Role::Dim, header)),
        ];
        lines.extend(parts().map(|part| {
            let (value, weight, contribution) = (part.value + 0.0, part.weight, part.contribution);
            format!(
                "{indent}{:<width$}  {value:>6.4}  {weight:>8.4}  {contribution:>12.4}",
                part.name
            )
        }));
        lines
    }
}

/// True if the whole passage of each hit is shown.
pub(super) fn is_whole(style: &Style) -> bool {
    style.amount == Amount::Passage || style.verbose
}
