//! Whether the rooms are as ARCHITECTURE.md says: which there are, which may
//! import which, and what must stay out of them.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::tools::{cargo, output, root};

/// Rooms without I/O and without async. What their own code may not call is
/// listed in clippy.toml.
const PURE: &[&str] = &["text", "recipe", "syntax", "guard", "knowledge"];

/// What a pure room may not reach, not even through another crate.
const IMPURE: &[&str] = &[
    "asd-store",
    "async-std",
    "ignore",
    "mio",
    "notify",
    "reqwest",
    "rusqlite",
    "smol",
    "tempfile",
    "tokio",
    "ureq",
    "walkdir",
];

/// Crates that few may name among their dependencies.
const RESERVED: &[(&str, &[&str])] = &[
    ("clap", &["asd-cli", "xtask"]),
    ("ls-types", &["asd-lsp"]),
    ("lsp-types", &["asd-lsp"]),
    ("rmcp", &["asd-mcp"]),
    (
        "tokio",
        &["asd-cli", "asd-embed", "asd-llm", "asd-lsp", "asd-mcp"],
    ),
    ("tower-lsp", &["asd-lsp"]),
    ("tower-lsp-server", &["asd-lsp"]),
];

/// The line in a pure room's `lib.rs` that turns the list of clippy.toml on.
const PURITY_LINT: &str = "clippy::disallowed_methods";

/// Fails when the rooms differ from what ARCHITECTURE.md says of them.
pub fn check() -> Result<()> {
    let architecture = std::fs::read_to_string(root().join("ARCHITECTURE.md"))
        .context("cannot read ARCHITECTURE.md")?;
    let metadata = output(cargo().args(["metadata", "--format-version=1", "--locked"]))?;
    let metadata = serde_json::from_str(&metadata).context("cargo metadata gave no JSON")?;
    let plan = Plan::read(&architecture)?;
    let workspace = Workspace::read(&metadata)?;
    let mut faults = faults(&plan, &workspace);
    for room in PURE {
        let path = root().join("server").join(room).join("src/lib.rs");
        let source = std::fs::read_to_string(&path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        if !source.contains(PURITY_LINT) {
            faults.push(format!(
                "{} does not deny {PURITY_LINT}, which keeps I/O out of it",
                path.display()
            ));
        }
    }
    if !faults.is_empty() {
        bail!("{}", faults.join("\n"));
    }
    println!(
        "{} rooms are as ARCHITECTURE.md lists them",
        plan.rooms.len()
    );
    Ok(())
}

/// What ARCHITECTURE.md says.
#[derive(Debug)]
struct Plan {
    /// The rooms, lowest first.
    rooms: Vec<Room>,
    /// The crates in the table of larger dependencies.
    dependencies: Vec<String>,
}

#[derive(Debug)]
struct Room {
    name: String,
    is_door: bool,
}

impl Plan {
    fn read(architecture: &str) -> Result<Self> {
        let rooms: Vec<Room> = table(architecture, "## The rooms")
            .map(|(name, what)| Room {
                name: name.trim_matches('`').to_owned(),
                is_door: what.starts_with("door"),
            })
            .collect();
        let dependencies: Vec<String> = table(architecture, "## Larger dependencies")
            .flat_map(|(names, _)| names.split(", "))
            .filter(|name| !name.contains(' '))
            .map(str::to_owned)
            .collect();
        if rooms.is_empty() || dependencies.is_empty() {
            bail!("ARCHITECTURE.md has no table of rooms, or none of larger dependencies");
        }
        Ok(Self {
            rooms,
            dependencies,
        })
    }

    fn place(&self, krate: &str) -> Option<(usize, &Room)> {
        let name = krate.strip_prefix("asd-")?;
        self.rooms
            .iter()
            .enumerate()
            .find(|(_, room)| room.name == name)
    }
}

/// The first two columns of the table below a heading, without its head.
fn table<'t>(document: &'t str, heading: &str) -> impl Iterator<Item = (&'t str, &'t str)> {
    document
        .lines()
        .skip_while(move |line| *line != heading)
        .skip(1)
        .take_while(|line| !line.starts_with("## "))
        .filter_map(|line| {
            let mut cells = line.strip_prefix('|')?.split('|').map(str::trim);
            Some((cells.next()?, cells.next()?))
        })
        .skip(2)
}

/// What cargo says of the workspace.
#[derive(Debug, Default)]
struct Workspace {
    /// The crates in the folder `server`.
    rooms: BTreeSet<String>,
    /// What each member names among its dependencies, those of tests too.
    named: BTreeMap<String, BTreeSet<String>>,
    /// What each member links, through other crates too.
    linked: BTreeMap<String, BTreeSet<String>>,
}

impl Workspace {
    fn read(metadata: &Value) -> Result<Self> {
        let packages = list(metadata, "/packages")?;
        let nodes: BTreeMap<&str, &Value> = list(metadata, "/resolve/nodes")?
            .iter()
            .filter_map(|node| Some((node["id"].as_str()?, node)))
            .collect();
        let names: BTreeMap<&str, &str> = packages
            .iter()
            .filter_map(|package| Some((package["id"].as_str()?, package["name"].as_str()?)))
            .collect();
        let mut workspace = Self::default();
        for id in list(metadata, "/workspace_members")? {
            let package = packages
                .iter()
                .find(|package| package["id"] == *id)
                .with_context(|| format!("cargo metadata does not describe {id}"))?;
            let name = text(package, "name")?.to_owned();
            if text(package, "manifest_path")?
                .ends_with(&format!("/server/{}/Cargo.toml", folder(&name)))
            {
                workspace.rooms.insert(name.clone());
            }
            let named = list(package, "/dependencies")?
                .iter()
                .filter_map(|dependency| dependency["name"].as_str())
                .map(str::to_owned)
                .collect();
            workspace.named.insert(name.clone(), named);
            let linked = linked(text(package, "id")?, &nodes)
                .into_iter()
                .filter_map(|id| names.get(id))
                .map(|name| (*name).to_owned())
                .collect();
            workspace.linked.insert(name, linked);
        }
        Ok(workspace)
    }
}

fn folder(krate: &str) -> &str {
    krate.strip_prefix("asd-").unwrap_or(krate)
}

fn list<'v>(value: &'v Value, pointer: &str) -> Result<&'v Vec<Value>> {
    value
        .pointer(pointer)
        .and_then(Value::as_array)
        .with_context(|| format!("cargo metadata has no list {pointer}"))
}

fn text<'v>(value: &'v Value, key: &str) -> Result<&'v str> {
    value[key]
        .as_str()
        .with_context(|| format!("cargo metadata has no text {key}"))
}

/// The packages that end up in `root`: neither those of its tests nor those of
/// build scripts.
fn linked<'v>(root: &'v str, nodes: &BTreeMap<&'v str, &'v Value>) -> BTreeSet<&'v str> {
    let mut seen = BTreeSet::new();
    let mut open = vec![root];
    while let Some(id) = open.pop() {
        let dependencies = nodes
            .get(id)
            .and_then(|node| node["deps"].as_array())
            .into_iter()
            .flatten();
        for dependency in dependencies {
            let is_normal = dependency["dep_kinds"]
                .as_array()
                .is_some_and(|kinds| kinds.iter().any(|kind| kind["kind"].is_null()));
            if let Some(id) = dependency["pkg"].as_str().filter(|_| is_normal)
                && seen.insert(id)
            {
                open.push(id);
            }
        }
    }
    seen
}

/// Everything in which the workspace is not as planned, a sentence each.
fn faults(plan: &Plan, workspace: &Workspace) -> Vec<String> {
    let mut faults = Vec::new();
    for krate in &workspace.rooms {
        if plan.place(krate).is_none() {
            faults.push(format!("{krate} is missing in ARCHITECTURE.md's rooms"));
        }
    }
    for room in &plan.rooms {
        if !workspace.rooms.contains(&format!("asd-{}", room.name)) {
            faults.push(format!(
                "ARCHITECTURE.md lists the room {}, but server/{} holds no crate asd-{}",
                room.name, room.name, room.name
            ));
        }
    }
    for (krate, dependencies) in &workspace.named {
        for dependency in dependencies {
            faults.extend(wrong_direction(plan, krate, dependency));
            faults.extend(reserved(krate, dependency));
        }
    }
    for room in PURE {
        let linked = workspace.linked.get(&format!("asd-{room}"));
        for dependency in linked.into_iter().flatten() {
            if IMPURE.contains(&dependency.as_str()) {
                faults.push(format!(
                    "asd-{room} reaches {dependency}, but does no I/O and knows no async"
                ));
            }
        }
    }
    for dependency in &plan.dependencies {
        if !workspace
            .named
            .values()
            .any(|named| named.contains(dependency))
        {
            faults.push(format!(
                "ARCHITECTURE.md lists the dependency {dependency}, which no crate names"
            ));
        }
    }
    faults
}

/// A room imports only rooms above it in the list. The last one is the binary,
/// which alone may import a door, to open it.
fn wrong_direction(plan: &Plan, krate: &str, dependency: &str) -> Option<String> {
    let (from, _) = plan.place(krate)?;
    let (to, imported) = plan.place(dependency)?;
    if to >= from {
        return Some(format!(
            "{krate} imports {dependency}, which stands below it in ARCHITECTURE.md"
        ));
    }
    let is_binary = from + 1 == plan.rooms.len();
    (imported.is_door && !is_binary).then(|| format!("{krate} imports the door {dependency}"))
}

fn reserved(krate: &str, dependency: &str) -> Option<String> {
    let (_, allowed) = RESERVED.iter().find(|(name, _)| *name == dependency)?;
    (!allowed.contains(&krate)).then(|| {
        format!(
            "{krate} depends on {dependency}; only {} may",
            allowed.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const PLAN: &str = "\
# Architecture

## The rooms

| room | what lives there | what does not |
| --- | --- | --- |
| `text` | documents | files |
| `guard` | rules | I/O |
| `store` | files | decisions |
| `lsp` | door: the language server | rules |
| `cli` | door: the binary | rules |

## Larger dependencies

| crate | why |
| --- | --- |
| tokio, clap | some |
| regex and its parts | others |
";

    /// The faults of a workspace in which the rooms of [`PLAN`] name these
    /// dependencies.
    fn found(rooms: &[(&str, &[&str])]) -> Vec<String> {
        let mut every = BTreeSet::new();
        for (name, dependencies) in rooms {
            every.insert(*name);
            every.extend(dependencies.iter().copied());
        }
        let package = |name: &str| {
            let dependencies = rooms
                .iter()
                .find(|(room, _)| *room == name)
                .map_or(&[][..], |(_, dependencies)| dependencies);
            json!({
                "id": name, "name": name,
                "manifest_path": format!("/repository/server/{}/Cargo.toml", folder(name)),
                "dependencies": dependencies.iter().map(|name| json!({"name": name})).collect::<Vec<_>>(),
                "deps": dependencies
                    .iter()
                    .map(|name| json!({"pkg": name, "dep_kinds": [{"kind": null}]}))
                    .collect::<Vec<_>>(),
            })
        };
        let packages: Vec<Value> = every.iter().map(|name| package(name)).collect();
        let metadata = json!({
            "packages": packages,
            "resolve": {"nodes": packages},
            "workspace_members": rooms.iter().map(|(name, _)| name).collect::<Vec<_>>(),
        });
        faults(
            &Plan::read(PLAN).unwrap(),
            &Workspace::read(&metadata).unwrap(),
        )
    }

    const GOOD: [(&str, &[&str]); 5] = [
        ("asd-text", &[]),
        ("asd-guard", &["asd-text"]),
        ("asd-store", &["asd-guard"]),
        ("asd-lsp", &["asd-store", "tokio"]),
        ("asd-cli", &["asd-lsp", "clap"]),
    ];

    fn found_with(room: &str, dependencies: &'static [&'static str]) -> Vec<String> {
        let mut rooms = GOOD;
        for (name, named) in &mut rooms {
            if *name == room {
                *named = dependencies;
            }
        }
        found(&rooms)
    }

    #[test]
    fn rooms_that_are_as_planned_have_no_faults() {
        assert_eq!(found(&GOOD), [""; 0]);
    }

    #[test]
    fn a_room_imports_only_rooms_above_it() {
        assert_eq!(
            found_with("asd-text", &["asd-guard"]),
            ["asd-text imports asd-guard, which stands below it in ARCHITECTURE.md"]
        );
    }

    #[test]
    fn only_the_binary_imports_a_door() {
        let plan = Plan::read(PLAN).unwrap();
        assert_eq!(wrong_direction(&plan, "asd-cli", "asd-lsp"), None);
        let plan = Plan::read(&PLAN.replace("| `guard` | rules", "| `guard` | door")).unwrap();
        assert_eq!(
            wrong_direction(&plan, "asd-lsp", "asd-guard").as_deref(),
            Some("asd-lsp imports the door asd-guard")
        );
    }

    #[test]
    fn the_protocol_and_the_command_line_are_known_to_their_doors_alone() {
        assert_eq!(
            found_with("asd-store", &["tower-lsp-server", "clap"]),
            [
                "asd-store depends on clap; only asd-cli, xtask may",
                "asd-store depends on tower-lsp-server; only asd-lsp may",
            ]
        );
    }

    #[test]
    fn a_pure_room_reaches_no_files_through_another_crate() {
        let mut rooms = GOOD.to_vec();
        rooms[1] = ("asd-guard", &["asd-text", "outer"]);
        rooms.push(("outer", &["walkdir"]));
        assert_eq!(
            found(&rooms),
            [
                "outer is missing in ARCHITECTURE.md's rooms",
                "asd-guard reaches walkdir, but does no I/O and knows no async",
            ]
        );
    }

    #[test]
    fn the_lists_of_the_document_are_complete_and_true() {
        assert_eq!(
            found(&GOOD[..4]),
            [
                "ARCHITECTURE.md lists the room cli, but server/cli holds no crate asd-cli",
                "ARCHITECTURE.md lists the dependency clap, which no crate names",
            ]
        );
        let mut rooms = GOOD.to_vec();
        rooms.push(("asd-search", &[]));
        assert_eq!(
            found(&rooms),
            ["asd-search is missing in ARCHITECTURE.md's rooms"]
        );
    }
}
