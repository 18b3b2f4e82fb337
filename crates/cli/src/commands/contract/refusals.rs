//! Search flags that would have no effect under a contract, and are therefore rejected.

use lore_compat::Contract;
use lore_console::report::UsageError;

use crate::args::SearchArguments;

/// A search flag that some contracts do not support.
struct Refusal {
    /// The flag as users type it.
    flag: &'static str,
    /// The feature that the flag requests.
    what: &'static str,
    /// The contracts without that feature, sorted.
    of: &'static [&'static str],
    /// Returns true if the flag was typed.
    typed: fn(&SearchArguments) -> bool,
}

impl Refusal {
    const fn new(
        flag: &'static str,
        what: &'static str,
        of: &'static [&'static str],
        typed: fn(&SearchArguments) -> bool,
    ) -> Refusal {
        Refusal { flag, what, of, typed }
    }
}

/// The mode of systems without embeddings.
const LEXICAL: &str = "lexical";

const EVERY: &[&str] = &["lean", "sage", "semtree", "spex", "swift"];

const WITHOUT_MEANING: &[&str] = &["lean", "sage", "semtree", "spex"];

/// Every refusal, in the order of the flags.
static REFUSALS: &[Refusal] = &[
    Refusal::new("--alpha", "semantic search", WITHOUT_MEANING, |typed| {
        typed.meaning.alpha.is_some()
    }),
    Refusal::new("--bm25-weight", "semantic search", WITHOUT_MEANING, |typed| {
        typed.meaning.bm25_weight.is_some()
    }),
    Refusal::new("--budget", "a token budget", EVERY, |typed| typed.amount.budget.is_some()),
    Refusal::new("--case-sensitive", "patterns", &["lean", "semtree", "spex"], |typed| {
        typed.case_sensitive
    }),
    Refusal::new("--case-sensitive", "case sensitivity outside patterns", &["sage"], |typed| {
        typed.case_sensitive && !typed.regex && !typed.literal
    }),
    Refusal::new("--context", "lines around a hit", EVERY, |typed| typed.amount.context.is_some()),
    Refusal::new("--expand", "related words", EVERY, |typed| typed.expand),
    Refusal::new("--expand-cmd", "words added by a program", EVERY, |typed| {
        typed.expand_cmd.is_some()
    }),
    Refusal::new("--explain", "parts of scores", &["lean", "semtree", "spex"], |typed| {
        typed.explain
    }),
    Refusal::new("--follow-ups", "suggested queries", EVERY, |typed| typed.follow_ups),
    Refusal::new("--group", "grouping", EVERY, |typed| typed.group),
    Refusal::new("--history", "a history", EVERY, |typed| typed.history),
    Refusal::new("--hops", "following calls and uses", &["lean", "sage"], |typed| {
        typed.hops.is_some()
    }),
    Refusal::new("--in", "sources other than specs", &["lean"], |typed| {
        typed.filter.sources.iter().any(|name| !name.trim().eq_ignore_ascii_case("specs"))
    }),
    Refusal::new("--lang", "language filters", &["lean", "sage"], |typed| {
        !typed.filter.code.languages.is_empty()
    }),
    Refusal::new("--literal", "patterns", &["lean", "semtree", "spex"], |typed| typed.literal),
    Refusal::new("--min-score", "a minimum score", &["sage"], |typed| typed.min_score.is_some()),
    Refusal::new("--min-similarity", "a minimum similarity", &["lean", "sage", "spex"], |typed| {
        typed.meaning.min_similarity.is_some()
    }),
    Refusal::new("--mode", "modes other than `lexical`", &["lean", "sage", "spex"], |typed| {
        typed.meaning.mode.as_deref().is_some_and(|mode| mode != LEXICAL)
    }),
    Refusal::new("--no-group", "grouping", EVERY, |typed| typed.no_group),
    Refusal::new("--offsets", "other units of positions", EVERY, |typed| {
        typed.amount.offsets.is_some()
    }),
    Refusal::new("--regex", "patterns", &["lean", "semtree", "spex"], |typed| typed.regex),
    Refusal::new("--rerank-cmd", "reordering by a program", EVERY, |typed| {
        typed.rerank_cmd.is_some()
    }),
    Refusal::new("--rrf-k", "semantic search", WITHOUT_MEANING, |typed| {
        typed.meaning.rrf_k.is_some()
    }),
    Refusal::new("--semantic-weight", "semantic search", WITHOUT_MEANING, |typed| {
        typed.meaning.semantic_weight.is_some()
    }),
    Refusal::new("--snippet", "other passage lengths", EVERY, |typed| {
        typed.amount.snippet.is_some()
    }),
];

/// Rejects flags that the contract does not support.
///
/// # Errors
/// Returns an error that names the first such flag.
pub(crate) fn refuse(
    contract: &dyn Contract,
    arguments: &SearchArguments,
) -> Result<(), UsageError> {
    let name = contract.name();
    let rejects = |refusal: &&Refusal| refusal.of.contains(&name) && (refusal.typed)(arguments);
    let Some(Refusal { flag, what, .. }) = REFUSALS.iter().find(rejects) else { return Ok(()) };
    Err(UsageError::new(format!("`--as {name}` does not support {what}"))
        .hint(format!("remove `{flag}` or `--as`")))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::args::{Arguments, Command};
    use lore_compat::{contract, names};

    /// The message for these flags under a contract; `None` if they are accepted.
    fn rejection(system: &str, flags: &[&str]) -> Option<String> {
        let line = [&["lore", "search", "x", "--as", system], flags].concat();
        let arguments = Arguments::try_parse_from(line).expect("a command line that is understood");
        let Some(Command::Search(arguments)) = arguments.command else {
            panic!("it is a search");
        };
        let contract = contract(system).expect("it is registered");
        refuse(contract, &arguments).err().map(|error| error.to_string())
    }

    #[test]
    fn refusals_are_sorted_and_name_existing_contracts() {
        assert!(REFUSALS.is_sorted_by_key(|refusal| refusal.flag));
        assert_eq!(EVERY, names());
        for refusal in REFUSALS {
            assert!(refusal.of.is_sorted() && refusal.of.iter().all(|of| EVERY.contains(of)));
        }
    }

    #[test]
    fn flags_without_effect_are_rejected() {
        for flags in [
            &["--budget", "100"][..],
            &["--context", "2"],
            &["--expand"],
            &["--expand-cmd", "words"],
            &["--follow-ups"],
            &["--group"],
            &["--history"],
            &["--no-group"],
            &["--offsets", "byte"],
            &["--rerank-cmd", "order"],
            &["--snippet", "3"],
        ] {
            for system in EVERY {
                assert!(rejection(system, flags).is_some(), "{system} {flags:?}");
            }
        }
    }

    #[test]
    fn semantic_flags_are_rejected_without_semantic_search() {
        for system in EVERY {
            let refused = rejection(system, &["--mode", "semantic"]).is_some();
            assert_eq!(refused, !["semtree", "swift"].contains(system), "{system}");
        }
        for flags in [
            &["--alpha", "0.5"][..],
            &["--bm25-weight", "0.5"],
            &["--rrf-k", "10"],
            &["--semantic-weight", "0.5"],
        ] {
            for system in EVERY {
                let refused = rejection(system, flags).is_some();
                assert_eq!(refused, WITHOUT_MEANING.contains(system), "{system} {flags:?}");
            }
        }
    }

    #[test]
    fn flags_without_effect_under_some_contracts_are_rejected_there() {
        let refused: &[(&str, &[&[&str]])] = &[
            (
                "lean",
                &[
                    &["--regex"],
                    &["--literal"],
                    &["--case-sensitive"],
                    &["--hops", "1"],
                    &["--explain"],
                    &["--lang", "rust"],
                    &["--in", "specs,code"],
                    &["--min-similarity", "0.5"],
                ],
            ),
            (
                "sage",
                &[
                    &["--case-sensitive"],
                    &["--hops", "1"],
                    &["--lang", "rust"],
                    &["--min-score", "0.5"],
                    &["--min-similarity", "0.5"],
                ],
            ),
        ];
        for (system, lines) in refused {
            for flags in *lines {
                assert!(rejection(system, flags).is_some(), "{system} {flags:?}");
            }
        }
        assert_eq!(
            rejection("lean", &["--lang", "rust"]).as_deref(),
            Some("`--as lean` does not support language filters")
        );
    }

    #[test]
    fn flags_with_an_effect_are_accepted() {
        for (system, flags) in [
            ("lean", &["--in", "specs", "--mode", "lexical", "--min-score", "20"][..]),
            ("sage", &["--literal", "--case-sensitive"]),
            ("sage", &["--regex", "--case-sensitive", "--explain", "--in", "docs,git"]),
            ("semtree", &["--lang", "rust", "--no-history"]),
            ("swift", &["--literal", "--case-sensitive", "--hops", "1", "--explain"]),
        ] {
            assert_eq!(rejection(system, flags), None, "{system}");
        }
    }
}
