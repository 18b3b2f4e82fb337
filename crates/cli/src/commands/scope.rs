//! The repositories of a command with `-W NAME`.

use std::path::Path;

use lore_console::report::UsageError;
use lore_engine::{Engine, WorkspaceQuery};
use lore_session::{
    Context, OpenEngine,
    workspace::{OpenMember, OpenWorkspace},
};
use lore_settings::flags::{CommonArguments, RevisionArguments, TreeArguments, shared_flags};

use crate::args::ScopeArguments;

/// Opens the workspace that the command names, if it names one, and the context of the command: that of
/// the workspace, or of its tree.
pub(super) fn open(
    scope: &ScopeArguments,
    tree: &TreeArguments,
    common: &CommonArguments,
    revision: &RevisionArguments,
) -> anyhow::Result<(Option<OpenWorkspace>, Context)> {
    let Some(name) = &scope.workspace else {
        return Ok((None, Context::new(tree, common, Vec::new())?.at(revision)));
    };
    let workspace = OpenWorkspace::open(name, &scope.repo, || shared_flags(tree, common))?;
    if revision.at.is_some() {
        let error = UsageError::new("`--at` works in one repository");
        return Err(error.hint("use `-C DIR` instead of `-W NAME`").into());
    }
    let context = Context::of_workspace(&workspace.paths, Vec::new())?;
    Ok((Some(workspace), context))
}

/// The request of each repository, made for its root.
pub(super) fn queries<'w, R>(
    workspace: &'w OpenWorkspace,
    request: impl Fn(&Path) -> Result<R, UsageError>,
) -> Result<Vec<WorkspaceQuery<'w, R>>, UsageError> {
    let query = |member: &'w OpenMember| {
        let request = request(&member.context.root)?;
        Ok(WorkspaceQuery { engine: &member.engine, request })
    };
    workspace.members.iter().map(query).collect()
}

/// The engines of a command: those of a workspace, or that of its tree.
pub(super) fn engines<'e>(
    workspace: Option<&'e OpenWorkspace>,
    engine: Option<&'e OpenEngine>,
) -> Vec<&'e Engine> {
    let members = workspace.into_iter().flat_map(|workspace| &workspace.members);
    members.map(|member| &*member.engine).chain(engine.map(|engine| &**engine)).collect()
}
