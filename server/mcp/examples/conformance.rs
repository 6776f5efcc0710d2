//! What the official conformance suite asks of a server: tools, resources and
//! prompts with fixed names and answers, over the same protocol code as `asd
//! mcp --http`. Prints its address and serves until it is killed.
#![expect(
    clippy::print_stdout,
    deprecated,
    reason = "the suite needs the address, and speaks today's protocol"
)]

use std::collections::BTreeSet;
use std::future::{pending, ready};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use asd_mcp::{Call, Catalog, HttpServer, OfferedPrompt, OfferedTool, Pending, Resources, Server};
use rmcp::model::{
    CallToolResult, CompleteResult, CompletionInfo, ContentBlock, CustomRequest, ErrorData,
    GetPromptResult, Implementation, JsonObject, LoggingLevel, LoggingMessageNotificationParam,
    ProgressNotificationParam, Prompt, PromptArgument, PromptMessage, ProtocolVersion,
    ReadResourceResult, Resource, ResourceContents, ResourceTemplate, Role, ServerCapabilities,
    ServerConfig, ServerRequest, Tool,
};
use serde_json::{Value, json};

/// A red dot.
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
/// A sound of no length.
const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";
const PAUSE: Duration = Duration::from_millis(50);

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let port = std::env::args().nth(1).and_then(|port| port.parse().ok());
    let server = HttpServer::bind(port.unwrap_or(0)).await?;
    println!("{}", server.url());
    server
        .serve(None, || Server::new(catalog()), pending())
        .await
}

fn catalog() -> Catalog {
    let capabilities = ServerCapabilities::builder()
        .enable_tools()
        .enable_resources()
        .enable_resources_subscribe()
        .enable_prompts()
        .enable_completions()
        .enable_logging()
        .build();
    let mut config = ServerConfig::new(capabilities);
    config.protocol_version = ProtocolVersion::V_2025_11_25;
    config.server_info = Implementation::new("alembic-conformance", env!("CARGO_PKG_VERSION"));
    Catalog {
        config,
        tools: tools(),
        resources: Arc::new(Fixtures::default()),
        prompts: prompts(),
        complete: Some(Arc::new(|_| {
            let values = ["paris", "park", "party"].map(str::to_owned).to_vec();
            let info = CompletionInfo::new(values);
            let info = info.map_err(|error| ErrorData::internal_error(error, None));
            Box::pin(ready(info.map(CompleteResult::new)))
        })),
        set_level: Some(Arc::new(|_| {})),
    }
}

fn tools() -> Vec<OfferedTool> {
    let image = || ContentBlock::image(PNG, "image/png");
    let mut tools = vec![
        fixed("test_simple_text", || {
            vec![ContentBlock::text(
                "This is a simple text response for testing.",
            )]
        }),
        fixed("test_image_content", move || vec![image()]),
        fixed("test_audio_content", || {
            vec![ContentBlock::audio(WAV, "audio/wav")]
        }),
        fixed("test_embedded_resource", || {
            vec![embedded(
                "test://embedded-resource",
                "text/plain",
                "This is an embedded resource content.",
            )]
        }),
        fixed("test_multiple_content_types", move || {
            vec![
                ContentBlock::text("Multiple content types test:"),
                image(),
                embedded(
                    "test://mixed-content-resource",
                    "application/json",
                    r#"{"test":"data","value":123}"#,
                ),
            ]
        }),
        tool("test_error_handling", no_arguments(), |_| {
            Box::pin(ready(Ok(CallToolResult::error(vec![ContentBlock::text(
                "This tool intentionally returns an error for testing",
            )]))))
        }),
        tool("test_tool_with_logging", no_arguments(), |call| {
            Box::pin(with_logging(call))
        }),
        tool("test_tool_with_progress", no_arguments(), |call| {
            Box::pin(with_progress(call))
        }),
        tool("test_sampling", one_text("prompt"), |call| {
            Box::pin(sampling(call))
        }),
        tool("test_elicitation", one_text("message"), |call| {
            let message = text_of(&call, "message");
            let schema = json!({
                "type": "object",
                "properties": {
                    "username": {"type": "string", "description": "User's response"},
                    "email": {"type": "string", "description": "User's email address"},
                },
                "required": ["username", "email"],
            });
            Box::pin(elicit(call, message, schema, "User response"))
        }),
        tool(
            "json_schema_2020_12_tool",
            json!({
                "$schema": "https://json-schema.org/draft/2020-12/schema",
                "type": "object",
                "$defs": {"address": {"type": "object", "properties": {
                    "street": {"type": "string"}, "city": {"type": "string"},
                }}},
                "properties": {
                    "name": {"type": "string"},
                    "address": {"$ref": "#/$defs/address"},
                },
                "additionalProperties": false,
            }),
            |_| Box::pin(ready(Ok(said("Listed with its schema.")))),
        ),
    ];
    for (name, schema) in [
        ("test_elicitation_sep1034_defaults", defaults()),
        ("test_elicitation_sep1330_enums", enums()),
    ] {
        tools.push(tool(name, no_arguments(), move |call| {
            let message = "Please fill in.".to_owned();
            Box::pin(elicit(
                call,
                message,
                schema.clone(),
                "Elicitation completed",
            ))
        }));
    }
    tools
}

/// A form with a default for each kind of value.
fn defaults() -> Value {
    json!({"type": "object", "properties": {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": true},
    }})
}

/// A form with each way to say what may be chosen.
fn enums() -> Value {
    let titled = |word: &str| {
        json!([
            {"const": "value1", "title": format!("First {word}")},
            {"const": "value2", "title": format!("Second {word}")},
            {"const": "value3", "title": format!("Third {word}")},
        ])
    };
    let plain = json!(["option1", "option2", "option3"]);
    json!({"type": "object", "properties": {
        "untitledSingle": {"type": "string", "enum": plain},
        "titledSingle": {"type": "string", "oneOf": titled("Option")},
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": plain}},
        "titledMulti": {"type": "array", "items": {"anyOf": titled("Choice")}},
    }})
}

async fn with_logging(call: Call) -> Result<CallToolResult, ErrorData> {
    for (number, word) in ["started", "processing data", "completed"]
        .iter()
        .enumerate()
    {
        if number > 0 {
            tokio::time::sleep(PAUSE).await;
        }
        let text = match number {
            1 => format!("Tool {word}"),
            _ => format!("Tool execution {word}"),
        };
        let message = LoggingMessageNotificationParam::new(LoggingLevel::Info, json!(text));
        let peer = &call.context.peer;
        peer.notify_logging_message(message).await.map_err(failed)?;
    }
    Ok(said("Logged three messages."))
}

async fn with_progress(call: Call) -> Result<CallToolResult, ErrorData> {
    let token = call.context.meta.get_progress_token();
    for (number, progress) in [0.0, 50.0, 100.0].into_iter().enumerate() {
        if number > 0 {
            tokio::time::sleep(PAUSE).await;
        }
        if let Some(token) = &token {
            let mut told = ProgressNotificationParam::new(token.clone(), progress);
            told.total = Some(100.0);
            call.context
                .peer
                .notify_progress(told)
                .await
                .map_err(failed)?;
        }
    }
    Ok(said("Done."))
}

async fn sampling(call: Call) -> Result<CallToolResult, ErrorData> {
    let prompt = text_of(&call, "prompt");
    let reply = ask(
        &call,
        "sampling/createMessage",
        json!({
            "messages": [{"role": "user", "content": {"type": "text", "text": prompt}}],
            "maxTokens": 100,
        }),
    )
    .await?;
    let content = &reply["content"];
    let text = content["text"].as_str();
    let text = text.or_else(|| content[0]["text"].as_str());
    Ok(said(&format!("LLM response: {}", text.unwrap_or_default())))
}

async fn elicit(
    call: Call,
    message: String,
    schema: Value,
    heading: &str,
) -> Result<CallToolResult, ErrorData> {
    let asked = json!({"message": message, "requestedSchema": schema});
    let reply = ask(&call, "elicitation/create", asked).await?;
    let action = reply["action"].as_str().unwrap_or_default();
    Ok(said(&format!(
        "{heading}: action={action}, content={}",
        reply["content"]
    )))
}

/// Asks the client, with the parameters exactly as given.
async fn ask(call: &Call, method: &str, params: Value) -> Result<Value, ErrorData> {
    let request = CustomRequest::new(method, Some(params));
    let reply = call
        .context
        .peer
        .send_request(ServerRequest::CustomRequest(request))
        .await
        .map_err(failed)?;
    serde_json::to_value(reply).map_err(failed)
}

#[derive(Default)]
struct Fixtures {
    subscribed: Mutex<BTreeSet<String>>,
}

impl Resources for Fixtures {
    fn list(&self) -> Pending<Vec<Resource>> {
        let list = [
            ("test://static-text", "Static text", "text/plain"),
            ("test://static-binary", "Static binary", "image/png"),
            ("test://watched-resource", "Watched resource", "text/plain"),
        ];
        let list = list.map(|(uri, name, mime)| Resource::new(uri, name).with_mime_type(mime));
        Box::pin(ready(Ok(list.to_vec())))
    }

    fn templates(&self) -> Vec<ResourceTemplate> {
        let template = ResourceTemplate::new("test://template/{id}/data", "Template");
        vec![template.with_mime_type("application/json")]
    }

    fn read(&self, uri: &str) -> Pending<ReadResourceResult> {
        let id = uri
            .strip_prefix("test://template/")
            .and_then(|rest| rest.strip_suffix("/data"));
        let contents = match (uri, id) {
            ("test://static-text", _) => {
                ResourceContents::text("This is the content of the static text resource.", uri)
            }
            ("test://static-binary", _) => {
                ResourceContents::blob(PNG, uri).with_mime_type("image/png")
            }
            ("test://watched-resource", _) => ResourceContents::text("Watched.", uri),
            (_, Some(id)) => {
                let data = json!({
                    "id": id, "templateTest": true, "data": format!("Data for ID: {id}"),
                });
                ResourceContents::text(data.to_string(), uri).with_mime_type("application/json")
            }
            _ => {
                let error = ErrorData::resource_not_found(format!("Nothing at {uri}."), None);
                return Box::pin(ready(Err(error)));
            }
        };
        Box::pin(ready(Ok(ReadResourceResult::new(vec![contents]))))
    }

    fn subscribe(&self, uri: &str) -> Pending<()> {
        let subscribed = self.subscribed.lock();
        let mut subscribed = subscribed.unwrap_or_else(PoisonError::into_inner);
        subscribed.insert(uri.to_owned());
        Box::pin(ready(Ok(())))
    }

    fn unsubscribe(&self, uri: &str) -> Pending<()> {
        let subscribed = self.subscribed.lock();
        let mut subscribed = subscribed.unwrap_or_else(PoisonError::into_inner);
        let known = subscribed.remove(uri);
        Box::pin(ready(if known {
            Ok(())
        } else {
            Err(ErrorData::invalid_params("Not subscribed.", None))
        }))
    }
}

fn prompts() -> Vec<OfferedPrompt> {
    vec![
        prompt("test_simple_prompt", &[], |_| {
            vec![words("This is a simple prompt for testing.")]
        }),
        prompt("test_prompt_with_arguments", &["arg1", "arg2"], |given| {
            vec![words(&format!(
                "Prompt with arguments: arg1='{}', arg2='{}'",
                given["arg1"].as_str().unwrap_or_default(),
                given["arg2"].as_str().unwrap_or_default(),
            ))]
        }),
        prompt(
            "test_prompt_with_embedded_resource",
            &["resourceUri"],
            |given| {
                let uri = given["resourceUri"].as_str().unwrap_or_default();
                let text = "Embedded resource content for testing.";
                vec![
                    PromptMessage::new(Role::User, embedded(uri, "text/plain", text)),
                    words("Please process the embedded resource above."),
                ]
            },
        ),
        prompt("test_prompt_with_image", &[], |_| {
            vec![
                PromptMessage::new(Role::User, ContentBlock::image(PNG, "image/png")),
                words("Please analyze the image above."),
            ]
        }),
    ]
}

fn prompt(
    name: &str,
    arguments: &[&str],
    messages: impl Fn(&JsonObject) -> Vec<PromptMessage> + Send + Sync + 'static,
) -> OfferedPrompt {
    let arguments = arguments
        .iter()
        .map(|name| PromptArgument::new(*name).with_required(true))
        .collect();
    OfferedPrompt {
        prompt: Prompt::new(name, Some("A prompt of the suite"), Some(arguments)),
        get: Arc::new(move |given| Box::pin(ready(Ok(GetPromptResult::new(messages(&given)))))),
    }
}

fn words(text: &str) -> PromptMessage {
    PromptMessage::new_text(Role::User, text)
}

fn embedded(uri: &str, mime: &str, text: &str) -> ContentBlock {
    ContentBlock::resource(ResourceContents::text(text, uri).with_mime_type(mime))
}

fn fixed(
    name: &'static str,
    content: impl Fn() -> Vec<ContentBlock> + Send + Sync + 'static,
) -> OfferedTool {
    tool(name, no_arguments(), move |_| {
        Box::pin(ready(Ok(CallToolResult::success(content()))))
    })
}

fn tool(
    name: &'static str,
    schema: Value,
    run: impl Fn(Call) -> Pending<CallToolResult> + Send + Sync + 'static,
) -> OfferedTool {
    let Value::Object(schema) = schema else {
        unreachable!("schemas are objects");
    };
    OfferedTool {
        tool: Tool::new(name, "A tool of the suite", Arc::new(schema)),
        listed: true,
        limit: Duration::from_secs(30),
        run: Arc::new(run),
        timed_out: Arc::new(|_| CallToolResult::error(vec![ContentBlock::text("Too slow.")])),
    }
}

fn no_arguments() -> Value {
    json!({"type": "object", "properties": {}})
}

fn one_text(name: &str) -> Value {
    json!({"type": "object", "properties": {name: {"type": "string"}}, "required": [name]})
}

fn text_of(call: &Call, name: &str) -> String {
    let text = call.arguments.get(name).and_then(Value::as_str);
    text.unwrap_or_default().to_owned()
}

fn said(text: &str) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}

fn failed(error: impl std::fmt::Display) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}
