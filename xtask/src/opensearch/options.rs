//! Arguments of `cargo xtask opensearch`, and their form in the folder of a cluster.

use std::{fmt, path::PathBuf};

use anyhow::{Context as _, Result, bail};

/// Port of the first node: not 9200, which a cluster in use has.
const DEFAULT_PORT: u16 = 19_200;

/// Difference between the port of a node for HTTP and its port for other nodes.
const TRANSPORT_OFFSET: u16 = 100;

/// Memory of the Java heap of a node, in megabytes.
const DEFAULT_HEAP: u32 = 768;

/// A node with less ends while it starts.
const MIN_HEAP: u32 = 256;

/// Maximum number of nodes on one machine.
const MAX_NODES: u16 = 5;

/// The form of a cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Options {
    pub(super) nodes: u16,
    /// TLS and users.
    pub(super) security: bool,
    /// Port of the first node for HTTP; each further node has the next one.
    pub(super) port: u16,
    /// Megabytes of the heap of each node.
    pub(super) heap: u32,
}

impl Default for Options {
    fn default() -> Options {
        Options { nodes: 1, security: false, port: DEFAULT_PORT, heap: DEFAULT_HEAP }
    }
}

/// The arguments that start this cluster.
impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Options { nodes, security, port, heap } = self;
        write!(f, "--nodes {nodes} --port {port} --heap {heap}")?;
        if *security { f.write_str(" --security") } else { Ok(()) }
    }
}

impl Options {
    /// Reads the arguments of `start`; the second value is the folder.
    pub(super) fn parse(words: &[String]) -> Result<(Options, Option<PathBuf>)> {
        let mut options = Options::default();
        let mut folder = None;
        let mut words = words.iter().map(String::as_str);
        while let Some(word) = words.next() {
            if word == "--security" {
                options.security = true;
                continue;
            }
            let value = words.next().with_context(|| format!("`{word}` needs a value"))?;
            let wrong = || format!("`{word} {value}`");
            match word {
                "--nodes" => options.nodes = value.parse().with_context(wrong)?,
                "--port" => options.port = value.parse().with_context(wrong)?,
                "--heap" => options.heap = value.parse().with_context(wrong)?,
                "--folder" => folder = Some(PathBuf::from(value)),
                _ => bail!("unknown argument `{word}`"),
            }
        }
        if !(1..=MAX_NODES).contains(&options.nodes) {
            bail!("`--nodes {}`: use 1 to {MAX_NODES}", options.nodes);
        }
        if options.heap < MIN_HEAP {
            bail!("`--heap {}`: use {MIN_HEAP} megabytes or more", options.heap);
        }
        let max = u16::MAX - TRANSPORT_OFFSET - MAX_NODES;
        if !(1024..=max).contains(&options.port) {
            bail!("`--port {}`: use 1024 to {max}", options.port);
        }
        Ok((options, folder))
    }

    /// Reads the form that [`fmt::Display`] writes.
    pub(super) fn from_text(text: &str) -> Result<Options> {
        let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        Ok(Options::parse(&words)?.0)
    }

    /// Numbers of the nodes.
    pub(super) fn numbers(&self) -> std::ops::RangeInclusive<u16> {
        1..=self.nodes
    }

    /// Port of a node for HTTP.
    pub(super) fn http_port(&self, node: u16) -> u16 {
        self.port + node - 1
    }

    /// Port of a node for other nodes.
    pub(super) fn transport_port(&self, node: u16) -> u16 {
        self.http_port(node) + TRANSPORT_OFFSET
    }

    /// Address of a node.
    pub(super) fn url(&self, node: u16) -> String {
        let scheme = if self.security { "https" } else { "http" };
        format!("{scheme}://127.0.0.1:{}", self.http_port(node))
    }
}

/// The only option of the other commands, `--folder`.
pub(super) fn parse_folder(words: &[String]) -> Result<Option<PathBuf>> {
    match words {
        [] => Ok(None),
        [flag, folder] if flag == "--folder" => Ok(Some(folder.into())),
        [word, ..] => bail!("unknown argument `{word}`"),
    }
}

/// Number of the node that the argument of `kill` names: `node-2` or `2`.
pub(super) fn node_number(name: &str) -> Result<u16> {
    let number = name.strip_prefix("node-").unwrap_or(name);
    number.parse().with_context(|| format!("`{name}` is not the name of a node such as `node-2`"))
}

#[cfg(test)]
mod tests {
    use super::{Options, node_number, parse_folder};

    fn parse(line: &str) -> anyhow::Result<Options> {
        Options::from_text(line)
    }

    #[test]
    fn options_have_defaults_and_a_text_form() {
        let options = parse("--nodes 3 --security --port 20000 --heap 512").unwrap();
        assert_eq!(options, Options { nodes: 3, security: true, port: 20_000, heap: 512 });
        assert_eq!(parse(&options.to_string()).unwrap(), options);
        assert_eq!(parse(&Options::default().to_string()).unwrap(), parse("").unwrap());
        assert_eq!(options.url(3), "https://127.0.0.1:20002");
        assert_eq!(parse("").unwrap().transport_port(2), 19_301);
    }

    #[test]
    fn wrong_arguments_are_errors() {
        for line in ["--nodes", "--nodes 0", "--nodes 6", "--heap 10", "--port 80", "--what 1", "x"]
        {
            assert!(parse(line).is_err(), "{line:?}");
        }
        assert!(parse_folder(&["--nodes".into(), "3".into()]).is_err());
    }

    #[test]
    fn nodes_are_named_by_name_or_number() {
        assert_eq!(node_number("node-2").unwrap(), 2);
        assert_eq!(node_number("2").unwrap(), 2);
        assert!(node_number("node-x").is_err());
    }
}
