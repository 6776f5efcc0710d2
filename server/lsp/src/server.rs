//! The server: the session behind its lock, the ways out, and the framework's
//! trait, whose methods do no more than hand requests to the handlers.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::Notify;
use tower_lsp_server::LanguageServer;
use tower_lsp_server::jsonrpc::{self, Result};
use tower_lsp_server::ls_types::*;

use crate::handlers;
use crate::lifecycle::End;
use crate::outbox::Outbox;
use crate::project::Project;
use crate::session::Session;
use crate::snapshot::Snapshot;

/// A request waits at most so long for its folder to be read.
const PATIENCE_FOR_LOADING: Duration = Duration::from_secs(5);

/// The server. Cloning is cheap.
#[derive(Clone)]
pub(crate) struct Server(Arc<Inner>);

struct Inner {
    session: Mutex<Session>,
    outbox: Outbox,
    pool: rayon::ThreadPool,
    runtime: Handle,
    loaded: Notify,
    ended: Sender<End>,
    watchers: Mutex<crate::watch::Watchers>,
}

tokio::task_local! {
    /// What the session was when the request came in.
    pub(crate) static ARRIVAL: Snapshot;
}

/// Sets a flag when it is dropped: nobody waits for the answer any more.
struct CancelOnDrop(Arc<AtomicBool>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Server {
    pub(crate) fn new(
        outbox: Outbox,
        pool: rayon::ThreadPool,
        runtime: Handle,
        ended: Sender<End>,
    ) -> Self {
        Self(Arc::new(Inner {
            session: Mutex::new(Session::new(Arc::new(Project::built_in()))),
            outbox,
            pool,
            runtime,
            loaded: Notify::new(),
            ended,
            watchers: Mutex::default(),
        }))
    }

    /// The session. Held for short, synchronous changes only.
    pub(crate) fn session(&self) -> MutexGuard<'_, Session> {
        self.0
            .session
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn outbox(&self) -> &Outbox {
        &self.0.outbox
    }

    pub(crate) fn pool(&self) -> &rayon::ThreadPool {
        &self.0.pool
    }

    pub(crate) fn runtime(&self) -> &Handle {
        &self.0.runtime
    }

    /// Told whenever a folder was loaded.
    pub(crate) fn loaded(&self) -> &Notify {
        &self.0.loaded
    }

    /// The watchers of the disk, for a client that does not watch.
    pub(crate) fn watchers(&self) -> MutexGuard<'_, crate::watch::Watchers> {
        self.0
            .watchers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the process, soon.
    pub(crate) fn end(&self, how: End) {
        // Whoever waits for it takes the first end only.
        let _ = self.0.ended.send(how);
    }

    /// Stops everything that is under way; nobody reads what comes of it.
    pub(crate) fn stop_all(&self) {
        let session = self.session();
        for running in session.running.values() {
            running.cancel.store(true, Ordering::Relaxed);
        }
        for cancel in session.workspace_checks.values() {
            cancel.store(true, Ordering::Relaxed);
        }
    }

    /// Runs a handler on the pool. Its flag is set when the request is
    /// cancelled; a panic in it is an error answer.
    pub(crate) async fn answer<P, R>(
        &self,
        params: P,
        handler: fn(&Snapshot, P, &AtomicBool) -> Result<R>,
    ) -> Result<R>
    where
        P: Send + 'static,
        R: Send + 'static,
    {
        let snapshot = self.snapshot_for_request().await;
        let cancel = Arc::new(AtomicBool::new(false));
        let guard = CancelOnDrop(cancel.clone());
        let answer = self
            .runtime()
            .spawn_blocking(move || {
                catch_unwind(AssertUnwindSafe(|| handler(&snapshot, params, &cancel)))
            })
            .await;
        drop(guard);
        match answer {
            Ok(Ok(answer)) => answer,
            Ok(Err(_)) | Err(_) => {
                tracing::error!("a request failed unexpectedly; the server goes on");
                Err(jsonrpc::Error::internal_error())
            }
        }
    }

    /// What the request is answered from: the session as it was when the
    /// request arrived, or as it is once all folders are read for the first
    /// time.
    pub(crate) async fn snapshot_for_request(&self) -> Snapshot {
        let deadline = tokio::time::Instant::now() + PATIENCE_FOR_LOADING;
        let mut waited = false;
        loop {
            let loaded = self.loaded().notified();
            tokio::pin!(loaded);
            loaded.as_mut().enable();
            let ready = self
                .session()
                .folders
                .iter()
                .all(|folder| folder.project.is_some() || !folder.loading);
            if ready {
                break;
            }
            waited = true;
            if tokio::time::timeout_at(deadline, loaded).await.is_err() {
                break;
            }
        }
        match ARRIVAL.try_with(Clone::clone) {
            Ok(snapshot) if !waited => snapshot,
            _ => self.session().snapshot(),
        }
    }
}

impl LanguageServer for Server {
    async fn initialize(&self, params: InitializeParams) -> Result<InitializeResult> {
        Ok(self.start_session(params))
    }

    async fn shutdown(&self) -> Result<()> {
        self.deliver_rest().await;
        Ok(())
    }

    async fn hover(&self, params: HoverParams) -> Result<Option<Hover>> {
        self.answer(params, handlers::hover::hover).await
    }

    async fn goto_definition(
        &self,
        params: GotoDefinitionParams,
    ) -> Result<Option<GotoDefinitionResponse>> {
        self.answer(params, handlers::navigation::definition).await
    }

    async fn references(&self, params: ReferenceParams) -> Result<Option<Vec<Location>>> {
        self.answer(params, handlers::navigation::references).await
    }

    async fn document_symbol(
        &self,
        params: DocumentSymbolParams,
    ) -> Result<Option<DocumentSymbolResponse>> {
        self.answer(params, handlers::symbols::document_symbol)
            .await
    }

    async fn symbol(
        &self,
        params: WorkspaceSymbolParams,
    ) -> Result<Option<WorkspaceSymbolResponse>> {
        self.answer(params, handlers::symbols::workspace_symbol)
            .await
    }

    async fn symbol_resolve(&self, params: WorkspaceSymbol) -> Result<WorkspaceSymbol> {
        self.answer(params, handlers::symbols::resolve).await
    }

    async fn completion(&self, params: CompletionParams) -> Result<Option<CompletionResponse>> {
        self.answer(params, handlers::completion::completion).await
    }

    async fn completion_resolve(&self, params: CompletionItem) -> Result<CompletionItem> {
        self.answer(params, handlers::completion::resolve).await
    }

    async fn prepare_rename(
        &self,
        params: TextDocumentPositionParams,
    ) -> Result<Option<PrepareRenameResponse>> {
        self.answer(params, handlers::rename::prepare_rename).await
    }

    async fn rename(&self, params: RenameParams) -> Result<Option<WorkspaceEdit>> {
        self.answer(params, handlers::rename::rename).await
    }

    async fn code_action(&self, params: CodeActionParams) -> Result<Option<CodeActionResponse>> {
        self.answer(params, handlers::code_action::code_action)
            .await
    }

    async fn code_action_resolve(&self, params: CodeAction) -> Result<CodeAction> {
        self.answer(params, handlers::code_action::resolve).await
    }

    async fn code_lens(&self, params: CodeLensParams) -> Result<Option<Vec<CodeLens>>> {
        self.answer(params, handlers::code_lens::code_lens).await
    }

    async fn code_lens_resolve(&self, params: CodeLens) -> Result<CodeLens> {
        self.answer(params, handlers::code_lens::resolve).await
    }

    async fn document_link(&self, params: DocumentLinkParams) -> Result<Option<Vec<DocumentLink>>> {
        self.answer(params, handlers::links::document_link).await
    }

    async fn execute_command(&self, params: ExecuteCommandParams) -> Result<Option<LSPAny>> {
        self.run_command(params).await
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    fn server() -> (tokio::runtime::Runtime, Server) {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_time()
            .build()
            .unwrap();
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(1)
            .build()
            .unwrap();
        let (outbox, _queue) = Outbox::new();
        let server = Server::new(outbox, pool, runtime.handle().clone(), channel().0);
        (runtime, server)
    }

    #[test]
    fn a_panic_in_a_handler_is_an_error_answer() {
        let (runtime, server) = server();
        let answer = runtime.block_on(server.answer((), |_, (), _| -> Result<()> {
            panic!("a fault in a handler")
        }));
        assert_eq!(answer, Err(jsonrpc::Error::internal_error()));
        let answer = runtime.block_on(server.answer(2, |_, number: i32, _| Ok(number + 1)));
        assert_eq!(answer, Ok(3));
    }

    #[test]
    fn a_panic_under_the_lock_leaves_the_session_usable() {
        let (_runtime, server) = server();
        let other = server.clone();
        let panicked = std::thread::spawn(move || {
            let _session = other.session();
            panic!("a fault while the session is held")
        })
        .join();
        assert!(panicked.is_err());
        assert_eq!(server.session().next_serial(), 1);
    }

    #[test]
    fn a_handler_learns_that_nobody_waits_any_more() {
        let (runtime, server) = server();
        let (started, begun) = channel();
        let (stopped, ended) = channel();
        let waiting = runtime.spawn(async move {
            server
                .answer((started, stopped), |_, (started, stopped), cancel| {
                    let _ = started.send(());
                    while !cancel.load(Ordering::Relaxed) {
                        std::thread::yield_now();
                    }
                    let _ = stopped.send(());
                    Ok(())
                })
                .await
        });
        begun.recv().unwrap();
        waiting.abort();
        ended.recv().unwrap();
    }
}
