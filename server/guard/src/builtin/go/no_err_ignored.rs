use tree_sitter::Node;

use super::super::bindings::{children, fields};
use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::LANGUAGES;

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "go-no-err-ignored",
    languages: LANGUAGES,
    message: "The error of this call is thrown away.",
    fix_suggestion: "Check the error, or return it.",
    why: "The code goes on with a value that may be nothing.",
    skips_tests: true,
    check: Check::Nodes {
        kinds: |_| &["assignment_statement", "short_var_declaration", "var_spec"],
        visit,
    },
    page: include_str!("../../../../../docs/rules/go-no-err-ignored.md"),
    ..DEFAULTS
};

fn visit<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    let (names, values): (Vec<_>, Vec<_>) = if node.kind() == "var_spec" {
        // `var _ Codec = codec(nil)`: the type says what is thrown away.
        if !matches!(cx.field_text(node, "type"), "" | "error") {
            return;
        }
        (
            fields(node, "name").filter(Node::is_named).collect(),
            node.child_by_field_name("value")
                .map(|list| children(list).collect())
                .unwrap_or_default(),
        )
    } else {
        if node.kind() == "assignment_statement" && cx.field_text(node, "operator") != "=" {
            return;
        }
        let list = |field| {
            node.child_by_field_name(field)
                .map(|list| children(list).filter(|n| n.kind() != "comment").collect())
                .unwrap_or_default()
        };
        (list("left"), list("right"))
    };
    if let [value] = values.as_slice() {
        // One call gives all values; the error is the last of them.
        let blank = names.last().filter(|name| cx.text_of(**name) == "_");
        if let Some(blank) = blank
            && returns_an_error(cx, *value, names.len())
        {
            sink.report(*blank).message(message(cx, *value));
        }
    } else if names.len() == values.len() {
        for (name, value) in names.iter().zip(&values) {
            if cx.text_of(*name) == "_" && returns_an_error(cx, *value, 1) {
                sink.report(*name).message(message(cx, *value));
            }
        }
    }
}

fn message<'a>(cx: &FileCx<'a>, call: Node<'a>) -> String {
    let callee = cx.field_text(call, "function");
    if callee.contains('\n') || callee.len() > 60 {
        RULE.message.to_owned()
    } else {
        format!("The error of `{callee}` is thrown away.")
    }
}

/// Whether the last of `count` results of a call is an error: what the file
/// says of the function, else what is usual.
fn returns_an_error<'a>(cx: &FileCx<'a>, value: Node<'a>, count: usize) -> bool {
    if value.kind() != "call_expression" {
        return false;
    }
    let Some(callee) = value.child_by_field_name("function") else {
        return false;
    };
    let name = match callee.kind() {
        "selector_expression" => cx.field_text(callee, "field"),
        "identifier" => cx.text_of(callee),
        "func_literal" => return last_result(cx, callee).unwrap_or(false),
        // A conversion, a generic instance, a call of a call.
        "parenthesized_expression"
        | "pointer_type"
        | "slice_type"
        | "array_type"
        | "map_type"
        | "interface_type"
        | "function_type" => return false,
        _ => "",
    };
    if let Some(known) = declared(cx, callee, name) {
        return known;
    }
    if callee.kind() == "identifier" && BUILT_IN.contains(&name) || NEVER_FAILS.contains(&name) {
        return false;
    }
    match callee.kind() {
        "selector_expression" => {
            let operand = callee.child_by_field_name("operand");
            if cx.field_text(callee, "operand") == "fmt" && PRINTS.contains(&name) {
                return false;
            }
            if WRITES.contains(&name)
                && operand.is_some_and(|receiver| is_of(cx, receiver, BUFFERS))
            {
                return false;
            }
            if comma_ok(cx.field_text(callee, "operand"), name, count)
                || name == "Load" && operand.is_some_and(|map| is_of(cx, map, &["sync.Map"]))
                || is_hash_or_random(cx, operand, name)
            {
                return false;
            }
        }
        _ if count < 1 => return false,
        _ => {}
    }
    // `reflect.TypeOf(x)`, `len(x)`: one result that is no error is as usual as
    // one that is, but nobody assigns it to `_`.
    received_elsewhere(cx, callee, count).unwrap_or(true)
}

/// What other places of the file take the last result of the same function for:
/// `v, ok := f()` says that it is no error, `v, err := f()` that it is one.
fn received_elsewhere<'a>(cx: &FileCx<'a>, callee: Node<'a>, count: usize) -> Option<bool> {
    let text = cx.text_of(callee);
    let name = match callee.kind() {
        "selector_expression" => cx.field_text(callee, "field"),
        _ => text,
    };
    let mut answer = None;
    for occurrence in cx.bindings().occurrences(name) {
        let called = match occurrence.kind() {
            "field_identifier" => cx.parent(*occurrence),
            _ => Some(*occurrence),
        };
        let Some(called) = called.filter(|called| cx.text_of(*called) == text) else {
            continue;
        };
        let taken = cx
            .parent(called)
            .filter(|call| call.kind() == "call_expression")
            .and_then(|call| cx.parent(call))
            .and_then(|values| cx.parent(values))
            .filter(|taken| {
                matches!(
                    taken.kind(),
                    "short_var_declaration" | "assignment_statement"
                )
            });
        let Some(left) = taken.and_then(|taken| taken.child_by_field_name("left")) else {
            continue;
        };
        let names: Vec<Node<'a>> = children(left).filter(|n| n.kind() != "comment").collect();
        let [.., last] = names.as_slice() else {
            continue;
        };
        let last = cx.text_of(*last).to_ascii_lowercase();
        if names.len() != count || last == "_" {
            continue;
        }
        if last.contains("err") {
            return Some(true);
        }
        answer = Some(false);
    }
    answer
}

/// Sums and random numbers implement `Write` and `Read` and never fail.
fn is_hash_or_random<'a>(cx: &FileCx<'a>, operand: Option<Node<'a>>, name: &str) -> bool {
    const HASHES: &[&str] = &[
        "md5.New",
        "sha1.New",
        "sha256.New",
        "sha512.New",
        "fnv.New",
        "crc32.New",
        "crc64.New",
        "adler32.New",
        "maphash.",
        "hash.Hash",
    ];
    operand.is_some_and(|operand| {
        name == "Read" && cx.text_of(operand) == "rand"
            || WRITES.contains(&name) && is_of(cx, operand, HASHES)
    })
}

/// What a function or method of this file says of its last result; `None` when
/// it is not of this file.
fn declared<'a>(cx: &FileCx<'a>, callee: Node<'a>, name: &str) -> Option<bool> {
    if callee.kind() == "identifier" {
        let binding = cx.bindings().find(name, callee.start_byte())?;
        return match binding.by.kind() {
            "function_declaration" => last_result(cx, binding.by),
            "type_spec" => Some(false),
            "short_var_declaration" | "var_spec" => {
                let literal = binding
                    .by
                    .child_by_field_name("right")
                    .or_else(|| binding.by.child_by_field_name("value"))?
                    .named_child(0)
                    .filter(|value| value.kind() == "func_literal")?;
                last_result(cx, literal)
            }
            _ => None,
        };
    }
    // A method: all methods of this name in the file must agree.
    let mut answer = None;
    for method in children(cx.tree?.root_node())
        .filter(|item| item.kind() == "method_declaration" && cx.field_text(*item, "name") == name)
    {
        let own = last_result(cx, method)?;
        if answer.is_some_and(|other| other != own) {
            return None;
        }
        answer = Some(own);
    }
    answer
}

/// Whether the last result of a function is an `error`.
fn last_result<'a>(cx: &FileCx<'a>, function: Node<'a>) -> Option<bool> {
    let Some(result) = function.child_by_field_name("result") else {
        return Some(false);
    };
    let last = if result.kind() == "parameter_list" {
        children(result)
            .filter(|parameter| parameter.kind() != "comment")
            .last()?
            .child_by_field_name("type")?
    } else {
        result
    };
    Some(cx.text_of(last) == "error")
}

/// Built-in functions; none of them returns an error.
const BUILT_IN: &[&str] = &[
    "append",
    "cap",
    "clear",
    "complex",
    "copy",
    "delete",
    "imag",
    "len",
    "make",
    "max",
    "min",
    "new",
    "real",
    "recover",
    "string",
    "int",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "uintptr",
    "float32",
    "float64",
    "byte",
    "rune",
    "bool",
    "any",
    "complex64",
    "complex128",
];

/// Functions that fail only when the program itself is wrong.
const NEVER_FAILS: &[&str] = &["RegisterFlagCompletionFunc", "MarkFlagRequired"];

const PRINTS: &[&str] = &[
    "Print", "Printf", "Println", "Fprint", "Fprintf", "Fprintln", "Sprint", "Sprintf", "Sprintln",
    "Errorf", "Append", "Appendf", "Appendln",
];

const WRITES: &[&str] = &["Write", "WriteString", "WriteByte", "WriteRune"];

/// Functions of well-known packages whose last result is no error: a boolean, a
/// second half, a function that cancels.
fn comma_ok(package: &str, name: &str, count: usize) -> bool {
    // `u, p := request.BasicAuth()` and conversions such as `codec.Name(x)` have
    // names that say nothing; these say what they give.
    let by_name = count >= 2
        && (name.ends_with("Ok") || name.ends_with("OK") || name.ends_with("FromContext"))
        || count == 2 && matches!(name, "Password" | "SetString")
        || count == 2 && name == "Size" && package.ends_with("Mask")
        || count == 3 && name == "BasicAuth";
    by_name
        || matches!(
            (package, name),
            ("os", "LookupEnv")
                | ("strings" | "bytes", "Cut" | "CutPrefix" | "CutSuffix")
                | ("debug", "ReadBuildInfo")
                | ("runtime", "Caller")
                | (
                    "utf8",
                    "DecodeRune"
                        | "DecodeRuneInString"
                        | "DecodeLastRune"
                        | "DecodeLastRuneInString"
                )
                | ("context" | "ctx", "Deadline")
                | (
                    "context",
                    "WithCancel" | "WithTimeout" | "WithDeadline" | "WithCancelCause"
                )
                | ("errgroup" | "signal", "WithContext" | "NotifyContext")
                | ("filepath" | "path", "Split")
                | ("pem", "Decode")
                | ("metadata", "FromIncomingContext" | "FromOutgoingContext")
                | ("status", "FromError")
                | ("peer", "FromContext")
                | ("slices", "BinarySearch" | "BinarySearchFunc")
                | ("sort", "Find")
                | (
                    "runtime",
                    "CallersFrames" | "ThreadCreateProfile" | "GoroutineProfile"
                )
                | ("frames", "Next")
                | ("textproto" | "http", "ParseHTTPVersion" | "CutPrefix")
                | ("bits", _)
                | ("math", _)
        )
        || matches!(
            name,
            "LoadOrStore"
                | "LoadAndDelete"
                | "FromContext"
                | "Lookup"
                | "Deadline"
                | "CloseWithError"
        )
}

/// Buffers in memory, whose writes do not fail.
const BUFFERS: &[&str] = &["strings.Builder", "bytes.Buffer", "bytes.NewBuffer"];

/// Whether the declaration of a receiver names one of these types.
fn is_of<'a>(cx: &FileCx<'a>, receiver: Node<'a>, types: &[&str]) -> bool {
    receiver.kind() == "identifier"
        && cx
            .bindings()
            .find(cx.text_of(receiver), receiver.start_byte())
            .is_some_and(|binding| {
                let text = match binding.by.kind() {
                    "short_var_declaration" => cx.field_text(binding.by, "right"),
                    _ => cx.text_of(binding.by),
                };
                types.iter().any(|name| text.contains(name))
            })
}
