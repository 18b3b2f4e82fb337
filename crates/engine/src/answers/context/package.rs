//! Puts the package of a task together, from one state of the tree.

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
    tree,
    words::subject,
};
use crate::{
    Absence, EngineConfig, EngineError, Hit, IndexMode, Progress, Receipt, SearchRequest, Syntax,
    answers::follow_ups::FollowUpCache,
    rank::is_prose,
    search::search_in,
    state::{refresh, snapshot::Snapshot},
};

/// Most files that specs, tests, commits and the tree are told of.
const MAX_FILES: usize = 8;

/// Lines of a passage.
const PASSAGE: usize = 20;

/// Words of a ticket's description that are searched for beside its title.
const DESCRIBED: usize = 30;

/// Share of the best hit's score that another one needs to be about the task, too.
const NEAR_THE_BEST: f32 = 0.5;

/// Least score of code and patterns that are about the task.
const MIN_SCORE: f32 = 0.3;

/// Least score of a document, a spec or a ticket that is. A page that says in passing, in other forms of
/// its words, what a ticket of two sentences asks for comes to 0.27.
const MIN_OF_PROSE: f32 = 0.25;

/// Puts together what somebody has to read who is to do a task.
pub(crate) fn context(
    config: &EngineConfig,
    request: &ContextRequest,
    progress: &dyn Progress,
    remembered: &FollowUpCache,
) -> Result<ContextPackage, EngineError> {
    if request.task.trim().is_empty() {
        return Err(EngineError::EmptyQuery);
    }
    let snapshot = refresh::take(config, &[], IndexMode::Update, progress)?;
    let tickets = Tickets::read(&snapshot.tree)?;
    let mut desk = Desk { config, snapshot, remembered, warnings: Vec::new() };
    desk.warnings.append(&mut desk.snapshot.warnings);
    if tickets.has_none_for(&request.task) {
        let task = request.task.trim();
        desk.warnings.push(format!("this tree has no tickets: `{task}` is read as words"));
    }
    let ticket = match tickets.asked(&request.task) {
        TicketReference::Ticket(ticket) => Some(ticket),
        TicketReference::Unknown(nearest) => return Ok(desk.unknown_ticket(request, nearest)),
        TicketReference::Words => None,
    };
    let (intent, intent_origin) = intent_of(request, ticket);
    let policy = policy_of(&request.policies, intent.name);
    let level = request.level.unwrap_or(policy.context_level).min(MAX_LEVEL);
    let task = Task {
        query: query_of(request, ticket, &tickets),
        title: subject(ticket.map_or(&request.task, |one| &one.title)).to_owned(),
        component: ticket.and_then(|ticket| tickets.component(ticket)),
        ticket,
        level,
        intent: intent.name,
        policy: policy.clone(),
    };
    let sections = desk.sections(&task, &tickets, &request.files)?;
    let (receipt, absence) = desk.receipt(&task, sections.is_empty())?;
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
        warnings: desk.warnings,
    })
}

/// What a task asks for: what is said, what its words tell, or what the type of its ticket does.
fn intent_of(request: &ContextRequest, ticket: Option<&Document>) -> (Intent, IntentOrigin) {
    if let Some(asked) = &request.intent {
        let name = policy_of(&request.policies, asked).intent;
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

/// What is searched for: the words of the task, or the title of the ticket and how its description
/// begins.
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

/// What the parts of a package are put together for.
pub(super) struct Task<'a> {
    /// What is searched for.
    pub(super) query: String,
    /// The same in short.
    pub(super) title: String,
    pub(super) component: Option<String>,
    pub(super) ticket: Option<&'a Document>,
    pub(super) level: u8,
    pub(super) intent: &'static str,
    pub(super) policy: Policy,
}

/// One state of the tree, and what is known of it so far.
pub(super) struct Desk<'a> {
    config: &'a EngineConfig,
    pub(super) snapshot: Snapshot,
    remembered: &'a FollowUpCache,
    warnings: Vec<String>,
}

impl Desk<'_> {
    /// The parts of a package that hold something.
    fn sections(
        &mut self,
        task: &Task<'_>,
        tickets: &Tickets,
        typed: &[String],
    ) -> Result<Vec<ContextSection>, EngineError> {
        let limit = task.policy.max_symbols.max(MAX_FILES);
        // Examples have a place of their own.
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
        }
        if task.level == 0 || task.policy.include_file_tree {
            let entries = self.snapshot.tree.entries().iter().map(|entry| entry.path.as_str());
            let all = task.level == 0;
            if !files.is_empty() {
                let folders = tree::folders(&files, entries, all);
                sections.push(ContextSection::new(SectionName::Tree, folders));
            }
        }
        // A ticket alone is something; a tree around nothing is not.
        Ok(shared(sections, task.policy.budget_fraction, task.intent))
    }

    /// The hits of one source, best first. Every sign of the words is text.
    pub(super) fn ask(
        &mut self,
        source: SourceName,
        query: &str,
        limit: usize,
        restrict: impl FnOnce(&mut Filter),
    ) -> Result<Vec<Hit>, EngineError> {
        let mut request = SearchRequest {
            syntax: Syntax::Raw,
            limit,
            snippet_lines: PASSAGE,
            ..SearchRequest::new(query)
        };
        restrict(&mut request.filter);
        self.ask_for(source, &request)
    }

    pub(super) fn ask_for(
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
        let answer = search_in(&mut self.snapshot, self.config, &request, self.remembered);
        self.snapshot.sources.append(&mut others);
        self.snapshot.sources.sort_by_key(|open| open.reader.source());
        self.snapshot.warnings.clear();
        let mut answer = match answer {
            // Words that say nothing find nothing.
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

    /// The source of every file.
    fn sources_of_paths(&self) -> Result<HashMap<String, SourceName>, EngineError> {
        let mut sources = HashMap::new();
        for open in
            self.snapshot.sources.iter().filter(|one| one.reader.source() != SourceName::Git)
        {
            for listed in open.reader.listing(&Filter::default())? {
                sources.insert(listed.path.to_owned(), open.reader.source());
            }
        }
        Ok(sources)
    }

    /// What is to be said of the whole package.
    fn receipt(
        &mut self,
        task: &Task<'_>,
        is_empty: bool,
    ) -> Result<(Receipt, Option<Absence>), EngineError> {
        if !is_empty {
            return Ok((self.snapshot.receipt(self.config, 0, 0, 0), None));
        }
        let request = SearchRequest { syntax: Syntax::Raw, ..SearchRequest::new(&task.query) };
        let asked = search_in(&mut self.snapshot, self.config, &request, self.remembered);
        let mut absence = match asked {
            Ok(answer) => answer.absence.unwrap_or_default(),
            Err(EngineError::EmptyQuery) => Absence::default(),
            Err(error) => return Err(error),
        };
        if absence.reasons.is_empty() {
            absence.reasons.push("nothing in this tree is about the task".to_owned());
        }
        Ok((self.snapshot.receipt(self.config, 0, 0, 0), Some(absence)))
    }

    /// The package of a ticket that is not there.
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

/// The hits that are about the task as far as their score tells: those not far behind the best one.
pub(super) fn near_the_best(hits: &[Hit]) -> impl Iterator<Item = &Hit> {
    let best = hits.iter().map(|hit| hit.score).fold(0.0, f32::max);
    let least = |hit: &Hit| if is_prose(hit.source) { MIN_OF_PROSE } else { MIN_SCORE };
    hits.iter().filter(move |hit| hit.score >= least(hit).max(best * NEAR_THE_BEST))
}

pub(super) fn files_of(items: &[ContextItem]) -> Vec<Option<&str>> {
    items.iter().map(|item| item.path.as_deref()).collect()
}

fn dedup(files: &mut Vec<String>) {
    let mut seen = HashSet::new();
    files.retain(|file| seen.insert(file.clone()));
}
