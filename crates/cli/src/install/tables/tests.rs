//! A table goes into a TOML text and comes out of it, and no other byte changes.

use serde_json::json;

use super::*;

const BLOCK: &str = "[mcp_servers.lore]\ncommand = \"lore\"\nargs = [\"mcp\"]\n";

fn with<T>(work: impl FnOnce(&Place<'_>) -> T) -> T {
    let containers = vec!["mcp_servers".to_owned()];
    let value = json!({ "command": "lore", "args": ["mcp"] });
    work(&Place { containers: &containers, key: Some("lore"), value: &value })
}

fn check(before: &str, after: &str) {
    with(|place| {
        let (changed, trace) = insert(before, place).expect("it can be put in");
        assert_eq!(changed, after);
        assert_eq!(present(&changed, place), Ok(Present::Same));
        assert_eq!(remove(&changed, place, &trace, false), Ok(Removal::Text(before.to_owned())));
    });
}

#[test]
fn the_table_stands_at_the_end() {
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
fn what_is_not_understood_is_refused_with_its_place() {
    with(|place| {
        let broken = insert("a = 1\nb = \n", place).expect_err("no TOML");
        assert_eq!(broken.place.map(|(line, _)| line), Some(2));
        let value = insert("mcp_servers = 1\n", place).expect_err("no table");
        assert_eq!(
            (value.place, value.reason.as_str()),
            (Some((1, 1)), "`mcp_servers` is not a table")
        );
        let inline =
            insert("mcp_servers = { f = { command = \"f\" } }\n", place).expect_err("closed");
        assert!(inline.reason.contains("takes no further table"), "{}", inline.reason);
    });
}

#[test]
fn other_edits_meanwhile_stay() {
    with(|place| {
        let (changed, trace) = insert("a = 1", place).expect("a place");
        let check = |now: &str, after: &str| {
            assert_eq!(remove(now, place, &trace, false), Ok(Removal::Text(after.to_owned())));
        };
        check(&format!("{changed}\n[b]\nc = 2\n"), "a = 1\n\n\n[b]\nc = 2\n");
        check(&changed.replace("a = 1", "a = 2"), "a = 2");
        // Spaced differently, and no longer at the end.
        check(
            "a = 1\n[ mcp_servers . \"lore\" ]\nargs=['mcp']\n\ncommand='lore'\n\n# of b\n[b]\n",
            "a = 1\n\n# of b\n[b]\n",
        );
        assert_eq!(remove("a = 1\n", place, &trace, false), Ok(Removal::Absent));
    });
}

#[test]
fn what_was_edited_goes_with_the_blank_line_before_it() {
    with(|place| {
        for before in ["a = 1\n", "a = 1", "[b]\r\nc = 2\r\n"] {
            let (changed, trace) = insert(before, place).expect("a place");
            let edited = changed.replace("\"mcp\"", "\"mcp\", \"-v\"");
            assert_ne!(edited, changed);
            assert_eq!(remove(&edited, place, &trace, true), Ok(Removal::Text(before.to_owned())));
        }
        // What follows is not joined to a line that had no end.
        let (changed, trace) = insert("a = 1", place).expect("a place");
        let edited = changed.replace("\"mcp\"", "1") + "[b]\n";
        let rest = "a = 1\n\n[b]\n".to_owned();
        assert_eq!(remove(&edited, place, &trace, true), Ok(Removal::Text(rest)));
    });
}

#[test]
fn what_others_changed_is_left() {
    with(|place| {
        let trace = Trace::default();
        for (edited, rest) in [
            ("[mcp_servers.lore]\ncommand = \"/opt/lore\"\nargs = [\"mcp\"]\n", ""),
            ("[mcp_servers.lore]\ncommand = \"lore\"\nargs = [\"mcp\"]\nenv = {}\n[z]\n", "[z]\n"),
            ("[mcp_servers.lore]\ncommand = \"lore\" # mine\nargs = [ \"mcp\" ]\n", ""),
            (
                "[mcp_servers.lore]\ncommand = \"lore\"\nargs = [\"mcp\"]\n[mcp_servers.lore.env]\nA = \"b\"\n",
                "",
            ),
        ] {
            let removal = remove(edited, place, &trace, false);
            assert!(matches!(removal, Ok(Removal::Edited(_))), "{edited}: {removal:?}");
            let forced = remove(edited, place, &trace, true);
            assert_eq!(forced, Ok(Removal::Text(rest.to_owned())), "{edited}");
        }
    });
}

proptest::proptest! {
    #[test]
    fn any_text_is_as_it_was(
        mark in "(\u{feff})?",
        lines in proptest::collection::vec("(# c|[a-d] = 1|\\[t[a-d]\\]|\\[mcp_servers\\.[a-d]\\]|)", 0..8),
        end in "(\r?\n)?",
        is_windows in proptest::bool::ANY,
    ) {
        let line_end = if is_windows { "\r\n" } else { "\n" };
        let text = [mark, lines.join(line_end), end].concat();
        // A table or a key that stands there twice is no TOML.
        proptest::prop_assume!(with(|place| read(&text, place).is_ok()));
        let (changed, trace) = with(|place| insert(&text, place)).expect("there is a place");
        proptest::prop_assert_eq!(
            with(|place| remove(&changed, place, &trace, false)),
            Ok(Removal::Text(text))
        );
    }
}
