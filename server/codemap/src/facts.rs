//! What one file says by itself, before anything is known of the others.

use asd_syntax::Language;
use asd_text::Span;
use serde::{Deserialize, Serialize};

/// What is read from one file: a pure function of its text and language. Names
/// are as written; what they mean is decided when all files are known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileFacts {
    /// The language, with TSX as TypeScript.
    pub language: Language,
    /// The number of lines.
    pub lines: u32,
    /// The package or namespace that the file says it belongs to.
    pub package: Option<String>,
    /// What is declared, in the order of the text; a parent comes before its
    /// members.
    pub declarations: Vec<Declaration>,
    /// What is imported.
    pub imports: Vec<Import>,
    /// What is exported under a name by a statement of its own.
    pub exports: Vec<Export>,
    /// Where something is called, at most [`MAX_CALL_SITES`].
    pub calls: Vec<CallSite>,
    /// What is known of the types of variables and fields.
    pub bindings: Vec<Binding>,
    /// Where an error is thrown or raised.
    pub throws: Vec<Thrown>,
    /// The names of types that the text uses, sorted; only for languages in
    /// which a file need not import its neighbours.
    pub type_names: Vec<String>,
    /// Whether call sites were left out.
    pub truncated: bool,
    /// Whether the parser met something that it could not read.
    pub has_errors: bool,
}

/// The most call sites that are kept of one file. (mcp.md §5)
pub const MAX_CALL_SITES: usize = 500;

/// What kind of thing is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names say it")]
pub enum SymbolKind {
    Module,
    Class,
    Struct,
    /// An interface, protocol or trait.
    Interface,
    Enum,
    /// An extension, a category, an `impl` block.
    Extension,
    Function,
    Method,
    Constructor,
    Field,
    Constant,
    Variable,
    /// Another name for a type.
    Alias,
    Macro,
}

impl SymbolKind {
    /// Its name in results.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Module => "module",
            Self::Class => "class",
            Self::Struct => "struct",
            Self::Interface => "interface",
            Self::Enum => "enum",
            Self::Extension => "extension",
            Self::Function => "function",
            Self::Method => "method",
            Self::Constructor => "constructor",
            Self::Field => "field",
            Self::Constant => "constant",
            Self::Variable => "variable",
            Self::Alias => "alias",
            Self::Macro => "macro",
        }
    }

    /// Whether it can have members that belong to it.
    #[must_use]
    pub const fn is_type(self) -> bool {
        matches!(
            self,
            Self::Class | Self::Struct | Self::Interface | Self::Enum | Self::Alias
        )
    }

    /// Whether it can be called as it stands.
    #[must_use]
    pub const fn is_callable(self) -> bool {
        matches!(
            self,
            Self::Function | Self::Method | Self::Constructor | Self::Macro
        )
    }
}

/// Something declared with a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Declaration {
    /// Its own name. An extension has that of what it extends.
    pub name: String,
    /// What it is.
    pub kind: SymbolKind,
    /// The whole of it, attributes excluded.
    #[serde(with = "span")]
    pub span: Span,
    /// Its name alone.
    #[serde(with = "span")]
    pub name_span: Span,
    /// The line of the name, from 1.
    pub line: u32,
    /// The line of its end, from 1.
    pub end_line: u32,
    /// The text before its body on one line, at most 200 characters.
    pub signature: String,
    /// The index of the declaration that it stands in.
    pub parent: Option<u32>,
    /// The words before it: `pub`, `static`, `override`, `async` and the like.
    pub modifiers: Vec<String>,
    /// Attributes, annotations and decorators without their marks.
    pub annotations: Vec<String>,
    /// What it extends, implements or conforms to, as written without generic
    /// arguments. The type of a method's receiver in Go is its `owner`.
    pub supertypes: Vec<String>,
    /// The type that it belongs to when that is not its parent.
    pub owner: Option<String>,
    /// The type that a call gives, simplified.
    pub result: Option<String>,
    /// The number of parameters, without the receiver.
    pub parameters: u16,
    /// Whether other files can name it.
    pub is_public: bool,
    /// Whether it is marked as a test, or stands in something that is.
    pub is_test: bool,
    /// Whether it has a body.
    pub has_body: bool,
}

/// How an import is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ImportStyle {
    /// An import as the language has it.
    Import,
    /// One that also exports what it names.
    Reexport,
    /// Types only; gone when the program runs.
    Types,
    /// In an expression: `require`, `import()`.
    Dynamic,
    /// `#include "a.h"`
    Quoted,
    /// `#include <a.h>`
    System,
    /// `mod a;`, which makes a file part of the program.
    Module,
    /// `part 'a.dart';`
    Part,
    /// A qualified path in the code, not an import statement.
    Path,
}

/// Something that is named in an import.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportedName {
    /// Its name in the module; `*` for everything, `default` for the default.
    pub name: String,
    /// Its name in this file.
    pub local: String,
}

/// An import, as written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    /// The module: `./a`, `os.path`, `crate::a::b`, `foo.h`. Dots of a relative
    /// Python import stand at its front.
    pub module: String,
    /// What is named of it; empty when it is imported as a whole.
    pub names: Vec<ImportedName>,
    /// The name of the whole module in this file.
    pub alias: Option<String>,
    /// How it is written.
    pub style: ImportStyle,
    /// The names of the modules in this file around it (Rust).
    pub within: Vec<String>,
    /// The declaration that it stands in; `None` at the top of the file.
    pub scope: Option<u32>,
    /// The line, from 1.
    pub line: u32,
    /// The statement.
    #[serde(with = "span")]
    pub span: Span,
}

/// A name that a statement exports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Export {
    /// The name that others see; `default` for the default, `*` for everything.
    pub name: String,
    /// The name in this file, or in the module that it comes from.
    pub local: String,
    /// The index of the import that it comes from.
    pub import: Option<u32>,
}

/// How something is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CallKind {
    /// `f()`
    Plain,
    /// `a.f()`, also a message.
    Member,
    /// `A::f()`
    Path,
    /// `new A()`, `A {}`
    Construct,
    /// `f!()`
    Macro,
}

/// What a call is sent to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Receiver {
    /// Nothing.
    None,
    /// Names joined by dots: `self.client`, `crate.a`.
    Path(String),
    /// What the call site with this index gives.
    Call(u32),
    /// Any other expression.
    Other,
}

/// A place where something is called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallSite {
    /// The name that is called.
    pub name: String,
    /// What it is called on.
    pub receiver: Receiver,
    /// How it is called.
    pub kind: CallKind,
    /// The number of arguments.
    pub arguments: u16,
    /// The innermost function (or type, for initial values) around it.
    pub caller: Option<u32>,
    /// The line of the name, from 1.
    pub line: u32,
    /// The name.
    #[serde(with = "span")]
    pub span: Span,
}

/// What is known of the type of a variable or field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TypeHint {
    /// A type by its name, simplified.
    Named(String),
    /// What the call site with this index gives.
    Call(u32),
    /// The same as a path of names.
    Path(String),
    /// Nothing; the name only hides others.
    Unknown,
}

/// A variable, parameter or field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Binding {
    /// Its name.
    pub name: String,
    /// The function or type that it belongs to.
    pub scope: Option<u32>,
    /// What is known of its type.
    pub hint: TypeHint,
    /// The byte at which what declares it starts.
    pub at: u32,
}

/// A place where an error is thrown, raised or returned by name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Thrown {
    /// The type of the error, as written.
    pub error: String,
    /// The declaration that it stands in.
    pub scope: Option<u32>,
    /// The line, from 1.
    pub line: u32,
}

impl FileFacts {
    /// Facts of a file in which nothing was found.
    #[must_use]
    pub fn empty(language: Language, lines: u32) -> Self {
        Self {
            language: Language::from_id(language.id()).unwrap_or(language),
            lines,
            package: None,
            declarations: Vec::new(),
            imports: Vec::new(),
            exports: Vec::new(),
            calls: Vec::new(),
            bindings: Vec::new(),
            throws: Vec::new(),
            type_names: Vec::new(),
            truncated: false,
            has_errors: false,
        }
    }

    /// The declaration with an index.
    #[must_use]
    pub fn declaration(&self, index: u32) -> Option<&Declaration> {
        self.declarations.get(index as usize)
    }

    /// The declaration `index` and those around it, the innermost first.
    pub fn around(&self, index: Option<u32>) -> impl Iterator<Item = u32> + '_ {
        std::iter::successors(index, |&at| self.declaration(at)?.parent)
    }
}

/// A span as two numbers.
mod span {
    use asd_text::Span;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(span: &Span, serializer: S) -> Result<S::Ok, S::Error> {
        (span.start, span.len()).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Span, D::Error> {
        let (start, length) = <(usize, usize)>::deserialize(deserializer)?;
        Ok(Span::new(start, start.saturating_add(length)))
    }
}
