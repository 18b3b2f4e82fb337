//! `lore index --sage`: the index file that other sage programs read.
#![cfg_attr(
    test,
    expect(clippy::disallowed_methods, reason = "tests prepare folders to write into")
)]

use std::{
    fs,
    io::{self, BufWriter, Write},
    path::Path,
};

use anyhow::{Context as _, bail};
use jiff::Timestamp;
use lore_compat::sage::{SageIndex, SageSource, indexed};
use lore_console::report::Status;
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
    index: ContentWire,
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
struct ContentWire {
    /// Number of distinct words.
    terms: usize,
    /// Number of documents.
    documents: usize,
}

/// Writes the file and reports it on standard output.
pub(super) fn run(arguments: &IndexArguments) -> anyhow::Result<Status> {
    let context = Context::new(&arguments.tree, &arguments.common, Vec::new())?;
    report(&write(&context)?, arguments.json)?;
    Ok(Status::Success)
}

/// A file that was written.
pub(super) struct Written {
    documents: usize,
    last_updated: String,
}

impl Written {
    /// The report for people, on one line.
    pub(super) fn line(&self) -> String {
        let documents = output::plural(self.documents as u64, "document", "documents");
        format!("wrote the counts of {documents} to {FILE}")
    }
}

/// Writes the report of a file to standard output.
pub(super) fn report(written: &Written, json: bool) -> anyhow::Result<()> {
    write_output(|out| {
        if json {
            wire::write(&wire::sage_index(FILE, &written.last_updated), out)
        } else {
            writeln!(out, "{}", written.line())
        }
    })
}

/// Counts everything that sage searches and writes the file atomically: a reader sees the old or the
/// new file, never a part.
pub(super) fn write(context: &Context) -> anyhow::Result<Written> {
    let engine = context.engine()?;
    let index = indexed(&engine)?;
    let now = Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    let path = context.root.join(FILE);
    replace(&path, &form(&index, &now))
        .with_context(|| format!("could not write `{}`", path.display()))?;
    Ok(Written { documents: index.documents.values().sum(), last_updated: now })
}

fn form<'a>(index: &SageIndex, now: &'a str) -> IndexWire<'a> {
    let count = |source: SageSource| index.documents.get(&source).copied().unwrap_or_default();
    let files = |files: usize| FilesWire { files, last_scan: now };
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
        index: ContentWire { terms: index.terms, documents: index.documents.values().sum() },
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
        let documents = [(SageSource::Agent, 1), (SageSource::Tickets, 2)].into();
        let index = SageIndex { documents, terms: 5 };
        let file = serde_json::to_value(form(&index, "2025-11-22T10:00:00Z")).expect("JSON");
        let scan = "2025-11-22T10:00:00Z";
        assert_eq!(file["version"], "1.0");
        assert_eq!(file["last_updated"], scan);
        assert_eq!(file["sources"]["agent_docs"], json!({ "files": 1, "last_scan": scan }));
        assert_eq!(file["sources"]["tickets"], json!({ "count": 2, "last_scan": scan }));
        assert_eq!(file["sources"]["specs"], json!({ "files": 0, "last_scan": scan }));
        assert_eq!(file["sources"]["git_commits"], json!({ "count": 0, "last_scan": scan }));
        assert_eq!(file["index"], json!({ "terms": 5, "documents": 3 }));
    }
}
