//! Grammars with their queries, compiled when a language's first file comes.

use std::{fmt, sync::OnceLock};

use lore_schema::SymbolKind;
use tree_sitter::{Language, Query};
use tree_sitter_language::LanguageFn;

use crate::visibility::Rule;

/// What a language's row says about its grammar.
pub(crate) struct Grammar {
    language: LanguageFn,
    /// Query sources, joined: what is special, then what related languages share. Of two patterns
    /// for one name the first counts.
    queries: &'static [&'static str],
    /// Who may use a definition.
    pub(crate) visibility: Rule,
    compiled: OnceLock<Option<Compiled>>,
}

/// A query that is ready to run.
pub(crate) struct Compiled {
    /// The grammar.
    pub(crate) language: Language,
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
    /// `@name`: the name of the definition in the same match.
    Name,
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
    /// Any other name: for the query's own predicates.
    Unused,
}

impl Grammar {
    /// A row. The query is compiled when it is first needed.
    pub(crate) const fn new(
        language: LanguageFn,
        queries: &'static [&'static str],
        visibility: Rule,
    ) -> Grammar {
        Grammar { language, queries, visibility, compiled: OnceLock::new() }
    }

    /// The compiled query; nothing if it is at odds with the grammar, which a test rules out.
    pub(crate) fn compiled(&self) -> Option<&Compiled> {
        self.compiled.get_or_init(|| self.compile().ok()).as_ref()
    }

    fn compile(&self) -> Result<Compiled, String> {
        let language = Language::from(self.language);
        let query =
            Query::new(&language, &self.queries.concat()).map_err(|error| error.to_string())?;
        let roles =
            query.capture_names().iter().map(|name| role(name)).collect::<Result<_, _>>()?;
        Ok(Compiled { language, query, roles })
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
        "name" => Role::Name,
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
