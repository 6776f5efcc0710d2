//! A recipe or a rule as a card for people: in a hover, in the documentation of
//! a completion.
//!
//! Recipe text is content of a repository that may come from anywhere. Nothing
//! in it becomes a link, an image or HTML; only the fenced skeleton keeps its
//! form. The links to sources are made here.

use std::fmt::Write as _;

use asd_guard::{RuleInfo, RuleOrigin, rule_page};
use asd_recipe::{Recipe, SourceRef, code_span, inline};
use tower_lsp_server::ls_types::{MarkupContent, MarkupKind, Uri};

/// How a card is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// For clients that render Markdown.
    Markdown,
    /// For all others.
    Plain,
}

impl Style {
    /// The text as the protocol carries it.
    pub(crate) fn content(self, value: String) -> MarkupContent {
        let kind = match self {
            Self::Markdown => MarkupKind::Markdown,
            Self::Plain => MarkupKind::PlainText,
        };
        MarkupContent { kind, value }
    }

    /// What stands between two cards.
    pub(crate) fn separator(self) -> &'static str {
        match self {
            Self::Markdown => "\n\n---\n\n",
            Self::Plain => "\n\n",
        }
    }

    fn text(self, text: &str) -> String {
        match self {
            Self::Markdown => inline(text),
            Self::Plain => one_line(text),
        }
    }

    fn code(self, text: &str) -> String {
        match self {
            Self::Markdown => code_span(text),
            Self::Plain => one_line(text),
        }
    }
}

/// The whole card of a recipe. `link` gives the address of a source that still
/// exists.
pub(crate) fn recipe_card(
    recipe: &Recipe,
    style: Style,
    link: &dyn Fn(&SourceRef) -> Option<Uri>,
) -> String {
    let mut card = Card::new(style);
    card.heading(if recipe.title.is_empty() {
        &recipe.trigger
    } else {
        &recipe.title
    });
    let mut facts = Vec::new();
    if !recipe.trigger.is_empty() {
        facts.push(style.code(&recipe.trigger));
    }
    facts.push(word(&recipe.kind));
    facts.push(word(&recipe.lifecycle));
    if !recipe.language.is_empty() {
        facts.push(style.text(&recipe.language));
    }
    card.paragraph(&facts.join(" · "));
    card.field("When", &recipe.when_clause);
    card.field("Do", &recipe.do_clause);
    card.field("Don't", &recipe.dont_clause);
    card.field("Why", why(recipe));
    if let Some(code) = &recipe.core_code {
        let language = if code.language.is_empty() {
            &recipe.language
        } else {
            &code.language
        };
        card.fence(language, &code.text);
    }
    card.sources(&recipe.reasoning.sources, link);
    card.text
}

/// The card of a rule that no recipe stands behind: the page of a built-in one.
pub(crate) fn rule_card(rule: &RuleInfo, style: Style) -> String {
    if style == Style::Markdown
        && rule.origin == RuleOrigin::BuiltIn
        && let Some(page) = rule_page(&rule.id)
    {
        return page.trim_end().to_owned();
    }
    let mut card = Card::new(style);
    card.heading(&rule.id);
    let origin = match &rule.origin {
        RuleOrigin::Recipe(recipe) => style.code(&recipe.trigger),
        RuleOrigin::Pack { name } => format!("pack {}", style.text(name)),
        RuleOrigin::BuiltIn => "built-in rule".to_owned(),
    };
    let mut facts = vec![origin, rule.severity.as_str().to_owned()];
    if !rule.category.is_empty() {
        facts.push(style.text(&rule.category));
    }
    if !rule.languages.is_empty() {
        facts.push(style.text(&rule.languages.join(", ")));
    }
    card.paragraph(&facts.join(" · "));
    card.paragraph(&style.text(&rule.message));
    card.field("Do", &rule.fix_suggestion);
    card.field("Why", &rule.why);
    card.text
}

/// A recipe in one line: its trigger and what it is about.
pub(crate) fn mention(recipe: &Recipe, style: Style) -> String {
    let about = if recipe.do_clause.is_empty() {
        &recipe.title
    } else {
        &recipe.do_clause
    };
    format!("{} — {}", style.code(&recipe.trigger), style.text(about))
}

fn why(recipe: &Recipe) -> &str {
    if recipe.reasoning.why_standard.trim().is_empty() {
        let rationale = recipe.content.rationale.trim();
        rationale.split("\n\n").next().unwrap_or(rationale)
    } else {
        &recipe.reasoning.why_standard
    }
}

/// The name of a value as it stands in files.
fn word(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value)
        .ok()
        .and_then(|value| value.as_str().map(str::to_owned))
        .unwrap_or_default()
}

struct Card {
    style: Style,
    text: String,
}

impl Card {
    const fn new(style: Style) -> Self {
        Self {
            style,
            text: String::new(),
        }
    }

    fn heading(&mut self, text: &str) {
        let text = self.style.text(text);
        match self.style {
            Style::Markdown => self.paragraph(&format!("### {text}")),
            Style::Plain => self.paragraph(&text),
        }
    }

    fn field(&mut self, label: &str, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        let text = self.style.text(text);
        match self.style {
            Style::Markdown => self.paragraph(&format!("**{label}:** {text}")),
            Style::Plain => self.paragraph(&format!("{label}: {text}")),
        }
    }

    fn fence(&mut self, language: &str, code: &str) {
        let code = code.trim_end();
        if code.trim().is_empty() {
            return;
        }
        match self.style {
            Style::Plain => self.paragraph(code),
            Style::Markdown => {
                let longest = longest_run(code);
                let fence = "`".repeat(3.max(longest + 1));
                let language: String = language
                    .chars()
                    .filter(|c| c.is_alphanumeric() || matches!(c, '-' | '+' | '#' | '_'))
                    .collect();
                self.paragraph(&format!("{fence}{language}\n{code}\n{fence}"));
            }
        }
    }

    fn sources(&mut self, sources: &[SourceRef], link: &dyn Fn(&SourceRef) -> Option<Uri>) {
        if sources.is_empty() {
            return;
        }
        let listed: Vec<String> = sources
            .iter()
            .map(|source| {
                let name = source_name(source);
                match (self.style, link(source)) {
                    (Style::Markdown, Some(uri)) => {
                        let line = source.lines.map(|(first, _)| format!("#L{first}"));
                        format!(
                            "[{}](<{}{}>)",
                            inline(&name),
                            uri.as_str(),
                            line.unwrap_or_default()
                        )
                    }
                    (style, Some(_)) => style.code(&name),
                    (style, None) => format!("{} (not found)", style.code(&name)),
                }
            })
            .collect();
        let listed = listed.join(", ");
        match self.style {
            Style::Markdown => self.paragraph(&format!("**Sources:** {listed}")),
            Style::Plain => self.paragraph(&format!("Sources: {listed}")),
        }
    }

    fn paragraph(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        if !self.text.is_empty() {
            self.text.push_str("\n\n");
        }
        self.text.push_str(text);
    }
}

fn source_name(source: &SourceRef) -> String {
    let mut name = source.path.clone();
    match source.lines {
        Some((first, last)) if first == last => {
            let _ = write!(name, ":{first}");
        }
        Some((first, last)) => {
            let _ = write!(name, ":{first}-{last}");
        }
        None => {}
    }
    name
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    fn sample() -> Recipe {
        Recipe {
            title: "Cookie 依赖注入".into(),
            trigger: "@cookie-di".into(),
            language: "swift".into(),
            do_clause: "Inject `CookieStore` *everywhere*".into(),
            dont_clause: "use [click](command:run) or <img src=x> or https://evil.example".into(),
            core_code: Some(asd_recipe::Code {
                language: "swift".into(),
                text: "let a = \"```\"\n".into(),
                ..Default::default()
            }),
            reasoning: asd_recipe::Reasoning {
                why_standard: "One\nowner".into(),
                sources: vec![
                    SourceRef {
                        path: "src/a b.swift".into(),
                        lines: Some((3, 9)),
                        ..Default::default()
                    },
                    SourceRef {
                        path: "gone](x)".into(),
                        ..Default::default()
                    },
                ],
                ..Default::default()
            },
            ..Recipe::default()
        }
    }

    fn link(source: &SourceRef) -> Option<Uri> {
        (source.path == "src/a b.swift").then(|| "file:///w/src/a%20b.swift".parse().unwrap())
    }

    #[test]
    fn a_card_in_markdown_is_inert() {
        expect![[r####"
            ### Cookie 依赖注入

            `@cookie-di` · pattern · pending · swift

            **Do:** Inject \`CookieStore\` \*everywhere\*

            **Don't:** use \[click\](command:run) or \<img src=x> or https\://evil.example

            **Why:** One owner

            ````swift
            let a = "```"
            ````

            **Sources:** [src/a b.swift:3-9](<file:///w/src/a%20b.swift#L3>), `gone](x)` (not found)"####]]
        .assert_eq(&recipe_card(&sample(), Style::Markdown, &link));
    }

    #[test]
    fn a_card_in_plain_text_has_no_markup() {
        expect![[r#"
            Cookie 依赖注入

            @cookie-di · pattern · pending · swift

            Do: Inject `CookieStore` *everywhere*

            Don't: use [click](command:run) or <img src=x> or https://evil.example

            Why: One owner

            let a = "```"

            Sources: src/a b.swift:3-9, gone](x) (not found)"#]]
        .assert_eq(&recipe_card(&sample(), Style::Plain, &link));
    }
}
