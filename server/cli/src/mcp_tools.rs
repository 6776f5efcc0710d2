//! `asd mcp --tools`: what agents can call, as Markdown, from the same table
//! that the server lists.

use std::fmt::Write;

use asd_workspace::service::params::schema;
use asd_workspace::service::tools::{Effect, TOOLS, Tier, ToolSpec};
use serde_json::Value;

/// All tools with their parameters.
pub(crate) fn markdown() -> String {
    let mut text = String::from(
        "# Tools\n\nThis page is made by `asd mcp --tools`. How to connect an agent: \
         [mcp.md](mcp.md).\n\n| tool | for | tier | effect |\n| --- | --- | --- | --- |\n",
    );
    for tool in TOOLS {
        line(
            &mut text,
            &format!(
                "| [`{name}`](#{name}) | {} | {} | {} |",
                tool.purpose,
                tool.tier.as_str(),
                effect(tool),
                name = tool.name
            ),
        );
    }
    for tool in TOOLS {
        describe(&mut text, tool);
    }
    text
}

fn describe(text: &mut String, tool: &ToolSpec) {
    line(text, &format!("\n## {}\n\n{}", tool.name, tool.about));
    if tool.tier == Tier::Admin {
        line(text, "\nOnly with `ASD_MCP_TIER=admin`.");
    }
    let schema = schema(tool.params);
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return;
    };
    if properties.is_empty() {
        line(text, "\nIt takes nothing.");
        return;
    }
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    line(text, "\n| parameter | takes | |\n| --- | --- | --- |");
    for (name, property) in properties {
        let needed = if required.contains(&name.as_str()) {
            " (required)"
        } else {
            ""
        };
        let about = property["description"].as_str().unwrap_or_default();
        let takes = takes(property);
        line(text, &format!("| `{name}`{needed} | {takes} | {about} |"));
    }
}

/// What a parameter takes, in few words.
fn takes(schema: &Value) -> String {
    if let Some(values) = schema["enum"].as_array() {
        let values: Vec<String> = values
            .iter()
            .filter_map(Value::as_str)
            .map(|value| format!("`{value}`"))
            .collect();
        return values.join(", ");
    }
    for either in ["anyOf", "oneOf"] {
        if let Some(forms) = schema[either].as_array() {
            let forms: Vec<String> = forms.iter().map(takes).collect();
            return forms.join(" or ");
        }
    }
    match schema["type"].as_str() {
        Some("array") => format!("list of {}", takes(&schema["items"])),
        Some("object") => {
            let fields = schema["properties"].as_object();
            let fields: Vec<String> = fields
                .into_iter()
                .flat_map(|fields| fields.keys())
                .map(|name| format!("`{name}`"))
                .collect();
            if fields.is_empty() {
                "object".to_owned()
            } else {
                format!("object with {}", fields.join(", "))
            }
        }
        Some(kind @ ("integer" | "number")) => {
            let bound = |name: &str| schema[name].as_i64();
            match (bound("minimum"), bound("maximum")) {
                (Some(least), Some(most)) => format!("{kind}, {least} to {most}"),
                _ => kind.to_owned(),
            }
        }
        Some("string") => "text".to_owned(),
        Some(kind) => kind.to_owned(),
        None => "anything".to_owned(),
    }
}

const fn effect(tool: &ToolSpec) -> &'static str {
    match tool.effect {
        Effect::Reads => "reads",
        Effect::Writes => "writes",
        Effect::Destroys => "may remove",
    }
}

fn line(text: &mut String, line: &str) {
    // Writing to a string does not fail.
    let _ = writeln!(text, "{line}");
}
