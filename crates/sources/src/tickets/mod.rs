//! The formats of tickets, one file each.

mod backlog;
mod beads;
mod record;
mod sage;
mod spexissues;
mod taskmaster;
#[cfg(test)]
mod tests;

use crate::store::Reader;

/// Every reader of a ticket format, in the order of their names, which is also the order in which
/// they claim files. No two claim the same file.
pub(crate) static TICKET_FORMATS: &[&dyn Reader] = &[
    &backlog::Backlog,
    &beads::Beads,
    &sage::Sage,
    &spexissues::SpexIssues,
    &taskmaster::TaskMaster,
];
