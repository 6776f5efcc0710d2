//! The one trait of all providers.

use std::pin::Pin;

use futures::Stream;
use futures::future::BoxFuture;
use tokio_util::sync::CancellationToken;

use crate::capabilities::Capabilities;
use crate::event::{StreamError, StreamEvent};
use crate::request::Request;
use crate::settings::ProviderKind;

/// The events of one answer. Dropping it ends the request.
pub type EventStream = Pin<Box<dyn Stream<Item = StreamEvent> + Send>>;

/// Someone who answers.
pub trait Provider: Send + Sync {
    /// The name in the settings.
    fn name(&self) -> &str;

    /// Which kind it is.
    fn kind(&self) -> ProviderKind;

    /// Asks for an answer. Repetitions, fallbacks and time-outs happen inside; the
    /// stream always ends with [`StreamEvent::Complete`] or [`StreamEvent::Error`],
    /// also when it is cancelled. It has to be called within a Tokio runtime.
    fn stream(&self, request: Request, cancel: CancellationToken) -> EventStream;

    /// What a model can do. Local servers are asked once, and remembered.
    fn capabilities<'a>(
        &'a self,
        model: &'a str,
    ) -> BoxFuture<'a, Result<Capabilities, StreamError>>;

    /// The names of the models that can be chosen.
    fn models(&self) -> BoxFuture<'_, Result<Vec<String>, StreamError>>;
}
