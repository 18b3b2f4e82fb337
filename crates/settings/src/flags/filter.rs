//! Filter flags.

use clap::Args;
use lore_engine::Archived;

/// Arguments that restrict a search.
#[derive(Debug, Args, Default)]
#[command(next_help_heading = "Filter")]
pub struct FilterArguments {
    /// Search only these sources
    ///
    /// One or more of code, docs, git, patterns, specs and tickets, separated by commas. Also parts
    /// of sources: agent (everything below `.sage/agent`), examples (code and pages in directories of
    /// that or a similar name) and templates (templates of spec and agent tools, excluded by
    /// default). Repeatable. `--source` is the same flag.
    #[arg(long = "in", visible_alias = "source", value_name = "SOURCE", value_delimiter = ',')]
    pub sources: Vec<String>,

    /// Filters of every query for definitions.
    #[command(flatten)]
    pub code: CodeFilterArguments,

    /// Search only documents changed since this date
    ///
    /// A day, month or year (2025-01-31, 2025-01, 2025), a time as in RFC 3339, or words: today,
    /// yesterday, "7 days ago", "last month", 7d, 2w, 12h.
    #[arg(long, value_name = "DATE")]
    pub since: Option<String>,

    /// Search only documents last changed up to this date
    ///
    /// Accepts the same dates as `--since`; the whole day, month or year is included. The date of a
    /// document is that of its front matter or ticket, else the author date of the last commit that
    /// changed its file, else the modification time of the file.
    #[arg(long, value_name = "DATE")]
    pub until: Option<String>,

    /// Search only documents with one of these statuses
    ///
    /// Separated by commas, in any letter case; `in-progress` matches `in_progress`. A final `*`
    /// matches any ending. The same holds for the next five flags.
    #[arg(long, value_name = "STATUS", value_delimiter = ',')]
    pub status: Vec<String>,

    /// Search only documents in one of these states
    ///
    /// Same as `--status`, under the name that trackers use.
    #[arg(long, value_name = "STATE", value_delimiter = ',')]
    pub state: Vec<String>,

    /// Search only documents with one of these tags or labels
    #[arg(long, value_name = "TAG", value_delimiter = ',')]
    pub tag: Vec<String>,

    /// Search only documents with one of these priorities
    #[arg(long, value_name = "PRIORITY", value_delimiter = ',')]
    pub priority: Vec<String>,

    /// Search only documents assigned to one of these people
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub assignee: Vec<String>,

    /// Search only documents written by one of these people
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub author: Vec<String>,

    /// Search only documents with this attribute, such as `epic=billing`
    ///
    /// Any key of the front matter or field of a ticket. Repeatable: different keys must all match,
    /// match; values of the same field are alternatives.
    #[arg(long = "field", value_name = "NAME=VALUE")]
    pub fields: Vec<String>,

    /// Treatment of archived specs and tickets: include, exclude or only [default: include]
    #[arg(long, value_name = "WHICH",
        value_parser = clap::builder::PossibleValuesParser::new(Archived::ALL.iter().map(|(name, _)| *name)),
        hide_possible_values = true)]
    pub archived: Option<String>,
}

impl FilterArguments {
    /// Returns true if a filter narrows the search.
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
    let number: f32 = text.trim().parse().map_err(|_| "not a number".to_owned())?;
    if (0.0..=100.0).contains(&number) {
        Ok(number)
    } else {
        Err("not a number from 0 to 100".to_owned())
    }
}

/// A number from 0 to 1.
pub fn share(text: &str) -> Result<f32, String> {
    match text.parse::<f32>() {
        Ok(number) if (0.0..=1.0).contains(&number) => Ok(number),
        _ => Err("not a number from 0 to 1".to_owned()),
    }
}

/// Arguments that restrict a search or a query for definitions.
#[derive(Debug, Args, Default)]
#[command(next_help_heading = "Filter")]
pub struct CodeFilterArguments {
    /// Search only paths that match this glob
    ///
    /// Paths start at the root of the tree. `**` matches any number of directories, a glob
    /// without `/` matches the file name in any directory, and a plain folder matches everything
    /// in it. Repeatable; one glob must match.
    #[arg(long = "path", value_name = "GLOB")]
    pub paths: Vec<String>,

    /// Exclude paths that match this glob
    ///
    /// Accepts the same globs as `--path`. Repeatable.
    #[arg(long = "exclude", value_name = "GLOB")]
    pub excludes: Vec<String>,

    /// Search only these languages
    ///
    /// Names such as rust or python, or short forms such as rs, py or cpp, separated by commas.
    /// `lore sources` lists the languages of the tree.
    #[arg(long = "lang", value_name = "LANGUAGE", value_delimiter = ',')]
    pub languages: Vec<String>,

    /// Search only these kinds
    ///
    /// For code, the kind of a definition, such as function or class; otherwise the kind of a
    /// document, such as spec, ticket or commit. Separated by commas.
    #[arg(long = "kind", value_name = "KIND", value_delimiter = ',')]
    pub kinds: Vec<String>,
}
