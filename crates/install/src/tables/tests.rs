//! Inserting and removing a table changes no other byte.

use serde_json::json;

use super::*;

const BLOCK: &str = "[mcp_servers.lore]\ncommand = \"lore\"\nargs = [\"mcp\"]\n";

fn with<T>(work: impl FnOnce(&Target<'_>) -> T) -> T {
    let containers = vec!["mcp_servers".to_owned()];
    let value = json!({ "command": "lore", "args": ["mcp"] });
    work(&Target { containers: &containers, key: Some("lore"), value: &value })
}

fn check(before: &str, after: &str) {
    with(|target| {
        let (changed, trace) = insert(before, target).expect("it can be inserted");
        assert_eq!(changed, after);
        assert_eq!(present(&changed, target), Ok(Present::Same));
        assert_eq!(remove(&changed, target, &trace, false), Ok(Removal::Text(before.to_owned())));
    });
}

#[test]
fn the_table_is_added_at_the_end() {
    check("", BLOCK);
    check("model = \"o\" # mine\n", &format!("model = \"o\" # mine\n\n{BLOCK}"));
    check("model = \"o\"", &format!("model = \"o\"\n\n{BLOCK}"));
    check(
        "[mcp_servers.files]\ncommand = \"f\"\n",
        &format!("[mcp_servers.files]\ncommand = \"f\"\n\n{BLOCK}"),
    );
    check(
        "mcp_servers.files.command = \"f\"\n[a]\n",
        &format!("mcp_servers.files.command = \"f\"\n[a]\n\n{BLOCK}"),
    );
    check(
        "\u{feff}# win\r\nx = 0x1F\r\n",
        &format!("\u{feff}# win\r\nx = 0x1F\r\n\r\n{}", BLOCK.replace('\n', "\r\n")),
    );
    check(
        "[[rules]]\nt = '''\n[mcp_servers.lore]\n'''\n",
        &format!("[[rules]]\nt = '''\n[mcp_servers.lore]\n'''\n\n{BLOCK}"),
    );
}

#[test]
fn unusable_texts_are_refused_with_their_line() {
    with(|target| {
        let broken = insert("a = 1\nb = \n", target).expect_err("not TOML");
        assert_eq!(broken.position.map(|(line, _)| line), Some(2));
        let value = insert("mcp_servers = 1\n", target).expect_err("not a table");
        assert_eq!(
            (value.position, value.reason.as_str()),
            (Some((1, 1)), "`mcp_servers` is not a table")
        );
        let inline = insert("mcp_servers = { f = { command = \"f\" } }\n", target)
            .expect_err("an inline table");
        assert!(inline.reason.contains("takes no further table"), "{}", inline.reason);
    });
}

#[test]
fn later_edits_of_the_user_stay() {
    with(|target| {
        let (changed, trace) = insert("a = 1", target).expect("it can be inserted");
        let check = |now: &str, after: &str| {
            assert_eq!(remove(now, target, &trace, false), Ok(Removal::Text(after.to_owned())));
        };
        check(&format!("{changed}\n[b]\nc = 2\n"), "a = 1\n\n\n[b]\nc = 2\n");
        check(&changed.replace("a = 1", "a = 2"), "a = 2");
        // Spaced differently, and no longer at the end.
        check(
            "a = 1\n[ mcp_servers . \"lore\" ]\nargs=['mcp']\n\ncommand='lore'\n\n# of b\n[b]\n",
            "a = 1\n\n# of b\n[b]\n",
        );
        assert_eq!(remove("a = 1\n", target, &trace, false), Ok(Removal::Absent));
    });
}

#[test]
fn a_forced_removal_takes_the_empty_line_before_the_table() {
    with(|target| {
        for before in ["a = 1\n", "a = 1", "[b]\r\nc = 2\r\n"] {
            let (changed, trace) = insert(before, target).expect("it can be inserted");
            let edited = changed.replace("\"mcp\"", "\"mcp\", \"-v\"");
            assert_ne!(edited, changed);
            assert_eq!(remove(&edited, target, &trace, true), Ok(Removal::Text(before.to_owned())));
        }
        // The next table is not joined to a line that has no end.
        let (changed, trace) = insert("a = 1", target).expect("it can be inserted");
        let edited = changed.replace("\"mcp\"", "1") + "[b]\n";
        let rest = "a = 1\n\n[b]\n".to_owned();
        assert_eq!(remove(&edited, target, &trace, true), Ok(Removal::Text(rest)));
    });
}

#[test]
fn a_table_that_the_user_changed_is_kept() {
    with(|target| {
        let trace = Trace::default();
        for (edited, rest) in [
            ("[mcp_servers.lore]\ncommand = \"/opt/lore\"\nargs = [\"mcp\"]\n", ""),
            ("[mcp_servers.lore]\ncommand = \"lore\"\nargs = [\"mcp\"]\nenv = {}\n[z]\n", "[z]\n"),
            ("[mcp_servers.lore]\ncommand = \"lore\" # mine\nargs = [ \"mcp\" ]\n", ""),
            (
                "[mcp_servers.lore]\ncommand = \"lore\"\nargs = [\"mcp\"]\n[mcp_servers.lore.env]\nA = \"b\"\n",
                "",
            ),
            // A string with a line that looks like a header, and dotted keys.
            (
                "[mcp_servers.lore]\ncommand = \"\"\"\n[z]\n\"\"\"\nenv.A = \"b\"\n\n[z]\n",
                "\n[z]\n",
            ),
        ] {
            let removal = remove(edited, target, &trace, false);
            assert!(matches!(removal, Ok(Removal::Edited(_))), "{edited}: {removal:?}");
            let forced = remove(edited, target, &trace, true);
            assert_eq!(forced, Ok(Removal::Text(rest.to_owned())), "{edited}");
        }
    });
}

proptest::proptest! {
    #[test]
    fn removing_an_inserted_table_restores_the_text(
        mark in "(\u{feff})?",
        lines in proptest::collection::vec("(# c|[a-d] = 1|\\[t[a-d]\\]|\\[mcp_servers\\.[a-d]\\]|)", 0..8),
        end in "(\r?\n)?",
        is_windows in proptest::bool::ANY,
    ) {
        let line_end = if is_windows { "\r\n" } else { "\n" };
        let text = [mark, lines.join(line_end), end].concat();
        // A text with a repeated table or key is not TOML.
        proptest::prop_assume!(with(|target| read(&text, target).is_ok()));
        let (changed, trace) = with(|target| insert(&text, target)).expect("it can be inserted");
        proptest::prop_assert_eq!(
            with(|target| remove(&changed, target, &trace, false)),
            Ok(Removal::Text(text))
        );
    }
}
