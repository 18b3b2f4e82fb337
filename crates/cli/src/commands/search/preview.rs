//! First answers at a terminal while many changed files are read into an index.

use std::{
    sync::{
        atomic::{AtomicBool, Ordering},
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::Duration,
};

use lore_engine::{Engine, SearchRequest, SearchResponse};
use lore_render::output::{Answer, offsets::Offsets};
use lore_session::progress::Reporter;

use super::Search;

/// Time that a search takes before first answers are looked for.
const PATIENCE: Duration = Duration::from_secs(2);

/// Time limit of the first answers.
const TIME: Duration = Duration::from_secs(2);

/// Minimum number of files that are not read yet; fewer are read before first answers are found.
const MIN_FILES: u64 = 100;

/// Maximum number of first answers, so that they and the answer fit on a screen.
const MAX_HITS: usize = 5;

/// Runs a search. If it takes long because files are not indexed yet, the best passages that a scan of
/// the files finds are printed on standard error meanwhile.
pub(super) fn with_first_answers<T: Send>(
    search: &Search<'_>,
    engine: &Engine,
    request: &SearchRequest,
    progress: &Reporter,
    run: impl FnOnce() -> T,
) -> T {
    if !search.is_for_people_at_terminal() || request.pattern.is_some() {
        return run();
    }
    let is_finished = AtomicBool::new(false);
    let (finish, finished) = mpsc::channel::<()>();
    thread::scope(|scope| {
        let is_finished = &is_finished;
        scope.spawn(move || {
            let has_time = finished.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout);
            if !has_time || progress.waiting_files() < MIN_FILES {
                return;
            }
            let is_late = || is_finished.load(Ordering::Relaxed);
            // The search itself reports an invalid query.
            let Ok(found) = engine.live(request, TIME, &is_late) else { return };
            if !is_late() && progress.waiting_files() > 0 {
                print(search, found, "first answers, while the index is updated", progress);
            }
        });
        let answer = run();
        is_finished.store(true, Ordering::Relaxed);
        drop(finish);
        answer
    })
}

/// Prints first answers below a heading, above the bar.
pub(super) fn print(
    search: &Search<'_>,
    mut found: SearchResponse,
    heading: &str,
    progress: &Reporter,
) {
    found.hits.truncate(MAX_HITS);
    found.follow_ups.clear();
    let Ok(style) = search.style() else { return };
    if found.hits.is_empty() {
        return;
    }
    let mut text = Vec::new();
    let answer = Answer::whole(&found, Offsets::default());
    // Writing to memory cannot fail.
    if search.format.write(&answer, &style, &mut text).is_ok() {
        let text = String::from_utf8_lossy(&text);
        progress.print(&format!("{heading}:\n\n{text}"));
    }
}
