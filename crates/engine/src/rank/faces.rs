//! Files that represent their folder.

/// Names of texts that describe their folder, so that the files beside them are details: plans and
/// tasks beside a spec, chapters beside a README.
pub(super) const WITH_DETAILS: [&str; 4] = ["README.md", "SPEC.md", "readme.md", "spec.md"];

/// Returns whether a file represents its folder: as the module of that name, or as the text that
/// describes it. Its name is that of the folder.
pub(super) fn is_face(name: &str) -> bool {
    let of_text = name.rsplit_once('.').is_some_and(|(stem, extension)| {
        let is_one =
            |names: &[&str], text: &str| names.iter().any(|name| name.eq_ignore_ascii_case(text));
        is_one(&TEXTS, stem) && is_one(&EXTENSIONS, extension)
    });
    of_text || MODULES.binary_search(&name).is_ok()
}

/// Names of modules. Sorted.
static MODULES: [&str; 12] = [
    "__init__.py",
    "doc.go",
    "index.js",
    "index.jsx",
    "index.mjs",
    "index.ts",
    "index.tsx",
    "init.lua",
    "lib.rs",
    "main.rs",
    "mod.rs",
    "package-info.java",
];

/// Names of texts without their extensions, in whatever case: `_index` is Hugo's.
const TEXTS: [&str; 5] = ["_index", "index", "readme", "skill", "spec"];

/// Extensions of texts.
const EXTENSIONS: [&str; 4] = ["adoc", "md", "mdx", "rst"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_represent_their_folder_by_name() {
        assert!(MODULES.is_sorted());
        let named = ["mod.rs", "__init__.py", "README.md", "Readme.rst", "index.mdx", "SKILL.md"];
        for name in named.iter().chain(&WITH_DETAILS) {
            assert!(is_face(name), "{name}");
        }
        for name in ["Mod.rs", "readme", "readme.rs", "spec.rb", "index.html", "reindex.md", "md"] {
            assert!(!is_face(name), "{name}");
        }
    }
}
