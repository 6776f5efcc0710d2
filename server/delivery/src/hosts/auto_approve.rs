//! Tools that only read need not be asked about each time. Cursor is told so,
//! but not while the server runs: it starts servers anew when their file
//! changes. So a call that succeeded leaves a note, and the next start acts on
//! it. (delivery.md §14)

use std::fs;

use asd_store::{Project, WriteError, write_atomic};
use jsonc_parser::cst::CstRootNode;
use serde_json::{Value, json};

use crate::hosts::KEY;
use crate::hosts::json::{Shape, set};

const NOTE: &str = ".asd/.auto-approve-pending";
const FILE: &str = ".cursor/mcp.json";
const LIST: &str = "autoApprove";

/// Leaves the note after the first call that succeeded. Nothing happens when
/// the host is not set up, or its entry has a list already: the user may have
/// shortened it.
///
/// # Errors
/// [`WriteError`] when the note cannot be written.
pub fn request_auto_approve(project: &Project) -> Result<(), WriteError> {
    if project.root().join(NOTE).exists() || !wants_list(project) {
        return Ok(());
    }
    write_atomic(project, NOTE, b"").map(|_| ())
}

/// Acts on the note, at the start of the server, before it talks to its host:
/// puts `read_only`, the names of tools that change nothing, into the list.
/// Gives whether the file was changed.
///
/// # Errors
/// [`WriteError`] when the file cannot be written.
pub fn apply_auto_approve(project: &Project, read_only: &[&str]) -> Result<bool, WriteError> {
    let note = project.absolute(NOTE)?;
    if !note.exists() {
        return Ok(false);
    }
    let mut changed = false;
    if wants_list(project)
        && let Some(text) = fs::read_to_string(project.root().join(FILE)).ok()
        && let Some(text) = with_list(&text, read_only)
    {
        write_atomic(project, FILE, text.as_bytes())?;
        changed = true;
    }
    let _ = fs::remove_file(note);
    Ok(changed)
}

/// Whether our entry is there and has no list.
fn wants_list(project: &Project) -> bool {
    let Ok(text) = fs::read_to_string(project.root().join(FILE)) else {
        return false;
    };
    let Ok(root) = CstRootNode::parse(text.trim_start_matches('\u{feff}'), &Default::default())
    else {
        return false;
    };
    root.to_serde_value().is_some_and(|value| {
        let entry = &value["mcpServers"][KEY];
        entry.is_object() && entry.get(LIST).is_none()
    })
}

fn with_list(text: &str, read_only: &[&str]) -> Option<String> {
    let body = text.trim_start_matches('\u{feff}');
    let bom = &text[..text.len() - body.len()];
    let root = CstRootNode::parse(body, &Default::default()).ok()?;
    let own = root
        .object_value()?
        .object_value("mcpServers")?
        .object_value(KEY)?;
    let list: Value = json!(read_only);
    set(&own, LIST, &list, Shape::Kept);
    Some(format!("{bom}{root}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_written_at_the_next_start_and_only_once() {
        let temp = tempfile::tempdir().unwrap();
        let project = Project::at(temp.path());
        let read = || fs::read_to_string(temp.path().join(FILE)).unwrap();
        request_auto_approve(&project).unwrap();
        assert!(!temp.path().join(NOTE).exists(), "the host is not set up");

        let before = "{\n  // mine\n  \"mcpServers\": {\n    \"alembic\": { \"command\": \"asd\" }\n  }\n}\n";
        write_atomic(&project, FILE, before.as_bytes()).unwrap();
        assert!(!apply_auto_approve(&project, &["asd_search"]).unwrap());
        request_auto_approve(&project).unwrap();
        assert_eq!(read(), before);

        assert!(apply_auto_approve(&project, &["asd_search"]).unwrap());
        let after = read();
        assert!(
            after.contains("// mine") && after.contains("[\"asd_search\"]"),
            "{after}"
        );
        assert!(!temp.path().join(NOTE).exists());

        // The user takes a tool off the list; that stays.
        let shorter = after.replace("\"asd_search\"", "");
        write_atomic(&project, FILE, shorter.as_bytes()).unwrap();
        request_auto_approve(&project).unwrap();
        assert!(!apply_auto_approve(&project, &["asd_search"]).unwrap());
        assert_eq!(read(), shorter);
    }
}
