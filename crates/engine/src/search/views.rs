//! Searches pasted text: as several queries, its views, whose scores are added, together with the
//! places that its frames name and the texts that became its messages.
//!
//! Each hit is presented by the view that ranks it best, because its lines answer that view; or at
//! the line of a frame or a message.

mod evidence;

use std::collections::{HashMap, hash_map::Entry};

use lore_index::DocumentId;

use self::evidence::{Admission, Evidence};
use super::{
    RankedList,
    choose::choose_lines,
    confidence::confidence,
    context::SearchContext,
    lines::show_line,
    named::{OnlyPlace, only_definition},
    parse::{ParsedQuery, is_ambiguous, is_built_in_field, parse},
    present::{ReadTexts, Selection, fold_duplicates, present},
    rank,
    retrieve::Totals,
    score::{ScoredDocument, select},
};
use crate::{
    EngineError, Explanation, Mode, Part, SearchRequest, SearchResponse, Syntax,
    answers::follow_ups::FollowUpCache,
    query::pasted::{self, View},
    rank::{Calibration, HighlightTerms, Ranked, SOURCE_PART, Sequence, by_rank},
    state::files::UnverifiedText,
};

/// Number of documents of a view that are better than not being found. The score of the last one is
/// the base of the view.
const DEPTH: usize = 50;

/// Distance of the base from the last document of a shorter list.
const BELOW_LAST: f32 = 0.25;

/// Weight of a frame, and of a message, on the scale of the mean of the views.
const FRAME_WEIGHT: f32 = 1.0;
const MESSAGE_WEIGHT: f32 = 3.0;

/// Weight of a frame in a text of one line: it has few other words, so the place that it names is
/// the answer more often than one frame of a traceback.
const FRAME_WEIGHT_OF_LINE: f32 = 2.0;

/// Minimum strength of a message or frame whose line is shown.
const MIN_SHOWN: f32 = 0.15;

/// A view that was searched.
struct Searched {
    name: &'static str,
    weight: f32,
    query: ParsedQuery,
    request: SearchRequest,
    terms: Vec<HighlightTerms>,
    sequence: Sequence,
    totals: Totals,
    /// The score of a document that it does not find.
    base: f32,
}

/// A document in the lists of the views.
struct Fused {
    /// By view: the score above the base.
    above: Vec<f32>,
    /// Index of the view that ranks it best.
    view: usize,
    frame: Option<Evidence>,
    message: Option<Evidence>,
    document: Ranked<ScoredDocument>,
}

/// Answers a request with pasted text; `None` for a query.
pub(super) fn search(
    context: SearchContext<'_>,
    follow_ups: &FollowUpCache,
) -> Result<Option<SearchResponse>, EngineError> {
    let request = context.request;
    if request.mode == Mode::Semantic || request.hops > 0 {
        return Ok(None);
    }
    let views = if pasted::is_pasted(&request.query, is_built_in_field) {
        pasted::views(&request.query)
    } else if is_ambiguous(request) {
        View::of_ambiguous(&request.query)
    } else {
        return Ok(None);
    };
    search_views(views, &request.query, TextKind::Pasted, context, follow_ups)
}

/// Answers a request together with the messages of a log; `None` if it has no words.
pub(super) fn search_log(
    log: &str,
    context: SearchContext<'_>,
    follow_ups: &FollowUpCache,
) -> Result<Option<SearchResponse>, EngineError> {
    let request = context.request;
    if request.mode == Mode::Semantic || request.hops > 0 {
        return Ok(None);
    }
    search_views(View::of_words(&request.query), log, TextKind::Log, context, follow_ups)
}

/// Kind of a text whose frames and messages name places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TextKind {
    /// A pasted text.
    Pasted,
    /// The log of a search from a failure.
    Log,
}

/// Searches views, and the places that `text` names.
fn search_views(
    views: Vec<View>,
    text: &str,
    kind: TextKind,
    context: SearchContext<'_>,
    follow_ups: &FollowUpCache,
) -> Result<Option<SearchResponse>, EngineError> {
    let SearchContext { request, snapshot, config } = context;
    let mut texts = ReadTexts::new();
    let mut searched: Vec<Searched> = Vec::new();
    let mut fused: HashMap<DocumentId, Fused> = HashMap::new();
    for view in views {
        let syntax = if view.is_raw { Syntax::Raw } else { request.syntax };
        let request = request.clone().with_query(view.text).with_syntax(syntax);
        let context = SearchContext { request: &request, snapshot, config };
        let query = match parse(context) {
            Err(EngineError::EmptyQuery) => continue,
            other => other?,
        };
        if query.plan.query.words.is_empty() {
            continue;
        }
        let RankedList { query, scored, terms, sequence, totals } =
            rank(query, &mut texts, context)?;
        let base = base(&scored);
        for document in scored.into_iter().take(DEPTH) {
            add(&mut fused, document, searched.len(), base);
        }
        searched.push(Searched {
            name: view.name,
            weight: view.weight,
            query,
            request,
            terms,
            sequence,
            totals,
            base,
        });
    }
    // The last view has no conditions but those of the request.
    let Some(last) = searched.last() else { return Ok(None) };
    let admission = Admission::new(&last.totals.admitted, &last.query, context)?;
    add_evidence(&mut fused, (text, kind), &admission, &mut texts, context)?;
    let frame_weight =
        if text.trim().lines().count() == 1 { FRAME_WEIGHT_OF_LINE } else { FRAME_WEIGHT };
    let (mut list, origin) = scored(fused, frame_weight, &searched, context);
    fold_duplicates(&mut list, &mut texts, context);
    let query = &searched[0].query;
    let mut ranked = select(list, query, context.ranking_limit());
    let only = only_definition(query, context)?;
    let first: Vec<_> = ranked.iter().collect();
    let confidence =
        confidence(&first, query, only.as_ref().map(OnlyPlace::of), None, false, context);
    ranked.truncate(context.shown_limit());
    let mut response = present_views(searched, ranked, &origin, texts, context, follow_ups)?;
    response.receipt.confidence = confidence.filter(|_| !response.hits.is_empty());
    Ok(Some(response))
}

/// The score of a document that a list does not contain.
fn base(scored: &[Ranked<ScoredDocument>]) -> f32 {
    let raw = |document: &Ranked<ScoredDocument>| Calibration::COMMON.raw(document.score);
    match scored.get(DEPTH - 1) {
        Some(last) => raw(last),
        None => scored.last().map_or(0.0, |last| raw(last) - BELOW_LAST),
    }
}

/// Adds a document of a view to the fused list.
fn add(
    fused: &mut HashMap<DocumentId, Fused>,
    document: Ranked<ScoredDocument>,
    view: usize,
    base: f32,
) {
    let above = Calibration::COMMON.raw(document.score) - base;
    let Some(known) = fused.get_mut(&document.payload.id()) else {
        let mut all = vec![0.0; view];
        all.push(above);
        let id = document.payload.id();
        fused.insert(id, Fused { above: all, view, frame: None, message: None, document });
        return;
    };
    known.above.resize(view, 0.0);
    if above > known.above[known.view] {
        (known.view, known.document) = (view, document);
    }
    known.above.push(above);
}

/// Adds the places of frames and messages.
fn add_evidence(
    fused: &mut HashMap<DocumentId, Fused>,
    (text, kind): (&str, TextKind),
    admission: &Admission,
    texts: &mut ReadTexts,
    context: SearchContext<'_>,
) -> Result<(), EngineError> {
    // The frames of a log are shown elsewhere, and its messages are its subject.
    let (frames, messages) = match kind {
        TextKind::Pasted => (evidence::frames(text, admission, context)?, pasted::messages(text)),
        TextKind::Log => (Vec::new(), pasted::messages_of_log(text)),
    };
    let mut best: Vec<&Fused> = fused.values().collect();
    let sum = |fused: &Fused| fused.above.iter().sum::<f32>();
    best.sort_by(|left, right| {
        sum(right).total_cmp(&sum(left)).then_with(|| left.document.key.cmp(&right.document.key))
    });
    let ranked: Vec<&Ranked<ScoredDocument>> =
        best.into_iter().map(|fused| &fused.document).collect();
    let messages = evidence::messages(&messages, &ranked, admission, texts, context)?;
    for (all, is_frame) in [(frames, true), (messages, false)] {
        for found in all {
            let known = match fused.entry(found.document) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(place) => {
                    let line = line_of(found, texts, context)?;
                    let reached = evidence::reached(found, &line, context)?;
                    let Some(document) = reached else { continue };
                    let above = Vec::new();
                    place.insert(Fused { above, view: 0, frame: None, message: None, document })
                }
            };
            let place = if is_frame { &mut known.frame } else { &mut known.message };
            *place = Some(found);
        }
    }
    Ok(())
}

/// The text of the line of a place.
fn line_of(
    evidence: Evidence,
    texts: &ReadTexts,
    context: SearchContext<'_>,
) -> Result<String, EngineError> {
    let mut sources = context.snapshot.sources.iter();
    let source = sources.find(|open| open.reader.source() == evidence.document.source);
    let Some(source) = source else { return Ok(String::new()) };
    let Some(stored) = source.reader.documents(&[evidence.document])?.pop() else {
        return Ok(String::new());
    };
    let number = evidence.line.unwrap_or(1) as usize - 1;
    let line = |text: &str| text.lines().nth(number).unwrap_or_default().to_owned();
    if let Some(text) = &stored.text {
        return Ok(line(text));
    }
    if let Some(read) = texts.get(&stored.path) {
        return Ok(line(read.to_compare()));
    }
    let read = source.read_unverified(evidence.document, &stored.path, context.config);
    Ok(read.as_ref().map(UnverifiedText::to_compare).map_or(String::new(), line))
}

/// The view that presents a document, and the place whose line it shows.
type Origin = (usize, Option<Evidence>);

/// The fused documents with their scores, best first, and the origin of each by its key.
fn scored(
    fused: HashMap<DocumentId, Fused>,
    frame_weight: f32,
    searched: &[Searched],
    context: SearchContext<'_>,
) -> (Vec<Ranked<ScoredDocument>>, HashMap<String, Origin>) {
    let weights = searched.iter().map(|view| view.weight).sum::<f32>();
    let base = searched.iter().map(|view| view.base * view.weight).sum::<f32>() / weights;
    let mut origin = HashMap::new();
    let mut list = Vec::with_capacity(fused.len());
    for Fused { mut above, view, frame, message, mut document } in fused.into_values() {
        above.resize(searched.len(), 0.0);
        let mut parts = Vec::with_capacity(searched.len() + 3);
        let mut add = |name, value: f32, weight: f32| {
            parts.push(Part { name, value, weight, contribution: value * weight });
        };
        for (view, value) in searched.iter().zip(above) {
            add(view.name, value, view.weight / weights);
        }
        add("frame", frame.map_or(0.0, |frame| frame.value), frame_weight);
        add("message", message.map_or(0.0, |message| message.value), MESSAGE_WEIGHT);
        add(SOURCE_PART, 1.0, base);
        document.payload.explanation = Explanation { parts };
        document.score = Calibration::COMMON.score(document.payload.explanation.sum());
        document.exact = false;
        if document.score < context.request.min_score {
            continue;
        }
        let shown = frame.or(message).filter(|shown| shown.value >= MIN_SHOWN);
        origin.insert(document.key.clone(), (view, shown));
        list.push(document);
    }
    list.sort_by(by_rank);
    (list, origin)
}

/// Presents the hits of all views, in their order.
fn present_views(
    searched: Vec<Searched>,
    ranked: Vec<Ranked<ScoredDocument>>,
    origin: &HashMap<String, Origin>,
    mut texts: ReadTexts,
    context: SearchContext<'_>,
    follow_ups: &FollowUpCache,
) -> Result<SearchResponse, EngineError> {
    let SearchContext { request, snapshot, config } = context;
    let mut by_view: Vec<Vec<Ranked<ScoredDocument>>> =
        searched.iter().map(|_| Vec::new()).collect();
    for mut document in ranked {
        let (view, shown) = origin[&document.key];
        if let Some(evidence) = shown
            && let Some(number) = evidence.line
        {
            let line = line_of(evidence, &texts, context)?;
            show_line(&mut document.payload, number, &line, context)?;
        }
        by_view[view].push(document);
    }
    let mut whole: Option<SearchResponse> = None;
    for (view, mut ranked) in searched.into_iter().zip(by_view) {
        if whole.is_some() && ranked.is_empty() {
            continue;
        }
        let of_view = ranked.iter().filter_map(|ranked| {
            let path = &ranked.payload.candidate.parts.document.path;
            texts.remove(path).map(|text| (path.clone(), text))
        });
        let mut texts = of_view.collect();
        let Searched { query, request, terms, sequence, totals, .. } = view;
        let context = SearchContext { request: &request, snapshot, config };
        choose_lines(&mut ranked, &mut texts, &terms, &sequence, &query, context)?;
        let part =
            present(Selection { ranked, texts, terms, totals }, &query, context, follow_ups)?;
        match &mut whole {
            None => whole = Some(part),
            Some(whole) => {
                whole.hits.extend(part.hits);
                whole.receipt.total = whole.receipt.total.max(part.receipt.total);
                whole.receipt.exhaustive = false;
            }
        }
    }
    let mut response = whole.expect("the first view is presented");
    response.query.clone_from(&request.query);
    response.hits.sort_by(|left, right| right.score.total_cmp(&left.score));
    for (at, hit) in response.hits.iter_mut().enumerate() {
        hit.rank = at + 1;
    }
    if !response.hits.is_empty() {
        response.absence = None;
    }
    Ok(response)
}
