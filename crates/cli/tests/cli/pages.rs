//! Checks that every command in a page is run: `sh` blocks run here, `console` blocks in `guide.rs`, and any
//! other block with commands must have a mark above it.
//!
//! A mark is an HTML comment, which readers of the page do not see:
//!
//! * `<!-- run by: NAME (PATH) -->` names the test or the step that runs the block, and its file;
//! * `<!-- not run: REASON -->` gives the reason why no machine of this project can run it.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// Languages of blocks with commands. Only `sh` is run without a mark.
const SHELLS: &[&str] = &["bash", "fish", "powershell", "sh", "shell", "zsh"];

/// Pages whose `console` blocks `guide.rs` runs, beside those in the folders of `docs`.
const TESTED_PAGES: &[&str] = &["README.md"];

/// The page whose `mcp` blocks are sent to a server (`mcp/guide.rs`).
const SESSION: &str = "docs/guide/mcp.md";

/// A fenced block of a page.
struct Block {
    line: usize,
    /// Words after the opening fence.
    language: String,
    is_indented: bool,
    text: String,
    /// The comment in the line above.
    mark: Option<String>,
}

/// Kind of check of the commands in a block.
#[derive(Debug, PartialEq, Eq)]
enum Check {
    /// It has none.
    None,
    /// Another test reads the page.
    Elsewhere,
    /// It is run by this file.
    Here,
    /// Another test or step, and its file.
    Named(String, String),
    /// None, for a reason.
    Impossible,
    /// None, and that is a fault.
    Fault(&'static str),
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the project")
}

/// The pages of the site, with their paths from the root.
fn pages() -> Vec<(String, String)> {
    let root = root();
    let mut folders = vec![root.join("docs")];
    let mut pages = Vec::new();
    let mut add = |path: &Path| {
        if path.extension().is_some_and(|extension| extension == "md") {
            let name = path.strip_prefix(&root).expect("a page of the project").display();
            let name = name.to_string().replace('\\', "/");
            pages.push((name, fs::read_to_string(path).expect("a page")));
        }
    };
    for entry in fs::read_dir(&root).expect("the project") {
        add(&entry.expect("an entry").path());
    }
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() { folders.push(path) } else { add(&path) }
        }
    }
    pages.sort();
    pages
}

fn blocks(page: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut lines = (1..).zip(page.lines());
    let mut above = "";
    while let Some((number, line)) = lines.next() {
        let content = line.trim_start();
        let language = content.trim_start_matches('`');
        let fence = &content[..content.len() - language.len()];
        if fence.len() < 3 {
            above = line;
            continue;
        }
        let body = lines
            .by_ref()
            .map(|(_, line)| line)
            .take_while(|line| !line.trim_start().starts_with(fence));
        let text = body.fold(String::new(), |text, line| text + line + "\n");
        let mark = above.strip_prefix("<!-- ").and_then(|mark| mark.strip_suffix(" -->"));
        blocks.push(Block {
            line: number,
            language: language.trim().to_owned(),
            is_indented: content.len() < line.len(),
            text,
            mark: mark.map(str::to_owned),
        });
        above = "";
    }
    blocks
}

fn check(page: &str, block: &Block) -> Check {
    if let Some(mark) = &block.mark {
        if let Some(reason) = mark.strip_prefix("not run: ") {
            let is_reason = !reason.trim().is_empty();
            return if is_reason { Check::Impossible } else { Check::Fault("has no reason") };
        }
        if let Some(name) = mark.strip_prefix("run by: ") {
            let name = name.strip_suffix(')').and_then(|name| name.rsplit_once(" ("));
            return match name {
                Some((name, path)) => Check::Named(name.to_owned(), path.to_owned()),
                None => Check::Fault("names no file in parentheses"),
            };
        }
    }
    let language = block.language.as_str();
    let is_tested = TESTED_PAGES.contains(&page) || page.starts_with("docs/");
    match language {
        "console" if !is_tested => Check::Fault("is in a page whose examples are not run"),
        // The library that runs the examples reads fences at the start of a line only.
        "console" if block.is_indented => Check::Fault("is indented, so it is not run"),
        "console" => Check::Elsewhere,
        "mcp" if page == SESSION => Check::Elsewhere,
        "mcp" => Check::Fault("is a session in a page that is not run"),
        "sh" => Check::Here,
        _ if SHELLS.contains(&language) => Check::Fault("is in a language that is not run"),
        _ if language.starts_with("console") => Check::Fault("is excluded without a reason"),
        "" if page.starts_with("docs/") => Check::Fault("has no language"),
        _ if block.text.lines().any(|line| line.starts_with("$ ")) => {
            Check::Fault("has commands; use `console`")
        }
        _ => Check::None,
    }
}

#[test]
fn every_block_with_commands_is_run_or_marked() {
    let root = root();
    let mut faults = Vec::new();
    for (page, text) in pages() {
        for block in blocks(&text) {
            let place = format!("{page}:{}: the block", block.line);
            match check(&page, &block) {
                Check::Fault(fault) => faults.push(format!("{place} {fault}")),
                Check::Named(name, path) => {
                    let file = fs::read_to_string(root.join(&path)).unwrap_or_default();
                    if !file.contains(&name) {
                        faults.push(format!(
                            "{place} names `{name}`, which `{path}` does not contain"
                        ));
                    }
                }
                _ => {}
            }
        }
    }
    let help = "\n\nUse a `console` block with its output, an `sh` block that runs in the shop, or a mark:\n\
                <!-- run by: NAME (PATH) -->\n<!-- not run: REASON -->";
    assert!(faults.is_empty(), "{}{help}", faults.join("\n"));
}

#[test]
fn blocks_without_a_check_are_faults() {
    let page = |text: &str| {
        let blocks = blocks(text);
        assert_eq!(blocks.len(), 1, "{text}");
        check("docs/guide/page.md", &blocks[0])
    };
    assert_eq!(page("```sh\nlore a\n```\n"), Check::Here);
    assert_eq!(page("````console\n$ lore a\n```\n````\n"), Check::Elsewhere);
    assert_eq!(page("```toml\na = 1\n```\n"), Check::None);
    assert_eq!(page("<!-- not run: opens a browser -->\n```sh\nlore\n```"), Check::Impossible);
    let named = Check::Named("step".to_owned(), ".ci/run".to_owned());
    assert_eq!(page("<!-- run by: step (.ci/run) -->\n```sh\nlore\n```"), named);
    for text in [
        "```text\n$ lore a\n```\n",
        "```bash\nlore a\n```\n",
        "- a\n  ```console\n  $ lore a\n  ```\n",
        "```console,ignore\n$ lore a\n```\n",
        "```\n$ lore a\n```\n",
        "```mcp\n> search {}\n```\n",
        "<!-- run by: step -->\n```sh\nlore\n```\n",
    ] {
        assert!(matches!(page(text), Check::Fault(_)), "{text}");
    }
}

/// Runs the `sh` blocks of each page in the shop of the guide, with its inputs beside it.
#[cfg(unix)]
#[test]
fn shell_blocks_succeed() {
    let scratch = scripts::Scratch::new();
    let mut faults = Vec::new();
    for (page, text) in pages() {
        let blocks = blocks(&text).into_iter();
        let scripts: Vec<Block> =
            blocks.filter(|block| check(&page, block) == Check::Here).collect();
        let all: String = scripts.iter().map(|block| block.text.as_str()).collect();
        scratch.reset(&all);
        for block in scripts {
            if let Err(error) = scratch.run(&block.text) {
                faults.push(format!("{page}:{}:\n{}{error}", block.line, block.text));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

#[cfg(unix)]
mod scripts {
    //! Scripts of the pages, in a scratch folder.

    use std::{
        fs,
        os::unix::fs::PermissionsExt,
        path::{Path, PathBuf},
        process::{Command, Stdio},
    };

    use crate::workspace::{ENVIRONMENT, PROGRAM, Ran, Workspace};

    /// Programs of others that the scripts start, as shell scripts that do as little as the page needs.
    const STAND_INS: &[(&str, &str)] = &[
        // A failed test run. Blocks that need the real one have a mark.
        ("cargo", "cat \"$FIXTURES/failure.log\"; exit 101"),
        ("gh", "cat \"$FIXTURES/issues.json\""),
        ("fzf", "cat"),
    ];

    /// One issue, as the command line of GitHub exports it.
    const ISSUES: &str = r#"[{"number": 7, "title": "Refund paid twice", "body": "The bank was slow.",
        "state": "OPEN", "labels": [], "author": {"login": "ada"}, "assignees": [], "comments": [],
        "url": "https://tickets.example/7", "createdAt": "2025-01-02T03:04:05Z",
        "updatedAt": "2025-01-02T03:04:05Z"}]"#;

    /// A question whose answer is a span.
    const QUESTIONS: &str = r#"{"id": "n1", "repo": "shop", "type": "how", "query": "how often is a refund tried", "answers": [{"path": "src/refund.rs", "grade": 2}]}"#;

    /// A list of collections for `lore eval ablate`.
    const LIST: &str = "[[collection]]\nname = \"questions\"\npath = \"{data}/queries.jsonl\"\n\
                        trees = \"{data}/trees\"\nsources = [\"code\"]\nmeasures = [\"nDCG@10\"]\nvote = 1.0\n";

    /// A page for the tables of `lore eval ablate`.
    const TABLES: &str = "<!-- generated: signals -->\n<!-- end of signals -->\n\
                          <!-- generated: modes -->\n<!-- end of modes -->\n";

    /// The shop with the inputs that the pages name, and a home folder.
    pub(super) struct Scratch {
        workspace: Workspace,
    }

    impl Scratch {
        pub(super) fn new() -> Scratch {
            let workspace = Workspace::shop();
            workspace.git("2025-01-17T08:00:00Z", &["tag", "v1.2"]);
            for day in 1..=20 {
                // Some commits change a file that exists: `lore tune` takes their subjects as queries.
                if day % 5 == 0 {
                    workspace
                        .write("docs/operations.md", format!("# Operations\n\nCall day {day}.\n"));
                }
                let date = format!("2025-02-{day:02}T08:00:00Z");
                let message = "Call the bank when refunds are stuck";
                workspace
                    .git(&date, &["commit", "--quiet", "--all", "--allow-empty", "-m", message]);
            }
            let scratch = Scratch { workspace };
            let bin = scratch.beside("bin");
            fs::create_dir_all(&bin).expect("a folder");
            std::os::unix::fs::symlink(PROGRAM, bin.join("lore")).expect("a link");
            for (name, script) in STAND_INS {
                let path = bin.join(name);
                fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("a file");
                fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a mode");
            }
            let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
            fs::create_dir_all(scratch.beside("fixtures")).expect("a folder");
            for name in ["failure.log", "queries.jsonl"] {
                fs::copy(fixtures.join(name), scratch.beside("fixtures").join(name))
                    .expect("a fixture");
            }
            fs::write(scratch.beside("fixtures/issues.json"), ISSUES).expect("a file");
            // Collections name the shop as `DIR/shop` or `~/code/shop`.
            for folder in ["home/code", "home/measuring/trees"] {
                fs::create_dir_all(scratch.beside(folder)).expect("a folder");
                std::os::unix::fs::symlink(scratch.tree(), scratch.beside(folder).join("shop"))
                    .expect("a link");
            }
            let queries = scratch.beside("fixtures/queries.jsonl");
            fs::copy(queries, scratch.beside("home/measuring/queries.jsonl")).expect("a fixture");
            scratch
        }

        fn tree(&self) -> PathBuf {
            self.workspace.tree()
        }

        fn beside(&self, path: &str) -> PathBuf {
            self.tree().with_file_name(path)
        }

        /// Removes what the scripts of the last page wrote, and writes the inputs that the next scripts name.
        pub(super) fn reset(&self, scripts: &str) {
            self.workspace.git("2025-03-01T08:00:00Z", &["clean", "-ffdxq"]);
            let fixture =
                |name: &str| fs::read(self.beside("fixtures").join(name)).expect("a fixture");
            let queries = fixture("queries.jsonl");
            for (name, text) in [
                ("build.log", fixture("failure.log")),
                ("list.toml", LIST.into()),
                ("queries.jsonl", queries.clone()),
                ("questions.jsonl", QUESTIONS.into()),
                ("ranking.md", TABLES.into()),
                // Names that stand for those of the reader.
                ("COLLECTION", queries),
            ] {
                if scripts.contains(name) {
                    self.workspace.write(name, text);
                }
            }
            std::os::unix::fs::symlink("../home/code", self.tree().join("DIR")).expect("a link");
            if scripts.contains("-C cargo") {
                self.workspace.git("2025-03-01T08:00:00Z", &["clone", "--quiet", ".", "cargo"]);
            }
            if scripts.contains("commits.sig") {
                let dump = "lore eval queries.jsonl --trees ~/code --limit 5 --dump-signals";
                for name in ["commits.sig", "docs.sig"] {
                    self.run(&format!("{dump} {name}")).expect("a dump");
                }
            }
        }

        /// Runs a script, which must exit with 0.
        pub(super) fn run(&self, script: &str) -> Result<(), String> {
            let scratch = self.beside("tmp");
            fs::create_dir_all(&scratch).expect("a folder");
            let script = script.replace("/tmp/", &format!("{}/", scratch.display()));
            let path = std::env::var("PATH").unwrap_or_default();
            let output = Command::new("bash")
                .args(["-euc", &script])
                .current_dir(self.tree())
                .env("PATH", format!("{}:{path}", self.beside("bin").display()))
                .env("HOME", self.beside("home"))
                .env("FIXTURES", self.beside("fixtures"))
                .env("TMPDIR", scratch)
                .env("LOREHOUND_CACHE_DIR", self.workspace.cache())
                .envs(ENVIRONMENT.iter().copied())
                .stdin(Stdio::null())
                .output()
                .map_err(|error| error.to_string())?;
            if output.status.success() { Ok(()) } else { Err(format!("{:?}", Ran::new(&output))) }
        }
    }
}
