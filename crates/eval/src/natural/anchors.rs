//! Resolves anchors of spans to lines.

use std::{collections::BTreeMap, path::PathBuf};

use crate::{Anchor, Collection, EvalError, Trees, collection::read};

/// Sets the lines of the spans that have an anchor. Without such spans, no tree is needed.
///
/// # Errors
/// If the tree or a file is missing, or if not exactly one line of the file contains the text.
pub fn resolve_anchors(collection: &mut Collection, trees: &Trees) -> Result<(), EvalError> {
    let mut queries = std::mem::take(&mut collection.queries);
    let mut texts: BTreeMap<PathBuf, String> = BTreeMap::new();
    for query in &mut queries {
        for span in &mut query.spans {
            let Some(anchor) = &span.anchor else { continue };
            let place = trees.find(&query.repository, collection)?;
            let name = &span.target.name;
            let path = place.root.join(name.strip_prefix(&place.prefix).unwrap_or(name));
            if !texts.contains_key(&path) {
                texts.insert(path.clone(), read(&path)?);
            }
            let lines = lines_of(anchor, &texts[&path]).map_err(|found| EvalError::Anchor {
                query: query.id.clone(),
                anchor: anchor.text.clone(),
                path,
                found,
            })?;
            span.target.lines = Some(lines);
        }
    }
    collection.queries = queries;
    Ok(())
}

/// The first and last line of the span. The error is the number of lines that contain the text.
fn lines_of(anchor: &Anchor, text: &str) -> Result<(u32, u32), usize> {
    let numbered = (1..).zip(text.lines());
    let found: Vec<u32> = numbered
        .filter(|(_, line)| line.contains(&anchor.text))
        .map(|(number, _)| number)
        .collect();
    match found[..] {
        [start] => Ok((start, start.saturating_add(anchor.lines.saturating_sub(1)))),
        _ => Err(found.len()),
    }
}
