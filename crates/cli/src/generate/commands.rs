//! The commands as the generated files list them: each with its names, usage, options and exit codes.

use clap::{Arg, Command};

/// Heading of options without one.
const OPTIONS: &str = "Options";

/// Heading of arguments without one.
const ARGUMENTS: &str = "Arguments";

/// A command that users see.
pub(crate) struct DocumentedCommand {
    /// Its names after `lore`: `["model", "use"]`; empty for `lore` itself.
    pub(crate) names: Vec<String>,
    /// Its definition.
    pub(crate) definition: Command,
}

/// The commands that users see, `lore` first, each followed by its own commands.
pub(crate) fn documented() -> Vec<DocumentedCommand> {
    let mut definition = crate::command();
    // Adds `--help`, and the usage of nested commands.
    definition.build();
    let mut commands = Vec::new();
    collect(definition, &[], &mut commands);
    commands
}

fn collect(definition: Command, names: &[String], commands: &mut Vec<DocumentedCommand>) {
    let nested: Vec<Command> =
        definition.get_subcommands().filter(|command| is_shown(command)).cloned().collect();
    commands.push(DocumentedCommand { names: names.to_vec(), definition });
    for command in nested {
        let names = [names, &[command.get_name().to_owned()]].concat();
        collect(command, &names, commands);
    }
}

fn is_shown(command: &Command) -> bool {
    !command.is_hide_set() && command.get_name() != "help"
}

impl DocumentedCommand {
    /// The names as typed: `lore model use`.
    pub(crate) fn typed(&self) -> String {
        self.joined(" ")
    }

    /// The name of its man page: `lore-model-use`.
    pub(crate) fn page(&self) -> String {
        self.joined("-")
    }

    /// The names after `lore`, separated by spaces.
    pub(crate) fn name(&self) -> String {
        self.names.join(" ")
    }

    fn joined(&self, separator: &str) -> String {
        let names = std::iter::once("lore").chain(self.names.iter().map(String::as_str));
        names.collect::<Vec<_>>().join(separator)
    }

    /// The first line of its help.
    pub(crate) fn summary(&self) -> String {
        self.definition.get_about().map(ToString::to_string).unwrap_or_default()
    }

    /// The paragraphs of its help after the first line.
    pub(crate) fn paragraphs(&self) -> Vec<String> {
        let text = self.definition.get_long_about().map(ToString::to_string).unwrap_or_default();
        text.split("\n\n").skip(1).map(unwrapped).collect()
    }

    /// Its usage, one line for each form.
    pub(crate) fn usage(&self) -> Vec<String> {
        let usage = self.definition.clone().render_usage().to_string();
        let usage = usage.strip_prefix("Usage:").unwrap_or(&usage);
        usage.lines().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect()
    }

    /// Its options and arguments that users see, by heading. Arguments are first.
    pub(crate) fn groups(&self) -> Vec<(String, Vec<&Arg>)> {
        let mut groups: Vec<(String, Vec<&Arg>)> = Vec::new();
        let shown = || self.definition.get_arguments().filter(|argument| !argument.is_hide_set());
        let is_first = |argument: &&Arg| argument.is_positional();
        let arguments =
            shown().filter(is_first).chain(shown().filter(|argument| !is_first(argument)));
        for argument in arguments {
            let default = if argument.is_positional() { ARGUMENTS } else { OPTIONS };
            let heading = argument.get_help_heading().unwrap_or(default);
            match groups.iter_mut().find(|(name, _)| name == heading) {
                Some((_, group)) => group.push(argument),
                None => groups.push((heading.to_owned(), vec![argument])),
            }
        }
        // `--help` and `--version` have no heading, and are last in every help.
        groups.sort_by_key(|(name, _)| name == OPTIONS);
        groups
    }

    /// Its exit codes, each with its meaning.
    pub(crate) fn exit_codes(&self) -> Vec<(u8, &'static str)> {
        let (success, no_result) = match self.name().as_str() {
            "" | "search" | "symbol" | "file" | "research" | "related" => {
                ("There is an answer.", "There is no hit.")
            }
            "spec" => ("There are hits, or there are none.", ""),
            "expand" => ("The place is shown.", "The requested view of the place is empty."),
            "why" => ("There is an explanation.", "Nothing explains the place."),
            "tried" => ("There is an earlier attempt.", "There is none."),
            "review" => ("The change was reviewed.", "With `--gate`: a finding counts."),
            "context" => ("There is a package.", "Nothing relevant was found."),
            "exists" => ("The result is yes or perhaps.", "The result is no."),
            "rg" => ("A line matches.", "No line matches."),
            "pick" => ("Something was chosen.", "Nothing matches."),
            "suggest" => ("There is a completion.", "There is none."),
            "owners" => ("A spec names the file.", "No spec names the file."),
            "drift" => ("The statements were checked.", "With `--gate`: a finding counts."),
            "doctor" | "model verify" => ("There is no problem.", "There is a problem."),
            "eval" | "eval compare" | "eval fit" => {
                ("The measures were computed.", "A limit of the command line is not met.")
            }
            "uninstall" => {
                ("Everything was removed.", "Something was kept, because you edited it.")
            }
            _ => ("The work was done.", ""),
        };
        let mut codes = vec![(0, success)];
        if !no_result.is_empty() {
            codes.push((1, no_result));
        }
        codes.push((2, "An error, which standard error describes."));
        if self.name() == "pick" {
            codes.push((130, "You quit without a choice."));
        }
        codes
    }
}

/// The names of an option or argument as typed: `-b, --budget N`, `QUERY...`.
pub(crate) fn typed_names(argument: &Arg) -> Vec<String> {
    let mut names = Vec::new();
    if argument.is_positional() {
        return names;
    }
    let shorts = argument.get_short_and_visible_aliases().into_iter().flatten();
    names.extend(shorts.map(|short| format!("-{short}")));
    let longs = argument.get_long_and_visible_aliases().into_iter().flatten();
    names.extend(longs.map(|long| format!("--{long}")));
    names
}

/// The value of an option, or of an argument, as the usage shows it.
pub(crate) fn value_name(argument: &Arg) -> Option<String> {
    if !argument.get_action().takes_values() {
        return None;
    }
    let name = argument.get_value_names()?.first()?.to_string();
    let range = argument.get_num_args().unwrap_or_default();
    if argument.is_positional() {
        let dots =
            if matches!(argument.get_action(), clap::ArgAction::Append) { "..." } else { "" };
        return Some(format!("{name}{dots}"));
    }
    Some(if range.min_values() == 0 { format!("[={name}]") } else { name })
}

/// The paragraphs of the help of an option.
pub(crate) fn option_paragraphs(argument: &Arg) -> Vec<String> {
    let help = argument.get_long_help().or_else(|| argument.get_help());
    let help = help.map(ToString::to_string).unwrap_or_default();
    help.split("\n\n").map(unwrapped).filter(|text| !text.is_empty()).collect()
}

/// The values that an option accepts, if the help does not list them itself.
pub(crate) fn listed_values(argument: &Arg) -> Vec<String> {
    if !argument.get_action().takes_values() || argument.is_hide_possible_values_set() {
        return Vec::new();
    }
    let values = argument.get_possible_values();
    values
        .iter()
        .filter(|value| !value.is_hide_set())
        .map(|value| value.get_name().to_owned())
        .collect()
}

/// A paragraph on one line.
fn unwrapped(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_commands_follow_their_parent() {
        let commands = documented();
        let names: Vec<String> = commands.iter().map(DocumentedCommand::typed).collect();
        assert_eq!(names[0], "lore");
        let model = names.iter().position(|name| name == "lore model").expect("a command");
        assert_eq!(names[model + 1], "lore model list");
        assert!(!names.iter().any(|name| name.ends_with("help") || name.contains("hook")));
    }

    #[test]
    fn every_documented_command_has_examples_and_a_usage() {
        for command in documented() {
            let name = command.name();
            assert!(
                command.usage()[0].starts_with(&command.typed()),
                "{name}: {:?}",
                command.usage()
            );
            assert!(!command.summary().is_empty(), "{name}");
            if !name.is_empty() {
                assert!(!crate::help::examples::examples(&name).is_empty(), "{name}");
            }
            let options: usize = command.groups().iter().map(|(_, group)| group.len()).sum();
            assert!(options > 0, "{name}");
        }
    }
}
