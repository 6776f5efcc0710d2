//! What is delivered, gathered for every door in the same way: two doors that
//! gathered it differently would write the same files in turn.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use asd_codemap::{CodeIndex, CodeMap, KNOWN_CALL, Keep, ScanOptions};
use asd_delivery::{Entry, FileCalls, Knowledge, ToolSummary, read_knowledge};
use asd_store::{Disk, Project};

pub use crate::service::Upkeep;
use crate::service::tools::{Effect, TOOLS, Tier};

/// Everything that delivered files are made from, as the project's files say it
/// now: its recipes, its skills, and who calls whom in its code.
#[must_use]
pub fn knowledge(project: &Project) -> Knowledge {
    let never = AtomicBool::new(false);
    let options = ScanOptions {
        host: &Disk,
        cancel: &never,
        progress: &|_| {},
        keep: Keep::WhenSetUp,
    };
    let calls = CodeIndex::scan(project, &options).map(|index| file_calls(&index.map()));
    knowledge_with(project, calls.ok())
}

/// The same, with calls that are known already.
pub(crate) fn knowledge_with(project: &Project, calls: Option<Vec<FileCalls>>) -> Knowledge {
    read_knowledge(project, agent_tools(), calls)
}

/// The recipes of a project as they are delivered, without a look at its code.
#[must_use]
pub fn entries(project: &Project) -> Vec<Entry> {
    read_knowledge(project, Vec::new(), None).entries
}

/// Which file calls which, how often, sorted; tests are left out, generated
/// and vendored files are not part of the map. (delivery.md §8)
pub(crate) fn file_calls(map: &CodeMap) -> Vec<FileCalls> {
    let mut counts: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    for call in map
        .calls()
        .iter()
        .filter(|call| call.confidence >= KNOWN_CALL)
    {
        let (from, to) = (map.file(call.file), map.file(map.file_of(call.callee)));
        if from.path != to.path && !from.source.is_test && !to.source.is_test {
            *counts.entry((&from.path, &to.path)).or_default() += 1;
        }
    }
    counts
        .into_iter()
        .map(|((caller, callee), count)| FileCalls {
            caller: caller.to_owned(),
            callee: callee.to_owned(),
            count,
        })
        .collect()
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
