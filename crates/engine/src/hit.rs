//! From a ranked document to a hit: its name, its passage, proved against the disk.

use std::borrow::Cow;

use lore_index::StoredChunk;
use lore_schema::{ChunkKind, SourceName, Span, Symbol};
use lore_sources::Tree;

use crate::{
    EngineConfig, Hit, Match, SearchRequest, Snippet,
    rank::{Passages, Ranked, Surface, Window, find_passages},
    search::Found,
};

/// What describing a hit needs beside the ranked document.
pub(crate) struct HitContext<'a> {
    /// The engine's settings.
    pub(crate) config: &'a EngineConfig,
    /// The files as the walk of this search saw them.
    pub(crate) tree: &'a Tree,
    /// What was asked.
    pub(crate) request: &'a SearchRequest,
    /// The words as they stand in texts of the hit's source.
    pub(crate) surface: &'a Surface,
}

/// Bytes that one token of a language model stands for, on average over code and English.
const BYTES_PER_TOKEN: u64 = 4;

/// Describes a ranked document; `None` when its file changed or vanished during this search.
pub(crate) fn describe(ranked: &Ranked<Found>, context: &HitContext<'_>) -> Option<Hit> {
    let parts = &ranked.payload.candidate.parts;
    let document = &parts.document;
    let text = if let Some(text) = &document.text {
        Cow::Borrowed(text.as_str())
    } else {
        let config = context.config;
        // What changed after it was compared with the index is no hit of this search.
        let listed = context.tree.entry(&document.path)?.metadata;
        let now = lore_sources::fingerprint_of(&config.root, &document.path);
        if listed != 0 && now != Some(listed) {
            return None;
        }
        let read = lore_sources::read_text(&config.root, &document.path, config.max_file_size);
        Cow::Owned(read.ok()?)
    };
    let chunk = parts.chunks.first();
    let whole = Span { start: 0, end: text.len(), start_line: 1, end_line: u32::MAX };
    let span = chunk.map_or(whole, |chunk| chunk.span);
    let named = chunk.and_then(|chunk| named_subject(chunk, context.surface));
    let window =
        Window { lines: context.request.snippet_lines, around: named.map(|symbol| symbol.line) };
    let Passages { snippet, mut matches, total } =
        find_passages(&text, span, context.surface, window);
    let symbol = named.or_else(|| chunk.and_then(|chunk| subject_around(chunk, &text, &snippet)));
    let snippet = if snippet.text.is_empty() { first_line(&text) } else { snippet };
    let title_match = context.surface.match_in("title", &document.title);
    let path_match = context.surface.match_in("path", &document.path);
    matches.splice(0..0, title_match.into_iter().chain(path_match));
    matches.truncate(MOST_MATCHES);

    let on_disk = document.text.is_none();
    let heading = chunk
        .filter(|chunk| chunk.kind == ChunkKind::Section)
        .and_then(|chunk| chunk.breadcrumb.last())
        .filter(|_| on_disk);
    // Signature and comment are those of the chunk's first definition.
    let first = chunk.filter(|chunk| chunk.symbol.as_ref() == symbol);
    let attributes = &document.attributes;
    let lines = on_disk.then_some((span.start_line, span.end_line.min(line_count(&text))));
    Some(Hit {
        rank: 0,
        id: identify(&ranked.key, symbol, heading.map(String::as_str), lines),
        source: ranked.source,
        format: document.format.clone(),
        kind: symbol
            .map_or_else(|| document.kind.clone(), |symbol| symbol.kind.as_str().to_owned()),
        title: symbol.map_or_else(|| document.title.clone(), |symbol| symbol.name.clone()),
        path: (!document.path.is_empty()).then(|| document.path.clone()),
        start_line: lines.map(|lines| lines.0),
        end_line: lines.map(|lines| lines.1),
        language: document.language.clone(),
        breadcrumb: breadcrumb(chunk, symbol),
        signature: first
            .and_then(|chunk| chunk.signature.clone())
            .or_else(|| symbol.map(|symbol| declaration(&text, symbol))),
        doc_comment: first.and_then(|chunk| chunk.doc_comment.clone()),
        token_count: (span.end.min(text.len()).saturating_sub(span.start) as u64)
            .div_ceil(BYTES_PER_TOKEN),
        category: document.category.as_str(),
        status: attributes.status.clone(),
        priority: attributes.priority.clone(),
        tags: attributes.tags.clone(),
        author: attributes.author.clone(),
        date: attributes.updated.or(attributes.created),
        extra: attributes.extra.clone(),
        score: ranked.score,
        match_type: "lexical",
        bm25_score: Some(ranked.payload.candidate.best_chunk),
        bm25_rank: Some(ranked.payload.bm25_rank),
        snippet,
        matches,
        total_matches: total,
        also_found_in: Vec::new(),
        explanation: context.request.explain.then(|| ranked.payload.explanation.clone()),
    })
}

/// Most matches that a hit lists.
const MOST_MATCHES: usize = 5;

/// Share of the query that a name must hold for its definition to be the subject.
const NAMED: f32 = 0.5;

/// The definition of a chunk whose name holds most of the query, if one holds half of it.
fn named_subject<'a>(chunk: &'a StoredChunk, surface: &Surface) -> Option<&'a Symbol> {
    let mut best: Option<(&Symbol, f32)> = None;
    for symbol in chunk.symbol.iter().chain(&chunk.symbols) {
        let Some((share, _)) = surface.highlight(&symbol.name) else { continue };
        if share >= NAMED && best.is_none_or(|(_, other)| share > other) {
            best = Some((symbol, share));
        }
    }
    best.map(|(symbol, _)| symbol)
}

/// The definition of a chunk around the first line of the passage that matches: the one that the
/// comment or attribute there belongs to, else the last one that began before. `None` for what
/// stands above every definition, such as imports.
fn subject_around<'a>(chunk: &'a StoredChunk, text: &str, snippet: &Snippet) -> Option<&'a Symbol> {
    let before = snippet.highlights.first()?.0;
    let lines = snippet.text.chars().take(before).filter(|c| *c == '\n').count();
    let line = snippet.start_line.saturating_add(u32::try_from(lines).unwrap_or(u32::MAX));
    let next = chunk.symbols.iter().find(|symbol| symbol.line >= line);
    if let Some(next) = next
        && text
            .lines()
            .skip(line.saturating_sub(1) as usize)
            .take((next.line - line) as usize)
            .all(|line| is_leading(line.trim_start()))
    {
        return Some(next);
    }
    chunk.symbols.iter().rfind(|symbol| symbol.line <= line)
}

/// What encloses the subject, outermost first.
fn breadcrumb(chunk: Option<&StoredChunk>, symbol: Option<&Symbol>) -> Vec<String> {
    let mut names = chunk.map(|chunk| chunk.breadcrumb.clone()).unwrap_or_default();
    if let Some(container) = symbol.and_then(|symbol| symbol.container.as_ref())
        && names.last() != Some(container)
    {
        names.push(container.clone());
    }
    names
}

/// Whether a line is a comment or an attribute, by the signs that languages share.
fn is_leading(line: &str) -> bool {
    const SIGNS: &[&str] = &["//", "/*", "*", "#", "@", "--", ";;", "%"];
    // `//!` speaks of the file, `#include` of another one.
    !line.starts_with("//!")
        && !line.starts_with("#include")
        && SIGNS.iter().any(|sign| line.starts_with(sign))
}

/// The line that declares a symbol, without what opens its body.
fn declaration(text: &str, symbol: &Symbol) -> String {
    let number = usize::try_from(symbol.line.saturating_sub(1)).unwrap_or(usize::MAX);
    let line = text.lines().nth(number).unwrap_or_default().trim();
    line.trim_end_matches(['{', ':', ' ']).to_owned()
}

/// `source:path#Container.name`; lines only where there is neither symbol nor heading.
fn identify(
    key: &str,
    symbol: Option<&Symbol>,
    heading: Option<&str>,
    lines: Option<(u32, u32)>,
) -> String {
    match (symbol, heading, lines) {
        (Some(Symbol { name, container, repetition, .. }), _, _) => {
            let container = container.as_ref().map(|name| format!("{name}.")).unwrap_or_default();
            // Repeated names get their ordinal.
            let ordinal = if *repetition > 1 { format!("~{repetition}") } else { String::new() };
            format!("{key}#{container}{name}{ordinal}")
        }
        (None, Some(heading), _) => format!("{key}#{heading}"),
        (None, None, Some((start, end))) if !key.starts_with(SourceName::Git.as_str()) => {
            format!("{key}:{start}-{end}")
        }
        _ => key.to_owned(),
    }
}

fn line_count(text: &str) -> u32 {
    u32::try_from(text.lines().count()).unwrap_or(u32::MAX).max(1)
}

/// The first line with words, for a hit that only its name or its attributes found.
fn first_line(text: &str) -> Snippet {
    (1_u32..)
        .zip(text.lines())
        .find(|(_, line)| !line.trim().is_empty())
        .map(|(number, line)| Snippet {
            text: line.to_owned(),
            start_line: number,
            highlights: Vec::new(),
        })
        .unwrap_or_default()
}

impl Surface {
    /// The match in a single value, if there is one.
    fn match_in(&self, field: &'static str, value: &str) -> Option<Match> {
        self.highlight(value).map(|(score, highlights)| Match {
            field,
            text: value.to_owned(),
            line: None,
            score,
            highlights,
        })
    }
}
