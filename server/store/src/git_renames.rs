//! What became of files that are not there any more, as far as git knows.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::Git;

/// A file may have been renamed so many times in a row.
const MOST_ROUNDS: usize = 5;
/// More paths than this are not asked for at once: a command line has an end.
const MOST_PATHS: usize = 500;
/// Files that git does not track yet and that are compared with one that is
/// gone.
const MOST_NEW: usize = 500;

/// Where a file went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renamed {
    /// Its path now, project-relative with `/`.
    pub to: String,
    /// What names its text before, for [`Git::contents`].
    pub before: String,
}

impl Git {
    /// What these paths, which are missing, were renamed to, by path: in the
    /// history, in what is staged, or in a file with the same content that is
    /// not tracked yet. Paths that nothing is known of are not in it; of more
    /// than 500 only the first are looked for.
    #[must_use]
    pub fn renames(&self, missing: &BTreeSet<String>) -> BTreeMap<String, Renamed> {
        let mut found = BTreeMap::new();
        // Which of the wanted paths goes by which name at present.
        let mut open: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for path in missing
            .iter()
            .filter(|path| is_plain(path))
            .take(MOST_PATHS)
        {
            open.entry(path.clone()).or_default().insert(path.clone());
        }
        let mut first: BTreeMap<String, String> = BTreeMap::new();
        for _ in 0..MOST_ROUNDS {
            if open.is_empty() {
                break;
            }
            let names: Vec<&str> = open.keys().map(String::as_str).collect();
            let steps = self.one_step(&names);
            let mut next: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
            for (name, wanted) in open {
                let Some(step) = steps.get(&name) else {
                    continue;
                };
                for path in wanted {
                    let before = first
                        .entry(path.clone())
                        .or_insert_with(|| step.before.clone());
                    if self.root().join(&step.to).exists() {
                        let renamed = Renamed {
                            to: step.to.clone(),
                            before: before.clone(),
                        };
                        found.insert(path, renamed);
                    } else {
                        next.entry(step.to.clone()).or_default().insert(path);
                    }
                }
            }
            open = next;
        }
        found
    }

    /// The next name of each path.
    fn one_step(&self, names: &[&str]) -> BTreeMap<String, Renamed> {
        let mut steps = self.staged_renames();
        steps.retain(|from, _| names.contains(&from.as_str()));
        let rest: Vec<&str> = names
            .iter()
            .copied()
            .filter(|name| !steps.contains_key(*name))
            .collect();
        if rest.is_empty() {
            return steps;
        }
        steps.extend(self.unstaged_moves(&rest));
        let commits = self.deletions(&rest);
        let by_commit: BTreeSet<&String> = commits.values().collect();
        for commit in by_commit {
            for (from, to) in self.renames_of(&["show", "--format=", commit]) {
                if commits.get(&from) == Some(commit) {
                    let before = format!("{commit}^:./{from}");
                    steps.entry(from).or_insert(Renamed { to, before });
                }
            }
        }
        steps
    }

    fn staged_renames(&self) -> BTreeMap<String, Renamed> {
        self.renames_of(&["diff", "HEAD"])
            .into_iter()
            .map(|(from, to)| {
                let before = format!("HEAD:./{from}");
                (from, Renamed { to, before })
            })
            .collect()
    }

    /// Files that were moved without git being told: a new one has the very
    /// content of the missing one.
    fn unstaged_moves(&self, names: &[&str]) -> BTreeMap<String, Renamed> {
        let mut command = vec!["ls-files", "--stage", "-z", "--"];
        command.extend(names);
        let Ok(listed) = self.names(&command) else {
            return BTreeMap::new();
        };
        // `mode object stage\tpath`
        let gone: BTreeMap<&str, &str> = listed
            .iter()
            .filter_map(|line| {
                let (head, path) = line.split_once('\t')?;
                Some((head.split(' ').nth(1)?, path))
            })
            .collect();
        if gone.is_empty() {
            return BTreeMap::new();
        }
        let mut new = self.untracked().unwrap_or_default();
        new.truncate(MOST_NEW);
        if new.is_empty() {
            return BTreeMap::new();
        }
        let mut command = vec!["hash-object", "--"];
        command.extend(new.iter().map(String::as_str));
        let Ok(hashes) = self.run(&command) else {
            return BTreeMap::new();
        };
        let hashes = String::from_utf8_lossy(&hashes).into_owned();
        hashes
            .lines()
            .zip(&new)
            .filter_map(|(hash, to)| {
                let from = *gone.get(hash)?;
                let renamed = Renamed {
                    to: to.clone(),
                    before: hash.to_owned(),
                };
                Some((from.to_owned(), renamed))
            })
            .collect()
    }

    /// The newest commit that removed each path.
    fn deletions(&self, names: &[&str]) -> BTreeMap<String, String> {
        let mut command = vec![
            "log",
            "--relative",
            "--no-color",
            "--no-renames",
            "--diff-filter=D",
            "--name-only",
            "--format=%x01%H",
            "-z",
            "--",
        ];
        command.extend(names);
        let mut found = BTreeMap::new();
        let mut commit = String::new();
        for field in self.names(&command).unwrap_or_default() {
            if let Some(hash) = field.trim_start().strip_prefix('\u{1}') {
                commit = hash.trim().to_owned();
            } else if !commit.is_empty() {
                let path = field.trim_start_matches('\n').to_owned();
                found.entry(path).or_insert_with(|| commit.clone());
            }
        }
        found
    }

    /// The renames of one difference, from and to.
    fn renames_of(&self, difference: &[&str]) -> Vec<(String, String)> {
        let (name, rest) = difference.split_first().unwrap_or((&"diff", &[]));
        let mut command = vec![*name];
        command.extend(crate::git::DIFF);
        command.extend(["-M", "--diff-filter=R", "--name-status", "-z"]);
        command.extend(rest);
        let mut fields = self.names(&command).unwrap_or_default().into_iter();
        let mut found = Vec::new();
        while let (Some(_status), Some(from), Some(to)) =
            (fields.next(), fields.next(), fields.next())
        {
            found.push((from, to));
        }
        found
    }
}

/// Whether a path is one that git can be asked for.
fn is_plain(path: &str) -> bool {
    !path.is_empty()
        && !path.starts_with([':', '-', '/'])
        && !path.contains(['*', '?', '['])
        && !Path::new(path)
            .components()
            .any(|part| matches!(part, std::path::Component::ParentDir))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    struct Repository(tempfile::TempDir);

    impl Repository {
        fn new() -> Self {
            let repository = Self(tempfile::tempdir().unwrap());
            repository.git(&["init", "-q"]);
            repository
        }

        fn git(&self, arguments: &[&str]) {
            let done = Command::new("git")
                .current_dir(self.0.path())
                .args(["-c", "user.name=t", "-c", "user.email=t@t"])
                .args(arguments)
                .output()
                .unwrap();
            assert!(done.status.success(), "{done:?}");
        }

        fn write(&self, rel: &str, text: &str) {
            let path = self.0.path().join(rel);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }

        fn commit(&self) {
            self.git(&["add", "-A"]);
            self.git(&["commit", "-qm", "x"]);
        }

        fn renames(&self, below: &str, paths: &[&str]) -> BTreeMap<String, Renamed> {
            let git = Git::open(&self.0.path().join(below)).unwrap();
            git.renames(&paths.iter().map(|path| (*path).to_owned()).collect())
        }
    }

    const TEXT: &str = "one\ntwo\nthree\nfour\nfive\n";

    #[test]
    fn a_file_is_followed_through_all_its_names() {
        let repository = Repository::new();
        repository.write("p/a/x.ts", TEXT);
        repository.write("p/gone.ts", "something else altogether\n");
        repository.commit();
        repository.git(&["mv", "p/a/x.ts", "p/y.ts"]);
        repository.commit();
        std::fs::remove_file(repository.0.path().join("p/gone.ts")).unwrap();
        repository.write("p/z/z.ts", &format!("{TEXT}six\n"));
        std::fs::remove_file(repository.0.path().join("p/y.ts")).unwrap();
        repository.commit();
        let found = repository.renames("p", &["a/x.ts", "gone.ts", "never.ts", "../a", "*"]);
        let names: Vec<(&str, &str)> = found
            .iter()
            .map(|(from, renamed)| (from.as_str(), renamed.to.as_str()))
            .collect();
        assert_eq!(names, [("a/x.ts", "z/z.ts")]);
        let git = Git::open(&repository.0.path().join("p")).unwrap();
        let before = git.contents(&[&found["a/x.ts"].before]).unwrap();
        assert_eq!(before, [Some(TEXT.as_bytes().to_vec())]);
    }

    #[test]
    fn a_move_that_is_not_committed_is_seen_too() {
        let repository = Repository::new();
        repository.write("a.ts", TEXT);
        repository.write("b.ts", "completely different\n");
        repository.commit();
        repository.git(&["mv", "a.ts", "staged.ts"]);
        let to = repository.0.path().join("moved.ts");
        std::fs::rename(repository.0.path().join("b.ts"), to).unwrap();
        let found = repository.renames("", &["a.ts", "b.ts"]);
        assert_eq!(found["a.ts"].to, "staged.ts");
        assert_eq!(found["b.ts"].to, "moved.ts");
        let git = Git::open(repository.0.path()).unwrap();
        let before = git.contents(&[&found["b.ts"].before]).unwrap();
        assert_eq!(before, [Some(b"completely different\n".to_vec())]);
    }
}
