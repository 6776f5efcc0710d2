//! Members of types, wherever they are declared, and what types extend.

use std::collections::{HashMap, HashSet};

use asd_syntax::Language;

use super::lookup::is_stub;
use super::{Meaning, Resolver};
use crate::facts::{SymbolKind, TypeHint};
use crate::map::{FileId, SymbolId, TypeEdge};

#[derive(Default)]
pub(crate) struct Members<'s> {
    of: HashMap<SymbolId, HashMap<&'s str, Vec<SymbolId>>>,
    supers: HashMap<SymbolId, Vec<SymbolId>>,
    /// The file and binding of a field.
    fields: HashMap<(SymbolId, &'s str), (FileId, u32)>,
    /// The type that a method, or an extension, belongs to.
    container: HashMap<SymbolId, SymbolId>,
    /// Bindings of a scope by name, in the order of the text.
    pub bindings: HashMap<(FileId, Option<u32>, &'s str), Vec<u32>>,
    /// Functions and methods by name.
    pub callable: HashMap<&'s str, Vec<SymbolId>>,
    /// Types of C and its kin by name.
    pub c_types: HashMap<&'s str, Vec<SymbolId>>,
}

impl<'s> Members<'s> {
    pub fn new(resolver: &Resolver<'s>) -> Self {
        let mut members = Self::default();
        let files = &resolver.files;
        for file in files.ids() {
            let facts = files.facts(file);
            let c_like = matches!(facts.language, Language::C | Language::Cpp | Language::Objc);
            for (at, declaration) in (0_u32..).zip(&facts.declarations) {
                let symbol = files.symbol(file, at);
                let name = declaration.name.as_str();
                if declaration.kind.is_callable() {
                    members.callable.entry(name).or_default().push(symbol);
                }
                if c_like && declaration.kind.is_type() {
                    members.c_types.entry(name).or_default().push(symbol);
                }
            }
            for (at, binding) in (0_u32..).zip(&facts.bindings) {
                members
                    .bindings
                    .entry((file, binding.scope, &binding.name))
                    .or_default()
                    .push(at);
            }
        }
        members
    }

    /// The second part, for which names of types must be known.
    fn link(&mut self, resolver: &Resolver<'s>) {
        let files = &resolver.files;
        for file in files.ids() {
            let facts = files.facts(file);
            // Extensions and types of this file, as the type that they stand for.
            let mut stands_for: Vec<Option<SymbolId>> =
                Vec::with_capacity(facts.declarations.len());
            for (at, declaration) in (0_u32..).zip(&facts.declarations) {
                let symbol = files.symbol(file, at);
                let type_here = match declaration.kind {
                    SymbolKind::Extension => resolver
                        .type_named(file, declaration.parent, &declaration.name)
                        .or(Some(symbol)),
                    kind if kind.is_type() => Some(symbol),
                    // An object with functions has them as members.
                    SymbolKind::Constant | SymbolKind::Variable => Some(symbol),
                    _ => None,
                };
                stands_for.push(type_here);
                if declaration.kind == SymbolKind::Extension
                    && let Some(of) = type_here
                {
                    self.container.insert(symbol, of);
                }
                let owner = match (&declaration.owner, declaration.parent) {
                    (Some(owner), _) => resolver
                        .type_named(file, declaration.parent, owner)
                        .or_else(|| match resolver.local(file, owner)? {
                            Meaning::Symbol(symbol) => Some(symbol),
                            _ => None,
                        }),
                    (None, Some(parent)) => stands_for[parent as usize],
                    (None, None) => None,
                };
                if let Some(owner) = owner {
                    self.of
                        .entry(owner)
                        .or_default()
                        .entry(&declaration.name)
                        .or_default()
                        .push(symbol);
                    self.container.insert(symbol, owner);
                }
                if declaration.kind.is_type() || declaration.kind == SymbolKind::Extension {
                    let Some(of) = type_here else { continue };
                    if declaration.kind == SymbolKind::Alias && facts.language != Language::Go {
                        continue;
                    }
                    for supertype in &declaration.supertypes {
                        if let Some(to) = resolver.type_named(file, declaration.parent, supertype)
                            && to != of
                        {
                            let list = self.supers.entry(of).or_default();
                            if !list.contains(&to) {
                                list.push(to);
                            }
                        }
                    }
                }
            }
            for (at, binding) in (0_u32..).zip(&facts.bindings) {
                let Some(scope) = binding.scope else { continue };
                let declaration = &facts.declarations[scope as usize];
                let of = match stands_for[scope as usize] {
                    Some(of) => of,
                    // A constructor function of JavaScript.
                    None if declaration.kind == SymbolKind::Function && ecma(facts.language) => {
                        files.symbol(file, scope)
                    }
                    None => continue,
                };
                let slot = self.fields.entry((of, &binding.name)).or_insert((file, at));
                if slot.0 == file && facts.bindings[slot.1 as usize].hint == TypeHint::Unknown {
                    *slot = (file, at);
                }
            }
        }
    }
}

pub(super) fn ecma(language: Language) -> bool {
    matches!(
        language,
        Language::JavaScript
            | Language::TypeScript
            | Language::Tsx
            | Language::Vue
            | Language::Svelte
    )
}

impl<'s> Resolver<'s> {
    /// Finds the members of every type.
    pub(super) fn link_members(&mut self) {
        let mut members = std::mem::take(&mut self.members);
        members.link(self);
        self.members = members;
        // Names that go through members are known now.
        self.names.borrow_mut().retain(|_, found| {
            matches!(
                found,
                Some(Meaning::Symbol(_) | Meaning::File(_) | Meaning::Package(_))
            )
        });
    }

    /// The type that a symbol is a member of.
    pub(super) fn container_of(&self, symbol: SymbolId) -> Option<SymbolId> {
        self.members.container.get(&symbol).copied()
    }

    /// A type and those above it, each once.
    pub(super) fn lineage(&self, of: SymbolId) -> Vec<SymbolId> {
        let mut seen = HashSet::from([of]);
        let mut line = vec![of];
        let mut at = 0;
        while at < line.len() && line.len() < 64 {
            for next in self.members.supers.get(&line[at]).into_iter().flatten() {
                if seen.insert(*next) {
                    line.push(*next);
                }
            }
            at += 1;
        }
        line
    }

    /// A member of a type, also one that it inherits.
    pub(super) fn member(&self, of: SymbolId, name: &str) -> Option<SymbolId> {
        let (found, _) = self.member_and_depth(of, name)?;
        Some(found)
    }

    /// Like [`Self::member`]; also whether it is inherited.
    pub(super) fn member_and_depth(&self, of: SymbolId, name: &str) -> Option<(SymbolId, bool)> {
        if let Some(found) = self
            .members
            .of
            .get(&of)
            .and_then(|own| own.get(name))
            .and_then(|found| self.best_member(found))
        {
            return Some((found, false));
        }
        if !self.members.supers.contains_key(&of) {
            return None;
        }
        self.lineage(of).into_iter().skip(1).find_map(|above| {
            let found = self.members.of.get(&above)?.get(name)?;
            Some((self.best_member(found)?, true))
        })
    }

    /// Every member of this name of the type itself.
    pub(super) fn own_members(&self, of: SymbolId, name: &str) -> &[SymbolId] {
        self.members
            .of
            .get(&of)
            .and_then(|own| own.get(name))
            .map_or(&[], Vec::as_slice)
    }

    fn best_member(&self, found: &[SymbolId]) -> Option<SymbolId> {
        found.iter().copied().min_by_key(|symbol| {
            let declaration = self.files.declaration(*symbol);
            (
                !declaration.kind.is_callable(),
                is_stub(declaration),
                !declaration.has_body,
                *symbol,
            )
        })
    }

    /// The file and binding of a field of a type, also an inherited one.
    pub(super) fn field(&self, of: SymbolId, name: &str) -> Option<(FileId, u32, SymbolId)> {
        self.lineage(of).into_iter().find_map(|at| {
            let (file, binding) = self.members.fields.get(&(at, name))?;
            Some((*file, *binding, at))
        })
    }

    /// A type of C by its name: the only one, else one that is included.
    pub(super) fn c_type(&self, file: FileId, name: &str) -> Option<SymbolId> {
        let found = self.members.c_types.get(name)?;
        match found.as_slice() {
            [only] => Some(*only),
            several => {
                let seen = self.included(file);
                several
                    .iter()
                    .copied()
                    .filter(|symbol| seen.contains(&self.files.file_of(*symbol)))
                    .min_by_key(|symbol| {
                        (
                            self.files.declaration(*symbol).kind == SymbolKind::Alias,
                            *symbol,
                        )
                    })
            }
        }
    }

    pub(super) fn type_edges(&self) -> Vec<TypeEdge> {
        let mut edges = Vec::new();
        for file in self.files.ids() {
            let facts = self.files.facts(file);
            for (at, declaration) in (0_u32..).zip(&facts.declarations) {
                let extends = declaration.kind.is_type() && declaration.kind != SymbolKind::Alias
                    || declaration.kind == SymbolKind::Extension;
                if !extends {
                    continue;
                }
                let symbol = self.files.symbol(file, at);
                let from = self
                    .members
                    .container
                    .get(&symbol)
                    .copied()
                    .filter(|_| declaration.kind == SymbolKind::Extension)
                    .unwrap_or(symbol);
                for name in &declaration.supertypes {
                    let to = self
                        .type_named(file, declaration.parent, name)
                        .filter(|to| *to != from);
                    edges.push(TypeEdge {
                        from,
                        to,
                        name: name.clone(),
                        conforms: to.is_some_and(|to| {
                            self.files.declaration(to).kind == SymbolKind::Interface
                        }),
                        file,
                    });
                }
            }
        }
        edges.sort();
        edges.dedup();
        edges
    }
}
