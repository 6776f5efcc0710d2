//! Roles, rules and capabilities: the built-in ones, and those that a project
//! states in `Alembic/constitution.yaml`.

use asd_recipe::{Problem, ProblemCode, Severity, YamlEntry, YamlNode, read_yaml};
use asd_text::Span;
use indexmap::IndexMap;
use serde::Serialize;

/// What a role may do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Role {
    /// Its permissions: `*`, `verb:object` in either order, `verb:*`,
    /// `*:object`, `verb:object:self`.
    pub permissions: Vec<String>,
    /// The capabilities that its writing needs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub requires: Vec<Capability>,
}

/// Something that must be possible before a role may write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Capability {
    /// The knowledge folder may be written and committed.
    GitWrite,
}

impl Capability {
    /// Its name in the file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::GitWrite => "git_write",
        }
    }
}

/// A rule that holds whatever a role permits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// What takes something away needs `confirmed: true`.
    DestructiveConfirm,
    /// Creating an entry needs something to create it from.
    ContentRequired,
    /// Agents submit candidates; people decide.
    AiNoDirectRecipe,
    /// What works on several things needs `authorized: true`.
    BatchAuthorized,
}

impl Rule {
    /// Every rule, in the order in which they are asked.
    pub const ALL: [Self; 4] = [
        Self::DestructiveConfirm,
        Self::ContentRequired,
        Self::AiNoDirectRecipe,
        Self::BatchAuthorized,
    ];

    /// Its name in the file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::DestructiveConfirm => "destructive_confirm",
            Self::ContentRequired => "content_required",
            Self::AiNoDirectRecipe => "ai_no_direct_recipe",
            Self::BatchAuthorized => "batch_authorized",
        }
    }

    /// The rule of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|rule| rule.name() == name)
    }
}

/// Who may do what in a project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Constitution {
    /// Always 3.
    pub version: u32,
    /// By name.
    pub roles: IndexMap<String, Role>,
    /// The rules that are in force.
    pub rules: Vec<Rule>,
    /// The roles that are agents, for [`Rule::AiNoDirectRecipe`].
    pub agents: Vec<String>,
}

/// The file that a new project gets; it says what [`Constitution::default`]
/// says.
pub const DEFAULT_CONSTITUTION: &str = include_str!("constitution.yaml");

impl Default for Constitution {
    fn default() -> Self {
        // The file is part of the program, and a test reads it without a word.
        Self::read(DEFAULT_CONSTITUTION).0
    }
}

impl Constitution {
    /// The role of that name.
    #[must_use]
    pub fn role(&self, name: &str) -> Option<&Role> {
        self.roles.get(name)
    }

    /// Reads a file. What cannot be read is reported at its place, and is as
    /// strict as it can be: a role that cannot be read permits nothing, a rule
    /// is in force unless it is plainly turned off. A file without `roles` or
    /// `rules` has the built-in ones.
    #[must_use]
    pub fn read(text: &str) -> (Self, Vec<Problem>) {
        let (root, problems) = read_yaml(text);
        let mut reader = Reader { problems };
        let mut constitution = Self {
            version: 3,
            roles: IndexMap::new(),
            rules: Rule::ALL.to_vec(),
            agents: vec!["external_agent".into(), "chat_agent".into()],
        };
        let entries = root.as_ref().and_then(YamlNode::entries);
        let mut states_roles = false;
        for entry in entries.into_iter().flatten() {
            match entry.key.as_str() {
                "version" => reader.version(&entry),
                "capabilities" => reader.capabilities(&entry),
                "rules" => reader.rules(&entry, &mut constitution),
                "roles" => {
                    states_roles = true;
                    constitution.roles = reader.roles(&entry);
                }
                other => reader.warn(
                    entry.key_span,
                    format!("`{other}` is not known here; known are version, capabilities, rules and roles."),
                ),
            }
        }
        if !states_roles && text != DEFAULT_CONSTITUTION {
            constitution.roles = Self::default().roles;
        }
        (constitution, reader.problems)
    }
}

struct Reader {
    problems: Vec<Problem>,
}

impl Reader {
    fn report(&mut self, span: Span, severity: Severity, message: impl Into<String>) {
        self.problems.push(Problem {
            span,
            severity,
            code: ProblemCode::Config,
            message: message.into(),
            fix: None,
        });
    }

    fn warn(&mut self, span: Span, message: impl Into<String>) {
        self.report(span, Severity::Warning, message);
    }

    fn error(&mut self, span: Span, message: impl Into<String>) {
        self.report(span, Severity::Error, message);
    }

    fn version(&mut self, entry: &YamlEntry) {
        if entry.value.text() != Some("3") {
            self.warn(
                entry.value.span(),
                "This program reads version 3; what differs is reported where it stands.",
            );
        }
    }

    /// The things of a section, whether they stand as a mapping by name or as a
    /// list of mappings with an `id` or `name`.
    fn named(&mut self, entry: &YamlEntry) -> Vec<(String, Span, YamlNode)> {
        if let Some(entries) = entry.value.entries() {
            let named = entries.into_iter();
            return named
                .map(|one| (one.key, one.key_span, one.value))
                .collect();
        }
        let Some(items) = entry.value.items() else {
            self.error(
                entry.value.span(),
                format!(
                    "`{}` must be a mapping or a list, not {}.",
                    entry.key,
                    entry.value.type_name()
                ),
            );
            return Vec::new();
        };
        let mut named = Vec::new();
        for item in items {
            let id = item.entries().and_then(|entries| {
                let mut entries = entries.into_iter();
                entries.find(|entry| matches!(entry.key.as_str(), "id" | "name"))
            });
            match (id, item.text()) {
                (Some(id), _) => {
                    let name = id.value.text().unwrap_or_default().to_owned();
                    named.push((name, id.value.span(), item));
                }
                (None, Some(name)) => named.push((name.to_owned(), item.span(), item.clone())),
                (None, None) => {
                    self.error(item.span(), "This entry has no `id`.");
                }
            }
        }
        named
    }

    fn capabilities(&mut self, entry: &YamlEntry) {
        for (name, span, _) in self.named(entry) {
            if name != Capability::GitWrite.name() {
                self.warn(
                    span,
                    format!("`{name}` is not a known capability; known is git_write."),
                );
            }
        }
    }

    fn rules(&mut self, entry: &YamlEntry, constitution: &mut Constitution) {
        for (name, span, value) in self.named(entry) {
            let Some(rule) = Rule::from_name(&name) else {
                let known: Vec<&str> = Rule::ALL.iter().map(|rule| rule.name()).collect();
                self.error(
                    span,
                    format!(
                        "`{name}` is not a known rule; known are {}.",
                        known.join(", ")
                    ),
                );
                continue;
            };
            for option in value.entries().into_iter().flatten() {
                match option.key.as_str() {
                    "enabled" => match option.value.text() {
                        Some("false") => constitution.rules.retain(|known| *known != rule),
                        Some("true") => {}
                        _ => self.error(option.value.span(), "`enabled` is true or false."),
                    },
                    "actors" if rule == Rule::AiNoDirectRecipe => {
                        let actors = self.texts(&option);
                        if !actors.is_empty() {
                            constitution.agents = actors;
                        }
                    }
                    "id" | "name" | "description" | "check" => {}
                    other => self.warn(
                        option.key_span,
                        format!("`{other}` is not known for the rule {name}."),
                    ),
                }
            }
        }
    }

    fn roles(&mut self, entry: &YamlEntry) -> IndexMap<String, Role> {
        let mut roles = IndexMap::new();
        for (name, span, value) in self.named(entry) {
            let mut role = Role::default();
            let Some(options) = value.entries() else {
                // A role may be its list of permissions.
                if value.items().is_some() {
                    role.permissions = self.permissions(&YamlEntry {
                        key: name.clone(),
                        key_span: span,
                        value,
                    });
                } else {
                    self.error(
                        span,
                        format!("The role `{name}` has no `permissions`, so it may do nothing."),
                    );
                }
                roles.insert(name, role);
                continue;
            };
            let mut states_permissions = false;
            for option in options {
                match option.key.as_str() {
                    "permissions" => {
                        states_permissions = true;
                        role.permissions = self.permissions(&option);
                    }
                    "requires" | "requires_capability" => {
                        for text in self.texts(&option) {
                            if text == Capability::GitWrite.name() {
                                role.requires.push(Capability::GitWrite);
                            } else {
                                self.error(
                                    option.value.span(),
                                    format!(
                                        "`{text}` is not a known capability; known is git_write."
                                    ),
                                );
                            }
                        }
                    }
                    "id" | "name" | "description" => {}
                    other => self.warn(
                        option.key_span,
                        format!("`{other}` is not known for a role."),
                    ),
                }
            }
            if !states_permissions {
                self.error(
                    span,
                    format!("The role `{name}` has no `permissions`, so it may do nothing."),
                );
            }
            roles.insert(name, role);
        }
        roles
    }

    fn permissions(&mut self, entry: &YamlEntry) -> Vec<String> {
        let mut permissions = Vec::new();
        for item in self.items(entry) {
            let text = item.text().unwrap_or_default().trim();
            let parts: Vec<&str> = text.split(':').collect();
            let is_one = text == "*"
                || (matches!(parts.len(), 2) && parts.iter().all(|part| !part.is_empty()))
                || (parts.len() == 3 && parts[2] == "self");
            if is_one {
                permissions.push(text.to_owned());
            } else {
                self.error(
                    item.span(),
                    "A permission is `*`, or a verb and a thing such as `read:recipes`, with `:self` behind it where only one's own is meant.",
                );
            }
        }
        permissions
    }

    fn texts(&mut self, entry: &YamlEntry) -> Vec<String> {
        let items = self.items(entry).into_iter();
        items
            .filter_map(|item| item.text().map(str::to_owned))
            .collect()
    }

    fn items(&mut self, entry: &YamlEntry) -> Vec<YamlNode> {
        if let Some(items) = entry.value.items() {
            return items;
        }
        if entry.value.text().is_some() {
            return vec![entry.value.clone()];
        }
        self.error(
            entry.value.span(),
            format!(
                "`{}` must be a list, not {}.",
                entry.key,
                entry.value.type_name()
            ),
        );
        Vec::new()
    }
}
