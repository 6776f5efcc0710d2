//! Results as SARIF 2.1.0, for code-scanning services and editors.

use std::collections::BTreeMap;

use asd_guard::{Finding, RuleInfo};
use asd_recipe::Severity;
use asd_store::Skipped;
use asd_text::{LineIndex, TextEdit};
use serde_json::{Value, json};

use crate::report::{FileProblem, Place};
use crate::{BatchReport, CheckedFile};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
/// The base that paths are relative to, named as GitHub names it.
const BASE: &str = "%SRCROOT%";

/// A log with one run. `version` is that of the program; `skipped` is what the
/// walk could not look at, `broken` what is not in force.
#[must_use]
pub fn sarif(
    batch: &BatchReport,
    skipped: &[Skipped],
    broken: &[FileProblem],
    version: &str,
) -> Value {
    let mut rules: BTreeMap<&str, &RuleInfo> = BTreeMap::new();
    for finding in batch.files.iter().flat_map(|file| &file.findings) {
        rules.insert(&finding.rule.id, &finding.rule);
    }
    let index: BTreeMap<&str, usize> = rules.keys().enumerate().map(|(i, id)| (*id, i)).collect();
    let results: Vec<Value> = batch
        .files
        .iter()
        .flat_map(|file| {
            let text = file.text.as_deref().unwrap_or_default();
            let lines = LineIndex::new(text);
            file.findings
                .iter()
                .map(|finding| result(file, text, &lines, finding, index[finding.rule.id.as_str()]))
                .collect::<Vec<_>>()
        })
        .collect();
    let configuration: Vec<Value> = broken
        .iter()
        .map(|problem| {
            json!({
                "level": level(problem.severity),
                "descriptor": {"id": problem.code},
                "message": {"text": problem.message},
                "locations": [{"physicalLocation": {
                    "artifactLocation": artifact(&problem.path),
                    "region": region(problem.place),
                }}],
            })
        })
        .collect();
    let notifications: Vec<Value> = batch
        .skipped
        .iter()
        .chain(skipped)
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
                "rules": rules.values().map(|rule| descriptor(rule)).collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "invocations": [{
                "executionSuccessful": true,
                "toolExecutionNotifications": notifications,
                "toolConfigurationNotifications": configuration,
            }],
            "results": results,
        }],
    })
}

fn descriptor(rule: &RuleInfo) -> Value {
    let mut value = json!({
        "id": rule.id,
        "shortDescription": {"text": rule.message},
        "defaultConfiguration": {"level": level(rule.severity)},
        "properties": {"tags": [rule.category]},
    });
    let help: Vec<&str> = [rule.fix_suggestion.as_str(), rule.why.as_str()]
        .into_iter()
        .filter(|text| !text.is_empty())
        .collect();
    if !help.is_empty() {
        value["help"] = json!({"text": help.join("\n\n")});
    }
    value
}

fn result(
    file: &CheckedFile,
    text: &str,
    lines: &LineIndex,
    finding: &Finding,
    rule_index: usize,
) -> Value {
    let mut value = json!({
        "ruleId": finding.rule.id,
        "ruleIndex": rule_index,
        "level": level(finding.severity),
        "message": {"text": finding.message},
        "locations": [{"physicalLocation": {
            "artifactLocation": artifact(&file.rel),
            "region": region(Place::of(text, lines, finding.span)),
        }}],
        "partialFingerprints": {"asdFinding/v1": format!("{:016x}", finding.fingerprint)},
    });
    if let Some(fix) = &finding.fix {
        let replacements: Vec<Value> = fix
            .edits
            .iter()
            .map(|edit| replacement(text, lines, edit))
            .collect();
        value["fixes"] = json!([{
            "description": {"text": fix.title},
            "artifactChanges": [{
                "artifactLocation": artifact(&file.rel),
                "replacements": replacements,
            }],
        }]);
    }
    value
}

fn replacement(text: &str, lines: &LineIndex, edit: &TextEdit) -> Value {
    json!({
        "deletedRegion": region(Place::of(text, lines, edit.span)),
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
