//! The limit on import circles: files that import each other are understood only together.

use std::path::Path;

use anyhow::Result;

use crate::modules::ModuleGraph;

/// Maximum number of files in an import circle.
const MAX_FILES: usize = 3;

/// Violations, one line each.
pub(crate) fn check(root: &Path) -> Result<Vec<String>> {
    let mut folders: Vec<_> = std::fs::read_dir(root.join("crates"))?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<std::io::Result<_>>()?;
    folders.push(root.join("xtask"));
    folders.retain(|folder| folder.join("Cargo.toml").is_file());
    folders.sort();
    let mut violations = Vec::new();
    for folder in folders {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        violations.extend(violations_of(&name, &ModuleGraph::read(&folder.join("src"))?));
    }
    Ok(violations)
}

/// The circles of a crate that are too large, one line each.
fn violations_of(name: &str, graph: &ModuleGraph) -> Vec<String> {
    let circles = graph.circles();
    let large = circles.iter().filter(|circle| circle.len() > MAX_FILES);
    large
        .map(|circle| {
            let files: Vec<String> = circle.iter().map(|file| file.display().to_string()).collect();
            format!(
                "{name}: {} files import each other, more than {MAX_FILES} \
                 (`cargo xtask stats {name}` shows the imports): {}",
                files.len(),
                files.join(", ")
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::violations_of;
    use crate::modules::ModuleGraph;

    #[test]
    fn circles_of_more_than_three_files_are_violations() {
        let import = |file: &str, target: &str| (file.into(), format!("use crate::{target}::x;"));
        let mut files = vec![import("a.rs", "b"), import("b.rs", "c"), import("c.rs", "a")];
        assert!(violations_of("toy", &ModuleGraph::from_sources(&files)).is_empty());
        files[2] = import("c.rs", "d");
        files.push(import("d.rs", "a"));
        let violations = violations_of("toy", &ModuleGraph::from_sources(&files));
        assert_eq!(violations.len(), 1);
        assert!(violations[0].ends_with("a.rs, b.rs, c.rs, d.rs"), "{violations:?}");
    }
}
