//! Errors of operations, with the codes that every door uses. (mcp.md §2)

use serde::Serialize;
use serde_json::Value;

/// What kind of error it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[expect(missing_docs, reason = "the names are the spec's own terms")]
pub enum ErrorCode {
    ValidationError,
    InvalidInput,
    NotFound,
    Conflict,
    PermissionDenied,
    ConstitutionViolation,
    RateLimit,
    IncompleteSubmission,
    SessionNotFound,
    NoActiveTask,
    Timeout,
    ToolError,
    InternalError,
    MissingParam,
    SkillNotFound,
    InvalidName,
    BuiltinConflict,
    AlreadyExists,
    BuiltinProtected,
    NothingToUpdate,
    WriteError,
    UpdateError,
    DeleteError,
}

impl ErrorCode {
    /// The name as it leaves the program.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ValidationError => "VALIDATION_ERROR",
            Self::InvalidInput => "INVALID_INPUT",
            Self::NotFound => "NOT_FOUND",
            Self::Conflict => "CONFLICT",
            Self::PermissionDenied => "PERMISSION_DENIED",
            Self::ConstitutionViolation => "CONSTITUTION_VIOLATION",
            Self::RateLimit => "RATE_LIMIT",
            Self::IncompleteSubmission => "INCOMPLETE_SUBMISSION",
            Self::SessionNotFound => "SESSION_NOT_FOUND",
            Self::NoActiveTask => "NO_ACTIVE_TASK",
            Self::Timeout => "TIMEOUT",
            Self::ToolError => "TOOL_ERROR",
            Self::InternalError => "INTERNAL_ERROR",
            Self::MissingParam => "MISSING_PARAM",
            Self::SkillNotFound => "SKILL_NOT_FOUND",
            Self::InvalidName => "INVALID_NAME",
            Self::BuiltinConflict => "BUILTIN_CONFLICT",
            Self::AlreadyExists => "ALREADY_EXISTS",
            Self::BuiltinProtected => "BUILTIN_PROTECTED",
            Self::NothingToUpdate => "NOTHING_TO_UPDATE",
            Self::WriteError => "WRITE_ERROR",
            Self::UpdateError => "UPDATE_ERROR",
            Self::DeleteError => "DELETE_ERROR",
        }
    }
}

/// Why an operation gave no result.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct ServiceError {
    /// Its kind.
    pub code: ErrorCode,
    /// What went wrong, where, and what to do, for a person.
    pub message: String,
    /// The particulars.
    pub data: Option<Value>,
}

impl ServiceError {
    /// An error without particulars.
    #[must_use]
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            data: None,
        }
    }

    /// Something that does not exist.
    #[must_use]
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::NotFound, message)
    }

    /// Adds particulars.
    #[must_use]
    pub fn with_data(mut self, data: Value) -> Self {
        self.data = Some(data);
        self
    }
}
