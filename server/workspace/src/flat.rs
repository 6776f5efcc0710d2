//! All violations of a result as one list.

use std::collections::BTreeSet;

use asd_recipe::Severity;

use crate::report::{BatchDetails, Location, Place};

/// A violation at its place; one that lies in several files, at its first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flat<'d> {
    pub(crate) path: &'d str,
    pub(crate) place: Place,
    pub(crate) rule_id: &'d str,
    pub(crate) message: &'d str,
    pub(crate) severity: Severity,
    pub(crate) snippet: &'d str,
    pub(crate) fix_suggestion: &'d str,
    pub(crate) fingerprint: &'d str,
    /// The other places.
    pub(crate) others: &'d [Location],
}

impl<'d> Flat<'d> {
    /// Every file that it lies in.
    pub(crate) fn paths(&self) -> BTreeSet<&'d str> {
        let others = self.others.iter().map(|other| other.file_path.as_str());
        std::iter::once(self.path).chain(others).collect()
    }
}

impl BatchDetails {
    /// Every violation, by file and place; those of several files last.
    pub(crate) fn flat(&self) -> impl Iterator<Item = Flat<'_>> {
        let of_files = self.files.iter().flat_map(|file| {
            file.violations.iter().map(|violation| Flat {
                path: &file.file_path,
                place: violation.place,
                rule_id: &violation.rule_id,
                message: &violation.message,
                severity: violation.severity,
                snippet: &violation.snippet,
                fix_suggestion: &violation.fix_suggestion,
                fingerprint: &violation.fingerprint,
                others: &[],
            })
        });
        let of_several = self.cross_file_violations.iter().filter_map(|violation| {
            let (first, others) = violation.locations.split_first()?;
            Some(Flat {
                path: &first.file_path,
                place: first.place,
                rule_id: &violation.rule_id,
                message: &violation.message,
                severity: violation.severity,
                snippet: &first.snippet,
                fix_suggestion: &violation.fix_suggestion,
                fingerprint: &violation.fingerprint,
                others,
            })
        });
        of_files.chain(of_several)
    }
}
