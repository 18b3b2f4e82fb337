//! `lore policy`: the contents of a context package for each intent.

use std::io::{self, Write};

use lore_console::{
    report::{self, Status},
    text,
};
use lore_engine::{Policy, policy_of};
use lore_render::{
    output::table::{self, Align},
    wire::{self, PolicyRow},
};
use lore_session::{Context, write_output};
use lore_settings::{PolicyValue, ResolvedValue};

use crate::args::PolicyArguments;

/// Shows one policy or all of them.
pub(super) fn run(arguments: &PolicyArguments) -> anyhow::Result<Status> {
    let context = Context::new(&arguments.tree, &arguments.common, Vec::new())?;
    let mut policies = context.settings.policies();
    if let Some(name) = &arguments.intent {
        let policy = policy_of(&policies, name);
        if policy.intent != name.as_str() {
            let known: Vec<&str> = policies.iter().map(|policy| policy.intent).collect();
            report::warning(&format!(
                "there is no intent `{name}`, so the policy of `search` is shown; the intents are {}",
                known.join(", ")
            ));
        }
        policies = vec![policy];
    }
    write_output(|out| {
        let values = |policy: &Policy| context.settings.policy_values(policy);
        if arguments.json {
            let rows: Vec<PolicyRow> = policies
                .iter()
                .map(|policy| PolicyRow {
                    policy: policy.clone(),
                    origins: values(policy).into_iter().filter_map(origin).collect(),
                })
                .collect();
            return wire::write(&wire::policies(&rows), out);
        }
        for (index, policy) in policies.iter().enumerate() {
            if index > 0 {
                writeln!(out)?;
            }
            writeln!(out, "{}", policy.intent)?;
            write(&values(policy), out)?;
        }
        Ok(())
    })?;
    Ok(Status::Success)
}

fn origin(value: PolicyValue<'_>) -> Option<(String, &'static str, Option<String>)> {
    let ResolvedValue { origin, .. } = value.setting?;
    Some((value.key, origin.layer(), origin.location()))
}

fn write(values: &[PolicyValue<'_>], out: &mut dyn Write) -> io::Result<()> {
    let rows: Vec<[String; 3]> = values
        .iter()
        .map(|value| {
            let origin = value.setting.map_or_else(
                || "default".to_owned(),
                |resolved| {
                    let place = resolved.origin.location().unwrap_or_default();
                    format!("{} {place}", resolved.origin.layer())
                },
            );
            [format!("  {}", value.field), value.value.to_string(), origin]
                .map(|cell| text::clean(&cell))
        })
        .collect();
    table::write([Align::Left; 3], &rows, out)
}
