//! The error of a tool call, as the calling model reads it: the cause and a remedy.
//!
//! No remedy destroys anything: an agent does what it reads.

use std::{borrow::Cow, error::Error};

use lore_console::report::{self, UsageError};
use lore_engine::EngineError;
use lore_settings::SettingsError;

/// Phrases of messages for people at a terminal, with their replacements for tools: flags are
/// arguments, commands are tools, and no argument adds a tree.
const REPHRASED: &[(&str, &str)] = &[
    ("`--budget ", "`max_tokens "),
    ("`--", "`"),
    ("`lore research ", "`"),
    ("; use `-C DIR` to search another one", ""),
    ("omit the flag", "omit it"),
    (
        ", or add `raw` to search for the quote",
        ", or look for the text as it is with {\"match\": \"literal\"}",
    ),
    (
        ", or add `raw` to disable the query language",
        ", or look for the text as it is with {\"match\": \"literal\"}",
    ),
];

/// Maximum characters of a message and of a remedy: they may quote an argument of any length.
const MAX_MESSAGE: usize = 400;
const MAX_REMEDY: usize = 2_000;

/// The error of a tool call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The failure, on one line.
    message: String,
    /// The remedy.
    remedy: Option<String>,
}

impl Failure {
    /// A failure without a remedy.
    pub fn new(message: impl Into<String>) -> Failure {
        Failure { message: message.into(), remedy: None }
    }

    /// Adds the remedy: what the model should do instead.
    #[must_use]
    pub fn remedy(mut self, remedy: impl Into<String>) -> Failure {
        self.remedy = Some(remedy.into());
        self
    }

    /// Replaces the remedy by what `change` makes of it.
    #[must_use]
    pub fn adapt(mut self, change: impl FnOnce(&str) -> String) -> Failure {
        self.remedy = self.remedy.as_deref().map(change);
        self
    }

    /// The failure, on one line, at most 400 characters.
    pub fn message(&self) -> Cow<'_, str> {
        truncate(&self.message, MAX_MESSAGE)
    }

    /// The remedy, if there is one.
    pub fn hint(&self) -> Option<Cow<'_, str>> {
        self.remedy.as_deref().map(|remedy| truncate(remedy, MAX_REMEDY))
    }

    /// The text that the model reads.
    pub fn text(&self) -> String {
        let message = truncate(&self.message, MAX_MESSAGE);
        match &self.remedy {
            Some(remedy) => format!("{message}\n{}", truncate(remedy, MAX_REMEDY)),
            None => message.into_owned(),
        }
    }

    fn of(error: &(dyn Error + 'static)) -> Failure {
        let remedy = own_remedy(error).or_else(|| lore_settings::hint(error));
        let rephrase = |text: String| {
            let replaced = |text: String, (at, here): &(&str, &str)| text.replace(at, here);
            REPHRASED.iter().fold(text, replaced)
        };
        Failure { message: rephrase(report::message(error)), remedy: remedy.map(rephrase) }
    }
}

/// Truncates a text to `max` characters, with `…` at the cut.
fn truncate(text: &str, max: usize) -> Cow<'_, str> {
    match text.char_indices().nth(max) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Failure {
        Failure::of(&error)
    }
}

impl From<SettingsError> for Failure {
    fn from(error: SettingsError) -> Failure {
        Failure::of(&error)
    }
}

impl From<UsageError> for Failure {
    fn from(error: UsageError) -> Failure {
        Failure::of(&error)
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Failure {
        Failure::of(error.as_ref())
    }
}

/// A remedy for a model, where the program's own hint is for people at a terminal.
fn own_remedy(error: &(dyn Error + 'static)) -> Option<String> {
    let mut causes =
        std::iter::successors(Some(error), |error: &&(dyn Error + 'static)| (*error).source());
    let error = causes.find_map(|cause| cause.downcast_ref::<EngineError>())?;
    let remedy = match error {
        EngineError::EmptyQuery => {
            "say what to look for, for example {\"query\": \"retry a refund\"}"
        }
        EngineError::Root { .. } => {
            "the server must be started in a directory that exists, or as `lore mcp -C DIR`"
        }
        EngineError::Subject { nearest, .. } if nearest.is_empty() => {
            "name a path, `path:line` or the id of a hit; `search` finds them"
        }
        EngineError::NeedsClone { .. } => {
            "`search` with {\"in\": [\"git\"]} finds its commits, and `read` shows its files"
        }
        EngineError::NeedsIndex { .. } => {
            "the index is made in the background; ask the same again in a few seconds"
        }
        EngineError::Index(_) | EngineError::Source(_) => {
            "call `status` to see what is wrong; nothing needs to be deleted"
        }
        _ => return None,
    };
    Some(remedy.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_arguments_here() {
        let error = UsageError::new("could not understand the date `soon` of `--since`")
            .hint("write `--since 2025-01-31`");
        let text = Failure::from(error).text();
        assert_eq!(
            text,
            "could not understand the date `soon` of `since`\nwrite `since 2025-01-31`"
        );
    }

    #[test]
    fn remedies_are_those_of_a_tool() {
        let error =
            UsageError::new("too small").hint("raise the budget, for example `--budget 350`");
        assert_eq!(
            Failure::from(error).text(),
            "too small\nraise the budget, for example `max_tokens 350`"
        );
        let error = UsageError::new("no").hint("try `lore research callers of save`");
        assert_eq!(Failure::from(error).text(), "no\ntry `callers of save`");
        let error =
            UsageError::new("no").hint("end it with `\"`, or add `--raw` to search for the quote");
        let text = Failure::from(error).text();
        assert!(text.ends_with("with {\"match\": \"literal\"}"), "{text}");
    }

    #[test]
    fn quoted_arguments_are_truncated() {
        let failure = Failure::new("é".repeat(100_000)).remedy("é".repeat(100_000));
        let text = failure.text();
        assert_eq!(text.chars().count(), MAX_MESSAGE + MAX_REMEDY + 3);
    }

    #[test]
    fn an_empty_query_has_a_remedy_that_can_be_called() {
        let text = Failure::from(EngineError::EmptyQuery).text();
        assert!(text.ends_with("{\"query\": \"retry a refund\"}"), "{text}");
    }
}
