//! `asd skill`.

use std::io::Read;
use std::path::Path;

use anyhow::{Context, bail};
use asd_delivery::{
    NewSkill, SkillChanges, create_skill, delete_skill, list_skills, load_skill, suggest_skills,
    update_skill,
};
use asd_workspace::delivery::entries;

use crate::Outcome;
use crate::deliver::project_at;
use crate::delivery_args::SkillCommand;
use crate::terminal::Terminal;

pub(crate) fn run(command: &SkillCommand, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    let project = project_at(Path::new("."))?;
    match command {
        SkillCommand::List(options) => {
            let list = list_skills(&project);
            if options.json {
                terminal.json(&list)?;
            } else {
                let width = list.skills.iter().map(|skill| skill.name.len()).max();
                for skill in &list.skills {
                    terminal.line(&format!(
                        "{:width$}  {}",
                        skill.name,
                        skill.description,
                        width = width.unwrap_or(0)
                    ))?;
                }
            }
        }
        SkillCommand::Show(options) => {
            let entries = entries(&project);
            let section = options.section.as_deref();
            let skill = load_skill(&project, &options.name, section, &entries)?;
            if options.json {
                terminal.json(&skill)?;
            } else {
                terminal.line(skill.content.trim_end())?;
            }
        }
        SkillCommand::New(options) => {
            let content = text_of(&options.file)?;
            let created = create_skill(
                &project,
                &NewSkill {
                    name: &options.name,
                    description: &options.description,
                    content: &content,
                    overwrite: options.overwrite,
                    created_by: "manual",
                },
            )?;
            terminal.line(&created.path)?;
        }
        SkillCommand::Update(options) => {
            let content = options.file.as_deref().map(text_of).transpose()?;
            let changes = SkillChanges {
                description: options.description.as_deref(),
                content: content.as_deref(),
            };
            terminal.line(&update_skill(&project, &options.name, changes)?.path)?;
        }
        SkillCommand::Delete(options) => {
            if !options.yes {
                bail!(
                    "this deletes the folder of {}; add --yes to do it",
                    options.name
                );
            }
            terminal.line(&delete_skill(&project, &options.name)?.path)?;
        }
        SkillCommand::Suggest(options) => {
            let suggestions = suggest_skills(&project, &entries(&project));
            if options.json {
                terminal.json(&suggestions)?;
            } else {
                for suggestion in &suggestions {
                    terminal.line(&format!("{}: {}", suggestion.name, suggestion.reason))?;
                }
                if suggestions.is_empty() {
                    terminal.note("No skill is missing.");
                }
            }
        }
    }
    Ok(Outcome::Fine)
}

fn text_of(path: &Path) -> anyhow::Result<String> {
    let mut text = String::new();
    if path == Path::new("-") {
        std::io::stdin()
            .read_to_string(&mut text)
            .context("cannot read stdin")?;
        return Ok(text);
    }
    std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}
