//! `lore index --watch`: keeps the index up to date while the tree changes.

use std::time::Duration;

use anyhow::Context as _;
use lore_console::report::{self, Status, UsageError};
use lore_engine::{Engine, Followed, IndexReport, StopSignal};
use lore_render::{output, wire};
use lore_session::{Context, interrupt::Listener, progress::Reporter, write_output};

/// Time between two walks while events are told of: a net under what is not told.
const IDLE: Duration = Duration::from_mins(1);

/// Refuses where nothing that is found could be kept.
pub(super) fn check(context: &Context) -> Result<(), UsageError> {
    if context.settings.follows() {
        return Ok(());
    }
    let message = "could not follow the tree: its index may not be written";
    Err(UsageError::new(message).hint(
        "leave out `--no-write`; `lore config cache.write` and `lore config limits.idle-writes` say \
         what else forbids it",
    ))
}

/// Goes on until it is asked to end.
pub(super) fn run(context: &Context, engine: &Engine, json: bool) -> anyhow::Result<Status> {
    let stop = StopSignal::default();
    let asked = stop.clone();
    let _listener = Listener::start(move || asked.stop()).context("could not wait for Ctrl-C")?;
    report::note(&format!("following `{}`; Ctrl-C ends it", context.root.display()));
    let progress = Reporter::start(context.terminal);
    let mut failure = None;
    engine.keep_up(IDLE, &stop, &progress, &mut |followed| match followed {
        Followed::Noted(note) => report::warning(&note),
        Followed::Updated(update) => {
            for warning in &update.warnings {
                report::warning(warning);
            }
            if let Err(error) = tell(&update, context, json) {
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
fn tell(update: &IndexReport, context: &Context, json: bool) -> anyhow::Result<()> {
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
    .context("could not tell of an update")
}
