//! Table of the file sources and of the formats of each.

use lore_schema::SourceName;

use crate::{
    files::{CodeReader, DocsReader, PatternsReader},
    specs::SPEC_FORMATS,
    store::Reader,
    tickets::TICKET_FORMATS,
};

/// A source whose units are files, or folders of files.
pub(crate) struct FileSource {
    pub(crate) name: SourceName,
    /// The formats, in the order in which they are asked for their files.
    pub(crate) readers: &'static [&'static dyn Reader],
}

/// Source code and all other text that is no prose.
pub(crate) static CODE: FileSource = FileSource { name: SourceName::Code, readers: &[&CodeReader] };

/// Prose.
pub(crate) static DOCS: FileSource = FileSource { name: SourceName::Docs, readers: &[&DocsReader] };

/// Patterns.
pub(crate) static PATTERNS: FileSource =
    FileSource { name: SourceName::Patterns, readers: &[&PatternsReader] };

/// Specifications and decisions.
pub(crate) static SPECS: FileSource = FileSource { name: SourceName::Specs, readers: SPEC_FORMATS };

/// Tickets.
pub(crate) static TICKETS: FileSource =
    FileSource { name: SourceName::Tickets, readers: TICKET_FORMATS };

/// Every source of files, in the order in which they are asked: the more special a format, the
/// earlier.
pub(crate) static FILE_SOURCES: &[&FileSource] = &[&TICKETS, &SPECS, &PATTERNS, &DOCS, &CODE];
