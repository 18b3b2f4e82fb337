//! What the systems have no place for: flags of a search that would have no effect are refused.

use lore_compat::Contract;
use lore_console::report::UsageError;

use crate::args::SearchArguments;

/// A flag of a search that some contracts do not take.
struct Refusal {
    /// As users type it.
    flag: &'static str,
    /// What it asks for.
    what: &'static str,
    /// The contracts that have no place for that, sorted.
    of: &'static [&'static str],
    /// Whether it was typed.
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

/// The mode of systems that knew words alone.
const LEXICAL: &str = "lexical";

const EVERY: &[&str] = &["lean", "sage", "semtree", "spex", "swift"];

const WITHOUT_MEANING: &[&str] = &["lean", "sage", "semtree", "spex"];

/// Every refusal, in the order of the flags.
static REFUSALS: &[Refusal] = &[
    Refusal::new("--alpha", "a list by meaning", WITHOUT_MEANING, |typed| {
        typed.meaning.alpha.is_some()
    }),
    Refusal::new("--bm25-weight", "a list by meaning", WITHOUT_MEANING, |typed| {
        typed.meaning.bm25_weight.is_some()
    }),
    Refusal::new("--budget", "a budget of tokens", EVERY, |typed| typed.amount.budget.is_some()),
    Refusal::new("--case-sensitive", "patterns", &["lean", "semtree", "spex"], |typed| {
        typed.case_sensitive
    }),
    Refusal::new("--case-sensitive", "capitals outside of patterns", &["sage"], |typed| {
        typed.case_sensitive && !typed.regex && !typed.literal
    }),
    Refusal::new("--context", "lines around a hit", EVERY, |typed| typed.amount.context.is_some()),
    Refusal::new("--expand", "related words", EVERY, |typed| typed.expand),
    Refusal::new("--expand-cmd", "words of a program", EVERY, |typed| typed.expand_cmd.is_some()),
    Refusal::new("--explain", "the parts of a score", &["lean", "semtree", "spex"], |typed| {
        typed.explain
    }),
    Refusal::new("--follow-ups", "suggestions", EVERY, |typed| typed.follow_ups),
    Refusal::new("--group", "groups of its own", EVERY, |typed| typed.group),
    Refusal::new("--history", "a history", EVERY, |typed| typed.history),
    Refusal::new("--hops", "steps to what hits use", &["lean", "sage"], |typed| {
        typed.hops.is_some()
    }),
    Refusal::new("--in", "other sources than specs", &["lean"], |typed| {
        typed.filter.sources.iter().any(|name| !name.trim().eq_ignore_ascii_case("specs"))
    }),
    Refusal::new("--lang", "languages", &["lean", "sage"], |typed| {
        !typed.filter.code.languages.is_empty()
    }),
    Refusal::new("--literal", "patterns", &["lean", "semtree", "spex"], |typed| typed.literal),
    Refusal::new("--min-score", "a least score", &["sage"], |typed| typed.min_score.is_some()),
    Refusal::new("--min-similarity", "similarity", &["lean", "sage", "spex"], |typed| {
        typed.meaning.min_similarity.is_some()
    }),
    Refusal::new("--mode", "another mode than `lexical`", WITHOUT_MEANING, |typed| {
        typed.meaning.mode.as_deref().is_some_and(|mode| mode != LEXICAL)
    }),
    Refusal::new("--no-group", "groups of its own", EVERY, |typed| typed.no_group),
    Refusal::new("--offsets", "other units of positions", EVERY, |typed| {
        typed.amount.offsets.is_some()
    }),
    Refusal::new("--regex", "patterns", &["lean", "semtree", "spex"], |typed| typed.regex),
    Refusal::new("--rerank-cmd", "another order", EVERY, |typed| typed.rerank_cmd.is_some()),
    Refusal::new("--rrf-k", "a list by meaning", WITHOUT_MEANING, |typed| {
        typed.meaning.rrf_k.is_some()
    }),
    Refusal::new("--semantic-weight", "a list by meaning", WITHOUT_MEANING, |typed| {
        typed.meaning.semantic_weight.is_some()
    }),
    Refusal::new("--snippet", "another length of passages", EVERY, |typed| {
        typed.amount.snippet.is_some()
    }),
];

/// Refuses the first flag that the contract's system has no place for.
///
/// # Errors
/// When there is one.
pub(crate) fn refuse(
    contract: &dyn Contract,
    arguments: &SearchArguments,
) -> Result<(), UsageError> {
    let name = contract.name();
    let refused = REFUSALS.iter().find(|one| one.of.contains(&name) && (one.typed)(arguments));
    let Some(Refusal { flag, what, .. }) = refused else { return Ok(()) };
    Err(UsageError::new(format!("`--as {name}` has no place for {what}"))
        .hint(format!("leave `{flag}` or `--as` out")))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::args::{Arguments, Command};
    use lore_compat::{contract, names};

    /// What is said of a command line with these flags under a contract; nothing where it is taken.
    fn said(system: &str, flags: &[&str]) -> Option<String> {
        let line = [&["lore", "search", "x", "--as", system], flags].concat();
        let arguments = Arguments::try_parse_from(line).expect("a command line that is understood");
        let Some(Command::Search(arguments)) = arguments.command else {
            panic!("it is a search");
        };
        let contract = contract(system).expect("it is registered");
        refuse(contract, &arguments).err().map(|error| error.to_string())
    }

    #[test]
    fn refusals_are_sorted_and_name_contracts() {
        assert!(REFUSALS.is_sorted_by_key(|one| one.flag));
        assert_eq!(EVERY, names());
        for refusal in REFUSALS {
            assert!(refusal.of.is_sorted() && refusal.of.iter().all(|of| EVERY.contains(of)));
        }
    }

    #[test]
    fn flags_without_effect_are_refused() {
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
                assert!(said(system, flags).is_some(), "{system} {flags:?}");
            }
        }
        for flags in [
            &["--mode", "semantic"][..],
            &["--mode", "hybrid"],
            &["--alpha", "0.5"],
            &["--bm25-weight", "0.5"],
            &["--rrf-k", "10"],
            &["--semantic-weight", "0.5"],
        ] {
            for system in EVERY {
                let refused = said(system, flags).is_some();
                assert_eq!(refused, WITHOUT_MEANING.contains(system), "{system} {flags:?}");
            }
        }
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
                assert!(said(system, flags).is_some(), "{system} {flags:?}");
            }
        }
        assert_eq!(
            said("lean", &["--lang", "rust"]).as_deref(),
            Some("`--as lean` has no place for languages")
        );
    }

    #[test]
    fn what_has_an_effect_is_taken() {
        for (system, flags) in [
            ("lean", &["--in", "specs", "--mode", "lexical", "--min-score", "20"][..]),
            ("sage", &["--literal", "--case-sensitive"]),
            ("sage", &["--regex", "--case-sensitive", "--explain", "--in", "docs,git"]),
            ("semtree", &["--lang", "rust", "--no-history"]),
            ("swift", &["--literal", "--case-sensitive", "--hops", "1", "--explain"]),
        ] {
            assert_eq!(said(system, flags), None, "{system}");
        }
    }
}
