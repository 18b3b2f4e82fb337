//! Runs a program of the user's own: text in, text out, in bounded time and size.

use std::{
    io::{ErrorKind, Read, Write},
    process::{Child, Command, Stdio},
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

/// Most bytes that a program may write.
const MAX_OUTPUT: usize = 4 << 20;

/// Interval of the checks for the end of a program that writes nothing.
const POLL: Duration = Duration::from_millis(2);

/// Time limit from the end of a program to the end of its output. It is only exceeded by one that
/// leaves another program behind, which keeps the output open.
const GRACE: Duration = Duration::from_millis(100);

/// Runs a program with its arguments, without a shell, and returns what it writes on standard output.
/// What it writes on standard error is not shown.
///
/// # Errors
/// Why there is no output, in words: the program cannot be started, takes longer than `timeout`,
/// writes too much, or ends with an error.
pub(crate) fn run(
    command: &[String],
    input: Vec<u8>,
    timeout: Duration,
) -> Result<Vec<u8>, String> {
    let [program, arguments @ ..] = command else { return Err("there is no program".to_owned()) };
    let deadline = Instant::now() + timeout;
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("it could not be started: {error}"))?;
    let ended = read(&mut child, input, deadline).and_then(|output| {
        let status = wait(&mut child, deadline)?;
        if status { Ok(output) } else { Err("it exited with an error".to_owned()) }
    });
    if ended.is_err() {
        // It may have ended by itself.
        let _ = child.kill();
        let _ = child.wait();
    }
    ended.map_err(|reason| match reason.as_str() {
        "" => format!("it took longer than {} ms", timeout.as_millis()),
        _ => reason,
    })
}

/// Writes the input and reads the output, side by side. An error without words is the timeout.
///
/// The two threads end with the pipes, which are closed when the program is killed. Only a program
/// that leaves another one behind keeps them, until that one or this process ends.
fn read(child: &mut Child, input: Vec<u8>, deadline: Instant) -> Result<Vec<u8>, String> {
    let (Some(mut stdin), Some(mut stdout)) = (child.stdin.take(), child.stdout.take()) else {
        return Err("its input and output could not be opened".to_owned());
    };
    thread::spawn(move || {
        // A program need not read all of it.
        let _ = stdin.write_all(&input);
    });
    // Bounded, so that a program which writes without end waits for its reader.
    let (sender, receiver) = mpsc::sync_channel(1);
    thread::spawn(move || {
        let mut buffer = vec![0; 1 << 16];
        loop {
            let read = match stdout.read(&mut buffer) {
                Ok(0) => break,
                Ok(length) => Ok(buffer[..length].to_vec()),
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => Err(error),
            };
            // The receiver is gone after the timeout.
            if sender.send(read).is_err() {
                break;
            }
        }
    });
    let mut output = Vec::new();
    let mut ended: Option<Instant> = None;
    loop {
        match receiver.recv_timeout(POLL) {
            Ok(Ok(more)) => output.extend(more),
            Ok(Err(error)) => return Err(format!("its output could not be read: {error}")),
            Err(RecvTimeoutError::Disconnected) => return Ok(output),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if output.len() > MAX_OUTPUT {
            return Err(format!("it wrote more than {} MiB", MAX_OUTPUT >> 20));
        }
        if ended.is_none() && child.try_wait().is_ok_and(|status| status.is_some()) {
            ended = Some(Instant::now());
        }
        match ended {
            Some(ended) if ended.elapsed() >= GRACE => return Ok(output),
            None if Instant::now() >= deadline => return Err(String::new()),
            _ => {}
        }
    }
}

/// Waits for the end, and returns an error if the program failed. An error without text is the timeout.
fn wait(child: &mut Child, deadline: Instant) -> Result<bool, String> {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status.success()),
            Ok(None) if Instant::now() >= deadline => return Err(String::new()),
            Ok(None) => thread::sleep(POLL),
            Err(error) => return Err(format!("waiting for it failed: {error}")),
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn sh(script: &str, input: &str, milliseconds: u64) -> Result<String, String> {
        let command = ["/bin/sh", "-c", script].map(str::to_owned);
        run(&command, input.as_bytes().to_vec(), Duration::from_millis(milliseconds))
            .map(|output| String::from_utf8_lossy(&output).into_owned())
    }

    #[test]
    fn text_goes_in_and_comes_out() {
        assert_eq!(sh("cat", "refund", 60_000), Ok("refund".to_owned()));
        let large = "x".repeat(1 << 20);
        assert_eq!(sh("cat", &large, 60_000).map(|output| output.len()), Ok(1 << 20));
        // One that does not read its input is no failure.
        assert_eq!(sh("echo done", &large, 60_000), Ok("done\n".to_owned()));
    }

    #[test]
    fn one_that_leaves_another_behind_has_answered() {
        let started = Instant::now();
        assert_eq!(sh("echo done; sleep 20 &", "", 60_000), Ok("done\n".to_owned()));
        assert_eq!(
            sh("echo half; sleep 20 & exit 3", "", 60_000),
            Err("it exited with an error".to_owned())
        );
        assert!(started.elapsed() < Duration::from_secs(15), "{:?}", started.elapsed());
    }

    #[test]
    fn failures_are_reported_and_bounded() {
        assert_eq!(sh("exit 3", "", 60_000), Err("it exited with an error".to_owned()));
        assert_eq!(sh("sleep 60", "", 50), Err("it took longer than 50 ms".to_owned()));
        let silent = "exec >&-; sleep 60";
        assert_eq!(sh(silent, "", 50), Err("it took longer than 50 ms".to_owned()));
        assert_eq!(sh("yes", "", 60_000), Err("it wrote more than 4 MiB".to_owned()));
        let nothing = run(&["/nonexistent/program".to_owned()], Vec::new(), Duration::from_secs(1));
        assert!(nothing.is_err_and(|reason| reason.starts_with("it could not be started: ")));
        assert!(run(&[], Vec::new(), Duration::from_secs(1)).is_err());
    }
}
