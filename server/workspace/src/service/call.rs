//! One call of an operation, and what comes out of it.

use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::service::error::{ErrorCode, ServiceError};
use crate::service::tools::Tier;
use crate::task::Session;

/// Who calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// A role of the constitution.
    pub role: String,
    /// Which tools it has.
    pub tier: Tier,
    /// The name of the program that is connected.
    pub client: String,
    /// The door that it came through: `mcp`, `http`, `lsp` or `cli`.
    pub door: &'static str,
}

impl Caller {
    /// A person at the terminal.
    #[must_use]
    pub fn terminal() -> Self {
        Self {
            role: "developer".to_owned(),
            tier: Tier::Admin,
            client: "terminal".to_owned(),
            door: "cli",
        }
    }

    /// A person in an editor.
    #[must_use]
    pub fn editor() -> Self {
        Self {
            client: "editor".to_owned(),
            door: "lsp",
            ..Self::terminal()
        }
    }

    /// An agent of a tier, with the role that the tier has.
    #[must_use]
    pub fn agent(tier: Tier) -> Self {
        Self {
            role: tier.role().to_owned(),
            tier,
            client: String::new(),
            door: "mcp",
        }
    }
}

/// One call, its arguments read.
pub(crate) struct Call<'c> {
    pub(crate) arguments: &'c Map<String, Value>,
    pub(crate) caller: &'c Caller,
    session: &'c Mutex<Session>,
    /// Milliseconds since 1970.
    pub(crate) now: i64,
}

impl<'c> Call<'c> {
    pub(crate) fn new(
        arguments: &'c Map<String, Value>,
        caller: &'c Caller,
        session: &'c Mutex<Session>,
        now: i64,
    ) -> Self {
        Self {
            arguments,
            caller,
            session,
            now,
        }
    }

    /// The connection; never held while something is read or searched.
    pub(crate) fn session(&self) -> MutexGuard<'_, Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Unix seconds.
    pub(crate) const fn seconds(&self) -> i64 {
        self.now / 1000
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.arguments.contains_key(name)
    }

    /// A text that is not blank.
    pub(crate) fn text(&self, name: &str) -> Option<&'c str> {
        self.arguments
            .get(name)
            .and_then(Value::as_str)
            .filter(|text| !text.trim().is_empty())
    }

    /// A text that the operation cannot do without.
    pub(crate) fn needed(&self, name: &str) -> Result<&'c str, ServiceError> {
        self.text(name).ok_or_else(|| missing(&[name]))
    }

    pub(crate) fn integer(&self, name: &str) -> Option<i64> {
        self.arguments.get(name).and_then(Value::as_i64)
    }

    /// A number of things.
    pub(crate) fn count(&self, name: &str) -> Option<usize> {
        self.integer(name).and_then(|n| usize::try_from(n).ok())
    }

    pub(crate) fn flag(&self, name: &str) -> bool {
        self.arguments
            .get(name)
            .and_then(Value::as_bool)
            .unwrap_or(false)
    }

    /// The texts of a list.
    pub(crate) fn texts(&self, name: &str) -> Vec<String> {
        let items = self.arguments.get(name).and_then(Value::as_array);
        items
            .into_iter()
            .flatten()
            .filter_map(|item| item.as_str().map(str::to_owned))
            .collect()
    }

    pub(crate) fn items(&self, name: &str) -> &'c [Value] {
        self.arguments
            .get(name)
            .and_then(Value::as_array)
            .map_or(&[], Vec::as_slice)
    }

    pub(crate) fn operation(&self) -> &'c str {
        self.text("operation").unwrap_or_default()
    }
}

/// The error of a call that lacks parameters; all are named at once.
pub(crate) fn missing(names: &[&str]) -> ServiceError {
    let errors: Vec<Value> = names
        .iter()
        .map(|name| json!({"path": name, "message": format!("`{name}` is needed here.")}))
        .collect();
    let list = names
        .iter()
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ");
    ServiceError::new(
        ErrorCode::ValidationError,
        format!("Needed here and not given: {list}."),
    )
    .with_data(json!({"errors": errors}))
}

/// What an operation gives.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Reply {
    pub(crate) message: String,
    pub(crate) data: Value,
    pub(crate) warnings: Vec<String>,
    /// Set when the data says that nothing was achieved.
    pub(crate) failed: Option<ErrorCode>,
}

impl Reply {
    pub(crate) fn new(message: impl Into<String>, data: Value) -> Self {
        Self {
            message: message.into(),
            data,
            warnings: Vec::new(),
            failed: None,
        }
    }

    pub(crate) fn warn(mut self, warning: impl Into<String>) -> Self {
        self.warnings.push(warning.into());
        self
    }
}

/// What leaves the program. (mcp.md §2)
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Envelope {
    /// Whether it worked.
    pub success: bool,
    /// What kind of error it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_code: Option<&'static str>,
    /// For a person.
    pub message: String,
    /// The result, or the particulars of the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
    /// About the call itself.
    pub meta: Meta,
}

/// About a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Meta {
    /// The tool.
    pub tool: String,
    /// The program's version.
    pub version: &'static str,
    /// Milliseconds.
    pub response_time_ms: u64,
    /// Always `asd`.
    pub source: &'static str,
    /// What was ignored or not as it should be.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

impl Envelope {
    /// The envelope of a result.
    pub(crate) fn of(
        tool: &str,
        result: Result<Reply, ServiceError>,
        mut warnings: Vec<String>,
        took_ms: u64,
    ) -> Self {
        let (success, error_code, message, data) = match result {
            Ok(reply) => {
                warnings.extend(reply.warnings);
                let code = reply.failed.map(ErrorCode::as_str);
                (code.is_none(), code, reply.message, Some(reply.data))
            }
            Err(error) => (false, Some(error.code.as_str()), error.message, error.data),
        };
        Self {
            success,
            error_code,
            message,
            data,
            meta: Meta {
                tool: tool.to_owned(),
                version: env!("CARGO_PKG_VERSION"),
                response_time_ms: took_ms,
                source: "asd",
                warnings,
            },
        }
    }

    /// The envelope of an error outside of any operation.
    #[must_use]
    pub fn error(tool: &str, error: ServiceError, took_ms: u64) -> Self {
        Self::of(tool, Err(error), Vec::new(), took_ms)
    }
}
