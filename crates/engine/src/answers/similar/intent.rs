//! Whether something exists that does what words ask for.

use lore_index::{IndexError, Listed};
use lore_schema::{Filter, SourceName};
use lore_text::{Form, analyzer, is_stop_word, same_stem};

use super::{
    ExistsInput, ExistsRequest, ExistsResponse, Helper,
    findings::{Findings, KINDS, NOT_OWN, usage, verdict_of},
};
use crate::{
    EngineConfig, EngineError, Hit, IndexMode, Progress, SearchRequest, Syntax,
    answers::follow_ups::FollowUpCache,
    graph::{CodeGraph, Definition, documentation, exact_symbols},
    response::id::symbol_id,
    search::search,
    state::{embedding::QueryVector, refresh},
};

/// Least evidence of what does just what the words ask for, and of what may do it. Of 36 intents that
/// ripgrep, tokio or cargo serve, 30 are answered by yes and the others by perhaps; of 45 that they do
/// not, 4 by yes, 10 by perhaps and 31 by no.
const MEANT: f32 = 0.73;
const NEARLY_MEANT: f32 = 0.55;

/// Share of what was asked for that a line must hold to say just that. Of the 45 intents above, a line
/// says none.
const WHOLE: f32 = 0.95;

/// What does what the words ask for.
pub(super) fn of_intent(
    config: &EngineConfig,
    request: &ExistsRequest,
    progress: &dyn Progress,
) -> Result<ExistsResponse, EngineError> {
    let mut filter = Filter { sources: vec![SourceName::Code], ..request.filter.clone() };
    if filter.kinds.is_empty() {
        filter.kinds = KINDS.iter().map(|kind| kind.as_str().to_owned()).collect();
    }
    let search_request = SearchRequest {
        filter,
        syntax: Syntax::Raw,
        limit: request.limit.saturating_mul(2),
        ..SearchRequest::new(request.text.clone())
    };
    let mut answer = search(config, &search_request, progress, &FollowUpCache::default())?;
    let kinds = &search_request.filter.kinds;
    let snapshot = refresh::take(config, &[SourceName::Code], IndexMode::Update, progress)?;
    let graph = snapshot.graph();
    for hit in &mut answer.hits {
        let is_definition = kinds.contains(&hit.kind) && hit.id.contains('#');
        if !is_definition
            && let Some(definition) = definition_within(hit, &request.text, kinds, &graph, config)?
        {
            turn_to(hit, &definition, &graph)?;
        }
    }
    answer.hits.retain(|hit| kinds.contains(&hit.kind) && hit.id.contains('#'));
    let rank = |hit: &Hit| hit.score - if hit.category == "own" { 0.0 } else { NOT_OWN };
    answer.hits.sort_by(|left, right| rank(right).total_cmp(&rank(left)));
    let mut helpers = Vec::new();
    let mut far = None;
    for mut hit in answer.hits {
        if evidence(&hit) < NEARLY_MEANT && !says_it(&hit) {
            far = far.or(Some(hit));
            continue;
        }
        if helpers.len() == request.limit {
            break;
        }
        hit.rank = helpers.len() + 1;
        let mut used = None;
        if let Some(definition) = definition_of_hit(&hit, &graph)? {
            used = Some(usage(&definition, &graph)?);
            hit.start_line = Some(definition.symbol().start_line);
            hit.end_line = Some(definition.symbol().end_line);
        }
        helpers.push(Helper { hit, usage: used });
    }
    let is_meant = helpers.iter().any(|one| evidence(&one.hit) >= MEANT || says_it(&one.hit));
    let found = Findings {
        clones: Vec::new(),
        clone_count: 0,
        clone_files: 0,
        verdict: verdict_of(&helpers, is_meant),
        nearest: far.filter(|_| helpers.is_empty()),
        helpers,
        total: answer.receipt.total,
    };
    drop(graph);
    let meaning = QueryVector {
        name: answer.receipt.semantic,
        fallback: answer.receipt.semantic_fallback,
        ..QueryVector::off()
    };
    let reason = "no function, method, type or macro is near these words";
    Ok(found.answer(
        request,
        ExistsInput::Intent,
        reason,
        snapshot,
        config,
        (meaning, answer.warnings),
    ))
}

/// How much a hit has of what was asked for, in meaning and in words: the sum of both, 0.0..=2.0. Unlike
/// its score, this is the same however both are weighed in a search.
fn evidence(hit: &Hit) -> f32 {
    let words = hit.bm25_score.unwrap_or(0.0);
    hit.semantic_score.unwrap_or(words) + words
}

/// Whether a line of a hit, such as its comment, holds nearly all that was asked for. In a small tree,
/// where no word is rare, scores say less.
fn says_it(hit: &Hit) -> bool {
    hit.matches.iter().any(|one| one.line.is_some() && one.score >= WHOLE)
}

/// The definition of a hit's file that holds most of the words, if one holds half of them; of equals
/// the shortest.
fn definition_within(
    hit: &Hit,
    text: &str,
    kinds: &[String],
    graph: &CodeGraph<'_>,
    config: &EngineConfig,
) -> Result<Option<Definition>, EngineError> {
    let Some(path) = &hit.path else { return Ok(None) };
    let listing = graph.listing(&Filter::default())?;
    let of_hit =
        |listed: &&Listed<'_>| listed.path == path.as_str() && listed.id.source == hit.source;
    let Some(listed) = listing.iter().find(of_hit) else { return Ok(None) };
    let Ok(source) = config.read_text(path) else {
        return Ok(None);
    };
    let lines: Vec<&str> = source.lines().collect();
    let mut asked = words(text);
    asked.retain(|word| !is_stop_word(word));
    let file = graph.file(listed.id)?;
    let best = Definition::all(&file)
        .filter(|definition| kinds.iter().any(|kind| kind == definition.symbol().kind.as_str()))
        .map(|definition| {
            let symbol = definition.symbol();
            let (first, last) = (symbol.start_line.saturating_sub(1), symbol.end_line);
            let of_place = lines.get(first as usize..(last as usize).min(lines.len()));
            let own = words(&of_place.unwrap_or_default().join("\n"));
            let holds = |word: &&String| own.iter().any(|one| same_stem(one, word));
            let held = asked.iter().filter(holds).count();
            (held, std::cmp::Reverse(last.saturating_sub(first)), definition)
        })
        .max_by_key(|(held, length, _)| (*held, *length));
    Ok(best.filter(|(held, ..)| *held * 2 >= asked.len().max(1)).map(|(.., definition)| definition))
}

/// The distinct words of a text.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    analyzer("code").analyze(text, &mut |token| {
        if token.form == Form::Part {
            words.push(token.term.to_owned());
        }
    });
    words.sort_unstable();
    words.dedup();
    words
}

/// Makes a hit one of a definition of its file.
fn turn_to(
    hit: &mut Hit,
    definition: &Definition,
    graph: &CodeGraph<'_>,
) -> Result<(), IndexError> {
    let symbol = definition.symbol();
    hit.id = symbol_id(&format!("{}:{}", hit.source, definition.file.path), symbol);
    symbol.kind.as_str().clone_into(&mut hit.kind);
    hit.title.clone_from(&symbol.name);
    hit.breadcrumb = symbol.container.iter().cloned().collect();
    hit.signature = Some(symbol.signature.clone());
    hit.doc_comment = documentation(graph, definition)?;
    hit.start_line = Some(symbol.start_line);
    hit.end_line = Some(symbol.end_line);
    Ok(())
}

/// The definition of a hit, as a place of the graph.
fn definition_of_hit(hit: &Hit, graph: &CodeGraph<'_>) -> Result<Option<Definition>, IndexError> {
    let named = exact_symbols(graph, &hit.id)?;
    // Of a large definition, a hit may show a part.
    let (from, to) = (hit.start_line.unwrap_or(0), hit.end_line.unwrap_or(0));
    let is_it = |definition: &Definition| {
        let symbol = definition.symbol();
        Some(definition.file.path.as_str()) == hit.path.as_deref()
            && symbol.start_line <= to
            && from <= symbol.end_line
    };
    Ok(named.into_iter().find(is_it))
}
