//! Everything that a project keeps in files: its layout, settings, exclusions
//! recipes and records, which of its files are to be checked, how a file is read as
//! text and how one is written without a chance to be seen half done.
//!
//! Reading writes nothing. Every write goes through [`write_atomic`], which
//! refuses to leave the project. What recipes and rules mean is not known here.
//!
//! [`KnowledgeStore`] is the project's knowledge as a whole: its files, the
//! database that is made from them, and the journals of what happened. Which
//! moves, proposals and counts there are is decided by `asd-knowledge`.

mod cache_folder;
mod config;
mod config_read;
mod config_search;
mod exclusions;
mod failpoint;
mod git;
mod git_index;
mod git_renames;
mod host;
mod knowledge;
mod log_file;
mod node;
mod project;
mod recipes;
mod records;
mod staged;
mod user;
mod walk;
mod watch;
mod write;

pub use cache_folder::{CacheFolder, user_check_cache};
pub use config::{
    Config, DeliveryConfig, FilesConfig, GuardConfig, Layer, QualityGate, ReviewConfig, Threshold,
    config_schema,
};
pub use config_search::{EmbeddingsChoice, OnnxConfig, RemoteConfig, SearchConfig};
pub use exclusions::parse_exclusions;
pub use git::{ChangedLines, Git, GitError, Staged};
pub use git_renames::Renamed;
pub use host::{Disk, Host, MAX_FILE, PathKind, Unreadable, read_text, read_text_up_to};

pub use knowledge::{
    AuditQuery, DatabaseError, Edge, Entry, Extent, KnowledgeError, KnowledgeStore, Moved,
    SyncChange, SyncError, SyncReport, UsageRecorder, Written, emit_signals, merge_usage,
    read_usage_summary, remove_knowledge_file,
};
pub use log_file::LogFile;
pub use project::{KNOWLEDGE_DIR, OutsideProject, Project};
pub use recipes::{
    MAX_RECIPE, RecipeFile, RecipePath, list_recipes, load_recipe, load_recipes, recipe_at,
};
pub use records::{
    RecordError, Records, Signal, Usage, add_feedback, append_signals, append_usage,
    change_records, change_review, new_run_id, now, parse_feedback, read_feedback, read_records,
    shadow_file,
};
pub use staged::StagedHost;
pub use user::{project_state_folder, user_config_path};
pub use walk::{FileEntry, Skipped, Visited, WalkRoot, Walked, walk};
pub use watch::{Changes, WatchError, Watcher};
pub use write::{WriteError, WriteLock, lock_file, lock_for_writing, write_atomic};
