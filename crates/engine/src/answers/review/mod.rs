//! Reviews of changes: the specs that govern the files, uses of changed signatures, statements in documents
//! that are no longer true, tests of the changed definitions, files that usually change together with
//! these, and earlier reverts in the same lines.

mod co_change;
mod definitions;
mod documents;
mod mentions;
mod related;
mod reverts;
mod specs;
mod users;

use std::{collections::HashMap, ops::Range, time::Instant};

use lore_schema::Filter;
use lore_sources::{ChangedText, NewState, Revision, changed_texts, head_commit, patched_texts};

use self::{
    definitions::InTree,
    related::{Related, Signal, add_paired},
};
use crate::{
    Clock, DriftRequest, Engine, EngineConfig, EngineError, IndexMode, Progress, ReviewFinding,
    ReviewKind, ReviewRequest, ReviewResponse, ReviewedChange, ReviewedDefinition, ReviewedFile,
    WhyCertainty,
    graph::id_in,
    sentences::shortened,
    state::{file_commits::FileCommits, refresh, revision, snapshot::Snapshot},
};

/// Minimum confidence of a co-change that is a finding.
const MIN_CONFIDENCE: f64 = 0.25;

/// Name of the commit that is checked out.
const HEAD: &str = "HEAD";

/// Warning for a patch that is not applied.
const NOT_APPLIED: &str = "the patch is not applied: documents were not checked";

impl Engine {
    /// Reviews a change, on the tree as it is now or as it is in the newer commit.
    ///
    /// # Errors
    /// Outside git, when a commit does not exist, and when the tree cannot be read.
    pub fn review(
        &self,
        request: &ReviewRequest,
        clock: Clock,
        progress: &dyn Progress,
    ) -> Result<ReviewResponse, EngineError> {
        self.check_clone("a review")?;
        let started = Instant::now();
        let find = |name: &str| revision::find(&self.config.root, name, clock);
        let mut response = match &request.change {
            ReviewedChange::Uncommitted => {
                let old = find(HEAD)?;
                self.review_state(request, &old, None, clock, progress)?
            }
            ReviewedChange::Staged => {
                let old = find(HEAD)?;
                self.review_state(request, &old, Some(&NewState::Staged), clock, progress)?
            }
            ReviewedChange::Between { old, new, is_from_common } => {
                let (mut older, newer) = (find(old)?, find(new)?);
                if *is_from_common {
                    older = older.common_with(&newer, &self.config.root)?.ok_or_else(|| {
                        EngineError::Revision {
                            name: old.clone(),
                            reason: format!("no commit leads to it and to `{new}`"),
                            nearest: Box::default(),
                        }
                    })?;
                }
                let state = NewState::Commit(newer);
                self.at(new, clock)?.review_state(request, &older, Some(&state), clock, progress)?
            }
            ReviewedChange::Patch(patch) => self.review_patch(request, patch, clock, progress)?,
        };
        response.receipt.elapsed_ms = started.elapsed().as_secs_f64() * 1e3;
        Ok(response)
    }

    /// Reviews the difference between a commit and another state; without a state, the files on disk.
    fn review_state(
        &self,
        request: &ReviewRequest,
        old: &Revision,
        new: Option<&NewState>,
        clock: Clock,
        progress: &dyn Progress,
    ) -> Result<ReviewResponse, EngineError> {
        let mut response = self.recover(|config| {
            let snapshot = refresh::take(config, &[], IndexMode::Update, progress)?;
            let state = new.cloned().unwrap_or_else(|| NewState::Disk {
                listed: snapshot.tree.entries().iter().map(|entry| entry.path.clone()).collect(),
            });
            let changes =
                changed_texts(&config.root, Some(old), &state, config.secrets, usize::MAX)?;
            let in_tree = match state {
                NewState::Disk { .. } | NewState::Commit(_) => InTree::New,
                NewState::Staged => InTree::Neither,
            };
            review(config, &snapshot, &changes, in_tree)
        })?;
        self.add_documents(&mut response, request, old.commit(), clock)?;
        Ok(within(response, request.limit))
    }

    /// Reviews a patch. Statements in documents are checked only if it is applied.
    fn review_patch(
        &self,
        request: &ReviewRequest,
        patch: &str,
        clock: Clock,
        progress: &dyn Progress,
    ) -> Result<ReviewResponse, EngineError> {
        let patched = patched_texts(&self.config.root, patch, self.config.secrets)?;
        let mut response = self.recover(|config| {
            let snapshot = refresh::take(config, &[], IndexMode::Update, progress)?;
            let in_tree = if patched.is_applied { InTree::New } else { InTree::Old };
            review(config, &snapshot, &patched.texts, in_tree)
        })?;
        match head_commit(&self.config.root) {
            Some(head) if patched.is_applied => {
                self.add_documents(&mut response, request, head, clock)?;
            }
            _ => response.warnings.push(NOT_APPLIED.to_owned()),
        }
        Ok(within(response, request.limit))
    }

    /// Adds the statements in documents that are untrue since a commit.
    fn add_documents(
        &self,
        response: &mut ReviewResponse,
        request: &ReviewRequest,
        since: String,
        clock: Clock,
    ) -> Result<(), EngineError> {
        let drift = DriftRequest {
            paths: Vec::new(),
            since: Some(since),
            kinds: Vec::new(),
            time: request.time,
        };
        let drift = self.drift(&drift, clock)?;
        response.findings.extend(drift.findings.iter().map(documents::finding));
        Ok(())
    }
}

/// Finds everything but statements in documents.
fn review(
    config: &EngineConfig,
    snapshot: &Snapshot,
    changes: &[ChangedText],
    in_tree: InTree,
) -> Result<ReviewResponse, EngineError> {
    let context = ReviewContext::new(snapshot, config, changes);
    let graph = snapshot.graph();
    let mut related = Related::default();
    let mut files = Vec::new();
    let mut findings = Vec::new();
    let listing = graph.listing(&Filter::default())?;
    let mut definitions: Vec<Vec<ReviewedDefinition>> = Vec::new();
    for change in changes {
        let path = match in_tree {
            InTree::Old => change.old_path.as_ref().unwrap_or(&change.path),
            InTree::New | InTree::Neither => &change.path,
        };
        let file = id_in(&listing, path).map(|id| graph.file(id)).transpose()?;
        let indexed = (in_tree, file.as_deref().map(|file| &file.outline));
        definitions.push(definitions::changed_definitions(change, indexed, config));
    }
    definitions::mark_moved(&mut definitions);
    let mut commits = FileCommits::of(snapshot);
    for (change, definitions) in changes.iter().zip(definitions) {
        findings.extend(users::users_of(
            &context,
            &graph,
            &change.path,
            &definitions,
            &mut related,
        )?);
        if let Some(commits) = &mut commits {
            findings.extend(reverts::reverts_in(&context, commits, change)?);
        }
        files.push(ReviewedFile {
            path: change.path.clone(),
            old_path: change.old_path.clone(),
            added: change.added(),
            removed: change.removed(),
            definitions,
        });
    }
    findings.extend(specs::governing(&context, &files)?);
    let paths: Vec<String> = changes.iter().map(|change| change.path.clone()).collect();
    let tests = add_paired(&context, &paths, &mut related)?;
    mentions::add_mentions(&context, changes, &mut related)?;
    let before: Vec<String> = changes
        .iter()
        .map(|change| change.old_path.clone().unwrap_or_else(|| change.path.clone()))
        .collect();
    let together = match &mut commits {
        Some(commits) => co_change::co_changes(snapshot, commits, &before)?,
        None => Vec::new(),
    };
    for found in together {
        let evidence = found.evidence();
        related.add(&found.path, Signal::Alike, found.alike, evidence.clone());
        if found.confidence < MIN_CONFIDENCE {
            continue;
        }
        findings.push(ReviewFinding {
            support: Some((found.support, found.total)),
            kind: ReviewKind::CoChange,
            name: found.path.clone(),
            path: Some(found.path),
            line: None,
            subject: found.with,
            evidence,
            quote: String::new(),
            certainty: if found.confidence < 0.5 {
                WhyCertainty::Possible
            } else {
                WhyCertainty::Likely
            },
        });
    }
    let shown = findings.len() as u64;
    let receipt = snapshot.receipt(config, shown, shown, shown);
    Ok(ReviewResponse {
        files,
        findings,
        related: related.best(&tests, changes.len()),
        omitted: 0,
        receipt,
        warnings: snapshot.warnings.clone(),
    })
}

/// The state that is reviewed.
struct ReviewContext<'a> {
    snapshot: &'a Snapshot,
    config: &'a EngineConfig,
    /// The changed lines of the new texts, by path.
    lines: HashMap<&'a str, Vec<&'a Range<usize>>>,
}

impl<'a> ReviewContext<'a> {
    fn new(
        snapshot: &'a Snapshot,
        config: &'a EngineConfig,
        changes: &'a [ChangedText],
    ) -> ReviewContext<'a> {
        let lines = changes.iter().map(|change| {
            (change.path.as_str(), change.hunks.iter().map(|(_, new)| new).collect())
        });
        ReviewContext { snapshot, config, lines: lines.collect() }
    }

    /// Returns true if the change contains a file.
    fn has_file(&self, path: &str) -> bool {
        self.lines.contains_key(path)
    }

    /// Returns true if the change contains a 1-based line.
    fn has_line(&self, path: &str, line: u32) -> bool {
        let line = line as usize - 1;
        self.lines.get(path).is_some_and(|hunks| hunks.iter().any(|hunk| hunk.contains(&line)))
    }

    /// The text of a 1-based line, for a quote.
    fn line_of(&self, path: &str, line: u32) -> String {
        let Ok(text) = self.config.read_text(path) else { return String::new() };
        text.lines().nth(line as usize - 1).map(|line| shortened(line.trim())).unwrap_or_default()
    }
}

/// Keeps as many findings of each kind as requested, in the order of the kinds.
fn within(mut response: ReviewResponse, limit: usize) -> ReviewResponse {
    let total = response.findings.len();
    let mut kept = Vec::new();
    for kind in ReviewKind::ALL {
        let mut of_kind: Vec<&ReviewFinding> =
            response.findings.iter().filter(|finding| finding.kind == *kind).collect();
        // Co-changes are sorted by confidence.
        if *kind != ReviewKind::CoChange {
            of_kind.sort_by(|left, right| {
                (left.certainty, &left.path, left.line).cmp(&(
                    right.certainty,
                    &right.path,
                    right.line,
                ))
            });
        }
        kept.extend(of_kind.into_iter().take(limit).cloned());
    }
    response.omitted = total - kept.len();
    response.findings = kept;
    response
}
