//! Rows of data about languages that name resolution needs.

/// Rules of a language for binding names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a property that a language has or not")]
pub(crate) struct Binding {
    /// Languages whose definitions a name may refer to.
    pub(crate) family: &'static [&'static str],
    /// Style of module names in imports.
    pub(crate) modules: ModuleStyle,
    /// True if a member is called without naming its object.
    pub(crate) implicit_this: bool,
    /// True if files in one folder see each other's names.
    pub(crate) folder_is_package: bool,
    /// True if a type satisfies an interface by having its methods.
    pub(crate) structural: bool,
    /// True if an item is declared in one file and defined in another.
    pub(crate) declared_apart: bool,
}

/// Style of module names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ModuleStyle {
    /// `crate::a::b`, `super::b`.
    Rust,
    /// `a.b`, `.b`, `..a.b`.
    Python,
    /// `./b`, `package/a/b`.
    Path,
    /// `host/owner/module/folder`.
    Folder,
    /// `a.b`, where folders and files match names only by convention.
    Namespace,
}

const BY_NAMESPACE: Binding = Binding {
    family: &[],
    modules: ModuleStyle::Namespace,
    implicit_this: true,
    folder_is_package: true,
    structural: false,
    declared_apart: false,
};

const BY_PATH: Binding = Binding {
    modules: ModuleStyle::Path,
    implicit_this: false,
    folder_is_package: false,
    ..BY_NAMESPACE
};

/// Languages that differ from the default, one row each.
const BINDINGS: &[(&str, Binding)] = &[
    ("c", Binding { family: C_FAMILY, implicit_this: true, declared_apart: true, ..BY_PATH }),
    ("c++", Binding { family: C_FAMILY, implicit_this: true, declared_apart: true, ..BY_PATH }),
    ("dart", Binding { implicit_this: true, ..BY_PATH }),
    (
        "go",
        Binding {
            modules: ModuleStyle::Folder,
            implicit_this: false,
            structural: true,
            ..BY_NAMESPACE
        },
    ),
    ("java", Binding { family: JVM, ..BY_NAMESPACE }),
    ("javascript", Binding { family: ECMASCRIPT, ..BY_PATH }),
    ("kotlin", Binding { family: JVM, ..BY_NAMESPACE }),
    ("objective-c", Binding { family: C_FAMILY, declared_apart: true, ..BY_PATH }),
    ("php", Binding { implicit_this: false, ..BY_NAMESPACE }),
    ("python", Binding { modules: ModuleStyle::Python, ..BY_PATH }),
    ("ruby", Binding { implicit_this: true, ..BY_PATH }),
    ("rust", Binding { modules: ModuleStyle::Rust, ..BY_PATH }),
    ("scala", Binding { family: JVM, ..BY_NAMESPACE }),
    ("svelte", Binding { family: ECMASCRIPT, ..BY_PATH }),
    ("tsx", Binding { family: ECMASCRIPT, ..BY_PATH }),
    ("typescript", Binding { family: ECMASCRIPT, ..BY_PATH }),
    ("vue", Binding { family: ECMASCRIPT, ..BY_PATH }),
];

const C_FAMILY: &[&str] = &["c", "c++", "objective-c"];
const ECMASCRIPT: &[&str] = &["javascript", "svelte", "tsx", "typescript", "vue"];
const JVM: &[&str] = &["groovy", "java", "kotlin", "scala"];

/// Languages that bind names like Java.
const NAMESPACED: &[&str] = &["csharp", "elixir", "groovy", "haskell", "julia", "ocaml", "swift"];

/// Returns the rules of a language.
pub(crate) fn binding(language: &str) -> Binding {
    let row = BINDINGS.iter().find(|(name, _)| *name == language);
    match row {
        Some((_, binding)) => *binding,
        None if NAMESPACED.contains(&language) => BY_NAMESPACE,
        None => BY_PATH,
    }
}

/// Returns true if a name in one language may be defined in another.
pub(crate) fn may_mean(from: &str, to: &str) -> bool {
    from == to || binding(from).family.contains(&to)
}
