//! Turns a ranked document into a hit: its name and its passage, proven against the disk.

use std::borrow::Cow;

use lore_index::StoredChunk;
use lore_schema::{ChunkKind, Span, Symbol, SymbolKind};

use crate::{
    Hit, Match, SearchRequest, Snippet,
    rank::{HighlightTerms, Passages, Ranked, Window, find_body, find_passages, line_count},
    response::id::hit_id,
    search::score::ScoredDocument,
    state::{
        files::UnverifiedText,
        proof::{PassageRef, PassageState, ProofContext},
    },
};

/// Further input of the description of a hit.
pub(crate) struct HitContext<'a> {
    /// The state that the hit is proven against.
    pub(crate) proof: ProofContext<'a>,
    /// The request.
    pub(crate) request: &'a SearchRequest,
    /// The words to highlight in texts of the hit's source.
    pub(crate) terms: &'a HighlightTerms,
}

/// Bytes per token of a language model, on average over code and English.
const BYTES_PER_TOKEN: u64 = 4;

/// Describes a ranked document; `None` when its passage vanished during this search. `read` is the
/// text of its file, not yet compared with what was listed.
pub(crate) fn describe(
    ranked: &Ranked<ScoredDocument>,
    read: Option<UnverifiedText>,
    context: &HitContext<'_>,
) -> Option<Hit> {
    let located = locate(&ranked.payload, read, context)?;
    let passage = choose_passage(&located, ranked, context);
    Some(hit(ranked, &located, passage, context))
}

/// The text of a document as it is now, and the place of the passage in it.
struct Located<'a> {
    text: Cow<'a, str>,
    /// The chunk; `None` for the whole document.
    chunk: Option<Cow<'a, StoredChunk>>,
    /// The definition that answers, where that is known.
    subject: Option<Cow<'a, Symbol>>,
    /// True if the file could be read.
    is_readable: bool,
    /// True if the text is the one that was indexed.
    is_as_indexed: bool,
}

/// Finds the passage of a document on the disk.
fn locate<'a>(
    document: &'a ScoredDocument,
    read: Option<UnverifiedText>,
    context: &HitContext<'_>,
) -> Option<Located<'a>> {
    let parts = &document.candidate.parts;
    let (chunk, subject) = (parts.chunks.first(), document.subject.as_ref());
    let as_indexed = |text, is_readable| Located {
        text,
        chunk: chunk.map(Cow::Borrowed),
        subject: subject.map(Cow::Borrowed),
        is_readable,
        is_as_indexed: is_readable,
    };
    if let Some(text) = &parts.document.text {
        return Some(as_indexed(Cow::Borrowed(text.as_str()), true));
    }
    let matches = |text: &str| context.terms.highlight(text).is_some();
    let passage = PassageRef { document: &parts.document, chunk, subject, matches: &matches };
    match context.proof.locate(&passage, read) {
        PassageState::AsIndexed(text) => Some(as_indexed(Cow::Owned(text), true)),
        PassageState::Moved(moved) => Some(Located {
            text: Cow::Owned(moved.text),
            chunk: moved.chunk.map(Cow::Owned),
            subject: moved.subject.map(Cow::Owned),
            is_readable: true,
            is_as_indexed: false,
        }),
        PassageState::Unreadable => Some(as_indexed(Cow::Borrowed(""), false)),
        PassageState::Gone => None,
    }
}

/// The passage that a hit shows.
struct ShownPassage<'l> {
    /// The definition that names the hit, if one does.
    symbol: Option<&'l Symbol>,
    /// Heading of the section, where that names the hit.
    heading: Option<&'l str>,
    /// First and last line; `None` for what is not in a file.
    lines: Option<(u32, u32)>,
    snippet: Snippet,
    body: Option<Snippet>,
    matches: Vec<Match>,
    total_matches: usize,
    token_count: u64,
}

/// Chooses the passage to show, and the definition that names it.
fn choose_passage<'l>(
    located: &'l Located<'_>,
    ranked: &Ranked<ScoredDocument>,
    context: &HitContext<'_>,
) -> ShownPassage<'l> {
    let (text, request) = (&*located.text, context.request);
    let (chunk, subject) = (located.chunk.as_deref(), located.subject.as_deref());
    let document = &ranked.payload.candidate.parts.document;
    let whole = Span { start: 0, end: text.len(), start_line: 1, end_line: u32::MAX };
    let span = chunk.map_or(whole, |chunk| chunk.span);
    let named = subject.or_else(|| chunk.and_then(|chunk| named_subject(chunk, context.terms)));
    let start = ranked.payload.window.filter(|_| located.is_as_indexed);
    // The definition that names the hit is one that the lines belong to.
    let end = |line: u32| line + u32::try_from(request.snippet_lines).unwrap_or(u32::MAX);
    let named = named.filter(|symbol| {
        start.is_none_or(|line| symbol.start_line < end(line) && symbol.end_line >= line)
    });
    let window = Window {
        lines: request.snippet_lines,
        start,
        around: line_that_answers(&ranked.payload, named),
        context: request.context_lines,
    };
    let Passages { snippet, first_match, mut matches, total } =
        find_passages(text, span, context.terms, window);
    let title_match = context.terms.match_in("title", &document.title);
    let path_match = context.terms.match_in("path", &document.path);
    matches.splice(0..0, title_match.into_iter().chain(path_match));
    matches.truncate(MAX_MATCHES);
    let on_disk = document.text.is_none();
    let is_section = |chunk: &&StoredChunk| on_disk && chunk.kind == ChunkKind::Section;
    let heading = chunk.filter(is_section).and_then(|chunk| chunk.breadcrumb.last());
    // A hit for a definition has the lines of the definition, other hits those of the chunk. In
    // chunks that were cut by lines, the end of a definition is unknown.
    let extent = named.filter(|_| chunk.is_some_and(|chunk| chunk.kind != ChunkKind::Lines));
    let lines = (on_disk && located.is_readable).then(|| lines_of(span, extent, line_count(text)));
    let shown = lines.unwrap_or((span.start_line, span.end_line));
    ShownPassage {
        symbol: named.or_else(|| chunk.and_then(|chunk| subject_around(chunk, first_match?))),
        heading: heading.map(String::as_str),
        lines,
        snippet: if snippet.text.is_empty() { first_line(text) } else { snippet },
        body: request.bodies.then(|| find_body(text, shown, context.terms)),
        matches,
        total_matches: total,
        token_count: (span.end.min(text.len()).saturating_sub(span.start) as u64)
            .div_ceil(BYTES_PER_TOKEN),
    }
}

/// The line that the passage must show: the one that answers, or the name of the definition that does.
fn line_that_answers(document: &ScoredDocument, named: Option<&Symbol>) -> Option<u32> {
    let Some(line) = document.around else { return named.map(|symbol| symbol.line) };
    // Where the definition moved since it was indexed, so did the line.
    let moved = document.subject.as_ref().zip(named);
    let moved = moved.map_or(0, |(indexed, now)| i64::from(now.line) - i64::from(indexed.line));
    u32::try_from(i64::from(line) + moved).ok()
}

/// The hit of a document with a passage.
fn hit(
    ranked: &Ranked<ScoredDocument>,
    located: &Located<'_>,
    passage: ShownPassage<'_>,
    context: &HitContext<'_>,
) -> Hit {
    let scored = &ranked.payload;
    let document = &scored.candidate.parts.document;
    let attributes = &document.attributes;
    let (symbol, lines) = (passage.symbol, passage.lines);
    let id = hit_id(&ranked.key, symbol, passage.heading, lines);
    let record = attributes.lines.filter(|_| document.text.is_some());
    let lines = record.or(lines);
    let reached = scored.reached.as_ref();
    Hit {
        rank: 0,
        id,
        source: ranked.source,
        format: document.format.clone(),
        kind: symbol
            .map_or_else(|| document.kind.clone(), |symbol| symbol.kind.as_str().to_owned()),
        title: symbol.map_or_else(|| document.title.clone(), |symbol| symbol.name.clone()),
        path: (!document.path.is_empty()).then(|| document.path.clone()),
        repository: None,
        start_line: lines.map(|lines| lines.0),
        end_line: lines.map(|lines| lines.1),
        language: document.language.clone(),
        breadcrumb: breadcrumb(located.chunk.as_deref(), symbol),
        signature: symbol.map(|symbol| symbol.signature.clone()),
        doc_comment: symbol.and_then(|symbol| symbol.doc_comment.clone()),
        token_count: passage.token_count,
        category: document.category.as_str(),
        origin: document.trust.of(document.category),
        status: attributes.status.clone(),
        priority: attributes.priority.clone(),
        tags: attributes.tags.clone(),
        author: attributes.author.clone(),
        date: attributes.updated.or(attributes.created),
        extra: attributes.extra.clone(),
        score: ranked.score,
        match_type: match_type(ranked),
        hops: reached.map_or(0, |reached| reached.hops),
        via: reached.map(|reached| reached.via.clone()),
        bm25_score: scored.bm25_rank.map(|_| scored.candidate.best_chunk),
        bm25_rank: scored.bm25_rank,
        semantic_score: scored.candidate.nearest,
        semantic_rank: scored.semantic_rank,
        snippet: passage.snippet,
        body: passage.body,
        matches: passage.matches,
        total_matches: passage.total_matches,
        is_composed: record.is_some(),
        also_found_in: scored.also.clone(),
        links: Vec::new(),
        explanation: context.request.explain.then(|| scored.explanation.clone()),
    }
}

/// The name of the way in which a document was found.
fn match_type(ranked: &Ranked<ScoredDocument>) -> &'static str {
    if ranked.payload.reached.is_some() {
        return "multi-hop";
    }
    if ranked.exact {
        return "exact";
    }
    match (ranked.payload.bm25_rank, ranked.payload.semantic_rank) {
        (Some(_), Some(_)) => "hybrid",
        (None, Some(_)) => "semantic",
        _ => "lexical",
    }
}

/// Maximum number of matches of a hit.
const MAX_MATCHES: usize = 5;

/// Minimum share of the query that a name must contain for its definition to be the subject.
const MIN_NAMED_SHARE: f32 = 0.5;

/// The definition of a chunk whose name contains most of the query, if that is at least half of it.
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

/// The innermost definition of a chunk around a line, including the comments and attributes before
/// it. `None` for lines outside of definitions, such as imports.
fn subject_around(chunk: &StoredChunk, line: u32) -> Option<&Symbol> {
    let around = |symbol: &&Symbol| (symbol.start_line..=symbol.end_line).contains(&line);
    chunk.symbols.iter().rfind(around).or_else(|| {
        // Without a parser the end of a function is unknown: it extends to the next one.
        chunk.symbols.iter().rfind(|symbol| symbol.line <= line).filter(|symbol| {
            let runs = matches!(symbol.kind, SymbolKind::Function | SymbolKind::Method);
            chunk.kind == ChunkKind::Lines && runs && symbol.end_line == symbol.line
        })
    })
}

/// First and last line that are shown, in a text with `last` lines: the part of the definition
/// inside the span.
fn lines_of(span: Span, symbol: Option<&Symbol>, last: u32) -> (u32, u32) {
    let end = span.end_line.min(last);
    match symbol {
        Some(symbol) if symbol.start_line <= end && symbol.end_line >= span.start_line => {
            (symbol.start_line.max(span.start_line), symbol.end_line.min(end))
        }
        _ => (span.start_line, end),
    }
}

/// Names of the definitions and headings around the subject, outermost first.
fn breadcrumb(chunk: Option<&StoredChunk>, symbol: Option<&Symbol>) -> Vec<String> {
    let mut names = chunk.map(|chunk| chunk.breadcrumb.clone()).unwrap_or_default();
    if let Some(container) = symbol.and_then(|symbol| symbol.container.as_ref())
        && names.last() != Some(container)
    {
        names.push(container.clone());
    }
    names
}

/// The first line that is not blank, for a hit that only its name or its attributes found.
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
