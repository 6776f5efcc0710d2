//! From what each file says to what it means among the others.

mod calls;
mod clike;
mod dart;
mod ecma;
mod edges;
pub(crate) mod files;
mod go;
mod jvm;
mod layout;
mod lookup;
mod members;
mod plain;
mod python;
mod receiver;
mod rust;
mod swift;
#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use asd_syntax::Language;

use crate::map::{CodeMap, FileId, MapFile, Symbol, SymbolId};
use crate::source::Sources;
use files::Files;
use layout::Layout;
use members::Members;

/// What a name or path leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    Symbol(SymbolId),
    /// A module that is a file.
    File(FileId),
    /// A package of several files: an index into the packages of the layout.
    Package(u32),
    /// Something outside of the project.
    External,
}

/// Everything that is known while a map is made.
pub(crate) struct Resolver<'s> {
    pub files: Files<'s>,
    pub layout: Layout<'s>,
    pub members: Members<'s>,
    /// What the module of each import of each file is.
    modules: Vec<Vec<Option<Meaning>>>,
    names: RefCell<HashMap<(FileId, String), Option<Meaning>>>,
    /// Names that are being looked up, so that a circle ends.
    open: RefCell<HashSet<(FileId, String)>>,
    /// What each call site that was asked for leads to.
    sites: RefCell<HashMap<(FileId, u32), Option<calls::Callee>>>,
    open_sites: RefCell<HashSet<(FileId, u32)>>,
    /// What a file of C includes, also through others.
    closures: RefCell<HashMap<FileId, Rc<BTreeSet<FileId>>>>,
}

impl<'s> Resolver<'s> {
    fn new(sources: &'s Sources) -> Self {
        let files = Files::new(sources);
        let layout = Layout::new(sources, &files);
        let mut resolver = Self {
            modules: vec![Vec::new(); files.len()],
            members: Members::default(),
            names: RefCell::default(),
            open: RefCell::default(),
            sites: RefCell::default(),
            open_sites: RefCell::default(),
            closures: RefCell::default(),
            files,
            layout,
        };
        for file in resolver.files.ids() {
            let facts = resolver.files.facts(file);
            let modules: Vec<Option<Meaning>> = match facts.language {
                // Paths of Rust go through names, which are looked up later.
                Language::Rust => Vec::new(),
                _ => facts
                    .imports
                    .iter()
                    .map(|import| resolver.module_by_path(file, import))
                    .collect(),
            };
            resolver.modules[file.0 as usize] = modules;
        }
        resolver.members = Members::new(&resolver);
        resolver.link_members();
        resolver
    }

    /// What the module of an import is.
    pub(crate) fn module_of(&self, file: FileId, import: usize) -> Option<Meaning> {
        if self.files.language(file) == Language::Rust {
            return self.rust_module_of(file, import);
        }
        self.modules[file.0 as usize].get(import).copied().flatten()
    }

    fn module_by_path(&self, file: FileId, import: &crate::facts::Import) -> Option<Meaning> {
        match self.files.language(file) {
            Language::JavaScript
            | Language::TypeScript
            | Language::Tsx
            | Language::Vue
            | Language::Svelte => self.ecma_module(file, &import.module),
            Language::Python => self.python_module(file, &import.module),
            Language::Go => self.go_package(&import.module),
            Language::Java | Language::Kotlin => self.jvm_module(&import.module),
            Language::Swift => self.swift_module(&import.module),
            Language::C | Language::Cpp | Language::Objc => self.include(file, import),
            Language::Dart => self.dart_library(file, &import.module),
            _ => None,
        }
    }
}

/// Makes the map of sources.
#[must_use]
pub fn build(sources: &Sources) -> CodeMap {
    let resolver = Resolver::new(sources);
    let mut map = CodeMap {
        name: resolver.layout.name.clone(),
        targets: resolver.layout.targets.clone(),
        frameworks: resolver.layout.frameworks.clone(),
        ..CodeMap::default()
    };
    for file in resolver.files.ids() {
        let source = resolver.files.sources[file.0 as usize];
        map.files.push(MapFile {
            path: resolver.files.path(file).to_owned(),
            source: source.clone(),
            target: resolver.layout.target_of[file.0 as usize],
            first_symbol: resolver.files.symbol(file, 0),
        });
        let declarations = u32::try_from(source.facts.declarations.len()).unwrap_or(u32::MAX);
        map.symbols
            .extend((0..declarations).map(|declaration| Symbol { file, declaration }));
    }
    resolver.edges(&mut map);
    map.types = resolver.type_edges();
    map.calls = resolver.call_edges();
    map.index();
    crate::targets::link(&mut map);
    map
}
