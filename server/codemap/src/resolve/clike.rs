//! Includes of C, C++ and Objective-C.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::{Meaning, Resolver};
use crate::facts::{Import, ImportStyle};
use crate::map::FileId;
use crate::path::{folder, join, name};

impl Resolver<'_> {
    pub(super) fn include(&self, file: FileId, import: &Import) -> Option<Meaning> {
        let path = self.files.path(file);
        let written = import.module.as_str();
        if import.style == ImportStyle::Quoted
            && let Some(found) = join(folder(path), written).and_then(|path| self.files.at(&path))
        {
            return Some(Meaning::File(found));
        }
        let in_folders = self
            .layout
            .include_folders
            .iter()
            .filter_map(|folder| self.files.at(&join(folder, written)?))
            .max_by_key(|found| common_prefix(self.files.path(*found), path));
        if let Some(found) = in_folders {
            return Some(Meaning::File(found));
        }
        // Build systems that are not read have folders of their own: the one
        // file whose path ends like this, the nearest when there are several.
        let suffix = format!(
            "/{}",
            written.trim_start_matches("../").trim_start_matches("./")
        );
        let candidates: Vec<FileId> = self
            .layout
            .by_name
            .get(name(written))
            .into_iter()
            .flatten()
            .copied()
            .filter(|found| {
                self.files.path(*found).ends_with(&suffix)
                    || self.files.path(*found) == &suffix[1..]
            })
            .collect();
        let system = import.style == ImportStyle::System;
        let found = match candidates.as_slice() {
            [only] if !system || written.contains('/') => Some(*only),
            [] | [_] => None,
            several if !system => several
                .iter()
                .copied()
                .max_by_key(|found| common_prefix(self.files.path(*found), path)),
            _ => None,
        };
        match found {
            Some(found) => Some(Meaning::File(found)),
            None if system => Some(Meaning::External),
            None => None,
        }
    }

    /// Every file that a file includes, also through others.
    pub(super) fn included(&self, file: FileId) -> Rc<BTreeSet<FileId>> {
        if let Some(known) = self.closures.borrow().get(&file) {
            return Rc::clone(known);
        }
        let closure = Rc::new(self.include_closure(file));
        self.closures.borrow_mut().insert(file, Rc::clone(&closure));
        closure
    }

    fn include_closure(&self, file: FileId) -> BTreeSet<FileId> {
        let mut seen = BTreeSet::new();
        let mut open = vec![file];
        while let Some(file) = open.pop() {
            if !seen.insert(file) {
                continue;
            }
            for meaning in self.modules[file.0 as usize].iter().flatten() {
                if let Meaning::File(next) = meaning {
                    open.push(*next);
                }
            }
        }
        seen
    }
}

/// The number of folders that two paths share.
fn common_prefix(one: &str, other: &str) -> usize {
    one.split('/')
        .zip(other.split('/'))
        .take_while(|(a, b)| a == b)
        .count()
}
