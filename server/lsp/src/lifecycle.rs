//! The life of the process: threads that read and write, the loop that hands
//! messages to the service, and the ways it ends.
//!
//! Reading and writing block threads of their own, so neither a client that is
//! slow nor one that is silent holds up anything else. The thread that called
//! [`run`] does nothing but wait for the end; whatever the others are doing
//! then, the process is over when it returns.

use std::fs::File;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use futures::FutureExt;
use serde_json::Value;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tower::{Layer, Service};
use tower_lsp_server::LspService;
use tower_lsp_server::jsonrpc::{Error, Id, Request, Response};

use crate::frames::{FrameReader, Piece, swallowed_frame};
use crate::logging;
use crate::outbox::{Outbox, OutboxQueue};
use crate::record::{Direction, Recorder};
use crate::replay;
use crate::server::Server;
use crate::service::InOrder;

/// What is written must be out so long after the end at the latest.
const PATIENCE_AT_END: Duration = Duration::from_millis(500);

/// How the language server is started.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The least level that is logged, or a filter of the `tracing` kind.
    pub log: Option<String>,
    /// Where to write a record of the conversation.
    pub record: Option<PathBuf>,
    /// A record to play back instead of talking to a client.
    pub replay: Option<PathBuf>,
}

/// Why the server ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The client said `exit`.
    Exit,
    /// The client closed its end of stdin.
    InputClosed,
    /// The client closed its end of stdout.
    OutputClosed,
    /// The client's process is gone.
    ClientDied,
}

/// Runs the server until its client is done with it; gives the exit code of the
/// process, which is to end at once: threads may still be at work.
#[must_use]
pub fn run(options: &Options) -> u8 {
    if let Some(record) = &options.replay {
        logging::install(options.log.as_deref(), None);
        return replay::replay(record);
    }
    let recorder = match options.record.as_deref().map(Recorder::create).transpose() {
        Ok(recorder) => recorder.map(Arc::new),
        Err(error) => {
            logging::install(options.log.as_deref(), None);
            tracing::error!("the record cannot be made: {error}");
            return 1;
        }
    };
    let (input, output) = match (input(), output()) {
        (Ok(input), Ok(output)) => (input, output),
        (Err(error), _) | (_, Err(error)) => {
            logging::install(options.log.as_deref(), None);
            tracing::error!("stdin and stdout cannot be used: {error}");
            return 1;
        }
    };
    serve(input, output, recorder, |outbox| {
        logging::install(options.log.as_deref(), Some(outbox));
    })
}

/// Serves one client over any two streams.
pub(crate) fn serve(
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
    recorder: Option<Arc<Recorder>>,
    before: impl FnOnce(&Outbox),
) -> u8 {
    let (outbox, queue) = Outbox::new();
    before(&outbox);
    let (ended, ends) = channel();
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(32)
        .thread_name("asd-async")
        .enable_time()
        .build();
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(cores.clamp(2, 4))
        .thread_name(|index| format!("asd-check-{index}"))
        .build();
    let (runtime, pool) = match (runtime, pool) {
        (Ok(runtime), Ok(pool)) => (runtime, pool),
        (runtime, pool) => {
            let errors = [
                runtime.err().map(|error| error.to_string()),
                pool.err().map(|error| error.to_string()),
            ];
            for error in errors.into_iter().flatten() {
                tracing::error!("the server cannot start: {error}");
            }
            return 1;
        }
    };
    let server = Server::new(
        outbox.clone(),
        pool,
        runtime.handle().clone(),
        ended.clone(),
    );
    let (messages, inbox) = unbounded_channel();
    let threads = [
        spawn("asd-read", {
            let (recorder, ended) = (recorder.clone(), ended.clone());
            move || read(input, &messages, recorder.as_deref(), &ended)
        }),
        spawn("asd-write", move || {
            write(queue, output, recorder.as_deref(), &ended);
        }),
    ];
    if let Some(error) = threads.into_iter().find_map(Result::err) {
        tracing::error!("the server cannot start: {error}");
        return 1;
    }
    runtime.spawn(answer(inbox, server.clone(), outbox.clone()));
    let code = wait_for_end(&ends, &server, &outbox);
    server.stop_all();
    runtime.shutdown_background();
    code
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    std::thread::Builder::new()
        .name(name.to_owned())
        .spawn(work)
        .map(drop)
}

fn wait_for_end(ends: &Receiver<End>, server: &Server, outbox: &Outbox) -> u8 {
    let how = ends.recv().unwrap_or(End::InputClosed);
    let was_shut_down = server.session().phase == crate::session::Phase::ShutDown;
    if matches!(how, End::Exit | End::InputClosed) {
        let deadline = Instant::now() + PATIENCE_AT_END;
        while !outbox.is_written() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    u8::from(!was_shut_down)
}

/// A message of the client, or the answer to something that is none.
enum Incoming {
    Request(Request),
    Response(Response),
    Invalid(Response),
}

fn read(
    mut input: impl Read,
    messages: &UnboundedSender<Incoming>,
    recorder: Option<&Recorder>,
    ended: &Sender<End>,
) {
    let mut reader = FrameReader::default();
    let mut bytes = vec![0; 64 << 10];
    loop {
        match input.read(&mut bytes) {
            Ok(0) => break,
            Ok(read) => reader.feed(&bytes[..read]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => {
                tracing::debug!("stdin cannot be read: {error}");
                break;
            }
        }
        while let Some(piece) = reader.next() {
            let body = match piece {
                Piece::Body(body) => body,
                Piece::Garbage(bytes) => {
                    tracing::warn!("{bytes} bytes that are no message were skipped");
                    continue;
                }
            };
            if let Some(recorder) = recorder {
                recorder.body(Direction::ToServer, &body);
            }
            let message = match serde_json::from_slice::<Value>(&body) {
                Ok(value) => classify(value),
                Err(error) => {
                    tracing::warn!("a message that is not JSON was dropped: {error}");
                    if let Some(at) = swallowed_frame(&body) {
                        reader.unread(&body[at..]);
                    }
                    Incoming::Invalid(Response::from_error(Id::Null, Error::parse_error()))
                }
            };
            if messages.send(message).is_err() {
                return;
            }
        }
    }
    let _ = ended.send(End::InputClosed);
}

fn classify(value: Value) -> Incoming {
    let is_request = value.get("method").is_some();
    let id: Id = value
        .get("id")
        .and_then(|id| serde::Deserialize::deserialize(id).ok())
        .unwrap_or(Id::Null);
    if is_request {
        return match serde_json::from_value(value) {
            Ok(request) => Incoming::Request(request),
            Err(_) => Incoming::Invalid(Response::from_error(id, Error::invalid_request())),
        };
    }
    match serde_json::from_value(value) {
        Ok(response) => Incoming::Response(response),
        Err(_) => Incoming::Invalid(Response::from_error(id, Error::invalid_request())),
    }
}

fn write(queue: OutboxQueue, output: impl Write, recorder: Option<&Recorder>, ended: &Sender<End>) {
    if let Err(error) = queue.write_to(output, recorder) {
        tracing::debug!("stdout cannot be written: {error}");
        let _ = ended.send(End::OutputClosed);
    }
}

async fn answer(mut inbox: UnboundedReceiver<Incoming>, server: Server, outbox: Outbox) {
    // The framework's own way to the client is not used: it waits.
    let (service, _socket) = LspService::new(|_| server.clone());
    let mut service = InOrder(server).layer(service);
    while let Some(message) = inbox.recv().await {
        let request = match message {
            Incoming::Request(request) => request,
            Incoming::Response(response) => {
                outbox.answered(response);
                continue;
            }
            Incoming::Invalid(response) => {
                outbox.respond(&response);
                continue;
            }
        };
        let ready = std::future::poll_fn(|context| service.poll_ready(context)).await;
        if ready.is_err() {
            return;
        }
        let id = request.id().cloned();
        let answer = service.call(request);
        let outbox = outbox.clone();
        tokio::spawn(async move {
            let answer = std::panic::AssertUnwindSafe(answer).catch_unwind().await;
            match (answer, id) {
                (Ok(Ok(Some(response))), _) => outbox.respond(&response),
                (Ok(Ok(None)), _) | (_, None) => {}
                (Ok(Err(_)) | Err(_), Some(id)) => {
                    outbox.respond(&Response::from_error(id, Error::internal_error()));
                }
            }
        });
    }
}

/// Stdin, without the buffer that the standard library puts in front of it.
fn input() -> std::io::Result<File> {
    #[cfg(unix)]
    return std::os::fd::AsFd::as_fd(&std::io::stdin())
        .try_clone_to_owned()
        .map(File::from);
    #[cfg(windows)]
    return std::os::windows::io::AsHandle::as_handle(&std::io::stdin())
        .try_clone_to_owned()
        .map(File::from);
}

/// Stdout, for frames alone: whatever else is printed by this process or by one
/// that it starts goes to stderr from now on.
fn output() -> std::io::Result<File> {
    #[cfg(unix)]
    {
        let output = std::os::fd::AsFd::as_fd(&std::io::stdout()).try_clone_to_owned()?;
        rustix::stdio::dup2_stdout(std::io::stderr())?;
        Ok(File::from(output))
    }
    #[cfg(windows)]
    return std::os::windows::io::AsHandle::as_handle(&std::io::stdout())
        .try_clone_to_owned()
        .map(File::from);
}
