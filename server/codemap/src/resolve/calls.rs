//! What a call site leads to, and how sure that is.
//!
//! | how it was found | confidence |
//! | --- | --- |
//! | in the same scope, file or package, or by an import | 0.95 |
//! | a member of the type of the receiver | 0.9 |
//! | one that the type inherits | 0.85 |
//! | the only function of that name among those that are linked (C), when no header of the system can declare it | 0.75 |
//! | the only method of that name in the project | 0.4 |

use asd_syntax::Language;

use super::lookup::is_stub;
use super::members::ecma;
use super::receiver::Kind;
use super::{Meaning, Resolver};
use crate::facts::{CallKind, CallSite, Receiver, SymbolKind};
use crate::map::{CallEdge, FileId, SymbolId};

/// A callee with a confidence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Callee {
    pub symbol: SymbolId,
    pub confidence: f32,
}

pub(super) const NAMED: f32 = 0.95;
pub(super) const MEMBER: f32 = 0.9;
const INHERITED: f32 = 0.85;
pub(super) const LINKED: f32 = 0.75;
pub(super) const GUESSED: f32 = 0.4;

/// Names of methods that every library has: the only one in a project is most
/// often not what is meant.
const COMMON: &[&str] = &[
    "add",
    "all",
    "any",
    "append",
    "apply",
    "as_ref",
    "as_str",
    "bind",
    "call",
    "catch",
    "clear",
    "clone",
    "close",
    "collect",
    "concat",
    "contains",
    "copy",
    "count",
    "create",
    "delete",
    "each",
    "emit",
    "end",
    "entry",
    "equals",
    "error",
    "exec",
    "execute",
    "exists",
    "extend",
    "filter",
    "find",
    "finish",
    "first",
    "flush",
    "forEach",
    "format",
    "from",
    "get",
    "has",
    "hash",
    "hashCode",
    "index",
    "init",
    "insert",
    "into",
    "is_empty",
    "isEmpty",
    "items",
    "iter",
    "join",
    "keys",
    "kind",
    "last",
    "len",
    "length",
    "line",
    "lines",
    "load",
    "lock",
    "log",
    "lower",
    "map",
    "match",
    "matches",
    "merge",
    "message",
    "name",
    "new",
    "next",
    "ok",
    "on",
    "open",
    "parent",
    "parse",
    "path",
    "pop",
    "push",
    "put",
    "read",
    "reduce",
    "remove",
    "render",
    "replace",
    "reset",
    "resolve",
    "run",
    "save",
    "send",
    "set",
    "size",
    "slice",
    "sort",
    "split",
    "start",
    "stop",
    "sub",
    "submit",
    "take",
    "test",
    "text",
    "then",
    "toString",
    "to_string",
    "trim",
    "unwrap",
    "update",
    "upper",
    "value",
    "values",
    "write",
];

impl Resolver<'_> {
    pub(super) fn call_edges(&self) -> Vec<CallEdge> {
        let mut edges = Vec::new();
        for file in self.files.ids() {
            for (site, call) in (0_u32..).zip(&self.files.facts(file).calls) {
                if let Some(callee) = self.callee(file, site, 0) {
                    edges.push(CallEdge {
                        caller: call.caller.map(|at| self.files.symbol(file, at)),
                        file,
                        callee: callee.symbol,
                        site,
                        line: call.line,
                        confidence: callee.confidence,
                    });
                }
            }
        }
        edges
    }

    /// What a call site leads to.
    pub(super) fn callee(&self, file: FileId, site: u32, depth: usize) -> Option<Callee> {
        let key = (file, site);
        if let Some(known) = self.sites.borrow().get(&key) {
            return *known;
        }
        if !self.open_sites.borrow_mut().insert(key) {
            return None;
        }
        let call = &self.files.facts(file).calls[site as usize];
        let found = self.callee_now(file, site, call, depth);
        self.open_sites.borrow_mut().remove(&key);
        // What was given up for depth may be found from elsewhere.
        if found.is_some() || depth <= 2 {
            self.sites.borrow_mut().insert(key, found);
        }
        found
    }

    fn callee_now(&self, file: FileId, site: u32, call: &CallSite, depth: usize) -> Option<Callee> {
        match &call.receiver {
            Receiver::None => self.plain(file, call),
            _ => {
                let kind = self.receiver_kind(file, site, depth);
                match kind {
                    Some(kind) => self.on(kind, call, file),
                    None if self.is_path(file, call) => None,
                    None => self.guess(file, call),
                }
            }
        }
    }

    /// A path of types and modules is known wholly or not at all.
    fn is_path(&self, file: FileId, call: &CallSite) -> bool {
        matches!(
            call.kind,
            CallKind::Path | CallKind::Construct | CallKind::Macro
        ) && self.files.language(file) == Language::Rust
    }

    /// A call without a receiver.
    fn plain(&self, file: FileId, call: &CallSite) -> Option<Callee> {
        let facts = self.files.facts(file);
        let language = facts.language;
        let name = call.name.as_str();
        if language == Language::Rust {
            return self.rust_plain(file, call);
        }
        // What is declared in the function itself, or in one around it.
        for scope in facts.around(call.caller) {
            let symbol = self.files.symbol(file, scope);
            let declaration = &facts.declarations[scope as usize];
            if declaration.kind.is_callable() {
                if let Some(inner) = self
                    .nested(symbol, name)
                    .filter(|inner| self.is_target(*inner))
                {
                    return Some(Callee {
                        symbol: inner,
                        confidence: NAMED,
                    });
                }
                // A variable hides what is outside.
                let is_variable = self
                    .members
                    .bindings
                    .contains_key(&(file, Some(scope), name));
                if is_variable && call.kind == CallKind::Plain && !c_like(language) {
                    return None;
                }
            }
        }
        let implicit_this = matches!(
            language,
            Language::Java | Language::Kotlin | Language::Swift | Language::Cpp | Language::Dart
        );
        if implicit_this && call.kind == CallKind::Plain {
            let mut around = self.type_around(file, call.caller);
            while let Some(of) = around {
                if let Some((member, inherited)) = self.method(of, call) {
                    let confidence = if inherited { INHERITED } else { MEMBER };
                    return Some(Callee {
                        symbol: member,
                        confidence,
                    });
                }
                let outer = self.files.declaration(of).parent;
                around = self.type_around(self.files.file_of(of), outer);
            }
        }
        if c_like(language) {
            return self.linked(file, call);
        }
        let meaning = self.path_meaning(file, call.caller, name).or_else(|| {
            (language == Language::Python)
                .then(|| self.python_dotted(file, name))
                .flatten()
        })?;
        match meaning {
            Meaning::Symbol(symbol) => self.target(symbol, call).map(|symbol| Callee {
                symbol,
                confidence: NAMED,
            }),
            Meaning::File(module) => match self.exported(module, "=")? {
                Meaning::Symbol(symbol) => self.target(symbol, call).map(|symbol| Callee {
                    symbol,
                    confidence: NAMED,
                }),
                _ => None,
            },
            _ => None,
        }
    }

    pub(super) fn definition(&self, symbols: &[SymbolId]) -> Option<SymbolId> {
        symbols
            .iter()
            .copied()
            .find(|symbol| self.files.declaration(*symbol).has_body)
            .or_else(|| symbols.first().copied())
    }

    /// A call on something whose kind is known.
    fn on(&self, kind: Kind, call: &CallSite, file: FileId) -> Option<Callee> {
        let member = |of: SymbolId| {
            let (symbol, inherited) = self.method(of, call)?;
            let symbol = self.target(symbol, call)?;
            Some(Callee {
                symbol,
                confidence: if inherited { INHERITED } else { MEMBER },
            })
        };
        match kind {
            Kind::Type(of) => {
                if call.kind == CallKind::Construct && matches!(call.name.as_str(), "<init>") {
                    return self.constructor(of, call).map(|symbol| Callee {
                        symbol,
                        confidence: MEMBER,
                    });
                }
                member(of)
            }
            Kind::Instance(of) => {
                if call.name == "<init>" {
                    return self.constructor(of, call).map(|symbol| Callee {
                        symbol,
                        confidence: MEMBER,
                    });
                }
                member(of)
            }
            Kind::Above(of) => self
                .lineage(of)
                .into_iter()
                .skip(1)
                .find_map(|above| {
                    if call.name == "<init>"
                        || (call.name == "constructor" && ecma(self.files.language(file)))
                    {
                        return self.constructor(above, call);
                    }
                    self.overload(self.own_members(above, &call.name), call)
                })
                .map(|symbol| Callee {
                    symbol,
                    confidence: INHERITED,
                }),
            Kind::Module(module) => {
                let found = self.step(module, &call.name).or_else(|| match module {
                    // A CommonJS module that is a class or an object.
                    Meaning::File(file) => match self.exported(file, "=")? {
                        Meaning::Symbol(of) => self.member(of, &call.name).map(Meaning::Symbol),
                        _ => None,
                    },
                    _ => None,
                })?;
                match found {
                    Meaning::Symbol(symbol) => {
                        let symbol = self.target(symbol, call)?;
                        Some(Callee {
                            symbol,
                            confidence: NAMED,
                        })
                    }
                    _ => None,
                }
            }
            Kind::External => None,
        }
    }

    /// A method of a type, the one whose parameters fit when there are several.
    fn method(&self, of: SymbolId, call: &CallSite) -> Option<(SymbolId, bool)> {
        let name = call.name.as_str();
        let mut first = None;
        for (depth, at) in self.lineage(of).into_iter().enumerate() {
            let own = self.own_members(at, name);
            if let Some(exact) = own.iter().copied().find(|symbol| self.fits(*symbol, call)) {
                return Some((exact, depth > 0));
            }
            if first.is_none() {
                first = self.overload(own, call).map(|symbol| (symbol, depth > 0));
            }
            if first.is_some() && !overloads(self.files.language(self.files.file_of(at))) {
                break;
            }
        }
        first
    }

    fn fits(&self, symbol: SymbolId, call: &CallSite) -> bool {
        let declaration = self.files.declaration(symbol);
        declaration.kind.is_callable()
            && declaration.parameters == call.arguments
            && declaration.has_body
            && !is_stub(declaration)
    }

    pub(super) fn overload(&self, symbols: &[SymbolId], call: &CallSite) -> Option<SymbolId> {
        symbols
            .iter()
            .copied()
            .filter(|symbol| {
                self.is_target(*symbol) || self.files.declaration(*symbol).kind == SymbolKind::Field
            })
            .min_by_key(|symbol| {
                let declaration = self.files.declaration(*symbol);
                let misfit = declaration.parameters.abs_diff(call.arguments);
                (
                    !declaration.kind.is_callable(),
                    is_stub(declaration),
                    misfit,
                    !declaration.has_body,
                    *symbol,
                )
            })
            .filter(|symbol| self.is_target(*symbol))
    }

    pub(super) fn is_target(&self, symbol: SymbolId) -> bool {
        let kind = self.files.declaration(symbol).kind;
        kind.is_callable() || kind.is_type()
    }

    /// What a call of a symbol runs: a function itself, of a type its
    /// constructor, else the type.
    pub(super) fn target(&self, symbol: SymbolId, call: &CallSite) -> Option<SymbolId> {
        let declaration = self.files.declaration(symbol);
        if declaration.kind.is_callable() {
            // Another one of the same name may fit better.
            let file = self.files.file_of(symbol);
            if overloads(self.files.language(file)) && declaration.parent.is_none() {
                let others: Vec<SymbolId> = match self.layout.package_of[file.0 as usize] {
                    Some(package) => self
                        .layout
                        .package_top
                        .get(&(package, declaration.name.as_str()))
                        .cloned()
                        .unwrap_or_default(),
                    None => self.files.top(file, &declaration.name).to_vec(),
                };
                return self.overload(&others, call).or(Some(symbol));
            }
            return Some(symbol);
        }
        let of = self
            .unaliased(symbol, 0)
            .or_else(|| declaration.kind.is_type().then_some(symbol))?;
        self.constructor(of, call)
    }

    /// The constructor of a type, else the type itself.
    fn constructor(&self, of: SymbolId, call: &CallSite) -> Option<SymbolId> {
        let language = self.files.language(self.files.file_of(of));
        let name = match language {
            Language::Python => "__init__",
            Language::Swift => "init",
            _ if ecma(language) => "constructor",
            Language::Java | Language::Kotlin | Language::Cpp | Language::Dart => {
                self.files.declaration(of).name.as_str()
            }
            _ => return Some(of),
        };
        let own: Vec<SymbolId> = self
            .own_members(of, name)
            .iter()
            .copied()
            .filter(|symbol| self.files.declaration(*symbol).kind == SymbolKind::Constructor)
            .collect();
        Some(self.overload(&own, call).unwrap_or(of))
    }

    /// The only method of a name, when the receiver says nothing.
    fn guess(&self, file: FileId, call: &CallSite) -> Option<Callee> {
        let name = call.name.as_str();
        if call.kind != CallKind::Member || name.len() < 3 || COMMON.contains(&name) {
            return None;
        }
        let language = self.files.language(file);
        let mut found = self
            .members
            .callable
            .get(name)?
            .iter()
            .copied()
            .filter(|symbol| {
                let declaration = self.files.declaration(*symbol);
                self.container_of(*symbol).is_some()
                    && declaration.kind == SymbolKind::Method
                    && related(self.files.language(self.files.file_of(*symbol)), language)
            });
        let first = found.next()?;
        if let Some(second) = found.next() {
            // A declaration and its definition are one.
            let same =
                self.container_of(first) == self.container_of(second) && found.next().is_none();
            if !same {
                return None;
            }
            let symbol = self.definition(&[first, second])?;
            return Some(Callee {
                symbol,
                confidence: GUESSED,
            });
        }
        Some(Callee {
            symbol: first,
            confidence: GUESSED,
        })
    }
}

pub(super) fn c_like(language: Language) -> bool {
    matches!(language, Language::C | Language::Cpp | Language::Objc)
}

/// Whether functions of one name may differ in their parameters.
fn overloads(language: Language) -> bool {
    matches!(
        language,
        Language::Java | Language::Kotlin | Language::Swift | Language::Cpp
    )
}

fn related(one: Language, other: Language) -> bool {
    one == other
        || (ecma(one) && ecma(other))
        || (c_like(one) && c_like(other))
        || (matches!(one, Language::Java | Language::Kotlin)
            && matches!(other, Language::Java | Language::Kotlin))
        || (matches!(one, Language::Swift | Language::Objc)
            && matches!(other, Language::Swift | Language::Objc))
}
