//! A search over several trees: one ranked answer.

use std::{path::PathBuf, sync::Arc};

use lore_engine::{SearchResponse, WorkspaceMember, WorkspacePaths, search_workspace};
use lore_render::pack::PackRequest;
use lore_session::extensions::{added_words, reorder};

use super::{MAX_INDEX_WAIT, SearchArguments, ask_again, no_index, request};
use crate::{
    failure::Failure,
    tools::Call,
    tree::{NotesOnly, Opened, Outcome, Tree, until_fresh},
};

/// Answers a question over all trees whose indexes are ready. The others are named in warnings. Also
/// returns the directory where the paths of the answer start.
pub(super) fn answer(
    call: &Call<'_>,
    trees: &[&Arc<Tree>],
    arguments: &SearchArguments,
    query: &str,
    pack: &PackRequest,
) -> Result<(PathBuf, SearchResponse), Failure> {
    if arguments.at.is_some() {
        return Err(Failure::new("`at` reads one tree, and this session has several")
            .remedy(format!("add {{\"root\": \"{}\"}}", trees[0].name)));
    }
    let roots: Vec<_> = trees.iter().map(|tree| &*tree.root).collect();
    let mut paths = WorkspacePaths::new(&roots);
    let prefixes = std::mem::take(&mut paths.prefixes);
    let mut ready: Vec<(&Arc<Tree>, Arc<Opened>)> = Vec::new();
    let mut warnings = call.skipped.to_vec();
    let mut failure = None;
    let opened: Vec<Result<Arc<Opened>, Failure>> = trees.iter().map(|tree| tree.open()).collect();
    // All indexes are built at once, and not one after the other in the loop that waits for them.
    opened.iter().flatten().for_each(Tree::start_indexing);
    let control = call.control.with_limit(MAX_INDEX_WAIT);
    for ((tree, prefix), opened) in trees.iter().zip(prefixes).zip(opened) {
        let waited = opened.and_then(|opened| {
            let outcome = Tree::wait_until_ready(&opened, &control)?;
            Ok((opened, outcome))
        });
        match waited {
            Ok((opened, Outcome::Answered(()))) => {
                ready.push((*tree, opened));
                paths.prefixes.push(prefix);
            }
            Ok((_, Outcome::NotReady(progress))) => {
                let name = &tree.name;
                warnings.push(format!("`{name}` is not searched yet: {}", progress.describe()));
                warnings.extend(ask_again(progress));
                failure.get_or_insert_with(|| no_index(progress));
            }
            Err(error) => {
                let reason = error.message();
                warnings.push(format!("`{}` is not searched: {reason}", tree.name));
                failure.get_or_insert(error);
            }
        }
    }
    let Some((first, _)) = ready.first() else {
        return Err(failure.unwrap_or_else(|| Failure::new("there is no tree to read")));
    };
    let mut requests = Vec::with_capacity(ready.len());
    for (_, opened) in &ready {
        let mut request = request(arguments, query, opened)?;
        pack.apply_to(&mut request);
        requests.push(request);
    }
    let first = Arc::clone(first);
    let opened: Vec<Arc<Opened>> = ready.into_iter().map(|(_, opened)| opened).collect();
    let root = paths.root.clone();
    let deadline = call.control.deadline();
    let found = first.run(&call.control, move |of_first| {
        let mut warning = None;
        let added = added_words(&of_first.settings, &requests[0]).unwrap_or_else(|reason| {
            warning = Some(reason);
            Vec::new()
        });
        let members: Vec<WorkspaceMember<'_>> = opened
            .iter()
            .zip(requests)
            .map(|(opened, mut request)| {
                request.extras.expansions.clone_from(&added);
                WorkspaceMember { engine: &opened.engine, request }
            })
            .collect();
        let mut response = until_fresh(
            deadline,
            |response: &SearchResponse| &response.receipt,
            || Ok(search_workspace(&paths, &members, &[], &NotesOnly)?),
        )?;
        response.warnings.splice(0..0, warning);
        reorder(&of_first.settings, &mut response);
        Ok(response)
    })?;
    match found {
        Outcome::Answered(mut response) => {
            response.receipt.exhaustive &= warnings.is_empty();
            response.warnings.splice(0..0, warnings);
            Ok((root, response))
        }
        Outcome::NotReady(progress) => Err(no_index(progress)),
    }
}
