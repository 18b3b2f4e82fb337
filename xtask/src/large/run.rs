//! Runs `lore` once, and measures time, processor time and memory.

use std::{
    fs,
    io::Read as _,
    os::unix::fs::MetadataExt as _,
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use crate::environment::set_environment;

/// Interval of the measurements of memory.
const POLL: Duration = Duration::from_millis(10);

/// Ticks in a second of the processor times in `/proc`: the same on all current systems.
const TICKS: f64 = 100.0;

/// Bytes of a block, the unit of sizes on disk.
const BLOCK: u64 = 512;

/// A finished run.
pub(super) struct Ran {
    /// Seconds until the first bytes of the output.
    pub(super) first: f64,
    /// Seconds until the last byte of the output.
    pub(super) answer: f64,
    /// Seconds until the end.
    pub(super) seconds: f64,
    /// Processor seconds of all its processes.
    pub(super) processor: f64,
    /// Maximum resident memory of all its processes together, in bytes.
    pub(super) peak: u64,
    /// Exit code; `None` after a signal.
    code: Option<i32>,
    pub(super) stdout: String,
}

impl Ran {
    /// The output as JSON.
    pub(super) fn json(&self) -> Result<Value> {
        serde_json::from_str(&self.stdout).context("`lore` wrote no JSON")
    }
}

/// A signal to send.
#[derive(Debug, Clone, Copy)]
pub(super) enum Signal {
    Kill,
    Interrupt,
    Stop,
    Continue,
}

/// A run to make.
pub(super) struct Job<'a> {
    pub(super) program: &'a Path,
    pub(super) arguments: &'a [&'a str],
    pub(super) tree: &'a Path,
    pub(super) cache: &'a Path,
}

impl Job<'_> {
    /// Runs the program, which must succeed or find nothing.
    pub(super) fn run(&self) -> Result<Ran> {
        let ran = self.run_until(None)?;
        if !matches!(ran.code, Some(0 | 1)) {
            bail!(
                "`{} {}` ended with {:?}: {}",
                self.program.display(),
                self.arguments.join(" "),
                ran.code,
                ran.stdout
            );
        }
        Ok(ran)
    }

    /// Runs the program, and sends it a signal after some time.
    pub(super) fn run_until(&self, end: Option<(Duration, Signal)>) -> Result<Ran> {
        let mut command = Command::new(self.program);
        command
            .args(self.arguments)
            .current_dir(self.tree)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        set_environment(&mut command, self.cache);
        let before = processor_seconds()?;
        let started = Instant::now();
        let mut child = command
            .spawn()
            .with_context(|| format!("could not start `{}`", self.program.display()))?;
        let mut output = child.stdout.take().context("a pipe")?;
        let reader = thread::spawn(move || -> Result<(String, f64, f64)> {
            let (mut text, mut part) = (Vec::new(), vec![0; 1 << 16]);
            let (mut first, mut last) = (None, 0.0);
            loop {
                let length = output.read(&mut part)?;
                let now = started.elapsed().as_secs_f64();
                if length == 0 {
                    let text = String::from_utf8_lossy(&text).into_owned();
                    return Ok((text, first.unwrap_or(now), last));
                }
                (first, last) = (first.or(Some(now)), now);
                text.extend_from_slice(&part[..length]);
            }
        });
        let (code, peak) = wait(&mut child, started, end)?;
        let seconds = started.elapsed().as_secs_f64();
        let (stdout, first, answer) = reader.join().expect("the reader does not panic")?;
        let processor = processor_seconds()? - before;
        Ok(Ran { first, answer, seconds, processor, peak, code, stdout })
    }
}

/// Waits for the end of a process, and returns its exit code and the maximum memory.
fn wait(
    child: &mut Child,
    started: Instant,
    mut end: Option<(Duration, Signal)>,
) -> Result<(Option<i32>, u64)> {
    let mut peak = 0;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok((status.code(), peak));
        }
        if let Some((time, sent)) = end
            && time <= started.elapsed()
        {
            signal(child.id(), sent)?;
            end = None;
        }
        peak = peak.max(memory(child.id()).peak);
        thread::sleep(POLL);
    }
}

/// Sends a signal to a process. The standard library only has the one that kills.
pub(super) fn signal(id: u32, signal: Signal) -> Result<()> {
    let name = match signal {
        Signal::Kill => "KILL",
        Signal::Interrupt => "INT",
        Signal::Stop => "STOP",
        Signal::Continue => "CONT",
    };
    let mut command = Command::new("/bin/sh");
    crate::clients::call(command.args(["-c", &format!("kill -s {name} {id}")]))
}

/// Processor seconds of all children that have ended.
fn processor_seconds() -> Result<f64> {
    let text = fs::read_to_string("/proc/self/stat")?;
    // The name of the program is in parentheses and may contain spaces.
    let (_, fields) = text.rsplit_once(") ").context("the fields of a process")?;
    let fields: Vec<&str> = fields.split_whitespace().collect();
    // `cutime` and `cstime`, the fields 16 and 17 of proc(5); the first one here is the third.
    let ticks: f64 =
        [13, 14].into_iter().filter_map(|field| fields.get(field)?.parse::<f64>().ok()).sum();
    Ok(ticks / TICKS)
}

/// Memory of a process and its children, in bytes.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Memory {
    /// Now, with the pages of mapped files.
    pub(super) resident: u64,
    /// Now, without them.
    pub(super) allocated: u64,
    /// Sum of the maximums of the processes.
    pub(super) peak: u64,
}

/// Measures the memory of a process and all its children.
pub(super) fn memory(id: u32) -> Memory {
    let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let figure = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next()?.parse::<u64>().ok()
    };
    let bytes = |name: &str| figure(name).unwrap_or(0) << 10;
    let mut memory = Memory {
        resident: bytes("VmRSS:"),
        allocated: bytes("RssAnon:") + bytes("RssShmem:"),
        peak: bytes("VmHWM:"),
    };
    let threads = fs::read_dir(format!("/proc/{id}/task")).into_iter().flatten().flatten();
    for thread in threads {
        let list = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
        for child in list.split_whitespace().filter_map(|word| word.parse().ok()) {
            let below = self::memory(child);
            memory.resident += below.resident;
            memory.allocated += below.allocated;
            memory.peak += below.peak;
        }
    }
    memory
}

/// Bytes on disk below a folder. A file with several names counts once.
pub(super) fn disk_size(folder: &Path) -> Result<u64> {
    let mut seen = std::collections::BTreeSet::new();
    let mut folders = vec![folder.to_owned()];
    let mut bytes = 0;
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries {
            let entry = entry?;
            // A running program may have removed it.
            let Ok(metadata) = entry.metadata() else { continue };
            if metadata.is_dir() {
                folders.push(entry.path());
            } else if seen.insert((metadata.dev(), metadata.ino())) {
                bytes += metadata.blocks() * BLOCK;
            }
        }
    }
    Ok(bytes)
}
