//! Paths of Rust.

use super::{Meaning, Resolver};
use crate::facts::SymbolKind;
use crate::map::FileId;

impl Resolver<'_> {
    /// The module part of a `use`, or the file of a `mod`.
    pub(super) fn rust_module_of(&self, file: FileId, index: usize) -> Option<Meaning> {
        let import = &self.files.facts(file).imports[index];
        if import.style == crate::facts::ImportStyle::Module {
            let mut key = import.within.clone();
            key.push(import.module.clone());
            return self
                .layout
                .crates
                .children
                .get(&(file, key.join("::")))
                .copied()
                .map(Meaning::File);
        }
        if import.module.is_empty() {
            return None;
        }
        let segments: Vec<&str> = import.module.split("::").collect();
        self.rust_path(file, &import.within, &segments)
    }

    /// The inline modules around a declaration.
    pub(super) fn rust_within(&self, file: FileId, scope: Option<u32>) -> Vec<String> {
        let facts = self.files.facts(file);
        let mut names: Vec<String> = facts
            .around(scope)
            .map(|at| &facts.declarations[at as usize])
            .filter(|declaration| declaration.kind == SymbolKind::Module)
            .map(|declaration| declaration.name.clone())
            .collect();
        names.reverse();
        names
    }

    /// What a path means in a module of a file.
    pub(super) fn rust_path(
        &self,
        file: FileId,
        within: &[String],
        segments: &[&str],
    ) -> Option<Meaning> {
        let crates = &self.layout.crates;
        let (first, mut rest) = segments.split_first()?;
        let mut meaning = match *first {
            "crate" | "$crate" => Meaning::File(*crates.root.get(&file)?),
            "self" | "super" => {
                let mut at = (file, within.to_vec());
                let mut left = if *first == "self" { rest } else { segments };
                while let Some((&"super", after)) = left.split_first() {
                    if at.1.pop().is_none() {
                        at = crates.parent.get(&at.0)?.clone();
                    }
                    left = after;
                }
                rest = left;
                Meaning::File(at.0)
            }
            name => {
                let is_crate = crates.libraries.get(name).copied();
                let local = self.local(file, name);
                match (local, is_crate) {
                    (Some(Meaning::External) | None, Some(library)) => Meaning::File(library),
                    (Some(found), _) => found,
                    (None, None) if rest.is_empty() => return None,
                    (None, None) => Meaning::External,
                }
            }
        };
        for name in rest {
            meaning = match meaning {
                Meaning::Symbol(symbol)
                    if self.files.declaration(symbol).kind == SymbolKind::Module =>
                {
                    let file = self.files.file_of(symbol);
                    self.local(file, name)?
                }
                meaning => self.step(meaning, name)?,
            };
        }
        Some(meaning)
    }
}
