//! The formats of specifications, one file each.

mod adr;
mod agentos;
mod gsd;
mod kiro;
mod leanspec;
mod openspec;
mod page;
mod plain;
mod speckit;
mod spex;
#[cfg(test)]
pub(crate) mod tests;
#[cfg(test)]
mod tests_of_pages;

use crate::store::Reader;

/// Every reader of a spec format, in the order of their names, which is also the order in which
/// they claim files. No two claim the same file except `adr` and `plain`, where the earlier one is
/// meant to win: a record in `docs/specs/adr` is a decision. `lean-spec` and `spec-kit` share
/// `specs/NNN-name`, and divide it by whether the folder has a `README.md` or a `spec.md`.
pub(crate) static SPEC_FORMATS: &[&dyn Reader] = &[
    &adr::Adr,
    &agentos::AgentOs,
    &gsd::Gsd,
    &kiro::Kiro,
    &leanspec::LeanSpec,
    &openspec::OpenSpec,
    &plain::Plain,
    &speckit::SpecKit,
    &spex::Spex,
];
