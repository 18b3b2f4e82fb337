//! The six kinds of semtree, and which of the engine's kinds each stands for.

/// The kinds of that system in the order of their names, with the engine's kinds.
use lore_console::{names::did_you_mean, report::UsageError};

const KINDS: &[(&str, &[&str])] = &[
    ("class", &["class", "impl", "module", "struct"]),
    ("const", &["const"]),
    ("function", &["function", "macro"]),
    ("method", &["method"]),
    ("type", &["enum", "interface", "type"]),
    ("var", &["field", "variable"]),
];

/// The kind of that system for a kind of the engine.
pub(super) fn theirs(own: &str) -> &'static str {
    let row = KINDS.iter().find(|(_, kinds)| kinds.contains(&own));
    row.map_or("type", |(name, _)| *name)
}

/// The engine's kinds for kinds of that system; all of them for none.
pub(super) fn own(typed: &[String]) -> Result<Vec<String>, UsageError> {
    let mut own = Vec::new();
    if typed.is_empty() {
        own.extend(KINDS.iter().flat_map(|(_, kinds)| *kinds));
    }
    for name in typed {
        let folded = name.trim().to_lowercase();
        let Some((_, kinds)) = KINDS.iter().find(|(kind, _)| *kind == folded) else {
            let names: Vec<&str> = KINDS.iter().map(|(kind, _)| *kind).collect();
            let near = did_you_mean(&folded, &names);
            return Err(UsageError::new(format!("there is no kind `{name}` under `--as semtree`"))
                .hint(format!("the kinds are {}{near}", names.join(", "))));
        };
        own.extend(*kinds);
    }
    Ok(own.into_iter().map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use lore_schema::SymbolKind;

    use super::*;

    #[test]
    fn every_kind_of_the_engine_is_one_of_six() {
        assert!(KINDS.is_sorted());
        let all: Vec<&str> = KINDS.iter().flat_map(|(_, kinds)| *kinds).copied().collect();
        assert_eq!(all.len(), SymbolKind::ALL.len());
        for kind in SymbolKind::ALL {
            assert!(all.contains(&kind.as_str()), "{}", kind.as_str());
        }
        assert_eq!(theirs("struct"), "class");
        assert_eq!(theirs("interface"), "type");
        assert_eq!(theirs("field"), "var");
    }

    #[test]
    fn typed_kinds_are_turned_into_the_engines() {
        assert_eq!(own(&["Function".into()]).expect("it is one"), ["function", "macro"]);
        let error = own(&["functon".into()]).unwrap_err();
        assert_eq!(error.to_string(), "there is no kind `functon` under `--as semtree`");
        assert_eq!(
            error.hint.as_deref(),
            Some(
                "the kinds are class, const, function, method, type, var; \
                 did you mean `function`?"
            )
        );
    }
}
