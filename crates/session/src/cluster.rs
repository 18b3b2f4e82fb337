//! The search cluster that the user's own settings name.

use std::{
    fs,
    path::Path,
    sync::{Mutex, PoisonError},
};

use lore_console::{report::UsageError, text::clean};
use lore_engine::{
    ClusterAddress, ClusterCredentials, ClusterLayout, OpenSearchBackend, StoredTree,
};
use lore_settings::{Settings, address::Address, env_vars::Lookup};

/// A backend that was made before, with the values that it was made of.
struct Known {
    address: ClusterAddress,
    index: String,
    repository: String,
    layout: ClusterLayout,
    backend: &'static OpenSearchBackend,
}

/// All backends of this process: one for each cluster and repository.
static KNOWN: Mutex<Vec<Known>> = Mutex::new(Vec::new());

/// The backend for a repository in the cluster of the settings. Opens no connection. A backend lives as long
/// as the process, and is made once; those of one cluster share their connections.
///
/// # Errors
/// If the settings name no cluster, or do not fit together, or the repository has no valid name. No error
/// contains a secret.
pub fn backend(
    settings: &Settings,
    repository: &str,
    lookup: Lookup<'_>,
    layout: ClusterLayout,
) -> Result<&'static OpenSearchBackend, UsageError> {
    let address = address(settings, lookup)?;
    let index = settings.cluster_index().to_owned();
    if StoredTree::root(repository).is_none() {
        let problem = format!("`{}` is no name of a repository in the cluster", clean(repository));
        return Err(UsageError::new(problem).hint(
            "use one or more names, separated by `/`: set `cluster.repository`, or use `lore cluster \
             ingest --as NAME`",
        ));
    }
    let mut all = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let is_same =
        |known: &&Known| known.address == address && known.index == index && known.layout == layout;
    let same: Vec<&Known> = all.iter().filter(is_same).collect();
    if let Some(known) = same.iter().find(|known| known.repository == repository) {
        return Ok(known.backend);
    }
    let backend = match same.first() {
        Some(known) => known.backend.of_repository(repository),
        None => OpenSearchBackend::new(&address, &index, layout, Some(repository))
            .map_err(|error| UsageError::new(error.to_string()))?,
    };
    let backend: &'static OpenSearchBackend = Box::leak(Box::new(backend));
    let repository = repository.to_owned();
    all.push(Known { address, index, repository, layout, backend });
    Ok(backend)
}

/// Name of the repository of a tree in the cluster.
pub fn repository(settings: &Settings, root: &Path) -> String {
    let directory = || root.file_name().map(|name| name.to_string_lossy().into_owned());
    settings.cluster_repository().map(str::to_owned).or_else(directory).unwrap_or_default()
}

/// The nodes of the cluster, with the name and the secret that it requires.
fn address(settings: &Settings, lookup: Lookup<'_>) -> Result<ClusterAddress, UsageError> {
    let nodes = settings.cluster_nodes();
    if nodes.is_empty() {
        return Err(UsageError::new("no cluster is named").hint(
            "set `cluster.url`, for example with `lore config set cluster.url http://localhost:9200`",
        ));
    }
    let credentials = credentials(settings, lookup)?;
    let has_secret = !matches!(credentials, ClusterCredentials::None);
    let mut urls = Vec::with_capacity(nodes.len());
    for node in nodes {
        let address = Address::of_server(node).map_err(|reason| {
            UsageError::new(format!("could not use the cluster of `cluster.url`: found {reason}"))
                .hint("use a URL such as `https://search.example.com:9200`")
        })?;
        // Anyone on the network path could read the secret and use it.
        if has_secret && !address.is_private() {
            let reason = "a secret would be sent without encryption";
            return Err(UsageError::new(format!("could not use the cluster `{node}`: {reason}"))
                .hint("use `https://`, or a tunnel that ends on `localhost`"));
        }
        urls.push(address.url());
    }
    let read = |file: &str| {
        fs::read(file).map_err(|error| {
            UsageError::new(format!("could not read `{file}` of `cluster.ca`: {error}"))
                .hint("name a file with certificates in the form PEM")
        })
    };
    Ok(ClusterAddress {
        nodes: urls,
        credentials,
        authorities: settings.cluster_authorities().map(read).transpose()?,
    })
}

fn credentials(settings: &Settings, lookup: Lookup<'_>) -> Result<ClusterCredentials, UsageError> {
    let secret = |setting: &str, variable: &str| {
        let value = lookup(variable).and_then(|value| value.into_string().ok());
        let value = value.map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
        value.ok_or_else(|| {
            let problem = format!("`{setting}` names the variable `{variable}`, which is not set");
            UsageError::new(problem).hint(format!("put the secret into `{variable}`"))
        })
    };
    if let Some(variable) = settings.cluster_key_variable() {
        return Ok(ClusterCredentials::ApiKey(secret("cluster.key_env", variable)?));
    }
    match (settings.cluster_user(), settings.cluster_password_variable()) {
        (Some(user), Some(variable)) => Ok(ClusterCredentials::Basic {
            user: user.to_owned(),
            password: secret("cluster.password_env", variable)?,
        }),
        (Some(_), None) => {
            let hint = "name the variable with the password in `cluster.password_env`";
            Err(UsageError::new("`cluster.user` has no password").hint(hint))
        }
        (None, _) => Ok(ClusterCredentials::None),
    }
}
