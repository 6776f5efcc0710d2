//! What the files say against what the rows say, and what follows. Pure.

use std::collections::{BTreeMap, HashMap};

use asd_knowledge::lifecycle::home_of;
use asd_recipe::{Home, Lifecycle, trigger_key};

use super::facts::{Facts, FileFacts};
use super::rows::{RowFacts, is_provisional};

/// How long the row of a file that is gone is kept, in milliseconds.
const KEPT: i64 = 30 * 86_400_000;

/// Which rows are written anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rewrite {
    /// Those that say something else than their file.
    Differing,
    /// Every one.
    All,
}

/// What is done about the rows.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Plan {
    /// Rows to write, as indices of the files.
    pub(crate) puts: Vec<Put>,
    /// Rows whose only news is which recipe has their trigger already.
    pub(crate) conflicts: Vec<(String, Option<String>)>,
    /// Rows whose file is gone, with the state that they had.
    pub(crate) gone: Vec<(String, Lifecycle)>,
    /// Rows that are removed: long gone, or of a file that has an id now.
    pub(crate) removed: Vec<String>,
    /// How many of those were long gone.
    pub(crate) purged: usize,
    /// How many files say what their row says.
    pub(crate) unchanged: usize,
    /// Files that another one stands before.
    pub(crate) disputes: Vec<Dispute>,
}

/// A row to write.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Put {
    pub(crate) file: usize,
    pub(crate) row_id: String,
    pub(crate) conflict: Option<String>,
    /// The state that the row had; `None` for a new row.
    pub(crate) before: Option<Lifecycle>,
}

/// Two files that want to be the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Dispute {
    /// The one that has to give way, as an index of the files.
    pub(crate) file: usize,
    /// The path of the other.
    pub(crate) other: String,
    pub(crate) about: About,
}

/// What two files dispute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum About {
    /// The id.
    Id,
    /// The trigger.
    Trigger,
}

/// For each id the file that has it; the others with that id are disputed.
pub(crate) fn winners(files: &[FileFacts]) -> (BTreeMap<String, usize>, Vec<Dispute>) {
    let mut of_id: BTreeMap<String, usize> = BTreeMap::new();
    let mut disputes = Vec::new();
    for (index, file) in files.iter().enumerate() {
        let Some(id) = file.row_id() else { continue };
        let Some(&other) = of_id.get(&id) else {
            of_id.insert(id, index);
            continue;
        };
        let (winner, loser) = if precedence(file) > precedence(&files[other]) {
            of_id.insert(id, index);
            (index, other)
        } else {
            (other, index)
        };
        disputes.push(Dispute {
            file: loser,
            other: files[winner].place.rel.clone(),
            about: About::Id,
        });
    }
    (of_id, disputes)
}

/// The newest; of two that are equally new, the one in the folder that its state
/// belongs to. Files come in the order of their paths, so the first one stays.
fn precedence(file: &FileFacts) -> (Option<i64>, bool) {
    let facts = file.content.as_ref().ok();
    (
        facts.and_then(|facts| facts.updated_at),
        facts.is_some_and(|facts| misplaced(file, facts).is_none()),
    )
}

/// The folder that a file belongs to, when it is in the other one.
pub(crate) fn misplaced(file: &FileFacts, facts: &Facts) -> Option<Home> {
    let home = home_of(facts.lifecycle);
    (facts.states_lifecycle && home != file.place.home()).then_some(home)
}

/// Compares files, in the order of their paths, with rows by id. `now` is in
/// milliseconds.
pub(crate) fn plan(
    files: &[FileFacts],
    rows: &HashMap<String, RowFacts>,
    rewrite: Rewrite,
    now: i64,
) -> Plan {
    let (winners, disputes) = winners(files);
    let mut plan = Plan {
        disputes,
        ..Plan::default()
    };
    let triggers = triggers(files, &winners, &mut plan.disputes);
    for (id, &index) in &winners {
        let file = &files[index];
        let conflict = triggers.get(&index).cloned();
        match rows.get(id) {
            Some(row) if rewrite == Rewrite::Differing && says_the_same(row, file) => {
                plan.unchanged += 1;
                if row.conflict != conflict {
                    plan.conflicts.push((id.clone(), conflict));
                }
            }
            row => plan.puts.push(Put {
                file: index,
                row_id: id.clone(),
                conflict,
                before: row.map(|row| row.lifecycle),
            }),
        }
    }
    lost(files, rows, &winners, now, &mut plan);
    plan
}

fn says_the_same(row: &RowFacts, file: &FileFacts) -> bool {
    let Ok(facts) = &file.content else {
        return true;
    };
    row.removed_at.is_none()
        && row.hash == file.hash
        && row.updated_at == facts.updated_at
        && row.path.as_deref() == Some(&file.place.rel)
        // A state that is not stated follows from the folder.
        && row.lifecycle == facts.lifecycle
}

/// For each file whose trigger another one has already, the path of that one.
fn triggers(
    files: &[FileFacts],
    winners: &BTreeMap<String, usize>,
    disputes: &mut Vec<Dispute>,
) -> HashMap<usize, String> {
    let mut order: Vec<usize> = winners.values().copied().collect();
    order.sort_unstable();
    let mut first: HashMap<String, usize> = HashMap::new();
    let mut later = HashMap::new();
    for index in order {
        let Ok(facts) = &files[index].content else {
            continue;
        };
        let key = trigger_key(&facts.trigger);
        // A retired recipe claims nothing.
        if key.is_empty() || facts.lifecycle == Lifecycle::Deprecated {
            continue;
        }
        if let Some(&other) = first.get(&key) {
            let other = files[other].place.rel.clone();
            disputes.push(Dispute {
                file: index,
                other: other.clone(),
                about: About::Trigger,
            });
            later.insert(index, other);
        } else {
            first.insert(key, index);
        }
    }
    later
}

/// Rows that no file answers to.
fn lost(
    files: &[FileFacts],
    rows: &HashMap<String, RowFacts>,
    winners: &BTreeMap<String, usize>,
    now: i64,
    plan: &mut Plan,
) {
    // A file that cannot be read at the moment is not gone.
    let broken: Vec<&str> = files
        .iter()
        .filter(|file| file.content.is_err())
        .map(|file| file.place.rel.as_str())
        .collect();
    let mut ids: Vec<&String> = rows
        .keys()
        .filter(|id| !winners.contains_key(*id))
        .collect();
    ids.sort();
    for id in ids {
        let row = &rows[id];
        let is_broken = row
            .path
            .as_deref()
            .is_some_and(|path| broken.binary_search(&path).is_ok());
        if is_broken {
            continue;
        }
        match row.removed_at {
            _ if is_provisional(id) => plan.removed.push(id.clone()),
            Some(removed) if now.saturating_sub(removed) > KEPT => {
                plan.removed.push(id.clone());
                plan.purged += 1;
            }
            Some(_) => {}
            None => plan.gone.push((id.clone(), row.lifecycle)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::Project;
    use crate::knowledge::facts::{Stamp, facts_of};

    const DAY: i64 = 86_400_000;

    /// Files by their paths below `Alembic/`, with front-matter lines.
    fn files(texts: &[(&str, &str)]) -> Vec<FileFacts> {
        let project = Project::at(Path::new("/p"));
        let mut files: Vec<FileFacts> = texts
            .iter()
            .map(|(path, front)| {
                let path = project.knowledge().join(path);
                let place = crate::recipe_at(&project, &[], &path).unwrap();
                let text = format!("---\n{front}\n---\n");
                facts_of(&place, Stamp::default(), &text)
            })
            .collect();
        files.sort_by(|a, b| a.place.rel.cmp(&b.place.rel));
        files
    }

    fn row_of(file: &FileFacts) -> RowFacts {
        let facts = file.content.as_ref().unwrap();
        RowFacts {
            hash: file.hash.clone(),
            updated_at: facts.updated_at,
            path: Some(file.place.rel.clone()),
            lifecycle: facts.lifecycle,
            conflict: None,
            removed_at: None,
        }
    }

    fn rows(files: &[FileFacts]) -> HashMap<String, RowFacts> {
        let of_file = |file: &FileFacts| Some((file.row_id()?, row_of(file)));
        files.iter().filter_map(of_file).collect()
    }

    fn put_ids(plan: &Plan) -> Vec<&str> {
        plan.puts.iter().map(|put| put.row_id.as_str()).collect()
    }

    #[test]
    fn a_file_without_a_row_is_new_and_one_that_says_the_same_is_not() {
        let files = files(&[("recipes/a.md", "id: a"), ("recipes/b.md", "id: b")]);
        let known = rows(&files[..1]);
        let plan = plan(&files, &known, Rewrite::Differing, 0);
        assert_eq!(put_ids(&plan), ["b"]);
        assert_eq!(plan.unchanged, 1);
    }

    #[test]
    fn another_hash_another_time_another_place_or_state_is_news() {
        let files = files(&[("recipes/a.md", "id: a\nupdatedAt: 5")]);
        let row = row_of(&files[0]);
        for other in [
            RowFacts {
                hash: "x".to_owned(),
                ..row.clone()
            },
            RowFacts {
                updated_at: Some(4),
                ..row.clone()
            },
            RowFacts {
                path: Some("Alembic/recipes/b.md".to_owned()),
                ..row.clone()
            },
            RowFacts {
                lifecycle: Lifecycle::Staging,
                ..row.clone()
            },
            RowFacts {
                removed_at: Some(1),
                ..row.clone()
            },
        ] {
            let plan = plan(
                &files,
                &HashMap::from([("a".to_owned(), other)]),
                Rewrite::Differing,
                0,
            );
            assert_eq!(put_ids(&plan), ["a"]);
        }
        let all = plan(&files, &rows(&files), Rewrite::All, 0);
        assert_eq!(put_ids(&all), ["a"]);
    }

    #[test]
    fn the_newest_of_two_files_has_the_id() {
        let files = files(&[
            ("recipes/a.md", "id: x\nupdatedAt: 5"),
            ("recipes/b.md", "id: x\nupdatedAt: 9"),
            ("recipes/c.md", "id: x"),
        ]);
        let (winners, disputes) = winners(&files);
        assert_eq!(winners["x"], 1);
        let losers: Vec<usize> = disputes.iter().map(|dispute| dispute.file).collect();
        assert_eq!(losers, [0, 2]);
    }

    #[test]
    fn of_two_equal_files_the_one_in_the_right_folder_has_the_id() {
        let front = "id: x\nupdatedAt: 5\nlifecycle: active";
        let files = files(&[("candidates/a.md", front), ("recipes/a.md", front)]);
        assert_eq!(winners(&files).0["x"], 1);
    }

    #[test]
    fn the_first_file_keeps_a_trigger_and_a_retired_one_claims_none() {
        let files = files(&[
            (
                "recipes/a.md",
                "id: a\ntrigger: \"@t\"\nlifecycle: deprecated",
            ),
            ("recipes/b.md", "id: b\ntrigger: \"@T\""),
            ("recipes/c.md", "id: c\ntrigger: \"@t\""),
        ]);
        let plan = plan(&files, &rows(&files), Rewrite::Differing, 0);
        assert_eq!(
            plan.conflicts,
            [("c".to_owned(), Some("Alembic/recipes/b.md".to_owned()))]
        );
        assert_eq!(plan.disputes.len(), 1);
    }

    #[test]
    fn a_row_without_a_file_is_kept_for_thirty_days() {
        let files = files(&[("recipes/a.md", "id: a"), ("recipes/b.md", "id: b")]);
        let mut known = rows(&files);
        let plan_at =
            |known: &HashMap<_, _>, now| plan(&files[..1], known, Rewrite::Differing, now);
        assert_eq!(
            plan_at(&known, 0).gone,
            [("b".to_owned(), Lifecycle::Active)]
        );
        known.get_mut("b").unwrap().removed_at = Some(0);
        assert_eq!(
            plan_at(&known, 30 * DAY),
            Plan {
                unchanged: 1,
                ..Plan::default()
            }
        );
        let later = plan_at(&known, 31 * DAY);
        assert_eq!(
            (later.removed.as_slice(), later.purged),
            (&["b".to_owned()][..], 1)
        );
    }

    #[test]
    fn a_file_that_cannot_be_read_keeps_its_row() {
        let before = files(&[("recipes/a.md", "id: a")]);
        let broken = files(&[("recipes/a.md", "id: a\ntitle: [")]);
        assert!(broken[0].content.is_err());
        let plan = plan(&broken, &rows(&before), Rewrite::Differing, 0);
        assert_eq!(plan, Plan::default());
    }

    #[test]
    fn the_row_of_a_file_without_an_id_goes_when_it_has_one() {
        let before = files(&[("recipes/a.md", "title: T")]);
        assert_eq!(
            before[0].row_id().as_deref(),
            Some("file:Alembic/recipes/a.md")
        );
        let after = files(&[("recipes/a.md", "id: a\ntitle: T")]);
        let plan = plan(&after, &rows(&before), Rewrite::Differing, 0);
        assert_eq!(put_ids(&plan), ["a"]);
        assert_eq!(plan.removed, ["file:Alembic/recipes/a.md"]);
        assert!(plan.gone.is_empty());
    }
}
