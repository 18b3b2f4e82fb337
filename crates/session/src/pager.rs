//! The pager for answers that are longer than the screen.

use std::{
    io::{self, ErrorKind, Write},
    process::{Command, Stdio},
};

use lore_console::report;
use lore_settings::{
    Value, command_line,
    env_vars::{self, Lookup},
    terminal,
};

use crate::interrupt::Listener;

/// Options of `less`, as git sets them: show colours, end if the text fits on one screen, keep it there.
const LESS_OPTIONS: &str = "FRX";

/// The pager with its arguments: that of `LORE_PAGER`, of the settings (`configured`) or of `PAGER`, or
/// `less`. `None` if it is `cat` or empty.
fn command(configured: &[String], lookup: Lookup<'_>) -> Option<Vec<String>> {
    let words = |text: &str| match command_line(text) {
        Ok(Value::Names(words)) => words,
        _ => vec![text.to_owned()],
    };
    let of_variable = |name: &str| {
        let text = lookup(name)?;
        Some(if text.is_empty() { Vec::new() } else { words(&text.to_string_lossy()) })
    };
    let of_settings = Some(configured.to_vec()).filter(|words| !words.is_empty());
    let command = of_variable(env_vars::LORE_PAGER)
        .or(of_settings)
        .or_else(|| of_variable(env_vars::PAGER))
        .unwrap_or_else(|| vec!["less".to_owned()]);
    (!command.is_empty() && command != ["cat"]).then_some(command)
}

/// Writes an answer to standard output, through the pager if that is a terminal with too few rows for
/// it. Without a pager that can be started, the answer is written directly.
///
/// # Errors
/// If the output cannot be written.
pub(crate) fn write(text: &[u8], configured: &[String]) -> io::Result<()> {
    let lookup = &env_vars::from_process;
    let lines = text.split(|byte| *byte == b'\n').count() - 1;
    // The prompt takes a row.
    let is_long = terminal::rows().is_some_and(|rows| rows <= lines);
    if let Some(command) = command(configured, lookup).filter(|_| is_long)
        && show(text, &command, lookup)?
    {
        return Ok(());
    }
    let mut out = io::stdout().lock();
    out.write_all(text)?;
    out.flush()
}

/// Shows a text with a pager, and waits until the user closes it. Returns false if there is no such
/// program.
fn show(text: &[u8], command: &[String], lookup: Lookup<'_>) -> io::Result<bool> {
    let [program, arguments @ ..] = command else { return Ok(false) };
    let mut pager = Command::new(program);
    pager.args(arguments).stdin(Stdio::piped());
    for (name, value) in [(env_vars::LESS, LESS_OPTIONS), (env_vars::LV, "-c")] {
        if lookup(name).is_none() {
            pager.env(name, value);
        }
    }
    // Ctrl-C is a key of the pager while it is shown. A system without signals loses only that.
    let _listener = Listener::start(|| {});
    let mut child = match pager.spawn() {
        Ok(child) => child,
        Err(error) => {
            // The default may be absent; a program that the user named should not.
            if program != "less" {
                report::warning(&format!("could not start the pager `{program}`: {error}"));
            }
            return Ok(false);
        }
    };
    let written = match child.stdin.take() {
        Some(mut stdin) => stdin.write_all(text),
        None => Ok(()),
    };
    child.wait()?;
    match written {
        // The user closed the pager before the end of the text.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(true),
        written => written.map(|()| true),
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::*;

    fn chosen(variables: &[(&str, &str)], settings: &[&str]) -> Option<String> {
        let lookup = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| OsString::from(value))
        };
        let words: Vec<String> = settings.iter().map(|word| (*word).to_owned()).collect();
        command(&words, &lookup).map(|words| words.join(" "))
    }

    #[test]
    fn the_most_specific_pager_is_used() {
        assert_eq!(chosen(&[], &[]).as_deref(), Some("less"));
        assert_eq!(chosen(&[("PAGER", "more -s")], &[]).as_deref(), Some("more -s"));
        assert_eq!(chosen(&[("PAGER", "more")], &["moar"]).as_deref(), Some("moar"));
        let both = [("LORE_PAGER", "bat -p"), ("PAGER", "more")];
        assert_eq!(chosen(&both, &["moar"]).as_deref(), Some("bat -p"));
        assert_eq!(chosen(&[("LORE_PAGER", "cat")], &["moar"]), None);
        assert_eq!(chosen(&[("LORE_PAGER", "")], &["moar"]), None);
    }
}
