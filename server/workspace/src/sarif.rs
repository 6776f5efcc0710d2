//! Results as SARIF 2.1.0, for code-scanning services and editors.

use std::collections::BTreeMap;

use asd_recipe::Severity;
use serde_json::{Value, json};

use crate::report::{
    BatchDetails, CrossFileViolation, Edit, FileProblem, FileResult, Place, RuleSummary, Violation,
};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
/// The base that paths are relative to, named as GitHub names it.
const BASE: &str = "%SRCROOT%";

/// A log with one run. `version` is that of the program.
#[must_use]
pub fn sarif(result: &BatchDetails, version: &str) -> Value {
    let index: BTreeMap<&str, usize> = result
        .rules
        .iter()
        .enumerate()
        .map(|(index, rule)| (rule.id.as_str(), index))
        .collect();
    let results: Vec<Value> = result
        .files
        .iter()
        .flat_map(|file| {
            file.violations
                .iter()
                .map(|violation| one(file, violation, index.get(violation.rule_id.as_str())))
        })
        .chain(
            result
                .cross_file_violations
                .iter()
                .map(|violation| of_several(violation, index.get(violation.rule_id.as_str()))),
        )
        .collect();
    let notifications: Vec<Value> = result
        .skipped
        .iter()
        .map(|skipped| {
            json!({
                "level": "warning",
                "message": {"text": format!("{} was not checked: {}", skipped.path, skipped.reason)},
                "locations": [{"physicalLocation": {"artifactLocation": artifact(&skipped.path)}}],
            })
        })
        .collect();
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "asd",
                "fullName": "Alembic",
                "semanticVersion": version,
                "rules": result.rules.iter().map(descriptor).collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "invocations": [{
                "executionSuccessful": true,
                "toolExecutionNotifications": notifications,
                "toolConfigurationNotifications":
                    result.problems.iter().map(configuration).collect::<Vec<_>>(),
            }],
            "results": results,
        }],
    })
}

fn descriptor(rule: &RuleSummary) -> Value {
    let mut value = json!({
        "id": rule.id,
        "shortDescription": {"text": rule.message},
        "defaultConfiguration": {"level": level(rule.severity)},
    });
    if !rule.category.is_empty() {
        value["properties"] = json!({"tags": [rule.category]});
    }
    let help: Vec<&str> = [rule.fix_suggestion.as_str(), rule.why.as_str()]
        .into_iter()
        .filter(|text| !text.is_empty())
        .collect();
    if !help.is_empty() {
        value["help"] = json!({"text": help.join("\n\n")});
    }
    value
}

fn configuration(problem: &FileProblem) -> Value {
    json!({
        "level": level(problem.severity),
        "descriptor": {"id": problem.code},
        "message": {"text": problem.message},
        "locations": [{"physicalLocation": {
            "artifactLocation": artifact(&problem.path),
            "region": region(problem.place),
        }}],
    })
}

fn one(file: &FileResult, violation: &Violation, index: Option<&usize>) -> Value {
    let mut value = json!({
        "ruleId": violation.rule_id,
        "level": level(violation.severity),
        "message": {"text": violation.message},
        "locations": [{"physicalLocation": {
            "artifactLocation": artifact(&file.file_path),
            "region": region(violation.place),
        }}],
        "partialFingerprints": {"asdFinding/v1": violation.fingerprint},
    });
    if let Some(index) = index {
        value["ruleIndex"] = json!(index);
    }
    if let Some(fix) = &violation.fix_edits {
        value["fixes"] = json!([{
            "description": {"text": fix.title},
            "artifactChanges": [{
                "artifactLocation": artifact(&file.file_path),
                "replacements": fix.edits.iter().map(replacement).collect::<Vec<_>>(),
            }],
        }]);
    }
    value
}

/// The first place is where it is shown; the others belong to it.
fn of_several(violation: &CrossFileViolation, index: Option<&usize>) -> Value {
    let mut places = violation.locations.iter().map(|location| {
        json!({"physicalLocation": {
            "artifactLocation": artifact(&location.file_path),
            "region": region(location.place),
        }})
    });
    let mut value = json!({
        "ruleId": violation.rule_id,
        "level": level(violation.severity),
        "message": {"text": violation.message},
        "locations": places.next().into_iter().collect::<Vec<_>>(),
        "relatedLocations": places.collect::<Vec<_>>(),
        "partialFingerprints": {"asdFinding/v1": violation.fingerprint},
    });
    if let Some(index) = index {
        value["ruleIndex"] = json!(index);
    }
    value
}

fn replacement(edit: &Edit) -> Value {
    json!({
        "deletedRegion": region(edit.place),
        "insertedContent": {"text": edit.text},
    })
}

fn region(place: Place) -> Value {
    json!({
        "startLine": place.line,
        "startColumn": place.column,
        "endLine": place.end_line,
        "endColumn": place.end_column,
    })
}

fn artifact(path: &str) -> Value {
    json!({"uri": uri(path), "uriBaseId": BASE})
}

/// A relative path as a URI reference: everything but letters, digits and
/// `/-._~` is written as its UTF-8 bytes.
fn uri(path: &str) -> String {
    let mut result = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            result.push(char::from(byte));
        } else {
            result.push_str(&format!("%{byte:02X}"));
        }
    }
    result
}

const fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_uri_references() {
        assert_eq!(uri("src/a b/饼.ts"), "src/a%20b/%E9%A5%BC.ts");
        assert_eq!(uri("a-b_c.~/x#y%.ts"), "a-b_c.~/x%23y%25.ts");
    }
}
