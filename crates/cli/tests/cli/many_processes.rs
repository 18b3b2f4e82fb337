//! The soak test of `cargo xtask soak-processes`, for twenty seconds and with fewer processes.

use std::time::Duration;

use crate::{
    processes::{Load, soak},
    workspace::PROGRAM,
};

#[test]
fn concurrent_readers_and_writers_while_files_change() {
    let folder = tempfile::TempDir::new().expect("a temporary folder");
    let load = Load {
        duration: Duration::from_secs(20),
        round: Duration::from_secs(7),
        readers: 4,
        writers: 2,
        pause: Duration::from_millis(100),
    };
    let outcome = soak(PROGRAM.as_ref(), folder.path(), load);
    assert!(outcome.is_ok(), "{outcome:?}");
}
