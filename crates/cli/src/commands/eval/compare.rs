//! `lore eval compare`: the difference between two runs.

use std::path::PathBuf;

use clap::Args;
use lore_eval::{
    Collection, Run, compare, judge,
    measures::{self, Measure},
    write_comparison,
};

use crate::{commands::write_output, report::Status};

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
    #[arg(long, value_name = "COLLECTION")]
    collection: PathBuf,
}

/// Compares two runs by the headline measure.
pub(super) fn run(arguments: &CompareArguments) -> anyhow::Result<Status> {
    let collection = Collection::load(&arguments.collection)?;
    let measure = Measure::from_name(measures::DEFAULT[0])?;
    let judged = |path| -> anyhow::Result<_> {
        Ok(judge(&collection, &Run::load(path, &collection)?, &[measure]))
    };
    let comparison = compare(&judged(&arguments.before)?, &judged(&arguments.after)?, 0);
    write_output(|out| write_comparison(&comparison, &measure, out))?;
    Ok(Status::Found)
}
