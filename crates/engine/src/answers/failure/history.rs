//! Finds the commits that wrote the failing lines, and the last ones that changed their files.

use std::collections::BTreeSet;

use lore_index::DocumentId;

use crate::{
    EngineConfig, EngineError,
    search::sites::{DocumentText, Site},
    state::file_commits::FileCommits,
    state::snapshot::Snapshot,
};

/// Maximum number of commits per file, newest first. Each costs two versions of the file.
const MAX_COMMITS: usize = 24;

/// Maximum number of frames whose history is read, innermost first.
const MAX_PLACES: usize = 4;

/// A commit that may be related to a failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Touch {
    /// The commit.
    pub(crate) commit: DocumentId,
    /// The path that the commit changed.
    pub(crate) path: String,
    /// The line that the commit wrote; `None` if it only changed the file.
    pub(crate) line: Option<u32>,
    /// Index of the site.
    pub(crate) place: usize,
}

/// Returns the commits of the sites, innermost site first: those that wrote the line, then the
/// newest one of each file. Each commit appears once.
pub(crate) fn touches(
    sites: &[(Site, std::rc::Rc<DocumentText>)],
    snapshot: &Snapshot,
    config: &EngineConfig,
) -> Result<Vec<Touch>, EngineError> {
    let Some(mut commits) = FileCommits::of(snapshot) else { return Ok(Vec::new()) };
    let (mut on_lines, mut on_files): (Vec<Touch>, Vec<Touch>) = (Vec::new(), Vec::new());
    for (place, (site, text)) in sites.iter().enumerate().take(MAX_PLACES) {
        let mut ids = commits.newest_first(&site.path)?;
        ids.truncate(MAX_COMMITS);
        let own = commits.read(&site.path, &ids)?;
        let of_line = site.line.and_then(|line| {
            let written = text.text.lines().nth(line as usize - 1)?;
            let hashes: Vec<String> =
                own.iter().map(|(_, commit)| commit.key.locator.clone()).collect();
            let lines = [written.to_owned()];
            let put = lore_sources::lines_added(&config.root, &hashes, &site.path, &lines);
            let at = put.iter().position(|put| !put.is_empty())?;
            Some((own[at].0, line))
        });
        if let Some((commit, line)) = of_line {
            on_lines.push(Touch { commit, path: site.path.clone(), line: Some(line), place });
        }
        if let Some((commit, _)) = own.first() {
            on_files.push(Touch { commit: *commit, path: site.path.clone(), line: None, place });
        }
    }
    let mut seen = BTreeSet::new();
    on_lines.extend(on_files);
    on_lines.retain(|touch| seen.insert(touch.commit));
    Ok(on_lines)
}
