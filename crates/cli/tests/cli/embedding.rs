//! Vectors from a server, and what happens without it.

use std::fs;

use serde_json::Value;

use crate::{
    embedding_server::Server,
    workspace::{Ran, Workspace},
};

/// What no output may hold.
const KEY: &str = "sk-nobody-may-read-this";

/// Holds the words of the question, and is about something else.
const WORDS: (&str, &str) = (
    "docs/library.md",
    "# Library\n\nEach book is returned to its shelf. Readers of the library pay no money for a book \
     that was returned.\n",
);

/// Says what the question means, mostly in other words.
const MEANING: (&str, &str) = (
    "docs/gateway.md",
    "# Gateway\n\nA refund of the payment reimburses whoever paid the money.\n",
);

const QUESTION: &str = "money returned";

struct Setup {
    workspace: Workspace,
    server: Server,
}

impl Setup {
    /// Two documents, and a server that the user's settings name.
    fn new() -> Setup {
        let workspace = Workspace::with(&[WORDS, MEANING, ("src/lib.rs", "pub fn settle() {}\n")]);
        let setup = Setup { workspace, server: Server::start() };
        setup.set("");
        setup
    }

    /// Writes the user's settings: the server, and these.
    fn set(&self, more: &str) {
        let text = format!(
            "[embedding]\nendpoint = \"{}\"\nmodel = \"small\"\nkey_env = \"SHOP_KEY\"\n{more}",
            self.server.url()
        );
        fs::write(self.workspace.cache().with_file_name("own.toml"), text).expect("a new file");
    }

    fn run(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Ran {
        let mut command = self.workspace.command(arguments);
        command.env("LOREHOUND_CONFIG", self.workspace.cache().with_file_name("own.toml"));
        command.env("SHOP_KEY", KEY).envs(variables.iter().copied());
        let ran = Ran::new(&command.output().expect("the program starts"));
        assert!(!ran.stdout.contains(KEY) && !ran.stderr.contains(KEY), "{ran:?}");
        ran
    }

    fn search(&self, flags: &[&str]) -> Ran {
        self.run(&[&["search", QUESTION, "--json"], flags].concat(), &[])
    }
}

/// What compared meaning, and why not the server.
fn receipt(ran: &Ran) -> (String, Option<String>) {
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let receipt = &ran.json()["receipt"];
    let text = |key: &str| match &receipt[key] {
        Value::String(text) => Some(text.clone()),
        Value::Null if receipt.get(key).is_some() => None,
        other => panic!("`{key}` is {other}"),
    };
    (text("semantic").expect("a name"), text("semanticFallback"))
}

#[test]
fn a_server_makes_vectors_and_its_loss_stops_no_search() {
    let mut setup = Setup::new();
    // Before the server has seen the documents, the model inside of the program stands in.
    let (semantic, reason) = receipt(&setup.search(&[]));
    assert_eq!(semantic, "embedded");
    assert!(reason.expect("a reason").contains("`lore index` does"));
    assert!(setup.server.requests().is_empty(), "a search sends no documents");

    let ran = setup.run(&["index"], &[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let requests = setup.server.requests();
    assert!(requests.iter().any(|request| request.contains("reimburses whoever paid")));
    for request in &requests {
        assert!(request.starts_with("POST /v1/embeddings "), "{request}");
        assert!(request.contains(&format!("Bearer {KEY}\r\n")), "{request}");
    }
    let status = setup.run(&["status", "--json"], &[]).json();
    assert_eq!(status["embedder"], "endpoint:small");

    let ran = setup.search(&[]);
    assert_eq!(receipt(&ran), ("endpoint:small".to_owned(), None));
    assert!(ran.paths().contains(&MEANING.0.to_owned()), "{ran:?}");
    assert_eq!(setup.server.requests().len(), requests.len() + 1, "the question alone is sent");
    assert_eq!(receipt(&setup.search(&["--mode", "lexical"])), ("off".to_owned(), None));
    assert_eq!(setup.server.requests().len(), requests.len() + 1);

    setup.server.stop();
    let ran = setup.search(&[]);
    let (semantic, reason) = receipt(&ran);
    assert_eq!(semantic, "embedded");
    assert!(reason.as_deref().expect("a reason").contains("the connection is refused"), "{ran:?}");
    assert!(ran.stderr.contains("the connection is refused"), "{ran:?}");
    assert!(ran.paths().contains(&WORDS.0.to_owned()), "{ran:?}");

    setup.workspace.write("docs/new.md", "# New\n\nThe settlement report.\n");
    let ran = setup.run(&["index"], &[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stderr.contains("the connection is refused"), "{ran:?}");
}

#[test]
fn what_is_set_and_broken_stops_nothing_and_what_is_typed_does() {
    let setup = Setup::new();
    let missing = "/there/is/no/model";
    let model = ("LOREHOUND_EMBEDDING_MODEL", missing);
    let no_key = ("SHOP_KEY", "");
    for (variable, reason) in [(model, missing), (no_key, "names the variable `SHOP_KEY`")] {
        let ran = setup.run(&["search", QUESTION, "--json"], &[variable]);
        let (semantic, fallback) = receipt(&ran);
        assert_eq!(semantic, "embedded");
        assert!(fallback.expect("a reason").contains(reason), "{ran:?}");
        assert_eq!(ran.stderr.matches(reason).count(), 1, "it is told once: {ran:?}");
        assert!(!ran.paths().is_empty());

        let lexical = ["search", QUESTION, "--json", "--mode", "lexical"];
        let ran = setup.run(&lexical, &[variable]);
        assert_eq!(receipt(&ran), ("off".to_owned(), None));
        for command in [&["symbol", "settle"][..], &["index"], &["status"]] {
            let ran = setup.run(command, &[variable]);
            assert_eq!(ran.code, Some(0), "{ran:?}");
            assert!(ran.stderr.starts_with("lore: warning: could not "), "{ran:?}");
            assert!(ran.stderr.contains(reason), "{ran:?}");
        }
        let ran = setup.run(&["model", "verify"], &[variable]);
        assert_eq!(ran.code, Some(2), "{ran:?}");
    }
    for command in [&["search", QUESTION][..], &["symbol", "settle"]] {
        let ran = setup.run(&[command, &["--model", missing]].concat(), &[]);
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert!(ran.stderr.contains("there is no such folder"), "{ran:?}");
    }
    assert!(setup.server.requests().is_empty());
}

#[test]
fn a_project_names_no_server() {
    let setup = Setup::new();
    let text = format!("[embedding]\nendpoint = \"{}\"\n", setup.server.url());
    setup.workspace.write("lorehound.toml", text);
    for command in [&["search", QUESTION][..], &["index"], &["symbol", "settle"]] {
        let ran = setup.run(command, &[]);
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert!(ran.stderr.contains("only your own settings"), "{ran:?}");
    }
    assert!(setup.server.requests().is_empty());
}

#[test]
fn weights_of_words_and_of_meaning_change_the_order_and_a_flag_comes_first() {
    let setup = Setup::new();
    assert_eq!(setup.run(&["index"], &[]).code, Some(0));
    let (by_words, by_meaning) = ([WORDS.0, MEANING.0], [MEANING.0, WORDS.0]);
    let order = |flags: &[&str]| {
        let ran = setup.search(flags);
        assert_eq!(receipt(&ran).0, "endpoint:small");
        ran.paths()
    };
    assert_eq!(order(&["--semantic-weight", "0"]), by_words);
    assert_eq!(order(&["--semantic-weight", "1"]), by_meaning);
    setup.set("[search]\nsemantic_weight = 1.0\n");
    assert_eq!(order(&[]), by_meaning);
    assert_eq!(order(&["--semantic-weight", "0"]), by_words);
    assert_eq!(order(&["--bm25-weight", "1", "--semantic-weight", "0"]), by_words);
    setup.set("[search]\nsemantic_weight = 0.0\n");
    assert_eq!(order(&[]), by_words);
}
