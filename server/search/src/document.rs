//! What is searched.

use std::sync::Arc;

use asd_recipe::{AstGuard, GuardKind, Recipe, canonical_language};

/// A recipe with what is known about its use.
#[derive(Clone, Debug)]
pub struct Document {
    /// What rows are named and, among equal scores, ordered by: the recipe's
    /// id, else its trigger, else its path.
    pub id: Arc<str>,
    /// The recipe.
    pub recipe: Arc<Recipe>,
    /// How it was used.
    pub stats: Stats,
}

/// How a recipe was used and judged. All zero and unknown for a recipe that
/// has files only.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stats {
    /// How often it was adopted, applied and found, in all.
    pub uses: u64,
    /// Its authority, 0 to 5.
    pub authority: Option<f64>,
    /// Its overall quality, 0 to 1.
    pub quality: Option<f64>,
}

impl Document {
    /// A document of a recipe file that lies at `path`.
    #[must_use]
    pub fn new(path: &str, recipe: Arc<Recipe>, stats: Stats) -> Self {
        let id = recipe
            .id
            .as_deref()
            .filter(|id| !id.is_empty())
            .or(Some(recipe.trigger.as_str()).filter(|trigger| !trigger.is_empty()))
            .unwrap_or(path)
            .into();
        Self { id, recipe, stats }
    }

    /// The language under which it is compared; `None` for one that applies to
    /// every language.
    pub(crate) fn language(&self) -> Option<&str> {
        let language = self.recipe.language.trim();
        if language.is_empty() || language.eq_ignore_ascii_case("all") {
            return None;
        }
        Some(canonical_language(language).unwrap_or(language))
    }
}

/// A part of a document with its weight for ranking. (search.md §3)
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Field {
    Trigger,
    Title,
    Tags,
    Description,
    Clauses,
    Content,
    Code,
    Facets,
}

/// The texts of a document, each with its field.
pub(crate) fn fields(recipe: &Recipe) -> Vec<(Field, String)> {
    let content = &recipe.content;
    let mut clauses = vec![
        recipe.when_clause.as_str(),
        recipe.do_clause.as_str(),
        recipe.dont_clause.as_str(),
    ];
    let mut prose = vec![
        content.markdown.as_str(),
        content.rationale.as_str(),
        recipe.reasoning.why_standard.as_str(),
        recipe.usage_guide.as_str(),
    ];
    let mut code = vec![content.pattern.as_str()];
    for step in &content.steps {
        prose.extend([step.title.as_str(), step.description.as_str()]);
        code.push(&step.code);
    }
    for change in &content.code_changes {
        prose.push(&change.explanation);
        code.extend([change.before.as_str(), change.after.as_str()]);
    }
    if let Some(verification) = &content.verification {
        prose.extend([
            verification.method.as_str(),
            verification.expected_result.as_str(),
        ]);
    }
    let constraints = &recipe.constraints;
    let lists = [
        &constraints.boundaries,
        &constraints.preconditions,
        &constraints.side_effects,
        &recipe.reasoning.alternatives,
    ];
    prose.extend(lists.into_iter().flatten().map(String::as_str));
    for guard in &constraints.guards {
        if guard.message != recipe.description && guard.message != recipe.title {
            clauses.push(&guard.message);
        }
        if guard.fix_suggestion != recipe.do_clause {
            clauses.push(&guard.fix_suggestion);
        }
        code.push(&guard.id);
        match &guard.kind {
            GuardKind::Ast(AstGuard::Pattern { pattern }) => code.push(pattern),
            GuardKind::Ast(AstGuard::MustCallThrough {
                target_api,
                wrapper_class,
            }) => code.extend([target_api.as_str(), wrapper_class.as_str()]),
            _ => {}
        }
    }
    if let Some(core) = &recipe.core_code {
        code.push(&core.text);
    }
    code.extend(recipe.headers.iter().map(String::as_str));
    let facets = [
        recipe.language.as_str(),
        recipe.category.as_str(),
        recipe.knowledge_type.as_str(),
        recipe.topic_hint.as_deref().unwrap_or_default(),
        recipe.dimension_id.as_deref().unwrap_or_default(),
        recipe.module_name.as_deref().unwrap_or_default(),
    ];
    vec![
        (Field::Trigger, recipe.trigger.clone()),
        (Field::Title, recipe.title.clone()),
        (Field::Tags, recipe.tags.join(" / ")),
        (Field::Description, recipe.description.clone()),
        (Field::Clauses, clauses.join("\n")),
        (Field::Content, prose.join("\n")),
        (Field::Code, code.join("\n")),
        (Field::Facets, facets.join(" / ")),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_named_by_id_then_trigger_then_path() {
        let mut recipe = Recipe {
            id: Some("5b".into()),
            trigger: "@a".into(),
            ..Recipe::default()
        };
        let id = |recipe: &Recipe| {
            Document::new("x.md", Arc::new(recipe.clone()), Stats::default())
                .id
                .to_string()
        };
        assert_eq!(id(&recipe), "5b");
        recipe.id = None;
        assert_eq!(id(&recipe), "@a");
        recipe.trigger.clear();
        assert_eq!(id(&recipe), "x.md");
    }
}
