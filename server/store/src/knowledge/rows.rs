//! The rows of entries and of the edges between them.

use std::collections::HashMap;

use asd_knowledge::counters::Stats;
use asd_recipe::{Kind, Lifecycle, Recipe, RelationKind, trigger_key};
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params, params_from_iter};
use serde::Serialize;
use serde_json::Value as Json;

use super::facts::NO_ID;

/// An entry of the knowledge as the database has it, for lists and look-ups.
/// What the whole recipe says is in its file.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// Its id; that of a file which has none yet begins with `file:`.
    pub id: String,
    /// What it is about.
    pub title: String,
    /// One sentence.
    pub description: String,
    /// With its `@`.
    pub trigger: String,
    /// Rule, pattern or fact.
    pub kind: Kind,
    /// The finer kind.
    pub knowledge_type: String,
    /// As written.
    pub language: String,
    /// As written.
    pub category: String,
    /// The dimension that it belongs to.
    pub dimension_id: Option<String>,
    /// Where it stands.
    pub lifecycle: Lifecycle,
    /// Who submitted it.
    pub source: String,
    /// Unix seconds.
    pub created_at: Option<i64>,
    /// Unix seconds.
    pub updated_at: Option<i64>,
    /// Of its file. (knowledge.md §4)
    pub content_hash: String,
    /// Project-relative with `/`; `None` when its file is gone.
    pub file_path: Option<String>,
    /// The recipe that has its trigger already; it is not delivered then.
    pub conflict: Option<String>,
    /// Milliseconds since 1970 when its file was found to be gone.
    pub removed_at: Option<i64>,
    /// Its counters.
    pub stats: Stats,
}

/// An edge between two entries.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Edge {
    /// The entry that states it.
    pub from_id: String,
    /// The other entry's id; what the file says where no entry answers to it.
    pub to_id: String,
    /// `recipe`, or `unresolved`.
    pub to_type: String,
    /// For example `depends_on`.
    pub relation: String,
    /// 1 unless stated.
    pub weight: f64,
    /// What it means.
    pub description: Option<String>,
}

const ENTRY: &str =
    "SELECT id, title, description, trigger, kind, knowledge_type, language, category,
    dimension_id, lifecycle, source, created_at, updated_at, content_hash, file_path, conflict,
    removed_at, stats FROM knowledge_entries";

fn entry(row: &Row<'_>) -> rusqlite::Result<Entry> {
    let kind: String = row.get(4)?;
    let lifecycle: String = row.get(9)?;
    let stats: Option<String> = row.get(17)?;
    Ok(Entry {
        id: row.get(0)?,
        title: row.get(1)?,
        description: row.get(2)?,
        trigger: row.get(3)?,
        kind: Kind::from_name(&kind).unwrap_or_default(),
        knowledge_type: row.get(5)?,
        language: row.get(6)?,
        category: row.get(7)?,
        dimension_id: row.get(8)?,
        lifecycle: Lifecycle::from_name(&lifecycle).unwrap_or_default(),
        source: row.get(10)?,
        created_at: row.get(11)?,
        updated_at: row.get(12)?,
        content_hash: row.get(13)?,
        file_path: row.get(14)?,
        conflict: row.get(15)?,
        removed_at: row.get(16)?,
        stats: stats
            .and_then(|json| serde_json::from_str(&json).ok())
            .unwrap_or_default(),
    })
}

/// Every entry in the order of the ids, those without a file too.
pub(crate) fn entries(connection: &Connection) -> rusqlite::Result<Vec<Entry>> {
    connection
        .prepare_cached(&format!("{ENTRY} ORDER BY id"))?
        .query_map([], entry)?
        .collect()
}

/// The entry with that id.
pub(crate) fn entry_by_id(connection: &Connection, id: &str) -> rusqlite::Result<Option<Entry>> {
    connection
        .prepare_cached(&format!("{ENTRY} WHERE id = ?1"))?
        .query_row([id], entry)
        .optional()
}

/// The entries that have a file and that trigger, the one that holds it first.
pub(crate) fn entries_by_trigger(
    connection: &Connection,
    trigger: &str,
) -> rusqlite::Result<Vec<Entry>> {
    connection
        .prepare_cached(&format!(
            "{ENTRY} WHERE trigger_key = ?1 AND removed_at IS NULL ORDER BY conflict IS NOT NULL, file_path"
        ))?
        .query_map([trigger_key(trigger)], entry)?
        .collect()
}

/// The entries that have a file and that title.
pub(crate) fn entries_by_title(
    connection: &Connection,
    title: &str,
) -> rusqlite::Result<Vec<Entry>> {
    connection
        .prepare_cached(&format!(
            "{ENTRY} WHERE title_key = ?1 AND removed_at IS NULL ORDER BY file_path"
        ))?
        .query_map([title_key(title)], entry)?
        .collect()
}

/// The edges that an entry states, and those that lead to it.
pub(crate) fn edges_of(connection: &Connection, id: &str) -> rusqlite::Result<Vec<Edge>> {
    connection
        .prepare_cached(
            "SELECT from_id, to_id, to_type, relation, weight, metadata FROM knowledge_edges
             WHERE (from_id = ?1 AND from_type = 'recipe') OR (to_id = ?1 AND to_type = 'recipe')
             ORDER BY from_id, relation, to_id",
        )?
        .query_map([id], |row| {
            Ok(Edge {
                from_id: row.get(0)?,
                to_id: row.get(1)?,
                to_type: row.get(2)?,
                relation: row.get(3)?,
                weight: row.get(4)?,
                description: row.get(5)?,
            })
        })?
        .collect()
}

/// The form under which titles are compared.
pub(crate) fn title_key(title: &str) -> String {
    title.trim().to_lowercase()
}

/// What a row says of the file that it was made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RowFacts {
    pub(crate) hash: String,
    pub(crate) updated_at: Option<i64>,
    pub(crate) path: Option<String>,
    pub(crate) lifecycle: Lifecycle,
    pub(crate) conflict: Option<String>,
    pub(crate) removed_at: Option<i64>,
}

/// What every row says, by id.
pub(crate) fn row_facts(connection: &Connection) -> rusqlite::Result<HashMap<String, RowFacts>> {
    connection
        .prepare_cached(
            "SELECT id, content_hash, updated_at, file_path, lifecycle, conflict, removed_at
             FROM knowledge_entries",
        )?
        .query_map([], |row| {
            let lifecycle: String = row.get(4)?;
            Ok((
                row.get(0)?,
                RowFacts {
                    hash: row.get(1)?,
                    updated_at: row.get(2)?,
                    path: row.get(3)?,
                    lifecycle: Lifecycle::from_name(&lifecycle).unwrap_or_default(),
                    conflict: row.get(5)?,
                    removed_at: row.get(6)?,
                },
            ))
        })?
        .collect()
}

const COLUMNS: &[&str] = &[
    "id",
    "title",
    "title_key",
    "description",
    "trigger",
    "trigger_key",
    "kind",
    "knowledge_type",
    "language",
    "category",
    "dimension_id",
    "topic_hint",
    "scope",
    "complexity",
    "difficulty",
    "module_name",
    "when_clause",
    "do_clause",
    "dont_clause",
    "core_code",
    "include_headers",
    "usage_guide",
    "lifecycle",
    "auto_approvable",
    "staging_deadline",
    "source",
    "source_file",
    "source_candidate_id",
    "created_by",
    "created_at",
    "updated_at",
    "published_by",
    "published_at",
    "reviewed_by",
    "reviewed_at",
    "rejection_reason",
    "agent_notes",
    "ai_insight",
    "tags",
    "headers",
    "header_paths",
    "content",
    "constraints",
    "reasoning",
    "relations",
    "lifecycle_history",
    "quality",
    "extra",
    "content_hash",
    "file_path",
    "conflict",
    "removed_at",
];

fn upsert() -> String {
    let values: Vec<String> = (1..=COLUMNS.len()).map(|n| format!("?{n}")).collect();
    let sets: Vec<String> = COLUMNS[1..]
        .iter()
        .map(|column| format!("{column} = excluded.{column}"))
        .collect();
    format!(
        "INSERT INTO knowledge_entries ({}) VALUES ({}) ON CONFLICT (id) DO UPDATE SET {}",
        COLUMNS.join(", "),
        values.join(", "),
        sets.join(", ")
    )
}

/// Where a row comes from.
pub(crate) struct Origin<'a> {
    pub(crate) row_id: &'a str,
    pub(crate) rel: &'a str,
    pub(crate) hash: &'a str,
    pub(crate) conflict: Option<&'a str>,
}

/// Writes the row of a recipe with its edges and sources. Its counters stay.
pub(crate) fn put(
    connection: &Connection,
    recipe: &Recipe,
    origin: &Origin<'_>,
) -> rusqlite::Result<()> {
    thread_local! {
        static UPSERT: String = upsert();
    }
    let names: Option<(String, String)> = connection
        .prepare_cached("SELECT trigger_key, title_key FROM knowledge_entries WHERE id = ?1")?
        .query_row([origin.row_id], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let key = (trigger_key(&recipe.trigger), title_key(&recipe.title));
    UPSERT.with(|sql| {
        connection
            .prepare_cached(sql)?
            .execute(params_from_iter(values(recipe, origin, &key)))
    })?;
    sources(connection, recipe, origin.row_id)?;
    derive_edges(connection, origin.row_id)?;
    if names.as_ref() != Some(&key) {
        if names.is_some() {
            derive_edges_to(connection, origin.row_id)?;
        }
        // Those that waited for someone of this name.
        for name in names_of(recipe, origin.row_id) {
            connection
                .prepare_cached(
                    "UPDATE OR REPLACE knowledge_edges SET to_id = ?1, to_type = 'recipe'
                     WHERE to_id = ?2 AND to_type = 'unresolved'",
                )?
                .execute([origin.row_id, &name])?;
        }
    }
    Ok(())
}

fn values(recipe: &Recipe, origin: &Origin<'_>, key: &(String, String)) -> Vec<Value> {
    fn text(text: &str) -> Value {
        Value::Text(text.to_owned())
    }
    fn maybe(text: Option<&str>) -> Value {
        text.map_or(Value::Null, |text| Value::Text(text.to_owned()))
    }
    fn number(number: Option<i64>) -> Value {
        number.map_or(Value::Null, Value::Integer)
    }
    fn json(value: &impl Serialize) -> Value {
        // Nothing in a recipe fails to be JSON.
        Value::Text(serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned()))
    }
    let extra = |name: &str| match recipe.extra.get(name) {
        None | Some(Json::Null) => Value::Null,
        Some(Json::String(text)) => Value::Text(text.clone()),
        Some(Json::Number(number)) if number.is_i64() => {
            Value::Integer(number.as_i64().unwrap_or_default())
        }
        Some(other) => Value::Text(other.to_string()),
    };
    vec![
        text(origin.row_id),
        text(&recipe.title),
        text(&key.1),
        text(&recipe.description),
        text(&recipe.trigger),
        text(&key.0),
        text(recipe.kind.name()),
        text(&recipe.knowledge_type),
        text(&recipe.language),
        text(&recipe.category),
        maybe(recipe.dimension_id.as_deref()),
        maybe(recipe.topic_hint.as_deref()),
        text(recipe.scope.name()),
        text(&recipe.complexity),
        maybe(recipe.difficulty.as_deref()),
        maybe(recipe.module_name.as_deref()),
        text(&recipe.when_clause),
        text(&recipe.do_clause),
        text(&recipe.dont_clause),
        maybe(recipe.core_code.as_ref().map(|code| code.text.as_str())),
        Value::Integer(recipe.include_headers.into()),
        text(&recipe.usage_guide),
        text(recipe.lifecycle.name()),
        Value::Integer(recipe.auto_approvable.into()),
        number(recipe.staging_deadline),
        text(&recipe.source),
        extra("sourceFile"),
        extra("sourceCandidateId"),
        extra("createdBy"),
        number(recipe.created_at),
        number(recipe.updated_at),
        extra("publishedBy"),
        extra("publishedAt"),
        extra("reviewedBy"),
        extra("reviewedAt"),
        extra("rejectionReason"),
        extra("agentNotes"),
        extra("aiInsight"),
        json(&recipe.tags),
        json(&recipe.headers),
        json(&recipe.header_paths),
        json(&recipe.content),
        json(&recipe.constraints),
        json(&recipe.reasoning),
        json(&recipe.relations),
        json(&recipe.lifecycle_history),
        extra("quality"),
        json(&recipe.extra),
        text(origin.hash),
        text(origin.rel),
        maybe(origin.conflict),
        Value::Null,
    ]
}

fn sources(connection: &Connection, recipe: &Recipe, id: &str) -> rusqlite::Result<()> {
    let mut kept = Vec::new();
    for source in &recipe.reasoning.sources {
        let lines = source
            .lines
            .map(|(first, last)| format!("{first}-{last}"))
            .unwrap_or_default();
        connection
            .prepare_cached(
                "INSERT OR IGNORE INTO recipe_source_refs (recipe_id, path, lines) VALUES (?1, ?2, ?3)",
            )?
            .execute([id, &source.path, &lines])?;
        kept.push((source.path.clone(), lines));
    }
    let known: Vec<(String, String)> = connection
        .prepare_cached("SELECT path, lines FROM recipe_source_refs WHERE recipe_id = ?1")?
        .query_map([id], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    for gone in known.iter().filter(|known| !kept.contains(known)) {
        connection
            .prepare_cached(
                "DELETE FROM recipe_source_refs WHERE recipe_id = ?1 AND path = ?2 AND lines = ?3",
            )?
            .execute([id, &gone.0, &gone.1])?;
    }
    Ok(())
}

/// The names under which edges may wait for an entry: see [`waiting_name`].
fn names_of(recipe: &Recipe, id: &str) -> [String; 3] {
    [
        format!("@{}", trigger_key(&recipe.trigger)),
        recipe.title.clone(),
        id.to_owned(),
    ]
}

/// What an edge without a target is kept under: a trigger in the form in which
/// triggers are looked up, an id or a title as it stands.
fn waiting_name(target: &str) -> String {
    if target.starts_with('@') {
        format!("@{}", trigger_key(target))
    } else {
        target.to_owned()
    }
}

/// Makes the edges of an entry again from what its row says.
fn derive_edges(connection: &Connection, id: &str) -> rusqlite::Result<()> {
    connection
        .prepare_cached("DELETE FROM knowledge_edges WHERE from_id = ?1 AND from_type = 'recipe'")?
        .execute([id])?;
    let relations: Option<String> = connection
        .prepare_cached(
            "SELECT relations FROM knowledge_entries WHERE id = ?1 AND removed_at IS NULL",
        )?
        .query_row([id], |row| row.get(0))
        .optional()?;
    let Some(relations) = relations.filter(|relations| relations != "{}") else {
        return Ok(());
    };
    let relations: Json = serde_json::from_str(&relations).unwrap_or_default();
    for (kind, targets) in relations.as_object().into_iter().flatten() {
        if RelationKind::from_name(kind).is_none() {
            continue;
        }
        for target in targets.as_array().into_iter().flatten() {
            let Some(name) = target["target"].as_str() else {
                continue;
            };
            let resolved = resolve(connection, name)?;
            if resolved.as_deref() == Some(id) {
                continue;
            }
            let (to, to_type) = match resolved {
                Some(to) => (to, "recipe"),
                None => (waiting_name(name), "unresolved"),
            };
            connection
                .prepare_cached(
                    "INSERT OR REPLACE INTO knowledge_edges
                        (from_id, from_type, to_id, to_type, relation, metadata)
                     VALUES (?1, 'recipe', ?2, ?3, ?4, ?5)",
                )?
                .execute(params![
                    id,
                    to,
                    to_type,
                    kind,
                    target["description"].as_str()
                ])?;
        }
    }
    Ok(())
}

/// Makes the edges again that lead to an entry.
fn derive_edges_to(connection: &Connection, id: &str) -> rusqlite::Result<()> {
    let from: Vec<String> = connection
        .prepare_cached(
            "SELECT from_id FROM knowledge_edges
             WHERE to_id = ?1 AND to_type = 'recipe' AND from_type = 'recipe'",
        )?
        .query_map([id], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    for from in from {
        derive_edges(connection, &from)?;
    }
    Ok(())
}

/// The entry that a relation's target names: an id, a trigger or a title.
fn resolve(connection: &Connection, target: &str) -> rusqlite::Result<Option<String>> {
    let found = if target.starts_with('@') {
        entries_by_trigger_key(connection, &trigger_key(target))?
    } else {
        None
    };
    if found.is_some() {
        return Ok(found);
    }
    let by_id = connection
        .prepare_cached("SELECT id FROM knowledge_entries WHERE id = ?1 AND removed_at IS NULL")?
        .query_row([target], |row| row.get(0))
        .optional()?;
    if by_id.is_some() {
        return Ok(by_id);
    }
    connection
        .prepare_cached(
            "SELECT id FROM knowledge_entries
             WHERE title_key = ?1 AND title = ?2 AND removed_at IS NULL ORDER BY file_path LIMIT 1",
        )?
        .query_row([&title_key(target), target], |row| row.get(0))
        .optional()
}

fn entries_by_trigger_key(connection: &Connection, key: &str) -> rusqlite::Result<Option<String>> {
    connection
        .prepare_cached(
            "SELECT id FROM knowledge_entries WHERE trigger_key = ?1 AND removed_at IS NULL
             ORDER BY conflict IS NOT NULL, file_path LIMIT 1",
        )?
        .query_row([key], |row| row.get(0))
        .optional()
}

/// Marks an entry as one whose file is gone.
pub(crate) fn bury(connection: &Connection, id: &str, removed_at: i64) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "UPDATE knowledge_entries
             SET lifecycle = 'deprecated', file_path = NULL, conflict = NULL, removed_at = ?2
             WHERE id = ?1",
        )?
        .execute(params![id, removed_at])?;
    derive_edges(connection, id)?;
    derive_edges_to(connection, id)
}

/// Takes an entry out as if it had never been.
pub(crate) fn remove(connection: &Connection, id: &str) -> rusqlite::Result<()> {
    for sql in [
        "DELETE FROM knowledge_entries WHERE id = ?1",
        "DELETE FROM knowledge_edges WHERE from_id = ?1 AND from_type = 'recipe'",
        "DELETE FROM recipe_source_refs WHERE recipe_id = ?1",
    ] {
        connection.prepare_cached(sql)?.execute([id])?;
    }
    derive_edges_to(connection, id)
}

/// Sets which recipe has the trigger of an entry already.
pub(crate) fn set_conflict(
    connection: &Connection,
    id: &str,
    conflict: Option<&str>,
) -> rusqlite::Result<()> {
    connection
        .prepare_cached("UPDATE knowledge_entries SET conflict = ?2 WHERE id = ?1")?
        .execute(params![id, conflict])?;
    Ok(())
}

/// The ids of entries by the form in which their triggers are looked up.
pub(crate) fn ids_by_trigger(connection: &Connection) -> rusqlite::Result<HashMap<String, String>> {
    connection
        .prepare_cached(
            "SELECT trigger_key, id FROM knowledge_entries
             WHERE conflict IS NULL AND removed_at IS NULL AND trigger_key <> ''",
        )?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect()
}

/// Writes the counters of entries; those that are not named have none.
pub(crate) fn put_stats<'a>(
    connection: &Connection,
    stats: impl IntoIterator<Item = (&'a String, &'a Stats)>,
) -> rusqlite::Result<()> {
    connection.execute(
        "UPDATE knowledge_entries SET stats = NULL WHERE stats IS NOT NULL",
        [],
    )?;
    let mut statement =
        connection.prepare_cached("UPDATE knowledge_entries SET stats = ?2 WHERE id = ?1")?;
    for (id, stats) in stats {
        let json = serde_json::to_string(stats).unwrap_or_else(|_| "null".to_owned());
        statement.execute([id, &json])?;
    }
    Ok(())
}

/// Whether a row stands for a file that has no id yet.
pub(crate) fn is_provisional(id: &str) -> bool {
    id.starts_with(NO_ID)
}
