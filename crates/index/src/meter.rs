//! Memory and disk usage of this process. Available on Linux only.

/// Bytes of memory that this process has allocated. Mapped files do not count: the system can
/// reclaim their pages.
pub fn own_memory() -> Option<u64> {
    let status = read("/proc/self/status")?;
    let kilobytes = figure(&status, "RssAnon:")? + figure(&status, "RssShmem:").unwrap_or(0);
    Some(kilobytes * 1024)
}

/// Bytes that this process has written so far, to files and to pipes.
pub fn written_bytes() -> Option<u64> {
    figure(&read("/proc/self/io")?, "wchar:")
}

#[expect(clippy::disallowed_methods, reason = "the system keeps these figures in files")]
fn read(path: &str) -> Option<String> {
    std::fs::read_to_string(path).ok()
}

/// The number after a name at the start of a line.
fn figure(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_parsed_by_name() {
        let text = "VmRSS:\t  500 kB\nRssAnon:\t     120 kB\nRssFile: 380 kB\n";
        assert_eq!(figure(text, "RssAnon:"), Some(120));
        assert_eq!(figure(text, "RssShmem:"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn allocated_memory_is_counted() {
        let before = own_memory().unwrap();
        let block = vec![1_u8; 64 << 20];
        let after = own_memory().unwrap();
        assert!(before + (48 << 20) < after, "{before} {after}");
        assert_eq!(block.iter().map(|byte| u64::from(*byte)).sum::<u64>(), 64 << 20);
    }
}
