//! The settings of context-package policies: `context.policy.INTENT.FIELD`.
//!
//! There is one per intent and field, so they are not rows of the table; `lore policy` lists them.

use lore_engine::{MAX_LEVEL, POLICY_KINDS, Policy, policies};

use crate::kind::{Kind, Value};

/// Prefix of the keys.
pub(crate) const POLICY: &str = "context.policy.";

/// Maximum number of definitions that a policy may request.
const MAX_SYMBOLS: u64 = 1_000;

/// A field of a policy.
pub(crate) struct Field {
    /// Its name in settings.
    pub(crate) name: &'static str,
    /// The kind of its value.
    kind: Kind,
    /// Reads the field of a policy.
    pub(crate) get: fn(&Policy) -> Value,
    /// Replaces the field of a policy; a value of another kind changes nothing.
    pub(crate) set: fn(&mut Policy, &Value),
}

/// Every field, in display order.
pub(crate) const FIELDS: &[Field] = &[
    Field {
        name: "prefer_kinds",
        kind: Kind::Names(|| POLICY_KINDS.to_vec()),
        get: |policy| Value::Names(policy.prefer_kinds.clone()),
        set: |policy, value| {
            if let Value::Names(names) = value {
                policy.prefer_kinds.clone_from(names);
            }
        },
    },
    Field {
        name: "include_related",
        kind: Kind::Switch,
        get: |policy| Value::Switch(policy.include_related),
        set: |policy, value| {
            if let Value::Switch(switch) = value {
                policy.include_related = *switch;
            }
        },
    },
    Field {
        name: "include_git_context",
        kind: Kind::Switch,
        get: |policy| Value::Switch(policy.include_git_context),
        set: |policy, value| {
            if let Value::Switch(switch) = value {
                policy.include_git_context = *switch;
            }
        },
    },
    Field {
        name: "context_level",
        kind: Kind::Number { min: 0, max: MAX_LEVEL as u64 },
        get: |policy| Value::Number(u64::from(policy.context_level)),
        set: |policy, value| {
            if let Value::Number(level) = value {
                policy.context_level = u8::try_from(*level).unwrap_or(MAX_LEVEL);
            }
        },
    },
    Field {
        name: "budget_fraction",
        kind: Kind::Share,
        get: |policy| Value::Weight(policy.budget_fraction),
        set: |policy, value| {
            if let Value::Weight(share) = value {
                policy.budget_fraction = *share;
            }
        },
    },
    Field {
        name: "max_symbols",
        kind: Kind::Number { min: 1, max: MAX_SYMBOLS },
        get: |policy| Value::Number(policy.max_symbols as u64),
        set: |policy, value| {
            if let Value::Number(count) = value {
                policy.max_symbols = usize::try_from(*count).unwrap_or(usize::MAX);
            }
        },
    },
    Field {
        name: "include_file_tree",
        kind: Kind::Switch,
        get: |policy| Value::Switch(policy.include_file_tree),
        set: |policy, value| {
            if let Value::Switch(switch) = value {
                policy.include_file_tree = *switch;
            }
        },
    },
];

/// The kind of the policy setting with this key, if there is one.
pub(super) fn kind(key: &str) -> Option<Kind> {
    let (intent, field) = key.strip_prefix(POLICY)?.split_once('.')?;
    let is_intent = policies().iter().any(|policy| policy.intent == intent);
    let field = FIELDS.iter().find(|known| known.name == field)?;
    is_intent.then_some(field.kind)
}

/// Returns true if policy keys start with this prefix, which ends with a dot.
pub(super) fn is_table(prefix: &str) -> bool {
    let intent = prefix.strip_prefix(POLICY).and_then(|rest| rest.strip_suffix('.'));
    POLICY.starts_with(prefix)
        || intent.is_some_and(|intent| policies().iter().any(|policy| policy.intent == intent))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_field_accepts_its_own_value() {
        for policy in policies() {
            for field in FIELDS {
                let key = format!("{POLICY}{}.{}", policy.intent, field.name);
                let kind = kind(&key).expect("it is a setting");
                assert!(kind.accepts(&(field.get)(&policy)), "{key}");
                let mut other = Policy::of(policy.intent);
                (field.set)(&mut other, &(field.get)(&policy));
                assert_eq!((field.get)(&other), (field.get)(&policy), "{key}");
            }
        }
    }

    #[test]
    fn only_policies_are_tables() {
        for table in ["context.", "context.policy.", "context.policy.debug."] {
            assert!(is_table(table), "{table}");
        }
        for table in ["con.", "context.policy.bake.", "context.policy.debug.x.", "policy."] {
            assert!(!is_table(table), "{table}");
        }
        assert!(kind("context.policy.bake.max_symbols").is_none());
        assert!(kind("context.policy.debug.flavour").is_none());
    }
}
