//! Signals that look beyond the document: newer versions beside it and, for the best candidates,
//! the use of its names by the rest of the tree.

use lore_index::{DocumentId, IndexError, Reader};
use lore_schema::Field;

use super::{
    DefinedOnce, DocumentCandidate, Question, faces::WITH_DETAILS, naming::Naming,
    neighbours::announce_definitions,
};
use crate::query::is_prose;

/// Maximum number of names of one document that are looked up. Twice as many give the same figures
/// on the development set and the commit sets to the fourth digit.
const MAX_NAMES: usize = 4;

/// Number of newer versions that are looked up beside one.
const MAX_NEWER: u32 = 5;

/// Adds the signals that depend on neighbouring paths: whether a newer version exists, and whether
/// another file describes the folder.
pub(crate) fn add_context_signals(
    candidate: &mut DocumentCandidate,
    question: &Question<'_>,
    reader: &dyn Reader,
) {
    candidate.superseded = is_superseded(&candidate.parts.document.path, question, reader);
    candidate.is_detail =
        is_prose(question.source) && is_detail(&candidate.parts.document.path, reader);
}

/// The names of a document whose mentions are counted: they share a part with the query.
pub(crate) struct CentralNames(Vec<(String, Naming)>);

impl CentralNames {
    /// Selects the names of a document.
    pub(crate) fn new(candidate: &DocumentCandidate, question: &Question<'_>) -> CentralNames {
        let document = &candidate.parts.document;
        let names = document.names.iter().take(document.outer_names as usize);
        let may_count = |name: &&String| name.len() >= 3 && question.asked.may_name_part_of(name);
        let named = names.filter(may_count).map(|name| (name, Naming::new(name, &question.asked)));
        let typed = named.filter(|(_, naming)| naming.is_typed_in_part()).take(MAX_NAMES);
        CentralNames(typed.map(|(name, naming)| (name.clone(), naming)).collect())
    }

    /// Announces the lookups of the names of several documents.
    pub(crate) fn announce(all: &[CentralNames], reader: &dyn Reader) -> Result<(), IndexError> {
        let names = || all.iter().flat_map(|names| &names.0);
        announce_definitions(names().map(|(name, _)| name), reader)?;
        let counted = names().map(|(_, naming)| (mention_field(naming), naming.whole.clone()));
        reader.announce_frequencies(&counted.collect::<Vec<_>>())
    }
}

/// The field in which the mentions of a name are counted.
fn mention_field(naming: &Naming) -> Field {
    if naming.parts == 1 { Field::Body } else { Field::Whole }
}

/// Logarithm of the number of documents that mention a name of this one, as a share of the
/// logarithm of the number of all documents. The name must be defined here only; of several, the most
/// mentioned one counts.
pub(crate) fn centrality(
    by: DocumentId,
    names: &CentralNames,
    defined_once: &DefinedOnce<'_>,
    documents: u64,
) -> Result<f32, IndexError> {
    let reader = defined_once.reader();
    let mut most = 0;
    for (name, naming) in &names.0 {
        if defined_once.holds(name, by)? {
            let mentions = reader.document_frequency(mention_field(naming), &naming.whole)?;
            most = most.max(mentions.saturating_sub(1));
        }
    }
    Ok(((most as f32).ln_1p() / (documents.max(2) as f32).ln()).min(1.0))
}

/// Returns whether a folder of a path is a version (`v3`) with a newer one (`v4`), or the same file
/// without a version, beside it. False if the query names the version.
fn is_superseded(path: &str, question: &Question<'_>, reader: &dyn Reader) -> bool {
    let mut start = 0;
    for folder in path.split_inclusive('/').filter(|part| part.ends_with('/')) {
        let name = folder.trim_end_matches('/');
        let above = path[..start].trim_end_matches('/');
        start += folder.len();
        let Some(version) = name.strip_prefix('v').and_then(|digits| digits.parse::<u32>().ok())
        else {
            continue;
        };
        if question
            .query
            .text
            .split(|c: char| !c.is_alphanumeric())
            .any(|word| word.eq_ignore_ascii_case(name))
        {
            continue;
        }
        let beside = |name: &str| {
            if above.is_empty() { name.to_owned() } else { format!("{above}/{name}") }
        };
        let newer = version.saturating_add(1)..=version.saturating_add(MAX_NEWER);
        if newer.into_iter().any(|newer| reader.has_folder(&beside(&format!("v{newer}"))))
            || reader.stamp(&beside(&path[start..])).is_some()
        {
            return true;
        }
    }
    false
}

/// Returns whether the folder of a file contains one that describes the folder as a whole. The root
/// of the tree does not count: files there have subjects of their own.
fn is_detail(path: &str, reader: &dyn Reader) -> bool {
    let Some((folder, name)) = path.rsplit_once('/') else { return false };
    !WITH_DETAILS.contains(&name)
        && WITH_DETAILS.iter().any(|face| reader.stamp(&format!("{folder}/{face}")).is_some())
}
