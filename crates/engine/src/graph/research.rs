//! Answers questions about the graph, step by step from the subjects.

mod dependencies;
mod findings;

use std::collections::{HashMap, HashSet, VecDeque};

use lore_index::{DocumentId, IndexError};
use lore_schema::{ReferenceKind, SymbolKind};

pub(crate) use self::findings::{Findings, Side};
use super::{
    code_graph::{CodeGraph, Definition},
    edge::{End, Link},
    symbols::exact_symbols,
};
use crate::{Certainty, EdgeKind, Relation, ResearchRequest};

/// Default number of steps for callers: callers and their callers.
const CALLER_DEPTH: usize = 2;

/// Default maximum length of a path.
const PATH_DEPTH: usize = 8;

/// Maximum number of definitions whose calls are looked up for one answer.
const MAX_STEPS: usize = 3_000;

/// Maximum number of candidates of an edge that is shown by default and followed further.
const MAX_GUESSES: usize = 3;

/// All kinds of uses of a name but implementations.
const ANY_USE: &[ReferenceKind] = ReferenceKind::USES;

/// Answers a question. An edge whose answering end is not in an `admitted` document is not part of
/// the answer, but may lead to one.
pub(crate) fn research(
    graph: &CodeGraph<'_>,
    request: &ResearchRequest,
    admitted: Option<HashSet<DocumentId>>,
) -> Result<Findings, IndexError> {
    let answers_with = match request.question.relation {
        Relation::Callees | Relation::Path => Side::To,
        _ => Side::From,
    };
    let mut findings = Findings::new(request.limit, answers_with, admitted, request.guesses);
    let question = &request.question;
    let mut relation = question.relation;
    if matches!(relation, Relation::Dependencies | Relation::Dependents) {
        dependencies::find(graph, request, &mut findings)?;
        if relation == Relation::Dependencies || !findings.subjects.is_empty() {
            return Ok(findings);
        }
        // The name of no file or directory may be that of a definition.
        relation = Relation::References;
    }
    let Some(name) = &question.subject else { return Ok(findings) };
    let mut subjects = exact_symbols(graph, name)?;
    if relation == Relation::Implementations {
        // A type required only by a trait bound has no implementers.
        subjects.retain(|definition| {
            let symbol = definition.symbol();
            symbol.kind.is_type() && (symbol.kind != SymbolKind::Type || symbol.container.is_none())
        });
    }
    for subject in &subjects {
        findings.subject(&subject.clone().into());
    }
    let usual = if relation == Relation::Callers { CALLER_DEPTH } else { 1 };
    let depth = request.depth.unwrap_or(usual).max(1);
    match relation {
        Relation::Callees => callees(graph, &subjects, depth, &mut findings)?,
        Relation::Callers => callers(graph, &subjects, depth, &mut findings)?,
        Relation::Implementations => {
            implementations(graph, name, &subjects, depth, &mut findings)?;
        }
        Relation::Path => {
            let Some(object) = &question.object else { return Ok(findings) };
            let goals = exact_symbols(graph, object)?;
            let depth = request.depth.unwrap_or(PATH_DEPTH).max(1);
            path(graph, &subjects, &goals, depth, request.guesses, &mut findings)?;
            findings.has_object = !goals.is_empty();
        }
        Relation::References => references(graph, name, &subjects, &mut findings)?,
        Relation::Related => related(graph, &subjects, &mut findings)?,
        Relation::Dependencies | Relation::Dependents => unreachable!("answered above"),
    }
    Ok(findings)
}

/// Returns the direct uses of definitions with this name that answer a relation: calls, any use, or
/// the types that implement them. Where nothing calls a definition, what else refers to it counts.
pub(crate) fn direct_uses(
    graph: &CodeGraph<'_>,
    relation: Relation,
    name: &str,
    subjects: &[Definition],
) -> Result<Vec<Link>, IndexError> {
    let implementers = |graph: &CodeGraph<'_>| {
        let bare = name.rsplit(['.', ':', '#']).next().unwrap_or(name);
        let types = subjects.iter().filter(|definition| definition.symbol().kind.is_type());
        graph.implementers(bare, &types.cloned().collect::<Vec<_>>(), false)
    };
    let mut links = match relation {
        Relation::Implementations => implementers(graph)?,
        Relation::Callers => graph.users(subjects, &[ReferenceKind::Call])?,
        _ => Vec::new(),
    };
    if links.is_empty() && relation != Relation::Implementations {
        links = graph.users(subjects, ANY_USE)?;
        links.extend(implementers(graph)?);
    }
    Ok(links)
}

/// Returns true if an edge is certain enough to continue from its far end.
fn leads_on(certainty: Certainty) -> bool {
    match certainty {
        Certainty::OneOf(count) => count <= MAX_GUESSES,
        Certainty::SameFile | Certainty::Import | Certainty::UniqueName => true,
        Certainty::Outside => false,
    }
}

/// Walks from the subjects, step by step, to the far ends of the edges.
fn walk(
    subjects: &[Definition],
    depth: usize,
    findings: &mut Findings,
    far: fn(&Link) -> &End,
    mut edges: impl FnMut(&[Definition], &mut Findings) -> Result<Vec<Link>, IndexError>,
) -> Result<(), IndexError> {
    let mut seen: HashSet<_> = subjects.iter().map(Definition::key).collect();
    let mut reached = subjects.to_vec();
    for step in 1..=depth {
        let mut next = Vec::new();
        for link in edges(&reached, findings)? {
            if let Some(definition) = far(&link).definition()
                && leads_on(link.certainty)
                && seen.insert(definition.key())
            {
                next.push(definition);
            }
            findings.add(&link, step);
        }
        if next.is_empty() || findings.is_full() {
            break;
        }
        reached = next;
    }
    Ok(())
}

fn callers(
    graph: &CodeGraph<'_>,
    subjects: &[Definition],
    depth: usize,
    findings: &mut Findings,
) -> Result<(), IndexError> {
    walk(
        subjects,
        depth,
        findings,
        |link| &link.from,
        |targets, _| graph.users(targets, &[ReferenceKind::Call]),
    )
}

fn callees(
    graph: &CodeGraph<'_>,
    subjects: &[Definition],
    depth: usize,
    findings: &mut Findings,
) -> Result<(), IndexError> {
    walk(
        subjects,
        depth,
        findings,
        |link| &link.to,
        |sources, findings| {
            let mut all = Vec::new();
            for source in sources {
                let (links, outside) = graph.used_by(source, &[ReferenceKind::Call])?;
                findings.outside += outside;
                all.extend(links);
            }
            Ok(all)
        },
    )
}

fn implementations(
    graph: &CodeGraph<'_>,
    name: &str,
    subjects: &[Definition],
    depth: usize,
    findings: &mut Findings,
) -> Result<(), IndexError> {
    let bare = name.rsplit(['.', ':', '#']).next().unwrap_or(name).to_owned();
    let types: Vec<Definition> =
        subjects.iter().filter(|definition| definition.symbol().kind.is_type()).cloned().collect();
    // A bare name may refer to a type outside the tree, even if the name exists here.
    let is_plain = bare == name;
    let mut seen: HashSet<_> = types.iter().map(Definition::key).collect();
    let mut wanted = vec![(bare.clone(), types)];
    for step in 1..=depth {
        let mut next: HashMap<String, Vec<Definition>> = HashMap::new();
        for (name, targets) in wanted {
            for link in graph.implementers(&name, &targets, step == 1 && is_plain)? {
                // Around an anonymous class, the definition starts in another line.
                if let Some(implementer) = link.from.definition()
                    && implementer.symbol().line == link.line
                    && leads_on(link.certainty)
                    && seen.insert(implementer.key())
                {
                    let name = implementer.symbol().name.clone();
                    let own = graph.definitions(&name)?;
                    let types = own.iter().filter(|definition| definition.symbol().kind.is_type());
                    next.entry(name).or_default().extend(types.cloned());
                }
                findings.add(&link, step);
            }
        }
        if next.is_empty() || findings.is_full() {
            break;
        }
        wanted = next.into_iter().collect();
        wanted.sort_by(|left, right| left.0.cmp(&right.0));
    }
    Ok(())
}

fn references(
    graph: &CodeGraph<'_>,
    name: &str,
    subjects: &[Definition],
    findings: &mut Findings,
) -> Result<(), IndexError> {
    for link in graph.users(subjects, ANY_USE)? {
        findings.add(&link, 1);
    }
    implementations(graph, name, subjects, 1, findings)
}

/// Returns the shortest call path, with the most certain edges among paths of equal length. Without
/// `guesses`, an edge by a name that several definitions have is no part of it.
fn path(
    graph: &CodeGraph<'_>,
    starts: &[Definition],
    goals: &[Definition],
    depth: usize,
    guesses: bool,
    findings: &mut Findings,
) -> Result<(), IndexError> {
    let mut came: HashMap<_, Link> = HashMap::new();
    let mut seen: HashSet<_> = starts.iter().map(Definition::key).collect();
    let mut queue: VecDeque<(Definition, usize)> =
        starts.iter().map(|start| (start.clone(), 0)).collect();
    let mut steps = 0;
    while let Some((definition, step)) = queue.pop_front() {
        if goals.contains(&definition) && step > 0 {
            let mut way = Vec::new();
            let mut key = definition.key();
            while let Some(link) = came.remove(&key) {
                let from = link.from.definition().expect("a path goes through definitions");
                key = from.key();
                way.push(link);
            }
            for (step, link) in (1..).zip(way.into_iter().rev()) {
                findings.add(&link, step);
            }
            return Ok(());
        }
        if step >= depth {
            continue;
        }
        steps += 1;
        if steps > MAX_STEPS {
            graph.cut();
            break;
        }
        let (mut links, _) = graph.used_by(&definition, &[ReferenceKind::Call])?;
        links.sort_by_key(|link| link.certainty);
        for link in links {
            let is_guess = matches!(link.certainty, Certainty::OneOf(_));
            if !leads_on(link.certainty) || (is_guess && !guesses) {
                continue;
            }
            let Some(callee) = link.to.definition() else { continue };
            if seen.insert(callee.key()) {
                // A call belongs to the definition around it, nested functions included.
                came.insert(callee.key(), Link { from: definition.clone().into(), ..link });
                queue.push_back((callee, step + 1));
            }
        }
    }
    Ok(())
}

/// Returns what is related to the definitions, strongest relation first: callers and callees,
/// supertypes and subtypes, used types, and neighbours.
fn related(
    graph: &CodeGraph<'_>,
    subjects: &[Definition],
    findings: &mut Findings,
) -> Result<(), IndexError> {
    let mut found: HashMap<_, (f32, End, Link)> = HashMap::new();
    let mut note = |end: End, link: Link, weight: f32| {
        if end.definition().is_some_and(|definition| subjects.contains(&definition)) {
            return;
        }
        let sure = match link.certainty {
            Certainty::SameFile | Certainty::Import => 1.0,
            Certainty::UniqueName => 0.7,
            Certainty::OneOf(count) => 0.3 / count as f32,
            Certainty::Outside => 0.0,
        };
        let entry = found.entry(end.key()).or_insert_with(|| (0.0, end, link));
        entry.0 += weight * sure;
    };
    for link in graph.users(subjects, &[ReferenceKind::Call])? {
        note(link.from.clone(), link, 1.0);
    }
    for link in graph.users(subjects, &[ReferenceKind::Type])? {
        note(link.from.clone(), link, 0.4);
    }
    for subject in subjects {
        for link in graph.used_by(subject, &[ReferenceKind::Call])?.0 {
            note(link.to.clone(), link, 1.0);
        }
        for link in graph.used_by(subject, &[ReferenceKind::Type])?.0 {
            note(link.to.clone(), link, 0.6);
        }
        if subject.symbol().kind.is_type() {
            for link in graph.supertypes(subject)? {
                note(link.to.clone(), link, 1.2);
            }
            let own = std::slice::from_ref(subject);
            for link in graph.implementers(&subject.symbol().name, own, false)? {
                note(link.from.clone(), link, 1.2);
            }
        }
        for beside in beside(subject) {
            let link = Link {
                from: subject.clone().into(),
                to: beside.clone().into(),
                kind: EdgeKind::Contains,
                certainty: Certainty::SameFile,
                line: beside.symbol().line,
                outside: None,
                is_one_asked: false,
            };
            note(beside.into(), link, 0.3);
        }
    }
    let mut found: Vec<_> = found.into_values().collect();
    found.sort_by(|left, right| {
        right
            .0
            .total_cmp(&left.0)
            .then_with(|| left.1.file.path.cmp(&right.1.file.path))
            .then_with(|| left.1.symbol.cmp(&right.1.symbol))
    });
    findings.keep_order = true;
    for (_, _, link) in found {
        findings.add(&link, 1);
    }
    Ok(())
}

/// Returns the definitions in the same type; nothing for a type or a free function.
fn beside(subject: &Definition) -> Vec<Definition> {
    let own = subject.symbol();
    if own.container.is_none() {
        return Vec::new();
    }
    Definition::all(&subject.file)
        .filter(|definition| {
            let symbol = definition.symbol();
            definition != subject && symbol.container == own.container && symbol.kind == own.kind
        })
        .collect()
}
