//! Man pages, one for each command.
//!
//! They are written here, not by `clap_mangen`: its pages have the options in one list without their
//! headings, every option in the synopsis, and backticks in the text.

use lore_settings::env_vars::{VARIABLES, Variable};

use super::{
    GeneratedFile,
    commands::{
        DocumentedCommand, documented, listed_values, option_paragraphs, typed_names, value_name,
    },
    markdown::sentence,
    roff::{Roff, bold, italic, plain},
};
use crate::help::examples;

/// The manual that the pages belong to.
const MANUAL: &str = "Lorehound Manual";

/// The date of the pages: that of the release, so that every build has the same bytes.
const DATE: &str = "2026-11-28";

/// Files of every command that reads a tree.
const FILES: &[(&str, &str)] = &[
    (
        "lorehound.toml",
        "Settings of a project, at the root of its tree. It may set only a part of the settings.",
    ),
    (
        "~/.config/lorehound/lorehound.toml",
        "Your settings. `LOREHOUND_CONFIG` names another file, and `XDG_CONFIG_HOME` another directory.",
    ),
    (
        "~/.cache/lorehound",
        "The indexes, and the search history if it is enabled. The setting `cache.dir` names another \
         directory.",
    ),
    (
        "~/.local/state/lorehound",
        "Reviewed settings files of projects, and weights of `lore tune`.",
    ),
];

/// The commands that read neither a tree nor settings.
const WITHOUT_TREE: &[&str] = &["classify", "completions", "rg"];

/// Variables that are listed in every page: those that users set for `lore`.
fn is_listed(variable: &Variable) -> bool {
    variable.name.starts_with("LORE")
        || matches!(variable.name, "NO_COLOR" | "PAGER" | "VISUAL" | "EDITOR")
}

/// The man pages.
pub(crate) fn man_pages() -> Vec<GeneratedFile> {
    let commands = documented();
    let page = |command: &DocumentedCommand| GeneratedFile {
        name: format!("{}.1", command.page()),
        text: page(command, &commands),
    };
    commands.iter().map(page).collect()
}

fn page(command: &DocumentedCommand, all: &[DocumentedCommand]) -> String {
    let source = format!("Lorehound {}", env!("CARGO_PKG_VERSION"));
    let mut out = Roff::new(&command.page(), DATE, &source, MANUAL);
    out.section("NAME");
    out.raw(&format!("{} \\- {}", plain(&command.page()), plain(&lower_first(&command.summary()))));
    out.section("SYNOPSIS");
    for (index, line) in command.usage().iter().enumerate() {
        if index > 0 {
            out.line_break();
        }
        synopsis(line, &command.typed(), &mut out);
    }
    out.section("DESCRIPTION");
    out.prose(&sentence(&command.summary()));
    for paragraph in command.paragraphs() {
        out.paragraph();
        out.prose(&paragraph);
    }
    commands_of(command, all, &mut out);
    options(command, &mut out);
    let name = command.name();
    let lines = examples::examples(if name.is_empty() { "search" } else { &name });
    if !lines.is_empty() {
        out.section("EXAMPLES");
        for (index, (line, about)) in lines.iter().enumerate() {
            if index > 0 {
                out.paragraph();
            }
            out.prose(&format!("{about}:"));
            out.literal(line);
        }
    }
    out.section("EXIT STATUS");
    for (code, meaning) in command.exit_codes() {
        out.item(&bold(&code.to_string()));
        out.prose(meaning);
    }
    if !WITHOUT_TREE.contains(&command.name().as_str()) {
        out.section("FILES");
        for (path, about) in FILES {
            out.item(&italic(path));
            out.prose(about);
        }
    }
    environment(command, &mut out);
    see_also(command, all, &mut out);
    out.into_text()
}

/// A line of the usage: the command in bold, the rest as it is.
fn synopsis(line: &str, typed: &str, out: &mut Roff) {
    let rest = line.strip_prefix(typed).unwrap_or(line);
    let head = if rest.len() == line.len() { String::new() } else { bold(typed) };
    out.raw(&format!("{head}{}", plain(rest)));
}

/// The commands below a command.
fn commands_of(command: &DocumentedCommand, all: &[DocumentedCommand], out: &mut Roff) {
    let nested: Vec<&DocumentedCommand> = nested(command, all).collect();
    if nested.is_empty() {
        return;
    }
    out.section("COMMANDS");
    for command in nested {
        out.item(&format!("{}(1)", bold(&command.page())));
        out.prose(&sentence(&command.summary()));
    }
}

fn nested<'a>(
    command: &'a DocumentedCommand,
    all: &'a [DocumentedCommand],
) -> impl Iterator<Item = &'a DocumentedCommand> {
    let depth = command.names.len();
    all.iter().filter(move |other| {
        other.names.len() == depth + 1 && other.names[..depth] == command.names[..]
    })
}

fn options(command: &DocumentedCommand, out: &mut Roff) {
    out.section("OPTIONS");
    if command.names.is_empty() {
        out.prose("The options of a search are those of `lore search`; see `lore-search`(1).");
    }
    for (heading, arguments) in command.groups() {
        if command.names.is_empty() && heading != "Options" {
            continue;
        }
        out.part(&heading);
        for argument in arguments {
            let names: Vec<String> = typed_names(argument).iter().map(|name| bold(name)).collect();
            let mut item = names.join(", ");
            if let Some(value) = value_name(argument) {
                if !item.is_empty() && !value.starts_with('[') {
                    item.push(' ');
                }
                item.push_str(&italic(&value));
            }
            out.item(&item);
            for (index, paragraph) in option_paragraphs(argument).iter().enumerate() {
                if index > 0 {
                    out.item_paragraph();
                }
                out.prose(&sentence(paragraph));
            }
            let values = listed_values(argument);
            if !values.is_empty() {
                out.item_paragraph();
                out.prose(&format!("Values: {}.", values.join(", ")));
            }
        }
    }
}

fn environment(command: &DocumentedCommand, out: &mut Roff) {
    out.section("ENVIRONMENT");
    if command.name() == "rg" {
        out.item(&bold("RIPGREP_CONFIG_PATH"));
        out.prose("File with flags that are added to those of the command line, as for `rg`.");
        return;
    }
    out.item(&bold("LOREHOUND_*"));
    out.prose(
        "Each setting has a variable, named after its key: `LOREHOUND_SEARCH_LIMIT` for \
         `search.limit`. `lore config` lists the settings.",
    );
    for variable in VARIABLES.iter().filter(|variable| is_listed(variable)) {
        out.item(&bold(variable.name));
        out.prose(&sentence(variable.about));
    }
}

fn see_also(command: &DocumentedCommand, all: &[DocumentedCommand], out: &mut Roff) {
    let parent = command.names.split_last().map(|(_, parent)| parent);
    let mut pages: Vec<String> = Vec::new();
    if let Some(parent) = parent {
        pages.extend(all.iter().filter(|other| other.names == parent).map(DocumentedCommand::page));
        let siblings = all.iter().filter(|other| {
            parent.len() + 1 == other.names.len()
                && other.names.starts_with(parent)
                && other.names != command.names
        });
        if !parent.is_empty() {
            pages.extend(siblings.map(DocumentedCommand::page));
        }
    }
    let related: &[&str] = match command.name().as_str() {
        "" => &["rg", "git"],
        "search" => &["lore-symbol", "lore-research", "lore-pick", "lore-config"],
        "rg" => &["rg", "lore-search"],
        "index" | "status" | "sources" | "doctor" | "clean" => {
            &["lore-index", "lore-status", "lore-doctor"]
        }
        "mcp" | "lsp" | "serve" | "install" | "uninstall" => &["lore-mcp", "lore-install"],
        "why" | "tried" | "review" | "drift" | "owners" => {
            &["lore-why", "lore-review", "lore-drift"]
        }
        "config" | "trust" | "model" => &["lore-config", "lore-trust"],
        "eval" | "tune" | "bench" => &["lore-eval", "lore-tune"],
        _ => &["lore-search"],
    };
    pages.extend(related.iter().map(|page| (*page).to_owned()));
    pages.extend(
        nested(command, all).map(DocumentedCommand::page).filter(|_| command.names.is_empty()),
    );
    let own = command.page();
    let mut unique: Vec<String> = Vec::new();
    for page in pages {
        if page != own && !unique.contains(&page) {
            unique.push(page);
        }
    }
    out.section("SEE ALSO");
    let last = unique.len().saturating_sub(1);
    for (index, page) in unique.iter().enumerate() {
        let comma = if index < last { "," } else { "" };
        out.raw(&format!("{}(1){comma}", bold(page)));
    }
}

/// A text with its first character in lower case, as in the line of a name.
fn lower_first(text: &str) -> String {
    let mut characters = text.chars();
    characters
        .next()
        .map_or_else(String::new, |first| first.to_lowercase().chain(characters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_has_all_sections() {
        for file in man_pages() {
            let sections = [
                "NAME",
                "SYNOPSIS",
                "DESCRIPTION",
                "OPTIONS",
                "EXAMPLES",
                "EXIT STATUS",
                "ENVIRONMENT",
                "SEE ALSO",
            ];
            for section in sections {
                let heading = format!(".SH \"{section}\"\n");
                assert_eq!(file.text.matches(&heading).count(), 1, "{}: {section}", file.name);
            }
            assert!(file.text.is_ascii(), "{}", file.name);
            assert!(!file.text.contains('`'), "{}", file.name);
        }
    }

    #[test]
    fn names_are_lower_case_summaries() {
        assert_eq!(lower_first("Find definitions"), "find definitions");
    }
}
