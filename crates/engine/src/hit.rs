//! From a ranked document to a hit: its name, its passage, proved against the disk.

use lore_index::StoredChunk;
use lore_schema::{ChunkKind, SourceName, Span, Symbol};

use crate::{
    EngineConfig, Hit, Match, SearchRequest, Snippet,
    rank::{Passages, Ranked, Surface, find_passages},
    search::Found,
};

/// What describing a hit needs beside the ranked document.
pub(crate) struct HitContext<'a> {
    /// The engine's settings.
    pub(crate) config: &'a EngineConfig,
    /// What was asked.
    pub(crate) request: &'a SearchRequest,
    /// The words as they stand in texts of the hit's source.
    pub(crate) surface: &'a Surface,
}

/// Bytes that one token of a language model stands for, on average over code and English.
const BYTES_PER_TOKEN: u64 = 4;

/// Describes a ranked document; `None` when its file cannot be read any more.
pub(crate) fn describe(ranked: &Ranked<Found>, context: &HitContext<'_>) -> Option<Hit> {
    let parts = &ranked.payload.candidate.parts;
    let document = &parts.document;
    let text = if let Some(text) = &document.text {
        text.clone()
    } else {
        let config = context.config;
        lore_sources::read_text(&config.root, &document.path, config.max_file_size).ok()?
    };
    let chunk = parts.chunks.first();
    let whole = Span { start: 0, end: text.len(), start_line: 1, end_line: u32::MAX };
    let span = chunk.map_or(whole, |chunk| chunk.span);
    let Passages { snippet, mut matches, total } =
        find_passages(&text, span, context.surface, context.request.snippet_lines);
    let subject = chunk.and_then(|chunk| subject(chunk, &snippet, context.surface));
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
    let is_first = chunk.is_some_and(|chunk| chunk.symbol.as_ref() == subject);
    let first = chunk.filter(|_| is_first);
    let symbol = subject;
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
        breadcrumb: chunk.map(|chunk| chunk.breadcrumb.clone()).unwrap_or_default(),
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

/// The definition of a chunk that the hit is about: the one whose name holds most of the query,
/// else the one around the first line of the passage that matches, else the chunk's own.
fn subject<'a>(chunk: &'a StoredChunk, snippet: &Snippet, surface: &Surface) -> Option<&'a Symbol> {
    let share = |symbol: &Symbol| surface.highlight(&symbol.name).map_or(0.0, |found| found.0);
    let own = chunk.symbol.as_ref()?;
    let mut named = own;
    for symbol in &chunk.symbols {
        if share(symbol) > share(named) {
            named = symbol;
        }
    }
    if share(named) > 0.0 {
        return Some(named);
    }
    let before = snippet.highlights.first().map_or(0, |highlight| highlight.0);
    let lines = snippet.text.chars().take(before).filter(|c| *c == '\n').count();
    let line = snippet.start_line.saturating_add(u32::try_from(lines).unwrap_or(u32::MAX));
    chunk.symbols.iter().rfind(|symbol| symbol.line <= line).or(Some(own))
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
        (Some(symbol), _, _) => match &symbol.container {
            Some(container) => format!("{key}#{container}.{}", symbol.name),
            None => format!("{key}#{}", symbol.name),
        },
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
