//! Irregular English forms: `sent` of `send`.
//!
//! Forms that are common in texts about programs. Not in the table: forms that are words of their
//! own (`bound`, `found`, `left`, `mean`, `thought`) and forms that occur in every text (`done`,
//! `got`, `had`).

/// The base of an irregular form; `None` for any other word.
pub(crate) fn base(word: &str) -> Option<&'static str> {
    look_up(IRREGULAR, word)
}

/// Looks up a word in a table that is sorted by its first column.
pub(crate) fn look_up(table: &[(&str, &'static str)], word: &str) -> Option<&'static str> {
    table.binary_search_by_key(&word, |(form, _)| form).ok().map(|at| table[at].1)
}

/// Form and base, sorted by form. Both start with the same letter.
pub(crate) static IRREGULAR: &[(&str, &str)] = &[
    ("began", "begin"),
    ("begun", "begin"),
    ("bent", "bend"),
    ("bought", "buy"),
    ("broke", "break"),
    ("broken", "break"),
    ("brought", "bring"),
    ("built", "build"),
    ("came", "come"),
    ("caught", "catch"),
    ("children", "child"),
    ("chose", "choose"),
    ("chosen", "choose"),
    ("dealt", "deal"),
    ("drawn", "draw"),
    ("drew", "draw"),
    ("driven", "drive"),
    ("drove", "drive"),
    ("dying", "die"),
    ("fallen", "fall"),
    ("fed", "feed"),
    ("fell", "fall"),
    ("forbidden", "forbid"),
    ("forgot", "forget"),
    ("forgotten", "forget"),
    ("froze", "freeze"),
    ("frozen", "freeze"),
    ("gave", "give"),
    ("given", "give"),
    ("grew", "grow"),
    ("grown", "grow"),
    ("held", "hold"),
    ("hid", "hide"),
    ("hidden", "hide"),
    ("indices", "index"),
    ("kept", "keep"),
    ("knew", "know"),
    ("known", "know"),
    ("laid", "lay"),
    ("lost", "lose"),
    ("lying", "lie"),
    ("made", "make"),
    ("matrices", "matrix"),
    ("met", "meet"),
    ("overridden", "override"),
    ("overrode", "override"),
    ("overwritten", "overwrite"),
    ("overwrote", "overwrite"),
    ("paid", "pay"),
    ("parentheses", "parenthesis"),
    ("ran", "run"),
    ("rebuilt", "rebuild"),
    ("resent", "resend"),
    ("rewritten", "rewrite"),
    ("rewrote", "rewrite"),
    ("said", "say"),
    ("seen", "see"),
    ("sent", "send"),
    ("shown", "show"),
    ("shrank", "shrink"),
    ("shrunk", "shrink"),
    ("slept", "sleep"),
    ("sold", "sell"),
    ("spent", "spend"),
    ("spoke", "speak"),
    ("spoken", "speak"),
    ("spun", "spin"),
    ("stole", "steal"),
    ("stolen", "steal"),
    ("stood", "stand"),
    ("stuck", "stick"),
    ("swept", "sweep"),
    ("taken", "take"),
    ("taught", "teach"),
    ("threw", "throw"),
    ("thrown", "throw"),
    ("told", "tell"),
    ("took", "take"),
    ("tore", "tear"),
    ("torn", "tear"),
    ("tying", "tie"),
    ("understood", "understand"),
    ("undone", "undo"),
    ("unwound", "unwind"),
    ("vertices", "vertex"),
    ("withdrawn", "withdraw"),
    ("withdrew", "withdraw"),
    ("woke", "wake"),
    ("woken", "wake"),
    ("wore", "wear"),
    ("worn", "wear"),
    ("written", "write"),
    ("wrote", "write"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_is_sorted_and_bases_are_not_forms() {
        assert!(IRREGULAR.windows(2).all(|pair| pair[0].0 < pair[1].0));
        for (form, of) in IRREGULAR {
            assert_eq!(form.as_bytes()[0], of.as_bytes()[0], "{form}: other code relies on it");
            assert_eq!(base(of), None, "{of}");
            assert_eq!(base(form), Some(*of));
        }
        assert_eq!(base("send"), None);
    }
}
