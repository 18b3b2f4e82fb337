//! `trace`: who calls, implements or reaches what, which commits changed it, and the reasons.

use std::{path::Path, sync::Arc, time::Duration};

use jiff::Zoned;
use lore_console::{dates, focus::parse_question};
use lore_engine::{
    PlaceRequest, PlaceResponse, Receipt, Relation, ResearchQuestion, ResearchRequest,
    ResearchResponse, ReviewRequest, ReviewResponse, ReviewedChange, WhyRequest, WhyResponse,
    WorkspaceQuery, research_workspace,
};
use lore_render::{
    output::{GraphAnswer, edges, place, review, why},
    tokens::Tokenizer,
    wire::{
        self,
        agent::{self, EndWire, TraceAnswer},
        schema::answer_schema,
    },
};
use lore_schema::Filter;
use lore_settings::filters;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{
    Call, Tool, ToolAnswer, input,
    ready::Ready,
    search::{MAX_INDEX_WAIT, no_index},
};
use crate::{
    answer::{self, MAX_TOKENS, MIN_TOKENS, TOKENS},
    failure::Failure,
    tree::{NotesOnly, Outcome, Tree, until_fresh},
};

/// Maximum number of edges of all parts of an answer.
const EDGES: usize = 1_000;

/// Maximum number of commits of an answer.
const COMMITS: usize = 100;

/// Maximum number of steps that are followed.
const MAX_DEPTH: usize = 8;

/// The relation of a place to the commits that changed its lines.
const HISTORY: &str = "history";

/// The relation of a place to the commits, tickets, documents and tests behind it.
const WHY: &str = "why";

/// Maximum number of reasons of an answer.
const HOPS: usize = 100;

/// The relation of a change to what it concerns.
const REVIEW: &str = "review";

/// Maximum number of findings of each kind of a review.
const FINDINGS: usize = 20;

/// Maximum time that a review reads the history of documents.
const REVIEW_TIME: Duration = Duration::from_secs(5);

/// Target of a review of the files on disk, and of the staged ones.
const UNCOMMITTED: &str = "uncommitted";
const STAGED: &str = "staged";

pub(super) static TOOL: Tool = Tool {
    name: "trace",
    title: "Follow calls, types, imports and history",
    description: "Every caller, callee, reference or implementation of a definition, with the calling \
                  line; what imports what; a path of calls; the commits that changed a place; why it is so: \
                  commits, tickets, specs, decisions, tests; or a review of a change: what it may break. \
                  Says when that is all, and what is uncertain.",
    is_read_only: true,
    input: input::<TraceArguments>,
    output: Some(answer_schema::<TraceAnswer<'_>>),
    call,
};

/// Arguments of a trace. The comments are the descriptions that clients read.
#[derive(Deserialize, JsonSchema)]
struct TraceArguments {
    /// Name, path:line, path#name; or a question: `what implements Store?`, `path from main to save`; to
    /// review: `uncommitted`, `staged`, `main..HEAD`
    target: String,
    /// Default callers
    #[schemars(extend("enum" = relations()))]
    relation: Option<String>,
    /// Most steps; default 1
    #[schemars(range(min = 1, max = MAX_DEPTH))]
    depth: Option<usize>,
    /// Show guesses by name too
    #[serde(default)]
    guesses: bool,
    /// Only definitions in paths that match one of these globs
    path: Option<Vec<String>>,
    /// Most tokens of the answer
    #[schemars(range(min = MIN_TOKENS, max = MAX_TOKENS), extend("default" = TOKENS))]
    max_tokens: Option<usize>,
    /// nextCursor of the answer to the same question
    cursor: Option<String>,
}

/// The relations that a client can name. A path has two ends, so it is a question.
fn relations() -> Vec<&'static str> {
    let graph = Relation::ALL.iter().filter(|relation| **relation != Relation::Path);
    graph.map(|relation| relation.as_str()).chain([HISTORY, REVIEW, WHY]).collect()
}

fn call(call: &Call<'_>) -> Result<ToolAnswer, Failure> {
    let mut arguments: TraceArguments = call.arguments.parse()?;
    if arguments.target.trim().is_empty() {
        return Err(Failure::new("the target is empty")
            .remedy("name a definition, for example {\"target\": \"save\"}"));
    }
    let is_about_place = [HISTORY, WHY, REVIEW].map(Some).contains(&arguments.relation.as_deref());
    let is_several = call.searched()?.len() > 1;
    if !is_about_place && is_several && call.named_tree_of(&arguments.target).is_none() {
        let (searched, warning) = call.searched_for(&arguments.target)?;
        return trace_several(call, &searched, &arguments, warning);
    }
    let (tree, target) = call.tree_of(&arguments.target)?;
    arguments.target = target;
    if arguments.relation.as_deref() == Some(HISTORY) {
        return history(call, tree, arguments);
    }
    if arguments.relation.as_deref() == Some(WHY) {
        return why(call, tree, arguments);
    }
    if arguments.relation.as_deref() == Some(REVIEW) {
        return review(call, tree, arguments);
    }
    let request = research(&arguments, &tree.root)?;
    let response = call.run_until_fresh(
        tree,
        |response: &ResearchResponse| &response.receipt,
        move |opened| Ok(opened.engine.research(&request, &NotesOnly)?),
    )?;
    pages(call, &arguments, &response)
}

/// The request of a relation in a tree.
fn research(arguments: &TraceArguments, root: &Path) -> Result<ResearchRequest, Failure> {
    let question = question(arguments)?;
    let paths = arguments
        .path
        .iter()
        .flatten()
        .map(|glob| filters::path("path", glob, root))
        .collect::<Result<_, _>>()?;
    // A path is as long as it is; of callers, the direct ones answer most questions.
    let usual = (question.relation == Relation::Callers).then_some(1);
    Ok(ResearchRequest {
        depth: arguments.depth.or(usual),
        filter: Filter { paths, ..Filter::default() },
        limit: EDGES,
        guesses: arguments.guesses,
        question,
    })
}

/// Answers a question about the graph over several trees.
fn trace_several(
    call: &Call<'_>,
    trees: &[Arc<Tree>],
    arguments: &TraceArguments,
    warning: Option<String>,
) -> Result<ToolAnswer, Failure> {
    let Ready { paths, opened, mut warnings } = Ready::wait(call, trees, MAX_INDEX_WAIT)?;
    warnings.extend(warning);
    let requests: Vec<ResearchRequest> = opened
        .iter()
        .map(|(tree, _)| research(arguments, &tree.root))
        .collect::<Result<_, Failure>>()?;
    let deadline = call.control.deadline();
    let first = Arc::clone(&opened[0].0);
    let found = first.run(&call.control, move |_| {
        let members: Vec<WorkspaceQuery<'_, ResearchRequest>> = opened
            .iter()
            .zip(&requests)
            .map(|((_, opened), request)| WorkspaceQuery {
                engine: &opened.engine,
                request: request.clone(),
            })
            .collect();
        until_fresh(
            deadline,
            |response: &ResearchResponse| &response.receipt,
            || Ok(research_workspace(&paths, &members, &warnings, &NotesOnly)?),
        )
    })?;
    match found {
        Outcome::Answered(response) => pages(call, arguments, &response),
        Outcome::NotReady(progress) => Err(no_index(progress)),
    }
}

/// The requested part of the answer.
fn pages(
    call: &Call<'_>,
    arguments: &TraceArguments,
    response: &ResearchResponse,
) -> Result<ToolAnswer, Failure> {
    let relation = question(arguments)?.relation;
    let node = |position: usize| response.nodes[position].id.as_str();
    let edges =
        response.edges.iter().flat_map(|edge| [node(edge.from), edge.kind.as_str(), node(edge.to)]);
    let mark = answer::mark(TOOL.name, call.arguments.all(), edges);
    let cursor = arguments.cursor.as_ref();
    let sent = cursor.map_or(Ok(0), |cursor| answer::offset(cursor, mark))?;
    let answer = Answer { graph: GraphAnswer { relation, response }, sent, mark };
    let rest = response.edges.len().saturating_sub(sent);
    largest_page(rest, answer::tokens(arguments.max_tokens), |shown| answer.render_page(shown))
}

/// The question of the arguments: in words, or a relation to a name.
fn question(arguments: &TraceArguments) -> Result<ResearchQuestion, Failure> {
    let target = arguments.target.trim();
    let named = |name: &str| Relation::ALL.iter().copied().find(|known| known.as_str() == name);
    if let Some(relation) = arguments.relation.as_deref().and_then(named) {
        return Ok(ResearchQuestion { relation, subject: Some(target.to_owned()), object: None });
    }
    if !target.contains(char::is_whitespace) {
        let subject = Some(target.to_owned());
        return Ok(ResearchQuestion { relation: Relation::Callers, subject, object: None });
    }
    Ok(parse_question(target, None)?.0)
}

/// Returns the page of the most items that fit into the tokens. Fails if none fits.
fn largest_page(
    rest: usize,
    tokens: usize,
    page: impl Fn(usize) -> Result<ToolAnswer, Failure>,
) -> Result<ToolAnswer, Failure> {
    let counter = Tokenizer::O200k;
    let fits = |page: &ToolAnswer| {
        let object = page.structured.as_ref().map(Value::to_string).unwrap_or_default();
        counter.count_within(&object, tokens).is_some()
            && counter.count_within(&page.text, tokens).is_some()
    };
    let (mut low, mut high) = (0, rest);
    while low < high {
        let middle = usize::midpoint(low, high + 1).max(low + 1);
        if fits(&page(middle)?) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    let page = page(low)?;
    if !fits(&page) || (low == 0 && 0 < rest) {
        return Err(Failure::new(format!("{tokens} tokens do not hold the answer"))
            .remedy("raise the budget with {\"max_tokens\": 8000}, or restrict it with `path`"));
    }
    Ok(page)
}

struct Answer<'a> {
    graph: GraphAnswer<'a>,
    /// Edges that were sent already.
    sent: usize,
    mark: u64,
}

impl Answer<'_> {
    /// Renders the page of `shown` edges after those that were sent.
    fn render_page(&self, shown: usize) -> Result<ToolAnswer, Failure> {
        let response = self.graph.response;
        let sent = self.sent + shown;
        let next =
            (sent < response.edges.len() && 0 < shown).then(|| answer::cursor(sent, self.mark));
        let mut text = edges::text(&self.graph, self.sent..sent);
        more(&mut text, next.as_deref());
        ToolAnswer::new(text, &self.object(shown, next.as_deref()))
    }

    fn object<'a>(&'a self, shown: usize, next: Option<&'a str>) -> TraceAnswer<'a> {
        let response = self.graph.response;
        let receipt = &response.receipt;
        let (reasons, nearest) = agent::reasons(response.absence.as_ref());
        let node = |position: usize| &response.nodes[position];
        let edge = |at: usize| {
            let edge = &response.edges[at];
            let line = response.lines.get(at).and_then(Option::as_deref);
            agent::linked_edge(edge, node(edge.from), node(edge.to), line)
        };
        TraceAnswer {
            relation: self.graph.relation.as_str(),
            subjects: response.subjects.iter().map(|at| agent::end(node(*at))).collect(),
            edges: (self.sent..self.sent + shown).map(edge).collect(),
            commits: Vec::new(),
            hops: Vec::new(),
            findings: Vec::new(),
            shown,
            total: response.edges.len(),
            is_cut: response.is_cut,
            next_cursor: next,
            reasons,
            nearest,
            root: receipt.root.display().to_string(),
            tree: receipt.tree.as_deref(),
            fresh: receipt.fresh.to_string(),
            notes: edges::notes(response),
        }
    }
}

/// Ends a page with the arguments for the next one.
fn more(text: &mut String, next: Option<&str>) {
    text.truncate(text.trim_end().len());
    if let Some(next) = next {
        text.push_str("\nmore: {\"cursor\": \"");
        text.push_str(next);
        text.push_str("\"}");
    }
}

/// An answer without items.
fn of_subjects<'a>(
    relation: &'static str,
    subjects: Vec<EndWire<'a>>,
    receipt: &'a Receipt,
) -> TraceAnswer<'a> {
    TraceAnswer {
        relation,
        subjects,
        edges: Vec::new(),
        commits: Vec::new(),
        hops: Vec::new(),
        findings: Vec::new(),
        shown: 0,
        total: 0,
        is_cut: false,
        next_cursor: None,
        reasons: &[],
        nearest: &[],
        root: receipt.root.display().to_string(),
        tree: receipt.tree.as_deref(),
        fresh: receipt.fresh.to_string(),
        notes: Vec::new(),
    }
}

/// The commits that changed the lines of a place.
fn history(call: &Call<'_>, tree: &Tree, arguments: TraceArguments) -> Result<ToolAnswer, Failure> {
    let request =
        PlaceRequest { place: arguments.target, relation: None, has_uses: false, limit: COMMITS };
    let response = call.run_until_fresh(
        tree,
        |response: &PlaceResponse| &response.receipt,
        move |opened| {
            opened.engine.check_clone("the history of lines")?;
            Ok(opened.engine.place(&request, &NotesOnly)?)
        },
    )?;
    let changes = response.changes.as_deref().unwrap_or_default();
    let mark =
        answer::mark(TOOL.name, call.arguments.all(), changes.iter().map(|change| &change.hash));
    let sent = arguments.cursor.map_or(Ok(0), |cursor| answer::offset(&cursor, mark))?;
    let subject = &response.subject;
    let page = |shown: usize| {
        let to = sent + shown;
        let next = (to < changes.len() && 0 < shown).then(|| answer::cursor(to, mark));
        let mut text = place::history_text(&response, sent..to);
        more(&mut text, next.as_deref());
        let object = TraceAnswer {
            commits: changes[sent..to].iter().map(wire::change).collect(),
            shown,
            total: changes.len(),
            is_cut: response.has_older_changes,
            next_cursor: next.as_deref(),
            notes: response.warnings.clone(),
            ..of_subjects(HISTORY, vec![agent::place_end(subject)], &response.receipt)
        };
        ToolAnswer::new(text, &object)
    };
    largest_page(changes.len().saturating_sub(sent), answer::tokens(arguments.max_tokens), page)
}

/// The commits, tickets, documents and tests behind a place.
fn why(call: &Call<'_>, tree: &Tree, arguments: TraceArguments) -> Result<ToolAnswer, Failure> {
    let request = WhyRequest { target: arguments.target, limit: HOPS };
    let response = call.run_until_fresh(
        tree,
        |response: &WhyResponse| &response.receipt,
        move |opened| Ok(opened.engine.why(&request, &NotesOnly)?),
    )?;
    let hops = &response.hops;
    let mark = answer::mark(TOOL.name, call.arguments.all(), hops.iter().map(|hop| &hop.id));
    let sent = arguments.cursor.map_or(Ok(0), |cursor| answer::offset(&cursor, mark))?;
    let page = |shown: usize| {
        let to = sent + shown;
        let next = (to < hops.len() && 0 < shown).then(|| answer::cursor(to, mark));
        let mut text = why::page_text(&response, sent..to);
        more(&mut text, next.as_deref());
        let object = TraceAnswer {
            hops: hops[sent..to].iter().map(wire::hop).collect(),
            shown,
            total: hops.len(),
            is_cut: 0 < response.omitted || response.has_older_changes,
            next_cursor: next.as_deref(),
            notes: response.warnings.clone(),
            ..of_subjects(WHY, vec![agent::place_end(&response.subject)], &response.receipt)
        };
        ToolAnswer::new(text, &object)
    };
    let tokens = arguments.max_tokens.unwrap_or(why::DEFAULT_BUDGET);
    largest_page(hops.len().saturating_sub(sent), tokens, page)
}

/// The specs, uses, documents, tests and files that a change concerns.
fn review(call: &Call<'_>, tree: &Tree, arguments: TraceArguments) -> Result<ToolAnswer, Failure> {
    let change = match arguments.target.trim() {
        UNCOMMITTED => Some(ReviewedChange::Uncommitted),
        STAGED => Some(ReviewedChange::Staged),
        name => ReviewedChange::of_name(name),
    };
    let change = change.ok_or_else(|| {
        Failure::new("the change has no name")
            .remedy("target `uncommitted`, `staged` or `main..HEAD`")
    })?;
    let request = ReviewRequest { change, limit: FINDINGS, time: REVIEW_TIME };
    let clock = dates::clock(&Zoned::now());
    let response = call.run_until_fresh(
        tree,
        |response: &ReviewResponse| &response.receipt,
        move |opened| Ok(opened.engine.review(&request, clock, &NotesOnly)?),
    )?;
    let findings = &response.findings;
    let marks = findings.iter().flat_map(|finding| [&finding.name, &finding.evidence]);
    let mark = answer::mark(TOOL.name, call.arguments.all(), marks);
    let sent = arguments.cursor.map_or(Ok(0), |cursor| answer::offset(&cursor, mark))?;
    let page = |shown: usize| {
        let to = sent + shown;
        let next = (to < findings.len() && 0 < shown).then(|| answer::cursor(to, mark));
        let mut text = review::page_text(&response, sent..to);
        more(&mut text, next.as_deref());
        let object = TraceAnswer {
            findings: findings[sent..to].iter().map(wire::review_finding).collect(),
            shown,
            total: findings.len(),
            is_cut: 0 < response.omitted,
            next_cursor: next.as_deref(),
            notes: response.warnings.clone(),
            ..of_subjects(REVIEW, Vec::new(), &response.receipt)
        };
        ToolAnswer::new(text, &object)
    };
    let tokens = arguments.max_tokens.unwrap_or(review::DEFAULT_BUDGET);
    largest_page(findings.len().saturating_sub(sent), tokens, page)
}
