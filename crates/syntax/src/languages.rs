//! All languages, one row each.

use crate::{
    comments::CommentSigns,
    finder::shapes,
    grammars,
    language::{Language, Prose, Structure},
};

/// Defaults of a row: no way to be detected, no comments, no definitions.
const PLAIN: Language = Language {
    name: "",
    aliases: &[],
    extensions: &[],
    file_names: &[],
    interpreters: &[],
    comments: CommentSigns { line: &[], block: &[], quotes: b"" },
    structure: Structure::Lines(&[]),
};

/// C comments.
const C_STYLE: CommentSigns =
    CommentSigns { line: &["//"], block: &[("/*", "*/")], quotes: b"\"'" };

/// C comments, and strings in backticks.
const C_STYLE_BACKTICK: CommentSigns = CommentSigns { quotes: b"\"'`", ..C_STYLE };

/// Shell comments.
const HASH: CommentSigns = CommentSigns { line: &["#"], block: &[], quotes: b"\"'" };

/// HTML comments.
const MARKUP: CommentSigns = CommentSigns { line: &[], block: &[("<!--", "-->")], quotes: b"" };

/// All languages, sorted by name. Where two share an extension or file name, the detector decides.
pub static LANGUAGES: &[Language] = &[
    Language {
        name: "asciidoc",
        aliases: &["adoc"],
        extensions: &["adoc", "asciidoc", "asc"],
        comments: CommentSigns { line: &["//"], block: &[], quotes: b"" },
        structure: Structure::Prose(Prose::Asciidoc),
        ..PLAIN
    },
    Language {
        name: "bash",
        aliases: &["sh", "shell", "zsh"],
        extensions: &["sh", "bash", "zsh", "ksh", "bats"],
        file_names: &[
            ".bashrc",
            ".bash_profile",
            ".profile",
            ".zshrc",
            ".zshenv",
            ".envrc",
            "PKGBUILD",
        ],
        interpreters: &["sh", "bash", "zsh", "ksh", "dash", "ash", "bats"],
        comments: HASH,
        structure: grammars::BASH,
    },
    Language {
        name: "c",
        extensions: &["c", "h"],
        comments: C_STYLE,
        structure: grammars::C,
        ..PLAIN
    },
    Language {
        name: "c++",
        aliases: &["cpp", "cxx"],
        extensions: &[
            "cpp", "cc", "cxx", "c++", "hpp", "hh", "hxx", "h++", "ipp", "inl", "tpp", "ixx",
            "cppm", "cu", "cuh", "ino",
        ],
        comments: C_STYLE,
        structure: grammars::CPP,
        ..PLAIN
    },
    Language {
        name: "clojure",
        aliases: &["clj"],
        extensions: &["clj", "cljs", "cljc", "edn", "bb"],
        interpreters: &["bb", "clojure"],
        comments: CommentSigns { line: &[";"], block: &[], quotes: b"\"" },
        structure: grammars::CLOJURE,
        ..PLAIN
    },
    Language {
        name: "cmake",
        extensions: &["cmake"],
        file_names: &["CMakeLists.txt"],
        comments: CommentSigns { line: &["#"], block: &[("#[[", "]]")], quotes: b"\"" },
        ..PLAIN
    },
    Language {
        name: "crystal",
        extensions: &["cr"],
        interpreters: &["crystal"],
        comments: HASH,
        structure: Structure::Lines(shapes::RUBY),
        ..PLAIN
    },
    Language {
        name: "csharp",
        aliases: &["c#", "cs"],
        extensions: &["cs", "csx"],
        comments: C_STYLE,
        structure: grammars::CSHARP,
        ..PLAIN
    },
    Language {
        name: "css",
        aliases: &["scss", "less"],
        extensions: &["css", "scss", "less"],
        comments: CommentSigns { line: &[], block: &[("/*", "*/")], quotes: b"\"'" },
        structure: grammars::CSS,
        ..PLAIN
    },
    Language { name: "csv", extensions: &["csv", "tsv"], ..PLAIN },
    Language {
        name: "d",
        extensions: &["d", "di"],
        comments: CommentSigns {
            line: &["//"],
            block: &[("/*", "*/"), ("/+", "+/")],
            quotes: b"\"'",
        },
        structure: Structure::Lines(shapes::ANY_LANGUAGE),
        ..PLAIN
    },
    Language {
        name: "dart",
        extensions: &["dart"],
        interpreters: &["dart"],
        comments: C_STYLE,
        structure: grammars::DART,
        ..PLAIN
    },
    Language {
        name: "dockerfile",
        aliases: &["docker"],
        extensions: &["dockerfile", "containerfile"],
        file_names: &["Dockerfile", "Dockerfile.*", "Containerfile", "Containerfile.*"],
        comments: HASH,
        ..PLAIN
    },
    Language {
        name: "elixir",
        extensions: &["ex", "exs"],
        file_names: &["mix.lock"],
        interpreters: &["elixir"],
        comments: CommentSigns {
            line: &["#"],
            block: &[
                ("@moduledoc \"\"\"", "\"\"\""),
                ("@doc \"\"\"", "\"\"\""),
                ("@typedoc \"\"\"", "\"\"\""),
            ],
            quotes: b"\"",
        },
        structure: grammars::ELIXIR,
        ..PLAIN
    },
    Language {
        name: "elm",
        extensions: &["elm"],
        comments: CommentSigns { line: &["--"], block: &[("{-", "-}")], quotes: b"\"" },
        structure: Structure::Lines(shapes::ELM),
        ..PLAIN
    },
    Language {
        name: "erlang",
        aliases: &["erl"],
        extensions: &["erl", "hrl", "escript"],
        file_names: &["rebar.config"],
        interpreters: &["escript"],
        comments: CommentSigns { line: &["%"], block: &[], quotes: b"\"" },
        structure: grammars::ERLANG,
    },
    Language {
        name: "fsharp",
        aliases: &["f#", "fs"],
        extensions: &["fs", "fsi", "fsx"],
        comments: CommentSigns { line: &["//"], block: &[("(*", "*)")], quotes: b"\"" },
        structure: Structure::Lines(shapes::FSHARP),
        ..PLAIN
    },
    Language {
        name: "gleam",
        extensions: &["gleam"],
        comments: CommentSigns { line: &["//"], block: &[], quotes: b"\"" },
        structure: Structure::Lines(shapes::ANY_LANGUAGE),
        ..PLAIN
    },
    Language {
        name: "go",
        aliases: &["golang"],
        extensions: &["go"],
        comments: C_STYLE_BACKTICK,
        structure: grammars::GO,
        ..PLAIN
    },
    Language {
        name: "go-module",
        file_names: &["go.mod", "go.work"],
        comments: CommentSigns { line: &["//"], block: &[], quotes: b"" },
        ..PLAIN
    },
    Language {
        name: "graphql",
        extensions: &["graphql", "gql", "graphqls"],
        comments: CommentSigns { line: &["#"], block: &[("\"\"\"", "\"\"\"")], quotes: b"\"" },
        structure: Structure::Lines(shapes::GRAPHQL),
        ..PLAIN
    },
    Language {
        name: "groovy",
        extensions: &["groovy", "gradle", "gvy"],
        file_names: &["Jenkinsfile"],
        interpreters: &["groovy"],
        comments: C_STYLE,
        structure: Structure::Lines(shapes::GROOVY),
        ..PLAIN
    },
    Language {
        name: "haskell",
        aliases: &["hs"],
        extensions: &["hs", "lhs", "hsc"],
        interpreters: &["runhaskell", "runghc"],
        comments: CommentSigns { line: &["--"], block: &[("{-", "-}")], quotes: b"\"" },
        structure: grammars::HASKELL,
        ..PLAIN
    },
    Language {
        name: "hcl",
        aliases: &["terraform", "tf"],
        extensions: &["hcl", "tf", "tfvars", "nomad"],
        comments: CommentSigns { line: &["#", "//"], block: &[("/*", "*/")], quotes: b"\"" },
        structure: grammars::HCL,
        ..PLAIN
    },
    Language {
        name: "html",
        extensions: &["html", "htm", "xhtml"],
        comments: MARKUP,
        structure: grammars::HTML,
        ..PLAIN
    },
    Language {
        name: "ini",
        extensions: &["ini", "cfg", "conf", "properties", "editorconfig", "desktop", "service"],
        file_names: &[".editorconfig", ".gitconfig", ".npmrc"],
        comments: CommentSigns { line: &["#", ";"], block: &[], quotes: b"" },
        ..PLAIN
    },
    Language {
        name: "java",
        extensions: &["java"],
        comments: C_STYLE,
        structure: grammars::JAVA,
        ..PLAIN
    },
    Language {
        name: "javascript",
        aliases: &["js", "jsx"],
        extensions: &["js", "jsx", "mjs", "cjs", "es6"],
        interpreters: &["node", "nodejs", "bun"],
        comments: C_STYLE_BACKTICK,
        structure: grammars::JAVASCRIPT,
        ..PLAIN
    },
    Language {
        name: "json",
        extensions: &[
            "json",
            "jsonc",
            "json5",
            "jsonl",
            "ndjson",
            "geojson",
            "ipynb",
            "webmanifest",
        ],
        file_names: &["composer.lock", "Pipfile.lock", ".babelrc", ".eslintrc", ".prettierrc"],
        comments: CommentSigns { line: &["//"], block: &[("/*", "*/")], quotes: b"\"" },
        structure: grammars::JSON,
        ..PLAIN
    },
    Language {
        name: "julia",
        aliases: &["jl"],
        extensions: &["jl"],
        interpreters: &["julia"],
        comments: CommentSigns {
            line: &["#"],
            block: &[("#=", "=#"), ("\"\"\"", "\"\"\"")],
            quotes: b"\"",
        },
        structure: grammars::JULIA,
        ..PLAIN
    },
    Language {
        name: "just",
        extensions: &["just"],
        file_names: &["justfile", "Justfile", ".justfile"],
        comments: HASH,
        structure: Structure::Lines(shapes::MAKE),
        ..PLAIN
    },
    Language {
        name: "kotlin",
        aliases: &["kt"],
        extensions: &["kt", "kts"],
        comments: C_STYLE,
        structure: grammars::KOTLIN,
        ..PLAIN
    },
    Language {
        name: "lua",
        extensions: &["lua", "luau", "rockspec"],
        interpreters: &["lua", "luajit"],
        comments: CommentSigns {
            line: &["--"],
            block: &[("--[[", "]]"), ("--[=[", "]=]")],
            quotes: b"\"'",
        },
        structure: grammars::LUA,
        ..PLAIN
    },
    Language {
        name: "make",
        aliases: &["makefile"],
        extensions: &["mk", "mak", "make"],
        file_names: &["Makefile", "makefile", "GNUmakefile", "Makefile.*"],
        interpreters: &["make"],
        comments: CommentSigns { line: &["#"], block: &[], quotes: b"" },
        structure: Structure::Lines(shapes::MAKE),
    },
    Language {
        name: "markdown",
        aliases: &["md"],
        extensions: &["md", "markdown", "mdown", "mkd", "mdx", "mdc", "qmd", "rmd"],
        file_names: &["README", "CHANGELOG", "CONTRIBUTING"],
        structure: Structure::Prose(Prose::Markdown),
        ..PLAIN
    },
    Language {
        name: "nim",
        extensions: &["nim", "nims"],
        comments: CommentSigns { line: &["#"], block: &[], quotes: b"\"" },
        structure: Structure::Lines(shapes::NIM),
        ..PLAIN
    },
    Language {
        name: "nix",
        extensions: &["nix"],
        comments: CommentSigns { line: &["#"], block: &[("/*", "*/")], quotes: b"\"" },
        structure: grammars::NIX,
        ..PLAIN
    },
    Language {
        name: "objective-c",
        aliases: &["objc"],
        extensions: &["m", "mm"],
        comments: C_STYLE,
        structure: grammars::OBJECTIVE_C,
        ..PLAIN
    },
    Language {
        name: "ocaml",
        aliases: &["ml"],
        extensions: &["ml", "mli", "mll", "mly"],
        interpreters: &["ocaml"],
        comments: CommentSigns { line: &[], block: &[("(*", "*)")], quotes: b"\"" },
        structure: grammars::OCAML,
        ..PLAIN
    },
    Language {
        name: "org",
        extensions: &["org"],
        structure: Structure::Prose(Prose::Org),
        ..PLAIN
    },
    Language {
        name: "perl",
        aliases: &["pl"],
        extensions: &["pl", "pm", "t", "pod"],
        interpreters: &["perl"],
        comments: HASH,
        structure: grammars::PERL,
        ..PLAIN
    },
    Language {
        name: "php",
        extensions: &["php", "phtml", "php5", "inc"],
        interpreters: &["php"],
        comments: CommentSigns { line: &["//", "#"], block: &[("/*", "*/")], quotes: b"\"'" },
        structure: grammars::PHP,
        ..PLAIN
    },
    Language {
        name: "powershell",
        aliases: &["ps1"],
        extensions: &["ps1", "psm1", "psd1"],
        interpreters: &["pwsh"],
        comments: CommentSigns { line: &["#"], block: &[("<#", "#>")], quotes: b"\"'" },
        structure: Structure::Lines(shapes::POWERSHELL),
        ..PLAIN
    },
    Language {
        name: "prisma",
        extensions: &["prisma"],
        comments: CommentSigns { line: &["//"], block: &[], quotes: b"\"" },
        structure: Structure::Lines(shapes::PRISMA),
        ..PLAIN
    },
    Language {
        name: "protobuf",
        aliases: &["proto"],
        extensions: &["proto"],
        comments: C_STYLE,
        structure: grammars::PROTOBUF,
        ..PLAIN
    },
    Language {
        name: "python",
        aliases: &["py"],
        extensions: &["py", "pyi", "pyw", "pyx", "pxd"],
        file_names: &["SConstruct", "SConscript", "wscript", "BUILD.bazel", "WORKSPACE"],
        interpreters: &["python", "pypy", "uv"],
        comments: HASH,
        structure: grammars::PYTHON,
    },
    Language {
        name: "r",
        extensions: &["r"],
        file_names: &[".Rprofile"],
        interpreters: &["Rscript"],
        comments: HASH,
        structure: grammars::R,
        ..PLAIN
    },
    Language {
        name: "rst",
        aliases: &["restructuredtext"],
        extensions: &["rst", "rest"],
        structure: Structure::Prose(Prose::Rst),
        ..PLAIN
    },
    Language {
        name: "ruby",
        aliases: &["rb"],
        extensions: &["rb", "rake", "gemspec", "ru", "podspec"],
        file_names: &[
            "Gemfile",
            "Rakefile",
            "Podfile",
            "Vagrantfile",
            "Brewfile",
            "Guardfile",
            "Fastfile",
        ],
        interpreters: &["ruby"],
        comments: CommentSigns { line: &["#"], block: &[("=begin", "=end")], quotes: b"\"'" },
        structure: grammars::RUBY,
    },
    Language {
        name: "rust",
        aliases: &["rs"],
        extensions: &["rs"],
        interpreters: &["rust-script"],
        comments: CommentSigns { line: &["//"], block: &[("/*", "*/")], quotes: b"\"" },
        structure: grammars::RUST,
        ..PLAIN
    },
    Language {
        name: "scala",
        extensions: &["scala", "sc", "sbt"],
        interpreters: &["scala"],
        comments: CommentSigns { line: &["//"], block: &[("/*", "*/")], quotes: b"\"" },
        structure: grammars::SCALA,
        ..PLAIN
    },
    Language {
        name: "scheme",
        aliases: &["lisp", "racket", "elisp"],
        extensions: &["scm", "ss", "rkt", "lisp", "lsp", "el", "cl"],
        interpreters: &["guile", "racket", "sbcl"],
        comments: CommentSigns { line: &[";"], block: &[("#|", "|#")], quotes: b"\"" },
        structure: Structure::Lines(shapes::LISP),
        ..PLAIN
    },
    Language {
        name: "solidity",
        aliases: &["sol"],
        extensions: &["sol"],
        comments: C_STYLE,
        structure: Structure::Lines(shapes::SOLIDITY),
        ..PLAIN
    },
    Language {
        name: "sql",
        extensions: &["sql", "psql", "ddl"],
        comments: CommentSigns { line: &["--"], block: &[("/*", "*/")], quotes: b"\"'" },
        structure: grammars::SQL,
        ..PLAIN
    },
    Language {
        name: "svelte",
        extensions: &["svelte"],
        comments: CommentSigns {
            line: &["//"],
            block: &[("<!--", "-->"), ("/*", "*/")],
            quotes: b"",
        },
        structure: Structure::Lines(shapes::SCRIPT),
        ..PLAIN
    },
    Language { name: "svg", extensions: &["svg"], comments: MARKUP, ..PLAIN },
    Language {
        name: "swift",
        extensions: &["swift"],
        interpreters: &["swift"],
        comments: CommentSigns { line: &["//"], block: &[("/*", "*/")], quotes: b"\"" },
        structure: grammars::SWIFT,
        ..PLAIN
    },
    Language {
        name: "text",
        aliases: &["txt"],
        extensions: &["txt", "text", "log"],
        file_names: &[
            "LICENSE",
            "LICENCE",
            "COPYING",
            "NOTICE",
            "AUTHORS",
            "BUGS",
            "CREDITS",
            "INSTALL",
            "MAINTAINERS",
            "NEWS",
            "RELEASE-NOTES",
            "THANKS",
            "LICENSE-*",
            "LICENCE-*",
        ],
        structure: Structure::Prose(Prose::Plain),
        ..PLAIN
    },
    Language {
        name: "thrift",
        extensions: &["thrift"],
        comments: CommentSigns { line: &["//", "#"], block: &[("/*", "*/")], quotes: b"\"'" },
        structure: Structure::Lines(shapes::THRIFT),
        ..PLAIN
    },
    Language {
        name: "toml",
        extensions: &["toml"],
        file_names: &["Cargo.lock", "poetry.lock", "uv.lock", "pdm.lock", "Pipfile"],
        comments: HASH,
        structure: grammars::TOML,
        ..PLAIN
    },
    Language {
        name: "tsx",
        extensions: &["tsx"],
        comments: C_STYLE_BACKTICK,
        structure: grammars::TSX,
        ..PLAIN
    },
    Language {
        name: "typescript",
        aliases: &["ts"],
        extensions: &["ts", "mts", "cts"],
        interpreters: &["deno", "ts-node", "tsx"],
        comments: C_STYLE_BACKTICK,
        structure: grammars::TYPESCRIPT,
        ..PLAIN
    },
    Language {
        name: "vim",
        aliases: &["viml"],
        extensions: &["vim", "vimrc"],
        file_names: &[".vimrc", "_vimrc"],
        comments: CommentSigns { line: &["\""], block: &[], quotes: b"" },
        structure: Structure::Lines(shapes::VIM),
        ..PLAIN
    },
    Language {
        name: "vue",
        extensions: &["vue"],
        comments: CommentSigns {
            line: &["//"],
            block: &[("<!--", "-->"), ("/*", "*/")],
            quotes: b"",
        },
        structure: Structure::Lines(shapes::SCRIPT),
        ..PLAIN
    },
    Language {
        name: "xml",
        extensions: &[
            "xml",
            "xsd",
            "xsl",
            "xslt",
            "plist",
            "csproj",
            "fsproj",
            "vbproj",
            "props",
            "targets",
            "pom",
            "storyboard",
            "xib",
            "resx",
        ],
        comments: MARKUP,
        ..PLAIN
    },
    Language {
        name: "yaml",
        aliases: &["yml"],
        extensions: &["yaml", "yml"],
        file_names: &[".clang-format", ".clang-tidy", "yarn.lock", "pubspec.lock"],
        comments: CommentSigns { line: &["#"], block: &[], quotes: b"" },
        structure: grammars::YAML,
        ..PLAIN
    },
    Language {
        name: "zig",
        extensions: &["zig", "zon"],
        comments: CommentSigns { line: &["//"], block: &[], quotes: b"\"" },
        structure: grammars::ZIG,
        ..PLAIN
    },
];

#[cfg(test)]
mod tests {
    use super::LANGUAGES;

    #[test]
    fn rows_are_sorted_and_distinct() {
        let names: Vec<&str> = LANGUAGES.iter().map(|language| language.name).collect();
        assert!(names.is_sorted_by(|name, next| name < next));

        let mut keys = Vec::new();
        for language in LANGUAGES {
            keys.extend(language.aliases.iter().map(|alias| ("name", *alias)));
            keys.extend(language.extensions.iter().map(|extension| ("extension", *extension)));
            keys.extend(language.file_names.iter().map(|name| ("file", *name)));
            keys.extend(language.interpreters.iter().map(|program| ("interpreter", *program)));
            assert!(
                language.extensions.iter().all(|extension| *extension == extension.to_lowercase())
            );
        }
        keys.extend(names.iter().map(|name| ("name", *name)));
        keys.sort_unstable();
        let doubled: Vec<_> = keys.windows(2).filter(|pair| pair[0] == pair[1]).collect();
        assert!(doubled.is_empty(), "{doubled:?}");
    }

    #[test]
    fn comment_signs_are_ascii() {
        for language in LANGUAGES {
            let signs = language.comments;
            assert!(signs.line.iter().all(|sign| sign.is_ascii() && !sign.is_empty()));
            assert!(signs.block.iter().all(|(open, close)| {
                open.is_ascii() && close.is_ascii() && !open.is_empty() && !close.is_empty()
            }));
        }
    }
}
