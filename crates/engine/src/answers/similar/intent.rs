//! Existence check for a description of what code should do.

use std::collections::HashSet;

use lore_index::{DocumentId, IndexError, Listed};
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

/// Minimum evidence of a definition that may do what is described. Of 45 intents that ripgrep, tokio
/// and cargo do not serve, 14 reach it; of 36 that they serve, all do.
const NEARLY_MEANT: f32 = 0.55;

/// Minimum share of the description in a line that states exactly this. No line reaches it for the
/// 45 intents above.
const WHOLE: f32 = 0.95;

/// Finds definitions that do what the words describe.
pub(super) fn of_intent(
    config: &EngineConfig,
    request: &ExistsRequest,
    progress: &dyn Progress,
) -> Result<ExistsResponse, EngineError> {
    let mut filter = Filter { sources: vec![SourceName::Code], ..request.filter.clone() };
    if filter.kinds.is_empty() {
        filter.kinds = KINDS.iter().map(|kind| kind.as_str().to_owned()).collect();
    }
    let search_request = SearchRequest::new(request.text.clone())
        .with_filter(filter)
        .with_syntax(Syntax::Raw)
        .with_limit(request.limit.saturating_mul(2));
    let mut answer = search(config, &search_request, progress, &FollowUpCache::default())?;
    let kinds = &search_request.filter.kinds;
    let snapshot = refresh::take(config, &[SourceName::Code], IndexMode::Update, progress)?;
    let graph = snapshot.graph();
    let wanted = Wanted::new(&request.text);
    let mut carriers = HashSet::new();
    for hit in &mut answer.hits {
        if let Some(definition) = wanted.carrier(hit, kinds, &graph)? {
            replace_by_definition(hit, &definition, &graph)?;
            carriers.insert(hit.id.clone());
            continue;
        }
        let is_definition = kinds.contains(&hit.kind) && hit.id.contains('#');
        if !is_definition
            && let Some(definition) = definition_within(hit, &request.text, kinds, &graph, config)?
        {
            replace_by_definition(hit, &definition, &graph)?;
        }
    }
    answer.hits.retain(|hit| kinds.contains(&hit.kind) && hit.id.contains('#'));
    let carries = |hit: &Hit| carriers.contains(&hit.id);
    let rank = |hit: &Hit| hit.score - if hit.category == OWN { 0.0 } else { NOT_OWN };
    answer.hits.sort_by(|left, right| {
        carries(right).cmp(&carries(left)).then(rank(right).total_cmp(&rank(left)))
    });
    let mut helpers = Vec::new();
    let mut far = None;
    for mut hit in answer.hits {
        if !carries(&hit) && evidence(&hit) < NEARLY_MEANT && !states_it(&hit) {
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
    let is_meant = helpers.iter().any(|helper| carries(&helper.hit));
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
    let reason = "no function, method, type or macro matches these words";
    Ok(found.answer(
        request,
        ExistsInput::Intent,
        reason,
        snapshot,
        config,
        (meaning, answer.warnings),
    ))
}

/// Category of a repository's own code. A test of something is not that thing.
const OWN: &str = "own";

/// The words of a description that a definition must carry to be what is described.
struct Wanted {
    words: Vec<String>,
    /// True for a single name such as `RetryBudget`: then the names alone count, without comments.
    is_name: bool,
}

impl Wanted {
    fn new(text: &str) -> Wanted {
        let mut words = words(text);
        words.retain(|word| !is_stop_word(word));
        Wanted { words, is_name: text.split_whitespace().nth(1).is_none() }
    }

    /// Returns the shortest own definition in a hit's file that carries all words in its name, its
    /// container, its signature and its documentation, at least one of them in the names.
    fn carrier(
        &self,
        hit: &Hit,
        kinds: &[String],
        graph: &CodeGraph<'_>,
    ) -> Result<Option<Definition>, IndexError> {
        let Some(listed) = listed_file(hit, graph)?.filter(|_| hit.category == OWN) else {
            return Ok(None);
        };
        let file = graph.file(listed)?;
        let mut best: Option<(u32, Definition)> = None;
        for definition in Definition::all(&file) {
            let symbol = definition.symbol();
            let length = symbol.end_line.saturating_sub(symbol.start_line);
            let is_shortest = best.as_ref().is_none_or(|(shortest, _)| length < *shortest);
            let is_kind = kinds.iter().any(|kind| kind == symbol.kind.as_str());
            if is_kind && is_shortest && self.is_carried_by(&definition, graph)? {
                best = Some((length, definition));
            }
        }
        Ok(best.map(|(_, definition)| definition))
    }

    fn is_carried_by(
        &self,
        definition: &Definition,
        graph: &CodeGraph<'_>,
    ) -> Result<bool, IndexError> {
        let symbol = definition.symbol();
        let names =
            words(&format!("{} {}", symbol.name, symbol.container.as_deref().unwrap_or_default()));
        let in_names = missing(&self.words.iter().collect::<Vec<_>>(), &names);
        if self.is_name || in_names.is_empty() || in_names.len() == self.words.len() {
            return Ok(in_names.is_empty() && !self.words.is_empty());
        }
        let rest = missing(&in_names, &words(&symbol.signature));
        if rest.is_empty() {
            return Ok(true);
        }
        let documentation = documentation(graph, definition)?.unwrap_or_default();
        Ok(missing(&rest, &words(&documentation)).is_empty())
    }
}

/// Returns the words without a word of the same stem among `known`.
fn missing<'a>(words: &[&'a String], known: &[String]) -> Vec<&'a String> {
    let is_known = |word: &str| known.iter().any(|known| same_stem(known, word));
    words.iter().copied().filter(|word| !is_known(word)).collect()
}

/// Returns the evidence of a hit in meaning and in words: the sum of both, 0.0..=2.0. Unlike the
/// score, it does not depend on the weights of a search.
fn evidence(hit: &Hit) -> f32 {
    let words = hit.bm25_score.unwrap_or(0.0);
    hit.semantic_score.unwrap_or(words) + words
}

/// Returns true if a line of a hit, such as its comment, contains nearly all of the description. In
/// a small tree, where no word is rare, scores carry less information.
fn states_it(hit: &Hit) -> bool {
    hit.matches.iter().any(|matched| matched.line.is_some() && matched.score >= WHOLE)
}

/// Returns the document of a hit's file in the graph.
fn listed_file(hit: &Hit, graph: &CodeGraph<'_>) -> Result<Option<DocumentId>, IndexError> {
    let Some(path) = &hit.path else { return Ok(None) };
    let listing = graph.listing(&Filter::default())?;
    let of_hit =
        |listed: &&Listed<'_>| listed.path == path.as_str() && listed.id.source == hit.source;
    Ok(listing.iter().find(of_hit).map(|listed| listed.id))
}

/// Returns the definition in a hit's file that contains most of the words, if it contains half of
/// them; among equals, the shortest.
fn definition_within(
    hit: &Hit,
    text: &str,
    kinds: &[String],
    graph: &CodeGraph<'_>,
    config: &EngineConfig,
) -> Result<Option<Definition>, EngineError> {
    let Some(path) = &hit.path else { return Ok(None) };
    let Some(listed) = listed_file(hit, graph)? else { return Ok(None) };
    let Ok(source) = config.read_text(path) else {
        return Ok(None);
    };
    let lines: Vec<&str> = source.lines().collect();
    let mut wanted = words(text);
    wanted.retain(|word| !is_stop_word(word));
    let file = graph.file(listed)?;
    let best = Definition::all(&file)
        .filter(|definition| kinds.iter().any(|kind| kind == definition.symbol().kind.as_str()))
        .map(|definition| {
            let symbol = definition.symbol();
            let (first, last) = (symbol.start_line.saturating_sub(1), symbol.end_line);
            let of_place = lines.get(first as usize..(last as usize).min(lines.len()));
            let own = words(&of_place.unwrap_or_default().join("\n"));
            let holds = |word: &&String| own.iter().any(|known| same_stem(known, word));
            let held = wanted.iter().filter(holds).count();
            (held, std::cmp::Reverse(last.saturating_sub(first)), definition)
        })
        .max_by_key(|(held, length, _)| (*held, *length));
    Ok(best
        .filter(|(held, ..)| *held * 2 >= wanted.len().max(1))
        .map(|(.., definition)| definition))
}

/// Returns the distinct words of a text.
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

/// Replaces a hit by a definition of its file.
fn replace_by_definition(
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

/// Returns the definition of a hit.
fn definition_of_hit(hit: &Hit, graph: &CodeGraph<'_>) -> Result<Option<Definition>, IndexError> {
    let named = exact_symbols(graph, &hit.id)?;
    // A hit may show a part of a large definition.
    let (from, to) = (hit.start_line.unwrap_or(0), hit.end_line.unwrap_or(0));
    let is_it = |definition: &Definition| {
        let symbol = definition.symbol();
        Some(definition.file.path.as_str()) == hit.path.as_deref()
            && symbol.start_line <= to
            && from <= symbol.end_line
    };
    Ok(named.into_iter().find(is_it))
}
