//! After a kill at any moment, the index has either its old or its new content.

use std::{
    process::Stdio,
    thread,
    time::{Duration, Instant},
};

use crate::workspace::Workspace;

/// Number of generated files: enough for a run of some length, few enough for a test.
const FILES: usize = 120;

/// Number of kills.
const ROUNDS: u64 = 20;

/// The text of a file. Its marker is a word that is unique to the file and the round.
fn text(file: usize, round: u64) -> String {
    let functions: Vec<String> = (0..20)
        .map(|function| {
            format!(
                "/// Turns wheel {function} of part {file}.\npub fn wheel_{file}_{function}() {{\n    \
                 turn({function});\n}}\n\n"
            )
        })
        .collect();
    let functions = functions.concat();
    let marker = marker(file, round);
    format!("//! Part {file} of the machine.\n\n{functions}pub const {marker}: u32 = {round};\n")
}

fn marker(file: usize, round: u64) -> String {
    let letters = |number: usize| -> String {
        number.to_string().bytes().map(|digit| char::from(b'a' + digit - b'0')).collect()
    };
    format!("marker{}x{}", letters(file), letters(usize::try_from(round).unwrap_or(0)))
}

/// A pseudo-random moment in a duration, the same in every run of the test.
fn moment(round: u64, duration: Duration) -> Duration {
    let mixed = (round + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
    duration.mul_f64(f64::from(u32::try_from(mixed).unwrap_or(0)) / f64::from(1 << 24))
}

#[test]
fn searches_are_right_after_twenty_kills() {
    let workspace = Workspace::empty();
    for file in 0..FILES {
        workspace.write(&format!("src/part_{file}.rs"), text(file, 0));
    }
    let started = Instant::now();
    let ran = workspace.run(&["index"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let whole = started.elapsed();

    for round in 1..=ROUNDS {
        for file in (0..FILES).step_by(3) {
            workspace.write(&format!("src/part_{file}.rs"), text(file, round));
        }
        let mode = if round % 2 == 0 { "--rebuild" } else { "--update" };
        let mut child = workspace
            .command(&["index", mode])
            .stdout(Stdio::null())
            .spawn()
            .expect("the program starts");
        thread::sleep(moment(round, whole));
        child.kill().expect("it runs or has ended");
        child.wait().expect("it has ended");

        let file = usize::try_from(round * 3).expect("a small number") % FILES;
        let ran = workspace.run(&["--json", "--in", "code", &marker(file, round)]);
        assert_eq!(ran.code, Some(0), "round {round}: {ran:?}");
        assert_eq!(ran.paths()[0], format!("src/part_{file}.rs"), "round {round}");
        assert_eq!(ran.json()["receipt"]["fresh"], "verified", "round {round}");
        // The old content of the file is gone. In quotation marks, it is not corrected.
        let old = format!("\"{}\"", marker(file, round - 1));
        let ran = workspace.run(&["--json", "--in", "code", &old]);
        assert_eq!(ran.code, Some(1), "round {round}: {ran:?}");
    }
    let ran = workspace.run(&["doctor"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
}
