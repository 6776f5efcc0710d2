//! Calls without a receiver in languages whose functions are seen in their own
//! ways: items and macros of Rust, what is linked in C.

use super::calls::{Callee, GUESSED, LINKED, MEMBER, NAMED, c_like};
use super::{Meaning, Resolver};
use crate::facts::{CallKind, CallSite, SymbolKind};
use crate::map::{FileId, SymbolId};

impl Resolver<'_> {
    /// A function of C: here, in what is included, or the only one that is
    /// linked.
    pub(super) fn linked(&self, file: FileId, call: &CallSite) -> Option<Callee> {
        let name = call.name.as_str();
        if call.kind == CallKind::Construct || self.members.c_types.contains_key(name) {
            let symbol = self.c_type(file, name)?;
            let constructor = self.overload(self.own_members(symbol, name), call);
            return Some(Callee {
                symbol: constructor.unwrap_or(symbol),
                confidence: MEMBER,
            });
        }
        let found = self.members.callable.get(name)?;
        let free: Vec<SymbolId> = found
            .iter()
            .copied()
            .filter(|symbol| {
                let declaration = self.files.declaration(*symbol);
                let hidden = declaration.modifiers.iter().any(|word| word == "static")
                    && self.files.file_of(*symbol) != file
                    && !crate::path::name(self.files.path(self.files.file_of(*symbol)))
                        .contains(".h");
                matches!(declaration.kind, SymbolKind::Function | SymbolKind::Macro)
                    && !hidden
                    && c_like(self.files.language(self.files.file_of(*symbol)))
            })
            .collect();
        let here: Vec<SymbolId> = free
            .iter()
            .copied()
            .filter(|symbol| self.files.file_of(*symbol) == file)
            .collect();
        if let Some(symbol) = here
            .iter()
            .copied()
            .find(|symbol| self.files.declaration(*symbol).has_body)
        {
            return Some(Callee {
                symbol,
                confidence: NAMED,
            });
        }
        // Declared in a header, defined in one place.
        let defined: Vec<SymbolId> = free
            .iter()
            .copied()
            .filter(|symbol| self.files.declaration(*symbol).has_body)
            .collect();
        let seen = self.included(file);
        let visible: Vec<SymbolId> = free
            .iter()
            .copied()
            .filter(|symbol| seen.contains(&self.files.file_of(*symbol)))
            .collect();
        let visible_definition = visible
            .iter()
            .copied()
            .find(|symbol| self.files.declaration(*symbol).has_body);
        if let Some(symbol) = visible_definition {
            return Some(Callee {
                symbol,
                confidence: NAMED,
            });
        }
        // Several in one file are for several builds.
        let one_file = defined.first().filter(|first| {
            defined
                .iter()
                .all(|symbol| self.files.file_of(*symbol) == self.files.file_of(**first))
        });
        if let (Some(first), [_, ..]) = (one_file, visible.as_slice()) {
            return Some(Callee {
                symbol: *first,
                confidence: MEMBER,
            });
        }
        match (defined.as_slice(), visible.as_slice()) {
            ([only], [_, ..]) => Some(Callee {
                symbol: *only,
                confidence: MEMBER,
            }),
            // Declared by no header that is read: perhaps by one of the system.
            ([only], []) => {
                let has_others = seen
                    .iter()
                    .any(|file| self.modules[file.0 as usize].contains(&Some(Meaning::External)));
                let confidence = if has_others { GUESSED } else { LINKED };
                Some(Callee {
                    symbol: *only,
                    confidence,
                })
            }
            (_, [first, ..]) => {
                // Several programs define it: the one that lies nearest.
                let path = self.files.path(file);
                let near = defined
                    .iter()
                    .copied()
                    .filter(|symbol| {
                        crate::path::folder(self.files.path(self.files.file_of(*symbol)))
                            == crate::path::folder(path)
                    })
                    .collect::<Vec<_>>();
                match near.as_slice() {
                    [only] => Some(Callee {
                        symbol: *only,
                        confidence: LINKED,
                    }),
                    _ => Some(Callee {
                        symbol: *first,
                        confidence: LINKED,
                    }),
                }
            }
            _ => None,
        }
    }

    pub(super) fn rust_plain(&self, file: FileId, call: &CallSite) -> Option<Callee> {
        let facts = self.files.facts(file);
        let name = call.name.as_str();
        for scope in facts.around(call.caller) {
            let declaration = &facts.declarations[scope as usize];
            if declaration.kind.is_callable() {
                let symbol = self.files.symbol(file, scope);
                if let Some(inner) = self
                    .nested(symbol, name)
                    .filter(|inner| self.is_target(*inner))
                {
                    return Some(Callee {
                        symbol: inner,
                        confidence: NAMED,
                    });
                }
                if self
                    .members
                    .bindings
                    .contains_key(&(file, Some(scope), name))
                    && call.kind == CallKind::Plain
                {
                    return None;
                }
            }
        }
        if name == "Self" {
            let symbol = self.type_around(file, call.caller)?;
            return Some(Callee {
                symbol,
                confidence: MEMBER,
            });
        }
        let wants_macro = call.kind == CallKind::Macro;
        // Of several things of one name a macro is not called like a function.
        let matching = |symbol: &SymbolId| {
            (self.files.declaration(*symbol).kind == SymbolKind::Macro) == wants_macro
        };
        let within = self.rust_within(file, call.caller);
        let in_module: Option<SymbolId> = self
            .files
            .top(file, name)
            .iter()
            .copied()
            .filter(matching)
            .find(|symbol| {
                self.rust_within(file, self.files.declaration(*symbol).parent) == within
            });
        if let Some(symbol) = in_module {
            return self.target(symbol, call).map(|symbol| Callee {
                symbol,
                confidence: NAMED,
            });
        }
        if wants_macro {
            // Macros are seen by the order of the text, or everywhere.
            let found: Vec<SymbolId> = self
                .members
                .callable
                .get(name)
                .into_iter()
                .flatten()
                .copied()
                .filter(matching)
                .filter(|symbol| {
                    // One in an inline module is seen there only, unless it is exported.
                    let declaration = self.files.declaration(*symbol);
                    let inside = self.rust_within(self.files.file_of(*symbol), declaration.parent);
                    inside.is_empty()
                        || declaration.annotations.iter().any(|a| a == "macro_export")
                        || (self.files.file_of(*symbol) == file && within.starts_with(&inside))
                })
                .collect();
            let here = found
                .iter()
                .copied()
                .find(|symbol| self.files.file_of(*symbol) == file);
            let symbol = match (here, found.as_slice()) {
                (Some(here), _) => here,
                (None, [only]) => *only,
                _ => return None,
            };
            return Some(Callee {
                symbol,
                confidence: LINKED,
            });
        }
        match self.rust_path(file, &within, &[name])? {
            Meaning::Symbol(symbol) if matching(&symbol) => {
                self.target(symbol, call).map(|symbol| Callee {
                    symbol,
                    confidence: NAMED,
                })
            }
            _ => None,
        }
    }
}
