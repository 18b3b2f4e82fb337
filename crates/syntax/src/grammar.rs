//! Grammars with their queries, compiled when a language's first file comes.

use std::{fmt, sync::OnceLock};

use lore_schema::{ConformanceKind, ReferenceKind, SymbolKind};
use tree_sitter::{Language, Query};
use tree_sitter_language::LanguageFn;

use crate::{finder::Shape, imports::Style, scanners, visibility::Rule};

/// What a language's row says about its grammar.
pub(crate) struct Grammar {
    language: LanguageFn,
    /// Query sources, joined: what is special, then what related languages share. Of two patterns
    /// for one name the first counts.
    queries: &'static [&'static str],
    /// Who may use a definition.
    pub(crate) visibility: Rule,
    /// How imports are written.
    pub(crate) imports: Style,
    /// Definitions in a text that the parser gives up.
    pub(crate) shapes: &'static [Shape],
    /// Words that name nothing and that the parser trips over: it tries again without them.
    pub(crate) stumbling_words: &'static [&'static str],
    /// Whether the grammar's own scanner can take a text.
    pub(crate) takes: fn(&str) -> bool,
    compiled: OnceLock<Option<Compiled>>,
}

/// A query that is ready to run.
pub(crate) struct Compiled {
    /// The query.
    pub(crate) query: Query,
    /// What each capture of the query stands for, by capture index.
    pub(crate) roles: Vec<Role>,
}

/// What a capture stands for. The names in the query files are given with each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// `@definition.KIND`: a whole definition.
    Definition(SymbolKind),
    /// `@key`: the definition is a key of data, which only counts where there are not too many.
    Key,
    /// `@name`: the name of the definition in the same match.
    Name,
    /// `@clause`: the definition goes on with what the one before it of the same name began, if
    /// that is a clause as well and nothing but remarks and attributes lie between them.
    Clause,
    /// `@body`: where its declaration ends, if the node has no field `body`.
    Body,
    /// `@receiver`: the type that it belongs to without being inside of it.
    Receiver,
    /// `@comment`.
    Comment,
    /// `@doc`: a documentation string inside the definition that it describes.
    Doc,
    /// `@attribute`: an attribute, annotation or decorator.
    Attribute,
    /// `@wrapper`: a node that only adds to the definition captured as `@wrapped` inside of it.
    Wrapper,
    /// `@wrapped`.
    Wrapped,
    /// `@embedded`: text in delimiters that the grammar leaves as tokens, parsed again.
    Embedded,
    /// `@exported`: a name that the file makes public.
    Exported,
    /// `@access`: what follows it in the same type is public or private.
    Access,
    /// `@reference.call`, `@reference.type`: a name that is used. Names of definitions do not count.
    Reference(ReferenceKind),
    /// `@reference.token`: a name that is called in text of which the grammar sees only tokens.
    Token,
    /// `@reference.none`: a name that other patterns take for one that is used, and that is none.
    NoReference,
    /// `@qualifier`: what stands before the name that the same match refers to; of several, all that
    /// lies between.
    Qualifier,
    /// `@reference.extends`, `@reference.implements`: what the innermost definition around says that
    /// it is. `@reference.derives`: what the next definition does.
    Conformance(ConformanceKind),
    /// `@import`: a whole statement that takes names from elsewhere.
    Import,
    /// `@variable`: a name whose type the same match captures in one of three ways.
    Variable,
    /// `@variable.field`: the same, and a field of the type around although it stands in a function.
    VariableField,
    /// `@variable.type`: the type.
    VariableType,
    /// `@variable.like`: another variable of the same type.
    VariableLike,
    /// `@variable.maker`: a function that is named after its type: `NewStore`.
    VariableMaker,
    /// `@type.parameter`: a name that stands for some type in the definition around.
    TypeParameter,
    /// Any other name: for the query's own predicates.
    Unused,
}

impl Grammar {
    /// A row. The query is compiled when it is first needed.
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
            stumbling_words: &[],
            takes: scanners::takes_all,
            compiled: OnceLock::new(),
        }
    }

    /// The row with words that are left out where the parser trips over them.
    pub(crate) const fn stumbling_over(mut self, words: &'static [&'static str]) -> Grammar {
        self.stumbling_words = words;
        self
    }

    /// The row with a check of texts that its scanner cannot take.
    pub(crate) const fn taking(mut self, takes: fn(&str) -> bool) -> Grammar {
        self.takes = takes;
        self
    }

    /// The grammar itself.
    pub(crate) fn language(&self) -> Language {
        Language::from(self.language)
    }

    /// The compiled query; nothing if it is at odds with the grammar, which a test rules out.
    pub(crate) fn compiled(&self) -> Option<&Compiled> {
        self.compiled.get_or_init(|| self.compile().ok()).as_ref()
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

/// What a capture name stands for.
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
        "variable.maker" => Role::VariableMaker,
        _ if name.starts_with('_') => Role::Unused,
        _ => return Err(format!("unknown capture: {name}")),
    })
}

/// The kind for the second half of a capture name, in the words of tags queries.
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
