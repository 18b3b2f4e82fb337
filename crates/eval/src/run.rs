//! A run: the answers of a system to the queries of a collection.
//!
//! Two formats are read and written. JSONL contains everything, one query a line, including the
//! right results and the parts of scores, so that two runs can be compared without other files. The
//! TREC format is the one of `trec_eval` and similar tools.

use std::{
    collections::BTreeMap,
    fs,
    io::{self, BufWriter, Write},
    path::Path,
};

use serde::{Deserialize, Serialize};

use crate::{
    Collection, EvalError, Judged, Query, Target,
    collection::{parse_lines, read},
    qrels::{self, escape, unescape},
};

/// The parts of a score: the name of each signal that contributes, with the positive or negative
/// contribution.
pub type Parts = BTreeMap<String, f32>;

/// One ranked result.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Ranked {
    /// Path from the repository's root; empty where there is none.
    pub path: String,
    /// First line, 1-based.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_line: Option<u32>,
    /// Last line, 1-based, inclusive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_line: Option<u32>,
    /// First and last line of the shown passage, if the run records them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shown: Option<(u32, u32)>,
    /// Identifier of the hit; empty where there is none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// The system's own score.
    #[serde(default)]
    pub score: f64,
    /// The parts of the score; empty where they are not known.
    #[serde(default, skip_serializing_if = "Parts::is_empty")]
    pub parts: Parts,
}

/// The rank of a right result, as stored in a run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RightResult {
    /// The target's name: a path, or the identifier of a hit.
    pub name: String,
    /// The target's lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<(u32, u32)>,
    /// Its rank, from 1; also below the listed results, if they were searched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rank: Option<usize>,
    /// The parts of its score; empty if unknown.
    #[serde(default, skip_serializing_if = "Parts::is_empty")]
    pub parts: Parts,
}

/// The answer to one query.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Answer {
    /// Identifier of the query.
    #[serde(default)]
    pub id: String,
    /// The repository that was searched.
    #[serde(rename = "repo", default)]
    pub repository: String,
    /// Text of the query.
    #[serde(default)]
    pub query: String,
    /// The results, best first.
    pub results: Vec<Ranked>,
    /// True if the answer has results, but reports that they may not be what is searched for.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_weak: bool,
    /// The right results and their ranks, in the order of the targets; `None` if the run does not
    /// contain them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub right: Option<Vec<RightResult>>,
    /// Paths that are removed before it is judged.
    #[serde(rename = "exclude", default, skip_serializing_if = "Vec::is_empty")]
    pub excluded: Vec<String>,
    /// Time in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub milliseconds: Option<f64>,
}

impl Answer {
    /// Returns true if the answer reports that the repository may contain no answer.
    pub(crate) fn reports_absence(&self) -> bool {
        self.results.is_empty() || self.is_weak
    }
}

/// The answers of one system, by identifier of the query.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Run {
    answers: BTreeMap<String, Answer>,
}

impl Run {
    /// Adds an answer; replaces one to the same query.
    pub fn insert(&mut self, answer: Answer) {
        self.answers.insert(answer.id.clone(), answer);
    }

    /// The answer to a query.
    pub fn answer(&self, query: &str) -> Option<&Answer> {
        self.answers.get(query)
    }

    /// The answers, by identifier of the query.
    pub fn answers(&self) -> impl Iterator<Item = &Answer> {
        self.answers.values()
    }

    /// The queries with their right results, as far as the run contains them.
    pub fn collection(&self) -> Collection {
        let query = |answer: &Answer| {
            let right = answer.right.as_ref()?;
            let target =
                |right: &RightResult| Target { name: right.name.clone(), lines: right.lines };
            Some(Query {
                id: answer.id.clone(),
                repository: answer.repository.clone(),
                text: answer.query.clone(),
                targets: right.iter().map(target).collect(),
                excluded: answer.excluded.clone(),
                ..Query::default()
            })
        };
        let queries = self.answers.values().filter_map(query).collect();
        Collection { queries, ..Collection::default() }
    }

    /// Reads a run in either format. Answers without an identifier are matched by repository and
    /// query.
    pub fn load(path: &Path, collection: &Collection) -> Result<Run, EvalError> {
        let is_json = read(path)?.trim_start().starts_with('{');
        if is_json { load_json(path, collection) } else { load_trec(path) }
    }

    /// Writes the run: in the TREC format for a name that ends in `.run` or `.trec`, otherwise as
    /// JSONL, with the right results of the collection. In the TREC format, a judged result has the
    /// name that the qrels use, so that other programs compute the same figures.
    pub fn save(&self, path: &Path, collection: &Collection) -> Result<(), EvalError> {
        let trec =
            path.extension().is_some_and(|extension| extension == "run" || extension == "trec");
        let write = || -> io::Result<()> {
            let mut out = BufWriter::new(fs::File::create(path)?);
            for query in &collection.queries {
                let Some(answer) = self.answers.get(&query.id) else { continue };
                if trec {
                    write_trec(answer, &query.targets, &mut out)?;
                } else {
                    serde_json::to_writer(&mut out, &labelled(answer, query))?;
                    writeln!(out)?;
                }
            }
            out.flush()
        };
        write().map_err(|source| EvalError::Write { path: path.to_owned(), source })
    }
}

/// An answer with the right results.
fn labelled(answer: &Answer, query: &Query) -> Answer {
    let right = answer.right.clone().unwrap_or_else(|| right_results(query, answer, None));
    Answer { right: Some(right), excluded: query.excluded.clone(), ..answer.clone() }
}

/// The ranks of the right results: in the answer, otherwise in a longer answer to the same query,
/// below the end of the first.
pub(crate) fn right_results(
    query: &Query,
    answer: &Answer,
    longer: Option<&Answer>,
) -> Vec<RightResult> {
    let shown = Judged::of(query, Some(answer));
    let further = Judged::of(query, longer);
    let shown_results = shown.right.len();
    let ranks = shown.ranks.iter().zip(&further.ranks);
    let find = |(target, (shown, further)): (&Target, (&Option<usize>, &Option<usize>))| {
        let place = if shown.is_some() { Some(answer) } else { longer };
        let found = place.and_then(|place| {
            place.results.iter().find(|result| query.admits(result) && target.is_covered_by(result))
        });
        // The two answers may have different beginnings.
        let below = |rank: usize| rank.max(shown_results + 1);
        RightResult {
            name: target.name.clone(),
            lines: target.lines,
            rank: shown.or(further.map(below)),
            parts: found.map(|result| result.parts.clone()).unwrap_or_default(),
        }
    };
    query.targets.iter().zip(ranks).map(find).collect()
}

fn load_json(path: &Path, collection: &Collection) -> Result<Run, EvalError> {
    let by_text: BTreeMap<(&str, &str), &str> = collection
        .queries
        .iter()
        .map(|query| ((query.repository.as_str(), query.text.as_str()), query.id.as_str()))
        .collect();
    let mut run = Run::default();
    for mut answer in parse_lines(path, |_, line| {
        serde_json::from_str::<Answer>(line).map_err(|error| error.to_string())
    })? {
        if answer.id.is_empty() {
            let key = (answer.repository.as_str(), answer.query.as_str());
            let Some(id) = by_text.get(&key) else { continue };
            (*id).clone_into(&mut answer.id);
        }
        run.insert(answer);
    }
    Ok(run)
}

fn load_trec(path: &Path) -> Result<Run, EvalError> {
    let mut rows = parse_lines(path, |_, line| {
        let columns: Vec<&str> = line.split_whitespace().collect();
        let [query, _, document, rank, score, _] = columns[..] else {
            return Err(format!("a row has 6 columns, this one {}", columns.len()));
        };
        let rank: u64 = rank.parse().map_err(|_| format!("`{rank}` is not a rank"))?;
        let score: f64 = score.parse().map_err(|_| format!("`{score}` is not a score"))?;
        let target = qrels::parse(document);
        let ranked = Ranked {
            path: target.name.clone(),
            start_line: target.lines.map(|lines| lines.0),
            end_line: target.lines.map(|lines| lines.1),
            shown: None,
            id: target.name,
            score,
            parts: Parts::new(),
        };
        Ok((unescape(query), rank, ranked))
    })?;
    rows.sort_by_key(|row| row.1);
    let mut run = Run::default();
    for (id, _, ranked) in rows {
        let answer = run.answers.entry(id.clone()).or_default();
        answer.id = id;
        answer.results.push(ranked);
    }
    Ok(run)
}

fn write_trec(answer: &Answer, targets: &[Target], out: &mut dyn Write) -> io::Result<()> {
    let mut taken = Vec::new();
    for (position, ranked) in answer.results.iter().enumerate() {
        // A target counts once: a second part of the same file gets a name that the qrels do not
        // contain.
        let target =
            targets.iter().find(|target| target.is_covered_by(ranked) && !taken.contains(target));
        let name = if let Some(target) = target {
            taken.push(target);
            qrels::document(target)
        } else {
            format!("{}~{}", escape(&ranked.path), position + 1)
        };
        // The score decreases with the rank, for programs that sort again.
        let score = (answer.results.len() - position) as f64;
        writeln!(out, "{} Q0 {name} {} {score} lore", escape(&answer.id), position + 1)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
