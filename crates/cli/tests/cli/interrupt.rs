//! Ctrl-C during an index run: what is read is kept, and the next run continues.
#![cfg(unix)]

use std::{
    process::Stdio,
    thread,
    time::{Duration, Instant},
};

use crate::workspace::{Ran, Workspace};

/// Number of generated files: enough for a run of some seconds without optimisation.
const FILES: usize = 1500;

/// Exit code after an interrupt.
const INTERRUPTED: i32 = 130;

fn workspace() -> Workspace {
    let workspace = Workspace::empty();
    for file in 0..FILES {
        let functions: Vec<String> = (0..12)
            .map(|at| format!("/// Turns wheel {at}.\npub fn wheel_{file}_{at}() {{ turn({at}) }}"))
            .collect();
        workspace.write(&format!("src/part_{file}.rs"), functions.join("\n"));
    }
    workspace
}

/// Runs `lore index` and interrupts it after a time.
fn interrupted_after(workspace: &Workspace, time: Duration) -> Ran {
    let child = workspace
        .command(&["index"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    thread::sleep(time);
    let id = child.id().to_string();
    let killed = std::process::Command::new("kill").args(["-INT", &id]).status();
    assert!(killed.expect("`kill` exists").success());
    Ran::new(&child.wait_with_output().expect("it ends"))
}

#[test]
fn an_interrupted_run_states_what_it_keeps() {
    let started = Instant::now();
    let fresh = workspace();
    assert_eq!(fresh.run(&["index"]).code, Some(0));
    let whole = started.elapsed();

    let workspace = workspace();
    let mut time = whole / 4;
    let ran = loop {
        let ran = interrupted_after(&workspace, time);
        if ran.code == Some(INTERRUPTED) {
            break ran;
        }
        // The run was faster than the interrupt.
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert_eq!(workspace.run(&["clean", "--all", "--yes"]).code, Some(0));
        time /= 2;
    };
    assert_eq!(ran.stdout, "");
    let line = ran.stderr.lines().last().expect("a message");
    let counts = line.strip_prefix("lore: interrupted: ").expect(line);
    assert!(
        counts.ends_with(" of 1,500 files are indexed and kept; run `lore index` again to go on"),
        "{line}"
    );
    let kept: u64 =
        counts.split(' ').next().unwrap_or_default().replace(',', "").parse().expect(line);

    let ran = workspace.run(&["index", "--json"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let code = &ran.json()["sources"]["code"];
    assert_eq!(code["unchanged"], kept, "{ran:?}");
    assert_eq!(code["written"], FILES as u64 - kept);
    for query in ["wheel_1499_3", "turns wheel 7"] {
        let answer = |of: &Workspace| of.run(&["--json", "--in", "code", query]).paths();
        assert_eq!(answer(&workspace), answer(&fresh), "{query}");
    }
}
