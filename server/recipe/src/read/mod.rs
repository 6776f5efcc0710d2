//! From the front matter's tree to a [`Recipe`].

mod fields;
mod guard_kind;
mod guards;
mod older;
mod reasoning;
mod relations;

use asd_text::Span;
use indexmap::IndexMap;
use serde_json::Value as Json;

use crate::keys::{
    COMPLEXITIES, CONSTRAINTS, DIFFICULTIES, ELSEWHERE, KINDS, KNOWLEDGE_TYPES, LIFECYCLES, SCOPES,
    SOURCES, TOP, TOPIC_HINTS, find_key,
};
use crate::names::{is_canonical_trigger, normalise_trigger};
use crate::yaml::{Entry, Node, Value};
use crate::{
    FieldSpan, Guard, Home, Kind, Lifecycle, LifecycleEvent, Problem, ProblemCode, QuickFix,
    Recipe, Scope, Severity,
};
use asd_text::TextEdit;
use fields::{Known, Reader};
pub(crate) use guards::{GuardDefaults, spans_lines};

/// The front matter, read. Guards wait for the body, which may name the
/// language that they take.
pub(crate) struct FrontMatterReading<'a> {
    pub recipe: Recipe,
    pub stated: Stated,
    reader: Reader<'a>,
    guards: Vec<Node>,
}

/// Which fields the file states, as far as later steps have to know.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stated {
    pub kind: Option<Span>,
    pub knowledge_type: bool,
    pub headers: bool,
}

impl FrontMatterReading<'_> {
    /// Reads the guards and hands everything over.
    pub(crate) fn finish(mut self) -> (Recipe, Stated, Vec<Problem>) {
        let items: Vec<&Node> = self.guards.iter().collect();
        let guards: Vec<Guard> = guards::read(&mut self.reader, &items, &self.recipe);
        let has_guard = !items.is_empty();
        self.recipe.constraints.guards = guards;
        if self.stated.kind.is_none() {
            self.recipe.kind = if self.stated.knowledge_type {
                kind_of(&self.recipe.knowledge_type)
            } else if has_guard {
                Kind::Rule
            } else {
                Kind::Pattern
            };
        }
        (self.recipe, self.stated, self.reader.problems)
    }
}

/// The kind of a `knowledgeType`. (knowledge.md §3)
#[must_use]
pub fn kind_of(knowledge_type: &str) -> Kind {
    match knowledge_type {
        "code-standard" | "code-style" | "best-practice" | "boundary-constraint" => Kind::Rule,
        "code-relation" | "inheritance" | "call-chain" | "data-flow" | "module-dependency"
        | "dev-document" => Kind::Fact,
        _ => Kind::Pattern,
    }
}

/// The value of `knowledgeType` when there is none.
pub(crate) const DEFAULT_KNOWLEDGE_TYPE: &str = "code-pattern";
/// The value of `complexity` when there is none.
pub(crate) const DEFAULT_COMPLEXITY: &str = "intermediate";
/// The value of `source` when there is none.
pub(crate) const DEFAULT_SOURCE: &str = "manual";

/// Reads the front matter of a file.
pub(crate) fn front_matter<'a>(text: &'a str, root: &Node, home: Home) -> FrontMatterReading<'a> {
    let mut reader = Reader::new(text);
    let entries = older::unpack_json(root.entries().unwrap_or_default());
    let (own, elsewhere): (Vec<Entry>, Vec<Entry>) = entries
        .into_iter()
        .partition(|entry| find_key(ELSEWHERE, &entry.key).is_none());
    let (known, mut extra) = reader.sort(&own, TOP, "of a recipe");
    for key in TOP.iter().filter(|key| goes_to_extra(key.name)) {
        if let Some(entry) = known.get(key.name) {
            extra.insert(key.name.to_owned(), entry.value.to_json());
        }
    }
    let mut recipe = Recipe {
        knowledge_type: DEFAULT_KNOWLEDGE_TYPE.into(),
        complexity: DEFAULT_COMPLEXITY.into(),
        source: DEFAULT_SOURCE.into(),
        lifecycle: match home {
            Home::Recipes => Lifecycle::Active,
            Home::Candidates => Lifecycle::Pending,
        },
        extra,
        ..Recipe::default()
    };
    let mut stated = Stated::default();
    identity(&mut reader, &known, &mut recipe, &mut stated);
    guidance(&mut reader, &known, &mut recipe, &mut stated);
    provenance(&mut reader, &known, &mut recipe);
    if let Some(entry) = known.get("reasoning") {
        recipe.reasoning = reasoning::read(&mut reader, entry);
    }
    let mut guards: Vec<Node> = Vec::new();
    if let Some(entry) = known.get("guards") {
        guards.extend(guards::items(&mut reader, entry).into_iter().cloned());
    }
    if let Some(entry) = known.get("constraints") {
        constraints(&mut reader, entry, &mut recipe, &mut guards);
    }
    if let Some(entry) = known.get("relations") {
        recipe.relations = relations::read(&mut reader, entry, &recipe);
    }
    older::body_fields(&mut reader, &elsewhere, &mut recipe);
    FrontMatterReading {
        recipe,
        stated,
        reader,
        guards,
    }
}

/// Fields that are carried as they stand.
fn goes_to_extra(name: &str) -> bool {
    matches!(
        name,
        "sourceFile"
            | "sourceCandidateId"
            | "createdBy"
            | "publishedBy"
            | "publishedAt"
            | "reviewedBy"
            | "reviewedAt"
            | "rejectionReason"
            | "agentNotes"
            | "aiInsight"
            | "quality"
            | "stagingEnteredAt"
            | "activeSince"
            | "lastActiveAt"
            | "evolvingStartedAt"
            | "proposalId"
            | "decayStartedAt"
            | "deprecatedAt"
    )
}

fn identity(reader: &mut Reader<'_>, known: &Known<'_>, recipe: &mut Recipe, stated: &mut Stated) {
    recipe.id = known.get("id").and_then(|e| reader.line(e));
    recipe.title = known
        .get("title")
        .and_then(|e| reader.line(e))
        .unwrap_or_default();
    if let Some(entry) = known.get("trigger") {
        recipe.trigger = trigger(reader, entry);
    }
    if let Some(entry) = known.get("knowledgeType")
        && let Some(written) = reader.line(entry)
    {
        stated.knowledge_type = true;
        let known_type = reader.one_of_text(
            &written,
            &entry.value,
            &entry.key,
            KNOWLEDGE_TYPES,
            Severity::Warning,
        );
        recipe.knowledge_type = known_type.map_or(written, str::to_owned);
    }
    if let Some(entry) = known.get("kind") {
        match reader.one_of(entry, KINDS, Severity::Error) {
            Some(name) => {
                stated.kind = Some(entry.value.span);
                recipe.kind = Kind::from_name(name).unwrap_or_default();
            }
            None => stated.kind = None,
        }
    }
    if let Some(span) = stated.kind
        && stated.knowledge_type
        && kind_of(&recipe.knowledge_type) != recipe.kind
    {
        let usual = kind_of(&recipe.knowledge_type).name();
        let edit = TextEdit::replace(span, usual);
        reader
            .warning(
                span,
                ProblemCode::Quality,
                format!(
                    "The knowledge type `{}` is usually a `{usual}`, but `kind` says `{}`. The stated kind counts.",
                    recipe.knowledge_type,
                    recipe.kind.name()
                ),
            )
            .fix = Some(QuickFix {
            title: format!("Change the kind to `{usual}`"),
            edits: vec![edit],
        });
    }
    if let Some(entry) = known.get("language")
        && let Some(language) = reader.line(entry)
    {
        guards::unknown_language(reader, &language, &entry.value, "language");
        recipe.language = language;
    }
    if let Some(entry) = known.get("category")
        && let Some(written) = reader.line(entry)
    {
        let permitted: Vec<&'static str> = crate::keys::CATEGORIES
            .iter()
            .chain(crate::dimension_ids())
            .copied()
            .collect();
        reader.one_of_text(
            &written,
            &entry.value,
            "category",
            &permitted,
            Severity::Warning,
        );
        recipe.category = written;
    }
    if let Some(entry) = known.get("dimensionId")
        && let Some(written) = reader.line(entry)
    {
        reader.one_of_text(
            &written,
            &entry.value,
            "dimensionId",
            crate::dimension_ids(),
            Severity::Warning,
        );
        recipe.dimension_id = Some(written);
    }
    recipe.topic_hint = known
        .get("topicHint")
        .and_then(|e| reader.one_of(e, TOPIC_HINTS, Severity::Warning))
        .map(str::to_owned);
    recipe.scope = known
        .get("scope")
        .and_then(|e| reader.one_of(e, SCOPES, Severity::Warning))
        .and_then(Scope::from_name)
        .unwrap_or_default();
    if let Some(value) = known
        .get("complexity")
        .and_then(|e| reader.one_of(e, COMPLEXITIES, Severity::Warning))
    {
        recipe.complexity = value.into();
    }
    recipe.difficulty = known
        .get("difficulty")
        .and_then(|e| reader.one_of(e, DIFFICULTIES, Severity::Warning))
        .map(str::to_owned);
    recipe.tags = known
        .get("tags")
        .map(|e| reader.strings(e))
        .unwrap_or_default();
    recipe.module_name = known.get("moduleName").and_then(|e| reader.line(e));
}

fn trigger(reader: &mut Reader<'_>, entry: &Entry) -> String {
    let Some(written) = reader.line(entry) else {
        return String::new();
    };
    let normal = normalise_trigger(&written);
    let edit = normal
        .as_deref()
        .and_then(|normal| reader.replace_scalar(&entry.value, normal));
    let fix = normal.as_deref().zip(edit).map(|(normal, edit)| QuickFix {
        title: format!("Change to `{normal}`"),
        edits: vec![edit],
    });
    if written.contains(['/', '\\']) || written.contains("..") {
        reader
            .error(
                entry.value.span,
                ProblemCode::Hostile,
                "A trigger must not hold `/`, `\\` or `..`: it names the recipe's file.",
            )
            .fix = fix;
        return normal.unwrap_or_default();
    }
    if !is_canonical_trigger(&written) {
        let example = normal.as_deref().unwrap_or("@net-monitor");
        let message = if written.chars().count() > crate::names::MAX_TRIGGER {
            "This trigger is longer than 60 characters.".to_owned()
        } else {
            format!(
                "A trigger is `@` and lower-case words with `-` between them, for example `{example}`."
            )
        };
        reader
            .warning(entry.value.span, ProblemCode::Trigger, message)
            .fix = fix;
    }
    format!("@{}", written.trim_start_matches('@'))
}

fn guidance(reader: &mut Reader<'_>, known: &Known<'_>, recipe: &mut Recipe, stated: &mut Stated) {
    let mut text = |name: &str| {
        known
            .get(name)
            .and_then(|e| reader.line(e))
            .unwrap_or_default()
    };
    recipe.description = text("description");
    recipe.when_clause = text("when");
    recipe.do_clause = text("do");
    recipe.dont_clause = without_dont(&text("dont"));
    if let Some(entry) = known.get("headers") {
        stated.headers = true;
        recipe.headers = reader.strings(entry);
    }
    recipe.header_paths = known
        .get("headerPaths")
        .map(|e| reader.strings(e))
        .unwrap_or_default();
    recipe.include_headers = known
        .get("includeHeaders")
        .and_then(|e| reader.bool(e))
        .unwrap_or(false);
}

/// A clause without the "Don't", "Do not" or "Never" that it begins with.
pub(crate) fn without_dont(clause: &str) -> String {
    const PREFIXES: &[&str] = &["don't", "don’t", "dont", "do not", "never"];
    let mut rest = clause.trim();
    'again: loop {
        for prefix in PREFIXES {
            let Some(head) = rest.get(..prefix.len()) else {
                continue;
            };
            let tail = &rest[prefix.len()..];
            if head.eq_ignore_ascii_case(prefix)
                && tail.starts_with([' ', ':', ','])
                && !tail.trim_start_matches([' ', ':', ',']).is_empty()
            {
                rest = tail.trim_start_matches([' ', ':', ',']);
                continue 'again;
            }
        }
        return rest.to_owned();
    }
}

fn provenance(reader: &mut Reader<'_>, known: &Known<'_>, recipe: &mut Recipe) {
    if let Some(entry) = known.get("lifecycle")
        && let Some(written) = reader.line(entry)
    {
        recipe.lifecycle = match Lifecycle::from_name(&written) {
            Some(lifecycle) => lifecycle,
            None => reader
                .one_of_text(
                    &written,
                    &entry.value,
                    &entry.key,
                    LIFECYCLES,
                    Severity::Error,
                )
                .and_then(Lifecycle::from_name)
                .unwrap_or(Lifecycle::Pending),
        };
    }
    if let Some(entry) = known.get("lifecycleHistory") {
        recipe.lifecycle_history = history(reader, entry);
    }
    recipe.auto_approvable = known
        .get("autoApprovable")
        .and_then(|e| reader.bool(e))
        .unwrap_or(false);
    recipe.staging_deadline = known.get("stagingDeadline").and_then(|e| reader.time(e));
    if let Some(entry) = known.get("source")
        && let Some(written) = reader.line(entry)
    {
        reader.one_of_text(&written, &entry.value, "source", SOURCES, Severity::Warning);
        recipe.source = written;
    }
    recipe.created_at = known.get("createdAt").and_then(|e| reader.time(e));
    recipe.updated_at = known.get("updatedAt").and_then(|e| reader.time(e));
    // A hash may look like a number; its text is what counts.
    recipe.hash = known
        .get("hash")
        .and_then(|entry| match &entry.value.value {
            Value::Scalar(hash) if !entry.value.is_null() => Some(hash.text.clone()),
            _ => reader.line(entry),
        });
}

fn history(reader: &mut Reader<'_>, entry: &Entry) -> Vec<LifecycleEvent> {
    const KEPT: usize = 20;
    let Value::Seq(items) = &entry.value.value else {
        reader.map(entry);
        return Vec::new();
    };
    let mut events: Vec<LifecycleEvent> = Vec::new();
    for item in items {
        let mut json = item.to_json();
        if let Json::Object(map) = &mut json {
            for name in ["from", "to"] {
                if let Some(state) = map
                    .get(name)
                    .and_then(Json::as_str)
                    .and_then(Lifecycle::from_name)
                {
                    map.insert(name.into(), Json::from(state.name()));
                }
            }
        }
        match serde_json::from_value(json) {
            Ok(event) => events.push(event),
            Err(_) => {
                reader.warning(
                    item.span,
                    ProblemCode::WrongType,
                    "A move in `lifecycleHistory` has `from`, `to` (lifecycle states) and `at` (Unix seconds). This one is left out.",
                );
            }
        }
    }
    let from = events.len().saturating_sub(KEPT);
    events.split_off(from)
}

fn constraints(
    reader: &mut Reader<'_>,
    entry: &Entry,
    recipe: &mut Recipe,
    guards: &mut Vec<Node>,
) {
    let entries = reader.map(entry);
    let (known, extra) = reader.sort(entries, CONSTRAINTS, "of `constraints`");
    if let Some(entry) = known.get("guards") {
        guards.extend(guards::items(reader, entry).into_iter().cloned());
    }
    let mut list = |name: &str| {
        known
            .get(name)
            .map(|e| reader.strings(e))
            .unwrap_or_default()
    };
    recipe.constraints.boundaries = list("boundaries");
    recipe.constraints.preconditions = list("preconditions");
    recipe.constraints.side_effects = list("sideEffects");
    recipe.constraints.extra = extra;
}

/// Where every entry and item of the front matter stands.
pub(crate) fn field_spans(root: &Node) -> IndexMap<String, FieldSpan> {
    let mut fields = IndexMap::new();
    collect_spans(root, "", &mut fields);
    fields
}

fn collect_spans(node: &Node, path: &str, fields: &mut IndexMap<String, FieldSpan>) {
    let join = |name: &str| {
        if path.is_empty() {
            name.to_owned()
        } else {
            format!("{path}.{name}")
        }
    };
    match &node.value {
        Value::Scalar(_) => {}
        Value::Seq(items) => {
            for (index, item) in items.iter().enumerate() {
                let path = join(&index.to_string());
                fields.entry(path.clone()).or_insert(FieldSpan {
                    key: Span::empty(item.span.start),
                    value: item.span,
                });
                collect_spans(item, &path, fields);
            }
        }
        Value::Map(entries) => {
            for entry in entries {
                let path = join(&entry.key);
                if fields.contains_key(&path) {
                    continue;
                }
                fields.insert(
                    path.clone(),
                    FieldSpan {
                        key: entry.key_span,
                        value: entry.value.span,
                    },
                );
                collect_spans(&entry.value, &path, fields);
            }
        }
    }
}
