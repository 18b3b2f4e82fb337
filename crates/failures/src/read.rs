//! From a log to its failures: every family looks for its own, and each line belongs to one.

use std::collections::HashMap;

use crate::{
    clean,
    families::{FAMILIES, GENERAL, LocatedFailure},
    report::{Failure, Reading, Severity},
    stable::stable_words,
};

/// Most failures of one log that are kept: what is beyond is counted.
const MOST_FAILURES: usize = 50;

/// Most places of a failure that are kept: the innermost and the outermost half of a recursion.
const MOST_FRAMES: usize = 200;

/// Reads the failures of a log. Warnings are read only where there is no error.
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
    // Beside what is recognised, a line is worth telling if it names a place or is of a real log.
    let is_known = !kept.is_empty();
    general.retain(|one| {
        let is_told = one.lines.clone().any(|at| taken[at]);
        let tells = !one.failure.frames.is_empty() || has_time(lines[one.lines.start]);
        !is_told && (tells || !is_known)
    });
    kept.extend(general);
    kept.sort_by_key(|one| one.lines.start);
    summarize(kept.into_iter().map(|one| one.failure).collect())
}

/// Of failures that overlap, the one that tells more; its lines are taken.
fn choose(mut found: Vec<LocatedFailure>, taken: &mut [bool]) -> Vec<LocatedFailure> {
    let telling = |one: &LocatedFailure| {
        one.failure.all_frames().filter(|frame| !frame.path.is_empty()).count()
    };
    // The sort is stable: among equals, families and lines stay in their order.
    found.sort_by(|left, right| {
        telling(right).cmp(&telling(left)).then(right.lines.len().cmp(&left.lines.len()))
    });
    found.retain(|one| {
        let own = one.lines.clone();
        let is_free = !taken[own.clone()].iter().any(|line| *line);
        if is_free {
            taken[own].fill(true);
        }
        is_free
    });
    found
}

/// Whether a line holds the time of a day.
fn has_time(line: &str) -> bool {
    let form = b"00:00:00";
    line.as_bytes().windows(form.len()).take(64).any(|window| {
        window.iter().zip(form).all(|(byte, sign)| match sign {
            b':' => *byte == b':',
            _ => byte.is_ascii_digit(),
        })
    })
}

/// Each failure once, with how often it is told; without warnings where there are errors.
fn summarize(failures: Vec<Failure>) -> Reading {
    let mut reading = Reading::default();
    let has_errors = failures.iter().any(|one| one.severity == Severity::Error);
    let mut known: HashMap<String, usize> = HashMap::new();
    for mut failure in failures {
        if has_errors && failure.severity == Severity::Warning {
            reading.warnings += 1;
            continue;
        }
        cut(&mut failure);
        let key = identity(&failure);
        if let Some(at) = known.get(&key) {
            // Of what is beyond the most, nothing is kept that could be counted.
            if let Some(known) = reading.failures.get_mut(*at) {
                known.count += 1;
            }
        } else if reading.failures.len() < MOST_FAILURES {
            known.insert(key, reading.failures.len());
            reading.failures.push(failure);
        } else {
            known.insert(key, usize::MAX);
            reading.beyond += 1;
        }
    }
    reading
}

/// Keeps both ends of a very deep stack.
fn cut(failure: &mut Failure) {
    for one in std::iter::once(&mut failure.frames)
        .chain(failure.causes.iter_mut().map(|cause| &mut cause.frames))
    {
        if one.len() > MOST_FRAMES {
            one.drain(MOST_FRAMES / 2..one.len() - MOST_FRAMES / 2);
        }
    }
}

/// What two tellings of one failure have in common: its kind, the lasting words of its message, and
/// its places.
fn identity(failure: &Failure) -> String {
    let mut identity = String::new();
    for one in std::iter::once(failure).chain(&failure.causes) {
        identity.push_str(one.family);
        identity.push('\0');
        identity.push_str(&one.kind);
        identity.push('\0');
        identity.push_str(&stable_words(&one.message));
        for frame in &one.frames {
            identity.push('\0');
            identity.push_str(&frame.summary());
        }
        identity.push('\u{1}');
    }
    identity.push_str(failure.test.as_deref().unwrap_or_default());
    identity
}
