//! What the rest of the index says of a candidate: whether something newer replaces it, and, for the
//! best ones, who uses it.

use lore_index::{IndexError, Reader};
use lore_schema::Field;

use super::{
    DefinedOnce, DocumentCandidate, Question, faces::WITH_DETAILS, is_prose, naming::Naming,
};

/// Most names of one document that are looked up. Twice as many give the same figures on the
/// development set and the commit sets to the fourth digit.
const MOST_NAMES: usize = 4;

/// How many newer versions are looked for beside one.
const NEWER: u32 = 5;

/// Fills in whether something newer replaces it, and whether it is a detail of what lies beside it.
pub(crate) fn add_context_signals(
    candidate: &mut DocumentCandidate,
    question: &Question<'_>,
    reader: &dyn Reader,
) {
    candidate.superseded = is_superseded(&candidate.parts.document.path, question, reader);
    candidate.is_detail =
        is_prose(question.source) && is_detail(&candidate.parts.document.path, reader);
}

/// The logarithm of the number of documents that mention a name which only this one defines and of
/// which the question holds a part, as a share of that of all documents; for the name with most.
pub(crate) fn centrality(
    candidate: &DocumentCandidate,
    question: &Question<'_>,
    defined_once: &DefinedOnce<'_>,
    documents: u64,
) -> Result<f32, IndexError> {
    let reader = defined_once.reader();
    let document = &candidate.parts.document;
    let outer = document.outer_names as usize;
    let mut most = 0;
    let mut looked_up = 0;
    for name in document.names.iter().take(outer) {
        if name.len() < 3 || !question.asked.may_name_part_of(name) {
            continue;
        }
        let naming = Naming::new(name, &question.asked);
        if !naming.is_asked_in_part() {
            continue;
        }
        if defined_once.holds(name, candidate.parts.candidate.id)? {
            let field = if naming.parts == 1 { Field::Body } else { Field::Whole };
            most = most.max(reader.document_frequency(field, &naming.whole)?.saturating_sub(1));
        }
        looked_up += 1;
        if looked_up == MOST_NAMES {
            break;
        }
    }
    Ok(((most as f32).ln_1p() / (documents.max(2) as f32).ln()).min(1.0))
}

/// Whether a path leads through a folder called as a version (`v3`) beside which lies a newer one
/// (`v4`), or beside which lies the same file without a version. Not if the question names it.
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
        let newer = version.saturating_add(1)..=version.saturating_add(NEWER);
        if newer.into_iter().any(|newer| reader.has_folder(&beside(&format!("v{newer}"))))
            || reader.stamp(&beside(&path[start..])).is_some()
        {
            return true;
        }
    }
    false
}

/// Whether a file that says what the folder is about lies beside this one. The root of the tree is
/// no such folder: what lies there is about something of its own.
fn is_detail(path: &str, reader: &dyn Reader) -> bool {
    let Some((folder, name)) = path.rsplit_once('/') else { return false };
    !WITH_DETAILS.contains(&name)
        && WITH_DETAILS.iter().any(|face| reader.stamp(&format!("{folder}/{face}")).is_some())
}
