//! Fast test by file name that no line of an ignore file can match.
//!
//! Most names have an extension that no line mentions. This test is many times cheaper than
//! matching all globs.

use std::{
    borrow::Cow,
    cell::OnceCell,
    collections::{HashMap, HashSet},
};

/// Name patterns of one ignore file. May return false positives, never false negatives.
#[derive(Debug, Default)]
pub(super) struct Screen {
    /// True if some line may match any name.
    is_open: bool,
    /// Depth of the ignore file's folder, in path components.
    depth: usize,
    /// Complete names.
    names: HashSet<Box<str>>,
    /// Shapes that end in an extension, by that extension.
    by_extension: HashMap<Box<str>, Vec<Shape>>,
    /// All other shapes.
    others: Vec<Shape>,
}

/// Necessary condition for a name to match a glob.
#[derive(Debug, Default, PartialEq, Eq)]
struct Shape {
    prefix: Box<str>,
    /// True if the name must equal the prefix.
    is_whole: bool,
    suffix: Box<str>,
    /// Must occur anywhere in the name.
    inner: Box<str>,
    /// Number of path components below the ignore file, if the glob fixes it.
    names: Option<usize>,
}

impl Screen {
    /// Creates the screen of an ignore file in a folder. The folder's path has the same base as the
    /// paths to match.
    pub(super) fn new(folder: &str) -> Screen {
        let depth = folder.split('/').filter(|name| !name.is_empty()).count();
        Screen { depth, ..Screen::default() }
    }

    /// Adds a line of the file, in the syntax of gitignore(5).
    pub(super) fn add_line(&mut self, line: &str) {
        if line.starts_with('#') || line.trim_end().is_empty() {
            return;
        }
        // Alternatives are rare.
        if line.contains(['{', '}']) {
            self.is_open = true;
            return;
        }
        // An escaped space at the end is part of the name.
        let line = if line.ends_with("\\ ") { line } else { line.trim_end() };
        let glob = line.strip_prefix('!').unwrap_or(line);
        if glob.ends_with('/') {
            // Matches folders only.
            return;
        }
        if glob.is_empty() {
            self.is_open = true;
            return;
        }
        let is_anchored = glob.contains('/');
        let glob = glob.strip_prefix('/').unwrap_or(glob);
        let names = (is_anchored && !glob.contains("**")).then(|| glob.split('/').count());
        let (folders, name) = glob.rsplit_once('/').unwrap_or(("", glob));
        for name in ends(name) {
            // A character class in a folder's name may contain the slash that was split at.
            match Shape::of(&name).filter(|_| !folders.contains('[')) {
                Some(shape) => self.add(Shape { names, ..shape }),
                None => self.is_open = true,
            }
        }
    }

    fn add(&mut self, shape: Shape) {
        if shape.is_whole {
            self.names.insert(shape.prefix);
        } else if let Some((_, extension)) = shape.suffix.rsplit_once('.') {
            self.by_extension.entry(extension.into()).or_default().push(shape);
        } else {
            self.is_open |= shape == Shape::default();
            self.others.push(shape);
        }
    }

    /// Returns whether a line may match the file at a path, whose last name is `name`.
    pub(super) fn may_match(&self, path: &str, name: &str) -> bool {
        let depth = OnceCell::new();
        let count = || path.bytes().filter(|byte| *byte == b'/').count() + 1;
        let is_deep = |names: usize| *depth.get_or_init(count) == names + self.depth;
        let fits = |shape: &Shape| shape.fits(name) && shape.names.is_none_or(is_deep);
        let of_extension = || {
            if self.by_extension.is_empty() {
                return None;
            }
            let (_, extension) = name.rsplit_once('.')?;
            self.by_extension.get(extension)
        };
        self.is_open
            || self.others.iter().any(fits)
            || of_extension().is_some_and(|shapes| shapes.iter().any(fits))
            || self.names.contains(name)
    }
}

impl Shape {
    /// Returns whether a name fits the shape.
    fn fits(&self, name: &str) -> bool {
        // Nearly all names differ in the first or last byte: compared inline, without a call.
        let (first, last) = (name.as_bytes().first(), name.as_bytes().last());
        let (prefix, suffix) = (self.prefix.as_bytes(), self.suffix.as_bytes());
        (prefix.is_empty() || prefix.first() == first && name.as_bytes().starts_with(prefix))
            && (suffix.is_empty() || suffix.last() == last && name.as_bytes().ends_with(suffix))
            && (self.inner.is_empty() || name.contains(&*self.inner))
    }

    /// Returns the shape of the names that a glob without a slash matches; `None` if it cannot be
    /// determined.
    fn of(glob: &str) -> Option<Shape> {
        let mut runs = vec![String::new()];
        let mut characters = glob.chars();
        while let Some(character) = characters.next() {
            match character {
                '*' | '?' => runs.push(String::new()),
                '[' => {
                    let (class, rest) = characters.as_str().split_once(']')?;
                    if may_hold_slash(class) {
                        return None;
                    }
                    characters = rest.chars();
                    runs.push(String::new());
                }
                // The next character is literal.
                '\\' => runs.last_mut()?.push(characters.next()?),
                _ => runs.last_mut()?.push(character),
            }
        }
        let is_whole = runs.len() == 1;
        let suffix = if is_whole { String::new() } else { runs.pop()? };
        let (prefix, inner) = runs.split_first()?;
        let inner = inner.iter().max_by_key(|run| run.len()).cloned().unwrap_or_default();
        Some(Shape {
            prefix: prefix.as_str().into(),
            is_whole,
            suffix: suffix.into(),
            inner: inner.into(),
            names: None,
        })
    }
}

/// Expands a glob without a slash that ends in a character class: `*.[ch]` becomes `*.c` and `*.h`.
fn ends(glob: &str) -> Vec<Cow<'_, str>> {
    let choice = glob.strip_suffix(']').and_then(|rest| rest.rsplit_once('['));
    match choice {
        Some((start, letters))
            if !letters.is_empty()
                && !start.contains(['[', '\\'])
                && letters.bytes().all(|letter| letter.is_ascii_alphanumeric()) =>
        {
            letters.chars().map(|letter| Cow::Owned(format!("{start}{letter}"))).collect()
        }
        _ => vec![Cow::Borrowed(glob)],
    }
}

/// Returns whether a character class may match a slash, or is more than a list of characters.
fn may_hold_slash(class: &str) -> bool {
    let is_range = class.contains('-');
    class.is_empty()
        || class.starts_with(['!', '^', '-'])
        || class.chars().any(|member| {
            matches!(member, '/' | '[' | '\\') || is_range && member != '-' && member < '0'
        })
}

#[cfg(test)]
mod tests {
    use ignore::gitignore::GitignoreBuilder;
    use proptest::prelude::*;

    use super::*;
    use crate::paths::file_name;

    fn screen(folder: &str, lines: &[&str]) -> Screen {
        let mut screen = Screen::new(folder);
        for line in lines {
            screen.add_line(line);
        }
        screen
    }

    #[test]
    fn most_names_are_rejected_without_globs() {
        let lines = [
            "# objects",
            "*.o",
            "*.mod.c",
            ".*",
            "!.gitignore",
            "/vmlinux",
            "tags",
            "build/",
            "*.tab.[ch]",
            "*~",
            "/*",
            "lib*.so.[0-9]*",
            "doc/*.html",
            "\\#*#",
            "",
        ];
        let screen = screen("drivers/net", &lines);
        for (path, expected) in [
            ("drivers/net/a/b.o", true),
            ("drivers/net/a/b.mod.c", true),
            ("drivers/net/a/b.c", false),
            ("drivers/net/.config", true),
            ("drivers/net/a/tags", true),
            ("drivers/net/a/build", false),
            ("drivers/net/a/x.tab.h", true),
            ("drivers/net/a/x~", true),
            ("drivers/net/x", true),
            ("drivers/net/a/x", false),
            ("drivers/net/a/libx.so.1", true),
            ("drivers/net/doc/x.html", true),
            ("drivers/net/a/doc/x.html", false),
            ("drivers/net/o", true),
        ] {
            assert_eq!(screen.may_match(path, file_name(path)), expected, "{path}");
        }
    }

    #[test]
    fn rare_lines_never_reject_a_match() {
        for (line, path, expected) in [
            ("\\#*#", "a/#b#", true),
            ("\\#*#", "a/b#", false),
            ("a\\", "x", true),
            ("{a,b}", "x", true),
            ("[!a]", "x", true),
            ("!", "x", true),
            ("a[--0]b", "a/b", true),
            ("a[0-9]b", "a5b", true),
            ("a[0-9]b", "b", false),
            ("foo\\\\ ", "foo\\ ", true),
            ("*.[ch]", "x.c", true),
            ("*.[ch]", "x.o", false),
            ("[ab]", "b", true),
            ("[ab]", "c", false),
            ("\\[ab]", "[ab]", true),
            ("x[a][b]", "xab", true),
        ] {
            assert_eq!(screen("", &[line]).may_match(path, file_name(path)), expected, "{line}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// A rejected name is matched by no glob.
        #[test]
        fn nothing_is_kept_out_that_matches(
            lines in prop::collection::vec("!?/?[ab.*?/\\[\\]\\-^{,}0\\\\ ]{0,7}/?", 0..4),
            folder in prop::sample::select(&["", "a", "a/b"][..]),
            path in "[.]?[ab0-][ab.0\\\\ -]{0,2}(/[.]?[ab0-][ab.0\\\\ -]{0,2}){0,3}",
        ) {
            let mut builder = GitignoreBuilder::new(folder);
            let mut screen = Screen::new(folder);
            for line in &lines {
                let _ = builder.add_line(None, line);
                screen.add_line(line);
            }
            let globs = builder.build().expect("invalid lines are skipped");
            let path = format!("{folder}{}{path}", if folder.is_empty() { "" } else { "/" });
            let is_spoken_of = !globs.matched(&path, false).is_none();
            prop_assert!(!is_spoken_of || screen.may_match(&path, file_name(&path)));
        }
    }
}
