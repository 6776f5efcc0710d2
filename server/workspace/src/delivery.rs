//! What is delivered, gathered for every door in the same way: two doors that
//! gathered it differently would write the same files in turn.

use asd_delivery::{Knowledge, ToolSummary, read_knowledge};
use asd_store::Project;

use crate::service::tools::{Effect, TOOLS, Tier};

/// Everything that delivered files are made from, as the project's files say it
/// now.
#[must_use]
pub fn knowledge(project: &Project) -> Knowledge {
    read_knowledge(project, agent_tools(), None)
}

/// The tools that agents are told of in files.
fn agent_tools() -> Vec<ToolSummary> {
    TOOLS
        .iter()
        .filter(|tool| tool.tier == Tier::Agent)
        .map(|tool| ToolSummary {
            name: tool.name,
            purpose: tool.purpose,
        })
        .collect()
}

/// The tools that a host may run without asking: those for agents that change
/// nothing.
#[must_use]
pub fn auto_approved_tools() -> Vec<&'static str> {
    TOOLS
        .iter()
        .filter(|tool| tool.tier == Tier::Agent && tool.effect == Effect::Reads)
        .map(|tool| tool.name)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_are_told_of_sixteen_tools_in_few_words() {
        let tools = agent_tools();
        assert_eq!(tools.len(), 16);
        for tool in tools {
            assert!(tool.purpose.split_whitespace().count() <= 8, "{tool:?}");
        }
    }

    #[test]
    fn nothing_that_changes_something_runs_without_asking() {
        let approved = auto_approved_tools();
        assert!(approved.contains(&"asd_search"));
        for name in [
            "asd_submit_knowledge",
            "asd_skill",
            "asd_task",
            "asd_evolve",
        ] {
            assert!(!approved.contains(&name), "{name}");
        }
    }

    #[test]
    fn built_in_skills_name_tools_that_exist() {
        for skill in asd_delivery::BUILT_IN {
            let words = skill
                .body
                .split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
                .filter(|word| word.starts_with("asd_"));
            for word in words {
                assert!(TOOLS.iter().any(|tool| tool.name == word), "{word}");
            }
        }
    }
}
