//! A record as the subject: a commit, a ticket or a spec.

use std::collections::BTreeSet;

use lore_index::{DocumentId, StoredDocument};
use lore_schema::{Category, Field, SourceName};

use super::{
    add_governing,
    chain::Chain,
    citations::{Cited, citations},
    subject_of,
};
use crate::{
    EngineError, Subject, WhyCertainty, WhyHop, WhyKind,
    commits::{changed, message},
    query::facets::words_of,
};

/// Minimum length of the beginning of a hash.
const MIN_HASH_LEN: usize = 7;

/// Maximum number of commits that cite a record.
const MAX_CITING: usize = 8;

/// Maximum number of files whose specs are looked up, and of tests and documents of a commit.
const MAX_FILES: usize = 20;
const MAX_CHANGED: usize = 5;

/// A record that a target names.
pub(super) enum Record {
    /// One of the tree or its history.
    Known(Box<StoredDocument>),
    /// A ticket or pull request that is not in the tree, by its identifier, with the commits that cite it.
    Cited(String, Vec<StoredDocument>),
}

/// Returns the record that a target names; `None` for a place in a file or a definition.
pub(super) fn find(chain: &Chain<'_>, target: &str) -> Result<Option<Record>, EngineError> {
    let hash = target.strip_prefix("git:").unwrap_or(target);
    let is_hash = MIN_HASH_LEN <= hash.len() && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_hash && let Some(commit) = chain.commit(&hash.to_lowercase())? {
        return Ok(Some(Record::Known(Box::new(commit))));
    }
    let id = target.strip_prefix("tickets:").or(target.strip_prefix("specs:")).unwrap_or(target);
    let is_number = id.starts_with('#');
    let id = id.trim_start_matches('#');
    let is_id = id.bytes().any(|byte| byte.is_ascii_digit()) && !id.contains(['/', ':', '#']);
    if !is_id {
        return Ok(None);
    }
    for source in [SourceName::Tickets, SourceName::Specs] {
        if let Some((_, document)) = chain.by_id(source, id)?.into_iter().next() {
            return Ok(Some(Record::Known(Box::new(document))));
        }
    }
    let is_ticket = citations(id).iter().any(|citation| citation.cited == Cited::Ticket);
    if !is_number && !is_ticket {
        return Ok(None);
    }
    let commits = citing(chain, id)?;
    let shown = if is_number { format!("#{id}") } else { id.to_owned() };
    Ok((!commits.is_empty()).then_some(Record::Cited(shown, commits)))
}

/// Adds the hops of a record, and returns it as the subject.
pub(super) fn follow(chain: &mut Chain<'_>, record: &Record) -> Result<Subject, EngineError> {
    let record = match record {
        Record::Known(record) => record.as_ref(),
        Record::Cited(id, commits) => {
            chain.mark_subject(id);
            for commit in commits {
                let evidence = format!("cites {id}");
                chain.add_commit(commit, evidence, WhyCertainty::Certain, None)?;
            }
            return Ok(Subject {
                id: id.clone(),
                source: SourceName::Tickets,
                kind: "ticket".to_owned(),
                title: "not in this tree".to_owned(),
                path: None,
                start_line: None,
                end_line: None,
            });
        }
    };
    let subject = subject_of(record);
    chain.mark_subject(&subject.id);
    if record.key.source == SourceName::Git {
        follow_commit(chain, record)?;
    } else {
        follow_document(chain, record)?;
    }
    Ok(subject)
}

/// Adds what a commit cites, its reverts, the specs of its files, and the documents and tests in it.
fn follow_commit(chain: &mut Chain<'_>, commit: &StoredDocument) -> Result<(), EngineError> {
    chain.add_links(commit, None)?;
    for path in changed(commit).take(MAX_FILES) {
        add_governing(chain, path, None)?;
    }
    let mut count = 0;
    for path in changed(commit) {
        if count == MAX_CHANGED {
            break;
        }
        let Some((kind, source)) = kind_of(chain, path)? else { continue };
        count += 1;
        let title = path.rsplit('/').next().unwrap_or(path).to_owned();
        let evidence = "changed by the commit".to_owned();
        let id_of_file = format!("{source}:{path}");
        chain.add(WhyHop {
            path: Some(path.to_owned()),
            ..WhyHop::new(kind, id_of_file, title, evidence, None)
        });
    }
    Ok(())
}

/// Returns the kind and source of a file of the tree that is a test or a document.
fn kind_of(chain: &Chain<'_>, path: &str) -> Result<Option<(WhyKind, SourceName)>, EngineError> {
    for id in chain.at_path(path)? {
        let kind = match id.source {
            SourceName::Specs => WhyKind::Spec,
            SourceName::Docs => WhyKind::Page,
            SourceName::Code => WhyKind::Test,
            SourceName::Git | SourceName::Patterns | SourceName::Tickets => continue,
        };
        let Some(reader) = chain.reader(id.source) else { continue };
        let is_shown = kind != WhyKind::Test || reader.documents(&[*id])?.iter().any(is_test_code);
        return Ok(is_shown.then_some((kind, id.source)));
    }
    Ok(None)
}

/// Returns true for code of tests. Their data and settings define no names.
fn is_test_code(document: &StoredDocument) -> bool {
    document.category == Category::Test && !document.names.is_empty()
}

/// Adds the commits that cite a ticket or spec, and the documents that it names.
fn follow_document(chain: &mut Chain<'_>, record: &StoredDocument) -> Result<(), EngineError> {
    let Some(id) = record.attributes.id.clone() else { return Ok(()) };
    for commit in citing(chain, &id)? {
        let evidence = format!("cites {id}");
        chain.add_commit(&commit, evidence, WhyCertainty::Certain, None)?;
    }
    let text = match &record.text {
        Some(text) => text.clone(),
        None => chain.config.read_text(&record.path).unwrap_or_default(),
    };
    let mut named: BTreeSet<&str> = crate::query::path_words(&text).collect();
    named.remove(record.path.as_str());
    for path in named.into_iter().take(MAX_CHANGED) {
        let Some((kind, source)) = kind_of(chain, path)? else { continue };
        let title = path.to_owned();
        let evidence = format!("named by {id}");
        let id_of_file = format!("{source}:{path}");
        chain.add(WhyHop {
            path: Some(path.to_owned()),
            ..WhyHop::new(kind, id_of_file, title, evidence, None)
        });
    }
    Ok(())
}

/// Returns the commits whose messages cite an identifier, newest first.
fn citing(chain: &Chain<'_>, id: &str) -> Result<Vec<StoredDocument>, EngineError> {
    let Some(reader) = chain.reader(SourceName::Git) else { return Ok(Vec::new()) };
    let mut parts = words_of(id);
    parts.sort_unstable();
    parts.dedup();
    let mut ids: Vec<DocumentId> = reader
        .holders_of_all(Field::Body, &parts)?
        .into_iter()
        .map(|holder| holder.document)
        .collect();
    ids.sort_unstable();
    ids.dedup();
    let is_number = id.bytes().all(|byte| byte.is_ascii_digit());
    let written = id.to_lowercase();
    let mut found = reader.documents(&ids)?;
    found.retain(|commit| {
        if !is_number {
            return cites(message(commit), &written);
        }
        citations(message(commit)).iter().any(|citation| {
            let number = citation.id.rsplit('-').next().unwrap_or_default();
            citation.cited != Cited::Commit
                && citation.cited != Cited::Ticket
                && number.trim_start_matches('0') == id.trim_start_matches('0')
        })
    });
    found.sort_by(|left, right| {
        let date = |commit: &StoredDocument| commit.attributes.updated;
        date(right).cmp(&date(left)).then(left.key.locator.cmp(&right.key.locator))
    });
    found.truncate(MAX_CITING);
    Ok(found)
}

/// Returns true if a message contains an identifier, in lower case, that is no part of a longer one.
fn cites(message: &str, written: &str) -> bool {
    let message = message.to_lowercase();
    message.match_indices(written).any(|(at, _)| {
        let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
        !message[..at].chars().next_back().is_some_and(is_part)
            && !message[at + written.len()..].chars().next().is_some_and(is_part)
    })
}
