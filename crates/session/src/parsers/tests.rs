//! Tests of the pool with programs that are no parsers. The program itself is tested as a process.

use std::{fs, path::Path};

use super::*;

/// The result of the host for a small text.
fn parse(program: &Path) -> Result<Option<Parsed>, ParserFault> {
    let pool = ParserPool::new(program.to_owned(), 2);
    pool.parse("rust", "pub fn refund() {}\n")
}

#[test]
fn without_a_program_texts_are_parsed_in_this_process() {
    let parsed = parse(Path::new("/nonexistent/program"));
    assert_eq!(parsed, InProcess.parse("rust", "pub fn refund() {}\n"));
    assert!(matches!(parsed, Ok(Some(_))));
}

#[cfg(unix)]
#[test]
fn a_program_that_does_not_answer_as_this_one_is_not_used() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().expect("a temporary folder");
    for script in ["exit 0", "cat", "kill -9 $$", "printf 'a wrong answer that is long enough'"] {
        let program = folder.path().join("program");
        fs::write(&program, format!("#!/bin/sh\n{script}\n")).expect("a new file");
        let executable = fs::Permissions::from_mode(0o755);
        fs::set_permissions(&program, executable).expect("it is ours");
        assert!(matches!(parse(&program), Ok(Some(_))), "{script}");
    }
}

#[test]
fn requests_of_parser_processes_are_recognised() {
    let words = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
    assert!(is_requested(&words(&["lore", FLAG, "2"])));
    assert!(!is_requested(&words(&["lore", FLAG])));
    assert!(!is_requested(&words(&["lore", "search", FLAG])));
    assert!(!is_requested(&words(&["lore"])));
}

#[test]
fn a_text_that_caused_a_fault_is_remembered() {
    let pool = ParserPool::new("/nonexistent/program".into(), 1);
    pool.remember("rust", "a", ParserFault::Memory);
    assert_eq!(pool.parse("rust", "a"), Err(ParserFault::Memory));
    assert!(matches!(pool.parse("rust", "b"), Ok(Some(_))));
    assert!(matches!(pool.parse("c", "a"), Ok(Some(_))));
}

#[test]
fn texts_on_their_own_go_first() {
    let shared = |turns: &Turns| turns.may_begin(Turn::Shared, 9, 2);
    let exclusive = |turns: &Turns| turns.may_begin(Turn::Exclusive, 9, 2);
    let mut turns = Turns::default();
    assert!(shared(&turns) && exclusive(&turns));
    turns.busy = 1;
    assert!(shared(&turns) && !exclusive(&turns));
    turns.busy = 2;
    assert!(!shared(&turns));
    turns = Turns { waiting_exclusive: 1, ..Turns::default() };
    assert!(!shared(&turns) && exclusive(&turns));
    turns = Turns { busy: 1, is_exclusive: true, ..Turns::default() };
    assert!(!shared(&turns) && !exclusive(&turns));
}

#[test]
fn large_texts_are_not_parsed_beside_each_other() {
    let is_shared = |turns: &Turns| turns.may_begin(Turn::Shared, MAX_SHARED_BYTES / 2 + 1, 4);
    assert!(is_shared(&Turns::default()));
    assert!(is_shared(&Turns { busy: 1, busy_bytes: 100, ..Turns::default() }));
    assert!(!is_shared(&Turns { busy: 1, busy_bytes: MAX_SHARED_BYTES / 2, ..Turns::default() }));
    assert!(Turns::default().may_begin(Turn::Shared, 2 * MAX_SHARED_BYTES, 4));
}
