//! `lore index --sage`: the index file that other sage programs read.
#![cfg_attr(
    test,
    expect(clippy::disallowed_methods, reason = "tests prepare folders to write into")
)]

use std::{
    collections::BTreeMap,
    fs,
    io::{self, BufWriter, Write},
    path::Path,
};

use anyhow::{Context as _, bail};
use jiff::Timestamp;
use lore_compat::sage::{SageDocument, SageSource, indexed_documents};
use lore_console::{dates, report::Status};
use lore_render::{output, wire};
use lore_session::{Context, write_output};
use lore_settings::whole_file::empty_draft;
use serde::Serialize;

use crate::args::IndexArguments;

/// Version of the format.
const VERSION: &str = "1.0";

/// Path of the file, relative to the root of the tree.
const FILE: &str = ".sage/search-index.json";

#[derive(Serialize)]
struct IndexWire<'a> {
    version: &'static str,
    last_updated: &'a str,
    sources: SourcesWire<'a>,
    index: ContentWire<'a>,
}

#[derive(Serialize)]
struct SourcesWire<'a> {
    agent_docs: FilesWire<'a>,
    tickets: CountWire<'a>,
    specs: FilesWire<'a>,
    patterns: FilesWire<'a>,
    docs: FilesWire<'a>,
    git_commits: CountWire<'a>,
}

#[derive(Serialize)]
struct FilesWire<'a> {
    files: usize,
    last_scan: &'a str,
}

#[derive(Serialize)]
struct CountWire<'a> {
    count: usize,
    last_scan: &'a str,
}

#[derive(Serialize)]
struct ContentWire<'a> {
    /// For each word, the numbers of the documents that contain it.
    terms: BTreeMap<&'a str, Vec<usize>>,
    /// The documents, in the order of their numbers.
    documents: Vec<DocumentWire<'a>>,
}

#[derive(Serialize)]
struct DocumentWire<'a> {
    id: &'a str,
    source: &'static str,
    path: &'a str,
    title: &'a str,
    modified_time: Option<String>,
}

/// Reads everything that sage searches and writes the file atomically: a reader sees the old or the
/// new file, never a part.
pub(super) fn run(arguments: &IndexArguments) -> anyhow::Result<Status> {
    let context = Context::new(&arguments.tree, &arguments.common, Vec::new())?;
    let engine = context.engine()?;
    let documents = indexed_documents(&engine)?;
    let now = Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    let path = context.root.join(FILE);
    replace(&path, &form(&documents, &now))
        .with_context(|| format!("could not write `{}`", path.display()))?;
    let documents = output::plural(documents.len() as u64, "document", "documents");
    write_output(|out| {
        if arguments.json {
            wire::write(&serde_json::json!({ "path": FILE, "lastUpdated": now }), out)
        } else {
            writeln!(out, "wrote {documents} to {FILE}")
        }
    })?;
    Ok(Status::Success)
}

fn form<'a>(documents: &'a [SageDocument], now: &'a str) -> IndexWire<'a> {
    let count =
        |source: SageSource| documents.iter().filter(|document| document.source == source).count();
    let files = |files: usize| FilesWire { files, last_scan: now };
    let mut terms: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (number, document) in documents.iter().enumerate() {
        for word in &document.words {
            terms.entry(word).or_default().push(number);
        }
    }
    IndexWire {
        version: VERSION,
        last_updated: now,
        sources: SourcesWire {
            agent_docs: files(count(SageSource::Agent) + count(SageSource::Templates)),
            tickets: CountWire { count: count(SageSource::Tickets), last_scan: now },
            specs: files(count(SageSource::Specs)),
            patterns: files(count(SageSource::Patterns)),
            docs: files(count(SageSource::Docs)),
            git_commits: CountWire { count: count(SageSource::Git), last_scan: now },
        },
        index: ContentWire {
            terms,
            documents: documents
                .iter()
                .map(|document| DocumentWire {
                    id: &document.id,
                    source: document.source.as_str(),
                    path: &document.path,
                    title: &document.title,
                    modified_time: document.updated.and_then(dates::rfc3339),
                })
                .collect(),
        },
    }
}

/// Replaces a file atomically.
fn replace(path: &Path, content: &impl Serialize) -> anyhow::Result<()> {
    let folder = path.parent().context("the file has no folder")?;
    match fs::symlink_metadata(folder) {
        // The link may lead out of the tree: the repository's authors chose its target.
        Ok(found) if found.is_symlink() => bail!("`{}` is a link", folder.display()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => fs::create_dir(folder)?,
        _ => {}
    }
    let mut out = BufWriter::new(empty_draft(path, false)?);
    serde_json::to_writer(&mut out, content)?;
    writeln!(out)?;
    let draft = out.into_inner()?;
    draft.as_file().sync_all()?;
    draft.persist(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let outside = folder.path().join("outside");
        fs::create_dir_all(outside.join("tree")).expect("the folder is ours");
        let tree = folder.path().join("tree");
        fs::create_dir(&tree).expect("the folder is ours");
        std::os::unix::fs::symlink(&outside, tree.join(".sage")).expect("a link");
        let error = replace(&tree.join(FILE), &json!({})).expect_err("a link");
        assert!(error.to_string().ends_with("is a link"), "{error}");
        assert_eq!(fs::read_dir(&outside).expect("it is there").count(), 1);
        // A link in the place of the file is replaced, and what it leads to is left alone.
        fs::remove_file(tree.join(".sage")).expect("the folder is ours");
        fs::create_dir(tree.join(".sage")).expect("the folder is ours");
        let target = outside.join("precious");
        fs::write(&target, "precious").expect("the folder is ours");
        std::os::unix::fs::symlink(&target, tree.join(FILE)).expect("a link");
        replace(&tree.join(FILE), &json!({})).expect("written");
        assert_eq!(fs::read_to_string(&target).expect("it is there"), "precious");
        assert_eq!(fs::read_to_string(tree.join(FILE)).expect("it is there"), "{}\n");
    }

    #[test]
    fn the_file_has_the_published_shape() {
        let document = |source, id: &str, words: &[&str]| SageDocument {
            source,
            id: id.to_owned(),
            path: id.split_once(':').map_or("", |(_, path)| path).to_owned(),
            title: "Tide".to_owned(),
            updated: Some(0),
            words: words.iter().map(|word| (*word).to_owned()).collect(),
        };
        let documents = [
            document(SageSource::Agent, "agent:.sage/agent/a.md", &["moon", "tide"]),
            document(SageSource::Tickets, "tickets:.sage/tickets/T-1.md", &["tide"]),
        ];
        let file = serde_json::to_value(form(&documents, "2025-11-22T10:00:00Z")).expect("JSON");
        let scan = "2025-11-22T10:00:00Z";
        assert_eq!(file["version"], "1.0");
        assert_eq!(file["last_updated"], scan);
        assert_eq!(file["sources"]["agent_docs"], json!({ "files": 1, "last_scan": scan }));
        assert_eq!(file["sources"]["tickets"], json!({ "count": 1, "last_scan": scan }));
        assert_eq!(file["sources"]["specs"], json!({ "files": 0, "last_scan": scan }));
        assert_eq!(file["sources"]["git_commits"], json!({ "count": 0, "last_scan": scan }));
        assert_eq!(file["index"]["terms"], json!({ "moon": [0], "tide": [0, 1] }));
        assert_eq!(
            file["index"]["documents"][1],
            json!({
                "id": "tickets:.sage/tickets/T-1.md",
                "source": "tickets",
                "path": ".sage/tickets/T-1.md",
                "title": "Tide",
                "modified_time": "1970-01-01T00:00:00Z"
            })
        );
    }
}
