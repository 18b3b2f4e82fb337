//! How much memory this process had at most: Linux tells, and can be told to forget.

use std::fs;

/// Begins to count anew, where the system can do that.
pub(super) fn forget_peak() {
    // What cannot be forgotten only makes a later figure larger.
    let _ = fs::write("/proc/self/clear_refs", "5");
}

/// Most bytes of physical memory since the last [`forget_peak`], mapped files included.
pub(super) fn peak() -> Option<u64> {
    peak_of(&fs::read_to_string("/proc/self/status").ok()?)
}

fn peak_of(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_stands_in_the_status() {
        assert_eq!(peak_of("Name:\tlore\nVmHWM:\t   1024 kB\nVmRSS:\t 9 kB\n"), Some(1 << 20));
        assert_eq!(peak_of("Name:\tlore\n"), None);
    }
}
