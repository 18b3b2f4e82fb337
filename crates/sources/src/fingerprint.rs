//! Fingerprint of a file's metadata as one number.

use std::{
    fs::Metadata,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// Marks a file whose times cannot reveal a change. Never the fingerprint of a file.
pub(crate) const UNSTABLE: u64 = 0;

/// Minimum time between two changes of a file so that its times differ, with a margin: kernels
/// update file times per tick, which is at most 10 ms.
const TICK: Duration = Duration::from_millis(50);

/// The same for file systems with whole seconds, or every other second (FAT).
const COARSE_TICK: Duration = Duration::from_secs(2);

/// Metadata of a file at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileStat {
    /// Size in bytes.
    pub(crate) size: u64,
    /// Time of the last modification, nanoseconds since the epoch.
    modified: i128,
    /// Time of the last change of content or attributes, nanoseconds since the epoch; equal to
    /// `modified` if the system has none.
    changed: i128,
    /// Inode, 0 if the system has none.
    inode: u64,
    /// Fingerprint of everything, never [`UNSTABLE`].
    pub(crate) fingerprint: u64,
}

/// Fingerprint of the metadata of a file. Times are in nanoseconds since the epoch.
fn fingerprint_of(size: u64, modified: i128, changed: i128, inode: u64) -> u64 {
    let mut bytes = [0; 48];
    bytes[..8].copy_from_slice(&size.to_le_bytes());
    bytes[8..24].copy_from_slice(&modified.to_le_bytes());
    bytes[24..40].copy_from_slice(&changed.to_le_bytes());
    bytes[40..].copy_from_slice(&inode.to_le_bytes());
    nonzero(xxh3_64(&bytes))
}

impl FileStat {
    pub(crate) fn of(metadata: &Metadata) -> FileStat {
        let size = metadata.len();
        let modified = metadata.modified().map_or(0, nanoseconds);
        let (changed, inode) = change_time_and_inode(metadata, modified);
        let fingerprint = fingerprint_of(size, modified, changed, inode);
        FileStat { size, modified, changed, inode, fingerprint }
    }

    /// Returns whether these are the time of the last change, in seconds and nanoseconds, and the
    /// lower 32 bits of the inode. Parts that are 0 are not compared.
    pub(crate) fn has_change_time_and_inode(&self, times: (u32, u32), inode: u32) -> bool {
        let limit = if self.changed < 0 { i64::MIN } else { i64::MAX };
        let changed = i64::try_from(self.changed).unwrap_or(limit);
        (times == (0, 0) || is_time(changed, times))
            && (inode == 0 || self.inode & u64::from(u32::MAX) == u64::from(inode))
    }

    /// Returns the part that the tree keeps for each file.
    pub(crate) fn version(&self) -> FileVersion {
        let limit = if self.modified < 0 { i64::MIN } else { i64::MAX };
        let modified = i64::try_from(self.modified).unwrap_or(limit);
        FileVersion { modified, fingerprint: self.fingerprint }
    }

    /// Returns the upper 32 bits of the inode.
    pub(crate) fn inode_high(&self) -> u32 {
        u32::try_from(self.inode >> 32).unwrap_or_default()
    }

    /// Returns whether one more change of the file might not alter its times, because the last
    /// change was just before `now`, or, by its times, after it.
    ///
    /// A modification time far in the future was set explicitly, and the change time is still
    /// reliable.
    pub(crate) fn is_recent(&self, now: SystemTime) -> bool {
        let now = nanoseconds(now);
        let whole_seconds = self.changed % 1_000_000_000 == 0;
        let tick = if whole_seconds { COARSE_TICK } else { TICK }.as_nanos().cast_signed();
        let latest = now + COARSE_TICK.as_nanos().cast_signed();
        self.changed >= now - tick || (now - tick..=latest).contains(&self.modified)
    }
}

/// Version of a file that the walk listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileVersion {
    /// Time of the last modification, nanoseconds since the epoch, clamped to `i64`.
    modified: i64,
    /// Fingerprint of everything, never [`UNSTABLE`].
    pub(crate) fingerprint: u64,
}

impl FileVersion {
    /// Creates the version of a committed file, which never changes.
    pub(crate) fn of_git(fingerprint: u64) -> FileVersion {
        FileVersion { modified: 0, fingerprint }
    }

    /// Returns whether this is the modification time, in seconds and nanoseconds. 0 nanoseconds
    /// mean that only whole seconds are known.
    pub(crate) fn has_modified_time(&self, times: (u32, u32)) -> bool {
        is_time(self.modified, times)
    }

    /// Returns whether the fingerprint is that of a file of this size, with this time of the last
    /// change, in seconds and nanoseconds, and this inode. The modification time is known to be
    /// equal.
    pub(crate) fn has_identity(&self, size: u64, (seconds, rest): (u32, u32), inode: u64) -> bool {
        let changed = i128::from(seconds) * 1_000_000_000 + i128::from(rest);
        fingerprint_of(size, i128::from(self.modified), changed, inode) == self.fingerprint
    }
}

/// Returns whether a time in nanoseconds is this one, in seconds (lower 32 bits) and nanoseconds. 0
/// nanoseconds mean that only whole seconds are known.
fn is_time(time: i64, (seconds, nanoseconds): (u32, u32)) -> bool {
    let (own_seconds, own_nanoseconds) =
        (time.div_euclid(1_000_000_000), time.rem_euclid(1_000_000_000));
    own_seconds & i64::from(u32::MAX) == i64::from(seconds)
        && (nanoseconds == 0 || own_nanoseconds == i64::from(nanoseconds))
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

/// Maps the reserved value 0 to another hash.
fn nonzero(hash: u64) -> u64 {
    hash.max(1)
}

/// Combines parts into one fingerprint, never [`UNSTABLE`]. Lengths are hashed, so that different
/// lists of parts do not collide by concatenation.
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
    fn times_before_the_epoch_and_out_of_range_are_compared() {
        let version = |modified| {
            let stat = FileStat { size: 1, modified, changed: 0, inode: 0, fingerprint: 1 };
            stat.version()
        };
        assert!(version(5_000_000_007).has_modified_time((5, 7)));
        assert!(version(5_000_000_007).has_modified_time((5, 0)), "whole seconds");
        assert!(!version(5_000_000_007).has_modified_time((5, 8)));
        assert!(version(-1).has_modified_time((u32::MAX, 999_999_999)));
        assert_eq!(version(i128::MAX).modified, i64::MAX);
        assert_eq!(version(i128::MIN).modified, i64::MIN);
        // A large tree keeps one per file.
        assert_eq!(size_of::<FileVersion>(), 16);
    }

    #[test]
    fn only_times_in_the_past_are_trusted() {
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
            let stat = FileStat { size: 1, modified, changed, inode: 0, fingerprint: 1 };
            assert_eq!(stat.is_recent(now), expected, "{name}");
        }
    }
}
