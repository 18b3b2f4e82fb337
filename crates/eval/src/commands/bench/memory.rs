//! Peak memory of this process, on Linux.

use std::fs;

/// Resets the peak, if the system supports that.
pub(super) fn reset_peak() {
    // Without a reset, a later figure may only be too large.
    let _ = fs::write("/proc/self/clear_refs", "5");
}

/// Peak of physical memory in bytes since the last [`reset_peak`], mapped files included.
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
    fn the_peak_is_read_from_the_status() {
        assert_eq!(peak_of("Name:\tlore\nVmHWM:\t   1024 kB\nVmRSS:\t 9 kB\n"), Some(1 << 20));
        assert_eq!(peak_of("Name:\tlore\n"), None);
    }
}
