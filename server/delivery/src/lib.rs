//! Knowledge pushed into the files that IDEs and agents read: the channels, their
//! budgets, the protection of files that belong to people, MCP configuration,
//! skills, and what `asd setup` and `asd mirror` write.
//!
//! Rendering is pure; only this room writes IDE files.

mod code;
#[cfg(test)]
mod fixture;
mod fit;
mod input;
mod protect;
mod rank;
mod render;
mod skills;
mod text;
mod tools;

pub use input::{Entry, FileCalls, Knowledge, ToolSummary, UsageCounts, UsageSummary};
pub use protect::{Ownership, WriteSafety, check_write_safety, is_owned, may_write};
pub use render::topics::topic_of;
pub use render::{
    AgentsFile, ChannelA, ChannelB, ChannelBPlus, ChannelC, ChannelD, ChannelF, Channels, Rendered,
    TopicReport, render,
};
pub use skills::{
    BUILT_IN, BuiltIn, CreatedSkill, ListedSkill, LoadedSkill, NewSkill, ProjectSkill,
    SkillChanges, SkillError, SkillErrorCode, SkillList, SkillPath, SkillSource, SkillSuggestion,
    create_skill, delete_skill, list_skills, load_skill, read_project_skills, suggest_skills,
    update_skill,
};
pub use tools::{TOOLS, Tier, Tool, agent_tools, auto_approved_tools};
