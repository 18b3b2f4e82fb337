//! Assembles the package of a task from one snapshot of the tree.

use std::{
    collections::{HashMap, HashSet},
    mem,
};

use lore_index::Reader;
use lore_schema::{Category, Document, Filter, SourceName};

use super::{
    ContextPackage, ContextRequest, ContextTicket, Intent, IntentOrigin, Policy, classify,
    policy::{MAX_LEVEL, policy_of},
    section::{ContextItem, ContextSection, SectionName, shared},
    ticket,
    tickets::{TicketReference, Tickets},
    tree, usual,
    words::subject,
};
use crate::{
    Absence, EngineConfig, EngineError, Hit, IndexMode, Progress, Receipt, SearchRequest, Syntax,
    answers::follow_ups::FollowUpCache,
    query::is_prose,
    search::search_in,
    state::{refresh, snapshot::Snapshot},
};

/// Maximum number of files for which specs, tests, commits and the tree are included.
const MAX_FILES: usize = 8;

/// Maximum length of a passage, in lines.
const PASSAGE: usize = 20;

/// Number of words of a ticket's description that are searched for in addition to its title.
const DESCRIBED: usize = 30;

/// Share of the best hit's score that another hit needs to be included.
const NEAR_THE_BEST: f32 = 0.5;

/// Minimum score of code and patterns.
const MIN_SCORE: f32 = 0.3;

/// Minimum score of a document, spec or ticket. A page that mentions in passing, in other word
/// forms, the content of a ticket of two sentences scores 0.27.
const MIN_OF_PROSE: f32 = 0.25;

/// Assembles the package of a task.
pub(crate) fn context(
    config: &EngineConfig,
    request: &ContextRequest,
    progress: &dyn Progress,
    follow_ups: &FollowUpCache,
) -> Result<ContextPackage, EngineError> {
    if request.task.trim().is_empty() {
        return Err(EngineError::EmptyQuery);
    }
    let snapshot = refresh::take(config, &[], IndexMode::Update, progress)?;
    let tickets = Tickets::read(&snapshot.tree)?;
    let mut builder = PackageBuilder { config, snapshot, follow_ups, warnings: Vec::new() };
    builder.warnings.append(&mut builder.snapshot.warnings);
    if tickets.has_none_for(&request.task) {
        let task = request.task.trim();
        builder.warnings.push(format!("this tree has no tickets: `{task}` is read as words"));
    }
    let ticket = match tickets.referenced(&request.task) {
        TicketReference::Ticket(ticket) => Some(ticket),
        TicketReference::Unknown(nearest) => return Ok(builder.unknown_ticket(request, nearest)),
        TicketReference::Words => None,
    };
    let (intent, intent_origin) = intent_of(request, ticket);
    let policy = policy_of(&request.policies, intent.name);
    let level = request.level.unwrap_or(policy.context_level).min(MAX_LEVEL);
    let task = Task {
        query: query_of(request, ticket, &tickets),
        title: subject(ticket.map_or(&request.task, |ticket| &ticket.title)).to_owned(),
        component: ticket.and_then(|ticket| tickets.component(ticket)),
        ticket,
        level,
        intent: intent.name,
        policy: policy.clone(),
    };
    let sections = builder.sections(&task, &tickets, &request.files)?;
    let (receipt, absence) = builder.receipt(&task, sections.is_empty())?;
    Ok(ContextPackage {
        task: request.task.clone(),
        ticket: ticket.map(|ticket| ContextTicket {
            id: ticket.attributes.id.clone().unwrap_or_default(),
            title: ticket.title.clone(),
            component: task.component.clone(),
        }),
        intent,
        intent_origin,
        policy,
        level,
        sections,
        receipt,
        absence,
        warnings: builder.warnings,
    })
}

/// Returns the intent and its origin: the request, the words of the task, or the type of its
/// ticket.
fn intent_of(request: &ContextRequest, ticket: Option<&Document>) -> (Intent, IntentOrigin) {
    if let Some(name) = &request.intent {
        let name = policy_of(&request.policies, name).intent;
        return (Intent { name, confidence: 1.0, triggers: Vec::new() }, IntentOrigin::Request);
    }
    let is_id_alone = !request.task.trim().contains(char::is_whitespace);
    let text = match ticket {
        Some(ticket) if is_id_alone => &ticket.title,
        _ => &request.task,
    };
    let intent = classify(text, request.min_confidence);
    if intent.confidence <= 0.0
        && let Some(name) = ticket.and_then(ticket::intent_of_type)
    {
        let intent = Intent { name, confidence: 1.0, triggers: Vec::new() };
        return (intent, IntentOrigin::TicketType);
    }
    (intent, IntentOrigin::Words)
}

/// Returns the query: the words of the task, or the title of the ticket and the beginning of its
/// description.
fn query_of(request: &ContextRequest, ticket: Option<&Document>, tickets: &Tickets) -> String {
    let Some(ticket) = ticket else { return subject(&request.task).to_owned() };
    let task = request.task.trim();
    let mut query = subject(&ticket.title).to_owned();
    if task.contains(char::is_whitespace) {
        let words = task.split_whitespace().filter(|word| tickets.find(word).is_none());
        query = format!("{} {query}", words.collect::<Vec<_>>().join(" "));
    }
    if let Some(description) = &ticket.attributes.description {
        for word in description.split_whitespace().take(DESCRIBED) {
            query.push(' ');
            query.push_str(word);
        }
    }
    query
}

/// The task that a package is assembled for.
pub(super) struct Task<'a> {
    /// The query.
    pub(super) query: String,
    /// Short form of the query.
    pub(super) title: String,
    pub(super) component: Option<String>,
    pub(super) ticket: Option<&'a Document>,
    pub(super) level: u8,
    pub(super) intent: &'static str,
    pub(super) policy: Policy,
}

/// One snapshot of the tree, with the data loaded so far.
pub(super) struct PackageBuilder<'a> {
    config: &'a EngineConfig,
    pub(super) snapshot: Snapshot,
    follow_ups: &'a FollowUpCache,
    warnings: Vec<String>,
}

impl PackageBuilder<'_> {
    /// Returns the non-empty sections of the package.
    fn sections(
        &mut self,
        task: &Task<'_>,
        tickets: &Tickets,
        typed: &[String],
    ) -> Result<Vec<ContextSection>, EngineError> {
        let limit = task.policy.max_symbols.max(MAX_FILES);
        // Examples have a section of their own.
        let of_code = |filter: &mut Filter| filter.without = vec![Category::Example];
        let hits = self.ask(SourceName::Code, &task.query, limit, of_code)?;
        let mut files: Vec<String> = typed.to_vec();
        let named = match task.ticket {
            Some(ticket) => ticket::named_files(ticket, &self.snapshot.tree),
            None => Vec::new(),
        };
        let sources = self.sources_of_paths()?;
        let is_code = |path: &String| sources.get(path) == Some(&SourceName::Code);
        files.extend(named.iter().filter(|path| is_code(path)).cloned());
        let typed: Vec<String> = files.clone();
        let best = hits.iter().map(|hit| hit.score).fold(0.0, f32::max);
        let own = hits.iter().filter(|hit| {
            hit.category == Category::Own.as_str() && hit.score >= best * NEAR_THE_BEST
        });
        files.extend(own.filter_map(|hit| hit.path.clone()));
        dedup(&mut files);
        files.truncate(MAX_FILES.max(typed.len()));

        let mut sections = Vec::new();
        if let Some(ticket) = task.ticket {
            let whole = ticket::whole(ticket);
            sections.push(ContextSection::new(SectionName::Ticket, vec![whole]));
        }
        if task.level > 0 {
            if let Some(ticket) = task.ticket {
                let linked = ticket::linked(tickets, ticket);
                sections.push(ContextSection::new(SectionName::LinkedTickets, linked));
            }
            let named: Vec<&String> = named.iter().filter(|path| !is_code(path)).collect();
            sections.extend(self.texts(task, tickets, &files, &named)?);
            sections.extend(self.code(task, &hits, &typed, &files)?);
            if let Some(ticket) = task.ticket {
                self.add_relatives(tickets, ticket, &mut sections)?;
            }
        }
        if task.level == 0 || task.policy.include_file_tree {
            let entries = self.snapshot.tree.entries().iter().map(|entry| entry.path.as_str());
            let all = task.level == 0;
            if !files.is_empty() {
                let folders = tree::folders(&files, entries, all);
                sections.push(ContextSection::new(SectionName::Tree, folders));
            }
        }
        // A ticket by itself is useful; a tree without anything else is not.
        Ok(shared(sections, task.policy.budget_fraction, task.intent))
    }

    /// Adds the files that commits of the ticket's relatives change, without those of the definitions,
    /// and the commits of linked tickets.
    fn add_relatives(
        &self,
        tickets: &Tickets,
        ticket: &Document,
        sections: &mut Vec<ContextSection>,
    ) -> Result<(), EngineError> {
        let (Some(code), Some(git)) = (self.reader(SourceName::Code), self.reader(SourceName::Git))
        else {
            return Ok(());
        };
        let filter = Filter { categories: vec![Category::Own], ..Filter::default() };
        let own = code.listing(&filter)?;
        let own: HashSet<&str> = own.iter().map(|listed| listed.path).collect();
        let symbols = sections.iter().filter(|section| section.name == SectionName::Symbols);
        let items = symbols.flat_map(|section| &section.items);
        let known: HashSet<&str> = items.filter_map(|item| item.path.as_deref()).collect();
        let is_shown = |path: &str| own.contains(path) && !known.contains(path);
        let found = usual::relatives(git, tickets, ticket, is_shown)?;
        let commits = sections.iter_mut().find(|section| section.name == SectionName::Commits);
        if let Some(commits) = commits {
            let is_new = |item: &ContextItem| commits.items.iter().all(|old| old.id != item.id);
            let new: Vec<ContextItem> = found.commits.into_iter().filter(is_new).collect();
            commits.items.extend(new);
        }
        sections.push(ContextSection::new(SectionName::UsualFiles, found.files));
        Ok(())
    }

    /// Returns the hits of one source, best first. The words are read as plain text.
    pub(super) fn ask(
        &mut self,
        source: SourceName,
        query: &str,
        limit: usize,
        restrict: impl FnOnce(&mut Filter),
    ) -> Result<Vec<Hit>, EngineError> {
        let mut request = SearchRequest::new(query)
            .with_syntax(Syntax::Raw)
            .with_limit(limit)
            .with_snippet_lines(PASSAGE);
        restrict(&mut request.filter);
        self.search_source(source, &request)
    }

    pub(super) fn search_source(
        &mut self,
        source: SourceName,
        request: &SearchRequest,
    ) -> Result<Vec<Hit>, EngineError> {
        let (of_source, mut others) = mem::take(&mut self.snapshot.sources)
            .into_iter()
            .partition(|open| open.reader.source() == source);
        self.snapshot.sources = of_source;
        let mut request = request.clone();
        request.filter.sources = vec![source];
        let answer = search_in(&mut self.snapshot, self.config, &request, self.follow_ups);
        self.snapshot.sources.append(&mut others);
        self.snapshot.sources.sort_by_key(|open| open.reader.source());
        self.snapshot.warnings.clear();
        let mut answer = match answer {
            // A query without content words has no hits.
            Err(EngineError::EmptyQuery) => return Ok(Vec::new()),
            answer => answer?,
        };
        for warning in answer.warnings.drain(..) {
            if !self.warnings.contains(&warning) {
                self.warnings.push(warning);
            }
        }
        Ok(answer.hits)
    }

    pub(super) fn reader(&self, source: SourceName) -> Option<&dyn Reader> {
        let open = self.snapshot.sources.iter().find(|open| open.reader.source() == source)?;
        Some(open.reader.as_ref())
    }

    pub(super) fn is_pending(&self, path: &str) -> bool {
        self.snapshot.sources.iter().any(|source| source.is_pending(path))
    }

    /// Returns the source of every file.
    fn sources_of_paths(&self) -> Result<HashMap<String, SourceName>, EngineError> {
        let mut sources = HashMap::new();
        for open in
            self.snapshot.sources.iter().filter(|open| open.reader.source() != SourceName::Git)
        {
            for listed in open.reader.listing(&Filter::default())? {
                sources.insert(listed.path.to_owned(), open.reader.source());
            }
        }
        Ok(sources)
    }

    /// Returns the receipt of the package.
    fn receipt(
        &mut self,
        task: &Task<'_>,
        is_empty: bool,
    ) -> Result<(Receipt, Option<Absence>), EngineError> {
        if !is_empty {
            return Ok((self.snapshot.receipt(self.config, 0, 0, 0), None));
        }
        let request = SearchRequest::new(&task.query).with_syntax(Syntax::Raw);
        let answer = search_in(&mut self.snapshot, self.config, &request, self.follow_ups);
        let mut absence = match answer {
            Ok(answer) => answer.absence.unwrap_or_default(),
            Err(EngineError::EmptyQuery) => Absence::default(),
            Err(error) => return Err(error),
        };
        if absence.reasons.is_empty() {
            absence.reasons.push("nothing in this tree is about the task".to_owned());
        }
        Ok((self.snapshot.receipt(self.config, 0, 0, 0), Some(absence)))
    }

    /// Returns the package for an unknown ticket.
    fn unknown_ticket(self, request: &ContextRequest, nearest: Vec<String>) -> ContextPackage {
        let (intent, intent_origin) = intent_of(request, None);
        let policy = policy_of(&request.policies, intent.name);
        ContextPackage {
            task: request.task.clone(),
            ticket: None,
            level: request.level.unwrap_or(policy.context_level).min(MAX_LEVEL),
            intent,
            intent_origin,
            policy,
            sections: Vec::new(),
            receipt: self.snapshot.receipt(self.config, 0, 0, 0),
            absence: Some(Absence {
                reasons: vec![format!("there is no ticket `{}`", request.task.trim())],
                nearest,
                ..Absence::default()
            }),
            warnings: self.warnings,
        }
    }
}

/// Returns the hits whose score is close to that of the best one.
pub(super) fn near_the_best(hits: &[Hit]) -> impl Iterator<Item = &Hit> {
    let best = hits.iter().map(|hit| hit.score).fold(0.0, f32::max);
    let min_score = |hit: &Hit| if is_prose(hit.source) { MIN_OF_PROSE } else { MIN_SCORE };
    hits.iter().filter(move |hit| hit.score >= min_score(hit).max(best * NEAR_THE_BEST))
}

pub(super) fn files_of(items: &[ContextItem]) -> Vec<Option<&str>> {
    items.iter().map(|item| item.path.as_deref()).collect()
}

fn dedup(files: &mut Vec<String>) {
    let mut seen = HashSet::new();
    files.retain(|file| seen.insert(file.clone()));
}
