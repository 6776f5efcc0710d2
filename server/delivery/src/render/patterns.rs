//! Pattern blocks, and the files of patterns by topic (channel B).

use std::collections::{BTreeMap, BTreeSet};

use asd_recipe::{Recipe, token_estimate};

use crate::Entry;
use crate::code::fenced;
use crate::fit::fit_file;
use crate::rank::Selection;
use crate::render::topics::{TOPICS, Topic, description, topic};
use crate::render::{SIGNATURE, TopicReport};
use crate::text::{
    capital_first, first_sentence, one_line, shortened, unique, without_negation, yaml_string,
};

const BUDGET: usize = 750;
const MOST_PATTERNS: usize = 5;
const MOST_WHY: usize = 120;
const MOST_FACT: usize = 150;

/// The path of a topic's file.
pub(crate) fn path(topic: &str) -> String {
    format!(".cursor/rules/alembic-patterns-{topic}.mdc")
}

/// Whether a file of that name holds patterns.
pub(crate) fn is_file(name: &str) -> bool {
    name.starts_with("alembic-patterns-") && name.ends_with(".mdc")
}

/// One file of patterns.
pub(crate) struct TopicFile {
    pub topic: &'static str,
    pub text: String,
    pub report: TopicReport,
}

/// The files of all topics that have something to say.
pub(crate) fn render(selection: &Selection<'_>) -> Vec<TopicFile> {
    let mut by_topic: BTreeMap<&str, (Vec<&Entry>, Vec<&Entry>)> = BTreeMap::new();
    for entry in &selection.patterns {
        let name = topic(&entry.recipe).name;
        by_topic.entry(name).or_default().0.push(entry);
    }
    for entry in &selection.facts {
        let name = topic(&entry.recipe).name;
        by_topic.entry(name).or_default().1.push(entry);
    }
    TOPICS
        .iter()
        .filter_map(|topic| {
            let (patterns, facts) = by_topic.get(topic.name)?;
            topic_file(topic, patterns, facts)
        })
        .collect()
}

fn topic_file(topic: &'static Topic, patterns: &[&Entry], facts: &[&Entry]) -> Option<TopicFile> {
    let mut taken = BTreeSet::new();
    let blocks: Vec<String> = patterns
        .iter()
        .filter_map(|entry| pattern_block(&entry.recipe, &mut taken))
        .collect();
    let rows: Vec<String> = facts
        .iter()
        .filter_map(|entry| fact_row(&entry.recipe))
        .collect();
    if blocks.is_empty() && rows.is_empty() {
        return None;
    }
    let recipes: Vec<&Recipe> = patterns
        .iter()
        .chain(facts)
        .map(|entry| &*entry.recipe)
        .collect();
    let head = format!(
        "---\ndescription: {}\nalwaysApply: false\n---\n{SIGNATURE}\n# {} Patterns\n",
        yaml_string(&description(topic, &recipes)),
        topic.label
    );
    let (mut text, kept) = fit_file(&blocks, BUDGET, MOST_PATTERNS, |blocks| {
        let mut text = head.clone();
        for block in blocks {
            text.push('\n');
            text.push_str(block);
        }
        text
    });
    // Facts use what the patterns leave.
    let mut shown = 0;
    for row in &rows {
        let heading = if shown == 0 {
            "\n## Context Facts\n"
        } else {
            ""
        };
        let longer = format!("{text}{heading}{row}\n");
        if token_estimate(&longer) <= BUDGET {
            text = longer;
            shown += 1;
        }
    }
    if kept.is_empty() && shown == 0 {
        return None;
    }
    let report = TopicReport {
        patterns: kept.len(),
        facts: shown,
        dropped: patterns.len() + facts.len() - kept.len() - shown,
        tokens: token_estimate(&text),
    };
    Some(TopicFile {
        topic: topic.name,
        text,
        report,
    })
}

/// Whether a pattern says enough to be delivered.
pub(crate) fn is_complete(recipe: &Recipe) -> bool {
    [&recipe.trigger, &recipe.when_clause, &recipe.do_clause]
        .iter()
        .all(|text| !text.trim().is_empty())
}

fn pattern_block(recipe: &Recipe, taken: &mut BTreeSet<String>) -> Option<String> {
    if !is_complete(recipe) {
        return None;
    }
    let heading = unique(&one_line(&recipe.trigger), taken);
    let mut block = format!(
        "### {heading}\n- **When**: {}\n- **Do**: {}\n",
        one_line(&recipe.when_clause),
        one_line(&recipe.do_clause)
    );
    let limit = one_line(&recipe.dont_clause);
    let limit = capital_first(without_negation(&limit));
    if !limit.is_empty() {
        block.push_str(&format!("- **Don't**: {limit}\n"));
    }
    let why = shortened(&first_sentence(&recipe.content.rationale), MOST_WHY);
    if !why.is_empty() {
        block.push_str(&format!("- **Why**: {why}\n"));
    }
    let (code, language) = sample(recipe);
    let code = fenced(code, language);
    if !code.is_empty() {
        block.push_str(&format!("\n{code}\n"));
    }
    Some(block)
}

fn sample(recipe: &Recipe) -> (&str, &str) {
    match &recipe.core_code {
        Some(code) if !code.text.trim().is_empty() => {
            let language = if code.language.is_empty() {
                &recipe.language
            } else {
                &code.language
            };
            (&code.text, language)
        }
        _ => (&recipe.content.pattern, &recipe.language),
    }
}

fn fact_row(recipe: &Recipe) -> Option<String> {
    let summary = [
        recipe.description.clone(),
        recipe.do_clause.clone(),
        first_sentence(&recipe.content.markdown),
    ]
    .into_iter()
    .map(|text| one_line(&text))
    .find(|text| !text.is_empty())?;
    let title = one_line(&recipe.title);
    Some(format!("- **{title}**: {}", shortened(&summary, MOST_FACT)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::knowledge;

    const LEDGER: &str = "title: Ledger pool checkout\ntrigger: '@ledger-pool-checkout'\ncategory: Storage\n\
        kind: pattern\nlanguage: go\nwhen: Reading or writing an account ledger\n\
        do: Check a ledger out of LedgerPool and drop the guard at the end of scope\n\
        dont: Never keep a ledger across an await\n---\n\
        ## Rationale\nA held ledger blocks settlement. It happened twice.\n\n\
        ## Core code\n```go\n// Take one.\nl := pool.Checkout(ctx, id)\ndefer l.Release()\n```\n";

    #[test]
    fn a_topic_file_has_whole_blocks_and_facts() {
        let knowledge = knowledge(&[
            LEDGER,
            "kind: fact\ntitle: Ledger ownership\ncategory: Storage\n\
             description: settlement owns ledger, api only reads",
        ]);
        let files = render(&Selection::of(&knowledge));
        assert_eq!(files.len(), 1);
        expect_test::expect![[r#"
            ---
            description: "Data patterns: storage, model, cache, account, ledger, reading, writing, api, checkout, ownership, owns, pool, reads, settlement"
            alwaysApply: false
            ---
            <!-- auto-generated by [alembic]; edits are overwritten -->
            # Data Patterns

            ### @ledger-pool-checkout
            - **When**: Reading or writing an account ledger
            - **Do**: Check a ledger out of LedgerPool and drop the guard at the end of scope
            - **Don't**: Keep a ledger across an await
            - **Why**: A held ledger blocks settlement.

            ```go
            l := pool.Checkout(ctx, id)
            defer l.Release()
            ```

            ## Context Facts
            - **Ledger ownership**: settlement owns ledger, api only reads
        "#]]
        .assert_eq(&files[0].text);
    }

    #[test]
    fn no_fence_is_ever_left_open_and_the_whole_file_keeps_the_budget() {
        let fronts: Vec<String> = (0..12)
            .map(|n| {
                format!(
                    "trigger: '@p{n:02}'\ncategory: Storage\nkind: pattern\nwhen: Case {n}\ndo: Do it\n---\n\
                     ## Core code\n```go\n{}```\n",
                    (0..(n * 3 % 14 + 1)).map(|l| format!("call_number_{l}(argument, another)\n")).collect::<String>()
                )
            })
            .collect();
        let fronts: Vec<&str> = fronts.iter().map(String::as_str).collect();
        let knowledge = knowledge(&fronts);
        let files = render(&Selection::of(&knowledge));
        let text = &files[0].text;
        assert!(token_estimate(text) <= BUDGET, "{}", token_estimate(text));
        assert_eq!(text.matches("```").count() % 2, 0);
        assert!(files[0].report.patterns <= MOST_PATTERNS);
        assert_eq!(files[0].report.patterns + files[0].report.dropped, 12);
    }

    #[test]
    fn what_has_no_trigger_situation_or_instruction_is_left_out() {
        for missing in ["when: W", "do: D"] {
            let knowledge = knowledge(&[&format!("kind: pattern\n{missing}")]);
            assert!(render(&Selection::of(&knowledge)).is_empty(), "{missing}");
        }
    }

    #[test]
    fn descriptions_are_quoted_for_yaml() {
        let knowledge = knowledge(&["kind: pattern\nwhen: W\ndo: D\ntags: ['say \"hi\": x']"]);
        let files = render(&Selection::of(&knowledge));
        let line = files[0].text.lines().nth(1).unwrap();
        let value = line.strip_prefix("description: ").unwrap();
        let value: String = serde_json::from_str(value).unwrap();
        assert!(value.contains("say \"hi\": x"), "{value}");
    }

    #[test]
    fn code_in_a_pattern_section_is_used_when_there_is_no_core_code() {
        let knowledge = knowledge(&[
            "kind: pattern\nwhen: W\ndo: D\nlanguage: go\n---\n## Pattern\n```go\nx := 1\n```\n",
        ]);
        let files = render(&Selection::of(&knowledge));
        assert!(
            files[0].text.contains("\n```go\nx := 1\n```\n"),
            "{}",
            files[0].text
        );
    }
}
