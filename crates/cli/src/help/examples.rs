//! Examples of each command, for its help, its man page and the reference.

/// A command line and its description.
pub(crate) type Example = (&'static str, &'static str);

/// The commands, by their names after `lore`, and their examples.
pub(crate) const EXAMPLES: &[(&str, &[Example])] = &[
    (
        "search",
        &[
            ("lore how are refunds retried", "Passages that answer a question"),
            ("lore search status", "A query that is the name of a command"),
            ("lore refund timeout --in code --lang rust", "Only code, only Rust"),
            ("lore 'refund AND NOT test' --path 'src/**'", "Operators, and only some paths"),
            ("lore --regex 'retry_\\w+' --since '7 days ago'", "A pattern in recent files"),
            ("cargo test 2>&1 | lore --from-failure", "Start from the failures of a log"),
            ("lore refund --json --budget 2000", "JSON of at most 2,000 tokens"),
        ],
    ),
    (
        "symbol",
        &[
            ("lore symbol retry_refund", "Definitions of a name"),
            ("lore symbol Disk.save --lang rust", "A method of a type"),
        ],
    ),
    ("file", &[("lore file refund", "Definitions of the files with `refund` in their path")]),
    (
        "expand",
        &[
            ("lore expand src/refund.rs:40", "The definition around a line, whole"),
            ("lore expand retry_refund --callers", "Its callers"),
            ("lore expand retry_refund --history", "The commits that changed its lines"),
        ],
    ),
    (
        "why",
        &[
            ("lore why src/refund.rs:40", "What is behind a line"),
            ("lore why retry_refund --json", "What is behind a definition, as JSON"),
        ],
    ),
    ("tried", &[("lore tried idempotency keys", "Earlier attempts about a subject")]),
    (
        "review",
        &[
            ("lore review", "What is not committed"),
            ("lore review main..HEAD --gate", "A branch; exit with 1 if a finding counts"),
            ("git diff | lore review -", "A patch on standard input"),
        ],
    ),
    (
        "research",
        &[
            ("lore research callers of retry_refund", "Who uses a definition"),
            ("lore research path from main to save", "How a definition reaches another one"),
            (
                "lore research dependencies --format mermaid",
                "The dependencies between modules, as a diagram",
            ),
        ],
    ),
    (
        "context",
        &[
            ("lore context 'refunds are paid twice'", "What to read for a task"),
            ("lore context PAY-001 --budget 4000", "For a ticket, in at most 4,000 tokens"),
        ],
    ),
    ("classify", &[("lore classify 'why does the test fail'", "The intent of a task")]),
    ("policy", &[("lore policy debug", "The contents of a package for one intent")]),
    (
        "related",
        &[
            ("lore related src/refund.rs:40", "Passages similar to a place"),
            ("lore related 'tickets:PAY-001'", "Passages similar to a hit"),
        ],
    ),
    (
        "exists",
        &[
            ("lore exists 'retry a refund'", "Functions that do what is described"),
            ("lore exists - < new.rs", "Code that is nearly the same"),
        ],
    ),
    (
        "spec",
        &[
            ("lore spec refund timeout", "Specs with these words"),
            ("lore spec refund --follow code", "Also the code that they govern"),
        ],
    ),
    (
        "rg",
        &[
            ("lore rg 'fn \\w+_refund' -g '*.rs'", "Matching lines, as ripgrep prints them"),
            ("lore rg --ranked refund", "The most relevant matches first"),
        ],
    ),
    (
        "pick",
        &[
            ("lore pick", "Search while you type, and open the choice"),
            ("vim $(lore pick refund)", "Use the choice in another command"),
        ],
    ),
    ("suggest", &[("lore suggest retr", "Completions of a word")]),
    (
        "owners",
        &[
            ("lore owners src/refund.rs", "Specs that govern a file"),
            ("lore owners 'src/refund.rs#retry_refund'", "Specs that govern a part of it"),
        ],
    ),
    (
        "drift",
        &[
            ("lore drift", "All findings"),
            ("lore drift --since main --gate", "Those of a branch, for continuous integration"),
            ("lore drift --format sarif", "For tools that read SARIF"),
        ],
    ),
    (
        "index",
        &[
            ("lore index", "Build the index, or update it"),
            ("lore index --watch", "Keep it up to date while files change"),
            ("lore index --export ../index.lore", "Write it to a file, for another clone"),
        ],
    ),
    (
        "cluster",
        &[
            ("lore cluster init --cluster http://localhost:9200", "Create the index in a cluster"),
            ("lore cluster ingest", "Write this repository into it"),
        ],
    ),
    (
        "cluster init",
        &[("lore cluster init --shards 4 --replicas 1", "For some hundred repositories")],
    ),
    ("cluster status", &[("lore cluster status --json", "Health, size and repositories, as JSON")]),
    (
        "cluster ingest",
        &[("lore cluster ingest --as api", "Write this repository under the name `api`")],
    ),
    ("cluster forget", &[("lore cluster forget api", "Remove the repository `api`")]),
    (
        "workspace",
        &[
            ("lore workspace add -W work ~/src/api ~/src/web", "Search two repositories together"),
            ("lore workspace list", "List the workspaces and their repositories"),
        ],
    ),
    (
        "workspace add",
        &[("lore workspace add -W work .", "Add this repository to the workspace `work`")],
    ),
    (
        "workspace remove",
        &[
            ("lore workspace remove -W work .", "Remove this repository from it"),
            ("lore workspace remove -W work", "Remove the workspace; the indexes stay"),
        ],
    ),
    ("workspace list", &[("lore workspace list --json", "All workspaces, as JSON")]),
    ("status", &[("lore status --json", "The state of the index, as JSON")]),
    ("sources", &[("lore sources", "The sources, and what was skipped")]),
    ("doctor", &[("lore doctor", "Check the machine, the settings and the index")]),
    (
        "clean",
        &[
            ("lore clean --dry-run", "Show which indexes would be deleted"),
            ("lore clean --all --yes", "Delete all of them, without a question"),
        ],
    ),
    (
        "history",
        &[
            ("lore history --zero", "Queries that found nothing"),
            ("lore history clear", "Delete the records"),
        ],
    ),
    ("mcp", &[("lore mcp -C ~/src/shop", "Serve one tree")]),
    ("lsp", &[("lore lsp", "Serve the folders of the editor")]),
    (
        "serve",
        &[
            ("lore serve --open", "Show the tree in your browser"),
            ("lore serve --mcp --token-file TOKEN", "Serve agents over HTTP, too"),
            ("lore serve --mcp --log json", "Write a log of the requests"),
            (
                "lore serve --mcp --cluster https://search.example.com:9200 --access users.toml",
                "Serve the repositories of a cluster to a team",
            ),
            ("lore serve --mcp --otlp http://localhost:4318", "Send traces to a collector"),
        ],
    ),
    (
        "access",
        &[("lore access token ana --repo 'shop/*'", "Let Ana read the repositories of the shop")],
    ),
    (
        "access token",
        &[("lore access token ci --repo '**'", "A token that reads every repository")],
    ),
    (
        "config",
        &[
            ("lore config", "All settings, and where their values come from"),
            ("lore config search.limit", "One setting, with its description"),
        ],
    ),
    (
        "trust",
        &[
            ("lore trust", "Review the settings file of a project, and allow it"),
            ("lore trust --list", "List the trusted files"),
        ],
    ),
    ("model", &[("lore model list", "List the available models")]),
    ("model list", &[("lore model list --json", "The same as JSON")]),
    (
        "model use",
        &[
            ("lore model use embedded", "Use the built-in model"),
            ("lore model use off", "Use no model"),
        ],
    ),
    ("model verify", &[("lore model verify", "Check the model in use")]),
    (
        "eval",
        &[
            ("lore eval queries.jsonl", "Measure labelled queries"),
            ("lore eval --self", "Measure by the history of the repository"),
            ("lore eval queries.jsonl --min nDCG@10=0.85", "Fail below a figure"),
        ],
    ),
    (
        "eval ablate",
        &[("lore eval ablate --config collections.toml", "The effect of each signal, as Markdown")],
    ),
    (
        "eval compare",
        &[("lore eval compare before.jsonl after.jsonl", "The queries that moved, and why")],
    ),
    (
        "eval fit",
        &[("lore eval fit --config collections.toml", "Weights that rank the results best")],
    ),
    (
        "tune",
        &[
            ("lore tune", "Show the weights for this repository"),
            ("lore tune --apply", "Use them from now on"),
            ("lore tune --reset", "Use the built-in ones again"),
        ],
    ),
    ("bench", &[("lore bench --sizes 1000,10000", "Measure trees of two sizes")]),
    (
        "install",
        &[
            ("lore install --dry-run", "Show the changes only"),
            ("lore install claude-code", "Connect one agent"),
        ],
    ),
    ("uninstall", &[("lore uninstall", "Remove what `lore install` added")]),
    (
        "completions",
        &[
            ("lore completions zsh > ~/.zfunc/_lore", "Completions for zsh"),
            ("lore completions nushell > lore.nu", "Completions for Nushell"),
            ("lore completions fish --keys", "A key binding for `lore pick`"),
        ],
    ),
    (
        "generate",
        &[
            ("lore generate man --out man", "Man pages"),
            ("lore generate completions --out completions", "Completions for all shells"),
            ("lore generate schemas --out schemas", "JSON Schemas of all outputs"),
        ],
    ),
];

/// The examples of a command, by its names after `lore`.
pub(crate) fn examples(command: &str) -> &'static [Example] {
    EXAMPLES.iter().find(|(name, _)| *name == command).map_or(&[], |(_, examples)| *examples)
}

/// The examples as a section of help; `None` if there are none.
pub(crate) fn section(command: &str) -> Option<String> {
    let examples = examples(command);
    if examples.is_empty() {
        return None;
    }
    let lines: Vec<String> =
        examples.iter().map(|(line, about)| format!("  {line}\n      {about}")).collect();
    Some(format!("Examples:\n{}", lines.join("\n")))
}
