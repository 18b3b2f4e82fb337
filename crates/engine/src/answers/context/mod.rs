//! Context packages: everything needed to work on a task, chosen by its intent.
//!
//! A package is data: sections of items, each with several details, the fullest first. The output
//! format decides how much of it fits.
//!
//! **Invariant:** only packages use intents. A plain search ranks the same whatever its words mean.

mod changes;
mod code;
mod definitions;
mod intent;
mod package;
mod policy;
mod prose;
mod related;
mod section;
mod tests_of;
mod texts;
mod ticket;
mod tickets;
mod tree;
mod triggers;
mod usual;
mod words;

pub(crate) use self::{definitions::is_test, package::context, tests_of::paired as paired_tests};
pub use self::{
    intent::{Intent, MIN_CONFIDENCE, classify, classify_many},
    policy::{MAX_LEVEL, POLICY_KINDS, Policy, policies, policy_of},
    section::{ContextItem, ContextSection, Detail, SectionName},
};
use crate::{Absence, Receipt};

/// A request for a context package.
#[derive(Debug, Clone, PartialEq)]
pub struct ContextRequest {
    /// The task in words, or the id of a ticket, as typed.
    pub task: String,
    /// Level of context, 0..=3; `None` for that of the policy.
    pub level: Option<u8>,
    /// Intent of the task; `None` to guess it.
    pub intent: Option<String>,
    /// Root-relative paths of files that the task is about, in addition to those found.
    pub files: Vec<String>,
    /// The policies of the intents.
    pub policies: Vec<Policy>,
    /// Minimum confidence of an intent, 0.0..=1.0; below it, the task is a search.
    pub min_confidence: f64,
}

impl ContextRequest {
    /// Creates a request with default values.
    pub fn new(task: impl Into<String>) -> ContextRequest {
        ContextRequest {
            task: task.into(),
            level: None,
            intent: None,
            files: Vec::new(),
            policies: policies(),
            min_confidence: MIN_CONFIDENCE,
        }
    }
}

/// Origin of the intent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IntentOrigin {
    /// Given in the request.
    Request,
    /// Type of the ticket, because its title has no intent.
    TicketType,
    /// The words of the task, or the title of the ticket.
    Words,
}

impl IntentOrigin {
    /// Returns the name shown to users.
    pub fn as_str(self) -> &'static str {
        match self {
            IntentOrigin::Request => "asked",
            IntentOrigin::TicketType => "ticket-type",
            IntentOrigin::Words => "words",
        }
    }
}

/// The ticket of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextTicket {
    /// Its id, as written in the ticket.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Component of the project: the ticket's own field, otherwise the prefix of its id; `None` if
    /// unknown.
    pub component: Option<String>,
}

/// The package for a task.
#[derive(Debug, Clone, PartialEq)]
pub struct ContextPackage {
    /// The task, as typed.
    pub task: String,
    /// The ticket, if the task is or names one.
    pub ticket: Option<ContextTicket>,
    /// The intent of the task.
    pub intent: Intent,
    /// Origin of the intent.
    pub intent_origin: IntentOrigin,
    /// The policy that was applied.
    pub policy: Policy,
    /// Level of context, 0..=3.
    pub level: u8,
    /// The non-empty sections, in the order in which they get their share of the budget.
    pub sections: Vec<ContextSection>,
    /// Scope and freshness of the package.
    pub receipt: Receipt,
    /// Explanation if it is empty; otherwise `None`.
    pub absence: Option<Absence>,
    /// Warnings, one line each.
    pub warnings: Vec<String>,
}
