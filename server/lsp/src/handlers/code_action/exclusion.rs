//! Excluding a file from a rule in `Alembic/guard-exclusions.json`.

use std::time::{SystemTime, UNIX_EPOCH};

use asd_guard::Finding;
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstRootNode};
use tower_lsp_server::ls_types::{self, CodeAction, CodeActionKind, Position, Range};

use super::{Request, minimal_edit, shortened};
use crate::snapshot::to_range;
use crate::workspace_edit::EditBuilder;

/// The file, project-relative.
const PATH: &str = "Alembic/guard-exclusions.json";

/// Offers to exclude the document from the rules that find something here.
pub(super) fn add(request: &mut Request<'_>, here: &[Finding]) {
    let Some(path) = request.view.path.clone() else {
        return;
    };
    let mut ids: Vec<&str> = Vec::new();
    for finding in here {
        let id = finding.rule.id.as_str();
        if ids.contains(&id) {
            continue;
        }
        ids.push(id);
        let Some(edit) = edit(request, id, &path) else {
            continue;
        };
        request.push(CodeAction {
            title: format!("Ignore in guard-exclusions.json: {}", shortened(id, 60)),
            kind: Some(CodeActionKind::QUICKFIX),
            edit: Some(edit),
            ..CodeAction::default()
        });
    }
}

fn edit(request: &Request<'_>, rule: &str, path: &str) -> Option<ls_types::WorkspaceEdit> {
    let project = &request.view.project;
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs());
    let uri = request.snapshot.uri_of(project, PATH)?;
    let Some(text) = request.snapshot.text_of(project, PATH) else {
        let exists = project.root.join(PATH).exists();
        let may_create = request.support.create && project.root.join("Alembic").is_dir();
        if exists || !may_create {
            return None;
        }
        let text = with_exclusion("{}\n", rule, path, now)?;
        let insertion =
            ls_types::TextEdit::new(Range::new(Position::new(0, 0), Position::new(0, 0)), text);
        return Some(
            EditBuilder::default()
                .create(uri.clone())
                .edit(uri, None, vec![insertion])
                .build(request.support),
        );
    };
    let new = with_exclusion(&text.text, rule, path, now)?;
    let edit = minimal_edit(&text.text, &new)?;
    let range = to_range(&text, edit.span, request.snapshot.encoding());
    let version = request
        .snapshot
        .document_at(project, PATH)
        .map(|view| view.version());
    Some(
        EditBuilder::default()
            .edit(
                uri,
                version,
                vec![ls_types::TextEdit::new(range, edit.text)],
            )
            .build(request.support),
    )
}

/// The exclusions with one more; what a person wrote keeps its form. `None` when
/// the text is no JSON, or holds something else where the exclusion belongs.
fn with_exclusion(text: &str, rule: &str, path: &str, now: u64) -> Option<String> {
    let text = if text.trim().is_empty() { "{}" } else { text };
    let root = CstRootNode::parse(text, &ParseOptions::default()).ok()?;
    let by_rule = root
        .object_value_or_create()?
        .object_value_or_create("ruleExclusions")?;
    let files = by_rule.array_value_or_create(rule)?;
    files.ensure_multiline();
    files.append(CstInputValue::Object(vec![
        (
            "filePath".to_owned(),
            CstInputValue::String(path.to_owned()),
        ),
        (
            "reason".to_owned(),
            CstInputValue::String("ignored from the editor".to_owned()),
        ),
        ("addedAt".to_owned(), CstInputValue::Number(now.to_string())),
    ]));
    Some(root.to_string())
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn an_empty_file_gets_its_first_exclusion() {
        expect![[r#"
            {
              "ruleExclusions": {
                "no-eval": [
                  {
                    "filePath": "src/a.ts",
                    "reason": "ignored from the editor",
                    "addedAt": 7
                  }
                ]
              }
            }
        "#]]
        .assert_eq(&with_exclusion("{}\n", "no-eval", "src/a.ts", 7).unwrap());
    }

    #[test]
    fn comments_and_form_survive() {
        let text = "{\n  // ours\n  \"ruleExclusions\": {\n    \"x\": [\"a.ts\"]\n  },\n  \"pathExclusions\": [ \"gen/**\" ]\n}\n";
        let new = with_exclusion(text, "x", "b.ts", 7).unwrap();
        assert!(new.contains("// ours"));
        assert!(new.contains("\"pathExclusions\": [ \"gen/**\" ]"));
        let (read, problems) = asd_store::parse_exclusions(&new);
        assert_eq!(problems, []);
        assert!(
            read.rule_exclusions["x"]
                .iter()
                .any(|e| e.file_path.as_deref() == Some("b.ts"))
        );
    }

    #[test]
    fn what_is_no_json_is_left_alone() {
        assert_eq!(with_exclusion("{", "x", "a.ts", 7), None);
        assert_eq!(with_exclusion("[]", "x", "a.ts", 7), None);
        assert_eq!(
            with_exclusion("{\"ruleExclusions\": 1}", "x", "a.ts", 7),
            None
        );
    }
}
