//! Rules that were stopped on some text because they took too long. Their
//! authors are told in the recipe, until the rules change.

use std::collections::BTreeMap;

use asd_guard::{FileReport, RuleOrigin};
use asd_recipe::{Problem, ProblemCode, Severity};
use asd_text::Span;

use crate::project::Project;
use crate::server::Server;
use crate::session::{Session, key_of_folder};

/// The stopped rules of one folder.
#[derive(Debug, Default)]
pub(crate) struct Quarantine {
    /// By recipe path and rule id: the guard, and the file it was stopped on.
    stopped: BTreeMap<(String, String), (Span, String)>,
}

impl Quarantine {
    /// Says whether the rule was not known to be slow.
    fn insert(&mut self, recipe: &str, rule: &str, guard: Span, file: &str) -> bool {
        self.stopped
            .insert(
                (recipe.to_owned(), rule.to_owned()),
                (guard, file.to_owned()),
            )
            .is_none()
    }

    /// The recipes concerned.
    pub(crate) fn recipes(&self) -> impl Iterator<Item = &str> {
        self.stopped.keys().map(|(recipe, _)| recipe.as_str())
    }

    /// What to tell in a recipe.
    pub(crate) fn problems(&self, recipe: &str) -> Vec<Problem> {
        self.stopped
            .iter()
            .filter(|((path, _), _)| path == recipe)
            .map(|((_, rule), (guard, file))| Problem {
                span: *guard,
                severity: Severity::Error,
                code: ProblemCode::Quarantined,
                message: format!(
                    "The guard `{rule}` took too long on {file} and was stopped there. Write \
                     the pattern without nested repetitions or look-around."
                ),
                fix: None,
            })
            .collect()
    }
}

impl Server {
    /// Takes note of the rules that a check had to stop.
    pub(crate) fn note_stopped_rules(
        &self,
        session: &mut Session,
        project: &Project,
        report: &FileReport,
        file: &str,
    ) {
        let rules = project.state.rules().rules();
        let mut news = false;
        let key = key_of_folder(&project.uri);
        for id in &report.quarantined {
            let Some(rule) = rules.iter().find(|rule| rule.id == *id) else {
                continue;
            };
            let RuleOrigin::Recipe(recipe) = &rule.origin else {
                continue;
            };
            let Some(folder) = session.folder_mut(&key) else {
                return;
            };
            let stopped = &mut folder.quarantine;
            if stopped.insert(&recipe.path, id, recipe.guard_span, file) {
                tracing::warn!("the guard {id} took too long on {file} and was stopped");
                news = true;
            }
        }
        if !news {
            return;
        }
        session.quarantined += 1;
        self.schedule_sweep(session, &key);
        let open: Vec<_> = session
            .documents
            .values()
            .filter(|document| {
                session
                    .knowledge_at(document.path.as_deref())
                    .iter()
                    .any(|(folder, _)| *folder == key)
            })
            .map(|document| document.key.clone())
            .collect();
        for document in open {
            self.schedule_check(session, &document);
        }
    }
}
