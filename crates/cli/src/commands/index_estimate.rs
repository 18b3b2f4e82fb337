//! `lore index --dry-run`: what an index run would read, and what that is expected to cost. The rate is
//! that of an earlier run on this machine, if there was one that read enough.

use std::{
    io::{self, Write},
    time::Duration,
};

use lore_console::report::Status;
use lore_engine::{IndexCosts, IndexEstimate, IndexMode, PrivateFolder};
use lore_render::{
    output::{
        self,
        table::{self, Align},
    },
    wire,
};
use lore_session::{Context, OpenEngine, write_output};

/// Name of the file with the rate of the last long run, in the cache directory.
const RATE_FILE: &str = "index-rate";

/// Maximum length of that file.
const MAX_RATE_FILE: u64 = 64;

/// Minimum bytes and time of a run whose rate is recorded: shorter runs mostly measure the start.
const MIN_BYTES: u64 = 16_000_000;
const MIN_TIME: Duration = Duration::from_secs(2);

/// Prints the estimate.
pub(super) fn run(
    context: &Context,
    engine: &OpenEngine,
    mode: IndexMode,
    json: bool,
) -> anyhow::Result<Status> {
    let estimate = engine.estimate(mode)?;
    let rate = recorded(context);
    let costs = estimate.costs(rate);
    write_output(|out| {
        if json {
            let wire = wire::estimate(&estimate, &costs, rate.is_some(), &context.root);
            wire::write(&wire, out)
        } else {
            write(&estimate, &costs, rate.is_some(), out)
        }
    })?;
    Ok(Status::Success)
}

fn write(
    estimate: &IndexEstimate,
    costs: &IndexCosts,
    is_measured: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut rows = vec![["source", "files", "to read", "bytes to read"].map(str::to_owned)];
    let total = estimate.total();
    let named = estimate.sources.iter().map(|(name, files)| (name.as_str(), *files));
    for (name, (all, unread)) in named.chain([("total", total)]) {
        let (files, to_read) = (output::count(all.units), output::count(unread.units));
        rows.push([name.to_owned(), files, to_read, output::bytes(unread.bytes)]);
    }
    table::write([Align::Left, Align::Right, Align::Right, Align::Right], &rows, out)?;
    if total.1.units == 0 {
        return writeln!(out, "\nnothing to read; nothing was written");
    }
    let basis = if is_measured { "as in an earlier run" } else { "by the model" };
    writeln!(
        out,
        "\nexpected: {}, {} of memory, {} more on disk ({}/s, {basis}); nothing was written",
        time(costs.time),
        output::bytes(costs.memory),
        output::bytes(costs.disk),
        output::bytes(costs.bytes_per_second)
    )
}

fn time(time: Duration) -> String {
    match time.as_secs() {
        0..10 => format!("{:.1} s", time.as_secs_f64()),
        seconds @ 10..100 => format!("{seconds} s"),
        seconds => format!("{} min", seconds.div_ceil(60)),
    }
}

/// Records the rate of a run that read enough.
pub(super) fn record(context: &Context, bytes: u64, time: Duration) {
    if bytes < MIN_BYTES || time < MIN_TIME {
        return;
    }
    let rate = u128::from(bytes) * 1000 / time.as_millis().max(1);
    if let Some(folder) = folder(context) {
        // Without it, the next estimate is made by the model.
        let _ = folder.write(RATE_FILE, format!("{rate}\n").as_bytes());
    }
}

/// The rate of an earlier run in bytes per second.
fn recorded(context: &Context) -> Option<u64> {
    let bytes = folder(context)?.read(RATE_FILE, MAX_RATE_FILE).ok()??;
    std::str::from_utf8(&bytes).ok()?.trim().parse().ok().filter(|rate| *rate > 0)
}

fn folder(context: &Context) -> Option<PrivateFolder> {
    context.settings.cache_dir().map(PrivateFolder::new)
}
