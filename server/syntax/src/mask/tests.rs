//! Each sample is shown with the class of every character below it:
//! `-` comment, `=` documentation, `s` string, `c` character, `r` regular
//! expression, `h` heredoc, and `"` their delimiters; a blank is code.

use asd_recipe::MatchIn;
use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::*;

fn classes(language: Language, text: &str) -> String {
    let mask = Mask::new(language, text);
    let mut result = String::new();
    for line in text.split_inclusive('\n') {
        let start = line.as_ptr() as usize - text.as_ptr() as usize;
        let mut below = String::new();
        for (at, c) in line.trim_end_matches(['\n', '\r']).char_indices() {
            let class = match mask.at(start + at) {
                None => ' ',
                Some(span) if !(span.inner.start..span.inner.end).contains(&(start + at)) => '"',
                Some(span) => match span.kind {
                    MaskKind::LineComment | MaskKind::BlockComment => '-',
                    MaskKind::DocComment => '=',
                    MaskKind::String => 's',
                    MaskKind::Char => 'c',
                    MaskKind::Regex => 'r',
                    MaskKind::Heredoc => 'h',
                },
            };
            below.push(class);
            // A tab takes one place here.
            result.push(if c == '\t' { ' ' } else { c });
        }
        result.push('\n');
        if !below.trim_end().is_empty() {
            result.push_str(below.trim_end());
            result.push('\n');
        }
    }
    result
}

fn check(language: Language, text: &str, expected: &Expect) {
    let shown = classes(language, text);
    expected.assert_eq(&shown);
}

#[test]
fn a_trailing_comment_hides_only_the_tail() {
    check(
        Language::JavaScript,
        "foo(); // eval(x)\nbar(); /* a\nb */ eval(y); /**/ z /* open",
        &expect![[r#"
            foo(); // eval(x)
                   ----------
            bar(); /* a
                   ----
            b */ eval(y); /**/ z /* open
            ----          ----   -------
        "#]],
    );
}

#[test]
fn block_comments_nest_where_the_language_says_so() {
    use Language::*;
    for language in [Swift, Kotlin, Rust, Dart] {
        assert_eq!(
            classes(language, "/* a /* b */ c */ d /*/ e */ f"),
            "/* a /* b */ c */ d /*/ e */ f\n\
             -----------------   --------\n"
        );
    }
    for language in [Java, TypeScript, Go, C, CSharp] {
        assert_eq!(
            classes(language, "/* a /* b */ c /*/ d */ e"),
            "/* a /* b */ c /*/ d */ e\n\
             ------------   --------\n"
        );
    }
}

#[test]
fn documentation_is_told_from_comments() {
    check(
        Language::Rust,
        "//! a\n/// b\n//// c\n// d\n/** e */ /*** f */ /**/ /*! g */\nfn f() {}",
        &expect![[r#"
            //! a
            =====
            /// b
            =====
            //// c
            ------
            // d
            ----
            /** e */ /*** f */ /**/ /*! g */
            ======== --------- ---- ========
            fn f() {}
        "#]],
    );
}

#[test]
fn javascript() {
    check(
        Language::TypeScript,
        "#!/usr/bin/env node\n\
         const a = 'it\\'s' + \"a\\\"b\" + 'open\n\
         const b = `a${x + `n${'}'}` + {a: 1}.a}b`;\n\
         const r = /[/\"']+\\/x/gi.test(s), d = a / b / c;\n\
         if (x) /re/.exec(y); f(a) / 2; a[0] / 2; i++ / 2\n\
         return /re'/; x = a! / b; (a) => /re/; x.return / 2 / 3\n\
         }\n\
         /re'/.test(x) /* c */ /2",
        &expect![[r##"
            #!/usr/bin/env node
            -------------------
            const a = 'it\'s' + "a\"b" + 'open
                      "sssss"   "ssss"   "ssss
            const b = `a${x + `n${'}'}` + {a: 1}.a}b`;
                      "s""    "s"""s"""           "s"
            const r = /[/"']+\/x/gi.test(s), d = a / b / c;
                      "rrrrrrrrr"""
            if (x) /re/.exec(y); f(a) / 2; a[0] / 2; i++ / 2
                   "rr"
            return /re'/; x = a! / b; (a) => /re/; x.return / 2 / 3
                   "rrr"                     "rr"
            }
            /re'/.test(x) /* c */ /2
            "rrr"         -------
        "##]],
    );
}

#[test]
fn the_text_of_jsx_is_code() {
    check(
        Language::Tsx,
        "<p title=\"a'b\">Don't {eval('x')} the dogs' 他说\"好\" {a}/{b}</p>\n\
         <a href=\"http://a\">http://b.c/d</a> {/* no */} <br /> // c\n\
         {x /* y */}</p>;",
        &expect![[r#"
            <p title="a'b">Don't {eval('x')} the dogs' 他说"好" {a}/{b}</p>
                     "sss"             "s"
            <a href="http://a">http://b.c/d</a> {/* no */} <br /> // c
                    "ssssssss"                   --------         ----
            {x /* y */}</p>;
               -------
        "#]],
    );
}

#[test]
fn python() {
    check(
        Language::Python,
        "x = 'a' # c 'd\n\
         s = r'\\d' + rb\"\\\"\" + '''a\n\
         # no comment ' \"\n\
         ''' + \"\"\"b\"\"\"\n\
         f = f\"a{x!r:>{w}} {{no}} {d['k']:%H:%M} {x:'>9} \\N{DASH} {y}\" + print(f'{a}')\n\
         def f():\n    \"\"\"Doc # string.\"\"\"\n    return'x' if a in'yz' else rf'\\{z}'\n\
         g = 'open\nh = 1",
        &expect![[r#"
            x = 'a' # c 'd
                "s" ------
            s = r'\d' + rb"\"" + '''a
                ""ss"   """ss"   """s
            # no comment ' "
            ssssssssssssssss
            ''' + """b"""
            """   """s"""
            f = f"a{x!r:>{w}} {{no}} {d['k']:%H:%M} {x:'>9} \N{DASH} {y}" + print(f'{a}')
                ""s"   "s" ""ssssssss"  "s" "sssss"s" "sss"ssssssssss" ""         """ ""
            def f():
                """Doc # string."""
                """sssssssssssss"""
                return'x' if a in'yz' else rf'\{z}'
                      "s"        "ss"      """s" ""
            g = 'open
                "ssss
            h = 1
        "#]],
    );
}

#[test]
fn swift() {
    check(
        Language::Swift,
        "let a = \"x\\(f(\"n\\(1)\"))y\" // c\n\
         let b = #\"raw \"\\n \\#(v) \"# + ##\"\"#\"##\n\
         let c = \"\"\"\n  a \"quoted\" \\(b)\n  \"\"\"\n\
         let r = /a\"b/ , d = a / b / c, e = #/x\"/y/#\n\
         func `it's`() {} // d",
        &expect![[r###"
            let a = "x\(f("n\(1)"))y" // c
                    "s""  "s"" "" "s" ----
            let b = #"raw "\n \#(v) "# + ##""#"##
                    ""ssssssss""" "s""   """ss"""
            let c = """
                    """
              a "quoted" \(b)
            sssssssssssss"" "
              """
            ss"""
            let r = /a"b/ , d = a / b / c, e = #/x"/y/#
                    "rrr"                      ""rrrr""
            func `it's`() {} // d
                             ----
        "###]],
    );
}

#[test]
fn kotlin() {
    check(
        Language::Kotlin,
        "val a = \"x$name.y ${f(\"}\")} \\$no $ 5\" // c\n\
         val b = \"\"\"raw \\ \"q\" $x ${y}\"\"\"\"\n\
         val c = '\"'; fun `it's a test`() {} /* d */",
        &expect![[r#"
            val a = "x$name.y ${f("}")} \$no $ 5" // c
                    "s"    sss""  "s" "sssssssss" ----
            val b = """raw \ "q" $x ${y}""""
                    """ssssssssss" s"" """""
            val c = '"'; fun `it's a test`() {} /* d */
                    "c"                         -------
        "#]],
    );
}

#[test]
fn dart() {
    check(
        Language::Dart,
        "var a = 'x$name ${f('}')} \\$no' + r'\\$raw' + \"it's\"; // c\n\
         var b = '''a\n'b' $c''' + r\"\"\"\\\"\"\";\n\
         /// doc\nvar d = 1;",
        &expect![[r#"
            var a = 'x$name ${f('}')} \$no' + r'\$raw' + "it's"; // c
                    "s"    s""  "s" "sssss"   ""sssss"   "ssss"  ----
            var b = '''a
                    """s
            'b' $c''' + r"""\""";
            ssss" """   """"s"""
            /// doc
            =======
            var d = 1;
        "#]],
    );
}

#[test]
fn rust() {
    check(
        Language::Rust,
        "fn f<'a>(x: &'a str) -> char { '\\'' } // c\n\
         let a = ['x', '饼', '\\u{1F36A}', b'y', '\"'];\n\
         let b = r#\"a \"b\" \\\"# + r\"\\\" + br##\"\"#\"## + \"a\\\"\n b\" + b\"c\" + c\"d\";\n\
         'outer: loop { break 'outer; } #[a = \"b\"]",
        &expect![[r###"
            fn f<'a>(x: &'a str) -> char { '\'' } // c
                                           "cc"   ----
            let a = ['x', '饼', '\u{1F36A}', b'y', '"'];
                     "c"  "c"  "ccccccccc"  ""c"  "c"
            let b = r#"a "b" \"# + r"\" + br##""#"## + "a\"
                    """sssssss""   ""s"   """""ss"""   "sss
             b" + b"c" + c"d";
            ss"   ""s"   ""s"
            'outer: loop { break 'outer; } #[a = "b"]
                                                 "s"
        "###]],
    );
}

#[test]
fn go() {
    check(
        Language::Go,
        "a := \"x\\\"\" + `raw \\ \"\n// no` + string('\\'') // c\n/* d */ b := '\"'",
        &expect![[r#"
            a := "x\"" + `raw \ "
                 "sss"   "sssssss
            // no` + string('\'') // c
            sssss"          "cc"  ----
            /* d */ b := '"'
            -------      "c"
        "#]],
    );
}

#[test]
fn java() {
    check(
        Language::Java,
        "String a = \"x\\\"\" + '\"' + \"\"\"\n  a \"b\" \\\"\"\" c\n  \"\"\"; // c\n/** doc */ int b;",
        &expect![[r#"
            String a = "x\"" + '"' + """
                       "sss"   "c"   """
              a "b" \""" c
            ssssssssssssss
              """; // c
            ss"""  ----
            /** doc */ int b;
            ==========
        "#]],
    );
}

#[test]
fn csharp() {
    check(
        Language::CSharp,
        "var a = @\"c:\\\" + @\"say \"\"hi\"\"\" + $\"x{f(\"y\")}{{no}}{d:hh':'mm}\" + '\\'';\n\
         var b = $@\"a{b}\\\" + \"\"\"raw \"x\" \\\"\"\" + $$\"\"\"a{no}{{yes}}\"\"\" + $\"{A::B}\"; // c\n\
         /// doc",
        &expect![[r#"
            var a = @"c:\" + @"say ""hi""" + $"x{f("y")}{{no}}{d:hh':'mm}" + '\'';
                    ""sss"   ""ssssssssss"   ""s"  "s" "ssssss" "sssssss""   "cc"
            var b = $@"a{b}\" + """raw "x" \""" + $$"""a{no}{{yes}}""" + $"{A::B}"; // c
                    """s" "s"   """sssssssss"""   """""sssss""   "s"""   """    ""  ----
            /// doc
            =======
        "#]],
    );
}

#[test]
fn c_family() {
    check(
        Language::Cpp,
        "#include \"a.h\" // c \\\n still c\n\
         auto a = R\"x(a)\" \\ )x\" + u8\"b\" + LR\"(c)\" + L'd'; int n = 1'000'000; char q = '\\'';\n\
         const char *s = \"a\\\nb\"; /* d */",
        &expect![[r##"
            #include "a.h" // c \
                     "sss" ------
             still c
            --------
            auto a = R"x(a)" \ )x" + u8"b" + LR"(c)" + L'd'; int n = 1'000'000; char q = '\'';
                     """"ssssss"""   """s"   """"s""   ""c"                              "cc"
            const char *s = "a\
                            "ss
            b"; /* d */
            s"  -------
        "##]],
    );
    check(
        Language::Objc,
        "NSString *a = @\"x\\\"\"; char c = 'y'; // c\n[a b:@'z'];",
        &expect![[r#"
            NSString *a = @"x\""; char c = 'y'; // c
                          ""sss"           "c"  ----
            [a b:@'z'];
                 ""c"
        "#]],
    );
}

#[test]
fn ruby() {
    check(
        Language::Ruby,
        "# c\na = 'it\\'s' + \"x#{f(\"}\")}\" + `ls #{d}` # e\n\
         b = <<~A + <<-'B'.strip # c\n  x #{y} 'z\n  A\n  #{no}\n  B\n\
         c = %w[a b(c)] + %q(a (b) c) + %r{a/#{b}}i; d = 10 % 3; e = x %y\n\
         f = /a'#{b}/ if g =~ /x\\//; h = i / j / k; puts /l'/; m = ?'; n = $'\n\
         class << self\n=begin\n'comment\n=end\nend",
        &expect![[r##"
            # c
            ---
            a = 'it\'s' + "x#{f("}")}" + `ls #{d}` # e
                "sssss"   "s""  "s" ""   "sss"" "" ---
            b = <<~A + <<-'B'.strip # c
                                    ---
              x #{y} 'z
            hhhh"" "hhh
              A
            """
              #{no}
            hhhhhhh
              B
            """
            c = %w[a b(c)] + %q(a (b) c) + %r{a/#{b}}i; d = 10 % 3; e = x %y
                """ssssss"   """sssssss"   """rr"" """
            f = /a'#{b}/ if g =~ /x\//; h = i / j / k; puts /l'/; m = ?'; n = $'
                "rr"" ""         "rrr"                      "rr"
            class << self
            =begin
            ------
            'comment
            --------
            =end
            ----
            end
        "##]],
    );
}

#[test]
fn bash() {
    check(
        Language::Bash,
        "# c\necho $# a#b 'it' \"x $y ${z:-\"d'\"} $(ls \"q\" | wc) `pwd`\" it\\'s # e\n\
         cat <<EOF | grep \"x\"\n a $b $(c \"d\") 'e\nEOF\n\
         cat <<-'X'\n\t$no\n\tX\n\
         a=$'b\\'c'; x=$((1 << 2)); cat <<< 'here'; y=${z#a}",
        &expect![[r##"
            # c
            ---
            echo $# a#b 'it' "x $y ${z:-"d'"} $(ls "q" | wc) `pwd`" it\'s # e
                        "ss" "ss" s""   "ss""s""   "s"     "s"   ""       ---
            cat <<EOF | grep "x"
                             "s"
             a $b $(c "d") 'e
            hhh" h""  "s""hhh
            EOF
            """
            cat <<-'X'
             $no
            hhhh
             X
            ""
            a=$'b\'c'; x=$((1 << 2)); cat <<< 'here'; y=${z#a}
              ""ssss"                         "ssss"
        "##]],
    );
}

#[test]
fn data_languages() {
    check(
        Language::Json,
        "{\n  // c\n  \"a\": \"http://b\", /* d */ \"e\\\"\": 1 }",
        &expect![[r#"
            {
              // c
              ----
              "a": "http://b", /* d */ "e\"": 1 }
              "s"  "ssssssss"  ------- "sss"
        "#]],
    );
    check(
        Language::Yaml,
        "# c\na: it's # d\nb: 'it''s' # e\nc: \"x\\\" # y\n  z\"\nd: http://x#y\ne: [ 'a', \"b\" ]\n\
         f: |\n  # text 'x\n\n  y\ng: !tag 'h'\n- run: >-\n    # text\n  # c\n- 'i'\n",
        &expect![[r##"
            # c
            ---
            a: it's # d
                    ---
            b: 'it''s' # e
               "sssss" ---
            c: "x\" # y
               "sssssss
              z"
            sss"
            d: http://x#y
            e: [ 'a', "b" ]
                 "s"  "s"
            f: |
              # text 'x

              y
            g: !tag 'h'
                    "s"
            - run: >-
                # text
              # c
              ---
            - 'i'
              "s"
        "##]],
    );
    check(
        Language::Toml,
        "a = \"x # y\" # c\nb = 'c:\\' # d\nc = \"\"\"\na \"b\" # x\n\"\"\"\"\nd = '''e'''",
        &expect![[r#"
            a = "x # y" # c
                "sssss" ---
            b = 'c:\' # d
                "sss" ---
            c = """
                """
            a "b" # x
            sssssssss
            """"
            """"
            d = '''e'''
                """s"""
        "#]],
    );
    check(
        Language::Css,
        "a { b: url(http://c); d: 'e' } /* f */ g::before { content: \"/*\" } // h",
        &expect![[r#"
            a { b: url(http://c); d: 'e' } /* f */ g::before { content: "/*" } // h
                                     "s"   -------                      "ss"
        "#]],
    );
}

#[test]
fn markup() {
    check(
        Language::Html,
        "<p a=\"b>\" c='d' e=f>It's <!-- x\n--> y</p><script a=\"b\">let s = \"x\" // <!-- </script>\n<!-- open",
        &expect![[r#"
            <p a="b>" c='d' e=f>It's <!-- x
                 "ss"   "s"          ------
            --> y</p><script a="b">let s = "x" // <!-- </script>
            ---                "s"
            <!-- open
            ---------
        "#]],
    );
    check(
        Language::Markdown,
        "It's `<!--` <!-- c\n--> d\n```html\n<!-- no\n```\n<!-- e -->",
        &expect![[r#"
            It's `<!--` <!-- c
                        ------
            --> d
            ---
            ```html
            <!-- no
            ```
            <!-- e -->
            ----------
        "#]],
    );
}

#[test]
fn a_view_shows_what_was_asked_for_in_its_place() {
    let text = "foo(`饼${eval(x)}干`); // 🍪 eval\r\nr = /ev/; /* a\n b */";
    let mask = Mask::new(Language::JavaScript, text);
    let views = [
        (MatchIn::Text, text),
        (
            MatchIn::Code,
            "foo(`   ${eval(x)}   `);             \r\nr = /  /;     \n     ",
        ),
        (
            MatchIn::Comments,
            "                         // 🍪 eval\r\n          /* a\n b */",
        ),
        (
            MatchIn::Strings,
            "     饼          干                \r\n              \n     ",
        ),
    ];
    for (match_in, expected) in views {
        assert_eq!(mask.view(text, match_in), expected, "{match_in:?}");
    }
    let plain = "foo(bar)";
    let mask = Mask::new(Language::JavaScript, plain);
    assert!(matches!(
        mask.view(plain, MatchIn::Code),
        Cow::Borrowed("foo(bar)")
    ));
}

#[test]
fn the_kind_at_an_offset() {
    let mask = Mask::new(Language::Go, "a(\"b\") // c");
    let kind = |offset| mask.at(offset).map(|span| span.kind);
    assert_eq!(kind(1), None);
    assert_eq!(kind(2), Some(MaskKind::String));
    assert_eq!(kind(4), Some(MaskKind::String));
    assert_eq!(kind(5), None);
    assert_eq!(kind(10), Some(MaskKind::LineComment));
    assert_eq!(kind(11), None);
}

#[test]
fn a_hash_belongs_to_one_literal() {
    let text = "#\"\"#\"饼\"# + #/a/#\"b\"";
    let mask = Mask::new(Language::Swift, text);
    let spans: Vec<_> = mask.spans.iter().map(|s| s.span.of(text)).collect();
    assert_eq!(spans, ["#\"\"#", "\"饼\"", "#/a/#", "\"b\""]);
}

/// Pieces of text that mean something to one lexer or another.
const PIECES: &[&str] = &[
    "\"",
    "'",
    "`",
    "\"\"\"",
    "'''",
    "/",
    "//",
    "/*",
    "*/",
    "#",
    "\\",
    "\n",
    "\r\n",
    "\r",
    " ",
    "\t",
    "{",
    "}",
    "${",
    "#{",
    "\\(",
    "(",
    ")",
    "[",
    "]",
    "$",
    "$x",
    "@\"",
    "$\"",
    "$$\"\"\"",
    "r#\"",
    "\"#",
    "R\"x(",
    ")x\"",
    "f\"",
    "rb'",
    "%w[",
    "%q(",
    "<<A",
    "<<~'A'",
    "A",
    "\nA\n",
    "<",
    ">",
    "<!--",
    "-->",
    "<script>",
    "</script>",
    "<a b=\"",
    "```",
    "~~~js",
    "- ",
    "|",
    ": ",
    ":",
    "=begin",
    "=end",
    "?",
    "!",
    "饼",
    "🍪",
    "e\u{301}",
    "\u{feff}",
    "if",
    "return",
    "x",
    "1",
    "'a",
    "=",
    "=>",
    "#/",
    "/#",
    "u8",
    "L'",
    "\0",
    "\u{2028}",
];

fn any_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        8 => prop::sample::select(PIECES).prop_map(str::to_owned),
        1 => "\\PC{1,3}",
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_gives_ordered_spans_and_views_of_its_shape(text in any_text()) {
        for &language in Language::all() {
            let mask = Mask::new(language, &text);
            let mut done = 0;
            for MaskSpan { span, inner, .. } in &mask.spans {
                prop_assert!(done <= span.start && span.start < span.end);
                prop_assert!(span.contains(*inner));
                for offset in [span.start, span.end, inner.start, inner.end] {
                    prop_assert!(text.is_char_boundary(offset), "{:?} {:?}", language, mask);
                }
                done = span.end;
            }
            prop_assert!(done <= text.len());
            for match_in in [MatchIn::Code, MatchIn::Text, MatchIn::Comments, MatchIn::Strings] {
                let view = mask.view(&text, match_in);
                prop_assert_eq!(view.len(), text.len());
                for (was, is) in text.bytes().zip(view.bytes()) {
                    prop_assert!(was == is || (is == b' ' && !matches!(was, b'\n' | b'\r')));
                }
            }
        }
    }

    #[test]
    fn lexing_goes_on_after_what_came_before(text in any_text()) {
        // A closed comment in front moves everything and changes nothing.
        for language in [Language::Java, Language::Rust, Language::Css, Language::CSharp] {
            if text.starts_with("#!") || text.starts_with('\u{feff}') {
                continue;
            }
            let alone = Mask::new(language, &text);
            let after = Mask::new(language, &format!("/**/\n{text}"));
            let moved: Vec<_> = after.spans.iter().skip(1).map(|s| (s.span, s.kind)).collect();
            let expected: Vec<_> =
                alone.spans.iter().map(|s| (s.span.shifted(5), s.kind)).collect();
            prop_assert_eq!(moved, expected);
        }
    }
}

/// Texts that would take forever if any place were looked at again and again.
#[test]
fn hostile_text_is_lexed_in_one_pass() {
    let pieces = [
        "(/[ ", "/", "<<A ", "#", "r#\"#", "\"", "'", "`${", "\\", "/*", "[", "x /", "!a ", "%(",
        "#/\n", "- |\n", "?'", "$\"{", "f'{", "<a '", "`` ` ", "R\"(", "\"\"\"\"", "x'", ") /",
    ];
    for piece in pieces {
        let text = piece.repeat(200_000 / piece.len());
        for &language in Language::all() {
            let mask = Mask::new(language, &text);
            assert!(mask.spans.len() <= text.len());
        }
    }
}
