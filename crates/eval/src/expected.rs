//! The golden file of a collection: the rank of the first right result of every query.

use std::{collections::BTreeMap, fmt::Write as _, fs, path::Path};

use crate::{Collection, EvalError, Judged, Run, collection::parse_lines, measures::Measure};

/// First line of the file.
const HEADER: &str = "query,rank,RR,nDCG@10";

/// One query of the golden file. Figures are text with four decimals, so that equality is exact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpectedLine {
    /// Rank of the first right result, from 1; `None` if there is none.
    pub rank: Option<usize>,
    /// Reciprocal rank.
    pub reciprocal_rank: String,
    /// nDCG@10.
    pub ndcg: String,
}

/// The golden file, by identifier of the query.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Expected {
    lines: BTreeMap<String, ExpectedLine>,
}

/// A query with another value than in the golden file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Identifier of the query.
    pub id: String,
    /// Value in the file; `None` if the query is not in it.
    pub expected: Option<ExpectedLine>,
    /// Actual value; `None` if the query no longer exists.
    pub actual: Option<ExpectedLine>,
}

impl Expected {
    /// The golden file of a run.
    pub fn of(collection: &Collection, run: &Run) -> Result<Expected, EvalError> {
        let reciprocal_rank = Measure::from_name("RR")?;
        let ndcg = Measure::from_name("nDCG@10")?;
        let lines = collection
            .queries
            .iter()
            .filter(|query| !query.targets.is_empty())
            .map(|query| {
                let judged = Judged::of(query, run.answer(&query.id));
                let line = ExpectedLine {
                    rank: judged.first(),
                    reciprocal_rank: format!("{:.4}", reciprocal_rank.value(&judged)),
                    ndcg: format!("{:.4}", ndcg.value(&judged)),
                };
                (query.id.clone(), line)
            })
            .collect();
        Ok(Expected { lines })
    }

    /// Reads the file.
    pub fn load(path: &Path) -> Result<Expected, EvalError> {
        let rows = parse_lines(path, |row, line| {
            if row == 0 {
                let known = line.trim_end() == HEADER;
                return if known { Ok(None) } else { Err(format!("the header is not `{HEADER}`")) };
            }
            // Split from the right: an identifier may contain a comma.
            let columns: Vec<&str> = line.trim_end().rsplitn(4, ',').collect();
            let [ndcg, reciprocal_rank, rank, id] = columns[..] else {
                return Err("a row has 4 columns".to_owned());
            };
            let rank = match rank {
                "" => None,
                rank => Some(rank.parse().map_err(|_| format!("`{rank}` is not a rank"))?),
            };
            let (reciprocal_rank, ndcg) = (reciprocal_rank.to_owned(), ndcg.to_owned());
            Ok(Some((id.to_owned(), ExpectedLine { rank, reciprocal_rank, ndcg })))
        })?;
        Ok(Expected { lines: rows.into_iter().flatten().collect() })
    }

    /// Writes the file, sorted by query.
    pub fn save(&self, path: &Path) -> Result<(), EvalError> {
        let mut text = format!("{HEADER}\n");
        for (id, line) in &self.lines {
            let rank = line.rank.map(|rank| rank.to_string()).unwrap_or_default();
            writeln!(text, "{id},{rank},{},{}", line.reciprocal_rank, line.ndcg)
                .expect("a string takes everything");
        }
        fs::write(path, text).map_err(|source| EvalError::Write { path: path.to_owned(), source })
    }

    /// The differences from `actual`, sorted by query.
    pub fn differences(&self, actual: &Expected) -> Vec<Difference> {
        let ids: std::collections::BTreeSet<&String> =
            self.lines.keys().chain(actual.lines.keys()).collect();
        ids.into_iter()
            .filter(|id| self.lines.get(*id) != actual.lines.get(*id))
            .map(|id| Difference {
                id: id.clone(),
                expected: self.lines.get(id).cloned(),
                actual: actual.lines.get(id).cloned(),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests;
