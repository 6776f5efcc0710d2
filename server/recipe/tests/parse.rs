//! What a recipe file says, and what is wrong with it.

use asd_recipe::{
    AstGuard, ExampleKind, GuardKind, Home, Kind, Lifecycle, ParsedRecipe, ProblemCode, Recipe,
    RelationKind, Severity, parse,
};
use asd_text::apply_edits;
use expect_test::{Expect, expect};

fn read(text: &str) -> Recipe {
    parse(text, Home::Recipes).recipe.expect("a recipe")
}

/// Each problem with the text that it underlines and the title of its fix.
fn shown(text: &str, parsed: &ParsedRecipe) -> String {
    let mut out = String::new();
    for problem in &parsed.problems {
        out.push_str(&format!(
            "{} {} {:?}: {}\n",
            problem.severity.as_str(),
            problem.code.as_str(),
            problem.span.of(text),
            problem.message
        ));
        if let Some(fix) = &problem.fix {
            out.push_str(&format!("  fix: {}\n", fix.title));
        }
    }
    out
}

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&shown(text, &parse(text, Home::Recipes)));
}

/// The problems of a front matter, without those of missing fields.
fn check_fields(front: &str, expected: Expect) {
    let text = format!("---\n{front}---\n");
    let mut parsed = parse(&text, Home::Recipes);
    parsed
        .problems
        .retain(|problem| problem.code != ProblemCode::MissingField);
    expected.assert_eq(&shown(&text, &parsed));
}

const FULL: &str = include_str!("full.md");

#[test]
fn a_full_recipe_is_read_without_a_complaint() {
    check(FULL, expect![""]);
    let parsed = parse(FULL, Home::Recipes);
    let recipe = parsed.recipe.unwrap();
    assert_eq!(recipe.trigger, "@retry-queue-backoff");
    assert_eq!(recipe.kind, Kind::Rule);
    assert_eq!(
        recipe.reasoning.sources[0].to_string(),
        "src/net/retry.rs:10-48"
    );
    assert_eq!(
        recipe.reasoning.sources[0].span.of(FULL),
        "src/net/retry.rs:10-48"
    );
    assert_eq!(
        recipe.relations[&RelationKind::DependsOn][0].target,
        "@net-client-factory"
    );
    assert_eq!(
        recipe.relations[&RelationKind::DependsOn][0].span.of(FULL),
        "@net-client-factory"
    );
    assert_eq!(recipe.hash.as_deref(), Some("3f9a6c1be0d4487a"));
    assert_eq!(
        recipe.core_code.as_ref().unwrap().span.of(FULL),
        "queue.push(req, Attempts::new(3)).await?;"
    );
    let guard = &recipe.constraints.guards[0];
    assert_eq!(guard.id, "retry-queue-no-sleep-loop");
    assert_eq!(guard.severity, Severity::Error);
    assert_eq!(guard.languages, ["rust"]);
    assert_eq!(
        guard.spans.pattern.of(FULL),
        r"'loop\s*\{[^}]*thread::sleep'"
    );
    let start = guard.spans.pattern_text.unwrap();
    assert!(FULL[start..].starts_with(r"loop\s*"));
    assert_eq!(parsed.fields["reasoning.confidence"].value.of(FULL), "0.86");
    assert_eq!(parsed.fields["guards.0.severity"].key.of(FULL), "severity");
    let titles: Vec<&str> = parsed.sections.iter().map(|s| s.title.as_str()).collect();
    assert_eq!(
        titles,
        [
            "Description",
            "Rationale",
            "Core code",
            "Usage guide",
            "Steps"
        ]
    );
}

#[test]
fn a_minimal_recipe_works_with_one_warning() {
    let text = "---\ntrigger: \"@no-eval\"\ntitle: No eval\ndo: Use JSON.parse\nguards:\n  - pattern: 'eval\\('\n---\n";
    check(
        text,
        expect![[r#"
            warning missing-field "---": To be complete, this recipe also needs the fields `knowledgeType`, `language`, `category`, `description`, `when`, `dont`, `reasoning.whyStandard`, `reasoning.sources` and the sections `## Description`, `## Rationale`, `## Core code`, `## Usage guide`. It should also have `dimensionId`, `topicHint`.
              fix: Add what is missing
        "#]],
    );
    let recipe = read(text);
    let guard = &recipe.constraints.guards[0];
    assert_eq!(guard.id, "no-eval");
    assert_eq!(guard.message, "No eval");
    assert_eq!(guard.fix_suggestion, "Use JSON.parse");
    assert_eq!(guard.severity, Severity::Warning);
    assert!(guard.languages.is_empty());
    assert_eq!(recipe.kind, Kind::Rule);
    assert_eq!(recipe.lifecycle, Lifecycle::Active);
    assert_eq!(
        parse(text, Home::Candidates).recipe.unwrap().lifecycle,
        Lifecycle::Pending
    );
}

#[test]
fn unknown_and_double_keys_are_named() {
    check_fields(
        "title: T\ntrigger: \"@t\"\ntilte: U\nowner: me\nguards:\n  - pattern: x\n    sevrity: error\n    note: 1\ntitle: V\nwhen: a\nwhenClause: b\nreasoning:\n  why_standard: w\n  confidence: 2\n  soruces: [a/b.rs]\n",
        expect![[r#"
            warning unknown-key "tilte": `tilte` is not a key of a recipe. Did you mean `title`?
            info unknown-key "owner": `owner` is not a key of a recipe. It is kept but has no effect.
            warning unknown-key "sevrity": `sevrity` is not a key of a guard. Did you mean `severity`?
              fix: Change to `severity`
            info unknown-key "note": `note` is not a key of a guard. It is kept but has no effect.
            error duplicate-key "title": `title` is here twice; the first one counts. Remove one of them.
              fix: Remove this `title`
            error duplicate-key "whenClause": `whenClause` means the same as `when` above, which counts. Remove one of them.
              fix: Remove this `whenClause`
            warning invalid-value "2": `confidence` must lie between 0 and 1, not 2.
            warning unknown-key "soruces": `soruces` is not a key of `reasoning`. Did you mean `sources`?
              fix: Change to `sources`
        "#]],
    );
}

#[test]
fn values_of_the_wrong_type_are_named() {
    check_fields(
        "title: 404\ntrigger: \"@t\"\ntags: a, b\nincludeHeaders: yes\nheaders: {a: 1}\ndo: [a]\ncreatedAt: yesterday\nreasoning: text\nguards: 'eval'\n",
        expect![[r#"
            warning wrong-type "404": `title` must be text, but without quotes this is a number.
              fix: Put it in quotes
            warning wrong-type "a, b": `tags` must be a list: `[…]`.
              fix: Make it a list
            warning wrong-type "yes": `includeHeaders` must be `true` or `false`.
              fix: Change to `true`
            warning wrong-type "{a: 1}": `headers` must be a list of texts, but this is a mapping.
            warning wrong-type "[a]": `do` must be text, but this is a list.
            warning wrong-type "yesterday": `createdAt` must be a time in Unix seconds, but this is text.
            warning wrong-type "text": `reasoning` must be a mapping, but this is text.
            error wrong-type "'eval'": A guard must be a mapping with `pattern`, `ast`, `rule` or `astQuery`, but this is text.
              fix: Make it a `pattern`
        "#]],
    );
}

#[test]
fn values_that_are_not_permitted_get_the_nearest_one() {
    check_fields(
        "title: T\ntrigger: \"@t\"\nkind: ruel\nlifecycle: activ\nscope: project_specific\nlanguage: Ruby on Rails\ncategory: network\nlifecycleHistory: [{from: draft, to: published, at: 1}, {from: x}]\nguards:\n  - pattern: x\n    severity: warn\n    flags: ig\n    matchIn: comment\n    languages: [javscript, all]\n",
        expect![[r#"
            error invalid-value "ruel": `kind` cannot be `ruel`. Use one of `rule`, `pattern`, `fact`.
              fix: Change to `rule`
            error invalid-value "activ": `lifecycle` cannot be `activ`. Use one of `pending`, `staging`, `active`, `evolving`, `decaying`, `deprecated`.
              fix: Change to `active`
            warning invalid-value "project_specific": `scope` cannot be `project_specific`. Use one of `universal`, `project-specific`, `language-specific`, `team-convention`.
              fix: Change to `project-specific`
            warning invalid-value "Ruby on Rails": `language` names `Ruby on Rails`, which is not a language that is checked. Known are all, objc, swift, javascript, typescript, python, java, kotlin, go, dart, rust, c, cpp, csharp, ruby, html, css, vue, svelte, markdown, bash, json, yaml, toml.
            warning invalid-value "network": `category` cannot be `network`. Did you mean `Network`?
              fix: Change to `Network`
            warning wrong-type "{from: x}": A move in `lifecycleHistory` has `from`, `to` (lifecycle states) and `at` (Unix seconds). This one is left out.
            warning invalid-value "warn": `severity` cannot be `warn`. Use one of `info`, `warning`, `error`.
              fix: Change to `warning`
            warning invalid-value "ig": `flags` cannot be `ig`. It takes the letters i, m, s, x and u.
              fix: Change to `i`
            warning invalid-value "comment": `matchIn` cannot be `comment`. Use one of `code`, `text`, `comments`, `strings`.
              fix: Change to `comments`
            warning invalid-value "javscript": `languages` names `javscript`, which is not a language that is checked. Did you mean `javascript`?
              fix: Change to `javascript`
        "#]],
    );
}

#[test]
fn triggers_that_are_not_kebab_case_are_kept() {
    check_fields(
        "title: T\ntrigger: \"@NetMonitor\"\n",
        expect![[r#"
        warning trigger-form "\"@NetMonitor\"": A trigger is `@` and lower-case words with `-` between them, for example `@net-monitor`.
          fix: Change to `@net-monitor`
    "#]],
    );
    check_fields(
        "title: T\ntrigger: RetryQueue Backoff\n",
        expect![[r#"
        warning trigger-form "RetryQueue Backoff": A trigger is `@` and lower-case words with `-` between them, for example `@retry-queue-backoff`.
          fix: Change to `@retry-queue-backoff`
    "#]],
    );
    check_fields(
        "title: T\ntrigger: \"@../../etc\"\n",
        expect![[r#"
        error hostile-file "\"@../../etc\"": A trigger must not hold `/`, `\` or `..`: it names the recipe's file.
          fix: Change to `@etc`
    "#]],
    );
    assert_eq!(
        read("---\ntrigger: \"@NetMonitor\"\n---\n").trigger,
        "@NetMonitor"
    );
    assert_eq!(read("---\ntrigger: net\n---\n").trigger, "@net");
}

#[test]
fn guards_need_exactly_one_way_to_match() {
    check_fields(
        "title: T\ntrigger: \"@t\"\nguards:\n  - id: none\n  - pattern: a\n    ast: b\n  - type: ast\n    pattern: c\n  - astQuery: {type: mustCallThrough, targetAPI: x}\n  - astQuery: {type: mustNotUseInContext, pattern: x, forbiddenContext: asink}\n  - rule: kind\n  - pattern: ''\n  - id: two words\n    ast: $A\n    flags: i\n  - id: two words\n    ast: $A\n",
        expect![[r#"
            error guard "id": This guard has nothing to match. Give it a `pattern` (a regular expression) or an `ast` (a code pattern).
            error guard "ast": This guard has two ways to match, `pattern` and `ast`. Make two guards of it, or remove one.
            error guard "ast": A guard of type `ast` needs `ast`, `rule` or `astQuery`; a `pattern` is a regular expression. Change the type or the key.
              fix: Change to `regex`
            error guard "astQuery": `mustCallThrough` needs `wrapperClass`.
            error invalid-value "asink": `forbiddenContext` cannot be `asink`. Use `async`, `loop`, `constructor`, `destructor`, `test`, `class:<glob>` or `function:<glob>`.
              fix: Change to `async`
            error guard "kind": `rule` must be an ast-grep rule object, for example `pattern: …` or `kind: …` on lines of its own.
            error guard "''": `pattern` is empty, so this guard has nothing to match.
            warning invalid-value "two words": A guard id must have no blanks and no commas, or suppression comments cannot name it.
            info guard "flags": `flags` has no effect here: it belongs to a `pattern`.
            warning invalid-value "two words": A guard id must have no blanks and no commas, or suppression comments cannot name it.
            error duplicate-id "two words": Another guard of this recipe has the id `two words`. Give each its own.
        "#]],
    );
    // The ones that are right are in force, each under the number of its place.
    let ids: Vec<String> =
        read("---\ntrigger: \"@t\"\nguards:\n  - id: none\n  - pattern: a\n  - ast: $A.b\n---\n")
            .constraints
            .guards
            .into_iter()
            .map(|guard| guard.id)
            .collect();
    assert_eq!(ids, ["t-2", "t-3"]);
}

#[test]
fn guards_are_read_in_every_form() {
    let recipe = read(
        "---\ntrigger: \"@t\"\nlanguage: Objective-C\nconstraints:\n  boundaries: [b]\n  guards:\n    - pattern: 'a\\n'\n      fix_suggestion: f\n      fix: '$1'\n      exclude_paths: ['**/x']\n      language: ts\n    - ast: $A.shared\n      fix: {kind: insert_before, template: x, safe: true}\n      constraints:\n        A: {regex: '^U'}\n    - rule:\n        any: [{pattern: a}, {pattern: b}]\n    - ast_query: {type: mustCallThrough, target_api: A, wrapper_class: B}\n    - astQuery: {type: mustNotUseInContext, pattern: A, forbiddenContext: 'class:*View'}\n    - astQuery: {type: mustConformToProtocol, className: '*VM', protocolName: P}\n    - astQuery: {type: query, query: '(a) @x', capture: '@x'}\n      languages: [all]\n---\n",
    );
    let guards = &recipe.constraints.guards;
    assert_eq!(recipe.constraints.boundaries, ["b"]);
    assert!(matches!(
        &guards[0].kind,
        GuardKind::Regex {
            multiline: true,
            ..
        }
    ));
    assert_eq!(guards[0].languages, ["typescript"]);
    assert_eq!(guards[1].languages, ["objc"]);
    assert!(guards[6].languages.is_empty());
    assert!(matches!(
        &guards[1].kind,
        GuardKind::Ast(AstGuard::Rule {
            constraints: Some(_),
            ..
        })
    ));
    let kinds: Vec<String> = guards
        .iter()
        .map(|guard| serde_json::to_string(&(&guard.kind, &guard.fix)).unwrap())
        .collect();
    expect![[r#"
        [{"type":"regex","pattern":"a\\n","flags":"","matchIn":"code","multiline":true},{"kind":"replace","template":"$1","safe":false}]
        [{"type":"ast","form":"rule","rule":{"pattern":"$A.shared"},"constraints":{"A":{"regex":"^U"}},"utils":null},{"kind":"insert_before","template":"x","safe":true}]
        [{"type":"ast","form":"rule","rule":{"any":[{"pattern":"a"},{"pattern":"b"}]},"constraints":null,"utils":null},null]
        [{"type":"ast","form":"mustCallThrough","targetApi":"A","wrapperClass":"B"},null]
        [{"type":"ast","form":"mustNotUseInContext","pattern":"A","forbiddenContext":"class:*View"},null]
        [{"type":"ast","form":"mustConformToProtocol","className":"*VM","protocolName":"P"},null]
        [{"type":"ast","form":"query","query":"(a) @x","capture":"x"},null]"#]].assert_eq(&kinds.join("\n"));
}

#[test]
fn broken_yaml_hides_no_other_field() {
    let text = "---\ntitle: Colon: inside\ntrigger: @net\ntags: [a, b\nguards:\n  - id: good\n    pattern: 'x'\n  - id: broken\n    pattern: \"\\d+\"\n  - id: more\n    ast: $A\ndo: it\n---\n## Description\n";
    let mut parsed = parse(text, Home::Recipes);
    parsed
        .problems
        .retain(|problem| problem.code == ProblemCode::FrontMatter);
    expect![[r#"
        error front-matter "Colon: inside": A plain value cannot hold `: `. Put it in quotes.
          fix: Put it in quotes
        error front-matter "@net": A value cannot begin with `@` in YAML. Put it in quotes.
          fix: Put it in quotes
        error front-matter "[a, b": A value that begins with `[` must be a complete YAML list or mapping. Close it, or put the value in quotes if it is text.
          fix: Put it in quotes
        error front-matter "\"\\d+\"": This quoted text is not valid YAML. Inside double quotes `\` begins an escape; write `\\`, or use single quotes.
          fix: Put it in quotes
    "#]].assert_eq(&shown(text, &parsed));
    let recipe = parsed.recipe.unwrap();
    assert_eq!(recipe.trigger, "@net");
    assert_eq!(recipe.do_clause, "it");
    assert_eq!(recipe.constraints.guards.len(), 3);

    let edits: Vec<_> = parsed
        .problems
        .into_iter()
        .filter_map(|p| p.fix)
        .flat_map(|f| f.edits)
        .collect();
    let mended = apply_edits(text, &edits).unwrap();
    let left = parse(&mended, Home::Recipes);
    assert!(
        left.problems
            .iter()
            .all(|p| p.code != ProblemCode::FrontMatter),
        "{mended}"
    );
}

#[test]
fn a_file_without_front_matter_is_told_how_to_begin() {
    check(
        "# Notes\n",
        expect![[r##"
        error front-matter "# Notes": A recipe begins with its front matter: a line `---`, then `key: value` lines, then a line `---`.
          fix: Add a front matter
    "##]],
    );
    check(
        "",
        expect![[r#"
        error front-matter "": A recipe begins with its front matter: a line `---`, then `key: value` lines, then a line `---`.
          fix: Add a front matter
    "#]],
    );
    check(
        "---\n- a\n---\n",
        expect![[r#"
            error front-matter "- a": The front matter must be `key: value` lines, but this is a list.
        "#]],
    );
    let unclosed = "---\ntrigger: \"@t\"\ntitle: T\n## Description\n";
    let parsed = parse(unclosed, Home::Recipes);
    assert_eq!(parsed.recipe.unwrap().title, "T");
    assert_eq!(parsed.problems[0].code, ProblemCode::FrontMatter);
}

#[test]
fn hostile_files_are_refused() {
    let bomb = {
        let mut text = "---\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for i in 1..9 {
            let ten = vec![format!("*a{}", i - 1); 10].join(", ");
            text.push_str(&format!("a{i}: &a{i} [{ten}]\n"));
        }
        text + "---\n"
    };
    let large = format!("---\ntitle: T\n---\n{}", "x".repeat(1_000_001));
    let deep = format!("---\na: {}{}\n---\n", "[".repeat(40), "]".repeat(40));
    let deeper = format!("---\na: {}\n---\n", "[".repeat(400_000));
    for text in [
        bomb.as_str(),
        &large,
        &deep,
        &deeper,
        "---\ntitle: a\0b\n---\n",
        "---\ntitle: a\u{1b}[31m\n---\n",
    ] {
        let parsed = parse(text, Home::Recipes);
        assert!(parsed.recipe.is_none());
        let [problem] = &parsed.problems[..] else {
            panic!("{:?}", parsed.problems)
        };
        assert_eq!(problem.code, ProblemCode::Hostile);
        assert_eq!(problem.severity, Severity::Error);
    }
    check_fields(
        "title: T\ntrigger: \"@t\"\nreasoning:\n  sources: ['../../etc/passwd', 'src\\a.rs', /abs, 'C:\\x']\n",
        expect![[r#"
        error hostile-file "'../../etc/passwd'": The source `../../etc/passwd` leads out of the project. Name a path below the project's root, with `/`.
        warning invalid-value "'src\\a.rs'": Write paths with `/`, so that they work on every system.
          fix: Change to `src/a.rs`
        error hostile-file "/abs": The source `/abs` leads out of the project. Name a path below the project's root, with `/`.
        error hostile-file "'C:\\x'": The source `C:\x` leads out of the project. Name a path below the project's root, with `/`.
    "#]],
    );
}

#[test]
fn content_of_poor_quality_is_named() {
    let long = "字".repeat(50);
    let text = format!(
        "---\ntitle: Singleton 模式\ntrigger: \"@t\"\nkind: rule\nknowledgeType: call-chain\ndescription: {}\ndo: {long}\nreasoning:\n  sources: [a.rs]\n---\nSee Foo.swift\n## Core code\n```swift\n}} else {{\n```\n",
        "d".repeat(81)
    );
    let mut parsed = parse(&text, Home::Recipes);
    parsed
        .problems
        .retain(|problem| problem.code == ProblemCode::Quality);
    expect![[r#"
        warning quality "Singleton 模式": This title is the name of a textbook pattern. Name the type, module or API of the project that it is about.
        warning quality "rule": The knowledge type `call-chain` is usually a `fact`, but `kind` says `rule`. The stated kind counts.
          fix: Change the kind to `fact`
        warning quality "ddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd": This description has 81 characters; at most 80 are permitted.
        warning quality "字字字字字字字字字字字字字字字字字字字字字字字字字字字字字字字字字字字字字字字字字字字字字字字字字字": This `do` clause has about 65 tokens; at most 60 are permitted. Move details to the usage guide.
        warning quality "a.rs": No source names a folder. Give paths from the root of the project.
        warning quality "See Foo.swift": The description shows neither code nor a file of the project. Add a code block or a path such as `src/net/retry.rs`.
        warning quality "See Foo.swift": The description has 13 characters; a published recipe has at least 200.
        warning quality "} else {": This code cannot be copied as it stands: it begins with `}`.
    "#]].assert_eq(&shown(&text, &parsed));
}

#[test]
fn the_older_form_is_imported() {
    let text = "---\nid: x1\ntitle: Old one\ntrigger: @old-one\nlifecycle: published\n_content: {\"markdown\":\"M 🍪 \\ud83c\\udf6a\",\"rationale\":\"R\",\"steps\":[\"one\",{\"title\":\"two\"}]}\n_relations: [{\"type\":\"dependsOn\",\"target\":\"@other\"},{\"target\":\"x1\"}]\n_constraints: {\"guards\":[{\"id\":\"g\",\"pattern\":\"a\\\\.b\",\"severity\":\"error\"}]}\n_reasoning: '{\"whyStandard\":\"w\",\"sources\":[\"src/a.rs:3\"],\"confidence\":0.9}'\n_quality: {\"overall\":0.5}\n_stats: {\"views\":3}\n_contentHash: abc\n---\n";
    let parsed = parse(text, Home::Recipes);
    let recipe = parsed.recipe.unwrap();
    assert_eq!(recipe.lifecycle, Lifecycle::Active);
    assert_eq!(recipe.content.markdown, "M 🍪 🍪");
    assert_eq!(recipe.content.steps.len(), 2);
    assert_eq!(
        recipe.relations[&RelationKind::DependsOn][0].target,
        "@other"
    );
    assert_eq!(recipe.relations.len(), 1, "a relation to itself is dropped");
    assert_eq!(recipe.reasoning.sources[0].lines, Some((3, 3)));
    assert_eq!(recipe.reasoning.confidence, Some(0.9));
    assert_eq!(recipe.extra["quality"]["overall"], 0.5);
    assert!(recipe.hash.is_none());
    let GuardKind::Regex { pattern, .. } = &recipe.constraints.guards[0].kind else {
        panic!()
    };
    assert_eq!(pattern, r"a\.b");
}

#[test]
fn the_kind_follows_from_the_knowledge_type_and_the_guards() {
    let kind = |front: &str| read(&format!("---\n{front}---\n")).kind;
    assert_eq!(kind("knowledgeType: call-chain\n"), Kind::Fact);
    assert_eq!(kind("knowledge_type: anti-pattern\n"), Kind::Pattern);
    assert_eq!(kind("knowledgeType: code-style\nkind: fact\n"), Kind::Fact);
    assert_eq!(kind("guards: [{pattern: a}]\n"), Kind::Rule);
    assert_eq!(
        kind("knowledgeType: solution\nguards: [{pattern: a}]\n"),
        Kind::Pattern
    );
    assert_eq!(kind("title: T\n"), Kind::Pattern);
}

#[test]
fn prohibitions_are_stored_without_their_dont() {
    for (written, stored) in [
        ("Don't loop", "loop"),
        ("DO NOT loop", "loop"),
        ("never never loop", "loop"),
        ("Neverland", "Neverland"),
        ("不要循环", "不要循环"),
        ("Don't", "Don't"),
    ] {
        assert_eq!(
            read(&format!("---\ndont: {written}\n---\n")).dont_clause,
            stored
        );
    }
}

#[test]
fn places_are_bytes_under_every_line_ending() {
    let text = "---\ntitle: 缓存 🍪\ntrigger: \"@c\"\nguards:\n  - pattern: '饼干\\.x'\n    severity: warn # 🍪\n---\n## 说明\n```swift bad\nlet 🍪 = 饼干.x\n```\n";
    for ending in ["\n", "\r\n", "\r"] {
        for bom in ["", "\u{feff}"] {
            let text = format!("{bom}{}", text.replace('\n', ending));
            let parsed = parse(&text, Home::Recipes);
            let problem = parsed
                .problems
                .iter()
                .find(|problem| problem.code == ProblemCode::InvalidValue)
                .unwrap();
            assert_eq!(problem.span.of(&text), "warn");
            let recipe = parsed.recipe.unwrap();
            assert_eq!(recipe.title, "缓存 🍪");
            let spans = &recipe.constraints.guards[0].spans;
            assert_eq!(spans.pattern.of(&text), r"'饼干\.x'");
            assert!(text[spans.pattern_text.unwrap()..].starts_with(r"饼干\.x"));
            assert_eq!(parsed.examples[0].kind, ExampleKind::Bad);
            assert_eq!(parsed.examples[0].span.of(&text), "let 🍪 = 饼干.x");
            assert_eq!(parsed.sections[0].title, "说明");
        }
    }
}

#[test]
fn a_pattern_is_found_in_the_file_unless_escapes_hide_it() {
    let at = |value: &str| {
        let text = format!("---\nguards:\n  - pattern: {value}\n---\n");
        let recipe = read(&text);
        let guard = &recipe.constraints.guards[0];
        let GuardKind::Regex { pattern, .. } = &guard.kind else {
            panic!()
        };
        guard
            .spans
            .pattern_text
            .map(|at| text[at..].starts_with(pattern.as_str()))
    };
    assert_eq!(at("plain"), Some(true));
    assert_eq!(at("'single'"), Some(true));
    assert_eq!(at("\"double\""), Some(true));
    assert_eq!(at("|-\n      block\\d"), Some(true));
    assert_eq!(at("|\n      block\\d"), Some(true));
    assert_eq!(at("'it''s'"), None);
    assert_eq!(at("\"a\\\\d\""), None);
    assert_eq!(at(">-\n      folded\n      twice"), None);
}

#[test]
fn what_is_missing_is_added_as_lines_to_fill() {
    let text =
        "---\r\ntrigger: \"@no-eval\"\r\ntitle: No eval\r\ndo: Use JSON.parse\r\n---\r\nText\r\n";
    let parsed = parse(text, Home::Recipes);
    let fix = parsed
        .problems
        .iter()
        .find(|problem| problem.code == ProblemCode::MissingField)
        .and_then(|problem| problem.fix.clone())
        .unwrap();
    let filled = apply_edits(text, &fix.edits).unwrap();
    assert!(!filled.replace("\r\n", "").contains(['\r', '\n']));
    expect![[r#"
        ---
        trigger: "@no-eval"
        title: No eval
        do: Use JSON.parse
        kind: # rule | pattern | fact
        knowledgeType: # code-standard | code-style | best-practice | boundary-constraint | code-pattern | architecture | solution | anti-pattern | code-relation | inheritance | call-chain | data-flow | module-dependency | dev-document
        language: # The language of the code that it is about, or `all`
        category: # The area of the code: one of the listed ones or a dimension id
        dimensionId: # The dimension of the project's knowledge that it belongs to
        topicHint: # networking | ui | data | architecture | conventions
        description: # One sentence, at most 80 characters
        when: # The situation in which the recipe applies, 15 to 50 characters
        dont: # What not to do, without a leading "Don't"
        reasoning:
          whyStandard: # Why this is the standard here
          sources: [] # Where it was seen: project-relative paths, with `:line` or `:first-last`
        ---
        Text

        ## Rationale

        ## Core code
        ```
        ```

        ## Usage guide
    "#]].assert_eq(&filled.replace("\r\n", "\n"));
    let after = parse(&filled, Home::Recipes);
    assert!(after.problems.iter().all(|p| p.severity < Severity::Error));
    // The fields and sections are there now, so they are not added once more.
    let again = after
        .problems
        .iter()
        .find(|problem| problem.code == ProblemCode::MissingField)
        .unwrap();
    assert_eq!(again.fix, None);
}
