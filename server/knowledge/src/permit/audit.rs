//! The account of what was asked of the gateway. (knowledge.md §16)

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::DAY;

/// For how long rows are kept, in milliseconds.
pub const AUDIT_RETENTION_MS: i64 = 90 * DAY * 1000;
/// The largest operation data that a row keeps, in bytes of JSON.
const MAX_DATA: usize = 10 * 1024;
/// How much of a long text is kept when a row is cut, in characters.
const KEPT_TEXT: usize = 200;
/// How many items of a long list are kept when a row is cut.
const KEPT_ITEMS: usize = 5;
/// Names, or parts of names, of keys whose values are never kept. Compared
/// without case, `-` and `_`.
const SECRET_KEYS: [&str; 4] = ["secret", "token", "password", "apikey"];
/// What stands in the place of a masked value.
const MASKED: &str = "***";

/// How an operation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AuditResult {
    /// It was done.
    Success,
    /// It was refused, or failed.
    Failure,
}

/// One row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AuditRow {
    /// Unique; the request's id.
    pub id: String,
    /// Milliseconds since 1970.
    pub timestamp: i64,
    /// The actor's role.
    pub actor: String,
    /// Where the actor comes from: door, client, session.
    #[serde(default)]
    pub actor_context: Json,
    /// `verb:object`, or another name of the action.
    pub action: String,
    /// What it was done to.
    pub resource: String,
    /// The data of the operation, masked and cut ([`audit_data`]).
    #[serde(default)]
    pub operation_data: Json,
    /// How it ended.
    pub result: AuditResult,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_message: Option<String>,
    /// Milliseconds that it took.
    #[serde(default)]
    pub duration: u64,
}

/// Data as a row may keep it: values under keys that name a secret are masked,
/// however deep, and what is longer than 10 KB is cut, long texts and lists
/// first. The size of the original is then noted under `_cut`.
#[must_use]
pub fn audit_data(data: &Json) -> Json {
    let masked = masked(data);
    let size = masked.to_string().len();
    if size <= MAX_DATA {
        return masked;
    }
    let note = Json::from(size);
    let mut kept = match shortened(&masked, KEPT_TEXT, KEPT_ITEMS) {
        Json::Object(map) => map,
        other => Map::from_iter([("value".to_owned(), other)]),
    };
    kept.insert("_cut".into(), note.clone());
    let shorter = Json::Object(kept);
    if shorter.to_string().len() <= MAX_DATA {
        return shorter;
    }
    // Wide rather than long: only the names of its keys are kept.
    let mut names = Vec::new();
    let mut length = 0;
    for key in shorter.as_object().into_iter().flat_map(Map::keys) {
        length += key.len() + 4;
        if length > MAX_DATA / 2 {
            break;
        }
        names.push(Json::from(key.as_str()));
    }
    serde_json::json!({ "_cut": note, "keys": names })
}

/// `data` with every value masked that stands under the name of a secret.
#[must_use]
pub fn masked(data: &Json) -> Json {
    match data {
        Json::Object(map) => map
            .iter()
            .map(|(key, value)| {
                let value = if names_a_secret(key) && !value.is_null() {
                    Json::from(MASKED)
                } else {
                    masked(value)
                };
                (key.clone(), value)
            })
            .collect(),
        Json::Array(items) => items.iter().map(masked).collect(),
        other => other.clone(),
    }
}

fn names_a_secret(key: &str) -> bool {
    let bare: String = key
        .chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect();
    SECRET_KEYS.iter().any(|secret| bare.contains(secret))
}

fn shortened(data: &Json, text: usize, items: usize) -> Json {
    match data {
        Json::String(value) if value.chars().count() > text => {
            let start: String = value.chars().take(text).collect();
            Json::from(format!("{start}…"))
        }
        Json::Array(all) => {
            let kept = all.iter().take(items);
            let mut kept: Vec<Json> = kept.map(|item| shortened(item, text, items)).collect();
            if all.len() > items {
                kept.push(Json::from(format!("… {} more", all.len() - items)));
            }
            Json::Array(kept)
        }
        Json::Object(map) => map
            .iter()
            .map(|(key, value)| (key.clone(), shortened(value, text, items)))
            .collect(),
        other => other.clone(),
    }
}

/// The fields of a row's data that a manual edit of a file is reported with.
#[must_use]
pub fn manual_edit_row(
    id: String,
    timestamp_ms: i64,
    recipe_id: &str,
    path: &str,
    before: Option<&str>,
    after: &str,
) -> AuditRow {
    AuditRow {
        id,
        timestamp: timestamp_ms,
        actor: "developer".into(),
        actor_context: serde_json::json!({ "door": "sync" }),
        action: "manual_edit".into(),
        resource: format!("recipe:{recipe_id}"),
        operation_data: serde_json::json!({
            "path": path,
            "storedHash": before,
            "contentHash": after,
            "violation": true,
        }),
        result: AuditResult::Success,
        error_message: None,
        duration: 0,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn secrets_are_masked_however_deep_and_however_written() {
        let data = json!({
            "apiKey": "sk-1", "API_KEY": "sk-2", "x-api-key": "sk-3",
            "list": [{"accessToken": {"v": "t"}, "password": "p"}],
            "client_secret": 5, "secret": null, "title": "Token bucket",
        });
        assert_eq!(
            audit_data(&data),
            json!({
                "apiKey": "***", "API_KEY": "***", "x-api-key": "***",
                "list": [{"accessToken": "***", "password": "***"}],
                "client_secret": "***", "secret": null, "title": "Token bucket",
            })
        );
    }

    #[test]
    fn what_is_longer_than_ten_kilobytes_is_cut() {
        let long = json!({ "title": "T", "body": "字".repeat(20_000), "password": "p" });
        let cut = audit_data(&long);
        assert!(cut.to_string().len() <= MAX_DATA);
        assert_eq!(cut["title"], "T");
        assert_eq!(cut["password"], "***");
        assert!(cut["_cut"].as_u64().unwrap() > 60_000);

        let many = json!({ "items": vec![json!({"code": "x".repeat(100)}); 1000] });
        let cut = audit_data(&many);
        assert_eq!(cut["items"].as_array().unwrap().len(), KEPT_ITEMS + 1);

        let wide: Map<String, Json> = (0..5000).map(|n| (format!("k{n}"), json!(n))).collect();
        let cut = audit_data(&Json::Object(wide));
        assert!(cut.to_string().len() <= MAX_DATA);
        assert_eq!(cut["keys"][0], "k0");

        let list = json!(vec!["y".repeat(300); 100]);
        assert!(audit_data(&list).to_string().len() <= MAX_DATA);
    }

    #[test]
    fn a_row_reads_back_as_it_was_written() {
        let row = manual_edit_row("a1".into(), 5, "r1", "Alembic/recipes/x.md", None, "ff");
        let text = serde_json::to_string(&row).unwrap();
        assert!(text.contains(r#""result":"success""#), "{text}");
        assert_eq!(serde_json::from_str::<AuditRow>(&text).unwrap(), row);
    }
}
