//! A name that a text defines.

/// What a defined name stands for. Languages map their own words onto these.
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
    /// An `impl` or extension block: it names a type that is defined elsewhere.
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
    /// Every kind, in the order of their names.
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

    /// The name that users type and read.
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

    /// The kind with this name, if there is one.
    pub fn from_name(name: &str) -> Option<SymbolKind> {
        SymbolKind::ALL.iter().copied().find(|kind| kind.as_str() == name)
    }

    /// The name of the kind that a word of some language means: `interface` for `trait`, `function`
    /// for `fn`; `None` where the word is no such word.
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

    /// Whether the kind declares a type (rather than something that a type has).
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

/// Who may use a name, by the rule of its language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Visibility {
    /// Usable from outside its module or package.
    Public,
    /// Usable only inside.
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
    /// What it stands for.
    pub kind: SymbolKind,
    /// Who may use it.
    pub visibility: Visibility,
    /// The type or module that holds it, innermost, if there is one.
    pub container: Option<String>,
    /// Line of the name, 1-based.
    pub line: u32,
    /// First line of the definition with the comments and attributes that lead it, 1-based.
    pub start_line: u32,
    /// Last line of the definition, 1-based; where no parser tells, that of `line`.
    pub end_line: u32,
    /// Position among the definitions of the document with the same container and name, from 1:
    /// overloads, and variants for other platforms.
    pub repetition: u32,
    /// The declaration on one line, without its body; empty where none is known.
    pub signature: String,
    /// The documentation comment, without comment signs.
    pub doc_comment: Option<String>,
    /// What it says of itself that it is: supertypes, traits, protocols. In text order, distinct.
    pub conformances: Vec<Conformance>,
}

impl Symbol {
    /// Whether all lines of another definition of the same document are lines of this one.
    pub fn encloses(&self, other: &Symbol) -> bool {
        self.start_line <= other.start_line && other.end_line <= self.end_line
    }
}

/// How a definition says that it is something else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ConformanceKind {
    /// It has the code derived: Rust's `derive`, Haskell's `deriving`.
    Derives,
    /// It inherits: a base class, an embedded type, an interface of an interface.
    Extends,
    /// It fulfils an interface, trait or protocol.
    Implements,
}

impl ConformanceKind {
    /// Every kind, in the order of their names.
    pub const ALL: &'static [ConformanceKind] =
        &[ConformanceKind::Derives, ConformanceKind::Extends, ConformanceKind::Implements];

    /// The name that users read.
    pub fn as_str(self) -> &'static str {
        match self {
            ConformanceKind::Derives => "derives",
            ConformanceKind::Extends => "extends",
            ConformanceKind::Implements => "implements",
        }
    }
}

/// That a definition is something else, too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conformance {
    /// How it is said.
    pub kind: ConformanceKind,
    /// The bare name of what it is: `Store` in `impl storage::Store<Row> for Disk`.
    pub name: String,
    /// What stands before the name: `storage`.
    pub qualifier: Option<String>,
}
