//! Ticket formats, one file each.

mod adf;
mod backlog;
mod beads;
mod export;
mod github;
mod jira;
mod json;
mod linear;
mod record;
mod sage;
mod spexissues;
mod taskmaster;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_of_exports;
#[cfg(test)]
mod tests_of_sage;

use crate::store::Reader;

/// Readers of the ticket formats, sorted by name, which is also the order in which they claim
/// files. No two claim the same file.
pub(crate) static TICKET_FORMATS: &[&dyn Reader] = &[
    &backlog::Backlog,
    &beads::Beads,
    &github::GITHUB,
    &jira::JIRA,
    &linear::LINEAR,
    &sage::Sage,
    &spexissues::SpexIssues,
    &taskmaster::TaskMaster,
];
