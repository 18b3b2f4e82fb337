//! Gates: the measures of a run, the minimums that it must reach, and the run and the golden file that
//! it is compared with.

use std::{
    io::{self, Write},
    path::Path,
};

use lore_console::report::{self, UsageError};

use super::{
    arguments::EvalArguments,
    compare::OtherRun,
    measures::{measures_of, minimums},
    output::write_clean,
};
use crate::{
    Collection, EvalError, Expected, Run, headline, judge, measures::Measure, write_differences,
};

/// The measures of a run and the minimums that it must reach.
pub(super) struct Gates {
    pub(super) measures: Vec<Measure>,
    minimums: Vec<(Measure, f64)>,
    other: Option<OtherRun>,
}

impl Gates {
    /// Parses the arguments; `default` are the measures if none is given.
    pub(super) fn of(arguments: &EvalArguments, default: &[&str]) -> Result<Gates, UsageError> {
        Ok(Gates {
            measures: measures_of(&arguments.measures, default)?,
            minimums: minimums(&arguments.minimums)?,
            other: None,
        })
    }

    /// The measures of a run whose minimums are checked elsewhere.
    pub(super) fn without_minimums(measures: &[&str]) -> Result<Gates, UsageError> {
        Ok(Gates { measures: measures_of(&[], measures)?, minimums: Vec::new(), other: None })
    }

    /// Reads the run to compare with before any query runs, because the new run may overwrite its
    /// file. `name` is that of the collection.
    pub(super) fn compare_with(
        &mut self,
        arguments: &EvalArguments,
        collection: &Collection,
        name: &str,
    ) -> anyhow::Result<()> {
        if let Some(path) = &arguments.compare {
            let other = OtherRun::load(path, collection)?;
            other.expect_any(collection, name)?;
            self.other = Some(other);
        }
        Ok(())
    }

    /// Writes the run, the summary and the comparison. Returns true if the run reaches the minimums.
    pub(super) fn pass(
        &self,
        arguments: &EvalArguments,
        collection: &Collection,
        run: &Run,
        summary: &dyn Fn(&mut dyn Write) -> io::Result<()>,
    ) -> anyhow::Result<bool> {
        if let Some(path) = &arguments.run_out {
            run.save(path, collection)?;
        }
        let difference = match (&self.other, self.measures.first()) {
            (Some(other), Some(measure)) => {
                let after = arguments.run.as_ref().or(arguments.run_out.as_ref());
                let name = after
                    .map_or_else(|| collection.name.clone(), |path| path.display().to_string());
                Some(other.difference(collection, run, &name, *measure))
            }
            _ => None,
        };
        let difference = difference.transpose();
        write_clean(|out| {
            summary(out)?;
            match &difference {
                Ok(Some(difference)) => difference.write(out),
                _ => Ok(()),
            }
        })?;
        // The summary is written even if the comparison failed.
        difference?;

        let mut passed = true;
        for (measure, minimum) in &self.minimums {
            let measures = [*measure];
            let value = headline(&judge(collection, run, &measures), &measures).values[0];
            if value < *minimum {
                passed = false;
                report::note(&format!("{measure} is {value:.4}, below {minimum}"));
            }
        }
        if let Some(path) = &arguments.expected {
            passed &= check_expected(path, arguments.update, collection, run)?;
        }
        Ok(passed)
    }
}

/// Returns true if the run equals the golden file; with `update`, writes the file.
fn check_expected(
    path: &Path,
    update: bool,
    collection: &Collection,
    run: &Run,
) -> Result<bool, EvalError> {
    let actual = Expected::of(collection, run)?;
    if update {
        actual.save(path)?;
        report::note(&format!("wrote `{}`", path.display()));
        return Ok(true);
    }
    let differences = Expected::load(path)?.differences(&actual);
    if differences.is_empty() {
        return Ok(true);
    }
    let mut text = Vec::new();
    write_differences(&differences, &mut text).expect("a vector takes everything");
    report::note(&format!("{} queries differ from `{}`", differences.len(), path.display()));
    for line in String::from_utf8_lossy(&text).lines() {
        report::plain_line(line);
    }
    report::hint_line(
        "look at each with `--query ID`; if all is well, write the file with `--update`",
    );
    Ok(false)
}
