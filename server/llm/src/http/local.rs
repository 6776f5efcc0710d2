//! What a local server says about its models. It is asked once.

use std::time::Duration;

use serde_json::{Value, json};

use super::Inner;
use crate::capabilities::{Capabilities, ToolMode};
use crate::event::{ErrorCode, StreamError};
use crate::providers::HttpCall;

/// What is assumed when nobody knows.
const UNKNOWN_WINDOW: u32 = 8_192;
/// What Ollama loads a model with when nobody said otherwise.
const OLLAMA_WINDOW: u32 = 4_096;
/// The share of the window that an answer may have when nobody said.
const OUTPUT_SHARE: u32 = 4;

impl Inner {
    /// The settings first, then the server.
    pub(super) async fn ask_local(&self, model: &str) -> Result<Capabilities, StreamError> {
        let mut capabilities = self.settings.known(model);
        let said = self.settings.models.get(model);
        let ollama = self.ask_ollama(model).await;
        if said.is_none_or(|said| said.window.is_none()) {
            let window = match &ollama {
                Some(ollama) => Some(self.ollama_window(model, ollama).await),
                None => self.listed_window(model).await?,
            };
            capabilities.window = window.unwrap_or(UNKNOWN_WINDOW).max(1);
        }
        if said.is_none_or(|said| said.max_output.is_none()) {
            capabilities.max_output = capabilities.window.div_ceil(OUTPUT_SHARE);
        }
        if let Some(listed) = ollama
            .as_ref()
            .and_then(|answer| answer["capabilities"].as_array())
        {
            let can = |what: &str| listed.iter().any(|one| one == what);
            if said.is_none_or(|said| said.images.is_none()) {
                capabilities.images = can("vision");
            }
            if said.is_none_or(|said| said.tools.is_none()) {
                capabilities.tools = if can("tools") {
                    ToolMode::Native
                } else {
                    ToolMode::Text
                };
            }
        } else if said.is_none_or(|said| said.tools.is_none()) {
            capabilities.tools = self.probe_tools(model).await?;
        }
        Ok(capabilities)
    }

    /// Ollama's description of a model; `None` of any other server.
    async fn ask_ollama(&self, model: &str) -> Option<Value> {
        let mut url = self.base.clone();
        url.set_path("/api/show");
        let request = async {
            let response = self
                .client
                .post(url)
                .json(&json!({"model": model}))
                .send()
                .await;
            let response = response.map_err(|error| self.unreachable(&error))?;
            if !response.status().is_success() {
                return Ok(None);
            }
            let answer: Value = response.json().await.map_err(|error| self.broken(&error))?;
            Ok(answer.get("model_info").is_some().then_some(answer))
        };
        self.within(Duration::from_secs(10), request)
            .await
            .ok()
            .flatten()
    }

    /// What the model runs with now, was made with, or is loaded with by default.
    async fn ollama_window(&self, model: &str, described: &Value) -> u32 {
        let mut url = self.base.clone();
        url.set_path("/api/ps");
        let running = async {
            let response = self.client.get(url).send().await;
            let response = response.map_err(|error| self.unreachable(&error))?;
            response
                .json::<Value>()
                .await
                .map_err(|error| self.broken(&error))
        };
        if let Ok(running) = self.within(Duration::from_secs(10), running).await {
            let models = running["models"].as_array().into_iter().flatten();
            let mut own = models.filter(|one| one["name"] == model || one["model"] == model);
            if let Some(window) = own.next().and_then(|one| number(&one["context_length"])) {
                return window;
            }
        }
        let parameters = described["parameters"].as_str().unwrap_or_default();
        let made_with = parameters.lines().find_map(|line| {
            let mut words = line.split_whitespace();
            (words.next() == Some("num_ctx")).then(|| words.next()?.parse().ok())?
        });
        let info = described["model_info"].as_object();
        let trained = info
            .into_iter()
            .flatten()
            .find_map(|(key, value)| key.ends_with(".context_length").then(|| number(value))?);
        made_with.unwrap_or_else(|| trained.map_or(OLLAMA_WINDOW, |most| most.min(OLLAMA_WINDOW)))
    }

    /// What the list of models says (vLLM), or the server about itself (llama.cpp).
    async fn listed_window(&self, model: &str) -> Result<Option<u32>, StreamError> {
        let listed = match self.get("/models").await {
            Ok(listed) => listed,
            Err(error) if error.code == ErrorCode::Connect => return Err(error),
            Err(_) => return Ok(None),
        };
        let models = listed["data"].as_array().map_or(&[][..], Vec::as_slice);
        let own = models
            .iter()
            .find(|one| one["id"] == model)
            .or(if models.len() == 1 {
                models.first()
            } else {
                None
            });
        let keys = [
            "/max_model_len",
            "/context_length",
            "/max_context_length",
            "/meta/n_ctx",
        ];
        let window = own.and_then(|own| keys.iter().find_map(|key| number(own.pointer(key)?)));
        if window.is_some() {
            return Ok(window);
        }
        let mut url = self.base.clone();
        url.set_path("/props");
        let props = async {
            let response = self.client.get(url).send().await;
            let response = response.map_err(|error| self.unreachable(&error))?;
            response
                .json::<Value>()
                .await
                .map_err(|error| self.broken(&error))
        };
        let props = self.within(Duration::from_secs(10), props).await.ok();
        Ok(props.and_then(|props| number(props.pointer("/default_generation_settings/n_ctx")?)))
    }

    /// Whether a request with a tool is taken: one token is enough to know.
    async fn probe_tools(&self, model: &str) -> Result<ToolMode, StreamError> {
        let body = json!({
            "model": model,
            "messages": [{"role": "user", "content": "Hi"}],
            "max_tokens": 1,
            "stream": false,
            "tools": [{"type": "function", "function": {
                "name": "probe",
                "description": "Does nothing.",
                "parameters": {"type": "object", "properties": {}},
            }}],
        });
        let (limit, _) = self.limits();
        let probe = async {
            let response = self.send(HttpCall::new("/chat/completions", body)).await?;
            if response.status().is_success() {
                return Ok(ToolMode::Native);
            }
            let cancel = tokio_util::sync::CancellationToken::new();
            let error = self.refused(response, &cancel).await.error;
            match error.code {
                ErrorCode::ToolsUnsupported | ErrorCode::BadRequest => Ok(ToolMode::Text),
                _ => Err(error),
            }
        };
        self.within(limit, probe).await
    }
}

fn number(value: &Value) -> Option<u32> {
    u32::try_from(value.as_u64()?)
        .ok()
        .filter(|number| *number > 0)
}
