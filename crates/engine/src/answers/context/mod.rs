//! The package for a task: what somebody who is to do it has to read, by what the task asks for.
//!
//! A package is data: sections of items, each with several texts, the fullest first. Whoever writes
//! it decides how much of it fits.
//!
//! **Invariant:** only packages know intents. A plain search ranks the same whatever its words ask
//! for.

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
mod words;

pub(crate) use self::package::context;
pub use self::{
    intent::{Intent, MIN_CONFIDENCE, classify, classify_many},
    policy::{MAX_LEVEL, POLICY_KINDS, Policy, policies, policy_of},
    section::{ContextItem, ContextSection, Detail, SectionName},
};
use crate::{Absence, Receipt};

/// A task for which a package is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct ContextRequest {
    /// The task in words, or the identifier of a ticket, as typed.
    pub task: String,
    /// The level of context, 0..=3; `None` for that of the policy.
    pub level: Option<u8>,
    /// The intent, where it is not to be told from the task.
    pub intent: Option<String>,
    /// Root-relative paths of files that the task is about, beside those that are found.
    pub files: Vec<String>,
    /// The policies of the intents.
    pub policies: Vec<Policy>,
    /// Least confidence of an intent, 0.0..=1.0; below it, the task is a search.
    pub min_confidence: f64,
}

impl ContextRequest {
    /// A task with everything else as it is by default.
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

/// Where the intent of a package comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IntentOrigin {
    /// It was asked for.
    Request,
    /// The type of the ticket tells it, as its title does not.
    TicketType,
    /// The words of the task, or the title of the ticket.
    Words,
}

impl IntentOrigin {
    /// The name that users read.
    pub fn as_str(self) -> &'static str {
        match self {
            IntentOrigin::Request => "asked",
            IntentOrigin::TicketType => "ticket-type",
            IntentOrigin::Words => "words",
        }
    }
}

/// The ticket that a package is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextTicket {
    /// Its identifier, as it is written there.
    pub id: String,
    /// Its title.
    pub title: String,
    /// The part of the project that it belongs to: what it says, otherwise what its identifier
    /// begins with; `None` where nothing tells.
    pub component: Option<String>,
}

/// The package for a task.
#[derive(Debug, Clone, PartialEq)]
pub struct ContextPackage {
    /// The task, as typed.
    pub task: String,
    /// The ticket, where the task is one or names one.
    pub ticket: Option<ContextTicket>,
    /// What the task asks for.
    pub intent: Intent,
    /// Where that comes from.
    pub intent_origin: IntentOrigin,
    /// What it was put together by.
    pub policy: Policy,
    /// The level of context, 0..=3.
    pub level: u8,
    /// The parts that hold something, in the order in which they get their share.
    pub sections: Vec<ContextSection>,
    /// How far the package can be trusted.
    pub receipt: Receipt,
    /// Why there is nothing; `None` when there is something.
    pub absence: Option<Absence>,
    /// What the user should know, one line each.
    pub warnings: Vec<String>,
}
