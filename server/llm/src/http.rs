//! Providers that are spoken to over HTTP: sending, waiting, repeating, reading.

mod connect;
mod exchange;
mod local;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use futures::future::BoxFuture;
use serde_json::Value;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::capabilities::{Capabilities, ToolMode};
use crate::event::{ErrorCode, Retrying, StreamError, StreamEvent, WarningCode};
use crate::fault::{Circuit, Fault, MAX_RETRIES, Retry, backoff};
use crate::host::{Host, SystemHost};
use crate::provider::{EventStream, Provider};
use crate::providers::{Anthropic, Bedrock, Gemini, OpenAi, Wire};
use crate::request::Request;
use crate::secret::{Environment, Secrets};
use crate::settings::{ProviderKind, ProviderSettings};

/// What providers share: the network, time, and keys.
#[derive(Clone)]
pub struct Network {
    /// Whether only this machine may be connected to.
    pub offline: bool,
    /// Time and chance.
    pub host: Arc<dyn Host>,
    /// Keys.
    pub secrets: Arc<dyn Secrets>,
}

impl Default for Network {
    fn default() -> Self {
        Self {
            offline: false,
            host: Arc::new(SystemHost::default()),
            secrets: Arc::new(Environment),
        }
    }
}

/// A provider over HTTP.
#[derive(Clone)]
pub struct HttpProvider {
    inner: Arc<Inner>,
}

struct Inner {
    settings: ProviderSettings,
    base: reqwest::Url,
    wire: Box<dyn Wire>,
    client: reqwest::Client,
    network: Network,
    circuit: Mutex<Circuit>,
    /// What was found out about models by asking, or by being refused.
    learned: tokio::sync::Mutex<BTreeMap<String, Capabilities>>,
    without_tools: Mutex<Vec<String>>,
    copilot: tokio::sync::Mutex<Option<exchange::CopilotToken>>,
}

impl HttpProvider {
    /// Sets a provider up. Nothing is connected to before the first request.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::Configuration`] when a setting is missing or wrong, and for
    /// [`ProviderKind::Client`], which is no HTTP provider; [`ErrorCode::Offline`]
    /// when the address is not of this machine although only that is allowed.
    pub fn new(mut settings: ProviderSettings, network: Network) -> Result<Self, StreamError> {
        if settings.name.is_empty() {
            settings.name = settings.kind.name().to_owned();
        }
        let base = connect::base(&settings)?;
        connect::allow(&base, network.offline)?;
        let client = connect::client(&base)?;
        let path = "/chat/completions".to_owned();
        let open_ai = |path, limit, extras| -> Box<dyn Wire> {
            Box::new(OpenAi {
                path,
                limit,
                extras,
            })
        };
        let wire: Box<dyn Wire> = match settings.kind {
            ProviderKind::Anthropic => Box::new(Anthropic),
            ProviderKind::Gemini => Box::new(Gemini),
            ProviderKind::Bedrock => Box::new(Bedrock),
            ProviderKind::OpenAi => open_ai(path, "max_completion_tokens", true),
            ProviderKind::Azure => match &settings.api_version {
                Some(version) => open_ai(
                    format!("/openai/deployments/{{model}}/chat/completions?api-version={version}"),
                    "max_completion_tokens",
                    true,
                ),
                None => open_ai(
                    "/openai/v1/chat/completions".to_owned(),
                    "max_completion_tokens",
                    true,
                ),
            },
            ProviderKind::DeepSeek | ProviderKind::Local | ProviderKind::Copilot => {
                open_ai(path, "max_tokens", false)
            }
            ProviderKind::Client => {
                return Err(configuration(
                    "The editor's models are reached through the editor, not over HTTP.",
                ));
            }
        };
        Ok(Self {
            inner: Arc::new(Inner {
                settings,
                base,
                wire,
                client,
                network,
                circuit: Mutex::default(),
                learned: tokio::sync::Mutex::default(),
                without_tools: Mutex::default(),
                copilot: tokio::sync::Mutex::default(),
            }),
        })
    }
}

fn configuration(message: impl Into<String>) -> StreamError {
    StreamError::new(ErrorCode::Configuration, message)
}

impl Provider for HttpProvider {
    fn name(&self) -> &str {
        &self.inner.settings.name
    }

    fn kind(&self) -> ProviderKind {
        self.inner.settings.kind
    }

    fn stream(&self, request: Request, cancel: CancellationToken) -> EventStream {
        let (sender, receiver) = mpsc::channel(256);
        let cancel = cancel.child_token();
        let guard = cancel.clone().drop_guard();
        let inner = Arc::clone(&self.inner);
        tokio::spawn(async move { inner.answer(request, cancel, sender).await });
        Box::pin(futures::stream::unfold(
            (receiver, guard),
            |(mut receiver, guard)| async move {
                receiver
                    .recv()
                    .await
                    .map(|event| (event, (receiver, guard)))
            },
        ))
    }

    fn capabilities<'a>(
        &'a self,
        model: &'a str,
    ) -> BoxFuture<'a, Result<Capabilities, StreamError>> {
        Box::pin(self.inner.capabilities(model))
    }

    fn models(&self) -> BoxFuture<'_, Result<Vec<String>, StreamError>> {
        Box::pin(self.inner.models())
    }
}

impl Inner {
    async fn capabilities(&self, model: &str) -> Result<Capabilities, StreamError> {
        let mut capabilities = if self.settings.kind == ProviderKind::Local {
            let mut learned = self.learned.lock().await;
            match learned.get(model) {
                Some(known) => known.clone(),
                None => {
                    let asked = self.ask_local(model).await?;
                    learned.insert(model.to_owned(), asked.clone());
                    asked
                }
            }
        } else {
            self.settings.known(model)
        };
        let refused = lock(&self.without_tools).iter().any(|name| name == model);
        if refused && capabilities.tools == ToolMode::Native {
            capabilities.tools = ToolMode::Text;
        }
        Ok(capabilities)
    }

    async fn models(&self) -> Result<Vec<String>, StreamError> {
        let (path, list, name) = match self.settings.kind {
            ProviderKind::Anthropic => ("/v1/models?limit=1000", "data", "id"),
            ProviderKind::Gemini => ("/models?pageSize=1000", "models", "name"),
            ProviderKind::Azure | ProviderKind::Bedrock => {
                return Ok(self.settings.models.keys().cloned().collect());
            }
            _ => ("/models", "data", "id"),
        };
        let answer = self.get(path).await?;
        let models = answer.get(list).and_then(Value::as_array);
        let names = models.into_iter().flatten().filter_map(|model| {
            let name = model.get(name)?.as_str()?;
            Some(name.strip_prefix("models/").unwrap_or(name).to_owned())
        });
        Ok(names.collect())
    }

    /// Answers a request: the first event that belongs to the answer ends all
    /// repeating.
    async fn answer(
        &self,
        request: Request,
        cancel: CancellationToken,
        events: mpsc::Sender<StreamEvent>,
    ) {
        let host = &self.network.host;
        let mut attempt = 0;
        let open = lock(&self.circuit).is_open(host.now());
        if let Some(rest) = open {
            let error = StreamError::new(
                ErrorCode::CircuitOpen,
                format!(
                    "{} failed several times in a row; it is asked again in {} s.",
                    self.settings.name,
                    rest.as_secs_f64().ceil()
                ),
            );
            send(&events, StreamEvent::Error(error)).await;
            return;
        }
        loop {
            let fault = match self.attempt(&request, &cancel, &events).await {
                Ok(()) => {
                    lock(&self.circuit).succeeded();
                    return;
                }
                Err(fault) => fault,
            };
            if fault.error.code == ErrorCode::ToolsUnsupported && self.forget_tools(&request.model)
            {
                let warning = StreamEvent::warning(
                    WarningCode::ToolsUnsupported,
                    format!(
                        "{} takes no tools; they are described in text.",
                        request.model
                    ),
                );
                send(&events, warning).await;
                continue;
            }
            if fault.retry == Retry::Never || attempt == MAX_RETRIES {
                if fault.retry != Retry::Never {
                    lock(&self.circuit).exhausted(host.now());
                }
                send(&events, StreamEvent::Error(fault.error)).await;
                return;
            }
            attempt += 1;
            let wait = match fault.retry {
                Retry::After(wait) => wait,
                Retry::Later | Retry::Never => backoff(attempt, host.random()),
            };
            let retry = Retrying {
                attempt,
                wait_ms: u64::try_from(wait.as_millis()).unwrap_or(u64::MAX),
                status: fault.error.status,
            };
            let message = format!(
                "{} The request is sent again in {:.1} s ({attempt} of {MAX_RETRIES}).",
                fault.error.message,
                wait.as_secs_f64()
            );
            send(
                &events,
                StreamEvent::Warning {
                    code: WarningCode::Retrying,
                    message,
                    retry: Some(retry),
                },
            )
            .await;
            tokio::select! {
                () = host.sleep(wait) => {}
                () = cancel.cancelled() => {
                    send(&events, StreamEvent::Error(cancelled())).await;
                    return;
                }
            }
        }
    }

    /// Remembers that a model takes no tools; false when that was known.
    fn forget_tools(&self, model: &str) -> bool {
        let mut without = lock(&self.without_tools);
        if without.iter().any(|name| name == model) {
            return false;
        }
        without.push(model.to_owned());
        true
    }
}

fn cancelled() -> StreamError {
    StreamError::new(ErrorCode::Cancelled, "The request was cancelled.")
}

/// Whoever listened may have gone; then nobody misses the event.
async fn send(events: &mpsc::Sender<StreamEvent>, event: StreamEvent) {
    let _ = events.send(event).await;
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;

impl From<StreamError> for Fault {
    fn from(error: StreamError) -> Self {
        Self::of(error)
    }
}
