//! The type of a call's result, from the signature of the function that is called: in
//! `open(path)?.save()` the object of `save` has the type that `open` returns.

use std::rc::Rc;

use lore_index::IndexError;
use lore_schema::{Reference, ReferenceKind, SymbolKind};

use super::{
    code_graph::{CodeGraph, Definition, File},
    imported::Imported,
    resolve::NameUsage,
};
use crate::Certainty;

/// Mark of a called name in a path: `store.open()`.
const CALL: &str = "()";

/// Maximum number of definitions of a name whose results are compared.
const MAX_FUNCTIONS: usize = 3;

/// Types whose methods are seldom those of the tree, so that the type inside is the result:
/// `Result<Store, Error>`, `Promise<Store>`. Sorted.
const CONTAINERS: &[&str] = &[
    "Awaitable",
    "CompletableFuture",
    "Deferred",
    "Future",
    "Option",
    "Optional",
    "Pin",
    "Promise",
    "Result",
    "Single",
    "Task",
    "ValueTask",
];

/// Words before a type in a declaration.
const MODIFIERS: &[&str] = &[
    "abstract",
    "async",
    "const",
    "default",
    "external",
    "extern",
    "final",
    "inline",
    "internal",
    "native",
    "new",
    "override",
    "partial",
    "private",
    "protected",
    "public",
    "sealed",
    "static",
    "strictfp",
    "synchronized",
    "unsafe",
    "virtual",
];

/// Types of languages that no tree defines. Sorted.
const BUILT_IN: &[&str] = &[
    "Unit", "Void", "bool", "boolean", "byte", "char", "double", "error", "f32", "f64", "float",
    "i32", "i64", "int", "int32", "int64", "long", "number", "rune", "short", "str", "string",
    "u32", "u64", "u8", "uint", "uint32", "uint64", "usize",
];

/// The object of a member that follows a call.
pub(super) enum Receiver {
    /// One of these types of the tree.
    Types(Vec<Definition>),
    /// A type outside of the tree.
    Outside,
    /// The text does not show the type.
    Unknown,
}

/// Returns true if a qualifier contains a call.
pub(super) fn is_call(qualifier: &str) -> bool {
    qualifier.contains(CALL)
}

impl CodeGraph<'_> {
    /// Returns the type of an expression that ends with a call, as seen in a file.
    pub(super) fn result_of(
        &self,
        file: &Rc<File>,
        expression: &str,
        within: Option<u32>,
    ) -> Result<Receiver, IndexError> {
        // The field of a result is not followed.
        let Some(called) = expression.strip_suffix(CALL) else { return Ok(Receiver::Unknown) };
        let (qualifier, name) = match called.rfind(['.', ':', '>', '\\']) {
            Some(at) => (Some(called[..at].trim_end_matches([':', '-'])), &called[at + 1..]),
            None => (None, called),
        };
        let reference = Reference {
            kind: ReferenceKind::Call,
            name: name.to_owned(),
            qualifier: qualifier.filter(|qualifier| !qualifier.is_empty()).map(str::to_owned),
            line: 0,
            within,
        };
        let Some(meant) = self.resolve(file, &reference)? else {
            return self.result_outside(file, qualifier, name, within);
        };
        if matches!(meant.certainty, Certainty::OneOf(count) if count > MAX_FUNCTIONS) {
            return Ok(Receiver::Unknown);
        }
        let mut types: Vec<Definition> = Vec::new();
        let mut is_outside = false;
        for definition in meant.definitions.iter() {
            if definition.symbol().kind.is_type() {
                types.push(definition.clone());
                continue;
            }
            match self.declared_result(definition)? {
                Receiver::Types(found) => types.extend(found),
                Receiver::Outside => is_outside = true,
                Receiver::Unknown => return Ok(Receiver::Unknown),
            }
        }
        types.dedup();
        if !types.is_empty() {
            return Ok(Receiver::Types(types));
        }
        let is_certain = is_outside && meant.certainty.is_certain();
        Ok(if is_certain { Receiver::Outside } else { Receiver::Unknown })
    }

    /// The result of a function that is not in the tree. One of a type is probably an object of it:
    /// `Store::default()`.
    fn result_outside(
        &self,
        file: &Rc<File>,
        qualifier: Option<&str>,
        name: &str,
        within: Option<u32>,
    ) -> Result<Receiver, IndexError> {
        let Some(qualifier) = qualifier.filter(|qualifier| !is_call(qualifier)) else {
            let is_imported = qualifier.is_none()
                && matches!(self.imported(file, name, NameUsage::Call)?, Imported::FromOutside);
            return Ok(if is_imported { Receiver::Outside } else { Receiver::Unknown });
        };
        let last = qualifier.rsplit(['.', ':', '\\']).next().unwrap_or(qualifier);
        if last.starts_with(char::is_uppercase) {
            let types = self.plain(file, last, within, NameUsage::Type)?;
            return Ok(match types {
                Some(types) => Receiver::Types(types.definitions.to_vec()),
                None => Receiver::Outside,
            });
        }
        let first = qualifier.split(['.', ':', '\\']).next().unwrap_or(qualifier);
        let module = self.in_module(file, qualifier, first, name, NameUsage::Call)?;
        Ok(if matches!(module, Imported::FromOutside) {
            Receiver::Outside
        } else {
            Receiver::Unknown
        })
    }

    /// The type that the signature of a function declares for its result.
    fn declared_result(&self, function: &Definition) -> Result<Receiver, IndexError> {
        let symbol = function.symbol();
        let is_function = matches!(symbol.kind, SymbolKind::Function | SymbolKind::Method);
        let result = result_type(&symbol.name, &symbol.signature, &function.file.language);
        let Some(result) = result.filter(|_| is_function) else {
            return Ok(Receiver::Unknown);
        };
        let own = matches!(result, "Self" | "self" | "this" | "static" | "$this");
        let name = match &symbol.container {
            Some(container) if own => container.as_str(),
            _ if own => return Ok(Receiver::Unknown),
            // A type parameter, or a type of the language.
            _ if result.len() == 1 || BUILT_IN.contains(&result) => {
                return Ok(Receiver::Unknown);
            }
            _ => result,
        };
        let found = self.plain(&function.file, name, Some(function.symbol), NameUsage::Type)?;
        Ok(match found {
            Some(found) => Receiver::Types(found.definitions.to_vec()),
            None if self.definitions(name)?.is_empty() => Receiver::Outside,
            None => Receiver::Unknown,
        })
    }
}

/// The bare name of the type that a function returns, as its signature shows it.
fn result_type<'s>(called: &str, signature: &'s str, language: &str) -> Option<&'s str> {
    let starts = |name: &usize| {
        let before = signature[..*name].chars().next_back();
        let after = signature[*name + called.len()..].chars().next();
        !before.is_some_and(|letter| letter.is_alphanumeric() || letter == '_')
            && matches!(after, Some('(' | '<' | '['))
    };
    let name = signature.match_indices(called).map(|(at, _)| at).find(starts)?;
    let declared = match language {
        "java" | "csharp" | "dart" | "c" | "c++" => before_name(&signature[..name])?,
        _ => after_parameters(&signature[name + called.len()..], language)?,
    };
    inner_type(declared)
}

/// The type before the name of a function.
fn before_name(head: &str) -> Option<&str> {
    let mut depth = 0_usize;
    let head = head.trim_end();
    let mut start = 0;
    for (at, letter) in head.char_indices().rev() {
        match letter {
            '>' | ')' | ']' => depth += 1,
            '<' | '(' | '[' => depth = depth.saturating_sub(1),
            _ if letter.is_whitespace() && depth == 0 => {
                start = at + letter.len_utf8();
                break;
            }
            _ => {}
        }
    }
    let declared = &head[start..];
    (!declared.is_empty() && !MODIFIERS.contains(&declared) && !declared.starts_with('<'))
        .then_some(declared)
}

/// The type behind the parameters of a function.
fn after_parameters<'s>(rest: &'s str, language: &str) -> Option<&'s str> {
    let mut nested = 0_usize;
    let mut last = ' ';
    let open = rest.char_indices().find_map(|(at, letter)| {
        match letter {
            '<' | '[' => nested += 1,
            // The bound of a type parameter may contain an arrow.
            '>' if last != '-' && last != '=' => nested = nested.saturating_sub(1),
            ']' => nested = nested.saturating_sub(1),
            '(' if nested == 0 => return Some(at),
            _ => {}
        }
        last = letter;
        None
    })?;
    let mut depth = 0_usize;
    let close = rest[open..].char_indices().find_map(|(at, letter)| {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        (depth == 0).then_some(open + at + 1)
    })?;
    let declared = rest[close..].trim_start();
    let declared = match language {
        "go" => declared.strip_prefix('(').map_or(declared, |all| {
            let first = all.split([',', ')']).next().unwrap_or(all).trim();
            // A named result: `(store *Store, err error)`.
            first.split_once(' ').map_or(first, |(_, of_type)| of_type)
        }),
        "rust" | "swift" | "python" => declared.split_once("->")?.1,
        _ => declared.strip_prefix(':')?,
    };
    let end = declared.find([';', '{', '=']).unwrap_or(declared.len());
    let declared = declared[..end].split(" where ").next().unwrap_or(declared).trim();
    let declared = declared.trim_end_matches(':').trim();
    (!declared.is_empty()).then_some(declared)
}

/// The bare name of a type, or of the one inside a container of one value.
fn inner_type(declared: &str) -> Option<&str> {
    let mut declared = declared;
    for _ in 0..4 {
        let open = declared.find(['<', '[']).unwrap_or(declared.len());
        let name = declared[..open].rsplit(['.', ':']).next().unwrap_or(declared).trim();
        if open == declared.len() || !CONTAINERS.contains(&name) {
            break;
        }
        declared = &declared[open + 1..];
        let mut depth = 0_usize;
        let end = declared.char_indices().find_map(|(at, letter)| {
            match letter {
                '<' | '[' | '(' => depth += 1,
                '>' | ']' | ')' | ',' if depth == 0 => return Some(at),
                '>' | ']' | ')' => depth -= 1,
                _ => {}
            }
            None
        });
        declared = &declared[..end.unwrap_or(declared.len())];
    }
    lore_syntax::type_name(declared)
}

#[cfg(test)]
mod tests {
    use super::result_type;

    #[test]
    fn signatures_name_the_type_of_the_result() {
        let check = |language: &str, signature: &str, expected: &str| {
            assert_eq!(
                result_type("open", signature, language).unwrap_or("-"),
                expected,
                "{signature}"
            );
        };
        check("rust", "pub fn open(path: &Path) -> io::Result<Store>", "Store");
        check(
            "rust",
            "pub fn open<T: Fn(A) -> B>(f: T) -> Result<Arc<Store>, Error> where T: Copy",
            "Store",
        );
        check("rust", "fn open(&self) -> &mut Self", "Self");
        check("rust", "fn open(&self)", "-");
        check("go", "func (d *Disk) open(path string) (*Store, error)", "Store");
        check("go", "func open(path string) (store *Store, err error)", "Store");
        check("go", "func open() store.Store", "Store");
        check("go", "func open()", "-");
        check("typescript", "async open(path: string): Promise<Store | null>", "Store");
        check("typescript", "open(path) {", "-");
        check("python", "def open(path: str) -> Optional[\"Store\"]", "Store");
        check("swift", "static func open(_ path: String) throws -> Store?", "Store");
        check("kotlin", "fun open(path: String): Store = Store(path)", "Store");
        check(
            "java",
            "public static synchronized Optional<Store> open(Path path) throws IOException",
            "Store",
        );
        check("java", "public void open()", "-");
        check("java", "public <T> Store<T> open()", "Store");
        check("csharp", "public async Task<Store> open(string path)", "Store");
    }
}
