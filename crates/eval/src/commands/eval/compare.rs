//! `lore eval compare`: the difference between two runs, and what made it.

use std::{
    collections::BTreeMap,
    io::{self, Write},
    path::{Path, PathBuf},
};

use clap::Args;
use lore_console::report::{self, Status, UsageError};
use lore_render::output::plural;

use super::output::write_clean;
use crate::{
    Collection, Comparison, EvalError, Moves, Query, Run, Target, compare, judge,
    measures::{self, Measure},
    moves_of, write_comparison,
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

    /// Labelled queries, as `lore eval` takes them
    ///
    /// The default is what the runs say themselves.
    #[arg(long, value_name = "COLLECTION")]
    collection: Option<PathBuf>,

    /// Measure by which queries become better or worse; nDCG@10 if none is named
    #[arg(long, value_name = "NAME")]
    measure: Option<String>,
}

/// Compares two runs by one measure.
pub(super) fn run(arguments: &CompareArguments) -> anyhow::Result<Status> {
    let measure =
        super::measures::measure(arguments.measure.as_deref().unwrap_or(measures::DEFAULT[0]))?;
    let collection = match &arguments.collection {
        Some(path) => Collection::load(path)?,
        None => judgements_of_runs(arguments)?,
    };
    let before = OtherRun::load(&arguments.before, &collection)?;
    let after = Run::load(&arguments.after, &collection)?;
    let name = arguments.after.display().to_string();
    let difference = before.difference(&collection, &after, &name, measure)?;
    write_clean(|out| difference.write(out))?;
    Ok(Status::Success)
}

/// The run that another one is compared with.
pub(super) struct OtherRun {
    path: PathBuf,
    run: Run,
}

impl OtherRun {
    /// Reads the run. Answers without an identifier are found among the queries of the collection.
    pub(super) fn load(path: &Path, collection: &Collection) -> Result<OtherRun, EvalError> {
        Ok(OtherRun { path: path.to_owned(), run: Run::load(path, collection)? })
    }

    /// Refuses a collection none of whose queries the run answers; `name` is that of the collection.
    pub(super) fn expect_any(&self, collection: &Collection, name: &str) -> Result<(), UsageError> {
        if collection.queries.iter().any(|query| self.run.answer(&query.id).is_some()) {
            return Ok(());
        }
        Err(self.nothing_in_common(name))
    }

    /// Changes since this run, over the queries of both runs: a query that is missing in one of them
    /// has no effect on ranking. `name` is that of the later run.
    pub(super) fn difference(
        &self,
        collection: &Collection,
        after: &Run,
        name: &str,
        measure: Measure,
    ) -> Result<RunDifference, UsageError> {
        let mut collection = collection.clone();
        let known = collection.queries.len();
        collection.retain(|query| {
            self.run.answer(&query.id).is_some() && after.answer(&query.id).is_some()
        });
        let measures = [measure];
        let judged = |run| judge(&collection, run, &measures);
        let comparison = compare(&judged(&self.run), &judged(after), 0);
        if comparison.pairs.is_empty() {
            return Err(self.nothing_in_common(name));
        }
        let alone = known - collection.queries.len();
        if alone > 0 {
            let queries = plural(alone as u64, "query is", "queries are");
            report::note(&format!("{queries} not in both runs, and skipped"));
        }
        let moves = moves_of(&collection, &self.run, after);
        Ok(RunDifference { comparison, moves, measure })
    }

    fn nothing_in_common(&self, name: &str) -> UsageError {
        UsageError::new(format!(
            "`{}` and `{name}` have no judged query in common",
            self.path.display()
        ))
        .hint("compare runs of the same queries: they are matched by `id`")
    }
}

/// Changes between two runs.
pub(super) struct RunDifference {
    comparison: Comparison,
    moves: Moves,
    measure: Measure,
}

impl RunDifference {
    /// Writes it for people.
    pub(super) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        write_comparison(&self.comparison, &self.moves, &self.measure, out)
    }
}

/// The relevance judgements in the two runs. If they differ, the later run counts.
fn judgements_of_runs(arguments: &CompareArguments) -> anyhow::Result<Collection> {
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
        return Err(UsageError::new("neither run contains relevance judgements")
            .hint(
                "name the queries with `--collection FILE`, or write the runs again with `lore eval \
                 FILE --run-out RUN.jsonl`",
            )
            .into());
    }
    Ok(after)
}
