//! Progress that the server reports of its own accord.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tower_lsp_server::ls_types::notification::Progress as ProgressNotification;
use tower_lsp_server::ls_types::request::WorkDoneProgressCreate;
use tower_lsp_server::ls_types::{
    ProgressParams, ProgressParamsValue, ProgressToken, WorkDoneProgress, WorkDoneProgressBegin,
    WorkDoneProgressCreateParams, WorkDoneProgressEnd, WorkDoneProgressReport,
};

use crate::outbox::Outbox;
use crate::server::Server;

const DEADLINE: Duration = Duration::from_secs(10);

/// One piece of work that the client shows. Reports nothing until the client
/// has agreed to show it, and ends by itself when it is dropped.
pub(crate) struct Progress(Option<Arc<Shown>>);

struct Shown {
    outbox: Outbox,
    token: ProgressToken,
    state: Mutex<State>,
}

enum State {
    /// The client has not agreed yet. Holds the message of the end when the
    /// work was quicker.
    Asked(Option<String>),
    Open,
    Ended,
}

/// A token as text.
pub(crate) fn token_text(token: &ProgressToken) -> String {
    match token {
        ProgressToken::Number(number) => number.to_string(),
        ProgressToken::String(text) => text.clone(),
    }
}

impl Progress {
    /// Asks the client to show a piece of work under a token of ours.
    pub(crate) fn start(server: &Server, token: &str, title: &str, cancellable: bool) -> Self {
        if !server.session().client.work_done_progress() {
            return Self(None);
        }
        let shown = Arc::new(Shown {
            outbox: server.outbox().clone(),
            token: ProgressToken::String(token.to_owned()),
            state: Mutex::new(State::Asked(None)),
        });
        let asked = shown.outbox.request::<WorkDoneProgressCreate>(
            &WorkDoneProgressCreateParams {
                token: shown.token.clone(),
            },
            DEADLINE,
        );
        let agreed = shown.clone();
        let title = title.to_owned();
        server.runtime().spawn(async move {
            if asked.await.is_some() {
                agreed.begin(title, cancellable);
            }
        });
        Self(Some(shown))
    }

    /// Says how far the work is.
    pub(crate) fn report(&self, message: &str, percentage: u32) {
        let Some(shown) = &self.0 else { return };
        if matches!(*shown.lock(), State::Open) {
            shown.send(WorkDoneProgress::Report(WorkDoneProgressReport {
                cancellable: None,
                message: Some(message.to_owned()),
                percentage: Some(percentage),
            }));
        }
    }

    /// Says what the work came to. Gives back whether the client shows it.
    pub(crate) fn end(self, message: &str) -> bool {
        self.0.as_ref().is_some_and(|shown| shown.end(message))
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(shown) = &self.0 {
            shown.end("");
        }
    }
}

impl Shown {
    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(&self, title: String, cancellable: bool) {
        let mut state = self.lock();
        self.send(WorkDoneProgress::Begin(WorkDoneProgressBegin {
            title,
            cancellable: Some(cancellable),
            message: None,
            percentage: Some(0),
        }));
        match std::mem::replace(&mut *state, State::Open) {
            State::Asked(Some(message)) => {
                *state = State::Ended;
                self.send_end(message);
            }
            State::Asked(None) | State::Open | State::Ended => {}
        }
    }

    fn end(&self, message: &str) -> bool {
        let mut state = self.lock();
        match &*state {
            State::Asked(None) => *state = State::Asked(Some(message.to_owned())),
            State::Open => {
                *state = State::Ended;
                self.send_end(message.to_owned());
            }
            State::Asked(Some(_)) | State::Ended => {}
        }
        true
    }

    fn send_end(&self, message: String) {
        self.send(WorkDoneProgress::End(WorkDoneProgressEnd {
            message: (!message.is_empty()).then_some(message),
        }));
    }

    fn send(&self, value: WorkDoneProgress) {
        self.outbox.notify::<ProgressNotification>(&ProgressParams {
            token: self.token.clone(),
            value: ProgressParamsValue::WorkDone(value),
        });
    }
}
