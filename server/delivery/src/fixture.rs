//! Recipes for tests, written as the lines that matter.

use std::sync::Arc;

use asd_recipe::{Home, parse};

use crate::{Entry, Knowledge, ToolSummary};

/// A recipe from front-matter lines, which may be followed by `---` and a body.
/// `confidence:` goes where it belongs. What is not said gets a value that
/// does not stand in the way.
pub(crate) fn entry(front: &str) -> Entry {
    numbered(0, front)
}

fn numbered(number: usize, front: &str) -> Entry {
    let (front, body) = front.split_once("\n---\n").unwrap_or((front, ""));
    let mut lines = String::new();
    for (key, value) in [
        ("title", format!("Title {number}")),
        ("trigger", format!("'@t-{number:04}'")),
        ("lifecycle", "active".to_owned()),
        ("id", format!("00000000-0000-4000-8000-{number:012}")),
    ] {
        if !front
            .lines()
            .any(|line| line.starts_with(&format!("{key}:")))
        {
            lines.push_str(&format!("{key}: {value}\n"));
        }
    }
    for line in front.lines() {
        match line.strip_prefix("confidence:") {
            Some(value) => lines.push_str(&format!("reasoning:\n  confidence:{value}\n")),
            None => lines.push_str(&format!("{line}\n")),
        }
    }
    let text = format!("---\n{lines}---\n{body}");
    let recipe = parse(&text, Home::Recipes)
        .recipe
        .expect("a readable recipe");
    Entry {
        recipe: Arc::new(recipe),
        path: format!("Alembic/recipes/general/{number:04}.md").into(),
        use_count: 0,
        authority: 0.0,
    }
}

/// Two tools, as a server would offer them.
pub(crate) const TOOLS: [ToolSummary; 2] = [
    ToolSummary {
        name: "asd_search",
        purpose: "find recipes by words",
    },
    ToolSummary {
        name: "asd_task",
        purpose: "prime, create, close tasks",
    },
];

/// Recipes from front-matter lines.
pub(crate) fn knowledge(fronts: &[&str]) -> Knowledge {
    Knowledge {
        entries: fronts
            .iter()
            .enumerate()
            .map(|(number, front)| numbered(number, front))
            .collect(),
        tools: TOOLS.to_vec(),
        ..Knowledge::default()
    }
}
