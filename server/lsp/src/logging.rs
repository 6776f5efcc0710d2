//! Where log lines go: to stderr, and to the client as `window/logMessage`.

use std::fmt::Write;
use std::sync::{Mutex, PoisonError};

use tower_lsp_server::ls_types::notification::LogMessage;
use tower_lsp_server::ls_types::{LogMessageParams, MessageType};
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;

use crate::outbox::Outbox;

/// Starts logging. `filter` is a level (`debug`) or a list of targets with
/// levels; by default warnings of everyone and what this program has to say.
pub(crate) fn install(filter: Option<&str>, outbox: Option<&Outbox>) {
    let text = match filter.map(str::trim).filter(|filter| !filter.is_empty()) {
        None => "warn,asd=info".to_owned(),
        Some(level) if level.chars().all(char::is_alphanumeric) => format!("warn,asd={level}"),
        Some(filter) => filter.to_owned(),
    };
    let (filter, problem) = match EnvFilter::try_new(&text) {
        Ok(filter) => (filter, None),
        Err(error) => (EnvFilter::new("warn,asd=info"), Some(error)),
    };
    let stderr = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_ansi(false);
    // A second server in one process, as in a replay, logs through the first.
    let _ = tracing_subscriber::registry()
        .with(filter)
        .with(stderr)
        .with(ToClient(Mutex::new(outbox.cloned())))
        .try_init();
    if let Some(problem) = problem {
        tracing::warn!("the log filter `{text}` is not valid ({problem}); the default is used");
    }
}

struct ToClient(Mutex<Option<Outbox>>);

impl<S: Subscriber> Layer<S> for ToClient {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let outbox = self
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let Some(outbox) = outbox else { return };
        let typ = match *event.metadata().level() {
            Level::ERROR => MessageType::ERROR,
            Level::WARN => MessageType::WARNING,
            Level::INFO => MessageType::INFO,
            Level::DEBUG | Level::TRACE => MessageType::LOG,
        };
        let mut line = Line::default();
        event.record(&mut line);
        outbox.notify::<LogMessage>(&LogMessageParams {
            typ,
            message: line.message + &line.fields,
        });
    }
}

#[derive(Default)]
struct Line {
    message: String,
    fields: String,
}

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        // Writing to a string does not fail.
        let _ = if field.name() == "message" {
            write!(self.message, "{value:?}")
        } else {
            write!(self.fields, " {}={value:?}", field.name())
        };
    }
}
