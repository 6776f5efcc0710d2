//! Which articles a project's wiki should have, with what is known of each.
//! (mcp.md §5, §8)

use std::collections::{BTreeMap, BTreeSet};

use asd_codemap::{CodeMap, SymbolKind, file_priority};
use asd_recipe::normalise_trigger;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::panorama::{Known, Panorama};

/// Where the wiki lies.
pub(crate) const WIKI_DIR: &str = "Alembic/wiki";

/// An article has at least so many characters.
pub(crate) const LEAST_ARTICLE: usize = 200;

/// In which language articles are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tongue {
    Chinese,
    English,
}

/// One article that should be written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Topic {
    pub(crate) id: String,
    /// Below [`WIKI_DIR`].
    pub(crate) path: String,
    pub(crate) title: String,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) priority: usize,
    pub(crate) writing_guide: String,
    pub(crate) data_bundle: Value,
}

/// How much there is to say of a module.
pub(crate) const fn richness(
    files: usize,
    types: usize,
    protocols: usize,
    dependencies: usize,
) -> usize {
    files + 2 * types + 2 * protocols + dependencies
}

/// What a module or folder holds.
struct Place {
    name: String,
    files: Vec<usize>,
    types: usize,
    protocols: usize,
    dependencies: Vec<String>,
    dependents: Vec<String>,
}

impl Place {
    fn richness(&self) -> usize {
        richness(
            self.files.len(),
            self.types,
            self.protocols,
            self.dependencies.len(),
        )
    }
}

/// The topics of a project's wiki, the most important first.
pub(crate) fn topics(name: &str, panorama: &Panorama<'_>, tongue: Tongue) -> Vec<Topic> {
    let map = panorama.map;
    let mut topics = Vec::new();
    let mut slugs = Slugs::default();
    let words = Words(tongue);

    topics.push(topic(
        "overview",
        "index.md",
        words.either(&format!("{name} 概览"), &format!("{name}: an overview")),
        "overview",
        100,
        words.either(
            "写给第一次打开项目的人：项目做什么，由哪些部分组成，从哪里读起。链接到其他文章。",
            "For someone who opens the project for the first time: what it does, what its parts are, where to begin reading. Link the other articles.",
        ),
        overview_bundle(name, panorama),
    ));
    let modules = modules(panorama);
    let has_graph = !panorama.graph.edges.is_empty();
    if modules.len() >= 2 || has_graph {
        topics.push(topic(
            "architecture",
            "architecture.md",
            words.either("架构", "Architecture"),
            "architecture",
            90,
            words.either(
                "说明分层、依赖方向、循环与例外。用一张 Mermaid 图画出模块。",
                "Explain the layers, which way dependencies go, circles and exceptions. Draw the modules as a Mermaid diagram.",
            ),
            architecture_bundle(panorama),
        ));
    }
    let manifests: BTreeSet<&str> = map
        .targets()
        .iter()
        .filter_map(|target| target.manifest.as_deref())
        .collect();
    let entries = entry_points(map);
    if !manifests.is_empty() || !entries.is_empty() {
        topics.push(topic(
            "getting-started",
            "getting-started.md",
            words.either("快速开始", "Getting started"),
            "getting-started",
            85,
            words.either(
                "从克隆到运行：需要什么，怎样构建、测试、启动。只写在仓库里查证过的命令。",
                "From a clone to a running program: what is needed, how it is built, tested and started. Only commands that you checked in the repository.",
            ),
            json!({"manifests": manifests, "entryPoints": entries}),
        ));
    }
    let module_topics: Vec<&Place> = modules
        .iter()
        .filter(|module| module.richness() >= 3 && modules.len() >= 2)
        .collect();
    for module in &module_topics {
        let slug = slugs.of("modules", &module.name);
        topics.push(topic(
            &format!("module-{slug}"),
            &format!("modules/{slug}.md"),
            words.either(&format!("模块 {}", module.name), &format!("Module {}", module.name)),
            "module",
            50 + module.richness().min(30),
            words.either(
                "说明这个模块负责什么，对外提供什么，依赖谁，改动时要小心什么。引用真实的文件。",
                "Say what this module is responsible for, what it offers, what it needs, and what to mind when changing it. Refer to real files.",
            ),
            place_bundle(panorama, module),
        ));
    }
    let types = map
        .symbols()
        .filter(|id| map.declaration(*id).kind.is_type())
        .count();
    if (types < 5 && module_topics.is_empty()) || (topics.len() <= 4 && modules.len() >= 2) {
        topics.push(topic(
            "folder-overview",
            "folder-structure.md",
            words.either("目录结构", "Folder structure"),
            "folder-overview",
            80,
            words.either(
                "说明每个目录放什么，新文件该放在哪里。",
                "Say what belongs into each folder and where a new file goes.",
            ),
            folder_bundle(map),
        ));
    }
    if module_topics.is_empty() {
        for folder in folders(map).iter().take(10) {
            let slug = slugs.of("folders", &folder.name);
            topics.push(topic(
                &format!("folder-{slug}"),
                &format!("folders/{slug}.md"),
                words.either(
                    &format!("目录 {}", folder.name),
                    &format!("Folder {}", folder.name),
                ),
                "folder-profile",
                45 + folder.richness().min(25),
                words.either(
                    "说明这个目录里的文件做什么、怎样配合。",
                    "Say what the files of this folder do and how they work together.",
                ),
                place_bundle(panorama, folder),
            ));
        }
    }
    pattern_topics(panorama, &words, &mut slugs, &mut topics);
    let interfaces = interfaces(map);
    if interfaces.len() >= 8 {
        topics.push(topic(
            "reference",
            "protocols.md",
            words.either("接口参考", "Interfaces"),
            "reference",
            35,
            words.either(
                "逐个说明接口的用途、实现者与约定。",
                "Say of each interface what it is for, who implements it, and what it demands.",
            ),
            json!({"interfaces": interfaces.iter().take(60).collect::<Vec<_>>(), "count": interfaces.len()}),
        ));
    }
    // Sorting is stable: topics of one priority stay in the order of their names.
    topics.sort_by_key(|topic| std::cmp::Reverse(topic.priority));
    topics
}

fn pattern_topics(
    panorama: &Panorama<'_>,
    words: &Words,
    slugs: &mut Slugs,
    topics: &mut Vec<Topic>,
) {
    if panorama.recipes.is_empty() {
        return;
    }
    let mut by_category: BTreeMap<&str, Vec<Known<'_>>> = BTreeMap::new();
    for known in &panorama.recipes {
        by_category
            .entry(known.recipe.category.as_str())
            .or_default()
            .push(*known);
    }
    let guide = words.either(
        "按类别讲清每条约定：何时、怎样做、不要怎样做、为什么，附代码。",
        "Explain each convention: when, what to do, what not to do, and why, with code.",
    );
    if by_category.len() <= 3 || panorama.recipes.len() < 15 {
        topics.push(topic(
            "patterns",
            "patterns.md",
            words.either("约定与模式", "Conventions and patterns"),
            "patterns",
            40,
            guide,
            json!({"recipes": recipes(&panorama.recipes)}),
        ));
        return;
    }
    for (category, known) in by_category {
        if known.len() < 2 {
            continue;
        }
        let slug = slugs.of("patterns", category);
        topics.push(topic(
            &format!("patterns-{slug}"),
            &format!("patterns/{slug}.md"),
            words.either(
                &format!("约定：{category}"),
                &format!("Conventions: {category}"),
            ),
            "pattern-category",
            30 + known.len(),
            guide,
            json!({"category": category, "recipes": recipes(&known)}),
        ));
    }
}

/// The rules that every article keeps.
pub(crate) fn guidelines(tongue: Tongue) -> Vec<&'static str> {
    match tongue {
        Tongue::Chinese => vec![
            "用中文写，代码、路径与名称保持原样。",
            "每篇不少于 200 字，以一级标题开头。",
            "只写在代码里查证过的事实，引用 `路径:行号`。",
            "文章之间用相对链接。",
            "写完后调用 asd_wiki finalize，articlesWritten 列出所有路径。",
        ],
        Tongue::English => vec![
            "Write in English; leave code, paths and names as they are.",
            "Each article has at least 200 characters and begins with a heading of level one.",
            "State only what you checked in the code, with `path:line`.",
            "Link articles by relative links.",
            "When done call asd_wiki finalize with all paths in articlesWritten.",
        ],
    }
}

struct Words(Tongue);

impl Words {
    fn either<'t>(&self, chinese: &'t str, english: &'t str) -> &'t str {
        match self.0 {
            Tongue::Chinese => chinese,
            Tongue::English => english,
        }
    }
}

fn topic(
    id: &str,
    path: &str,
    title: &str,
    kind: &str,
    priority: usize,
    guide: &str,
    bundle: Value,
) -> Topic {
    Topic {
        id: id.to_owned(),
        path: path.to_owned(),
        title: title.to_owned(),
        kind: kind.to_owned(),
        priority,
        writing_guide: guide.to_owned(),
        data_bundle: bundle,
    }
}

/// Names of files, each once in its folder.
#[derive(Default)]
struct Slugs(BTreeSet<(String, String)>);

impl Slugs {
    fn of(&mut self, folder: &str, name: &str) -> String {
        let plain = normalise_trigger(name).unwrap_or_default();
        let plain = plain.trim_start_matches('@');
        let base = if plain.is_empty() { "part" } else { plain };
        let mut slug = base.to_owned();
        let mut number = 2;
        while !self.0.insert((folder.to_owned(), slug.clone())) {
            slug = format!("{base}-{number}");
            number += 1;
        }
        slug
    }
}

fn modules(panorama: &Panorama<'_>) -> Vec<Place> {
    let (map, graph) = (panorama.map, panorama.graph);
    let name = |at: usize| graph.modules[at].name.clone();
    graph
        .modules
        .iter()
        .enumerate()
        .map(|(at, module)| {
            let files: Vec<usize> = module.files.iter().map(|file| file.0 as usize).collect();
            let (types, protocols) = types_in(map, &files);
            let edges = || graph.edges.iter();
            Place {
                name: module.name.clone(),
                types,
                protocols,
                dependencies: edges()
                    .filter(|e| e.from == at)
                    .map(|e| name(e.to))
                    .collect(),
                dependents: edges()
                    .filter(|e| e.to == at)
                    .map(|e| name(e.from))
                    .collect(),
                files,
            }
        })
        .collect()
}

fn types_in(map: &CodeMap, files: &[usize]) -> (usize, usize) {
    let declarations = || {
        files
            .iter()
            .flat_map(|file| &map.files()[*file].source.facts.declarations)
    };
    let protocols = declarations()
        .filter(|d| d.kind == SymbolKind::Interface)
        .count();
    (
        declarations().filter(|d| d.kind.is_type()).count() - protocols,
        protocols,
    )
}

/// Folders with enough in them to speak of, the richest first.
fn folders(map: &CodeMap) -> Vec<Place> {
    let mut by_folder: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, file) in map.files().iter().enumerate() {
        if !file.source.is_test {
            let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
            by_folder.entry(folder).or_default().push(index);
        }
    }
    let mut places: Vec<Place> = by_folder
        .into_iter()
        .filter(|(folder, files)| !folder.is_empty() && files.len() >= 5)
        .map(|(folder, files)| {
            let (types, protocols) = types_in(map, &files);
            Place {
                name: folder.to_owned(),
                files,
                types,
                protocols,
                dependencies: Vec::new(),
                dependents: Vec::new(),
            }
        })
        .filter(|place| place.richness() >= 10)
        .collect();
    places.sort_by_key(|place| std::cmp::Reverse(place.richness()));
    places
}

fn place_bundle(panorama: &Panorama<'_>, place: &Place) -> Value {
    let map = panorama.map;
    let mut paths: Vec<&str> = place
        .files
        .iter()
        .map(|file| map.files()[*file].path.as_str())
        .collect();
    paths.sort_by_key(|path| (file_priority(path), *path));
    let mut types = Vec::new();
    for file in &place.files {
        let file = &map.files()[*file];
        for declaration in &file.source.facts.declarations {
            if declaration.kind.is_type() && declaration.is_public && types.len() < 25 {
                types.push(json!({
                    "name": declaration.name,
                    "kind": declaration.kind.as_str(),
                    "at": format!("{}:{}", file.path, declaration.line),
                }));
            }
        }
    }
    let in_place: BTreeSet<&str> = paths.iter().copied().collect();
    let known: Vec<Known<'_>> = panorama
        .recipes
        .iter()
        .filter(|known| {
            let mut sources = known.recipe.reasoning.sources.iter();
            sources.any(|source| in_place.contains(source.path.as_str()))
        })
        .copied()
        .collect();
    json!({
        "name": place.name,
        "fileCount": place.files.len(),
        "files": paths.iter().take(20).collect::<Vec<_>>(),
        "types": types,
        "dependencies": place.dependencies,
        "dependents": place.dependents,
        "recipes": recipes(&known),
    })
}

fn recipes(known: &[Known<'_>]) -> Vec<Value> {
    known
        .iter()
        .take(40)
        .map(|known| {
            json!({
                "id": known.key,
                "title": known.recipe.title,
                "trigger": known.recipe.trigger,
                "do": known.recipe.do_clause,
            })
        })
        .collect()
}

fn overview_bundle(name: &str, panorama: &Panorama<'_>) -> Value {
    let summary = asd_codemap::summary(panorama.map);
    json!({
        "name": name,
        "languages": summary.languages,
        "fileCount": summary.file_count,
        "frameworks": super::dimensions::frameworks(panorama.map),
        "targets": panorama.map.targets().iter().take(40).map(|target| json!({
            "name": target.name, "type": target.kind, "folder": target.folder,
        })).collect::<Vec<_>>(),
        "recipeCount": panorama.recipes.len(),
    })
}

fn architecture_bundle(panorama: &Panorama<'_>) -> Value {
    let graph = panorama.graph;
    let name = |at: usize| graph.modules[at].name.as_str();
    let mut edges: Vec<_> = graph.edges.iter().collect();
    edges.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    json!({
        "layers": super::briefing::layers(panorama),
        "edges": edges.iter().take(60).map(|edge| json!({
            "from": name(edge.from), "to": name(edge.to), "calls": edge.calls, "imports": edge.imports,
        })).collect::<Vec<_>>(),
        "cycles": graph.cycles.iter().map(|cycle| {
            cycle.modules.iter().map(|at| name(*at)).collect::<Vec<_>>()
        }).collect::<Vec<_>>(),
        "violations": graph.violations.iter().map(|at| {
            let edge = &graph.edges[*at];
            json!({"from": name(edge.from), "to": name(edge.to)})
        }).collect::<Vec<_>>(),
    })
}

/// Files in which a program starts, by their names.
fn entry_points(map: &CodeMap) -> Vec<&str> {
    const STARTS: &[&str] = &[
        "main",
        "app",
        "index",
        "__main__",
        "manage",
        "cli",
        "program",
        "appdelegate",
    ];
    let mut found: Vec<&str> = map
        .files()
        .iter()
        .filter(|file| !file.source.is_test)
        .map(|file| file.path.as_str())
        .filter(|path| {
            let name = path.rsplit('/').next().unwrap_or(path);
            let stem = name.split('.').next().unwrap_or(name).to_lowercase();
            STARTS.contains(&stem.as_str())
        })
        .collect();
    found.sort_by_key(|path| (path.matches('/').count(), *path));
    found.truncate(10);
    found
}

fn folder_bundle(map: &CodeMap) -> Value {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for file in map.files() {
        let folder = file.path.rsplit_once('/').map_or(".", |(folder, _)| folder);
        *counts.entry(folder).or_default() += 1;
    }
    let rows: Vec<Value> = counts
        .into_iter()
        .take(120)
        .map(|(folder, files)| json!({"folder": folder, "files": files}))
        .collect();
    json!({"folders": rows})
}

fn interfaces(map: &CodeMap) -> Vec<Value> {
    map.symbols()
        .filter(|id| map.declaration(*id).kind == SymbolKind::Interface && !map.is_test(*id))
        .map(|id| {
            let file = map.file(map.file_of(id));
            json!({
                "name": map.qualified_name(id),
                "at": format!("{}:{}", file.path, map.declaration(id).line),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use asd_codemap::module_graph;
    use asd_recipe::Recipe;

    use super::super::dimensions::active;
    use super::super::test_map::map;
    use super::*;

    fn shown(map: &CodeMap, recipes: &[Recipe]) -> Vec<(String, usize)> {
        let graph = module_graph(map, &[]);
        let known = recipes
            .iter()
            .map(|recipe| Known { key: "k", recipe })
            .collect();
        let panorama = Panorama::new(map, &graph, known, &active(map));
        let topics = topics("demo", &panorama, Tongue::English);
        topics
            .into_iter()
            .map(|topic| (topic.path, topic.priority))
            .collect()
    }

    fn has(topics: &[(String, usize)], path: &str) -> Option<usize> {
        topics
            .iter()
            .find(|(known, _)| known == path)
            .map(|(_, priority)| *priority)
    }

    #[test]
    fn a_tiny_project_has_an_overview_and_its_folders() {
        let map = map(&[("tool.py", "def f(): pass\n")]);
        assert_eq!(
            shown(&map, &[]),
            [
                ("index.md".to_owned(), 100),
                ("folder-structure.md".to_owned(), 80)
            ]
        );
    }

    #[test]
    fn modules_that_hold_enough_have_their_own_page() {
        let map = map(&[
            ("net/client.py", "class A: pass\nclass B: pass\n"),
            (
                "ui/view.py",
                "from net.client import A\nclass V: pass\ndef main(): A()\n",
            ),
            ("main.py", "from ui.view import main\nmain()\n"),
        ]);
        let topics = shown(&map, &[]);
        assert_eq!(has(&topics, "architecture.md"), Some(90));
        assert_eq!(has(&topics, "getting-started.md"), Some(85));
        assert_eq!(has(&topics, "modules/net.md"), Some(55));
        assert_eq!(has(&topics, "modules/ui.md"), Some(54));
        assert_eq!(
            has(&topics, "modules/root.md"),
            None,
            "one file with one dependency"
        );
        assert_eq!(has(&topics, "patterns.md"), None);
        assert_eq!(topics[0].0, "index.md");
    }

    #[test]
    fn patterns_are_one_page_until_there_are_many() {
        let map = map(&[("a.py", "def f(): pass\n")]);
        let recipe = |category: &str| Recipe {
            category: category.into(),
            ..Recipe::default()
        };
        let few = [recipe("Network"), recipe("UI")];
        assert_eq!(has(&shown(&map, &few), "patterns.md"), Some(40));
        let many: Vec<Recipe> = (0..16)
            .map(|n| {
                recipe(
                    ["Network", "UI", "Storage", "Tool", "Lone"][if n == 15 { 4 } else { n % 4 }],
                )
            })
            .collect();
        let topics = shown(&map, &many);
        assert_eq!(has(&topics, "patterns.md"), None);
        assert_eq!(has(&topics, "patterns/network.md"), Some(34));
        assert_eq!(has(&topics, "patterns/lone.md"), None);
    }

    #[test]
    fn names_that_clash_are_numbered() {
        let mut slugs = Slugs::default();
        assert_eq!(slugs.of("modules", "Net Core"), "net-core");
        assert_eq!(slugs.of("modules", "net/core"), "net-core-2");
        assert_eq!(slugs.of("folders", "net/core"), "net-core");
        assert_eq!(slugs.of("modules", "///"), "part");
    }

    #[test]
    fn richness_counts_types_twice() {
        assert_eq!(richness(3, 2, 1, 4), 13);
    }
}
