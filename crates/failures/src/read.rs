//! Runs every family over a log. Each line belongs to at most one failure.

use std::collections::HashMap;

use crate::{
    clean,
    families::{FAMILIES, GENERAL, LocatedFailure},
    report::{Failure, Reading, Severity},
    stable::stable_words,
};

/// Maximum number of failures kept per log; further ones are counted.
const MAX_FAILURES: usize = 50;

/// Maximum number of frames kept per failure: half from each end of a deep recursion.
const MAX_FRAMES: usize = 200;

/// Parses the failures of a log. Warnings are dropped if there is an error.
pub fn read(log: &str) -> Reading {
    let lines = clean::lines(log);
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let has = |sign: &&str| lines.iter().any(|line| line.contains(*sign));
    let mut special: Vec<LocatedFailure> = Vec::new();
    let mut general: Vec<LocatedFailure> = Vec::new();
    for family in FAMILIES {
        if family.signs.iter().any(has) {
            let found = (family.parse)(&lines);
            if family.name == GENERAL { general = found } else { special.extend(found) }
        }
    }
    let mut taken = vec![false; lines.len()];
    let mut kept = choose(special, &mut taken);
    // If a known format was recognised, a generic line must have a position or a timestamp to
    // count.
    let is_known = !kept.is_empty();
    general.retain(|located| {
        let is_taken = located.lines.clone().any(|at| taken[at]);
        let is_likely = !located.failure.frames.is_empty() || has_time(lines[located.lines.start]);
        !is_taken && (is_likely || !is_known)
    });
    kept.extend(general);
    kept.sort_by_key(|located| located.lines.start);
    summarize(kept.into_iter().map(|located| located.failure).collect())
}

/// Chooses among overlapping failures the one with more frames that have a path, and marks its
/// lines as taken.
fn choose(mut found: Vec<LocatedFailure>, taken: &mut [bool]) -> Vec<LocatedFailure> {
    let located_frames = |located: &LocatedFailure| {
        located.failure.all_frames().filter(|frame| !frame.path.is_empty()).count()
    };
    // The sort is stable: ties keep the order of families and lines.
    found.sort_by(|left, right| {
        located_frames(right)
            .cmp(&located_frames(left))
            .then(right.lines.len().cmp(&left.lines.len()))
    });
    found.retain(|located| {
        let own = located.lines.clone();
        let is_free = !taken[own.clone()].iter().any(|line| *line);
        if is_free {
            taken[own].fill(true);
        }
        is_free
    });
    found
}

/// Returns true if a line contains a time of day.
fn has_time(line: &str) -> bool {
    let form = b"00:00:00";
    line.as_bytes().windows(form.len()).take(64).any(|window| {
        window.iter().zip(form).all(|(byte, sign)| match sign {
            b':' => *byte == b':',
            _ => byte.is_ascii_digit(),
        })
    })
}

/// Merges equal failures and counts them; drops warnings if there are errors.
fn summarize(failures: Vec<Failure>) -> Reading {
    let mut reading = Reading::default();
    let has_errors = failures.iter().any(|failure| failure.severity == Severity::Error);
    let mut known: HashMap<String, usize> = HashMap::new();
    for mut failure in failures {
        if has_errors && failure.severity == Severity::Warning {
            reading.warnings += 1;
            continue;
        }
        cut(&mut failure);
        let key = identity(&failure);
        if let Some(at) = known.get(&key) {
            // Failures over the maximum are not kept, so repetitions of them have no counter.
            if let Some(known) = reading.failures.get_mut(*at) {
                known.count += 1;
            }
        } else if reading.failures.len() < MAX_FAILURES {
            known.insert(key, reading.failures.len());
            reading.failures.push(failure);
        } else {
            known.insert(key, usize::MAX);
            reading.beyond += 1;
        }
    }
    reading
}

/// Removes the middle of a very deep stack.
fn cut(failure: &mut Failure) {
    for frames in std::iter::once(&mut failure.frames)
        .chain(failure.causes.iter_mut().map(|cause| &mut cause.frames))
    {
        if frames.len() > MAX_FRAMES {
            frames.drain(MAX_FRAMES / 2..frames.len() - MAX_FRAMES / 2);
        }
    }
}

/// Returns the key for merging failures: kind, stable words of the message, and frames.
fn identity(failure: &Failure) -> String {
    let mut identity = String::new();
    for part in std::iter::once(failure).chain(&failure.causes) {
        identity.push_str(part.family);
        identity.push('\0');
        identity.push_str(&part.kind);
        identity.push('\0');
        identity.push_str(&stable_words(&part.message));
        for frame in &part.frames {
            identity.push('\0');
            identity.push_str(&frame.summary());
        }
        identity.push('\u{1}');
    }
    identity.push_str(failure.test.as_deref().unwrap_or_default());
    identity
}
