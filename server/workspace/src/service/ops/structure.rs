//! `asd_structure`

use asd_codemap::{CodeMap, target_files, target_metadata, targets};
use asd_store::{Disk, MAX_FILE, Project, read_text_up_to};
use serde_json::json;

use crate::service::Service;
use crate::service::call::{Call, Reply, missing};
use crate::service::error::ServiceError;

/// How much text of files an answer brings at most, in bytes.
const MOST_CONTENT: usize = 1024 * 1024;

pub(super) fn run(service: &Service, call: &Call<'_>) -> Result<Reply, ServiceError> {
    let operation = call.operation();
    if operation != "targets" && call.text("targetName").is_none() {
        return Err(missing(&["targetName"]));
    }
    let view = service.code()?;
    let map = &view.map;
    let mut reply = match (operation, call.text("targetName")) {
        ("files", Some(name)) => files(service.project(), map, name, call)?,
        ("metadata", Some(name)) => {
            let found = target_metadata(map, name).ok_or_else(|| no_target(map, name))?;
            Reply::new(found.target_name.clone(), json!(found))
        }
        _ => {
            let mut list = targets(map);
            if !call.flag("includeSummary") {
                list.summary = None;
            }
            Reply::new(format!("{} targets.", list.targets.len()), json!(list))
        }
    };
    reply.warnings.extend(view.warnings.iter().cloned());
    Ok(reply)
}

fn files(
    project: &Project,
    map: &CodeMap,
    name: &str,
    call: &Call<'_>,
) -> Result<Reply, ServiceError> {
    let most = call.count("maxFiles").unwrap_or(500);
    let mut found = target_files(map, name, most).ok_or_else(|| no_target(map, name))?;
    let mut left_out = 0;
    if call.flag("includeContent") {
        let lines = call.count("contentMaxLines").unwrap_or(100);
        let mut room = MOST_CONTENT;
        for file in &mut found.files {
            let text = project
                .absolute(&file.path)
                .ok()
                .and_then(|at| read_text_up_to(&Disk, &at, MAX_FILE).ok());
            let Some(text) = text else { continue };
            let head = first_lines(&text.text, lines);
            if head.len() > room {
                left_out += 1;
                continue;
            }
            room -= head.len();
            file.content = Some(head.to_owned());
        }
    }
    let message = format!("{} of {} files.", found.files.len(), found.total);
    let mut reply = Reply::new(message, json!(found));
    if left_out > 0 {
        reply = reply.warn(format!(
            "The content of {left_out} files was left out, since the answer would be larger than \
             {} KB. Ask for fewer files or lines.",
            MOST_CONTENT / 1024
        ));
    }
    Ok(reply)
}

/// The first lines of a text, with their ends.
fn first_lines(text: &str, count: usize) -> &str {
    let ends = text.match_indices('\n').map(|(at, _)| at + 1);
    let end = ends.take(count).nth(count.saturating_sub(1));
    &text[..end.unwrap_or(text.len())]
}

fn no_target(map: &CodeMap, name: &str) -> ServiceError {
    let names: Vec<&str> = map
        .targets()
        .iter()
        .take(30)
        .map(|target| target.name.as_str())
        .collect();
    ServiceError::not_found(format!(
        "There is no target `{name}`. The targets are: {}.",
        names.join(", ")
    ))
    .with_data(json!({"targets": names}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_at_a_line() {
        assert_eq!(first_lines("a\nb\nc", 2), "a\nb\n");
        assert_eq!(first_lines("a\nb", 2), "a\nb");
        assert_eq!(first_lines("a", 5), "a");
        assert_eq!(first_lines("", 1), "");
    }
}
