//! What a server offers: tools, resources and prompts as values, so that the
//! protocol code beside it knows nothing of what they do.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{
    CallToolResult, CompleteRequestParams, CompleteResult, ErrorCode, ErrorData, GetPromptResult,
    JsonObject, Prompt, ReadResourceResult, Resource, ResourceTemplate, ServerConfig, Tool,
};
use rmcp::service::RequestContext;

/// An answer that is being worked on.
pub type Pending<T> = Pin<Box<dyn Future<Output = Result<T, ErrorData>> + Send>>;

/// All that a server offers. One is made for each connection, so that what it
/// holds may remember the connection.
#[derive(Clone)]
pub struct Catalog {
    /// Name, version and capabilities.
    pub config: ServerConfig,
    /// The tools, in the order in which they are listed.
    pub tools: Vec<OfferedTool>,
    /// The resources.
    pub resources: Arc<dyn Resources>,
    /// The prompts, in the order in which they are listed.
    pub prompts: Vec<OfferedPrompt>,
    /// Completes arguments of prompts and resources, where that is offered.
    pub complete: Option<Complete>,
    /// Hears which log messages the client wants, where any are sent.
    pub set_level: Option<SetLevel>,
}

/// Completes an argument.
pub type Complete = Arc<dyn Fn(CompleteRequestParams) -> Pending<CompleteResult> + Send + Sync>;

/// Hears the least level of log messages that the client wants, by its name.
pub type SetLevel = Arc<dyn Fn(&str) + Send + Sync>;

/// A tool and what it does.
#[derive(Clone)]
pub struct OfferedTool {
    /// Its description.
    pub tool: Tool,
    /// Whether it is listed; one that is not can be called all the same, and
    /// says why not.
    pub listed: bool,
    /// How long a call may take.
    pub limit: Duration,
    /// Runs it. An `Err` is an error of the protocol; a tool that fails says so
    /// in its result.
    pub run: Arc<dyn Fn(Call) -> Pending<CallToolResult> + Send + Sync>,
    /// What is answered when a call takes longer than `limit`.
    pub timed_out: Arc<dyn Fn(Duration) -> CallToolResult + Send + Sync>,
}

/// One call of a tool.
pub struct Call {
    /// The arguments; empty when none were given.
    pub arguments: JsonObject,
    /// The request, with its cancellation and the way back to the client.
    pub context: RequestContext<RoleServer>,
}

/// A prompt and what it says.
#[derive(Clone)]
pub struct OfferedPrompt {
    /// Its description.
    pub prompt: Prompt,
    /// Fills it in.
    pub get: Arc<dyn Fn(JsonObject) -> Pending<GetPromptResult> + Send + Sync>,
}

/// The resources of a server.
pub trait Resources: Send + Sync {
    /// Those that exist now.
    fn list(&self) -> Pending<Vec<Resource>>;
    /// The forms of addresses that can be read.
    fn templates(&self) -> Vec<ResourceTemplate>;
    /// The content behind an address.
    fn read(&self, uri: &str) -> Pending<ReadResourceResult>;
    /// The client wants to be told when the content behind an address changes.
    fn subscribe(&self, _uri: &str) -> Pending<()> {
        not_offered("resources/subscribe")
    }
    /// The client no longer wants to be told.
    fn unsubscribe(&self, _uri: &str) -> Pending<()> {
        not_offered("resources/unsubscribe")
    }
}

fn not_offered(method: &'static str) -> Pending<()> {
    Box::pin(std::future::ready(Err(not_known(method))))
}

/// The error of a method that a server does not have.
pub(crate) fn not_known(method: &str) -> ErrorData {
    ErrorData::new(
        ErrorCode::METHOD_NOT_FOUND,
        format!("There is no method `{method}`."),
        None,
    )
}
