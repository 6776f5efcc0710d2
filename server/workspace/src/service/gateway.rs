//! The gateway: who asks for what, whether the constitution admits it, and the
//! account of it. (knowledge.md §16–§17)

use std::time::Duration;

use asd_knowledge::permit::{
    AuditResult, AuditRow, Constitution, Request, Resource, Surroundings, audit_data, permit,
};
use asd_store::{Disk, Project, now, read_text_up_to};
use serde_json::{Map, Value, json};

use crate::intelligence::wiki::WIKI_DIR;
use crate::service::call::Caller;
use crate::service::error::{ErrorCode, ServiceError};
use crate::service::knowledge::Knowledge;

/// A constitution larger than this is not read, in bytes.
const MAX_CONSTITUTION: u64 = 256 * 1024;

/// See the module.
pub(crate) struct Gateway {
    constitution: Constitution,
    surroundings: Surroundings,
}

impl Gateway {
    /// The gateway of a project, by its own constitution when it has one.
    pub(crate) fn read(project: &Project) -> Self {
        let path = project.knowledge().join("constitution.yaml");
        let constitution = match read_text_up_to(&Disk, &path, MAX_CONSTITUTION) {
            Ok(decoded) => {
                let (constitution, problems) = Constitution::read(&decoded.text);
                for problem in problems {
                    tracing::warn!(message = problem.message, "Alembic/constitution.yaml");
                }
                constitution
            }
            Err(_) => Constitution::default(),
        };
        let knowledge = project.knowledge();
        let writable = std::fs::metadata(&knowledge)
            .map_or(true, |metadata| !metadata.permissions().readonly());
        Self {
            constitution,
            surroundings: Surroundings {
                knowledge_writable: writable,
                separate_repository: knowledge.join(".git").exists(),
            },
        }
    }

    /// Whether a caller may do this; a refusal is put on record.
    pub(crate) fn admit(
        &self,
        knowledge: &Knowledge,
        caller: &Caller,
        action: &str,
        resource: &str,
        arguments: &Map<String, Value>,
    ) -> Result<(), ServiceError> {
        let data = request_data(action, arguments);
        let decided = Request::new(&caller.role, action, Some(Resource::of(resource)), data)
            .and_then(|request| permit(&self.constitution, &request, self.surroundings));
        match decided {
            Ok(_) => Ok(()),
            Err(denial) => {
                let code = match denial.code() {
                    "VALIDATION_ERROR" => ErrorCode::ValidationError,
                    "CONSTITUTION_VIOLATION" => ErrorCode::ConstitutionViolation,
                    _ => ErrorCode::PermissionDenied,
                };
                let error = ServiceError::new(code, denial.to_string());
                self.record(
                    knowledge,
                    caller,
                    action,
                    resource,
                    arguments,
                    Some(&error),
                    Duration::ZERO,
                );
                Err(error)
            }
        }
    }

    /// Puts on record what was done, or why not. That it cannot be recorded is
    /// no reason not to do it.
    #[expect(
        clippy::too_many_arguments,
        reason = "they are the parts of an audit row"
    )]
    pub(crate) fn record(
        &self,
        knowledge: &Knowledge,
        caller: &Caller,
        action: &str,
        resource: &str,
        arguments: &Map<String, Value>,
        error: Option<&ServiceError>,
        took: Duration,
    ) {
        let row = AuditRow {
            id: uuid::Uuid::new_v4().to_string(),
            timestamp: now().0,
            actor: caller.role.clone(),
            actor_context: json!({"door": caller.door, "client": caller.client}),
            action: action.to_owned(),
            resource: resource.to_owned(),
            operation_data: audit_data(&Value::Object(arguments.clone())),
            result: if error.is_some() {
                AuditResult::Failure
            } else {
                AuditResult::Success
            },
            error_message: error.map(|error| error.message.clone()),
            duration: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        };
        if let Err(error) = knowledge.store.append_audit(&row) {
            tracing::warn!(%error, "an operation was not put on record");
        }
    }
}

/// What the constitution's rules look at.
fn request_data(action: &str, arguments: &Map<String, Value>) -> Value {
    let mut data = arguments.clone();
    if action == "delete:skills" {
        // The caller named the skill that it wants to be gone.
        data.insert("confirmed".to_owned(), json!(true));
    }
    if let Some(written) = arguments.get("articlesWritten") {
        // Articles are named from the wiki's folder.
        let prefix = format!("{WIKI_DIR}/");
        let placed = |path: &str| {
            if path.starts_with(&prefix) || path.starts_with(['/', '~']) {
                path.to_owned()
            } else {
                format!("{prefix}{path}")
            }
        };
        let texts = written.as_array().into_iter().flatten();
        let paths: Vec<String> = texts.filter_map(|text| text.as_str().map(placed)).collect();
        data.insert("filePaths".to_owned(), json!(paths));
    }
    Value::Object(data)
}
