use anyhow::bail;
use asd_guard::{RuleOrigin, SourceFilter};

use crate::Outcome;
use crate::args::ExplainOptions;
use crate::output::text::Names;
use crate::rules::{all_rules, project_at, source};
use crate::terminal::Terminal;

pub(crate) fn run(options: &ExplainOptions, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    let state = project_at(&options.project)?;
    let rules = all_rules(&state, SourceFilter::All);
    let Some((rule, enabled)) = rules.iter().find(|(rule, _)| rule.id == options.rule) else {
        bail!(
            "no rule has the id `{}`; `asd guard rules` lists the rules",
            options.rule
        );
    };
    terminal.line(&format!("{}: {}", rule.id, rule.message))?;
    let mut line = |name: &str, text: &str| {
        if text.is_empty() {
            Ok(())
        } else {
            terminal.line(&format!("  {name:10} {text}"))
        }
    };
    line("severity", rule.severity.as_str())?;
    line(
        "languages",
        &match rule.languages.as_slice() {
            [] => "all".to_owned(),
            some => some.join(", "),
        },
    )?;
    line("category", &rule.category)?;
    line("source", source(rule))?;
    if let RuleOrigin::Recipe(recipe) = &rule.origin {
        let path = Names::new(state.project().root()).shown(&recipe.path);
        line("recipe", &format!("{} ({path})", recipe.trigger))?;
        line("do", &recipe.do_clause)?;
        line("don't", &recipe.dont_clause)?;
    }
    let told = matches!(&rule.origin, RuleOrigin::Recipe(r) if r.do_clause == rule.fix_suggestion);
    if !told {
        line("advice", &rule.fix_suggestion)?;
    }
    line("why", &rule.why)?;
    line("fix", if rule.fixable { "yes" } else { "no" })?;
    line(
        "in force",
        if *enabled {
            "yes"
        } else {
            "no, the settings turn it off"
        },
    )?;
    line(
        "ignore",
        &format!("a comment `asd:ignore {} -- reason`", rule.id),
    )?;
    Ok(Outcome::Fine)
}
