//! Runs `lore` with limits on memory and time, and measures what it and its own processes use.

use std::{
    fs::{self, File},
    path::Path,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result};

use crate::environment::set_environment;

/// Maximum address space of each process in kilobytes: far more than any run needs, so that a broken
/// limit does not take the machine's memory.
const MAX_ADDRESS_SPACE: u64 = 8 << 20;

/// Maximum size of each file that a process writes, in blocks of 512 bytes.
const MAX_FILE_SIZE: u64 = 4 << 20;

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

/// A run to make.
pub(super) struct Job<'a> {
    pub(super) program: &'a Path,
    pub(super) arguments: &'a [&'a str],
    /// Current directory.
    pub(super) tree: &'a Path,
    /// Folder for the output files.
    pub(super) folder: &'a Path,
    pub(super) cache: &'a Path,
    pub(super) limit: Duration,
}

impl Job<'_> {
    /// Runs the program.
    pub(super) fn run(&self) -> Result<Ran> {
        let [out, err] = ["out", "err"].map(|name| self.folder.join(name));
        let mut command = limited(self.program, self.limit);
        command
            .args(self.arguments)
            .current_dir(self.tree)
            .stdin(Stdio::null())
            .stdout(File::create(&out)?)
            .stderr(File::create(&err)?);
        set_environment(&mut command, self.cache);
        wait(&mut command, self.limit, &out, &err)
    }
}

fn wait(command: &mut Command, limit: Duration, out: &Path, err: &Path) -> Result<Ran> {
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
        stdout: String::from_utf8_lossy(&fs::read(out)?).into_owned(),
        stderr: String::from_utf8_lossy(&fs::read(err)?).into_owned(),
        peak_memory,
    })
}

/// A command that runs a program with limits on its address space, its processor time and its files,
/// where there is a shell for that.
pub(super) fn limited(program: &Path, limit: Duration) -> Command {
    if cfg!(unix) {
        let mut command = Command::new("/bin/sh");
        // Several threads use more than the limit.
        let seconds = limit.as_secs().saturating_add(1) * 8;
        let script = format!(
            "ulimit -v {MAX_ADDRESS_SPACE}; ulimit -t {seconds}; ulimit -f {MAX_FILE_SIZE}; exec \"$0\" \"$@\""
        );
        command.arg("-c").arg(script).arg(program);
        command
    } else {
        Command::new(program)
    }
}

/// Bytes that a process and its children have allocated; 0 on systems other than Linux.
pub(super) fn memory_of_family(id: u32) -> u64 {
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
