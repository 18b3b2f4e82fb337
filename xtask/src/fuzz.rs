//! Builds every fuzz target and runs each for some minutes, two at a time.

use std::{
    collections::VecDeque,
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::Mutex,
    thread,
};

use anyhow::{Context as _, Result, bail};

/// Default number of minutes for each target.
const MINUTES: f64 = 20.0;

/// Number of targets that run at the same time.
const PARALLEL_TARGETS: usize = 2;

/// Maximum time of one input in seconds, and maximum memory in megabytes.
const LIMITS: [&str; 2] = ["-timeout=10", "-rss_limit_mb=3000"];

/// Builds the targets and runs the named ones, or all.
///
/// Findings stay in `fuzz/artifacts`, the learnt corpus in `fuzz/corpus`.
pub(crate) fn run(root: &Path, arguments: &[String]) -> Result<()> {
    let (minutes, named) = match arguments {
        [flag, number, named @ ..] if flag == "--minutes" => (number.parse()?, named),
        named => (MINUTES, named),
    };
    let all = targets(root)?;
    if let Some(unknown) = named.iter().find(|name| !all.contains(name)) {
        bail!("there is no fuzz target `{unknown}`; the targets are {}", all.join(", "));
    }
    let built =
        Command::new("cargo").args(["+nightly", "fuzz", "build"]).current_dir(root).status();
    if !built.context("could not start cargo")?.success() {
        bail!(
            "could not build the targets: they need `rustup toolchain install nightly` and `cargo install cargo-fuzz`"
        );
    }
    let programs = programs(root)?;
    let waiting: VecDeque<String> = if named.is_empty() { all } else { named.to_vec() }.into();
    println!("{} targets, {minutes} minutes each, {PARALLEL_TARGETS} at a time", waiting.len());
    let waiting = Mutex::new(waiting);
    let failed = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..PARALLEL_TARGETS {
            scope.spawn(|| {
                while let Some(target) = next(&waiting) {
                    let outcome = fuzz(root, &programs, &target, minutes);
                    let text =
                        outcome.as_ref().map_or_else(|error| format!("{error:#}"), Clone::clone);
                    println!("{target}: {text}");
                    if outcome.is_err() {
                        failed.lock().expect("no thread panics while it has the lock").push(target);
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().expect("the threads are done");
    if !failed.is_empty() {
        bail!("findings in {}; see fuzz/artifacts", failed.join(", "));
    }
    Ok(())
}

fn next(waiting: &Mutex<VecDeque<String>>) -> Option<String> {
    waiting.lock().expect("no thread panics while it has the lock").pop_front()
}

/// Names of the targets, sorted.
fn targets(root: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(root.join("fuzz/fuzz_targets"))? {
        let path = entry?.path();
        names.extend(path.file_stem().and_then(|name| name.to_str()).map(str::to_owned));
    }
    names.sort();
    Ok(names)
}

/// Directory of the built targets.
fn programs(root: &Path) -> Result<PathBuf> {
    let output = Command::new("rustc").args(["+nightly", "-vV"]).output()?;
    let version = String::from_utf8(output.stdout)?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    let host = host.context("`rustc -vV` shows no host")?;
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| root.join("fuzz/target"), |target| root.join(target));
    Ok(target.join(host).join("release"))
}

/// Runs one target. Returns a summary, or fails with the finding.
fn fuzz(root: &Path, programs: &Path, target: &str, minutes: f64) -> Result<String> {
    let corpus = root.join("fuzz/corpus").join(target);
    let artifacts = root.join("fuzz/artifacts").join(target);
    fs::create_dir_all(&corpus)?;
    fs::create_dir_all(&artifacts)?;
    let log = artifacts.join("log");
    let log_file = fs::File::create(&log)?;
    // Temporary files of the targets, in memory if possible.
    let memory = Path::new("/dev/shm");
    let place = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
    let place = place.join(format!("lore-fuzz-{}-{target}", std::process::id()));
    fs::create_dir_all(&place)?;
    let status = Command::new(programs.join(target))
        .env("TMPDIR", &place)
        // The C code of a grammar leaks a few bytes on some texts, which is known.
        .env("ASAN_OPTIONS", "detect_odr_violation=0:detect_leaks=0")
        .args(LIMITS)
        .args(["-print_final_stats=1", "-detect_leaks=0"])
        .arg(format!("-max_total_time={:.0}", minutes * 60.0))
        .arg(format!("-artifact_prefix={}/", artifacts.display()))
        .arg(&corpus)
        .current_dir(&artifacts)
        .stdout(log_file.try_clone()?)
        .stderr(log_file)
        .status()
        .with_context(|| format!("could not start the target `{target}`"));
    fs::remove_dir_all(&place)?;
    let status = status?;
    let output = fs::read(&log)?;
    let output = String::from_utf8_lossy(&output);
    let number = |name: &str| {
        let mut lines = output.lines().filter_map(|line| line.strip_prefix(name));
        lines.next_back().map_or("?", str::trim).to_owned()
    };
    let inputs = number("stat::number_of_executed_units:");
    if !status.success() {
        let reason =
            output.lines().find(|line| line.contains("panicked") || line.contains("ERROR"));
        bail!("after {inputs} inputs: {}", reason.unwrap_or("see its log"));
    }
    Ok(format!("{inputs} inputs, slowest {} s", number("stat::slowest_unit_time_sec:")))
}
