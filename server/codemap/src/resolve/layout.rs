//! Where things lie: targets, packages, crate roots, aliases, include folders.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use asd_syntax::Language;

use super::files::Files;
use crate::facts::ImportStyle;
use crate::manifest::Manifest;
use crate::map::{FileId, SymbolId, Target};
use crate::path::{folder, is_below, join, name};
use crate::source::Sources;

/// Files that see each other without an import.
pub(crate) struct Package {
    pub files: Vec<FileId>,
}

/// A crate, or another package with a name and a folder.
pub(crate) struct Named<'s> {
    pub folder: &'s str,
    pub manifest: &'s Manifest,
}

#[derive(Default)]
pub(crate) struct Layout<'s> {
    pub name: String,
    pub frameworks: Vec<String>,
    pub targets: Vec<Target>,
    pub target_of: Vec<u32>,
    pub packages: Vec<Package>,
    /// The package of a file, where its language has such.
    pub package_of: Vec<Option<u32>>,
    /// Go packages by folder.
    pub go_folders: HashMap<String, u32>,
    /// Go modules: their path and folder, longest path first.
    pub go_modules: Vec<(String, &'s str)>,
    /// Java and Kotlin packages by name.
    pub jvm: HashMap<String, u32>,
    /// Swift modules by name.
    pub swift: HashMap<String, u32>,
    /// JavaScript packages by name.
    pub node: HashMap<&'s str, Named<'s>>,
    /// Folders with tsconfig.json, deepest first, with what it says when all
    /// that it extends is taken in.
    pub configurations: Vec<(&'s str, Configuration)>,
    /// package.json files with imports, deepest first.
    pub subpaths: Vec<Named<'s>>,
    /// Dart packages by name: their folder.
    pub dart: HashMap<&'s str, &'s str>,
    /// Folders that Python's absolute imports start from, shortest first.
    pub python_roots: Vec<String>,
    /// Folders that includes are looked for in.
    pub include_folders: Vec<String>,
    /// Header files by their name.
    pub by_name: HashMap<&'s str, Vec<FileId>>,
    pub crates: RustCrates,
    /// What is at the top of the files of a package, by name.
    pub package_top: HashMap<(u32, &'s str), Vec<SymbolId>>,
}

/// The options of TypeScript that matter for paths.
#[derive(Clone, Debug, Default)]
pub(crate) struct Configuration {
    pub base: Option<String>,
    /// Pattern and the paths that it may stand for, seen from the root.
    pub paths: Vec<(String, Vec<String>)>,
    pub roots: Vec<String>,
}

#[derive(Default)]
pub(crate) struct RustCrates {
    /// Library roots by crate name.
    pub libraries: HashMap<String, FileId>,
    /// Child modules by file, inline modules and name.
    pub children: HashMap<(FileId, String), FileId>,
    /// The file that declares a module, and the inline modules around that.
    pub parent: HashMap<FileId, (FileId, Vec<String>)>,
    /// The root of the crate of a file.
    pub root: HashMap<FileId, FileId>,
}

impl<'s> Layout<'s> {
    pub fn new(sources: &'s Sources, files: &Files<'s>) -> Self {
        let mut layout = Self {
            package_of: vec![None; files.len()],
            ..Self::default()
        };
        layout.find_targets(sources, files);
        layout.find_packages(sources, files);
        layout.find_node(sources);
        layout.find_python(sources, files);
        layout.find_includes(sources, files);
        layout.find_crates(sources, files);
        layout.find_package_tops(files);
        layout
    }

    fn find_package_tops(&mut self, files: &Files<'s>) {
        for (index, package) in (0_u32..).zip(&self.packages) {
            for file in &package.files {
                for declaration in &files.facts(*file).declarations {
                    let name = declaration.name.as_str();
                    let slot = self.package_top.entry((index, name)).or_default();
                    for symbol in files.top(*file, name) {
                        if !slot.contains(symbol) {
                            slot.push(*symbol);
                        }
                    }
                }
            }
        }
    }

    fn find_targets(&mut self, sources: &'s Sources, files: &Files<'s>) {
        let mut targets: Vec<Target> = Vec::new();
        let mut frameworks = BTreeSet::new();
        for (path, manifest) in &sources.manifests {
            frameworks.extend(manifest.frameworks.iter().cloned());
            let at = folder(path);
            for target in &manifest.targets {
                let Some(mut place) = join(at, &target.folder) else {
                    continue;
                };
                let base =
                    join(at, target.folder.trim_start_matches("Sources/")).unwrap_or_default();
                if !files.has_folder(&place) && files.has_folder(&base) && name(path) == "Podfile" {
                    place = base;
                }
                let target_name = if target.name.is_empty() {
                    if at.is_empty() {
                        self.root_name(sources)
                    } else {
                        name(at).to_owned()
                    }
                } else {
                    target.name.clone()
                };
                if !place.is_empty() && !files.has_folder(&place) {
                    continue;
                }
                targets.push(Target {
                    package: manifest
                        .package
                        .clone()
                        .unwrap_or_else(|| target_name.clone()),
                    name: target_name,
                    kind: target.kind.clone(),
                    folder: place,
                    manifest: Some(path.clone()),
                    declared: target.dependencies.clone(),
                    dependencies: Vec::new(),
                });
            }
        }
        self.name = self.root_name(sources);
        self.frameworks = frameworks.into_iter().collect();
        // A manifest that stands for all files keeps only what no other takes.
        targets.sort_by(|a, b| {
            (&a.folder, &a.manifest, &a.name).cmp(&(&b.folder, &b.manifest, &b.name))
        });
        targets.dedup_by(|a, b| a.folder == b.folder);
        let mut owner: Vec<Option<usize>> = Vec::new();
        for file in files.ids() {
            let path = files.path(file);
            let found = targets
                .iter()
                .enumerate()
                .filter(|(_, target)| is_below(path, &target.folder))
                .max_by_key(|(_, target)| target.folder.len());
            owner.push(found.map(|(index, _)| index));
        }
        // What no manifest claims is grouped by its first folder.
        let mut loose: BTreeMap<&str, usize> = BTreeMap::new();
        for file in files.ids() {
            if owner[file.0 as usize].is_none() {
                let path = files.path(file);
                let first = path.split_once('/').map_or("", |(first, _)| first);
                let index = *loose.entry(first).or_insert_with(|| {
                    targets.push(Target {
                        name: if first.is_empty() {
                            "root".to_owned()
                        } else {
                            first.to_owned()
                        },
                        package: String::new(),
                        kind: "folder".to_owned(),
                        folder: first.to_owned(),
                        manifest: None,
                        declared: Vec::new(),
                        dependencies: Vec::new(),
                    });
                    targets.len() - 1
                });
                owner[file.0 as usize] = Some(index);
            }
        }
        let used: BTreeSet<usize> = owner.iter().flatten().copied().collect();
        let mut kept: Vec<(usize, Target)> = targets
            .into_iter()
            .enumerate()
            .filter(|(index, _)| used.contains(index))
            .collect();
        let mut names: BTreeMap<String, usize> = BTreeMap::new();
        for (_, target) in &kept {
            *names.entry(target.name.clone()).or_default() += 1;
        }
        for (_, target) in &mut kept {
            if names[&target.name] > 1 && !target.folder.is_empty() {
                target.name = format!("{} ({})", target.name, target.folder);
            }
        }
        kept.sort_by(|a, b| (&a.1.name, &a.1.folder).cmp(&(&b.1.name, &b.1.folder)));
        let place: HashMap<usize, u32> = (0_u32..)
            .zip(&kept)
            .map(|(to, (from, _))| (*from, to))
            .collect();
        self.target_of = owner
            .iter()
            .map(|index| {
                index
                    .and_then(|index| place.get(&index).copied())
                    .unwrap_or(0)
            })
            .collect();
        self.targets = kept.into_iter().map(|(_, target)| target).collect();
    }

    fn root_name(&self, sources: &Sources) -> String {
        sources
            .manifests
            .iter()
            .filter(|(path, manifest)| !path.contains('/') && manifest.package.is_some())
            .find_map(|(_, manifest)| manifest.package.clone())
            .unwrap_or_default()
    }

    fn package(&mut self, files: Vec<FileId>) -> u32 {
        let index = u32::try_from(self.packages.len()).unwrap_or(u32::MAX);
        for file in &files {
            self.package_of[file.0 as usize] = Some(index);
        }
        self.packages.push(Package { files });
        index
    }

    fn find_packages(&mut self, sources: &'s Sources, files: &Files<'s>) {
        let mut go: BTreeMap<&str, Vec<FileId>> = BTreeMap::new();
        let mut jvm: BTreeMap<&str, Vec<FileId>> = BTreeMap::new();
        let mut swift: BTreeMap<u32, Vec<FileId>> = BTreeMap::new();
        for file in files.ids() {
            let facts = files.facts(file);
            match facts.language {
                Language::Go => go.entry(folder(files.path(file))).or_default().push(file),
                Language::Java | Language::Kotlin => {
                    jvm.entry(facts.package.as_deref().unwrap_or_default())
                        .or_default()
                        .push(file);
                }
                Language::Swift => swift
                    .entry(self.target_of[file.0 as usize])
                    .or_default()
                    .push(file),
                _ => {}
            }
        }
        for (folder, files) in go {
            let index = self.package(files);
            self.go_folders.insert(folder.to_owned(), index);
        }
        for (name, files) in jvm {
            let index = self.package(files);
            self.jvm.insert(name.to_owned(), index);
        }
        for (target, files) in swift {
            let index = self.package(files);
            let name = self.targets[target as usize].name.clone();
            self.swift.insert(name, index);
        }
        for (path, manifest) in &sources.manifests {
            if let Some(package) = &manifest.package {
                match name(path) {
                    "go.mod" => self.go_modules.push((package.clone(), folder(path))),
                    "pubspec.yaml" => {
                        self.dart.insert(package, folder(path));
                    }
                    _ => {}
                }
            }
        }
        self.go_modules
            .sort_by_key(|(path, _)| std::cmp::Reverse(path.len()));
    }

    fn find_node(&mut self, sources: &'s Sources) {
        let mut configurations: BTreeMap<&str, Configuration> = BTreeMap::new();
        for (path, manifest) in &sources.manifests {
            match name(path) {
                "package.json" => {
                    if let Some(package) = &manifest.package {
                        self.node.entry(package).or_insert(Named {
                            folder: folder(path),
                            manifest,
                        });
                    }
                    if !manifest.aliases.is_empty() {
                        self.subpaths.push(Named {
                            folder: folder(path),
                            manifest,
                        });
                    }
                }
                file if file.ends_with(".json")
                    && (file.starts_with("tsconfig") || file == "jsconfig.json") =>
                {
                    let read = configuration(sources, path, 0);
                    let slot = configurations.entry(folder(path)).or_default();
                    // tsconfig.json is what an editor takes; the others of its
                    // folder add what it does not say.
                    if matches!(file, "tsconfig.json" | "jsconfig.json") {
                        let others = std::mem::replace(slot, read);
                        slot.base = slot.base.take().or(others.base);
                        slot.paths.extend(others.paths);
                    } else {
                        slot.base = slot.base.take().or(read.base);
                        slot.paths.extend(read.paths);
                    }
                }
                _ => {}
            }
        }
        self.configurations = configurations.into_iter().collect();
        self.configurations
            .sort_by_key(|(folder, _)| std::cmp::Reverse(folder.len()));
        self.subpaths
            .sort_by_key(|named| std::cmp::Reverse(named.folder.len()));
    }

    fn find_python(&mut self, sources: &'s Sources, files: &Files<'s>) {
        let mut roots: BTreeSet<String> = BTreeSet::new();
        roots.insert(String::new());
        for (path, manifest) in &sources.manifests {
            if matches!(name(path), "pyproject.toml" | "setup.py" | "setup.cfg") {
                let at = folder(path);
                roots.insert(at.to_owned());
                roots.extend(join(at, "src").filter(|src| files.has_folder(src)));
                roots.extend(manifest.roots.iter().filter_map(|root| join(at, root)));
            }
        }
        // The folder above a package that has no package above it.
        for file in files.ids() {
            let path = files.path(file);
            if files.language(file) != Language::Python || !path.ends_with("/__init__.py") {
                continue;
            }
            let package = folder(path);
            let above = folder(package);
            let outer = if above.is_empty() {
                "__init__.py".to_owned()
            } else {
                format!("{above}/__init__.py")
            };
            if files.at(&outer).is_none() {
                roots.insert(above.to_owned());
            }
        }
        let mut roots: Vec<String> = roots.into_iter().collect();
        roots.sort_by_key(|root| (root.len(), root.clone()));
        self.python_roots = roots;
    }

    fn find_includes(&mut self, sources: &'s Sources, files: &Files<'s>) {
        let mut folders: BTreeSet<String> = BTreeSet::new();
        for (path, manifest) in &sources.manifests {
            if matches!(name(path), "CMakeLists.txt" | "compile_commands.json") {
                folders.extend(
                    manifest
                        .roots
                        .iter()
                        .filter_map(|root| join(folder(path), root)),
                );
            }
        }
        let mut by_name: HashMap<&'s str, Vec<FileId>> = HashMap::new();
        for file in files.ids() {
            if matches!(
                files.language(file),
                Language::C | Language::Cpp | Language::Objc
            ) {
                let path = files.path(file);
                by_name.entry(name(path)).or_default().push(file);
                for (at, _) in path.match_indices("include/") {
                    if at == 0 || path.as_bytes()[at - 1] == b'/' {
                        folders.insert(path[..at + 7].to_owned());
                    }
                }
            }
        }
        folders.insert(String::new());
        folders.extend(
            ["src", "lib", "inc"]
                .into_iter()
                .filter(|f| files.has_folder(f))
                .map(str::to_owned),
        );
        self.include_folders = folders.into_iter().collect();
        self.by_name = by_name;
    }

    fn find_crates(&mut self, sources: &'s Sources, files: &Files<'s>) {
        let mut roots: Vec<FileId> = Vec::new();
        for (path, manifest) in &sources.manifests {
            if name(path) != "Cargo.toml" || manifest.package.is_none() {
                continue;
            }
            let at = folder(path);
            for (index, root) in manifest.roots.iter().enumerate() {
                let Some(file) = join(at, root).and_then(|path| files.at(&path)) else {
                    continue;
                };
                roots.push(file);
                if let (0, Some((name, _))) = (index, manifest.aliases.first()) {
                    self.crates.libraries.insert(name.clone(), file);
                }
            }
            roots.extend(join(at, "build.rs").and_then(|path| files.at(&path)));
            for folder in ["src/bin", "tests", "examples", "benches"] {
                let Some(folder) = join(at, folder) else {
                    continue;
                };
                let inside = files.in_folder(&folder).iter().copied();
                roots.extend(inside.filter(|file| files.language(*file) == Language::Rust));
            }
        }
        let mut open = roots.clone();
        for root in &roots {
            self.crates.root.entry(*root).or_insert(*root);
        }
        // Files outside of every crate are their own roots.
        let loose: Vec<FileId> = files
            .ids()
            .filter(|file| files.language(*file) == Language::Rust)
            .collect();
        for pass in [false, true] {
            if pass {
                let found: Vec<FileId> = loose
                    .iter()
                    .copied()
                    .filter(|file| !self.crates.root.contains_key(file))
                    .filter(|file| matches!(name(files.path(*file)), "lib.rs" | "main.rs"))
                    .collect();
                for file in found {
                    self.crates.root.insert(file, file);
                    open.push(file);
                }
            }
            while let Some(file) = open.pop() {
                self.children_of(file, files, &mut open);
            }
        }
    }

    /// Follows the `mod` items of a file.
    fn children_of(&mut self, file: FileId, files: &Files<'s>, open: &mut Vec<FileId>) {
        let path = files.path(file);
        let root = self.crates.root[&file];
        let is_root = root == file || name(path) == "mod.rs";
        let stem_folder = path.strip_suffix(".rs").unwrap_or(path);
        let base = if is_root { folder(path) } else { stem_folder };
        for import in &files.facts(file).imports {
            if import.style != ImportStyle::Module {
                continue;
            }
            let inner = import.within.join("/");
            let found = match &import.alias {
                Some(written) if import.within.is_empty() => {
                    join(folder(path), written).and_then(|p| files.at(&p))
                }
                Some(written) => {
                    join(base, &format!("{inner}/{written}")).and_then(|p| files.at(&p))
                }
                None => {
                    let at = join(base, &format!("{inner}/{}", import.module)).unwrap_or_default();
                    files
                        .at(&format!("{at}.rs"))
                        .or_else(|| files.at(&format!("{at}/mod.rs")))
                }
            };
            let Some(child) = found else { continue };
            let mut key = import.within.clone();
            key.push(import.module.clone());
            self.crates.children.insert((file, key.join("::")), child);
            if let std::collections::hash_map::Entry::Vacant(slot) = self.crates.root.entry(child) {
                slot.insert(root);
                self.crates
                    .parent
                    .insert(child, (file, import.within.clone()));
                open.push(child);
            }
        }
    }
}

/// A configuration with all that it extends; its own words come first.
fn configuration(sources: &Sources, path: &str, depth: usize) -> Configuration {
    let Some(manifest) = sources.manifests.get(path) else {
        return Configuration::default();
    };
    let at = folder(path);
    let base = manifest.base.as_ref().and_then(|base| join(at, base));
    let from = base.clone().unwrap_or_else(|| at.to_owned());
    let mut read = Configuration {
        paths: manifest
            .aliases
            .iter()
            .map(|(name, files)| {
                (
                    name.clone(),
                    files.iter().filter_map(|file| join(&from, file)).collect(),
                )
            })
            .collect(),
        roots: manifest
            .roots
            .iter()
            .filter_map(|root| join(at, root))
            .collect(),
        base,
    };
    if depth < 8 {
        for extended in &manifest.extends {
            let Some(mut other) = join(at, extended).filter(|_| extended.starts_with('.')) else {
                continue;
            };
            if !other.ends_with(".json") {
                other.push_str(".json");
            }
            let outer = configuration(sources, &other, depth + 1);
            read.base = read.base.or(outer.base);
            if read.paths.is_empty() {
                read.paths = outer.paths;
            }
            read.roots.extend(outer.roots);
        }
    }
    read
}
