//! Model providers behind one streaming trait with eleven event kinds: wire
//! formats and their habits, retries, usage and cost, schemas of tools, and calls
//! that a model writes as text.
//!
//! What is said to a model is decided in `agent`.

mod accumulate;
mod arguments;
mod capabilities;
mod catalog;
mod client;
mod conversation;
mod event;
mod fault;
mod host;
mod http;
mod item;
mod normalise;
mod prepare;
mod price;
mod provider;
mod providers;
mod request;
mod schema;
mod secret;
mod settings;
mod text_calls;
mod think;
mod usage;
mod wire;

pub use accumulate::{Accumulator, Answer, Block, Call, CallState, Outcome};
pub use arguments::{BadArguments, parse_arguments};
pub use capabilities::{
    CacheMode, Capabilities, NameRule, SchemaDialect, SystemRole, ThinkingMode, ToolMode,
};
pub use client::{ClientProvider, EditorModel, EditorModels};
pub use event::{CompleteReason, ErrorCode, Retrying, StreamError, StreamEvent, WarningCode};
pub use host::{Host, Sleep, SystemHost, VirtualHost, new_id};
pub use http::{HttpProvider, Network};
pub use item::{Item, ItemKind, ModelRef, Origin, Part};
pub use price::{BadDecimal, Cost, Decimal, Price};
pub use provider::{EventStream, Provider};
pub use request::{Request, Thinking, ToolChoice, ToolGroup, ToolSpec};
pub use schema::{NameError, SchemaFault, ToolNames, is_internal_name, validate};
pub use secret::{Environment, First, Secret, Secrets, key_variables};
pub use settings::{ModelSettings, ProviderKind, ProviderSettings};
pub use tokio_util::sync::CancellationToken;
pub use usage::{Estimator, TokenUsage, UsageDelta};
