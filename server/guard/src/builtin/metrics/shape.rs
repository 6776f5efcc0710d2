//! What functions, types and branches are called in each grammar: a table.

use asd_syntax::Language;

/// The kinds of nodes that are measured.
pub(super) struct Shape {
    /// Functions with a complexity of their own.
    pub(super) functions: &'static [&'static str],
    /// Those of them that count as methods when they stand in a type.
    pub(super) methods: &'static [&'static str],
    /// Types, extensions and implementations.
    pub(super) types: &'static [&'static str],
    /// Bodies of classes without a name: what is in them is nobody's method.
    pub(super) anonymous: &'static [&'static str],
    /// Fields and properties when they stand in a type.
    pub(super) properties: &'static [&'static str],
    /// Each adds one to the complexity.
    pub(super) decisions: &'static [&'static str],
    /// Arms of a `switch` or `match`; the default arm adds nothing.
    pub(super) arms: &'static [&'static str],
    /// Expressions that may be `&&` or `||`.
    pub(super) logic: &'static [&'static str],
    /// Statements with blocks in them.
    pub(super) nests: &'static [&'static str],
}

/// The kinds of a language; `None` where nothing is measured.
pub(super) fn shape(language: Language) -> Option<&'static Shape> {
    Some(match language {
        Language::JavaScript | Language::TypeScript | Language::Tsx => &JAVASCRIPT,
        Language::Python => &PYTHON,
        Language::Java => &JAVA,
        Language::Kotlin => &KOTLIN,
        Language::Go => &GO,
        Language::Dart => &DART,
        Language::Rust => &RUST,
        Language::Swift => &SWIFT,
        Language::Objc => &OBJC,
        _ => return None,
    })
}

static JAVASCRIPT: Shape = Shape {
    functions: &[
        "function_declaration",
        "generator_function_declaration",
        "function_expression",
        "generator_function",
        "arrow_function",
        "method_definition",
    ],
    methods: &["method_definition"],
    types: &["class_declaration", "abstract_class_declaration", "class"],
    anonymous: &[],
    properties: &["public_field_definition", "field_definition"],
    decisions: &[
        "if_statement",
        "for_statement",
        "for_in_statement",
        "while_statement",
        "do_statement",
        "catch_clause",
        "ternary_expression",
    ],
    arms: &["switch_case"],
    logic: &["binary_expression"],
    nests: &[
        "if_statement",
        "for_statement",
        "for_in_statement",
        "while_statement",
        "do_statement",
        "switch_statement",
        "try_statement",
        "with_statement",
    ],
};

static PYTHON: Shape = Shape {
    functions: &["function_definition"],
    methods: &["function_definition"],
    types: &["class_definition"],
    anonymous: &[],
    properties: &[],
    decisions: &[
        "if_statement",
        "elif_clause",
        "for_statement",
        "while_statement",
        "except_clause",
        "except_group_clause",
        "conditional_expression",
    ],
    arms: &["case_clause"],
    logic: &["boolean_operator"],
    nests: &[
        "if_statement",
        "for_statement",
        "while_statement",
        "try_statement",
        "with_statement",
        "match_statement",
    ],
};

static JAVA: Shape = Shape {
    functions: &[
        "method_declaration",
        "constructor_declaration",
        "compact_constructor_declaration",
    ],
    methods: &["method_declaration"],
    types: &[
        "class_declaration",
        "interface_declaration",
        "enum_declaration",
        "record_declaration",
    ],
    anonymous: &["object_creation_expression", "enum_constant"],
    properties: &["field_declaration"],
    decisions: &[
        "if_statement",
        "for_statement",
        "enhanced_for_statement",
        "while_statement",
        "do_statement",
        "catch_clause",
        "ternary_expression",
    ],
    arms: &["switch_label"],
    logic: &["binary_expression"],
    nests: &[
        "if_statement",
        "for_statement",
        "enhanced_for_statement",
        "while_statement",
        "do_statement",
        "switch_expression",
        "try_statement",
        "try_with_resources_statement",
        "synchronized_statement",
    ],
};

static KOTLIN: Shape = Shape {
    functions: &["function_declaration", "secondary_constructor"],
    methods: &["function_declaration"],
    types: &["class_declaration", "object_declaration"],
    anonymous: &["object_literal", "enum_entry"],
    properties: &["property_declaration", "class_parameter"],
    decisions: &[
        "if_expression",
        "for_statement",
        "while_statement",
        "do_while_statement",
        "catch_block",
        "conjunction_expression",
        "disjunction_expression",
    ],
    arms: &["when_entry"],
    logic: &[],
    nests: &[
        "if_expression",
        "for_statement",
        "while_statement",
        "do_while_statement",
        "when_expression",
        "try_expression",
    ],
};

static GO: Shape = Shape {
    functions: &["function_declaration", "method_declaration"],
    methods: &["method_declaration"],
    types: &["type_spec"],
    anonymous: &[],
    properties: &["field_declaration"],
    decisions: &["if_statement", "for_statement"],
    arms: &["expression_case", "type_case", "communication_case"],
    logic: &["binary_expression"],
    nests: &[
        "if_statement",
        "for_statement",
        "expression_switch_statement",
        "type_switch_statement",
        "select_statement",
    ],
};

static DART: Shape = Shape {
    functions: &[
        "function_declaration",
        "method_declaration",
        "getter_declaration",
        "setter_declaration",
    ],
    methods: &["method_declaration"],
    types: &[
        "class_declaration",
        "mixin_declaration",
        "enum_declaration",
        "extension_declaration",
    ],
    anonymous: &[],
    properties: &["initialized_identifier", "static_final_declaration"],
    decisions: &[
        "if_statement",
        "for_statement",
        "while_statement",
        "do_statement",
        "catch_clause",
        "conditional_expression",
        "logical_and_expression",
        "logical_or_expression",
    ],
    arms: &["switch_statement_case", "switch_expression_case"],
    logic: &[],
    nests: &[
        "if_statement",
        "for_statement",
        "while_statement",
        "do_statement",
        "switch_statement",
        "try_statement",
    ],
};

static RUST: Shape = Shape {
    functions: &["function_item"],
    methods: &["function_item", "function_signature_item"],
    types: &[
        "struct_item",
        "enum_item",
        "union_item",
        "trait_item",
        "impl_item",
    ],
    anonymous: &[],
    properties: &["field_declaration"],
    decisions: &["if_expression", "while_expression", "for_expression"],
    arms: &["match_arm"],
    logic: &["binary_expression", "let_chain"],
    nests: &[
        "if_expression",
        "while_expression",
        "for_expression",
        "loop_expression",
        "match_expression",
    ],
};

static SWIFT: Shape = Shape {
    functions: &[
        "function_declaration",
        "init_declaration",
        "deinit_declaration",
        "subscript_declaration",
    ],
    methods: &["function_declaration", "protocol_function_declaration"],
    types: &["class_declaration", "protocol_declaration"],
    anonymous: &[],
    properties: &["property_declaration", "protocol_property_declaration"],
    decisions: &[
        "if_statement",
        "guard_statement",
        "for_statement",
        "while_statement",
        "repeat_while_statement",
        "catch_block",
        "ternary_expression",
        "conjunction_expression",
        "disjunction_expression",
    ],
    arms: &["switch_entry"],
    logic: &[],
    nests: &[
        "if_statement",
        "guard_statement",
        "for_statement",
        "while_statement",
        "repeat_while_statement",
        "switch_statement",
        "do_statement",
    ],
};

static OBJC: Shape = Shape {
    functions: &["method_definition", "function_definition"],
    methods: &["method_definition"],
    types: &["class_interface", "class_implementation"],
    anonymous: &[],
    properties: &["property_declaration"],
    decisions: &[
        "if_statement",
        "for_statement",
        "while_statement",
        "do_statement",
        "catch_clause",
        "conditional_expression",
    ],
    arms: &["case_statement"],
    logic: &["binary_expression"],
    nests: &[
        "if_statement",
        "for_statement",
        "while_statement",
        "do_statement",
        "switch_statement",
        "try_statement",
        "synchronized_statement",
    ],
};
