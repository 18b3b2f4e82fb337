//! Turns typed text into words with all their forms, and conditions.

mod abbreviations;
mod attributes;
mod changes;
mod conventions;
mod dates;
mod everyday;
mod expand;
pub(crate) mod facets;
mod files;
mod intent;
mod kinds;
pub(crate) mod language;
mod named_sources;
pub(crate) mod pasted;
mod phrase;
mod plan;
mod prepare;
mod profile;
mod records;
mod synonyms;
mod words;

pub(crate) use abbreviations::{abbreviated, may_abbreviate};
pub(crate) use changes::Changes;
pub use dates::{Clock, Period};
pub(crate) use everyday::{EVERYDAY, is_everyday};
pub(crate) use expand::{expand, expandable};
pub(crate) use files::path_words;
pub(crate) use intent::{Intent, Tests, intent};
pub(crate) use kinds::{KIND_NAMES, KINDS, Kinds};
pub use language::QueryError;
pub(crate) use named_sources::NamedSources;
pub(crate) use phrase::{Phrase, PhraseTerm};
pub use plan::{Condition, Range};
pub(crate) use plan::{Plan, is_ambiguous};
pub(crate) use prepare::{
    CHUNKS_FETCHED, PreparedQuery, SELECTION, announce_known, definition_term, expanded,
    import_term, is_known, is_prose, prepare, prepare_related, reference_term,
};
pub(crate) use profile::QueryProfile;
pub(crate) use records::parts_of_id;
pub(crate) use words::{Query, Shape, Word, WordForm, parse};
