//! Grammars with their queries, compiled with the first file of a language.

use std::{fmt, sync::OnceLock};

use lore_schema::{ConformanceKind, ReferenceKind, SymbolKind};
use tree_sitter::{Language, Query};
use tree_sitter_language::LanguageFn;

use crate::{finder::shapes::Shape, imports::Style, scanners, visibility::Rule};

/// The grammar part of a language's row.
pub(crate) struct Grammar {
    language: LanguageFn,
    /// Query sources, joined: the specific part first, then the part shared by related languages.
    /// If two patterns match one name, the first counts.
    queries: &'static [&'static str],
    /// Rule for the visibility of a definition.
    pub(crate) visibility: Rule,
    /// Syntax of imports.
    pub(crate) imports: Style,
    /// Shapes of definitions in a text that the parser gives up on.
    pub(crate) shapes: &'static [Shape],
    /// Words that name nothing and cause parse errors; the parser tries again without them.
    pub(crate) skipped_words: &'static [&'static str],
    /// Check that the grammar's own scanner can process a text.
    pub(crate) accepts: fn(&str) -> bool,
    compiled: OnceLock<Option<Compiled>>,
    keywords: OnceLock<Vec<String>>,
}

/// A query that is ready to run.
pub(crate) struct Compiled {
    /// The query.
    pub(crate) query: Query,
    /// Role of each capture of the query, by capture index.
    pub(crate) roles: Vec<Role>,
}

/// Role of a capture, with its name in the query files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// `@definition.KIND`: a whole definition.
    Definition(SymbolKind),
    /// `@key`: the definition is a key of data, which only counts in objects with few keys.
    Key,
    /// `@name`: the name of the definition in the same match.
    Name,
    /// `@clause`: the definition continues the preceding one of the same name, if that is a clause
    /// as well and only comments and attributes are between them.
    Clause,
    /// `@body`: the end of the declaration, if the node has no field `body`.
    Body,
    /// `@receiver`: the type of a definition that is outside of the type.
    Receiver,
    /// `@comment`.
    Comment,
    /// `@doc`: a documentation string inside the definition that it describes.
    Doc,
    /// `@attribute`: an attribute, annotation or decorator.
    Attribute,
    /// `@wrapper`: a node that only adds to the definition captured as `@wrapped` inside it.
    Wrapper,
    /// `@wrapped`.
    Wrapped,
    /// `@embedded`: text in delimiters that the grammar returns as tokens; it is parsed again.
    Embedded,
    /// `@exported`: a name that the file exports.
    Exported,
    /// `@access`: a marker that makes the following members of the same type public or private.
    Access,
    /// `@head`: a declaration without a body; the next definition of the same name continues it.
    Head,
    /// `@reference.call`, `@reference.type`: a use of a name. Names of definitions do not count.
    /// `@reference.implementation`: a type that code without a name implements. The name may have
    /// another use at the same place.
    Reference(ReferenceKind),
    /// `@reference.token`: a call in text that the grammar returns as tokens only.
    Token,
    /// `@reference.none`: a name that other patterns capture as a use, and that is none.
    NoReference,
    /// `@qualifier`: the qualifier of the name that the same match refers to; several of them are
    /// joined with the text between them.
    Qualifier,
    /// `@reference.extends`, `@reference.implements`: a supertype of the innermost enclosing
    /// definition. `@reference.derives`: a supertype of the next definition.
    Conformance(ConformanceKind),
    /// `@import`: a whole import statement.
    Import,
    /// `@variable`: a name whose type the same match captures in one of three ways.
    Variable,
    /// `@variable.field`: the same, and a field of the enclosing type although it is inside a
    /// function.
    VariableField,
    /// `@variable.type`: the type.
    VariableType,
    /// `@variable.like`: another variable of the same type.
    VariableLike,
    /// `@variable.value`: an expression whose value the variable gets.
    VariableValue,
    /// `@type.parameter`: a type parameter of the enclosing definition.
    TypeParameter,
    /// Any other name: for the query's own predicates.
    Unused,
}

impl Grammar {
    /// Creates a row. The query is compiled when it is first needed.
    pub(crate) const fn new(
        language: LanguageFn,
        queries: &'static [&'static str],
        visibility: Rule,
        imports: Style,
        shapes: &'static [Shape],
    ) -> Grammar {
        Grammar {
            language,
            queries,
            visibility,
            imports,
            shapes,
            skipped_words: &[],
            accepts: scanners::accepts_all,
            compiled: OnceLock::new(),
            keywords: OnceLock::new(),
        }
    }

    /// Adds words that are blanked out where they cause parse errors.
    pub(crate) const fn skipping(mut self, words: &'static [&'static str]) -> Grammar {
        self.skipped_words = words;
        self
    }

    /// Adds a check for texts that the grammar's scanner cannot process.
    pub(crate) const fn accepting(mut self, accepts: fn(&str) -> bool) -> Grammar {
        self.accepts = accepts;
        self
    }

    /// The grammar itself.
    pub(crate) fn language(&self) -> Language {
        Language::from(self.language)
    }

    /// The compiled query; `None` if it does not fit the grammar, which a test rules out.
    pub(crate) fn compiled(&self) -> Option<&Compiled> {
        self.compiled.get_or_init(|| self.compile().ok()).as_ref()
    }

    /// Returns true if the query was compiled, or could not be.
    pub(crate) fn is_compiled(&self) -> bool {
        self.compiled.get().is_some()
    }

    /// The tokens of the grammar that are words, sorted.
    pub(crate) fn keywords(&self) -> &[String] {
        self.keywords.get_or_init(|| {
            let grammar = self.language();
            let ids = (0..grammar.node_kind_count()).filter_map(|id| u16::try_from(id).ok());
            let mut words: Vec<String> = ids
                .filter(|id| grammar.node_kind_is_visible(*id))
                .filter_map(|id| {
                    let kind = grammar.node_kind_for_id(id)?;
                    // The grammar of SQL has a rule for each word.
                    if grammar.node_kind_is_named(id) {
                        kind.strip_prefix("keyword_")
                    } else {
                        Some(kind)
                    }
                })
                .filter(|token| {
                    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
                    token.len() > 1
                        && token.starts_with(|first: char| first.is_ascii_alphabetic())
                        && token.chars().all(is_part)
                })
                .map(str::to_owned)
                .collect();
            words.sort_unstable();
            words.dedup();
            words
        })
    }

    fn compile(&self) -> Result<Compiled, String> {
        let query = Query::new(&self.language(), &self.queries.concat())
            .map_err(|error| error.to_string())?;
        let roles =
            query.capture_names().iter().map(|name| role(name)).collect::<Result<_, _>>()?;
        Ok(Compiled { query, roles })
    }
}

impl fmt::Debug for Grammar {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Grammar").finish_non_exhaustive()
    }
}

/// The role of a capture name.
fn role(name: &str) -> Result<Role, String> {
    if let Some(kind) = name.strip_prefix("definition.") {
        return symbol_kind(kind)
            .map(Role::Definition)
            .ok_or_else(|| format!("unknown kind of definition: {kind}"));
    }
    Ok(match name {
        "key" => Role::Key,
        "name" => Role::Name,
        "clause" => Role::Clause,
        "head" => Role::Head,
        "body" => Role::Body,
        "receiver" => Role::Receiver,
        "comment" => Role::Comment,
        "doc" => Role::Doc,
        "attribute" => Role::Attribute,
        "wrapper" => Role::Wrapper,
        "wrapped" => Role::Wrapped,
        "embedded" => Role::Embedded,
        "exported" => Role::Exported,
        "access" => Role::Access,
        "reference.call" => Role::Reference(ReferenceKind::Call),
        "reference.implementation" => Role::Reference(ReferenceKind::Implementation),
        "reference.type" => Role::Reference(ReferenceKind::Type),
        "reference.none" => Role::NoReference,
        "reference.token" => Role::Token,
        "reference.derives" => Role::Conformance(ConformanceKind::Derives),
        "reference.extends" => Role::Conformance(ConformanceKind::Extends),
        "reference.implements" => Role::Conformance(ConformanceKind::Implements),
        "qualifier" => Role::Qualifier,
        "import" => Role::Import,
        "type.parameter" => Role::TypeParameter,
        "variable" => Role::Variable,
        "variable.field" => Role::VariableField,
        "variable.type" => Role::VariableType,
        "variable.like" => Role::VariableLike,
        "variable.value" => Role::VariableValue,
        _ if name.starts_with('_') => Role::Unused,
        _ => return Err(format!("unknown capture: {name}")),
    })
}

/// The symbol kind for the second half of a capture name, in the vocabulary of tags queries.
fn symbol_kind(name: &str) -> Option<SymbolKind> {
    Some(match name {
        "class" => SymbolKind::Class,
        "constant" => SymbolKind::Const,
        "enum" => SymbolKind::Enum,
        "field" => SymbolKind::Field,
        "function" => SymbolKind::Function,
        "impl" => SymbolKind::Impl,
        "interface" => SymbolKind::Interface,
        "macro" => SymbolKind::Macro,
        "method" => SymbolKind::Method,
        "module" => SymbolKind::Module,
        "struct" => SymbolKind::Struct,
        "type" => SymbolKind::Type,
        "variable" => SymbolKind::Variable,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use crate::{LANGUAGES, language::Structure};

    #[test]
    fn every_query_compiles() {
        for language in LANGUAGES {
            if let Structure::Grammar(grammar) = language.structure {
                let compiled = grammar.compile();
                assert!(compiled.is_ok(), "{}: {:?}", language.name, compiled.err());
            }
        }
    }
}
