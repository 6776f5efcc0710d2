//! Edits as the client at hand can take them: versioned document changes and
//! file operations where they are supported, plain changes elsewhere.

use std::collections::HashMap;

use tower_lsp_server::ls_types::{
    ClientCapabilities, CreateFile, CreateFileOptions, DocumentChangeOperation, DocumentChanges,
    OneOf, OptionalVersionedTextDocumentIdentifier, RenameFile, RenameFileOptions, ResourceOp,
    ResourceOperationKind, TextDocumentEdit, TextEdit, Uri, WorkspaceEdit,
};

/// What a client can do with an edit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct EditSupport {
    /// `documentChanges`, with versions.
    pub document_changes: bool,
    /// Creating files.
    pub create: bool,
    /// Renaming files.
    pub rename: bool,
}

impl EditSupport {
    /// What the client declared.
    pub(crate) fn of(capabilities: &ClientCapabilities) -> Self {
        let edit = capabilities
            .workspace
            .as_ref()
            .and_then(|workspace| workspace.workspace_edit.as_ref());
        let operations = edit.and_then(|edit| edit.resource_operations.as_ref());
        // Operations on files exist only among document changes, and Neovim
        // declares them alone.
        let document_changes = edit.is_some_and(|edit| edit.document_changes == Some(true))
            || operations.is_some_and(|kinds| !kinds.is_empty());
        let operation = |kind| operations.is_some_and(|kinds| kinds.contains(&kind));
        Self {
            document_changes,
            create: operation(ResourceOperationKind::Create),
            rename: operation(ResourceOperationKind::Rename),
        }
    }
}

/// Collects what is to be done, in order, and writes it as one edit.
#[derive(Debug, Default)]
pub(crate) struct EditBuilder {
    steps: Vec<Step>,
}

#[derive(Debug)]
enum Step {
    Edit {
        uri: Uri,
        version: Option<i32>,
        edits: Vec<TextEdit>,
    },
    Create(Uri),
    Rename(Uri, Uri),
}

impl EditBuilder {
    /// Adds edits of one document. `version` is that of the open document for
    /// which they were made, `None` for a file that is not open.
    pub(crate) fn edit(mut self, uri: Uri, version: Option<i32>, edits: Vec<TextEdit>) -> Self {
        if !edits.is_empty() {
            self.steps.push(Step::Edit {
                uri,
                version,
                edits,
            });
        }
        self
    }

    /// Adds the creation of an empty file.
    pub(crate) fn create(mut self, uri: Uri) -> Self {
        self.steps.push(Step::Create(uri));
        self
    }

    /// Adds the renaming of a file.
    pub(crate) fn rename(mut self, from: Uri, to: Uri) -> Self {
        self.steps.push(Step::Rename(from, to));
        self
    }

    /// The whole as the client can take it. File operations that it cannot take
    /// are left out; whoever offers them asks [`EditSupport`] first.
    pub(crate) fn build(self, support: EditSupport) -> WorkspaceEdit {
        if support.document_changes {
            return WorkspaceEdit {
                document_changes: Some(document_changes(self.steps, support)),
                ..WorkspaceEdit::default()
            };
        }
        let mut changes: HashMap<Uri, Vec<TextEdit>> = HashMap::new();
        for step in self.steps {
            if let Step::Edit { uri, edits, .. } = step {
                changes.entry(uri).or_default().extend(edits);
            }
        }
        WorkspaceEdit {
            changes: Some(changes),
            ..WorkspaceEdit::default()
        }
    }
}

fn document_changes(steps: Vec<Step>, support: EditSupport) -> DocumentChanges {
    let with_operations = steps
        .iter()
        .any(|step| matches!(step, Step::Create(_) | Step::Rename(..)));
    let changes: Vec<DocumentChangeOperation> = steps
        .into_iter()
        .filter_map(|step| match step {
            Step::Edit {
                uri,
                version,
                edits,
            } => Some(DocumentChangeOperation::Edit(TextDocumentEdit {
                text_document: OptionalVersionedTextDocumentIdentifier { uri, version },
                edits: edits.into_iter().map(OneOf::Left).collect(),
            })),
            Step::Create(uri) => support.create.then_some({
                DocumentChangeOperation::Op(ResourceOp::Create(CreateFile {
                    uri,
                    options: Some(CreateFileOptions {
                        overwrite: Some(false),
                        ignore_if_exists: Some(false),
                    }),
                    annotation_id: None,
                }))
            }),
            Step::Rename(old_uri, new_uri) => support.rename.then_some({
                DocumentChangeOperation::Op(ResourceOp::Rename(RenameFile {
                    old_uri,
                    new_uri,
                    options: Some(RenameFileOptions {
                        overwrite: Some(false),
                        ignore_if_exists: Some(false),
                    }),
                    annotation_id: None,
                }))
            }),
        })
        .collect();
    if with_operations {
        return DocumentChanges::Operations(changes);
    }
    DocumentChanges::Edits(
        changes
            .into_iter()
            .filter_map(|change| match change {
                DocumentChangeOperation::Edit(edit) => Some(edit),
                DocumentChangeOperation::Op(_) => None,
            })
            .collect(),
    )
}
