use asd_recipe::Severity;
use tree_sitter::Node;

use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::{LANGUAGES, statements};

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "go-no-init-abuse",
    severity: Severity::Info,
    languages: LANGUAGES,
    category: "style",
    message: "`init` does more than to register something.",
    fix_suggestion: "Do it in a function that the caller calls and that can return an error.",
    why: "It runs for everyone who imports the package, in an order that nobody chose, and cannot fail gracefully.",
    threshold: Some(10),
    check: Check::Nodes {
        kinds: |_| &["function_declaration"],
        visit,
    },
    page: include_str!("../../../../../docs/rules/go-no-init-abuse.md"),
    ..DEFAULTS
};

fn visit<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    if cx.field_text(node, "name") != "init" {
        return;
    }
    let (Some(name), Some(body)) = (
        node.child_by_field_name("name"),
        node.child_by_field_name("body"),
    ) else {
        return;
    };
    let count = statements(body).count();
    if count > sink.threshold() as usize {
        sink.report(name)
            .message(format!("`init` has {count} statements."));
        return;
    }
    if let Some((what, at)) = reaches_out(cx, body) {
        sink.report(name)
            .message(format!("`init` {what}."))
            .related(at, "here");
    }
}

/// The first thing in a body that takes time or can fail.
fn reaches_out<'a>(cx: &FileCx<'a>, body: Node<'a>) -> Option<(&'static str, Node<'a>)> {
    let mut cursor = body.walk();
    loop {
        let node = cursor.node();
        match node.kind() {
            "go_statement" => return Some(("starts a goroutine", node)),
            "call_expression" => {
                if let Some(what) = node
                    .child_by_field_name("function")
                    .filter(|callee| callee.kind() == "selector_expression")
                    .and_then(|callee| {
                        outside(
                            cx.field_text(callee, "operand"),
                            cx.field_text(callee, "field"),
                        )
                    })
                {
                    return Some((what, node));
                }
            }
            _ => {}
        }
        let into = node.kind() != "func_literal" && cursor.goto_first_child();
        if into {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() || cursor.node() == body {
                return None;
            }
        }
    }
}

/// What a function of a package does outside of the process.
fn outside(package: &str, function: &str) -> Option<&'static str> {
    Some(match (package, function) {
        ("os", "Getenv" | "LookupEnv" | "Environ" | "ExpandEnv") => "reads the environment",
        ("os", "Exit") => "ends the process",
        // Questions and conversions that stay in the process.
        (
            "os",
            "Getpid" | "Getppid" | "Getuid" | "Geteuid" | "Getgid" | "Getegid" | "Getpagesize"
            | "FileMode" | "Signal" | "IsExist" | "IsNotExist" | "IsPermission" | "IsTimeout"
            | "NewFile" | "NewSyscallError" | "Expand",
        ) => return None,
        ("os" | "ioutil", _) => "reaches the file system",
        ("http", "Get" | "Post" | "PostForm" | "Head" | "ListenAndServe" | "Serve") => {
            "reaches the network"
        }
        ("net" | "grpc" | "tls" | "rpc", name)
            if [
                "Dial",
                "Listen",
                "Lookup",
                "Resolve",
                "Interface",
                "NewClient",
            ]
            .iter()
            .any(|start| name.starts_with(start)) =>
        {
            "reaches the network"
        }
        ("sql" | "sqlx" | "gorm" | "redis", "Open" | "OpenDB" | "Connect" | "NewClient") => {
            "opens a database"
        }
        ("exec", _) => "starts a process",
        _ => return None,
    })
}
