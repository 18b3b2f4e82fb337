//! The text of an answer: its style, its budget and the pager.

use anyhow::Context as _;
use lore_console::report::{self, UsageError};
use lore_engine::SearchResponse;
use lore_render::{
    budget::{self, BudgetError, BudgetReport, Level, LevelSummary},
    output::{
        self, Answer, Files, Page,
        offsets::Offsets,
        style::{Amount, Style, Theme},
    },
    tokens::Tokenizer,
};
use lore_session::write_output;

use super::{Opened, Search};

/// Number of tokens by which two runs of the same search may differ.
const SLACK: usize = 10;

/// Maximum number of files that are read for the colours of passages: more than are seen at once.
const MAX_COLORED_FILES: usize = 50;

impl Search<'_> {
    /// True if the answer is for people.
    pub(super) fn is_human(&self) -> bool {
        self.format.name() == "human"
    }

    /// True if the answer is for people, and both it and messages are shown on a terminal.
    pub(super) fn is_for_people_at_terminal(&self) -> bool {
        let terminal = self.context.terminal;
        terminal.output && terminal.messages && self.is_human()
    }

    /// The style of the answer.
    pub(super) fn style(&self) -> Result<Style, UsageError> {
        let Search { arguments, context, .. } = self;
        let amount = &arguments.amount;
        let is_whole =
            amount.context.is_some() || amount.budget.is_some() || arguments.display.full;
        let style = context.style();
        Ok(Style {
            null: arguments.null,
            links: if self.is_human() { context.links()? } else { None },
            amount: if is_whole { Amount::Passage } else { style.amount },
            verbose: arguments.common.stats,
            ..style
        })
    }

    /// The texts of the files of hits, so that the colours of a passage fit to the lines above it.
    fn files(&self, response: &SearchResponse, style: &Style) -> Files {
        if !self.is_human() || !style.color || style.theme == Theme::Plain {
            return Files::new();
        }
        let paths = response.hits.iter().filter_map(|hit| hit.path.as_deref());
        let text = |path: &str| match &self.opened {
            Opened::Tree(engine) => engine.text(path).ok(),
            Opened::Workspace(workspace) => workspace.text(path),
        };
        let read = |path: &str| Some((path.to_owned(), text(path)?));
        paths.take(MAX_COLORED_FILES).filter_map(read).collect()
    }

    /// Prints the text of an answer, through the pager if there is no reason against it.
    pub(super) fn print(&self, text: &str) -> anyhow::Result<()> {
        let display = &self.arguments.display;
        if self.context.terminal.output && !display.no_pager {
            return self.context.write_paged(text.as_bytes());
        }
        write_output(|out| out.write_all(text.as_bytes()))
    }

    /// The text of an answer, within the tokens if they are limited.
    pub(super) fn text(
        &self,
        response: &SearchResponse,
        tokens: Option<usize>,
    ) -> anyhow::Result<String> {
        let style = &self.style()?;
        let arguments = self.arguments;
        let format = self.format;
        let offsets =
            arguments.amount.offsets.as_deref().and_then(Offsets::from_name).unwrap_or_default();
        let Some(tokens) = tokens else {
            let files = self.files(response, style);
            let answer = Answer::whole(response, offsets).with_files(&files);
            let mut text = Vec::new();
            format.write(&answer, style, &mut text).context("could not write the output")?;
            return String::from_utf8(text).context("could not write the output");
        };
        let tokenizer = arguments.amount.tokenizer.as_deref().and_then(Tokenizer::from_name);
        let page = Page::new(format, response, style, offsets);
        match budget::fit(&page, tokens, tokenizer.unwrap_or_default()) {
            Ok(fitted) => {
                let BudgetReport { used, tokens, tokenizer, .. } = fitted.budget_report;
                // This format has no place for the number of dropped hits.
                if format.name() == "paths" && fitted.levels.contains(&Level::Dropped) {
                    report::warning(&format!(
                        "not all hits fit into {} tokens: {}",
                        output::count(tokens as u64),
                        LevelSummary(&fitted.levels)
                    ));
                }
                if arguments.common.stats {
                    report::note(&format!(
                        "budget: {} of {} tokens ({})",
                        output::count(used as u64),
                        output::count(tokens as u64),
                        tokenizer.as_str()
                    ));
                }
                Ok(fitted.text)
            }
            Err(BudgetError::TooSmall { least }) => Err(UsageError::new(format!(
                "a budget of {} is too small: the smallest answer as {} has {}",
                output::plural(tokens as u64, "token", "tokens"),
                format.name(),
                output::plural(least as u64, "token", "tokens"),
            ))
            // The next run may print a time with more digits.
            .hint(format!(
                "use a larger budget, for example `--budget {}`",
                (least + SLACK).next_multiple_of(50)
            ))
            .into()),
            Err(BudgetError::Unwritten(error)) => Err(error).context("could not write the output"),
        }
    }
}
