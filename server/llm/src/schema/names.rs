//! Names of tools: ours, those that a provider takes, and the way back.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use crate::capabilities::NameRule;
use crate::request::{ToolGroup, ToolSpec};

/// The longest name that all providers take.
const LONGEST: usize = 64;
/// What is kept of a longer one, before `_` and the hash.
const KEPT: usize = 55;

/// A tool that cannot be offered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// Our own names have one form.
    #[error(
        "the tool `{0}` is not offered: a name begins with a-z and goes on with a-z, 0-9 and _"
    )]
    Form(String),
    /// Two tools would have one name.
    #[error(
        "the tool `{tool}` is not offered: models would see it as `{exposed}`, which is `{other}`; \
         rename one of them"
    )]
    Taken {
        /// The later tool.
        tool: String,
        /// The name that models would see.
        exposed: String,
        /// The earlier tool.
        other: String,
    },
}

/// Whether a name has the form of our own.
#[must_use]
pub fn is_internal_name(name: &str) -> bool {
    name.len() <= LONGEST
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

/// The tools of a request in their fixed order, with the names that models see.
#[derive(Debug, Clone, Default)]
pub struct ToolNames {
    rule: Option<NameRule>,
    /// From exposed to full name.
    back: BTreeMap<String, String>,
    order: Vec<(String, ToolSpec)>,
}

impl ToolNames {
    /// Orders tools (ours, skills, MCP; each by name) and names them. What cannot
    /// be offered is left out and told.
    #[must_use]
    pub fn new(tools: &[ToolSpec], rule: NameRule) -> (Self, Vec<NameError>) {
        let mut sorted: Vec<&ToolSpec> = tools.iter().collect();
        sorted.sort_by(|a, b| (&a.group, &a.name).cmp(&(&b.group, &b.name)));
        let mut names = Self {
            rule: Some(rule),
            ..Self::default()
        };
        let mut errors = Vec::new();
        for tool in sorted {
            let full = tool.full_name();
            if !matches!(tool.group, ToolGroup::Mcp(_)) && !is_internal_name(&full) {
                errors.push(NameError::Form(full));
                continue;
            }
            let exposed = expose(&full, rule);
            if let Some(other) = names.back.get(&exposed) {
                errors.push(NameError::Taken {
                    tool: full,
                    exposed,
                    other: other.clone(),
                });
                continue;
            }
            names.back.insert(exposed.clone(), full);
            names.order.push((exposed, tool.clone()));
        }
        (names, errors)
    }

    /// The tools in order, each with the name that models see.
    #[must_use]
    pub fn tools(&self) -> &[(String, ToolSpec)] {
        &self.order
    }

    /// The name that models see of a full name, offered now or not.
    #[must_use]
    pub fn exposed(&self, full: &str) -> String {
        expose(full, self.rule.unwrap_or(NameRule::Dashes))
    }

    /// The full name of what a model called; a name that nothing has stays.
    #[must_use]
    pub fn full(&self, exposed: &str) -> String {
        self.back
            .get(exposed)
            .cloned()
            .unwrap_or_else(|| exposed.to_owned())
    }
}

fn expose(full: &str, rule: NameRule) -> String {
    let mut name: String = full
        .chars()
        .map(|c| if rule.allows(c) { c } else { '_' })
        .collect();
    if name.len() > LONGEST {
        let hash = Sha256::digest(full.as_bytes());
        let hex: String = hash[..4].iter().map(|byte| format!("{byte:02x}")).collect();
        name.truncate(KEPT);
        name = format!("{name}_{hex}");
    }
    name
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tool(name: &str, group: ToolGroup) -> ToolSpec {
        ToolSpec {
            name: name.to_owned(),
            description: String::new(),
            parameters: json!({"type": "object"}),
            group,
        }
    }

    fn mcp(server: &str, name: &str) -> ToolSpec {
        tool(name, ToolGroup::Mcp(server.to_owned()))
    }

    #[test]
    fn the_order_is_ours_then_skills_then_servers() {
        let tools = [
            mcp("b", "x"),
            tool("write", ToolGroup::BuiltIn),
            tool("deploy", ToolGroup::Skill),
            mcp("a", "z"),
            tool("read", ToolGroup::BuiltIn),
        ];
        let (names, errors) = ToolNames::new(&tools, NameRule::Dashes);
        let order: Vec<&str> = names
            .tools()
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        assert_eq!(order, ["read", "write", "deploy", "mcp__a__z", "mcp__b__x"]);
        assert!(errors.is_empty());
    }

    #[test]
    fn no_tool_of_a_server_shadows_another() {
        let tools = [
            tool("read", ToolGroup::BuiltIn),
            mcp("s", "read"),
            mcp("s", "a.b"),
            mcp("s", "a/b"),
        ];
        let (names, errors) = ToolNames::new(&tools, NameRule::Dashes);
        let order: Vec<&str> = names
            .tools()
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        assert_eq!(order, ["read", "mcp__s__a_b", "mcp__s__read"]);
        assert_eq!(errors.len(), 1);
        assert_eq!(
            errors[0].to_string(),
            "the tool `mcp__s__a/b` is not offered: models would see it as `mcp__s__a_b`, which is \
             `mcp__s__a.b`; rename one of them"
        );
        assert_eq!(names.full("mcp__s__a_b"), "mcp__s__a.b");
        assert_eq!(names.full("unknown"), "unknown");
    }

    #[test]
    fn a_long_name_is_cut_and_keeps_its_identity() {
        let long = "x".repeat(80);
        let (names, _) = ToolNames::new(
            &[mcp("s", &format!("{long}1")), mcp("s", &format!("{long}2"))],
            NameRule::Dashes,
        );
        let [(first, _), (second, _)] = names.tools() else {
            panic!("both are offered")
        };
        assert_eq!(first.len(), 64);
        assert_ne!(first, second);
        assert_eq!(names.full(first), format!("mcp__s__{long}1"));
    }

    #[test]
    fn our_own_names_have_one_form() {
        for bad in ["Read", "", "1a", "a-b", "a.b"] {
            assert!(!is_internal_name(bad), "{bad}");
        }
        let (names, errors) = ToolNames::new(&[tool("Bad", ToolGroup::Skill)], NameRule::Dotted);
        assert!(names.tools().is_empty());
        assert_eq!(errors, [NameError::Form("Bad".into())]);
    }
}
