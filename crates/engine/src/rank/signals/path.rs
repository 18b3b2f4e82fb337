//! Signals of the path of a document: names of files and folders are the shortest description by
//! their authors.

use lore_schema::Field;

use super::Signal;
use crate::rank::{DocumentCandidate, Question};

/// BM25 over the path: the stem twice, folders once.
pub(crate) struct PathEvidence;

impl Signal for PathEvidence {
    fn name(&self) -> &'static str {
        "path"
    }

    fn value(&self, _: &Question<'_>, candidate: &DocumentCandidate) -> f32 {
        candidate.field(Field::Path)
    }
}

/// Share of the stem's words that the query contains: `retry.rs` is about retries, while
/// `retry_budget_test_helpers.rs` is about something narrower. In prose each word counts by its
/// idf.
pub(crate) struct StemCoverage;

impl Signal for StemCoverage {
    fn name(&self) -> &'static str {
        "stem-coverage"
    }

    fn value(&self, _: &Question<'_>, candidate: &DocumentCandidate) -> f32 {
        candidate.stem_share
    }
}

/// The query is the path of the document, or the end of it.
pub(crate) struct PathQuery;

impl Signal for PathQuery {
    fn name(&self) -> &'static str {
        "path-query"
    }

    fn value(&self, question: &Question<'_>, candidate: &DocumentCandidate) -> f32 {
        f32::from(u8::from(is_path_of(&question.query.text, &candidate.parts.document.path)))
    }
}

/// Returns whether a query is this path, or the end of it: a file name or folders and a file name.
pub(crate) fn is_path_of(query: &str, path: &str) -> bool {
    let asked = query.trim_start_matches("./");
    asked.contains(['/', '.']) && is_end_of(asked, path)
}

/// The query names the file, by its name or by the end of its path: `move it to utils.go`, `what
/// does api/mod.rs pass on`.
pub(crate) struct NamedFile;

impl Signal for NamedFile {
    fn name(&self) -> &'static str {
        "named-file"
    }

    fn value(&self, question: &Question<'_>, candidate: &DocumentCandidate) -> f32 {
        let path = &candidate.parts.document.path;
        let is_named = question.query.files.iter().any(|file| is_end_of(file, path));
        f32::from(u8::from(is_named))
    }
}

/// Returns whether a path equals this one, or ends with it below a folder.
fn is_end_of(end: &str, path: &str) -> bool {
    path.strip_suffix(end).is_some_and(|folder| folder.is_empty() || folder.ends_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_of_a_path_begins_with_a_folder_or_a_file() {
        assert!(is_end_of("utils.go", "utils.go"));
        assert!(is_end_of("utils.go", "src/utils.go"));
        assert!(is_end_of("src/utils.go", "lib/src/utils.go"));
        assert!(!is_end_of("utils.go", "src/xutils.go"));
        assert!(!is_end_of("utils.go", "utils.go/a"));
        assert!(!is_end_of("utils.go", ""));
    }
}
