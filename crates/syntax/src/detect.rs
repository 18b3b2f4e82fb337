//! Detects the language of a file.

use crate::{language::Language, languages::LANGUAGES};

/// Number of leading bytes of a header that distinguish C from C++.
const HEADER_PREFIX: usize = 32 * 1_024;

/// The language of a file, from its path and, where that is ambiguous, its content.
///
/// A whole file name decides first, then the extension, then the program after `#!` on the first
/// line. `.h` is C unless the content has a line that only C++ has (a namespace, a template, a
/// class with its body or base, an access marker, `std::`), or one that only Objective-C has. `.m`
/// is Objective-C only if it looks like it; otherwise it has no known language.
pub fn detect(path: &str, text: &str) -> Option<&'static Language> {
    let name = path.rsplit('/').next().unwrap_or(path);
    if name.is_empty() {
        return None;
    }
    let by_name = LANGUAGES.iter().find(|language| {
        language.file_names.iter().any(|pattern| match pattern.strip_suffix('*') {
            Some(beginning) => name.starts_with(beginning),
            None => *pattern == name,
        })
    });
    // A known extension is more specific than the start of a name: `Makefile.py`.
    let extension =
        name.rsplit_once('.').map_or(String::new(), |(_, end)| end.to_ascii_lowercase());
    let by_extension =
        || LANGUAGES.iter().find(|language| language.extensions.contains(&extension.as_str()));
    let found = match by_name {
        Some(language) if language.file_names.contains(&name) => Some(language),
        Some(language) => by_extension().or(Some(language)),
        None => by_extension().or_else(|| by_interpreter(text)),
    };
    match (found.map(|language| language.name), extension.as_str()) {
        (Some("c"), "h") if is_objective_c(text) => named("objective-c"),
        (Some("c"), "h") if is_cpp(text) => named("c++"),
        (Some("objective-c"), "m") if !is_objective_c(text) => None,
        _ => found,
    }
}

/// The language with this name or alias, case-insensitive.
pub fn named(name: &str) -> Option<&'static Language> {
    let name = name.to_ascii_lowercase();
    LANGUAGES
        .iter()
        .find(|language| language.name == name)
        .or_else(|| LANGUAGES.iter().find(|language| language.aliases.contains(&name.as_str())))
}

/// The language of the interpreter on the first line.
fn by_interpreter(text: &str) -> Option<&'static Language> {
    let line = text.strip_prefix("#!")?.lines().next()?;
    let program = line
        .split_whitespace()
        .map(|word| word.rsplit('/').next().unwrap_or(word))
        .find(|word| *word != "env" && !word.starts_with('-') && !word.contains('='))?;
    let program = program.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    LANGUAGES.iter().find(|language| language.interpreters.contains(&program))
}

/// Returns true for a header with a line that only C++ has.
fn is_cpp(text: &str) -> bool {
    let prefix = &text[..text.floor_char_boundary(HEADER_PREFIX)];
    prefix.lines().map(str::trim_start).any(|line| {
        let is_comment = line.starts_with(['*', '/']);
        !is_comment
            && ([
                "namespace ",
                "using namespace ",
                "template <",
                "template<",
                "public:",
                "private:",
                "protected:",
            ]
            .iter()
            .any(|beginning| line.starts_with(beginning))
                || (line.starts_with("class ") && line.ends_with(['{', ';', ':']))
                || line.contains("std::"))
    })
}

/// Returns true for a file with a line that only Objective-C has.
fn is_objective_c(text: &str) -> bool {
    let prefix = &text[..text.floor_char_boundary(HEADER_PREFIX)];
    prefix.lines().any(|line| {
        ["@interface", "@implementation", "@protocol", "@class ", "@import ", "#import "]
            .iter()
            .any(|beginning| line.starts_with(beginning))
    })
}

#[cfg(test)]
mod tests {
    use super::detect;

    #[test]
    fn by_name_extension_and_content() {
        let cases: &[(&str, &str, Option<&str>)] = &[
            ("src/main.rs", "", Some("rust")),
            ("A.PY", "", Some("python")),
            ("a.mjs", "", Some("javascript")),
            ("a.d.ts", "", Some("typescript")),
            ("a.tsx", "", Some("tsx")),
            ("Makefile", "", Some("make")),
            ("docker/Dockerfile.dev", "", Some("dockerfile")),
            ("Makefile.py", "", Some("python")),
            ("README", "", Some("markdown")),
            ("LICENSE-MIT", "", Some("text")),
            ("CMakeLists.txt", "", Some("cmake")),
            ("bin/run", "#!/usr/bin/env python3\n", Some("python")),
            ("bin/run", "#!/usr/bin/env -S LC_ALL=C bash -e\n", Some("bash")),
            ("bin/run", "#!/bin/sh", Some("bash")),
            ("bin/run", "#!", None),
            ("a.h", "struct a { int b; };\n", Some("c")),
            ("a.h", "/* a class of things\n * class X {\n */\nint f(void);\n", Some("c")),
            ("a.h", "#pragma once\nnamespace a {\n", Some("c++")),
            ("a.h", "class A : public B {\n", Some("c++")),
            ("a.h", "#ifdef __cplusplus\nextern \"C\" {\n#endif\n", Some("c")),
            ("a.h", "#import <Foundation/Foundation.h>\n", Some("objective-c")),
            ("a.m", "function y = f(x)\n", None),
            ("a.unknown", "x", None),
            ("noextension", "x", None),
            ("", "", None),
            ("a/", "", None),
        ];
        for (path, text, expected) in cases {
            assert_eq!(detect(path, text).map(|language| language.name), *expected, "{path}");
        }
    }
}
