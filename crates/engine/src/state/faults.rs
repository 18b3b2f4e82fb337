//! Documents that their parser did not read, or not completely: stored as terms of the index. Those that
//! ended it are not parsed again until they change.

use lore_index::{DocumentId, IndexError, Reader};
use lore_schema::Field;

use crate::{ParserFault, UnparsedFile, query::facets};

/// Maximum number of documents that are listed for each fault.
const MAX_LISTED: usize = 1_000;

/// The term of documents with this fault.
pub(crate) fn term(fault: ParserFault) -> String {
    format!("{}{}", facets::PARSER_FAULT, fault.as_str())
}

/// Lists the documents of one source that ended their parser, by path.
pub(crate) fn files(reader: &dyn Reader) -> Result<Vec<UnparsedFile>, IndexError> {
    let mut files = Vec::new();
    for fault in ParserFault::ALL {
        let holders = reader.holders(Field::Facets, &term(*fault), MAX_LISTED)?;
        let ids: Vec<DocumentId> = holders.iter().map(|holder| holder.document).collect();
        let documents = reader.documents(&ids)?;
        files.extend(
            documents
                .into_iter()
                .map(|document| UnparsedFile { path: document.path, fault: *fault }),
        );
    }
    files.sort_unstable();
    Ok(files)
}

/// Lists the documents of one source with text that their parser could not read, by path, at most
/// [`MAX_LISTED`].
pub(crate) fn partly_parsed(reader: &dyn Reader) -> Result<Vec<String>, IndexError> {
    let holders = reader.holders(Field::Facets, facets::PARTLY_PARSED, MAX_LISTED)?;
    let ids: Vec<DocumentId> = holders.iter().map(|holder| holder.document).collect();
    let documents = reader.documents(&ids)?;
    let mut paths: Vec<String> = documents.into_iter().map(|document| document.path).collect();
    paths.sort_unstable();
    Ok(paths)
}
