//! JUnit XML, in the shape that the schemas of Ant and of Jenkins have in
//! common: a test suite for each file, a failed test case for each error and
//! warning. Notes do not fail a test.

use std::collections::BTreeMap;
use std::fmt::Write;

use asd_recipe::Severity;

use crate::flat::Flat;
use crate::report::{BatchDetails, FileResult};

/// The report. `time` is when the check ran, without a time zone
/// (`2026-01-31T12:00:00`), as the schemas want it.
#[must_use]
pub fn junit(result: &BatchDetails, time: &str) -> String {
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    let mut by_file: BTreeMap<&str, Vec<Flat<'_>>> = BTreeMap::new();
    for violation in result.flat() {
        by_file.entry(violation.path).or_default().push(violation);
    }
    for (id, file) in result.files.iter().enumerate() {
        let violations = by_file.remove(file.file_path.as_str()).unwrap_or_default();
        suite(&mut xml, id, file, &violations, result, time);
    }
    xml.push_str("</testsuites>\n");
    xml
}

fn suite(
    xml: &mut String,
    id: usize,
    file: &FileResult,
    violations: &[Flat<'_>],
    result: &BatchDetails,
    time: &str,
) {
    let path = &file.file_path;
    let (notes, failures): (Vec<&Flat<'_>>, Vec<&Flat<'_>>) = violations
        .iter()
        .partition(|violation| violation.severity == Severity::Info);
    let unread = if file.checked {
        None
    } else {
        let reason = result.skipped.iter().find(|skipped| skipped.path == *path);
        Some(reason.map_or("not checked", |skipped| skipped.reason.as_str()))
    };
    // A suite without any case looks like one that did not run.
    let tests = failures.len().max(1);
    let (package, _) = path.rsplit_once('/').unwrap_or((".", path));
    line(
        xml,
        1,
        &format!(
            "<testsuite name=\"{}\" id=\"{id}\" package=\"{}\" timestamp=\"{time}\" \
             hostname=\"localhost\" tests=\"{tests}\" failures=\"{}\" errors=\"{}\" time=\"0\">",
            escaped(path),
            escaped(package),
            failures.len(),
            usize::from(unread.is_some()),
        ),
    );
    line(xml, 2, "<properties/>");
    let class = escaped(path);
    for violation in &failures {
        let name = escaped(&format!(
            "{} at {}:{}",
            violation.rule_id, violation.place.line, violation.place.column
        ));
        line(
            xml,
            2,
            &format!("<testcase name=\"{name}\" classname=\"{class}\" time=\"0\">"),
        );
        line(
            xml,
            3,
            &format!(
                "<failure message=\"{}\" type=\"{}\">{}</failure>",
                escaped(violation.message),
                violation.severity.as_str(),
                escaped(&described(path, violation)),
            ),
        );
        line(xml, 2, "</testcase>");
    }
    match unread {
        Some(reason) => {
            line(
                xml,
                2,
                &format!("<testcase name=\"{class}\" classname=\"{class}\" time=\"0\">"),
            );
            let reason = escaped(reason);
            line(
                xml,
                3,
                &format!("<error message=\"{reason}\" type=\"unreadable\">{reason}</error>"),
            );
            line(xml, 2, "</testcase>");
        }
        None if failures.is_empty() => line(
            xml,
            2,
            &format!("<testcase name=\"{class}\" classname=\"{class}\" time=\"0\"/>"),
        ),
        None => {}
    }
    let notes: Vec<String> = notes.iter().map(|note| described(path, note)).collect();
    line(
        xml,
        2,
        &format!("<system-out>{}</system-out>", escaped(&notes.join("\n"))),
    );
    line(xml, 2, "<system-err></system-err>");
    line(xml, 1, "</testsuite>");
}

fn described(path: &str, violation: &Flat<'_>) -> String {
    let mut text = format!(
        "{path}:{}:{}: {}: {} [{}]",
        violation.place.line,
        violation.place.column,
        violation.severity.as_str(),
        violation.message,
        violation.rule_id
    );
    for more in [violation.snippet, violation.fix_suggestion] {
        if !more.is_empty() {
            let _ = write!(text, "\n{more}");
        }
    }
    text
}

fn line(xml: &mut String, depth: usize, text: &str) {
    for _ in 0..depth {
        xml.push_str("  ");
    }
    xml.push_str(text);
    xml.push('\n');
}

/// Text in which nothing has a meaning to XML. Characters that XML cannot hold
/// are shown by a sign for them.
fn escaped(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => result.push_str("&amp;"),
            '<' => result.push_str("&lt;"),
            '>' => result.push_str("&gt;"),
            '"' => result.push_str("&quot;"),
            '\n' => result.push_str("&#10;"),
            '\t' => result.push_str("&#9;"),
            '\r' => result.push_str("&#13;"),
            '\0'..='\u{1F}' | '\u{FFFE}' | '\u{FFFF}' => result.push('\u{FFFD}'),
            other => result.push(other),
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_breaks_the_document() {
        assert_eq!(
            escaped("a < b && \"c\" \u{1B}[1m\r\n"),
            "a &lt; b &amp;&amp; &quot;c&quot; \u{FFFD}[1m&#13;&#10;"
        );
    }
}
