//! Visibility of definitions: the rules of the languages.

use lore_schema::{SymbolKind, Visibility};

use crate::outline::is_function;

/// Input of a rule.
pub(crate) struct Declaration<'t> {
    /// The bare name.
    pub(crate) name: &'t str,
    /// Its kind.
    pub(crate) kind: SymbolKind,
    /// The text of the declaration before the name.
    pub(crate) modifiers: &'t str,
    /// The text directly above: attributes and comments.
    pub(crate) leading: &'t str,
    /// The definition that encloses it.
    pub(crate) container: Option<Container<'t>>,
    /// The visibility set by an access marker before it in the same type.
    pub(crate) access: Option<Visibility>,
    /// True if the definition names the type that it belongs to, and is outside of it.
    pub(crate) has_receiver: bool,
    /// True if the file exports the name in a list.
    pub(crate) exported: bool,
    /// True if the file exports anything.
    pub(crate) file_exports: bool,
}

/// The enclosing definition.
pub(crate) struct Container<'t> {
    /// Its kind.
    pub(crate) kind: SymbolKind,
    /// Its visibility.
    pub(crate) visibility: Visibility,
    /// Its declaration.
    pub(crate) signature: &'t str,
}

/// The rule of a language.
pub(crate) type Rule = fn(&Declaration<'_>) -> Visibility;

impl Declaration<'_> {
    /// Applies a rule. Definitions inside a function are private in every language.
    pub(crate) fn visibility(&self, rule: Rule) -> Visibility {
        match &self.container {
            Some(container) if is_function(container.kind) => Visibility::Private,
            _ => rule(self),
        }
    }

    fn has_modifier(&self, words: &[&str]) -> bool {
        self.modifiers
            .split(|letter: char| !letter.is_alphanumeric() && letter != '_' && letter != '#')
            .any(|word| words.contains(&word))
    }

    fn is_inside(&self, kind: SymbolKind) -> bool {
        self.container.as_ref().is_some_and(|container| container.kind == kind)
    }

    fn container_visibility(&self) -> Option<Visibility> {
        self.container.as_ref().map(|container| container.visibility)
    }
}

fn public_if(public: bool) -> Visibility {
    if public { Visibility::Public } else { Visibility::Private }
}

/// `pub` with any scope except `pub(self)`; `#[macro_export]`. Members of a trait are as public as
/// the trait.
pub(crate) fn rust(declaration: &Declaration<'_>) -> Visibility {
    match declaration.kind {
        SymbolKind::Impl => return Visibility::Unknown,
        SymbolKind::Macro => return public_if(declaration.leading.contains("#[macro_export")),
        _ => {}
    }
    match &declaration.container {
        Some(container) if container.kind == SymbolKind::Interface => container.visibility,
        Some(container)
            if container.kind == SymbolKind::Impl && container.signature.contains(" for ") =>
        {
            Visibility::Public
        }
        _ => public_if(
            declaration.has_modifier(&["pub"]) && !declaration.modifiers.starts_with("pub(self)"),
        ),
    }
}

/// One leading underscore is private; two on both sides are reserved by the language.
pub(crate) fn python(declaration: &Declaration<'_>) -> Visibility {
    let name = declaration.name;
    public_if(!name.starts_with('_') || (name.starts_with("__") && name.ends_with("__")))
}

/// An upper-case first letter.
pub(crate) fn go(declaration: &Declaration<'_>) -> Visibility {
    public_if(declaration.name.starts_with(char::is_uppercase))
}

/// `public`; members of an interface are public unless declared otherwise.
pub(crate) fn java(declaration: &Declaration<'_>) -> Visibility {
    if declaration.is_inside(SymbolKind::Interface) {
        return public_if(!declaration.has_modifier(&["private"]));
    }
    public_if(declaration.has_modifier(&["public"]))
}

/// `static` is private to its file.
pub(crate) fn c(declaration: &Declaration<'_>) -> Visibility {
    public_if(!declaration.has_modifier(&["static"]))
}

/// The access marker before it, otherwise private in a class and public elsewhere; `static` outside
/// of types is private to its file. The visibility of a member defined outside of its type is
/// declared in the type only.
pub(crate) fn cpp(declaration: &Declaration<'_>) -> Visibility {
    match &declaration.container {
        Some(container) if container.kind.is_type() => {
            declaration.access.unwrap_or_else(|| public_if(container.kind != SymbolKind::Class))
        }
        _ if declaration.has_receiver => Visibility::Unknown,
        _ => c(declaration),
    }
}

/// `export`, by itself or in a list. Members are public unless declared otherwise. In a file that
/// exports nothing, the visibility is unknown: it may be a script, or an older kind of module. The
/// same holds for properties, which depend on the object.
pub(crate) fn javascript(declaration: &Declaration<'_>) -> Visibility {
    if declaration.container.as_ref().is_some_and(|container| container.kind.is_type()) {
        let private = declaration.name.starts_with('#')
            || declaration.has_modifier(&["private", "protected"]);
        return if private {
            Visibility::Private
        } else {
            declaration.container_visibility().unwrap_or_default()
        };
    }
    if declaration.exported || declaration.has_modifier(&["export", "exports"]) {
        Visibility::Public
    } else if declaration.file_exports && declaration.kind != SymbolKind::Method {
        Visibility::Private
    } else {
        Visibility::Unknown
    }
}

/// The language has no rule.
pub(crate) fn unknown(_: &Declaration<'_>) -> Visibility {
    Visibility::Unknown
}

/// `private`, `protected` and the like are private; everything else is public.
pub(crate) fn public_by_default(declaration: &Declaration<'_>) -> Visibility {
    match declaration.kind {
        SymbolKind::Impl => Visibility::Unknown,
        _ => public_if(!declaration.has_modifier(&["private", "protected", "internal"])),
    }
}

/// One leading underscore is private.
pub(crate) fn underscore(declaration: &Declaration<'_>) -> Visibility {
    public_if(!declaration.name.starts_with('_'))
}

/// `pub`.
pub(crate) fn pub_keyword(declaration: &Declaration<'_>) -> Visibility {
    public_if(declaration.has_modifier(&["pub", "export"]))
}

/// A file with a list of exports exports those; a file without a list exports everything. Members
/// are as public as their type, even if the list names them separately.
pub(crate) fn exported_list(declaration: &Declaration<'_>) -> Visibility {
    match &declaration.container {
        _ if declaration.kind == SymbolKind::Impl || declaration.has_receiver => {
            return Visibility::Unknown;
        }
        _ if declaration.kind == SymbolKind::Module => return Visibility::Public,
        Some(container) if container.kind == SymbolKind::Impl => return Visibility::Public,
        Some(container) if container.kind.is_type() && !declaration.exported => {
            return container.visibility;
        }
        _ => {}
    }
    let listed = declaration.exported || !declaration.file_exports;
    public_if(listed || declaration.has_modifier(&["callback"]))
}

/// `public`; members of an interface are as public as it is, and those of an enumeration as the
/// enumeration.
pub(crate) fn csharp(declaration: &Declaration<'_>) -> Visibility {
    if declaration.is_inside(SymbolKind::Interface) {
        return declaration.container_visibility().unwrap_or_default();
    }
    match declaration.kind {
        SymbolKind::Module => Visibility::Public,
        _ => public_if(declaration.has_modifier(&["public"])),
    }
}

/// `public` and `open`; members of a protocol are as public as the protocol, and those of a public
/// extension are public, unless declared otherwise.
pub(crate) fn swift(declaration: &Declaration<'_>) -> Visibility {
    if declaration.is_inside(SymbolKind::Interface) {
        return declaration.container_visibility().unwrap_or_default();
    }
    if declaration.is_inside(SymbolKind::Impl)
        && declaration.container_visibility() == Some(Visibility::Public)
    {
        return public_if(!declaration.has_modifier(&["private", "fileprivate", "internal"]));
    }
    match declaration.kind {
        SymbolKind::Impl if !declaration.has_modifier(&["public", "open"]) => Visibility::Unknown,
        _ => public_if(declaration.has_modifier(&["public", "open"])),
    }
}

/// The word before it, otherwise the access marker before it; without one, public.
pub(crate) fn ruby(declaration: &Declaration<'_>) -> Visibility {
    if declaration.has_modifier(&["private", "protected", "private_class_method"]) {
        return Visibility::Private;
    }
    declaration.access.unwrap_or(Visibility::Public)
}

/// `local` is private unless the file returns it, and so is a leading underscore. The visibility of
/// a member of a table that is not returned depends on the tables.
pub(crate) fn lua(declaration: &Declaration<'_>) -> Visibility {
    if declaration.has_receiver && declaration.file_exports && !declaration.exported {
        return Visibility::Unknown;
    }
    let hidden = declaration.has_modifier(&["local"]) || declaration.name.starts_with('_');
    public_if(!hidden || declaration.exported)
}

/// `my` and a leading underscore are private.
pub(crate) fn perl(declaration: &Declaration<'_>) -> Visibility {
    public_if(!declaration.has_modifier(&["my"]) && !declaration.name.starts_with('_'))
}

/// Set by lists of members; elsewhere a leading dot is private, and `@export` above is public.
pub(crate) fn r(declaration: &Declaration<'_>) -> Visibility {
    match declaration.access {
        Some(access) => access,
        None if declaration.name.starts_with('.') => Visibility::Private,
        None if declaration.leading.contains("@export") => Visibility::Public,
        None => Visibility::Unknown,
    }
}

/// `private` methods; the interface file that may hide names is another file.
pub(crate) fn ocaml(declaration: &Declaration<'_>) -> Visibility {
    if declaration.is_inside(SymbolKind::Class) {
        return public_if(!declaration.has_modifier(&["private"]));
    }
    if declaration.is_inside(SymbolKind::Interface) {
        return Visibility::Public;
    }
    Visibility::Unknown
}

/// `defp`, `defmacrop`, `defguardp` are private. Attributes are private to the module.
pub(crate) fn elixir(declaration: &Declaration<'_>) -> Visibility {
    match declaration.kind {
        SymbolKind::Const => return Visibility::Private,
        SymbolKind::Impl => return Visibility::Unknown,
        _ => {}
    }
    public_if(!declaration.has_modifier(&["defp", "defmacrop", "defguardp", "typep"]))
}

/// `defn-` is private, and so is `^:private`.
pub(crate) fn clojure(declaration: &Declaration<'_>) -> Visibility {
    let modifiers = declaration.modifiers;
    public_if(!modifiers.contains("defn-") && !modifiers.contains(":private"))
}
