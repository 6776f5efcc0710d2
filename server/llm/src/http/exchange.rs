//! One attempt: a request goes out, and what comes back becomes events.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use reqwest::header::CONTENT_TYPE;
use serde_json::Value;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{Inner, cancelled, configuration, connect, send};
use crate::event::{ErrorCode, StreamError, StreamEvent};
use crate::fault::{Fault, Refusal};
use crate::normalise::Normaliser;
use crate::prepare::{expectation, ready};
use crate::providers::{AwsKeys, HttpCall, Prepared, Signed, sign};
use crate::request::Request;
use crate::schema::ToolNames;
use crate::secret::Secret;
use crate::settings::ProviderKind;
use crate::wire::{EventStreamFramer, Framer, LineFramer};

/// How long the body of an error is read.
const ERROR_BODY: Duration = Duration::from_secs(5);
/// How much of it.
const ERROR_BYTES: usize = 64 * 1024;

/// A token that Copilot gave for the user's own.
pub(super) struct CopilotToken {
    token: Secret,
    until: SystemTime,
}

impl Inner {
    /// Before the first byte, and between two.
    pub(super) fn limits(&self) -> (Duration, Duration) {
        let seconds = |first, idle| (Duration::from_secs(first), Duration::from_secs(idle));
        match self.settings.kind {
            ProviderKind::Local => seconds(300, 300),
            _ => seconds(60, 90),
        }
    }

    /// Sends the request once. A fault means that nothing of an answer reached
    /// anyone; afterwards every fault is an event.
    pub(super) async fn attempt(
        &self,
        request: &Request,
        cancel: &CancellationToken,
        events: &mpsc::Sender<StreamEvent>,
    ) -> Result<(), Fault> {
        let host = &self.network.host;
        let (first_limit, idle_limit) = self.limits();
        let capabilities = tokio::select! {
            capabilities = self.capabilities(&request.model) => capabilities?,
            () = cancel.cancelled() => return Err(cancelled().into()),
        };
        let ready = ready(request, &self.settings.name, &capabilities);
        let call = self.wire.write(&Prepared {
            request,
            system: &ready.system,
            turns: &ready.turns,
            names: &ready.names,
            capabilities: &capabilities,
        });
        let mut first = host.sleep(first_limit);
        let late = || {
            StreamError::new(
                ErrorCode::Timeout,
                format!(
                    "{} sent nothing for {} s.",
                    self.settings.name,
                    first_limit.as_secs()
                ),
            )
        };
        let response = tokio::select! {
            response = self.send(call) => response?,
            () = &mut first => return Err(late().into()),
            () = cancel.cancelled() => return Err(cancelled().into()),
        };
        if !response.status().is_success() {
            return Err(self.refused(response, cancel).await);
        }
        let mut framer = framer(&response);
        let mut reader = self.wire.reader();
        let mut output = Output {
            normaliser: Normaliser::new(
                Arc::clone(host),
                expectation(request, &ready, &capabilities, self.settings.cumulative),
            ),
            names: &ready.names,
            events,
            progressed: false,
        };
        let mut response = response;
        let mut frames = Vec::new();
        let mut pieces = Vec::new();
        let mut limit = first;
        let mut began = false;
        while !output.normaliser.has_ended() {
            let chunk = tokio::select! {
                biased;
                () = cancel.cancelled() => return output.end(Some(cancelled())).await,
                chunk = response.chunk() => chunk,
                () = &mut limit => {
                    let error = if began {
                        StreamError::new(
                            ErrorCode::Timeout,
                            format!("{} sent nothing more for {} s.", self.settings.name, idle_limit.as_secs()),
                        )
                    } else {
                        late()
                    };
                    return output.end(Some(error)).await;
                }
            };
            let cut = match chunk {
                Ok(Some(bytes)) => framer.push(&bytes, &mut frames).err().map(Some),
                Ok(None) => Some(framer.end(&mut frames).err()),
                Err(error) => Some(Some(self.broken(&error))),
            };
            began = true;
            for frame in frames.drain(..) {
                reader.read(&frame, &mut pieces);
            }
            for piece in pieces.drain(..) {
                output.take(piece).await?;
            }
            if let Some(fault) = cut {
                return output.end(fault).await;
            }
            limit = host.sleep(idle_limit);
        }
        Ok(())
    }

    /// Sends a request with the provider's proof of who we are.
    pub(super) async fn send(&self, call: HttpCall) -> Result<reqwest::Response, StreamError> {
        connect::allow(&self.base, self.network.offline)?;
        let url = self.url(&call.path)?;
        let body = serde_json::to_vec(&call.body)
            .map_err(|error| configuration(format!("The request cannot be written: {error}.")))?;
        let mut headers = call.headers;
        headers.insert("content-type".into(), "application/json".into());
        let agent_turn = call
            .body
            .pointer("/messages")
            .and_then(Value::as_array)
            .and_then(|messages| messages.last())
            .is_some_and(|message| message["role"] == "tool");
        if self.settings.kind == ProviderKind::Copilot {
            let initiator = if agent_turn { "agent" } else { "user" };
            headers.insert("x-initiator".into(), initiator.into());
        }
        self.prove(&url, &body, &mut headers).await?;
        let mut builder = self.client.post(url).body(body);
        for (name, value) in headers.iter().chain(&self.settings.headers) {
            builder = builder.header(name, value);
        }
        builder
            .send()
            .await
            .map_err(|error| self.unreachable(&error))
    }

    /// Asks for something that is no answer of a model.
    pub(super) async fn get(&self, path: &str) -> Result<Value, StreamError> {
        connect::allow(&self.base, self.network.offline)?;
        let url = self.url(path)?;
        let mut headers = BTreeMap::new();
        if self.settings.kind == ProviderKind::Anthropic {
            headers.insert("anthropic-version".into(), "2023-06-01".into());
        }
        self.prove(&url, b"", &mut headers).await?;
        let mut builder = self.client.get(url);
        for (name, value) in headers.iter().chain(&self.settings.headers) {
            builder = builder.header(name, value);
        }
        let answer = async {
            let response = builder
                .send()
                .await
                .map_err(|error| self.unreachable(&error))?;
            if !response.status().is_success() {
                return Err(self
                    .refused(response, &CancellationToken::new())
                    .await
                    .error);
            }
            response.json().await.map_err(|error| self.broken(&error))
        };
        self.within(Duration::from_secs(10), answer).await
    }

    /// Ends a side request after a while.
    pub(super) async fn within<T>(
        &self,
        time: Duration,
        work: impl Future<Output = Result<T, StreamError>>,
    ) -> Result<T, StreamError> {
        tokio::select! {
            done = work => done,
            () = self.network.host.sleep(time) => Err(StreamError::new(
                ErrorCode::Timeout,
                format!("{} sent nothing for {} s.", self.settings.name, time.as_secs()),
            )),
        }
    }

    fn url(&self, path: &str) -> Result<reqwest::Url, StreamError> {
        let text = format!("{}{path}", self.base.as_str().trim_end_matches('/'));
        reqwest::Url::parse(&text)
            .map_err(|error| configuration(format!("{text} is no address: {error}.")))
    }

    fn key(&self) -> Option<Secret> {
        let name = self
            .settings
            .key
            .as_deref()
            .or(self.settings.kind.default_key())?;
        self.network.secrets.secret(name)
    }

    fn needed_key(&self) -> Result<Secret, StreamError> {
        self.key().ok_or_else(|| {
            let name = self
                .settings
                .key
                .as_deref()
                .or(self.settings.kind.default_key());
            StreamError::new(
                ErrorCode::Auth,
                format!(
                    "{} needs a key; set the environment variable {}.",
                    self.settings.name,
                    name.unwrap_or("that `key` names")
                ),
            )
        })
    }

    async fn prove(
        &self,
        url: &reqwest::Url,
        body: &[u8],
        headers: &mut BTreeMap<String, String>,
    ) -> Result<(), StreamError> {
        let bearer = |key: &Secret| format!("Bearer {}", key.reveal());
        match self.settings.kind {
            ProviderKind::Anthropic => {
                headers.insert("x-api-key".into(), self.needed_key()?.reveal().into());
            }
            ProviderKind::Azure => {
                headers.insert("api-key".into(), self.needed_key()?.reveal().into());
            }
            ProviderKind::Gemini => {
                headers.insert("x-goog-api-key".into(), self.needed_key()?.reveal().into());
            }
            ProviderKind::OpenAi | ProviderKind::DeepSeek => {
                headers.insert("authorization".into(), bearer(&self.needed_key()?));
            }
            ProviderKind::Local | ProviderKind::Client => {
                if let Some(key) = self.key() {
                    headers.insert("authorization".into(), bearer(&key));
                }
            }
            ProviderKind::Copilot => {
                let token = self.copilot_token().await?;
                headers.insert("authorization".into(), bearer(&token));
                headers.insert("copilot-integration-id".into(), "vscode-chat".into());
                headers.insert(
                    "editor-version".into(),
                    concat!("asd/", env!("CARGO_PKG_VERSION")).into(),
                );
            }
            ProviderKind::Bedrock => match self.key() {
                Some(key) => {
                    headers.insert("authorization".into(), bearer(&key));
                }
                None => {
                    let keys = self.aws_keys()?;
                    let host = match (url.host_str().unwrap_or_default(), url.port()) {
                        (host, Some(port)) => format!("{host}:{port}"),
                        (host, None) => host.to_owned(),
                    };
                    let request = Signed {
                        host: &host,
                        path: url.path(),
                        region: self.settings.region.as_deref().unwrap_or("us-east-1"),
                        service: "bedrock",
                        body,
                    };
                    *headers = sign(&keys, &request, self.network.host.wall(), headers);
                }
            },
        }
        Ok(())
    }

    fn aws_keys(&self) -> Result<AwsKeys, StreamError> {
        let get = |name: &str| {
            let secret = self.network.secrets.secret(name);
            secret.map(|secret| secret.reveal().to_owned())
        };
        match (get("AWS_ACCESS_KEY_ID"), get("AWS_SECRET_ACCESS_KEY")) {
            (Some(access), Some(secret)) => Ok(AwsKeys {
                access,
                secret,
                session: get("AWS_SESSION_TOKEN"),
            }),
            _ => Err(StreamError::new(
                ErrorCode::Auth,
                format!(
                    "{} needs keys; set AWS_BEARER_TOKEN_BEDROCK, or AWS_ACCESS_KEY_ID and \
                     AWS_SECRET_ACCESS_KEY.",
                    self.settings.name
                ),
            )),
        }
    }

    /// The user's own token buys one that lives half an hour, unless it is one.
    async fn copilot_token(&self) -> Result<Secret, StreamError> {
        let own = self.needed_key()?;
        if own.reveal().contains("tid=") {
            return Ok(own);
        }
        let now = self.network.host.wall();
        let mut kept = self.copilot.lock().await;
        if let Some(token) = kept.as_ref().filter(|token| token.until > now) {
            return Ok(token.token.clone());
        }
        let address = if connect::is_loopback(&self.base) {
            self.url("/copilot_internal/v2/token")?
        } else {
            reqwest::Url::parse("https://api.github.com/copilot_internal/v2/token")
                .map_err(|error| configuration(error.to_string()))?
        };
        let response = self
            .client
            .get(address)
            .header("authorization", format!("token {}", own.reveal()))
            .header("editor-version", concat!("asd/", env!("CARGO_PKG_VERSION")))
            .send()
            .await
            .map_err(|error| self.unreachable(&error))?;
        if !response.status().is_success() {
            return Err(self
                .refused(response, &CancellationToken::new())
                .await
                .error);
        }
        let answer: Value = response.json().await.map_err(|error| self.broken(&error))?;
        let token = answer.get("token").and_then(Value::as_str).ok_or_else(|| {
            StreamError::new(
                ErrorCode::Auth,
                "Copilot gave no token; sign in to it again.",
            )
        })?;
        let until = answer
            .get("expires_at")
            .and_then(Value::as_u64)
            .unwrap_or(0);
        let until = SystemTime::UNIX_EPOCH + Duration::from_secs(until.saturating_sub(60));
        let token = Secret::new(token);
        *kept = Some(CopilotToken {
            token: token.clone(),
            until,
        });
        Ok(token)
    }

    /// What an answer with an error status means. Its body may never end.
    pub(super) async fn refused(
        &self,
        mut response: reqwest::Response,
        cancel: &CancellationToken,
    ) -> Fault {
        let status = response.status().as_u16();
        let header = |name: &str| {
            let value = response.headers().get(name);
            value
                .and_then(|value| value.to_str().ok())
                .map(str::to_owned)
        };
        let retry_after = match header("retry-after-ms") {
            Some(millis) => millis
                .parse()
                .ok()
                .map(|millis: f64| (millis / 1000.0).to_string()),
            None => header("retry-after"),
        };
        let marked = header("x-should-retry").as_deref() == Some("true");
        let mut body = Vec::new();
        let mut limit = self.network.host.sleep(ERROR_BODY);
        while body.len() < ERROR_BYTES {
            tokio::select! {
                chunk = response.chunk() => match chunk {
                    Ok(Some(chunk)) => body.extend_from_slice(&chunk),
                    Ok(None) | Err(_) => break,
                },
                () = &mut limit => break,
                () = cancel.cancelled() => return cancelled().into(),
            }
        }
        let mut fault = Refusal {
            provider: &self.settings.name,
            status,
            retry_after: retry_after.as_deref(),
            marked,
            body: &String::from_utf8_lossy(&body),
            now: self.network.host.wall(),
        }
        .judge();
        if let Some(key) = self.key() {
            fault.error.message = key.hide_in(&fault.error.message);
        }
        fault
    }

    pub(super) fn unreachable(&self, error: &reqwest::Error) -> StreamError {
        let code = if error.is_builder() {
            ErrorCode::Configuration
        } else {
            ErrorCode::Connect
        };
        StreamError::new(
            code,
            format!(
                "{} cannot be reached at {}: {}. Is it running, and is the address right?",
                self.settings.name,
                self.base.host_str().unwrap_or_default(),
                cause(error)
            ),
        )
    }

    pub(super) fn broken(&self, error: &reqwest::Error) -> StreamError {
        StreamError::new(
            ErrorCode::Interrupted,
            format!(
                "The stream of {} broke: {}.",
                self.settings.name,
                cause(error)
            ),
        )
    }
}

/// The innermost cause; the outer ones only say that something failed.
fn cause(error: &reqwest::Error) -> String {
    let mut inner: &dyn std::error::Error = error;
    while let Some(source) = inner.source() {
        inner = source;
    }
    inner.to_string()
}

fn framer(response: &reqwest::Response) -> Framer {
    let kind = response
        .headers()
        .get(CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok())
        .unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    match kind {
        "application/vnd.amazon.eventstream" => Framer::EventStream(EventStreamFramer::default()),
        "application/x-ndjson"
        | "application/ndjson"
        | "application/jsonl"
        | "application/x-jsonlines"
        | "application/stream+json" => Framer::Lines(LineFramer::json()),
        "application/json" => Framer::Whole(Vec::new()),
        _ => Framer::Lines(LineFramer::events()),
    }
}

/// Sends events on, with the names of tools as we know them.
struct Output<'a> {
    normaliser: Normaliser,
    names: &'a ToolNames,
    events: &'a mpsc::Sender<StreamEvent>,
    progressed: bool,
}

impl Output<'_> {
    async fn take(&mut self, piece: crate::normalise::Piece) -> Result<(), Fault> {
        let mut out = Vec::new();
        self.normaliser.take(piece, &mut out);
        self.give(out).await
    }

    async fn end(&mut self, fault: Option<StreamError>) -> Result<(), Fault> {
        let mut out = Vec::new();
        self.normaliser.end(fault, &mut out);
        self.give(out).await
    }

    async fn give(&mut self, out: Vec<StreamEvent>) -> Result<(), Fault> {
        for mut event in out {
            self.progressed |= event.is_progress();
            if let StreamEvent::ToolUseStart { name, .. } = &mut event {
                *name = self.names.full(name);
            }
            if let (StreamEvent::Error(error), false) = (&event, self.progressed) {
                return Err(error.clone().into());
            }
            send(self.events, event).await;
        }
        Ok(())
    }
}
