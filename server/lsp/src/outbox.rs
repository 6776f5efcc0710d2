//! Everything that leaves the server. Messages are queued without waiting and
//! written by one thread, so that no lock and no handler ever depends on how
//! fast the client reads, or on whether it answers.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::oneshot;
use tower_lsp_server::jsonrpc::{Id, Response};
use tower_lsp_server::ls_types::notification::Notification;
use tower_lsp_server::ls_types::request::Request;

use crate::frames;
use crate::record::{Direction, Recorder};

/// A client that lets this much pile up, in bytes, is not reading any more;
/// what comes on top is dropped.
const LARGEST_BACKLOG: usize = 512 << 20;

/// The way to the client. Cloning is cheap.
#[derive(Clone)]
pub struct Outbox(Arc<Inner>);

struct Inner {
    queue: Sender<Vec<u8>>,
    backlog: Arc<AtomicUsize>,
    /// Whether the client may be spoken to without having asked.
    open: AtomicBool,
    next_id: AtomicI64,
    waiting: Mutex<BTreeMap<i64, oneshot::Sender<Option<Value>>>>,
}

/// A notification that is written out already.
#[derive(Debug)]
pub struct Prepared {
    body: Vec<u8>,
    digest: u64,
}

impl Prepared {
    /// Equal for equal notifications, within one run.
    #[must_use]
    pub fn digest(&self) -> u64 {
        self.digest
    }
}

/// The other end of an [`Outbox`].
pub struct OutboxQueue {
    queue: Receiver<Vec<u8>>,
    backlog: Arc<AtomicUsize>,
}

impl Outbox {
    /// An outbox and the queue that something must write out.
    #[must_use]
    pub fn new() -> (Self, OutboxQueue) {
        let (sender, receiver) = channel();
        let backlog = Arc::new(AtomicUsize::new(0));
        let outbox = Self(Arc::new(Inner {
            queue: sender,
            backlog: backlog.clone(),
            open: AtomicBool::new(false),
            next_id: AtomicI64::new(1),
            waiting: Mutex::default(),
        }));
        let queue = OutboxQueue {
            queue: receiver,
            backlog,
        };
        (outbox, queue)
    }

    /// From now on notifications and requests are sent; before, they are
    /// dropped, as the protocol forbids them.
    pub fn open(&self) {
        self.0.open.store(true, Ordering::SeqCst);
    }

    /// Sends the answer to a request.
    pub fn respond(&self, response: &Response) {
        match serde_json::to_vec(response) {
            Ok(body) => self.send(&body),
            Err(error) => tracing::error!("an answer could not be written: {error}"),
        }
    }

    /// Sends a notification.
    pub fn notify<N: Notification>(&self, params: &N::Params) {
        self.notify_as(N::METHOD, params);
    }

    /// A notification ready to be sent with [`Self::send_prepared`]; the work
    /// of writing it is done here.
    #[must_use]
    pub fn prepare<N: Notification>(&self, params: &N::Params) -> Prepared {
        let message = NotificationMessage {
            jsonrpc: "2.0",
            method: N::METHOD,
            params,
        };
        let body = serde_json::to_vec(&message).unwrap_or_else(|error| {
            tracing::error!("{} could not be written: {error}", N::METHOD);
            Vec::new()
        });
        let mut hasher = DefaultHasher::new();
        body.hash(&mut hasher);
        Prepared {
            digest: hasher.finish(),
            body,
        }
    }

    /// Sends what was prepared.
    pub fn send_prepared(&self, prepared: &Prepared) {
        if self.0.open.load(Ordering::SeqCst) && !prepared.body.is_empty() {
            self.send(&prepared.body);
        }
    }

    /// Sends a notification of our own making.
    pub fn notify_as<P: serde::Serialize>(&self, method: &str, params: &P) {
        if !self.0.open.load(Ordering::SeqCst) {
            return;
        }
        let message = NotificationMessage {
            jsonrpc: "2.0",
            method,
            params,
        };
        match serde_json::to_vec(&message) {
            Ok(body) => self.send(&body),
            Err(error) => tracing::error!("{method} could not be written: {error}"),
        }
    }

    /// Sends a request. The future gives the client's answer; `None` when it
    /// was an error, did not come before the deadline, or is not what the
    /// request asks for. Await it only in a task that nothing depends on.
    pub fn request<R: Request>(
        &self,
        params: &R::Params,
        deadline: Duration,
    ) -> impl Future<Output = Option<R::Result>> + Send + use<R>
    where
        R::Result: Send,
    {
        let id = self.0.next_id.fetch_add(1, Ordering::Relaxed);
        let (sender, receiver) = oneshot::channel();
        let inner = self.0.clone();
        let open = inner.open.load(Ordering::SeqCst);
        if open {
            self.lock().insert(id, sender);
            let message =
                json!({"jsonrpc": "2.0", "id": id, "method": R::METHOD, "params": params});
            self.send(message.to_string().as_bytes());
        }
        async move {
            if !open {
                return None;
            }
            let answer = tokio::time::timeout(deadline, receiver).await;
            inner
                .waiting
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .remove(&id);
            match answer {
                Ok(Ok(Some(value))) => match serde_json::from_value(value) {
                    Ok(result) => Some(result),
                    Err(error) => {
                        tracing::warn!("the answer to {} is not valid: {error}", R::METHOD);
                        None
                    }
                },
                Ok(_) => None,
                Err(_) => {
                    tracing::debug!("no answer to {} in time", R::METHOD);
                    None
                }
            }
        }
    }

    /// Takes an answer of the client in. One that nobody waits for is dropped.
    pub fn answered(&self, response: Response) {
        let (id, result) = response.into_parts();
        let waiting = match id {
            Id::Number(id) => self.lock().remove(&id),
            _ => None,
        };
        let Some(waiting) = waiting else {
            tracing::debug!("an answer that nobody waits for was dropped");
            return;
        };
        // Whoever waited may have given up in the meantime.
        let _ = waiting.send(result.ok());
    }

    /// Whether everything that was queued is written.
    #[must_use]
    pub fn is_written(&self) -> bool {
        self.0.backlog.load(Ordering::Acquire) == 0
    }

    fn send(&self, body: &[u8]) {
        let frame = frames::frame(body);
        let backlog = self.0.backlog.fetch_add(frame.len(), Ordering::Relaxed);
        if backlog > LARGEST_BACKLOG {
            self.0.backlog.fetch_sub(frame.len(), Ordering::Relaxed);
            return;
        }
        // The writer ends only when the client is gone; nobody reads then.
        let _ = self.0.queue.send(frame);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<i64, oneshot::Sender<Option<Value>>>> {
        self.0
            .waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(serde::Serialize)]
struct NotificationMessage<'a, P> {
    jsonrpc: &'static str,
    method: &'a str,
    params: &'a P,
}

impl OutboxQueue {
    /// Writes everything that is queued until all senders are gone.
    ///
    /// # Errors
    /// When the client's end is closed.
    pub fn write_to(self, mut out: impl Write, recorder: Option<&Recorder>) -> std::io::Result<()> {
        while let Ok(first) = self.queue.recv() {
            let mut batch = Vec::new();
            let mut next = Some(first);
            while let Some(frame) = next {
                if let Some(recorder) = recorder {
                    recorder.frame(Direction::ToClient, &frame);
                }
                batch.extend_from_slice(&frame);
                next = (batch.len() < 1 << 20)
                    .then(|| self.queue.try_recv().ok())
                    .flatten();
            }
            out.write_all(&batch)?;
            out.flush()?;
            self.backlog.fetch_sub(batch.len(), Ordering::Release);
        }
        Ok(())
    }
}
