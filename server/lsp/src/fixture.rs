//! A project on disk with documents open in an editor, made from one string, for
//! the tests of handlers. See [`crate::fixture_text`] for its form.
//!
//! [`check`] runs a test under every encoding and two line endings. What a test
//! shows is written as the text that ranges cover, never as columns, so that one
//! expectation holds for all.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use asd_text::{Document, Encoding, LineEnding, Span, TextEdit, apply_edits};
use asd_workspace::ProjectState;
use expect_test::Expect;
use serde_json::{Value, json};
use tempfile::TempDir;
use tower_lsp_server::ls_types::{
    self, ClientCapabilities, CodeAction, CodeActionOrCommand, DocumentChangeOperation,
    DocumentChanges, Location, OneOf, Position, Range, ResourceOp, TextDocumentIdentifier,
    TextDocumentPositionParams, Uri, WorkspaceEdit,
};

use crate::document::OpenDocument;
use crate::fixture_text::FixtureText;
use crate::project::Project;
use crate::settings::{ClientFacts, Settings};
use crate::snapshot::{DocumentView, Parts, Snapshot};
use crate::uri::{self, UriKey};

/// A flag that is never set.
pub(crate) static GOES_ON: AtomicBool = AtomicBool::new(false);

/// A project with what is open in it.
pub(crate) struct World {
    folder: TempDir,
    /// What handlers answer from.
    pub snapshot: Snapshot,
    cursor: Option<(String, Span)>,
}

/// Runs `test` in a world under each encoding and line ending; all must say the
/// same, and what is expected.
pub(crate) fn check(fixture: &str, expected: &Expect, test: impl Fn(&World) -> String) {
    check_with(fixture, &full_client(), expected, test);
}

/// The same with a client that can do no more than it says.
pub(crate) fn check_with(
    fixture: &str,
    client: &Value,
    expected: &Expect,
    test: impl Fn(&World) -> String,
) {
    let mut first: Option<String> = None;
    for encoding in [Encoding::Utf16, Encoding::Utf8, Encoding::Utf32] {
        for ending in [LineEnding::Lf, LineEnding::CrLf] {
            let world = World::new(fixture, client, encoding, ending);
            let said = test(&world).replace('\r', "");
            match &first {
                None => first = Some(said),
                Some(first) => assert_eq!(first, &said, "differs under {encoding:?} {ending:?}"),
            }
        }
    }
    expected.assert_eq(&first.unwrap_or_default());
}

/// A client that can do everything that answers depend on.
pub(crate) fn full_client() -> Value {
    json!({
        "workspace": {
            "workspaceEdit": {
                "documentChanges": true,
                "resourceOperations": ["create", "rename", "delete"],
            },
            "symbol": { "resolveSupport": { "properties": ["location.range"] } },
        },
        "textDocument": {
            "hover": { "contentFormat": ["markdown", "plaintext"] },
            "codeAction": {
                "codeActionLiteralSupport": { "codeActionKind": { "valueSet": [] } },
                "dataSupport": true,
                "resolveSupport": { "properties": ["edit"] },
            },
            "documentSymbol": { "hierarchicalDocumentSymbolSupport": true },
            "completion": { "completionItem": { "documentationFormat": ["markdown"] } },
        },
        "experimental": { "commands": ["asd.showReferences"] },
    })
}

impl World {
    /// Writes the files and opens the documents.
    pub(crate) fn new(
        fixture: &str,
        client: &Value,
        encoding: Encoding,
        ending: LineEnding,
    ) -> Self {
        let fixture = FixtureText::parse(fixture, ending.as_str());
        let folder = tempfile::tempdir().expect("a temporary folder");
        for file in fixture.files.iter().filter(|file| !is_untitled(&file.path)) {
            let path = folder.path().join(&file.path);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(path, &file.text).expect("a file");
        }
        let settings = asd_workspace::Settings {
            user_config: None,
            ..asd_workspace::Settings::default()
        };
        let root_uri = uri::from_path(folder.path()).expect("a URI");
        let mut documents = BTreeMap::new();
        let mut overlays = BTreeMap::new();
        for (index, file) in fixture.files.iter().enumerate().filter(|(_, f)| f.open) {
            let uri = if is_untitled(&file.path) {
                file.path.parse().expect("a URI")
            } else {
                uri::below(&root_uri, &file.path).expect("a URI")
            };
            let serial = index as u64 + 1;
            overlays.insert(file.path.clone(), serial);
            let document = OpenDocument::new(
                uri.clone(),
                language_id(&file.path),
                7,
                serial,
                Document::new(&file.text),
            );
            documents.insert(UriKey::new(&uri), Arc::new(document));
        }
        let project = Project {
            uri: root_uri,
            root: folder.path().to_path_buf(),
            real_root: folder.path().canonicalize().expect("the folder exists"),
            state: ProjectState::load(folder.path(), &settings),
            epoch: 1,
            serial: 1,
            overlays,
            drift: Arc::default(),
            notes: Mutex::default(),
        };
        let capabilities: ClientCapabilities =
            serde_json::from_value(client.clone()).expect("capabilities");
        let project = Arc::new(project);
        let snapshot = Snapshot(Arc::new(Parts {
            encoding,
            client: Arc::new(ClientFacts { capabilities }),
            settings: Arc::new(Settings::default()),
            documents: Arc::new(documents),
            first: Some(project.clone()),
            projects: Arc::from([project]),
            loose: Arc::new(Project::built_in()),
        }));
        let cursor = fixture
            .cursor
            .map(|(index, span)| (fixture.files[index].path.clone(), span));
        Self {
            folder,
            snapshot,
            cursor,
        }
    }

    /// The project.
    pub(crate) fn project(&self) -> &Arc<Project> {
        &self.snapshot.projects()[0]
    }

    /// The URI of a file.
    pub(crate) fn uri(&self, path: &str) -> Uri {
        if is_untitled(path) {
            return path.parse().expect("a URI");
        }
        self.project().uri_of(path).expect("a URI")
    }

    /// The document with the cursor.
    pub(crate) fn view(&self) -> DocumentView {
        let (path, _) = self.cursor.as_ref().expect("a cursor");
        self.snapshot
            .document(&self.uri(path))
            .expect("an open document")
    }

    /// The selection.
    pub(crate) fn range(&self) -> Range {
        let (_, span) = self.cursor.as_ref().expect("a cursor");
        self.view().range(*span)
    }

    /// The document with the cursor, and the cursor in it.
    pub(crate) fn place(&self) -> TextDocumentPositionParams {
        TextDocumentPositionParams::new(self.identifier(), self.range().start)
    }

    /// The document with the cursor.
    pub(crate) fn identifier(&self) -> TextDocumentIdentifier {
        TextDocumentIdentifier::new(self.view().uri().clone())
    }

    /// Parameters of a request at the cursor, with more fields.
    pub(crate) fn params<P: serde::de::DeserializeOwned>(&self, more: &Value) -> P {
        let mut params = json!({
            "textDocument": self.identifier(),
            "position": self.range().start,
            "range": self.range(),
        });
        if let (Some(params), Some(more)) = (params.as_object_mut(), more.as_object()) {
            params.extend(more.clone());
        }
        serde_json::from_value(params).expect("parameters")
    }

    /// A path or text without the place of the temporary folder.
    pub(crate) fn clean(&self, text: &str) -> String {
        let uri = self.project().uri.as_str().to_owned();
        let path = self.folder.path().to_string_lossy().into_owned();
        text.replace(&uri, "file://").replace(&path, "")
    }

    fn text_of(&self, uri: &Uri) -> Option<(String, asd_text::Snapshot)> {
        if let Some(view) = self
            .snapshot
            .document(uri)
            .filter(|view| view.path.is_none())
        {
            return Some((uri.as_str().to_owned(), view.text().clone()));
        }
        let path = uri::to_path(uri)?;
        let relative = self.project().relative(&path)?;
        let text = self.snapshot.text_of(self.project(), &relative)?;
        Some((relative, text))
    }

    /// A place as its file, line and text.
    pub(crate) fn location(&self, location: &Location) -> String {
        let Some((path, text)) = self.text_of(&location.uri) else {
            return format!("{} ?", self.clean(location.uri.as_str()));
        };
        let span = text.span(
            crate::snapshot::from_range(location.range),
            self.snapshot.encoding(),
        );
        format!(
            "{path}:{} {:?}",
            location.range.start.line + 1,
            span.of(&text.text).replace('\r', "")
        )
    }

    /// The files that an edit changes, as they are afterwards.
    pub(crate) fn apply(&self, edit: &WorkspaceEdit) -> String {
        let mut files: BTreeMap<String, String> = BTreeMap::new();
        let mut notes = String::new();
        match (&edit.document_changes, &edit.changes) {
            (Some(DocumentChanges::Edits(edits)), _) => {
                for edit in edits {
                    self.apply_one(&mut files, &mut notes, edit);
                }
            }
            (Some(DocumentChanges::Operations(operations)), _) => {
                for operation in operations {
                    match operation {
                        DocumentChangeOperation::Edit(edit) => {
                            self.apply_one(&mut files, &mut notes, edit);
                        }
                        DocumentChangeOperation::Op(ResourceOp::Create(create)) => {
                            let path = self.relative(&create.uri);
                            let _ = writeln!(notes, "create /{path}");
                            files.insert(path, String::new());
                        }
                        DocumentChangeOperation::Op(ResourceOp::Rename(rename)) => {
                            let (from, to) = (
                                self.relative(&rename.old_uri),
                                self.relative(&rename.new_uri),
                            );
                            let _ = writeln!(notes, "rename /{from} -> /{to}");
                        }
                        DocumentChangeOperation::Op(ResourceOp::Delete(delete)) => {
                            let _ = writeln!(notes, "delete /{}", self.relative(&delete.uri));
                        }
                    }
                }
            }
            (None, Some(changes)) => {
                let sorted: BTreeMap<_, _> = changes.iter().collect();
                for (uri, edits) in sorted {
                    self.apply_edits(&mut files, uri, edits);
                }
                notes.push_str("unversioned\n");
            }
            (None, None) => notes.push_str("nothing\n"),
        }
        for (path, text) in files {
            let _ = write!(notes, "//- /{path}\n{text}");
            if !notes.ends_with('\n') {
                notes.push('\n');
            }
        }
        notes
    }

    fn relative(&self, uri: &Uri) -> String {
        let Some(path) = uri::to_path(uri) else {
            return uri.as_str().to_owned();
        };
        self.project()
            .relative(Path::new(&path))
            .expect("a file of the project")
    }

    fn apply_one(
        &self,
        files: &mut BTreeMap<String, String>,
        notes: &mut String,
        edit: &ls_types::TextDocumentEdit,
    ) {
        let uri = &edit.text_document.uri;
        let open = self.snapshot.document(uri).map(|view| view.version());
        if open != edit.text_document.version {
            let _ = writeln!(notes, "wrong version {:?}", edit.text_document.version);
        }
        let edits: Vec<ls_types::TextEdit> = edit
            .edits
            .iter()
            .map(|edit| match edit {
                OneOf::Left(edit) => edit.clone(),
                OneOf::Right(annotated) => annotated.text_edit.clone(),
            })
            .collect();
        self.apply_edits(files, uri, &edits);
    }

    fn apply_edits(
        &self,
        files: &mut BTreeMap<String, String>,
        uri: &Uri,
        edits: &[ls_types::TextEdit],
    ) {
        let path = self.relative(uri);
        let text = match files.get(&path) {
            Some(text) => asd_text::Snapshot::new(text),
            None => self.text_of(uri).expect("a file of the fixture").1,
        };
        let spans: Vec<TextEdit> = edits
            .iter()
            .map(|edit| {
                let range = crate::snapshot::from_range(edit.range);
                let span = text.span(range, self.snapshot.encoding());
                TextEdit::replace(span, edit.new_text.clone())
            })
            .collect();
        let new = apply_edits(&text.text, &spans).expect("edits without overlap");
        // Line endings must not get mixed by an edit.
        if text.text.contains('\n') {
            let crlf = text.text.contains("\r\n");
            let mixed = new
                .replace("\r\n", "")
                .contains(if crlf { '\n' } else { '\r' });
            assert!(!mixed, "{path} has mixed line endings: {new:?}");
        }
        files.insert(path, new);
    }

    /// The code actions at the selection.
    pub(crate) fn actions(&self, context: &Value) -> Vec<CodeAction> {
        let mut whole = json!({ "diagnostics": [] });
        if let (Some(whole), Some(context)) = (whole.as_object_mut(), context.as_object()) {
            whole.extend(context.clone());
        }
        let params = self.params(&json!({ "context": whole }));
        crate::handlers::code_action::code_action(&self.snapshot, params, &GOES_ON)
            .expect("actions")
            .unwrap_or_default()
            .into_iter()
            .map(|action| match action {
                CodeActionOrCommand::CodeAction(action) => action,
                CodeActionOrCommand::Command(_) => panic!("commands are not expected"),
            })
            .collect()
    }

    /// An action as a client has it before it is applied.
    pub(crate) fn resolved(&self, action: &CodeAction) -> CodeAction {
        if action.edit.is_some() {
            return action.clone();
        }
        crate::handlers::code_action::resolve(&self.snapshot, action.clone(), &GOES_ON)
            .expect("resolved")
    }

    /// The titles of the actions at the selection, one a line.
    pub(crate) fn titles(&self, context: &Value) -> String {
        let mut titles = String::new();
        for action in self.actions(context) {
            let kind = action.kind.as_ref().map_or("", |kind| kind.as_str());
            let preferred = if action.is_preferred == Some(true) {
                " *"
            } else {
                ""
            };
            let _ = writeln!(titles, "{kind}: {}{preferred}", action.title);
        }
        titles
    }

    /// What the action of that title does.
    pub(crate) fn act(&self, title: &str) -> String {
        let actions = self.actions(&json!({}));
        let Some(action) = actions
            .iter()
            .find(|action| action.title.starts_with(title))
        else {
            return format!("no action {title}\n");
        };
        match self.resolved(action).edit {
            Some(edit) => self.apply(&edit),
            None => "no edit\n".to_owned(),
        }
    }

    /// A position that is out of any text.
    pub(crate) fn far_away(&self) -> [Position; 3] {
        [
            Position::new(0, 9_999),
            Position::new(9_999, 0),
            Position::new(u32::MAX, u32::MAX),
        ]
    }
}

fn is_untitled(path: &str) -> bool {
    path.starts_with("untitled:")
}

fn language_id(path: &str) -> String {
    match path.rsplit('.').next() {
        Some("md") => "markdown",
        Some("ts") => "typescript",
        _ if is_untitled(path) => "typescript",
        Some("tsx") => "typescriptreact",
        Some("swift") => "swift",
        Some("py") => "python",
        Some("vue") => "vue",
        Some("json") => "json",
        Some("toml") => "toml",
        _ => "plaintext",
    }
    .to_owned()
}
