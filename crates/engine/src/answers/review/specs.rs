//! The specs and decisions that govern the changed files, with the sentences that name what changed.

use lore_schema::SourceName;

use super::ReviewContext;
use crate::{
    EngineError, ReviewFinding, ReviewKind, ReviewedFile, WhyCertainty,
    answers::owners,
    sentences::{first_sentence, shortened},
};

/// Returns a finding for each spec that governs a changed file.
pub(super) fn governing(
    context: &ReviewContext<'_>,
    files: &[ReviewedFile],
) -> Result<Vec<ReviewFinding>, EngineError> {
    let tree = &context.snapshot.tree;
    let specs = lore_sources::read_documents(tree, SourceName::Specs, &|_| true)?;
    let mut found: Vec<ReviewFinding> = Vec::new();
    if specs.is_empty() {
        return Ok(found);
    }
    for file in files {
        for owner in owners::owners(&specs, &file.path).governing {
            let names: Vec<&str> =
                file.definitions.iter().map(|definition| definition.bare.as_str()).collect();
            let names_part = |part: &String| {
                names.iter().any(|name| part == name || part.ends_with(&format!(".{name}")))
            };
            if !owner.selectors.is_empty() && !owner.selectors.iter().any(names_part) {
                continue;
            }
            let known = found.iter().any(|finding| {
                finding.path.as_deref() == Some(owner.path.as_str()) && finding.subject == file.path
            });
            let Some(spec) = specs.iter().find(|spec| spec.path == owner.path) else { continue };
            if known {
                continue;
            }
            let named = spec.text.lines().enumerate().find(|(_, line)| {
                names.iter().any(|name| 3 < name.len() && line.contains(name))
                    && !spec.attributes.extra.iter().any(|(_, value)| line.contains(value.as_str()))
            });
            found.push(ReviewFinding {
                support: None,
                kind: ReviewKind::Spec,
                path: Some(owner.path.clone()),
                line: named.and_then(|(at, _)| u32::try_from(at + 1).ok()),
                name: owner.title.clone(),
                subject: file.path.clone(),
                evidence: format!("governs {} by {}", file.path, owner.claim),
                quote: named.map_or_else(
                    || first_sentence(&owner.description),
                    |(_, line)| shortened(line.trim()),
                ),
                certainty: WhyCertainty::Certain,
            });
        }
    }
    Ok(found)
}
