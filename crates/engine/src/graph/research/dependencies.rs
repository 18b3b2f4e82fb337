//! The module graph: imports between files and folders.

use std::{collections::HashSet, rc::Rc};

use lore_index::IndexError;
use lore_schema::Import;

use super::Findings;
use crate::{
    Certainty, EdgeKind, GraphEdge, Relation, ResearchRequest,
    graph::{
        code_graph::{CodeGraph, File, folder_of},
        modules,
    },
};

/// Returns the edges of one part of the tree, file by file, or of the whole tree, folder by folder.
pub(super) fn find(
    graph: &CodeGraph<'_>,
    request: &ResearchRequest,
    findings: &mut Findings,
) -> Result<(), IndexError> {
    let listing = graph.listing(&request.filter)?;
    let Some(module) = &request.question.subject else {
        let levels = request.depth.unwrap_or(usize::MAX);
        for listed in listing {
            let file = graph.file(listed.id)?;
            let from = folder(&file.path, levels);
            for import in &file.outline.imports {
                for target in targets(graph, &file, import)? {
                    let to = folder(&target.path, levels);
                    if from != to {
                        edge(findings, &from, &to, "folder", None);
                    }
                }
            }
        }
        return Ok(());
    };
    let wanted = module.trim_matches('/').replace("::", "/");
    let upwards = request.question.relation == Relation::Dependents;
    let is_inside = |path: &str| is_in_module(path, &wanted);
    for listed in listing {
        let inside = is_inside(listed.path);
        if inside {
            let node = findings.named(listed.path, "file", true);
            findings.subjects.push(node);
        }
        let file = graph.file(listed.id)?;
        for import in &file.outline.imports {
            let found = targets(graph, &file, import)?;
            if found.is_empty() && inside && !upwards {
                findings.outside += 1;
                let name = import.module.clone();
                let from = findings.named(&file.path, "file", true);
                let to = findings.named(&name, "name", false);
                findings.push(GraphEdge {
                    certainty: Certainty::Outside,
                    ..import_edge(from, to, Some(import.line))
                });
            }
            for target in found {
                // The imports of a module, inside it as well; or the importers from outside it.
                let is_answer = if upwards { !inside && is_inside(&target.path) } else { inside };
                if is_answer {
                    edge(findings, &file.path, &target.path, "file", Some(import.line));
                }
            }
        }
    }
    Ok(())
}

/// Returns true if a path is a module or inside it: `store`, `src/store`, `src/store.rs`.
fn is_in_module(path: &str, module: &str) -> bool {
    let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    [path, stem].iter().any(|whole| {
        whole.match_indices(module).any(|(at, _)| {
            let before = at == 0 || whole.as_bytes()[at - 1] == b'/';
            let end = at + module.len();
            before && (end == whole.len() || whole.as_bytes()[end] == b'/')
        })
    })
}

/// Returns the folder of a path, cut to a number of levels; `.` for the root.
fn folder(path: &str, levels: usize) -> String {
    let parts: Vec<&str> = folder_of(path).split('/').take(levels).collect();
    let folder = parts.join("/");
    if folder.is_empty() { ".".to_owned() } else { folder }
}

fn import_edge(from: usize, to: usize, line: Option<u32>) -> GraphEdge {
    let (kind, certainty) = (EdgeKind::Imports, Certainty::Import);
    GraphEdge { from, to, kind, certainty, line, depth: 1, count: 1 }
}

fn edge(findings: &mut Findings, from: &str, to: &str, kind: &'static str, line: Option<u32>) {
    let from = findings.named(from, kind, true);
    let to = findings.named(to, kind, true);
    findings.push(import_edge(from, to, line));
}

/// Returns the files that an import refers to: those of the module that its name is, otherwise
/// those of the imported module.
fn targets(
    graph: &CodeGraph<'_>,
    file: &Rc<File>,
    import: &Import,
) -> Result<Vec<Rc<File>>, IndexError> {
    let mut found = graph.module_files(file, &import.module)?;
    // A module imported from another one.
    if let Some(name) = import.name.as_deref().filter(|name| *name != "*") {
        let inner = modules::join(&file.language, &import.module, name);
        let inner = graph.module_files(file, &inner)?;
        if !inner.is_empty() {
            found = inner;
        }
    }
    let mut seen = HashSet::new();
    found.retain(|target| target.id != file.id && seen.insert(target.id));
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_whole_parts_of_paths() {
        let check = |path: &str, module: &str, expected: bool| {
            assert_eq!(is_in_module(path, module), expected, "{module} in {path}");
        };
        check("src/store/disk.rs", "store", true);
        check("src/store/disk.rs", "src/store", true);
        check("src/store.rs", "store", true);
        check("src/store.rs", "src/store.rs", true);
        check("src/restore.rs", "store", false);
        check("src/stores/disk.rs", "store", false);
    }

    #[test]
    fn folders_are_cut() {
        assert_eq!(folder("a/b/c/d.rs", 2), "a/b");
        assert_eq!(folder("d.rs", 2), ".");
    }
}
