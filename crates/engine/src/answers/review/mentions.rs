//! Files outside of a change that contain the words of its changed lines.

use std::collections::BTreeSet;

use lore_index::IndexError;
use lore_schema::{Field, SourceName};
use lore_sources::ChangedText;

use super::{
    ReviewContext,
    related::{Related, Signal},
};

/// Minimum length of a word, in bytes: shorter ones occur everywhere.
const MIN_LEN: usize = 4;

/// Maximum number of words of a change.
const MAX_WORDS: usize = 400;

/// Maximum number of passages that contain a word: more common ones connect nothing.
const MAX_HOLDERS: usize = 40;

/// Adds the files that contain a rare word of the changed lines, or one that the change removes everywhere
/// in its file.
pub(super) fn add_mentions(
    context: &ReviewContext<'_>,
    changes: &[ChangedText],
    related: &mut Related,
) -> Result<(), IndexError> {
    let (mut removed, mut touched) = (BTreeSet::new(), BTreeSet::new());
    for change in changes {
        let new = change.new.as_deref().unwrap_or_default();
        let kept: BTreeSet<&str> = words(new).collect();
        for (lines, text, is_old) in change.hunks.iter().flat_map(|(old, added)| {
            [(old, change.old.as_deref().unwrap_or_default(), true), (added, new, false)]
        }) {
            for line in text.lines().skip(lines.start).take(lines.len()) {
                for word in words(line) {
                    let is_removed = is_old && !kept.contains(word);
                    let set = if is_removed { &mut removed } else { &mut touched };
                    set.insert(word.to_owned());
                }
            }
        }
    }
    add_words(context, &removed, Signal::Removed, related)?;
    add_words(context, &touched, Signal::Touched, related)
}

fn add_words(
    context: &ReviewContext<'_>,
    words: &BTreeSet<String>,
    signal: Signal,
    related: &mut Related,
) -> Result<(), IndexError> {
    for word in words.iter().take(MAX_WORDS) {
        let parts = lore_text::parts(word);
        let field = if 1 < parts.len() { Field::Whole } else { Field::Body };
        let mut held = Vec::new();
        let mut count = 0;
        for open in &context.snapshot.sources {
            let reader = open.reader.as_ref();
            if !matches!(reader.source(), SourceName::Code | SourceName::Docs) {
                continue;
            }
            let holders = reader.holders(field, &parts.concat(), MAX_HOLDERS + 1)?;
            count += holders.len();
            held.push((reader, holders));
        }
        if MAX_HOLDERS < count {
            continue;
        }
        let mut paths: BTreeSet<String> = BTreeSet::new();
        for (reader, holders) in held {
            let ids: Vec<_> = holders.iter().map(|holder| holder.document).collect();
            paths.extend(reader.documents(&ids)?.into_iter().map(|document| document.path));
        }
        paths.retain(|path| !context.has_file(path));
        let value = 0.5 / (paths.len() as f64).max(1.0).sqrt();
        for path in &paths {
            let reason = match signal {
                Signal::Removed => format!("contains {word}, which the change removes"),
                _ => format!("contains {word}"),
            };
            related.add(path, signal, value, reason);
        }
    }
    Ok(())
}

/// The words of a text that may be names.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character: char| !character.is_alphanumeric() && character != '_').filter(|word| {
        MIN_LEN <= word.len() && word.chars().next().is_some_and(|first| !first.is_numeric())
    })
}
