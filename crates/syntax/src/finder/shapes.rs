//! Shapes of definitions, by language.

use lore_schema::SymbolKind::{
    self, Class, Enum, Function, Impl, Interface, Macro, Method, Module, Struct, Type, Variable,
};

use Shape::{Keyword, TopKeyword};

/// A way to write a definition on one line.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Shape {
    /// `keyword Name`, after any modifiers.
    Keyword(&'static str, SymbolKind),
    /// `keyword Name` at the beginning of a line only.
    TopKeyword(&'static str, SymbolKind),
    /// `name = function(` and `name <- function(`.
    AssignedFunction,
    /// `const Name = struct {`.
    AssignedType,
    /// `kind "label" "name" {`.
    Block,
    /// `name(arguments) ->` at the beginning of a line.
    Clause,
    /// `CREATE TABLE name`, case-insensitive.
    Create,
    /// `modifiers Type name(`.
    ModifiedMethod,
    /// `- (Type)name:`.
    SelectorMethod,
    /// `name() {`.
    ShellFunction,
    /// `name:` at the beginning of a line.
    Target,
    /// `name :: Type` at the beginning of a line.
    TypeSignature,
}

/// Shapes that most languages share, for a text that the parser gave up on.
pub(crate) const ANY_LANGUAGE: &[Shape] = &[
    Keyword("class", Class),
    Keyword("interface", Interface),
    Keyword("trait", Interface),
    Keyword("struct", Struct),
    Keyword("enum", Enum),
    Keyword("impl", Impl),
    Keyword("namespace", Module),
    Keyword("fn", Function),
    Keyword("func", Function),
    Keyword("def", Function),
    Keyword("function", Function),
];

pub(crate) const SHELL: &[Shape] = &[Shape::ShellFunction, Keyword("function", Function)];
pub(crate) const LISP: &[Shape] = &[
    Keyword("(defn", Function),
    Keyword("(defn-", Function),
    Keyword("(defun", Function),
    Keyword("(define", Function),
    Keyword("(defmacro", Macro),
    Keyword("(define-syntax", Macro),
    Keyword("(defmulti", Function),
    Keyword("(defprotocol", Interface),
    Keyword("(defrecord", Struct),
    Keyword("(deftype", Struct),
    Keyword("(def", Variable),
    Keyword("(ns", Module),
];
pub(crate) const RUBY: &[Shape] = &[
    Keyword("class", Class),
    Keyword("module", Module),
    Keyword("def", Function),
    Keyword("struct", Struct),
];
pub(crate) const CSHARP: &[Shape] = &[
    Keyword("class", Class),
    Keyword("interface", Interface),
    Keyword("struct", Struct),
    Keyword("record", Class),
    Keyword("enum", Enum),
    Keyword("namespace", Module),
    Keyword("delegate", Type),
    Shape::ModifiedMethod,
];
pub(crate) const DART: &[Shape] = &[
    Keyword("class", Class),
    Keyword("mixin", Interface),
    Keyword("extension", Impl),
    Keyword("enum", Enum),
    Keyword("typedef", Type),
    Shape::ModifiedMethod,
];
pub(crate) const ELIXIR: &[Shape] = &[
    Keyword("defmodule", Module),
    Keyword("defprotocol", Interface),
    Keyword("defimpl", Impl),
    Keyword("def", Function),
    Keyword("defp", Function),
    Keyword("defmacro", Macro),
    Keyword("defmacrop", Macro),
    Keyword("defguard", Macro),
    Keyword("defdelegate", Function),
];
pub(crate) const ELM: &[Shape] = &[
    TopKeyword("module", Module),
    TopKeyword("type", Type),
    TopKeyword("alias", Type),
    Shape::TypeSignature,
];
pub(crate) const ERLANG: &[Shape] = &[Shape::Clause];
pub(crate) const FSHARP: &[Shape] = &[
    Keyword("module", Module),
    Keyword("namespace", Module),
    Keyword("type", Type),
    TopKeyword("let", Function),
    Keyword("member", Method),
];
pub(crate) const GRAPHQL: &[Shape] = &[
    Keyword("type", Type),
    Keyword("interface", Interface),
    Keyword("enum", Enum),
    Keyword("input", Type),
    Keyword("union", Type),
    Keyword("scalar", Type),
    Keyword("directive", Function),
];
pub(crate) const GROOVY: &[Shape] = &[
    Keyword("class", Class),
    Keyword("interface", Interface),
    Keyword("enum", Enum),
    Keyword("trait", Interface),
    Keyword("def", Function),
    Keyword("task", Function),
    Shape::ModifiedMethod,
];
pub(crate) const HASKELL: &[Shape] = &[
    TopKeyword("module", Module),
    TopKeyword("data", Type),
    TopKeyword("newtype", Type),
    TopKeyword("type", Type),
    TopKeyword("class", Interface),
    Shape::TypeSignature,
];
pub(crate) const HCL: &[Shape] = &[Shape::Block];
pub(crate) const JULIA: &[Shape] = &[
    Keyword("function", Function),
    Keyword("macro", Macro),
    Keyword("struct", Struct),
    Keyword("module", Module),
    Keyword("type", Type),
];
pub(crate) const KOTLIN: &[Shape] = &[
    Keyword("fun", Function),
    Keyword("class", Class),
    Keyword("object", Class),
    Keyword("interface", Interface),
    Keyword("enum", Enum),
    Keyword("typealias", Type),
];
pub(crate) const LUA: &[Shape] = &[Keyword("function", Function), Shape::AssignedFunction];
pub(crate) const MAKE: &[Shape] = &[Shape::Target];
pub(crate) const NIM: &[Shape] = &[
    Keyword("proc", Function),
    Keyword("func", Function),
    Keyword("method", Method),
    Keyword("template", Macro),
    Keyword("macro", Macro),
    Keyword("iterator", Function),
];
pub(crate) const OBJECTIVE_C: &[Shape] = &[
    Keyword("@interface", Class),
    Keyword("@implementation", Impl),
    Keyword("@protocol", Interface),
    Shape::SelectorMethod,
];
pub(crate) const OCAML: &[Shape] = &[
    TopKeyword("let", Function),
    TopKeyword("rec", Function),
    Keyword("val", Function),
    Keyword("module", Module),
    Keyword("type", Type),
    Keyword("class", Class),
    Keyword("external", Function),
];
pub(crate) const PERL: &[Shape] = &[Keyword("sub", Function), Keyword("package", Module)];
pub(crate) const PHP: &[Shape] = &[
    Keyword("function", Function),
    Keyword("class", Class),
    Keyword("interface", Interface),
    Keyword("trait", Interface),
    Keyword("enum", Enum),
    TopKeyword("namespace", Module),
];
pub(crate) const POWERSHELL: &[Shape] = &[
    Keyword("function", Function),
    Keyword("class", Class),
    Keyword("enum", Enum),
    Keyword("filter", Function),
];
pub(crate) const PRISMA: &[Shape] =
    &[Keyword("model", Struct), Keyword("enum", Enum), Keyword("type", Type)];
pub(crate) const PROTOBUF: &[Shape] = &[
    Keyword("message", Struct),
    Keyword("service", Interface),
    Keyword("rpc", Method),
    Keyword("enum", Enum),
];
pub(crate) const R: &[Shape] = &[Shape::AssignedFunction];
pub(crate) const SCALA: &[Shape] = &[
    Keyword("class", Class),
    Keyword("object", Class),
    Keyword("trait", Interface),
    Keyword("enum", Enum),
    Keyword("def", Function),
    Keyword("type", Type),
];
pub(crate) const SCRIPT: &[Shape] = &[
    Keyword("function", Function),
    Keyword("class", Class),
    Keyword("interface", Interface),
    Keyword("type", Type),
];
pub(crate) const SOLIDITY: &[Shape] = &[
    Keyword("contract", Class),
    Keyword("interface", Interface),
    Keyword("library", Module),
    Keyword("function", Function),
    Keyword("modifier", Function),
    Keyword("event", Type),
    Keyword("struct", Struct),
    Keyword("enum", Enum),
];
pub(crate) const SQL: &[Shape] = &[Shape::Create];
pub(crate) const SWIFT: &[Shape] = &[
    Keyword("func", Function),
    Keyword("class", Class),
    Keyword("struct", Struct),
    Keyword("enum", Enum),
    Keyword("protocol", Interface),
    Keyword("extension", Impl),
    Keyword("actor", Class),
    Keyword("typealias", Type),
];
pub(crate) const THRIFT: &[Shape] = &[
    Keyword("struct", Struct),
    Keyword("exception", Struct),
    Keyword("service", Interface),
    Keyword("enum", Enum),
    Keyword("typedef", Type),
];
pub(crate) const VIM: &[Shape] = &[
    Keyword("function!", Function),
    Keyword("function", Function),
    Keyword("func!", Function),
    Keyword("func", Function),
];
pub(crate) const ZIG: &[Shape] = &[Keyword("fn", Function), Shape::AssignedType];
