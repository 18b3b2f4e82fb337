//! A search over several trees: one ranked answer.

use std::{path::PathBuf, sync::Arc};

use lore_engine::{SearchResponse, WorkspaceMember, search_workspace};
use lore_render::pack::PackRequest;
use lore_session::extensions::{added_words, reorder};

use super::{MAX_INDEX_WAIT, SearchArguments, no_index, request};
use crate::{
    failure::Failure,
    tools::{Call, ready::Ready},
    tree::{NotesOnly, Outcome, Tree, until_fresh},
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
    let Ready { paths, opened, warnings } = Ready::wait(call, trees, MAX_INDEX_WAIT)?;
    let mut requests = Vec::with_capacity(opened.len());
    for (_, opened) in &opened {
        let mut request = request(arguments, query, opened)?;
        pack.apply_to(&mut request);
        requests.push(request);
    }
    let first = Arc::clone(&opened[0].0);
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
            Ok((root, response))
        }
        Outcome::NotReady(progress) => Err(no_index(progress)),
    }
}
