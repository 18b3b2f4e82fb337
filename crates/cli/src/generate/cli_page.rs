//! The page of the reference about the command line.

use std::{collections::BTreeMap, fmt::Write as _};

use clap::Arg;

use super::{
    commands::{
        DocumentedCommand, documented, listed_values, option_paragraphs, typed_names, value_name,
    },
    markdown::{anchor, codes, head, sentence},
};
use crate::help::examples;

/// Minimum number of commands with the same option that makes it a shared one.
const MIN_SHARED: usize = 5;

/// Heading of the shared options.
const SHARED: &str = "Shared options";

/// The page.
pub(crate) fn page() -> String {
    let commands = documented();
    let shared = Shared::of(&commands);
    let mut page = head("Command line");
    page.push_str(
        "Every command with its arguments, options and exit codes. `lore help COMMAND` and \
         `man lore-COMMAND` have the same text. The [guide](../guide/index.md) explains the commands by \
         task; [Answers of other systems](../guide/contracts.md) has the flags that are not listed here.\n\n\
         `lore QUERY` is the same as [`lore search QUERY`](#lore-search). Options may precede the \
         command. After `--`, every word belongs to the query.\n\n| Command | |\n|---|---|\n",
    );
    for command in commands.iter().skip(1) {
        let typed = command.typed();
        let _ = writeln!(page, "| [`{typed}`](#{}) | {} |", anchor(&typed), command.summary());
    }
    let _ = writeln!(page, "\n## {SHARED}\n\nMany commands have these options.\n");
    for option in &shared.options {
        write_option(option, &mut page);
    }
    for command in commands.iter().skip(1) {
        write_command(command, &shared, &mut page);
    }
    page
}

/// Options that several commands have, with the same text.
struct Shared {
    options: Vec<Arg>,
}

impl Shared {
    fn of(commands: &[DocumentedCommand]) -> Shared {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        let mut options: Vec<Arg> = Vec::new();
        for command in commands.iter().skip(1) {
            for (_, group) in command.groups() {
                for argument in group.into_iter().filter(|argument| !argument.is_positional()) {
                    let count = counts.entry(key(argument)).or_default();
                    *count += 1;
                    if *count == MIN_SHARED {
                        options.push(argument.clone());
                    }
                }
            }
        }
        Shared { options }
    }

    fn contains(&self, argument: &Arg) -> bool {
        let key = key(argument);
        self.options.iter().any(|option| self::key(option) == key)
    }
}

/// The names and the text of an option.
fn key(argument: &Arg) -> String {
    format!("{:?}{:?}", typed_names(argument), option_paragraphs(argument))
}

fn write_command(command: &DocumentedCommand, shared: &Shared, page: &mut String) {
    let _ = writeln!(page, "\n## `{}`\n\n{}\n", command.typed(), sentence(&command.summary()));
    for paragraph in command.paragraphs() {
        let _ = writeln!(page, "{paragraph}\n");
    }
    let _ = writeln!(page, "```text\n{}\n```\n", command.usage().join("\n"));
    let mut common: Vec<&Arg> = Vec::new();
    for (heading, arguments) in command.groups() {
        let (of_many, own): (Vec<&Arg>, Vec<&Arg>) =
            arguments.into_iter().partition(|argument| shared.contains(argument));
        common.extend(of_many);
        if own.is_empty() {
            continue;
        }
        let _ = writeln!(page, "{heading}:\n");
        for argument in own {
            write_option(argument, page);
        }
        page.push('\n');
    }
    if !common.is_empty() {
        let names = common.iter().filter_map(|argument| typed_names(argument).pop());
        let _ = writeln!(page, "[{SHARED}](#{}): {}.\n", anchor(SHARED), codes(names));
    }
    let examples = examples::examples(&command.name());
    if !examples.is_empty() {
        page.push_str(
            "Examples:\n\n\
             <!-- not run: some start servers or change settings; `page_commands.rs` parses all -->\n\
             ```sh\n",
        );
        for (line, about) in examples {
            let _ = writeln!(page, "# {about}\n{line}");
        }
        page.push_str("```\n\n");
    }
    let codes: Vec<String> = command
        .exit_codes()
        .iter()
        .map(|(code, meaning)| format!("{code}: {}", meaning.trim_end_matches('.')))
        .collect();
    let _ = writeln!(page, "Exit codes: {}.", codes.join("; "));
}

/// An item with the names, the value and the text of an option.
fn write_option(argument: &Arg, page: &mut String) {
    let mut names = typed_names(argument).join(", ");
    if let Some(value) = value_name(argument) {
        if !names.is_empty() && !value.starts_with('[') {
            names.push(' ');
        }
        names.push_str(&value);
    }
    let mut text =
        option_paragraphs(argument).iter().map(|text| sentence(text)).collect::<Vec<_>>();
    let values = listed_values(argument);
    if !values.is_empty() {
        text.push(format!("Values: {}.", codes(values)));
    }
    let text = text.join(" ");
    let (text, default) = without_default(&text);
    let default = default.map_or_else(String::new, |default| format!(" Default: {default}."));
    let _ = writeln!(page, "- `{names}`: {text}{default}");
}

/// Separates `[default: X]` from the text of an option.
fn without_default(text: &str) -> (String, Option<String>) {
    let Some((before, rest)) = text.split_once(" [default: ") else {
        return (text.to_owned(), None);
    };
    let Some((default, after)) = rest.split_once(']') else { return (text.to_owned(), None) };
    (format!("{}{after}", sentence(before)), Some(default.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_separate() {
        let (text, default) = without_default("Show at most N hits [default: 10] From 1 to 9.");
        assert_eq!(
            (text.as_str(), default.as_deref()),
            ("Show at most N hits. From 1 to 9.", Some("10"))
        );
    }

    #[test]
    fn the_page_has_every_command_and_every_option() {
        let page = page();
        for command in documented().iter().skip(1) {
            let heading = format!("\n## `{}`\n", command.typed());
            let (_, section) = page.split_once(&heading).expect("a section");
            let section = section.split("\n## ").next().unwrap_or_default();
            for argument in command.groups().iter().flat_map(|(_, group)| group) {
                let Some(name) = typed_names(argument).pop() else { continue };
                assert!(section.contains(&name), "{heading}: {name}");
            }
        }
    }
}
