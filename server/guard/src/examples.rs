//! A recipe's own tests. (editor.md §5)

use std::sync::atomic::AtomicBool;

use asd_recipe::{Example, ExampleKind, Guard, Problem, ProblemCode, Recipe, Severity};
use asd_syntax::Language;
use asd_text::Span;

use crate::languages::LanguageSet;
use crate::{FileReport, Finding, RuleSet, Target};

impl RuleSet {
    /// Runs the examples of a recipe, and the positive and negative examples of
    /// its guards, against its guards; says which do not hold. The recipe's
    /// lifecycle and the paths that its guards are limited to do not matter
    /// here.
    #[must_use]
    pub fn check_examples(&self, recipe: &Recipe, examples: &[Example]) -> Vec<Problem> {
        let guards = &recipe.constraints.guards;
        if examples.is_empty()
            && guards
                .iter()
                .all(|g| g.positive_examples.is_empty() && g.negative_examples.is_empty())
        {
            return Vec::new();
        }
        let run = Run {
            rules: Self::of_recipe(recipe, Some(self)),
            recipe,
            guards,
        };
        let mut problems = Vec::new();
        let mut bad: Option<&Example> = None;
        for example in examples {
            problems.extend(run.example(example, bad));
            if example.kind == ExampleKind::Bad {
                bad = Some(example);
            }
        }
        for (index, guard) in guards.iter().enumerate() {
            run.own_examples(index, guard, &mut problems);
        }
        problems
    }
}

struct Run<'a> {
    rules: RuleSet,
    recipe: &'a Recipe,
    guards: &'a [Guard],
}

impl Run<'_> {
    fn example(&self, example: &Example, bad: Option<&Example>) -> Option<Problem> {
        let span = if example.info_span.is_empty() {
            example.span
        } else {
            example.info_span
        };
        let named = match &example.guard {
            None => None,
            Some(name) => match self.guards.iter().position(|guard| guard.id == *name) {
                Some(index) => Some(index),
                None => {
                    return Some(failing(
                        span,
                        format!("This recipe has no guard `{name}`.{}", self.known()),
                    ));
                }
            },
        };
        let Some(language) = self.language(&example.language) else {
            return Some(failing(
                span,
                format!("`{}` is not a known language.", example.language),
            ));
        };
        match example.kind {
            ExampleKind::Bad => {
                let report = self.check(language, &example.text);
                if report.findings.iter().any(|one| self.is_of(one, named)) {
                    return None;
                }
                let why = self.why_silent(named, language, &report);
                Some(failing(
                    span,
                    match &example.guard {
                        Some(name) => {
                            format!("The guard `{name}` finds nothing in this example.{why}")
                        }
                        None => format!("No guard finds anything in this example.{why}"),
                    },
                ))
            }
            ExampleKind::Good => {
                let report = self.check(language, &example.text);
                let finding = report.findings.iter().find(|one| self.is_of(one, named))?;
                let line = 1 + example.text[..finding.span.start].matches('\n').count();
                Some(failing(
                    span,
                    format!(
                        "The guard `{}` finds `{}` on line {line} of this example, where it should find nothing.",
                        finding.rule.id,
                        shortened(finding.span.of(&example.text))
                    ),
                ))
            }
            ExampleKind::Fixed => {
                let Some(bad) = bad else {
                    return Some(failing(
                        span,
                        "A `fixed` example must follow the `bad` example that it is made of."
                            .to_owned(),
                    ));
                };
                let named = named.or_else(|| {
                    let name = bad.guard.as_ref()?;
                    self.guards.iter().position(|guard| guard.id == *name)
                });
                if let Some(message) = self.without_fix(named) {
                    return Some(failing(span, message));
                }
                let target = Target {
                    path: None,
                    text: &bad.text,
                    language: self.language(&bad.language)?,
                    previous: None,
                };
                let never = AtomicBool::new(false);
                let select = |_: &str, finding: &Finding| self.is_of(finding, named);
                let fixed = self.rules.fix_all(&target, &select, &never).ok()?.text;
                if same_code(&fixed, &example.text) {
                    return None;
                }
                Some(failing(
                    span,
                    if same_code(&fixed, &bad.text) {
                        "The fix changes nothing in the `bad` example above.".to_owned()
                    } else {
                        format!(
                            "The fix turns the `bad` example into:\n{}",
                            fixed.trim_end()
                        )
                    },
                ))
            }
        }
    }

    fn own_examples(&self, index: usize, guard: &Guard, problems: &mut Vec<Problem>) {
        let id = guard.languages.first().map_or("", String::as_str);
        let Some(language) = self.language(id) else {
            return;
        };
        let fires = |text: &str| {
            self.check(language, text)
                .findings
                .iter()
                .any(|one| self.is_of(one, Some(index)))
        };
        for text in guard.positive_examples.iter().filter(|text| !fires(text)) {
            problems.push(failing(
                guard.spans.whole,
                format!(
                    "The guard does not find its positive example `{}`.",
                    shortened(text)
                ),
            ));
        }
        for text in guard.negative_examples.iter().filter(|text| fires(text)) {
            problems.push(failing(
                guard.spans.whole,
                format!(
                    "The guard finds its negative example `{}`.",
                    shortened(text)
                ),
            ));
        }
    }

    fn check(&self, language: Language, text: &str) -> FileReport {
        let target = Target {
            path: None,
            text,
            language,
            previous: None,
        };
        self.rules
            .check(&target, &AtomicBool::new(false))
            .unwrap_or_default()
    }

    /// Whether a finding is of the guard with that index, or of any.
    fn is_of(&self, finding: &Finding, guard: Option<usize>) -> bool {
        guard.is_none_or(|index| {
            self.rules
                .inner
                .rules
                .get(index)
                .is_some_and(|rule| rule.info.id == finding.rule.id)
        })
    }

    /// The language of a fence; where it states none, that of the recipe.
    fn language(&self, id: &str) -> Option<Language> {
        if !id.is_empty() {
            return Language::from_id(id);
        }
        let stated = Language::from_id(&self.recipe.language);
        stated.or_else(|| {
            let guards = self.guards.iter().flat_map(|guard| &guard.languages);
            guards.filter_map(|id| Language::from_id(id)).next()
        })
    }

    /// What to say when none of the guards meant has a fix.
    fn without_fix(&self, named: Option<usize>) -> Option<String> {
        let of = |index: usize| self.guards.get(index);
        if let Some(guard) = named.and_then(of) {
            return guard.fix.is_none().then(|| {
                format!(
                    "The guard `{}` has no `fix`. Add one, or remove this example.",
                    guard.id
                )
            });
        }
        let none = self.guards.iter().all(|guard| guard.fix.is_none());
        none.then(|| {
            "No guard of this recipe has a `fix`. Add one, or remove this example.".to_owned()
        })
    }

    fn why_silent(&self, named: Option<usize>, language: Language, report: &FileReport) -> String {
        if let Some(uncertain) = report.uncertain.first() {
            return format!(" It could not be checked: {}", uncertain.detail);
        }
        let guards = self.guards.iter().enumerate();
        let mut meant = guards.filter(|(index, _)| named.is_none_or(|named| named == *index));
        let looks = meant.any(|(_, guard)| LanguageSet::named(&guard.languages).contains(language));
        if looks {
            String::new()
        } else {
            format!(" It is not checked in {}.", language.id())
        }
    }

    fn known(&self) -> String {
        let ids: Vec<String> = self
            .guards
            .iter()
            .map(|guard| format!("`{}`", guard.id))
            .collect();
        if ids.is_empty() {
            String::new()
        } else {
            format!(" It has {}.", ids.join(", "))
        }
    }
}

fn failing(span: Span, message: String) -> Problem {
    Problem {
        span,
        severity: Severity::Error,
        code: ProblemCode::Example,
        message,
        fix: None,
    }
}

fn shortened(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    if line.chars().count() <= 60 && line.len() == text.trim().len() {
        return line.to_owned();
    }
    let start: String = line.chars().take(60).collect();
    format!("{start}…")
}

/// Equal but for line endings and blank lines at the end.
fn same_code(a: &str, b: &str) -> bool {
    let mut a = a.trim_end().lines();
    let mut b = b.trim_end().lines();
    loop {
        match (a.next(), b.next()) {
            (None, None) => return true,
            (a, b) if a != b => return false,
            _ => {}
        }
    }
}
