//! A candidate is approved or rejected where it is read.

use asd_knowledge::lifecycle::{Goal, Move, MoveTrigger, NamedAction};
use asd_recipe::{Home, Lifecycle, parse};
use asd_store::{Git, KnowledgeStore, MAX_FILE, Project, read_text_up_to};
use serde::Deserialize;
use serde_json::{Value, json};
use tower_lsp_server::jsonrpc::{Error, Result};
use tower_lsp_server::ls_types::{LSPAny, Uri};

use crate::server::Server;

/// What a person says of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Judgement {
    Approve,
    Reject,
}

/// `asd.judgeCandidate`: which candidate, and the judgement.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct JudgeCandidate {
    uri: Uri,
    verdict: Judgement,
}

/// What came of a judgement: the recipe's file, or why nothing was done.
type Judged = std::result::Result<(String, &'static str), String>;

impl Server {
    /// `asd.judgeCandidate`: moves the candidate on, and opens it where it is
    /// then.
    pub(crate) async fn judge_candidate_command(
        &self,
        arguments: &[Value],
    ) -> Result<Option<LSPAny>> {
        let wanted = match arguments {
            [object] => JudgeCandidate::deserialize(object).map_err(|error| error.to_string()),
            _ => Err("one object is needed".to_owned()),
        }
        .map_err(|why| {
            Error::invalid_params(format!(
                "asd.judgeCandidate takes an object with `uri` and `verdict` (\"approve\" or \"reject\"): {why}"
            ))
        })?;
        let place = {
            let session = self.session();
            crate::uri::to_path(&wanted.uri)
                .and_then(|path| session.folder_of(&path))
                .map(|(folder, path)| (folder.key.clone(), folder.root.clone(), path))
        };
        let Some((key, root, path)) = place else {
            return Err(Error::invalid_params(format!(
                "asd.judgeCandidate: `{}` is in no workspace folder",
                wanted.uri.as_str()
            )));
        };
        let snapshot = self.snapshot_for_request().await;
        let shown = snapshot
            .document(&wanted.uri)
            .map(|view| view.text().text.clone());
        let before = path.clone();
        let judged = self.runtime().spawn_blocking(move || {
            judge(&Project::at(&root), &path, shown.as_deref(), wanted.verdict)
                .map(|(to, state)| (to, state, root))
        });
        let (to, state, root) = match judged.await {
            Ok(Ok(done)) => done,
            Ok(Err(why)) => {
                self.say(&format!("Alembic: nothing was changed: {why}"));
                return Ok(None);
            }
            Err(_) => return Err(Error::internal_error()),
        };
        {
            let mut session = self.session();
            let changed = [before, to.clone()];
            self.schedule_load(&mut session, &key, |pending| {
                pending.files.extend(changed);
            });
        }
        let uri = crate::uri::from_path(&root.join(&to));
        if let Some(uri) = &uri {
            self.show_document(uri.clone(), None);
        }
        self.say(&format!("Alembic: the candidate is {state} now: {to}."));
        Ok(Some(json!({
            "uri": uri.as_ref().map(|uri| uri.as_str()),
            "path": to,
            "lifecycle": state,
        })))
    }
}

fn judge(project: &Project, path: &str, shown: Option<&str>, judgement: Judgement) -> Judged {
    let at = project.absolute(path).map_err(|error| error.to_string())?;
    let on_disk = read_text_up_to(&asd_store::Disk, &at, MAX_FILE)
        .map_err(|error| format!("{path} cannot be read: {error}"))?;
    let text: &str = &on_disk.text;
    if shown.is_some_and(|shown| shown != text) {
        return Err(format!(
            "{path} has changes that are not saved; save it first"
        ));
    }
    let recipe = parse(text, Home::Candidates)
        .recipe
        .filter(|recipe| recipe.lifecycle == Lifecycle::Pending)
        .ok_or_else(|| format!("{path} is not a recipe that awaits review"))?;
    let store = KnowledgeStore::new(project, &[]);
    store.reconcile().map_err(|error| error.to_string())?;
    let goal = match judgement {
        Judgement::Approve => Goal::Action(NamedAction::Stage),
        Judgement::Reject => Goal::State(Lifecycle::Deprecated),
    };
    let mut wish = Move::new(goal, MoveTrigger::Manual);
    wish.by = Git::open(project.root()).ok().and_then(|git| git.user());
    let name = recipe.id.as_deref().unwrap_or(&recipe.trigger);
    let moved = store
        .transition(name, &wish)
        .map_err(|error| error.to_string())?;
    Ok((moved.written.path, moved.transition.to.name()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CANDIDATE: &str = "---\nid: c1\ntitle: Names end in Field\ntrigger: \"@names\"\nlifecycle: pending\nlanguage: python\nwhen: A field\ndo: End its name in Field\ndont: End it otherwise\n---\n\n## Description\n\nSeen in `app/a.py`.\n";
    const PATH: &str = "Alembic/candidates/general/names.md";

    fn project() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(PATH);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::create_dir_all(folder.path().join("Alembic/recipes")).unwrap();
        std::fs::write(file, CANDIDATE).unwrap();
        folder
    }

    #[test]
    fn an_approved_candidate_enters_its_grace_period() {
        let folder = project();
        let project = Project::at(folder.path());
        let (path, state) = judge(&project, PATH, Some(CANDIDATE), Judgement::Approve).unwrap();
        assert_eq!(state, "staging");
        let text = std::fs::read_to_string(folder.path().join(&path)).unwrap();
        assert!(text.contains("lifecycle: staging"), "{text}");
        let again = judge(&project, &path, None, Judgement::Approve).unwrap_err();
        assert!(again.contains("not a recipe that awaits review"), "{again}");
    }

    #[test]
    fn a_rejected_candidate_is_retired() {
        let folder = project();
        let (_, state) = judge(&Project::at(folder.path()), PATH, None, Judgement::Reject).unwrap();
        assert_eq!(state, "deprecated");
    }

    #[test]
    fn what_is_not_saved_is_not_judged() {
        let folder = project();
        let why = judge(
            &Project::at(folder.path()),
            PATH,
            Some("---\n"),
            Judgement::Approve,
        )
        .unwrap_err();
        assert!(why.contains("save it first"), "{why}");
        assert!(folder.path().join(PATH).exists());
    }
}
