//! What kind of thing a path of names, or a call, gives.

use asd_syntax::Language;

use super::members::ecma;
use super::{Meaning, Resolver};
use crate::facts::{CallKind, Receiver, SymbolKind, TypeHint};
use crate::map::{FileId, SymbolId};

/// What is known of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A value of a type.
    Instance(SymbolId),
    /// The type itself.
    Type(SymbolId),
    /// The supertypes of a type, as `super` means them.
    Above(SymbolId),
    /// A module or package.
    Module(Meaning),
    /// Something of another project.
    External,
}

/// Where a path is read: the file, the declaration and the byte.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub file: FileId,
    pub scope: Option<u32>,
    pub at: u32,
}

/// How often one thing may be asked for through another.
const DEEPEST: usize = 8;

/// Methods that give their receiver, or what is in it, by language.
const SAME: &[&str] = &[
    "unwrap",
    "expect",
    "clone",
    "as_ref",
    "as_mut",
    "as_deref",
    "borrow",
    "borrow_mut",
    "to_owned",
    "unwrap_or_default",
    "map_err",
    "ok_or",
    "ok_or_else",
    "context",
    "with_context",
    "by_ref",
    "into_inner",
    "unwrap_or",
    "unwrap_or_else",
    "lock",
    "read",
    "write",
    "cloned",
    "copied",
    "ok",
    "as_deref_mut",
    "get_or_insert_with",
    "to_vec",
    "into_boxed",
    "alloc",
    "retain",
    "autorelease",
];

impl Resolver<'_> {
    /// The type around a declaration.
    pub(super) fn type_around(&self, file: FileId, scope: Option<u32>) -> Option<SymbolId> {
        let facts = self.files.facts(file);
        facts.around(scope).find_map(|at| {
            let symbol = self.files.symbol(file, at);
            let declaration = &facts.declarations[at as usize];
            if declaration.owner.is_some()
                && let Some(container) = self.container_of(symbol)
            {
                return Some(container);
            }
            match declaration.kind {
                SymbolKind::Extension => self.container_of(symbol),
                kind if kind.is_type() => Some(symbol),
                _ => None,
            }
        })
    }

    pub(super) fn path_kind(&self, place: Place, path: &str, depth: usize) -> Option<Kind> {
        if depth > DEEPEST {
            return None;
        }
        let mut segments = path.split('.').peekable();
        let first = segments.next()?;
        let language = self.files.language(place.file);
        let mut kind = self.first_kind(place, first, language, path, depth);
        if kind.is_none() && language == Language::Python {
            return match self.python_dotted(place.file, path)? {
                Meaning::Symbol(symbol) => self.symbol_kind(symbol, depth),
                Meaning::External => Some(Kind::External),
                meaning => Some(Kind::Module(meaning)),
            };
        }
        if kind.is_none() && language == Language::Rust && path.contains('.') {
            let all: Vec<&str> = path.split('.').collect();
            let within = self.rust_within(place.file, place.scope);
            return match self.rust_path(place.file, &within, &all)? {
                Meaning::Symbol(symbol) => self.symbol_kind(symbol, depth),
                Meaning::External => Some(Kind::External),
                meaning => Some(Kind::Module(meaning)),
            };
        }
        for name in segments {
            kind = self.step_kind(kind?, name, depth);
        }
        kind
    }

    fn first_kind(
        &self,
        place: Place,
        first: &str,
        language: Language,
        path: &str,
        depth: usize,
    ) -> Option<Kind> {
        let around = || self.type_around(place.file, place.scope);
        match first {
            "self" | "this" => {
                if first == "self"
                    && language == Language::Rust
                    && path.starts_with("self.")
                    && around().is_none()
                {
                    return None;
                }
                let of = around().or_else(|| self.function_as_type(place, language))?;
                return Some(Kind::Instance(of));
            }
            "Self" => return around().map(Kind::Type),
            "cls" if language == Language::Python => return around().map(Kind::Type),
            "super" if language != Language::Rust => return around().map(Kind::Above),
            "crate" | "super" => return None,
            _ => {}
        }
        if let Some(known) = self.variable_kind(place, first, depth) {
            return known;
        }
        // A field without `this`.
        let implicit_this = !matches!(language, Language::Python | Language::Rust | Language::Go)
            && !ecma(language);
        if implicit_this
            && let Some(of) = around()
            && let Some((file, binding, owner)) = self.field(of, first)
        {
            return self.binding_kind(file, binding, Some(owner), depth);
        }
        if language == Language::Rust {
            let within = self.rust_within(place.file, place.scope);
            return match self.rust_path(place.file, &within, &[first])? {
                Meaning::Symbol(symbol) => self.symbol_kind(symbol, depth),
                Meaning::External => Some(Kind::External),
                meaning => Some(Kind::Module(meaning)),
            };
        }
        match self.path_meaning(place.file, place.scope, first)? {
            Meaning::Symbol(symbol) => self.symbol_kind(symbol, depth),
            Meaning::External => Some(Kind::External),
            meaning => Some(Kind::Module(meaning)),
        }
    }

    /// `this` in a function of JavaScript that is used as a class.
    fn function_as_type(&self, place: Place, language: Language) -> Option<SymbolId> {
        if !ecma(language) {
            return None;
        }
        let facts = self.files.facts(place.file);
        facts.around(place.scope).find_map(|at| {
            let declaration = &facts.declarations[at as usize];
            let symbol = self.files.symbol(place.file, at);
            self.container_of(symbol)
                .or_else(|| (declaration.kind == SymbolKind::Function).then_some(symbol))
        })
    }

    /// A variable by its name; `Some(None)` when there is one of which nothing
    /// is known.
    fn variable_kind(&self, place: Place, name: &str, depth: usize) -> Option<Option<Kind>> {
        let facts = self.files.facts(place.file);
        let scopes = facts.around(place.scope).map(Some).chain([None]);
        for scope in scopes {
            let is_function =
                scope.is_none_or(|at| facts.declarations[at as usize].kind.is_callable());
            if !is_function {
                continue;
            }
            let Some(found) = self.members.bindings.get(&(place.file, scope, name)) else {
                continue;
            };
            // The one before, else, for what is at the top, the first.
            let before = found
                .iter()
                .rev()
                .find(|at| facts.bindings[**at as usize].at < place.at);
            let chosen = match (before, scope) {
                (Some(at), Some(_)) => *at,
                (Some(at), None) => *found
                    .iter()
                    .rev()
                    .find(|at| facts.bindings[**at as usize].hint != TypeHint::Unknown)
                    .unwrap_or(at),
                (None, None) => *found.first()?,
                (None, Some(_)) => continue,
            };
            return Some(self.binding_kind(place.file, chosen, None, depth));
        }
        None
    }

    /// What a binding holds; `owner` is the type whose field it is.
    pub(super) fn binding_kind(
        &self,
        file: FileId,
        binding: u32,
        owner: Option<SymbolId>,
        depth: usize,
    ) -> Option<Kind> {
        let bound = &self.files.facts(file).bindings[binding as usize];
        let place = Place {
            file,
            scope: bound.scope,
            at: bound.at,
        };
        match &bound.hint {
            TypeHint::Named(name) if matches!(name.as_str(), "Self" | "this" | "self") => owner
                .or_else(|| self.type_around(file, bound.scope))
                .map(Kind::Instance),
            TypeHint::Named(name) => self.named_kind(file, bound.scope, name),
            TypeHint::Call(site) => self.site_kind(file, *site, depth + 1),
            TypeHint::Path(path) if path != &bound.name => {
                match self.path_kind(place, path, depth + 1)? {
                    Kind::Type(symbol) => Some(Kind::Type(symbol)),
                    kind => Some(kind),
                }
            }
            TypeHint::Path(_) | TypeHint::Unknown => None,
        }
    }

    fn named_kind(&self, file: FileId, scope: Option<u32>, name: &str) -> Option<Kind> {
        if let Some(of) = self.type_named(file, scope, name) {
            return Some(Kind::Instance(of));
        }
        match self.path_meaning(file, scope, name) {
            Some(Meaning::External) => Some(Kind::External),
            // A built-in type, or one that comes by a wildcard from outside.
            None if !self.files.facts(file).type_names.is_empty() || name.len() > 1 => {
                Some(Kind::External)
            }
            _ => None,
        }
    }

    /// What a symbol is when it is used as a value.
    pub(super) fn symbol_kind(&self, symbol: SymbolId, depth: usize) -> Option<Kind> {
        let declaration = self.files.declaration(symbol);
        if let Some(of) = self.unaliased(symbol, 0) {
            return Some(Kind::Type(of));
        }
        let file = self.files.file_of(symbol);
        match declaration.kind {
            SymbolKind::Variable | SymbolKind::Constant | SymbolKind::Field => {
                if self.files.language(file) == Language::Rust
                    && declaration.kind == SymbolKind::Constant
                    && let Some(of) = self.container_of(symbol)
                    && self.files.declaration(of).kind == SymbolKind::Enum
                {
                    return Some(Kind::Instance(of));
                }
                let found = self.members.bindings.get(&(
                    file,
                    declaration.parent,
                    declaration.name.as_str(),
                ));
                if let Some(kind) =
                    found.and_then(|found| self.binding_kind(file, *found.last()?, None, depth))
                {
                    return Some(kind);
                }
                Some(Kind::Type(symbol))
            }
            SymbolKind::Function if ecma(self.files.language(file)) => Some(Kind::Type(symbol)),
            _ => None,
        }
    }

    /// A field, property or module below something.
    fn step_kind(&self, kind: Kind, name: &str, depth: usize) -> Option<Kind> {
        match kind {
            Kind::Instance(of) | Kind::Type(of) | Kind::Above(of) => {
                if let Some((file, binding, owner)) = self.field(of, name) {
                    return self.binding_kind(file, binding, Some(owner), depth + 1);
                }
                let member = self.member(of, name)?;
                let declaration = self.files.declaration(member);
                if declaration.kind.is_type() {
                    return Some(Kind::Type(member));
                }
                if declaration.kind == SymbolKind::Constant
                    && self.files.declaration(of).kind == SymbolKind::Enum
                {
                    return Some(Kind::Instance(of));
                }
                // A property is read like a field.
                let is_property = declaration
                    .modifiers
                    .iter()
                    .any(|word| matches!(word.as_str(), "property" | "get"))
                    || self.files.language(self.files.file_of(member)) == Language::Dart;
                if is_property {
                    return self.result_kind(member, Some(of));
                }
                None
            }
            Kind::Module(module) => match self.step(module, name)? {
                Meaning::Symbol(symbol) => self.symbol_kind(symbol, depth),
                Meaning::External => Some(Kind::External),
                meaning => Some(Kind::Module(meaning)),
            },
            Kind::External => Some(Kind::External),
        }
    }

    /// What a function gives; `on` is the type that it was called on.
    pub(super) fn result_kind(&self, function: SymbolId, on: Option<SymbolId>) -> Option<Kind> {
        let declaration = self.files.declaration(function);
        if declaration.kind == SymbolKind::Constructor {
            return self.container_of(function).map(Kind::Instance);
        }
        if declaration.kind.is_type() {
            return Some(Kind::Instance(function));
        }
        let result = declaration.result.as_deref()?;
        if matches!(result, "Self" | "this" | "self" | "instancetype") {
            return on
                .or_else(|| self.container_of(function))
                .map(Kind::Instance);
        }
        let file = self.files.file_of(function);
        if matches!(result, "void" | "None" | "()" | "Unit") {
            return Some(Kind::External);
        }
        self.named_kind(file, Some(self.files.index_of(function)), result)
    }

    /// What a call site gives.
    pub(super) fn site_kind(&self, file: FileId, site: u32, depth: usize) -> Option<Kind> {
        if depth > DEEPEST {
            return None;
        }
        let call = &self.files.facts(file).calls[site as usize];
        let on = self.receiver_kind(file, site, depth + 1);
        let owner = match on {
            Some(Kind::Instance(of) | Kind::Type(of)) => Some(of),
            _ => None,
        };
        if let Some(callee) = self.callee(file, site, depth + 1) {
            if callee.confidence < crate::map::KNOWN_CALL {
                return None;
            }
            if call.kind == CallKind::Construct
                || self.files.declaration(callee.symbol).kind.is_type()
            {
                let of = self
                    .container_of(callee.symbol)
                    .filter(|_| self.files.declaration(callee.symbol).kind.is_callable());
                let of = of.unwrap_or(callee.symbol);
                return Some(Kind::Instance(of));
            }
            return self.result_kind(callee.symbol, owner);
        }
        let same = SAME.contains(&call.name.as_str())
            || (self.files.language(file) == Language::Objc
                && (call.name.starts_with("init") || call.name == "new"));
        match on {
            Some(Kind::Type(of) | Kind::Instance(of)) if same => Some(Kind::Instance(of)),
            Some(Kind::External) => Some(Kind::External),
            _ => None,
        }
    }

    /// What a call site is sent to.
    pub(super) fn receiver_kind(&self, file: FileId, site: u32, depth: usize) -> Option<Kind> {
        if depth > DEEPEST {
            return None;
        }
        let call = &self.files.facts(file).calls[site as usize];
        match &call.receiver {
            Receiver::Path(path) => {
                let at = u32::try_from(call.span.start).unwrap_or(u32::MAX);
                self.path_kind(
                    Place {
                        file,
                        scope: call.caller,
                        at,
                    },
                    path,
                    depth + 1,
                )
            }
            Receiver::Call(inner) => self.site_kind(file, *inner, depth + 1),
            Receiver::None | Receiver::Other => None,
        }
    }
}
