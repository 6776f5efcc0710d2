//! What the client may set: `initializationOptions`, the section `asd` of its
//! configuration, and what it declares to be able to do.

use asd_guard::SourceFilter;
use serde_json::Value;
use tower_lsp_server::ls_types::{ClientCapabilities, MarkupKind};

/// The client's settings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// Whether the client wants `asd/status` notifications.
    pub status_notifications: bool,
    /// Whether the person trusts the project. Where they do not, only the
    /// built-in rules check anything; recipes are shown and no more.
    pub trusted: Option<bool>,
    /// What has the keys of a project's `config.toml` and goes over it.
    pub project: Value,
}

/// Settings of the clients themselves, which their extensions read and send
/// along.
const OF_CLIENTS: &[&str] = &["enable", "path", "trace", "logLevel", "server"];

impl Settings {
    /// Whose rules may run.
    #[must_use]
    pub fn sources(&self) -> SourceFilter {
        if self.trusted == Some(false) {
            SourceFilter::BuiltIn
        } else {
            SourceFilter::All
        }
    }

    /// Reads what a client sent. Anything that cannot be used is left out and
    /// named in the second value, one sentence each.
    #[must_use]
    pub fn read(value: &Value) -> (Self, Vec<String>) {
        let Some(object) = value.as_object() else {
            let complaint = (!value.is_null()).then(|| {
                "The settings of asd must be an object; the defaults are used.".to_owned()
            });
            return (Self::default(), complaint.into_iter().collect());
        };
        // Clients send either the section itself or an object that holds it.
        if let Some(section) = object.get("asd") {
            return Self::read(section);
        }
        let mut settings = Self::default();
        let mut complaints = Vec::new();
        let mut project = object.clone();
        let mut flag = |name: &str| match project.remove(name) {
            None | Some(Value::Null) => None,
            Some(Value::Bool(on)) => Some(on),
            Some(other) => {
                complaints.push(format!(
                    "The setting asd.{name} must be true or false, not {other}; it is ignored."
                ));
                None
            }
        };
        settings.status_notifications = flag("statusNotifications").unwrap_or_default();
        settings.trusted = flag("trusted");
        for name in OF_CLIENTS {
            project.remove(*name);
        }
        // A client that knows a setting and leaves it alone sends null.
        project.retain(|_, value| !value.is_null());
        if !project.is_empty() {
            settings.project = Value::Object(project);
        }
        (settings, complaints)
    }
}

/// What the client can do, as far as answers depend on it.
#[derive(Clone, Debug, Default)]
pub struct ClientFacts {
    /// Everything that it declared.
    pub capabilities: ClientCapabilities,
}

impl ClientFacts {
    /// Whether edits may be sent as versioned `documentChanges`.
    #[must_use]
    pub fn document_changes(&self) -> bool {
        self.workspace_edit()
            .and_then(|edit| edit.document_changes)
            .unwrap_or(false)
    }

    /// Whether an edit may create, rename and delete files.
    #[must_use]
    pub fn resource_operations(&self) -> bool {
        use tower_lsp_server::ls_types::ResourceOperationKind as Kind;
        self.workspace_edit()
            .and_then(|edit| edit.resource_operations.as_ref())
            .is_some_and(|kinds| kinds.contains(&Kind::Create) && kinds.contains(&Kind::Rename))
    }

    /// Whether edits may carry annotations.
    #[must_use]
    pub fn change_annotations(&self) -> bool {
        self.workspace_edit()
            .is_some_and(|edit| edit.change_annotation_support.is_some())
    }

    fn workspace_edit(
        &self,
    ) -> Option<&tower_lsp_server::ls_types::WorkspaceEditClientCapabilities> {
        self.capabilities
            .workspace
            .as_ref()
            .and_then(|workspace| workspace.workspace_edit.as_ref())
    }

    fn code_action(&self) -> Option<&tower_lsp_server::ls_types::CodeActionClientCapabilities> {
        self.capabilities
            .text_document
            .as_ref()
            .and_then(|text| text.code_action.as_ref())
    }

    /// Whether the client takes code actions, and not only commands.
    #[must_use]
    pub fn code_action_literals(&self) -> bool {
        self.code_action()
            .is_some_and(|action| action.code_action_literal_support.is_some())
    }

    /// Whether a code action's `edit` may be resolved later.
    #[must_use]
    pub fn resolves_edit(&self) -> bool {
        let Some(action) = self.code_action() else {
            return false;
        };
        action.data_support.unwrap_or(false)
            && action
                .resolve_support
                .as_ref()
                .is_some_and(|support| support.properties.iter().any(|name| name == "edit"))
    }

    /// Whether a code action may be returned disabled.
    #[must_use]
    pub fn disabled_actions(&self) -> bool {
        self.code_action()
            .and_then(|action| action.disabled_support)
            .unwrap_or(false)
    }

    /// Whether hovers may be Markdown.
    #[must_use]
    pub fn markdown_hover(&self) -> bool {
        self.capabilities
            .text_document
            .as_ref()
            .and_then(|text| text.hover.as_ref())
            .and_then(|hover| hover.content_format.as_ref())
            .is_none_or(|formats| formats.contains(&MarkupKind::Markdown))
    }

    /// Whether a definition may be a link with its origin.
    #[must_use]
    pub fn definition_links(&self) -> bool {
        self.capabilities
            .text_document
            .as_ref()
            .and_then(|text| text.definition.as_ref())
            .and_then(|definition| definition.link_support)
            .unwrap_or(false)
    }

    /// Whether document symbols may be a tree.
    #[must_use]
    pub fn symbol_trees(&self) -> bool {
        self.capabilities
            .text_document
            .as_ref()
            .and_then(|text| text.document_symbol.as_ref())
            .and_then(|symbols| symbols.hierarchical_document_symbol_support)
            .unwrap_or(false)
    }

    /// Whether completion items may be snippets.
    #[must_use]
    pub fn completion_snippets(&self) -> bool {
        self.capabilities
            .text_document
            .as_ref()
            .and_then(|text| text.completion.as_ref())
            .and_then(|completion| completion.completion_item.as_ref())
            .and_then(|item| item.snippet_support)
            .unwrap_or(false)
    }

    /// Whether the server may make progress reports of its own.
    #[must_use]
    pub fn work_done_progress(&self) -> bool {
        self.window()
            .and_then(|window| window.work_done_progress)
            .unwrap_or(false)
    }

    /// Whether the client shows documents on request.
    #[must_use]
    pub fn show_document(&self) -> bool {
        self.window()
            .and_then(|window| window.show_document.as_ref())
            .is_some_and(|show| show.support)
    }

    fn window(&self) -> Option<&tower_lsp_server::ls_types::WindowClientCapabilities> {
        self.capabilities.window.as_ref()
    }

    /// Whether the client answers `workspace/configuration`.
    #[must_use]
    pub fn configuration(&self) -> bool {
        self.capabilities
            .workspace
            .as_ref()
            .and_then(|workspace| workspace.configuration)
            .unwrap_or(false)
    }

    /// Whether the client watches files for us, also below a folder that it
    /// names by a relative pattern.
    #[must_use]
    pub fn watches_files(&self) -> bool {
        self.capabilities
            .workspace
            .as_ref()
            .and_then(|workspace| workspace.did_change_watched_files.as_ref())
            .is_some_and(|watch| {
                watch.dynamic_registration.unwrap_or(false)
                    && watch.relative_pattern_support.unwrap_or(false)
            })
    }

    /// Whether a diagnostic may name related places.
    #[must_use]
    pub fn related_information(&self) -> bool {
        self.publish()
            .and_then(|publish| publish.related_information)
            .unwrap_or(false)
    }

    /// Whether a diagnostic's code may be a link.
    #[must_use]
    pub fn code_description(&self) -> bool {
        self.publish()
            .and_then(|publish| publish.code_description_support)
            .unwrap_or(false)
    }

    fn publish(&self) -> Option<&tower_lsp_server::ls_types::PublishDiagnosticsClientCapabilities> {
        self.capabilities
            .text_document
            .as_ref()
            .and_then(|text| text.publish_diagnostics.as_ref())
    }

    /// Whether the client asked for `asd/status` notifications.
    #[must_use]
    pub fn asd_status(&self) -> bool {
        self.capabilities
            .experimental
            .as_ref()
            .and_then(|experimental| experimental.get("asdStatus"))
            .and_then(Value::as_bool)
            .unwrap_or(false)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn nothing_and_null_are_the_defaults() {
        for value in [json!(null), json!({}), json!({"asd": {}})] {
            assert_eq!(Settings::read(&value), (Settings::default(), Vec::new()));
        }
    }

    #[test]
    fn what_the_project_decides_is_handed_on() {
        let (settings, complaints) = Settings::read(&json!({
            "asd": {"guard": {"showUncertain": true}, "path": "/x", "trusted": false, "files": null}
        }));
        assert_eq!(settings.project, json!({"guard": {"showUncertain": true}}));
        assert_eq!(settings.trusted, Some(false));
        assert_eq!(complaints, Vec::<String>::new());
    }

    #[test]
    fn a_wrong_type_is_said_and_ignored() {
        let (settings, complaints) = Settings::read(&json!({"statusNotifications": "yes"}));
        assert_eq!(settings, Settings::default());
        assert_eq!(complaints.len(), 1);
    }
}
