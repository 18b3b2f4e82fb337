//! Maps the field names of formats to the attributes of a document.

use lore_schema::Attributes;

use crate::{dates, value::Value};

/// Result of assigning a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Assigned {
    /// The value was stored in an attribute.
    Stored,
    /// The attribute already had a value, or the value is invalid (not a date).
    Rejected,
    /// No attribute corresponds to the field.
    Unknown,
}

/// Sets the attribute that a field name corresponds to, unless it is already set.
pub(crate) fn assign(attributes: &mut Attributes, name: &str, value: &Value) -> Assigned {
    let slot = match kind(name) {
        AttributeKind::Other => return Assigned::Unknown,
        AttributeKind::Tags => {
            for label in value.labels() {
                if !attributes.tags.contains(&label) {
                    attributes.tags.push(label);
                }
            }
            return Assigned::Stored;
        }
        kind @ (AttributeKind::Created | AttributeKind::CreatedDay | AttributeKind::Updated) => {
            let Some(seconds) = value.text().and_then(|text| dates::parse(&text)) else {
                return if value.is_empty() { Assigned::Stored } else { Assigned::Rejected };
            };
            return match kind {
                AttributeKind::Created => {
                    attributes.created = Some(seconds);
                    Assigned::Stored
                }
                // A day adds nothing to the exact time from another field.
                AttributeKind::CreatedDay => {
                    attributes.created = attributes.created.or(Some(seconds));
                    Assigned::Stored
                }
                _ => {
                    // Several fields may state it (`updated` the day, `updated_at` the second).
                    attributes.updated = attributes.updated.max(Some(seconds));
                    Assigned::Stored
                }
            };
        }
        AttributeKind::Id => &mut attributes.id,
        AttributeKind::Status => &mut attributes.status,
        AttributeKind::Priority => &mut attributes.priority,
        AttributeKind::Assignee => &mut attributes.assignee,
        AttributeKind::Author => &mut attributes.author,
        AttributeKind::Description => &mut attributes.description,
    };
    match value.text() {
        None => Assigned::Stored,
        Some(text) => fill(slot, text),
    }
}

/// Stores a field in its attribute, otherwise among the extra attributes.
pub(crate) fn keep(attributes: &mut Attributes, name: &str, value: &Value) {
    if assign(attributes, name, value) != Assigned::Stored {
        value.flatten(name, &mut attributes.extra);
    }
}

/// Marks a document as archived.
pub(crate) fn mark_archived(attributes: &mut Attributes) {
    if !attributes.extra.iter().any(|(name, _)| name == "archived") {
        attributes.extra.push(("archived".to_owned(), "true".to_owned()));
    }
}

fn fill<T>(slot: &mut Option<T>, value: T) -> Assigned {
    if slot.is_some() {
        return Assigned::Rejected;
    }
    *slot = Some(value);
    Assigned::Stored
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AttributeKind {
    Assignee,
    Author,
    Created,
    CreatedDay,
    Description,
    Id,
    Other,
    Priority,
    Status,
    Tags,
    Updated,
}

fn kind(name: &str) -> AttributeKind {
    let plain: String = name
        .chars()
        .filter(|character| character.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect();
    match plain.as_str() {
        "assignee" | "assignees" | "owner" | "owners" => AttributeKind::Assignee,
        "author" | "authors" | "by" | "createdby" | "creator" | "reporter" => AttributeKind::Author,
        "createdat" => AttributeKind::Created,
        "created" | "createddate" | "date" | "作成日" | "日付" | "创建日期" => {
            AttributeKind::CreatedDay
        }
        "desc" | "description" | "summary" => AttributeKind::Description,
        "id" => AttributeKind::Id,
        "priority" | "優先度" | "优先级" => AttributeKind::Priority,
        "state" | "status" | "ステータス" | "状態" | "状态" => AttributeKind::Status,
        "keywords" | "labels" | "tags" => AttributeKind::Tags,
        "lastupdated" | "updated" | "updatedat" | "updateddate" | "更新日" => {
            AttributeKind::Updated
        }
        _ => AttributeKind::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_assigned_to_attributes_and_none_is_lost() {
        let mut attributes = Attributes::default();
        for (name, value) in [
            ("Status", "open"),
            ("state", "OPEN"),
            ("created", "2025-11-13"),
            ("created_at", "2025-11-13T10:00:00Z"),
            ("updatedAt", "unknown"),
            ("labels", "a, b, a"),
            ("owner", "me"),
            ("component", "store"),
            ("empty", ""),
        ] {
            keep(&mut attributes, name, &Value::of_text(value));
        }
        assert_eq!(attributes.status.as_deref(), Some("open"));
        assert_eq!(attributes.created, Some(1_763_028_000), "the exact time wins");
        assert_eq!(attributes.updated, None);
        assert_eq!(attributes.tags, ["a", "b"]);
        assert_eq!(attributes.assignee.as_deref(), Some("me"));
        let extra: Vec<_> = attributes.extra.iter().map(|(n, v)| (&**n, &**v)).collect();
        assert_eq!(extra, [("state", "OPEN"), ("updatedAt", "unknown"), ("component", "store")]);
    }
}
