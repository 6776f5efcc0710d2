//! The account of what was checked and what was not. (guard.md §5)

use asd_syntax::Language;

use crate::{
    Boundary, BoundaryType, CapabilityReport, Counts, FileReport, Layer, LayerCounts, RuleInfo,
    SkippedCheck, Uncertain, UncertainReason,
};

impl LayerCounts {
    /// The counts of one layer.
    pub fn of(&mut self, layer: Layer) -> &mut Counts {
        match layer {
            Layer::Regex => &mut self.regex,
            Layer::CodeLevel => &mut self.code_level,
            Layer::Ast => &mut self.ast,
            Layer::CrossFile => &mut self.cross_file,
        }
    }

    fn sum(&self) -> Counts {
        let mut sum = Counts::default();
        for counts in [self.regex, self.code_level, self.ast, self.cross_file] {
            sum.add(counts);
        }
        sum
    }
}

impl Counts {
    fn add(&mut self, other: Self) {
        self.total += other.total;
        self.executed += other.executed;
        self.skipped += other.skipped;
    }
}

impl CapabilityReport {
    /// Adds the report of another text, pair by pair.
    pub fn merge(&mut self, other: &Self) {
        for layer in [Layer::Regex, Layer::CodeLevel, Layer::Ast, Layer::CrossFile] {
            let mut theirs = other.executed_checks;
            self.executed_checks.of(layer).add(*theirs.of(layer));
        }
        for (language, counts) in &other.executed_by_language {
            self.executed_by_language
                .entry(language.clone())
                .or_default()
                .add(*counts);
        }
        self.skipped_checks
            .extend(other.skipped_checks.iter().cloned());
        for boundary in &other.boundaries {
            self.boundary(boundary.clone());
        }
        self.uncertain_results
            .extend(other.uncertain_results.iter().cloned());
        self.settle();
    }

    /// Computes the coverage anew.
    pub(crate) fn settle(&mut self) {
        let sum = self.executed_checks.sum();
        let percent = (100 * sum.executed + sum.total / 2).checked_div(sum.total);
        // One pair that was not decided is never rounded away.
        let limit = if sum.executed < sum.total { 99 } else { 100 };
        self.check_coverage = percent.map_or(100, |percent| {
            u8::try_from(percent.min(limit)).unwrap_or(100)
        });
    }

    fn boundary(&mut self, boundary: Boundary) {
        let known = self
            .boundaries
            .iter_mut()
            .find(|known| known.kind == boundary.kind && known.description == boundary.description);
        match known {
            Some(known) => {
                known.affected_rules.extend(boundary.affected_rules);
                known.affected_rules.sort();
                known.affected_rules.dedup();
            }
            None => self.boundaries.push(boundary),
        }
    }

    /// Counts pairs of rules with the text at hand, all decided as yet.
    pub(crate) fn count(&mut self, language: Language, layer: Layer, pairs: u64) {
        if pairs == 0 {
            return;
        }
        let counts = Counts {
            total: pairs,
            executed: pairs,
            skipped: 0,
        };
        self.executed_checks.of(layer).add(counts);
        self.executed_by_language
            .entry(language.id().to_owned())
            .or_default()
            .add(counts);
    }

    /// Takes pairs that were counted as decided for skipped.
    fn uncount(&mut self, language: Language, layer: Layer, pairs: u64) {
        let by_language = self
            .executed_by_language
            .entry(language.id().to_owned())
            .or_default();
        for counts in [self.executed_checks.of(layer), by_language] {
            let pairs = pairs.min(counts.executed);
            counts.executed -= pairs;
            counts.skipped += pairs;
        }
    }
}

impl FileReport {
    /// A rule that was counted could not decide about the text.
    pub(crate) fn undecided(
        &mut self,
        language: Language,
        rule: &RuleInfo,
        reason: UncertainReason,
        detail: &str,
    ) {
        let is_known = self
            .uncertain
            .iter()
            .any(|known| known.rule_id == rule.id && known.reason == reason);
        if is_known {
            return;
        }
        let uncertain = Uncertain {
            rule_id: rule.id.clone(),
            message: rule.message.clone(),
            layer: rule.layer,
            reason,
            detail: detail.to_owned(),
        };
        self.uncertain.push(uncertain.clone());
        let capability = &mut self.capability;
        capability.uncertain_results.push(uncertain);
        capability.skipped_checks.push(SkippedCheck {
            layer: rule.layer,
            rule_id: Some(rule.id.clone()),
            reason,
            detail: detail.to_owned(),
            impact: impact(reason).into(),
        });
        capability.boundary(boundary_of(reason, vec![rule.id.clone()]));
        capability.uncount(language, rule.layer, 1);
    }

    /// Rules of one layer that were counted were left out for this text.
    pub(crate) fn left_out(
        &mut self,
        language: Language,
        layer: Layer,
        rules: Vec<String>,
        detail: &str,
    ) {
        if rules.is_empty() {
            return;
        }
        let pairs = rules.len() as u64;
        let capability = &mut self.capability;
        capability.skipped_checks.push(SkippedCheck {
            layer,
            rule_id: None,
            reason: UncertainReason::ScopeMismatch,
            detail: detail.to_owned(),
            impact: impact(UncertainReason::ScopeMismatch).into(),
        });
        capability.boundary(boundary_of(UncertainReason::ScopeMismatch, rules));
        capability.uncount(language, layer, pairs);
    }
}

fn impact(reason: UncertainReason) -> &'static str {
    match reason {
        UncertainReason::InvalidRegex
        | UncertainReason::FileMissing
        | UncertainReason::RequiresCrossFileAnalysis => "medium",
        UncertainReason::LangUnsupported | UncertainReason::ScopeMismatch => "low",
        UncertainReason::AstUnavailable | UncertainReason::LayerConflict => "high",
    }
}

fn boundary_of(reason: UncertainReason, mut affected_rules: Vec<String>) -> Boundary {
    affected_rules.sort();
    affected_rules.dedup();
    let (kind, description, suggested_action) = match reason {
        UncertainReason::InvalidRegex => (
            BoundaryType::RuleRegexInvalid,
            "Some guards cannot be run as they are written.",
            "Mend their patterns; the recipe shows where each one is wrong.",
        ),
        UncertainReason::LangUnsupported => (
            BoundaryType::AstLanguageGap,
            "There is no grammar for the language of some texts.",
            "Write these guards as regular expressions.",
        ),
        UncertainReason::AstUnavailable => (
            BoundaryType::AstLanguageGap,
            "Some texts could not be parsed well enough.",
            "Mend the syntax errors in them, or see whether they are in the language that their names say.",
        ),
        UncertainReason::FileMissing => (
            BoundaryType::CrossFileIncomplete,
            "Some files could not be read.",
            "See whether they exist, may be read, and are text.",
        ),
        UncertainReason::ScopeMismatch => (
            BoundaryType::ScopeUnchecked,
            "Some rules were left out for generated or very large texts.",
            "Nothing, when these texts are not written by hand; else split them.",
        ),
        UncertainReason::LayerConflict => (
            BoundaryType::ScopeUnchecked,
            "Two ways of looking at a text disagreed.",
            "Look at the places by hand.",
        ),
        UncertainReason::RequiresCrossFileAnalysis => (
            BoundaryType::CrossFileIncomplete,
            "Some rules need to see other files.",
            "Check the whole project.",
        ),
    };
    Boundary {
        kind,
        description: description.to_owned(),
        affected_rules,
        suggested_action: suggested_action.to_owned(),
    }
}
