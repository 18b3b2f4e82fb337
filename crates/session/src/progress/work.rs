//! The state of an index run: its phase, the files of all sources, the rate and the time that is left.

use std::{collections::VecDeque, fmt::Write as _, time::Duration};

use lore_engine::{Phase, Workload};
use lore_render::{
    output::{bytes, count, plural},
    wire::ProgressWire,
};
use lore_schema::SourceName;

/// Time between two samples of the rate.
const SAMPLE: Duration = Duration::from_millis(500);

/// Number of samples of the rate: files differ in size, so that a short time says little.
const SAMPLES: usize = 20;

/// Minimum time after which a rate is shown.
const MIN_TIME: Duration = Duration::from_millis(1500);

/// An index run.
#[derive(Debug, Default)]
pub struct Work {
    phase: Option<Phase>,
    /// Units that each source has read, and those that it has to read, in the order of [`SourceName::ALL`].
    sources: [(Workload, Option<Workload>); SourceName::ALL.len()],
    /// Number of commits that were read after the other sources.
    older_commits: u64,
    /// Time since the start when only older commits were left.
    read_until: Option<Duration>,
    /// Times since the start, with the bytes that were read.
    samples: VecDeque<(Duration, u64)>,
}

impl Work {
    /// Notes a phase at a time since the start.
    pub fn note(&mut self, phase: Phase, now: Duration) {
        match phase {
            Phase::Read { source, finished, total } => {
                if let Some(position) = SourceName::ALL.iter().position(|name| *name == source) {
                    let (read, all) = &mut self.sources[position];
                    // Threads report out of order.
                    *read = largest(*read, finished);
                    *all = total.map(|total| largest(total, all.unwrap_or_default())).or(*all);
                }
            }
            Phase::History { finished, .. } => {
                self.older_commits = finished;
                self.read_until.get_or_insert(now);
            }
            Phase::List | Phase::Embed { .. } | Phase::Write(_) | Phase::Import | Phase::Export => {
            }
        }
        self.phase = Some(phase);
        let (finished, total) = self.files();
        if total.bytes > 0 && self.samples.back().is_none_or(|(last, _)| *last + SAMPLE <= now) {
            self.samples.push_back((now, finished.bytes));
            if self.samples.len() > SAMPLES {
                self.samples.pop_front();
            }
        }
    }

    /// Files that were read, and all that have to be read, of the sources whose total is known.
    pub fn files(&self) -> (Workload, Workload) {
        let (mut finished, mut all) = (Workload::default(), Workload::default());
        for (read, total) in &self.sources {
            if let Some(total) = *total {
                finished += Workload {
                    units: read.units.min(total.units),
                    bytes: read.bytes.min(total.bytes),
                };
                all += total;
            }
        }
        (finished, all)
    }

    /// Number of files that were not read yet.
    pub(super) fn waiting(&self) -> u64 {
        let (finished, total) = self.files();
        total.units.saturating_sub(finished.units)
    }

    /// Time since the start when only older commits were left, if there was such a time.
    pub(super) fn read_until(&self) -> Option<Duration> {
        self.read_until
    }

    /// Number of commits that were read.
    fn commits(&self) -> u64 {
        let git = SourceName::ALL.iter().position(|name| *name == SourceName::Git);
        git.map_or(0, |position| self.sources[position].0.units) + self.older_commits
    }

    /// The finished part of the current phase and all of it, as the bar shows it; `None` if the end of the phase
    /// is not known.
    pub(super) fn bar(&self) -> Option<(u64, u64)> {
        match self.phase? {
            Phase::Read { source: SourceName::Git, .. }
            | Phase::List
            | Phase::Import
            | Phase::Export
            | Phase::History { .. } => None,
            Phase::Read { .. } | Phase::Write(_) => {
                let (finished, total) = self.files();
                (total.bytes > 0).then_some((finished.bytes, total.bytes))
            }
            Phase::Embed { finished, total, .. } => Some((finished, total)),
        }
    }

    /// The phase, the files, the rate and the time left, on one line.
    pub fn line(&self) -> String {
        let (finished, total) = self.files();
        let files =
            format!("{} of {}", count(finished.units), plural(total.units, "file", "files"));
        let files = if total.units == 0 { "files".to_owned() } else { files };
        match self.phase {
            None | Some(Phase::List) => "listing files".to_owned(),
            Some(Phase::Import) => "unpacking the index".to_owned(),
            Some(Phase::Export) => "packing the index".to_owned(),
            Some(Phase::Read { source: SourceName::Git, .. }) => {
                format!("reading {}", plural(self.commits(), "commit", "commits"))
            }
            Some(Phase::Read { source, .. }) => {
                let mut line = format!("reading {source}: {files}");
                if total.bytes > 0 {
                    let _ = write!(line, ", {} of {}", bytes(finished.bytes), bytes(total.bytes));
                }
                if let Some((rate, left)) = self.rate() {
                    let _ = write!(line, ", {}/s, {} left", bytes(rate), time(left));
                }
                line
            }
            Some(Phase::Embed { source, finished, total }) => {
                format!("computing vectors of {source}: {} of {}", count(finished), count(total))
            }
            Some(Phase::Write(source)) => format!("writing the index of {source}: {files}"),
            Some(Phase::History { left, .. }) => format!(
                "reading older commits: {}, {} left",
                plural(self.commits(), "commit", "commits"),
                time(left.as_secs())
            ),
        }
    }

    /// The same for programs, at a time since the start.
    pub(super) fn wire(&self, now: Duration) -> ProgressWire {
        let (finished, total) = self.files();
        let (phase, source) = match self.phase {
            None | Some(Phase::List) => ("list", None),
            Some(Phase::Read { source, .. }) => ("read", Some(source)),
            Some(Phase::Embed { source, .. }) => ("embed", Some(source)),
            Some(Phase::Write(source)) => ("write", Some(source)),
            Some(Phase::Import) => ("import", None),
            Some(Phase::Export) => ("export", None),
            Some(Phase::History { .. }) => ("history", None),
        };
        let rate = if phase == "read" { self.rate() } else { None };
        let (documents, left) = match self.phase {
            Some(Phase::Embed { finished, total, .. }) => (Some([finished, total]), None),
            Some(Phase::History { left, .. }) => (None, Some(left.as_secs())),
            _ => (None, None),
        };
        ProgressWire {
            phase,
            source: source.map(SourceName::as_str),
            files: finished.units,
            files_total: total.units,
            bytes: finished.bytes,
            bytes_total: total.bytes,
            documents,
            commits: self.commits(),
            bytes_per_second: rate.map(|(rate, _)| rate),
            seconds_left: left.or(rate.map(|(_, left)| left)),
            seconds: now.as_secs_f64(),
            ..ProgressWire::default()
        }
    }

    /// Seconds until everything is read; `None` if there is no rate yet.
    pub fn seconds_left(&self) -> Option<u64> {
        self.rate().map(|(_, left)| left)
    }

    /// Bytes per second, and the seconds that the others take at that rate.
    fn rate(&self) -> Option<(u64, u64)> {
        let ((first, before), (last, now)) = (self.samples.front()?, self.samples.back()?);
        let time = last.saturating_sub(*first);
        let read = now.saturating_sub(*before);
        if time < MIN_TIME || read == 0 {
            return None;
        }
        let (finished, total) = self.files();
        let milliseconds = u64::try_from(time.as_millis()).unwrap_or(u64::MAX).max(1);
        let rate = (read.saturating_mul(1000) / milliseconds).max(1);
        Some((rate, total.bytes.saturating_sub(finished.bytes).div_ceil(rate)))
    }
}

fn largest(one: Workload, other: Workload) -> Workload {
    Workload { units: one.units.max(other.units), bytes: one.bytes.max(other.bytes) }
}

/// Seconds as people read them: up to a minute exactly, then full minutes.
pub fn time(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds} s"),
        _ => format!("{} min", seconds.div_ceil(60)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work(units: u64, bytes: u64) -> Workload {
        Workload { units, bytes }
    }

    fn read(source: SourceName, finished: Workload, total: Option<Workload>) -> Phase {
        Phase::Read { source, finished, total }
    }

    #[test]
    fn files_of_all_sources_are_counted_together() {
        let none = Workload::default();
        let (code, docs) = (Some(work(1000, 9_000_000)), Some(work(200, 1_000_000)));
        let mut run = Work::default();
        assert_eq!(run.line(), "listing files");
        run.note(read(SourceName::Code, none, None), Duration::ZERO);
        assert_eq!(run.line(), "reading code: files");
        assert_eq!(run.bar(), None);
        run.note(read(SourceName::Docs, none, docs), Duration::ZERO);
        run.note(read(SourceName::Code, none, code), Duration::ZERO);
        run.note(read(SourceName::Git, none, None), Duration::ZERO);
        run.note(read(SourceName::Code, work(100, 900_000), code), Duration::from_secs(1));
        assert_eq!(run.line(), "reading code: 100 of 1,200 files, 900.0 kB of 10.0 MB");
        run.note(read(SourceName::Code, work(240, 2_000_000), code), Duration::from_secs(2));
        assert_eq!(
            run.line(),
            "reading code: 240 of 1,200 files, 2.0 MB of 10.0 MB, 1.0 MB/s, 8 s left"
        );
        assert_eq!(run.bar(), Some((2_000_000, 10_000_000)));
        let wire = run.wire(Duration::from_secs(2));
        assert_eq!((wire.bytes_per_second, wire.seconds_left), (Some(1_000_000), Some(8)));
        run.note(Phase::Write(SourceName::Code), Duration::from_secs(2));
        assert_eq!(run.line(), "writing the index of code: 240 of 1,200 files");
        run.note(read(SourceName::Git, work(7, 0), None), Duration::from_secs(3));
        assert_eq!(run.line(), "reading 7 commits");
        assert_eq!(run.waiting(), 960);
        let (finished, left) = (5, Duration::from_secs(90));
        run.note(Phase::History { finished, left }, Duration::from_secs(4));
        assert_eq!(run.line(), "reading older commits: 12 commits, 2 min left");
    }

    #[test]
    fn totals_and_finished_files_never_decrease() {
        let mut run = Work::default();
        run.note(read(SourceName::Code, work(5, 50), Some(work(9, 90))), Duration::ZERO);
        run.note(read(SourceName::Code, work(4, 40), Some(work(8, 80))), Duration::ZERO);
        assert_eq!(run.files(), (work(5, 50), work(9, 90)));
        run.note(read(SourceName::Code, work(4, 40), None), Duration::ZERO);
        assert_eq!(run.files(), (work(5, 50), work(9, 90)));
    }

    #[test]
    fn a_long_time_is_shown_in_minutes() {
        let mut run = Work::default();
        let total = Some(work(1000, 1_000_000));
        run.note(read(SourceName::Code, Workload::default(), total), Duration::ZERO);
        run.note(read(SourceName::Code, work(8, 8_000), total), Duration::from_secs(2));
        assert_eq!(
            run.line(),
            "reading code: 8 of 1,000 files, 8.0 kB of 1.0 MB, 4.0 kB/s, 5 min left"
        );
    }
}
