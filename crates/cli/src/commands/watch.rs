//! `lore index --watch`: keeps the index up to date while the tree changes.

use std::time::Duration;

use anyhow::Context as _;
use lore_console::report::{self, Status, UsageError};
use lore_engine::{Engine, Followed, IndexReport, StopSignal};
use lore_render::{output, wire};
use lore_session::{Context, interrupt::Listener, progress::Reporter, write_output};

/// Time between two listings of the tree, in case file system events were missed.
const RESCAN_INTERVAL: Duration = Duration::from_mins(1);

/// Fails if the index cannot be written.
pub(super) fn check(context: &Context) -> Result<(), UsageError> {
    if context.settings.follows() {
        return Ok(());
    }
    let message = "could not follow the tree: writing its index is disabled";
    Err(UsageError::new(message).hint(
        "remove `--no-write`, and check `lore config cache.write` and `lore config \
         limits.idle-writes`",
    ))
}

/// Follows the tree until a signal to stop.
pub(super) fn run(context: &Context, engine: &Engine, json: bool) -> anyhow::Result<Status> {
    let stop = StopSignal::default();
    let signal = stop.clone();
    let _listener = Listener::start(move || signal.stop()).context("could not wait for Ctrl-C")?;
    report::note(&format!("following `{}`; press Ctrl-C to stop", context.root.display()));
    let progress = Reporter::start(context.terminal);
    let mut failure = None;
    engine.keep_up(RESCAN_INTERVAL, &stop, &progress, &mut |followed| match followed {
        Followed::Noted(note) => report::warning(&note),
        Followed::Updated(update) => {
            for warning in &update.warnings {
                report::warning(warning);
            }
            if let Err(error) = write_update(&update, context, json) {
                failure = Some(error);
                stop.stop();
            }
        }
    })?;
    progress.finish();
    match failure {
        Some(error) => Err(error),
        None => Ok(Status::Success),
    }
}

/// Writes one update on one line, unless nothing changed.
fn write_update(update: &IndexReport, context: &Context, json: bool) -> anyhow::Result<()> {
    let sum = |pick: fn(&(u64, u64, u64)) -> u64| update.sources.values().map(pick).sum::<u64>();
    let (written, deleted) = (sum(|counts| counts.0), sum(|counts| counts.1));
    if written + deleted == 0 {
        return Ok(());
    }
    write_output(|out| {
        if json {
            return wire::write_line(&wire::index(update, &context.root), out);
        }
        let [written, deleted] = [written, deleted].map(output::count);
        writeln!(out, "written {written}, deleted {deleted} in {:.2} s", update.seconds)
    })
    .context("could not report an update")
}
