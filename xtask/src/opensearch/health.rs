//! Requests to the nodes, to see whether the cluster is complete.

use std::{
    io::Write as _,
    process::{Command, Stdio},
};

use anyhow::{Context as _, Result};
use serde_json::Value;

use super::{options::Options, security, state::Folder};

/// Seconds after which a request fails.
const TIMEOUT: &str = "5";

/// State of the cluster, as a node reports it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Health {
    /// `green`, `yellow` or `red`.
    pub(super) status: String,
    /// Number of nodes in the cluster.
    pub(super) nodes: u64,
}

impl Health {
    /// Reads the answer to `/_cluster/health`.
    fn parse(text: &str) -> Option<Health> {
        let answer: Value = serde_json::from_str(text).ok()?;
        let status = answer["status"].as_str()?.to_owned();
        Some(Health { status, nodes: answer["number_of_nodes"].as_u64()? })
    }

    /// Returns true if the cluster has all nodes and all primary shards.
    pub(super) fn is_complete(&self, options: &Options) -> bool {
        self.nodes == u64::from(options.nodes) && matches!(&*self.status, "green" | "yellow")
    }
}

/// An answer of a node.
struct Answer {
    /// Status of HTTP.
    code: String,
    text: String,
}

/// The health that a node reports; `None` if it does not answer.
pub(super) fn health(folder: &Folder, options: &Options, node: u16) -> Result<Option<Health>> {
    let user = if options.security { Some(security::administrator(folder)?) } else { None };
    let answer = get(folder, options, node, "/_cluster/health", user.as_deref())?;
    Ok(answer.and_then(|answer| Health::parse(&answer.text)))
}

/// Returns true if a node rejects requests without a user.
pub(super) fn requires_user(folder: &Folder, options: &Options, node: u16) -> Result<bool> {
    let answer = get(folder, options, node, "/", None)?;
    Ok(answer.is_some_and(|answer| answer.code == "401"))
}

/// The answer of a node; `None` if it does not answer.
fn get(
    folder: &Folder,
    options: &Options,
    node: u16,
    path: &str,
    user: Option<&str>,
) -> Result<Option<Answer>> {
    let mut settings = vec![format!("url = \"{}{path}\"", options.url(node))];
    if options.security {
        settings.push(format!("cacert = \"{}\"", security::authority(folder).display()));
    }
    settings.extend(user.map(|user| format!("user = \"{user}\"")));
    // Settings on standard input: other users can read the arguments of a process.
    let mut curl = Command::new("curl")
        .args(["--silent", "--noproxy", "*", "--max-time", TIMEOUT, "--config", "-"])
        .args(["--write-out", "\n%{http_code}"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("could not start `curl`\nhint: apt-get install --yes curl")?;
    curl.stdin
        .take()
        .context("standard input of `curl`")?
        .write_all(settings.join("\n").as_bytes())?;
    let output = curl.wait_with_output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let answer = text.rsplit_once('\n').filter(|_| output.status.success());
    Ok(answer.map(|(text, code)| Answer { code: code.to_owned(), text: text.to_owned() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clusters_are_complete_with_all_nodes_and_primary_shards() {
        let options = Options { nodes: 3, ..Options::default() };
        let complete = |text| Health::parse(text).map(|health| health.is_complete(&options));
        assert_eq!(complete(r#"{"status":"green","number_of_nodes":3}"#), Some(true));
        assert_eq!(complete(r#"{"status":"yellow","number_of_nodes":3}"#), Some(true));
        assert_eq!(complete(r#"{"status":"yellow","number_of_nodes":2}"#), Some(false));
        assert_eq!(complete(r#"{"status":"red","number_of_nodes":3}"#), Some(false));
        assert_eq!(complete(r#"{"error":{"type":"x"},"status":503}"#), None);
        assert_eq!(complete("OpenSearch Security not initialized."), None);
    }
}
