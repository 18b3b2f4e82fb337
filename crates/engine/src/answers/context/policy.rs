//! Policies: what a context package contains, per intent. Settings can replace the values of this
//! table.

use super::intent::SEARCH;

/// Content of a package for an intent.
#[derive(Debug, Clone, PartialEq)]
pub struct Policy {
    /// The intent.
    pub intent: &'static str,
    /// Kinds of definitions that come first, of `class`, `const`, `function`, `method`, `type` and
    /// `var`; the order within each group stays. Empty for no preference.
    pub prefer_kinds: Vec<String>,
    /// True if callers, callees, implementations and users of the definitions are included.
    pub include_related: bool,
    /// True if the last commits on the files are included.
    pub include_git_context: bool,
    /// Detail of a definition: 0 only the tree of files, 1 name and kind, 2 also signature and
    /// first sentence of the documentation, 3 also full documentation, body and commits.
    pub context_level: u8,
    /// Share of the budget for definitions, 0.0..=1.0, after the ticket.
    pub budget_fraction: f64,
    /// Maximum number of definitions.
    pub max_symbols: usize,
    /// True if the tree of the files is included.
    pub include_file_tree: bool,
}

/// The kinds of definitions that a policy can prefer, sorted by name.
pub const POLICY_KINDS: &[&str] = &["class", "const", "function", "method", "type", "var"];

/// The highest level of context.
pub const MAX_LEVEL: u8 = 3;

impl Policy {
    /// Returns the default values for an intent.
    pub fn of(intent: &'static str) -> Policy {
        Policy {
            intent,
            prefer_kinds: Vec::new(),
            include_related: false,
            include_git_context: false,
            context_level: 2,
            budget_fraction: 0.7,
            max_symbols: 30,
            include_file_tree: true,
        }
    }

    fn prefer(mut self, kinds: &[&str]) -> Policy {
        self.prefer_kinds = kinds.iter().map(|kind| (*kind).to_owned()).collect();
        self
    }
}

/// Returns the policies of all intents, in their order.
pub fn policies() -> Vec<Policy> {
    vec![
        Policy {
            include_related: true,
            budget_fraction: 0.75,
            max_symbols: 25,
            ..Policy::of("implement").prefer(&["class", "function", "type"])
        },
        Policy {
            include_related: true,
            include_git_context: true,
            context_level: 3,
            budget_fraction: 0.8,
            max_symbols: 20,
            include_file_tree: false,
            ..Policy::of("debug")
        },
        Policy {
            include_related: true,
            include_git_context: true,
            ..Policy::of("refactor").prefer(&["function", "method", "class"])
        },
        Policy {
            budget_fraction: 0.65,
            max_symbols: 20,
            include_file_tree: false,
            ..Policy::of("test").prefer(&["function", "class", "method"])
        },
        Policy { context_level: 3, budget_fraction: 0.8, max_symbols: 15, ..Policy::of("explain") },
        Policy {
            include_git_context: true,
            budget_fraction: 0.6,
            max_symbols: 40,
            ..Policy::of("review")
        },
        Policy {
            context_level: 1,
            budget_fraction: 0.5,
            max_symbols: 50,
            include_file_tree: false,
            ..Policy::of(SEARCH)
        },
    ]
}

/// Returns the policy of an intent; for an unknown intent, that of a search.
pub fn policy_of(policies: &[Policy], intent: &str) -> Policy {
    let find = |name: &str| policies.iter().find(|policy| policy.intent == name).cloned();
    find(intent).or_else(|| find(SEARCH)).unwrap_or_else(|| Policy::of(SEARCH))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_policy_is_thirty_signatures_and_a_tree() {
        let policy = Policy::of("debug");
        assert!(policy.prefer_kinds.is_empty());
        assert!(!policy.include_related && !policy.include_git_context);
        assert_eq!((policy.context_level, policy.max_symbols), (2, 30));
        assert!((policy.budget_fraction - 0.7).abs() < 1e-9 && policy.include_file_tree);
    }

    #[test]
    fn each_intent_has_its_policy() {
        let rows: Vec<String> = policies()
            .iter()
            .map(|policy| {
                format!(
                    "{} [{}] {} {} {} {} {} {}",
                    policy.intent,
                    policy.prefer_kinds.join(","),
                    u8::from(policy.include_related),
                    u8::from(policy.include_git_context),
                    policy.context_level,
                    policy.budget_fraction,
                    policy.max_symbols,
                    u8::from(policy.include_file_tree),
                )
            })
            .collect();
        assert_eq!(
            rows,
            [
                "implement [class,function,type] 1 0 2 0.75 25 1",
                "debug [] 1 1 3 0.8 20 0",
                "refactor [function,method,class] 1 1 2 0.7 30 1",
                "test [function,class,method] 0 0 2 0.65 20 0",
                "explain [] 0 0 3 0.8 15 1",
                "review [] 0 1 2 0.6 40 1",
                "search [] 0 0 1 0.5 50 0",
            ]
        );
    }

    #[test]
    fn an_unknown_intent_is_a_search() {
        assert_eq!(policy_of(&policies(), "bake").intent, SEARCH);
        assert_eq!(policy_of(&policies(), "test").intent, "test");
        assert_eq!(policy_of(&[], "test"), Policy::of(SEARCH));
    }

    #[test]
    fn preferred_kinds_are_kinds() {
        for policy in policies() {
            let kinds = &policy.prefer_kinds;
            assert!(kinds.iter().all(|kind| POLICY_KINDS.contains(&kind.as_str())), "{kinds:?}");
        }
        assert!(POLICY_KINDS.is_sorted());
    }
}
