use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use asd_recipe::Severity;
use asd_syntax::{Language, is_test_path};
use asd_text::Span;

use super::facts::{At, Category, Class, Import, Member};
use super::{FileFacts, dropped, rule_languages};
use crate::builtin::Check;
use crate::set::BuiltInRule;
use crate::stable_hash::StableHasher;
use crate::{Cancelled, Finding, Layer, RuleInfo, RuleSet};

/// A violation that lies in several files.
#[derive(Clone, Debug, PartialEq)]
pub struct CrossFileFinding {
    /// The rule.
    pub rule: Arc<RuleInfo>,
    /// Its severity.
    pub severity: Severity,
    /// What is wrong, in one sentence.
    pub message: String,
    /// Where it lies: at least two places, in the order in which they are told.
    pub places: Vec<CrossFilePlace>,
    /// Stays the same as long as the same things of the same names are at odds.
    pub fingerprint: u64,
}

/// One place of a violation that lies in several files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrossFilePlace {
    /// Project-relative path with `/`.
    pub path: Arc<str>,
    /// Where in it.
    pub span: Span,
    /// What it has to do with the violation.
    pub message: String,
}

/// What the files of a project say together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CrossFileReport {
    /// By rule, then by place.
    pub findings: Vec<CrossFileFinding>,
    /// The suppression comments that were of use: file, and the rule's name in
    /// the comment.
    pub used_suppressions: BTreeSet<(Arc<str>, At)>,
    /// Findings of single files that other files take back: file and place, all
    /// of one rule; see [`CrossFileReport::takes_back`].
    pub taken_back: BTreeSet<(Arc<str>, Span)>,
}

impl CrossFileReport {
    /// Whether what other files say shows that a finding of a single file is
    /// none: the function whose result is thrown away cannot fail.
    #[must_use]
    pub fn takes_back(&self, path: &Arc<str>, finding: &Finding) -> bool {
        Self::may_take_back(finding) && self.taken_back.contains(&(path.clone(), finding.span))
    }

    /// Whether a finding is of the rule whose findings are taken back.
    #[must_use]
    pub fn may_take_back(finding: &Finding) -> bool {
        finding.rule.id == dropped::RULE
    }
}

/// Things of several files that do not go together.
pub(crate) struct Conflict {
    /// What they are, the same as long as they have the same names.
    pub(crate) key: String,
    /// What is wrong, in one sentence.
    pub(crate) message: String,
    /// Index of the file, the place in it, and what it has to do with it.
    pub(crate) places: Vec<(usize, At, String)>,
}

/// The files of a project as one rule sees them.
pub(crate) struct Files<'f> {
    files: Vec<FileView<'f>>,
    /// What comments took out of sight, by file and place.
    hidden: BTreeSet<(usize, At)>,
}

#[derive(Clone, Copy)]
struct FileView<'f> {
    path: &'f Arc<str>,
    facts: &'f FileFacts,
    is_test: bool,
}

impl<'f> Files<'f> {
    /// The indices of the files.
    pub(crate) fn all(&self) -> std::ops::Range<usize> {
        0..self.files.len()
    }

    /// Project-relative path with `/`.
    pub(crate) fn path(&self, file: usize) -> &'f str {
        self.files[file].path
    }

    /// Whether the file is a test, by its path.
    pub(crate) fn is_test(&self, file: usize) -> bool {
        self.files[file].is_test
    }

    /// Everything that is known of a file.
    pub(crate) fn facts(&self, file: usize) -> &'f FileFacts {
        self.files[file].facts
    }

    /// What a file imports when it is loaded.
    pub(crate) fn imports(&self, file: usize) -> impl Iterator<Item = &'f Import> {
        let all = self.files[file].facts.imports.iter();
        all.filter(move |import| self.shows(file, import.at))
    }

    /// Its categories.
    pub(crate) fn categories(&self, file: usize) -> impl Iterator<Item = &'f Category> {
        let all = self.files[file].facts.categories.iter();
        all.filter(move |category| self.shows(file, category.at))
    }

    /// Its outermost classes.
    pub(crate) fn classes(&self, file: usize) -> impl Iterator<Item = &'f Class> {
        let all = self.files[file].facts.classes.iter();
        all.filter(move |class| self.shows(file, class.at))
    }

    /// Its `init` functions.
    pub(crate) fn inits(&self, file: usize) -> impl Iterator<Item = At> {
        let all = self.files[file].facts.inits.iter().copied();
        all.filter(move |at| self.shows(file, *at))
    }

    /// The members of its extensions.
    pub(crate) fn members(&self, file: usize) -> impl Iterator<Item = &'f Member> {
        let all = self.files[file].facts.members.iter();
        all.filter(move |member| self.shows(file, member.at))
    }

    fn shows(&self, file: usize, at: At) -> bool {
        !self.hidden.contains(&(file, at))
    }
}

impl RuleSet {
    /// Whether a rule that looks at several files wants to know of a file.
    #[must_use]
    pub fn wants_facts(&self, path: &str, language: Language) -> bool {
        FileFacts::concerns(path, language)
            && self.excluded_by(path).is_none()
            && (language == Language::Go && self.drops_errors()
                || self.cross_file_rules().any(|rule| {
                    rule_languages(language)
                        .iter()
                        .any(|id| rule.rule.languages.contains(id))
                }))
    }

    /// A hash of what decides which facts are wanted: while it is the same, those
    /// at hand are enough.
    #[must_use]
    pub fn facts_wanted(&self) -> u64 {
        let mut hasher = StableHasher::new();
        for rule in self.cross_file_rules() {
            hasher.part(rule.rule.id.as_bytes());
        }
        for pattern in self.excluded_patterns() {
            hasher.part(pattern.as_bytes());
        }
        hasher.finish()
    }

    /// Decides the rules that look at several files on what is known of each;
    /// `files` are sorted by path.
    ///
    /// # Errors
    /// [`Cancelled`] soon after `cancel` was set.
    pub fn check_across_files(
        &self,
        files: &[(Arc<str>, Arc<FileFacts>)],
        cancel: &AtomicBool,
    ) -> Result<CrossFileReport, Cancelled> {
        let mut report = CrossFileReport::default();
        for rule in self.cross_file_rules() {
            if cancel.load(Ordering::Relaxed) {
                return Err(Cancelled);
            }
            self.decide(rule, files, &mut report);
        }
        if self.drops_errors() {
            report.taken_back = dropped::harmless(files);
        }
        report.findings.sort_by(|a, b| {
            let key = |finding: &CrossFileFinding| {
                let first = finding.places.first();
                (
                    finding.rule.id.clone(),
                    first.map(|place| (place.path.clone(), place.span)),
                )
            };
            key(a).cmp(&key(b))
        });
        Ok(report)
    }

    /// Whether a line may have a finding of a rule, by the settings.
    #[must_use]
    pub fn admits_line(&self, rule: &str, line: &str) -> bool {
        let mut built_ins = self.inner.built_ins.iter();
        built_ins
            .find(|known| known.rule.id == rule)
            .is_none_or(|known| known.scope.admits_line(line))
    }

    /// Whether the rule is in force whose findings a package can take back.
    fn drops_errors(&self) -> bool {
        let mut built_ins = self.inner.built_ins.iter();
        built_ins.any(|rule| rule.rule.id == dropped::RULE)
    }

    fn cross_file_rules(&self) -> impl Iterator<Item = &BuiltInRule> {
        let built_ins = self.inner.built_ins.iter();
        built_ins.filter(|rule| rule.info.layer == Layer::CrossFile)
    }

    fn decide(
        &self,
        rule: &BuiltInRule,
        files: &[(Arc<str>, Arc<FileFacts>)],
        report: &mut CrossFileReport,
    ) {
        let Check::Project(check) = rule.rule.check else {
            return;
        };
        let mut view = Files {
            files: files
                .iter()
                .filter(|(path, facts)| !facts.is_generated && rule.scope.admits(Some(path)))
                .map(|(path, facts)| FileView {
                    path,
                    facts,
                    is_test: is_test_path(path),
                })
                .collect(),
            hidden: BTreeSet::new(),
        };
        // What a comment suppresses is not there for the rule. Whether a comment
        // is of use shows when the rule meets what it suppresses.
        let conflicts = loop {
            let conflicts = check(&view);
            let mut hidden = Vec::new();
            for (file, at, _) in conflicts.iter().flat_map(|conflict| &conflict.places) {
                let shown = &view.files[*file];
                if let Some(comment) = shown.facts.suppression(rule.rule.id, *at) {
                    let path = shown.path.clone();
                    report.used_suppressions.insert((path, comment));
                    hidden.push((*file, *at));
                }
            }
            if hidden.is_empty() {
                break conflicts;
            }
            view.hidden.extend(hidden);
        };
        for conflict in conflicts {
            let mut hasher = StableHasher::new();
            hasher
                .part(rule.info.id.as_bytes())
                .part(conflict.key.as_bytes());
            report.findings.push(CrossFileFinding {
                rule: rule.info.clone(),
                severity: rule.info.severity,
                message: conflict.message,
                places: conflict
                    .places
                    .into_iter()
                    .map(|(file, at, message)| CrossFilePlace {
                        path: view.files[file].path.clone(),
                        span: at.into(),
                        message,
                    })
                    .collect(),
                fingerprint: hasher.finish(),
            });
        }
    }
}
