//! Spec formats, one file each.

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

/// Readers of the spec formats, sorted by name, which is also the order in which they claim files.
/// No two claim the same file, except `adr` and `plain`, where the earlier one wins: a record in
/// `docs/specs/adr` is a decision. `lean-spec` and `spec-kit` share `specs/NNN-name`; whether the
/// folder has a `README.md` or a `spec.md` decides between them.
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
