use serde_json::{Map, Value as Json, json};

use super::Fields;
use crate::read::{GuardDefaults, spans_lines};
use crate::{AstGuard, FixKind, FixTemplate, Guard, GuardKind, MatchIn, Recipe, Severity};

/// The guards of a recipe without what equals its default.
pub(super) fn write(recipe: &Recipe) -> Json {
    let guards = &recipe.constraints.guards;
    let defaults = GuardDefaults::of(recipe);
    let written = guards
        .iter()
        .enumerate()
        .map(|(index, guard)| {
            let id = defaults.id(index, guards.len());
            Json::Object(write_guard(guard, &id, &defaults))
        })
        .collect();
    Json::Array(written)
}

fn write_guard(guard: &Guard, default_id: &str, defaults: &GuardDefaults) -> Map<String, Json> {
    let mut fields = Fields(Map::new());
    if guard.id != default_id {
        fields.text("id", &guard.id);
    }
    match &guard.kind {
        GuardKind::Regex {
            pattern,
            flags,
            match_in,
            multiline,
        } => {
            fields.set("type", "regex");
            fields.set("pattern", pattern.as_str());
            fields.text("flags", flags);
            if *match_in != MatchIn::Code {
                fields.set("matchIn", match_in.name());
            }
            if *multiline && !spans_lines(pattern) {
                fields.set("multiline", true);
            }
        }
        GuardKind::Ast(ast) => {
            fields.set("type", "ast");
            write_ast(ast, &mut fields);
        }
    }
    if guard.severity != Severity::Warning {
        fields.set("severity", guard.severity.name());
    }
    if guard.message != defaults.message() {
        fields.text("message", &guard.message);
    }
    if guard.fix_suggestion != defaults.fix_suggestion() {
        fields.text("fixSuggestion", &guard.fix_suggestion);
    }
    if let Some(fix) = &guard.fix {
        fields.set("fix", write_fix(fix));
    }
    if guard.languages != defaults.languages() {
        if guard.languages.is_empty() {
            fields.set("languages", json!(["all"]));
        } else {
            fields.set("languages", json!(guard.languages));
        }
    }
    fields.list("includePaths", &guard.include_paths);
    fields.list("excludePaths", &guard.exclude_paths);
    fields.list("excludeLine", &guard.exclude_line);
    fields.list("positiveExamples", &guard.positive_examples);
    fields.list("negativeExamples", &guard.negative_examples);
    fields.0.extend(guard.extra.clone());
    fields.0
}

fn write_ast(ast: &AstGuard, fields: &mut Fields) {
    let query = match ast {
        AstGuard::Pattern { pattern } => {
            fields.set("ast", pattern.as_str());
            return;
        }
        AstGuard::Rule {
            rule,
            constraints,
            utils,
        } => {
            fields.set("rule", rule.clone());
            fields.maybe("constraints", constraints.clone());
            fields.maybe("utils", utils.clone());
            return;
        }
        AstGuard::MustCallThrough {
            target_api,
            wrapper_class,
        } => {
            json!({"type": "mustCallThrough", "targetAPI": target_api, "wrapperClass": wrapper_class})
        }
        AstGuard::MustNotUseInContext {
            pattern,
            forbidden_context,
        } => {
            json!({"type": "mustNotUseInContext", "pattern": pattern, "forbiddenContext": forbidden_context})
        }
        AstGuard::MustConformToProtocol {
            class_name,
            protocol_name,
        } => {
            json!({"type": "mustConformToProtocol", "className": class_name, "protocolName": protocol_name})
        }
        AstGuard::Query { query, capture } => match capture {
            Some(capture) => json!({"type": "query", "query": query, "capture": capture}),
            None => json!({"type": "query", "query": query}),
        },
    };
    fields.set("astQuery", query);
}

fn write_fix(fix: &FixTemplate) -> Json {
    if fix.kind == FixKind::Replace && !fix.safe {
        return Json::from(fix.template.as_str());
    }
    let mut fields = Fields(Map::new());
    fields.set("kind", fix.kind.name());
    if fix.kind != FixKind::Remove || !fix.template.is_empty() {
        fields.set("template", fix.template.as_str());
    }
    if fix.safe {
        fields.set("safe", true);
    }
    Json::Object(fields.0)
}
