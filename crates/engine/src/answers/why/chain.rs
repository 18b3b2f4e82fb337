//! The hops of a chain, and the records that they lead to.

use std::{
    cell::OnceCell,
    collections::{HashMap, HashSet},
};

use lore_index::{DocumentId, IndexError, Reader, StoredDocument};
use lore_schema::{Document, Field, Filter, SourceName};
use lore_sources::{HeadHistory, SourceError, merged_by, read_documents, repository_names};

use super::citations::{Citation, Cited, citations};
use crate::{
    EngineConfig, WhyCertainty, WhyHop, WhyKind,
    answers::place::head_history,
    commits::{changed, message},
    query::facets,
    search::reverts::{REVERTS, find_reverted, landed_again, reverting},
    sentences::first_sentence,
    state::snapshot::{OpenSource, Snapshot},
};

/// Maximum number of records with one identifier.
const MAX_OF_ID: usize = 8;

/// Maximum number of citations of one record that are followed.
const MAX_CITED: usize = 6;

/// Maximum number of specs that one commit changes.
const MAX_SPECS: usize = 3;

/// Maximum number of merges after a commit that are considered.
const MAX_MERGES: usize = 60;

/// Digits of a hash that commits are stored with.
const HASH_LEN: usize = 10;

/// A chain in the making.
pub(super) struct Chain<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) config: &'a EngineConfig,
    pub(super) hops: Vec<WhyHop>,
    /// Positions of the hops, by identifier; `None` for the subject.
    known: HashMap<String, Option<usize>>,
    /// The names of this repository, in lower case: an address of another one is no citation.
    names: Vec<String>,
    /// The identifiers of the commits whose links were added.
    linked: HashSet<String>,
    /// The history of the tree; read once.
    head: OnceCell<HeadHistory>,
    /// The specs of the tree; read once.
    specs: OnceCell<Vec<Document>>,
    /// The documents of each path, in the order of the sources; listed once.
    paths: OnceCell<HashMap<String, Vec<DocumentId>>>,
}

impl<'a> Chain<'a> {
    pub(super) fn new(snapshot: &'a Snapshot, config: &'a EngineConfig) -> Chain<'a> {
        Chain {
            snapshot,
            config,
            hops: Vec::new(),
            known: HashMap::new(),
            names: repository_names(&config.root),
            linked: HashSet::new(),
            head: OnceCell::new(),
            specs: OnceCell::new(),
            paths: OnceCell::new(),
        }
    }

    /// Returns a source, if the tree has it.
    pub(super) fn source(&self, source: SourceName) -> Option<&'a OpenSource> {
        self.snapshot.sources.iter().find(|open| open.reader.source() == source)
    }

    pub(super) fn reader(&self, source: SourceName) -> Option<&'a dyn Reader> {
        self.source(source).map(|open| open.reader.as_ref())
    }

    /// Returns the order of the commits that lead to the tree.
    pub(super) fn head(&self) -> &HeadHistory {
        self.head.get_or_init(|| head_history(self.config))
    }

    /// Returns the specs of the tree.
    pub(super) fn specs(&self) -> Result<&[Document], SourceError> {
        if let Some(known) = self.specs.get() {
            return Ok(known);
        }
        let is_empty = |reader: &dyn Reader| reader.summary().documents == 0;
        let specs = if self.reader(SourceName::Specs).is_none_or(is_empty) {
            Vec::new()
        } else {
            read_documents(&self.snapshot.tree, SourceName::Specs, &|_| true)?
        };
        Ok(self.specs.get_or_init(|| specs))
    }

    /// Returns the documents at a path, in the order of the sources.
    pub(super) fn at_path(&self, path: &str) -> Result<&[DocumentId], IndexError> {
        if self.paths.get().is_none() {
            let mut paths: HashMap<String, Vec<DocumentId>> = HashMap::new();
            // Commits have no path.
            let in_files =
                self.snapshot.sources.iter().filter(|open| open.reader.source() != SourceName::Git);
            for open in in_files {
                for listed in open.reader.listing(&Filter::default())? {
                    paths.entry(listed.path.to_owned()).or_default().push(listed.id);
                }
            }
            self.paths.get_or_init(|| paths);
        }
        let found = self.paths.get().and_then(|paths| paths.get(path));
        Ok(found.map(Vec::as_slice).unwrap_or_default())
    }

    /// Adds a hop and returns its position; `None` if it leads to the subject. A record that is known keeps
    /// its first place.
    pub(super) fn add(&mut self, hop: WhyHop) -> Option<usize> {
        if let Some(&at) = self.known.get(&hop.id) {
            let at = at?;
            let known = &mut self.hops[at];
            if hop.certainty < known.certainty {
                known.certainty = hop.certainty;
                known.evidence = hop.evidence;
            }
            return Some(at);
        }
        self.known.insert(hop.id.clone(), Some(self.hops.len()));
        self.hops.push(hop);
        Some(self.hops.len() - 1)
    }

    /// Returns true if a record is in the chain.
    pub(super) fn has(&self, id: &str) -> bool {
        self.known.contains_key(id)
    }

    /// Marks a record as known without a hop: the subject itself.
    pub(super) fn mark_subject(&mut self, id: &str) {
        self.known.entry(id.to_owned()).or_insert(None);
    }

    /// Adds a commit, what it cites, and its reverts.
    pub(super) fn add_commit(
        &mut self,
        commit: &StoredDocument,
        evidence: String,
        certainty: WhyCertainty,
        from: Option<usize>,
    ) -> Result<(), IndexError> {
        let hop = commit_hop(commit, evidence, certainty, from);
        let id = hop.id.clone();
        let at = match self.known.get(&id).copied() {
            None => self.add(hop),
            Some(None) => return Ok(()),
            Some(Some(at)) => {
                // It was cited by another commit: its own relation to the subject counts more.
                let known = &mut self.hops[at];
                if from.is_none() && known.from.is_some() {
                    known.evidence = format!("{}; {}", hop.evidence, known.evidence);
                    known.from = None;
                }
                Some(at)
            }
        };
        if self.linked.insert(id) {
            self.add_links(commit, at)?;
        }
        Ok(())
    }

    /// Adds what a commit leads to. `from` is the hop of the commit, `None` if it is the subject.
    pub(super) fn add_links(
        &mut self,
        commit: &StoredDocument,
        from: Option<usize>,
    ) -> Result<(), IndexError> {
        self.add_cited(commit, from)?;
        self.add_request(commit, from)?;
        self.add_reverts(commit, from)?;
        self.add_changed_specs(commit, from)
    }

    /// Adds the specs and decisions that a commit changes.
    fn add_changed_specs(
        &mut self,
        commit: &StoredDocument,
        from: Option<usize>,
    ) -> Result<(), IndexError> {
        let mut count = 0;
        for path in changed(commit) {
            if count == MAX_SPECS {
                break;
            }
            if let Some(document) = self.by_path(SourceName::Specs, path)? {
                count += 1;
                self.add_document(&document, "changed by the same commit".to_owned(), None, from);
            }
        }
        Ok(())
    }

    /// Adds the pull request whose merge contains a commit, unless the commit cites one.
    fn add_request(
        &mut self,
        commit: &StoredDocument,
        from: Option<usize>,
    ) -> Result<(), IndexError> {
        let Some(reader) = self.reader(SourceName::Git) else { return Ok(()) };
        let cites_one = |citation: &Citation| citation.cited == Cited::PullRequest;
        // A squashed pull request ends the subject.
        if citations(&commit.title).iter().any(cites_one) {
            return Ok(());
        }
        let root = &self.config.root;
        let head = self.head();
        let Some(position) = head.position(&commit.key.locator) else { return Ok(()) };
        let hashes = head.merges_after(position, MAX_MERGES);
        let Some(at) = merged_by(root, &commit.key.locator, &hashes) else { return Ok(()) };
        let merge = find_reverted(&hashes[at][..HASH_LEN], reader)?;
        let Some(merge) = merge.iter().find(|merge| merge.key.locator == hashes[at]) else {
            return Ok(());
        };
        let text = message(merge);
        let Some(citation) = citations(text).into_iter().find(cites_one) else { return Ok(()) };
        let short = merge.attributes.id.as_deref().unwrap_or_default();
        let evidence = format!("merged by {short}");
        if let Some((_, ticket)) = self.by_id(SourceName::Tickets, &citation.id)?.first() {
            self.add_document(ticket, evidence, None, from);
            return Ok(());
        }
        // The title of the pull request follows the subject of the merge.
        let title = text.lines().skip(1).map(str::trim).find(|line| !line.is_empty());
        let hop = commit_hop(merge, evidence, WhyCertainty::Certain, from);
        self.add(WhyHop {
            kind: WhyKind::PullRequest,
            id: format!("#{}", citation.id),
            title: title.unwrap_or_default().to_owned(),
            quote: String::new(),
            is_known: false,
            ..hop
        });
        Ok(())
    }

    /// Adds the records that a commit cites. `from` is the hop of the commit, `None` if it is the subject.
    fn add_cited(
        &mut self,
        commit: &StoredDocument,
        from: Option<usize>,
    ) -> Result<(), IndexError> {
        let message = message(commit).to_owned();
        for citation in citations(&message).into_iter().take(MAX_CITED) {
            // The link between a commit and its revert has a hop of its own.
            let is_own = citation.repository.as_ref().is_none_or(|name| self.names.contains(name));
            if is_own && (citation.cited != Cited::Commit || citation.relation != "reverts") {
                self.add_citation(&citation, &message, from)?;
            }
        }
        for path in crate::query::path_words(&message) {
            for source in [SourceName::Specs, SourceName::Docs] {
                if let Some(document) = self.by_path(source, path)? {
                    self.add_document(&document, format!("cites {path}"), None, from);
                }
            }
        }
        Ok(())
    }

    /// Adds the record of a citation. One that is not in the tree is added if its form is unmistakable.
    fn add_citation(
        &mut self,
        citation: &Citation,
        text: &str,
        from: Option<usize>,
    ) -> Result<(), IndexError> {
        let Citation { cited, id, relation, .. } = citation;
        let shown = match cited {
            Cited::Issue | Cited::PullRequest => format!("#{id}"),
            Cited::Commit => id.chars().take(HASH_LEN).collect(),
            Cited::Ticket | Cited::Decision => id.clone(),
        };
        let evidence = format!("{relation} {shown}");
        if *cited == Cited::Commit {
            if let Some(commit) = self.commit(id)? {
                let hop = commit_hop(&commit, evidence, WhyCertainty::Certain, from);
                self.add(hop);
            }
            return Ok(());
        }
        let found = match cited {
            Cited::Decision => self.decision(id)?,
            _ => self.by_id(SourceName::Tickets, id)?,
        };
        if let Some((_, document)) = found.first() {
            self.add_document(document, evidence, None, from);
            return Ok(());
        }
        let kind = match cited {
            Cited::PullRequest => WhyKind::PullRequest,
            Cited::Issue => WhyKind::Ticket,
            // A word of this form may be anything, unless it begins the subject.
            Cited::Ticket if text.trim_start_matches(['[', '(']).starts_with(id.as_str()) => {
                WhyKind::Ticket
            }
            Cited::Ticket | Cited::Decision | Cited::Commit => return Ok(()),
        };
        self.add(WhyHop {
            is_known: false,
            ..WhyHop::new(kind, shown, String::new(), evidence, from)
        });
        Ok(())
    }

    /// Adds the commits that a commit reverts, that revert it, and that make the same change again.
    fn add_reverts(
        &mut self,
        commit: &StoredDocument,
        from: Option<usize>,
    ) -> Result<(), IndexError> {
        let Some(reader) = self.reader(SourceName::Git) else { return Ok(()) };
        let reverts = commit.attributes.extra.iter().find(|(name, _)| name == REVERTS);
        if let Some((_, target)) = reverts
            && let Some(reverted) = find_reverted(target, reader)?
                .into_iter()
                .find(|other| other.key.locator != commit.key.locator)
        {
            let hop = commit_hop(&reverted, "reverts it".to_owned(), WhyCertainty::Certain, from);
            self.add(hop);
        }
        for revert in reverting(&commit.key.locator, &commit.title, reader)? {
            let evidence = "reverted by it".to_owned();
            let at = self.add(commit_hop(&revert, evidence, WhyCertainty::Certain, from));
            for again in landed_again(commit, &revert, reader)? {
                let evidence = "makes the reverted change again".to_owned();
                self.add(commit_hop(&again, evidence, WhyCertainty::Likely, at));
            }
        }
        Ok(())
    }

    /// Adds a document: a spec, a decision, a page or a ticket.
    pub(super) fn add_document(
        &mut self,
        document: &StoredDocument,
        evidence: String,
        quote: Option<String>,
        from: Option<usize>,
    ) -> Option<usize> {
        let mut hop = document_hop(document, evidence, from);
        if let Some(quote) = quote {
            hop.quote = quote;
        }
        self.add(hop)
    }

    /// Returns the documents of a source with an identifier.
    pub(super) fn by_id(
        &self,
        source: SourceName,
        id: &str,
    ) -> Result<Vec<(DocumentId, StoredDocument)>, IndexError> {
        let Some(reader) = self.reader(source) else { return Ok(Vec::new()) };
        let term = facets::value_term("id", id);
        let holders = reader.holders(Field::Facets, &term, MAX_OF_ID)?;
        let ids: Vec<DocumentId> = holders.iter().map(|holder| holder.document).collect();
        Ok(ids.iter().copied().zip(reader.documents(&ids)?).collect())
    }

    /// Returns the decisions with a number: `ADR-7` is also `7` and `0007`.
    fn decision(&self, id: &str) -> Result<Vec<(DocumentId, StoredDocument)>, IndexError> {
        let number = id.rsplit_once('-').map_or(id, |(_, number)| number);
        let short = number.trim_start_matches('0');
        let forms = [id.to_owned(), number.to_owned(), short.to_owned(), format!("{short:0>4}")];
        for form in forms {
            let mut found = self.by_id(SourceName::Specs, &form)?;
            found.retain(|(_, document)| is_decision(document));
            if !found.is_empty() {
                return Ok(found);
            }
        }
        Ok(Vec::new())
    }

    /// Returns the document of a source at a path.
    fn by_path(
        &self,
        source: SourceName,
        path: &str,
    ) -> Result<Option<StoredDocument>, IndexError> {
        let Some(reader) = self.reader(source) else { return Ok(None) };
        let id = self.at_path(path)?.iter().find(|id| id.source == source);
        Ok(id
            .map(|id| reader.documents(&[*id]))
            .transpose()?
            .and_then(|all| all.into_iter().next()))
    }

    /// Returns the commit whose hash begins with these digits; `None` if there are several.
    pub(super) fn commit(&self, hash: &str) -> Result<Option<StoredDocument>, IndexError> {
        let Some(reader) = self.reader(SourceName::Git) else { return Ok(None) };
        let short: String = hash.chars().take(HASH_LEN).collect();
        let mut found = find_reverted(&short, reader)?;
        found.retain(|commit| commit.key.locator.starts_with(hash));
        Ok(found.into_iter().next())
    }
}

/// Returns true for a decision record.
pub(super) fn is_decision(document: &StoredDocument) -> bool {
    document.kind == "decision" || document.format.contains("adr")
}

/// Returns a commit as a hop. The quote is the first sentence of its message after the subject.
pub(super) fn commit_hop(
    commit: &StoredDocument,
    evidence: String,
    certainty: WhyCertainty,
    from: Option<usize>,
) -> WhyHop {
    let attributes = &commit.attributes;
    let body = message(commit).split_once("\n\n").map_or("", |(_, body)| body);
    let id = format!("git:{}", attributes.id.as_deref().unwrap_or(&commit.key.locator));
    WhyHop {
        date: attributes.updated,
        author: attributes.author.clone(),
        quote: first_sentence(body),
        certainty,
        ..WhyHop::new(WhyKind::Commit, id, commit.title.clone(), evidence, from)
    }
}

fn document_hop(document: &StoredDocument, evidence: String, from: Option<usize>) -> WhyHop {
    let attributes = &document.attributes;
    let kind = match document.key.source {
        SourceName::Git => WhyKind::Commit,
        SourceName::Tickets if is_request(document) => WhyKind::PullRequest,
        SourceName::Tickets => WhyKind::Ticket,
        _ if is_decision(document) => WhyKind::Decision,
        SourceName::Specs => WhyKind::Spec,
        SourceName::Code | SourceName::Docs | SourceName::Patterns => WhyKind::Page,
    };
    let title = match &attributes.id {
        Some(id) if kind == WhyKind::Ticket && !document.title.contains(id.as_str()) => {
            format!("{id}: {}", document.title)
        }
        _ => document.title.clone(),
    };
    WhyHop {
        path: (!document.path.is_empty()).then(|| document.path.clone()),
        date: attributes.updated.or(attributes.created),
        author: attributes.author.clone(),
        status: attributes.status.clone(),
        quote: attributes.description.as_deref().map(first_sentence).unwrap_or_default(),
        ..WhyHop::new(kind, document.key.to_string(), title, evidence, from)
    }
}

/// Returns true for a pull or merge request among the tickets.
fn is_request(document: &StoredDocument) -> bool {
    let kind = facets::normal(&document.kind);
    kind.contains("pull-request")
        || kind.contains("merge-request")
        || document.attributes.extra.iter().any(|(name, value)| {
            matches!(facets::canonical(name).as_str(), "kind" | "type")
                && facets::normal(value).contains("request")
        })
}
