//! Answers to `--help`, `--version` and invalid arguments.

use std::{
    ffi::OsString,
    io::{self, Write},
};

use lore_console::{
    names,
    report::{self, Status},
    text,
};

/// Answers `--help` and `--version`, and reports invalid arguments.
pub(crate) fn usage(error: &clap::Error, words: &[OsString]) -> Status {
    use clap::error::{ContextKind, ContextValue, ErrorKind};

    if !error.use_stderr() {
        return match error.print() {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Status::Failed,
            _ => Status::Success,
        };
    }
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        let _ = write!(io::stderr(), "{}", crate::help::short());
        return Status::Failed;
    }
    // In clap's text, the first paragraph is the message and the rest is help.
    let rendered = error.render().to_string();
    let rendered = rendered.strip_prefix("error: ").unwrap_or(&rendered);
    let (message, rest) = rendered.split_once("\n\n").unwrap_or((rendered, ""));
    let message: Vec<&str> = message.lines().map(str::trim).collect();
    report::note(&message.join(" "));
    let word = (error.kind() == ErrorKind::UnknownArgument)
        .then(|| word_with_a_dash(error, words))
        .flatten();
    // clap's tip quotes only the letter that it rejects, not the whole word.
    let tip = |line: &&str| word.is_none() || !line.trim_start().starts_with("tip: ");
    let rest: Vec<&str> = rest.lines().filter(tip).collect();
    let rest = rest.join("\n").trim_start_matches('\n').replace("  tip: ", "hint: ");
    if !rest.trim().is_empty() {
        let _ = write!(io::stderr(), "\n{}\n", text::clean_lines(rest.trim_end()));
    }
    if let Some(word) = word {
        let quoted = format!("'{}'", word.replace('\'', r"'\''"));
        report::blank_line();
        report::hint_line(&format!(
            "to search with the word `{word}`, write `--` before it: `lore -- {quoted}`"
        ));
        return Status::Failed;
    }
    if let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand)
        && let Some(name) = misspelled_command(word)
    {
        report::blank_line();
        report::hint_line(&format!("did you mean `lore help {name}`?"));
        return Status::Failed;
    }
    let command = words.get(1).map(|word| word.to_string_lossy());
    if error.kind() == ErrorKind::UnknownArgument
        && let Some(command) = command
        && crate::command().get_subcommands().any(|known| known.get_name() == command)
        && command != "search"
        && !words.iter().skip(2).any(|word| word.to_string_lossy().starts_with('-'))
    {
        let query: Vec<_> = words[1..].iter().map(|word| word.to_string_lossy()).collect();
        report::blank_line();
        report::hint_line(&format!(
            "to search for these words, run `lore search {}`",
            query.join(" ")
        ));
    }
    Status::Failed
}

/// The command that a word probably misspells.
pub(crate) fn misspelled_command(word: &str) -> Option<String> {
    let definition = crate::command();
    let commands = definition.get_subcommands().filter(|command| !command.is_hide_set());
    // clap adds this one later.
    let names: Vec<&str> = commands.map(clap::Command::get_name).chain(["help"]).collect();
    names::misspelled(word, &names).map(str::to_owned)
}

/// The word that contains a rejected option letter: `-deprecated` for `-d`. The query language
/// supports such words.
fn word_with_a_dash(error: &clap::Error, words: &[OsString]) -> Option<String> {
    use clap::error::{ContextKind, ContextValue};

    let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let letter = option.strip_prefix('-').filter(|letter| letter.chars().count() == 1)?;
    words
        .iter()
        .skip(1)
        .map(|word| word.to_string_lossy())
        .take_while(|word| word != "--")
        .find(|word| {
            let letters = word.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
            letters.is_some_and(|letters| letters.len() > letter.len() && letters.contains(letter))
        })
        .map(std::borrow::Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_word_with_a_dash_is_distinguished_from_an_option() {
        let word = |line: &str| {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let error = crate::command().try_get_matches_from(&words).expect_err("no option");
            word_with_a_dash(&error, &words)
        };
        assert_eq!(word("lore -deprecated").as_deref(), Some("-deprecated"));
        assert_eq!(word("lore refund --raw -deprecated").as_deref(), Some("-deprecated"));
        assert_eq!(word("lore refund -d"), None);
        assert_eq!(word("lore --deprecated"), None);
    }
}
