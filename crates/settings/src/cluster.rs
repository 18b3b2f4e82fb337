//! Settings of the search cluster.

use crate::{keys::NONE, settings::Settings};

impl Settings {
    /// Returns true if indexes are stored in the cluster.
    pub fn uses_cluster(&self) -> bool {
        self.text("index.backend") == "opensearch"
    }

    /// URLs of the nodes of the cluster; empty for none.
    pub fn cluster_nodes(&self) -> Vec<&str> {
        let url = Some(self.text("cluster.url")).filter(|url| *url != NONE);
        url.into_iter().flat_map(|url| url.split(',')).map(str::trim).collect()
    }

    /// Name of the index in the cluster.
    pub fn cluster_index(&self) -> &str {
        self.text("cluster.index")
    }

    /// Name of the repository in the cluster, if it is not that of its directory.
    pub fn cluster_repository(&self) -> Option<&str> {
        self.optional("cluster.repository")
    }

    /// User of the cluster.
    pub fn cluster_user(&self) -> Option<&str> {
        self.optional("cluster.user")
    }

    /// Name of the environment variable with the user's password.
    pub fn cluster_password_variable(&self) -> Option<&str> {
        self.optional("cluster.password_env")
    }

    /// Name of the environment variable with an API key.
    pub fn cluster_key_variable(&self) -> Option<&str> {
        self.optional("cluster.key_env")
    }

    /// File with the certificates of trusted authorities.
    pub fn cluster_authorities(&self) -> Option<&str> {
        self.optional("cluster.ca")
    }

    fn optional(&self, key: &str) -> Option<&str> {
        Some(self.text(key)).filter(|text| *text != NONE)
    }
}
