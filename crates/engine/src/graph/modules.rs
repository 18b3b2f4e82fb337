//! Maps module names of imports to files by path, with rules for each family of languages.

use super::languages::{ModuleStyle, binding, may_mean};

/// A file as a module: its folders and its stem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ModulePath {
    /// Folders and stem; without the stem for a file that represents its folder.
    pub(crate) segments: Vec<String>,
    /// Number of `segments` above the package root: the folders before `src`.
    root: usize,
    /// True if the file represents its folder.
    is_face: bool,
}

/// Folders that are not part of module names, at any depth.
const PLAIN_FOLDERS: &[&str] = &["Sources", "src"];

/// Folders that contain a package at the top of a tree, but are part of module names below.
const LIBRARY_FOLDERS: &[&str] = &["include", "lib", "source"];

/// Stems of files that represent their folder.
const FACES: &[&str] = &["__init__", "index", "init", "lib", "main", "mod"];

impl ModulePath {
    /// Splits a root-relative path.
    pub(crate) fn new(path: &str) -> ModulePath {
        let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
        let stem = name
            .strip_suffix(".d.ts")
            .unwrap_or_else(|| name.rsplit_once('.').map_or(name, |(stem, _)| stem));
        let mut segments: Vec<String> =
            folders.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect();
        let mut root = 0;
        // The innermost one counts, because packages are nested in a workspace.
        if let Some(at) = segments.iter().rposition(|part| PLAIN_FOLDERS.contains(&part.as_str())) {
            root = at;
            segments.remove(at);
        } else if segments.first().is_some_and(|part| LIBRARY_FOLDERS.contains(&part.as_str())) {
            root = 1;
        }
        let is_face = FACES.contains(&stem);
        if !is_face {
            segments.push(stem.to_owned());
        }
        ModulePath { segments, root, is_face }
    }

    /// Returns the segments below the package root.
    fn inner(&self) -> &[String] {
        &self.segments[self.root.min(self.segments.len())..]
    }

    /// Returns the segments of the package root.
    fn package(&self) -> &[String] {
        &self.segments[..self.root.min(self.segments.len())]
    }

    /// Returns the segments of the folder that contains the file.
    fn folder(&self) -> &[String] {
        let stem = usize::from(!self.is_face);
        &self.segments[..self.segments.len().saturating_sub(stem)]
    }
}

/// Joins a module and an inner module in the notation of the language.
pub(crate) fn join(language: &str, module: &str, inner: &str) -> String {
    let joint = match language {
        "rust" => "::",
        _ if module.contains('/') => "/",
        _ if module.ends_with('.') => "",
        _ => ".",
    };
    format!("{module}{joint}{inner}")
}

/// Returns true if an import without an alias makes a module available under this name: the last
/// segment of its name.
///
/// In Go, a version follows the name (`caddy/v2`, `yaml.v3`), and the name of a repository may have a
/// prefix or suffix that its package lacks (`go-humanize`, `nats.go`).
pub(super) fn is_called(language: &str, module: &str, name: &str) -> bool {
    if binding(language).modules != ModuleStyle::Folder {
        return module.rsplit(['.', '/', ':', '\\']).next() == Some(name);
    }
    let is_version = |part: &str| {
        part.strip_prefix('v')
            .is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
    };
    let mut parts = module.rsplit('/');
    let last = parts.next().unwrap_or(module);
    let last = if is_version(last) { parts.next().unwrap_or(last) } else { last };
    let last =
        last.rsplit_once('.').filter(|(_, end)| is_version(end)).map_or(last, |(own, _)| own);
    let bare = last.strip_prefix("go-").unwrap_or(last);
    let bare = bare.strip_suffix("-go").or_else(|| bare.strip_suffix(".go")).unwrap_or(bare);
    name == last || name == bare
}

/// Returns true if the module name of an import in one file refers to another file.
///
/// `member` is a type in the other file that may be the last segment: `use a::Kind::*`, `import
/// static a.Kind.of`.
pub(crate) fn names(
    language: &str,
    from: &ModulePath,
    module: &str,
    to: &ModulePath,
    member: Option<&str>,
) -> bool {
    let style = binding(language).modules;
    let exact = |module: &str| match style {
        ModuleStyle::Rust => rust(from, module, to),
        ModuleStyle::Python => python(from, module, to),
        ModuleStyle::Path => path(language, from, module, to),
        ModuleStyle::Folder => folder(module, to),
        ModuleStyle::Namespace => namespace(module, to),
    };
    exact(module)
        || member.is_some_and(|member| {
            let outer = module.strip_suffix(member);
            outer.is_some_and(|outer| exact(outer.trim_end_matches([':', '.', '\\', '/'])))
        })
}

fn rust(from: &ModulePath, module: &str, to: &ModulePath) -> bool {
    let parts: Vec<&str> = module.split("::").filter(|part| !part.is_empty()).collect();
    let same_package = from.package() == to.package();
    let mut base: Vec<&str> = from.inner().iter().map(String::as_str).collect();
    let mut rest = parts.as_slice();
    let mut relative = false;
    while let Some((first, after)) = rest.split_first() {
        match *first {
            "crate" | "$crate" => base.clear(),
            "self" => {}
            // The parent of an inline module is the file itself.
            "super" => drop(base.pop()),
            _ => break,
        }
        relative = true;
        rest = after;
    }
    let target = || to.inner().iter().map(String::as_str);
    let is = |base: &[&str]| same_package && target().eq(base.iter().chain(rest).copied());
    if is(&base) {
        return true;
    }
    if relative {
        // `super::` in `mod tests` is the file.
        let whole: Vec<&str> = from.inner().iter().map(String::as_str).collect();
        return parts.first() == Some(&"super") && is(&whole);
    }
    let Some((first, after)) = parts.split_first() else { return false };
    if matches!(*first, "alloc" | "core" | "proc_macro" | "std") {
        return false;
    }
    // A crate is named like its folder or ends with that name: `shop_store` in `crates/store`.
    let package = to.package().last().or_else(|| to.segments.first());
    let is_crate = package.map(|name| name.replace('-', "_")).is_some_and(|name| {
        *first == name || first.strip_suffix(name.as_str()).is_some_and(|rest| rest.ends_with('_'))
    });
    is_crate && target().eq(after.iter().copied())
}

fn python(from: &ModulePath, module: &str, to: &ModulePath) -> bool {
    let dots = module.len() - module.trim_start_matches('.').len();
    let parts = module[dots..].split('.').filter(|part| !part.is_empty());
    if dots == 0 {
        // Names start at the package root, which is the tree or the content of `src`. A module with
        // the same name further down is a different one.
        let parts: Vec<&str> = parts.collect();
        return to.segments.len() - parts.len().min(to.segments.len()) <= to.root
            && ends_with(&to.segments, parts);
    }
    let mut base: Vec<&str> = from.folder().iter().map(String::as_str).collect();
    for _ in 1..dots {
        base.pop();
    }
    to.segments.iter().map(String::as_str).eq(base.into_iter().chain(parts))
}

fn path(language: &str, from: &ModulePath, module: &str, to: &ModulePath) -> bool {
    let is_package = !module.starts_with('.') && may_mean("typescript", language);
    if is_package {
        return package(from, module, to);
    }
    let module = module.split_once(':').map_or(module, |(_, path)| path);
    let relative = module.starts_with('.');
    let mut base: Vec<String> = if relative { from.folder().to_vec() } else { Vec::new() };
    let count = module.split('/').count();
    for (index, part) in module.split('/').enumerate() {
        match part {
            "" | "." => {}
            ".." => drop(base.pop()),
            _ if PLAIN_FOLDERS.contains(&part) => {}
            _ if index + 1 == count => {
                let stem = if is_file_name(part) {
                    part.rsplit_once('.').map_or(part, |(stem, _)| stem)
                } else {
                    part
                };
                // Without a slash, dots separate segments: `app.store` in Lua.
                if !module.contains('/') && !is_file_name(part) {
                    base.extend(part.split('.').map(str::to_owned));
                } else if !FACES.contains(&stem) || base.is_empty() {
                    base.push(stem.to_owned());
                }
            }
            _ => base.push(part.trim_start_matches('@').to_owned()),
        }
    }
    if base.is_empty() {
        return relative && to.segments == base;
    }
    if relative {
        to.segments == base
    } else {
        ends_with(&to.segments, base.iter().map(String::as_str).collect())
    }
}

/// Matches a package by its name, `name` or `@scope/name`, and the path inside it; `@/` and `~/`
/// are the importing package.
fn package(from: &ModulePath, module: &str, to: &ModulePath) -> bool {
    let parts: Vec<&str> = module.split('/').filter(|part| !PLAIN_FOLDERS.contains(part)).collect();
    let rest = |skipped: usize| -> Vec<&str> {
        let rest = parts.get(skipped..).unwrap_or_default().iter();
        rest.map(|part| {
            if is_file_name(part) { part.rsplit_once('.').unwrap_or((part, "")).0 } else { part }
        })
        .collect()
    };
    let inner = |skipped: usize| to.inner().iter().map(String::as_str).eq(rest(skipped));
    match parts.as_slice() {
        ["@" | "~" | "#", ..] => from.package() == to.package() && inner(1),
        [scope, name, ..] if scope.starts_with('@') => {
            to.package().last().is_some_and(|package| package == name) && inner(2)
        }
        [name, ..] => to.package().last().is_some_and(|package| package == name) && inner(1),
        [] => false,
    }
}

/// Returns true if the last component of a path has the extension of a source file.
fn is_file_name(part: &str) -> bool {
    const ENDS: &[&str] = &[
        "c", "cc", "cjs", "cpp", "css", "dart", "h", "hh", "hpp", "js", "jsx", "lua", "mjs", "php",
        "proto", "rb", "sh", "svelte", "ts", "tsx", "vue", "zig",
    ];
    part.rsplit_once('.').is_some_and(|(_, end)| ENDS.contains(&end))
}

fn folder(module: &str, to: &ModulePath) -> bool {
    let parts: Vec<&str> = module.split('/').collect();
    // Without a host it belongs to the standard library.
    if !parts[0].contains('.') {
        return false;
    }
    let folder = to.folder();
    // A folder at the root of the tree is the module itself: `host/owner/module`.
    if folder.is_empty() {
        return (3..=4).contains(&parts.len());
    }
    let theirs: Vec<String> = parts.iter().map(|part| (*part).to_owned()).collect();
    ends_with(&theirs, folder.iter().map(String::as_str).collect())
}

fn namespace(module: &str, to: &ModulePath) -> bool {
    let parts: Vec<&str> =
        module.split(['.', '\\', ':', '/']).filter(|part| !part.is_empty()).collect();
    let lower = |text: &str| text.to_lowercase().replace('_', "");
    // The module is the folder, the file, or both after some leading segments that are not folders.
    [to.folder(), to.segments.as_slice()].iter().any(|segments| {
        let same = segments
            .iter()
            .rev()
            .zip(parts.iter().rev())
            .take_while(|(left, right)| lower(left) == lower(right))
            .count();
        same > 0 && (same == parts.len() || same >= 2 || segments.len() == same)
    })
}

/// Returns true if the segments end with all of the parts.
fn ends_with(segments: &[String], parts: Vec<&str>) -> bool {
    let parts: Vec<&str> = parts.into_iter().filter(|part| !PLAIN_FOLDERS.contains(part)).collect();
    !parts.is_empty()
        && segments.len() >= parts.len()
        && segments[segments.len() - parts.len()..]
            .iter()
            .zip(&parts)
            .all(|(left, right)| left == right || left.replace('-', "_") == right.replace('-', "_"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(language: &str, from: &str, module: &str, to: &str, expected: bool) {
        let named = names(language, &ModulePath::new(from), module, &ModulePath::new(to), None);
        assert_eq!(named, expected, "{module} in {from} is {to}");
    }

    #[test]
    fn rust_modules_match_files() {
        let check = |from, module, to, expected| check("rust", from, module, to, expected);
        check("a/src/lib.rs", "crate::store", "a/src/store.rs", true);
        check("a/src/lib.rs", "crate::store", "a/src/store/mod.rs", true);
        check("a/src/lib.rs", "crate::store", "b/src/store.rs", false);
        check("a/src/net/tcp.rs", "super", "a/src/net/mod.rs", true);
        check("a/src/net/tcp.rs", "super::udp", "a/src/net/udp.rs", true);
        check("a/src/net/tcp.rs", "super", "a/src/net/tcp.rs", true);
        check("a/src/net/mod.rs", "self::tcp", "a/src/net/tcp.rs", true);
        check("a/src/net/mod.rs", "tcp", "a/src/net/tcp.rs", true);
        check("b/src/lib.rs", "a::net", "a/src/net.rs", true);
        check("b/tests/x.rs", "my_crate::net", "my-crate/src/net.rs", true);
        check("b/src/lib.rs", "shop_store::disk", "crates/store/src/disk.rs", true);
        check("b/src/lib.rs", "shop_store", "crates/store/src/lib.rs", true);
        check("b/src/lib.rs", "restore", "crates/store/src/lib.rs", false);
        check("a/src/lib.rs", "std::net", "a/src/net.rs", false);
    }

    #[test]
    fn python_modules_match_files() {
        let check = |from, module, to, expected| check("python", from, module, to, expected);
        check("src/app/views.py", ".models", "src/app/models.py", true);
        check("src/app/views.py", ".", "src/app/__init__.py", true);
        check("src/app/__init__.py", ".models", "src/app/models.py", true);
        check("src/app/api/v1.py", "..models", "src/app/models.py", true);
        check("tests/test_app.py", "app.models", "src/app/models.py", true);
        check("tests/test_app.py", "app", "src/app/__init__.py", true);
        check("tests/test_app.py", "json", "src/app/json/__init__.py", false);
        check("tests/test_app.py", "app.models", "src/app/views.py", false);
    }

    #[test]
    fn path_imports_match_files() {
        let check = |from, module, to, expected| check("typescript", from, module, to, expected);
        check("src/a/b.ts", "./c.js", "src/a/c.ts", true);
        check("src/a/b.ts", "../d", "src/d/index.ts", true);
        check("src/a/b.ts", ".", "src/a/index.ts", true);
        check("src/a/b.ts", "./c", "src/b/c.ts", false);
        check("x/b.ts", "zod/v4/core", "packages/zod/src/v4/core/index.ts", true);
        check("x/b.ts", "@shop/app/store", "packages/app/src/store.ts", true);
        check("a/src/x/b.ts", "@/lib/c", "a/src/lib/c.ts", true);
        check("x/b.ts", "util", "src/util.ts", false);
    }

    #[test]
    fn modules_have_a_name_of_their_own() {
        let check = |language, module, name, expected| {
            assert_eq!(is_called(language, module, name), expected, "{module} as {name}");
        };
        check("go", "github.com/caddyserver/caddy/v2", "caddy", true);
        check("go", "github.com/caddyserver/caddy/v2", "v2", false);
        check("go", "gopkg.in/yaml.v3", "yaml", true);
        check("go", "github.com/dustin/go-humanize", "humanize", true);
        check("go", "github.com/nats-io/nats.go", "nats", true);
        check("go", "net/http", "http", true);
        check("go", "net/http", "net", false);
        check("python", "app.models", "models", true);
        check("rust", "crate::v2", "v2", true);
    }

    #[test]
    fn namespaces_match_files() {
        let check = |language, module, to, expected| check(language, "x", module, to, expected);
        check("java", "com.shop.util", "core/src/main/java/com/shop/util/Text.java", true);
        check("java", "com.shop.util", "core/src/main/java/com/shop/web/Text.java", false);
        check("go", "github.com/shop/core/store", "store/disk.go", true);
        check("go", "fmt", "internal/fmt.go", false);
        check("go", "errors", "errors/e.go", false);
        check("csharp", "Shop.Store", "src/Shop/Store/Disk.cs", true);
    }
}
