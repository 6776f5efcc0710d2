//! The recipes and queries that search is measured with. The recipes are the
//! rule documentation of linters, fetched by name, and some of our own in
//! Chinese; the queries and what answers them were written by hand.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use asd_recipe::{Kind, Lifecycle, Recipe};
use asd_search::{Document, Stats};
use serde_json::Value;

use crate::tools::{self, cache, command, output, python_tools, root};

const PYTHON: &[&str] = &["ruff==0.17.6", "pylint==3.3.9"];

const NODE: &[&str] = &[
    "eslint@9.39.5",
    "stylelint@17.16.0",
    "eslint-plugin-unicorn@65.0.1",
    "eslint-plugin-sonarjs@4.2.2",
    "eslint-plugin-vue@10.12.1",
    "eslint-plugin-react@7.37.5",
    "eslint-plugin-jsx-a11y@6.10.2",
    "eslint-plugin-n@18.5.0",
    "eslint-plugin-promise@7.3.0",
    "eslint-plugin-import@2.32.0",
    "@typescript-eslint/eslint-plugin@8.74.0",
];

/// A query with the ids of the recipes that answer it.
pub struct Judged {
    pub class: String,
    pub text: String,
    pub relevant: Vec<String>,
}

/// Every recipe, named `source:rule`.
pub fn documents() -> Result<Vec<Document>> {
    let mut found: BTreeMap<String, Recipe> = BTreeMap::new();
    node_rules(&mut found)?;
    let bin = python_tools("eval-python", PYTHON)?;
    ruff_rules(
        &output(command(bin.join("ruff")).args(["rule", "--all", "--output-format", "json"]))?,
        &mut found,
    )?;
    let listed = output(command(bin.join("pylint")).arg("--list-msgs"))?;
    pylint_rules(&listed, &mut found);
    let own = std::fs::read_to_string(root().join("tests/search/recipes-zh.tsv"))?;
    for line in own.lines() {
        let mut parts = line.split('\t');
        let (Some(name), Some(title), Some(text)) = (parts.next(), parts.next(), parts.next())
        else {
            bail!("tests/search/recipes-zh.tsv: a line needs a name, a title and a text: {line}");
        };
        let mut recipe = recipe("zh", name, title, text, "");
        recipe.do_clause = text.to_owned();
        recipe.description.clear();
        found.insert(format!("zh:{name}"), recipe);
    }
    Ok(found
        .into_iter()
        .map(|(id, recipe)| Document::new(&id, Arc::new(recipe), Stats::default()))
        .collect())
}

fn recipe(source: &str, name: &str, title: &str, description: &str, language: &str) -> Recipe {
    Recipe {
        id: Some(format!("{source}:{name}")),
        trigger: format!("@{source}-{name}"),
        title: title.trim().trim_end_matches('.').to_owned(),
        description: description.trim().to_owned(),
        kind: Kind::Rule,
        language: language.to_owned(),
        lifecycle: Lifecycle::Active,
        ..Recipe::default()
    }
}

fn node_rules(found: &mut BTreeMap<String, Recipe>) -> Result<()> {
    let folder = cache()?.join("eval-node");
    let stamp = folder.join("packages.txt");
    let wanted = NODE.join("\n");
    if std::fs::read_to_string(&stamp).is_ok_and(|have| have == wanted) {
        // It is there.
    } else {
        std::fs::create_dir_all(&folder)?;
        std::fs::write(folder.join("package.json"), "{\"private\": true}")?;
        tools::run(
            command("npm")
                .current_dir(&folder)
                .args([
                    "install",
                    "--ignore-scripts",
                    "--no-audit",
                    "--no-fund",
                    "--silent",
                ])
                .args(NODE),
        )?;
        std::fs::write(&stamp, wanted)?;
    }
    let script = root().join("xtask/src/eval/rules.mjs");
    let listed = output(command("node").current_dir(&folder).arg(script))?;
    let rules: Vec<Value> = serde_json::from_str(&listed).context("rules.mjs wrote no JSON")?;
    for rule in &rules {
        let text = |key: &str| rule[key].as_str().unwrap_or_default();
        let (source, name) = (text("source"), text("name"));
        let mut recipe = recipe(source, name, text("summary"), "", text("language"));
        recipe.content.markdown = text("text").to_owned();
        found.insert(format!("{source}:{name}"), recipe);
    }
    Ok(())
}

fn ruff_rules(listed: &str, found: &mut BTreeMap<String, Recipe>) -> Result<()> {
    let rules: Vec<Value> = serde_json::from_str(listed).context("ruff wrote no JSON")?;
    for rule in &rules {
        let text = |key: &str| rule[key].as_str().unwrap_or_default();
        let name = text("name");
        let mut recipe = recipe("ruff", name, text("summary"), "", "python");
        recipe.tags = vec![text("code").to_owned()];
        recipe.category = text("linter").to_owned();
        recipe.content.markdown = text("explanation").to_owned();
        found.insert(format!("ruff:{name}"), recipe);
    }
    Ok(())
}

/// Reads lines like `:unused-import (W0611): *Unused %s*` with the indented
/// text behind each.
fn pylint_rules(listed: &str, found: &mut BTreeMap<String, Recipe>) {
    let mut current: Option<String> = None;
    for line in listed.lines() {
        if let Some((head, message)) = line
            .strip_prefix(':')
            .and_then(|rest| rest.split_once("): "))
            && let Some((name, code)) = head.split_once(" (")
        {
            let title = message
                .trim_matches('*')
                .replace("%s", "…")
                .replace("%r", "…");
            let mut recipe = recipe("pylint", name, &title, "", "python");
            recipe.tags = vec![code.to_owned()];
            let id = format!("pylint:{name}");
            found.insert(id.clone(), recipe);
            current = Some(id);
        } else if let Some(recipe) = current.as_ref().and_then(|id| found.get_mut(id)) {
            recipe.description += line.trim();
            recipe.description.push(' ');
        }
    }
}

/// The queries, with every `*` of what answers them spelled out.
pub fn queries(documents: &[Document]) -> Result<Vec<Judged>> {
    let text = std::fs::read_to_string(root().join("tests/search/queries.tsv"))?;
    let mut queries = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let parts: Vec<&str> = line.split('\t').collect();
        let [class, query, relevant] = parts[..] else {
            bail!("tests/search/queries.tsv: a line needs three columns: {line}");
        };
        let mut ids = Vec::new();
        for pattern in relevant.split(',').filter(|pattern| !pattern.is_empty()) {
            let before = ids.len();
            ids.extend(
                documents
                    .iter()
                    .map(|document| document.id.to_string())
                    .filter(|id| fits(pattern, id)),
            );
            if ids.len() == before {
                bail!("tests/search/queries.tsv: no recipe is called {pattern}");
            }
        }
        ids.sort();
        ids.dedup();
        queries.push(Judged {
            class: class.to_owned(),
            text: query.to_owned(),
            relevant: ids,
        });
    }
    Ok(queries)
}

/// Whether an id fits a pattern in which `*` stands for anything.
fn fits(pattern: &str, id: &str) -> bool {
    let parts: Vec<&str> = pattern.split('*').collect();
    let (Some(first), Some(last)) = (parts.first(), parts.last()) else {
        return false;
    };
    if parts.len() == 1 {
        return pattern == id;
    }
    let Some(mut rest) = id.strip_prefix(first) else {
        return false;
    };
    for part in &parts[1..parts.len() - 1] {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}
