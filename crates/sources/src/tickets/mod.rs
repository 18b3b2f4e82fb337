//! The formats of tickets, one file each.

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

use crate::store::Reader;

/// Every reader of a ticket format, in the order of their names, which is also the order in which
/// they claim files. No two claim the same file.
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
