//! What the file system says of a file without reading it, squeezed into one number.

use std::{
    fs::Metadata,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// Stands for "the times cannot tell": never the fingerprint of anything.
pub(crate) const UNSTABLE: u64 = 0;

/// How far apart two changes of a file must lie to differ in their times, generously: kernels
/// stamp files by the tick, which is at most 10 ms.
const TICK: Duration = Duration::from_millis(50);

/// The same on file systems that keep whole seconds, or (FAT) every other one.
const COARSE_TICK: Duration = Duration::from_secs(2);

/// What is known of a file at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Facts {
    /// Size in bytes.
    pub(crate) size: u64,
    /// Time of the last modification, nanoseconds since the epoch.
    modified: i128,
    /// Time of the last change of content or attributes, nanoseconds since the epoch; as
    /// `modified` where the system has none.
    changed: i128,
    /// Fingerprint of everything, never [`UNSTABLE`].
    pub(crate) fingerprint: u64,
}

impl Facts {
    pub(crate) fn of(metadata: &Metadata) -> Facts {
        let size = metadata.len();
        let modified = metadata.modified().map_or(0, nanoseconds);
        let (changed, inode) = change_time_and_inode(metadata, modified);
        let mut bytes = [0; 48];
        bytes[..8].copy_from_slice(&size.to_le_bytes());
        bytes[8..24].copy_from_slice(&modified.to_le_bytes());
        bytes[24..40].copy_from_slice(&changed.to_le_bytes());
        bytes[40..].copy_from_slice(&inode.to_le_bytes());
        Facts { size, modified, changed, fingerprint: nonzero(xxh3_64(&bytes)) }
    }

    /// What is worth keeping of them.
    pub(crate) fn version(&self) -> Version {
        let limit = if self.modified < 0 { i64::MIN } else { i64::MAX };
        let modified = i64::try_from(self.modified).unwrap_or(limit);
        Version { modified, fingerprint: self.fingerprint }
    }

    /// Whether one more change of the file might leave its times as they are, because the last one
    /// was just before `now`, or, by its times, after it.
    ///
    /// A modification time far in the future was set by hand, and the change time still tells.
    pub(crate) fn is_recent(&self, now: SystemTime) -> bool {
        let now = nanoseconds(now);
        let whole_seconds = self.changed % 1_000_000_000 == 0;
        let tick = if whole_seconds { COARSE_TICK } else { TICK }.as_nanos().cast_signed();
        let latest = now + COARSE_TICK.as_nanos().cast_signed();
        self.changed >= now - tick || (now - tick..=latest).contains(&self.modified)
    }
}

/// Which version of a file the walk saw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Version {
    /// Time of the last modification, nanoseconds since the epoch; the nearest one that there is a
    /// number for.
    modified: i64,
    /// Fingerprint of everything, never [`UNSTABLE`].
    pub(crate) fingerprint: u64,
}

impl Version {
    /// What is known of a version that git keeps: it never changes.
    pub(crate) fn of_git(fingerprint: u64) -> Version {
        Version { modified: 0, fingerprint }
    }

    /// Whether this is the time of the last modification in seconds and nanoseconds. Where the
    /// nanoseconds are 0, whole seconds are all that is known.
    pub(crate) fn is_of(&self, (seconds, nanoseconds): (u32, u32)) -> bool {
        let (own_seconds, own_nanoseconds) =
            (self.modified.div_euclid(1_000_000_000), self.modified.rem_euclid(1_000_000_000));
        own_seconds & i64::from(u32::MAX) == i64::from(seconds)
            && (nanoseconds == 0 || own_nanoseconds == i64::from(nanoseconds))
    }
}

#[cfg(unix)]
fn change_time_and_inode(metadata: &Metadata, _modified: i128) -> (i128, u64) {
    use std::os::unix::fs::MetadataExt;
    let seconds = i128::from(metadata.ctime());
    (seconds * 1_000_000_000 + i128::from(metadata.ctime_nsec()), metadata.ino())
}

#[cfg(not(unix))]
fn change_time_and_inode(_metadata: &Metadata, modified: i128) -> (i128, u64) {
    (modified, 0)
}

fn nanoseconds(time: SystemTime) -> i128 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(duration) => duration.as_nanos().cast_signed(),
        Err(error) => -error.duration().as_nanos().cast_signed(),
    }
}

/// Moves a hash off the one value that has a meaning.
fn nonzero(hash: u64) -> u64 {
    hash.max(1)
}

/// Joins parts into one fingerprint, never [`UNSTABLE`]. Lengths count, so that no two lists of
/// parts run together.
#[derive(Default)]
pub(crate) struct Hasher(Xxh3);

impl Hasher {
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.0.update(bytes);
    }

    pub(crate) fn number(&mut self, number: u64) {
        self.0.update(&number.to_le_bytes());
    }

    pub(crate) fn finish(&self) -> u64 {
        nonzero(self.0.digest())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_before_the_epoch_and_beyond_all_numbers_are_compared() {
        let version = |modified| {
            let facts = Facts { size: 1, modified, changed: 0, fingerprint: 1 };
            facts.version()
        };
        assert!(version(5_000_000_007).is_of((5, 7)));
        assert!(version(5_000_000_007).is_of((5, 0)), "whole seconds");
        assert!(!version(5_000_000_007).is_of((5, 8)));
        assert!(version(-1).is_of((u32::MAX, 999_999_999)));
        assert_eq!(version(i128::MAX).modified, i64::MAX);
        assert_eq!(version(i128::MIN).modified, i64::MIN);
        // The walk of a large tree keeps one for each file.
        assert_eq!(size_of::<Version>(), 16);
    }

    #[test]
    fn only_times_that_lie_back_can_be_trusted() {
        const SECOND: i128 = 1_000_000_000;
        let now = UNIX_EPOCH + Duration::from_secs(1_000);
        let cases = [
            ("old", 10 * SECOND + 1, 10 * SECOND + 1, false),
            ("just changed", 10 * SECOND, 1_000 * SECOND - 20_000_000, true),
            ("changed a while ago", 10 * SECOND, 1_000 * SECOND - 60_000_000, false),
            ("whole seconds", 10 * SECOND, 999 * SECOND, true),
            ("whole seconds, old", 10 * SECOND, 990 * SECOND, false),
            ("changed after now", 10 * SECOND, 2_000 * SECOND + 1, true),
            ("set to the future by hand", 2_000 * SECOND, 900 * SECOND + 1, false),
            ("modified now, change time unknown", 1_000 * SECOND - 1, 0, true),
        ];
        for (name, modified, changed, expected) in cases {
            let facts = Facts { size: 1, modified, changed, fingerprint: 1 };
            assert_eq!(facts.is_recent(now), expected, "{name}");
        }
    }
}
