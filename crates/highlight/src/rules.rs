//! Lexical rules that differ between languages, beside their comments and words.

use lore_syntax::Language;

/// Lexical rules of a language.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent rule")]
pub(crate) struct Rules {
    /// `'` encloses a single character. Otherwise, it is a quote if the language lists it.
    pub(crate) char_quotes: bool,
    /// Three quotes enclose text of several lines.
    pub(crate) triple_quotes: bool,
    /// Strings may have several lines.
    pub(crate) long_strings: bool,
    /// Backticks enclose a string of several lines.
    pub(crate) backticks: bool,
    /// `r"…"`, `r#"…"#`: strings without escapes.
    pub(crate) raw_strings: bool,
    /// `name!` is a macro.
    pub(crate) macros: bool,
    /// A name that starts with an upper case letter is a type.
    pub(crate) upper_types: bool,
    /// Reserved words are valid in any letter case.
    pub(crate) any_case: bool,
    /// `#` at the start of a line is a directive of the preprocessor.
    pub(crate) directives: bool,
    /// A name before `:` or `=` is a key.
    pub(crate) keys: bool,
    /// `-` is part of a name.
    pub(crate) dashes: bool,
    /// A quote in a string is written twice instead of with `\`.
    pub(crate) doubled_quotes: bool,
}

impl Rules {
    /// The rules of a language.
    pub(crate) fn of(language: &Language) -> Rules {
        let name = language.name;
        let is = |names: &[&str]| names.contains(&name);
        Rules {
            char_quotes: is(&[
                "c",
                "c++",
                "csharp",
                "d",
                "elm",
                "fsharp",
                "go",
                "haskell",
                "java",
                "kotlin",
                "nim",
                "objective-c",
                "ocaml",
                "rust",
                "scala",
                "zig",
            ]),
            triple_quotes: is(&[
                "csharp", "dart", "elixir", "gleam", "graphql", "groovy", "java", "julia",
                "kotlin", "nim", "python", "scala", "swift", "toml",
            ]),
            long_strings: is(&[
                "bash", "clojure", "elixir", "elm", "erlang", "fish", "lua", "nix", "ocaml",
                "perl", "php", "r", "ruby", "rust", "scheme", "sql", "zig",
            ]),
            backticks: is(&["go", "javascript", "tsx", "typescript", "vue", "svelte"]),
            raw_strings: is(&["rust"]),
            macros: is(&["rust"]),
            upper_types: !is(&[
                "bash",
                "fish",
                "make",
                "sql",
                "ini",
                "toml",
                "yaml",
                "css",
                "dockerfile",
            ]),
            any_case: is(&["sql"]),
            directives: is(&["c", "c++", "csharp", "objective-c"]),
            keys: is(&["css", "ini", "json", "toml", "yaml", "hcl", "graphql"]),
            dashes: is(&["clojure", "css", "scheme", "yaml", "toml", "ini", "nix"]),
            doubled_quotes: is(&["sql"]),
        }
    }
}

/// Words that are constants in most languages.
pub(crate) const CONSTANTS: &[&str] = &[
    "False",
    "NULL",
    "NaN",
    "None",
    "True",
    "YES",
    "false",
    "nil",
    "null",
    "nullptr",
    "true",
    "undefined",
];

/// Words that name the object or type of the enclosing definition, sorted.
pub(crate) const OWN: &[&str] = &["Self", "self", "super", "this"];

/// Names of types without an upper case letter, sorted.
pub(crate) const TYPES: &[&str] = &[
    "bool", "boolean", "byte", "bytes", "char", "double", "f32", "f64", "float", "i128", "i16",
    "i32", "i64", "i8", "int", "int16", "int32", "int64", "int8", "isize", "long", "rune", "short",
    "size_t", "str", "string", "u128", "u16", "u32", "u64", "u8", "uint", "uint16", "uint32",
    "uint64", "uint8", "unsigned", "usize", "void",
];

/// Tokens of grammars that are names far more often than reserved words: language and words.
pub(crate) const NOT_RESERVED: &[(&str, &[&str])] = &[
    (
        "rust",
        &[
            "block",
            "default",
            "expr",
            "expr_2021",
            "gen",
            "ident",
            "item",
            "lifetime",
            "literal",
            "meta",
            "pat",
            "pat_param",
            "path",
            "raw",
            "stmt",
            "tt",
            "ty",
            "union",
            "vis",
        ],
    ),
    ("javascript", &["get", "meta", "of", "set", "target"]),
    (
        "typescript",
        &[
            "accessor", "any", "asserts", "get", "global", "is", "meta", "never", "number",
            "object", "of", "require", "set", "symbol", "target", "unknown",
        ],
    ),
    (
        "tsx",
        &[
            "accessor", "any", "asserts", "get", "global", "is", "meta", "never", "number",
            "object", "of", "require", "set", "symbol", "target", "unknown",
        ],
    ),
    ("python", &["argument", "exec", "match", "pattern", "print", "separator", "type"]),
    (
        "csharp",
        &[
            "Cdecl",
            "Fastcall",
            "Stdcall",
            "Thiscall",
            "add",
            "alias",
            "annotations",
            "by",
            "disable",
            "enable",
            "equals",
            "event",
            "field",
            "file",
            "get",
            "group",
            "hidden",
            "into",
            "join",
            "managed",
            "method",
            "module",
            "on",
            "param",
            "property",
            "remove",
            "required",
            "restore",
            "scoped",
            "select",
            "set",
            "unmanaged",
            "warning",
            "warnings",
        ],
    ),
    (
        "java",
        &[
            "exports", "module", "open", "opens", "permits", "provides", "record", "requires",
            "to", "uses", "when", "with",
        ],
    ),
    (
        "kotlin",
        &[
            "data", "delegate", "dynamic", "expect", "field", "file", "get", "infix", "inner",
            "open", "out", "param", "property", "receiver", "set", "setparam", "value",
        ],
    ),
    ("c", &["NULL", "defined"]),
    ("c++", &["NULL", "defined", "final", "override"]),
    ("ruby", &["parameter", "pattern", "ri"]),
    ("php", &["array", "bool", "encoding", "list", "match", "object", "strict_types", "ticks"]),
    ("scala", &["cap", "rd", "uses"]),
    (
        "swift",
        &[
            "Protocol",
            "Type",
            "arch",
            "available",
            "canImport",
            "column",
            "compiler",
            "copy",
            "discard",
            "each",
            "file",
            "fileID",
            "filePath",
            "line",
            "macro",
            "of",
            "open",
            "optional",
            "package",
            "postfix",
            "prefix",
            "selector",
            "sending",
            "set",
            "swift",
            "targetEnvironment",
            "unavailable",
        ],
    ),
    (
        "haskell",
        &[
            "anyclass",
            "export",
            "family",
            "group",
            "hiding",
            "nominal",
            "pattern",
            "phantom",
            "qualified",
            "rec",
            "representational",
            "role",
            "stock",
            "via",
        ],
    ),
    ("dart", &["Function", "base", "hide", "of", "on", "part", "set", "show", "when"]),
    ("zig", &["test"]),
    ("css", &["query", "selector"]),
];

/// Words after which a name is the function that they define, sorted.
pub(crate) const DEFINES_FUNCTION: &[&str] =
    &["def", "defp", "fn", "fun", "func", "function", "macro_rules", "proc", "sub"];

/// Words after which a name is the type that they define, sorted.
pub(crate) const DEFINES_TYPE: &[&str] = &[
    "class",
    "enum",
    "impl",
    "interface",
    "module",
    "namespace",
    "protocol",
    "record",
    "struct",
    "trait",
    "type",
    "typedef",
    "union",
];
