//! The editor's own models as a provider: whoever is signed in there needs no key.

use std::sync::Arc;

use futures::future::BoxFuture;
use futures::{StreamExt, stream};
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use crate::capabilities::{Capabilities, ToolMode};
use crate::event::{StreamError, StreamEvent};
use crate::host::Host;
use crate::normalise::{Normaliser, Piece};
use crate::prepare::{expectation, ready};
use crate::provider::{EventStream, Provider};
use crate::request::Request;
use crate::schema::ToolNames;
use crate::settings::{ProviderKind, ProviderSettings};

/// A model that the editor offers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EditorModel {
    /// Its name for requests.
    pub id: String,
    /// What kind of model it is.
    pub family: String,
    /// Tokens of context.
    pub window: u32,
    /// Whether it calls tools.
    pub tools: bool,
}

/// An editor that lends its models. The door to the editor implements it.
pub trait EditorModels: Send + Sync {
    /// The models that can be used now.
    fn list(&self) -> BoxFuture<'_, Result<Vec<EditorModel>, StreamError>>;

    /// One answer. Tools have the names that the model is to see. The stream may
    /// have every habit that those of providers have; it is made good here.
    fn stream(&self, request: Request, cancel: CancellationToken) -> EventStream;
}

/// The editor as a provider.
pub struct ClientProvider {
    settings: ProviderSettings,
    editor: Arc<dyn EditorModels>,
    host: Arc<dyn Host>,
}

impl ClientProvider {
    /// A provider of an editor's models.
    #[must_use]
    pub fn new(editor: Arc<dyn EditorModels>, host: Arc<dyn Host>) -> Self {
        Self {
            settings: ProviderSettings::of(ProviderKind::Client),
            editor,
            host,
        }
    }
}

impl Provider for ClientProvider {
    fn name(&self) -> &str {
        &self.settings.name
    }

    fn kind(&self) -> ProviderKind {
        ProviderKind::Client
    }

    fn stream(&self, request: Request, cancel: CancellationToken) -> EventStream {
        let editor = Arc::clone(&self.editor);
        let host = Arc::clone(&self.host);
        let known = self.settings.known(&request.model);
        let name = self.settings.name.clone();
        let answer = async move {
            let capabilities = match editor.list().await {
                Ok(models) => of(&models, &request.model, known),
                Err(error) => return stream::iter([StreamEvent::Error(error)]).boxed(),
            };
            let ready = ready(&request, &name, &capabilities);
            let expected = expectation(&request, &ready, &capabilities, false);
            let mut asked = request;
            asked.system.clone_from(&ready.system);
            if capabilities.tools == ToolMode::Native {
                asked.tools = ready
                    .names
                    .tools()
                    .iter()
                    .map(|(name, tool)| crate::request::ToolSpec {
                        name: name.clone(),
                        ..tool.clone()
                    })
                    .collect();
            } else {
                asked.tools.clear();
            }
            let events = editor.stream(asked, cancel);
            good(events, Normaliser::new(host, expected), ready.names)
        };
        Box::pin(stream::once(answer).flatten())
    }

    fn capabilities<'a>(
        &'a self,
        model: &'a str,
    ) -> BoxFuture<'a, Result<Capabilities, StreamError>> {
        Box::pin(async move {
            let models = self.editor.list().await?;
            Ok(of(&models, model, self.settings.known(model)))
        })
    }

    fn models(&self) -> BoxFuture<'_, Result<Vec<String>, StreamError>> {
        Box::pin(async {
            let models = self.editor.list().await?;
            Ok(models.into_iter().map(|model| model.id).collect())
        })
    }
}

fn of(models: &[EditorModel], model: &str, mut known: Capabilities) -> Capabilities {
    if let Some(model) = models.iter().find(|one| one.id == model) {
        known.window = model.window.max(1);
        known.max_output = known.max_output.min(known.window);
        if !model.tools {
            known.tools = ToolMode::Text;
        }
    }
    known
}

/// The editor's events as a good stream.
fn good(
    events: EventStream,
    normaliser: Normaliser,
    names: ToolNames,
) -> stream::BoxStream<'static, StreamEvent> {
    let ends = events.map(Some).chain(stream::iter([None]));
    let state = (normaliser, names);
    ends.scan(state, |(normaliser, names), event| {
        let mut out = Vec::new();
        match event.map(piece) {
            Some(Some(piece)) => normaliser.take(piece, &mut out),
            Some(None) => {}
            None => normaliser.end(None, &mut out),
        }
        for event in &mut out {
            if let StreamEvent::ToolUseStart { name, .. } = event {
                *name = names.full(name);
            }
        }
        std::future::ready(Some(stream::iter(out)))
    })
    .flatten()
    .boxed()
}

fn piece(event: StreamEvent) -> Option<Piece> {
    Some(match event {
        StreamEvent::ContentDelta { text, .. } => Piece::Text(text),
        StreamEvent::ToolUseStart { index, id, name } => Piece::Call {
            key: Some(index.into()),
            id: Some(id).filter(|id| !id.is_empty()),
            name: Some(name).filter(|name| !name.is_empty()),
            arguments: None,
        },
        StreamEvent::ToolUseDelta { index, json } => Piece::Call {
            key: Some(index.into()),
            id: None,
            name: None,
            arguments: Some(json),
        },
        StreamEvent::ToolUseStop { index } => Piece::Stop { key: index.into() },
        StreamEvent::ThinkingDelta { text, signature } => Piece::Thinking { text, signature },
        StreamEvent::Usage { usage, .. } => Piece::Usage(usage),
        StreamEvent::Complete { reason } => Piece::Finish(reason),
        StreamEvent::Error(error) => Piece::Failed(error),
        StreamEvent::Warning { message, .. } => Piece::Unreadable(message),
        StreamEvent::ContentStart { .. } | StreamEvent::ContentStop { .. } => return None,
    })
}
