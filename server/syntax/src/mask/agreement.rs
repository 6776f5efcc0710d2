//! The mask against the syntax tree: on text that is well formed, the two must
//! see the same comments and literals.

use super::*;
use crate::{Language, parse};

/// What a byte is, as far as mask and tree can both say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Code,
    Comment,
    Literal,
}

/// Nodes that are literals as a whole, with code inside only where another
/// table says so.
const LITERALS: &[&str] = &[
    "string",
    "string_literal",
    "raw_string_literal",
    "char_literal",
    "character_literal",
    "character",
    "template_string",
    "regex",
    "regex_literal",
    "line_string_literal",
    "multi_line_string_literal",
    "multiline_string_literal",
    "raw_string",
    "ansi_c_string",
    "translated_string",
    "heredoc_body",
    "string_array",
    "symbol_array",
    "interpreted_string_literal",
    "rune_literal",
    "verbatim_string_literal",
    "interpolated_string_expression",
    "string_value",
    "double_quote_scalar",
    "single_quote_scalar",
    "quoted_attribute_value",
    "template_literal_type",
    "format_specifier",
    "heredoc_end",
    "quoted_key",
    "delimited_symbol",
];

/// Nodes inside a literal whose inside is code.
const INTERPOLATIONS: &[&str] = &[
    "template_substitution",
    "interpolation",
    "interpolated_expression",
    "interpolated_identifier",
    "simple_expansion",
    "expansion",
    "command_substitution",
    "arithmetic_expansion",
    "template_type",
    "format_expression",
];

fn of_tree(language: Language, text: &str) -> Vec<Class> {
    let tree = parse(language, text, None).expect("a grammar");
    let mut classes = vec![Class::Code; text.len()];
    let mut pending = vec![(tree.root_node(), false)];
    while let Some((node, in_literal)) = pending.pop() {
        let kind = node.kind();
        let mut inside = in_literal;
        if (kind.contains("comment") || kind == "hash_bang_line") && node.is_named() && !in_literal
        {
            let end = text[..node.end_byte()].trim_end_matches(['\n', '\r']).len();
            classes[node.start_byte()..end.max(node.start_byte())].fill(Class::Comment);
            continue;
        }
        let pattern = kind == "regex" && language == Language::Bash
            || kind == "character" && language == Language::Ruby;
        // A name for backticks in one grammar, for parentheses in another.
        let command = kind == "subshell" && language == Language::Ruby;
        if (command || LITERALS.contains(&kind)) && node.is_named() && !pattern {
            // The colon before a quoted symbol is an operator to the mask.
            let colon = usize::from(kind == "delimited_symbol");
            classes[node.start_byte() + colon..node.end_byte()].fill(Class::Literal);
            inside = true;
        } else if in_literal && INTERPOLATIONS.contains(&kind) {
            classes[node.byte_range()].fill(Class::Code);
            let last = (node.child_count() as usize).saturating_sub(1);
            for (index, child) in node.children(&mut node.walk()).enumerate() {
                // The opening delimiter is one token or, in Dart, two.
                let edge = index == 0 || index == last || (index == 1 && child.kind() == "{");
                let delimiter = edge && (!child.is_named() || child.kind().contains("brace"));
                if delimiter {
                    classes[child.byte_range()].fill(Class::Literal);
                }
            }
            inside = false;
        }
        let mut children: Vec<_> = node.children(&mut node.walk()).collect();
        children.reverse();
        pending.extend(children.into_iter().map(|child| (child, inside)));
    }
    classes
}

fn of_mask(language: Language, text: &str) -> Vec<Class> {
    let mut classes = vec![Class::Code; text.len()];
    for span in Mask::new(language, text).spans {
        let class = if span.kind.is_comment() {
            Class::Comment
        } else {
            Class::Literal
        };
        classes[span.span.range()].fill(class);
    }
    classes
}

/// The lines on which the two differ.
fn differences(language: Language, text: &str) -> Vec<String> {
    let (tree, mask) = (of_tree(language, text), of_mask(language, text));
    let letter = |class: Class| match class {
        Class::Code => ' ',
        Class::Comment => '-',
        Class::Literal => 's',
    };
    let mut result = Vec::new();
    let mut start = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let end = start + line.trim_end().len();
        // Blanks look the same in either.
        let differs = (start..end)
            .any(|at| tree[at] != mask[at] && !text.as_bytes()[at].is_ascii_whitespace());
        if differs {
            let row = |classes: &[Class]| -> String {
                line.trim_end()
                    .char_indices()
                    .map(|(at, _)| letter(classes[start + at]))
                    .collect()
            };
            result.push(format!(
                "{}: {}\n{:>w$}{}\n{:>w$}{}",
                number + 1,
                line.trim_end().replace('\t', " "),
                "tree  ",
                row(&tree),
                "mask  ",
                row(&mask),
                w = (number + 1).to_string().len() + 2,
            ));
        }
        start += line.len();
    }
    result
}

macro_rules! samples {
    ($($file:literal),+ $(,)?) => {
        &[$(($file, include_str!(concat!("../../testdata/", $file)))),+]
    };
}

#[test]
fn mask_and_tree_see_the_same() {
    let samples: &[(&str, &str)] = samples![
        "Sample.java",
        "sample.c",
        "sample.cpp",
        "sample.cs",
        "sample.css",
        "sample.dart",
        "sample.go",
        "sample.html",
        "sample.json",
        "sample.kt",
        "sample.m",
        "sample.py",
        "sample.rb",
        "sample.rs",
        "sample.sh",
        "sample.swift",
        "sample.toml",
        "sample.ts",
        "sample.tsx",
        "sample.yaml",
    ];
    for (name, text) in samples {
        let language = Language::of_file(name.as_ref(), text).unwrap();
        let tree = parse(language, text, None).unwrap();
        assert!(!tree.root_node().has_error(), "{name} is not well formed");
        let spans = Mask::new(language, text).spans;
        let comments = spans.iter().filter(|s| s.kind.is_comment()).count();
        assert!(comments < spans.len(), "{name} has no literal");
        assert!(
            language == Language::Json || comments > 0,
            "{name} has no comment"
        );
        assert_eq!(differences(language, text).join("\n"), "", "{name}");
    }
}
