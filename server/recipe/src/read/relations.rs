use indexmap::IndexMap;

use super::fields::Reader;
use crate::keys::RELATIONS;
use crate::names::trigger_key;
use crate::yaml::{Entry, Node, Value};
use crate::{ProblemCode, Recipe, Relation, RelationKind, Severity};

/// Reads relations: a map of kind to targets, or a flat list of
/// `{type, target, description}`. (knowledge.md §10)
pub(super) fn read(
    reader: &mut Reader<'_>,
    entry: &Entry,
    recipe: &Recipe,
) -> IndexMap<RelationKind, Vec<Relation>> {
    let mut relations = IndexMap::new();
    match &entry.value.value {
        Value::Map(kinds) => {
            for of_kind in kinds {
                let kind = kind(reader, &of_kind.key, &key_node(of_kind), &entry.key);
                let targets = match &of_kind.value.value {
                    Value::Seq(items) => items.as_slice(),
                    _ => std::slice::from_ref(&of_kind.value),
                };
                for target in targets {
                    add(reader, &mut relations, kind, target, recipe);
                }
            }
        }
        Value::Seq(items) => {
            for item in items {
                let stated = item.entries().and_then(|entries| {
                    entries
                        .iter()
                        .find(|entry| matches!(entry.key.as_str(), "type" | "kind" | "relation"))
                });
                let kind = match stated {
                    Some(stated) => match reader.line(stated) {
                        Some(name) => kind(reader, &name, &stated.value, &stated.key),
                        None => RelationKind::Related,
                    },
                    None => RelationKind::Related,
                };
                add(reader, &mut relations, kind, item, recipe);
            }
        }
        Value::Scalar(_) if entry.value.is_null() => {}
        Value::Scalar(_) => {
            reader.map(entry);
        }
    }
    relations
}

/// A node for the key, so that a fix can replace it.
fn key_node(entry: &Entry) -> Node {
    Node::scalar(entry.key.clone(), crate::yaml::Style::Plain, entry.key_span)
}

fn kind(reader: &mut Reader<'_>, name: &str, node: &Node, key: &str) -> RelationKind {
    if let Some(kind) = RelationKind::from_name(name) {
        return kind;
    }
    reader
        .one_of_text(name, node, key, RELATIONS, Severity::Warning)
        .and_then(RelationKind::from_name)
        .unwrap_or_default()
}

fn add(
    reader: &mut Reader<'_>,
    relations: &mut IndexMap<RelationKind, Vec<Relation>>,
    kind: RelationKind,
    node: &Node,
    recipe: &Recipe,
) {
    let Some(relation) = relation(reader, node) else {
        return;
    };
    if is_itself(&relation.target, recipe) {
        reader.warning(
            relation.span,
            ProblemCode::UnknownRelation,
            "A relation of a recipe to itself is left out.",
        );
        return;
    }
    let of_kind = relations.entry(kind).or_default();
    if !of_kind.iter().any(|known| known.target == relation.target) {
        of_kind.push(relation);
    }
}

fn relation(reader: &mut Reader<'_>, node: &Node) -> Option<Relation> {
    match &node.value {
        Value::Scalar(scalar) if !node.is_null() => {
            let target = scalar.text.trim();
            (!target.is_empty()).then(|| Relation {
                target: target.to_owned(),
                description: None,
                span: super::reasoning::inner_span(reader.text, node),
            })
        }
        Value::Map(entries) => {
            let find = |names: &[&str]| entries.iter().find(|e| names.contains(&e.key.as_str()));
            let Some(target) = find(&["target", "to", "id"]) else {
                reader.warning(
                    node.span,
                    ProblemCode::MissingField,
                    "This relation has no `target`: a trigger, an id or a title.",
                );
                return None;
            };
            Some(Relation {
                target: reader.line(target)?,
                description: find(&["description"]).and_then(|entry| reader.line(entry)),
                span: super::reasoning::inner_span(reader.text, &target.value),
            })
        }
        Value::Scalar(_) => None,
        Value::Seq(_) => {
            reader.warning(
                node.span,
                ProblemCode::WrongType,
                "A relation is a trigger, an id or a title, or a mapping with `target` and `description`.",
            );
            None
        }
    }
}

fn is_itself(target: &str, recipe: &Recipe) -> bool {
    let same_trigger = target.starts_with('@')
        && !recipe.trigger.is_empty()
        && trigger_key(target) == trigger_key(&recipe.trigger);
    same_trigger || recipe.id.as_deref() == Some(target) || recipe.title == target
}
