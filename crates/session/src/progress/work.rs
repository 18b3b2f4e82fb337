//! The state of an index run: its phase, the files of all sources, the rate and the time that is left.

use std::{collections::VecDeque, time::Duration};

use lore_engine::Phase;
use lore_render::output::{count, plural};
use lore_schema::SourceName;

/// Time between two samples of the rate.
const SAMPLE: Duration = Duration::from_millis(500);

/// Number of samples of the rate: files differ in size, so that a short time says little.
const SAMPLES: usize = 20;

/// Minimum time after which a rate is shown.
const MIN_TIME: Duration = Duration::from_millis(1500);

/// An index run.
#[derive(Debug, Default)]
pub(super) struct Work {
    phase: Option<Phase>,
    /// Finished units and all units of each source, in the order of [`SourceName::ALL`].
    units: [(u64, Option<u64>); SourceName::ALL.len()],
    /// Times since the start, with the number of finished files.
    samples: VecDeque<(Duration, u64)>,
}

impl Work {
    /// Notes a phase at a time since the start.
    pub(super) fn note(&mut self, phase: Phase, now: Duration) {
        if let Phase::Read { source, finished, total } = phase
            && let Some(position) = SourceName::ALL.iter().position(|name| *name == source)
        {
            let units = &mut self.units[position];
            *units = (units.0.max(finished), total);
        }
        self.phase = Some(phase);
        let (finished, total) = self.files();
        if total > 0 && self.samples.back().is_none_or(|(last, _)| *last + SAMPLE <= now) {
            self.samples.push_back((now, finished));
            if self.samples.len() > SAMPLES {
                self.samples.pop_front();
            }
        }
    }

    /// Finished files and all files; a commit is not a file.
    pub(super) fn files(&self) -> (u64, u64) {
        let files = SourceName::ALL.iter().zip(&self.units);
        files
            .filter(|(source, _)| **source != SourceName::Git)
            .filter_map(|(_, (finished, total))| total.map(|total| ((*finished).min(total), total)))
            .fold((0, 0), |(finished, all), (done, total)| (finished + done, all + total))
    }

    /// Number of files that are not finished.
    pub(super) fn waiting(&self) -> u64 {
        let (finished, total) = self.files();
        total.saturating_sub(finished)
    }

    /// The phase, the files, the rate and the time left, on one line.
    pub(super) fn line(&self) -> String {
        let (finished, total) = self.files();
        let files = format!("{} of {}", count(finished), plural(total, "file", "files"));
        match self.phase {
            None | Some(Phase::List) => "listing files".to_owned(),
            Some(Phase::Read { source: SourceName::Git, finished, .. }) => {
                format!("reading {}", plural(finished, "commit", "commits"))
            }
            Some(Phase::Read { source, .. }) => {
                let rate = self.rate().map(|(rate, left)| format!(", {rate}/s, {left} left"));
                format!("reading {source}: {files}{}", rate.unwrap_or_default())
            }
            Some(Phase::Embed { source, finished, total }) => {
                format!("computing vectors of {source}: {} of {}", count(finished), count(total))
            }
            Some(Phase::Write(source)) => format!("writing the index of {source}: {files}"),
        }
    }

    /// Files per second, and the time that the others take at that rate.
    fn rate(&self) -> Option<(String, String)> {
        let ((first, before), (last, now)) = (self.samples.front()?, self.samples.back()?);
        let time = last.saturating_sub(*first);
        let files = now.saturating_sub(*before);
        if time < MIN_TIME || files == 0 {
            return None;
        }
        let milliseconds = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let seconds = self.waiting().saturating_mul(milliseconds).div_ceil(files * 1000);
        let left = match seconds {
            0..60 => format!("{seconds} s"),
            _ => format!("{} min", seconds.div_ceil(60)),
        };
        let tenths = files * 10_000 / milliseconds;
        let rate = match tenths {
            0..100 => format!("{}.{}", tenths / 10, tenths % 10),
            _ => count(tenths / 10),
        };
        Some((rate, left))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(source: SourceName, finished: u64, total: Option<u64>) -> Phase {
        Phase::Read { source, finished, total }
    }

    #[test]
    fn files_of_all_sources_are_counted_together() {
        let mut work = Work::default();
        assert_eq!(work.line(), "listing files");
        work.note(read(SourceName::Code, 0, Some(1000)), Duration::ZERO);
        work.note(read(SourceName::Docs, 0, Some(200)), Duration::ZERO);
        work.note(read(SourceName::Git, 0, None), Duration::ZERO);
        work.note(read(SourceName::Code, 100, Some(1000)), Duration::from_secs(1));
        assert_eq!(work.line(), "reading code: 100 of 1,200 files");
        work.note(read(SourceName::Code, 240, Some(1000)), Duration::from_secs(2));
        assert_eq!(work.line(), "reading code: 240 of 1,200 files, 120/s, 8 s left");
        work.note(Phase::Write(SourceName::Code), Duration::from_secs(2));
        assert_eq!(work.line(), "writing the index of code: 240 of 1,200 files");
        work.note(read(SourceName::Git, 7, None), Duration::from_secs(3));
        assert_eq!(work.line(), "reading 7 commits");
        assert_eq!(work.waiting(), 960);
    }

    #[test]
    fn threads_may_report_out_of_order() {
        let mut work = Work::default();
        work.note(read(SourceName::Code, 5, Some(9)), Duration::ZERO);
        work.note(read(SourceName::Code, 4, Some(9)), Duration::ZERO);
        assert_eq!(work.files(), (5, 9));
    }

    #[test]
    fn a_long_time_is_shown_in_minutes() {
        let mut work = Work::default();
        work.note(read(SourceName::Code, 0, Some(1000)), Duration::ZERO);
        work.note(read(SourceName::Code, 8, Some(1000)), Duration::from_secs(2));
        assert_eq!(work.line(), "reading code: 8 of 1,000 files, 4.0/s, 5 min left");
    }
}
