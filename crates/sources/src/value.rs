//! Tree of named texts, shared by front matter and JSON stores.
//!
//! Every scalar is kept as text, as written, and the fields of a map keep their order: `id: 007`,
//! `status: 1.10` and `created: 2025-11-05` are names and labels here, never numbers.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, SeqAccess, Visitor},
};

/// A value of front matter or of a JSON record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    /// No value: `null`, `~` or an empty field.
    Null,
    /// Any scalar.
    Text(String),
    /// A list.
    List(Vec<Value>),
    /// Named values in the order of the text.
    Map(Fields),
}

/// Named values in the order of the text. Duplicate names are kept; the last one counts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Fields(Vec<(String, Value)>);

impl Fields {
    /// Adds a field.
    pub(crate) fn push(&mut self, name: String, value: Value) {
        self.0.push((name, value));
    }

    /// Returns the value of a field; `Null` if there is none.
    pub(crate) fn get(&self, name: &str) -> &Value {
        self.0
            .iter()
            .rev()
            .find(|(known, _)| known == name)
            .map_or(&Value::Null, |(_, value)| value)
    }

    /// Returns the first non-empty value among several names.
    pub(crate) fn first(&self, names: &[&str]) -> &Value {
        names
            .iter()
            .map(|name| self.get(name))
            .find(|value| !value.is_empty())
            .unwrap_or(&Value::Null)
    }

    /// Returns the first text among several names.
    pub(crate) fn text(&self, names: &[&str]) -> Option<String> {
        names.iter().find_map(|name| self.get(name).text())
    }

    /// Returns the last value, to which a continuation line belongs.
    pub(crate) fn last_mut(&mut self) -> Option<&mut Value> {
        self.0.last_mut().map(|(_, value)| value)
    }

    /// Yields every field in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Returns whether there is no field.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Value {
    /// Creates a trimmed text; `Null` if nothing is left.
    pub(crate) fn of_text(text: &str) -> Value {
        match text.trim() {
            "" => Value::Null,
            text => Value::Text(text.to_owned()),
        }
    }

    /// Returns whether the value is empty.
    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Value::Null => true,
            Value::Text(text) => text.trim().is_empty(),
            Value::List(items) => items.iter().all(Value::is_empty),
            Value::Map(fields) => fields.is_empty(),
        }
    }

    /// Returns the whole value on one line; `None` if it is empty.
    pub(crate) fn text(&self) -> Option<String> {
        let text = match self {
            Value::Null => String::new(),
            Value::Text(text) => text.trim().to_owned(),
            Value::List(items) => {
                items.iter().filter_map(Value::text).collect::<Vec<_>>().join(", ")
            }
            Value::Map(fields) => fields
                .iter()
                .filter_map(|(name, value)| Some(format!("{name}: {}", value.text()?)))
                .collect::<Vec<_>>()
                .join(", "),
        };
        (!text.is_empty()).then_some(text)
    }

    /// Returns the items of a list; any other value is a list of one.
    pub(crate) fn items(&self) -> &[Value] {
        match self {
            Value::List(items) => items,
            value if value.is_empty() => &[],
            value => std::slice::from_ref(value),
        }
    }

    /// Returns the items as texts, without empty ones.
    pub(crate) fn texts(&self) -> Vec<String> {
        self.items().iter().filter_map(Value::text).collect()
    }

    /// Returns the labels of a list, or of a comma-separated text.
    pub(crate) fn labels(&self) -> Vec<String> {
        match self {
            Value::Text(text) => split_labels(text),
            value => value.texts(),
        }
    }

    /// Returns the fields of a map.
    pub(crate) fn fields(&self) -> Option<&Fields> {
        match self {
            Value::Map(fields) => Some(fields),
            _ => None,
        }
    }

    /// Appends the value as pairs of a name and a text: a list repeats the name, a nested map adds
    /// its own name after a dot, a map inside a list becomes one line.
    pub(crate) fn flatten(&self, name: &str, pairs: &mut Vec<(String, String)>) {
        match self {
            Value::Map(fields) => {
                for (inner, value) in fields.iter() {
                    value.flatten(&format!("{name}.{inner}"), pairs);
                }
            }
            value => {
                pairs.extend(value.texts().into_iter().map(|text| (name.to_owned(), text)));
            }
        }
    }
}

/// Splits a comma-separated text into labels, without a leading `#`.
pub(crate) fn split_labels(text: &str) -> Vec<String> {
    text.split(',')
        .map(|label| label.trim().trim_start_matches('#').trim_matches('`'))
        .filter(|label| !label.is_empty())
        .map(str::to_owned)
        .collect()
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Text(value.to_string()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Text(value.to_string()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Text(value.to_string()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        // The debug form keeps the fraction of a whole number: 2.0 stays "2.0".
        Ok(Value::Text(format!("{value:?}")))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::Text(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::Text(value))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = sequence.next_element()? {
            items.push(item);
        }
        Ok(Value::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut fields = Fields::default();
        while let Some((name, value)) = map.next_entry()? {
            fields.push(name, value);
        }
        Ok(Value::Map(fields))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Value {
        serde_json::from_str(text).expect("valid JSON")
    }

    #[test]
    fn scalars_and_field_order_are_kept() {
        let value = json(r#"{"z": 1, "a": 2.0, "m": true, "n": null, "z": "last"}"#);
        let mut pairs = Vec::new();
        for (name, value) in value.fields().expect("a map").iter() {
            value.flatten(name, &mut pairs);
        }
        let pairs: Vec<_> = pairs.iter().map(|(name, text)| (&**name, &**text)).collect();
        assert_eq!(pairs, [("z", "1"), ("a", "2.0"), ("m", "true"), ("z", "last")]);
        assert_eq!(value.fields().expect("a map").text(&["n", "z"]).as_deref(), Some("last"));
    }

    #[test]
    fn flattening_repeats_list_names_and_appends_map_names() {
        let value =
            json(r#"{"git": {"commits": ["a", "b"]}, "log": [{"state": "open", "at": 1}]}"#);
        let mut pairs = Vec::new();
        value.flatten("t", &mut pairs);
        let pairs: Vec<_> = pairs.iter().map(|(name, text)| (&**name, &**text)).collect();
        assert_eq!(
            pairs,
            [("t.git.commits", "a"), ("t.git.commits", "b"), ("t.log", "state: open, at: 1")]
        );
    }

    #[test]
    fn labels_are_read_from_lists_and_texts() {
        assert_eq!(json(r#""a, #b,,`c`""#).labels(), ["a", "b", "c"]);
        assert_eq!(json(r#"["a, b", 3, null]"#).labels(), ["a, b", "3"]);
        assert!(json("null").labels().is_empty());
    }
}
