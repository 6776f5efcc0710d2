//! Patterns of every language, each on code that it has to find.

use ast_grep_core::tree_sitter::LanguageExt;
use ast_grep_core::{Language as _, Pattern, PatternError};

use super::Language;

/// What `pattern` finds in `source`, the first match only.
fn first(language: Language, pattern: &str, source: &str) -> Option<String> {
    let pattern = Pattern::try_new(pattern, language)
        .unwrap_or_else(|error| panic!("{language:?} `{pattern}`: {error}"));
    assert!(!pattern.has_error(), "{language:?}");
    let root = language.ast_grep(source);
    root.root()
        .find(&pattern)
        .map(|node| node.text().to_string())
}

#[test]
fn patterns_find_code_in_every_language() {
    use Language::*;
    let cases: &[(Language, &str, &str, &str)] = &[
        (
            Swift,
            "$A.shared",
            "func f() { let s = HTTPCookieStorage.shared }",
            "HTTPCookieStorage.shared",
        ),
        (
            Swift,
            "print($$$ARGS)",
            "func f() { print(1, 2) }",
            "print(1, 2)",
        ),
        (Swift, "try! $E", "let a = try! b()", "try! b()"),
        (Swift, "$A as! $B", "let a = b as! C", "b as! C"),
        (
            Objc,
            "[$A sharedApplication]",
            "void f() { [UIApplication sharedApplication]; }",
            "[UIApplication sharedApplication]",
        ),
        (
            Objc,
            "NSLog($$$ARGS)",
            "void f() { NSLog(@\"a\", 1); }",
            "NSLog(@\"a\", 1)",
        ),
        (
            Objc,
            "$A.shared",
            "void f() { int a = b.shared; }",
            "b.shared",
        ),
        (
            JavaScript,
            "console.log($$$ARGS)",
            "console.log(1, 2)",
            "console.log(1, 2)",
        ),
        (
            JavaScript,
            "try { $$$ } catch ($E) {}",
            "try { a(); b() } catch (e) {}",
            "try { a(); b() } catch (e) {}",
        ),
        (TypeScript, "$A.shared", "const a = B.shared", "B.shared"),
        (TypeScript, "$A as any", "const a = b as any", "b as any"),
        (
            Tsx,
            "<div $$$>{$A}</div>",
            "const a = <div id={1}>{b}</div>",
            "<div id={1}>{b}</div>",
        ),
        (Python, "$A.shared", "a = B.shared", "B.shared"),
        (Python, "print($$$ARGS)", "print(1, 2)", "print(1, 2)"),
        (
            Python,
            "try:\n    $$$\nexcept:\n    pass",
            "try:\n    a()\nexcept:\n    pass\n",
            "try:\n    a()\nexcept:\n    pass",
        ),
        (
            Java,
            "$A.shared",
            "class A { int f() { return B.shared; } }",
            "B.shared",
        ),
        (
            Java,
            "System.out.println($$$ARGS)",
            "class A { void f() { System.out.println(1, 2); } }",
            "System.out.println(1, 2)",
        ),
        (
            Java,
            "try { $$$ } catch ($T $E) {}",
            "class A { void f() { try { a(); } catch (E e) {} } }",
            "try { a(); } catch (E e) {}",
        ),
        (
            Java,
            "new Thread($$$)",
            "class A { void f() { new Thread(r).start(); } }",
            "new Thread(r)",
        ),
        (
            Kotlin,
            "$A.shared",
            "fun f() { val a = B.shared }",
            "B.shared",
        ),
        (
            Kotlin,
            "println($$$ARGS)",
            "fun f() { println(1, 2) }",
            "println(1, 2)",
        ),
        (Kotlin, "$A!!", "fun f() { val a = b!! }", "b!!"),
        (
            Go,
            "$A.shared",
            "package a\nfunc f() { x := B.shared }",
            "B.shared",
        ),
        (
            Go,
            "fmt.Println($$$ARGS)",
            "package a\nfunc f() { fmt.Println(1, 2) }",
            "fmt.Println(1, 2)",
        ),
        (
            Go,
            "if $E != nil { $$$ }",
            "package a\nfunc f() { if err != nil { return } }",
            "if err != nil { return }",
        ),
        (
            Dart,
            "$A.shared",
            "void f() { var a = B.shared; }",
            "B.shared",
        ),
        (
            Dart,
            "print($$$ARGS)",
            "void f() { print(1, 2); }",
            "print(1, 2)",
        ),
        (
            Dart,
            "Navigator.of($C)",
            "void f() { Navigator.of(context).pop(); }",
            "Navigator.of(context)",
        ),
        (
            Rust,
            "$A.unwrap()",
            "fn f() { let a = b.unwrap(); }",
            "b.unwrap()",
        ),
        (
            Rust,
            "println!($$$)",
            "fn f() { println!(\"a\", b); }",
            "println!(\"a\", b)",
        ),
        (
            Rust,
            "unsafe { $$$ }",
            "fn f() { unsafe { a(); b(); } }",
            "unsafe { a(); b(); }",
        ),
        (
            C,
            "strcpy($A, $B)",
            "void f() { strcpy(a, b); }",
            "strcpy(a, b)",
        ),
        (
            C,
            "printf($$$ARGS);",
            "void f() { printf(\"a\", 1); }",
            "printf(\"a\", 1);",
        ),
        (
            Cpp,
            "$A.shared",
            "void f() { int a = b.shared; }",
            "b.shared",
        ),
        (
            Cpp,
            "new $T($$$)",
            "void f() { auto a = new B(1); }",
            "new B(1)",
        ),
        (
            Cpp,
            "std::move($A)",
            "void f() { g(std::move(a)); }",
            "std::move(a)",
        ),
        (
            CSharp,
            "$A.Result",
            "class A { int f() { return b.Result; } }",
            "b.Result",
        ),
        (
            CSharp,
            "Console.WriteLine($$$ARGS)",
            "class A { void F() { Console.WriteLine(1, 2); } }",
            "Console.WriteLine(1, 2)",
        ),
        (
            CSharp,
            "lock (this) { $$$ }",
            "class A { void F() { lock (this) { a(); } } }",
            "lock (this) { a(); }",
        ),
        (
            CSharp,
            "if ($A) { $$$B }",
            "class A { void F() { if (a) { a(); b(); } } }",
            "if (a) { a(); b(); }",
        ),
        (
            C,
            "if ($A) { $$$B }",
            "void f() { if (a) { a(); b(); } }",
            "if (a) { a(); b(); }",
        ),
        (
            C,
            "$T $N($$$) { $$$ }",
            "int f(int a) { b(); return 1; }",
            "int f(int a) { b(); return 1; }",
        ),
        (
            C,
            "$A = malloc($B)",
            "void f() { a = malloc(b); }",
            "a = malloc(b)",
        ),
        (
            Cpp,
            "for (auto $A : $B) { $$$ }",
            "void f() { for (auto a : b) { a(); b(); } }",
            "for (auto a : b) { a(); b(); }",
        ),
        (
            Objc,
            "dispatch_sync($Q, ^{ $$$ })",
            "void f() { dispatch_sync(q, ^{ a(); b(); }); }",
            "dispatch_sync(q, ^{ a(); b(); })",
        ),
        (
            Objc,
            "@property (assign) $T $N;",
            "@interface A\n@property (assign) id a;\n@end",
            "@property (assign) id a;",
        ),
        (
            Java,
            "if ($A) { $$$B }",
            "class A { void f() { if (a) { a(); b(); } } }",
            "if (a) { a(); b(); }",
        ),
        (
            Java,
            "try { $$$ } catch ($T $E) { $$$ }",
            "class A { void f() { try { a(); b(); } catch (E e) { c(); d(); } } }",
            "try { a(); b(); } catch (E e) { c(); d(); }",
        ),
        (
            Java,
            "synchronized ($A) { foo(); $$$ }",
            "class A { void f() { synchronized (a) { foo(); b(); c(); } } }",
            "synchronized (a) { foo(); b(); c(); }",
        ),
        (
            Java,
            "@Override public void $F() { $$$ }",
            "class A { @Override public void f() { a(); b(); } }",
            "@Override public void f() { a(); b(); }",
        ),
        (
            Dart,
            "if ($A) { $$$B }",
            "void f() { if (a) { a(); b(); } }",
            "if (a) { a(); b(); }",
        ),
        (
            Dart,
            "setState(() { $$$ })",
            "void f() { setState(() { a(); b(); }); }",
            "setState(() { a(); b(); })",
        ),
        (
            Dart,
            "await $A",
            "void f() async { await b(); }",
            "await b()",
        ),
        (
            Kotlin,
            "try { $$$ } catch (e: $T) { $$$ }",
            "fun f() { try { a(); b() } catch (e: E) { } }",
            "try { a(); b() } catch (e: E) { }",
        ),
        (
            Swift,
            "do { $$$ } catch { $$$ }",
            "func f() { do { a(); b() } catch { } }",
            "do { a(); b() } catch { }",
        ),
        (
            Swift,
            "guard let $A = $B else { $$$ }",
            "func f() { guard let a = b else { return } }",
            "guard let a = b else { return }",
        ),
        (
            Go,
            "defer $A.Close()",
            "package a\nfunc f() { defer b.Close() }",
            "defer b.Close()",
        ),
        (Go, "$A = 0", "package a\nfunc f() { b = 0 }", "b = 0"),
        (
            Rust,
            "match $A { $$$ }",
            "fn f() { match a { _ => {} } }",
            "match a { _ => {} }",
        ),
        (
            Rust,
            "fn $F($$$) -> $R { $$$ }",
            "fn f(a: u8) -> u8 { a }",
            "fn f(a: u8) -> u8 { a }",
        ),
        (Rust, "$A?", "fn f() { a()?; }", "a()?"),
        (
            Python,
            "def $F($$$): $$$",
            "def f(a):\n    return 1\n",
            "def f(a):\n    return 1",
        ),
        (
            TypeScript,
            "class $C extends Base { $$$ }",
            "class A extends Base { a = 1; b() {} }",
            "class A extends Base { a = 1; b() {} }",
        ),
        (
            TypeScript,
            "await $A",
            "async () => { await b() }",
            "await b()",
        ),
        (JavaScript, "return $A", "() => { return b }", "return b"),
        (JavaScript, "eval($A)", "foo(eval(b))", "eval(b)"),
        (
            JavaScript,
            "import $A from 'moment'",
            "import m from 'moment'",
            "import m from 'moment'",
        ),
        (
            Ruby,
            "$A.each do |$B| $$$ end",
            "a.each do |b| c; d end",
            "a.each do |b| c; d end",
        ),
        (Bash, "curl $$$ARGS", "curl -s x", "curl -s x"),
        (Ruby, "$A.shared", "a = B.shared", "B.shared"),
        (Ruby, "puts $A", "puts 1", "puts 1"),
        (
            Html,
            "<script $$$>$A</script>",
            "<p><script a=\"b\">c</script></p>",
            "<script a=\"b\">c</script>",
        ),
        (Css, "color: $A;", "a { color: red; }", "color: red;"),
        (Css, "$S { $$$ }", "a { color: red; }", "a { color: red; }"),
        (Bash, "rm -rf $A", "rm -rf /tmp", "rm -rf /tmp"),
        (Json, "{\"a\": $A}", "[{\"a\": [1]}]", "{\"a\": [1]}"),
        (Json, "[1, $$$]", "{\"b\": [1, 2, 3]}", "[1, 2, 3]"),
        (Yaml, "image: $A", "image: latest", "image: latest"),
        (Toml, "version = $A", "[a]\nversion = 1", "version = 1"),
        (Toml, "$K = \"*\"", "[a]\nserde = \"*\"", "serde = \"*\""),
    ];
    for (language, pattern, source, expected) in cases {
        let found = first(*language, pattern, source);
        assert_eq!(
            found.as_deref(),
            Some(*expected),
            "{language:?} `{pattern}` in\n{}\nread as\n{}",
            language.ast_grep(source).root().get_inner_node().to_sexp(),
            language
                .ast_grep(language.pre_process_pattern(pattern))
                .root()
                .get_inner_node()
                .to_sexp(),
        );
    }
    let grammars = Language::all().iter().filter(|l| l.grammar().is_some());
    for language in grammars {
        assert!(
            cases.iter().any(|(covered, ..)| covered == language),
            "{language:?} is not tried"
        );
    }
}

#[test]
fn a_part_chosen_by_kind_comes_from_its_own_context() {
    let pattern = Pattern::contextual(
        "class C { void f() { $A.shared; } }",
        "field_access",
        Language::Java,
    )
    .unwrap();
    let root = Language::Java.ast_grep("class A { int f() { return B.shared; } }");
    assert_eq!(root.root().find(&pattern).unwrap().text(), "B.shared");
    assert!(matches!(
        Pattern::contextual("foo(", "no_such_kind", Language::Dart),
        Err(PatternError::InvalidKind(_))
    ));
}

#[test]
fn what_is_no_metavariable_keeps_its_dollar() {
    for (pattern, read) in [
        ("$A.b($$$C, $_, $$$)", "µA.b(µµµC, µ_, µµµ)"),
        ("\"costs $5 in $a\"", "\"costs $5 in $a\""),
        ("$$ $$$$A", "$$ $$$$A"),
        ("$Ab", "µAb"),
    ] {
        assert_eq!(Language::Python.pre_process_pattern(pattern), read);
    }
    assert_eq!(
        Language::Json.pre_process_pattern(r#"{"$A": $B, "c": [$$$]}"#),
        r#"{"µA": "µB", "c": ["µµµ"]}"#
    );
}

#[test]
fn fixes_are_written_with_the_captures() {
    for (language, source, pattern, fix, expected) in [
        (
            Language::Swift,
            "let s = HTTPCookieStorage.shared // keep",
            "$A.shared",
            "$A.injected",
            "let s = HTTPCookieStorage.injected // keep",
        ),
        (
            Language::C,
            "void f() { strcpy(a, b[1]); }",
            "strcpy($A, $B)",
            "strlcpy($A, $B, sizeof $A)",
            "void f() { strlcpy(a, b[1], sizeof a); }",
        ),
    ] {
        let mut root = language.ast_grep(source);
        assert!(root.replace(pattern, fix).unwrap());
        assert_eq!(root.generate(), expected);
    }
}
