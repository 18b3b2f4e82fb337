//! The commands and the options of a search, by task.

/// Tasks and their commands.
pub(super) const COMMANDS: &[(&str, &[&str])] = &[
    ("Ask a question", &["search", "pick", "suggest", "history"]),
    ("Find code", &["symbol", "file", "expand", "research", "related", "exists", "rg"]),
    ("Understand and change code", &["why", "tried", "owners", "spec", "review", "drift"]),
    ("Collect context for a task", &["context", "classify", "policy"]),
    (
        "Connect agents, editors and shells",
        &["install", "uninstall", "mcp", "lsp", "serve", "access", "completions"],
    ),
    (
        "Care for the index",
        &["index", "status", "workspace", "cluster", "sources", "doctor", "clean"],
    ),
    ("Change settings and models", &["config", "trust", "model"]),
    ("Measure and tune", &["eval", "tune", "bench"]),
];

/// Tasks and the identifiers of their options.
pub(super) const OPTIONS: &[(&str, &[&str])] = &[
    (
        "Ask",
        &[
            "query",
            "questions",
            "raw",
            "regex",
            "literal",
            "case_sensitive",
            "from_failure",
            "mode",
        ],
    ),
    (
        "Search a part",
        &[
            "sources",
            "paths",
            "excludes",
            "languages",
            "kinds",
            "since",
            "until",
            "status",
            "state",
            "tag",
            "priority",
            "assignee",
            "author",
            "fields",
            "archived",
            "at",
            "directory",
            "workspace",
            "cluster",
            "repo",
            "hidden",
            "no_hidden",
        ],
    ),
    (
        "Choose the hits",
        &["limit", "min_score", "min_similarity", "strict", "hops", "follow", "follow_ups"],
    ),
    (
        "See more or less of them",
        &["snippet", "context", "full", "stats", "explain", "group", "no_group"],
    ),
    ("Adapt the terminal", &["color", "theme", "hyperlink_format", "no_pager"]),
    (
        "Answer programs and agents",
        &["format", "json", "null", "offsets", "budget", "tokenizer", "cursor", "all"],
    ),
    (
        "Change words and ranking",
        &[
            "expand",
            "no_rewrite",
            "wait",
            "expand_cmd",
            "rerank_cmd",
            "semantic_weight",
            "bm25_weight",
            "alpha",
            "rrf_k",
        ],
    ),
    ("Choose the model of meaning", &["model", "endpoint", "key_env", "batch", "timeout"]),
    (
        "Write and read the index",
        &["cache_dir", "no_write", "all_history", "tickets", "history", "no_history"],
    ),
    ("Get help", &["help", "version"]),
];

/// The last lines.
pub(super) const END: &str = "
A first word that is the name of a command runs it; `lore search status` searches for `status`.
A question such as `lore why is a refund retried` is a search, too.

`lore help COMMAND` describes a command, `lore help syntax` the query language, and
`lore help compat` the flags that make `lore` answer as another system does.
Exit codes: 0 with hits, 1 without, 2 after an error. `lore spec` exits 0 also without hits.
";
