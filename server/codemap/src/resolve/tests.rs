//! What imports and calls lead to, on small projects.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use asd_syntax::Language;
use expect_test::{Expect, expect};

use crate::extract::extract_text;
use crate::manifest::{is_manifest, parse_manifest};
use crate::map::{CodeMap, ImportKind};
use crate::query::{Direction, call_context, risk};
use crate::source::{SourceFile, Sources};

/// A map of files that are written one after the other, each below `//- path`.
fn map(fixture: &str) -> CodeMap {
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    let mut path = String::new();
    for line in fixture.lines() {
        if let Some(next) = line.trim_start().strip_prefix("//- ") {
            path = next.trim().to_owned();
            texts.insert(path.clone(), String::new());
        } else if let Some(text) = texts.get_mut(&path) {
            text.push_str(line);
            text.push('\n');
        }
    }
    let mut sources = Sources::default();
    for (path, text) in &texts {
        if is_manifest(path) {
            let manifest = parse_manifest(path, text).unwrap();
            sources.manifests.insert(path.clone(), Arc::new(manifest));
        } else {
            let language = Language::of_file(Path::new(path), text).unwrap();
            let facts = extract_text(text, language);
            let is_test = asd_syntax::is_test_path(path);
            sources.files.insert(
                path.clone(),
                Arc::new(SourceFile {
                    hash: 0,
                    size: 0,
                    is_test,
                    facts,
                }),
            );
        }
    }
    crate::build(&sources)
}

fn check(fixture: &str, expected: Expect) {
    let map = map(fixture);
    let mut lines: Vec<String> = map
        .imports()
        .iter()
        .map(|edge| {
            let kind = if edge.kind == ImportKind::Import {
                String::new()
            } else {
                format!(" ({})", format!("{:?}", edge.kind).to_lowercase())
            };
            format!(
                "{} -> {}{kind}",
                map.file(edge.from).path,
                map.file(edge.to).path
            )
        })
        .collect();
    for call in map.calls() {
        let caller = call
            .caller
            .map_or_else(|| "top".to_owned(), |caller| map.qualified_name(caller));
        lines.push(format!(
            "{caller} calls {} ({:.2})",
            map.qualified_name(call.callee),
            call.confidence
        ));
    }
    for external in map.externals().iter().filter(|external| external.is_broken) {
        lines.push(format!(
            "{}: {} leads nowhere",
            map.file(external.from).path,
            external.module
        ));
    }
    lines.push(String::new());
    expected.assert_eq(&lines.join("\n"));
}

#[test]
fn typescript_paths_workspaces_and_indexes() {
    check(
        "//- tsconfig.json\n{\"compilerOptions\": {\"paths\": {\"@/*\": [\"src/*\"]}}}\n\
         //- packages/kit/package.json\n{\"name\": \"@me/kit\", \"exports\": {\".\": \"./src/index.ts\", \"./deep\": \"./src/deep.ts\"}}\n\
         //- packages/kit/src/index.ts\nexport * from './deep';\n\
         //- packages/kit/src/deep.ts\nexport function deep() {}\n\
         //- src/a/index.ts\nexport default function a() {}\n\
         //- src/main.ts\nimport a from '@/a';\nimport { deep } from '@me/kit';\nimport x from '@me/kit/deep';\nimport r from 'react';\nimport n from './none';\na(); deep();\n",
        expect![[r#"
            packages/kit/src/index.ts -> packages/kit/src/deep.ts (reexport)
            src/main.ts -> packages/kit/src/deep.ts
            src/main.ts -> packages/kit/src/index.ts
            src/main.ts -> src/a/index.ts
            top calls a (0.95)
            top calls deep (0.95)
            src/main.ts: ./none leads nowhere
        "#]],
    );
}

#[test]
fn commonjs_and_receivers() {
    check(
        "//- a.js\nfunction A() { this.b = new B(); }\nA.prototype.go = function () { this.b.run(); };\nfunction B() {}\nB.prototype.run = function () {};\nmodule.exports = A;\n\
         //- m.js\nvar A = require('./a');\nvar it = new A();\nfunction f() { it.go(); }\n",
        expect![[r#"
            m.js -> a.js (dynamic)
            A calls B (0.95)
            A.go calls B.run (0.90)
            top calls A (0.95)
            f calls A.go (0.90)
        "#]],
    );
}

#[test]
fn python_packages_and_reexports() {
    check(
        "//- pyproject.toml\n[project]\nname = \"p\"\n\
         //- src/p/__init__.py\nfrom .m import K\nfrom . import n\n\
         //- src/p/m.py\nclass Base:\n    def up(self): pass\nclass K(Base):\n    def go(self):\n        self.up()\n        super().up()\n\
         //- src/p/n.py\nimport os\nimport p.m as m\ndef f(k: m.K):\n    k.go()\n    m.K().up()\n\
         //- src/ns/deep/x.py\nfrom ns.deep import y\nfrom p import K, n\ndef g():\n    K()\n    n.f(1)\n    y.h()\n\
         //- src/ns/deep/y.py\ndef h(): pass\n",
        expect![[r#"
            src/ns/deep/x.py -> src/ns/deep/y.py
            src/ns/deep/x.py -> src/p/__init__.py
            src/ns/deep/x.py -> src/p/n.py
            src/p/__init__.py -> src/p/m.py
            src/p/__init__.py -> src/p/n.py
            src/p/n.py -> src/p/m.py
            g calls K (0.95)
            K.go calls Base.up (0.85)
            K.go calls Base.up (0.85)
            f calls K.go (0.90)
            f calls Base.up (0.85)
            f calls K (0.95)
        "#]],
    );
}

#[test]
fn rust_crates_modules_and_traits() {
    check(
        "//- Cargo.toml\n[package]\nname = \"my-lib\"\n\
         //- src/lib.rs\nmod a;\npub use a::inner::T;\npub fn free() {}\n\
         //- src/a/mod.rs\npub mod inner;\n#[path = \"odd.rs\"]\nmod other;\nuse super::free;\npub fn go(t: &crate::T) { t.run(); free(); other::odd(); self::inner::T::new().run(); }\n\
         //- src/a/inner.rs\npub struct T;\npub trait Tr { fn dflt(&self) {} }\nimpl Tr for T {}\nimpl T { pub fn new() -> Self { T } pub fn run(&self) { self.dflt(); } }\n\
         //- src/a/odd.rs\npub fn odd() {}\n\
         //- src/main.rs\nuse my_lib::T;\nfn main() { let t = T::new(); t.run(); my_lib::free(); }\n",
        expect![[r#"
            src/a/mod.rs -> src/a/inner.rs (part)
            src/a/mod.rs -> src/a/inner.rs (path)
            src/a/mod.rs -> src/a/odd.rs (part)
            src/a/mod.rs -> src/a/odd.rs (path)
            src/a/mod.rs -> src/lib.rs
            src/lib.rs -> src/a/inner.rs (reexport)
            src/lib.rs -> src/a/mod.rs (part)
            src/main.rs -> src/a/inner.rs
            src/main.rs -> src/a/inner.rs (path)
            src/main.rs -> src/lib.rs (path)
            T.run calls Tr.dflt (0.85)
            go calls T.run (0.90)
            go calls free (0.95)
            go calls odd (0.95)
            go calls T.run (0.90)
            go calls T.new (0.90)
            main calls T.new (0.90)
            main calls T.run (0.90)
            main calls free (0.95)
        "#]],
    );
}

#[test]
fn go_packages_and_embedding() {
    check(
        "//- go.mod\nmodule e.x/m\n\
         //- main.go\npackage main\nimport \"e.x/m/store\"\nfunc main() { db := store.Open(); db.Get(); db.Close() }\n\
         //- store/db.go\npackage store\ntype DB struct { base }\nfunc Open() *DB { return &DB{} }\nfunc (d *DB) Get() { d.Close(); helper() }\n\
         //- store/base.go\npackage store\ntype base struct{}\nfunc (b *base) Close() {}\nfunc helper() {}\n",
        expect![[r#"
            main.go -> store/db.go
            store/db.go -> store/base.go (implicit)
            main calls Open (0.95)
            main calls DB.Get (0.90)
            main calls base.Close (0.85)
            Open calls DB (0.95)
            DB.Get calls base.Close (0.85)
            DB.Get calls helper (0.95)
        "#]],
    );
}

#[test]
fn java_packages_and_neighbours() {
    check(
        "//- src/main/java/a/K.java\npackage a;\nimport b.D;\nimport static b.E.f;\npublic class K {\n  private D d;\n  void go() { d.run(1); f(); new N().x(); }\n}\n\
         //- src/main/java/a/N.java\npackage a;\nclass N { void x() {} }\n\
         //- src/main/java/b/D.java\npackage b;\npublic class D { public void run() {} public void run(int a) {} }\n\
         //- src/main/java/b/E.java\npackage b;\npublic class E { public static void f() {} }\n",
        expect![[r#"
            src/main/java/a/K.java -> src/main/java/a/N.java (implicit)
            src/main/java/a/K.java -> src/main/java/b/D.java
            src/main/java/a/K.java -> src/main/java/b/E.java
            K.go calls D.run (0.90)
            K.go calls E.f (0.95)
            K.go calls N.x (0.90)
            K.go calls N (0.95)
        "#]],
    );
}

#[test]
fn swift_modules_and_extensions() {
    check(
        "//- Package.swift\nlet p = Package(name: \"P\", targets: [.target(name: \"Core\"), .target(name: \"App\", dependencies: [\"Core\"])])\n\
         //- Sources/Core/Store.swift\npublic class Store {\n  public init() {}\n  public func load() {}\n}\n\
         //- Sources/Core/Ext.swift\nextension Store {\n  public func more() { load() }\n}\n\
         //- Sources/App/Main.swift\nimport Core\nfunc start() {\n  let s = Store()\n  s.more()\n}\n",
        expect![[r#"
            Sources/App/Main.swift -> Sources/Core/Store.swift
            Sources/Core/Ext.swift -> Sources/Core/Store.swift (implicit)
            start calls Store.init (0.95)
            start calls Store.more (0.90)
            Store.more calls Store.load (0.90)
        "#]],
    );
}

#[test]
fn c_headers_and_definitions() {
    check(
        "//- include/k.h\nint k(int a);\n\
         //- src/k.c\n#include \"k.h\"\nstatic int own(void) { return 1; }\nint k(int a) { return own(); }\n\
         //- src/m.c\n#include <k.h>\n#include \"../include/k.h\"\n#include <stdio.h>\nint main(void) { printf(\"x\"); return k(1); }\n",
        expect![[r#"
            src/k.c -> include/k.h
            src/m.c -> include/k.h
            k calls own (0.95)
            main calls k (0.90)
        "#]],
    );
}

#[test]
fn dart_libraries() {
    check(
        "//- pubspec.yaml\nname: app\n\
         //- lib/a.dart\nimport 'package:app/src/b.dart';\nimport 'package:http/http.dart';\nvoid main() { final b = B(); b.go(); }\n\
         //- lib/src/b.dart\npart 'c.dart';\nclass B {\n  void go() { help(); }\n}\n\
         //- lib/src/c.dart\npart of 'b.dart';\nvoid help() {}\n",
        expect![[r#"
            lib/a.dart -> lib/src/b.dart
            lib/src/b.dart -> lib/src/c.dart (part)
            lib/src/c.dart -> lib/src/b.dart (part)
            main calls B (0.95)
            main calls B.go (0.90)
            B.go calls help (0.95)
        "#]],
    );
}

const CHAIN: &str = "//- a.ts\nexport class Net { send() { return pack(); } }\nexport function pack() {}\nfunction one(n: Net) { n.send(); }\nfunction two(n: Net) { one(n); }\n\
     //- a.test.ts\nimport { Net } from './a';\nfunction t() { new Net().send(); }\n";

#[test]
fn callers_and_callees_are_followed_to_a_depth() {
    let map = map(CHAIN);
    for name in ["send", "Net.send", "a::Net::send"] {
        let context = call_context(&map, name, Direction::Both, 2);
        let names = |list: &[crate::query::Reached]| -> Vec<String> {
            list.iter()
                .map(|one| format!("{} {}", one.symbol, one.depth))
                .collect()
        };
        assert_eq!(names(&context.callers), ["t 1", "one 1", "two 2"], "{name}");
        assert_eq!(names(&context.callees), ["pack 1"]);
        let impact = &context.impact;
        assert_eq!(
            (
                impact.direct_callers,
                impact.transitive_callers,
                impact.files,
                impact.tests
            ),
            (2, 3, 2, 1)
        );
        assert_eq!(impact.risk, "low");
    }
}

#[test]
fn a_name_that_is_not_there_gets_near_ones() {
    let context = call_context(&map(CHAIN), "Net.sned", Direction::Both, 2);
    assert!(context.matches.is_empty() && context.callers.is_empty());
    assert_eq!(context.suggestions, ["send"]);
    assert!(
        call_context(&map(CHAIN), "Other.send", Direction::Both, 2)
            .matches
            .is_empty()
    );
}

#[test]
fn risk_grows_with_callers_and_files() {
    assert_eq!(
        [risk(3, 1), risk(4, 1), risk(11, 1), risk(1, 6)],
        ["low", "medium", "high", "high"]
    );
}

#[test]
fn a_way_that_is_not_there_has_no_depth() {
    let map = map(CHAIN);
    let none = map.node_path("a.ts", "a.test.ts", 5).unwrap();
    assert_eq!((none.found, none.depth), (false, -1));
    let some = map.node_path("a.test.ts", "a.ts", 5).unwrap();
    assert_eq!(
        (some.found, some.depth, some.path[0].relation),
        (true, 1, "imports")
    );
    assert!(map.node_path("a.ts", "nowhere.ts", 5).is_none());
    assert_eq!(
        map.node_impact("a.ts", 3).unwrap().impacted[0].id,
        "a.test.ts"
    );
}

#[test]
fn targets_files_and_metadata() {
    let map = map("//- Cargo.toml\n[workspace]\n\
         //- core/Cargo.toml\n[package]\nname = \"core\"\n\
         //- core/src/lib.rs\npub fn a() {}\n\
         //- app/Cargo.toml\n[package]\nname = \"app\"\n[dependencies]\ncore = \"1\"\nserde = \"1\"\n\
         //- app/src/main.rs\nfn main() { core::a(); }\n\
         //- app/src/zeta.rs\n//- scripts/x.py\nprint(1)\n");
    let rows: Vec<String> = crate::targets(&map)
        .targets
        .iter()
        .map(|t| {
            format!(
                "{} {} {} {}",
                t.name,
                t.kind,
                t.inferred_role.as_str(),
                t.file_count
            )
        })
        .collect();
    assert_eq!(
        rows,
        [
            "app library app 2",
            "core library core 1",
            "scripts folder feature 1"
        ]
    );
    let app = crate::target_metadata(&map, "app").unwrap();
    assert_eq!(
        (app.dependencies, app.path.as_str()),
        (vec!["core".to_owned(), "serde".to_owned()], "app")
    );
    assert_eq!(
        crate::target_metadata(&map, "core").unwrap().dependents,
        ["app"]
    );
    let files = crate::target_files(&map, "app", 1).unwrap();
    assert_eq!(
        (files.files[0].path.as_str(), files.total, files.truncated),
        ("app/src/main.rs", 2, true)
    );
    assert!(crate::target_files(&map, "none", 1).is_none());
    let graph = crate::module_graph(&map, &[]);
    let layers: Vec<String> = graph
        .layers
        .iter()
        .map(|layer| layer.name.clone())
        .collect();
    assert_eq!(layers, ["Foundation", "Application"]);
}

#[test]
fn an_implementation_for_a_type_of_another_module_needs_that_module() {
    let map = map("//- low/Cargo.toml\n[package]\nname = \"low\"\n\
         //- low/src/lib.rs\npub struct Span;\n\
         //- high/Cargo.toml\n[package]\nname = \"high\"\n\
         //- high/src/lib.rs\nuse low::Span;\npub trait Shown {}\nimpl Shown for Span {}\n");
    let graph = crate::module_graph(&map, &[]);
    assert!(graph.cycles.is_empty());
    assert_eq!(graph.edges.len(), 1);
    assert_eq!(graph.modules[graph.edges[0].from].name, "high");
}

#[test]
fn a_component_and_a_class_without_a_name_are_exported_by_default() {
    check(
        "//- a.vue\n<script>\nimport run from './run';\nrun();\n</script>\n\
         //- run.js\nexport default function () { return 1; }\n\
         //- main.ts\nimport A from './a.vue';\n",
        expect![[r#"
            a.vue -> run.js
            main.ts -> a.vue
            top calls default (0.95)
        "#]],
    );
}
