//! `lore eval --tokens`: costs and recall of answers for agents.

use std::{
    collections::BTreeMap,
    io::{self, Write},
    path::Path,
};

use lore_console::report::Status;
use lore_engine::{Extras, Progress, SearchRequest, Searcher};
use lore_render::{
    output,
    pack::{DEFAULT_BUDGET, PackRequest, pack},
};
use lore_schema::SourceName;
use lore_session::progress::Reporter;
use lore_settings::{Settings, env_vars, terminal::Terminal};

use super::{
    arguments::EvalArguments,
    engines::engine_of,
    output::{hinted, write_clean},
};
use crate::{Collection, EvalError, Query, Ranked};

/// Costs of the answer to one query.
struct Row<'a> {
    repository: &'a str,
    category: &'a str,
    /// Tokens up to the end of the first hit that covers a target; all of the budget without one.
    tokens: usize,
    /// Share of the targets that are named.
    recall: f64,
    /// Tokens of the whole answer.
    whole: usize,
}

/// Asks a collection, and writes the figures.
pub(super) fn run(
    arguments: &EvalArguments,
    collection: &Collection,
    budget: Option<usize>,
) -> anyhow::Result<Status> {
    let settings =
        Settings::load(Path::new("."), &env_vars::from_process, arguments.meaning.overrides()?)?;
    let typed = arguments.place.sources()?;
    let sources = if typed.is_empty() { collection.sources.clone() } else { typed };
    let template = SearchRequest::new(String::new())
        .with_sources(sources.clone())
        .with_mode(settings.mode())
        .with_fusion(settings.fusion())
        .with_min_similarity(arguments.meaning.min_similarity)
        .with_extras(Extras { rewrite: true, choose_lines: true, ..Extras::default() });
    let packing = PackRequest { budget, ..PackRequest::default() };
    let progress = Reporter::start(Terminal::from_process());
    let rows = ask_all(arguments, collection, &template, &packing, &progress);
    progress.finish();
    let rows = rows?;
    write_clean(|out| write(collection, &rows, budget, out))?;
    Ok(Status::Success)
}

fn ask_all<'c>(
    arguments: &EvalArguments,
    collection: &'c Collection,
    template: &SearchRequest,
    packing: &PackRequest,
    progress: &dyn Progress,
) -> anyhow::Result<Vec<Row<'c>>> {
    let trees = arguments.trees();
    let repositories = collection.repositories();
    let places = repositories
        .into_iter()
        .map(|name| Ok((name, trees.find(name, collection).map_err(hinted)?)))
        .collect::<anyhow::Result<Vec<_>>>()?;
    let mut rows = Vec::new();
    for (repository, place) in places {
        let of_repository = |query: &&Query| {
            query.repository == repository
                && !query.targets.is_empty()
                && !query.text.trim().is_empty()
        };
        let queries: Vec<&Query> = collection.queries.iter().filter(of_repository).collect();
        if queries.is_empty() {
            continue;
        }
        let engine = engine_of(&arguments.tree, &arguments.common, &place.root)
            .map_err(|source| EvalError::Open { path: place.root.clone(), source })?;
        let sources: &[SourceName] = &template.filter.sources;
        let mut searcher = engine.searcher(sources, progress)?;
        for query in queries {
            rows.push(measure(query, &place.prefix, &mut searcher, template, packing, progress)?);
        }
    }
    Ok(rows)
}

/// Asks one query. `prefix` precedes the paths of the tree to make them ones from the repository's
/// root.
fn measure<'c>(
    query: &'c Query,
    prefix: &str,
    searcher: &mut Searcher<'_>,
    template: &SearchRequest,
    packing: &PackRequest,
    progress: &dyn Progress,
) -> anyhow::Result<Row<'c>> {
    let mut request = template.clone().with_query(query.text.clone());
    packing.apply_to(&mut request);
    let response = searcher.search(&request, progress)?;
    let holders = response.holders.clone().unwrap_or_default();
    let packed = pack(&response, &holders, packing, None)?;
    let tokenizer = packing.tokenizer;
    let mut found = vec![false; query.targets.len()];
    let mut tokens = None;
    for shown in &packed.shown {
        let hit = &response.hits[shown.hit];
        let path = hit.path.as_ref().map(|path| format!("{prefix}{path}")).unwrap_or_default();
        if query.excluded.contains(&path) {
            continue;
        }
        let ranked = Ranked {
            path,
            start_line: hit.start_line,
            end_line: hit.end_line,
            id: hit.id.clone(),
            ..Ranked::default()
        };
        for (target, found) in query.targets.iter().zip(&mut found) {
            if target.is_covered_by(&ranked) {
                *found = true;
                tokens.get_or_insert_with(|| tokenizer.count(&packed.text[..shown.end]));
            }
        }
    }
    let named = found.iter().filter(|found| **found).count();
    Ok(Row {
        repository: &query.repository,
        category: &query.category,
        tokens: tokens.unwrap_or(packing.budget.unwrap_or(DEFAULT_BUDGET)),
        recall: named as f64 / found.len() as f64,
        whole: tokenizer.count(&packed.text),
    })
}

fn write(
    collection: &Collection,
    rows: &[Row<'_>],
    budget: Option<usize>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut repositories: BTreeMap<&str, Vec<&Row<'_>>> = BTreeMap::new();
    let mut categories: BTreeMap<&str, Vec<&Row<'_>>> = BTreeMap::new();
    for row in rows {
        repositories.entry(row.repository).or_default().push(row);
        categories.entry(row.category).or_default().push(row);
    }
    writeln!(
        out,
        "{}: {} in {}, answers of {}",
        collection.name,
        output::plural(rows.len() as u64, "judged query", "judged queries"),
        output::plural(repositories.len() as u64, "repository", "repositories"),
        match budget {
            Some(budget) => format!("at most {} tokens", output::count(budget as u64)),
            None => "default size".to_owned(),
        },
    )?;
    let names = repositories.keys().chain(categories.keys());
    let width = names.map(|name| name.chars().count() + 2).max().unwrap_or(0).max(24);
    writeln!(
        out,
        "{:width$} {:>7} {:>7} {:>7} {:>7} {:>7}",
        "", "queries", "mean", "median", "recall", "whole"
    )?;
    let all: Vec<&Row<'_>> = rows.iter().collect();
    let over = Figures::over(repositories.values().map(|rows| Figures::of(rows)));
    over.write("  mean over repositories", width, out)?;
    Figures::of(&all).write("  mean over queries", width, out)?;
    for (title, groups) in [("category", &categories), ("repository", &repositories)] {
        writeln!(out, "{title}")?;
        for (name, rows) in groups {
            let name = if name.is_empty() { "(none)" } else { name };
            Figures::of(rows).write(&format!("  {name}"), width, out)?;
        }
    }
    Ok(())
}

/// Figures of some queries.
#[derive(Default)]
struct Figures {
    queries: usize,
    mean: f64,
    median: f64,
    recall: f64,
    whole: f64,
}

impl Figures {
    fn of(rows: &[&Row<'_>]) -> Figures {
        let count = rows.len().max(1) as f64;
        let mean = |value: &dyn Fn(&Row<'_>) -> f64| {
            rows.iter().map(|row| value(row)).sum::<f64>() / count
        };
        let mut tokens: Vec<usize> = rows.iter().map(|row| row.tokens).collect();
        tokens.sort_unstable();
        let middle = |at: usize| tokens.get(at).map_or(0.0, |tokens| *tokens as f64);
        let half = tokens.len() / 2;
        let median = if tokens.len().is_multiple_of(2) && half > 0 {
            f64::midpoint(middle(half - 1), middle(half))
        } else {
            middle(half)
        };
        Figures {
            queries: rows.len(),
            mean: mean(&|row| row.tokens as f64),
            median,
            recall: mean(&|row| row.recall),
            whole: mean(&|row| row.whole as f64),
        }
    }

    /// Means of the figures of groups, each of which counts the same.
    fn over(groups: impl Iterator<Item = Figures>) -> Figures {
        let mut sum = Figures::default();
        let mut count = 0.0;
        for group in groups {
            count += 1.0;
            sum.queries += group.queries;
            sum.mean += group.mean;
            sum.median += group.median;
            sum.recall += group.recall;
            sum.whole += group.whole;
        }
        let count = f64::max(count, 1.0);
        Figures {
            queries: sum.queries,
            mean: sum.mean / count,
            median: sum.median / count,
            recall: sum.recall / count,
            whole: sum.whole / count,
        }
    }

    fn write(&self, name: &str, width: usize, out: &mut dyn Write) -> io::Result<()> {
        let Figures { queries, mean, median, recall, whole } = self;
        writeln!(
            out,
            "{name:width$} {queries:>7} {mean:>7.1} {median:>7.1} {recall:>7.4} {whole:>7.1}"
        )
    }
}
