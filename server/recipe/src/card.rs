//! A recipe as a card that a person reads: in a hover, in the terminal.

use crate::markdown::fenced;
use crate::{Recipe, canonical_language};

/// The card of a recipe in Markdown: title, what it is, when, do, don't, why,
/// the code, and where it was seen.
///
/// The text of a recipe is not to be trusted: in the card it is plain text. It
/// cannot make links, images, HTML or headings, and code cannot leave its
/// fence.
#[must_use]
pub fn card_markdown(recipe: &Recipe) -> String {
    let mut paragraphs = vec![heading(recipe)];
    let lifecycle = recipe.lifecycle.name();
    let mut facts = vec![recipe.kind.name().to_owned(), lifecycle.to_owned()];
    for fact in [&recipe.language, &recipe.category] {
        if !fact.is_empty() {
            facts.push(inline(fact));
        }
    }
    paragraphs.push(facts.join(" · "));
    if !recipe.description.is_empty() && recipe.description != recipe.title {
        paragraphs.push(inline(&recipe.description));
    }
    let clauses: Vec<String> = [
        ("When", &recipe.when_clause),
        ("Do", &recipe.do_clause),
        ("Don't", &recipe.dont_clause),
        ("Why", why(recipe)),
    ]
    .into_iter()
    .filter(|(_, text)| !text.trim().is_empty())
    .map(|(label, text)| format!("**{label}:** {}", inline(text)))
    .collect();
    // Two blanks break the line without the gap of a paragraph.
    if !clauses.is_empty() {
        paragraphs.push(clauses.join("  \n"));
    }
    if let Some(code) = recipe
        .core_code
        .as_ref()
        .filter(|code| !code.text.is_empty())
    {
        let language = if code.language.is_empty() {
            &recipe.language
        } else {
            &code.language
        };
        paragraphs.push(
            fenced(fence_language(language), &code.text)
                .trim_end()
                .to_owned(),
        );
    }
    let sources: Vec<String> = recipe
        .reasoning
        .sources
        .iter()
        .map(|source| code_span(&source.to_string()))
        .collect();
    if !sources.is_empty() {
        paragraphs.push(format!("**Sources:** {}", sources.join(", ")));
    }
    paragraphs.join("\n\n") + "\n"
}

fn heading(recipe: &Recipe) -> String {
    let title = if recipe.title.is_empty() {
        &recipe.trigger
    } else {
        &recipe.title
    };
    let mut heading = format!("### {}", inline(title));
    if !recipe.trigger.is_empty() {
        heading.push(' ');
        heading.push_str(&code_span(&recipe.trigger));
    }
    heading
}

fn why(recipe: &Recipe) -> &String {
    if recipe.reasoning.why_standard.is_empty() {
        &recipe.content.rationale
    } else {
        &recipe.reasoning.why_standard
    }
}

/// Names under which editors know the languages of fences.
fn fence_language(language: &str) -> &str {
    match canonical_language(language) {
        Some("objc") => "objective-c",
        Some(id) => id,
        None => "",
    }
}

/// `text` on one line as Markdown that shows just this text. Only what Markdown
/// would take as markup is escaped, because not every editor hides the escapes.
#[must_use]
pub fn inline(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let chars: Vec<char> = line.chars().collect();
    let mut out = String::with_capacity(line.len() + 8);
    for (index, &c) in chars.iter().enumerate() {
        let before = index.checked_sub(1).map(|i| chars[i]);
        let after = chars.get(index + 1).copied();
        let in_word =
            before.is_some_and(char::is_alphanumeric) && after.is_some_and(char::is_alphanumeric);
        let is_markup = match c {
            '\\' => after.is_none_or(|next| next.is_ascii_punctuation()),
            '`' | '*' | '[' | ']' | '<' | '|' => true,
            '_' => !in_word,
            '~' => before == Some('~') || after == Some('~'),
            '&' => after.is_some_and(|next| next.is_ascii_alphanumeric() || next == '#'),
            // `https://…` and `www.…` become links by themselves.
            ':' => after == Some('/'),
            '.' => {
                index >= 3
                    && chars[index - 3..index]
                        .iter()
                        .all(|w| w.eq_ignore_ascii_case(&'w'))
            }
            '@' => in_word,
            '#' | '>' | '+' | '-' | '=' => index == 0,
            _ => false,
        };
        if is_markup {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// `text` as code within a line.
#[must_use]
pub fn code_span(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut longest = 0;
    let mut run = 0;
    for c in text.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let ticks = "`".repeat(longest + 1);
    if text.starts_with('`') || text.ends_with('`') || text.is_empty() {
        format!("{ticks} {text} {ticks}")
    } else {
        format!("{ticks}{text}{ticks}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Home, parse};

    #[test]
    fn a_card_shows_what_a_reader_needs() {
        let text = include_str!("../tests/full.md");
        let recipe = parse(text, Home::Recipes).recipe.unwrap();
        expect_test::expect![[r#"
            ### RetryQueue backoff rule `@retry-queue-backoff`

            rule · active · rust · Network

            All outbound calls go through RetryQueue

            **When:** Adding or editing an outbound HTTP call  
            **Do:** Submit the request through RetryQueue::push with a bounded attempt count  
            **Don't:** Loop with thread::sleep around a client call  
            **Why:** Unbounded retries took the gateway down

            ```rust
            queue.push(req, Attempts::new(3)).await?;
            ```

            **Sources:** `src/net/retry.rs:10-48`
        "#]]
        .assert_eq(&card_markdown(&recipe));
    }

    #[test]
    fn the_text_of_a_recipe_is_inert() {
        let text = "---\ntrigger: \"@a`b\"\ntitle: '# [x](command:evil) <img src=x> ![y](z)'\ndo: see https://evil.example, www.evil.example and me@evil.example\ndont: |\n  a\n\n  # b\n  <script>\nreasoning:\n  sources: ['a/`b`.rs']\n---\n## Core code\n````js\"onload=x\n```\n</script>\n````\n";
        let recipe = parse(text, Home::Recipes).recipe.unwrap();
        expect_test::expect![[r#"
            ### \# \[x\](command:evil) \<img src=x> !\[y\](z) ``@a`b``

            pattern · active · js"onload=x

            **Do:** see https\://evil.example, www\.evil.example and me\@evil.example  
            **Don't:** a # b \<script>

            ````
            ```
            </script>
            ````

            **Sources:** ``a/`b`.rs``
        "#]]
        .assert_eq(&card_markdown(&recipe));
    }
}
