//! Files that a change does not contain but probably concerns, ordered by the evidence.

use std::collections::BTreeMap;

use lore_schema::{Category, Filter, SourceName};

use super::ReviewContext;
use crate::{EngineError, RelatedFile, answers::context::paired_tests};

/// Maximum number of related files.
const MAX_RELATED: usize = 10;

/// Weight of a test with the name of a changed file.
const PAIRED: f64 = 1.5;

/// The evidence for files outside of the change.
#[derive(Default)]
pub(super) struct Related {
    files: BTreeMap<String, Vec<(f64, String)>>,
}

impl Related {
    /// Adds a piece of evidence.
    pub(super) fn add(&mut self, path: &str, weight: f64, reason: String) {
        let reasons = self.files.entry(path.to_owned()).or_default();
        if !reasons.iter().any(|(_, known)| *known == reason) {
            reasons.push((weight, reason));
        }
    }

    /// Returns the files with the most evidence. Each further piece of evidence counts half of the one
    /// before, so that many weak ones do not outweigh a strong one.
    pub(super) fn best(self) -> Vec<RelatedFile> {
        let mut files: Vec<RelatedFile> = self
            .files
            .into_iter()
            .map(|(path, mut reasons)| {
                reasons.sort_by(|left, right| right.0.total_cmp(&left.0));
                let mut factor = 1.0;
                let mut score = 0.0;
                for (weight, _) in &reasons {
                    score += weight * factor;
                    factor /= 2.0;
                }
                let reasons = reasons.into_iter().take(3).map(|(_, reason)| reason).collect();
                RelatedFile { path, score, reasons }
            })
            .collect();
        files.sort_by(|left, right| {
            right.score.total_cmp(&left.score).then_with(|| left.path.cmp(&right.path))
        });
        files.truncate(MAX_RELATED);
        files
    }
}

/// Adds the test files with the names of the changed files.
pub(super) fn add_paired(
    context: &ReviewContext<'_>,
    paths: &[String],
    related: &mut Related,
) -> Result<(), EngineError> {
    let mut sources = context.snapshot.sources.iter().map(|open| open.reader.as_ref());
    let Some(reader) = sources.find(|reader| reader.source() == SourceName::Code) else {
        return Ok(());
    };
    let filter = Filter { categories: vec![Category::Test], ..Filter::default() };
    let listing = reader.listing(&filter)?;
    let tests: Vec<&str> = listing.iter().map(|listed| listed.path).collect();
    for (test, file) in paired_tests(paths, &tests) {
        if !context.has_file(test) {
            related.add(test, PAIRED, format!("has the name of {file}"));
        }
    }
    Ok(())
}
