//! Recipe cards.

use std::sync::atomic::AtomicBool;

use asd_guard::{FileReport, RuleInfo, RuleOrigin};
use asd_recipe::{GuardKind, Recipe, SourceRef, canonical_language};
use asd_syntax::{Language, Mask};
use asd_text::Span;
use tower_lsp_server::jsonrpc;
use tower_lsp_server::ls_types::{Hover, HoverContents, HoverParams, Uri};

use crate::card::{self, Style};
use crate::mentions::{is_prose, mention_at, suppressed_rules};
use crate::project::Project;
use crate::recipe_file::inside;
use crate::recipes;
use crate::snapshot::{DocumentView, Snapshot};

/// How many recipes an identifier's hover names at most.
const MENTIONS: usize = 3;

/// How many cards the hover on overlapping findings shows at most.
const CARDS: usize = 3;

/// `textDocument/hover`
pub fn hover(
    snapshot: &Snapshot,
    params: HoverParams,
    cancel: &AtomicBool,
) -> Result<Option<Hover>, jsonrpc::Error> {
    let place = params.text_document_position_params;
    let Some(view) = snapshot.document(&place.text_document.uri) else {
        return Ok(None);
    };
    let offset = view.offset(place.position);
    let style = if snapshot.client().markdown_hover() {
        Style::Markdown
    } else {
        Style::Plain
    };
    let found = match on_trigger(snapshot, &view, offset, style)
        .or_else(|| on_suppression(snapshot, &view, offset, style))
    {
        Some(found) => Some(found),
        None => {
            let report = view.report(cancel)?;
            on_finding(snapshot, &view, &report, offset, style)
                .or_else(|| on_identifier(&view, offset, style))
        }
    };
    Ok(found.map(|(span, text)| Hover {
        contents: HoverContents::Markup(style.content(text)),
        range: Some(view.range(span)),
    }))
}

/// The card of a recipe, with links to the sources that exist.
pub(crate) fn card_of(
    snapshot: &Snapshot,
    project: &Project,
    recipe: &Recipe,
    style: Style,
) -> String {
    let link = |source: &SourceRef| -> Option<Uri> {
        let path = inside(&source.path)?;
        let exists = project.root.join(path).exists();
        exists.then(|| snapshot.uri_of(project, path)).flatten()
    };
    card::recipe_card(recipe, style, &link)
}

/// The card of a rule: that of its recipe when it has one.
fn card_of_rule(snapshot: &Snapshot, project: &Project, rule: &RuleInfo, style: Style) -> String {
    if let RuleOrigin::Recipe(origin) = &rule.origin
        && let Some((_, recipe)) = recipes::at_path(project, &origin.path)
            .or_else(|| recipes::by_trigger(project, &origin.trigger))
    {
        return card_of(snapshot, project, recipe, style);
    }
    card::rule_card(rule, style)
}

fn on_trigger(
    snapshot: &Snapshot,
    view: &DocumentView,
    offset: usize,
    style: Style,
) -> Option<(Span, String)> {
    let text = &view.text().text;
    let span = mention_at(view.language(), text, offset)?;
    let (_, recipe) = recipes::by_trigger(&view.project, span.of(text))?;
    Some((span, card_of(snapshot, &view.project, recipe, style)))
}

/// The rule that a suppression comment names.
fn on_suppression(
    snapshot: &Snapshot,
    view: &DocumentView,
    offset: usize,
    style: Style,
) -> Option<(Span, String)> {
    let text = view.text();
    let line = text.lines.line_span(&text.text, text.lines.line_of(offset));
    let named = suppressed_rules(line.of(&text.text))
        .into_iter()
        .find(|rule| rule.span.shifted(line.start).touches(offset))?;
    if !is_prose(view.language(), &text.text, offset) {
        return None;
    }
    let rules = view.project.state.rules().rules();
    let rule = rules.iter().find(|rule| rule.id == named.id)?;
    Some((
        named.span.shifted(line.start),
        card_of_rule(snapshot, &view.project, rule, style),
    ))
}

fn on_finding(
    snapshot: &Snapshot,
    view: &DocumentView,
    report: &FileReport,
    offset: usize,
    style: Style,
) -> Option<(Span, String)> {
    let mut here: Vec<_> = report
        .findings
        .iter()
        .filter(|finding| finding.span.touches(offset))
        .collect();
    // The innermost first, since that is what the cursor is on.
    here.sort_by_key(|finding| (finding.span.len(), std::cmp::Reverse(finding.severity)));
    let span = here.first()?.span;
    let mut cards: Vec<String> = Vec::new();
    for finding in here {
        let card = card_of_rule(snapshot, &view.project, &finding.rule, style);
        if cards.len() < CARDS && !cards.contains(&card) {
            cards.push(card);
        }
    }
    Some((span, cards.join(style.separator())))
}

fn on_identifier(view: &DocumentView, offset: usize, style: Style) -> Option<(Span, String)> {
    let language = view.language()?;
    let text = &view.text().text;
    let span = identifier_at(text, offset)?;
    let word = span.of(text);
    if !is_telling(word) || Mask::new(language, text).at(span.start).is_some() {
        return None;
    }
    let mut named: Vec<(bool, &Recipe)> = recipes::all(&view.project)
        .filter(|(_, recipe)| recipe.lifecycle.guards_apply() && is_about(recipe, language))
        .filter_map(|(_, recipe)| {
            let by_guard = names_in_guards(recipe, word);
            (by_guard || names_in_code(recipe, word)).then_some((!by_guard, recipe))
        })
        .collect();
    named.sort_by(|a, b| (a.0, &a.1.trigger).cmp(&(b.0, &b.1.trigger)));
    let lines: Vec<String> = named
        .iter()
        .take(MENTIONS)
        .map(|(_, recipe)| card::mention(recipe, style))
        .collect();
    (!lines.is_empty()).then(|| (span, lines.join("\n\n")))
}

fn is_about(recipe: &Recipe, language: Language) -> bool {
    let written = recipe.language.trim();
    written.is_empty()
        || written.eq_ignore_ascii_case("all")
        || canonical_language(written) == Some(language.id())
}

fn names_in_code(recipe: &Recipe, word: &str) -> bool {
    let code = recipe.core_code.iter().map(|code| code.text.as_str());
    code.chain(recipe.headers.iter().map(String::as_str))
        .any(|text| has_word(text, word))
}

fn names_in_guards(recipe: &Recipe, word: &str) -> bool {
    use asd_recipe::AstGuard;
    recipe
        .constraints
        .guards
        .iter()
        .any(|guard| match &guard.kind {
            GuardKind::Regex { pattern, .. } => has_word(&without_classes(pattern), word),
            GuardKind::Ast(ast) => match ast {
                AstGuard::Pattern { pattern } | AstGuard::MustNotUseInContext { pattern, .. } => {
                    has_word(pattern, word)
                }
                AstGuard::MustCallThrough {
                    target_api,
                    wrapper_class,
                } => has_word(target_api, word) || has_word(wrapper_class, word),
                AstGuard::MustConformToProtocol { protocol_name, .. } => {
                    has_word(protocol_name, word)
                }
                AstGuard::Rule { rule, .. } => has_word(&rule.to_string(), word),
                AstGuard::Query { .. } => false,
            },
        })
}

/// A regular expression with escapes such as `\b` and `\s` blanked, so that
/// their letters do not run into the words beside them.
fn without_classes(pattern: &str) -> String {
    let mut result = String::with_capacity(pattern.len());
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        if c == '\\' {
            result.push(' ');
            if let Some(next) = chars.next().filter(|next| !next.is_alphanumeric()) {
                result.push(next);
            }
        } else {
            result.push(c);
        }
    }
    result
}

fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        !before.is_some_and(is_identifier) && !after.is_some_and(is_identifier)
    })
}

fn is_identifier(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn identifier_at(text: &str, offset: usize) -> Option<Span> {
    let start = text[..offset]
        .char_indices()
        .rev()
        .take_while(|(_, c)| is_identifier(*c))
        .last()
        .map_or(offset, |(at, _)| at);
    let end = offset
        + text[offset..]
            .find(|c: char| !is_identifier(c))
            .unwrap_or(text.len() - offset);
    (start < end).then(|| Span::new(start, end))
}

/// Whether a word says something about a project: not a number, not one of the
/// short lower-case words that every code is full of. (knowledge.md §14)
fn is_telling(word: &str) -> bool {
    let letters = word.chars().count();
    let lower = !word.chars().any(char::is_uppercase) && !word.contains('_');
    let is_common = (lower && letters < 6) || COMMON.split(' ').any(|common| common == word);
    letters >= 3 && !word.starts_with(|c: char| c.is_ascii_digit()) && !is_common
}

/// Keywords and everyday types of the supported languages that pass for names.
const COMMON: &str = "\
    abstract assert async boolean Boolean Array companion const continue default defer \
    delete Double dynamic export extends extension external fallthrough False \
    fileprivate finally Float foreach function global implements import include inline \
    instanceof interface internal Integer invoke lambda length namespace native nonlocal \
    None NULL number object Object operator override package private protected protocol \
    public readonly require return sealed select Self signed sizeof static string String \
    strictfp struct switch synchronized template throws transient True typealias typedef \
    typename typeof undefined unsafe unsigned virtual volatile Void";

#[cfg(test)]
#[path = "hover_tests.rs"]
mod tests;
