//! Finds the command among the typed words.
//!
//! `lore QUERY` is `lore search QUERY`, and options may precede the command. clap expects the command
//! first, so it is moved there.

use std::{collections::BTreeSet, ffi::OsString};

/// The commands of `lore generate`.
const GENERATED: [&str; 4] = ["man", "completions", "reference", "schemas"];

/// The options that take a value in the next word, over all commands.
#[derive(Default)]
struct Valued {
    long: BTreeSet<String>,
    short: BTreeSet<char>,
}

impl Valued {
    fn collect(&mut self, command: &clap::Command) {
        for argument in command
            .get_arguments()
            .filter(|argument| !argument.is_positional() && argument.get_action().takes_values())
        {
            self.long.extend(
                argument.get_long_and_visible_aliases().into_iter().flatten().map(str::to_owned),
            );
            self.short.extend(argument.get_short_and_visible_aliases().into_iter().flatten());
        }
        for nested in command.get_subcommands() {
            self.collect(nested);
        }
    }

    /// Returns true if the word after this option is the option's value.
    fn takes_next(&self, option: &str) -> bool {
        if let Some(long) = option.strip_prefix("--") {
            return self.long.contains(long);
        }
        // In a cluster like `-vC`, the first letter with a value takes the rest of the word, if any.
        let mut letters = option.chars().skip(1);
        letters.find(|letter| self.short.contains(letter)).is_some() && letters.next().is_none()
    }
}

/// Moves the command directly after the program's name, if the first word that is neither an option
/// nor an option's value is a command.
pub(crate) fn command_first(mut words: Vec<OsString>, definition: &clap::Command) -> Vec<OsString> {
    let mut valued = Valued::default();
    valued.collect(definition);
    let mut position = 1;
    while let Some(word) = words.get(position) {
        let word = word.to_string_lossy();
        if word == "--" {
            break;
        }
        if word.len() > 1 && word.starts_with('-') {
            position += if valued.takes_next(&word) { 2 } else { 1 };
            continue;
        }
        let is_command = word == "help"
            || definition.get_subcommands().any(|command| command.get_name() == word);
        if is_question(&word, &words[position + 1..], &valued) {
            words.insert(1, OsString::from("search"));
        } else if is_command {
            words[1..=position].rotate_right(1);
        }
        break;
    }
    words
}

/// Returns true if a word that is the name of a command begins a question: `why is a refund retried`.
///
/// `generate` is a command for packages, which few users need. It is one only before the name of what
/// it generates, so that `generate a token` is a question.
fn is_question(word: &str, rest: &[OsString], valued: &Valued) -> bool {
    if word == "generate" {
        let is_help = |word: &OsString| word == "--help" || word == "-h";
        return !rest
            .first()
            .is_some_and(|next| is_help(next) || GENERATED.iter().any(|name| next == name));
    }
    if !matches!(word, "why" | "review") {
        return false;
    }
    let mut count = 0;
    let mut rest = rest.iter().map(|word| word.to_string_lossy());
    while let Some(word) = rest.next() {
        if word.len() > 1 && word.starts_with('-') {
            if valued.takes_next(&word) {
                rest.next();
            }
        } else {
            count += 1;
        }
    }
    1 < count
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: &str) {
        let words = line.split(' ').map(OsString::from).collect();
        let moved = command_first(words, &crate::command());
        let moved: Vec<String> =
            moved.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        assert_eq!(moved.join(" "), expected);
    }

    #[test]
    fn only_the_first_word_can_be_a_command() {
        check("lore index --json", "lore index --json");
        check("lore --json index", "lore index --json");
        check("lore -C somewhere --json index", "lore index -C somewhere --json");
        check("lore -vC index status", "lore status -vC index");
        check("lore -Cindex status", "lore status -Cindex");
        check("lore --limit=3 spec refund", "lore spec --limit=3 refund");
        check("lore --in status refund", "lore --in status refund");
        check("lore --source status refund", "lore --source status refund");
        check("lore refund index", "lore refund index");
        check("lore search status", "lore search status");
        check("lore -- status", "lore -- status");
        check("lore --color never help index", "lore help --color never index");
        check("lore", "lore");
        check("lore --json why save", "lore why --json save");
        check("lore why --limit 3 save", "lore why --limit 3 save");
        check("lore review main..HEAD --gate", "lore review main..HEAD --gate");
        check("lore review of changes", "lore search review of changes");
        check("lore generate man --out man", "lore generate man --out man");
        check("lore generate a token", "lore search generate a token");
        check("lore generate", "lore search generate");
        check("lore help generate", "lore help generate");
        check("lore --json why is it saved", "lore search --json why is it saved");
    }
}
