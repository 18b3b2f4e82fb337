//! Turns a position in the tree into a hit: the definition around the line, with the line
//! highlighted.

use std::collections::BTreeSet;

use lore_schema::{SourceName, Symbol};

use crate::{
    Explanation, Hit, SearchRequest, Snippet, response::id::hit_id, search::sites::DocumentText,
};

/// Average bytes per token of a language model, for code and English.
const BYTES_PER_TOKEN: u64 = 4;

/// Maximum length of a definition that is shown as a whole, in lines. A longer one is cut to the
/// lines around the position.
const MAX_WHOLE_LINES: u32 = 400;

/// The reason for a span in the answer.
pub(crate) struct Reason {
    /// Match type of the hit.
    pub(crate) match_type: &'static str,
    /// Reason, as text.
    pub(crate) via: String,
    /// Score, 0.0..=1.0.
    pub(crate) score: f32,
}

/// Returns the definition, or the lines around a position, as a hit. The passage is around the line
/// `focus`, and `lines` are highlighted.
pub(crate) fn span(
    text: &DocumentText,
    source: SourceName,
    symbol: Option<&Symbol>,
    (focus, lines): (Option<u32>, &BTreeSet<u32>),
    reason: Reason,
    request: &SearchRequest,
) -> Hit {
    let stored = &text.stored;
    let all: Vec<&str> = text.text.lines().collect();
    let last = u32::try_from(all.len()).unwrap_or(u32::MAX).max(1);
    let on_disk = stored.text.is_none();
    let focus = focus.or_else(|| symbol.map(|symbol| symbol.line)).unwrap_or(1);
    let height = u32::try_from(request.snippet_lines.max(1)).unwrap_or(u32::MAX);
    let around = |from: u32, to: u32, height: u32| {
        let start = focus.saturating_sub(height / 2).clamp(from, to);
        let end = start.saturating_add(height - 1).min(to);
        (end.saturating_sub(height - 1).max(from).min(start), end)
    };
    let whole = symbol.filter(|symbol| symbol.end_line - symbol.start_line < MAX_WHOLE_LINES);
    let (from, to) = match whole {
        Some(symbol) => (symbol.start_line.min(focus), symbol.end_line.max(focus).min(last)),
        None => around(1, last, height.max(40).min(last)),
    };
    let shown = around(from, to, height);
    let context = u32::try_from(request.context_lines).unwrap_or(u32::MAX);
    let snippet = cut(
        &all,
        (shown.0.saturating_sub(context).max(1), shown.1.saturating_add(context).min(last)),
        lines,
    );
    let body = cut(&all, (from, to), lines);
    let attributes = &stored.attributes;
    let span = on_disk.then_some((from, to));
    let mut breadcrumb: Vec<String> = Vec::new();
    if let Some(symbol) = symbol {
        let outer = text.outline.symbols.iter().filter(|outer| {
            outer.encloses(symbol) && (outer.line, &outer.name) != (symbol.line, &symbol.name)
        });
        breadcrumb.extend(outer.map(|outer| outer.name.clone()));
        if let Some(container) =
            symbol.container.as_ref().filter(|name| breadcrumb.last() != Some(name))
        {
            breadcrumb.push(container.clone());
        }
    }
    Hit {
        rank: 0,
        id: hit_id(&stored.key.to_string(), symbol, None, span),
        source,
        format: stored.format.clone(),
        kind: symbol.map_or_else(|| stored.kind.clone(), |symbol| symbol.kind.as_str().to_owned()),
        title: symbol.map_or_else(|| stored.title.clone(), |symbol| symbol.name.clone()),
        path: (!stored.path.is_empty()).then(|| stored.path.clone()),
        repository: None,
        start_line: span.map(|span| span.0),
        end_line: span.map(|span| span.1),
        language: stored.language.clone(),
        breadcrumb,
        signature: symbol.map(|symbol| symbol.signature.clone()),
        doc_comment: symbol.and_then(|symbol| symbol.doc_comment.clone()),
        token_count: (body.text.len() as u64).div_ceil(BYTES_PER_TOKEN),
        category: stored.category.as_str(),
        origin: stored.trust.of(stored.category),
        status: attributes.status.clone(),
        priority: attributes.priority.clone(),
        tags: attributes.tags.clone(),
        author: attributes.author.clone(),
        date: attributes.updated.or(attributes.created),
        extra: attributes.extra.clone(),
        score: reason.score,
        match_type: reason.match_type,
        hops: 0,
        via: Some(reason.via),
        bm25_score: None,
        bm25_rank: None,
        semantic_score: None,
        semantic_rank: None,
        snippet,
        body: request.bodies.then_some(body),
        matches: Vec::new(),
        total_matches: lines.len(),
        is_composed: false,
        also_found_in: Vec::new(),
        links: Vec::new(),
        explanation: request.explain.then(|| Explanation::of_one(reason.match_type, reason.score)),
    }
}

/// Returns lines of a text; some are highlighted from the first to the last character.
fn cut(all: &[&str], (from, to): (u32, u32), lines: &BTreeSet<u32>) -> Snippet {
    let mut text = String::new();
    let mut highlights = Vec::new();
    let mut position = 0;
    for number in from..=to {
        let Some(line) = all.get(number as usize - 1) else { break };
        if number > from {
            text.push('\n');
            position += 1;
        }
        let length = line.chars().count();
        if lines.contains(&number) && !line.trim().is_empty() {
            let lead = length - line.trim_start().chars().count();
            highlights.push((position + lead, position + line.trim_end().chars().count()));
        }
        text.push_str(line);
        position += length;
    }
    Snippet { text, start_line: from, highlights }
}
