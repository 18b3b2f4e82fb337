//! Evaluates questions about the graph of definitions whose answers are completely known: recall
//! and precision.
//!
//! A row of the collection contains the definition, a relation, and every place that is an answer.
//! Places are judged individually and pooled over the questions: a question with many answers
//! counts more than one with few.

mod report;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use lore_engine::{
    EngineError, GraphEdge, Progress, Relation, ResearchQuestion, ResearchRequest, ResearchResponse,
};
use lore_schema::Filter;
use serde::Deserialize;

pub use self::report::{write_graph_report, write_graph_rows};
use crate::{Collection, EvalError, Open, Trees, collection::parse_lines};

/// Name of the question file in a directory.
const FILE: &str = "questions.jsonl";

/// Maximum distance in lines between the starts of a declaration: attributes and comments may or
/// may not be included.
const DECLARATION_SLACK: u32 = 3;

/// Place of an answer, or target of an edge.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub struct GraphPlace {
    /// Path from the root of the tree.
    pub path: String,
    /// `Type.member`, or a bare name; `None` for a place outside of every definition.
    pub symbol: Option<String>,
    /// Line, 1-based.
    pub line: u32,
}

/// One answer of a question.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct GraphAnswerLabel {
    /// The place.
    #[serde(flatten)]
    pub place: GraphPlace,
    /// The rule that is needed to find it: `same-file`, `import` or `member`.
    pub how: String,
}

impl GraphAnswerLabel {
    /// Returns true if the text alone determines the definition.
    fn is_certain(&self) -> bool {
        matches!(self.how.as_str(), "same-file" | "import")
    }
}

/// The definition that a question is about.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct GraphTarget {
    /// Path from the root of the tree.
    pub path: String,
    /// `Type.member`, or a bare name.
    pub symbol: String,
}

/// One question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphQuestion {
    /// Identifier, unique in its file.
    pub id: String,
    /// The repository of the question.
    pub repository: String,
    /// Language of the repository; empty if unknown.
    pub language: String,
    /// The question in words.
    pub text: String,
    /// The relation to look up.
    pub relation: Relation,
    /// The definition that the question is about.
    pub target: GraphTarget,
    /// All answers.
    pub answers: Vec<GraphAnswerLabel>,
}

/// One line. Unlisted fields are ignored.
#[derive(Debug, Deserialize)]
struct Line {
    id: String,
    repository: String,
    #[serde(default)]
    language: String,
    question: String,
    relation: String,
    target: GraphTarget,
    answers: Vec<GraphAnswerLabel>,
}

/// Reads questions about the graph from a file, or from `questions.jsonl` in a directory; `None`
/// for another kind of collection.
pub fn load_graph_questions(path: &Path) -> Result<Option<Vec<GraphQuestion>>, EvalError> {
    let file = if path.is_dir() { path.join(FILE) } else { path.to_owned() };
    if !file.is_file() || !has_relations(&file)? {
        return Ok(None);
    }
    let questions = parse_lines(&file, |_, text| {
        let line: Line = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let relation = Relation::ALL
            .iter()
            .copied()
            .find(|relation| relation.as_str() == line.relation)
            .ok_or_else(|| format!("there is no relation `{}`", line.relation))?;
        Ok(GraphQuestion {
            id: line.id,
            repository: line.repository,
            language: line.language,
            text: line.question,
            relation,
            target: line.target,
            answers: line.answers,
        })
    })?;
    Ok(Some(questions))
}

/// Returns true if the first JSON row has a relation.
fn has_relations(file: &Path) -> Result<bool, EvalError> {
    let rows = parse_lines(file, |_, text| {
        Ok(serde_json::from_str::<serde_json::Value>(text)
            .is_ok_and(|row| row.get("relation").is_some()))
    })?;
    Ok(rows.into_iter().any(|asks| asks))
}

/// Counts over one question, or over several together. Places are distinct.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GraphCounts {
    /// Number of places found.
    pub found: usize,
    /// Number of found places that are answers.
    pub right: usize,
    /// Number of expected answers.
    pub wanted: usize,
    /// Number of expected answers that were found.
    pub covered: usize,
}

impl GraphCounts {
    /// Share of the found places that are answers, 0.0..=1.0; `None` if nothing was found.
    pub fn precision(&self) -> Option<f64> {
        share(self.right, self.found)
    }

    /// Share of the answers that were found, 0.0..=1.0; `None` without answers.
    pub fn recall(&self) -> Option<f64> {
        share(self.covered, self.wanted)
    }

    fn add(&mut self, other: &GraphCounts) {
        self.found += other.found;
        self.right += other.right;
        self.wanted += other.wanted;
        self.covered += other.covered;
    }
}

fn share(part: usize, whole: usize) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "counts of places are small")]
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// One judged question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphRow {
    /// Identifier of the question.
    pub id: String,
    /// Its repository.
    pub repository: String,
    /// Language of the repository.
    pub language: String,
    /// The question in words.
    pub text: String,
    /// Edges that are resolved in the same file or by an import: precision against all answers,
    /// recall against the answers that need no other rule.
    pub certain: GraphCounts,
    /// All edges against all answers.
    pub all: GraphCounts,
    /// Certain edges that are not answers.
    pub wrong: Vec<GraphPlace>,
    /// Answers without an edge, with the rule that is needed to find them.
    pub missing: Vec<GraphAnswerLabel>,
}

/// The measures of the graph, by the names that users type.
pub const GRAPH_MEASURES: &[&str] = &["precision", "precision-all", "recall", "recall-all"];

/// The value of a measure over rows, pooled; `None` for an unknown measure or without data.
pub fn graph_measure(rows: &[GraphRow], name: &str) -> Option<f64> {
    let (certain, all) = pooled(rows.iter());
    match name {
        "precision" => certain.precision(),
        "precision-all" => all.precision(),
        "recall" => certain.recall(),
        "recall-all" => all.recall(),
        _ => None,
    }
}

/// The counts over rows: of certain edges, and of all edges.
fn pooled<'a>(rows: impl Iterator<Item = &'a GraphRow>) -> (GraphCounts, GraphCounts) {
    let (mut certain, mut all) = (GraphCounts::default(), GraphCounts::default());
    for row in rows {
        certain.add(&row.certain);
        all.add(&row.all);
    }
    (certain, all)
}

/// Runs every question, one step deep, repository by repository, and judges the answers.
///
/// # Errors
/// A missing tree is reported before the first question is run. Otherwise the first error of the
/// engine.
pub fn ask_graph(
    questions: &[GraphQuestion],
    trees: &Trees,
    limit: usize,
    open: Open<'_>,
    progress: &dyn Progress,
) -> Result<Vec<GraphRow>, EvalError> {
    let mut by_repository = BTreeMap::<&str, Vec<&GraphQuestion>>::new();
    for question in questions {
        by_repository.entry(&question.repository).or_default().push(question);
    }
    let places = by_repository
        .keys()
        .map(|repository| trees.find(repository, &Collection::default()))
        .collect::<Result<Vec<_>, EvalError>>()?;
    let mut rows = Vec::with_capacity(questions.len());
    for ((repository, questions), place) in by_repository.into_iter().zip(places) {
        let engine = open(&place.root)
            .map_err(|source| EvalError::Open { path: place.root.clone(), source })?;
        for question in questions {
            let failed = |source: EngineError| EvalError::Engine {
                repository: repository.to_owned(),
                query: question.id.clone(),
                source,
            };
            let response = engine.research(&request(question, limit), progress).map_err(failed)?;
            rows.push(judge(question, &response));
        }
    }
    Ok(rows)
}

fn request(question: &GraphQuestion, limit: usize) -> ResearchRequest {
    let GraphTarget { path, symbol } = &question.target;
    ResearchRequest {
        question: ResearchQuestion {
            relation: question.relation,
            subject: Some(format!("{path}#{symbol}")),
            object: None,
        },
        depth: Some(1),
        filter: Filter::default(),
        limit,
        guesses: false,
    }
}

/// Judges the answer to a question.
fn judge(question: &GraphQuestion, response: &ResearchResponse) -> GraphRow {
    let mut all = BTreeSet::new();
    let mut certain = BTreeSet::new();
    for edge in &response.edges {
        let Some(place) = place_of(question.relation, edge, response) else { continue };
        if edge.certainty.is_certain() {
            certain.insert(place.clone());
        }
        all.insert(place);
    }
    let labels: Vec<&GraphAnswerLabel> = question.answers.iter().collect();
    let sure: Vec<&GraphAnswerLabel> =
        labels.iter().copied().filter(|label| label.is_certain()).collect();
    let fits = |label: &GraphAnswerLabel, place: &GraphPlace| {
        is_same(question.relation, &label.place, place)
    };
    let is_answer = |place: &GraphPlace| labels.iter().any(|label| fits(label, place));
    let counts = |found: &BTreeSet<GraphPlace>, wanted: &[&GraphAnswerLabel]| GraphCounts {
        found: found.len(),
        right: found.iter().filter(|place| is_answer(place)).count(),
        wanted: wanted.len(),
        covered: wanted.iter().filter(|label| found.iter().any(|place| fits(label, place))).count(),
    };
    GraphRow {
        id: question.id.clone(),
        repository: question.repository.clone(),
        language: question.language.clone(),
        text: question.text.clone(),
        certain: counts(&certain, &sure),
        all: counts(&all, &labels),
        wrong: certain.iter().filter(|place| !is_answer(place)).cloned().collect(),
        missing: labels
            .iter()
            .filter(|label| !all.iter().any(|place| fits(label, place)))
            .map(|label| (*label).clone())
            .collect(),
    }
}

/// The answer place of an edge: the callee for a question about callees, otherwise the caller or
/// implementer. `None` for places outside of the tree.
fn place_of(
    relation: Relation,
    edge: &GraphEdge,
    response: &ResearchResponse,
) -> Option<GraphPlace> {
    let end = if relation == Relation::Callees { edge.to } else { edge.from };
    let node = response.nodes.get(end)?;
    Some(GraphPlace {
        path: node.path.clone()?,
        symbol: (node.kind != "file").then(|| node.name.clone()),
        line: edge.line?,
    })
}

/// Returns true if a found place is an answer.
fn is_same(relation: Relation, answer: &GraphPlace, found: &GraphPlace) -> bool {
    let slack = if relation == Relation::Implementations { DECLARATION_SLACK } else { 0 };
    answer.path == found.path
        && answer.line.abs_diff(found.line) <= slack
        && match (&answer.symbol, &found.symbol) {
            (None, None) => true,
            (Some(answer), Some(found)) => is_same_name(answer, found),
            _ => false,
        }
}

/// Returns true for equal names. The engine also includes the function around a nested one; answers
/// include only types.
fn is_same_name(answer: &str, found: &str) -> bool {
    let (answer_type, answer_name) = split(answer);
    let (found_type, found_name) = split(found);
    answer_name == found_name && (answer_type.is_none() || answer_type == found_type)
}

/// The innermost container and the bare name.
fn split(name: &str) -> (Option<&str>, &str) {
    match name.rsplit_once('.') {
        Some((outer, name)) => (Some(outer.rsplit('.').next().unwrap_or(outer)), name),
        None => (None, name),
    }
}

#[cfg(test)]
mod tests;
