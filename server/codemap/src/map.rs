//! The map of a project: everything by number, immutable once made.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::facts::{Declaration, SymbolKind};
use crate::source::SourceFile;

/// A file of a map: an index into its files, which are in the order of paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct FileId(pub u32);

/// A symbol of a map: an index into its symbols, which are in the order of files
/// and declarations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SymbolId(pub u32);

/// A file.
#[derive(Clone, Debug, PartialEq)]
pub struct MapFile {
    /// Project-relative path with `/`.
    pub path: String,
    /// What was read from it.
    pub source: Arc<SourceFile>,
    /// The target that it belongs to, an index into the targets.
    pub target: u32,
    /// Its first symbol; the others follow.
    pub first_symbol: SymbolId,
}

/// Where a symbol is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// The file.
    pub file: FileId,
    /// The index of the declaration in its file.
    pub declaration: u32,
}

/// Why one file needs another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ImportKind {
    /// An import or include.
    Import,
    /// An import that exports again.
    Reexport,
    /// An import of types only.
    Types,
    /// `require` or `import()` in the code.
    Dynamic,
    /// `mod` or `part`: the other file is a part of this one.
    Part,
    /// A qualified path in the code.
    Path,
    /// A neighbour that is used without being imported.
    Implicit,
}

/// One file needs another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ImportEdge {
    /// The file that imports.
    pub from: FileId,
    /// The file that is imported.
    pub to: FileId,
    /// Why.
    pub kind: ImportKind,
    /// The line of the first import, from 1; 0 for an implicit one.
    pub line: u32,
}

/// An import that leads out of the project.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct External {
    /// The file that imports.
    pub from: FileId,
    /// The module as written.
    pub module: String,
    /// The line, from 1.
    pub line: u32,
    /// Whether it looks as if it should have led to a file of the project.
    pub is_broken: bool,
}

/// A call from one symbol to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CallEdge {
    /// The function, or type, that calls; `None` at the top of a file.
    pub caller: Option<SymbolId>,
    /// The file of the call.
    pub file: FileId,
    /// What is called.
    pub callee: SymbolId,
    /// The index of the call site in its file.
    pub site: u32,
    /// The line of the call, from 1.
    pub line: u32,
    /// How sure it is, 0 to 1. Below 0.5 it is a guess by the name alone.
    pub confidence: f32,
}

/// From this confidence on a call counts as known. (mcp.md §5)
pub const KNOWN_CALL: f32 = 0.5;

/// A type and one that it extends or conforms to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TypeEdge {
    /// The type.
    pub from: SymbolId,
    /// The supertype when it is one of the project.
    pub to: Option<SymbolId>,
    /// Its name as written.
    pub name: String,
    /// Whether it is an interface, protocol or trait that is conformed to.
    pub conforms: bool,
    /// The file that says so: of an extension, not that of the type.
    pub file: FileId,
}

/// A part of the project that is built as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Its name, unique in the map.
    pub name: String,
    /// The package that it belongs to.
    pub package: String,
    /// `library`, `executable`, `test`, `package`, `workspace` or `folder`.
    pub kind: String,
    /// Its folder; empty for the root.
    pub folder: String,
    /// Its manifest.
    pub manifest: Option<String>,
    /// What its manifest says that it needs, sorted.
    pub declared: Vec<String>,
    /// The targets of this project that its files import or call, sorted.
    pub dependencies: Vec<u32>,
}

/// What a project is made of. Two maps of the same [`crate::Sources`] are equal.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CodeMap {
    /// The name of the project: that of its first package, else empty.
    pub name: String,
    pub(crate) files: Vec<MapFile>,
    pub(crate) symbols: Vec<Symbol>,
    pub(crate) imports: Vec<ImportEdge>,
    pub(crate) externals: Vec<External>,
    pub(crate) calls: Vec<CallEdge>,
    pub(crate) types: Vec<TypeEdge>,
    pub(crate) targets: Vec<Target>,
    /// Names of frameworks that manifests name, sorted.
    pub frameworks: Vec<String>,
    /// Symbols in the order of their names.
    pub(crate) by_name: Vec<SymbolId>,
    /// Calls in the order of their callees.
    pub(crate) by_callee: Vec<u32>,
}

impl CodeMap {
    /// The files in the order of their paths.
    #[must_use]
    pub fn files(&self) -> &[MapFile] {
        &self.files
    }

    /// The file with this number.
    #[must_use]
    pub fn file(&self, id: FileId) -> &MapFile {
        &self.files[id.0 as usize]
    }

    /// The file at a path.
    #[must_use]
    pub fn file_at(&self, path: &str) -> Option<FileId> {
        let index = self
            .files
            .binary_search_by(|file| file.path.as_str().cmp(path))
            .ok()?;
        u32::try_from(index).ok().map(FileId)
    }

    /// Every symbol.
    pub fn symbols(&self) -> impl ExactSizeIterator<Item = SymbolId> + use<> {
        (0..u32::try_from(self.symbols.len()).unwrap_or(u32::MAX)).map(SymbolId)
    }

    /// The file of a symbol.
    #[must_use]
    pub fn file_of(&self, id: SymbolId) -> FileId {
        self.symbols[id.0 as usize].file
    }

    /// The declaration of a symbol.
    #[must_use]
    pub fn declaration(&self, id: SymbolId) -> &Declaration {
        let symbol = self.symbols[id.0 as usize];
        &self.file(symbol.file).source.facts.declarations[symbol.declaration as usize]
    }

    /// The symbol of a declaration of a file.
    #[must_use]
    pub fn symbol(&self, file: FileId, declaration: u32) -> SymbolId {
        SymbolId(self.file(file).first_symbol.0 + declaration)
    }

    /// The symbol that another one stands in.
    #[must_use]
    pub fn parent(&self, id: SymbolId) -> Option<SymbolId> {
        let parent = self.declaration(id).parent?;
        Some(self.symbol(self.file_of(id), parent))
    }

    /// The name of a symbol with those of the types and modules around it,
    /// joined by dots.
    #[must_use]
    pub fn qualified_name(&self, id: SymbolId) -> String {
        let declaration = self.declaration(id);
        let mut parts = vec![declaration.name.as_str()];
        if let Some(owner) = &declaration.owner {
            parts.push(owner);
        }
        let mut around = self.parent(id);
        while let Some(outer) = around {
            parts.push(&self.declaration(outer).name);
            around = self.parent(outer);
        }
        parts.reverse();
        parts.join(".")
    }

    /// Symbols with exactly this name.
    pub fn named<'m>(&'m self, name: &'m str) -> impl Iterator<Item = SymbolId> + 'm {
        let start = self
            .by_name
            .partition_point(|id| self.declaration(*id).name.as_str() < name);
        self.by_name[start..]
            .iter()
            .copied()
            .take_while(move |id| self.declaration(*id).name == name)
    }

    /// Which file needs which, sorted, each pair once for each kind.
    #[must_use]
    pub fn imports(&self) -> &[ImportEdge] {
        &self.imports
    }

    /// What a file imports of the project.
    #[must_use]
    pub fn imports_of(&self, file: FileId) -> &[ImportEdge] {
        let start = self.imports.partition_point(|edge| edge.from < file);
        let end = self.imports.partition_point(|edge| edge.from <= file);
        &self.imports[start..end]
    }

    /// Imports that lead out of the project, sorted.
    #[must_use]
    pub fn externals(&self) -> &[External] {
        &self.externals
    }

    /// Every call that leads to a symbol of the project, in the order of files
    /// and call sites.
    #[must_use]
    pub fn calls(&self) -> &[CallEdge] {
        &self.calls
    }

    /// The calls of a symbol by others.
    pub fn calls_to(&self, symbol: SymbolId) -> impl Iterator<Item = &CallEdge> + '_ {
        let start = self
            .by_callee
            .partition_point(|at| self.calls[*at as usize].callee < symbol);
        self.by_callee[start..]
            .iter()
            .map(|at| &self.calls[*at as usize])
            .take_while(move |call| call.callee == symbol)
    }

    /// The calls that a symbol makes.
    pub fn calls_from(&self, symbol: SymbolId) -> impl Iterator<Item = &CallEdge> + '_ {
        self.calls_in(self.file_of(symbol))
            .iter()
            .filter(move |call| call.caller == Some(symbol))
    }

    /// The calls in a file.
    #[must_use]
    pub fn calls_in(&self, file: FileId) -> &[CallEdge] {
        let start = self.calls.partition_point(|call| call.file < file);
        let end = self.calls.partition_point(|call| call.file <= file);
        &self.calls[start..end]
    }

    /// Types and what they extend or conform to, sorted.
    #[must_use]
    pub fn types(&self) -> &[TypeEdge] {
        &self.types
    }

    /// The targets in the order of their names.
    #[must_use]
    pub fn targets(&self) -> &[Target] {
        &self.targets
    }

    /// Fills the orders that are derived from the rest.
    pub(crate) fn index(&mut self) {
        let mut by_name: Vec<SymbolId> = self.symbols().collect();
        by_name.sort_by(|a, b| {
            self.declaration(*a)
                .name
                .cmp(&self.declaration(*b).name)
                .then(a.cmp(b))
        });
        self.by_name = by_name;
        let mut by_callee: Vec<u32> =
            (0..u32::try_from(self.calls.len()).unwrap_or(u32::MAX)).collect();
        by_callee.sort_by_key(|at| (self.calls[*at as usize].callee, *at));
        self.by_callee = by_callee;
    }

    /// Whether a symbol is a test or lies in a file of tests.
    #[must_use]
    pub fn is_test(&self, id: SymbolId) -> bool {
        self.declaration(id).is_test || self.file(self.file_of(id)).source.is_test
    }

    /// Whether a symbol is something whose members belong to it.
    #[must_use]
    pub fn is_type(&self, id: SymbolId) -> bool {
        let kind = self.declaration(id).kind;
        kind.is_type() || kind == SymbolKind::Extension
    }
}
