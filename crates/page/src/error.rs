//! The error of a request: its status, what failed and what to do, as a page or as JSON.

use axum::http::StatusCode;
use lore_console::report::UsageError;
use lore_engine::EngineError;
use lore_schema::SkipReason;
use lore_server::{
    failure::Failure,
    tree::{IndexProgress, LocateError},
};
use lore_settings::SettingsError;

/// The error of a request.
#[derive(Debug, Clone)]
pub(crate) struct PageError {
    /// Status of the response.
    pub(crate) status: StatusCode,
    /// The failure.
    pub(crate) message: String,
    /// The remedy.
    pub(crate) hint: Option<String>,
    /// Progress of the first index, while that is the cause.
    pub(crate) progress: Option<IndexProgress>,
}

impl PageError {
    /// An error with a status.
    pub(crate) fn new(status: StatusCode, message: impl Into<String>) -> PageError {
        PageError { status, message: message.into(), hint: None, progress: None }
    }

    /// Something that does not exist.
    pub(crate) fn missing(message: impl Into<String>) -> PageError {
        PageError::new(StatusCode::NOT_FOUND, message)
    }

    /// A request that cannot be understood.
    pub(crate) fn bad(message: impl Into<String>) -> PageError {
        PageError::new(StatusCode::BAD_REQUEST, message)
    }

    /// Adds what to do.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> PageError {
        self.hint = Some(hint.into());
        self
    }

    /// The index is not ready.
    pub(crate) fn indexing(progress: IndexProgress) -> PageError {
        PageError {
            status: StatusCode::SERVICE_UNAVAILABLE,
            message: format!("the index is not ready: {}", progress.describe()),
            hint: Some("the page reloads itself; repeat the request in a few seconds".to_owned()),
            progress: Some(progress),
        }
    }

    /// The answer takes too long.
    pub(crate) fn slow() -> PageError {
        PageError::new(StatusCode::SERVICE_UNAVAILABLE, "the answer took longer than ten seconds")
            .hint("request less: a single file, or a narrower query")
    }

    /// Too many requests wait for an answer.
    pub(crate) fn busy() -> PageError {
        PageError::new(StatusCode::SERVICE_UNAVAILABLE, "too many requests at once")
            .hint("repeat the request in a few seconds")
    }

    /// A file that has no text.
    pub(crate) fn skipped(path: &str, reason: SkipReason) -> PageError {
        PageError::missing(format!("`{path}` cannot be shown: {}", in_words(reason)))
            .hint("its commits are at /history/, its folder at /tree/")
    }

    /// The error as the failure of a call.
    pub(crate) fn into_failure(self) -> Failure {
        let failure = Failure::new(self.message);
        match self.hint {
            Some(hint) => failure.remedy(hint),
            None => failure,
        }
    }

    fn of(status: StatusCode, failure: &Failure) -> PageError {
        let hint = failure.hint().map(std::borrow::Cow::into_owned);
        PageError { hint, ..PageError::new(status, failure.message()) }
    }
}

impl From<Failure> for PageError {
    fn from(failure: Failure) -> PageError {
        PageError::of(StatusCode::INTERNAL_SERVER_ERROR, &failure)
    }
}

impl From<LocateError> for PageError {
    fn from(error: LocateError) -> PageError {
        match error {
            LocateError::Outside(failure) => PageError::of(StatusCode::FORBIDDEN, &failure),
            LocateError::Missing(failure) => PageError::of(StatusCode::NOT_FOUND, &failure),
        }
    }
}

impl From<UsageError> for PageError {
    fn from(error: UsageError) -> PageError {
        PageError::of(StatusCode::BAD_REQUEST, &Failure::from(error))
    }
}

impl From<SettingsError> for PageError {
    fn from(error: SettingsError) -> PageError {
        PageError::of(StatusCode::INTERNAL_SERVER_ERROR, &Failure::from(error))
    }
}

impl From<EngineError> for PageError {
    fn from(error: EngineError) -> PageError {
        let status = match error {
            EngineError::EmptyQuery | EngineError::Query(_) => StatusCode::BAD_REQUEST,
            EngineError::Subject { .. }
            | EngineError::Revision { .. }
            | EngineError::NeedsClone { .. } => StatusCode::NOT_FOUND,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        PageError::of(status, &Failure::from(error))
    }
}

/// A reason for a file without text, in words.
pub(crate) fn in_words(reason: SkipReason) -> &'static str {
    match reason {
        SkipReason::BeyondLimit => "the texts before it reach the limit of a page",
        SkipReason::Binary => "it is not text",
        SkipReason::Empty => "it is empty",
        SkipReason::Ignored => "an ignore rule excludes it",
        SkipReason::Malformed => "it is malformed",
        SkipReason::NotAFile => "it is not a file of this repository",
        SkipReason::Symlink => "it is a link that is not followed",
        SkipReason::TooLarge => "it is too large",
        SkipReason::Unreadable => "it does not exist, or the system does not allow to read it",
    }
}
