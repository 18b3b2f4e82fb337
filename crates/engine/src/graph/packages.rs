//! Packages by the names in their manifests, and the imports that name them.

use super::languages::{ModuleStyle, binding};

/// The manifests that are read.
pub(crate) const MANIFESTS: &[&str] = &["Cargo.toml", "go.mod", "package.json", "pyproject.toml"];

/// A package, by the name that imports of it begin with.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Package {
    /// Name of its manifest, which decides the languages that can import it.
    manifest: &'static str,
    /// `tower_http`, `@scope/name`, `github.com/owner/name`, `flask`.
    name: String,
}

impl Package {
    /// Reads the package of a manifest; `None` for other files, and for manifests without a name.
    /// Lines are read one by one, so that a manifest with errors still has its name.
    pub(crate) fn of_manifest(path: &str, text: &str) -> Option<Package> {
        let file = path.rsplit('/').next().unwrap_or(path);
        let manifest = MANIFESTS.iter().find(|known| **known == file)?;
        let name = match *manifest {
            "go.mod" => {
                let module = text.lines().find_map(|line| line.trim().strip_prefix("module "))?;
                module.split("//").next().unwrap_or(module).trim().trim_matches('"').to_owned()
            }
            "package.json" => json_name(text)?,
            "Cargo.toml" => {
                let library = toml_name(text, &["lib"]);
                library.or_else(|| toml_name(text, &["package"]))?.replace('-', "_")
            }
            _ => toml_name(text, &["project", "tool.poetry"])?
                .replace(['-', '.'], "_")
                .to_lowercase(),
        };
        (!name.is_empty()).then_some(Package { manifest, name })
    }

    /// Returns true if an import of this module, in a file of this language, is one of the package.
    pub(crate) fn is_in(&self, language: &str, module: &str) -> bool {
        let style = binding(language).modules;
        let is_below = |separator: char| {
            module
                .strip_prefix(&self.name)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(separator))
        };
        match self.manifest {
            "Cargo.toml" => style == ModuleStyle::Rust && is_below(':'),
            "go.mod" => style == ModuleStyle::Folder && is_below('/'),
            "package.json" => style == ModuleStyle::Path && is_below('/'),
            _ => {
                let module = module.split('.').next().unwrap_or(module);
                style == ModuleStyle::Python && module.to_lowercase() == self.name
            }
        }
    }

    /// Returns the name with which a path can begin without an import, as in Rust.
    pub(crate) fn name_without_import(&self, language: &str) -> Option<&str> {
        let is_path = self.manifest == "Cargo.toml" && self.is_in(language, &self.name);
        is_path.then_some(&*self.name)
    }
}

/// The value of `name` in the first of these tables that has one.
fn toml_name(text: &str, tables: &[&str]) -> Option<String> {
    let mut table = String::new();
    for line in text.lines().map(str::trim) {
        if let Some(header) = line.strip_prefix('[') {
            header.split(']').next().unwrap_or(header).trim().clone_into(&mut table);
        } else if tables.contains(&table.as_str())
            && let Some(value) = line.strip_prefix("name")
            && let Some(value) = value.trim_start().strip_prefix('=')
        {
            return quoted(value);
        }
    }
    None
}

/// The value of the outermost `name` of an object in JSON.
fn json_name(text: &str) -> Option<String> {
    let mut depth = 0_usize;
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}', '"']) {
        let sign = rest.as_bytes()[at];
        rest = &rest[at + 1..];
        match sign {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            _ => {
                let end = end_of_text(rest)?;
                let (key, after) = (&rest[..end], &rest[end + 1..]);
                rest = after;
                if depth == 1
                    && key == "name"
                    && let Some(value) = after.trim_start().strip_prefix(':')
                {
                    return quoted(value);
                }
            }
        }
    }
    None
}

/// Position of the quotation mark that ends a text.
fn end_of_text(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    text.bytes().position(|byte| {
        let is_end = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        is_end
    })
}

/// The text in quotation marks at the beginning.
fn quoted(value: &str) -> Option<String> {
    let value = value.trim_start();
    let mark = value.chars().next().filter(|mark| matches!(mark, '"' | '\''))?;
    value[1..].split(mark).next().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::Package;

    fn name(path: &str, text: &str) -> Option<String> {
        Package::of_manifest(path, text).map(|package| package.name)
    }

    #[test]
    fn manifests_name_their_package() {
        let cargo = "[package]\nname = \"tower-http\"\n[dependencies]\nname = \"x\"\n";
        assert_eq!(name("a/Cargo.toml", cargo).as_deref(), Some("tower_http"));
        let library = "[package]\nname = \"a\"\n\n[lib]\nname = \"b\"\n";
        assert_eq!(name("Cargo.toml", library).as_deref(), Some("b"));
        assert_eq!(name("Cargo.toml", "[workspace]\nmembers = []\n"), None);
        let json = "{\"author\": {\"name\": \"x\"}, \"a\": \"\\\"\", \"name\": \"@scope/web\"}";
        assert_eq!(name("package.json", json).as_deref(), Some("@scope/web"));
        assert_eq!(name("package.json", "{\"private\": true}"), None);
        let go = "// comment\nmodule github.com/spf13/pflag // note\n\ngo 1.12\n";
        assert_eq!(name("go.mod", go).as_deref(), Some("github.com/spf13/pflag"));
        let python = "[project]\nname = \"My-Package\"\n";
        assert_eq!(name("pyproject.toml", python).as_deref(), Some("my_package"));
        let poetry = "[tool.poetry]\nname = 'flask'\n";
        assert_eq!(name("pyproject.toml", poetry).as_deref(), Some("flask"));
        assert_eq!(name("src/lib.rs", cargo), None);
        for broken in ["{\"name", "{\"name\": ", "\"", "{\"name\": 1}"] {
            assert_eq!(name("package.json", broken), None, "{broken}");
        }
    }

    #[test]
    fn imports_belong_to_a_package_by_their_beginning() {
        let rust = Package::of_manifest("Cargo.toml", "[package]\nname = \"http\"\n").unwrap();
        assert!(rust.is_in("rust", "http") && rust.is_in("rust", "http::header"));
        assert!(!rust.is_in("rust", "http_body") && !rust.is_in("python", "http"));
        let go = Package::of_manifest("go.mod", "module github.com/a/b\n").unwrap();
        assert!(go.is_in("go", "github.com/a/b/c") && !go.is_in("go", "github.com/a/bc"));
        let npm = Package::of_manifest("package.json", "{\"name\": \"router\"}").unwrap();
        assert!(npm.is_in("typescript", "router/lib") && !npm.is_in("javascript", "./router"));
        let python = Package::of_manifest("pyproject.toml", "[project]\nname = \"Werkzeug\"\n");
        let python = python.unwrap();
        assert!(python.is_in("python", "werkzeug.routing") && !python.is_in("python", ".werkzeug"));
    }
}
