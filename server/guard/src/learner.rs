//! What is known of how well rules do: how often they fire, and what people
//! said of it. Pure; the counts are kept by `store`. (guard.md §10)

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::Timestamp;

/// What a person says of a finding, or of one that is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The rule is right.
    Correct,
    /// There is no fault here: a false positive.
    #[serde(alias = "false_positive")]
    Fp,
    /// There is a fault that the rule does not see: a false negative.
    #[serde(alias = "false_negative")]
    Fn,
}

/// One verdict, as `Alembic/feedback.json` keeps it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Feedback {
    /// The rule.
    pub rule_id: String,
    /// The file, project-relative with `/`; empty for the rule in general.
    #[serde(default)]
    pub file_path: String,
    /// The finding's fingerprint; empty when no single place is meant.
    #[serde(default)]
    pub fingerprint: String,
    /// The verdict.
    pub verdict: Verdict,
    /// Who gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// When.
    #[serde(default)]
    pub at: Timestamp,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl Feedback {
    /// Whether both are about one place, so that only the later one counts.
    #[must_use]
    pub fn is_about_the_same(&self, other: &Self) -> bool {
        !self.fingerprint.is_empty()
            && self.fingerprint == other.fingerprint
            && self.file_path == other.file_path
            && self.rule_id == other.rule_id
    }
}

/// What is known of one rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RuleStats {
    /// How often it fired anew.
    pub triggers: u64,
    /// Verdicts that it is right: true positives.
    pub correct: u64,
    /// Verdicts that it is wrong.
    pub false_positive: u64,
    /// Faults that it did not see.
    pub false_negative: u64,
    /// When it first fired.
    pub first_triggered: Option<Timestamp>,
    /// When it last fired.
    pub last_triggered: Option<Timestamp>,
    /// When it was last judged.
    pub last_feedback: Option<Timestamp>,
}

/// How a rule does over time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Effectiveness {
    /// Known for less than two weeks.
    Monitoring,
    /// More often wrong than right.
    Ineffective,
    /// All else.
    Effective,
}

/// What should be done about a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Advice {
    /// Turn it off.
    Disable,
    /// Make it more precise.
    Tune,
    /// Look at its findings.
    Review,
    /// Split it into more particular rules.
    Specialise,
    /// See whether it is still needed.
    ReviewUnused,
}

/// Advice with how sure it is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recommendation {
    /// What should be done.
    pub action: Advice,
    /// From 0 to 1.
    pub confidence: f64,
}

impl RuleStats {
    /// The stats with the verdict counts of `feedback`; its own are dropped,
    /// because people's verdicts are the truth and the counts follow.
    #[must_use]
    pub fn judged<'f>(mut self, feedback: impl IntoIterator<Item = &'f Feedback>) -> Self {
        self.correct = 0;
        self.false_positive = 0;
        self.false_negative = 0;
        self.last_feedback = None;
        for feedback in feedback {
            match feedback.verdict {
                Verdict::Correct => self.correct += 1,
                Verdict::Fp => self.false_positive += 1,
                Verdict::Fn => self.false_negative += 1,
            }
            self.last_feedback = self.last_feedback.max(Some(feedback.at));
        }
        self
    }

    /// Takes in that the rule fired: `anew` times where it had not before.
    pub fn fired(&mut self, anew: u64, now: Timestamp) {
        self.triggers += anew;
        self.first_triggered.get_or_insert(now);
        self.last_triggered = Some(now);
    }

    /// Whether anyone judged it.
    #[must_use]
    pub const fn has_feedback(&self) -> bool {
        self.correct + self.false_positive + self.false_negative > 0
    }

    /// TP / (TP + FP); 1 when nobody judged it.
    #[must_use]
    pub fn precision(&self) -> f64 {
        share(self.correct, self.correct + self.false_positive).unwrap_or(1.0)
    }

    /// TP / (TP + FN); 1 when nobody judged it.
    #[must_use]
    pub fn recall(&self) -> f64 {
        share(self.correct, self.correct + self.false_negative).unwrap_or(1.0)
    }

    /// 2PR / (P + R); 0 when both are.
    #[must_use]
    pub fn f1(&self) -> f64 {
        let (precision, recall) = (self.precision(), self.recall());
        if precision + recall == 0.0 {
            0.0
        } else {
            2.0 * precision * recall / (precision + recall)
        }
    }

    /// FP / (TP + FP), once there are five verdicts.
    #[must_use]
    pub fn false_positive_rate(&self) -> Option<f64> {
        if self.correct + self.false_positive + self.false_negative < 5 {
            return None;
        }
        share(self.false_positive, self.correct + self.false_positive)
    }

    /// Whether it is too often wrong.
    #[must_use]
    pub fn is_problematic(&self) -> bool {
        self.triggers >= 5 && self.false_positive_rate().is_some_and(|rate| rate >= 0.3)
    }

    /// Whether the recipe that it comes from should be looked at as decaying.
    #[must_use]
    pub fn raises_high_false_positive(&self) -> bool {
        self.triggers >= 10 && self.false_positive_rate().is_some_and(|rate| rate > 0.4)
    }

    /// What should be done about it, if anything.
    #[must_use]
    pub fn recommendation(&self, now: Timestamp) -> Option<Recommendation> {
        let advise = |action, confidence| Some(Recommendation { action, confidence });
        if self.is_problematic() {
            return if self.false_positive_rate().is_some_and(|rate| rate > 0.7) {
                advise(Advice::Disable, 0.8)
            } else if self.precision() < 0.5 {
                advise(Advice::Tune, 0.7)
            } else {
                advise(Advice::Review, 0.5)
            };
        }
        if self.triggers > 50 && self.precision() > 0.8 {
            return advise(Advice::Specialise, 0.6);
        }
        let last = self.last_triggered?;
        if now.since(last) > 30 * 86_400_000 {
            return advise(Advice::ReviewUnused, 0.4);
        }
        None
    }

    /// How it does over time.
    #[must_use]
    pub fn effectiveness(&self, now: Timestamp) -> Effectiveness {
        let known = self
            .first_triggered
            .is_some_and(|first| now.days_since(first) >= 14);
        if !known {
            Effectiveness::Monitoring
        } else if self.precision() < 0.5 && self.triggers >= 5 {
            Effectiveness::Ineffective
        } else {
            Effectiveness::Effective
        }
    }
}

/// The stats of all rules: the counts of this machine with everybody's verdicts.
#[must_use]
pub fn judged_stats(
    counts: &BTreeMap<String, RuleStats>,
    feedback: &[Feedback],
) -> BTreeMap<String, RuleStats> {
    let mut by_rule: BTreeMap<&str, Vec<&Feedback>> = BTreeMap::new();
    for feedback in feedback {
        by_rule.entry(&feedback.rule_id).or_default().push(feedback);
    }
    let ids = counts.keys().map(String::as_str);
    let ids: std::collections::BTreeSet<&str> = ids.chain(by_rule.keys().copied()).collect();
    ids.into_iter()
        .map(|id| {
            let counts = counts.get(id).copied().unwrap_or_default();
            let verdicts = by_rule.get(id).into_iter().flatten().copied();
            (id.to_owned(), counts.judged(verdicts))
        })
        .collect()
}

/// Whether the reason of a suppression says that the finding was wrong: its
/// first word is `fp`.
#[must_use]
pub fn says_false_positive(reason: &str) -> bool {
    reason
        .split(|c: char| !c.is_alphanumeric())
        .find(|word| !word.is_empty())
        .is_some_and(|word| word.eq_ignore_ascii_case("fp"))
}

#[expect(
    clippy::cast_precision_loss,
    reason = "counts of findings are far below 2^52"
)]
fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = 86_400_000;
    const NOW: Timestamp = Timestamp(100 * DAY);

    fn stats(triggers: u64, correct: u64, wrong: u64, missed: u64) -> RuleStats {
        RuleStats {
            triggers,
            correct,
            false_positive: wrong,
            false_negative: missed,
            first_triggered: Some(Timestamp(50 * DAY)),
            last_triggered: Some(Timestamp(99 * DAY)),
            last_feedback: None,
        }
    }

    fn advice(stats: &RuleStats) -> Option<(Advice, f64)> {
        let found = stats.recommendation(NOW)?;
        Some((found.action, found.confidence))
    }

    #[test]
    fn without_verdicts_a_rule_is_taken_for_right() {
        let unjudged = stats(9, 0, 0, 0);
        assert!(!unjudged.has_feedback());
        assert_eq!(
            (unjudged.precision(), unjudged.recall(), unjudged.f1()),
            (1.0, 1.0, 1.0)
        );
        assert_eq!(unjudged.false_positive_rate(), None);
    }

    #[test]
    fn measures_follow_the_verdicts() {
        let judged = stats(10, 6, 2, 4);
        assert_eq!(judged.precision(), 0.75);
        assert_eq!(judged.recall(), 0.6);
        assert!((judged.f1() - 2.0 / 3.0).abs() < 1e-9);
        assert_eq!(judged.false_positive_rate(), Some(0.25));
        assert_eq!(stats(10, 0, 3, 3).f1(), 0.0);
    }

    #[test]
    fn a_rate_needs_five_verdicts() {
        assert_eq!(stats(10, 1, 3, 0).false_positive_rate(), None);
        assert_eq!(stats(10, 1, 4, 0).false_positive_rate(), Some(0.8));
        assert_eq!(stats(10, 0, 0, 5).false_positive_rate(), None);
    }

    #[test]
    fn advice_depends_on_how_often_a_rule_is_wrong() {
        assert_eq!(advice(&stats(10, 1, 4, 0)), Some((Advice::Disable, 0.8)));
        assert_eq!(advice(&stats(10, 2, 3, 0)), Some((Advice::Tune, 0.7)));
        let (action, _) = advice(&stats(10, 7, 3, 0)).unwrap();
        assert_eq!(action, Advice::Review);
        assert_eq!(advice(&stats(4, 1, 4, 0)), None, "too few triggers");
        assert_eq!(advice(&stats(10, 8, 2, 0)), None, "a rate of 0.2");
        assert_eq!(advice(&stats(51, 9, 1, 0)), Some((Advice::Specialise, 0.6)));
        assert_eq!(advice(&stats(50, 9, 1, 0)), None);
    }

    #[test]
    fn a_rule_that_was_silent_for_a_month_is_looked_at() {
        let mut silent = stats(3, 0, 0, 0);
        silent.last_triggered = Some(Timestamp(70 * DAY));
        assert_eq!(advice(&silent), None, "thirty days exactly");
        silent.last_triggered = Some(Timestamp(70 * DAY - 1));
        assert_eq!(advice(&silent), Some((Advice::ReviewUnused, 0.4)));
    }

    #[test]
    fn effectiveness_is_told_after_two_weeks() {
        let mut rule = stats(10, 1, 4, 0);
        assert_eq!(rule.effectiveness(NOW), Effectiveness::Ineffective);
        rule.triggers = 4;
        assert_eq!(rule.effectiveness(NOW), Effectiveness::Effective);
        rule.first_triggered = Some(Timestamp(87 * DAY));
        assert_eq!(rule.effectiveness(NOW), Effectiveness::Monitoring);
        assert_eq!(
            RuleStats::default().effectiveness(NOW),
            Effectiveness::Monitoring
        );
    }

    #[test]
    fn a_recipe_decays_by_many_false_alarms_only() {
        assert!(stats(10, 2, 3, 0).raises_high_false_positive());
        assert!(!stats(9, 2, 3, 0).raises_high_false_positive());
        assert!(!stats(10, 3, 2, 0).raises_high_false_positive());
    }

    #[test]
    fn verdicts_of_people_replace_the_counts() {
        let verdict = |rule: &str, verdict, at| Feedback {
            rule_id: rule.to_owned(),
            file_path: String::new(),
            fingerprint: String::new(),
            verdict,
            by: None,
            at: Timestamp(at),
            reason: None,
        };
        let counts = BTreeMap::from([("a".to_owned(), stats(7, 9, 9, 9))]);
        let all = [
            verdict("a", Verdict::Fp, 5),
            verdict("b", Verdict::Correct, 3),
            verdict("a", Verdict::Fn, 4),
        ];
        let judged = judged_stats(&counts, &all);
        assert_eq!(judged["a"].triggers, 7);
        assert_eq!(judged["a"].correct, 0);
        assert_eq!(judged["a"].false_positive, 1);
        assert_eq!(judged["a"].false_negative, 1);
        assert_eq!(judged["a"].last_feedback, Some(Timestamp(5)));
        assert_eq!(judged["b"].correct, 1);
    }

    #[test]
    fn a_reason_says_fp_by_its_first_word() {
        for yes in ["fp", "FP", "fp: the cast is checked", "(fp) known"] {
            assert!(says_false_positive(yes), "{yes}");
        }
        for no in ["", "fprintf is wanted", "not fp", "legacy"] {
            assert!(!says_false_positive(no), "{no}");
        }
    }
}
