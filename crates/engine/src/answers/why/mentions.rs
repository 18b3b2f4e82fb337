//! Documents that name a definition or a file: sections of decisions, specs and pages, and tickets.

use std::collections::BTreeMap;

use lore_index::{ChunkId, DocumentId, Holder, IndexError, StoredDocument};
use lore_schema::{Field, SourceName};
use lore_text::{Form, analyzer};

use super::chain::{Chain, is_decision};
use crate::{WhyCertainty, WhyHop, WhyKind, sentences::shortened};

/// Maximum number of chunks with the name whose texts are read, for each source.
const MAX_READ: usize = 80;

/// Maximum number of documents of one source.
const MAX_DOCUMENTS: usize = 4;

/// A name to find.
pub(super) struct Wanted<'a> {
    /// The name of a definition; empty for a file alone.
    pub(super) name: &'a str,
    /// Its container, such as the type of a method.
    pub(super) container: Option<&'a str>,
    /// Root-relative path of its file.
    pub(super) path: &'a str,
    /// Number of definitions with the name.
    pub(super) namesakes: usize,
}

/// A document that names it.
struct Mention {
    document: StoredDocument,
    heading: Option<String>,
    line: Option<u32>,
    quote: String,
    evidence: String,
    certainty: WhyCertainty,
    /// True if the document is a decision: those come first.
    is_decision: bool,
}

/// Adds the documents that name a definition or its file.
pub(super) fn add_mentions(
    chain: &mut Chain<'_>,
    wanted: &Wanted<'_>,
    from: Option<usize>,
) -> Result<(), IndexError> {
    let mut found = Vec::new();
    for source in [SourceName::Specs, SourceName::Docs, SourceName::Tickets] {
        let mut mentions = mentions(chain, source, wanted)?;
        mentions.sort_by(|left, right| {
            let key = |mention: &Mention| (!mention.is_decision, mention.certainty);
            key(left).cmp(&key(right)).then(left.document.key.cmp(&right.document.key))
        });
        mentions.truncate(MAX_DOCUMENTS);
        found.extend(mentions);
    }
    for mention in found {
        let at = chain.hops.len();
        let added = chain.add_document(&mention.document, mention.evidence, None, from);
        // A document that is known for another reason stays as it is.
        let Some(hop) = chain.hops.get_mut(at).filter(|_| added == Some(at)) else { continue };
        complete(hop, mention.heading, mention.line, mention.quote, mention.certainty);
    }
    Ok(())
}

fn complete(
    hop: &mut WhyHop,
    heading: Option<String>,
    line: Option<u32>,
    quote: String,
    certainty: WhyCertainty,
) {
    if let Some(heading) = heading.filter(|heading| *heading != hop.title) {
        if hop.kind != WhyKind::Ticket {
            hop.id = format!("{}#{heading}", hop.id);
        }
        hop.title = format!("{} › {heading}", hop.title);
    }
    hop.line = line;
    hop.quote = quote;
    hop.certainty = certainty;
}

/// Returns the documents of a source that contain the name or the path, each with its best line.
fn mentions(
    chain: &Chain<'_>,
    source: SourceName,
    wanted: &Wanted<'_>,
) -> Result<Vec<Mention>, IndexError> {
    let Some(open) = chain.source(source) else { return Ok(Vec::new()) };
    let reader = open.reader.as_ref();
    let mut holders: Vec<Holder> = Vec::new();
    if !wanted.name.is_empty() {
        holders.extend(holding(chain, source, wanted.name)?);
    }
    let parts = terms(wanted.path).0;
    holders.extend(reader.holders_of_all(Field::Body, &parts)?);
    let mut chunks: BTreeMap<DocumentId, Vec<ChunkId>> = BTreeMap::new();
    for holder in holders {
        if let Some(chunk) = holder.chunk {
            chunks.entry(holder.document).or_default().push(chunk);
        }
    }
    let ids: Vec<DocumentId> = chunks.keys().copied().take(MAX_READ).collect();
    let mut found = Vec::new();
    for (id, document) in ids.iter().zip(reader.documents(&ids)?) {
        if is_history(&document.path) {
            continue;
        }
        let of_file =
            || open.text_of_file(*id, &document.path, &chain.snapshot.tree, chain.config).ok();
        let Some(text) = document.text.clone().or_else(of_file) else { continue };
        let Some((at, evidence, certainty)) = best_line(&text, wanted) else { continue };
        let line = u32::try_from(at + 1).unwrap_or(u32::MAX);
        let stored = reader.chunks(&chunks[id])?;
        let around = stored.iter().find(|chunk| chunk.span.has_line(line));
        let heading = around.and_then(|chunk| chunk.breadcrumb.last().cloned());
        let quote = text.lines().nth(at).map(|line| shortened(line.trim())).unwrap_or_default();
        let is_file = document.text.is_none();
        found.push(Mention {
            is_decision: is_decision(&document),
            heading,
            line: is_file.then_some(line),
            quote,
            evidence,
            certainty,
            document,
        });
    }
    Ok(found)
}

/// Returns the rows that contain an identifier.
fn holding(chain: &Chain<'_>, source: SourceName, name: &str) -> Result<Vec<Holder>, IndexError> {
    let Some(reader) = chain.reader(source) else { return Ok(Vec::new()) };
    let (parts, whole) = terms(name);
    match whole {
        Some(whole) => reader.holders(Field::Whole, &whole, MAX_READ),
        None => reader.holders_of_all(Field::Body, &parts),
    }
}

/// Returns the parts of a text as terms, and its first identifier of several parts.
fn terms(text: &str) -> (Vec<String>, Option<String>) {
    let (mut parts, mut whole) = (Vec::new(), None);
    analyzer("code").analyze(text, &mut |token| match token.form {
        Form::Part => parts.push(token.term.to_owned()),
        Form::Whole => whole = whole.take().or_else(|| Some(token.term.to_owned())),
    });
    parts.sort_unstable();
    parts.dedup();
    (parts, whole)
}

/// Returns the line that names the definition best, with the evidence: its qualified name, its name as
/// code, or the path of its file.
fn best_line(text: &str, wanted: &Wanted<'_>) -> Option<(usize, String, WhyCertainty)> {
    let Wanted { name, container, path, namesakes } = wanted;
    let names_file = has_path(text, path);
    let names_container = container.is_some_and(|container| has_word(text, container));
    let mut best: Option<(WhyCertainty, bool, usize, String)> = None;
    let mut note = |certainty: WhyCertainty, is_path: bool, at: usize, evidence: String| {
        let is_better =
            best.as_ref().is_none_or(|(known, path, ..)| (certainty, is_path) < (*known, *path));
        if is_better {
            best = Some((certainty, is_path, at, evidence));
        }
    };
    for (at, line) in text.lines().enumerate() {
        if !name.is_empty() && has_word(line, name) {
            let is_distinct = name.contains('_')
                || name.chars().skip(1).any(char::is_uppercase)
                    && name.chars().any(char::is_lowercase);
            let is_qualified = container.is_some_and(|container| {
                ["::", ".", "#", "->"]
                    .iter()
                    .any(|joint| has_word(line, &format!("{container}{joint}{name}")))
            });
            let is_shown = is_distinct || is_code(line, name);
            let is_called =
                positions(line, name).any(|at| line[at + name.len()..].starts_with('('));
            let certainty = if is_qualified || (names_file && is_shown) {
                Some(WhyCertainty::Certain)
            } else if (names_container && is_shown)
                || (*namesakes < 2 && (is_distinct || is_called))
            {
                Some(WhyCertainty::Likely)
            } else if is_distinct {
                Some(WhyCertainty::Possible)
            } else {
                None
            };
            if let Some(certainty) = certainty {
                let full = match container {
                    Some(container) if is_qualified => format!("{container}.{name}"),
                    _ => (*name).to_owned(),
                };
                note(certainty, false, at, format!("names {full}"));
            }
        }
        if has_path(line, path) {
            note(WhyCertainty::Certain, true, at, format!("names {path}"));
        }
    }
    best.map(|(certainty, _, at, evidence)| (at, evidence, certainty))
}

/// Returns true if a text contains a path that is no part of a longer one.
fn has_path(text: &str, path: &str) -> bool {
    let is_part =
        |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '/' | '.' | '@');
    text.match_indices(path).any(|(at, _)| {
        let before = text[..at].strip_suffix("./").unwrap_or(&text[..at]);
        // A period may end a sentence.
        let after = text[at + path.len()..].trim_start_matches('.');
        !before.chars().next_back().is_some_and(is_part)
            && !after.chars().next().is_some_and(|next| is_part(next) && next != '/')
    })
}

/// Returns true if a text contains a word that is no part of a longer one.
fn has_word(text: &str, word: &str) -> bool {
    positions(text, word).next().is_some()
}

fn positions<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = usize> + 't {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.match_indices(word).map(|(at, _)| at).filter(move |at| {
        !text[..*at].chars().next_back().is_some_and(is_part)
            && !text[at + word.len()..].chars().next().is_some_and(is_part)
    })
}

/// Returns true if a line shows the word as code: in backticks, or followed by a parenthesis.
fn is_code(line: &str, word: &str) -> bool {
    let is_odd = |at: usize| line[..at].matches('`').count() % 2 == 1;
    positions(line, word).any(|at| is_odd(at) || line[at + word.len()..].starts_with('('))
}

/// Returns true if a page lists changes: it mentions everything once and gives no reason.
fn is_history(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    ["changelog", "changes", "history", "news", "release"]
        .iter()
        .any(|start| name.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str, namesakes: usize) -> Option<(usize, String, WhyCertainty)> {
        let wanted =
            Wanted { name: "open", container: Some("Store"), path: "src/store.rs", namesakes };
        best_line(text, &wanted)
    }

    #[test]
    fn a_common_word_must_be_code() {
        assert_eq!(line("The shop is open.", 1), None);
        assert_eq!(line("x\nUse `open` first.", 1), None);
        let (at, evidence, certainty) = line("A Store.\nUse `open`.", 5).expect("a line");
        assert_eq!((at, evidence.as_str(), certainty), (1, "names open", WhyCertainty::Likely));
        assert_eq!(line("Use `open()` first.", 5), None);
        let (_, evidence, certainty) = line("Use Store::open.", 5).expect("a line");
        assert_eq!((evidence.as_str(), certainty), ("names Store.open", WhyCertainty::Certain));
        assert_eq!(line("In examples/src/store.rs and src/store.rs2.", 5), None);
        let (at, evidence, _) = line("In\nsrc/store.rs it is done.", 5).expect("a line");
        assert_eq!((at, evidence.as_str()), (1, "names src/store.rs"));
    }
}
