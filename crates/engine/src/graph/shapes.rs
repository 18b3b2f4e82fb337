//! Methods as Go compares them: name, types of parameters, types of results.
//!
//! Types are compared as texts in which every name has its package: `*labels.Labels` in one package is
//! `*Labels` in `labels`. A type that contains a type parameter equals every type.

use std::collections::HashSet;

use lore_schema::{Import, Symbol};

use super::{
    code_graph::{File, folder_of},
    modules::is_called,
};

/// Names of types that Go defines. Sorted.
const BUILT_IN: &[&str] = &[
    "any",
    "bool",
    "byte",
    "comparable",
    "complex128",
    "complex64",
    "error",
    "float32",
    "float64",
    "int",
    "int16",
    "int32",
    "int64",
    "int8",
    "rune",
    "string",
    "uint",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "uintptr",
];

/// Words of types that are no names.
const WORDS: &[&str] = &["chan", "func", "interface", "map", "struct"];

/// The package of names that need none.
const NO_PACKAGE: &str = "";

/// A method without its receiver and the names of its parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Method {
    pub(super) name: String,
    /// Folder of a private method, whose name is another one in each package.
    folder: Option<String>,
    /// Types of the parameters and of the results, as far as the signature shows them.
    parameters: Vec<TypeText>,
    results: Vec<TypeText>,
    /// True if the signature is cut.
    is_cut: bool,
}

/// The text of a type.
#[derive(Debug, Clone, PartialEq, Eq)]
enum TypeText {
    /// A type with a type parameter.
    Any,
    /// Names and punctuation, in text order.
    Pieces(Vec<Piece>),
}

/// A name or a punctuation mark of a type.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Piece {
    /// Last segment of the package's path; `None` if it is not known.
    package: Option<String>,
    text: String,
}

impl Method {
    /// Reads the signature of a method. `parameters` are the type parameters of its type.
    pub(super) fn of(file: &File, symbol: &Symbol, parameters: &HashSet<&str>) -> Method {
        let folder = folder_of(&file.path);
        let mut parameters = parameters.clone();
        parameters.extend(receiver_parameters(&symbol.signature));
        let scope =
            Scope { folder: Some(folder), imports: &file.outline.imports, parameters: &parameters };
        let mut method = scope.method(&symbol.name, &symbol.signature);
        if !symbol.name.starts_with(char::is_uppercase) {
            method.folder = Some(folder.to_owned());
        }
        method
    }

    /// Reads a method of a library as an interface declares it: `Write(p []byte) (n int, err error)`.
    pub(super) fn of_library(declaration: &str) -> Method {
        let name = declaration.split('(').next().unwrap_or(declaration);
        let scope = Scope { folder: None, imports: &[], parameters: &HashSet::new() };
        scope.method(name, declaration)
    }

    /// Returns true if a type with the other method has this one.
    pub(super) fn is_met_by(&self, other: &Method) -> bool {
        if self.name != other.name || self.folder != other.folder {
            return false;
        }
        let is_cut = self.is_cut || other.is_cut;
        let equal = |left: &[TypeText], right: &[TypeText]| {
            (is_cut || left.len() == right.len())
                && left.iter().zip(right).all(|(left, right)| left.fits(right))
        };
        equal(&self.parameters, &other.parameters) && equal(&self.results, &other.results)
    }
}

impl TypeText {
    fn fits(&self, other: &TypeText) -> bool {
        let (TypeText::Pieces(own), TypeText::Pieces(others)) = (self, other) else { return true };
        own.len() == others.len() && own.iter().zip(others).all(|(left, right)| left.fits(right))
    }
}

impl Piece {
    fn fits(&self, other: &Piece) -> bool {
        let same_package = match (&self.package, &other.package) {
            (Some(own), Some(other)) => own == other,
            _ => true,
        };
        same_package && self.text == other.text
    }

    fn mark(text: impl Into<String>) -> Piece {
        Piece { package: Some(NO_PACKAGE.to_owned()), text: text.into() }
    }
}

/// The surroundings of a signature, which give its names their packages.
struct Scope<'f> {
    /// Folder of the file; `None` in a library, where each name has its package.
    folder: Option<&'f str>,
    /// Imports of the file.
    imports: &'f [Import],
    /// Names of type parameters.
    parameters: &'f HashSet<&'f str>,
}

impl Scope<'_> {
    fn method(&self, name: &str, signature: &str) -> Method {
        let mut method = Method {
            name: name.to_owned(),
            folder: None,
            parameters: vec![],
            results: vec![],
            is_cut: true,
        };
        let open = signature
            .match_indices(name)
            .map(|(at, _)| at + name.len())
            .find(|end| signature[*end..].starts_with('('));
        let Some(open) = open else { return method };
        let Some(close) = closing(&signature[open..]) else {
            method.parameters = self.list(&signature[open + 1..]);
            // The last one may be cut in the middle.
            method.parameters.pop();
            return method;
        };
        method.parameters = self.list(&signature[open + 1..open + close]);
        let rest = signature[open + close + 1..].trim();
        method.is_cut = false;
        if let Some(list) = rest.strip_prefix('(') {
            match closing(rest) {
                Some(close) => method.results = self.list(&rest[1..close]),
                None => method.is_cut = !list.is_empty(),
            }
        } else if !rest.is_empty() {
            method.results = vec![self.type_text(rest)];
        }
        method
    }

    /// Returns the types of a list of parameters, with or without names: `a, b int` is `int, int`.
    fn list(&self, list: &str) -> Vec<TypeText> {
        let entries: Vec<&str> = entries(list).collect();
        let is_named = entries.iter().any(|entry| name_and_type(entry).is_some());
        if !is_named {
            return entries.into_iter().map(|entry| self.type_text(entry)).collect();
        }
        let mut types: Vec<TypeText> = Vec::with_capacity(entries.len());
        let mut last = TypeText::Any;
        for entry in entries.into_iter().rev() {
            if let Some((_, text)) = name_and_type(entry) {
                last = self.type_text(text);
            }
            types.push(last.clone());
        }
        types.reverse();
        types
    }

    fn type_text(&self, text: &str) -> TypeText {
        let mut pieces = Vec::new();
        if self.pieces(text, &mut pieces) { TypeText::Pieces(pieces) } else { TypeText::Any }
    }

    /// Adds the pieces of a type; false if it contains a type parameter.
    fn pieces(&self, text: &str, pieces: &mut Vec<Piece>) -> bool {
        let mut rest = text;
        while let Some(letter) = rest.chars().next() {
            if letter.is_whitespace() {
                rest = rest.trim_start();
                continue;
            }
            let is_word = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '.';
            let end = rest.find(|letter| !is_word(letter)).unwrap_or(rest.len());
            if end == 0 || rest.starts_with('.') {
                let dots = rest.len() - rest.trim_start_matches('.').len();
                let end = dots.max(letter.len_utf8());
                pieces.push(Piece::mark(&rest[..end]));
                rest = &rest[end..];
                continue;
            }
            let word = &rest[..end];
            rest = &rest[end..];
            if word == "func" {
                let Some(close) = closing(rest).filter(|_| rest.starts_with('(')) else {
                    return false;
                };
                pieces.push(Piece::mark("func("));
                for parameter in self.list(&rest[1..close]) {
                    let TypeText::Pieces(inner) = parameter else { return false };
                    pieces.extend(inner);
                    pieces.push(Piece::mark(","));
                }
                pieces.push(Piece::mark(")"));
                rest = &rest[close + 1..];
                continue;
            }
            if word == "interface" && rest.trim_start().starts_with("{}") {
                pieces.push(Piece::mark("any"));
                rest = &rest.trim_start()[2..];
                continue;
            }
            if self.parameters.contains(word) {
                return false;
            }
            pieces.push(self.name(word));
        }
        true
    }

    /// A name with its package.
    fn name(&self, word: &str) -> Piece {
        if let Some((qualifier, name)) = word.split_once('.') {
            let of_import = self.imports.iter().find(|import| match &import.alias {
                Some(alias) => alias == qualifier,
                None => is_called("go", &import.module, qualifier),
            });
            let last = of_import.and_then(|import| import.module.rsplit('/').next());
            let package = if self.folder.is_none() { Some(qualifier) } else { last };
            return Piece { package: package.map(str::to_owned), text: name.to_owned() };
        }
        if BUILT_IN.binary_search(&word).is_ok() || WORDS.contains(&word) {
            return Piece::mark(match word {
                "byte" => "uint8",
                "rune" => "int32",
                _ => word,
            });
        }
        let folder = self.folder.and_then(|folder| folder.rsplit('/').next());
        // The package at the root of the tree has the name of the repository.
        let package = folder.filter(|folder| !folder.is_empty()).map(str::to_owned);
        Piece { package, text: word.to_owned() }
    }
}

/// The type parameters in the receiver of a method: `K` and `V` of `func (m *Map[K, V]) Get(`.
fn receiver_parameters(signature: &str) -> Vec<&str> {
    let Some(receiver) = signature.strip_prefix("func (") else { return Vec::new() };
    let receiver = &receiver[..receiver.find(')').unwrap_or(receiver.len())];
    let Some((_, list)) = receiver.split_once('[') else { return Vec::new() };
    list.trim_end_matches(']').split(',').map(str::trim).collect()
}

/// The type parameters that the declaration of a type lists: `K` and `V` of
/// `type Map[K comparable, V any] struct`.
pub(super) fn type_parameters(symbol: &Symbol) -> HashSet<&str> {
    let after = symbol
        .signature
        .find(&symbol.name)
        .map(|at| &symbol.signature[at + symbol.name.len()..])
        .filter(|after| after.starts_with('['));
    let Some(after) = after else { return HashSet::new() };
    let list = &after[1..closing(after).unwrap_or(after.len())];
    entries(list).filter_map(|entry| entry.split_whitespace().next()).collect()
}

/// Splits a list at the commas outside of brackets.
fn entries(list: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_usize;
    let split = move |letter: char| {
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        letter == ',' && depth == 0
    };
    list.split(split).map(str::trim).filter(|entry| !entry.is_empty())
}

/// Splits `name Type`; `None` for a type alone, as `chan int` and `func(a int) bool`.
fn name_and_type(entry: &str) -> Option<(&str, &str)> {
    let (name, rest) = entry.split_once(char::is_whitespace)?;
    let is_name = name.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    (is_name && !WORDS.contains(&name)).then_some((name, rest))
}

/// The position of the bracket that closes the first one.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    text.char_indices().find_map(|(at, letter)| {
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        (depth == 0).then_some(at)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn method(folder: &str, signature: &str) -> Method {
        let imports = ["example.org/tree/labels", "example.org/tree/storage", "go.uber.org/kit/v2"];
        let imports: Vec<Import> = imports
            .into_iter()
            .map(|module| Import { module: module.to_owned(), ..Import::default() })
            .collect();
        let parameters = receiver_parameters(signature).into_iter().collect();
        let scope = Scope { folder: Some(folder), imports: &imports, parameters: &parameters };
        scope.method("Save", signature)
    }

    #[test]
    fn methods_are_compared_by_types() {
        let check = |left: &str, right: &str, expected: bool| {
            let (wanted, found) = (method("tree/storage", left), method("tree/disk", right));
            assert_eq!(wanted.is_met_by(&found), expected, "{left} by {right}");
        };
        check("Save()", "func (d *Disk) Save()", true);
        check("Save()", "func (d *Disk) Save() error", false);
        check("Save(a, b int) error", "func (Disk) Save(int, int) error", true);
        check("Save(a, b int) error", "func (Disk) Save(a int) error", false);
        check("Save(a int, b string)", "func (Disk) Save(string, int)", false);
        check("Save(l labels.Labels)", "func (*Disk) Save(labels.Labels)", true);
        check(
            "Save(r *Ref) (Ref, error)",
            "func (*Disk) Save(r *storage.Ref) (n storage.Ref, err error)",
            true,
        );
        check("Save(r *Ref)", "func (*Disk) Save(r *Ref)", false);
        check("Save(f func(a, b int) byte)", "func (*Disk) Save(f func(int, int) uint8)", true);
        check("Save(f func(a, b int))", "func (*Disk) Save(f func(int))", false);
        check("Save(m map[string]interface{})", "func (*Disk) Save(map[string]any)", true);
        check("Save(c chan int)", "func (*Disk) Save(chan int)", true);
        check("Save(all ...Ref)", "func (*Disk) Save(all ...storage.Ref)", true);
        check("Save(all ...Ref)", "func (*Disk) Save(all []storage.Ref)", false);
        check("Save(k string)", "func (d *Disk[K, V]) Save(k K)", true);
        check("Save(k kit.Kit)", "func (d *Disk) Save(k kit.Kit)", true);
        check("Save(k other.Kit)", "func (d *Disk) Save(k another.Kit)", true);
        check(
            "Save(a int, b string, c Re",
            "func (Disk) Save(a int, b string, c bool) error",
            true,
        );
        check("Save(a int, b string, c Re", "func (Disk) Save(a int, b int, c bool) error", false);
    }

    #[test]
    fn a_method_of_a_library_names_packages() {
        let wanted = Method::of_library("Save(w storage.Writer, p []byte) (n int, err error)");
        assert!(wanted.is_met_by(&method("a", "Save(w storage.Writer, p []byte) (int, error)")));
        assert!(!wanted.is_met_by(&method("a", "Save(w Writer, p []byte) (int, error)")));
    }
}
