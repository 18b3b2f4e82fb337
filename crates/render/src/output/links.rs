//! Links of places on a terminal (OSC 8), in the format that ripgrep's `--hyperlink-format` takes.

use std::{fmt, path::Path, str::FromStr};

/// Names of common formats, sorted, with their text. The names are those of ripgrep.
const ALIASES: &[(&str, &str)] = &[
    ("cursor", "cursor://file{path}:{line}:{column}"),
    ("default", "file://{host}{path}"),
    ("file", "file://{host}{path}"),
    ("grep+", "grep+://{path}:{line}"),
    ("kitty", "file://{host}{path}#{line}"),
    ("macvim", "mvim://open?url=file://{path}&line={line}&column={column}"),
    ("none", ""),
    ("textmate", "txmt://open?url=file://{path}&line={line}&column={column}"),
    ("vscode", "vscode://file{path}:{line}:{column}"),
    ("vscode-insiders", "vscode-insiders://file{path}:{line}:{column}"),
    ("vscodium", "vscodium://file{path}:{line}:{column}"),
];

/// A variable of a format, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Variable {
    Column,
    Host,
    Line,
    Path,
    WslPrefix,
}

impl Variable {
    fn from_name(name: &str) -> Option<Variable> {
        Some(match name {
            "column" => Variable::Column,
            "host" => Variable::Host,
            "line" => Variable::Line,
            "path" => Variable::Path,
            "wslprefix" => Variable::WslPrefix,
            _ => return None,
        })
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    Variable(Variable),
}

/// The format of links, such as `file://{host}{path}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkFormat {
    parts: Vec<Part>,
}

/// The reason why a format is not valid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LinkFormatError {
    /// A brace without its counterpart.
    #[error("a `{{` or `}}` has no counterpart")]
    Brace,
    /// A variable that does not exist.
    #[error("there is no variable `{{{0}}}`")]
    Variable(String),
    /// No path.
    #[error("the variable `{{path}}` is missing")]
    NoPath,
    /// A column without a line.
    #[error("`{{column}}` needs `{{line}}`")]
    NoLine,
    /// Text that is not a URL.
    #[error("it does not begin with a scheme, such as `file://`")]
    Scheme,
    /// A character that could end the escape sequence of a link.
    #[error("it contains a control character")]
    Control,
}

impl FromStr for LinkFormat {
    type Err = LinkFormatError;

    fn from_str(text: &str) -> Result<LinkFormat, LinkFormatError> {
        let alias = ALIASES.iter().find(|(name, _)| *name == text);
        let text = alias.map_or(text, |(_, format)| *format);
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            let (before, brace) = rest.split_at(at);
            let inside = brace.strip_prefix('{').ok_or(LinkFormatError::Brace)?;
            let (name, after) = inside.split_once('}').ok_or(LinkFormatError::Brace)?;
            if !before.is_empty() {
                parts.push(Part::Text(before.to_owned()));
            }
            let variable = Variable::from_name(name)
                .ok_or_else(|| LinkFormatError::Variable(name.to_owned()))?;
            parts.push(Part::Variable(variable));
            rest = after;
        }
        if !rest.is_empty() {
            parts.push(Part::Text(rest.to_owned()));
        }
        let format = LinkFormat { parts };
        format.check(text)?;
        Ok(format)
    }
}

impl LinkFormat {
    /// Names of common formats, sorted.
    pub fn names() -> impl Iterator<Item = &'static str> {
        ALIASES.iter().map(|(name, _)| *name)
    }

    fn check(&self, text: &str) -> Result<(), LinkFormatError> {
        if self.parts.is_empty() {
            return Ok(());
        }
        if text.chars().any(char::is_control) {
            return Err(LinkFormatError::Control);
        }
        let has = |variable| self.parts.contains(&Part::Variable(variable));
        if !has(Variable::Path) {
            return Err(LinkFormatError::NoPath);
        }
        if has(Variable::Column) && !has(Variable::Line) {
            return Err(LinkFormatError::NoLine);
        }
        let scheme = match self.parts.first() {
            Some(Part::Text(text)) => text.split_once(':').map(|(scheme, _)| scheme),
            _ => None,
        };
        let is_scheme = scheme.is_some_and(|scheme| {
            scheme.starts_with(|first: char| first.is_ascii_alphabetic())
                && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
        });
        if is_scheme { Ok(()) } else { Err(LinkFormatError::Scheme) }
    }

    /// Returns true for `none`.
    pub fn is_none(&self) -> bool {
        self.parts.is_empty()
    }
}

/// The links of places in one tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Links {
    format: LinkFormat,
    root: String,
    host: String,
    wsl_prefix: String,
}

impl Links {
    /// Links in a format to files below a directory of this machine. `distribution` is the name of the
    /// Linux distribution under WSL, if any.
    pub fn new(format: LinkFormat, root: &Path, host: &str, distribution: Option<&str>) -> Links {
        // A path of Windows, `C:\a` or `\\?\C:\a`, becomes `/C:/a`.
        let root = root.to_string_lossy();
        let root = root.strip_prefix(r"\\?\").unwrap_or(&root);
        let root = if cfg!(windows) { root.replace('\\', "/") } else { root.to_owned() };
        let slash = if root.starts_with('/') { "" } else { "/" };
        let wsl_prefix = distribution.map_or_else(String::new, |name| format!("wsl$/{name}"));
        Links {
            format,
            root: format!("{slash}{}", root.trim_end_matches('/')),
            host: host.to_owned(),
            wsl_prefix,
        }
    }

    /// Wraps the text of a place in a link. Lines and columns start at 1.
    pub(crate) fn wrap<T: fmt::Display>(
        &self,
        (path, line, column): (&str, u32, usize),
        text: T,
    ) -> String {
        let mut target = String::new();
        for part in &self.format.parts {
            match part {
                Part::Text(text) => target.push_str(text),
                Part::Variable(Variable::Column) => target.push_str(&column.to_string()),
                Part::Variable(Variable::Host) => encode(&self.host, &mut target),
                Part::Variable(Variable::Line) => target.push_str(&line.to_string()),
                Part::Variable(Variable::Path) => {
                    encode(&self.root, &mut target);
                    target.push('/');
                    encode(path, &mut target);
                }
                Part::Variable(Variable::WslPrefix) => target.push_str(&self.wsl_prefix),
            }
        }
        format!("\x1b]8;;{target}\x1b\\{text}\x1b]8;;\x1b\\")
    }
}

/// Adds text with `%` and two digits for each byte that a path of a URL may not contain.
fn encode(text: &str, target: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"/:-._~".contains(&byte) {
            target.push(char::from(byte));
        } else {
            target.push('%');
            target.push(char::from(DIGITS[usize::from(byte >> 4)]));
            target.push(char::from(DIGITS[usize::from(byte & 15)]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(format: &str, path: &str) -> String {
        let format = format.parse().expect("a format");
        let links = Links::new(format, Path::new("/home/a b"), "box", Some("Debian"));
        let text = links.wrap((path, 7, 3), "x");
        text.split_once(";;")
            .and_then(|(_, rest)| rest.split_once('\x1b'))
            .expect("a link")
            .0
            .to_owned()
    }

    #[test]
    fn formats_are_filled_in() {
        assert_eq!(target("default", "src/a.rs"), "file://box/home/a%20b/src/a.rs");
        assert_eq!(target("kitty", "é;.rs"), "file://box/home/a%20b/%C3%A9%3B.rs#7");
        assert_eq!(target("vscode", "a\x1b\\b"), "vscode://file/home/a%20b/a%1B%5Cb:7:3");
        assert_eq!(
            target("vscode://file/{wslprefix}{path}:{line}", "a"),
            "vscode://file/wsl$/Debian/home/a%20b/a:7"
        );
        for name in LinkFormat::names() {
            assert!(name.parse::<LinkFormat>().is_ok(), "{name}");
        }
        assert!("none".parse::<LinkFormat>().expect("a format").is_none());
        assert!(LinkFormat::names().is_sorted());
    }

    #[test]
    fn invalid_formats_are_rejected() {
        let error = |text: &str| text.parse::<LinkFormat>().expect_err(text);
        assert_eq!(error("file://{path"), LinkFormatError::Brace);
        assert_eq!(error("file://path}"), LinkFormatError::Brace);
        assert_eq!(error("file://{file}"), LinkFormatError::Variable("file".into()));
        assert_eq!(error("file://{host}"), LinkFormatError::NoPath);
        assert_eq!(error("file://{path}:{column}"), LinkFormatError::NoLine);
        assert_eq!(error("{path}"), LinkFormatError::Scheme);
        assert_eq!(error("vscde"), LinkFormatError::NoPath);
        assert_eq!(error("a:\x1b{path}"), LinkFormatError::Control);
    }
}
