//! Which file needs which.

use std::collections::BTreeMap;

use asd_syntax::Language;

use super::{Meaning, Resolver};
use crate::facts::{Import, ImportStyle};
use crate::map::{CodeMap, External, FileId, ImportEdge, ImportKind};

impl Resolver<'_> {
    pub(super) fn edges(&self, map: &mut CodeMap) {
        let mut edges: BTreeMap<(FileId, FileId, ImportKind), u32> = BTreeMap::new();
        for file in self.files.ids() {
            let facts = self.files.facts(file);
            for (index, import) in facts.imports.iter().enumerate() {
                let targets = self.targets(file, index, import);
                if let Targets::Files(files) = &targets {
                    for to in files {
                        if *to != file {
                            let line = edges
                                .entry((file, *to, kind(import)))
                                .or_insert(import.line);
                            *line = import.line.min(*line);
                        }
                    }
                }
                let is_broken = match targets {
                    Targets::Files(_) => continue,
                    Targets::External => false,
                    Targets::Unknown => true,
                };
                if import.style != ImportStyle::Path {
                    map.externals.push(External {
                        from: file,
                        module: external_name(facts.language, import),
                        line: import.line,
                        is_broken,
                    });
                }
            }
            for to in self.neighbours(file) {
                if to != file
                    && !edges
                        .range((file, to, ImportKind::Import)..=(file, to, ImportKind::Implicit))
                        .any(|_| true)
                {
                    edges.insert((file, to, ImportKind::Implicit), 0);
                }
            }
        }
        map.imports = edges
            .into_iter()
            .map(|((from, to, kind), line)| ImportEdge {
                from,
                to,
                kind,
                line,
            })
            .collect();
        map.externals.sort();
        map.externals.dedup();
    }

    /// The files that an import leads to.
    fn targets(&self, file: FileId, index: usize, import: &Import) -> Targets {
        let language = self.files.language(file);
        match language {
            Language::Rust => self.rust_targets(file, index, import),
            Language::Python => self.python_targets(file, index, import),
            Language::Go => match self.module_of(file, index) {
                Some(Meaning::Package(package)) => self.go_targets(file, index, import, package),
                _ => Targets::External,
            },
            Language::Java | Language::Kotlin => self.jvm_targets(file, index, import),
            Language::Swift => match self.module_of(file, index) {
                Some(Meaning::Package(package)) => {
                    let used = &self.files.facts(file).type_names;
                    Targets::Files(self.declaring(package, used.iter().map(String::as_str)))
                }
                _ => Targets::External,
            },
            _ => match self.module_of(file, index) {
                Some(Meaning::File(to)) => Targets::Files(vec![to]),
                Some(_) => Targets::External,
                None => Targets::Unknown,
            },
        }
    }

    fn rust_targets(&self, file: FileId, index: usize, import: &Import) -> Targets {
        let meaning = match (import.style, import.names.first()) {
            (ImportStyle::Module, _) => self.module_of(file, index),
            (_, Some(name)) if name.name != "*" => {
                let mut segments: Vec<&str> = import
                    .module
                    .split("::")
                    .filter(|part| !part.is_empty())
                    .collect();
                segments.push(&name.name);
                let whole = self.rust_path(file, &import.within, &segments);
                // A path in the code may end in something that is not known, as
                // a method of a trait; the type before it is.
                whole.or_else(|| {
                    segments.pop();
                    if import.style == ImportStyle::Path && !segments.is_empty() {
                        self.rust_path(file, &import.within, &segments)
                    } else {
                        None
                    }
                })
            }
            (_, _) => self.module_of(file, index),
        };
        match meaning {
            Some(Meaning::Symbol(symbol)) => Targets::Files(vec![self.files.file_of(symbol)]),
            Some(Meaning::File(to)) => Targets::Files(vec![to]),
            Some(_) => Targets::External,
            None => {
                let inner = matches!(
                    import.module.split("::").next(),
                    Some("crate" | "self" | "super")
                );
                if inner || import.style == ImportStyle::Module {
                    Targets::Unknown
                } else {
                    Targets::External
                }
            }
        }
    }

    /// `from a import b` leads to the module `a.b` when there is one, else to
    /// `a`.
    fn python_targets(&self, file: FileId, index: usize, import: &Import) -> Targets {
        let module = self.module_of(file, index);
        if import.names.is_empty() {
            return match module {
                Some(Meaning::File(to)) => Targets::Files(vec![to]),
                Some(_) => Targets::External,
                None => Targets::Unknown,
            };
        }
        let mut files = Vec::new();
        for name in &import.names {
            let child = match module {
                Some(Meaning::File(package)) => {
                    // What the package itself defines hides a module of that name.
                    let defined = !self.files.top(package, &name.name).is_empty();
                    let child = self.python_child(package, &name.name);
                    child.filter(|_| !defined).or(Some(package))
                }
                _ => self.python_namespace(file, &import.module, &name.name),
            };
            files.extend(child);
        }
        files.sort_unstable();
        files.dedup();
        match (files.is_empty(), module) {
            (false, _) => Targets::Files(files),
            (true, Some(_)) => Targets::External,
            (true, None) => Targets::Unknown,
        }
    }

    fn go_targets(&self, file: FileId, index: usize, import: &Import, package: u32) -> Targets {
        let local = self.go_local_name(import, self.module_of(file, index));
        let prefix = format!("{local}.");
        let used = self
            .files
            .facts(file)
            .type_names
            .iter()
            .filter_map(|name| name.strip_prefix(&prefix));
        let mut files = self.declaring(package, used);
        if files.is_empty() {
            // Imported for what it does when it starts.
            let all = &self.layout.packages[package as usize].files;
            files = all
                .iter()
                .copied()
                .filter(|file| !self.files.sources[file.0 as usize].is_test)
                .take(1)
                .collect();
        }
        Targets::Files(files)
    }

    fn jvm_targets(&self, file: FileId, index: usize, import: &Import) -> Targets {
        let Some(name) = import.names.first() else {
            return Targets::External;
        };
        match self.module_of(file, index) {
            Some(Meaning::Package(package)) if name.name == "*" => {
                let used = self.files.facts(file).type_names.iter().map(String::as_str);
                Targets::Files(self.declaring(package, used))
            }
            Some(Meaning::Package(package)) => {
                match self.layout.package_top.get(&(package, name.name.as_str())) {
                    Some(found) => {
                        let mut files: Vec<FileId> = found
                            .iter()
                            .map(|symbol| self.files.file_of(*symbol))
                            .collect();
                        files.sort_unstable();
                        files.dedup();
                        Targets::Files(files)
                    }
                    None => Targets::External,
                }
            }
            Some(Meaning::Symbol(class)) => Targets::Files(vec![self.files.file_of(class)]),
            _ => Targets::External,
        }
    }

    /// The files of a package that declare one of these names.
    fn declaring<'n>(&self, package: u32, names: impl Iterator<Item = &'n str>) -> Vec<FileId> {
        let mut files: Vec<FileId> = names
            .filter_map(|name| self.in_package(package, name))
            .map(|symbol| self.files.file_of(symbol))
            .collect();
        files.sort_unstable();
        files.dedup();
        files
    }

    /// Files of the same package that are used without an import.
    fn neighbours(&self, file: FileId) -> Vec<FileId> {
        let Some(package) = self.layout.package_of[file.0 as usize] else {
            return Vec::new();
        };
        let facts = self.files.facts(file);
        let called = facts
            .calls
            .iter()
            .filter(|call| call.receiver == crate::facts::Receiver::None)
            .map(|call| call.name.as_str());
        let mut used: Vec<&str> = facts.type_names.iter().map(String::as_str).collect();
        if facts.language != Language::Java {
            used.extend(called);
        }
        used.sort_unstable();
        used.dedup();
        let own = used
            .into_iter()
            .filter(|name| self.files.top(file, name).is_empty())
            .filter(|name| {
                // What is imported by this name is another thing.
                !facts
                    .imports
                    .iter()
                    .any(|import| import.names.iter().any(|one| one.local == *name))
            });
        self.declaring(package, own)
    }
}

enum Targets {
    Files(Vec<FileId>),
    External,
    Unknown,
}

fn kind(import: &Import) -> ImportKind {
    match import.style {
        ImportStyle::Import | ImportStyle::Quoted | ImportStyle::System => ImportKind::Import,
        ImportStyle::Reexport => ImportKind::Reexport,
        ImportStyle::Types => ImportKind::Types,
        ImportStyle::Dynamic => ImportKind::Dynamic,
        ImportStyle::Module | ImportStyle::Part => ImportKind::Part,
        ImportStyle::Path => ImportKind::Path,
    }
}

/// What is imported, as one would name it.
fn external_name(language: Language, import: &Import) -> String {
    match (language, import.names.first()) {
        (Language::Java | Language::Kotlin, Some(name)) if name.name != "*" => {
            format!("{}.{}", import.module, name.name)
        }
        (Language::Rust, Some(name)) if import.module.is_empty() => name.name.clone(),
        _ => import.module.clone(),
    }
}
