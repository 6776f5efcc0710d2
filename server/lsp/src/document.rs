//! Open documents. One value is one version: it never changes, and whoever
//! works on it may keep it as long as it likes.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use asd_guard::FileReport;
use asd_syntax::Language;
use asd_text::{Document, Snapshot};
use tower_lsp_server::ls_types::Uri;

use crate::uri::{self, UriKey};

/// One version of an open document.
#[derive(Debug)]
pub struct OpenDocument {
    /// The URI as the client spelled it when it opened the document.
    pub uri: Uri,
    /// The same as a key.
    pub key: UriKey,
    /// The language as the client names it.
    pub language_id: String,
    /// The client's version number.
    pub version: i32,
    /// Unique among all versions of all documents of this run; what a result is
    /// compared by before it is published.
    pub serial: u64,
    /// The file's path as the client names it; `None` for an unsaved document.
    pub path: Option<PathBuf>,
    pub(crate) rope: Document,
    text: OnceLock<Snapshot>,
    language: OnceLock<Option<Language>>,
    report: Mutex<Option<CheckedBy>>,
}

/// A report with the rules that made it.
#[derive(Clone, Debug)]
struct CheckedBy {
    epoch: u64,
    report: Arc<FileReport>,
}

impl OpenDocument {
    /// A version made of a rope. Costs nothing until someone reads the text.
    #[must_use]
    pub(crate) fn new(
        uri: Uri,
        language_id: String,
        version: i32,
        serial: u64,
        rope: Document,
    ) -> Self {
        Self {
            key: UriKey::new(&uri),
            path: uri::to_path_of_cell(&uri),
            uri,
            language_id,
            version,
            serial,
            rope,
            text: OnceLock::new(),
            language: OnceLock::new(),
            report: Mutex::new(None),
        }
    }

    /// The version that follows this one.
    #[must_use]
    pub(crate) fn next(&self, version: i32, serial: u64, rope: Document) -> Self {
        Self {
            uri: self.uri.clone(),
            key: self.key.clone(),
            language_id: self.language_id.clone(),
            version,
            serial,
            path: self.path.clone(),
            rope,
            text: OnceLock::new(),
            language: OnceLock::new(),
            report: Mutex::new(None),
        }
    }

    /// The whole text with its lines.
    pub fn text(&self) -> &Snapshot {
        self.text.get_or_init(|| self.rope.snapshot())
    }

    /// The language that it is checked as; `None` for one that we do not know.
    pub fn language(&self) -> Option<Language> {
        *self.language.get_or_init(|| {
            let by_name = |path: &Path| Language::of_file(path, &self.text().text);
            // A header may be C, C++ or Objective-C; what it holds says more
            // than the name under which an editor files it.
            match &self.path {
                Some(path) if path.extension().is_some_and(|ext| ext == "h") => {
                    by_name(path).or_else(|| Language::from_id(&self.language_id))
                }
                Some(path) => Language::from_id(&self.language_id).or_else(|| by_name(path)),
                None => Language::from_id(&self.language_id),
            }
        })
    }

    /// The report of this version by the rules of that epoch.
    pub(crate) fn report(&self, epoch: u64) -> Option<Arc<FileReport>> {
        self.report
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .as_ref()
            .filter(|checked| checked.epoch == epoch)
            .map(|checked| checked.report.clone())
    }

    /// Keeps a report for the requests that follow.
    pub(crate) fn keep_report(&self, epoch: u64, report: Arc<FileReport>) {
        *self.report.lock().unwrap_or_else(PoisonError::into_inner) =
            Some(CheckedBy { epoch, report });
    }
}
