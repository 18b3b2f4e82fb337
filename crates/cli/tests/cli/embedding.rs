//! Vectors from an embedding server, and its loss.

use std::fs;

use serde_json::Value;

use crate::{
    embedding_server::Server,
    workspace::{Ran, Workspace},
};

/// A key that no output may contain.
const KEY: &str = "sk-this-must-stay-secret";

/// A document with the words of the query, about another topic.
const WORDS: (&str, &str) = (
    "docs/library.md",
    "# Library\n\nEach book is returned to its shelf. Readers of the library pay no money for a book \
     that was returned.\n",
);

/// A document with the meaning of the query, mostly in other words.
const MEANING: (&str, &str) = (
    "docs/gateway.md",
    "# Gateway\n\nA refund of the payment reimburses the one who paid the money.\n",
);

const QUESTION: &str = "money returned";

struct Setup {
    workspace: Workspace,
    server: Server,
}

impl Setup {
    /// Two documents, and a server in the user's settings.
    fn new() -> Setup {
        let workspace = Workspace::with(&[WORDS, MEANING, ("src/lib.rs", "pub fn settle() {}\n")]);
        let setup = Setup { workspace, server: Server::start() };
        setup.set("");
        setup
    }

    /// Writes the user's settings: the server and the given lines.
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

/// The model that compared meaning, and the reason if it was not the server.
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
fn searches_work_with_an_embedding_server_and_after_its_loss() {
    let mut setup = Setup::new();
    // Until the server has embedded the documents, the built-in model is used.
    let (semantic, reason) = receipt(&setup.search(&[]));
    assert_eq!(semantic, "embedded");
    assert!(reason.expect("a reason").contains("run `lore index`"));
    assert!(setup.server.requests().is_empty(), "a search sends no documents");

    let ran = setup.run(&["index"], &[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let requests = setup.server.requests();
    assert!(requests.iter().any(|request| request.contains("reimburses the one who paid")));
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
fn a_broken_server_is_a_warning_from_settings_and_an_error_from_flags() {
    let setup = Setup::new();
    let missing = "/there/is/no/model";
    let model = ("LOREHOUND_EMBEDDING_MODEL", missing);
    let no_key = ("SHOP_KEY", "");
    for (variable, reason) in [(model, missing), (no_key, "names the variable `SHOP_KEY`")] {
        let ran = setup.run(&["search", QUESTION, "--json"], &[variable]);
        let (semantic, fallback) = receipt(&ran);
        assert_eq!(semantic, "embedded");
        assert!(fallback.expect("a reason").contains(reason), "{ran:?}");
        assert_eq!(ran.stderr.matches(reason).count(), 1, "it is reported once: {ran:?}");
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
        assert!(ran.stderr.contains("there is no such directory"), "{ran:?}");
    }
    assert!(setup.server.requests().is_empty());
}

#[test]
fn a_project_cannot_name_a_server() {
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
fn weights_change_the_order_and_flags_override_settings() {
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
