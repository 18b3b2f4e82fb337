//! First answers of a search whose index would take long to build.
//!
//! | Output | First answer | Index |
//! |---|---|---|
//! | a terminal, for people | on standard error | built at once; the complete answer follows |
//! | a pipe, a file, or a format for programs | is the answer, marked `preliminary` | built in the background |

use std::{
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use lore_engine::{Engine, EngineError, Phase, Progress, SearchRequest, SearchResponse};
use lore_render::output;
use lore_schema::SourceName;
use lore_session::{
    parsers::own_program,
    progress::{Reporter, time},
};
use lore_settings::flags::TreeArguments;

use super::{Search, preview};

/// Time from the start of the search to the first answer, as far as it can be kept.
const TIME: Duration = Duration::from_millis(1_700);

/// Minimum time for a first answer: that of opening the tree is over.
const MIN_TIME: Duration = Duration::from_millis(700);

/// Expected time above which the index is built once for all processes that wait for it.
const MAX_UNSHARED: Duration = Duration::from_secs(3);

/// Interval at which a waiting process looks whether another one has built the index.
const POLL_INTERVAL: Duration = Duration::from_secs(2);

/// Receiver of progress that declines an index which takes longer than a limit.
struct Impatient<'a> {
    progress: &'a Reporter,
    limit: Duration,
}

impl Progress for Impatient<'_> {
    fn phase(&self, phase: Phase) {
        self.progress.phase(phase);
    }

    fn wants_totals(&self) -> bool {
        self.progress.wants_totals()
    }

    fn accepts(&self, expected: Duration) -> bool {
        expected <= self.limit
    }

    fn advance(&self, source: SourceName, done: u64, known: u64) {
        self.progress.advance(source, done, known);
    }

    fn is_stopped(&self) -> bool {
        self.progress.is_stopped()
    }

    fn note(&self, message: &str) {
        self.progress.note(message);
    }
}

/// Runs a search. If its index would take longer than the settings allow, the files themselves are
/// searched first.
pub(super) fn with_first_answer(
    search: &Search<'_>,
    engine: &Engine,
    request: &SearchRequest,
    progress: &Reporter,
    run: impl Fn(&dyn Progress) -> anyhow::Result<SearchResponse> + Sync,
) -> anyhow::Result<SearchResponse> {
    let limit = Duration::from_secs(search.context.settings.wait());
    let is_terminal = search.is_for_people_at_terminal();
    // The files of a commit are not on the disk.
    if search.context.at.is_some() {
        return run(progress);
    }
    let impatient = Impatient { progress, limit: limit.min(MAX_UNSHARED) };
    let tried = preview::with_first_answers(search, engine, request, progress, || run(&impatient));
    let error = match tried {
        Ok(response) => return Ok(response),
        Err(error) => error,
    };
    let Some(EngineError::SlowIndex { expected, listing }) = error.downcast_ref() else {
        return Err(error);
    };
    if *expected <= limit {
        return after_other_processes(engine, progress, run);
    }
    let deadline = TIME.saturating_sub(progress.elapsed()).max(MIN_TIME);
    let found = engine.live_in(listing, request, deadline, &|| false);
    match found {
        Ok(found) if is_terminal => {
            let heading = heading(&found);
            preview::print(search, found, &heading, progress);
        }
        Ok(mut found) => {
            found.warnings.push(background_note(&search.arguments.tree, *expected));
            return Ok(found);
        }
        Err(EngineError::NeedsIndex { what }) if !is_terminal => {
            let time = time(expected.as_secs());
            progress.note(&format!("{what} needs the index, which takes about {time}"));
        }
        Err(EngineError::NeedsIndex { .. }) => {}
        Err(error) => return Err(error.into()),
    }
    after_other_processes(engine, progress, run)
}

/// Runs a search once no other process builds the index: this one would read all files again.
fn after_other_processes(
    engine: &Engine,
    progress: &Reporter,
    run: impl Fn(&dyn Progress) -> anyhow::Result<SearchResponse>,
) -> anyhow::Result<SearchResponse> {
    while engine.update(progress).is_err_and(|error| error.is_busy()) {
        progress.note("another process builds the index; this one waits for it");
        thread::sleep(POLL_INTERVAL);
    }
    run(progress)
}

/// Starts to build the index in the background. Returns a note about it, for people and agents.
fn background_note(tree: &TreeArguments, expected: Duration) -> String {
    match build_in_background(tree) {
        Ok(()) => format!(
            "the index is built in the background: search again in about {} for the complete answer, \
             or with `--wait`",
            time(expected.as_secs())
        ),
        Err(reason) => format!(
            "the index is not built, because its process could not be started ({reason}): run \
             `lore index` for complete answers"
        ),
    }
}

/// Starts a process that brings the index up to date, as a search does, and outlives this one. It ends at
/// once if another process writes the index already.
fn build_in_background(tree: &TreeArguments) -> Result<(), String> {
    let program = own_program().ok_or("the file of the program is unknown")?;
    let mut command = Command::new(program);
    command.args(["index", "--background"]);
    let folders = [("-C", &tree.directory), ("--cache-dir", &tree.cache_dir)];
    for (flag, folder) in folders {
        command.args(folder.iter().flat_map(|folder| [flag.as_ref(), folder.as_os_str()]));
    }
    let switches = [
        ("--hidden", tree.hidden),
        ("--no-hidden", tree.no_hidden),
        ("--all-history", tree.all_history),
    ];
    command.args(switches.iter().filter(|(_, is_set)| *is_set).map(|(flag, _)| flag));
    for file in &tree.tickets {
        command.arg("--tickets").arg(file);
    }
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    detach(&mut command);
    command.spawn().map(drop).map_err(|error| error.to_string())
}

/// Separates a process from the terminal, so that Ctrl-C does not end it.
#[cfg(unix)]
fn detach(command: &mut Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

/// Separates a process from the console.
#[cfg(windows)]
fn detach(command: &mut Command) {
    /// <https://learn.microsoft.com/windows/win32/procthread/process-creation-flags>
    const DETACHED_PROCESS: u32 = 0x8;
    std::os::windows::process::CommandExt::creation_flags(command, DETACHED_PROCESS);
}

/// The line above first answers on a terminal.
fn heading(found: &SearchResponse) -> String {
    let scanned = found.receipt.scanned;
    let [looked, files] = scanned.map_or([0, 0], |scanned| [scanned.looked, scanned.files]);
    format!(
        "preliminary: {} of {} files, by their words; the index is being built for the complete answer, \
         and Ctrl-C keeps what is done",
        output::count(looked),
        output::count(files)
    )
}
