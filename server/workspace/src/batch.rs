use std::cmp::Reverse;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use asd_guard::{
    Cancelled, CapabilityReport, FileFacts, FileReport, Finding, SkippedCheck, Target, Uncertain,
};
use asd_store::{FileEntry, Skipped, read_text};
use asd_syntax::{Language, is_test_path};
use rayon::prelude::*;

use crate::capability::{Sum, of_left_out, of_unreadable};
use crate::check_cache::CheckCache;
use crate::{FoundAcross, ProjectState};

/// How far a check of many files has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Files that are done.
    pub done: usize,
    /// Files in all.
    pub total: usize,
}

/// What a check of many files says.
#[derive(Clone, Debug, Default)]
pub struct BatchReport {
    /// The files that were checked, or should have been, sorted by path.
    pub files: Vec<CheckedFile>,
    /// Files that could not be read, with the reason, sorted by path.
    pub skipped: Vec<Skipped>,
    /// How many files were passed over because no rule knows their language.
    pub other_files: usize,
    /// How many files the settings exclude. They are not checked and not in
    /// `files`; one that was named by itself is in `skipped`.
    pub excluded: usize,
    /// Violations that lie in several files, at least one of them checked; see
    /// [`ProjectState::check_across`].
    pub across: Vec<FoundAcross>,
    /// The sums of all files.
    pub capability: CapabilityReport,
}

/// One file of a batch.
#[derive(Clone, Debug)]
pub struct CheckedFile {
    /// Project-relative path with `/`.
    pub rel: Arc<str>,
    /// Its absolute path.
    pub path: PathBuf,
    /// Its language.
    pub language: Language,
    /// Whether its path is that of a test.
    pub is_test: bool,
    /// Whether it was read and checked.
    pub checked: bool,
    /// The text, kept only where there are findings or suppressions in it.
    pub text: Option<Arc<str>>,
    /// By place.
    pub findings: Vec<Finding>,
    /// What could not be decided in it.
    pub uncertain: Vec<Uncertain>,
    /// Checks that were not executed on it, a layer or a rule each.
    pub skipped_checks: Vec<SkippedCheck>,
    /// Suppression comments in it.
    pub suppressions: Vec<asd_guard::Suppression>,
    /// What rules that look at several files know of it.
    pub facts: Option<Arc<FileFacts>>,
}

impl ProjectState {
    /// Checks files from disk on all cores. `on_progress` is called from any of
    /// them, once for each file.
    ///
    /// A file that cannot be read is reported, never left out in silence; one
    /// in a language that no rule knows is counted, and reported when it was
    /// named by itself.
    ///
    /// # Errors
    /// [`Cancelled`] soon after `cancel` was set.
    pub fn check_files(
        &self,
        files: &[FileEntry],
        on_progress: &(dyn Fn(Progress) + Sync),
        cancel: &AtomicBool,
    ) -> Result<BatchReport, Cancelled> {
        let done = AtomicUsize::new(0);
        // The largest files come first, one at a time: a large one that was
        // left for the end would keep one core busy while the others rest.
        let host = self.inner().settings.host.as_ref();
        let mut by_size: Vec<(u64, &FileEntry)> = files
            .iter()
            .map(|file| (host.size(&file.path), file))
            .collect();
        by_size.sort_by_key(|(size, _)| Reverse(*size));
        let cache = CheckCache::open(self);
        let checked: Result<Vec<(&FileEntry, Checked)>, Cancelled> = by_size
            .into_iter()
            .par_bridge()
            .map(|(_, file)| {
                let checked = self.check_file(file, cache.as_ref(), cancel);
                on_progress(Progress {
                    done: done.fetch_add(1, Ordering::Relaxed) + 1,
                    total: files.len(),
                });
                Ok((file, checked?))
            })
            .collect();
        let mut checked = checked?;
        // What is told once of many files is told as the first of them has it.
        checked.sort_by(|a, b| a.0.rel.cmp(&b.0.rel));
        if let Some(cache) = cache {
            cache.close();
        }
        let mut batch = BatchReport::default();
        let mut sum = Sum::default();
        for (_, checked) in checked {
            match checked {
                Checked::File(file, capability) => {
                    sum.add(*capability);
                    batch.files.push(*file);
                }
                Checked::Unreadable(file, capability, skipped) => {
                    sum.add(*capability);
                    batch.files.extend(file.map(|file| *file));
                    batch.skipped.push(skipped);
                }
                Checked::OtherLanguage => batch.other_files += 1,
                Checked::Excluded(named) => {
                    batch.excluded += 1;
                    batch.skipped.extend(named);
                }
                Checked::ProjectFile => {}
            }
        }
        batch.files.sort_by(|a, b| a.rel.cmp(&b.rel));
        batch.skipped.sort();
        batch.capability = sum.finish();
        Ok(batch)
    }

    /// What is to be said of files that the caller leaves out for a reason:
    /// nothing was found in them, and their checks count as skipped.
    #[must_use]
    pub fn left_out(&self, files: &[FileEntry], reason: &str) -> BatchReport {
        let known: Vec<(Language, String)> = files
            .iter()
            .filter_map(|file| Some((Language::of_file(&file.path, "")?, file.rel.clone())))
            .collect();
        BatchReport {
            capability: of_left_out(self.rules(), &known, reason),
            ..BatchReport::default()
        }
    }

    fn check_file(
        &self,
        file: &FileEntry,
        cache: Option<&CheckCache>,
        cancel: &AtomicBool,
    ) -> Result<Checked, Cancelled> {
        if cancel.load(Ordering::Relaxed) {
            return Err(Cancelled);
        }
        // Recipes are not sources: their examples break rules on purpose, and
        // what is wrong with them is told by `problems_of`.
        if self.is_project_file(&file.rel) {
            return Ok(Checked::ProjectFile);
        }
        // Most files of other kinds are known by their name, without a read.
        let by_name = Language::of_file(&file.path, "");
        if by_name.is_none() && !file.explicit {
            return Ok(Checked::OtherLanguage);
        }
        if let Some(reason) = self.excluded_by(&file.rel) {
            return Ok(Checked::Excluded(file.explicit.then(|| Skipped {
                path: file.rel.clone(),
                reason,
            })));
        }
        let unreadable = |reason: String| {
            let (capability, uncertain) = of_unreadable(self.rules(), by_name, &file.rel, &reason);
            let shown = by_name.map(|language| {
                Box::new(CheckedFile {
                    uncertain: vec![uncertain],
                    checked: false,
                    ..CheckedFile::new(file, language)
                })
            });
            Checked::Unreadable(
                shown,
                Box::new(capability),
                Skipped {
                    path: file.rel.clone(),
                    reason,
                },
            )
        };
        let text = match read_text(self.inner().settings.host.as_ref(), &file.path) {
            Ok(decoded) => decoded.text,
            Err(reason) => return Ok(unreadable(reason.to_string())),
        };
        let Some(language) = Language::of_file(&file.path, &text) else {
            return Ok(unreadable(
                "no rule knows the language of a file of this name".to_owned(),
            ));
        };
        let target = Target {
            path: Some(&file.rel),
            text: &text,
            language,
            previous: None,
        };
        let FileReport {
            findings,
            uncertain,
            suppressions,
            capability,
            facts,
            ..
        } = match cache {
            None => self.check_text(&target, cancel)?,
            Some(cache) => {
                let rules = self.rules();
                let check = || rules.check(&target, cancel);
                let mut report = cache.result(&file.rel, &text, rules, check)?;
                // Verdicts are not among the rules, so they come after.
                self.without_dismissed(&file.rel, &text, &mut report.findings);
                report
            }
        };
        let keep = !findings.is_empty() || !suppressions.is_empty();
        Ok(Checked::File(
            Box::new(CheckedFile {
                text: keep.then(|| text.into()),
                findings,
                uncertain,
                skipped_checks: capability.skipped_checks.clone(),
                suppressions,
                facts,
                ..CheckedFile::new(file, language)
            }),
            Box::new(capability),
        ))
    }
}

enum Checked {
    File(Box<CheckedFile>, Box<CapabilityReport>),
    Unreadable(Option<Box<CheckedFile>>, Box<CapabilityReport>, Skipped),
    OtherLanguage,
    /// What to say, when the file was named by itself.
    Excluded(Option<Skipped>),
    ProjectFile,
}

impl BatchReport {
    /// Joins the reports of several projects into one.
    #[must_use]
    pub fn join(reports: Vec<Self>) -> Self {
        let mut joined = Self::default();
        let mut sum = Sum::default();
        for report in reports {
            joined.files.extend(report.files);
            joined.skipped.extend(report.skipped);
            joined.other_files += report.other_files;
            joined.excluded += report.excluded;
            joined.across.extend(report.across);
            sum.add(report.capability);
        }
        joined.files.sort_by(|a, b| a.rel.cmp(&b.rel));
        joined.skipped.sort();
        joined.capability = sum.finish();
        joined
    }
}

impl CheckedFile {
    fn new(file: &FileEntry, language: Language) -> Self {
        Self {
            rel: file.rel.as_str().into(),
            path: file.path.clone(),
            language,
            is_test: is_test_path(&file.rel),
            checked: true,
            text: None,
            findings: Vec::new(),
            uncertain: Vec::new(),
            skipped_checks: Vec::new(),
            suppressions: Vec::new(),
            facts: None,
        }
    }
}
