use std::time::Duration;

use futures::StreamExt;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::*;
use crate::accumulate::{Accumulator, Answer, Outcome};
use crate::event::CompleteReason;
use crate::host::VirtualHost;
use crate::item::Item;
use crate::request::ToolSpec;
use crate::secret::Secret;
use crate::settings::ModelSettings;
use crate::wire::encode_event_stream;

/// What the server answers one request with.
#[derive(Clone)]
struct Reply {
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: Vec<u8>,
    /// How many bytes are written at a time.
    by: usize,
    after: After,
}

#[derive(Clone, Copy, PartialEq)]
enum After {
    /// The body ends as it should.
    End,
    /// The connection is cut.
    Cut,
    /// Nothing more comes.
    Stall,
}

fn reply(status: u16, kind: &str, body: impl Into<Vec<u8>>) -> Reply {
    Reply {
        status,
        headers: vec![("content-type", kind.to_owned())],
        body: body.into(),
        by: usize::MAX,
        after: After::End,
    }
}

fn sse(body: impl Into<Vec<u8>>) -> Reply {
    reply(200, "text/event-stream; charset=utf-8", body)
}

impl Reply {
    fn with(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }

    fn then(mut self, after: After) -> Self {
        self.after = after;
        self
    }

    fn by(mut self, by: usize) -> Self {
        self.by = by;
        self
    }
}

/// A server that answers one request after the other, and keeps what was asked.
struct Server {
    address: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

#[derive(Clone, Debug)]
struct Asked {
    path: String,
    headers: BTreeMap<String, String>,
    body: Value,
}

impl Server {
    /// The last reply is given again and again.
    async fn new(replies: Vec<Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&asked);
        tokio::spawn(async move {
            let mut number = 0;
            loop {
                let (socket, _) = listener.accept().await.unwrap();
                let reply = replies[number.min(replies.len() - 1)].clone();
                number += 1;
                tokio::spawn(serve(socket, reply, Arc::clone(&seen)));
            }
        });
        Self { address, asked }
    }

    fn asked(&self) -> Vec<Asked> {
        lock(&self.asked).clone()
    }
}

async fn serve(mut socket: TcpStream, reply: Reply, asked: Arc<Mutex<Vec<Asked>>>) {
    let mut bytes = Vec::new();
    let (head, length) = loop {
        let mut buffer = [0; 4096];
        let read = socket.read(&mut buffer).await.unwrap();
        if read == 0 {
            return;
        }
        bytes.extend_from_slice(&buffer[..read]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some(end) = text.find("\r\n\r\n") {
            let length = text.lines().find_map(|line| {
                let (name, value) = line.split_once(':')?;
                name.eq_ignore_ascii_case("content-length")
                    .then(|| value.trim().parse().unwrap())
            });
            break (end + 4, length.unwrap_or(0_usize));
        }
    };
    while bytes.len() < head + length {
        let mut buffer = [0; 4096];
        let read = socket.read(&mut buffer).await.unwrap();
        bytes.extend_from_slice(&buffer[..read]);
    }
    let text = String::from_utf8_lossy(&bytes[..head]).into_owned();
    let mut lines = text.lines();
    let path = lines.next().unwrap().split(' ').nth(1).unwrap().to_owned();
    let headers = lines.filter_map(|line| line.split_once(": "));
    let headers = headers.map(|(name, value)| (name.to_lowercase(), value.to_owned()));
    lock(&asked).push(Asked {
        path,
        headers: headers.collect(),
        body: serde_json::from_slice(&bytes[head..]).unwrap_or(Value::Null),
    });
    let mut head = format!(
        "HTTP/1.1 {} X\r\nconnection: close\r\ntransfer-encoding: chunked\r\n",
        reply.status
    );
    for (name, value) in &reply.headers {
        head += &format!("{name}: {value}\r\n");
    }
    head += "\r\n";
    socket.write_all(head.as_bytes()).await.unwrap();
    socket.set_nodelay(true).unwrap();
    for chunk in reply.body.chunks(reply.by.min(reply.body.len().max(1))) {
        let mut framed = format!("{:x}\r\n", chunk.len()).into_bytes();
        framed.extend_from_slice(chunk);
        framed.extend_from_slice(b"\r\n");
        // Whoever listened may have gone.
        if socket.write_all(&framed).await.is_err() {
            return;
        }
    }
    match reply.after {
        After::End => {
            let _ = socket.write_all(b"0\r\n\r\n").await;
        }
        After::Cut => {}
        After::Stall => std::future::pending().await,
    }
}

struct Keys;

impl Secrets for Keys {
    fn secret(&self, name: &str) -> Option<Secret> {
        let key = match name {
            "AWS_BEARER_TOKEN_BEDROCK" | "AWS_SESSION_TOKEN" => return None,
            "GITHUB_COPILOT_TOKEN" => "gho_0123456789",
            _ => "sk-0123456789",
        };
        Some(Secret::new(key))
    }
}

fn provider(server: &Server, kind: ProviderKind) -> (HttpProvider, VirtualHost) {
    let host = VirtualHost::default();
    let settings = ProviderSettings {
        base_url: Some(server.address.clone()),
        models: BTreeMap::from([(
            "known".to_owned(),
            ModelSettings {
                window: Some(4_096),
                tools: Some(ToolMode::Native),
                ..ModelSettings::default()
            },
        )]),
        ..ProviderSettings::of(kind)
    };
    let network = Network {
        offline: true,
        host: Arc::new(host.clone()),
        secrets: Arc::new(Keys),
    };
    (HttpProvider::new(settings, network).unwrap(), host)
}

fn request() -> Request {
    Request {
        model: "known".into(),
        system: "Be brief.".into(),
        items: vec![Item::user("go")],
        tools: vec![ToolSpec {
            name: "read".into(),
            description: "Reads a file.".into(),
            parameters: json!({"type": "object", "properties": {"path": {"type": "string"}}}),
            group: Default::default(),
        }],
        ..Request::default()
    }
}

async fn events(provider: &HttpProvider) -> Vec<StreamEvent> {
    let stream = provider.stream(request(), CancellationToken::new());
    stream.collect().await
}

fn spawn(provider: &HttpProvider) -> tokio::task::JoinHandle<Vec<StreamEvent>> {
    let provider = provider.clone();
    tokio::spawn(async move { events(&provider).await })
}

fn answer(events: Vec<StreamEvent>) -> Answer {
    let mut accumulator = Accumulator::default();
    events.into_iter().for_each(|event| accumulator.push(event));
    accumulator.finish()
}

fn error(events: &[StreamEvent]) -> &StreamError {
    match events.last() {
        Some(StreamEvent::Error(error)) => error,
        other => panic!("no error but {other:?}"),
    }
}

const OPENAI: &str = r#"data: {"id":"c1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}],"usage":null}

data: {"id":"c1","choices":[{"index":0,"delta":{"content":"Gut 缓😀"},"finish_reason":null}],"usage":null}

data: {"id":"c1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call-1","type":"function","function":{"name":"read","arguments":""}}]},"finish_reason":null}]}

data: {"id":"c1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"path\":"}}]},"finish_reason":null}]}

data: {"id":"c1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"é\"}"}}]},"finish_reason":null}]}

data: {"id":"c1","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}

data: {"id":"c1","choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":10,"total_tokens":1010,"prompt_tokens_details":{"cached_tokens":900}}}

data: [DONE]

"#;

const ANTHROPIC: &str = r#"event: message_start
data: {"type":"message_start","message":{"id":"m","role":"assistant","content":[],"usage":{"input_tokens":100,"cache_creation_input_tokens":0,"cache_read_input_tokens":900,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: ping
data: {"type": "ping"}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Gut 缓😀"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: content_block_start
data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"call-1","name":"read","input":{}}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"path\": \"é\"}"}}

event: content_block_stop
data: {"type":"content_block_stop","index":1}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":10}}

event: message_stop
data: {"type":"message_stop"}

"#;

const GEMINI: &str = "data: {\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\"Gut 缓😀\"}]},\"index\":0}],\"usageMetadata\":{\"promptTokenCount\":1000,\"cachedContentTokenCount\":900}}\r\n\r\ndata: {\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"functionCall\":{\"name\":\"read\",\"args\":{\"path\":\"é\"}}}]},\"finishReason\":\"STOP\",\"index\":0}],\"usageMetadata\":{\"promptTokenCount\":1000,\"cachedContentTokenCount\":900,\"candidatesTokenCount\":4,\"thoughtsTokenCount\":6}}\r\n\r\n";

const OLLAMA: &str = r#"{"model":"m","message":{"role":"assistant","content":"Gut 缓😀"},"done":false}
{"model":"m","message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"read","arguments":{"path":"é"}}}]},"done":false}
{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":1000,"eval_count":10}
"#;

fn bedrock() -> Vec<u8> {
    let mut body = Vec::new();
    for (event, payload) in [
        ("messageStart", r#"{"role":"assistant"}"#),
        (
            "contentBlockDelta",
            r#"{"contentBlockIndex":0,"delta":{"text":"Gut 缓😀"}}"#,
        ),
        ("contentBlockStop", r#"{"contentBlockIndex":0}"#),
        (
            "contentBlockStart",
            r#"{"contentBlockIndex":1,"start":{"toolUse":{"toolUseId":"call-1","name":"read"}}}"#,
        ),
        (
            "contentBlockDelta",
            r#"{"contentBlockIndex":1,"delta":{"toolUse":{"input":"{\"path\":"}}}"#,
        ),
        (
            "contentBlockDelta",
            r#"{"contentBlockIndex":1,"delta":{"toolUse":{"input":"\"é\"}"}}}"#,
        ),
        ("contentBlockStop", r#"{"contentBlockIndex":1}"#),
        ("messageStop", r#"{"stopReason":"tool_use"}"#),
        (
            "metadata",
            r#"{"usage":{"inputTokens":100,"outputTokens":10,"cacheReadInputTokens":900,"cacheWriteInputTokens":0}}"#,
        ),
    ] {
        body.extend(encode_event_stream(
            &[(":message-type", "event"), (":event-type", event)],
            payload,
        ));
    }
    body
}

#[tokio::test]
async fn each_format_gives_the_same_answer_however_it_is_split() {
    let token = reply(
        200,
        "application/json",
        r#"{"token":"tid=1","expires_at":9999999999}"#,
    );
    for (kind, stream) in [
        (ProviderKind::OpenAi, sse(OPENAI)),
        (ProviderKind::Azure, sse(OPENAI)),
        (ProviderKind::DeepSeek, sse(OPENAI)),
        (ProviderKind::Copilot, sse(OPENAI)),
        (ProviderKind::Anthropic, sse(ANTHROPIC)),
        (ProviderKind::Gemini, sse(GEMINI)),
        (
            ProviderKind::Bedrock,
            reply(200, "application/vnd.amazon.eventstream", bedrock()),
        ),
        (ProviderKind::Local, sse(OPENAI)),
        (
            ProviderKind::Local,
            reply(200, "application/x-ndjson", OLLAMA),
        ),
    ] {
        for by in [usize::MAX, 1, 7] {
            let mut replies = vec![stream.clone().by(by)];
            match kind {
                ProviderKind::Copilot => replies.insert(0, token.clone()),
                // Not Ollama.
                ProviderKind::Local => replies.insert(0, reply(404, "text/plain", "")),
                _ => {}
            }
            let server = Server::new(replies).await;
            let (provider, _) = provider(&server, kind);
            let answer = answer(events(&provider).await);
            assert_eq!(
                answer.outcome,
                Outcome::Complete(CompleteReason::ToolUse),
                "{kind:?}"
            );
            assert_eq!(answer.text(), "Gut 缓😀", "{kind:?}");
            let calls: Vec<String> = answer
                .ready_calls()
                .map(|(call, arguments)| format!("{} {}", call.name, arguments["path"]))
                .collect();
            assert_eq!(calls, ["read \"é\""], "{kind:?}");
            assert_eq!(answer.usage.whole_input(), 1000, "{kind:?}");
            assert_eq!(answer.usage.output, 10, "{kind:?}");
            assert!(!answer.estimated);
        }
    }
}

#[tokio::test]
async fn each_request_goes_where_it_should_with_its_key() {
    for (kind, path, header, value) in [
        (
            ProviderKind::OpenAi,
            "/chat/completions",
            "authorization",
            "Bearer sk-0123456789",
        ),
        (
            ProviderKind::Azure,
            "/openai/v1/chat/completions",
            "api-key",
            "sk-0123456789",
        ),
        (
            ProviderKind::DeepSeek,
            "/chat/completions",
            "authorization",
            "Bearer sk-0123456789",
        ),
        (
            ProviderKind::Anthropic,
            "/v1/messages",
            "x-api-key",
            "sk-0123456789",
        ),
        (
            ProviderKind::Gemini,
            "/models/known:streamGenerateContent?alt=sse",
            "x-goog-api-key",
            "sk-0123456789",
        ),
        (
            ProviderKind::Bedrock,
            "/model/known/converse-stream",
            "x-amz-date",
            "20260102T030405Z",
        ),
    ] {
        let server = Server::new(vec![reply(400, "application/json", "{}")]).await;
        let (provider, _) = provider(&server, kind);
        events(&provider).await;
        let asked = server.asked();
        assert_eq!(asked[0].path, path, "{kind:?}");
        assert_eq!(
            asked[0].headers.get(header).map(String::as_str),
            Some(value),
            "{kind:?}"
        );
    }
}

#[tokio::test]
async fn copilot_gets_a_token_for_the_users_own_and_keeps_it() {
    let token = reply(
        200,
        "application/json",
        r#"{"token":"tid=1","expires_at":9999999999}"#,
    );
    let server = Server::new(vec![token, sse(OPENAI)]).await;
    let (provider, _) = provider(&server, ProviderKind::Copilot);
    events(&provider).await;
    events(&provider).await;
    let asked = server.asked();
    let keys: Vec<&str> = asked
        .iter()
        .map(|asked| asked.headers["authorization"].as_str())
        .collect();
    assert_eq!(
        keys,
        ["token gho_0123456789", "Bearer tid=1", "Bearer tid=1"]
    );
    assert_eq!(asked[1].headers["x-initiator"], "user");
}

#[tokio::test]
async fn a_provider_that_asks_for_patience_gets_it() {
    let busy = reply(
        429,
        "application/json",
        r#"{"error":{"message":"slow down"}}"#,
    );
    let server = Server::new(vec![busy.with("retry-after", "2"), sse(OPENAI)]).await;
    let (provider, host) = provider(&server, ProviderKind::OpenAi);
    let answer_of = spawn(&provider);
    host.pass(Duration::from_secs(2)).await;
    let events = answer_of.await.unwrap();
    let waits: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            StreamEvent::Warning { retry, .. } => *retry,
            _ => None,
        })
        .collect();
    assert_eq!(
        waits,
        [Retrying {
            attempt: 1,
            wait_ms: 2_000,
            status: Some(429)
        }]
    );
    assert_eq!(answer(events).text(), "Gut 缓😀");
}

#[tokio::test]
async fn five_repetitions_are_the_most_and_three_such_requests_open_the_circuit() {
    let server = Server::new(vec![reply(503, "text/plain", "busy")]).await;
    let (provider, host) = provider(&server, ProviderKind::OpenAi);
    for round in 1..=3 {
        let failed = spawn(&provider);
        for seconds in [1, 2, 4, 8, 16] {
            host.pass(Duration::from_secs(seconds)).await;
        }
        let events = failed.await.unwrap();
        assert_eq!(error(&events).code, ErrorCode::Overloaded);
        assert_eq!(server.asked().len(), round * 6);
    }
    assert_eq!(error(&events(&provider).await).code, ErrorCode::CircuitOpen);
    assert_eq!(server.asked().len(), 18);
    host.advance(Duration::from_secs(30));
    let again = spawn(&provider);
    host.pass(Duration::from_secs(1)).await;
    again.abort();
    assert!(server.asked().len() > 18);
}

#[tokio::test]
async fn what_cannot_pass_is_asked_once() {
    for (status, body, code) in [
        (
            429,
            r#"{"error":{"code":"insufficient_quota"}}"#,
            ErrorCode::Quota,
        ),
        (
            401,
            r#"{"error":{"message":"bad key sk-0123456789"}}"#,
            ErrorCode::Auth,
        ),
        (
            400,
            r#"{"error":{"message":"prompt is too long"}}"#,
            ErrorCode::ContextOverflow,
        ),
        (404, "", ErrorCode::NotFound),
        (301, "", ErrorCode::BadRequest),
    ] {
        let refused =
            reply(status, "application/json", body).with("location", "http://127.0.0.1:1/");
        let server = Server::new(vec![refused]).await;
        let (provider, _) = provider(&server, ProviderKind::OpenAi);
        let events = events(&provider).await;
        assert_eq!(error(&events).code, code);
        assert!(!error(&events).message.contains("sk-"), "{events:?}");
        assert_eq!((events.len(), server.asked().len()), (1, 1));
    }
}

#[tokio::test]
async fn the_body_of_an_error_that_never_ends_is_read_for_five_seconds() {
    let stalled = reply(429, "application/json", r#"{"error":{"message":"quota"#);
    let server = Server::new(vec![stalled.then(After::Stall)]).await;
    let (provider, host) = provider(&server, ProviderKind::OpenAi);
    let failed = spawn(&provider);
    host.pass(Duration::from_secs(5)).await;
    assert_eq!(error(&failed.await.unwrap()).code, ErrorCode::Quota);
}

/// The fixture up to its first text.
fn begin() -> &'static str {
    &OPENAI[..OPENAI
        .find("data: {\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\"")
        .unwrap()]
}

#[tokio::test]
async fn a_cut_after_the_first_text_keeps_the_text_and_is_not_repeated() {
    let failing = format!(
        "{}data: {{\"error\":{{\"message\":\"boom\",\"code\":500}}}}\n\n",
        begin()
    );
    for (stream, code) in [
        (sse(begin()).then(After::Cut), ErrorCode::Interrupted),
        (sse(begin()), ErrorCode::Interrupted),
        (sse(failing), ErrorCode::Server),
    ] {
        let server = Server::new(vec![stream]).await;
        let (provider, _) = provider(&server, ProviderKind::OpenAi);
        let answer = answer(events(&provider).await);
        assert_eq!(answer.text(), "Gut 缓😀");
        assert!(matches!(&answer.outcome, Outcome::Interrupted(error) if error.code == code));
        assert_eq!(server.asked().len(), 1);
    }
}

#[tokio::test]
async fn a_cut_before_the_first_text_is_repeated() {
    let nothing = sse(": hello\n\n").then(After::Cut);
    let overloaded = sse(
        "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n",
    );
    let server = Server::new(vec![nothing, overloaded, sse(ANTHROPIC)]).await;
    let (provider, host) = provider(&server, ProviderKind::Anthropic);
    let whole = spawn(&provider);
    host.pass(Duration::from_secs(1)).await;
    host.pass(Duration::from_secs(2)).await;
    assert_eq!(answer(whole.await.unwrap()).text(), "Gut 缓😀");
}

#[tokio::test]
async fn silence_has_limits() {
    let server = Server::new(vec![sse(begin()).then(After::Stall)]).await;
    let (provider, host) = provider(&server, ProviderKind::OpenAi);
    let stream = provider.stream(request(), CancellationToken::new());
    let mut stream = Box::pin(stream);
    let mut got = Vec::new();
    while !matches!(got.last(), Some(StreamEvent::ContentDelta { .. })) {
        got.push(stream.next().await.unwrap());
    }
    host.pass(Duration::from_secs(90)).await;
    got.extend(stream.collect::<Vec<_>>().await);
    assert_eq!(error(&got).code, ErrorCode::Timeout);
}

#[tokio::test]
async fn a_server_that_sends_nothing_is_given_up_and_asked_again() {
    let server = Server::new(vec![sse("").then(After::Stall), sse(OPENAI)]).await;
    let (provider, host) = provider(&server, ProviderKind::OpenAi);
    let whole = spawn(&provider);
    host.pass(Duration::from_secs(60)).await;
    host.pass(Duration::from_secs(1)).await;
    assert_eq!(answer(whole.await.unwrap()).text(), "Gut 缓😀");
}

#[tokio::test]
async fn cancelling_ends_a_stream_and_a_wait_at_once() {
    let server = Server::new(vec![sse(begin()).then(After::Stall)]).await;
    let (provider, _) = provider(&server, ProviderKind::OpenAi);
    let cancel = CancellationToken::new();
    let mut stream = provider.stream(request(), cancel.clone());
    let mut got = Vec::new();
    while !matches!(got.last(), Some(StreamEvent::ContentDelta { .. })) {
        got.push(stream.next().await.unwrap());
    }
    cancel.cancel();
    got.extend(stream.collect::<Vec<_>>().await);
    assert_eq!(error(&got).code, ErrorCode::Cancelled);

    let server = Server::new(vec![reply(503, "text/plain", "")]).await;
    let (provider, _) = self::provider(&server, ProviderKind::OpenAi);
    let cancel = CancellationToken::new();
    let mut stream = provider.stream(request(), cancel.clone());
    assert!(matches!(
        stream.next().await,
        Some(StreamEvent::Warning { .. })
    ));
    cancel.cancel();
    assert_eq!(
        error(&stream.collect::<Vec<_>>().await).code,
        ErrorCode::Cancelled
    );
}

#[tokio::test]
async fn a_model_that_refuses_tools_gets_them_as_text_from_then_on() {
    let refused = reply(
        400,
        "application/json",
        r#"{"error":{"message":"m does not support tools"}}"#,
    );
    let text = sse(
        "data: {\"choices\":[{\"delta\":{\"content\":\"<tool_call>{\\\"name\\\":\\\"read\\\",\\\"arguments\\\":{\\\"path\\\":\\\"é\\\"}}</tool_call>\"},\"finish_reason\":\"stop\"}]}\n\n",
    );
    let server = Server::new(vec![refused, text]).await;
    let (provider, _) = provider(&server, ProviderKind::OpenAi);
    let first = events(&provider).await;
    assert!(matches!(
        first[0],
        StreamEvent::Warning {
            code: WarningCode::ToolsUnsupported,
            ..
        }
    ));
    let first = answer(first);
    assert_eq!(first.ready_calls().count(), 1);
    assert_eq!(first.text(), "");
    events(&provider).await;
    let tools: Vec<bool> = server
        .asked()
        .iter()
        .map(|asked| asked.body.get("tools").is_some())
        .collect();
    assert_eq!(tools, [true, false, false]);
}

#[tokio::test]
async fn a_local_server_is_asked_once_about_a_model() {
    let show = r#"{"parameters":"num_ctx 16384\nstop \"x\"","model_info":{"llama.context_length":131072},"capabilities":["completion","tools","vision"]}"#;
    let server = Server::new(vec![
        reply(200, "application/json", show),
        reply(200, "application/json", r#"{"models":[]}"#),
    ])
    .await;
    let (provider, _) = provider(&server, ProviderKind::Local);
    for _ in 0..2 {
        let capabilities = provider.capabilities("m").await.unwrap();
        assert_eq!(capabilities.window, 16_384);
        assert_eq!(capabilities.tools, ToolMode::Native);
        assert!(capabilities.images && capabilities.local);
    }
    let paths: Vec<String> = server.asked().into_iter().map(|asked| asked.path).collect();
    assert_eq!(paths, ["/api/show", "/api/ps"]);

    let server = Server::new(vec![
        reply(404, "text/plain", ""),
        reply(
            200,
            "application/json",
            r#"{"data":[{"id":"m","max_model_len":32768}]}"#,
        ),
        reply(
            400,
            "application/json",
            r#"{"message":"\"auto\" tool choice requires --enable-auto-tool-choice"}"#,
        ),
    ])
    .await;
    let (provider, _) = self::provider(&server, ProviderKind::Local);
    let capabilities = provider.capabilities("m").await.unwrap();
    assert_eq!(
        (capabilities.window, capabilities.tools),
        (32_768, ToolMode::Text)
    );

    // Nobody says how large the window is.
    let server = Server::new(vec![
        reply(404, "text/plain", ""),
        reply(200, "application/json", r#"{"data":[{"id":"m"}]}"#),
        reply(404, "text/plain", ""),
        reply(200, "application/json", "{}"),
    ])
    .await;
    let (provider, _) = self::provider(&server, ProviderKind::Local);
    assert_eq!(provider.capabilities("m").await.unwrap().window, 8_192);
}

#[tokio::test]
async fn offline_means_that_only_this_machine_is_spoken_to() {
    let network = Network {
        offline: true,
        ..Network::default()
    };
    let refused = HttpProvider::new(ProviderSettings::of(ProviderKind::OpenAi), network).err();
    assert_eq!(refused.unwrap().code, ErrorCode::Offline);
}

#[tokio::test]
async fn a_missing_key_is_told_by_its_name() {
    struct None_;
    impl Secrets for None_ {
        fn secret(&self, _: &str) -> Option<Secret> {
            None
        }
    }
    let network = Network {
        secrets: Arc::new(None_),
        ..Network::default()
    };
    let settings = ProviderSettings {
        base_url: Some("http://127.0.0.1:9".into()),
        ..ProviderSettings::of(ProviderKind::Anthropic)
    };
    let provider = HttpProvider::new(settings, network).unwrap();
    let events = events(&provider).await;
    assert_eq!(error(&events).code, ErrorCode::Auth);
    assert!(error(&events).message.contains("ANTHROPIC_API_KEY"));
}

#[tokio::test]
async fn the_editors_models_are_a_provider_too() {
    use futures::future::BoxFuture;

    use crate::client::{ClientProvider, EditorModel, EditorModels};

    struct Editor;
    impl EditorModels for Editor {
        fn list(&self) -> BoxFuture<'_, Result<Vec<EditorModel>, StreamError>> {
            Box::pin(async {
                Ok(vec![EditorModel {
                    id: "known".into(),
                    family: "f".into(),
                    window: 9_000,
                    tools: true,
                }])
            })
        }

        fn stream(&self, request: Request, _: CancellationToken) -> EventStream {
            assert_eq!(request.tools[0].name, "read");
            Box::pin(futures::stream::iter([
                StreamEvent::ToolUseStart {
                    index: 3,
                    id: String::new(),
                    name: "read".into(),
                },
                StreamEvent::ToolUseDelta {
                    index: 3,
                    json: "{\"path\":\"é\"}".into(),
                },
                StreamEvent::Complete {
                    reason: CompleteReason::End,
                },
            ]))
        }
    }
    let provider = ClientProvider::new(Arc::new(Editor), Arc::new(VirtualHost::default()));
    assert_eq!(provider.capabilities("known").await.unwrap().window, 9_000);
    let events: Vec<StreamEvent> = provider
        .stream(request(), CancellationToken::new())
        .collect()
        .await;
    let answer = answer(events);
    assert_eq!(answer.outcome, Outcome::Complete(CompleteReason::ToolUse));
    assert_eq!(answer.ready_calls().count(), 1);
    assert!(answer.estimated);
    assert!(answer.blocks.iter().all(|block| match block {
        crate::accumulate::Block::Call(call) => call.id.starts_with("call_"),
        _ => false,
    }));
}
