//! What can only be said about several recipes together.

use std::collections::{BTreeMap, BTreeSet};

use asd_text::{Span, TextEdit};

use crate::names::{normalise_trigger, trigger_key};
use crate::suggest::nearest;
use crate::yaml::scalar;
use crate::{ParsedRecipe, Problem, ProblemCode, QuickFix, Recipe, Severity};

/// Checks recipes against each other: triggers, ids and titles that occur
/// twice, and relations whose target is none of them. The files are given with
/// their paths, which messages name; each problem comes with the index of its
/// file.
///
/// The first file in the order of their paths keeps a name, the others are
/// reported, so that the result does not depend on the order of reading.
#[must_use]
pub fn check_set(files: &[(&str, &ParsedRecipe)]) -> Vec<(usize, Problem)> {
    let mut order: Vec<usize> = (0..files.len()).collect();
    order.sort_by_key(|index| files[*index].0);
    let mut check = SetCheck {
        files,
        order,
        found: Vec::new(),
    };
    check.triggers();
    check.ids();
    check.titles();
    check.relations();
    check
        .found
        .sort_by(|(a, x), (b, y)| (a, x.span.start, x.code).cmp(&(b, y.span.start, y.code)));
    check.found
}

struct SetCheck<'a> {
    files: &'a [(&'a str, &'a ParsedRecipe)],
    order: Vec<usize>,
    found: Vec<(usize, Problem)>,
}

impl<'a> SetCheck<'a> {
    fn recipes(&self) -> impl Iterator<Item = (usize, &'a Recipe)> {
        self.order
            .iter()
            .filter_map(|&index| Some((index, self.files[index].1.recipe.as_ref()?)))
    }

    /// The files that share a value with an earlier one, with that earlier one.
    fn repeated(&self, value: impl Fn(&'a Recipe) -> Option<String>) -> Vec<(usize, usize)> {
        let mut first: BTreeMap<String, usize> = BTreeMap::new();
        let mut repeated = Vec::new();
        for (index, recipe) in self.recipes() {
            let Some(value) = value(recipe).filter(|value| !value.is_empty()) else {
                continue;
            };
            match first.get(&value) {
                Some(&earlier) => repeated.push((index, earlier)),
                None => {
                    first.insert(value, index);
                }
            }
        }
        repeated
    }

    fn span(&self, index: usize, field: &str) -> Span {
        let parsed = self.files[index].1;
        parsed
            .fields
            .get(field)
            .map(|field| {
                if field.value.is_empty() {
                    field.key
                } else {
                    field.value
                }
            })
            .or(parsed.front_matter.map(|front| Span::empty(front.start)))
            .unwrap_or_default()
    }

    fn report(
        &mut self,
        index: usize,
        span: Span,
        severity: Severity,
        code: ProblemCode,
        message: String,
    ) -> &mut Problem {
        self.found.push((
            index,
            Problem {
                span,
                severity,
                code,
                message,
                fix: None,
            },
        ));
        &mut self.found.last_mut().expect("one was just pushed").1
    }

    fn triggers(&mut self) {
        let taken: BTreeSet<String> = self
            .recipes()
            .map(|(_, recipe)| trigger_key(&recipe.trigger))
            .collect();
        for (index, earlier) in self.repeated(|recipe| Some(trigger_key(&recipe.trigger))) {
            let Some(recipe) = &self.files[index].1.recipe else {
                continue;
            };
            let trigger = recipe.trigger.clone();
            let base = normalise_trigger(&trigger).unwrap_or_else(|| trigger.clone());
            let path = self.files[earlier].0;
            let span = self.span(index, "trigger");
            let free = (2..)
                .map(|n| format!("{base}-{n}"))
                .find(|name| !taken.contains(&trigger_key(name)));
            let message = format!(
                "The trigger `{trigger}` belongs to {path} already. Give this recipe another one."
            );
            let problem = self.report(
                index,
                span,
                Severity::Error,
                ProblemCode::DuplicateTrigger,
                message,
            );
            problem.fix = free.map(|name| QuickFix {
                title: format!("Change to `{name}`"),
                edits: vec![TextEdit::replace(span, scalar(&name))],
            });
        }
    }

    fn ids(&mut self) {
        for (index, earlier) in self.repeated(|recipe| recipe.id.clone()) {
            let path = self.files[earlier].0;
            let message = format!(
                "The id of this recipe is that of {path} too. Remove it here; `asd sync` assigns a new one."
            );
            let span = self.span(index, "id");
            self.report(
                index,
                span,
                Severity::Error,
                ProblemCode::DuplicateId,
                message,
            );
        }
    }

    fn titles(&mut self) {
        for (index, earlier) in self.repeated(|recipe| Some(recipe.title.trim().to_lowercase())) {
            let path = self.files[earlier].0;
            let message =
                format!("{path} has this title too. Say what is different about this recipe.");
            let span = self.span(index, "title");
            self.report(
                index,
                span,
                Severity::Warning,
                ProblemCode::DuplicateTitle,
                message,
            );
        }
    }

    fn relations(&mut self) {
        let mut names: BTreeSet<&str> = BTreeSet::new();
        let mut keys: BTreeSet<String> = BTreeSet::new();
        for (_, recipe) in self.recipes() {
            keys.insert(trigger_key(&recipe.trigger));
            names.extend([recipe.trigger.as_str(), recipe.title.as_str()]);
            names.extend(recipe.id.as_deref());
        }
        let triggers: Vec<&str> = self
            .recipes()
            .map(|(_, recipe)| recipe.trigger.as_str())
            .collect();
        for (index, recipe) in self.recipes().collect::<Vec<_>>() {
            for relation in recipe.relations.values().flatten() {
                let target = relation.target.as_str();
                let known = names.contains(target)
                    || (target.starts_with('@') && keys.contains(&trigger_key(target)));
                if known {
                    continue;
                }
                let suggestion = nearest(
                    target,
                    triggers.iter().copied().filter(|t| *t != recipe.trigger),
                );
                let hint = suggestion
                    .map(|name| format!(" Did you mean `{name}`?"))
                    .unwrap_or_default();
                let span = relation.span;
                let message = format!("No recipe has the trigger, id or title `{target}`.{hint}");
                // The span lies inside the quotes, if there are any.
                self.report(
                    index,
                    span,
                    Severity::Warning,
                    ProblemCode::UnknownRelation,
                    message,
                )
                .fix = suggestion
                    .filter(|_| span.len() == target.len())
                    .map(|name| QuickFix {
                        title: format!("Change to `{name}`"),
                        edits: vec![TextEdit::replace(span, name)],
                    });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Home, parse};

    #[test]
    fn recipes_are_checked_against_each_other() {
        let a = "---\nid: 1\ntrigger: \"@net-monitor\"\ntitle: 网络\n---\n";
        let b = "---\nid: 2\ntrigger: \"@NetMonitor\"\ntitle: B\nrelations:\n  depends_on: [\"@net-monitr\", \"@net_monitor\", C, \"2\", nowhere]\n---\n";
        let c = "---\nid: 1\ntrigger: \"@c\"\ntitle: c\nrelations: [{target: b}]\n---\n";
        let d = "---\ntrigger: \"@d\"\ntitle: C\n---\n";
        let parsed: Vec<ParsedRecipe> = [a, b, c, d]
            .iter()
            .map(|text| parse(text, Home::Recipes))
            .collect();
        let files: Vec<(&str, &ParsedRecipe)> = ["a.md", "b.md", "c.md", "d.md"]
            .into_iter()
            .zip(&parsed)
            .collect();
        let shown: Vec<String> = check_set(&files)
            .iter()
            .map(|(index, problem)| {
                format!(
                    "{} {} {:?}: {} [{}]\n",
                    files[*index].0,
                    problem.code.as_str(),
                    problem.span.of([a, b, c, d][*index]),
                    problem.message,
                    problem.fix.as_ref().map_or("", |fix| fix.title.as_str())
                )
            })
            .collect();
        expect_test::expect![[r#"
            b.md duplicate-trigger "\"@NetMonitor\"": The trigger `@NetMonitor` belongs to a.md already. Give this recipe another one. [Change to `@net-monitor-2`]
            b.md unknown-relation "@net-monitr": No recipe has the trigger, id or title `@net-monitr`. Did you mean `@net-monitor`? [Change to `@net-monitor`]
            b.md unknown-relation "nowhere": No recipe has the trigger, id or title `nowhere`. []
            c.md duplicate-id "1": The id of this recipe is that of a.md too. Remove it here; `asd sync` assigns a new one. []
            c.md unknown-relation "b": No recipe has the trigger, id or title `b`. []
            d.md duplicate-title "C": c.md has this title too. Say what is different about this recipe. []
        "#]].assert_eq(&shown.concat());
    }

    #[test]
    fn the_order_of_reading_does_not_matter() {
        let a = parse("---\ntrigger: \"@x\"\ntitle: A\n---\n", Home::Recipes);
        let b = parse("---\ntrigger: \"@x\"\ntitle: B\n---\n", Home::Recipes);
        let reported = |files: &[(&str, &ParsedRecipe)]| -> Vec<String> {
            check_set(files)
                .iter()
                .map(|(index, _)| files[*index].0.to_owned())
                .collect()
        };
        assert_eq!(reported(&[("1.md", &a), ("2.md", &b)]), ["2.md"]);
        assert_eq!(reported(&[("2.md", &b), ("1.md", &a)]), ["2.md"]);
    }
}
