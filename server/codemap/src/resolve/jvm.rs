//! Packages and classes of Java and Kotlin.

use super::{Meaning, Resolver};
use crate::map::SymbolId;

impl Resolver<'_> {
    /// A package, or a class whose members are imported.
    pub(super) fn jvm_module(&self, module: &str) -> Option<Meaning> {
        if let Some(package) = self.layout.jvm.get(module) {
            return Some(Meaning::Package(*package));
        }
        self.jvm_class(module)
            .map(Meaning::Symbol)
            .or(Some(Meaning::External))
    }

    /// A class by its full name, also one inside of another.
    pub(super) fn jvm_class(&self, path: &str) -> Option<SymbolId> {
        for (at, _) in path
            .match_indices('.')
            .collect::<Vec<_>>()
            .into_iter()
            .rev()
        {
            let Some(package) = self.layout.jvm.get(&path[..at]) else {
                continue;
            };
            let mut names = path[at + 1..].split('.');
            let mut symbol = self.in_package(*package, names.next()?)?;
            for name in names {
                symbol = self.nested(symbol, name)?;
            }
            return Some(symbol);
        }
        None
    }

    /// A type declared inside of another.
    pub(super) fn nested(&self, outer: SymbolId, name: &str) -> Option<SymbolId> {
        let file = self.files.file_of(outer);
        let facts = self.files.facts(file);
        let at = self.files.index_of(outer);
        let index = facts
            .declarations
            .iter()
            .position(|declaration| declaration.parent == Some(at) && declaration.name == name)?;
        u32::try_from(index)
            .ok()
            .map(|index| self.files.symbol(file, index))
    }
}
