//! The repositories of a command with `-W NAME` or `--cluster URL`.

use std::path::Path;

use lore_console::report::UsageError;
use lore_engine::{Engine, WorkspaceQuery};
use lore_session::{
    Context, OpenEngine,
    workspace::{OpenMember, OpenWorkspace},
};
use lore_settings::{
    Override, Value,
    flags::{CommonArguments, RevisionArguments, TreeArguments, shared_flags},
};

use crate::args::ScopeArguments;

/// Opens the repositories that the command names, and the context of the command: that of the
/// repositories, or of its tree. `question` selects repositories of a cluster.
pub(super) fn open(
    scope: &ScopeArguments,
    tree: &TreeArguments,
    common: &CommonArguments,
    revision: &RevisionArguments,
    question: &str,
) -> anyhow::Result<(Option<OpenWorkspace>, Context)> {
    let Some(workspace) = repositories(scope, question, || shared_flags(tree, common))? else {
        return Ok((None, Context::new(tree, common, Vec::new())?.at(revision)));
    };
    if revision.at.is_some() {
        let error = UsageError::new("`--at` works in one repository");
        return Err(error.hint("use `-C DIR` instead of `-W NAME`").into());
    }
    let context = Context::of_workspace(&workspace.paths, Vec::new())?;
    Ok((Some(workspace), context))
}

/// Opens the repositories that the command names: those of a workspace, or those of a cluster that a
/// question is about. `None` if it names none.
pub(super) fn repositories(
    scope: &ScopeArguments,
    question: &str,
    flags: impl Fn() -> Vec<Override>,
) -> anyhow::Result<Option<OpenWorkspace>> {
    if let Some(url) = scope.cluster_url() {
        let mut flags = flags();
        flags.push(cluster_flag(url));
        return OpenWorkspace::of_cluster(&scope.repo, question, &flags).map(Some);
    }
    let Some(name) = &scope.workspace else { return Ok(None) };
    OpenWorkspace::open(name, &scope.repo, flags).map(Some)
}

/// The setting of a flag with the URL of a cluster.
pub(super) fn cluster_flag(url: &str) -> Override {
    Override { key: "cluster.url", value: Value::Text(url.to_owned()), flag: "--cluster" }
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
