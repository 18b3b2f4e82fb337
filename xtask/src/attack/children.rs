//! Runs `lore` with limits on memory and time, and measures what it and its own processes use.

use std::{
    fs::{self, File},
    path::Path,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result};

/// Maximum address space of each process in kilobytes: far more than any run needs, so that a broken
/// limit does not take the machine's memory.
const MAX_ADDRESS_SPACE: u64 = 8 << 20;

/// Interval of the measurements.
const POLL: Duration = Duration::from_millis(5);

/// A finished run.
pub(super) struct Ran {
    /// Exit code; `None` after a signal.
    pub(super) code: Option<i32>,
    /// True if the run took too long and was ended.
    pub(super) is_hanging: bool,
    pub(super) stdout: String,
    pub(super) stderr: String,
    /// Maximum of the memory that all processes of the run allocated together, in bytes; 0 where it
    /// cannot be measured.
    pub(super) peak_memory: u64,
}

/// Runs a program in a folder, with output files in another one.
pub(super) fn run(
    program: &Path,
    arguments: &[&str],
    tree: &Path,
    folder: &Path,
    limit: Duration,
) -> Result<Ran> {
    let [out, err] = ["out", "err"].map(|name| folder.join(name));
    let mut command = limited(program);
    command
        .args(arguments)
        .current_dir(tree)
        .env("LOREHOUND_CONFIG", "")
        .env("LOREHOUND_CACHE_DIR", folder.join("cache"))
        .stdin(Stdio::null())
        .stdout(File::create(&out)?)
        .stderr(File::create(&err)?);
    let mut child = command.spawn().context("could not start `lore`")?;
    let started = Instant::now();
    let mut peak_memory = 0;
    let mut is_hanging = false;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        peak_memory = peak_memory.max(memory_of_family(child.id()));
        if limit < started.elapsed() && !is_hanging {
            is_hanging = true;
            child.kill()?;
        }
        thread::sleep(POLL);
    };
    Ok(Ran {
        code: status.code(),
        is_hanging,
        stdout: String::from_utf8_lossy(&fs::read(&out)?).into_owned(),
        stderr: String::from_utf8_lossy(&fs::read(&err)?).into_owned(),
        peak_memory,
    })
}

/// A command that runs a program with a limit on its address space, where there is a shell for that.
fn limited(program: &Path) -> Command {
    if cfg!(unix) {
        let mut command = Command::new("/bin/sh");
        let script = format!("ulimit -v {MAX_ADDRESS_SPACE}; exec \"$0\" \"$@\"");
        command.arg("-c").arg(script).arg(program);
        command
    } else {
        Command::new(program)
    }
}

/// Bytes that a process and its children have allocated; 0 on systems other than Linux.
fn memory_of_family(id: u32) -> u64 {
    let threads = fs::read_dir(format!("/proc/{id}/task")).into_iter().flatten().flatten();
    let children =
        threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    let mut ids = vec![id];
    for list in children {
        ids.extend(list.split_whitespace().filter_map(|word| word.parse::<u32>().ok()));
    }
    ids.into_iter().map(memory_of).sum()
}

fn memory_of(id: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let figure = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next()?.parse::<u64>().ok()
    };
    let kilobytes = figure("RssAnon:").unwrap_or(0) + figure("RssShmem:").unwrap_or(0);
    kilobytes << 10
}
