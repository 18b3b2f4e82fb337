//! The kinds of change that a text mentions: "removed" in a question and "Drop" in the title of a commit
//! are the same kind. Pure.

/// Words of each kind of change, in lower case.
const KINDS: [&[&str]; 6] = [
    // Something is there since.
    &[
        "add",
        "added",
        "adding",
        "adds",
        "allow",
        "allowed",
        "allows",
        "enable",
        "enabled",
        "implement",
        "implemented",
        "implements",
        "import",
        "initial",
        "introduce",
        "introduced",
        "introduces",
        "new",
        "support",
        "supported",
        "supports",
    ],
    // Something is gone since.
    &[
        "delete",
        "deleted",
        "deletes",
        "disable",
        "disabled",
        "discard",
        "drop",
        "dropped",
        "dropping",
        "drops",
        "eliminate",
        "gone",
        "kill",
        "remove",
        "removed",
        "removes",
        "removing",
        "retire",
        "retired",
        "stop",
        "stopped",
        "strip",
        "unship",
    ],
    // A change was taken back.
    &[
        "reapply",
        "reinstate",
        "restore",
        "restored",
        "restores",
        "revert",
        "reverted",
        "reverting",
        "reverts",
        "undo",
        "undone",
    ],
    // Something took the place of another thing.
    &[
        "bump",
        "bumped",
        "change",
        "changed",
        "changes",
        "convert",
        "converted",
        "instead",
        "migrate",
        "migrated",
        "move",
        "moved",
        "moves",
        "moving",
        "port",
        "ported",
        "rename",
        "renamed",
        "renames",
        "replace",
        "replaced",
        "replaces",
        "rewrite",
        "rewritten",
        "switch",
        "switched",
        "switches",
        "update",
        "updated",
        "updates",
        "upgrade",
        "upgraded",
    ],
    // A fault was mended.
    &[
        "avoid",
        "fix",
        "fixed",
        "fixes",
        "fixing",
        "handle",
        "handled",
        "prevent",
        "prevented",
        "prevents",
        "resolve",
        "resolved",
        "resolves",
    ],
    // Something is discouraged since.
    &["deprecate", "deprecated", "deprecates", "deprecating", "deprecation"],
];

/// The kinds of change that a text mentions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Changes(u8);

impl Changes {
    /// The kinds of change in a text.
    pub(crate) fn of(text: &str) -> Changes {
        let mut kinds = 0;
        for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
            let word = word.to_lowercase();
            for (kind, words) in KINDS.iter().enumerate() {
                kinds |= u8::from(words.contains(&word.as_str())) << kind;
            }
        }
        Changes(kinds)
    }

    /// Returns whether two texts mention a change of one kind.
    pub(crate) fn meets(self, other: Changes) -> bool {
        self.0 & other.0 != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_meet_titles() {
        for (question, title, expected) in [
            ("when was the old parser removed", "Drop the old parser", true),
            ("who added retries", "feat: introduce retries", true),
            ("why was it reverted", "Revert \"Use a pool\"", true),
            ("why was it reverted", "Use a pool", false),
            ("when was the old parser removed", "Add a parser", false),
            ("", "", false),
        ] {
            let found = Changes::of(question).meets(Changes::of(title));
            assert_eq!(found, expected, "{question} / {title}");
        }
    }
}
