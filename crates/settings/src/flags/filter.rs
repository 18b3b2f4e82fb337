//! What restricts a search.

use clap::Args;
use lore_engine::Archived;

/// What restricts a search.
#[derive(Debug, Args, Default)]
#[command(next_help_heading = "Filter")]
pub struct FilterArguments {
    /// Search only these sources
    ///
    /// One or more of code, docs, git, patterns, specs and tickets, separated by commas; also
    /// agent, what lies under `.sage/agent`, examples, the code and pages in folders of that name
    /// and its like, and templates, the forms of tools for specs and agents, which are left out
    /// otherwise. May be given several times. `--source` is the same flag.
    #[arg(long = "in", visible_alias = "source", value_name = "SOURCE", value_delimiter = ',')]
    pub sources: Vec<String>,

    /// Those of every question about definitions.
    #[command(flatten)]
    pub code: CodeFilterArguments,

    /// Search only what was changed since this date
    ///
    /// A day, month or year (2025-01-31, 2025-01, 2025), a time as in RFC 3339, or words: today,
    /// yesterday, "7 days ago", "last month", 7d, 2w, 12h.
    #[arg(long, value_name = "DATE")]
    pub since: Option<String>,

    /// Search only what was last changed up to this date
    ///
    /// The dates are those of `--since`; the whole day, month or year counts. The date of a document
    /// is that of its front matter or ticket, otherwise the author date of the last commit that
    /// changed its file, otherwise the time of the file.
    #[arg(long, value_name = "DATE")]
    pub until: Option<String>,

    /// Search only what has one of these statuses
    ///
    /// Separated by commas, in any letter case; `in-progress` is also `in_progress`. A `*` at the end
    /// stands for the rest. So do the values of the next five flags.
    #[arg(long, value_name = "STATUS", value_delimiter = ',')]
    pub status: Vec<String>,

    /// Search only what is in one of these states
    ///
    /// The same as `--status`: tickets call it so.
    #[arg(long, value_name = "STATE", value_delimiter = ',')]
    pub state: Vec<String>,

    /// Search only what has one of these tags or labels
    #[arg(long, value_name = "TAG", value_delimiter = ',')]
    pub tag: Vec<String>,

    /// Search only what has one of these priorities
    #[arg(long, value_name = "PRIORITY", value_delimiter = ',')]
    pub priority: Vec<String>,

    /// Search only what is assigned to one of these people
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub assignee: Vec<String>,

    /// Search only what one of these people wrote
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub author: Vec<String>,

    /// Search only what says this of itself, such as `epic=billing`
    ///
    /// Any key of the front matter, or field of a ticket. May be given several times: all must hold,
    /// values of the same key are alternatives.
    #[arg(long = "field", value_name = "NAME=VALUE")]
    pub fields: Vec<String>,

    /// What becomes of archived specs and tickets: include, exclude or only [default: include]
    #[arg(long, value_name = "WHICH",
        value_parser = clap::builder::PossibleValuesParser::new(Archived::ALL.iter().map(|(name, _)| *name)),
        hide_possible_values = true)]
    pub archived: Option<String>,
}

impl FilterArguments {
    /// Whether a filter is given that tells what is looked for.
    pub fn restricts(&self) -> bool {
        let lists = [
            &self.status,
            &self.state,
            &self.tag,
            &self.priority,
            &self.assignee,
            &self.author,
            &self.fields,
        ];
        lists
            .into_iter()
            .chain([&self.sources, &self.code.paths, &self.code.languages, &self.code.kinds])
            .any(|list| !list.is_empty())
            || self.since.is_some()
            || self.until.is_some()
            || self.archived.as_deref().is_some_and(|which| which != "include")
    }
}

/// A score, from 0 to 100.
pub fn score(text: &str) -> Result<f32, String> {
    let number: f32 = text.trim().parse().map_err(|_| "it is not a number".to_owned())?;
    if (0.0..=100.0).contains(&number) { Ok(number) } else { Err("it is not a score".to_owned()) }
}

/// A number from 0 to 1.
pub fn share(text: &str) -> Result<f32, String> {
    match text.parse::<f32>() {
        Ok(number) if (0.0..=1.0).contains(&number) => Ok(number),
        _ => Err("it is no number from 0 to 1".to_owned()),
    }
}

/// What restricts a search and every question about definitions.
#[derive(Debug, Args, Default)]
#[command(next_help_heading = "Filter")]
pub struct CodeFilterArguments {
    /// Search only paths that match this glob
    ///
    /// Paths start at the root of the tree. `**` crosses folders, a glob without `/` matches the
    /// file name in any folder, and a plain folder stands for everything in it. May be given
    /// several times; one of them must match.
    #[arg(long = "path", value_name = "GLOB")]
    pub paths: Vec<String>,

    /// Leave out paths that match this glob
    ///
    /// The globs are those of `--path`. May be given several times.
    #[arg(long = "exclude", value_name = "GLOB")]
    pub excludes: Vec<String>,

    /// Search only these languages
    ///
    /// Names such as rust or python, or short ones such as rs, py or cpp, separated by commas.
    /// `lore sources` lists those of the tree.
    #[arg(long = "lang", value_name = "LANGUAGE", value_delimiter = ',')]
    pub languages: Vec<String>,

    /// Search only these kinds
    ///
    /// For code, the kind of a definition, such as function or class; otherwise what a document
    /// is, such as spec, ticket or commit. Separated by commas.
    #[arg(long = "kind", value_name = "KIND", value_delimiter = ',')]
    pub kinds: Vec<String>,
}
