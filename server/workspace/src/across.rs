//! Rules that look at several files, after each was checked by itself.
//! (guard.md §3.10)

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use asd_guard::{
    Cancelled, CrossFileFinding, CrossFileReport, FileFacts, Interest, Layer, SkippedCheck,
    UncertainReason, imported_files,
};
use asd_store::{FileEntry, read_text};
use asd_syntax::Language;
use asd_text::LineIndex;
use rayon::prelude::*;

use crate::{BatchReport, ProjectState, verdict_fingerprint};

/// A violation that lies in several files, with their texts.
#[derive(Clone, Debug)]
pub struct FoundAcross {
    /// The violation.
    pub finding: CrossFileFinding,
    /// The text of the file of each place.
    pub texts: Vec<Arc<str>>,
}

/// What is known of files, sorted by path.
pub type KnownFiles = Vec<(Arc<str>, Arc<FileFacts>)>;

impl ProjectState {
    /// Decides the rules that look at several files for those of a batch. `all`
    /// gives the files of the whole project; it is asked only when one of the
    /// batch has something to do with others.
    ///
    /// # Errors
    /// [`Cancelled`] soon after `cancel` was set.
    pub fn check_across(
        &self,
        batch: &mut BatchReport,
        all: &dyn Fn() -> Vec<FileEntry>,
        cancel: &AtomicBool,
    ) -> Result<(), Cancelled> {
        let own: KnownFiles = batch
            .files
            .iter()
            .filter_map(|file| Some((file.rel.clone(), file.facts.clone()?)))
            .collect();
        if own.iter().all(|(_, facts)| facts.is_alone()) {
            return Ok(());
        }
        let mut known = own.clone();
        let unread = self.learn_others(&own, &mut known, &all(), cancel)?;
        for detail in unread {
            batch.capability.skipped_checks.push(SkippedCheck {
                layer: Layer::CrossFile,
                rule_id: None,
                reason: UncertainReason::FileMissing,
                detail,
                impact: "medium".into(),
            });
        }
        known.sort_by(|a, b| a.0.cmp(&b.0));
        let report = self.rules().check_across_files(&known, cancel)?;
        for file in &mut batch.files {
            let rel = file.rel.clone();
            file.findings
                .retain(|finding| !report.takes_back(&rel, finding));
        }
        let CrossFileReport {
            findings,
            used_suppressions,
            taken_back: _,
        } = report;
        for file in &mut batch.files {
            for suppression in &mut file.suppressions {
                let key = (file.rel.clone(), suppression.span.into());
                suppression.used |= used_suppressions.contains(&key);
            }
        }
        let is_own = |path: &Arc<str>| own.binary_search_by(|(own, _)| own.cmp(path)).is_ok();
        let mut texts: BTreeMap<Arc<str>, Option<Arc<str>>> = BTreeMap::new();
        let text_of = |path: &Arc<str>| -> Option<Arc<str>> {
            let of_batch = batch.files.binary_search_by(|file| file.rel.cmp(path));
            let kept = of_batch
                .ok()
                .and_then(|index| batch.files[index].text.clone());
            kept.or_else(|| Some(self.text_at(path)?.into()))
        };
        let mut found = Vec::new();
        for finding in findings {
            if !finding.places.iter().any(|place| is_own(&place.path)) {
                continue;
            }
            let of_places: Option<Vec<Arc<str>>> = finding
                .places
                .iter()
                .map(|place| {
                    let text = texts
                        .entry(place.path.clone())
                        .or_insert_with(|| text_of(&place.path));
                    // It may have been changed since it was read.
                    text.clone()
                        .filter(|text| text.get(place.span.start..place.span.end).is_some())
                })
                .collect();
            let Some(texts) = of_places else { continue };
            if self.stands(&finding, &texts) {
                found.push(FoundAcross { finding, texts });
            }
        }
        batch.across = found;
        Ok(())
    }

    /// Whether neither the settings nor a person's verdict take a violation
    /// away; `texts` are those of its places.
    #[must_use]
    pub fn stands(&self, finding: &CrossFileFinding, texts: &[Arc<str>]) -> bool {
        finding.places.iter().zip(texts).all(|(place, text)| {
            let lines = LineIndex::new(text);
            let line = lines.line_span(text, lines.line_of(place.span.start));
            let rule = &finding.rule.id;
            let fingerprint = || verdict_fingerprint(rule, text, &lines, place.span);
            self.rules().admits_line(rule, line.of(text))
                && !self.is_dismissed(&place.path, rule, &fingerprint)
        })
    }

    /// What rules that look at several files have to know of a file on disk;
    /// `None` when it cannot be read, or not well enough.
    #[must_use]
    pub fn facts_at(&self, path: &str) -> Option<FileFacts> {
        let language = Language::of_file(Path::new(path), "")?;
        if !self.rules().wants_facts(path, language) {
            return None;
        }
        let text = self.text_at(path)?;
        let language = Language::of_file(Path::new(path), &text)?;
        FileFacts::of(path, &text, language, None)
    }

    /// Adds what is to be known of other files to decide about `own`; says which
    /// could not be read.
    fn learn_others(
        &self,
        own: &KnownFiles,
        known: &mut KnownFiles,
        all: &[FileEntry],
        cancel: &AtomicBool,
    ) -> Result<Vec<String>, Cancelled> {
        let others: Vec<(&FileEntry, Language)> = all
            .iter()
            .filter(|file| !self.is_project_file(&file.rel))
            .filter(|file| {
                own.binary_search_by(|(known, _)| (**known).cmp(&*file.rel))
                    .is_err()
            })
            .filter_map(|file| Some((file, Language::of_file(&file.path, "")?)))
            .filter(|(file, language)| self.rules().wants_facts(&file.rel, *language))
            .collect();
        let interest = Interest::of(own);
        let imports = own.iter().any(|(_, facts)| facts.imports_modules());
        let mut unread = Vec::new();
        let mut learn = |files: Vec<(&FileEntry, Language)>, by_text: bool| {
            let read: Result<Vec<Option<Read>>, Cancelled> = files
                .into_par_iter()
                .map(|(file, language)| {
                    if cancel.load(std::sync::atomic::Ordering::Relaxed) {
                        return Err(Cancelled);
                    }
                    Ok(self.read_facts(file, language, by_text.then_some(&interest)))
                })
                .collect();
            let mut learned = KnownFiles::new();
            for read in read?.into_iter().flatten() {
                match read {
                    Ok(facts) => learned.push(facts),
                    Err(reason) => unread.push(reason),
                }
            }
            Ok(learned)
        };
        let by_name = others
            .iter()
            .filter(|(file, language)| interest.is_for_path(&file.rel, *language))
            .copied()
            .collect();
        let learned = learn(by_name, true)?;
        known.extend(learned);
        if imports {
            // The settings that say where modules lie come first.
            let configs = others
                .iter()
                .filter(|(_, language)| *language == Language::Json)
                .copied()
                .collect();
            let learned = learn(configs, false)?;
            known.extend(learned);
            let mut paths: Vec<Arc<str>> = own.iter().map(|(path, _)| path.clone()).collect();
            paths.extend(others.iter().map(|(file, _)| Arc::from(file.rel.as_str())));
            let mut from = own.clone();
            while !from.is_empty() {
                let next = imported_files(&from, known, &paths)
                    .into_iter()
                    .filter_map(|index| others.get(index.checked_sub(own.len())?).copied())
                    .collect();
                from = learn(next, false)?;
                known.extend(from.iter().cloned());
            }
        }
        Ok(unread)
    }

    /// The facts of a file, or why there are none; `None` when they are of no
    /// interest.
    fn read_facts(
        &self,
        file: &FileEntry,
        by_name: Language,
        interest: Option<&Interest>,
    ) -> Option<Read> {
        let text = match read_text(self.inner().settings.host.as_ref(), &file.path) {
            Ok(decoded) => decoded.text,
            Err(reason) => return Some(Err(format!("{}: {reason}", file.rel))),
        };
        let language = Language::of_file(&file.path, &text).unwrap_or(by_name);
        if interest.is_some_and(|interest| !interest.is_for_text(language, &text)) {
            return None;
        }
        let facts = FileFacts::of(&file.rel, &text, language, None)?;
        Some(Ok((file.rel.as_str().into(), Arc::new(facts))))
    }

    fn text_at(&self, path: &str) -> Option<String> {
        let path = self.project().root().join(path);
        let host = self.inner().settings.host.as_ref();
        Some(read_text(host, &path).ok()?.text)
    }
}

type Read = Result<(Arc<str>, Arc<FileFacts>), String>;
