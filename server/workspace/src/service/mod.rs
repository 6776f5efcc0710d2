//! What is asked of a project's knowledge, by whichever door: one table of
//! operations with their parameters, the gateway before them, and the project
//! that answers, kept current while other processes write to it.

mod anomalies;
mod call;
mod commands;
mod error;
mod gateway;
mod knowledge;
mod live;
mod ops;
pub mod params;
mod stamps;
pub mod tools;
mod upkeep;

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use asd_store::{Project, now};
use serde_json::{Map, Value, json};

pub use call::{Caller, Envelope, Meta};
pub use commands::{AuditFilter, Command, Extent, NamedAction, When};
pub use error::{ErrorCode, ServiceError};
pub use upkeep::Upkeep;

use crate::code::{Code, CodeView};
pub use crate::intelligence::picture::PictureFormat;
use crate::task::Session;
use crate::{ProjectState, Settings};
use call::{Call, Reply};
use gateway::Gateway;
use knowledge::Knowledge;

/// An opened project that answers. Shared by all connections of a process.
pub struct Service {
    pub(crate) knowledge: Knowledge,
    pub(crate) code: Code,
    gateway: Gateway,
    started: Instant,
    submissions: Mutex<ops::submit::Submissions>,
    anomaly_clock: anomalies::Clock,
    upkeep: Option<Upkeep>,
    /// Held by what writes knowledge: of two equal submissions at once the
    /// second must see the first.
    writing: Mutex<()>,
}

impl Service {
    /// Opens a project for as long as the process lives: what others change in
    /// it is seen.
    #[must_use]
    pub fn open(root: &Path, settings: Settings) -> Self {
        Self::over(Knowledge::open(root, settings))
    }

    /// Opens a project for one question.
    #[must_use]
    pub fn once(root: &Path, settings: Settings) -> Self {
        Self::over(Knowledge::once(root, settings))
    }

    fn over(knowledge: Knowledge) -> Self {
        Self {
            gateway: Gateway::read(knowledge.project()),
            code: Code::new(knowledge.project(), knowledge.freshness()),
            knowledge,
            started: Instant::now(),
            submissions: Mutex::default(),
            anomaly_clock: anomalies::Clock::default(),
            upkeep: None,
            writing: Mutex::default(),
        }
    }

    /// Has `progress` told how far the reading of the code is, by files that
    /// are done and files in all.
    #[must_use]
    pub fn telling(self, progress: impl Fn(usize, usize) + Send + Sync + 'static) -> Self {
        self.code
            .tell(Box::new(move |at| progress(at.done, at.total)));
        self
    }

    /// The code as it is now.
    pub(crate) fn code(&self) -> Result<Arc<CodeView>, ServiceError> {
        self.code.view().map_err(|_| {
            ServiceError::new(
                ErrorCode::Timeout,
                "Reading the code took longer than a minute. Keep folders that are no code of \
                 this project out of it through .gitignore, and call again.",
            )
        })
    }

    /// The architecture of the project as a picture: layers, modules, circles,
    /// and how well recipes cover them. Equal projects give equal bytes.
    ///
    /// # Errors
    /// When the code cannot be read in time.
    pub fn picture(&self, format: PictureFormat) -> Result<String, ServiceError> {
        ops::panorama::picture(self, format)
    }

    /// Where the project lies.
    #[must_use]
    pub fn project(&self) -> &Project {
        self.knowledge.project()
    }

    /// The project as it is now.
    #[must_use]
    pub fn state(&self) -> ProjectState {
        self.knowledge.state()
    }

    /// A connection that begins now.
    #[must_use]
    pub fn session(&self) -> Session {
        Session::new(self.project().root(), now().0)
    }

    /// Calls a tool by its name, for a caller with a connection. Never fails:
    /// what goes wrong is in the envelope.
    pub fn call(
        &self,
        tool: &str,
        given: Map<String, Value>,
        caller: &Caller,
        session: &Mutex<Session>,
    ) -> Envelope {
        let start = Instant::now();
        let at = now().0;
        let mut warnings = Vec::new();
        let given_value = Value::Object(given.clone());
        let result = self.answer(tool, given, caller, session, at, &mut warnings);
        let data = match &result {
            Ok(reply) => &reply.data,
            Err(_) => &Value::Null,
        };
        session
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .observe(tool, &given_value, data, at);
        if self.anomaly_clock.strikes(at) {
            let project = self.project().clone();
            std::thread::spawn(move || anomalies::look(&project, at));
        }
        let took = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
        Envelope::of(tool, result, warnings, took)
    }

    fn answer(
        &self,
        name: &str,
        given: Map<String, Value>,
        caller: &Caller,
        session: &Mutex<Session>,
        at: i64,
        warnings: &mut Vec<String>,
    ) -> Result<Reply, ServiceError> {
        let Some(tool) = tools::tool(name) else {
            return Err(ServiceError::not_found(format!(
                "There is no tool `{name}`."
            )));
        };
        if tool.tier > caller.tier {
            return Err(ServiceError::new(
                ErrorCode::PermissionDenied,
                format!(
                    "`{name}` is for those who run the project. A person can do the same with \
                     `asd recipe`, or start the server with ASD_MCP_TIER=admin."
                ),
            ));
        }
        let arguments = params::read(tool.params, given).map_err(|violations| {
            let list: Vec<String> = violations
                .iter()
                .map(|violation| format!("{}: {}", violation.path, violation.message))
                .collect();
            ServiceError::new(ErrorCode::ValidationError, list.join(" "))
                .with_data(json!({"errors": violations}))
        })?;
        warnings.extend(arguments.warnings);
        if let Some((action, resource)) = tools::gate(name, &arguments.values) {
            self.gateway
                .admit(&self.knowledge, caller, action, resource, &arguments.values)?;
        }
        let call = Call::new(&arguments.values, caller, session, at);
        let start = Instant::now();
        let turn = tools::writes_knowledge(name)
            .then(|| self.writing.lock().unwrap_or_else(PoisonError::into_inner));
        let result = ops::run(self, name, &call);
        drop(turn);
        if let Some((action, resource)) = tools::gate(name, &arguments.values) {
            self.gateway.record(
                &self.knowledge,
                caller,
                action,
                resource,
                &arguments.values,
                result.as_ref().err(),
                start.elapsed(),
            );
        }
        result
    }

    /// Ends a connection: work that is left is remembered.
    pub fn leave(&self, session: &Mutex<Session>) {
        let record = session
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .abandon(now().0);
        if let Some(record) = record {
            self.knowledge.remember_chain(&record);
        }
        self.knowledge.flush();
    }

    /// From now on a change of knowledge, whoever makes it, reaches the files
    /// that IDEs read.
    #[must_use]
    pub fn delivering(mut self) -> Self {
        let upkeep = Upkeep::new(self.project());
        self.knowledge.tell(upkeep.teller());
        self.upkeep = Some(upkeep);
        self
    }

    /// Delivers what changed and was not delivered yet, before the process ends.
    pub fn deliver_rest(&self) {
        if let Some(upkeep) = &self.upkeep {
            upkeep.finish();
        }
    }

    /// A call succeeded: from its next start on, the host need not ask about
    /// tools that only read.
    pub fn request_auto_approve(&self) {
        if let Err(error) = asd_delivery::request_auto_approve(self.project()) {
            tracing::warn!(%error, "the host goes on asking about tools that only read");
        }
    }

    /// Writes what was counted, before the process ends.
    pub fn flush(&self) {
        self.knowledge.flush();
    }

    /// How long it has been open.
    #[must_use]
    pub fn uptime_seconds(&self) -> u64 {
        self.started.elapsed().as_secs()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.deliver_rest();
    }
}
