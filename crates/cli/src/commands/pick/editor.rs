//! Opens the choice of `lore pick` in the user's editor.
//!
//! **Invariant:** the program is that of `VISUAL` or `EDITOR`, never one that a tree names.

use std::{
    io::{IsTerminal as _, Write as _},
    path::Path,
    process::{Command, Stdio},
};

use anyhow::Context as _;
use lore_console::report::{Status, UsageError};
use lore_picker::{Choice, Item, Outcome};
use lore_settings::{
    Value, command_line,
    env_vars::{self, Lookup},
};

use super::output;

/// Form of the arguments with the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `+LINE FILE`, and a quickfix file with `-q`.
    Vi,
    /// `+LINE FILE`.
    Plus,
    /// `-g FILE:LINE`.
    Goto,
    /// `FILE:LINE`.
    Colon,
    /// `--line LINE FILE`.
    Line,
}

/// The editors that take a line, by the name of their program.
const EDITORS: &[(&str, Form)] = &[
    ("code", Form::Goto),
    ("codium", Form::Goto),
    ("cursor", Form::Goto),
    ("windsurf", Form::Goto),
    ("gvim", Form::Vi),
    ("nvim", Form::Vi),
    ("vi", Form::Vi),
    ("view", Form::Vi),
    ("vim", Form::Vi),
    ("emacs", Form::Plus),
    ("emacsclient", Form::Plus),
    ("gedit", Form::Plus),
    ("jed", Form::Plus),
    ("joe", Form::Plus),
    ("kak", Form::Plus),
    ("mg", Form::Plus),
    ("micro", Form::Plus),
    ("nano", Form::Plus),
    ("ne", Form::Plus),
    ("helix", Form::Colon),
    ("hx", Form::Colon),
    ("subl", Form::Colon),
    ("zed", Form::Colon),
    ("zeditor", Form::Colon),
    ("clion", Form::Line),
    ("goland", Form::Line),
    ("idea", Form::Line),
    ("kate", Form::Line),
    ("pycharm", Form::Line),
    ("rustrover", Form::Line),
    ("webstorm", Form::Line),
];

/// The editor of a user without `VISUAL` and `EDITOR`.
const DEFAULT: &str = if cfg!(windows) { "notepad" } else { "vi" };

/// The user's editor.
pub(super) struct Editor {
    command: String,
}

impl Editor {
    /// The program of `VISUAL`, then of `EDITOR`, then `vi`.
    pub(super) fn from_process(lookup: Lookup<'_>) -> Editor {
        let named = [env_vars::VISUAL, env_vars::EDITOR].iter().find_map(|name| {
            let value = lookup(name)?.into_string().ok()?;
            (!value.trim().is_empty()).then_some(value)
        });
        Editor { command: named.unwrap_or_else(|| DEFAULT.to_owned()) }
    }

    /// Opens the items and waits for the editor.
    ///
    /// # Errors
    /// When the editor cannot be started, or nothing of the choice is a file.
    pub(super) fn open(&self, choice: &Choice, root: &Path) -> anyhow::Result<Status> {
        let files: Vec<&Item> = choice.items.iter().filter(|item| item.path.is_some()).collect();
        if files.is_empty() {
            let place = choice.items.first().map_or("", |item| item.place.as_str());
            let hash = place.trim_start_matches("git:");
            return Err(UsageError::new(format!("`{place}` is not a file"))
                .hint(format!("show the commit with `git show {hash}`"))
                .into());
        }
        let words = match command_line(&self.command) {
            Ok(Value::Names(words)) if !words.is_empty() => words,
            _ => vec![self.command.clone()],
        };
        let form = form(&words[0]);
        // Dropped after the editor has ended: the file is temporary.
        let list = if choice.outcome == Outcome::Quickfix && form == Some(Form::Vi) {
            let mut file = tempfile::Builder::new().suffix(".qf").tempfile()?;
            for item in &files {
                writeln!(file, "{}", output::quickfix(item, root))?;
            }
            file.flush()?;
            Some(file)
        } else {
            None
        };
        let arguments = match &list {
            Some(file) => vec!["-q".to_owned(), file.path().display().to_string()],
            None => arguments(&files, form, root),
        };
        self.start(&words, &arguments)
    }

    fn start(&self, words: &[String], arguments: &[String]) -> anyhow::Result<Status> {
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).args(arguments);
        if !std::io::stdin().is_terminal() {
            command.stdin(terminal()?);
        }
        let status = command.status().map_err(|error| {
            UsageError::new(format!("could not start the editor `{}`: {error}", self.command))
                .hint("set `EDITOR` to an editor, or use `lore pick --print`")
        })?;
        Ok(if status.success() { Status::Success } else { Status::Failed })
    }
}

/// The terminal as standard input of the editor.
fn terminal() -> anyhow::Result<Stdio> {
    let name = if cfg!(windows) { "CONIN$" } else { "/dev/tty" };
    let file = std::fs::File::open(name).context("could not open the terminal for the editor")?;
    Ok(Stdio::from(file))
}

/// The form of an editor, by the name of its program.
fn form(program: &str) -> Option<Form> {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    let name = name.strip_suffix(".exe").or(name.strip_suffix(".cmd")).unwrap_or(name);
    EDITORS.iter().find(|(known, _)| *known == name).map(|(_, form)| *form)
}

/// The arguments that open files at their lines. An editor that is not in the table gets the paths alone.
fn arguments(items: &[&Item], form: Option<Form>, root: &Path) -> Vec<String> {
    let mut arguments = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let path = output::path(item, root);
        let Some(line) = item.line else {
            arguments.push(path);
            continue;
        };
        match form {
            // Only the first file gets a line: vi applies each to the first file.
            Some(Form::Vi) if index > 0 => arguments.push(path),
            Some(Form::Vi | Form::Plus) => arguments.extend([format!("+{line}"), path]),
            Some(Form::Goto) => arguments.extend(["-g".to_owned(), format!("{path}:{line}")]),
            Some(Form::Colon) => arguments.push(format!("{path}:{line}")),
            Some(Form::Line) => arguments.extend(["--line".to_owned(), line.to_string(), path]),
            None => arguments.push(path),
        }
    }
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn editors_get_the_line_in_their_own_form() {
        let item = |path: &str, line| Item {
            path: Some(path.to_owned()),
            line: Some(line),
            ..Item::default()
        };
        let items = [item("src/a.rs", 3), item("b.md", 1)];
        let check = |program: &str, expected: &str| {
            let items: Vec<&Item> = items.iter().collect();
            let root = Path::new("/tree");
            assert_eq!(arguments(&items, form(program), root).join(" "), expected, "{program}");
        };
        check("/usr/bin/vim", "+3 /tree/src/a.rs /tree/b.md");
        check("nano", "+3 /tree/src/a.rs +1 /tree/b.md");
        check("code", "-g /tree/src/a.rs:3 -g /tree/b.md:1");
        check("hx", "/tree/src/a.rs:3 /tree/b.md:1");
        check("idea", "--line 3 /tree/src/a.rs --line 1 /tree/b.md");
        check("unknown", "/tree/src/a.rs /tree/b.md");
    }

    #[test]
    fn visual_comes_before_editor() {
        let editor = |visual: &str, editor: &str| {
            let lookup = |name: &str| match name {
                "VISUAL" => Some(visual.into()),
                "EDITOR" => Some(editor.into()),
                _ => None,
            };
            Editor::from_process(&lookup).command
        };
        assert_eq!(editor("hx", "vi"), "hx");
        assert_eq!(editor(" ", "nano -w"), "nano -w");
        assert_eq!(editor("", ""), DEFAULT);
    }
}
