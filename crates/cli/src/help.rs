//! Help: one screen for `lore -h`, all commands and options by task for `lore --help`, and the flags of
//! replaced systems for `lore help compat`.

pub(crate) mod examples;
mod tasks;

use std::{ffi::OsString, fmt::Write as _};

use clap::{Arg, Command, builder::PossibleValue};
use lore_console::{report::Status, text};
use lore_render::output::style::{Role, Style};
use lore_session::write_paged;
use lore_settings::{
    env_vars,
    terminal::{ColorChoice, Terminal},
};

/// Heading of the flags that make `lore` answer as a replaced system does.
const COMPAT: &str = "Contract";

/// The page of `lore -h`.
const SHORT: &str = include_str!("help/short.txt");

/// Maximum number of columns of a page.
const MAX_WIDTH: usize = 100;

/// Columns of a command or an option, before its description.
const LEFT: usize = 29;

/// A page of help that clap does not write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Page {
    /// One screen.
    Short,
    /// All commands and options.
    Long,
    /// The flags of replaced systems.
    Compat,
}

/// The page that the words request, if it is not the help of a command.
pub(crate) fn page(words: &[OsString], definition: &Command) -> Option<Page> {
    let words: Vec<_> = words.iter().skip(1).map(|word| word.to_string_lossy()).collect();
    match words.first().map(AsRef::as_ref) {
        Some("help") => match words.get(1).map(AsRef::as_ref) {
            None | Some("help") => Some(Page::Long),
            Some("compat") => Some(Page::Compat),
            Some(_) => None,
        },
        Some(first) if definition.find_subcommand(first).is_some() => None,
        _ => {
            let options = words.iter().take_while(|word| *word != "--");
            options.into_iter().find_map(|word| match word.as_ref() {
                "-h" => Some(Page::Short),
                "--help" => Some(Page::Long),
                _ => None,
            })
        }
    }
}

/// The definition with the flags of replaced systems hidden from the help of commands.
pub(crate) fn without_compat(command: Command) -> Command {
    command
        .mut_args(|argument| {
            let is_compat = argument.get_help_heading() == Some(COMPAT);
            if is_compat { argument.hide(true) } else { argument }
        })
        .mut_subcommands(without_compat)
}

/// The definition with examples at the end of the help of each command.
pub(crate) fn with_examples(command: Command) -> Command {
    command.mut_subcommands(|command| {
        let name = command.get_name().to_owned();
        let command = command.mut_subcommands(|nested| {
            let name = format!("{name} {}", nested.get_name());
            with_section(nested, &name)
        });
        with_section(command, &name)
    })
}

fn with_section(command: Command, name: &str) -> Command {
    match examples::section(name) {
        Some(section) => command.after_long_help(section),
        None => command,
    }
}

/// Text of the short page.
pub(crate) fn short() -> &'static str {
    SHORT
}

/// Prints a page, through the pager if it is longer than the screen.
pub(crate) fn print(page: Page, definition: &Command) -> anyhow::Result<Status> {
    let terminal = Terminal::from_process();
    let style = Style {
        color: terminal.colors(ColorChoice::Auto, &env_vars::from_process),
        width: if terminal.output { terminal.width.min(MAX_WIDTH) } else { MAX_WIDTH },
        ..Style::plain()
    };
    let text = match page {
        Page::Short => SHORT.to_owned(),
        Page::Long => long(definition, &style),
        Page::Compat => compat(definition, &style),
    };
    write_paged(text.as_bytes(), &[])?;
    Ok(Status::Success)
}

fn long(definition: &Command, style: &Style) -> String {
    let mut page = String::from(
        "Search everything in a repository: code, docs, specs, tickets, commits and patterns\n\n\
         Usage: lore [OPTIONS] QUESTION...\n       lore COMMAND [OPTIONS]\n",
    );
    for (task, names) in tasks::COMMANDS {
        heading(&mut page, task, style);
        for name in *names {
            let about = definition.find_subcommand(name).and_then(Command::get_about);
            row(&mut page, name, &about.map(ToString::to_string).unwrap_or_default(), style);
        }
    }
    let _ = writeln!(page, "\nOptions of a search\n");
    let _ = writeln!(page, "`lore help search` describes each of them.");
    for (task, names) in tasks::OPTIONS {
        heading(&mut page, task, style);
        for name in *names {
            let found = definition.get_arguments().find(|argument| argument.get_id() == name);
            if let Some(argument) = found {
                option(&mut page, argument, style);
            }
        }
    }
    page.push_str(tasks::END);
    page
}

fn compat(definition: &Command, style: &Style) -> String {
    let mut page = String::from(
        "Flags that make `lore` answer as another system does, for programs that read its output\n\n\
         `--as SYSTEM` selects the output format, the defaults and the scores of the system; the other\n\
         flags are only valid with it. `docs/guide/contracts.md` describes each system.\n",
    );
    for command in definition.get_subcommands() {
        let flags: Vec<&Arg> = command
            .get_arguments()
            .filter(|argument| argument.get_help_heading() == Some(COMPAT))
            .collect();
        if flags.is_empty() {
            continue;
        }
        heading(&mut page, &format!("lore {}", command.get_name()), style);
        for flag in flags {
            option(&mut page, flag, style);
        }
    }
    page.push_str(
        "\n`--format` also takes the formats of the system, and `--min-score` its scale: from 0 to 100\n\
         for lean, where the default is 10. With `--strict`, lean reports no specs that contain only\n\
         some of the words.\n",
    );
    page
}

fn heading(page: &mut String, text: &str, style: &Style) {
    let _ = writeln!(page, "\n{}", style.paint(Role::Title, format!("{text}:")));
}

fn option(page: &mut String, argument: &Arg, style: &Style) {
    let mut names: Vec<String> = Vec::new();
    names.extend(
        argument
            .get_short_and_visible_aliases()
            .into_iter()
            .flatten()
            .map(|short| format!("-{short}")),
    );
    names.extend(argument.get_long().map(|long| format!("--{long}")));
    let takes_value = argument.get_action().takes_values();
    let value = argument.get_value_names().and_then(<[_]>::first).filter(|_| takes_value);
    let is_positional = names.is_empty();
    let mut left = names.join(", ");
    if let Some(value) = value {
        if !is_positional {
            left.push(' ');
        }
        left.push_str(value);
    }
    let mut help = argument.get_help().map(ToString::to_string).unwrap_or_default();
    if takes_value && !argument.is_hide_possible_values_set() {
        let values = argument.get_possible_values();
        let values: Vec<&str> = values.iter().map(PossibleValue::get_name).collect();
        if !values.is_empty() {
            let _ = write!(help, ": {}", values.join(", "));
        }
    }
    row(page, &left, &help, style);
}

/// Writes a name and its description, which continues below itself.
fn row(page: &mut String, left: &str, description: &str, style: &Style) {
    let mut lines = text::wrapped(description, style.width.saturating_sub(LEFT + 2)).into_iter();
    let first =
        if left.len() < LEFT - 1 { lines.next().unwrap_or_default() } else { String::new() };
    let _ = writeln!(page, "{}", format!("  {left:<LEFT$}{first}").trim_end());
    for line in lines {
        let _ = writeln!(page, "  {:LEFT$}{line}", "");
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use lore_settings::Value;

    use super::*;

    #[test]
    fn the_short_page_fits_on_a_screen_and_its_examples_are_valid() {
        assert!(SHORT.lines().count() < 40);
        let too_long = SHORT.lines().find(|line| line.chars().count() > 80);
        assert_eq!(too_long, None);
        let examples: Vec<&str> = SHORT
            .lines()
            .filter_map(|line| line.strip_prefix("  lore "))
            .filter_map(|line| line.split_once("  ").map(|(command, _)| command))
            .collect();
        assert_eq!(examples.len(), 5);
        for example in examples {
            let words = format!("lore {example}");
            let words = words.split(' ').map(OsString::from).collect();
            let words = crate::command_line::command_first(words, &crate::command());
            assert!(crate::command().try_get_matches_from(words).is_ok(), "{example}");
        }
    }

    #[test]
    fn every_command_and_option_has_one_task() {
        let mut definition = crate::command();
        definition.build();
        let shown = |names: &[(&str, &[&str])]| -> Vec<String> {
            names.iter().flat_map(|(_, names)| *names).map(|name| (*name).to_owned()).collect()
        };
        let commands = shown(tasks::COMMANDS);
        let unique: BTreeSet<String> = commands.iter().cloned().collect();
        assert_eq!(unique.len(), commands.len());
        let all = definition.get_subcommands();
        let all = all.filter(|command| !command.is_hide_set() && command.get_name() != "help");
        assert_eq!(unique, all.map(|command| command.get_name().to_owned()).collect());
        let options = shown(tasks::OPTIONS);
        let unique: BTreeSet<String> = options.iter().cloned().collect();
        assert_eq!(unique.len(), options.len());
        let all = definition.get_arguments().filter(|argument| !argument.is_hide_set());
        assert_eq!(unique, all.map(|argument| argument.get_id().to_string()).collect());
    }

    #[test]
    fn flags_of_replaced_systems_are_only_in_their_page() {
        let mut definition = crate::command();
        definition.build();
        let style = Style { width: 100, ..Style::plain() };
        let page = compat(&definition, &style);
        assert!(page.contains("--as SYSTEM") && page.contains("--multi-hop"), "{page}");
        assert!(page.contains("lore index:") && page.contains("--sage"), "{page}");
        let mut helps = vec![long(&definition, &style)];
        for command in definition.get_subcommands_mut() {
            helps.push(command.render_long_help().to_string());
        }
        for help in helps {
            assert!(!help.contains("--as ") && !help.contains("--multi-hop"), "{help}");
        }
    }

    #[test]
    fn every_example_is_valid() {
        for (name, examples) in examples::EXAMPLES {
            for (line, about) in *examples {
                assert!(!about.ends_with('.'), "{name}: {about}");
                // The part that `lore` receives, without the quotes of the shell.
                let start = line.find("lore").expect("an example of `lore`");
                let line = line[start..].trim_end_matches(')');
                let line = line.split(" > ").next().unwrap_or(line);
                let line = line.split(" < ").next().unwrap_or(line);
                let Ok(Value::Names(words)) = lore_settings::command_line(line) else {
                    panic!("{line}");
                };
                let words: Vec<OsString> = words.into_iter().map(OsString::from).collect();
                let words = crate::command_line::command_first(words, &crate::command());
                let parsed = crate::command().try_get_matches_from(&words);
                assert!(parsed.is_ok() || *name == "rg", "{line}: {parsed:?}");
                let first = name.split(' ').next();
                let is_search = *name == "search";
                assert!(
                    is_search || words.get(1).and_then(|word| word.to_str()) == first,
                    "{line}"
                );
            }
        }
    }

    #[test]
    fn pages_are_requested_before_a_command() {
        let check = |line: &str| {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            page(&words, &crate::command())
        };
        assert_eq!(check("lore -h"), Some(Page::Short));
        assert_eq!(check("lore refund -h"), Some(Page::Short));
        assert_eq!(check("lore --help"), Some(Page::Long));
        assert_eq!(check("lore help"), Some(Page::Long));
        assert_eq!(check("lore help compat"), Some(Page::Compat));
        assert_eq!(check("lore help index"), None);
        assert_eq!(check("lore index -h"), None);
        assert_eq!(check("lore -- -h"), None);
        assert_eq!(check("lore refund"), None);
    }
}
