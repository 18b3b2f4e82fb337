//! Maps a path of another machine, a build or a package to a file of the tree: the file that shares
//! the longest suffix with it. Pure.

use std::collections::HashMap;

/// Result of looking up a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathMatch {
    /// One file, as its index.
    File(usize),
    /// Several possible files, or one in a different folder.
    Candidates(Vec<usize>),
    /// Not in the tree.
    Outside,
}

/// The files of a tree, indexed by name.
pub struct PathMatcher<'a> {
    files: &'a [String],
    by_name: HashMap<String, Vec<usize>>,
    /// Components of the path of the tree.
    root: Vec<String>,
}

/// Folders that contain third-party code wherever they are.
const LIBRARIES: &[&str] = &[
    ".cargo",
    ".gem",
    ".m2",
    ".nuget",
    ".pub-cache",
    ".rustup",
    "bower_components",
    "deps",
    "dist-packages",
    "gems",
    "node_modules",
    "rustc",
    "rustlib",
    "site-packages",
    "vendor",
];

/// Packages of the JVM's own libraries and of test frameworks.
const PACKAGES: &[&str] = &[
    "akka/",
    "com/sun/",
    "groovy/",
    "io/netty/",
    "java/",
    "javax/",
    "jdk/",
    "junit/",
    "kotlin/",
    "kotlinx/",
    "org/apache/",
    "org/codehaus/",
    "org/gradle/",
    "org/hibernate/",
    "org/junit/",
    "org/mockito/",
    "org/opentest4j/",
    "org/springframework/",
    "scala/",
    "sun/",
];

impl<'a> PathMatcher<'a> {
    /// Indexes the root-relative paths of the tree at `root`.
    pub fn new(files: &'a [String], root: &str) -> PathMatcher<'a> {
        let mut by_name: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, path) in files.iter().enumerate() {
            let name = path.rsplit('/').next().unwrap_or(path);
            by_name.entry(name.to_lowercase()).or_default().push(at);
        }
        PathMatcher { files, by_name, root: parts(root).into_iter().map(str::to_owned).collect() }
    }

    /// Looks up a path as it was written.
    pub fn find(&self, written: &str) -> PathMatch {
        let path = without_scheme(written);
        let all = parts(path);
        let Some(name) = all.last() else { return PathMatch::Outside };
        if path.starts_with('<') || written.starts_with("node:") {
            return PathMatch::Outside;
        }
        // A path below the tree must match exactly.
        let inside = all.len() > self.root.len()
            && !self.root.is_empty()
            && all.iter().zip(&self.root).all(|(part, own)| part == own);
        if inside {
            let rest = all[self.root.len()..].join("/");
            let same = self.files.iter().position(|file| *file == rest);
            return same.map_or(PathMatch::Outside, PathMatch::File);
        }
        let Some(called) = self.by_name.get(&name.to_lowercase()) else {
            return PathMatch::Outside;
        };
        let min = min_common(path, &all);
        [true, false]
            .into_iter()
            .find_map(|exact| self.longest(called, &all, min, exact, path))
            .unwrap_or(PathMatch::Outside)
    }

    /// Returns the files with the longest common suffix among files of one name.
    fn longest(
        &self,
        called: &[usize],
        all: &[&str],
        min: usize,
        exact: bool,
        path: &str,
    ) -> Option<PathMatch> {
        let common = |at: usize| {
            let own = self.files[at].split('/').rev();
            let same = |(left, right): &(&str, &&str)| {
                if exact { left == *right } else { left.to_lowercase() == right.to_lowercase() }
            };
            own.zip(all.iter().rev()).take_while(same).count()
        };
        let ends: Vec<(usize, usize)> = called.iter().map(|at| (common(*at), *at)).collect();
        let most = ends.iter().map(|(length, _)| *length).max()?;
        if most < min {
            return None;
        }
        let best: Vec<usize> =
            ends.iter().filter(|(length, _)| *length == most).map(|(_, at)| *at).collect();
        let depth = |at: usize| self.files[at].split('/').count();
        // A relative path that equals a path of the tree means that file.
        let whole: Vec<usize> = best.iter().copied().filter(|at| depth(*at) == most).collect();
        let is_relative = !path.starts_with('/');
        Some(match best[..] {
            // If only the file name matches, the folders differ.
            [only] if most == 1 && all.len() > 1 && depth(only) > 1 => {
                PathMatch::Candidates(vec![only])
            }
            [only] => PathMatch::File(only),
            _ if whole.len() == 1 && is_relative && most == all.len() => PathMatch::File(whole[0]),
            _ => PathMatch::Candidates(best),
        })
    }
}

/// Splits a path into components without `.`, `..` and empty ones.
fn parts(path: &str) -> Vec<&str> {
    path.split('/').filter(|part| !matches!(*part, "" | "." | "..")).collect()
}

/// Removes the scheme and host of a URL and the drive letter.
fn without_scheme(written: &str) -> &str {
    let path = match written.split_once("://") {
        Some(("file", path)) => path,
        // A bundle URL has a name and no host: `webpack://shop/./src/x.ts`.
        Some((_, rest)) => rest.split_once('/').map_or(rest, |(_, path)| path),
        None => written,
    };
    let path = path.strip_prefix("(rsc)/").unwrap_or(path);
    let bytes = path.trim_start_matches('/').as_bytes();
    if bytes.len() > 2 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':' {
        let at = path.len() - bytes.len();
        return &path[at + 2..];
    }
    path
}

/// Returns the minimum number of components that a file must share with a path. For a library path
/// these are all components from the library folder on.
fn min_common(path: &str, all: &[&str]) -> usize {
    let is_system =
        ["/usr/", "/nix/store/", "/opt/homebrew/", "/System/", "/Library/", "../sysdeps/"]
            .iter()
            .any(|start| path.starts_with(start));
    if is_system || PACKAGES.iter().any(|package| path.starts_with(package)) {
        return all.len();
    }
    let is_library = |at: &usize| {
        let part = all[*at];
        let is_module = at + 1 < all.len() && part == "pkg" && all[at + 1] == "mod";
        let is_python = part.starts_with("python3.") && *at > 0 && all[at - 1] == "lib";
        (LIBRARIES.contains(&part) && at + 1 < all.len()) || is_module || is_python
    };
    (0..all.len()).rev().find(is_library).map_or(1, |at| all.len() - at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_end_that_names_one_file_counts() {
        let files = [
            "src/main.rs",
            "src/refund.ts",
            "crates/a/src/lib.rs",
            "crates/b/src/lib.rs",
            "src/main/java/com/shop/Refunds.java",
            "Sources/Shop/Store.swift",
            "app.py",
            "node_modules/left/index.js",
            "src/option.rs",
            "refund/share_test.go",
            "src/ArrayList.java",
        ]
        .map(str::to_owned);
        let places = PathMatcher::new(&files, "/home/ann/shop");
        let path = |at: usize| files[at].as_str();
        for (written, expected) in [
            ("src/main.rs", "src/main.rs"),
            ("/home/ann/shop/src/main.rs", "src/main.rs"),
            ("/home/ann/shop/target/debug/build/src/main.rs", "outside"),
            ("/build/agent/42/src/main.rs", "src/main.rs"),
            ("C:/work/shop/SRC/Main.rs", "src/main.rs"),
            ("webpack:///./src/refund.ts", "src/refund.ts"),
            ("webpack://shop/./src/refund.ts", "src/refund.ts"),
            ("file:///app/src/refund.ts", "src/refund.ts"),
            ("http://localhost:3000/src/refund.ts", "src/refund.ts"),
            ("/src/lib.rs", "crates/a/src/lib.rs|crates/b/src/lib.rs"),
            ("b/src/lib.rs", "crates/b/src/lib.rs"),
            ("com/shop/Refunds.java", "src/main/java/com/shop/Refunds.java"),
            ("java/util/ArrayList.java", "outside"),
            ("/Users/ann/Shop/Store.swift", "Sources/Shop/Store.swift"),
            ("/app/app.py", "app.py"),
            ("/app/node_modules/left/index.js", "node_modules/left/index.js"),
            ("/app/node_modules/right/index.js", "outside"),
            ("/rustc/59807616/library/core/src/option.rs", "outside"),
            ("/other/option.rs", "src/option.rs?"),
            ("option.rs", "src/option.rs"),
            ("example.com/shop/refund/share_test.go", "refund/share_test.go"),
            ("node:internal/main.rs", "outside"),
            ("<frozen runpy>", "outside"),
            ("", "outside"),
            ("nothing.rs", "outside"),
        ] {
            let found = match places.find(written) {
                PathMatch::File(at) => path(at).to_owned(),
                PathMatch::Candidates(all) if all.len() == 1 => format!("{}?", path(all[0])),
                PathMatch::Candidates(all) => {
                    all.into_iter().map(path).collect::<Vec<_>>().join("|")
                }
                PathMatch::Outside => "outside".to_owned(),
            };
            assert_eq!(found, expected, "{written}");
        }
    }
}
