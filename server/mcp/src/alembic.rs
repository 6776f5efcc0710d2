//! The catalog of a project: its tools, its recipes as resources, its prompts.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use asd_workspace::ProjectState;
use asd_workspace::service::params::schema;
use asd_workspace::service::tools::{Effect, TOOLS, ToolSpec};
use asd_workspace::service::{Caller, Envelope, ErrorCode, ServiceError};
use asd_workspace::task::Session;
use rmcp::model::{
    CallToolResult, ContentBlock, ErrorData, GetPromptResult, Implementation, JsonObject, Prompt,
    PromptArgument, PromptMessage, ProtocolVersion, ReadResourceResult, Resource, ResourceContents,
    ResourceTemplate, Role, ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
};
use serde_json::{Value, json};

use crate::catalog::{Call, Catalog, OfferedPrompt, OfferedTool, Pending, Resources};
use crate::opening::Opening;

/// The address of a recipe as a resource.
const SCHEME: &str = "alembic://recipe/";

/// What an agent is told when it connects.
const INSTRUCTIONS: &str = "The conventions of this project. Call asd_task prime with the user's \
    words before you write code, follow the recipes it returns, and call asd_guard after a change.";

/// One connection to a project. When the last clone is gone, work that is left
/// is remembered.
#[derive(Clone)]
pub struct Connection {
    caller: Arc<Caller>,
    shared: Arc<Shared>,
}

/// What the calls of a connection have in common.
pub(crate) struct Shared {
    opening: Opening,
    /// Begun by the first call.
    session: OnceLock<Mutex<Session>>,
    succeeded: AtomicBool,
}

impl Shared {
    fn session(&self) -> &Mutex<Session> {
        self.session
            .get_or_init(|| Mutex::new(self.opening.service().session()))
    }

    /// Ends the connection: work that is left is remembered.
    pub(crate) fn leave(&self) {
        // Without a session nothing was called, and the project may not even be
        // open.
        if let Some(session) = self.session.get() {
            self.opening.service().leave(session);
        }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.leave();
    }
}

impl Connection {
    /// A connection that begins now.
    #[must_use]
    pub fn new(opening: Opening, caller: Caller) -> Self {
        Self {
            caller: Arc::new(caller),
            shared: Arc::new(Shared {
                opening,
                session: OnceLock::new(),
                succeeded: AtomicBool::new(false),
            }),
        }
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// Ends it, and with it the process: what changed is delivered.
    pub fn leave(&self) {
        self.shared.leave();
        if self.shared.session.get().is_some() {
            self.shared.opening.service().deliver_rest();
        }
    }

    /// What it offers.
    #[must_use]
    pub fn catalog(&self) -> Catalog {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_prompts()
            .build();
        let mut config = ServerConfig::new(capabilities);
        config.protocol_version = ProtocolVersion::V_2025_11_25;
        config.server_info = Implementation::new("alembic-v3", env!("CARGO_PKG_VERSION"));
        config.instructions = Some(INSTRUCTIONS.to_owned());
        Catalog {
            config,
            tools: TOOLS.iter().map(|spec| self.tool(spec)).collect(),
            resources: Arc::new(Recipes(self.shared.opening.clone())),
            prompts: prompts(),
            complete: None,
            set_level: None,
        }
    }

    fn tool(&self, spec: &'static ToolSpec) -> OfferedTool {
        let mut tool = Tool::new(spec.name, spec.about, Arc::new(schema(spec.params)));
        tool.title = Some(spec.title.to_owned());
        tool.annotations = Some(
            ToolAnnotations::with_title(spec.title)
                .read_only(spec.effect == Effect::Reads)
                .destructive(spec.effect == Effect::Destroys)
                .open_world(false),
        );
        let connection = self.clone();
        OfferedTool {
            tool,
            listed: spec.tier <= self.caller.tier,
            limit: spec.limit,
            run: Arc::new(move |call| connection.call(spec.name, call)),
            timed_out: Arc::new(move |limit| timed_out(spec.name, limit)),
        }
    }

    fn call(&self, name: &'static str, call: Call) -> Pending<CallToolResult> {
        let connection = self.clone();
        let client = call.context.client_info().map(|client| client.name);
        Box::pin(async move {
            let answered = tokio::task::spawn_blocking(move || {
                let mut caller = (*connection.caller).clone();
                if let Some(client) = client {
                    caller.client = client;
                }
                let shared = &connection.shared;
                let service = shared.opening.service();
                let envelope = service.call(name, call.arguments, &caller, shared.session());
                let first = envelope.success && !shared.succeeded.swap(true, Ordering::Relaxed);
                (envelope, first.then_some(connection))
            });
            let (envelope, first) = answered.await.map_err(|error| {
                tracing::error!(%error, tool = name, "a tool failed");
                ErrorData::internal_error(format!("`{name}` failed; the server goes on."), None)
            })?;
            if let Some(connection) = first {
                // The answer does not wait for it.
                tokio::task::spawn_blocking(move || {
                    connection.shared.opening.service().request_auto_approve();
                });
            }
            Ok(result(&envelope))
        })
    }
}

/// The result that carries an envelope.
fn result(envelope: &Envelope) -> CallToolResult {
    let value = json!(envelope);
    let content = vec![ContentBlock::text(value.to_string())];
    let mut result = if envelope.success {
        CallToolResult::success(content)
    } else {
        CallToolResult::error(content)
    };
    result.structured_content = Some(value);
    result
}

fn timed_out(tool: &str, limit: Duration) -> CallToolResult {
    let error = ServiceError::new(
        ErrorCode::Timeout,
        format!("`{tool}` took longer than {} seconds.", limit.as_secs()),
    );
    let took = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
    result(&Envelope::error(tool, error, took))
}

/// The recipes of a project as resources.
struct Recipes(Opening);

impl Resources for Recipes {
    fn list(&self) -> Pending<Vec<Resource>> {
        let opening = self.0.clone();
        Box::pin(async move {
            let state = in_background(move || opening.service().state()).await?;
            Ok(state
                .recipes()
                .iter()
                .filter(|(_, recipe)| is_offered(recipe))
                .map(|(_, recipe)| {
                    let mut resource = Resource::new(uri(&recipe.trigger), recipe.trigger.clone());
                    resource.title = Some(recipe.title.clone());
                    resource.description =
                        Some(recipe.description.clone()).filter(|text| !text.is_empty());
                    resource.mime_type = Some("text/markdown".to_owned());
                    resource
                })
                .collect())
        })
    }

    fn templates(&self) -> Vec<ResourceTemplate> {
        let mut template = ResourceTemplate::new(format!("{SCHEME}{{trigger}}"), "recipe");
        template.title = Some("A recipe".to_owned());
        template.description = Some("One recipe of this project, by its trigger.".to_owned());
        template.mime_type = Some("text/markdown".to_owned());
        vec![template]
    }

    fn read(&self, uri: &str) -> Pending<ReadResourceResult> {
        let opening = self.0.clone();
        let wanted = uri.to_owned();
        Box::pin(async move {
            let read = in_background(move || text_of(&opening.service().state(), &wanted)).await?;
            read.map(|contents| ReadResourceResult::new(vec![contents]))
        })
    }
}

fn uri(trigger: &str) -> String {
    format!("{SCHEME}{}", trigger.trim().trim_start_matches('@'))
}

/// Whether a recipe may be read by whoever is connected.
fn is_offered(recipe: &asd_workspace::Recipe) -> bool {
    !recipe.trigger.trim().is_empty() && asd_workspace::is_consumable(recipe.lifecycle)
}

fn text_of(state: &ProjectState, uri: &str) -> Result<ResourceContents, ErrorData> {
    let not_found = || {
        ErrorData::resource_not_found(
            format!("There is no recipe at {uri}."),
            Some(json!({"uri": uri})),
        )
    };
    let trigger = uri.strip_prefix(SCHEME).ok_or_else(not_found)?;
    let (path, _) = state.recipe_by_trigger(trigger).ok_or_else(not_found)?;
    let file = state.recipe_file(path).ok_or_else(not_found)?;
    Ok(ResourceContents::TextResourceContents {
        uri: uri.to_owned(),
        mime_type: Some("text/markdown".to_owned()),
        text: file.text.to_string(),
        meta: None,
    })
}

async fn in_background<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, ErrorData> {
    tokio::task::spawn_blocking(work).await.map_err(|error| {
        tracing::error!(%error, "a request failed");
        ErrorData::internal_error("The request failed; the server goes on.", None)
    })
}

fn prompts() -> Vec<OfferedPrompt> {
    let argument = |name: &str, about: &str, needed: bool| {
        PromptArgument::new(name)
            .with_description(about)
            .with_required(needed)
    };
    vec![
        prompt(
            "prime",
            "Begin work with what the project knows about it",
            vec![
                argument("task", "what is to be done", true),
                argument("file", "the file that is open", false),
            ],
            |arguments| {
                let task = said(arguments, "task");
                let file = said(arguments, "file");
                let at = if file.is_empty() {
                    String::new()
                } else {
                    format!(" and activeFile \"{file}\"")
                };
                format!(
                    "Call asd_task with operation \"prime\", userQuery \"{task}\"{at}. Follow the \
                     recipes it returns and the rules that come with them, then do this: {task}"
                )
            },
        ),
        prompt(
            "review",
            "Review the change by the project's recipes",
            vec![argument(
                "files",
                "paths, separated by blanks; the changed files when empty",
                false,
            )],
            |arguments| {
                let files = said(arguments, "files");
                let which = if files.is_empty() {
                    "Call asd_guard without arguments.".to_owned()
                } else {
                    let list: Vec<&str> = files.split_whitespace().collect();
                    format!("Call asd_guard with files {}.", json!(list))
                };
                format!(
                    "{which} Mend each violation as its recipe says, and call it again until \
                     `passed` is true. Then say in a few words what you changed."
                )
            },
        ),
    ]
}

fn said(arguments: &JsonObject, name: &str) -> String {
    let text = arguments.get(name).and_then(Value::as_str);
    text.unwrap_or_default().trim().to_owned()
}

fn prompt(
    name: &'static str,
    about: &'static str,
    arguments: Vec<PromptArgument>,
    text: fn(&JsonObject) -> String,
) -> OfferedPrompt {
    OfferedPrompt {
        prompt: Prompt::new(name, Some(about), Some(arguments)),
        get: Arc::new(move |arguments| {
            let message = PromptMessage::new_text(Role::User, text(&arguments));
            let mut result = GetPromptResult::new(vec![message]);
            result.description = Some(about.to_owned());
            Box::pin(std::future::ready(Ok(result)))
        }),
    }
}
