//! Why a tool gives no answer: told to the model that called it, with what to do instead.
//!
//! No remedy destroys anything: an agent does what it reads.

use std::error::Error;

use lore_engine::EngineError;

use crate::{
    report::{self, UsageError},
    settings::SettingsError,
};

/// Why a tool gives no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    /// What failed, on one line.
    message: String,
    /// What to do instead.
    remedy: Option<String>,
}

impl Failure {
    /// A failure without a remedy.
    pub(crate) fn new(message: impl Into<String>) -> Failure {
        Failure { message: message.into(), remedy: None }
    }

    /// Adds what to do instead.
    pub(crate) fn remedy(mut self, remedy: impl Into<String>) -> Failure {
        self.remedy = Some(remedy.into());
        self
    }

    /// What the model reads.
    pub(crate) fn text(&self) -> String {
        match &self.remedy {
            Some(remedy) => format!("{}\n{remedy}", self.message),
            None => self.message.clone(),
        }
    }

    fn of(error: &(dyn Error + 'static)) -> Failure {
        let remedy = own_remedy(error).or_else(|| report::hint(error));
        // Messages name flags; here they are arguments.
        let in_words = |text: String| text.replace("`--", "`");
        Failure { message: in_words(report::message(error)), remedy: remedy.map(in_words) }
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

/// What helps a model, where the program's own hint is for people at a terminal.
fn own_remedy(error: &(dyn Error + 'static)) -> Option<String> {
    let mut causes =
        std::iter::successors(Some(error), |error: &&(dyn Error + 'static)| (*error).source());
    let error = causes.find_map(|cause| cause.downcast_ref::<EngineError>())?;
    let remedy = match error {
        EngineError::EmptyQuery => {
            "say what to look for, for example {\"query\": \"retry a refund\"}"
        }
        EngineError::Root { .. } => {
            "the server must be started in a folder that exists, or as `lore mcp -C DIR`"
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
    fn an_empty_question_has_a_remedy_that_can_be_called() {
        let text = Failure::from(EngineError::EmptyQuery).text();
        assert!(text.ends_with("{\"query\": \"retry a refund\"}"), "{text}");
    }
}
