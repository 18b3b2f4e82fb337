//! Maps the names that formats give their fields onto the attributes of a document.

use lore_schema::Attributes;

use crate::{dates, value::Value};

/// What became of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Assigned {
    /// It is an attribute now.
    Taken,
    /// The attribute had a value already, or the value is not one (a date that is none).
    Refused,
    /// No attribute has this meaning.
    Unknown,
}

/// Fills the attribute that a name stands for, unless it is filled.
pub(crate) fn assign(attributes: &mut Attributes, name: &str, value: &Value) -> Assigned {
    let slot = match meaning(name) {
        Meaning::Other => return Assigned::Unknown,
        Meaning::Tags => {
            for label in value.labels() {
                if !attributes.tags.contains(&label) {
                    attributes.tags.push(label);
                }
            }
            return Assigned::Taken;
        }
        meaning @ (Meaning::Created | Meaning::CreatedDay | Meaning::Updated) => {
            let Some(seconds) = value.text().and_then(|text| dates::parse(&text)) else {
                return if value.is_empty() { Assigned::Taken } else { Assigned::Refused };
            };
            return match meaning {
                Meaning::Created => {
                    attributes.created = Some(seconds);
                    Assigned::Taken
                }
                // The day says nothing beside the second that another field gives.
                Meaning::CreatedDay => {
                    attributes.created = attributes.created.or(Some(seconds));
                    Assigned::Taken
                }
                _ => {
                    // Several fields may say it (`updated` the day, `updated_at` the second).
                    attributes.updated = attributes.updated.max(Some(seconds));
                    Assigned::Taken
                }
            };
        }
        Meaning::Id => &mut attributes.id,
        Meaning::Status => &mut attributes.status,
        Meaning::Priority => &mut attributes.priority,
        Meaning::Assignee => &mut attributes.assignee,
        Meaning::Author => &mut attributes.author,
        Meaning::Description => &mut attributes.description,
    };
    match value.text() {
        None => Assigned::Taken,
        Some(text) => fill(slot, text),
    }
}

/// Keeps a field: as the attribute that it stands for, otherwise among the extra ones.
pub(crate) fn keep(attributes: &mut Attributes, name: &str, value: &Value) {
    if assign(attributes, name, value) != Assigned::Taken {
        value.flatten(name, &mut attributes.extra);
    }
}

/// Marks a document that is kept for the record only.
pub(crate) fn mark_archived(attributes: &mut Attributes) {
    if !attributes.extra.iter().any(|(name, _)| name == "archived") {
        attributes.extra.push(("archived".to_owned(), "true".to_owned()));
    }
}

fn fill<T>(slot: &mut Option<T>, value: T) -> Assigned {
    if slot.is_some() {
        return Assigned::Refused;
    }
    *slot = Some(value);
    Assigned::Taken
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meaning {
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

fn meaning(name: &str) -> Meaning {
    let plain: String = name
        .chars()
        .filter(|letter| letter.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect();
    match plain.as_str() {
        "assignee" | "assignees" | "owner" | "owners" => Meaning::Assignee,
        "author" | "authors" | "by" | "createdby" | "creator" | "reporter" => Meaning::Author,
        "createdat" => Meaning::Created,
        "created" | "createddate" | "date" | "作成日" | "日付" | "创建日期" => {
            Meaning::CreatedDay
        }
        "desc" | "description" | "summary" => Meaning::Description,
        "id" => Meaning::Id,
        "priority" | "優先度" | "优先级" => Meaning::Priority,
        "state" | "status" | "ステータス" | "状態" | "状态" => Meaning::Status,
        "keywords" | "labels" | "tags" => Meaning::Tags,
        "lastupdated" | "updated" | "updatedat" | "updateddate" | "更新日" => Meaning::Updated,
        _ => Meaning::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_find_their_attribute_and_nothing_is_lost() {
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
