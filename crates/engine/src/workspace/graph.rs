//! Definitions and their users over several repositories.

use std::time::Instant;

use lore_schema::ReferenceKind;

use super::{WorkspacePaths, add_receipt, empty_receipt};
use crate::{
    Absence, Engine, EngineError, GraphEdge, GraphNode, Progress, Receipt, Relation,
    ResearchRequest, ResearchResponse, SymbolRequest, SymbolResponse,
    graph::{self, Exported},
};

/// A request about definitions to one repository of a workspace.
pub struct WorkspaceQuery<'a, R> {
    /// The engine of the repository.
    pub engine: &'a Engine,
    /// The request, with paths of its tree in its filter.
    pub request: R,
}

/// Finds definitions by name in several repositories: the nearest matches first, then in the order of
/// the repositories. `skipped` has a warning for each repository that could not be opened.
///
/// # Errors
/// [`EngineError::EmptyQuery`] when the name is blank; the last error when no repository can be read.
pub fn symbols_workspace(
    paths: &WorkspacePaths,
    members: &[WorkspaceQuery<'_, SymbolRequest>],
    skipped: &[String],
    progress: &dyn Progress,
) -> Result<SymbolResponse, EngineError> {
    let started = Instant::now();
    let answers = ask(members, |member| member.engine.symbols(&member.request, progress));
    let mut merged = Merged::new(paths, skipped);
    let mut hits = Vec::new();
    let mut absences = Vec::new();
    for (member, answer) in answers.into_iter().enumerate() {
        let Some(answer) = merged.accept(member, answer) else { continue };
        merged.add(
            member,
            members[member].engine,
            answer.receipt,
            answer.hits.len(),
            answer.warnings,
        );
        absences.extend(answer.absence);
        hits.extend(answer.hits.into_iter().map(|mut hit| {
            hit.id = paths.join_id(member, &hit.id, true);
            hit.path = paths.join(member, &hit.path);
            hit
        }));
    }
    let (mut receipt, warnings) = merged.finish()?;
    hits.sort_by_key(|hit| hit.matched);
    let first = members.first().map(|member| &member.request);
    hits.truncate(first.map_or(0, |request| request.limit));
    receipt.exhaustive &= receipt.total <= hits.len() as u64;
    receipt.elapsed_ms = started.elapsed().as_secs_f64() * 1e3;
    Ok(SymbolResponse {
        query: first.map(|request| request.query.clone()).unwrap_or_default(),
        absence: absences.into_iter().next().filter(|_| hits.is_empty()),
        hits,
        receipt,
        warnings,
    })
}

/// Answers a question about the graph in several repositories. Callers and references of a definition
/// are also found in the other repositories: in files that import it from the package that a manifest
/// of its repository names.
///
/// # Errors
/// The last error when no repository can be read.
pub fn research_workspace(
    paths: &WorkspacePaths,
    members: &[WorkspaceQuery<'_, ResearchRequest>],
    skipped: &[String],
    progress: &dyn Progress,
) -> Result<ResearchResponse, EngineError> {
    let started = Instant::now();
    let answers = ask(members, |member| member.engine.research(&member.request, progress));
    let mut merged = Merged::new(paths, skipped);
    let mut joined = Joined::new(paths);
    let mut absences = Vec::new();
    let mut subjects_of: Vec<Vec<usize>> = vec![Vec::new(); members.len()];
    for (member, answer) in answers.into_iter().enumerate() {
        let Some(mut answer) = merged.accept(member, answer) else { continue };
        let (engine, edges) = (members[member].engine, answer.edges.len());
        let is_undefined = answer.subjects.is_empty();
        let ResearchResponse { receipt, warnings, absence, .. } = &mut answer;
        absences.extend(absence.take().map(|absence| (is_undefined, absence)));
        let receipt = std::mem::replace(receipt, empty_receipt(paths));
        merged.add(member, engine, receipt, edges, std::mem::take(warnings));
        subjects_of[member] = joined.add(member, answer);
    }
    let question = members.first().map(|member| &member.request.question);
    if let Some(question) = question
        && let Some(kinds) = kinds_of(question.relation)
    {
        let name = question.subject.as_deref().unwrap_or_default();
        let mut offered: Vec<(usize, Exported)> = Vec::new();
        for (definer, query) in members.iter().enumerate() {
            if subjects_of[definer].is_empty() {
                continue;
            }
            match query.engine.exported(name, progress) {
                Ok(exported) if exported.is_empty() => {}
                Ok(exported) => offered.push((definer, exported)),
                Err(error) => merged.problem(definer, &error),
            }
        }
        for (member, query) in members.iter().enumerate() {
            let others = offered.iter().filter(|(definer, _)| *definer != member);
            let (definers, exported): (Vec<usize>, Vec<&Exported>) =
                others.map(|(definer, exported)| (*definer, exported)).unzip();
            if exported.is_empty() {
                continue;
            }
            match query.engine.foreign_uses(&exported, kinds, &query.request, progress) {
                Ok(found) => {
                    for (definer, found) in definers.into_iter().zip(found) {
                        joined.add_uses(member, found, &subjects_of[definer]);
                    }
                }
                Err(error) => merged.problem(member, &error),
            }
        }
    }
    let (mut receipt, warnings) = merged.finish()?;
    let first = members.first().map(|member| &member.request);
    joined.finish(first.map_or(0, |request| request.limit));
    let shown = joined.response.edges.len() as u64;
    receipt.total = shown + u64::from(joined.response.is_cut);
    receipt.matched_all = receipt.total;
    receipt.elapsed_ms = started.elapsed().as_secs_f64() * 1e3;
    // A repository with the definition explains more than one without.
    absences.sort_by_key(|(is_undefined, _)| *is_undefined);
    let absence: Option<Absence> = absences.into_iter().next().map(|(_, absence)| absence);
    let absence = absence.filter(|_| shown == 0);
    Ok(ResearchResponse { receipt, absence, warnings, ..joined.response })
}

/// The kinds of references that answer a relation across repositories.
fn kinds_of(relation: Relation) -> Option<&'static [ReferenceKind]> {
    match relation {
        Relation::Callers => Some(&[ReferenceKind::Call]),
        Relation::References => Some(ReferenceKind::USES),
        _ => None,
    }
}

fn ask<R, T>(
    members: &[WorkspaceQuery<'_, R>],
    answer: impl Fn(&WorkspaceQuery<'_, R>) -> Result<T, EngineError>,
) -> Vec<Result<T, EngineError>> {
    members.iter().map(answer).collect()
}

/// The receipt and the warnings of all repositories.
struct Merged<'a> {
    paths: &'a WorkspacePaths,
    receipt: Receipt,
    warnings: Vec<String>,
    has_answer: bool,
    last: Option<EngineError>,
}

impl<'a> Merged<'a> {
    fn new(paths: &'a WorkspacePaths, skipped: &[String]) -> Merged<'a> {
        let mut receipt = empty_receipt(paths);
        receipt.exhaustive = skipped.is_empty();
        Merged { paths, receipt, warnings: skipped.to_vec(), has_answer: false, last: None }
    }

    /// Returns the answer of a repository; notes the reason why it has none.
    fn accept<T>(&mut self, member: usize, answer: Result<T, EngineError>) -> Option<T> {
        match answer {
            Ok(answer) => {
                self.has_answer = true;
                Some(answer)
            }
            Err(error) => {
                self.problem(member, &error);
                self.last = Some(error);
                None
            }
        }
    }

    fn problem(&mut self, member: usize, error: &EngineError) {
        self.receipt.exhaustive = false;
        self.warnings.push(format!("`{}` is not searched: {error}", self.paths.name(member)));
    }

    fn add(
        &mut self,
        member: usize,
        engine: &Engine,
        receipt: Receipt,
        hits: usize,
        warnings: Vec<String>,
    ) {
        let name = self.paths.name(member);
        self.warnings.extend(warnings.into_iter().map(|warning| format!("{name}: {warning}")));
        add_receipt(&mut self.receipt, name, engine, receipt, hits);
    }

    fn finish(self) -> Result<(Receipt, Vec<String>), EngineError> {
        match self.last {
            Some(error) if !self.has_answer => Err(error),
            _ => Ok((self.receipt, self.warnings)),
        }
    }
}

/// Nodes and edges of all repositories.
struct Joined<'a> {
    paths: &'a WorkspacePaths,
    response: ResearchResponse,
}

impl<'a> Joined<'a> {
    fn new(paths: &'a WorkspacePaths) -> Joined<'a> {
        let response = ResearchResponse {
            question: String::new(),
            subjects: Vec::new(),
            nodes: Vec::new(),
            edges: Vec::new(),
            lines: Vec::new(),
            outside: 0,
            guesses: 0,
            unparsed: Vec::new(),
            partly_parsed: Vec::new(),
            is_cut: false,
            receipt: empty_receipt(paths),
            absence: None,
            warnings: Vec::new(),
        };
        Joined { paths, response }
    }

    /// Adds nodes. Returns the number before their first.
    fn add_nodes(&mut self, member: usize, nodes: Vec<GraphNode>) -> usize {
        let before = self.response.nodes.len();
        self.response.nodes.extend(nodes.into_iter().map(|mut node| {
            if let Some(path) = &node.path {
                node.id = self.paths.join_id(member, &node.id, true);
                if node.kind == "file" {
                    node.name = self.paths.join(member, &node.name);
                }
                node.path = Some(self.paths.join(member, path));
            }
            node
        }));
        before
    }

    /// Adds the answer of a repository. Returns its subjects.
    fn add(&mut self, member: usize, answer: ResearchResponse) -> Vec<usize> {
        let before = self.add_nodes(member, answer.nodes);
        let all = &mut self.response;
        all.question = answer.question;
        let moved = answer.edges.into_iter();
        all.edges.extend(moved.map(|edge| GraphEdge {
            from: edge.from + before,
            to: edge.to + before,
            ..edge
        }));
        all.lines.extend(answer.lines);
        all.outside += answer.outside;
        all.guesses += answer.guesses;
        let join = |path: String| self.paths.join(member, &path);
        all.unparsed.extend(answer.unparsed.into_iter().map(join));
        all.partly_parsed.extend(answer.partly_parsed.into_iter().map(join));
        all.is_cut |= answer.is_cut;
        let subjects: Vec<usize> = answer.subjects.into_iter().map(|at| at + before).collect();
        all.subjects.extend(&subjects);
        subjects
    }

    /// Adds uses in another repository: their far end is the subject.
    fn add_uses(&mut self, member: usize, found: graph::ForeignUses, subjects: &[usize]) {
        let Some(subject) = subjects.first() else { return };
        let before = self.add_nodes(member, found.nodes);
        let moved = found.edges.into_iter();
        self.response.edges.extend(moved.map(|edge| GraphEdge {
            from: edge.from + before,
            to: *subject,
            ..edge
        }));
        self.response.lines.extend(found.lines);
        self.response.is_cut |= found.is_cut;
    }

    /// Sorts the edges as in one repository, and cuts them at the limit.
    fn finish(&mut self, limit: usize) {
        let all = &mut self.response;
        let edges = std::mem::take(&mut all.edges);
        let mut both: Vec<(GraphEdge, Option<String>)> =
            edges.into_iter().zip(std::mem::take(&mut all.lines)).collect();
        let is_guess = |edge: &GraphEdge| !edge.certainty.is_certain();
        let path = |edge: &GraphEdge| all.nodes[edge.from].path.as_deref().unwrap_or("");
        both.sort_by(|(left, _), (right, _)| {
            left.depth
                .cmp(&right.depth)
                .then_with(|| is_guess(left).cmp(&is_guess(right)))
                .then_with(|| path(left).cmp(path(right)))
                .then_with(|| left.line.cmp(&right.line))
        });
        all.is_cut |= both.len() > limit;
        both.truncate(limit);
        (all.edges, all.lines) = both.into_iter().unzip();
    }
}

impl Engine {
    /// The definitions of a name, and the packages that other repositories import them from.
    fn exported(&self, name: &str, progress: &dyn Progress) -> Result<Exported, EngineError> {
        self.recover(|config| graph::exported(config, name, progress))
    }

    /// The uses of definitions of other repositories in this one, for each of these repositories.
    fn foreign_uses(
        &self,
        exported: &[&Exported],
        kinds: &[ReferenceKind],
        request: &ResearchRequest,
        progress: &dyn Progress,
    ) -> Result<Vec<graph::ForeignUses>, EngineError> {
        self.recover(|config| graph::foreign_uses(config, exported, kinds, request, progress))
    }
}
