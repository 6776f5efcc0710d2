//! GitLab's code quality report: what a merge request shows beside its diff.

use std::collections::BTreeSet;

use asd_recipe::Severity;
use serde_json::{Value, json};

use crate::report::BatchDetails;

/// An array with one entry for each violation. GitLab tells new from known ones
/// by the fingerprint, so it does not change with the line, and no two entries
/// share one.
#[must_use]
pub fn gitlab(result: &BatchDetails) -> Value {
    let mut taken = BTreeSet::new();
    let mut entries = Vec::new();
    for violation in result.flat() {
        let severity = match violation.severity {
            Severity::Error => "critical",
            Severity::Warning => "major",
            Severity::Info => "info",
        };
        let key = format!(
            "{}\n{}\n{}",
            violation.rule_id, violation.path, violation.fingerprint
        );
        entries.push(json!({
            "description": violation.message,
            "check_name": violation.rule_id,
            "fingerprint": unique(&key, &mut taken),
            "severity": severity,
            "location": {
                "path": violation.path,
                "lines": {"begin": violation.place.line, "end": violation.place.end_line},
            },
        }));
    }
    Value::Array(entries)
}

fn unique(key: &str, taken: &mut BTreeSet<String>) -> String {
    let mut hash = asd_recipe::content_hash(key);
    let mut count = 1;
    while !taken.insert(hash.clone()) {
        count += 1;
        hash = asd_recipe::content_hash(&format!("{key}\n{count}"));
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_keys_get_different_fingerprints_in_a_stable_order() {
        let all = || {
            let mut taken = BTreeSet::new();
            ["a", "a", "b", "a"].map(|key| unique(key, &mut taken))
        };
        let first = all();
        assert_eq!(first.iter().collect::<BTreeSet<_>>().len(), 4);
        assert_eq!(first, all());
    }
}
