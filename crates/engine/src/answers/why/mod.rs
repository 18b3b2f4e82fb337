//! The reasons of a place: the commits that wrote and changed its lines, what they cite, the specs that
//! govern the file, the documents that name the definition, and the tests that cover it.
//!
//! Everything comes from the index and the history; nothing is inferred by a model.

mod chain;
mod citations;
mod mentions;
mod records;
mod tests_of;

use std::time::Instant;

use lore_schema::{SourceName, Symbol};

use self::{chain::Chain, mentions::Wanted};
use super::{
    owners,
    place::{history, passage},
    similar::Passage,
};
use crate::{
    Engine, EngineConfig, EngineError, IndexMode, PlaceChange, Progress, Subject, WhyCertainty,
    WhyHop, WhyKind, WhyRequest, WhyResponse, sentences::first_sentence, state::refresh,
};

/// Maximum number of commits of the lines that become hops: the newest ones and the first.
const MAX_CHANGES: usize = 5;

/// Maximum number of commits that are read to find the first one.
const MAX_READ: usize = 40;

/// File with commits that history ignores, as `git blame --ignore-revs-file` reads it.
const IGNORED: &str = ".git-blame-ignore-revs";

impl Engine {
    /// Finds why a place is as it is, on the tree as it is now.
    ///
    /// # Errors
    /// [`EngineError::EmptyQuery`] when the target is blank, [`EngineError::Subject`] when it does not
    /// exist.
    pub fn why(
        &self,
        request: &WhyRequest,
        progress: &dyn Progress,
    ) -> Result<WhyResponse, EngineError> {
        self.check_clone("`why`")?;
        let started = Instant::now();
        let mut response = self.recover(|config| why(config, request, progress))?;
        response.receipt.elapsed_ms = started.elapsed().as_secs_f64() * 1e3;
        Ok(response)
    }
}

fn why(
    config: &EngineConfig,
    request: &WhyRequest,
    progress: &dyn Progress,
) -> Result<WhyResponse, EngineError> {
    let target = request.target.trim();
    if target.is_empty() {
        return Err(EngineError::EmptyQuery);
    }
    let snapshot = refresh::take(config, &[], IndexMode::Update, progress)?;
    let mut chain = Chain::new(&snapshot, config);
    let record = records::find(&chain, target)?;
    let (subject, others, has_older_changes) = if let Some(record) = record {
        (records::follow(&mut chain, &record)?, Vec::new(), false)
    } else {
        let (passage, others) = passage(target, &snapshot, config)?;
        let has_older = of_passage(&mut chain, target, &passage)?;
        (passage.subject, others, has_older)
    };
    let (hops, omitted) = within(&chain.hops, request.limit);
    let shown = hops.len() as u64;
    let receipt = snapshot.receipt(config, shown + omitted as u64, shown, shown);
    Ok(WhyResponse {
        subject,
        others,
        hops,
        omitted,
        has_older_changes,
        receipt,
        warnings: snapshot.warnings,
    })
}

/// Adds the hops of a passage. Returns true if there may be older changes of its lines.
fn of_passage(chain: &mut Chain<'_>, target: &str, passage: &Passage) -> Result<bool, EngineError> {
    let subject = &passage.subject;
    chain.mark_subject(&subject.id);
    let Some(path) = &subject.path else { return Ok(false) };
    chain.mark_subject(&format!("{}:{path}", subject.source));
    let mut has_older = false;
    if let Some((first, last)) = typed_lines(target).or(passage.lines) {
        has_older = add_history(chain, path, first as usize - 1..last as usize)?;
    }
    add_governing(chain, path, passage.symbol.as_ref())?;
    let name = passage.symbol.as_ref().map_or("", |symbol| symbol.name.as_str());
    let container = passage.symbol.as_ref().and_then(|symbol| symbol.container.as_deref());
    let graph = chain.snapshot.graph();
    let namesakes = if name.is_empty() { 0 } else { graph.definitions(name)?.len() };
    let wanted = Wanted { name, container, path, namesakes };
    mentions::add_mentions(chain, &wanted, None)?;
    tests_of::add_tests(chain, &graph, path, passage.symbol.as_ref())?;
    Ok(has_older)
}

/// Returns the lines at the end of a target: `src/a.rs:10`, `src/a.rs:10-20`.
fn typed_lines(target: &str) -> Option<(u32, u32)> {
    let (_, numbers) = target.rsplit_once(':')?;
    let number = |text: &str| text.strip_prefix('L').unwrap_or(text).parse::<u32>().ok();
    let (first, last) = match numbers.split_once('-') {
        Some((first, last)) => (number(first)?, number(last)?),
        None => (number(numbers)?, number(numbers)?),
    };
    (0 < first && first <= last).then_some((first, last))
}

/// Adds the commits that wrote and changed lines, with what they cite.
fn add_history(
    chain: &mut Chain<'_>,
    path: &str,
    lines: std::ops::Range<usize>,
) -> Result<bool, EngineError> {
    let ignored = ignored(chain.config);
    let (changes, has_older) = history(
        path,
        lines.clone(),
        MAX_READ,
        &ignored,
        chain.head(),
        chain.snapshot,
        chain.config,
    )?;
    let shown = chosen_changes(&changes);
    let total = lines.len();
    for at in shown {
        let change = &changes[at];
        let Some(commit) = chain.commit(&change.hash)? else { continue };
        let evidence = evidence(change, at == 0, total);
        chain.add_commit(&commit, evidence, WhyCertainty::Certain, None)?;
    }
    Ok(has_older)
}

/// Returns the positions of the newest change, the oldest, and the largest between them, newest first.
fn chosen_changes(changes: &[PlaceChange]) -> Vec<usize> {
    let last = changes.len().saturating_sub(1);
    let mut between: Vec<usize> = (1..last).collect();
    between.sort_by_key(|at| (std::cmp::Reverse(changes[*at].size), *at));
    between.truncate(MAX_CHANGES - 2);
    let mut shown: Vec<usize> = (0..changes.len().min(1)).chain(between).collect();
    shown.extend((0 < last).then_some(last));
    shown.sort_unstable();
    shown
}

fn evidence(change: &PlaceChange, is_newest: bool, total: usize) -> String {
    let verb = match (change.is_origin, is_newest, &change.renamed_from) {
        (true, ..) => "wrote these lines",
        (_, _, Some(_)) => "moved these lines",
        (_, true, _) => "last changed these lines",
        _ => "changed these lines",
    };
    if let Some(from) = &change.renamed_from {
        return format!("{verb} from {from}");
    }
    if change.is_origin || total < 2 || change.size == 0 || total <= change.size {
        return verb.to_owned();
    }
    format!("{verb}: {} of {total}", change.size)
}

/// Returns the hashes of the commits that the tree's file of ignored commits lists.
fn ignored(config: &EngineConfig) -> Vec<String> {
    let Ok(text) = config.read_text(IGNORED) else { return Vec::new() };
    let words = text.lines().filter_map(|line| line.split('#').next()?.split_whitespace().next());
    let is_hash = |word: &&str| word.len() >= 7 && word.bytes().all(|b| b.is_ascii_hexdigit());
    words.filter(is_hash).map(str::to_lowercase).collect()
}

/// Adds the specs that govern a file.
fn add_governing(
    chain: &mut Chain<'_>,
    path: &str,
    symbol: Option<&Symbol>,
) -> Result<(), EngineError> {
    let specs = chain.specs()?;
    let mut hops = Vec::new();
    for owner in owners::owners(specs, path).governing {
        let names_part = |name: &str| {
            owner.selectors.iter().any(|part| part == name || part.ends_with(&format!(".{name}")))
        };
        // A spec of other parts of the file does not govern this one.
        if !owner.selectors.is_empty() && !symbol.is_some_and(|symbol| names_part(&symbol.name)) {
            continue;
        }
        let Some(spec) = specs.iter().find(|spec| spec.path == owner.path) else { continue };
        let kind = if spec.kind == "decision" { WhyKind::Decision } else { WhyKind::Spec };
        let evidence = format!("governs by {}", owner.claim);
        let attributes = &spec.attributes;
        hops.push(WhyHop {
            path: Some(owner.path.clone()),
            date: attributes.updated.or(attributes.created),
            author: attributes.author.clone(),
            status: attributes.status.clone(),
            quote: first_sentence(&owner.description),
            ..WhyHop::new(kind, spec.key.to_string(), owner.title, evidence, None)
        });
    }
    for hop in hops {
        chain.add(hop);
    }
    Ok(())
}

/// Keeps as many hops as requested, those of each kind in turn, each after the one it follows from.
/// Returns them with the number of the others.
fn within(hops: &[WhyHop], limit: usize) -> (Vec<WhyHop>, usize) {
    // Position among the hops of its kind: the third test is less important than the first spec.
    let mut counts = std::collections::BTreeMap::new();
    let mut order: Vec<(usize, usize)> = Vec::new();
    for (at, hop) in hops.iter().enumerate() {
        let count = counts.entry(hop.kind).or_insert(0_usize);
        order.push((*count, at));
        *count += 1;
    }
    order.sort_unstable();
    let mut is_kept = vec![false; hops.len()];
    let mut left = limit;
    for (_, at) in order {
        // A hop is kept with those that lead to it.
        let chain: Vec<usize> = std::iter::successors(Some(at), |at| hops[*at].from).collect();
        let new: Vec<usize> = chain.into_iter().filter(|at| !is_kept[*at]).collect();
        if new.len() <= left {
            left -= new.len();
            for at in new {
                is_kept[at] = true;
            }
        }
    }
    // A hop comes after the one that it follows from, before the next of the subject's.
    let mut sorted: Vec<usize> = Vec::new();
    for at in (0..hops.len()).filter(|at| is_kept[*at] && hops[*at].from.is_none()) {
        add_with_followers(hops, &is_kept, at, &mut sorted);
    }
    let mut places = vec![0; hops.len()];
    sorted.iter().enumerate().for_each(|(place, at)| places[*at] = place);
    let omitted = hops.len() - sorted.len();
    let kept = sorted.iter().map(|at| {
        let from = hops[*at].from.map(|from| places[from]);
        WhyHop { from, ..hops[*at].clone() }
    });
    (kept.collect(), omitted)
}

fn add_with_followers(hops: &[WhyHop], is_kept: &[bool], at: usize, sorted: &mut Vec<usize>) {
    sorted.push(at);
    for next in (0..hops.len()).filter(|next| is_kept[*next] && hops[*next].from == Some(at)) {
        add_with_followers(hops, is_kept, next, sorted);
    }
}

/// The subject of a record.
fn subject_of(document: &lore_index::StoredDocument) -> Subject {
    Subject {
        id: match (&document.attributes.id, document.key.source) {
            (Some(hash), SourceName::Git) => format!("git:{hash}"),
            _ => document.key.to_string(),
        },
        source: document.key.source,
        kind: document.kind.clone(),
        title: document.title.clone(),
        path: (!document.path.is_empty()).then(|| document.path.clone()),
        start_line: None,
        end_line: None,
    }
}
