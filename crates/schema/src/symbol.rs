//! Symbols: the names that a text defines.

/// The kind of a definition. Each language maps its own kinds onto these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SymbolKind {
    /// A class, also a Scala or Kotlin object.
    Class,
    /// A constant or static value.
    Const,
    /// An enumeration.
    Enum,
    /// A field or property.
    Field,
    /// A free function.
    Function,
    /// An `impl` or extension block of a type that is defined elsewhere.
    Impl,
    /// An interface, trait or protocol.
    Interface,
    /// A macro.
    Macro,
    /// A function that belongs to a type.
    Method,
    /// A module, namespace or package.
    Module,
    /// A record of fields.
    Struct,
    /// A type alias or another named type.
    Type,
    /// A variable.
    Variable,
}

impl SymbolKind {
    /// All kinds, sorted by name.
    pub const ALL: &'static [SymbolKind] = &[
        SymbolKind::Class,
        SymbolKind::Const,
        SymbolKind::Enum,
        SymbolKind::Field,
        SymbolKind::Function,
        SymbolKind::Impl,
        SymbolKind::Interface,
        SymbolKind::Macro,
        SymbolKind::Method,
        SymbolKind::Module,
        SymbolKind::Struct,
        SymbolKind::Type,
        SymbolKind::Variable,
    ];

    /// The name that users type and that is shown to them.
    pub fn as_str(self) -> &'static str {
        match self {
            SymbolKind::Class => "class",
            SymbolKind::Const => "const",
            SymbolKind::Enum => "enum",
            SymbolKind::Field => "field",
            SymbolKind::Function => "function",
            SymbolKind::Impl => "impl",
            SymbolKind::Interface => "interface",
            SymbolKind::Macro => "macro",
            SymbolKind::Method => "method",
            SymbolKind::Module => "module",
            SymbolKind::Struct => "struct",
            SymbolKind::Type => "type",
            SymbolKind::Variable => "variable",
        }
    }

    /// Returns the kind with this name, if there is one.
    pub fn from_name(name: &str) -> Option<SymbolKind> {
        SymbolKind::ALL.iter().copied().find(|kind| kind.as_str() == name)
    }

    /// Returns the name of the kind for a keyword of any language: `interface` for `trait`,
    /// `function` for `fn`. `None` for other words.
    pub fn of_word(word: &str) -> Option<&'static str> {
        let kind = match word {
            "constant" => SymbolKind::Const,
            "def" | "fn" | "func" => SymbolKind::Function,
            "mod" | "namespace" => SymbolKind::Module,
            "protocol" | "trait" => SymbolKind::Interface,
            "record" => SymbolKind::Struct,
            "typedef" => SymbolKind::Type,
            "let" | "var" => SymbolKind::Variable,
            _ => return None,
        };
        Some(kind.as_str())
    }

    /// Returns true if the kind declares a type (not a member of one).
    pub fn is_type(self) -> bool {
        matches!(
            self,
            SymbolKind::Class
                | SymbolKind::Enum
                | SymbolKind::Interface
                | SymbolKind::Struct
                | SymbolKind::Type
        )
    }
}

/// The visibility of a name, by the rules of its language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Visibility {
    /// Visible outside its module or package.
    Public,
    /// Visible only inside.
    Private,
    /// The language has no rule, or it was not recognised.
    #[default]
    Unknown,
}

/// A definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// The bare name, as written.
    pub name: String,
    /// Its kind.
    pub kind: SymbolKind,
    /// Its visibility.
    pub visibility: Visibility,
    /// The innermost enclosing type or module, if there is one.
    pub container: Option<String>,
    /// Line of the name, 1-based.
    pub line: u32,
    /// First line of the definition, including leading comments and attributes, 1-based.
    pub start_line: u32,
    /// Last line of the definition, 1-based; equal to `line` without a parser.
    pub end_line: u32,
    /// Position among the definitions of the document with the same container and name, from 1:
    /// overloads, and variants for other platforms.
    pub repetition: u32,
    /// The declaration on one line, without its body; empty if it is not known.
    pub signature: String,
    /// The documentation comment, without comment markers.
    pub doc_comment: Option<String>,
    /// Declared supertypes, traits and protocols, in text order, distinct.
    pub conformances: Vec<Conformance>,
}

impl Symbol {
    /// Returns true if the lines of this definition include all lines of another one in the same
    /// document.
    pub fn encloses(&self, other: &Symbol) -> bool {
        self.start_line <= other.start_line && other.end_line <= self.end_line
    }
}

/// The relation between a definition and a supertype.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ConformanceKind {
    /// Derived code: Rust's `derive`, Haskell's `deriving`.
    Derives,
    /// Inheritance: a base class, an embedded type, an interface of an interface.
    Extends,
    /// Implementation of an interface, trait or protocol.
    Implements,
}

impl ConformanceKind {
    /// All kinds, sorted by name.
    pub const ALL: &'static [ConformanceKind] =
        &[ConformanceKind::Derives, ConformanceKind::Extends, ConformanceKind::Implements];

    /// The name that is shown to users.
    pub fn as_str(self) -> &'static str {
        match self {
            ConformanceKind::Derives => "derives",
            ConformanceKind::Extends => "extends",
            ConformanceKind::Implements => "implements",
        }
    }
}

/// A supertype, trait or protocol of a definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conformance {
    /// The relation.
    pub kind: ConformanceKind,
    /// The bare name: `Store` in `impl storage::Store<Row> for Disk`.
    pub name: String,
    /// The path before the name: `storage`.
    pub qualifier: Option<String>,
}
