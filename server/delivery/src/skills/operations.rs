//! What can be done with skills by hand or by a tool.

use std::collections::BTreeMap;
use std::fs;

use asd_recipe::{dimension_ids, patch_front_matter};
use asd_store::{Project, write_atomic};
use asd_text::apply_edits;
use serde::Serialize;
use serde_json::json;
use thiserror::Error;

use super::BUILT_IN;
use super::file::{ProjectSkill, read_project_skills};
use crate::Entry;
use crate::rank::{by_rank, is_settled};
use crate::render::skills::dimension_of;
use crate::text::yaml_string;

/// Why a skill operation failed. (mcp.md §2)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum SkillErrorCode {
    MissingParam,
    SkillNotFound,
    InvalidName,
    BuiltinConflict,
    AlreadyExists,
    BuiltinProtected,
    NothingToUpdate,
    WriteError,
    UpdateError,
    DeleteError,
}

impl SkillErrorCode {
    /// As results name it, for example `INVALID_NAME`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::MissingParam => "MISSING_PARAM",
            Self::SkillNotFound => "SKILL_NOT_FOUND",
            Self::InvalidName => "INVALID_NAME",
            Self::BuiltinConflict => "BUILTIN_CONFLICT",
            Self::AlreadyExists => "ALREADY_EXISTS",
            Self::BuiltinProtected => "BUILTIN_PROTECTED",
            Self::NothingToUpdate => "NOTHING_TO_UPDATE",
            Self::WriteError => "WRITE_ERROR",
            Self::UpdateError => "UPDATE_ERROR",
            Self::DeleteError => "DELETE_ERROR",
        }
    }
}

/// A failed skill operation. The message says what to do.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct SkillError {
    /// Which failure it is.
    pub code: SkillErrorCode,
    /// What is wrong and what to do.
    pub message: String,
}

fn error<T>(code: SkillErrorCode, message: impl Into<String>) -> Result<T, SkillError> {
    Err(SkillError {
        code,
        message: message.into(),
    })
}

/// Where a skill comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SkillSource {
    /// The program.
    Builtin,
    /// `Alembic/skills/`.
    Project,
}

/// A skill as it is listed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListedSkill {
    /// Its name.
    pub name: String,
    /// What it does and when it is used.
    pub description: String,
    /// Where it comes from.
    pub source: SkillSource,
    /// Who wrote it; empty when that is not known.
    pub created_by: String,
}

/// Every skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SkillList {
    /// How many.
    pub total: usize,
    /// Those of the project, then the built-in ones, each by name.
    pub skills: Vec<ListedSkill>,
}

/// A skill with its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LoadedSkill {
    /// Its name.
    pub name: String,
    /// The text, or the part below one heading.
    pub content: String,
    /// The heading, when one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
    /// Triggers of recipes on the same subject.
    pub related_recipes: Vec<String>,
}

/// What a new skill is made of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewSkill<'a> {
    /// Kebab-case, 3 to 64 characters.
    pub name: &'a str,
    /// What it does and when it is used.
    pub description: &'a str,
    /// The text; front matter in front of it is taken off.
    pub content: &'a str,
    /// Whether one of that name is replaced.
    pub overwrite: bool,
    /// `manual`, `user-ai`, `system-ai` or `external-ai`.
    pub created_by: &'a str,
}

/// What is changed of a skill.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SkillChanges<'a> {
    /// Another description.
    pub description: Option<&'a str>,
    /// Another text.
    pub content: Option<&'a str>,
}

/// A skill that was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CreatedSkill {
    /// Its name.
    pub name: String,
    /// Project-relative path of its file.
    pub path: String,
    /// Whether it replaced one.
    pub overwritten: bool,
}

/// A skill that was changed or deleted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SkillPath {
    /// Its name.
    pub name: String,
    /// Project-relative path of its file.
    pub path: String,
}

/// A skill that the project might want.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SkillSuggestion {
    /// The name that it would have.
    pub name: String,
    /// Why.
    pub reason: String,
    /// Triggers of the recipes that it would be made of.
    pub related_recipes: Vec<String>,
}

/// Every skill of the project and of the program.
#[must_use]
pub fn list_skills(project: &Project) -> SkillList {
    let mut skills: Vec<ListedSkill> = read_project_skills(project)
        .into_iter()
        .map(|skill| ListedSkill {
            name: skill.name,
            description: skill.description,
            source: SkillSource::Project,
            created_by: skill.created_by,
        })
        .collect();
    skills.extend(BUILT_IN.iter().map(|skill| ListedSkill {
        name: skill.name.to_owned(),
        description: skill.description.to_owned(),
        source: SkillSource::Builtin,
        created_by: String::new(),
    }));
    SkillList {
        total: skills.len(),
        skills,
    }
}

/// The text of a skill, or of one of its sections.
///
/// # Errors
/// `MISSING_PARAM`, or `SKILL_NOT_FOUND` for an unknown name or heading.
pub fn load_skill(
    project: &Project,
    name: &str,
    section: Option<&str>,
    entries: &[Entry],
) -> Result<LoadedSkill, SkillError> {
    let name = present(name)?;
    let own = read_project_skills(project)
        .into_iter()
        .find(|skill| skill.name == name);
    let text = match own {
        Some(skill) => skill.body,
        None => match BUILT_IN.iter().find(|skill| skill.name == name) {
            Some(skill) => skill.body.to_owned(),
            None => return not_found(project, name),
        },
    };
    let content = match section {
        None => text,
        Some(wanted) => match section_of(&text, wanted) {
            Some(found) => found,
            None => {
                let headings: Vec<&str> = headings(&text).map(|(_, _, title)| title).collect();
                return error(
                    SkillErrorCode::SkillNotFound,
                    format!(
                        "{name} has no section \"{wanted}\"; it has {}",
                        headings.join(", ")
                    ),
                );
            }
        },
    };
    Ok(LoadedSkill {
        related_recipes: related(entries, dimension_of(name)),
        name: name.to_owned(),
        content,
        section: section.map(str::to_owned),
    })
}

/// Writes a new skill of the project.
///
/// # Errors
/// `MISSING_PARAM`, `INVALID_NAME`, `BUILTIN_CONFLICT`, `ALREADY_EXISTS` or
/// `WRITE_ERROR`.
pub fn create_skill(project: &Project, new: &NewSkill<'_>) -> Result<CreatedSkill, SkillError> {
    let name = present(new.name)?;
    check_name(name)?;
    if is_built_in(name) {
        return error(
            SkillErrorCode::BuiltinConflict,
            format!("{name} is a built-in skill; choose another name, for example project-{name}"),
        );
    }
    // What agents hand over often has front matter of its own.
    let given = ProjectSkill::parse(name, new.content);
    let description = if new.description.trim().is_empty() {
        given.description.as_str()
    } else {
        new.description
    };
    if description.trim().is_empty() || given.body.is_empty() {
        return error(
            SkillErrorCode::MissingParam,
            "a skill needs `description` (what it does and when it is used) and `content`",
        );
    }
    let path = path_of(name);
    let exists = project.root().join(&path).exists();
    if exists && !new.overwrite {
        return error(
            SkillErrorCode::AlreadyExists,
            format!("{path} exists; set `overwrite`, or use update"),
        );
    }
    let created_by = match new.created_by {
        "" => "external-ai",
        name => name,
    };
    let text = format!(
        "---\nname: {name}\ndescription: {}\ncreatedBy: {}\n---\n\n{}\n",
        yaml_string(description),
        yaml_string(created_by),
        given.body
    );
    write(project, &path, &text, SkillErrorCode::WriteError)?;
    Ok(CreatedSkill {
        name: name.to_owned(),
        path,
        overwritten: exists,
    })
}

/// Changes a skill of the project; its other front matter stays.
///
/// # Errors
/// `MISSING_PARAM`, `INVALID_NAME`, `BUILTIN_PROTECTED`, `SKILL_NOT_FOUND`,
/// `NOTHING_TO_UPDATE` or `UPDATE_ERROR`.
pub fn update_skill(
    project: &Project,
    name: &str,
    changes: SkillChanges<'_>,
) -> Result<SkillPath, SkillError> {
    let name = own_name(name)?;
    let path = path_of(name);
    let Ok(before) = fs::read_to_string(project.root().join(&path)) else {
        return not_found(project, name);
    };
    let mut text = before.clone();
    if let Some(description) = changes.description.filter(|text| !text.trim().is_empty()) {
        text = with_description(&text, name, description);
    }
    if let Some(content) = changes.content.filter(|text| !text.trim().is_empty()) {
        let body = ProjectSkill::parse(name, content).body;
        let kept = text.len() - body_text(&text).len();
        text = format!("{}\n\n{body}\n", text[..kept].trim_end());
    }
    if text == before {
        return error(
            SkillErrorCode::NothingToUpdate,
            "give a new `description` or `content`",
        );
    }
    write(project, &path, &text, SkillErrorCode::UpdateError)?;
    Ok(SkillPath {
        name: name.to_owned(),
        path,
    })
}

/// Deletes a skill of the project with its folder.
///
/// # Errors
/// `MISSING_PARAM`, `INVALID_NAME`, `BUILTIN_PROTECTED`, `SKILL_NOT_FOUND` or
/// `DELETE_ERROR`.
pub fn delete_skill(project: &Project, name: &str) -> Result<SkillPath, SkillError> {
    let name = own_name(name)?;
    let path = path_of(name);
    let folder = format!("Alembic/skills/{name}");
    let absolute = match project.absolute(&folder) {
        Ok(absolute) => absolute,
        Err(outside) => return error(SkillErrorCode::DeleteError, outside.to_string()),
    };
    let Ok(metadata) = absolute.symlink_metadata() else {
        return not_found(project, name);
    };
    if !metadata.is_dir() {
        return error(
            SkillErrorCode::DeleteError,
            format!("{folder} is not a folder; remove it by hand"),
        );
    }
    // Links below it are removed, not followed.
    match fs::remove_dir_all(&absolute) {
        Ok(()) => Ok(SkillPath {
            name: name.to_owned(),
            path,
        }),
        Err(reason) => error(
            SkillErrorCode::DeleteError,
            format!("cannot delete {folder}: {reason}"),
        ),
    }
}

/// How many settled recipes of one dimension make a skill worth writing.
const ENOUGH: usize = 3;

/// Skills that would gather recipes of a dimension which has none yet.
#[must_use]
pub fn suggest_skills(project: &Project, entries: &[Entry]) -> Vec<SkillSuggestion> {
    let known: Vec<String> = read_project_skills(project)
        .into_iter()
        .map(|skill| skill.name)
        .collect();
    let mut by_dimension: BTreeMap<&str, usize> = BTreeMap::new();
    for entry in entries.iter().filter(|entry| is_settled(&entry.recipe)) {
        if let Some(dimension) = entry.recipe.dimension_id.as_deref() {
            *by_dimension.entry(dimension).or_default() += 1;
        }
    }
    dimension_ids()
        .iter()
        .filter_map(|dimension| {
            let count = *by_dimension.get(dimension)?;
            let name = format!("project-{dimension}");
            (count >= ENOUGH && !known.contains(&name)).then(|| SkillSuggestion {
                reason: format!("{count} recipes of {dimension} and no skill that joins them"),
                related_recipes: related(entries, dimension),
                name,
            })
        })
        .collect()
}

fn present(name: &str) -> Result<&str, SkillError> {
    let name = name.trim();
    if name.is_empty() {
        return error(SkillErrorCode::MissingParam, "`name` is missing");
    }
    Ok(name)
}

fn check_name(name: &str) -> Result<(), SkillError> {
    let well_formed = (3..=64).contains(&name.len())
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.split('-').all(|part| {
            !part.is_empty()
                && part
                    .bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        });
    if well_formed {
        return Ok(());
    }
    error(
        SkillErrorCode::InvalidName,
        format!(
            "\"{name}\" is no name of a skill: use small letters, digits and `-`, 3 to 64 \
             characters, beginning with a letter"
        ),
    )
}

fn is_built_in(name: &str) -> bool {
    BUILT_IN.iter().any(|skill| skill.name == name)
}

/// A name under which a skill of the project may be changed.
fn own_name(name: &str) -> Result<&str, SkillError> {
    let name = present(name)?;
    check_name(name)?;
    if is_built_in(name) {
        return error(
            SkillErrorCode::BuiltinProtected,
            format!("{name} is built in and stays as it is; write a skill of the project instead"),
        );
    }
    Ok(name)
}

fn not_found<T>(project: &Project, name: &str) -> Result<T, SkillError> {
    let names: Vec<String> = list_skills(project)
        .skills
        .into_iter()
        .map(|skill| skill.name)
        .collect();
    error(
        SkillErrorCode::SkillNotFound,
        format!("there is no skill {name}; there are {}", names.join(", ")),
    )
}

fn path_of(name: &str) -> String {
    format!("Alembic/skills/{name}/SKILL.md")
}

fn write(
    project: &Project,
    path: &str,
    text: &str,
    code: SkillErrorCode,
) -> Result<(), SkillError> {
    match write_atomic(project, path, text.as_bytes()) {
        Ok(_) => Ok(()),
        Err(reason) => error(code, reason.to_string()),
    }
}

fn with_description(text: &str, name: &str, description: &str) -> String {
    let value = json!(description.trim());
    let patched = patch_front_matter(text, &[("description", Some(value))])
        .ok()
        .and_then(|edits| apply_edits(text, &edits).ok());
    match patched {
        Some(text) => text,
        None => format!(
            "---\nname: {name}\ndescription: {}\n---\n\n{}",
            yaml_string(description),
            text.trim_start()
        ),
    }
}

/// The text behind the front matter, as it stands.
fn body_text(text: &str) -> &str {
    let mut at = 0;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let is_border = line.trim_start_matches('\u{feff}').trim_end() == "---";
        if index == 0 && !is_border {
            return text;
        }
        at += line.len();
        if index > 0 && is_border {
            return &text[at..];
        }
    }
    text
}

/// The headings outside of code: where they begin, their level and title.
fn headings(text: &str) -> impl Iterator<Item = (usize, usize, &str)> {
    let mut in_code = false;
    let mut at = 0;
    text.split_inclusive('\n').filter_map(move |line| {
        let start = at;
        at += line.len();
        let trimmed = line.trim();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            in_code = !in_code;
        }
        let level = trimmed.chars().take_while(|c| *c == '#').count();
        (!in_code && (1..=6).contains(&level) && trimmed[level..].starts_with(' '))
            .then(|| (start, level, trimmed[level..].trim()))
    })
}

fn section_of(text: &str, wanted: &str) -> Option<String> {
    let wanted = wanted.trim().trim_start_matches('#').trim();
    let all: Vec<(usize, usize, &str)> = headings(text).collect();
    let index = all
        .iter()
        .position(|(_, _, title)| title.eq_ignore_ascii_case(wanted))?;
    let (start, level, _) = all[index];
    let end = all[index + 1..]
        .iter()
        .find(|(_, other, _)| *other <= level)
        .map_or(text.len(), |(at, _, _)| *at);
    Some(text[start..end].trim().to_owned())
}

fn related(entries: &[Entry], subject: &str) -> Vec<String> {
    let mut found: Vec<&Entry> = entries
        .iter()
        .filter(|entry| {
            let recipe = &entry.recipe;
            is_settled(recipe)
                && (recipe.dimension_id.as_deref() == Some(subject)
                    || recipe.category.eq_ignore_ascii_case(subject)
                    || recipe.tags.iter().any(|tag| tag == subject))
        })
        .collect();
    found.sort_by(|a, b| by_rank(a, b));
    found
        .into_iter()
        .take(20)
        .map(|entry| entry.recipe.trigger.clone())
        .collect()
}

#[cfg(test)]
mod tests;
