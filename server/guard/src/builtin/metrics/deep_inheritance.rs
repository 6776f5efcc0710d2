use asd_syntax::Language;
use tree_sitter::Node;

use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::supertypes::superclass;
use crate::{Layer, UncertainReason};

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "ast_deep_inheritance",
    layer: Layer::Ast,
    languages: &[
        "objc",
        "swift",
        "javascript",
        "typescript",
        "python",
        "java",
        "kotlin",
        "dart",
    ],
    category: "maintainability",
    message: "The chain of superclasses is long.",
    fix_suggestion: "Use composition for what the classes in between add.",
    why: "To know what a method does one has to read all classes above.",
    threshold: Some(4),
    check: Check::File(check),
    page: include_str!("../../../../../docs/rules/ast_deep_inheritance.md"),
    ..DEFAULTS
};

fn check<'a>(cx: &FileCx<'a>, sink: &mut Sink) {
    let allowed = sink.threshold() as usize;
    let types = &cx.outline().types;
    let mut unknown: Option<&'a str> = None;
    for type_ in types {
        // Superclasses that are declared in this file, nearest first.
        let mut chain: Vec<&'a str> = vec![type_.name];
        let mut at = type_.declaration;
        while let Some(parent) = at.and_then(|declaration| superclass(cx, declaration)) {
            let name = plain_name(cx, parent);
            match types.iter().find(|other| other.name == name) {
                Some(other) if !chain.contains(&name) => {
                    chain.push(name);
                    at = other.declaration;
                }
                Some(_) => break,
                None => {
                    if !is_of_a_library(cx, name, parent) {
                        unknown = unknown.or(Some(name));
                    }
                    break;
                }
            }
        }
        let steps = chain.len() - 1;
        if steps > allowed {
            sink.report(type_.at).message(format!(
                "`{}` has {steps} superclasses in the project ({}); {allowed} are allowed.",
                type_.name,
                chain[1..].join(", ")
            ));
        }
    }
    if let Some(name) = unknown {
        sink.undecided(
            UncertainReason::RequiresCrossFileAnalysis,
            format!("the superclass `{name}` is declared in another file"),
        );
    }
}

fn plain_name<'a>(cx: &FileCx<'a>, node: Node<'a>) -> &'a str {
    let text = cx.text_of(node);
    text.split(['<', '(', '[']).next().unwrap_or(text).trim()
}

/// Whether a superclass is no class of the project: a well-known root, or
/// imported from a package.
fn is_of_a_library<'a>(cx: &FileCx<'a>, name: &str, at: Node<'a>) -> bool {
    let last = name.rsplit('.').next().unwrap_or(name);
    if ROOTS.contains(&last)
        || ["NS", "UI", "CA", "MK", "AV", "SK"].iter().any(|prefix| {
            matches!(cx.language, Language::Objc | Language::Swift)
                && last
                    .strip_prefix(prefix)
                    .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()))
        })
    {
        return true;
    }
    let first = name.split('.').next().unwrap_or(name);
    let Some(binding) = cx.bindings().find(first, at.start_byte()) else {
        return false;
    };
    match cx.language {
        Language::JavaScript | Language::TypeScript | Language::Tsx => {
            let mut statement = Some(binding.by);
            while let Some(node) = statement.filter(|node| node.kind() != "import_statement") {
                statement = node.parent();
            }
            statement.is_some_and(|statement| {
                let source = cx.field_text(statement, "source");
                let source = source.trim_matches(['\'', '"']);
                !source.is_empty()
                    && !source.starts_with(['.', '/', '~', '#'])
                    && !source.starts_with("@/")
            })
        }
        Language::Java => {
            let text = cx.text_of(binding.by);
            [
                "import java.",
                "import javax.",
                "import android.",
                "import androidx.",
                "import org.springframework.",
            ]
            .iter()
            .any(|package| text.starts_with(package))
        }
        Language::Kotlin => {
            let text = cx.text_of(binding.by);
            [
                "import java.",
                "import kotlin.",
                "import android.",
                "import androidx.",
            ]
            .iter()
            .any(|package| text.starts_with(package))
        }
        _ => false,
    }
}

/// Classes of the standard libraries that programs extend.
const ROOTS: &[&str] = &[
    "ABC",
    "Activity",
    "Array",
    "BaseException",
    "BaseModel",
    "ChangeNotifier",
    "Component",
    "Enum",
    "Error",
    "EventEmitter",
    "Exception",
    "Fragment",
    "HTMLElement",
    "IllegalArgumentException",
    "IllegalStateException",
    "IntEnum",
    "InheritedWidget",
    "KeyError",
    "Map",
    "Model",
    "NamedTuple",
    "Object",
    "Promise",
    "Protocol",
    "PureComponent",
    "RuntimeError",
    "RuntimeException",
    "Set",
    "State",
    "StatefulWidget",
    "StatelessWidget",
    "Thread",
    "TestCase",
    "Throwable",
    "TypeError",
    "TypedDict",
    "ValueError",
    "View",
    "ViewModel",
    "dict",
    "list",
    "object",
    "str",
    "type",
];
