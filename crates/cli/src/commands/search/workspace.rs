//! A search over the repositories of a workspace.

use lore_console::report::UsageError;
use lore_engine::{SearchRequest, SearchResponse, WorkspaceMember, search_workspace};
use lore_render::output::Format;
use lore_session::{extensions::added_words, progress::Reporter, workspace::OpenWorkspace};

use super::request;
use crate::args::SearchArguments;

/// Rejects the flags that only one repository can answer.
pub(super) fn refuse(arguments: &SearchArguments) -> Result<(), UsageError> {
    let flags = [
        (arguments.revision.at.is_some(), "--at"),
        (arguments.from_failure.is_some(), "--from-failure"),
        (arguments.follow.is_some(), "--follow"),
        (arguments.contract.system.is_some(), "--as"),
    ];
    match flags.into_iter().find(|(is_set, _)| *is_set) {
        Some((_, flag)) => Err(UsageError::new(format!("`{flag}` works in one repository"))
            .hint("use `-C DIR` instead of `-W NAME`")),
        None => Ok(()),
    }
}

/// Answers a question over all repositories. `change` completes the request of each. Also returns the
/// warning of the program that adds words, if it failed.
pub(super) fn answer(
    workspace: &OpenWorkspace,
    arguments: &SearchArguments,
    query: &str,
    format: &dyn Format,
    change: &dyn Fn(&mut SearchRequest),
    progress: &Reporter,
) -> anyhow::Result<(SearchRequest, SearchResponse)> {
    let mut members = Vec::with_capacity(workspace.members.len());
    let mut added = None;
    let mut warning = None;
    for member in &workspace.members {
        let mut request = request(arguments, query.to_owned(), &member.context, format)?;
        change(&mut request);
        // The program belongs to the user, not to a repository: one run is enough.
        let words = added.get_or_insert_with(|| {
            added_words(&member.context.settings, &request).unwrap_or_else(|reason| {
                warning = Some(reason);
                Vec::new()
            })
        });
        request.extras.expansions.clone_from(words);
        members.push(WorkspaceMember { engine: &member.engine, request });
    }
    let mut response = search_workspace(&workspace.paths, &members, &workspace.skipped, progress)?;
    response.warnings.splice(0..0, warning);
    let first = members.into_iter().next().map(|member| member.request);
    Ok((first.unwrap_or_else(|| SearchRequest::new(query)), response))
}
