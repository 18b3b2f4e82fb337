//! The wire form of intents, policies and context packages.

use lore_engine::{ContextItem, ContextPackage, Detail, Intent, Policy};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::{AbsenceWire, SCHEMA, absence, agent::freshness};

/// The written parts of a package.
pub struct ContextParts<'a, 'f> {
    /// The package.
    pub package: &'a ContextPackage,
    /// The text of an item of a section, both by position; `None` omits the item.
    pub items: &'f dyn Fn(usize, usize) -> Option<Option<&'a Detail>>,
    /// Section, number of missing items, number of written items.
    pub omitted: Vec<(&'static str, usize, usize)>,
    /// The command that writes the whole package.
    pub more: Option<String>,
    /// Token budget.
    pub tokens: usize,
    /// Name of the tokenizer.
    pub tokenizer: &'static str,
}

/// A context package.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContextWire<'a> {
    schema: u32,
    task: &'a str,
    ticket: Option<TicketWire<'a>>,
    intent: TaskIntentWire<'a>,
    level: u8,
    tree: Option<&'a str>,
    fresh: String,
    sections: Vec<SectionWire<'a>>,
    #[serde(rename = "leftOut")]
    omitted: Vec<OmittedWire>,
    more: Option<String>,
    budget: TokenBudgetWire,
    absence: Option<AbsenceWire<'a>>,
    warnings: &'a [String],
}

#[derive(Serialize, JsonSchema)]
struct TicketWire<'a> {
    id: &'a str,
    title: &'a str,
    component: Option<&'a str>,
}

#[derive(Serialize, JsonSchema)]
struct TaskIntentWire<'a> {
    name: &'static str,
    confidence: f64,
    triggers: &'a [String],
    origin: &'static str,
}

#[derive(Serialize, JsonSchema)]
struct SectionWire<'a> {
    name: &'static str,
    items: Vec<ContextItemWire<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct OmittedWire {
    section: &'static str,
    missing: usize,
    shown: usize,
}

#[derive(Serialize, JsonSchema)]
struct TokenBudgetWire {
    tokens: usize,
    tokenizer: &'static str,
}

/// An item of a package.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ContextItemWire<'a> {
    id: &'a str,
    kind: &'a str,
    name: &'a str,
    path: Option<&'a str>,
    start_line: Option<u32>,
    end_line: Option<u32>,
    relation: &'a str,
    about: String,
    text: Option<String>,
}

/// The wire form of a package. Without the time that it took, so that it is the same each time.
pub fn context<'a>(parts: ContextParts<'a, '_>) -> ContextWire<'a> {
    let package = parts.package;
    let mut sections = Vec::new();
    for (at, section) in package.sections.iter().enumerate() {
        let items: Vec<ContextItemWire<'_>> = section
            .items
            .iter()
            .enumerate()
            .filter_map(|(number, item)| Some(context_item(item, (parts.items)(at, number)?)))
            .collect();
        if !items.is_empty() {
            sections.push(SectionWire { name: section.name.as_str(), items });
        }
    }
    let omitted = parts.omitted.into_iter();
    ContextWire {
        schema: SCHEMA,
        task: &package.task,
        ticket: package.ticket.as_ref().map(|ticket| TicketWire {
            id: &ticket.id,
            title: &ticket.title,
            component: ticket.component.as_deref(),
        }),
        intent: TaskIntentWire {
            name: package.intent.name,
            confidence: package.intent.confidence,
            triggers: &package.intent.triggers,
            origin: package.intent_origin.as_str(),
        },
        level: package.level,
        tree: package.receipt.tree.as_deref(),
        fresh: freshness(package.receipt.fresh),
        sections,
        omitted: omitted
            .map(|(section, missing, shown)| OmittedWire { section, missing, shown })
            .collect(),
        more: parts.more,
        budget: TokenBudgetWire { tokens: parts.tokens, tokenizer: parts.tokenizer },
        absence: package.absence.as_ref().map(absence),
        warnings: &package.warnings,
    }
}

/// The wire form of an item with one of its texts.
pub fn context_item<'a>(item: &'a ContextItem, detail: Option<&Detail>) -> ContextItemWire<'a> {
    let about: Vec<String> =
        item.about.iter().map(|(name, value)| format!("{name} {value}")).collect();
    ContextItemWire {
        id: &item.id,
        kind: &item.kind,
        name: &item.name,
        path: item.path.as_deref(),
        start_line: item.start_line,
        end_line: item.end_line,
        relation: &item.relation,
        about: about.join(", "),
        text: detail.map(|detail| match (detail.prose.as_str(), detail.code.as_str()) {
            (prose, "") => prose.to_owned(),
            ("", code) => code.to_owned(),
            (prose, code) => format!("{prose}\n\n{code}"),
        }),
    }
}

/// The wire form of the intent of a query.
pub fn intent(query: &str, intent: &Intent) -> Value {
    json!({
        "query": query,
        "intent": intent.name,
        "confidence": intent.confidence,
        "triggers": intent.triggers,
    })
}

/// The wire form of the intents of several queries, in their order.
pub fn intents<'a>(rows: impl Iterator<Item = (&'a str, &'a Intent)>) -> Value {
    let rows: Vec<Value> = rows.map(|(query, of)| intent(query, of)).collect();
    json!({ "schema": SCHEMA, "results": rows })
}

/// A policy with where its values come from.
pub struct PolicyRow {
    /// The policy.
    pub policy: Policy,
    /// Setting, layer and place of each value that is not built in.
    pub origins: Vec<(String, &'static str, Option<String>)>,
}

/// The wire form of policies.
pub fn policies(rows: &[PolicyRow]) -> Value {
    let row = |row: &PolicyRow| {
        let policy = &row.policy;
        let origins = row
            .origins
            .iter()
            .map(|(key, origin, place)| json!({ "key": key, "origin": origin, "place": place }));
        json!({
            "intent": policy.intent,
            "preferKinds": policy.prefer_kinds,
            "includeRelated": policy.include_related,
            "includeGitContext": policy.include_git_context,
            "contextLevel": policy.context_level,
            "budgetFraction": policy.budget_fraction,
            "maxSymbols": policy.max_symbols,
            "includeFileTree": policy.include_file_tree,
            "origins": origins.collect::<Vec<_>>(),
        })
    };
    let rows: Vec<Value> = rows.iter().map(row).collect();
    json!({ "schema": SCHEMA, "policies": rows })
}
