//! Function names: converts the form of stack traces to the form of definitions.

/// A function name split into parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionName {
    /// Bare name.
    pub name: String,
    /// Qualifiers before the name, nearest first: types, modules, packages.
    pub qualifiers: Vec<String>,
}

/// Name parts that compilers and interpreters generate.
const MADE: &[&str] = &[
    "anonymous",
    "async",
    "block",
    "class",
    "closure",
    "comp",
    "dictcomp",
    "ensure",
    "eval",
    "genexpr",
    "impl",
    "in",
    "lambda",
    "levels",
    "listcomp",
    "locals",
    "main",
    "module",
    "new",
    "MoveNext",
    "required",
    "rescue",
    "setcomp",
    "shim",
    "static",
    "top",
];

impl FunctionName {
    /// Parses a function name as written in a stack trace. Returns `None` for unnamed functions, such
    /// as closures and module bodies.
    pub fn parse(written: &str) -> Option<FunctionName> {
        if written.ends_with("<anonymous>") {
            return None;
        }
        let text = written.split(" [as ").next().unwrap_or(written).trim();
        let text = text.strip_suffix("()").unwrap_or(text);
        let text = without_arguments_of_types(text);
        let is_joint = |letter: char| {
            !(letter.is_alphanumeric() || letter == '_' || letter == '!' || letter == '?')
        };
        let all: Vec<&str> = text.split(is_joint).filter(|part| !part.is_empty()).collect();
        let is_own = |part: &&str| {
            !MADE.contains(part)
                && !is_numbered(part)
                && part.starts_with(|first: char| !first.is_ascii_digit())
        };
        let mut parts: Vec<&str> = all.iter().copied().filter(is_own).collect();
        // `main` is generated in some languages, but is also the package and function of a Go program.
        if let [outer @ .., last] = &all[..]
            && MADE.contains(last)
            && !written.contains(['<', '{', '$', '('])
        {
            let qualifiers = outer.iter().rev().map(|part| (*part).to_owned()).collect();
            return Some(FunctionName { name: (*last).to_owned(), qualifiers });
        }
        let name = parts.pop()?;
        let qualifiers = parts.iter().rev().map(|part| (*part).to_owned()).collect();
        Some(FunctionName { name: name.to_owned(), qualifiers })
    }
}

/// Returns true for numbered words that compilers generate: `func1`, `d__0`, `h8f2a…`.
fn is_numbered(part: &str) -> bool {
    let rest = |start: &str| {
        part.strip_prefix(start)
            .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let is_hash = part.len() == 17
        && part.starts_with('h')
        && part[1..].bytes().all(|byte| byte.is_ascii_hexdigit());
    rest("func") || rest("d__") || rest("gowrap") || part.starts_with("b__") || is_hash
}

/// Removes generic arguments at the end: `assert_failed` for `assert_failed::<u64, u64>`.
fn without_arguments_of_types(name: &str) -> &str {
    let Some(open) = name.strip_suffix('>').and_then(|rest| rest.rfind("::<")) else { return name };
    &name[..open]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn function_names_match_their_definitions() {
        for (written, name, nearest) in [
            ("shop::refund::retry::{{closure}}", Some("retry"), Some("refund")),
            ("core::option::Option<T>::expect", Some("expect"), Some("T")),
            (
                "core::panicking::assert_failed::<u64, u64>",
                Some("assert_failed"),
                Some("panicking"),
            ),
            ("<shop::Disk as shop::Store>::get", Some("get"), Some("Store")),
            ("Object.<anonymous>", None, None),
            ("new Refund", Some("Refund"), None),
            ("async Refunds.retry [as go]", Some("retry"), Some("Refunds")),
            ("<module>", None, None),
            ("<lambda>", None, None),
            ("com.shop.Refunds.lambda$main$0", Some("Refunds"), Some("shop")),
            ("com.shop.Refunds$Inner.go", Some("go"), Some("Inner")),
            ("example.com/shop/refund.(*Refunds).Retry.func1", Some("Retry"), Some("Refunds")),
            ("Shop.Program.<Send>d__0.MoveNext", Some("Send"), Some("Program")),
            ("block (2 levels) in share", Some("share"), None),
            ("Refund#share", Some("share"), Some("Refund")),
            ("Shop\\Refund->share", Some("share"), Some("Refund")),
            ("main", Some("main"), None),
            ("main.main", Some("main"), Some("main")),
            ("Shop.main", Some("main"), Some("Shop")),
            ("/", None, None),
        ] {
            let parsed = FunctionName::parse(written);
            assert_eq!(parsed.as_ref().map(|function| function.name.as_str()), name, "{written}");
            let first = parsed.as_ref().and_then(|function| function.qualifiers.first());
            assert_eq!(first.map(String::as_str), nearest, "{written}");
        }
    }
}
