//! Modules of JavaScript and TypeScript.

use super::{Meaning, Resolver};
use crate::map::FileId;
use crate::path::{folder, is_below, join};

/// What may be left out of the name of a module, in the order in which it is
/// tried.
const EXTENSIONS: &[&str] = &[
    ".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".vue", ".svelte",
    ".json",
];

/// The extension of what is compiled, and those of its sources.
const COMPILED: &[(&str, &[&str])] = &[
    (".js", &[".ts", ".tsx", ".d.ts", ".jsx"]),
    (".jsx", &[".tsx"]),
    (".mjs", &[".mts", ".d.mts"]),
    (".cjs", &[".cts", ".d.cts"]),
];

impl Resolver<'_> {
    pub(super) fn ecma_module(&self, file: FileId, module: &str) -> Option<Meaning> {
        // Queries of bundlers say how, not what.
        let module = module.split(['?', '!']).next().unwrap_or(module);
        let path = self.files.path(file);
        if module.starts_with('.') {
            return self
                .ecma_file(&join(folder(path), module)?)
                .map(Meaning::File);
        }
        if let Some(rest) = module.strip_prefix('/') {
            return self.ecma_file(rest).map(Meaning::File);
        }
        let aliased = self
            .ecma_alias(path, module)
            .or_else(|| self.ecma_subpath(path, module));
        if let Some(found) = aliased.or_else(|| self.ecma_package(module)) {
            return Some(Meaning::File(found));
        }
        Some(Meaning::External)
    }

    /// A file by a path without its extension, or the index of a folder.
    fn ecma_file(&self, path: &str) -> Option<FileId> {
        let files = &self.files;
        if let Some(found) = files.at(path) {
            return Some(found);
        }
        for (compiled, sources) in COMPILED {
            if let Some(stem) = path.strip_suffix(compiled)
                && let Some(found) = sources.iter().find_map(|e| files.at(&format!("{stem}{e}")))
            {
                return Some(found);
            }
        }
        if let Some(found) = EXTENSIONS
            .iter()
            .find_map(|e| files.at(&format!("{path}{e}")))
        {
            return Some(found);
        }
        // A folder with a package.json of its own.
        if let Some(inner) = self
            .layout
            .node
            .values()
            .find(|named| named.folder == path && !path.is_empty())
            && let Some(found) = self.ecma_export(inner.folder, inner.manifest, ".")
        {
            return Some(found);
        }
        EXTENSIONS.iter().find_map(|e| {
            let index = if path.is_empty() {
                format!("index{e}")
            } else {
                format!("{path}/index{e}")
            };
            files.at(&index)
        })
    }

    /// `paths` and `baseUrl` of the nearest configuration.
    fn ecma_alias(&self, path: &str, module: &str) -> Option<FileId> {
        for (at, configuration) in &self.layout.configurations {
            if !is_below(path, at) {
                continue;
            }
            let mut best: Option<(usize, &Vec<String>, &str)> = None;
            for (pattern, targets) in &configuration.paths {
                let matched = match pattern.split_once('*') {
                    Some((start, end)) => module
                        .strip_prefix(start)
                        .and_then(|rest| rest.strip_suffix(end))
                        .map(|rest| (start.len(), rest)),
                    None => (pattern == module).then_some((usize::MAX, "")),
                };
                if let Some((length, rest)) = matched
                    && best.is_none_or(|(longest, ..)| length > longest)
                {
                    best = Some((length, targets, rest));
                }
            }
            if let Some((_, targets, rest)) = best
                && let Some(found) = targets
                    .iter()
                    .find_map(|target| self.ecma_file(&target.replacen('*', rest, 1)))
            {
                return Some(found);
            }
            if let Some(base) = &configuration.base
                && let Some(found) = join(base, module).and_then(|path| self.ecma_file(&path))
            {
                return Some(found);
            }
        }
        None
    }

    /// `#name` of the nearest package.
    fn ecma_subpath(&self, path: &str, module: &str) -> Option<FileId> {
        if !module.starts_with('#') {
            return None;
        }
        let named = self
            .layout
            .subpaths
            .iter()
            .find(|named| is_below(path, named.folder))?;
        named
            .manifest
            .aliases
            .iter()
            .find_map(|(pattern, targets)| {
                let rest = match pattern.split_once('*') {
                    Some((start, end)) => module.strip_prefix(start)?.strip_suffix(end)?,
                    None => (pattern == module).then_some("")?,
                };
                targets.iter().find_map(|target| {
                    let target = target.replacen('*', rest, 1);
                    self.ecma_file(&join(named.folder, &target)?)
                })
            })
    }

    /// A package of this repository by its name.
    fn ecma_package(&self, module: &str) -> Option<FileId> {
        let mut end = 0;
        let parts = if module.starts_with('@') { 2 } else { 1 };
        for _ in 0..parts {
            end = module[end..]
                .find('/')
                .map_or(module.len(), |at| end + at + 1);
        }
        let package = module[..end].trim_end_matches('/');
        let named = self.layout.node.get(package)?;
        let rest = module[end..].trim_matches('/');
        let subpath = if rest.is_empty() {
            ".".to_owned()
        } else {
            format!("./{rest}")
        };
        self.ecma_export(named.folder, named.manifest, &subpath)
            .or_else(|| {
                if rest.is_empty() {
                    None
                } else {
                    self.ecma_file(&join(named.folder, rest)?)
                }
            })
    }

    fn ecma_export(
        &self,
        at: &str,
        manifest: &crate::manifest::Manifest,
        subpath: &str,
    ) -> Option<FileId> {
        for (pattern, target) in &manifest.exports {
            let rest = match pattern.split_once('*') {
                Some((start, end)) => match subpath
                    .strip_prefix(start)
                    .and_then(|rest| rest.strip_suffix(end))
                {
                    Some(rest) => rest,
                    None => continue,
                },
                None if pattern == subpath => "",
                None => continue,
            };
            let target = target.replacen('*', rest, 1);
            let Some(path) = join(at, &target) else {
                continue;
            };
            if let Some(found) = self
                .ecma_file(&path)
                .or_else(|| self.ecma_source(at, &path))
            {
                return Some(found);
            }
        }
        if subpath == "." {
            return ["src/index", "index", "src/main", "lib/index"]
                .into_iter()
                .find_map(|guess| self.ecma_file(&join(at, guess)?));
        }
        None
    }

    /// The source of a file that is only there after a build.
    fn ecma_source(&self, at: &str, path: &str) -> Option<FileId> {
        let inner = path.strip_prefix(at)?.trim_start_matches('/');
        let (first, rest) = inner.split_once('/')?;
        if !matches!(
            first,
            "dist" | "lib" | "build" | "out" | "esm" | "cjs" | "es"
        ) {
            return None;
        }
        let stem = rest.split('.').next().unwrap_or(rest);
        let without = |prefix: &str| {
            rest.strip_prefix(prefix)
                .map(|rest| rest.split('.').next().unwrap_or(rest))
        };
        let stem = without("esm/")
            .or_else(|| without("cjs/"))
            .or_else(|| without("types/"))
            .unwrap_or(stem);
        self.ecma_file(&join(at, &format!("src/{stem}"))?)
    }
}
