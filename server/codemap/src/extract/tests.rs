//! What is read from one file, a language at a time.

use std::fmt::Write as _;

use asd_syntax::Language;
use expect_test::{Expect, expect};

use super::extract_text;
use crate::facts::{FileFacts, ImportStyle, TypeHint};

/// Facts, a line each.
fn shown(facts: &FileFacts) -> String {
    let mut text = String::new();
    if let Some(package) = &facts.package {
        let _ = writeln!(text, "package {package}");
    }
    for import in &facts.imports {
        let names: Vec<String> = import
            .names
            .iter()
            .map(|one| {
                if one.name == one.local {
                    one.name.clone()
                } else {
                    format!("{} as {}", one.name, one.local)
                }
            })
            .collect();
        let style = if import.style == ImportStyle::Import {
            "import".to_owned()
        } else {
            format!("{:?}", import.style).to_lowercase()
        };
        let alias = import
            .alias
            .as_ref()
            .map(|alias| format!(" as {alias}"))
            .unwrap_or_default();
        let _ = writeln!(
            text,
            "{style} {}{alias} {{{}}}",
            import.module,
            names.join(", ")
        );
    }
    for declaration in &facts.declarations {
        let parent = declaration
            .parent
            .map(|at| format!("{}.", facts.declarations[at as usize].name))
            .unwrap_or_default();
        let owner = declaration
            .owner
            .as_ref()
            .map(|owner| format!("{owner}."))
            .unwrap_or_default();
        let above = if declaration.supertypes.is_empty() {
            String::new()
        } else {
            format!(": {}", declaration.supertypes.join(" + "))
        };
        let result = declaration
            .result
            .as_ref()
            .map(|result| format!(" -> {result}"))
            .unwrap_or_default();
        let test = if declaration.is_test { " (test)" } else { "" };
        let _ = writeln!(
            text,
            "{} {parent}{owner}{}/{}{above}{result}{test}",
            declaration.kind.as_str(),
            declaration.name,
            declaration.parameters
        );
    }
    for binding in &facts.bindings {
        let hint = match &binding.hint {
            TypeHint::Named(name) => name.clone(),
            TypeHint::Call(call) => format!("{}()", facts.calls[*call as usize].name),
            TypeHint::Path(path) => format!("={path}"),
            TypeHint::Unknown => continue,
        };
        let _ = writeln!(text, "{}: {hint}", binding.name);
    }
    for call in &facts.calls {
        let _ = writeln!(
            text,
            "{} {:?} {}/{}",
            call.line, call.receiver, call.name, call.arguments
        );
    }
    for thrown in &facts.throws {
        let _ = writeln!(text, "throws {}", thrown.error);
    }
    text
}

fn check(language: Language, text: &str, expected: Expect) {
    let facts = extract_text(text, language);
    for declaration in &facts.declarations {
        assert!(
            declaration.span.contains(declaration.name_span),
            "{declaration:?}"
        );
        assert!(!declaration.signature.is_empty() && declaration.span.end <= text.len());
    }
    expected.assert_eq(&shown(&facts));
}

#[test]
fn rust_items_uses_and_calls() {
    check(
        Language::Rust,
        "mod a;\npub use crate::x::{Y as Z, w::*};\n#[derive(Debug)]\npub struct S { f: Arc<T> }\n\
         impl Tr for S { fn go(&self, n: u8) -> Self { self.f.run(n); helper()?; S::new().end() } }\n\
         #[cfg(test)]\nmod tests {\n#[test]\nfn t() { assert_eq!(super::one(1, 2), x.two()); }\n}\n",
        expect![[r#"
            module a {}
            reexport crate::x {Y as Z}
            reexport crate::x::w {*}
            path S {new as }
            struct S/0
            field S.f/0
            extension S/0: Tr
            method S.go/1 -> Self
            module tests/0 (test)
            function tests.t/0 (test)
            f: T
            n: u8
            5 Path("self.f") run/1
            5 None helper/0
            5 Call(3) end/0
            5 Path("S") new/0
            9 None assert_eq/0
            9 Path("super") one/1
            9 Path("x") two/0
        "#]],
    );
}

#[test]
fn python_classes_imports_and_fields() {
    check(
        Language::Python,
        "from .a import b as c, d\nimport os.path\nclass K(Base[T], m.Mixin):\n    def __init__(self, x: Foo):\n        self.x = x\n        self.y = Bar()\n\
         \x20   @property\n    def p(self) -> 'Foo | None': return self.x.go(1)\n\
         def test_it():\n    with K() as k:\n        raise ValueError('no')\n",
        expect![[r#"
            import .a {b as c, d}
            import os.path {}
            class K/0: Base + m.Mixin
            constructor K.__init__/1
            method K.p/0 -> Foo
            function test_it/0 (test)
            x: Foo
            x: =x
            y: Bar()
            k: K()
            6 None Bar/0
            8 Path("self.x") go/1
            10 None K/0
            11 None ValueError/1
            throws ValueError
        "#]],
    );
}

#[test]
fn typescript_modules_classes_and_types() {
    check(
        Language::TypeScript,
        "import type { A } from './a';\nimport d, * as ns from 'pkg';\nexport { x as y } from './z';\nconst q = require('./q');\n\
         export class K extends Base<T> implements I {\n  private n = new Foo();\n  constructor(private svc: Svc) { super(); }\n  async go(a: A): Promise<R> { return this.svc.run(a).then(() => 1); }\n}\n\
         export const f = (a: A) => { throw new MyError('x'); };\n",
        expect![[r#"
            types ./a {A}
            import pkg as ns {default as d}
            reexport ./z {}
            dynamic ./q as q {}
            class K/0: Base + I
            field K.n/0
            constructor K.constructor/1
            method K.go/1 -> R
            function f/1
            n: Foo()
            svc: Svc
            svc: Svc
            a: A
            a: A
            6 None Foo/0
            7 Path("super") constructor/0
            8 Call(3) then/1
            8 Path("this.svc") run/1
            10 None MyError/1
            throws MyError
        "#]],
    );
}

#[test]
fn javascript_commonjs_and_prototypes() {
    check(
        Language::JavaScript,
        "var a = require('./a').b;\nconst { c, d: e } = require('./c');\nfunction P() { this.q = new Q(); }\nP.prototype.go = function go(x) { this.q.run(x); };\n\
         exports.z = function () { c.call(this, 1); };\nmodule.exports = P;\n",
        expect![[r#"
            dynamic ./a {b as a}
            dynamic ./c {c, d as e}
            function P/0
            method P.go/1
            function z/0
            q: Q()
            3 None Q/0
            4 Path("this.q") run/1
            5 None c/2
        "#]],
    );
}

#[test]
fn go_methods_embedding_and_packages() {
    check(
        Language::Go,
        "package p\nimport (\n x \"a.b/c\"\n)\ntype S struct { Base; g *x.Bar }\nfunc (s *S) Go(a, b int) (R, error) { z := &Foo{}; z.Do(); w := x.New(1); w.Q(); return s.g.R(), nil }\nfunc TestS(t *testing.T) { panic(\"no\") }\n",
        expect![[r#"
            package p
            import a.b/c as x {}
            struct S/0: Base
            field S.g/0
            method S.Go/2 -> R
            function TestS/1 (test)
            Base: Base
            g: x.Bar
            s: S
            a: int
            b: int
            z: Foo()
            w: New()
            t: testing.T
            6 None Foo/0
            6 Path("z") Do/0
            6 Path("x") New/1
            6 Path("w") Q/0
            6 Path("s.g") R/0
            7 None panic/1
            throws panic
        "#]],
    );
}

#[test]
fn java_types_imports_and_overloads() {
    check(
        Language::Java,
        "package a.b;\nimport a.c.D;\nimport static a.c.E.f;\nimport a.g.*;\npublic class K extends B<T> implements I, J {\n  private final D d = new D(1);\n  @Test void t(D p) { p.x().y(2); this.go(); throw new IllegalStateException(); }\n}\n",
        expect![[r#"
            package a.b
            import a.c {D}
            import a.c.E {f}
            import a.g {*}
            class K/0: B + I + J
            field K.d/0
            method K.t/1 -> void (test)
            d: D
            p: D
            6 None D/1
            7 Call(2) y/1
            7 Path("p") x/0
            7 Path("this") go/0
            7 None IllegalStateException/0
            throws IllegalStateException
        "#]],
    );
}

#[test]
fn kotlin_classes_and_extensions() {
    check(
        Language::Kotlin,
        "package a.b\nimport a.c.D as E\nclass K(private val x: D) : Base(x), I {\n  val z = D(1)\n  override fun go(a: Int): String { return x.run(a).end() }\n}\nfun D.ext(): Int = 1\n",
        expect![[r#"
            package a.b
            import a.c {D as E}
            class K/0: Base + I
            field K.z/0
            method K.go/1 -> String
            function D.ext/0 -> Int
            x: D
            z: D()
            a: Int
            4 None D/1
            5 Call(2) end/0
            5 Path("x") run/1
        "#]],
    );
}

#[test]
fn swift_types_and_extensions() {
    check(
        Language::Swift,
        "import Lib\nclass K: Base, P {\n  let x = Foo(a: 1)\n  func go(b: Bar) throws -> R { self.x.run(b); throw E.bad }\n}\nextension K: Q { static func make() -> K { return K() } }\n",
        expect![[r#"
            import Lib {}
            class K/0: Base + P
            field K.x/0
            method K.go/1 -> R
            extension K/0: Q
            method K.make/0 -> K
            x: Foo()
            b: Bar
            3 None Foo/1
            4 Path("self.x") run/1
            6 None K/0
            throws E
        "#]],
    );
}

#[test]
fn objective_c_selectors() {
    check(
        Language::Objc,
        "#import \"Foo.h\"\n@interface K : Base <P>\n@property (strong) Foo *foo;\n- (void)go:(int)a with:(Bar *)b;\n@end\n@implementation K\n- (void)go:(int)a with:(Bar *)b { [self.foo run:a]; Foo *z = [[Foo alloc] initWithX:1]; [z end]; }\n@end\n",
        expect![[r#"
            quoted Foo.h {}
            class K/0: Base + P
            field K.foo/0
            method K.go:with:/2
            extension K/0
            method K.go:with:/2
            foo: Foo
            a: int
            b: Bar
            a: int
            b: Bar
            z: Foo
            7 Path("self.foo") run:/1
            7 Call(2) initWithX:/1
            7 Path("Foo") alloc/0
            7 Path("z") end/0
        "#]],
    );
}

#[test]
fn cpp_classes_namespaces_and_members_outside() {
    check(
        Language::Cpp,
        "#include \"a.h\"\n#include <v>\nnamespace n {\nclass K : public B {\n public:\n  K(int x);\n  int go() override { f_.run(1); return ns::h(2); }\n  Foo f_;\n};\nint K::out() { auto y = new Foo(2); y->end(); Bar z(3); return 0; }\n}\n#define M(x) x\n",
        expect![[r#"
            quoted a.h {}
            system v {}
            module n/0
            class n.K/0: B
            constructor K.K/1
            method K.go/0 -> int
            field K.f_/0
            method n.K.out/0 -> int
            macro M/1
            x: int
            f_: Foo
            y: Foo()
            z: Bar
            7 Path("f_") run/1
            7 Path("ns") h/1
            10 None Foo/1
            10 Path("y") end/0
            10 None Bar/1
        "#]],
    );
}

#[test]
fn dart_libraries_and_constructors() {
    check(
        Language::Dart,
        "import 'package:a/x.dart' as x show A;\nexport 'z.dart';\npart 'p.dart';\nclass K extends B with M implements I {\n  final Foo f;\n  K(this.f);\n  K.named() : f = Foo();\n  R go(int a) { f.run(a); x.top(); this.end(); return R(); }\n}\n",
        expect![[r#"
            import package:a/x.dart as x {A}
            reexport z.dart {}
            part p.dart {}
            class K/0: B + M + I
            field K.f/0
            constructor K.K/1 -> K
            constructor K.named/0 -> K
            method K.go/1 -> R
            f: Foo
            a: int
            7 None Foo/0
            8 Path("f") run/1
            8 Path("x") top/0
            8 Path("this") end/0
            8 None R/0
        "#]],
    );
}

#[test]
fn the_script_of_a_component_keeps_its_place() {
    let text = "<template><a/></template>\n<script lang=\"ts\">\nimport a from './a.vue';\nf();\n</script>\n";
    let facts = extract_text(text, Language::Vue);
    assert_eq!(facts.imports[0].module, "./a.vue");
    assert_eq!(
        (facts.calls[0].line, facts.calls[0].span.of(text)),
        (4, "f")
    );
}

#[test]
fn call_sites_are_limited() {
    let facts = extract_text(&"f();\n".repeat(600), Language::JavaScript);
    assert!(facts.truncated);
    assert_eq!(facts.calls.len(), crate::MAX_CALL_SITES);
}

#[test]
fn deep_nesting_needs_no_stack() {
    let text = format!("x = {}1{}", "(".repeat(20_000), ")".repeat(20_000));
    assert_eq!(extract_text(&text, Language::JavaScript).lines, 1);
}
