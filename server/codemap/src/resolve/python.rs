//! Modules of Python.

use super::{Meaning, Resolver};
use crate::map::FileId;
use crate::path::folder;

impl Resolver<'_> {
    pub(super) fn python_module(&self, file: FileId, module: &str) -> Option<Meaning> {
        let path = self.files.path(file);
        let dots = module.chars().take_while(|c| *c == '.').count();
        let rest = module[dots..].replace('.', "/");
        if dots > 0 {
            let mut base = folder(path);
            for _ in 1..dots {
                if base.is_empty() {
                    return None;
                }
                base = folder(base);
            }
            return self.python_at(base, &rest);
        }
        // A package sees what its own root holds before others.
        let nearest = self
            .layout
            .python_roots
            .iter()
            .rev()
            .filter(|root| crate::path::is_below(path, root))
            .chain(&self.layout.python_roots);
        for root in nearest {
            if let Some(found) = self.python_at(root, &rest) {
                return Some(found);
            }
        }
        // A script sees its neighbours.
        self.python_at(folder(path), &rest)
            .filter(|_| {
                self.files
                    .at(&format!("{}/__init__.py", folder(path)))
                    .is_none()
            })
            .or(Some(Meaning::External))
    }

    /// The module at a path: a file, a package, or a folder without
    /// `__init__.py`, which is a package too when there is Python in it.
    pub(super) fn python_at(&self, base: &str, rest: &str) -> Option<Meaning> {
        let at = match (base.is_empty(), rest.is_empty()) {
            (true, _) => rest.to_owned(),
            (false, true) => base.to_owned(),
            (false, false) => format!("{base}/{rest}"),
        };
        let prefix = if at.is_empty() {
            String::new()
        } else {
            format!("{at}/")
        };
        let candidates = [
            format!("{prefix}__init__.py"),
            format!("{at}.py"),
            format!("{prefix}__init__.pyi"),
            format!("{at}.pyi"),
        ];
        candidates
            .iter()
            .find_map(|path| self.files.at(path))
            .map(Meaning::File)
    }

    /// A module below another one.
    pub(super) fn python_child(&self, package: FileId, name: &str) -> Option<FileId> {
        let path = self.files.path(package);
        let file = crate::path::name(path);
        if !file.starts_with("__init__.") {
            return None;
        }
        match self.python_at(folder(path), name)? {
            Meaning::File(file) => Some(file),
            _ => None,
        }
    }

    /// The submodules of a folder without `__init__.py`.
    pub(super) fn python_namespace(
        &self,
        file: FileId,
        module: &str,
        name: &str,
    ) -> Option<FileId> {
        let path = format!(
            "{module}{}{name}",
            if module.ends_with('.') { "" } else { "." }
        );
        match self.python_module(file, &path)? {
            Meaning::File(file) => Some(file),
            _ => None,
        }
    }
}
