//! Rule lines, and the file with the rules of every conversation (channel A).

use asd_recipe::{Recipe, Scope, canonical_language};

use crate::Entry;
use crate::fit::fit_file;
use crate::rank::{Selection, is_settled};
use crate::render::SIGNATURE;
use crate::text::{one_line, sentence, small_first, within_tokens, without_negation};

/// Where the rules of every conversation stand.
pub(crate) const PATH: &str = ".cursor/rules/alembic-project-rules.mdc";
const BUDGET: usize = 800;
/// At most so many rules stand in one file.
pub(crate) const MOST_RULES: usize = 15;
/// A longer line is cut.
const LINE_BUDGET: usize = 60;

/// What an agent is told while there are no rules.
const BASELINE: &[&str] = &[
    "- Search the project's knowledge with asd_search before you write code.",
    "- Follow the files beside the one that you change.",
    "- Run asd_guard after you have edited files.",
];

/// The rendered file, and the lines of the rules in it.
pub(crate) struct Rules {
    pub text: String,
    /// The kept lines, the best first.
    pub lines: Vec<String>,
    pub dropped: usize,
}

/// Settled rules first; those that still wait fill the places left.
pub(crate) fn render(selection: &Selection<'_>) -> Rules {
    let (settled, waiting): (Vec<&Entry>, Vec<&Entry>) = selection
        .rules
        .iter()
        .partition(|entry| is_settled(&entry.recipe));
    let lines: Vec<String> = settled
        .into_iter()
        .chain(waiting)
        .filter_map(|entry| rule_line(&entry.recipe))
        .collect();
    let (text, kept) = fit_file(&lines, BUDGET, MOST_RULES, |lines| {
        let lines: Vec<&str> = if lines.is_empty() {
            BASELINE.to_vec()
        } else {
            lines.to_vec()
        };
        format!(
            "---\ndescription: Project rules for every conversation\nalwaysApply: true\n---\n\
             {SIGNATURE}\n# Project Rules\n\n{}\n\nFor more, call asd_search.\n",
            lines.join("\n")
        )
    });
    Rules {
        text,
        dropped: selection.rules.len() - kept.len(),
        lines: kept.into_iter().map(|index| lines[index].clone()).collect(),
    }
}

/// `- [lang] DO. Do NOT DONT.`; nothing when there is neither an instruction
/// nor a title. (delivery.md §5)
pub(crate) fn rule_line(recipe: &Recipe) -> Option<String> {
    let instruction = if recipe.do_clause.trim().is_empty() {
        &recipe.title
    } else {
        &recipe.do_clause
    };
    let instruction = sentence(&one_line(instruction));
    if instruction.is_empty() {
        return None;
    }
    let tag = match canonical_language(&recipe.language) {
        Some(language) if recipe.scope != Scope::Universal => format!("[{language}] "),
        _ => String::new(),
    };
    let limit = small_first(&sentence(without_negation(&one_line(&recipe.dont_clause))));
    let limit = if limit.is_empty() {
        String::new()
    } else {
        format!(" Do NOT {limit}")
    };
    Some(within_tokens(
        &format!("- {tag}{instruction}{limit}"),
        LINE_BUDGET,
    ))
}

#[cfg(test)]
mod tests {
    use asd_recipe::token_estimate;

    use super::*;
    use crate::fixture::{entry, knowledge};

    fn line(front: &str) -> String {
        rule_line(&entry(front).recipe).unwrap_or_default()
    }

    #[test]
    fn a_rule_is_one_line_with_what_to_do_and_what_not() {
        assert_eq!(
            line("do: Call X.\ndont: Don't call Y."),
            "- Call X. Do NOT call Y."
        );
        assert_eq!(
            line(
                "do: Open ledgers through LedgerPool.\ndont: Never construct Ledger directly\n\
                 language: go\nscope: project-specific"
            ),
            "- [go] Open ledgers through LedgerPool. Do NOT construct Ledger directly."
        );
        assert_eq!(
            line("do: |\n  Return domain\n  errors；\ndont: ''"),
            "- Return domain errors."
        );
        assert_eq!(
            line("title: By the title\nlanguage: all"),
            "- By the title."
        );
        assert_eq!(
            line("do: 使用 NetworkKit。\ndont: 禁止直接用 URLSession"),
            "- 使用 NetworkKit. Do NOT 直接用 URLSession."
        );
        assert_eq!(
            line("do: Use it\ndont: URLSession.shared in views"),
            "- Use it. Do NOT URLSession.shared in views."
        );
    }

    #[test]
    fn a_long_line_is_cut_between_words() {
        let line = line(&format!("do: {}", "word ".repeat(200)));
        assert!(token_estimate(&line) <= LINE_BUDGET);
        assert!(line.ends_with("word…"), "{line}");
    }

    #[test]
    fn at_most_fifteen_rules_within_the_budget_of_the_whole_file() {
        let long = "x".repeat(110);
        let fronts: Vec<String> = (0..20)
            .map(|n| format!("kind: rule\ntrigger: '@r{n:02}'\ndo: {long} {n}"))
            .collect();
        let fronts: Vec<&str> = fronts.iter().map(String::as_str).collect();
        let knowledge = knowledge(&fronts);
        let rules = render(&Selection::of(&knowledge));
        assert_eq!(rules.lines.len(), 15);
        assert_eq!(rules.dropped, 5);
        assert!(token_estimate(&rules.text) <= BUDGET);

        let long = "词".repeat(40);
        let fronts: Vec<String> = (0..20)
            .map(|n| format!("kind: rule\ntrigger: '@r{n:02}'\ndo: {long} {n}"))
            .collect();
        let fronts: Vec<&str> = fronts.iter().map(String::as_str).collect();
        let knowledge = crate::fixture::knowledge(&fronts);
        let rules = render(&Selection::of(&knowledge));
        assert!(rules.lines.len() < 15);
        assert!(token_estimate(&rules.text) <= BUDGET);
    }

    #[test]
    fn rules_that_wait_only_fill_the_places_left() {
        let mut fronts: Vec<String> = (0..15)
            .map(|n| format!("kind: rule\ntrigger: '@r{n:02}'\ndo: Settled {n}"))
            .collect();
        fronts.push(
            "kind: rule\ntrigger: '@a'\nlifecycle: staging\nconfidence: 1.0\ndo: Waiting"
                .to_owned(),
        );
        let texts: Vec<&str> = fronts.iter().map(String::as_str).collect();
        let all = knowledge(&texts);
        assert!(!render(&Selection::of(&all)).text.contains("Waiting"));
        let fewer = knowledge(&texts[1..]);
        assert!(render(&Selection::of(&fewer)).text.contains("Waiting"));
    }

    #[test]
    fn an_empty_knowledge_base_gives_three_lines_that_always_hold() {
        let nothing = knowledge(&[]);
        expect_test::expect![[r#"
            ---
            description: Project rules for every conversation
            alwaysApply: true
            ---
            <!-- auto-generated by [alembic]; edits are overwritten -->
            # Project Rules

            - Search the project's knowledge with asd_search before you write code.
            - Follow the files beside the one that you change.
            - Run asd_guard after you have edited files.

            For more, call asd_search.
        "#]]
        .assert_eq(&render(&Selection::of(&nothing)).text);
    }
}
