//! The grammars, one row each: parser, queries, visibility rule, import style, and the shapes of
//! definitions for texts that the parser gives up on and for builds without the grammar.

use crate::{
    finder::shapes, grammar::Grammar, imports::Style, language::Structure, scanners,
    visibility as rule,
};

/// Patterns shared by C and C++.
const C_FAMILY: &str = include_str!("../queries/c_family.scm");
/// Patterns shared by JavaScript and TypeScript.
const ECMASCRIPT: &str = include_str!("../queries/ecmascript.scm");
/// JSX elements in JavaScript or TypeScript.
const JSX: &str = include_str!("../queries/jsx.scm");
/// Patterns that only TypeScript has.
const TYPESCRIPT_ONLY: &str = include_str!("../queries/typescript.scm");

/// A row of the core, which is part of every build.
macro_rules! core_grammar {
    ($name:ident, $language:expr, [$($query:expr),+], $rule:path, $style:ident) => {
        pub(crate) static $name: Structure = {
            static GRAMMAR: Grammar =
                Grammar::new($language, &[$($query),+], $rule, Style::$style, shapes::ANY_LANGUAGE);
            Structure::Grammar(&GRAMMAR)
        };
    };
}

/// A row behind a feature.
macro_rules! grammar {
    ($feature:literal, $name:ident, $language:expr, $query:literal, $rule:path, $style:ident, $shapes:expr
     $(, skipping $words:expr)? $(, accepting $accepts:path)?) => {
        #[cfg(feature = $feature)]
        pub(crate) static $name: Structure = {
            static GRAMMAR: Grammar = Grammar::new(
                $language,
                &[include_str!(concat!("../queries/", $query))],
                $rule,
                Style::$style,
                $shapes,
            )$(.skipping($words))?$(.accepting($accepts))?;
            Structure::Grammar(&GRAMMAR)
        };
        #[cfg(not(feature = $feature))]
        pub(crate) static $name: Structure = Structure::Lines($shapes);
    };
}

core_grammar!(
    C,
    tree_sitter_c::LANGUAGE,
    [C_FAMILY, include_str!("../queries/c.scm")],
    rule::c,
    Quoted
);
core_grammar!(
    CPP,
    tree_sitter_cpp::LANGUAGE,
    [C_FAMILY, include_str!("../queries/cpp.scm")],
    rule::cpp,
    Quoted
);
core_grammar!(GO, tree_sitter_go::LANGUAGE, [include_str!("../queries/go.scm")], rule::go, Go);
core_grammar!(
    JAVA,
    tree_sitter_java::LANGUAGE,
    [include_str!("../queries/java.scm")],
    rule::java,
    DottedName
);
core_grammar!(
    JAVASCRIPT,
    tree_sitter_javascript::LANGUAGE,
    [include_str!("../queries/javascript.scm"), ECMASCRIPT, JSX],
    rule::javascript,
    Ecmascript
);
core_grammar!(
    PYTHON,
    tree_sitter_python::LANGUAGE,
    [include_str!("../queries/python.scm")],
    rule::python,
    Python
);
core_grammar!(
    RUST,
    tree_sitter_rust::LANGUAGE,
    [include_str!("../queries/rust.scm")],
    rule::rust,
    Rust
);
core_grammar!(
    TSX,
    tree_sitter_typescript::LANGUAGE_TSX,
    [TYPESCRIPT_ONLY, ECMASCRIPT, JSX],
    rule::javascript,
    Ecmascript
);
core_grammar!(
    TYPESCRIPT,
    tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
    [TYPESCRIPT_ONLY, ECMASCRIPT],
    rule::javascript,
    Ecmascript
);

grammar!(
    "grammars",
    BASH,
    tree_sitter_bash::LANGUAGE,
    "bash.scm",
    rule::unknown,
    Quoted,
    shapes::SHELL
);
grammar!(
    "grammars",
    CLOJURE,
    tree_sitter_clojure_orchard::LANGUAGE,
    "clojure.scm",
    rule::clojure,
    Clojure,
    shapes::LISP
);
grammar!(
    "grammars",
    CSHARP,
    tree_sitter_c_sharp::LANGUAGE,
    "csharp.scm",
    rule::csharp,
    DottedModule,
    shapes::CSHARP
);
grammar!("grammars", CSS, tree_sitter_css::LANGUAGE, "css.scm", rule::unknown, Quoted, &[]);
grammar!(
    "grammars",
    DART,
    tree_sitter_dart::LANGUAGE,
    "dart.scm",
    rule::underscore,
    Quoted,
    shapes::DART
);
grammar!(
    "grammars",
    ELIXIR,
    tree_sitter_elixir::LANGUAGE,
    "elixir.scm",
    rule::elixir,
    Elixir,
    shapes::ELIXIR
);
grammar!(
    "grammars",
    ERLANG,
    tree_sitter_erlang::LANGUAGE,
    "erlang.scm",
    rule::exported_list,
    Erlang,
    shapes::ERLANG
);
grammar!(
    "grammars",
    HASKELL,
    tree_sitter_haskell::LANGUAGE,
    "haskell.scm",
    rule::exported_list,
    Haskell,
    shapes::HASKELL
);
grammar!("grammars", HCL, tree_sitter_hcl::LANGUAGE, "hcl.scm", rule::unknown, None, shapes::HCL);
grammar!("grammars", HTML, tree_sitter_html::LANGUAGE, "html.scm", rule::unknown, Quoted, &[]);
grammar!("grammars", JSON, tree_sitter_json::LANGUAGE, "json.scm", rule::unknown, None, &[]);
grammar!(
    "heavy-grammars",
    JULIA,
    tree_sitter_julia::LANGUAGE,
    "julia.scm",
    rule::exported_list,
    DottedModule,
    shapes::JULIA
);
grammar!(
    "grammars",
    KOTLIN,
    tree_sitter_kotlin_ng::LANGUAGE,
    "kotlin.scm",
    rule::public_by_default,
    DottedName,
    shapes::KOTLIN
);
grammar!("grammars", LUA, tree_sitter_lua::LANGUAGE, "lua.scm", rule::lua, Quoted, shapes::LUA);
grammar!("grammars", NIX, tree_sitter_nix::LANGUAGE, "nix.scm", rule::unknown, Quoted, &[]);
grammar!(
    "heavy-grammars",
    OBJECTIVE_C,
    tree_sitter_objc::LANGUAGE,
    "objective_c.scm",
    rule::c,
    Quoted,
    shapes::OBJECTIVE_C
);
grammar!(
    "heavy-grammars",
    OCAML,
    tree_sitter_ocaml::LANGUAGE_OCAML,
    "ocaml.scm",
    rule::ocaml,
    DottedModule,
    shapes::OCAML
);
grammar!(
    "heavy-grammars",
    PERL,
    ts_parser_perl::LANGUAGE,
    "perl.scm",
    rule::perl,
    Perl,
    shapes::PERL
);
grammar!(
    "grammars",
    PHP,
    tree_sitter_php::LANGUAGE_PHP,
    "php.scm",
    rule::public_by_default,
    DottedName,
    shapes::PHP
);
grammar!(
    "grammars",
    PROTOBUF,
    tree_sitter_proto::LANGUAGE,
    "protobuf.scm",
    rule::unknown,
    Quoted,
    shapes::PROTOBUF
);
grammar!("grammars", R, tree_sitter_r::LANGUAGE, "r.scm", rule::r, Quoted, shapes::R);
grammar!(
    "grammars",
    RUBY,
    tree_sitter_ruby::LANGUAGE,
    "ruby.scm",
    rule::ruby,
    Quoted,
    shapes::RUBY,
    accepting scanners::ruby
);
grammar!(
    "grammars",
    SCALA,
    tree_sitter_scala::LANGUAGE,
    "scala.scm",
    rule::public_by_default,
    DottedName,
    shapes::SCALA
);
grammar!(
    "grammars",
    SQL,
    tree_sitter_sequel::LANGUAGE,
    "sql.scm",
    rule::unknown,
    None,
    shapes::SQL
);
grammar!(
    "grammars",
    SWIFT,
    tree_sitter_swift::LANGUAGE,
    "swift.scm",
    rule::swift,
    DottedModule,
    shapes::SWIFT,
    // `if let a = await b.c {`: the parser reads the block as an argument, and loses the enclosing
    // type.
    skipping & ["await"]
);
grammar!("grammars", TOML, tree_sitter_toml_ng::LANGUAGE, "toml.scm", rule::unknown, None, &[]);
grammar!(
    "grammars",
    YAML,
    tree_sitter_yaml::LANGUAGE,
    "yaml.scm",
    rule::unknown,
    None,
    &[],
    accepting scanners::yaml
);
grammar!(
    "grammars",
    ZIG,
    tree_sitter_zig::LANGUAGE,
    "zig.scm",
    rule::pub_keyword,
    Quoted,
    shapes::ZIG
);
