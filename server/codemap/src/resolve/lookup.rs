//! What a name means in a file, or from outside of it.

use asd_syntax::Language;

use super::{Meaning, Resolver};
use crate::facts::{Declaration, ImportStyle, SymbolKind};
use crate::map::{FileId, SymbolId};

impl<'s> Resolver<'s> {
    /// What others get when they import `name` from a file.
    pub(super) fn exported(&self, file: FileId, name: &str) -> Option<Meaning> {
        let facts = self.files.facts(file);
        if facts.exports.is_empty() {
            return self.local(file, name);
        }
        self.guarded(file, format!("={name}"), || {
            for export in &facts.exports {
                if export.name != name {
                    continue;
                }
                let found = match export.import {
                    Some(import) => match self.module_of(file, import as usize) {
                        Some(Meaning::File(from)) if export.local == "*" => {
                            Some(Meaning::File(from))
                        }
                        Some(Meaning::File(from)) => self.exported(from, &export.local),
                        other => other,
                    },
                    None => self.local(file, &export.local),
                };
                if found.is_some() {
                    return found;
                }
            }
            // The whole of a CommonJS module is its default.
            if name == "default" && facts.exports.iter().any(|export| export.name == "=") {
                return self.exported(file, "=");
            }
            if let Some(found) = self.best(self.files.top(file, name)) {
                return Some(Meaning::Symbol(found));
            }
            facts
                .exports
                .iter()
                .filter(|export| export.name == "*")
                .find_map(
                    |export| match self.module_of(file, export.import? as usize)? {
                        Meaning::File(from) if name != "default" => self.exported(from, name),
                        _ => None,
                    },
                )
        })
    }

    /// What `name` means at the top of a file.
    pub(super) fn local(&self, file: FileId, name: &str) -> Option<Meaning> {
        self.guarded(file, name.to_owned(), || self.local_now(file, name))
    }

    fn guarded(
        &self,
        file: FileId,
        name: String,
        find: impl FnOnce() -> Option<Meaning>,
    ) -> Option<Meaning> {
        let key = (file, name);
        if let Some(known) = self.names.borrow().get(&key) {
            return *known;
        }
        if !self.open.borrow_mut().insert(key.clone()) {
            return None;
        }
        let found = find();
        self.open.borrow_mut().remove(&key);
        self.names.borrow_mut().insert(key, found);
        found
    }

    fn local_now(&self, file: FileId, name: &str) -> Option<Meaning> {
        if let Some(found) = self.best(self.files.top(file, name)) {
            return Some(Meaning::Symbol(found));
        }
        let facts = self.files.facts(file);
        for (index, import) in facts.imports.iter().enumerate() {
            if import.alias.as_deref() == Some(name) && import.style != ImportStyle::Module {
                let module = self.module_of(file, index);
                return Some(module.unwrap_or(Meaning::External));
            }
            for one in &import.names {
                if one.local == name && one.name != "*" && import.style != ImportStyle::Part {
                    let found = self.imported(file, index, &one.name);
                    return Some(found.unwrap_or(Meaning::External));
                }
            }
            if facts.language == Language::Go && import.alias.is_none() {
                let module = self.module_of(file, index);
                if self.go_local_name(import, module) == name {
                    return module;
                }
            }
        }
        match facts.language {
            Language::Rust => {
                if let Some(child) = self.layout.crates.children.get(&(file, name.to_owned())) {
                    return Some(Meaning::File(*child));
                }
            }
            Language::Python => {
                if let Some(child) = self.python_child(file, name) {
                    return Some(Meaning::File(child));
                }
            }
            _ => {}
        }
        if let Some(package) = self.layout.package_of[file.0 as usize]
            && let Some(found) = self.in_package(package, name)
        {
            return Some(Meaning::Symbol(found));
        }
        self.by_wildcard(file, name)
    }

    /// A name among everything that is imported of some modules.
    fn by_wildcard(&self, file: FileId, name: &str) -> Option<Meaning> {
        let facts = self.files.facts(file);
        for (index, import) in facts.imports.iter().enumerate() {
            let is_part = import.style == ImportStyle::Part;
            let whole_module = facts.language == Language::Swift
                || (facts.language == Language::Go && import.alias.as_deref() == Some("."));
            let wildcard = import.names.iter().any(|one| one.name == "*");
            if !(is_part || whole_module || wildcard) {
                continue;
            }
            let found = match self.module_of(file, index) {
                Some(Meaning::File(from)) => self.exported(from, name),
                Some(Meaning::Package(package)) => {
                    self.in_package(package, name).map(Meaning::Symbol)
                }
                Some(Meaning::Symbol(of)) => self
                    .member(of, name)
                    .or_else(|| self.nested(of, name))
                    .map(Meaning::Symbol),
                _ => None,
            };
            if matches!(found, Some(Meaning::Symbol(_) | Meaning::File(_))) {
                return found;
            }
        }
        None
    }

    /// What an import brings under a name of its module.
    pub(super) fn imported(&self, file: FileId, index: usize, name: &str) -> Option<Meaning> {
        let import = &self.files.facts(file).imports[index];
        match self.module_of(file, index) {
            Some(module) => self.step(module, name),
            None if self.files.language(file) == Language::Python => self
                .python_namespace(file, &import.module, name)
                .map(Meaning::File),
            None => None,
        }
    }

    /// What `name` is below something.
    pub(super) fn step(&self, of: Meaning, name: &str) -> Option<Meaning> {
        match of {
            Meaning::File(file) => self.exported(file, name),
            Meaning::Package(package) => self.in_package(package, name).map(Meaning::Symbol),
            Meaning::Symbol(symbol) => self
                .member(symbol, name)
                .or_else(|| self.nested(symbol, name))
                .map(Meaning::Symbol),
            Meaning::External => Some(Meaning::External),
        }
    }

    pub(super) fn in_package(&self, package: u32, name: &str) -> Option<SymbolId> {
        self.layout
            .package_top
            .get(&(package, name))
            .and_then(|found| self.best(found))
    }

    /// Of several symbols of one name: a type before others, one with a body
    /// before a mere declaration, one outside of tests, the first.
    pub(super) fn best(&self, symbols: &[SymbolId]) -> Option<SymbolId> {
        symbols.iter().copied().min_by_key(|symbol| {
            let declaration = self.files.declaration(*symbol);
            let rank = match declaration.kind {
                kind if kind.is_type() && kind != SymbolKind::Alias => 0,
                kind if kind.is_callable() => 1,
                SymbolKind::Alias => 2,
                _ => 3,
            };
            (
                rank,
                is_stub(declaration),
                !declaration.has_body,
                declaration.is_test,
                *symbol,
            )
        })
    }

    /// The type that a name means in a declaration of a file: nested types
    /// around it first. Other names of types are followed.
    pub(super) fn type_named(
        &self,
        file: FileId,
        scope: Option<u32>,
        name: &str,
    ) -> Option<SymbolId> {
        let found = match self.path_meaning(file, scope, name)? {
            Meaning::Symbol(symbol) => symbol,
            // A CommonJS module that is a class.
            Meaning::File(module) => match self.exported(module, "=")? {
                Meaning::Symbol(symbol) => symbol,
                _ => return None,
            },
            _ => return None,
        };
        self.unaliased(found, 0)
    }

    pub(super) fn unaliased(&self, symbol: SymbolId, depth: usize) -> Option<SymbolId> {
        let declaration = self.files.declaration(symbol);
        let renames = matches!(
            declaration.kind,
            SymbolKind::Alias | SymbolKind::Variable | SymbolKind::Constant
        ) && declaration.supertypes.len() == 1
            && depth < 4;
        if renames {
            let file = self.files.file_of(symbol);
            let of = self.path_meaning(file, declaration.parent, &declaration.supertypes[0]);
            if let Some(Meaning::Symbol(other)) = of
                && other != symbol
            {
                return self.unaliased(other, depth + 1);
            }
        }
        declaration.kind.is_type().then_some(symbol)
    }

    /// What a dotted path means in a declaration of a file.
    pub(super) fn path_meaning(
        &self,
        file: FileId,
        scope: Option<u32>,
        path: &str,
    ) -> Option<Meaning> {
        let facts = self.files.facts(file);
        if facts.language == Language::Rust {
            let segments: Vec<&str> = path.split('.').collect();
            return self.rust_path(file, &self.rust_within(file, scope), &segments);
        }
        let mut segments = path.split('.');
        let first = segments.next()?;
        let around = facts.around(scope).find_map(|outer| {
            let symbol = self.files.symbol(file, outer);
            let declaration = &facts.declarations[outer as usize];
            if declaration.name == first && declaration.kind.is_type() {
                return Some(symbol);
            }
            self.nested(symbol, first)
                .filter(|inner| self.files.declaration(*inner).kind.is_type())
        });
        let mut meaning = match around {
            Some(symbol) => Meaning::Symbol(symbol),
            None => match self.local(file, first) {
                Some(meaning) => meaning,
                None if facts.language == Language::Python => {
                    return self.python_dotted(file, path);
                }
                None if matches!(facts.language, Language::C | Language::Cpp | Language::Objc) => {
                    // Types are known by their last name wherever they are.
                    let last = path.rsplit('.').next().unwrap_or(path);
                    return self.c_type(file, last).map(Meaning::Symbol);
                }
                None if matches!(facts.language, Language::Java | Language::Kotlin) => {
                    return self.jvm_class(path).map(Meaning::Symbol);
                }
                None => return None,
            },
        };
        for name in segments {
            meaning = self.step(meaning, name)?;
        }
        Some(meaning)
    }

    /// `a.b.C` after `import a.b`.
    pub(super) fn python_dotted(&self, file: FileId, path: &str) -> Option<Meaning> {
        let facts = self.files.facts(file);
        let mut best: Option<(usize, Meaning)> = None;
        for (index, import) in facts.imports.iter().enumerate() {
            if !import.names.is_empty() || import.alias.is_some() {
                continue;
            }
            let first = import.module.split('.').next().unwrap_or_default();
            let written = path.split('.').next().unwrap_or_default();
            if first != written {
                continue;
            }
            let whole = path == import.module
                || path
                    .strip_prefix(import.module.as_str())
                    .is_some_and(|rest| rest.starts_with('.'));
            let (length, meaning) = if whole {
                (import.module.len(), self.module_of(file, index)?)
            } else {
                (first.len(), self.python_module(file, first)?)
            };
            if best.is_none_or(|(longest, _)| length > longest) {
                best = Some((length, meaning));
            }
        }
        let (length, mut meaning) = best?;
        for name in path[length..].split('.').filter(|name| !name.is_empty()) {
            meaning = self.step(meaning, name)?;
        }
        Some(meaning)
    }
}

/// Whether a declaration only tells of one way to call another one.
pub(super) fn is_stub(declaration: &Declaration) -> bool {
    declaration
        .annotations
        .iter()
        .any(|annotation| annotation == "overload" || annotation.ends_with(".overload"))
}
