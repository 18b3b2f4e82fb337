//! Inserting and removing a block changes no other byte.

use super::*;

const BODY: &str = "## Searching\n\nAsk lore.";
const BLOCK: &str = "<!-- lore:start -->\n## Searching\n\nAsk lore.\n<!-- lore:end -->\n";

fn check(before: &str, after: &str) {
    let (changed, trace) = insert(before, "", BODY).expect("it can be inserted");
    assert_eq!(changed, after);
    assert_eq!(present(&changed, BODY), Ok(Present::Same));
    assert_eq!(remove(&changed, BODY, &trace, false), Ok(Removal::Text(before.to_owned())));
}

#[test]
fn the_block_is_added_at_the_end() {
    check("", BLOCK);
    check("# Mine\n", &format!("# Mine\n\n{BLOCK}"));
    check("# Mine\n\n", &format!("# Mine\n\n{BLOCK}"));
    check("# Mine", &format!("# Mine\n\n{BLOCK}"));
    let windows = BLOCK.replace('\n', "\r\n");
    check("\u{feff}# Mine\r\n", &format!("\u{feff}# Mine\r\n\r\n{windows}"));
}

#[test]
fn a_new_file_starts_with_its_header() {
    let (changed, trace) = insert("", "---\nalwaysApply: true\n---\n\n", BODY).expect("a place");
    assert_eq!(changed, format!("---\nalwaysApply: true\n---\n\n{BLOCK}"));
    assert_eq!(remove(&changed, BODY, &trace, false), Ok(Removal::Text(String::new())));
}

#[test]
fn later_edits_of_the_user_stay() {
    let (changed, trace) = insert("# Mine", "", BODY).expect("a place");
    let more = format!("{changed}\n## More\n");
    let removed = remove(&more, BODY, &trace, false);
    assert_eq!(removed, Ok(Removal::Text("# Mine\n\n\n## More\n".to_owned())));
    let edited = changed.replace("Ask lore.", "Ask lore first.");
    assert!(matches!(remove(&edited, BODY, &trace, false), Ok(Removal::Edited(_))));
    assert_eq!(remove(&edited, BODY, &trace, true), Ok(Removal::Text("# Mine".to_owned())));
    assert!(matches!(present(&edited, BODY), Ok(Present::Different(_))));
    assert_eq!(remove("# Mine\n", BODY, &trace, false), Ok(Removal::Absent));
}

#[test]
fn damaged_markers_are_refused_with_their_position() {
    let refused = |text: &str, line: usize, reason: &str| {
        let problem = insert(text, "", BODY).expect_err(text);
        assert_eq!(problem.position.map(|(line, _)| line), Some(line), "{text}");
        assert_eq!(problem.reason, reason, "{text}");
        assert!(remove(text, BODY, &Trace::default(), true).is_err());
    };
    refused("a\n<!-- lore:start -->\nb\n", 2, "`<!-- lore:start -->` without `<!-- lore:end -->`");
    refused("a\n<!-- lore:end -->\n", 2, "`<!-- lore:end -->` without `<!-- lore:start -->`");
    refused(&format!("{BLOCK}{BLOCK}"), 6, "a second block of lore starts here");
    refused(
        "<!-- lore:start -->\n<!-- lore:start -->\n<!-- lore:end -->\n",
        2,
        "a second `<!-- lore:start -->` before `<!-- lore:end -->`",
    );
    // Within a line, it is not a marker.
    assert!(insert("The block starts with `<!-- lore:start -->`.\n", "", BODY).is_ok());
}

proptest::proptest! {
    #[test]
    fn any_text_is_restored(text in "(\u{feff})?([a#] ?|\r?\n|<!-- lore|`|\t){0,12}") {
        let (changed, trace) = insert(&text, "", BODY).expect("there are no markers");
        proptest::prop_assert_eq!(
            remove(&changed, BODY, &trace, false),
            Ok(Removal::Text(text))
        );
    }
}
