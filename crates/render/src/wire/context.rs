//! The wire form of intents, policies and context packages.

use lore_engine::{ContextItem, ContextPackage, Detail, Freshness, Intent, Policy};
use serde_json::{Value, json};

use super::{SCHEMA, absence};

/// What is written of a package.
pub struct ContextParts<'a> {
    /// The package.
    pub package: &'a ContextPackage,
    /// Which text is written of an item of a section, both by position; `None` leaves it out.
    pub items: &'a dyn Fn(usize, usize) -> Option<Option<&'a Detail>>,
    /// Section, items that are missing, items that are there.
    pub left_out: Vec<(&'static str, usize, usize)>,
    /// The command that writes all of it.
    pub more: Option<String>,
    /// Most tokens.
    pub tokens: usize,
    /// How they are counted.
    pub tokenizer: &'static str,
}

/// The wire form of a package. Without the time that it took, so that it is the same each time.
pub fn context(parts: &ContextParts<'_>) -> Value {
    let package = parts.package;
    let mut sections = Vec::new();
    for (at, section) in package.sections.iter().enumerate() {
        let items: Vec<Value> = section
            .items
            .iter()
            .enumerate()
            .filter_map(|(number, item)| Some(context_item(item, (parts.items)(at, number)?)))
            .collect();
        if !items.is_empty() {
            sections.push(json!({ "name": section.name.as_str(), "items": items }));
        }
    }
    let left_out = parts.left_out.iter().map(
        |(name, missing, there)| json!({ "section": name, "missing": missing, "shown": there }),
    );
    let fresh = match package.receipt.fresh {
        Freshness::Verified => "verified".to_owned(),
        Freshness::Partial(pending) => format!("partial({pending} pending)"),
        Freshness::Stale => "stale".to_owned(),
    };
    json!({
        "schema": SCHEMA,
        "task": package.task,
        "ticket": package.ticket.as_ref().map(|ticket| json!({
            "id": ticket.id,
            "title": ticket.title,
            "component": ticket.component,
        })),
        "intent": {
            "name": package.intent.name,
            "confidence": package.intent.confidence,
            "triggers": package.intent.triggers,
            "origin": package.intent_origin.as_str(),
        },
        "level": package.level,
        "tree": package.receipt.tree,
        "fresh": fresh,
        "sections": sections,
        "leftOut": left_out.collect::<Vec<_>>(),
        "more": parts.more,
        "budget": { "tokens": parts.tokens, "tokenizer": parts.tokenizer },
        "absence": package.absence.as_ref().map(|one| json!(absence(one))),
        "warnings": package.warnings,
    })
}

/// The wire form of an item with one of its texts.
pub fn context_item(item: &ContextItem, detail: Option<&Detail>) -> Value {
    let about: Vec<String> =
        item.about.iter().map(|(name, value)| format!("{name} {value}")).collect();
    json!({
        "id": item.id,
        "kind": item.kind,
        "name": item.name,
        "path": item.path,
        "startLine": item.start_line,
        "endLine": item.end_line,
        "relation": item.relation,
        "about": about.join(", "),
        "text": detail.map(|detail| match (detail.prose.as_str(), detail.code.as_str()) {
            (prose, "") => prose.to_owned(),
            ("", code) => code.to_owned(),
            (prose, code) => format!("{prose}\n\n{code}"),
        }),
    })
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
