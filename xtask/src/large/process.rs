//! A question as a new process, in alternation with the other program.

use anyhow::Result;

use super::{
    Bench, questions,
    report::{Limit, Report, percentile},
};

/// Number of runs of each program.
const RUNS: usize = 20;

/// Maximum of the median in seconds.
const MAX_SECONDS: f64 = 0.25;

/// Maximum ratio of the medians.
const MAX_RATIO: f64 = 1.0;

pub(super) fn run(bench: &Bench, report: &mut Report) -> Result<()> {
    let questions = questions::make(&bench.tree, RUNS + 1, bench.options.seed ^ 2);
    let programs: Vec<_> = bench.programs.all().collect();
    let mut seconds: Vec<Vec<f64>> = vec![Vec::new(); programs.len()];
    let mut processor = seconds.clone();
    for (number, question) in questions.iter().enumerate() {
        for turn in 0..programs.len() {
            // Each program is first in half of the pairs.
            let at = (turn + number) % programs.len();
            let ran =
                programs[at].run(&bench.tree.root, &["search", question, "--format", "json"])?;
            // The first pair reads the files of the program and of the index.
            if number > 0 {
                seconds[at].push(ran.seconds);
                processor[at].push(ran.processor);
            }
        }
    }
    let figure = |values: &[Vec<f64>], at: usize, share: f64| {
        values.get(at).map(|values| percentile(values, share))
    };
    for (name, share) in [("median", 0.5), ("90th percentile", 0.9)] {
        report
            .add(&format!("question as a new process, {name}"), "s", percentile(&seconds[0], share))
            .beside(figure(&seconds, 1, share));
        if share < 0.6 {
            report.limit(Limit::Within(MAX_SECONDS));
        }
    }
    report
        .add("processor time, median", "s", percentile(&processor[0], 0.5))
        .beside(figure(&processor, 1, 0.5));
    if let Some(beside) = figure(&seconds, 1, 0.5) {
        report
            .add("ratio of the medians", "", percentile(&seconds[0], 0.5) / beside)
            .limit(Limit::Within(MAX_RATIO));
    }
    Ok(())
}
