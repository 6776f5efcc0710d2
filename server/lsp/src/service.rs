//! The layer around the framework's service that keeps the order of the wire.
//!
//! The framework runs handlers at the same time, in any order. So every
//! notification is applied here, inside `call`, before the next message is
//! looked at; and a request takes its snapshot here, so that it sees exactly
//! the changes that came before it.

use std::task::{Context, Poll};

use futures::FutureExt;
use futures::future::{self, BoxFuture};
use serde_json::Value;
use tower::{Layer, Service};
use tower_lsp_server::jsonrpc::{Error, Request, Response};

use crate::lifecycle::End;
use crate::server::{ARRIVAL, Server};
use crate::session::Phase;

/// Puts [`Ordered`] around a service.
pub(crate) struct InOrder(pub(crate) Server);

impl<S> Layer<S> for InOrder {
    type Service = Ordered<S>;

    fn layer(&self, inner: S) -> Self::Service {
        Ordered {
            server: self.0.clone(),
            inner,
        }
    }
}

/// See the module.
pub(crate) struct Ordered<S> {
    server: Server,
    inner: S,
}

impl<S> Service<Request> for Ordered<S>
where
    S: Service<Request, Response = Option<Response>>,
    S::Future: Send + 'static,
    S::Error: Send + 'static,
{
    type Response = Option<Response>;
    type Error = S::Error;
    type Future = BoxFuture<'static, Result<Self::Response, Self::Error>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let Some(id) = request.id().cloned() else {
            if request.method() == "exit" {
                self.server.end(End::Exit);
                return future::ok(None).boxed();
            }
            let params = request.params().unwrap_or(&Value::Null);
            if self.server.take_notification(request.method(), params) {
                return future::ok(None).boxed();
            }
            return self.inner.call(request).boxed();
        };
        let snapshot = self.server.session().snapshot();
        match request.method() {
            // Answered before the next message is looked at, so that what the
            // client sends without waiting is not refused.
            "initialize" => {
                let answer = ARRIVAL.scope(snapshot, self.inner.call(request));
                match answer.now_or_never() {
                    Some(answer) => future::ready(answer).boxed(),
                    None => {
                        future::ok(Some(Response::from_error(id, Error::internal_error()))).boxed()
                    }
                }
            }
            "shutdown" => {
                let mut session = self.server.session();
                if session.phase != Phase::New {
                    session.phase = Phase::ShutDown;
                }
                drop(session);
                self.inner.call(request).boxed()
            }
            _ => ARRIVAL.scope(snapshot, self.inner.call(request)).boxed(),
        }
    }
}
