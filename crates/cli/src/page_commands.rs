//! Checks that the commands in the text of the pages exist, with their flags. Blocks are run by
//! `tests/cli/guide.rs` and `tests/cli/pages.rs`.

use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

use clap::error::ErrorKind;

/// Subjects of `lore help` that are not commands. The last one stands for any command.
const SUBJECTS: &[&str] = &["compat", "syntax", "COMMAND"];

/// Pages about other versions.
const HISTORY: &[&str] = &["CHANGELOG.md"];

/// Ends of a command within a line of the shell.
const SEPARATORS: &[&str] = &["|", "||", "&&", ";", "&", ">", "<", "2>&1"];

#[test]
fn commands_in_the_text_of_pages_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut pages = Vec::new();
    collect(&root.join("docs"), &mut pages);
    let entries = fs::read_dir(&root).expect("the project").map(|entry| entry.expect("an entry"));
    pages.extend(entries.map(|entry| entry.path()).filter(|path| is_page(path)));
    let mut faults = Vec::new();
    let mut count = 0;
    for page in pages {
        let text = fs::read_to_string(&page).expect("a page");
        for (number, line) in (1..).zip(text.lines()) {
            // The odd pieces between backticks are code.
            let code = line.split('`').skip(1).step_by(2);
            for command in code.filter_map(command) {
                count += 1;
                if let Some(fault) = fault(command) {
                    faults.push(format!("{}:{number}: `{command}`: {fault}", page.display()));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(300 < count, "{count} commands");
}

#[test]
fn examples_of_commands_are_accepted() {
    let examples = crate::help::examples::EXAMPLES.iter().flat_map(|(_, examples)| *examples);
    let mut count = 0;
    for command in examples.filter_map(|(line, _)| command(line)) {
        // `lore rg` has flags of its own.
        if command.starts_with("lore rg ") {
            continue;
        }
        count += 1;
        let words = words(command)
            .into_iter()
            .map_while(|word| (!SEPARATORS.contains(&word.as_str())).then(|| OsString::from(word)));
        let words = crate::command_line::command_first(words.collect(), &crate::command());
        let error = crate::command().try_get_matches_from(words).err();
        assert!(error.is_none(), "{command}: {error:?}");
    }
    assert!(60 < count, "{count} examples");
}

/// The command of `lore` in a piece of code: the whole piece, or the part within `$(…)` or quotes.
pub(crate) fn command(code: &str) -> Option<&str> {
    if code.starts_with("lore ") {
        return Some(code);
    }
    let (before, _) = code.split_once("lore ")?;
    let command = &code[before.len()..];
    let end = match before.chars().next_back()? {
        '(' => command.find(')'),
        quote @ ('\'' | '"') => command.find(quote),
        ' ' => Some(command.len()),
        _ => None,
    };
    Some(&command[..end?])
}

/// The unknown command or flag of a command line. Values such as `N` are not checked.
pub(crate) fn fault(command: &str) -> Option<String> {
    let words = words(command);
    if let [_, help, subject, ..] = words.as_slice()
        && help == "help"
        && SUBJECTS.contains(&subject.as_str())
    {
        return None;
    }
    let end = words.iter().position(|word| SEPARATORS.contains(&word.as_str()));
    let words = words.into_iter().take(end.unwrap_or(usize::MAX)).map(OsString::from).collect();
    let words = crate::command_line::command_first(words, &crate::command());
    let error = crate::command().try_get_matches_from(words).err()?;
    let is_unknown =
        matches!(error.kind(), ErrorKind::UnknownArgument | ErrorKind::InvalidSubcommand);
    is_unknown.then(|| error.to_string().lines().next().unwrap_or_default().to_owned())
}

/// Words of a command line, with quotes removed.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for character in command.chars() {
        match (quote, character) {
            (None, '\'' | '"') => quote = Some(character),
            (Some(open), _) if open == character => quote = None,
            (None, ' ') => words.push(String::new()),
            _ => words.last_mut().expect("never empty").push(character),
        }
    }
    words
}

/// Adds the pages below a folder.
fn collect(folder: &Path, pages: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(&path, pages);
        } else if is_page(&path) {
            pages.push(path);
        }
    }
}

fn is_page(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.ends_with(".md") && !HISTORY.contains(&&*name)
}

#[test]
fn unknown_flags_are_found() {
    assert_eq!(fault("lore search \"a b\" --limit N | jq ."), None);
    assert_eq!(fault("lore eval COLLECTION --trees DIR --in code"), None);
    assert_eq!(fault("lore help syntax"), None);
    assert!(fault("lore help no-such-subject").is_some());
    assert!(fault("lore search --no-such-flag").is_some());
    assert!(fault("lore mcp --no-such-flag").is_some());
    assert_eq!(command("vim $(lore a --b) c"), Some("lore a --b"));
    assert_eq!(command("cargo test 2>&1 | lore search"), Some("lore search"));
    assert_eq!(command("cexpr system('lore a')"), Some("lore a"));
    assert_eq!(command("folklore a"), None);
}
