//! What a request is answered from: the documents, projects and settings of one
//! moment. A snapshot is taken in wire order and never changes.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use asd_guard::{FileReport, Target};
use asd_syntax::Language;
use asd_text::{Encoding, PositionRange, Span};
use tower_lsp_server::jsonrpc;
use tower_lsp_server::ls_types::{Position, Range, Uri};

use crate::document::OpenDocument;
use crate::project::{self, Project};
use crate::settings::{ClientFacts, Settings};
use crate::uri::{self, UriKey};

/// Documents, projects and settings of one moment. Cloning is cheap.
#[derive(Clone)]
pub struct Snapshot(pub(crate) Arc<Parts>);

/// The parts of a [`Snapshot`].
pub(crate) struct Parts {
    pub(crate) encoding: Encoding,
    pub(crate) client: Arc<ClientFacts>,
    pub(crate) settings: Arc<Settings>,
    pub(crate) documents: Arc<BTreeMap<UriKey, Arc<OpenDocument>>>,
    /// Innermost folders first.
    pub(crate) projects: Arc<[Arc<Project>]>,
    /// The folder whose rules apply to unsaved documents: the client's first.
    pub(crate) first: Option<Arc<Project>>,
    /// The built-in rules, for documents outside of all folders.
    pub(crate) loose: Arc<Project>,
}

/// A document as a handler sees it.
#[derive(Clone)]
pub struct DocumentView {
    /// The document at one version.
    pub document: Arc<OpenDocument>,
    /// The innermost folder that holds it, for an unsaved document the first;
    /// the built-in rules alone when there is none.
    pub project: Arc<Project>,
    /// Project-relative path with `/`; `None` outside of all folders and for
    /// unsaved documents.
    pub path: Option<String>,
    encoding: Encoding,
}

impl Snapshot {
    /// The unit of columns that was agreed with the client.
    #[must_use]
    pub fn encoding(&self) -> Encoding {
        self.0.encoding
    }

    /// What the client can do.
    #[must_use]
    pub fn client(&self) -> &ClientFacts {
        &self.0.client
    }

    /// The client's settings.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.0.settings
    }

    /// The open document of a URI, however the URI is spelled.
    #[must_use]
    pub fn document(&self, uri: &Uri) -> Option<DocumentView> {
        self.0
            .documents
            .get(&UriKey::new(uri))
            .map(|document| self.view(document))
    }

    /// All open documents, by their URIs.
    pub fn documents(&self) -> impl Iterator<Item = DocumentView> + '_ {
        self.0
            .documents
            .values()
            .map(|document| self.view(document))
    }

    /// All loaded folders, innermost first.
    #[must_use]
    pub fn projects(&self) -> &[Arc<Project>] {
        &self.0.projects
    }

    /// The innermost folder that holds a file, else one whose settings name the
    /// folder of recipes that holds it.
    #[must_use]
    pub fn project_of(&self, path: &Path) -> Option<&Arc<Project>> {
        let projects = &self.0.projects;
        projects
            .iter()
            .find(|project| project.holds(path))
            .or_else(|| {
                projects
                    .iter()
                    .find(|project| project.relative(path).is_some())
            })
    }

    /// The open document of a file of a project, however it was opened.
    #[must_use]
    pub fn document_at(&self, project: &Project, relative: &str) -> Option<DocumentView> {
        if let Some(view) = project.uri_of(relative).and_then(|uri| self.document(&uri)) {
            return Some(view);
        }
        let document = self.0.documents.values().find(|document| {
            uri::scheme(&document.uri) == "file"
                && document
                    .path
                    .as_deref()
                    .and_then(|path| project.relative(path))
                    .is_some_and(|path| path == relative)
        })?;
        Some(self.view(document))
    }

    /// The URI of a file of a project: as the client opened it, else in the
    /// spelling of the folder.
    #[must_use]
    pub fn uri_of(&self, project: &Project, relative: &str) -> Option<Uri> {
        match self.document_at(project, relative) {
            Some(view) => Some(view.document.uri.clone()),
            None => project.uri_of(relative),
        }
    }

    /// The text of a file of a project: the open document, else the disk.
    #[must_use]
    pub fn text_of(&self, project: &Project, relative: &str) -> Option<asd_text::Snapshot> {
        if let Some(view) = self.document_at(project, relative) {
            return Some(view.text().clone());
        }
        let bytes = std::fs::read(project.root.join(relative)).ok()?;
        let decoded = asd_text::decode(bytes).ok()?;
        Some(asd_text::Snapshot::new(&decoded.text))
    }

    /// A range of another text than an open document's.
    #[must_use]
    pub fn range(&self, text: &asd_text::Snapshot, span: Span) -> Range {
        to_range(text, span, self.0.encoding)
    }

    pub(crate) fn view(&self, document: &Arc<OpenDocument>) -> DocumentView {
        let found = document.path.as_deref().and_then(|path| {
            let project = self.project_of(path)?;
            Some((project, project.relative(path)?))
        });
        let (project, path) = match found {
            Some((project, path)) => (project.clone(), Some(path)),
            None => {
                let first = self.0.first.as_ref().filter(|_| document.path.is_none());
                (first.unwrap_or(&self.0.loose).clone(), None)
            }
        };
        DocumentView {
            document: document.clone(),
            project,
            path,
            encoding: self.0.encoding,
        }
    }
}

impl DocumentView {
    /// The URI as the client opened it.
    #[must_use]
    pub fn uri(&self) -> &Uri {
        &self.document.uri
    }

    /// The client's version number.
    #[must_use]
    pub fn version(&self) -> i32 {
        self.document.version
    }

    /// The whole text with its lines.
    #[must_use]
    pub fn text(&self) -> &asd_text::Snapshot {
        self.document.text()
    }

    /// The language that it is checked as.
    #[must_use]
    pub fn language(&self) -> Option<Language> {
        self.document.language()
    }

    /// The protocol's range of a span of this text.
    #[must_use]
    pub fn range(&self, span: Span) -> Range {
        to_range(self.text(), span, self.encoding)
    }

    /// The protocol's position of a byte offset.
    #[must_use]
    pub fn position(&self, offset: usize) -> Position {
        let position = self.text().position(offset, self.encoding);
        Position::new(position.line, position.character)
    }

    /// The byte offset of a position, clamped.
    #[must_use]
    pub fn offset(&self, position: Position) -> usize {
        self.text().offset(from_position(position), self.encoding)
    }

    /// The span of a range, clamped.
    #[must_use]
    pub fn span(&self, range: Range) -> Span {
        self.text().span(from_range(range), self.encoding)
    }

    /// What the guards say of this version: the report that was published for
    /// it, or one made now.
    ///
    /// # Errors
    /// `RequestCancelled` soon after `cancel` was set.
    pub fn report(&self, cancel: &AtomicBool) -> Result<Arc<FileReport>, jsonrpc::Error> {
        if let Some(report) = self.document.report(self.project.epoch) {
            return Ok(report);
        }
        // The examples in a recipe are meant to break rules.
        let is_knowledge = self.path.as_deref().is_some_and(project::is_knowledge);
        let Some(language) = self.language().filter(|_| !is_knowledge) else {
            return Ok(Arc::default());
        };
        let target = Target {
            path: self.path.as_deref(),
            text: &self.text().text,
            language,
            previous: None,
        };
        let report = Arc::new(
            self.project
                .state
                .check_text(&target, cancel)
                .map_err(|_| jsonrpc::Error::request_cancelled())?,
        );
        self.document
            .keep_report(self.project.epoch, report.clone());
        Ok(report)
    }
}

/// The protocol's range of a span.
#[must_use]
pub fn to_range(text: &asd_text::Snapshot, span: Span, encoding: Encoding) -> Range {
    let range = text.range(span, encoding);
    Range::new(
        Position::new(range.start.line, range.start.character),
        Position::new(range.end.line, range.end.character),
    )
}

/// Our position of the protocol's.
#[must_use]
pub fn from_position(position: Position) -> asd_text::Position {
    asd_text::Position::new(position.line, position.character)
}

/// Our range of the protocol's.
#[must_use]
pub fn from_range(range: Range) -> PositionRange {
    PositionRange {
        start: from_position(range.start),
        end: from_position(range.end),
    }
}
