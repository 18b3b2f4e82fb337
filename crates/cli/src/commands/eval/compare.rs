//! `lore eval compare`: the difference between two runs, and what made it.

use std::{collections::BTreeMap, path::PathBuf};

use clap::Args;
use lore_eval::{
    Collection, EvalError, Query, Run, Target, compare, judge, measures, moves_of, write_comparison,
};

use super::write_clean;
use crate::{
    output::plural,
    report::{self, Status, UsageError},
};

/// Arguments of `lore eval compare`.
#[derive(Debug, Args)]
pub(crate) struct CompareArguments {
    /// The run before
    #[arg(value_name = "BEFORE")]
    before: PathBuf,

    /// The run after
    #[arg(value_name = "AFTER")]
    after: PathBuf,

    /// Queries with what is right, as `lore eval` takes them
    ///
    /// The default is what the runs say themselves.
    #[arg(long, value_name = "COLLECTION")]
    collection: Option<PathBuf>,

    /// Measure by which queries become better or worse [default: nDCG@10]
    #[arg(long, value_name = "NAME")]
    measure: Option<String>,
}

/// Compares two runs by one measure.
pub(super) fn run(arguments: &CompareArguments) -> anyhow::Result<Status> {
    let measure = super::measure(arguments.measure.as_deref().unwrap_or(measures::DEFAULT[0]))?;
    let mut collection = match &arguments.collection {
        Some(path) => Collection::load(path)?,
        None => told_by_runs(arguments)?,
    };
    let before = Run::load(&arguments.before, &collection)?;
    let after = Run::load(&arguments.after, &collection)?;
    let known = collection.queries.len();
    collection
        .retain(|query| before.answer(&query.id).is_some() && after.answer(&query.id).is_some());
    let alone = known - collection.queries.len();
    if alone > 0 {
        let queries = plural(alone as u64, "query is", "queries are");
        report::note(&format!("{queries} not in both runs, and left out"));
    }
    let measures = [measure];
    let judged = |run| judge(&collection, run, &measures);
    let comparison = compare(&judged(&before), &judged(&after), 0);
    let moves = moves_of(&collection, &before, &after);
    write_clean(|out| write_comparison(&comparison, &moves, &measure, out))?;
    Ok(Status::Found)
}

/// What the two runs say is right. Where they differ, the later run counts.
fn told_by_runs(arguments: &CompareArguments) -> anyhow::Result<Collection> {
    let unlabelled = Collection::default();
    let load = |path| Ok::<_, EvalError>(Run::load(path, &unlabelled)?.collection());
    let (before, mut after) = (load(&arguments.before)?, load(&arguments.after)?);
    let targets: BTreeMap<&str, &[Target]> =
        after.queries.iter().map(|query| (query.id.as_str(), query.targets.as_slice())).collect();
    let differs = |query: &&Query| {
        targets.get(query.id.as_str()).is_some_and(|targets| *targets != query.targets)
    };
    let different = before.queries.iter().filter(differs).count();
    if different > 0 {
        report::note(&format!(
            "{} other right results in `{}`; those of `{}` count",
            plural(different as u64, "query has", "queries have"),
            arguments.before.display(),
            arguments.after.display(),
        ));
    }
    let only_before = before.queries.into_iter();
    let more: Vec<Query> =
        only_before.filter(|query| !targets.contains_key(query.id.as_str())).collect();
    after.queries.extend(more);
    if after.queries.is_empty() {
        return Err(UsageError::new("neither run says what is right")
            .hint(
                "name the queries with `--collection FILE`, or write the runs anew with `lore eval \
                 FILE --run-out RUN.jsonl`",
            )
            .into());
    }
    Ok(after)
}
