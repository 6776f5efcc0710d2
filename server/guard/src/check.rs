use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use asd_recipe::Severity;
use asd_syntax::{Language, Region, Tree};
use asd_text::{Span, TextEdit};

use crate::ast_rules::{self, AstCandidate};
use crate::builtin::{self, Check, FileCx, Found};
use crate::compile::guard::Matching;
use crate::cross_file::FileFacts;
use crate::part::{Line, Part};
use crate::prefilter::{Candidate, Reach};
use crate::regex_rules::{self, RegexMatch, Stopped, Want};
use crate::set::{BuiltInRule, Inner, LanguageRules, Rule, applies_to};
use crate::stable_hash::StableHasher;
use crate::suppress::{self, Directive, DirectiveReach};
use crate::template::{Filling, Hole, Site};
use crate::{Cancelled, FileReport, Finding, Fix, Layer, Related, RuleSet, UncertainReason};

/// Above this share of text that no grammar could make anything of, a tree is
/// not relied on. (guard.md §5)
const MAX_ERROR_SHARE: f64 = 0.3;
/// A script in a page in a fence is as deep as anyone goes.
const MAX_DEPTH: u8 = 2;

/// A text to be checked.
#[derive(Clone, Debug)]
pub struct Target<'a> {
    /// Project-relative path with `/`; `None` for a text without one, which
    /// then is in the scope of no rule that is limited to some paths.
    pub path: Option<&'a str>,
    /// The whole text.
    pub text: &'a str,
    /// Its language.
    pub language: Language,
    /// A tree of an earlier version that was told of all edits since.
    pub previous: Option<Tree>,
}

impl RuleSet {
    /// Checks one text.
    ///
    /// # Errors
    /// [`Cancelled`] soon after `cancel` was set.
    pub fn check(&self, target: &Target<'_>, cancel: &AtomicBool) -> Result<FileReport, Cancelled> {
        let inner = &*self.inner;
        let is_excluded = target
            .path
            .is_some_and(|path| self.excluded_by(path).is_some());
        let mut check = FileCheck {
            inner,
            path: target.path,
            is_test: target.path.is_some_and(asd_syntax::is_test_path),
            in_document: false,
            cancel,
            report: FileReport::default(),
            directives: Vec::new(),
            counted: Vec::new(),
            outer_tree: None,
        };
        if !is_excluded {
            check.text(target.language, target.text, 0, target.previous.as_ref(), 0)?;
        }
        let tree = check.outer_tree.take();
        let mut report = check.finish(target.text);
        if let Some(path) = target.path
            && self.wants_facts(path, target.language)
        {
            let facts = FileFacts::of(path, target.text, target.language, tree.as_ref());
            report.facts = facts.map(Arc::new);
        }
        Ok(report)
    }
}

struct FileCheck<'a> {
    inner: &'a Inner,
    path: Option<&'a str>,
    is_test: bool,
    /// Whether this is code in a document or a page: examples and snippets, that
    /// only recipes have a say in. (guard.md §1)
    in_document: bool,
    cancel: &'a AtomicBool,
    report: FileReport,
    directives: Vec<Directive>,
    /// Languages whose rules are counted for this file.
    counted: Vec<Language>,
    /// The tree of the whole text, when one was made.
    outer_tree: Option<Tree>,
}

impl FileCheck<'_> {
    /// Checks a text and the parts of it in other languages; `offset` is where
    /// it stands in the file.
    fn text(
        &mut self,
        language: Language,
        text: &str,
        offset: usize,
        previous: Option<&Tree>,
        depth: u8,
    ) -> Result<(), Cancelled> {
        if self.cancel.load(Ordering::Relaxed) {
            return Err(Cancelled);
        }
        let regions = if depth < MAX_DEPTH && has_regions(language) {
            asd_syntax::regions(language, text)
        } else {
            Vec::new()
        };
        let own = self.report.findings.len();
        self.part(language, text, offset, previous, depth)?;
        let mut index = 0;
        self.report.findings.retain(|finding| {
            index += 1;
            index <= own
                || !regions
                    .iter()
                    .any(|region| is_of_region(finding, region, offset))
        });
        self.directives.retain(|directive| {
            !regions
                .iter()
                .any(|region| region.span.shifted(offset).contains(directive.span))
        });
        let outer = self.in_document;
        self.in_document |= matches!(language, Language::Markdown | Language::Html);
        for region in &regions {
            if !is_example(region) {
                let at = offset + region.span.start;
                self.text(region.language, region.span.of(text), at, None, depth + 1)?;
            }
        }
        self.in_document = outer;
        Ok(())
    }

    fn part(
        &mut self,
        language: Language,
        text: &str,
        offset: usize,
        previous: Option<&Tree>,
        depth: u8,
    ) -> Result<(), Cancelled> {
        let Some(rules) = self.inner.language(language) else {
            return Ok(());
        };
        let part = Part::new(language, text);
        self.count(language, rules);
        let candidates = rules.prefilter.scan(text);
        let mut found = Vec::new();
        let mut trees = Vec::new();
        for candidate in candidates {
            if self.cancel.load(Ordering::Relaxed) {
                return Err(Cancelled);
            }
            let index = rules.slots[candidate.slot as usize];
            let rule = &self.inner.rules[index as usize];
            if !rule.admits(self.path) {
                continue;
            }
            match &rule.guard.matching {
                Ok(Matching::Regex(_)) => self.regex(rule, &part, &candidate, &mut found)?,
                Ok(Matching::Ast(ast)) => {
                    let Ok(matcher) = ast.matcher(language) else {
                        continue;
                    };
                    let reach = if matcher.literals_are_code() {
                        in_code(candidate.reach, &part)
                    } else {
                        candidate.reach
                    };
                    if reach != Reach::Hits(Vec::new()) {
                        trees.push(AstCandidate {
                            rule: index,
                            matcher,
                            reach,
                            fix: rule.guard.fix.as_ref(),
                        });
                    }
                }
                Err(_) => {}
            }
        }
        self.trees(rules, &part, &trees, previous, depth, &mut found)?;
        for mut finding in found {
            shift(&mut finding, offset);
            self.report.findings.push(finding);
        }
        for mut directive in suppress::directives(&part) {
            directive.span = directive.span.shifted(offset);
            for (_, span) in &mut directive.rules {
                *span = span.shifted(offset);
            }
            if let DirectiveReach::Lines(lines) = &mut directive.reach {
                *lines = lines.shifted(offset);
            }
            self.directives.push(directive);
        }
        Ok(())
    }

    /// Counts the rules of a language, each once for the file, and says which
    /// cannot be run in it.
    fn count(&mut self, language: Language, rules: &LanguageRules) {
        if self.counted.contains(&language) {
            return;
        }
        self.counted.push(language);
        let capability = &mut self.report.capability;
        for layer in [Layer::Regex, Layer::CodeLevel, Layer::Ast, Layer::CrossFile] {
            capability.count(language, layer, rules.everywhere[layer as usize]);
        }
        for &index in &rules.scoped {
            let rule = &self.inner.rules[index as usize];
            if rule.admits(self.path) {
                capability.count(language, rule.info.layer, 1);
            }
        }
        for &index in &rules.built_ins {
            let rule = &self.inner.built_ins[index as usize];
            if self.runs(rule) {
                let capability = &mut self.report.capability;
                capability.count(language, rule.info.layer, 1);
            }
        }
        for (index, reason, detail) in &rules.broken {
            let rule = &self.inner.rules[*index as usize];
            if rule.admits(self.path) {
                self.report.undecided(language, &rule.info, *reason, detail);
            }
        }
    }

    fn runs(&self, rule: &BuiltInRule) -> bool {
        !self.in_document
            && rule.scope.admits(self.path)
            && !(self.is_test && rule.rule.skips_tests)
    }

    fn regex(
        &mut self,
        rule: &Rule,
        part: &Part<'_>,
        candidate: &Candidate,
        found: &mut Vec<Finding>,
    ) -> Result<(), Cancelled> {
        let Ok(Matching::Regex(regex)) = &rule.guard.matching else {
            return Ok(());
        };
        if !regex.is_linear() && part.is_heavy() {
            let rules = vec![rule.info.id.clone()];
            self.report
                .left_out(part.language, Layer::Regex, rules, TOO_LARGE);
            return Ok(());
        }
        let fix = rule.guard.fix.as_ref();
        let want = match fix {
            Some(fix) if fix.needs_groups() => Want::Groups,
            _ => Want::Places,
        };
        match regex_rules::run(regex, part, &candidate.reach, want, self.cancel)? {
            Ok(matches) => {
                for matched in matches {
                    let edits = fix.map_or_else(Vec::new, |fix| {
                        let site = Site {
                            part,
                            whole: matched.whole,
                            comments: &[],
                        };
                        fix.edits(&site, &|hole| filling(hole, &matched))
                    });
                    found.extend(recipe_finding(rule, part, matched.shown, edits));
                }
            }
            Err(stopped) => {
                let detail = match stopped {
                    Stopped::TooSlow => {
                        "The pattern took too many steps on this text and was stopped."
                    }
                    Stopped::TooLarge => "The compiled pattern is too large.",
                };
                self.report.undecided(
                    part.language,
                    &rule.info,
                    UncertainReason::InvalidRegex,
                    detail,
                );
                self.report.quarantined.push(rule.info.id.clone());
            }
        }
        Ok(())
    }

    /// Everything that needs the syntax tree.
    fn trees(
        &mut self,
        rules: &LanguageRules,
        part: &Part<'_>,
        candidates: &[AstCandidate<'_>],
        previous: Option<&Tree>,
        depth: u8,
        found: &mut Vec<Finding>,
    ) -> Result<(), Cancelled> {
        let language = part.language;
        let built_ins: Vec<&BuiltInRule> = rules
            .built_ins
            .iter()
            .map(|index| &self.inner.built_ins[*index as usize])
            .filter(|rule| self.runs(rule))
            .collect();
        let is_generated = !built_ins.is_empty()
            && depth == 0
            && asd_syntax::is_generated(self.path.unwrap_or_default(), part.text);
        if built_ins.is_empty() && candidates.is_empty() {
            return Ok(());
        }
        if part.is_heavy() {
            self.leave_out(language, &built_ins, TOO_LARGE);
            for candidate in candidates {
                let rule = &self.inner.rules[candidate.rule as usize].info;
                self.report
                    .left_out(language, rule.layer, vec![rule.id.clone()], TOO_LARGE);
            }
            return Ok(());
        }
        let runs_built_ins = !built_ins.is_empty() && !is_generated;
        if is_generated {
            self.leave_out(
                language,
                &built_ins,
                "The file is generated; built-in rules leave it alone.",
            );
        }
        if !runs_built_ins && candidates.is_empty() {
            return Ok(());
        }
        let wants_tree = !candidates.is_empty() || rules.plan.needs_tree();
        let mut go_on = || !self.cancel.load(Ordering::Relaxed);
        let tree = wants_tree
            .then(|| asd_syntax::parse_while(language, part.text, previous, &mut go_on))
            .flatten();
        if self.cancel.load(Ordering::Relaxed) {
            return Err(Cancelled);
        }
        if depth == 0 {
            self.outer_tree.clone_from(&tree);
            if asd_syntax::may_be_reused(part.text) {
                self.report.tree.clone_from(&tree);
            }
        }
        let root = tree
            .filter(|tree| asd_syntax::error_share(tree) <= MAX_ERROR_SHARE)
            .map(|tree| asd_syntax::root(language, part.text, tree));
        let Some(root) = root else {
            self.without_tree(rules, part, candidates, &built_ins, runs_built_ins, found);
            return Ok(());
        };
        let tree = &root.root().get_doc().tree;
        let mut matches = Vec::new();
        if runs_built_ins {
            let cx = FileCx::new(
                self.path,
                part.text,
                language,
                Some(tree),
                part.mask(),
                self.is_test,
            );
            let mut visitor = rules.plan.visitor(&cx);
            let taking_part = rules.plan.needs_tree().then_some(&mut visitor);
            matches = ast_rules::run(&root, part, self.path, candidates, taking_part, self.cancel)?;
            let sink = visitor.finish();
            self.built_in_sink(part, sink, found);
        } else {
            matches.extend(ast_rules::run(
                &root,
                part,
                self.path,
                candidates,
                None,
                self.cancel,
            )?);
        }
        for matched in matches {
            let rule = &self.inner.rules[matched.rule as usize];
            found.extend(recipe_finding(rule, part, matched.span, matched.edits));
        }
        Ok(())
    }

    /// What can be said when there is no tree to rely on.
    fn without_tree(
        &mut self,
        rules: &LanguageRules,
        part: &Part<'_>,
        candidates: &[AstCandidate<'_>],
        built_ins: &[&BuiltInRule],
        runs_built_ins: bool,
        found: &mut Vec<Finding>,
    ) {
        let detail = "The text could not be parsed well enough to rely on its syntax tree.";
        for candidate in candidates {
            let rule = &self.inner.rules[candidate.rule as usize].info;
            self.report
                .undecided(part.language, rule, UncertainReason::AstUnavailable, detail);
        }
        if !runs_built_ins {
            return;
        }
        let cx = FileCx::new(
            self.path,
            part.text,
            part.language,
            None,
            part.mask(),
            self.is_test,
        );
        let mut sink = rules.plan.visitor(&cx).finish();
        let mut undecided = Vec::new();
        for rule in built_ins {
            if matches!(rule.rule.check, Check::File(_)) {
                continue;
            }
            match builtin::scan(rule.rule, part) {
                Some(spans) => {
                    sink.start(rule.rule, rule.limits);
                    for span in spans {
                        sink.report(span);
                    }
                }
                None => undecided.push(*rule),
            }
        }
        self.built_in_sink(part, sink, found);
        for rule in undecided {
            self.report.undecided(
                part.language,
                &rule.info,
                UncertainReason::AstUnavailable,
                detail,
            );
        }
    }

    fn leave_out(&mut self, language: Language, built_ins: &[&BuiltInRule], detail: &str) {
        for layer in [Layer::Regex, Layer::CodeLevel, Layer::Ast, Layer::CrossFile] {
            let rules = built_ins
                .iter()
                .filter(|rule| rule.info.layer == layer)
                .map(|rule| rule.info.id.clone())
                .collect();
            self.report.left_out(language, layer, rules, detail);
        }
    }

    fn built_in_sink(
        &mut self,
        part: &Part<'_>,
        sink: crate::builtin::Sink,
        found: &mut Vec<Finding>,
    ) {
        let by_id: HashMap<&str, &BuiltInRule> = self
            .inner
            .built_ins
            .iter()
            .map(|rule| (rule.rule.id, rule))
            .collect();
        for undecided in sink.undecided {
            if let Some(rule) = by_id.get(undecided.rule.id).filter(|rule| self.runs(rule)) {
                self.report.undecided(
                    part.language,
                    &rule.info,
                    undecided.reason,
                    &undecided.detail,
                );
            }
        }
        for one in sink.found {
            let Some(rule) = by_id.get(one.rule.id).filter(|rule| self.runs(rule)) else {
                continue;
            };
            let line = Line::around(part.text, one.span.start).content;
            if rule.scope.admits_line(line.of(part.text)) {
                found.push(built_in_finding(rule, one));
            }
        }
    }

    /// Whether the settings keep a rule from this very file.
    fn is_excluded(&self, rule_id: &str) -> bool {
        let recipe_rules = self.inner.rules.iter();
        let built_ins = self.inner.built_ins.iter();
        recipe_rules
            .map(|rule| (&rule.info.id, &rule.scope))
            .chain(built_ins.map(|rule| (&rule.info.id, &rule.scope)))
            .any(|(id, scope)| id == rule_id && !scope.admits(self.path))
    }

    fn finish(mut self, text: &str) -> FileReport {
        let mut report = std::mem::take(&mut self.report);
        report.findings.sort_by(|a, b| {
            (a.span, &a.rule.id)
                .cmp(&(b.span, &b.rule.id))
                .then_with(|| a.message.cmp(&b.message))
        });
        report
            .findings
            .dedup_by(|a, b| a.span == b.span && a.rule.id == b.rule.id);
        let mut ordinals: HashMap<u64, u64> = HashMap::new();
        for finding in &mut report.findings {
            let mut hasher = StableHasher::new();
            hasher.part(finding.rule.id.as_bytes());
            for word in finding.span.of(text).split_whitespace() {
                hasher.part(word.as_bytes());
            }
            let ordinal = ordinals.entry(hasher.finish()).or_default();
            hasher.number(*ordinal);
            *ordinal += 1;
            finding.fingerprint = hasher.finish();
        }
        let mut directives = std::mem::take(&mut self.directives);
        directives.retain(|directive| {
            directive.reach != DirectiveReach::File
                || suppress::is_at_the_top(text, directive.span.start)
        });
        report.suppressions = suppress::apply(&directives, &mut report.findings);
        // Where the settings leave a rule out, nobody can say whether a comment
        // about it would be of use.
        report
            .suppressions
            .retain(|one| one.used || !self.is_excluded(&one.rule_id));
        report.suppressions.sort_by_key(|one| one.span);
        report.quarantined.sort();
        report.quarantined.dedup();
        report.capability.settle();
        report
    }
}

/// What is mentioned in comments and strings only is not worth a parse.
fn in_code(reach: Reach, part: &Part<'_>) -> Reach {
    match reach {
        Reach::Everywhere => Reach::Everywhere,
        Reach::Hits(mut hits) => {
            hits.retain(|(start, _)| part.mask().at(*start as usize).is_none());
            Reach::Hits(hits)
        }
    }
}

const TOO_LARGE: &str = "The file is larger than 2 MB or has a line of more than 20,000 characters; only rules whose time stays linear are run on it.";

const fn has_regions(language: Language) -> bool {
    matches!(
        language,
        Language::Markdown | Language::Html | Language::Vue | Language::Svelte
    )
}

/// Fences that are a recipe's own examples are not code to be checked.
pub(crate) fn is_example(region: &Region) -> bool {
    region
        .info
        .split_whitespace()
        .any(|word| matches!(word, "bad" | "good" | "fixed"))
}

/// Whether a finding in the outer text is the business of a region's own
/// check.
fn is_of_region(finding: &Finding, region: &Region, offset: usize) -> bool {
    region.span.shifted(offset).contains(finding.span)
        && (is_example(region) || applies_to(&finding.rule.languages, region.language))
}

fn recipe_finding(
    rule: &Rule,
    part: &Part<'_>,
    span: Span,
    edits: Vec<TextEdit>,
) -> Option<Finding> {
    let line = Line::around(part.text, span.start).content;
    if !rule.admits_line(line.of(part.text)) {
        return None;
    }
    let fix = rule.guard.fix.as_ref().filter(|_| !edits.is_empty());
    Some(Finding {
        rule: rule.info.clone(),
        span,
        severity: rule.info.severity,
        message: rule.info.message.clone(),
        fix: fix.map(|fix| Fix {
            title: rule.fix_title.clone(),
            edits,
            safe: fix.safe,
        }),
        related: Vec::new(),
        fingerprint: 0,
    })
}

fn built_in_finding(rule: &BuiltInRule, found: Found) -> Finding {
    Finding {
        rule: rule.info.clone(),
        span: found.span,
        severity: built_in_severity(rule, found.severity),
        message: found.message.unwrap_or_else(|| rule.info.message.clone()),
        fix: found.fix,
        related: found.related,
        fingerprint: 0,
    }
}

/// A finding that is milder than its rule stays so when the rule is made
/// milder or stricter by configuration.
fn built_in_severity(rule: &BuiltInRule, own: Option<Severity>) -> Severity {
    match own {
        None => rule.info.severity,
        Some(own) if rule.info.severity == rule.rule.severity => own,
        Some(own) => own.min(rule.info.severity),
    }
}

fn filling(hole: &Hole, matched: &RegexMatch) -> Option<Filling> {
    match hole {
        Hole::Group(0) => Some(Filling::Source(matched.whole)),
        Hole::Group(index) => matched
            .groups
            .get(*index)
            .copied()
            .flatten()
            .map(Filling::Source),
        Hole::Node(_) | Hole::Nodes(_) => None,
    }
}

fn shift(finding: &mut Finding, by: usize) {
    finding.span = finding.span.shifted(by);
    for Related { path, span, .. } in &mut finding.related {
        if path.is_none() {
            *span = span.shifted(by);
        }
    }
    for edit in finding.fix.iter_mut().flat_map(|fix| &mut fix.edits) {
        edit.span = edit.span.shifted(by);
    }
}
