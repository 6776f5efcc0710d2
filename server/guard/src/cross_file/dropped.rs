//! Findings of a single Go file that its package takes back: the function whose
//! last result is thrown away is declared in another file, and that result is no
//! error.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use asd_text::Span;

use super::FileFacts;
use super::facts::Dropped;

/// The rule whose findings are taken back.
pub(super) const RULE: &str = "go-no-err-ignored";

/// Methods that every second type has. What the package's own types say of them
/// says nothing of a file or a connection.
const EVERYWHERE: &[&str] = &[
    "Close",
    "Copy",
    "Decode",
    "Encode",
    "Flush",
    "Parse",
    "Read",
    "Scan",
    "Seek",
    "Set",
    "Sync",
    "Write",
    "WriteString",
];

/// For each name and count of results in a package: whether any may fail.
type Declared<'f> = BTreeMap<(&'f str, &'f str, &'f str, u32), bool>;

/// The places of `_` that throw no error away, by file.
pub(super) fn harmless(files: &[(Arc<str>, Arc<FileFacts>)]) -> BTreeSet<(Arc<str>, Span)> {
    let mut declared = Declared::new();
    for (path, facts) in files {
        let Some(package) = facts.package.as_deref() else {
            continue;
        };
        for one in &facts.results {
            let key = (folder(path), package, &*one.name, one.count);
            *declared.entry(key).or_default() |= one.may_fail;
        }
    }
    let mut harmless = BTreeSet::new();
    for (path, facts) in files {
        let Some(package) = facts.package.as_deref() else {
            continue;
        };
        for dropped in &facts.dropped {
            if may_fail(&declared, folder(path), package, dropped) == Some(false) {
                harmless.insert((path.clone(), dropped.at.into()));
            }
        }
    }
    harmless
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// What the project says of a function or method; `None` when nothing.
fn may_fail(
    declared: &Declared<'_>,
    folder: &str,
    package: &str,
    dropped: &Dropped,
) -> Option<bool> {
    let is_common = dropped.count < 2 && EVERYWHERE.contains(&&*dropped.name);
    if is_common && !dropped.of.is_empty() {
        return None;
    }
    let own = declared
        .get(&(folder, package, &*dropped.name, dropped.count))
        .copied();
    own.or_else(|| {
        // `package.Function`: packages of that name must agree.
        let mut answers = declared
            .iter()
            .filter(|((_, package, name, count), _)| {
                **package == *dropped.of && **name == *dropped.name && *count == dropped.count
            })
            .map(|(_, may_fail)| *may_fail);
        let first = answers.next()?;
        answers.all(|other| other == first).then_some(first)
    })
}
