//! `lore search --from-failure` with a log on standard input.

use std::{
    io::Write,
    process::{Output, Stdio},
};

use crate::workspace::{Ran, Workspace};

const LOG: &str = include_str!("../fixtures/failure.log");

fn piped(workspace: &Workspace, arguments: &[&str], log: &[u8]) -> Ran {
    let mut command = workspace.command(&[&["search", "--from-failure"], arguments].concat());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    // If `lore` rejects the log, it may exit before it has read all of it.
    let _ = stdin.write_all(log);
    drop(stdin);
    let output: Output = child.wait_with_output().expect("the program ends");
    Ran::new(&output)
}

#[test]
fn every_format_supports_a_log() {
    let shop = Workspace::shop();
    let ran = piped(&shop, &["--json"], LOG.as_bytes());
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let json = ran.json();
    let first = &json["results"][0];
    assert_eq!(first["id"], "code:src/refund.rs#Refunds.retry_refund", "{ran:?}");
    assert_eq!(first["matchType"], "frame");
    assert!(first["via"].as_str().expect("a reason").starts_with("frame 1 of 4: panic: "));
    let failure = &json["receipt"]["failure"];
    assert_eq!(failure["failures"][0]["test"], "a_timeout_is_retried_with_the_same_key");
    assert_eq!(failure["frames"]["inTree"], 3);
    assert_eq!(failure["frames"]["outside"], 1);
    assert_eq!(failure["frames"]["relocated"], 1);
    assert_eq!(failure["moved"][0]["to"], "src/refund.rs:28");
    for format in ["human", "jsonl", "markdown", "paths", "toon"] {
        let ran = piped(&shop, &["--format", format], LOG.as_bytes());
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert!(ran.stdout.contains("src/refund.rs"), "{format}: {ran:?}");
    }
    let small = piped(&shop, &["--json", "--budget", "1500"], LOG.as_bytes());
    assert_eq!(small.code, Some(0), "{small:?}");
    assert_eq!(small.paths()[0], "src/refund.rs");
}

#[test]
fn any_bytes_are_accepted_as_a_log_and_an_empty_log_is_an_error() {
    let shop = Workspace::shop();
    let empty = piped(&shop, &[], b" \n");
    assert_eq!(empty.code, Some(2), "{empty:?}");
    assert!(empty.stderr.contains("standard input is empty") && empty.stderr.contains("hint: "));
    let missing = shop.run(&["search", "--from-failure=nowhere.log"]);
    assert_eq!(missing.code, Some(2), "{missing:?}");
    assert!(missing.stderr.contains("`nowhere.log`"), "{missing:?}");
    let literal = shop.run(&["search", "--from-failure", "--literal"]);
    assert_eq!(literal.code, Some(2), "{literal:?}");

    // Five MiB of noise before the failure, which is at the end.
    let mut log = vec![0xff; 100];
    log.push(b'\n');
    for _ in 0..5 * (1 << 20) / 16 {
        log.extend(b"\x1b[32m ok\x1b[0m 12%\r");
        log.extend(b"\x1b[32m ok\x1b[0m\n");
    }
    log.extend(LOG.as_bytes());
    let long = piped(&shop, &["--json"], &log);
    assert_eq!(long.code, Some(0), "{long:?}");
    let json = long.json();
    assert_eq!(json["results"][0]["path"], "src/refund.rs");
    assert!(json["receipt"]["failure"]["leftOutBytes"].as_u64() > Some(1 << 20));
    assert!(long.stderr.contains("were not read"), "{}", long.stderr);
}
