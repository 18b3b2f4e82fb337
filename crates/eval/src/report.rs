//! Tables for people.

mod comparison;

use std::{
    collections::BTreeMap,
    io::{self, Write},
};

pub use self::comparison::write_comparison;
use crate::{
    Collection, Difference, ExpectedLine, Judgement, Row,
    judge::{macro_mean, mean},
    measures::Measure,
};

/// Grouping of a summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Per {
    /// By category of the query.
    Category,
    /// By language of the repository.
    Language,
    /// By repository.
    Repository,
}

impl Per {
    /// All groupings, sorted by name.
    pub const ALL: &'static [Per] = &[Per::Category, Per::Language, Per::Repository];

    /// The name that users type.
    pub fn as_str(self) -> &'static str {
        match self {
            Per::Category => "category",
            Per::Language => "language",
            Per::Repository => "repository",
        }
    }

    fn key(self, row: &Row) -> &str {
        match self {
            Per::Category => &row.category,
            Per::Language => &row.language,
            Per::Repository => &row.repository,
        }
    }
}

/// Some rows of a judgement, with one value for each measure.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// The common property of the rows.
    pub name: String,
    /// Number of queries.
    pub queries: usize,
    /// Mean over the repositories, measure by measure.
    pub values: Vec<f64>,
}

impl Group {
    fn of(name: String, rows: &[&Row], measures: usize) -> Group {
        let value = |at: usize| {
            let values =
                rows.iter().filter_map(|row| Some((row.repository.as_str(), *row.values.get(at)?)));
            macro_mean(values).unwrap_or(0.0)
        };
        Group { name, queries: rows.len(), values: (0..measures).map(value).collect() }
    }
}

/// The headline: for each measure, the mean over repositories of each repository's mean.
pub fn headline(judgement: &Judgement, measures: &[Measure]) -> Group {
    let rows: Vec<&Row> = judgement.rows.iter().collect();
    Group::of("all".to_owned(), &rows, measures.len())
}

/// Mean over repositories of a judgement by one measure.
pub(crate) fn mean_of(judgement: &Judgement, measure: Measure) -> f64 {
    headline(judgement, &[measure]).values[0]
}

/// Writes the results of a run: the headline, and one block for each grouping.
pub fn write_summary(
    collection: &Collection,
    judgement: &Judgement,
    measures: &[Measure],
    per: &[Per],
    out: &mut dyn Write,
) -> io::Result<()> {
    let repositories = collection.repositories().len();
    writeln!(
        out,
        "{}: {} in {}",
        collection.name,
        count(judgement.rows.len(), "judged query", "judged queries"),
        count(repositories, "repository", "repositories"),
    )?;
    let mut blocks: Vec<(&str, Vec<Group>)> = Vec::new();
    let all = headline(judgement, measures);
    let by_query = (0..measures.len())
        .map(|at| mean(judgement.rows.iter().filter_map(|row| row.values.get(at).copied())))
        .map(|value| value.unwrap_or(0.0))
        .collect();
    blocks.push((
        "",
        vec![
            Group { name: "mean over repositories".to_owned(), ..all },
            Group {
                name: "mean over queries".to_owned(),
                queries: judgement.rows.len(),
                values: by_query,
            },
        ],
    ));
    for per in per {
        let mut groups = BTreeMap::<&str, Vec<&Row>>::new();
        for row in &judgement.rows {
            groups.entry(per.key(row)).or_default().push(row);
        }
        let groups = groups
            .into_iter()
            .map(|(name, rows)| {
                let name = if name.is_empty() { "(none)" } else { name };
                Group::of(name.to_owned(), &rows, measures.len())
            })
            .collect();
        blocks.push((per.as_str(), groups));
    }
    write_blocks(&blocks, measures, out)?;
    if 0 < judgement.empty.1 {
        writeln!(
            out,
            "empty answers: {} of {} without a right result",
            judgement.empty.0,
            count(judgement.empty.1, "query", "queries"),
        )?;
    }
    if 0 < judgement.firsts.1 {
        writeln!(
            out,
            "required result first: {} of {}{}",
            judgement.firsts.0,
            judgement.firsts.1,
            listing(&judgement.misplaced),
        )?;
    }
    if 0 < judgement.unanswered {
        writeln!(out, "not in the run, counted as 0: {}", judgement.unanswered)?;
    }
    if 0 < collection.unsupported {
        writeln!(out, "skipped, since they are not plain searches: {}", collection.unsupported)?;
    }
    Ok(())
}

fn write_blocks(
    blocks: &[(&str, Vec<Group>)],
    measures: &[Measure],
    out: &mut dyn Write,
) -> io::Result<()> {
    let names = blocks.iter().flat_map(|(title, groups)| {
        groups.iter().map(|group| group.name.chars().count() + 2).chain([title.chars().count()])
    });
    let width = names.max().unwrap_or(0);
    write!(out, "{:width$} {:>7}", "", "queries")?;
    for measure in measures {
        write!(out, " {measure:>9}")?;
    }
    writeln!(out)?;
    for (title, groups) in blocks {
        if !title.is_empty() {
            writeln!(out, "{title}")?;
        }
        for group in groups {
            let name = format!("  {}", group.name);
            write!(out, "{name:width$} {:>7}", group.queries)?;
            for value in &group.values {
                write!(out, " {value:>9.4}")?;
            }
            writeln!(out)?;
        }
    }
    Ok(())
}

/// Writes the differences from the golden file, as a diff.
pub fn write_differences(differences: &[Difference], out: &mut dyn Write) -> io::Result<()> {
    let line = |line: &ExpectedLine| {
        let rank = line.rank.map_or_else(|| "none".to_owned(), |rank| rank.to_string());
        format!("rank {rank:>4}  RR {}  nDCG@10 {}", line.reciprocal_rank, line.ndcg)
    };
    for difference in differences {
        writeln!(out, "{}", difference.id)?;
        match &difference.expected {
            Some(expected) => writeln!(out, "  - {}", line(expected))?,
            None => writeln!(out, "  - (not in the file)")?,
        }
        match &difference.actual {
            Some(actual) => writeln!(out, "  + {}", line(actual))?,
            None => writeln!(out, "  + (not in the collection)")?,
        }
    }
    Ok(())
}

fn count(number: usize, singular: &str, plural: &str) -> String {
    format!("{number} {}", if number == 1 { singular } else { plural })
}

fn listing(ids: &[String]) -> String {
    if ids.is_empty() { String::new() } else { format!(" (not: {})", ids.join(", ")) }
}

#[cfg(test)]
mod tests;
