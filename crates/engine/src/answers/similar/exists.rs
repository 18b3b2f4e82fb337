//! Existence check for code: finds copies, definitions that do the same, and how often both are
//! used.

use std::{cmp::Ordering, collections::HashSet};

use lore_index::{DenseQuery, DocumentSet};
use lore_schema::{Category, Filter, SourceName};
use lore_text::ChunkText;

use super::{
    Existence, ExistsInput, ExistsRequest, ExistsResponse, Helper, NearClone,
    copies::{Fingerprint, names},
    findings::{Findings, KINDS, NOT_OWN, usage, verdict_of},
    pieces::{Piece, apart, by_meaning, by_names, compare, pieces},
    related::{NEAR_CLONE, SIMILAR, definition_of},
};
use crate::{
    EngineConfig, EngineError, Hit, IndexMode, Progress, SearchRequest,
    search::templates::without_templates,
    state::{embedding::QueryVector, refresh, snapshot::Snapshot},
};

/// Minimum share of the given code that a near clone contains. It separates copies from code
/// written alike.
///
/// - Of 110 functions of ripgrep and tokio, pasted with other names of variables, fields and
///   functions, 106 reach it with their original, most of them by far.
/// - Other code above 0.6 was written alike: accessors of sibling types, tests of one table,
///   another `poll_read`.
/// - Of 70 functions pasted into another repository, none reaches it.
const CLONE: f32 = 0.6;

/// Minimum share of a definition in the given code, for a near clone that is shorter than the code.
const WITHIN: f32 = 0.8;

/// Minimum similarity in meaning of a definition that does the same as the given code. For nine of
/// ten functions of ripgrep the nearest other function of ripgrep is below it. The siblings of the
/// tenth are above it (`max_depth` and `min_depth`).
const SAME: f32 = 0.85;

/// Minimum similarity in meaning of a definition that may do the same as the given code. Of 70
/// functions pasted into another repository, the nearest definition reaches 0.48 for half of them,
/// less than 0.6 for nine of ten, and 0.69 for one. In their own repository, it reaches 0.69 for
/// half of them.
const ALIKE: f32 = 0.6;

/// Maximum number of near clones to count.
const MAX_CLONES: usize = 1_000;

/// Minimum share of punctuation among the characters of code: for one line, and for several.
const SIGNS_OF_LINE: f32 = 0.12;
const SIGNS_OF_LINES: f32 = 0.04;

/// Guesses the kind of a text from its share of punctuation.
pub(super) fn guess_input(text: &str) -> ExistsInput {
    let is_sign = |c: char| {
        matches!(
            c,
            '(' | ')'
                | '{'
                | '}'
                | '['
                | ']'
                | ';'
                | '='
                | '<'
                | '>'
                | '&'
                | '|'
                | '*'
                | '_'
                | '+'
                | '$'
                | '@'
        )
    };
    let written = text.chars().filter(|c| !c.is_whitespace()).count();
    let signs = text.chars().filter(|c| is_sign(*c)).count();
    let lines = text.lines().filter(|line| !line.trim().is_empty()).count();
    let share = signs as f32 / written.max(1) as f32;
    let min_share = if lines > 1 { SIGNS_OF_LINES } else { SIGNS_OF_LINE };
    if share >= min_share { ExistsInput::Code } else { ExistsInput::Intent }
}

/// Checks whether something exists.
pub(crate) fn exists(
    config: &EngineConfig,
    request: &ExistsRequest,
    progress: &dyn Progress,
) -> Result<ExistsResponse, EngineError> {
    if !request.text.contains(char::is_alphanumeric) {
        return Err(EngineError::EmptyQuery);
    }
    match request.input.unwrap_or_else(|| guess_input(&request.text)) {
        ExistsInput::Code => of_code(config, request, progress),
        ExistsInput::Intent => super::intent::of_intent(config, request, progress),
    }
}

/// Finds copies of code, and definitions that do the same.
fn of_code(
    config: &EngineConfig,
    request: &ExistsRequest,
    progress: &dyn Progress,
) -> Result<ExistsResponse, EngineError> {
    let snapshot = refresh::take(config, &[SourceName::Code], IndexMode::Update, progress)?;
    let search = SearchRequest::new("").with_filter(request.filter.clone());
    let search = without_templates(&search, &snapshot);
    let filter = &search.filter;
    let text = ChunkText { path: "", text: &request.text };
    let meaning = QueryVector::of_passage(text, &config.embedding, &snapshot.readers())?;
    let pieces = candidates(&request.text, meaning.query.as_ref(), filter, &snapshot, config)?;
    let print = Fingerprint::new(&request.text, true);
    let total = pieces.len() as u64;
    let (copies, rest) = ranked(pieces, &print, request.limit);
    let mut clones = Vec::new();
    for copy in copies.iter().take(request.limit) {
        let Some(hit) = copy.describe(&snapshot, config, &search, NEAR_CLONE, clones.len()) else {
            continue;
        };
        clones.push(NearClone { hit, held: copy.held, common_lines: copy.common_lines });
    }
    let alike = rest.iter().filter(|copy| copy.similarity() >= ALIKE).take(request.limit);
    let helpers = helpers_of(alike, &snapshot, config, &search)?;
    let does_the_same = helpers.iter().any(|helper| helper.hit.score >= SAME);
    let nearest = match rest.first() {
        Some(copy) if clones.is_empty() && helpers.is_empty() => {
            copy.describe(&snapshot, config, &search, SIMILAR, 0)
        }
        _ => None,
    };
    let files: HashSet<&str> = copies.iter().map(|copy| copy.piece.stored.path.as_str()).collect();
    let found = Findings {
        clone_count: copies.len(),
        clone_files: files.len(),
        verdict: if clones.is_empty() {
            verdict_of(&helpers, does_the_same)
        } else {
            Existence::Yes
        },
        clones,
        helpers,
        nearest,
        total,
    };
    let mut warnings = Vec::new();
    if !print.is_distinctive() {
        warnings.push("the code is too short to detect copies of it".to_owned());
    }
    if meaning.query.is_none() {
        warnings.push("embeddings are not used: only near clones are found".to_owned());
    }
    let reason = "no definition contains most of this code, and none is similar in meaning";
    Ok(found.answer(request, ExistsInput::Code, reason, snapshot, config, (meaning, warnings)))
}

/// Returns the pieces to compare with code, with their similarity in meaning if `query` is known.
fn candidates(
    code: &str,
    query: Option<&DenseQuery>,
    filter: &Filter,
    snapshot: &Snapshot,
    config: &EngineConfig,
) -> Result<Vec<Piece>, EngineError> {
    let within = vec![DocumentSet::all(); snapshot.sources.len()];
    let mut near = by_names(&names(code), snapshot, filter, &within)?;
    if let Some(query) = query {
        near.extend(by_meaning(query, snapshot, filter, &within)?.0);
    }
    let mut pieces = pieces(&near, snapshot, config)?;
    pieces.retain(|piece| {
        filter.kinds.is_empty() || filter.kinds.iter().any(|kind| kind == piece.kind())
    });
    if let Some(query) = query
        && let Some(embedder) = config.embedding.embedder(&query.model)
    {
        compare(&mut pieces, query, embedder, snapshot)?;
    }
    Ok(pieces)
}

/// Returns the near clones by their share of the code, and the definitions outside them by their
/// similarity in meaning.
fn ranked(pieces: Vec<Piece>, print: &Fingerprint, limit: usize) -> (Vec<Copy>, Vec<Copy>) {
    let (mut copies, rest): (Vec<Copy>, Vec<Copy>) =
        pieces.into_iter().map(|piece| Copy::new(piece, print)).partition(|copy| copy.is_clone);
    copies.sort_by(Copy::order);
    let copies = apart(copies, |copy| &copy.piece, MAX_CLONES);
    let mut rest: Vec<Copy> = rest.into_iter().filter(Copy::could_be_used).collect();
    rest.sort_by(Copy::order_by_meaning);
    let mut rest = apart(rest, |copy| &copy.piece, limit + copies.len());
    rest.retain(|copy| {
        let lines = Some(copy.piece.lines);
        !copies.iter().any(|known| known.piece.overlaps(copy.piece.document, lines))
    });
    (copies, rest)
}

/// Returns definitions as helpers, with their uses.
fn helpers_of<'a>(
    copies: impl Iterator<Item = &'a Copy>,
    snapshot: &Snapshot,
    config: &EngineConfig,
    search: &SearchRequest,
) -> Result<Vec<Helper>, EngineError> {
    let graph = snapshot.graph();
    let mut helpers = Vec::new();
    for copy in copies {
        let Some(hit) = copy.describe(snapshot, config, search, SIMILAR, helpers.len()) else {
            continue;
        };
        let symbol = copy.piece.symbol.as_ref();
        let definition =
            symbol.map(|symbol| definition_of(copy.piece.document, symbol, &graph)).transpose()?;
        let usage =
            definition.flatten().map(|definition| usage(&definition, &graph)).transpose()?;
        helpers.push(Helper { hit, usage });
    }
    Ok(helpers)
}

/// A piece compared with the given code.
struct Copy {
    piece: Piece,
    /// Share of the given code that it contains.
    held: f32,
    /// Share of the given code's lines that it contains.
    common_lines: f32,
    /// Overlap of both texts.
    overlap: f32,
    is_clone: bool,
}

impl Copy {
    fn new(piece: Piece, print: &Fingerprint) -> Copy {
        let held = print.held_by(&piece.print);
        let within = piece.print.is_distinctive() && piece.print.held_by(print) >= WITHIN;
        let is_clone = (print.is_distinctive() && held >= CLONE) || within;
        let common_lines = print.lines_in(&piece.print);
        let overlap = print.overlap(&piece.print);
        Copy { piece, held, common_lines, overlap, is_clone }
    }

    fn similarity(&self) -> f32 {
        self.piece.similarity.unwrap_or(0.0)
    }

    /// Returns true if the piece could be used instead of new code.
    fn could_be_used(&self) -> bool {
        self.piece.symbol.as_ref().is_some_and(|symbol| KINDS.contains(&symbol.kind))
    }

    fn place(&self) -> (&str, (u32, u32)) {
        (&self.piece.stored.path, self.piece.lines)
    }

    /// Sorts by the share of the code, largest first; then by the smallest rest, so that a method
    /// comes before the block around it.
    fn order(left: &Copy, right: &Copy) -> Ordering {
        right
            .held
            .total_cmp(&left.held)
            .then(right.common_lines.total_cmp(&left.common_lines))
            .then(right.overlap.total_cmp(&left.overlap))
            .then_with(|| left.place().cmp(&right.place()))
    }

    /// Sorts by similarity in meaning, highest first; the repository's own code is preferred to
    /// tests and the like.
    fn order_by_meaning(left: &Copy, right: &Copy) -> Ordering {
        let rank = |copy: &Copy| {
            let is_own = copy.piece.stored.category == Category::Own;
            copy.similarity() - if is_own { 0.0 } else { NOT_OWN }
        };
        rank(right).total_cmp(&rank(left)).then_with(|| left.place().cmp(&right.place()))
    }

    fn describe(
        &self,
        snapshot: &Snapshot,
        config: &EngineConfig,
        search: &SearchRequest,
        match_type: &'static str,
        before: usize,
    ) -> Option<Hit> {
        let score = if match_type == NEAR_CLONE { self.held } else { self.similarity() };
        let score = score.clamp(0.0, 1.0);
        let mut hit = self.piece.describe(snapshot, config, search, (score, match_type))?;
        hit.rank = before + 1;
        Some(hit)
    }
}
