//! TOML files of other programs, changed in place.

use serde_json::Value;
use toml_edit::{DocumentMut, InlineTable, Item, Table, TableLike};

use crate::hosts::KEY;
use crate::protect::{LineEnding, ending_of, with_ending};

/// Why a file is left alone.
const INVALID: &str = "invalid-toml";

fn parse(text: &str) -> Result<DocumentMut, &'static str> {
    text.parse().map_err(|_| INVALID)
}

/// `text` with our entry below `parent`. An entry that is not there is written
/// at the end, so that every byte in front of it stays.
pub(crate) fn merge_toml(
    text: Option<&str>,
    parent: &str,
    entry: &Value,
) -> Result<String, &'static str> {
    let text = text.unwrap_or_default();
    let mut document = parse(text)?;
    let servers = match document.get(parent) {
        None => None,
        Some(item) => Some(item.as_table_like().ok_or(INVALID)?),
    };
    if servers.is_none_or(|servers| servers.get(KEY).is_none()) {
        return appended(text, parent, entry);
    }
    let own = document[parent][KEY].as_table_like_mut().ok_or(INVALID)?;
    let mut changed = false;
    for (key, value) in entry.as_object().into_iter().flatten() {
        changed |= match value {
            Value::Object(inner) if own.get(key).is_some() => {
                let Some(table) = own.get_mut(key).and_then(Item::as_table_like_mut) else {
                    continue;
                };
                let mut any = false;
                for (key, value) in inner {
                    any |= table.get(key).is_none() && set(table, key, value);
                }
                any
            }
            _ => {
                let refreshed = matches!(key.as_str(), "command" | "args");
                (refreshed || own.get(key).is_none()) && set(own, key, value)
            }
        };
    }
    if !changed {
        return Ok(text.to_owned());
    }
    Ok(rendered(&document, text))
}

/// Sets a value; whether it was another.
fn set(table: &mut dyn TableLike, key: &str, value: &Value) -> bool {
    let wanted = to_toml(value);
    let plain = |value: &toml_edit::Value| {
        let mut value = value.clone();
        value.decor_mut().clear();
        value.to_string()
    };
    let same = table
        .get(key)
        .and_then(Item::as_value)
        .is_some_and(|known| plain(known) == plain(&wanted));
    if !same {
        table.insert(key, Item::Value(wanted));
    }
    !same
}

fn to_toml(value: &Value) -> toml_edit::Value {
    match value {
        Value::Array(values) => values
            .iter()
            .map(to_toml)
            .collect::<toml_edit::Array>()
            .into(),
        Value::Object(entries) => {
            let table: InlineTable = entries
                .iter()
                .map(|(key, value)| (key.as_str(), to_toml(value)))
                .collect();
            table.into()
        }
        Value::Bool(value) => (*value).into(),
        Value::Number(number) => match number.as_i64() {
            Some(number) => number.into(),
            None => number.as_f64().unwrap_or_default().into(),
        },
        Value::String(text) => text.as_str().into(),
        Value::Null => "".into(),
    }
}

fn appended(text: &str, parent: &str, entry: &Value) -> Result<String, &'static str> {
    let mut table = Table::new();
    for (key, value) in entry.as_object().into_iter().flatten() {
        table.insert(key, Item::Value(to_toml(value)));
    }
    let ending = ending_of([text]).unwrap_or(LineEnding::Lf);
    let block = with_ending(&format!("[{parent}.{KEY}]\n{table}"), ending);
    let body = text.trim_start_matches('\u{feff}');
    let separator = if body.is_empty() {
        String::new()
    } else if text.ends_with('\n') {
        ending.text().to_owned()
    } else {
        ending.text().repeat(2)
    };
    let merged = format!("{text}{separator}{block}");
    // A parent that is an inline table cannot be added to from outside.
    parse(&merged)?;
    Ok(merged)
}

/// The document with the line ending that the text had.
fn rendered(document: &DocumentMut, text: &str) -> String {
    let out = document.to_string().replace("\r\n", "\n");
    let bom = if text.starts_with('\u{feff}') && !out.starts_with('\u{feff}') {
        "\u{feff}"
    } else {
        ""
    };
    let ending = ending_of([text]).unwrap_or(LineEnding::Lf);
    format!("{bom}{}", with_ending(&out, ending))
}

/// `text` without our entry; `None` when there is none, empty when nothing is
/// left.
pub(crate) fn remove_toml(text: &str, parent: &str) -> Result<Option<String>, &'static str> {
    let mut document = parse(text)?;
    let Some(servers) = document.get_mut(parent).and_then(Item::as_table_like_mut) else {
        return Ok(None);
    };
    if servers.remove(KEY).is_none() {
        return Ok(None);
    }
    if servers.is_empty() {
        document.remove(parent);
    }
    let rest = rendered(&document, text);
    if rest.trim().is_empty() {
        return Ok(Some(String::new()));
    }
    Ok(Some(rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn merge(text: &str) -> Result<String, &'static str> {
        let entry = json!({"command": "asd", "args": ["mcp"], "env": {"ASD_PROJECT_DIR": "."}});
        merge_toml(Some(text), "mcp_servers", &entry)
    }

    #[test]
    fn the_rest_of_the_file_stays_byte_for_byte() {
        for text in [
            "# mine\nmodel = \"x\" # why\n\n[mcp_servers.foo]\ncommand = \"f\"",
            "a = 1\r\n[b]\r\nc = 2\r\n",
            "",
        ] {
            let merged = merge(text).unwrap();
            assert!(merged.starts_with(text), "{merged}");
            assert_eq!(merge(&merged), Ok(merged.clone()));
            if text.contains("\r\n") {
                assert!(!merged.replace("\r\n", "").contains('\n'), "{merged:?}");
            }
        }
    }

    #[test]
    fn our_entry_keeps_what_the_user_added() {
        let text = "[mcp_servers.alembic] # ours\ncommand = \"/old\"\nargs = [ \"mcp\" ]\nstartup_timeout_sec = 20\n\n[mcp_servers.alembic.env]\nK = \"v\"\n";
        let merged = merge(text).unwrap();
        for kept in [
            "# ours",
            "startup_timeout_sec = 20",
            "K = \"v\"",
            "command = \"asd\"",
            "ASD_PROJECT_DIR = \".\"",
        ] {
            assert!(merged.contains(kept), "{kept} in {merged}");
        }
        assert!(!merged.contains("/old"));
        assert_eq!(merge(&merged), Ok(merged.clone()));
    }

    #[test]
    fn what_cannot_be_read_or_added_to_is_left_alone() {
        for text in ["a = ", "mcp_servers = 1", "mcp_servers = { foo = {} }"] {
            assert_eq!(merge(text), Err(INVALID), "{text}");
        }
    }

    #[test]
    fn removing_gives_back_the_rest() {
        let text = "# mine\n[other]\na = 1\n";
        let merged = merge(text).unwrap();
        let rest = remove_toml(&merged, "mcp_servers").unwrap().unwrap();
        assert_eq!(rest.trim_end(), text.trim_end());
        assert_eq!(
            remove_toml(&merge("").unwrap(), "mcp_servers"),
            Ok(Some(String::new()))
        );
        assert_eq!(remove_toml(text, "mcp_servers"), Ok(None));
    }
}
