//! From a ranked document to a hit: its name, its passage, proved against the disk.

use std::borrow::Cow;

use lore_index::StoredChunk;
use lore_schema::{ChunkKind, Span, Symbol, SymbolKind};

use crate::{
    Hit, Match, SearchRequest, Snippet,
    rank::{HighlightTerms, Passages, Ranked, Window, find_body, find_passages, line_count},
    response::id::hit_id,
    search::score::ScoredDocument,
    state::{
        files::Unchecked,
        proof::{ProofContext, Sought, Standing},
    },
};

/// What describing a hit needs beside the ranked document.
pub(crate) struct HitContext<'a> {
    /// What the hit is proved against.
    pub(crate) proof: ProofContext<'a>,
    /// What was asked.
    pub(crate) request: &'a SearchRequest,
    /// The words as they stand in texts of the hit's source.
    pub(crate) terms: &'a HighlightTerms,
}

/// Bytes that one token of a language model stands for, on average over code and English.
const BYTES_PER_TOKEN: u64 = 4;

/// Describes a ranked document; `None` when its passage vanished during this search. `read` is the text
/// of its file, which nobody has compared with what was listed.
pub(crate) fn describe(
    ranked: &Ranked<ScoredDocument>,
    read: Option<Unchecked>,
    context: &HitContext<'_>,
) -> Option<Hit> {
    let parts = &ranked.payload.candidate.parts;
    let document = &parts.document;
    let mut chunk = parts.chunks.first().map(Cow::Borrowed);
    let mut is_readable = true;
    let mut subject = ranked.payload.subject.as_ref().map(Cow::Borrowed);
    let text = if let Some(text) = &document.text {
        Cow::Borrowed(text.as_str())
    } else {
        let sought = Sought {
            document,
            chunk: chunk.as_deref(),
            subject: subject.as_deref(),
            terms: context.terms,
        };
        match context.proof.find(&sought, read) {
            Standing::AsIndexed(text) => Cow::Owned(text),
            Standing::Elsewhere(moved) => {
                chunk = moved.chunk.map(Cow::Owned);
                subject = moved.subject.map(Cow::Owned);
                Cow::Owned(moved.text)
            }
            Standing::Unreadable => {
                is_readable = false;
                Cow::Borrowed("")
            }
            Standing::Gone => return None,
        }
    };
    let (chunk, subject) = (chunk.as_deref(), subject.as_deref());
    let whole = Span { start: 0, end: text.len(), start_line: 1, end_line: u32::MAX };
    let span = chunk.map_or(whole, |chunk| chunk.span);
    let reached = ranked.payload.reached.as_ref();
    let named = subject.or_else(|| chunk.and_then(|chunk| named_subject(chunk, context.terms)));
    let window = Window {
        lines: context.request.snippet_lines,
        around: named.map(|symbol| symbol.line),
        context: context.request.context_lines,
    };
    let Passages { snippet, first_match, mut matches, total } =
        find_passages(&text, span, context.terms, window);
    let symbol = named.or_else(|| chunk.and_then(|chunk| subject_around(chunk, first_match?)));
    let snippet = if snippet.text.is_empty() { first_line(&text) } else { snippet };
    let title_match = context.terms.match_in("title", &document.title);
    let path_match = context.terms.match_in("path", &document.path);
    matches.splice(0..0, title_match.into_iter().chain(path_match));
    matches.truncate(MAX_MATCHES);

    let on_disk = document.text.is_none();
    let heading = chunk
        .filter(|chunk| chunk.kind == ChunkKind::Section)
        .and_then(|chunk| chunk.breadcrumb.last())
        .filter(|_| on_disk);
    let attributes = &document.attributes;
    // Who asks for a definition gets its lines, who asks for a passage those of the passage. Where
    // lines were cut, nothing tells how far a definition goes.
    let extent = named.filter(|_| chunk.is_some_and(|chunk| chunk.kind != ChunkKind::Lines));
    let lines = (on_disk && is_readable).then(|| lines_of(span, extent, line_count(&text)));
    let shown = lines.unwrap_or((span.start_line, span.end_line));
    let body = context.request.bodies.then(|| find_body(&text, shown, context.terms));
    Some(Hit {
        rank: 0,
        id: hit_id(&ranked.key, symbol, heading.map(String::as_str), lines),
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
        signature: symbol.map(|symbol| symbol.signature.clone()),
        doc_comment: symbol.and_then(|symbol| symbol.doc_comment.clone()),
        token_count: (span.end.min(text.len()).saturating_sub(span.start) as u64)
            .div_ceil(BYTES_PER_TOKEN),
        category: document.category.as_str(),
        origin: document.trust.of(document.category),
        status: attributes.status.clone(),
        priority: attributes.priority.clone(),
        tags: attributes.tags.clone(),
        author: attributes.author.clone(),
        date: attributes.updated.or(attributes.created),
        extra: attributes.extra.clone(),
        score: ranked.score,
        match_type: match (reached, ranked.exact) {
            (Some(_), _) => "multi-hop",
            (None, true) => "exact",
            (None, false) => match (ranked.payload.bm25_rank, ranked.payload.semantic_rank) {
                (Some(_), Some(_)) => "hybrid",
                (None, Some(_)) => "semantic",
                _ => "lexical",
            },
        },
        hops: reached.map_or(0, |reached| reached.hops),
        via: reached.map(|reached| reached.via.clone()),
        bm25_score: ranked.payload.bm25_rank.map(|_| ranked.payload.candidate.best_chunk),
        bm25_rank: ranked.payload.bm25_rank,
        semantic_score: ranked.payload.candidate.nearest,
        semantic_rank: ranked.payload.semantic_rank,
        snippet,
        body,
        matches,
        total_matches: total,
        also_found_in: ranked.payload.also.clone(),
        links: Vec::new(),
        explanation: context.request.explain.then(|| ranked.payload.explanation.clone()),
    })
}

/// Most matches that a hit lists.
const MAX_MATCHES: usize = 5;

/// Share of the query that a name must hold for its definition to be the subject.
const MIN_NAMED_SHARE: f32 = 0.5;

/// The definition of a chunk whose name holds most of the query, if one holds half of it.
fn named_subject<'a>(chunk: &'a StoredChunk, terms: &HighlightTerms) -> Option<&'a Symbol> {
    let mut best: Option<(&Symbol, f32)> = None;
    for symbol in chunk.symbol.iter().chain(&chunk.symbols) {
        let Some((share, _)) = terms.highlight(&symbol.name) else { continue };
        // The declaration of a type comes before its constructors and the blocks that extend it.
        let is_better = best.is_none_or(|(known, other)| {
            share > other || (share >= other && symbol.kind.is_type() && !known.kind.is_type())
        });
        if share >= MIN_NAMED_SHARE && is_better {
            best = Some((symbol, share));
        }
    }
    best.map(|(symbol, _)| symbol)
}

/// The innermost definition of a chunk around a line, with the comments and attributes that lead it.
/// `None` for what lies in no definition, such as imports.
fn subject_around(chunk: &StoredChunk, line: u32) -> Option<&Symbol> {
    let around = |symbol: &&Symbol| (symbol.start_line..=symbol.end_line).contains(&line);
    chunk.symbols.iter().rfind(around).or_else(|| {
        // Where no parser tells the end of a function, it goes on to the next one.
        chunk.symbols.iter().rfind(|symbol| symbol.line <= line).filter(|symbol| {
            let runs = matches!(symbol.kind, SymbolKind::Function | SymbolKind::Method);
            chunk.kind == ChunkKind::Lines && runs && symbol.end_line == symbol.line
        })
    })
}

/// First and last line of what is shown of a text of so many lines: the part of the definition that
/// lies in the span.
fn lines_of(span: Span, symbol: Option<&Symbol>, last: u32) -> (u32, u32) {
    let end = span.end_line.min(last);
    match symbol {
        Some(symbol) if symbol.start_line <= end && symbol.end_line >= span.start_line => {
            (symbol.start_line.max(span.start_line), symbol.end_line.min(end))
        }
        _ => (span.start_line, end),
    }
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

impl HighlightTerms {
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
