//! The same small ledger in four languages.

use crate::workspace::Workspace;

/// A tree in one language, and what an editor should find in it.
pub(crate) struct Language {
    /// Name, for messages.
    pub(crate) name: &'static str,
    /// Path and text of each file.
    pub(crate) files: &'static [(&'static str, &'static str)],
    /// Path of the file with the definitions.
    pub(crate) library: &'static str,
    /// Path of the file that uses them.
    pub(crate) user: &'static str,
    /// The call of the fee function in the using file, marked by `^`.
    pub(crate) call: &'static str,
    /// Name of the fee function, and its definition, marked.
    pub(crate) fee: (&'static str, &'static str),
    /// Name of the interface, and its definition, marked.
    pub(crate) book: (&'static str, &'static str),
    /// Part of the signature of the fee function.
    pub(crate) signature: &'static str,
}

impl Language {
    /// The text of a file.
    pub(crate) fn text(&self, path: &str) -> &'static str {
        self.files.iter().find(|(known, _)| *known == path).expect("a file of the tree").1
    }

    /// A workspace with two commits, and a spec that governs the library.
    pub(crate) fn workspace(&self) -> Workspace {
        let workspace = Workspace::with(self.files);
        let spec = format!(
            "---\ntitle: Fees of the ledger\ncode:\n  - {}\n---\n# Fees\n\nA fee is three.\n",
            self.library
        );
        workspace.write(".spec/fees/spec.md", spec);
        let date = "2024-11-05T09:00:00Z";
        workspace.git(date, &["init", "--quiet", "--initial-branch=main"]);
        workspace.git(date, &["add", "--", "."]);
        let message = "ledger: add a fee\n\nThe bank charges three cents. They are passed on.";
        workspace.git(date, &["commit", "--quiet", "-m", message]);
        workspace
    }
}

/// The trees.
pub(crate) const LANGUAGES: &[Language] = &[RUST, PYTHON, TYPESCRIPT, GO];

const RUST: Language = Language {
    name: "Rust",
    files: &[
        ("src/lib.rs", include_str!("../fixtures/ledger/rust/src/lib.rs")),
        ("src/ledger.rs", include_str!("../fixtures/ledger/rust/src/ledger.rs")),
        ("src/shop.rs", include_str!("../fixtures/ledger/rust/src/shop.rs")),
    ],
    library: "src/ledger.rs",
    user: "src/shop.rs",
    call: "let total = with^_fee(amount)",
    fee: ("with_fee", "pub fn ^with_fee"),
    book: ("Book", "pub trait ^Book"),
    signature: "pub fn with_fee(amount: u64) -> u64",
};

const PYTHON: Language = Language {
    name: "Python",
    files: &[
        ("shop/__init__.py", include_str!("../fixtures/ledger/python/shop/__init__.py")),
        ("shop/ledger.py", include_str!("../fixtures/ledger/python/shop/ledger.py")),
        ("shop/sales.py", include_str!("../fixtures/ledger/python/shop/sales.py")),
    ],
    library: "shop/ledger.py",
    user: "shop/sales.py",
    call: "total = with^_fee(amount)",
    fee: ("with_fee", "def ^with_fee"),
    book: ("Book", "class ^Book"),
    signature: "def with_fee(amount)",
};

const TYPESCRIPT: Language = Language {
    name: "TypeScript",
    files: &[
        ("package.json", include_str!("../fixtures/ledger/typescript/package.json")),
        ("src/ledger.ts", include_str!("../fixtures/ledger/typescript/src/ledger.ts")),
        ("src/shop.ts", include_str!("../fixtures/ledger/typescript/src/shop.ts")),
    ],
    library: "src/ledger.ts",
    user: "src/shop.ts",
    call: "const total = with^Fee(amount)",
    fee: ("withFee", "export function ^withFee"),
    book: ("Book", "export interface ^Book"),
    signature: "function withFee(amount: number): number",
};

const GO: Language = Language {
    name: "Go",
    files: &[
        ("go.mod", include_str!("../fixtures/ledger/go/go.mod")),
        ("ledger/ledger.go", include_str!("../fixtures/ledger/go/ledger/ledger.go")),
        ("shop.go", include_str!("../fixtures/ledger/go/shop.go")),
    ],
    library: "ledger/ledger.go",
    user: "shop.go",
    call: "total := ledger.With^Fee(amount)",
    fee: ("WithFee", "func ^WithFee"),
    book: ("Book", "type ^Book"),
    signature: "func WithFee(amount int) int",
};
