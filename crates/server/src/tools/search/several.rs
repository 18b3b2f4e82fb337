//! A search over several trees: one ranked answer.

use std::{path::PathBuf, sync::Arc};

use lore_engine::{SearchRequest, SearchResponse, WorkspaceMember, search_workspace};
use lore_render::pack::PackRequest;
use lore_session::extensions::{added_words, reorder};

use super::{MAX_INDEX_WAIT, SearchArguments, no_index, request};
use crate::{
    control::CallControl,
    failure::Failure,
    tools::{Call, ready::Ready},
    tree::{NotesOnly, Opened, Outcome, Tree, until_fresh},
    tree_set::TreeSet,
};

/// Answers a question over all trees whose indexes are ready. The others are named in warnings. Also
/// returns the directory where the paths of the answer start.
pub(super) fn answer(
    call: &Call<'_>,
    trees: &[Arc<Tree>],
    arguments: &SearchArguments,
    query: &str,
    pack: &PackRequest,
) -> Result<(PathBuf, SearchResponse), Failure> {
    if arguments.at.is_some() {
        return Err(Failure::new("`at` reads one tree, and this session has several")
            .remedy(format!("add {{\"root\": \"{}\"}}", trees[0].name)));
    }
    let ready = Ready::wait(call, trees, MAX_INDEX_WAIT)?;
    let root = ready.paths.root.clone();
    let response = search(ready, &call.control, |opened| {
        let mut request = request(arguments, query, opened)?;
        pack.apply_to(&mut request);
        Ok(request)
    })?;
    Ok((root, response))
}

/// Searches trees of `all`, for other servers. `request` makes the request of each.
///
/// # Errors
/// When a request is invalid, or no tree can be searched.
pub fn search_trees(
    all: &dyn TreeSet,
    trees: &[Arc<Tree>],
    control: &CallControl,
    request: impl Fn(&Opened) -> Result<SearchRequest, Failure>,
) -> Result<SearchResponse, Failure> {
    let (paths, limited) = (all.paths_of(trees), control.with_limit(MAX_INDEX_WAIT));
    let ready = Ready::of(trees, paths, Vec::new(), &limited)?;
    search(ready, control, request)
}

/// Searches trees that are ready.
fn search(
    Ready { paths, opened, warnings }: Ready,
    control: &CallControl,
    request: impl Fn(&Opened) -> Result<SearchRequest, Failure>,
) -> Result<SearchResponse, Failure> {
    let requests: Vec<SearchRequest> =
        opened.iter().map(|(_, opened)| request(opened)).collect::<Result<_, Failure>>()?;
    let first = Arc::clone(&opened[0].0);
    let deadline = control.deadline();
    let found = first.run(control, move |of_first| {
        let mut warning = None;
        let added = added_words(&of_first.settings, &requests[0]).unwrap_or_else(|reason| {
            warning = Some(reason);
            Vec::new()
        });
        let members: Vec<WorkspaceMember<'_>> = opened
            .iter()
            .zip(requests)
            .map(|((_, opened), mut request)| {
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
            Ok(response)
        }
        Outcome::NotReady(progress) => Err(no_index(progress)),
    }
}
