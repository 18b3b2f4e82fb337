//! Starts writing the changed pages of a file, so that later writes through a memory map are seen.
//!
//! A program that maps a file writes to its pages. The system sets the file's times at the first
//! write to a page that is not marked as changed, and not again until the page is written to disk:
//! a later write would be invisible. Starting that before a file is read makes every write after
//! the reading set the times again.
//!
//! File systems in memory (tmpfs) never set the times for such writes; there, they stay invisible.
//!
//! `unsafe`: the one system call has no safe wrapper. It takes a descriptor and numbers, and
//! accesses no memory of this process.

use std::fs::File;

/// Starts writing the changed pages of an open file. Does not wait for them; without any, it costs
/// a system call of about a microsecond. Errors are ignored: some file systems do not support it.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "the call has no safe wrapper; see the module")]
pub(crate) fn start(file: &File) {
    use std::os::fd::AsRawFd;

    // Pages that are being written were possibly changed again meanwhile: they are waited for.
    let flags = libc::SYNC_FILE_RANGE_WAIT_BEFORE | libc::SYNC_FILE_RANGE_WRITE;
    // SAFETY: the descriptor is open, because `file` is borrowed. The call has no pointers.
    let _ = unsafe { libc::sync_file_range(file.as_raw_fd(), 0, 0, flags) };
}

/// Does nothing: other systems set the times when they write the pages.
#[cfg(not(target_os = "linux"))]
pub(crate) fn start(_: &File) {}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::{
        fs::OpenOptions,
        io::Write as _,
        os::fd::{AsFd, AsRawFd},
        thread,
        time::Duration,
    };

    use lore_schema::SourceName;
    use rustix::fs::fstatfs;

    use crate::fixture::{Folder, Memory};

    /// The type of a file system in memory.
    const TMPFS: i64 = 0x0102_1994;

    /// The first byte of a file, mapped.
    struct Mapped(*mut libc::c_void);

    impl Mapped {
        #[expect(unsafe_code, reason = "mapping a file for writing has no safe wrapper")]
        fn open(file: &std::fs::File) -> Mapped {
            let (access, shared) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED);
            let descriptor = file.as_raw_fd();
            // SAFETY: a new map of an open file that has at least one byte.
            let at = unsafe { libc::mmap(std::ptr::null_mut(), 1, access, shared, descriptor, 0) };
            assert_ne!(at, libc::MAP_FAILED);
            Mapped(at)
        }

        #[expect(unsafe_code, reason = "see `open`")]
        fn set(&self, byte: u8) {
            // SAFETY: the map exists as long as the process, and has at least one byte.
            unsafe { self.0.cast::<u8>().write_volatile(byte) };
        }
    }

    #[test]
    fn writes_through_a_map_are_seen_every_time() {
        let folder = Folder::new();
        let path = folder.join("a.rs");
        let mut file =
            OpenOptions::new().read(true).write(true).create_new(true).open(&path).unwrap();
        file.write_all(b"0 mapped\n").unwrap();
        let kind = fstatfs(file.as_fd()).unwrap().f_type;
        if kind == TMPFS {
            return;
        }
        let mapped = Mapped::open(&file);
        let mut memory = Memory::default();
        for byte in b'1'..=b'9' {
            mapped.set(byte);
            thread::sleep(Duration::from_millis(20));
            memory.scan(SourceName::Code, &folder.walk_settled());
            let text = &memory.documents["a.rs"][0].text;
            assert_eq!(text.as_bytes()[0], byte, "{text}");
        }
    }
}
