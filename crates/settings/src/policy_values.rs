//! The policies of context packages as the settings override them.

use lore_engine::{Policy, policies};

use crate::{
    kind::Value,
    policy::{FIELDS, POLICY},
    resolved::ResolvedValue,
    settings::Settings,
};

/// A value of a policy.
pub struct PolicyValue<'a> {
    /// The setting that overrides it.
    pub key: String,
    /// The field.
    pub field: &'static str,
    /// The value.
    pub value: Value,
    /// The setting's value and origin; `None` for a built-in value.
    pub setting: Option<&'a ResolvedValue>,
}

impl Settings {
    /// The policies, with overrides from the settings applied.
    pub fn policies(&self) -> Vec<Policy> {
        let mut policies = policies();
        for policy in &mut policies {
            for field in FIELDS {
                let key = format!("{POLICY}{}.{}", policy.intent, field.name);
                if let Some(setting) = self.get(&key) {
                    (field.set)(policy, &setting.value);
                }
            }
        }
        policies
    }

    /// The values of a policy, in display order.
    pub fn policy_values(&self, policy: &Policy) -> Vec<PolicyValue<'_>> {
        FIELDS
            .iter()
            .map(|field| {
                let key = format!("{POLICY}{}.{}", policy.intent, field.name);
                let setting = self.get(&key);
                PolicyValue { key, field: field.name, value: (field.get)(policy), setting }
            })
            .collect()
    }
}
