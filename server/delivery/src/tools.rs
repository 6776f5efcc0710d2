//! The tools that the server offers, as far as anyone but the server itself
//! must know them: their names, who may use them, and what they are for. The
//! server adds descriptions and parameters to this table.

use crate::ToolSummary;

/// Who is offered a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tier {
    /// Every agent.
    Agent,
    /// Those who keep the knowledge.
    Admin,
}

/// One tool of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tool {
    /// Its name.
    pub name: &'static str,
    /// Who is offered it.
    pub tier: Tier,
    /// Whether it never changes anything.
    pub read_only: bool,
    /// Whether it may delete or overwrite something.
    pub destructive: bool,
    /// What it is for, in at most eight words.
    pub purpose: &'static str,
}

const fn reads(name: &'static str, purpose: &'static str) -> Tool {
    Tool {
        name,
        tier: Tier::Agent,
        read_only: true,
        destructive: false,
        purpose,
    }
}

const fn writes(name: &'static str, purpose: &'static str) -> Tool {
    Tool {
        read_only: false,
        ..reads(name, purpose)
    }
}

/// Every tool in the order in which the server lists them. (mcp.md §3)
pub const TOOLS: &[Tool] = &[
    reads("asd_health", "state of server and knowledge"),
    reads("asd_search", "find recipes by words or meaning"),
    writes("asd_knowledge", "list, read, confirm use of recipes"),
    reads("asd_structure", "targets, files and manifests"),
    reads("asd_graph", "relations between recipes and modules"),
    reads("asd_call_context", "callers, callees, impact of a change"),
    writes("asd_guard", "check code or review changed files"),
    writes("asd_submit_knowledge", "propose new recipes"),
    Tool {
        destructive: true,
        ..writes("asd_skill", "list, load and write skills")
    },
    writes("asd_bootstrap", "first scan of a project"),
    writes("asd_rescan", "compare knowledge with changed code"),
    writes("asd_evolve", "propose changes to recipes"),
    writes("asd_dimension_complete", "finish one dimension of the scan"),
    writes("asd_wiki", "plan and finish the wiki"),
    reads("asd_panorama", "modules, layers, gaps and health"),
    writes("asd_task", "prime, create, close tasks; record decisions"),
    Tool {
        tier: Tier::Admin,
        ..writes("asd_enrich_candidates", "fill gaps of candidates")
    },
    Tool {
        tier: Tier::Admin,
        destructive: true,
        ..writes("asd_knowledge_lifecycle", "approve, publish, deprecate recipes")
    },
];

/// The tools that agents are told of.
#[must_use]
pub fn agent_tools() -> Vec<ToolSummary> {
    TOOLS
        .iter()
        .filter(|tool| tool.tier == Tier::Agent)
        .map(|tool| ToolSummary {
            name: tool.name,
            purpose: tool.purpose,
        })
        .collect()
}

/// The tools that a host may run without asking: those of agents that change
/// nothing.
#[must_use]
pub fn auto_approved_tools() -> Vec<&'static str> {
    TOOLS
        .iter()
        .filter(|tool| tool.tier == Tier::Agent && tool.read_only)
        .map(|tool| tool.name)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sixteen_for_agents_with_a_short_purpose_each() {
        let tools = agent_tools();
        assert_eq!((tools.len(), TOOLS.len()), (16, 18));
        let names: std::collections::BTreeSet<_> = TOOLS.iter().map(|tool| tool.name).collect();
        assert_eq!(names.len(), TOOLS.len());
        for tool in tools {
            assert!(tool.purpose.split_whitespace().count() <= 8, "{tool:?}");
        }
    }

    #[test]
    fn nothing_that_changes_something_is_approved_by_itself() {
        let approved = auto_approved_tools();
        for name in ["asd_submit_knowledge", "asd_skill", "asd_task", "asd_evolve"] {
            assert!(!approved.contains(&name));
        }
        assert!(approved.contains(&"asd_search"));
    }
}
