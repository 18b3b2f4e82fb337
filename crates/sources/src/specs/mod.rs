//! Spec formats, one file each.

mod adr;
mod agentos;
mod gsd;
mod kep;
mod kiro;
mod leanspec;
mod openspec;
mod page;
mod pep;
mod plain;
mod rfc;
mod speckit;
mod spex;
#[cfg(test)]
pub(crate) mod tests;
#[cfg(test)]
mod tests_of_pages;

use crate::store::Reader;

/// Readers of the spec formats, sorted by name, which is also the order in which they claim files.
/// No two claim the same file, with two exceptions, where the earlier one wins: a record in
/// `docs/specs/adr` is a decision (`adr`, `plain`), and a page in `docs/rfcs` is identified by its
/// folder (`plain`, `rfc`). `lean-spec` and `spec-kit` share `specs/NNN-name`; whether the
/// folder has a `README.md` or a `spec.md` decides between them.
pub(crate) static SPEC_FORMATS: &[&dyn Reader] = &[
    &adr::Adr,
    &agentos::AgentOs,
    &gsd::Gsd,
    &kep::Kep,
    &kiro::Kiro,
    &leanspec::LeanSpec,
    &openspec::OpenSpec,
    &pep::Pep,
    &plain::Plain,
    &rfc::Rfc,
    &speckit::SpecKit,
    &spex::Spex,
];
