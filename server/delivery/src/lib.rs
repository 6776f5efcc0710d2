//! Knowledge pushed into the files that IDEs and agents read: the channels, their
//! budgets, the protection of files that belong to people, MCP configuration,
//! skills, and what `asd setup` and `asd mirror` write.
//!
//! Rendering is pure; only this room writes IDE files.

mod code;
mod deliver;
mod fit;
#[cfg(test)]
mod fixture;
mod hosts;
mod input;
mod load;
mod mirror;
mod present;
mod protect;
mod rank;
mod render;
mod setup;
mod skills;
mod text;

pub use deliver::{
    Action, Debounce, DeliverOptions, Delivered, DeliveryReport, DeliveryStats, Mode, PlannedFile,
    Redelivery, RemoveReport, deliver, deliver_if_changed, has_deliveries, plan, remove,
};
pub use hosts::{Host, apply_auto_approve, request_auto_approve};
pub use input::{Entry, FileCalls, Knowledge, ToolSummary};
pub use load::read_knowledge;
pub use mirror::{MirrorError, MirrorReport, MirrorTarget, mirror};
pub use present::Present;
pub use protect::{Ownership, WriteSafety, check_write_safety, is_owned, may_write};
pub use render::topics::topic_of;
pub use render::{
    AgentsFile, ChannelA, ChannelB, ChannelBPlus, ChannelC, ChannelD, ChannelF, Channels, Rendered,
    TopicReport, render,
};
pub use setup::{SetupError, SetupFile, SetupOptions, SetupReport, UndoReport, setup, undo};
pub use skills::{
    BUILT_IN, BuiltIn, CreatedSkill, ListedSkill, LoadedSkill, NewSkill, ProjectSkill,
    SkillChanges, SkillError, SkillErrorCode, SkillList, SkillPath, SkillSource, SkillSuggestion,
    create_skill, delete_skill, list_skills, load_skill, read_project_skills, suggest_skills,
    update_skill,
};
