//! Workflow commands, which GitHub shows as annotations at the lines of a
//! change.

use asd_recipe::Severity;

use crate::report::{BatchDetails, Place};

/// One line for each violation, problem and file that was not checked.
#[must_use]
pub fn github(result: &BatchDetails) -> Vec<String> {
    let mut lines: Vec<String> = result
        .flat()
        .map(|violation| {
            let message = if violation.fix_suggestion.is_empty() {
                violation.message.to_owned()
            } else {
                format!("{}\n{}", violation.message, violation.fix_suggestion)
            };
            annotation(
                violation.severity,
                violation.path,
                violation.place,
                violation.rule_id,
                &message,
            )
        })
        .collect();
    lines.extend(result.problems.iter().map(|problem| {
        annotation(
            problem.severity,
            &problem.path,
            problem.place,
            &problem.code,
            &problem.message,
        )
    }));
    lines.extend(result.skipped.iter().map(|skipped| {
        format!(
            "::notice file={}::{}",
            property(&skipped.path),
            data(&format!("Not checked: {}", skipped.reason))
        )
    }));
    lines
}

fn annotation(severity: Severity, path: &str, place: Place, title: &str, message: &str) -> String {
    let level = match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "notice",
    };
    // Columns are refused for a range of several lines.
    let columns = if place.line == place.end_line {
        format!(",col={},endColumn={}", place.column, place.end_column)
    } else {
        String::new()
    };
    format!(
        "::{level} file={},line={},endLine={}{columns},title={}::{}",
        property(path),
        place.line,
        place.end_line,
        property(title),
        data(message)
    )
}

fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_a_meaning_in_a_command_is_escaped() {
        let place = Place {
            line: 3,
            column: 5,
            end_line: 3,
            end_column: 9,
        };
        assert_eq!(
            annotation(Severity::Info, "a,b:c.ts", place, "r", "100%\nsure"),
            "::notice file=a%2Cb%3Ac.ts,line=3,endLine=3,col=5,endColumn=9,title=r::100%25%0Asure"
        );
    }
}
