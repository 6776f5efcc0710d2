//! The API symbols that a piece of code names.

use std::collections::BTreeSet;

use asd_recipe::{Recipe, canonical_language};
use asd_syntax::{Language, Node, error_share, parse};
use regex::Regex;

use super::standard::is_standard;
use crate::submission::{unfenced, without_comments};

/// Above this share of bytes that a grammar cannot read, patterns are used.
const MAX_ERRORS: f64 = 0.3;
/// Shorter names are too common to say anything.
const MIN_NAME: usize = 3;
/// Shorter words in small letters are no names of an API.
const MIN_LOWER: usize = 6;

/// What a piece of code names of what is around it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CodeSymbols {
    /// Names of types, functions and decorators that are used but not defined
    /// in the code itself, sorted.
    pub names: Vec<String>,
    /// The last parts of what its import lines name, sorted: these come from
    /// somewhere that the lines say.
    pub imported: Vec<String>,
}

/// The symbols that a recipe's core code and pattern name. Names of the
/// language and its standard library are left out.
#[must_use]
pub fn recipe_symbols(recipe: &Recipe) -> CodeSymbols {
    let mut found = Found::default();
    let id = recipe
        .core_code
        .as_ref()
        .map(|code| code.language.as_str())
        .filter(|language| !language.is_empty())
        .unwrap_or(&recipe.language);
    let language = canonical_language(id).and_then(Language::from_id);
    let core = recipe.core_code.as_ref().map_or("", |code| &code.text);
    for code in [core, unfenced(&recipe.content.pattern)] {
        if !code.trim().is_empty() {
            found.code(code, language);
        }
    }
    for line in &recipe.headers {
        found.import_line(line);
    }
    found.finish()
}

/// The symbols that one piece of code names.
#[must_use]
pub fn code_symbols(code: &str, language: Option<Language>) -> CodeSymbols {
    let mut found = Found::default();
    found.code(code, language);
    found.finish()
}

#[derive(Default)]
struct Found {
    used: BTreeSet<String>,
    defined: BTreeSet<String>,
    imported: BTreeSet<String>,
}

impl Found {
    fn finish(self) -> CodeSymbols {
        let (defined, imported) = (self.defined, self.imported);
        let names = self.used.into_iter().filter(|name| {
            !defined.contains(name) && !imported.contains(name) && !is_standard(name)
        });
        CodeSymbols {
            names: names.collect(),
            imported: imported.into_iter().collect(),
        }
    }

    fn code(&mut self, code: &str, language: Option<Language>) {
        let tree = language.and_then(|language| parse(language, code, None));
        match tree {
            Some(tree) if error_share(&tree) <= MAX_ERRORS => self.tree(tree.root_node(), code),
            _ => {
                let bare = language.map(|language| without_comments(code, language.id()));
                self.patterns(bare.as_deref().unwrap_or(code));
            }
        }
    }

    fn tree(&mut self, root: Node<'_>, code: &str) {
        let mut cursor = root.walk();
        loop {
            let node = cursor.node();
            let field = cursor.field_name();
            let kind = node.kind();
            let is_import = is_import(kind);
            if is_import && node.is_named() {
                self.import_line(&code[node.byte_range()]);
            } else if node.child_count() == 0 {
                self.leaf(node, field, code);
            }
            let hidden = is_import || kind.contains("comment") || kind.contains("string_literal");
            if !hidden && cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
            }
        }
    }

    fn leaf(&mut self, node: Node<'_>, field: Option<&str>, code: &str) {
        let kind = node.kind();
        if !(kind.ends_with("identifier") || matches!(kind, "constant" | "name" | "word")) {
            return;
        }
        let name = &code[node.byte_range()];
        let parent = node.parent();
        if let Some(parent) = parent
            && defines(parent, node, field)
        {
            self.defined.insert(name.to_owned());
            return;
        }
        let is_called = parent.is_some_and(|parent| is_callee(parent, node));
        let is_decorator = parent.is_some_and(|parent| is_below_decorator(parent));
        if is_type_like(name) || ((is_called || is_decorator) && is_compound(name)) {
            self.used(name);
        }
    }

    fn used(&mut self, name: &str) {
        let long_enough = if is_type_like(name) {
            name.chars().count() >= MIN_NAME
        } else {
            name.chars().count() >= MIN_LOWER
        };
        if long_enough {
            self.used.insert(name.to_owned());
        }
    }

    fn import_line(&mut self, line: &str) {
        for word in line.split(|c: char| !c.is_alphanumeric() && c != '_') {
            const IMPORT_WORDS: [&str; 14] = [
                "import", "from", "use", "using", "include", "require", "as", "crate", "self",
                "super", "type", "static", "const", "package",
            ];
            if word.chars().count() >= 2 && !IMPORT_WORDS.contains(&word) {
                self.imported.insert(word.to_owned());
            }
        }
    }

    /// For code that no grammar reads.
    fn patterns(&mut self, code: &str) {
        let is_import_line = |line: &str| {
            let line = line.trim_start();
            [
                "import ", "from ", "use ", "using ", "#import", "#include", "@import",
            ]
            .iter()
            .any(|start| line.starts_with(start))
        };
        for line in code.lines() {
            if is_import_line(line) {
                self.import_line(line);
                continue;
            }
            for (pattern, group) in patterns() {
                for found in pattern.captures_iter(line) {
                    if let Some(name) = found.get(*group) {
                        self.used(name.as_str());
                    }
                }
            }
        }
    }
}

/// `Type.` and `Type(`, `[Type msg`, `pkg.Func`, `mod::Type`, `@Decorator`.
fn patterns() -> &'static [(Regex, usize)] {
    static PATTERNS: std::sync::LazyLock<Vec<(Regex, usize)>> = std::sync::LazyLock::new(|| {
        [
            r"\b([A-Z]\w+)\s*[.(]",
            r"\[([A-Z]\w+)\s+\w",
            r"\b[a-z]\w*\.([A-Z]\w+)\b",
            r"\b\w+::([A-Z]\w+)\b",
            r"@([A-Za-z]\w+)",
        ]
        .into_iter()
        .map(|pattern| (Regex::new(pattern).expect("the patterns are valid"), 1))
        .collect()
    });
    &PATTERNS
}

/// Begins with a capital and has a small letter: `RetryQueue`, not `MAX`.
fn is_type_like(name: &str) -> bool {
    name.starts_with(|c: char| c.is_uppercase()) && name.chars().any(char::is_lowercase)
}

/// Made of several words, so that it is nobody's local `push` or `len`.
fn is_compound(name: &str) -> bool {
    let inner = name.trim_matches('_');
    inner.contains('_') || inner.chars().skip(1).any(char::is_uppercase)
}

fn is_import(kind: &str) -> bool {
    kind.contains("import") && kind != "import_specifier"
        || matches!(
            kind,
            "use_declaration" | "using_directive" | "preproc_include" | "preproc_import"
        )
}

/// Whether `node` is the name that its parent defines.
fn defines(parent: Node<'_>, node: Node<'_>, field: Option<&str>) -> bool {
    let kind = parent.kind();
    let is_definition = [
        "declaration",
        "definition",
        "declarator",
        "_item",
        "parameter",
        "_pattern",
        "_spec",
        "binding",
        "_clause",
    ]
    .iter()
    .any(|part| kind.contains(part));
    let named = matches!(field, Some("name" | "pattern" | "left" | "declarator"));
    let is_label = matches!(
        kind,
        "function_declaration" | "class_declaration" | "protocol_declaration"
    ) && parent.child_by_field_name("name") == Some(node);
    (is_definition && named) || is_label
}

/// Whether `node` is what a call calls: the callee itself, or the last part of
/// a path to it.
fn is_callee(parent: Node<'_>, node: Node<'_>) -> bool {
    let is_call = |kind: &str| {
        kind.contains("call") || kind.contains("invocation") || kind == "macro_invocation"
    };
    let mut inner = node;
    let mut outer = Some(parent);
    for _ in 0..3 {
        let Some(at) = outer else {
            return false;
        };
        if is_call(at.kind()) {
            let callee = ["function", "name", "method", "macro"]
                .iter()
                .find_map(|field| at.child_by_field_name(field))
                .or_else(|| at.named_child(0));
            return callee == Some(inner);
        }
        // On the way up, only as the last part of a path.
        if at.end_byte() != inner.end_byte() {
            return false;
        }
        inner = at;
        outer = at.parent();
    }
    false
}

fn is_below_decorator(parent: Node<'_>) -> bool {
    let mut at = Some(parent);
    for _ in 0..3 {
        let Some(node) = at else {
            return false;
        };
        let kind = node.kind();
        if kind.contains("decorator") || kind.contains("annotation") || kind == "attribute" {
            return true;
        }
        at = node.parent();
    }
    false
}

#[cfg(test)]
mod tests {
    use asd_recipe::Code;

    use super::*;

    fn names(language: &str, code: &str) -> Vec<String> {
        code_symbols(code, Language::from_id(language)).names
    }

    #[test]
    fn each_language_names_its_types_and_functions() {
        for (language, code, wanted) in [
            (
                "go",
                "l := pool.Checkout(ctx, id)\ndefer l.Release()\nvar q LedgerQueue",
                &["Checkout", "LedgerQueue", "Release"][..],
            ),
            (
                "rust",
                "use crate::net::RetryQueue;\nlet q = RetryQueue::open(Attempts::new(3));\nload_ledger(q)?;",
                &["Attempts", "load_ledger"],
            ),
            (
                "swift",
                "let client = NetClient.shared\nclient.fetchLedger(id)",
                &["NetClient", "fetchLedger"],
            ),
            (
                "typescript",
                "import { Ledger } from './ledger';\nconst a: LedgerEntry = openLedger(new Ledger());",
                &["LedgerEntry", "openLedger"],
            ),
            (
                "python",
                "from app.net import RetryQueue\n@cached_result\ndef run_all():\n    return RetryQueue(LedgerError)\n",
                &["LedgerError", "cached_result"],
            ),
            (
                "java",
                "LedgerPool pool = LedgerPool.open();\npool.checkOut(id);",
                &["LedgerPool", "checkOut"],
            ),
            (
                "kotlin",
                "val pool = LedgerPool.open()\npool.checkOut(id)",
                &["LedgerPool", "checkOut"],
            ),
            ("objc", "[LedgerPool sharedPool];", &["LedgerPool"]),
        ] {
            let found = names(language, code);
            for name in wanted {
                assert!(
                    found.iter().any(|one| one == name),
                    "{language}: {name} in {found:?}"
                );
            }
        }
    }

    #[test]
    fn what_the_code_defines_or_imports_is_not_asked_about() {
        let code = "import { Ledger } from './ledger';\nclass LedgerPool { checkoutAll() { return new Ledger(); } }\nfunction openPool() { return new LedgerPool(); }\nopenPool();";
        let found = code_symbols(code, Language::from_id("typescript"));
        assert_eq!(found.names, [""; 0]);
        assert!(found.imported.contains(&"Ledger".to_owned()));
    }

    #[test]
    fn names_of_the_language_short_names_and_comments_are_left_out() {
        let code = "// see OldQueue\nlet a: Option<Vec<String>> = Some(x.len()); Ab::c(); \"OtherQueue()\";";
        assert_eq!(names("rust", code), [""; 0]);
    }

    #[test]
    fn code_that_no_grammar_reads_is_searched_for_patterns() {
        let code = "import Foundation\n@Cached [LedgerPool shared] LedgerQueue( net.RetryPolicy x::Backoff abc def";
        assert_eq!(
            code_symbols(code, None).names,
            [
                "Backoff",
                "Cached",
                "LedgerPool",
                "LedgerQueue",
                "RetryPolicy"
            ]
        );
    }

    #[test]
    fn a_recipe_names_what_its_code_and_pattern_name() {
        let mut recipe = Recipe {
            language: "go".into(),
            headers: vec!["import \"app/LedgerImport\"".into()],
            core_code: Some(Code {
                text: "LedgerPool{}.Get(LedgerImport{})".into(),
                ..Code::default()
            }),
            ..Recipe::default()
        };
        recipe.content.pattern = "```go\nx := LedgerQueue{}\n```".into();
        assert_eq!(
            recipe_symbols(&recipe).names,
            ["Get", "LedgerPool", "LedgerQueue"]
        );
    }
}
