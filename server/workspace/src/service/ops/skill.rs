//! `asd_skill`

use asd_delivery::{
    Entry, NewSkill, SkillChanges, SkillError, SkillErrorCode, create_skill, delete_skill,
    list_skills, load_skill, suggest_skills, update_skill,
};
use serde_json::json;

use crate::service::Service;
use crate::service::call::{Call, Reply};
use crate::service::error::{ErrorCode, ServiceError};

pub(super) fn run(service: &Service, call: &Call<'_>) -> Result<Reply, ServiceError> {
    let project = service.project();
    let name = call.text("name").unwrap_or_default();
    match call.operation() {
        "list" => {
            let list = list_skills(project);
            Ok(Reply::new(format!("{} skills.", list.total), json!(list)))
        }
        "load" => {
            let loaded = load_skill(project, name, call.text("section"), &entries(service))?;
            Ok(Reply::new(loaded.name.clone(), json!(loaded)))
        }
        "create" => {
            let created = create_skill(
                project,
                &NewSkill {
                    name,
                    description: call.text("description").unwrap_or_default(),
                    content: call.text("content").unwrap_or_default(),
                    overwrite: call.flag("overwrite"),
                    created_by: call.text("createdBy").unwrap_or("external-ai"),
                },
            )?;
            Ok(Reply::new(
                format!("Wrote {}.", created.path),
                json!(created),
            ))
        }
        "update" => {
            let changes = SkillChanges {
                description: call.text("description"),
                content: call.text("content"),
            };
            let updated = update_skill(project, name, changes)?;
            Ok(Reply::new(
                format!("Updated {}.", updated.path),
                json!(updated),
            ))
        }
        "delete" => {
            let deleted = delete_skill(project, name)?;
            Ok(Reply::new(
                format!("Deleted {}.", deleted.path),
                json!(deleted),
            ))
        }
        _ => {
            let suggestions = suggest_skills(project, &entries(service));
            Ok(Reply::new(
                format!("{} suggestions.", suggestions.len()),
                json!({"suggestions": suggestions}),
            ))
        }
    }
}

/// The recipes as skills look at them.
fn entries(service: &Service) -> Vec<Entry> {
    asd_delivery::read_knowledge(service.project(), Vec::new(), None).entries
}

impl From<SkillError> for ServiceError {
    fn from(error: SkillError) -> Self {
        let code = match error.code {
            SkillErrorCode::MissingParam => ErrorCode::MissingParam,
            SkillErrorCode::SkillNotFound => ErrorCode::SkillNotFound,
            SkillErrorCode::InvalidName => ErrorCode::InvalidName,
            SkillErrorCode::BuiltinConflict => ErrorCode::BuiltinConflict,
            SkillErrorCode::AlreadyExists => ErrorCode::AlreadyExists,
            SkillErrorCode::BuiltinProtected => ErrorCode::BuiltinProtected,
            SkillErrorCode::NothingToUpdate => ErrorCode::NothingToUpdate,
            SkillErrorCode::WriteError => ErrorCode::WriteError,
            SkillErrorCode::UpdateError => ErrorCode::UpdateError,
            SkillErrorCode::DeleteError => ErrorCode::DeleteError,
        };
        Self::new(code, error.message)
    }
}
