//! The wire form of intents, policies and context packages.

use lore_engine::{ContextItem, ContextPackage, Detail, Intent, Policy};
use schemars::JsonSchema;
use serde::Serialize;

use super::{AbsenceWire, SCHEMA, absence};

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
    /// Version of the form of this object: 1. It increases when a key changes its meaning or is
    /// removed.
    schema: u32,
    /// The task.
    task: &'a str,
    /// The ticket that the task names; null without one.
    ticket: Option<TicketWire<'a>>,
    /// Intent of the task.
    intent: TaskIntentWire<'a>,
    /// Amount of detail, from 0 to 3.
    level: u8,
    /// Commit of the tree, and the number of files that differ from it; null without git.
    tree: Option<&'a str>,
    /// State of the answer: verified, `partial(N pending)` or stale.
    fresh: String,
    /// Sections with their items.
    sections: Vec<SectionWire<'a>>,
    /// Items that did not fit, by section.
    #[serde(rename = "leftOut")]
    omitted: Vec<OmittedWire>,
    /// Command that writes the whole package; null if nothing is missing.
    more: Option<String>,
    /// Token budget.
    budget: TokenBudgetWire,
    /// Reasons why nothing was found; null if there is an answer.
    absence: Option<AbsenceWire<'a>>,
    /// Problems that did not stop the run, one line each.
    warnings: &'a [String],
}

#[derive(Serialize, JsonSchema)]
struct TicketWire<'a> {
    /// Identifier, which other commands accept.
    id: &'a str,
    /// Title or name.
    title: &'a str,
    /// Component of the ticket.
    component: Option<&'a str>,
}

#[derive(Serialize, JsonSchema)]
struct TaskIntentWire<'a> {
    /// debug, explain, implement, refactor, review, search or test.
    name: &'static str,
    /// Confidence, from 0 to 1.
    confidence: f64,
    /// Words that indicate the intent.
    triggers: &'a [String],
    /// asked (by `--intent`), ticket-type or words.
    origin: &'static str,
}

#[derive(Serialize, JsonSchema)]
struct SectionWire<'a> {
    /// Name.
    name: &'static str,
    /// Items of the section.
    items: Vec<ContextItemWire<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct OmittedWire {
    /// Name of the section.
    section: &'static str,
    /// Number of missing items.
    missing: usize,
    /// Number of written items.
    shown: usize,
}

#[derive(Serialize, JsonSchema)]
struct TokenBudgetWire {
    /// Maximum number of tokens.
    tokens: usize,
    /// Tokenizer that counts the tokens: o200k or cl100k.
    tokenizer: &'static str,
}

/// An item of a package.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ContextItemWire<'a> {
    /// Identifier, which other commands accept.
    id: &'a str,
    /// Kind, such as function, class, section, spec, ticket or commit.
    kind: &'a str,
    /// Name.
    name: &'a str,
    /// Path from the root, with `/` between names; null without a file.
    path: Option<&'a str>,
    /// First line, from 1.
    start_line: Option<u32>,
    /// Last line, from 1, included.
    end_line: Option<u32>,
    /// Relation to the task.
    relation: &'a str,
    /// Attributes, in words.
    about: String,
    /// Text; null if only the place fits.
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
        fresh: package.receipt.fresh.to_string(),
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

/// The intent of a task.
#[derive(Serialize, JsonSchema)]
pub struct IntentWire<'a> {
    /// The task.
    query: &'a str,
    /// debug, explain, implement, refactor, review, search or test.
    intent: &'static str,
    /// Confidence, from 0 to 1.
    confidence: f64,
    /// Words that indicate the intent.
    triggers: &'a [String],
}

/// The intents of several tasks.
#[derive(Serialize, JsonSchema)]
pub struct IntentsWire<'a> {
    /// Version of the form of this object: 1. It increases when a key changes its meaning or is
    /// removed.
    schema: u32,
    /// The intents, in the order of the tasks.
    results: Vec<IntentWire<'a>>,
}

/// The wire form of the intent of a query.
pub fn intent<'a>(query: &'a str, intent: &'a Intent) -> IntentWire<'a> {
    IntentWire {
        query,
        intent: intent.name,
        confidence: intent.confidence,
        triggers: &intent.triggers,
    }
}

/// The wire form of the intents of several queries, in their order.
pub fn intents<'a>(rows: impl Iterator<Item = (&'a str, &'a Intent)>) -> IntentsWire<'a> {
    IntentsWire { schema: SCHEMA, results: rows.map(|(query, of)| intent(query, of)).collect() }
}

/// A policy with where its values come from.
pub struct PolicyRow {
    /// The policy.
    pub policy: Policy,
    /// Setting, layer and place of each value that is not built in.
    pub origins: Vec<(String, &'static str, Option<String>)>,
}

/// The contents of a context package, by intent.
#[derive(Serialize, JsonSchema)]
pub struct PoliciesWire<'a> {
    /// Version of the form of this object: 1. It increases when a key changes its meaning or is
    /// removed.
    schema: u32,
    /// A policy for each intent.
    policies: Vec<PolicyWire<'a>>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct PolicyWire<'a> {
    /// The intent.
    intent: &'a str,
    /// Kinds of definitions that come first.
    prefer_kinds: Vec<&'a str>,
    /// True if related code is included.
    include_related: bool,
    /// True if commits are included.
    include_git_context: bool,
    /// Amount of detail, from 0 to 3.
    context_level: u8,
    /// Share of the token budget that is used, from 0 to 1.
    budget_fraction: f64,
    /// Maximum number of definitions.
    max_symbols: usize,
    /// True if the tree of files is included.
    include_file_tree: bool,
    /// Origins of the values that are not built in.
    origins: Vec<PolicyOriginWire<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct PolicyOriginWire<'a> {
    /// Key of the setting.
    key: &'a str,
    /// Layer: user, project, tuned, environment or flag.
    origin: &'static str,
    /// File with its line, variable or flag; null for a default.
    place: Option<&'a str>,
}

/// The wire form of policies.
pub fn policies(rows: &[PolicyRow]) -> PoliciesWire<'_> {
    PoliciesWire { schema: SCHEMA, policies: rows.iter().map(policy).collect() }
}

fn policy(row: &PolicyRow) -> PolicyWire<'_> {
    let PolicyRow { policy, origins } = row;
    PolicyWire {
        intent: policy.intent,
        prefer_kinds: policy.prefer_kinds.iter().map(AsRef::as_ref).collect(),
        include_related: policy.include_related,
        include_git_context: policy.include_git_context,
        context_level: policy.context_level,
        budget_fraction: policy.budget_fraction,
        max_symbols: policy.max_symbols,
        include_file_tree: policy.include_file_tree,
        origins: origins
            .iter()
            .map(|(key, origin, place)| PolicyOriginWire { key, origin, place: place.as_deref() })
            .collect(),
    }
}
