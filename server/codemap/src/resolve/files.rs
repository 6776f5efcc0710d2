//! The files by path, folder and name, and their top-level symbols by name.

use std::collections::HashMap;
use std::sync::Arc;

use asd_syntax::Language;

use crate::facts::{FileFacts, SymbolKind};
use crate::map::{FileId, SymbolId};
use crate::path::folder;
use crate::source::{SourceFile, Sources};

pub(crate) struct Files<'s> {
    pub paths: Vec<&'s str>,
    pub sources: Vec<&'s Arc<SourceFile>>,
    /// The first symbol of each file.
    pub first: Vec<u32>,
    by_path: HashMap<&'s str, FileId>,
    folders: HashMap<&'s str, Vec<FileId>>,
    top: Vec<HashMap<&'s str, Vec<SymbolId>>>,
    /// The file of each symbol.
    owner: Vec<FileId>,
}

impl<'s> Files<'s> {
    pub fn new(sources: &'s Sources) -> Self {
        let mut files = Self {
            paths: Vec::new(),
            sources: Vec::new(),
            first: Vec::new(),
            by_path: HashMap::new(),
            folders: HashMap::new(),
            top: Vec::new(),
            owner: Vec::new(),
        };
        for (index, (path, source)) in sources.files.iter().enumerate() {
            let id = FileId(u32::try_from(index).unwrap_or(u32::MAX));
            let first = u32::try_from(files.owner.len()).unwrap_or(u32::MAX);
            files.paths.push(path);
            files.sources.push(source);
            files.first.push(first);
            files.by_path.insert(path, id);
            files.folders.entry(folder(path)).or_default().push(id);
            let facts = &source.facts;
            let mut top: HashMap<&'s str, Vec<SymbolId>> = HashMap::new();
            for (at, declaration) in (0_u32..).zip(&facts.declarations) {
                files.owner.push(id);
                if is_top(facts, at) {
                    top.entry(&declaration.name)
                        .or_default()
                        .push(SymbolId(first + at));
                }
            }
            files.top.push(top);
        }
        files
    }

    pub fn len(&self) -> usize {
        self.paths.len()
    }

    pub fn ids(&self) -> impl Iterator<Item = FileId> + use<> {
        (0..u32::try_from(self.paths.len()).unwrap_or(u32::MAX)).map(FileId)
    }

    pub fn path(&self, file: FileId) -> &'s str {
        self.paths[file.0 as usize]
    }

    pub fn facts(&self, file: FileId) -> &'s FileFacts {
        &self.sources[file.0 as usize].facts
    }

    pub fn language(&self, file: FileId) -> Language {
        self.facts(file).language
    }

    pub fn at(&self, path: &str) -> Option<FileId> {
        self.by_path.get(path).copied()
    }

    /// The files of a folder, not of those below it.
    pub fn in_folder(&self, folder: &str) -> &[FileId] {
        self.folders.get(folder).map_or(&[], Vec::as_slice)
    }

    /// Whether there is a file in a folder or below it.
    pub fn has_folder(&self, folder: &str) -> bool {
        if self.folders.contains_key(folder) {
            return true;
        }
        let start = format!("{folder}/");
        let at = self.paths.partition_point(|path| *path < start.as_str());
        self.paths
            .get(at)
            .is_some_and(|path| path.starts_with(&start))
    }

    /// The symbols of this name at the top of a file.
    pub fn top(&self, file: FileId, name: &str) -> &[SymbolId] {
        self.top[file.0 as usize]
            .get(name)
            .map_or(&[], Vec::as_slice)
    }

    pub fn file_of(&self, symbol: SymbolId) -> FileId {
        self.owner[symbol.0 as usize]
    }

    pub fn index_of(&self, symbol: SymbolId) -> u32 {
        symbol.0 - self.first[self.file_of(symbol).0 as usize]
    }

    pub fn declaration(&self, symbol: SymbolId) -> &'s crate::facts::Declaration {
        let file = self.file_of(symbol);
        &self.facts(file).declarations[(symbol.0 - self.first[file.0 as usize]) as usize]
    }

    pub fn symbol(&self, file: FileId, declaration: u32) -> SymbolId {
        SymbolId(self.first[file.0 as usize] + declaration)
    }
}

/// Whether a declaration is seen at the top of its file: it stands in nothing,
/// or in modules only. What has an owner elsewhere is a member.
fn is_top(facts: &FileFacts, at: u32) -> bool {
    let declaration = &facts.declarations[at as usize];
    if declaration.owner.is_some() || declaration.kind == SymbolKind::Extension {
        return false;
    }
    facts
        .around(declaration.parent)
        .all(|outer| facts.declarations[outer as usize].kind == SymbolKind::Module)
}
