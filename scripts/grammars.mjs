// Writes the TextMate grammars in syntaxes/: `node scripts/grammars.mjs`.
// With --check it only says whether the files are what this script would write.
//
// Recipe files stay Markdown: both grammars are injections, so everything that
// an editor does for Markdown and for the languages in its fences still works.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const folder = join(import.meta.dirname, "..", "syntaxes");

// The languages whose fenced blocks can be examples: what the info string may
// say, the grammar, and the scope by which VS Code knows the language inside.
const FENCES = [
  ["bash|sh|shell|shellscript|zsh", "source.shell", "shellscript"],
  ["c|h", "source.c", "c"],
  ["cpp|c\\+\\+|cxx", "source.cpp", "cpp"],
  ["csharp|cs|c#", "source.cs", "csharp"],
  ["css", "source.css", "css"],
  ["dart", "source.dart", "dart"],
  ["go|golang", "source.go", "go"],
  ["html|htm", "text.html.basic", "html"],
  ["java", "source.java", "java"],
  ["javascript|js", "source.js", "javascript"],
  ["jsx|javascriptreact", "source.js.jsx", "javascriptreact"],
  ["json", "source.json", "json"],
  ["kotlin|kt", "source.kotlin", "kotlin"],
  ["objc|objective-c|objectivec|obj-c", "source.objc", "objc"],
  ["python|py", "source.python", "python"],
  ["ruby|rb", "source.ruby", "ruby"],
  ["rust|rs", "source.rust", "rust"],
  ["svelte", "source.svelte", "svelte"],
  ["swift", "source.swift", "swift"],
  ["toml", "source.toml", "toml"],
  ["tsx|typescriptreact", "source.tsx", "typescriptreact"],
  ["typescript|ts", "source.ts", "typescript"],
  ["vue", "source.vue", "vue"],
  ["yaml|yml", "source.yaml", "yaml"],
];

// A trigger in running text needs a hyphen: `@param` or `@Override` is none,
// neither is a mail address or the scope of a package (`@scope-name/package`).
const MENTION = {
  name: "entity.name.tag.trigger.alembic",
  match: "(?<![0-9A-Za-z_@./`-])@[a-z0-9]+(?:-[a-z0-9]+)+(?![0-9A-Za-z_/-])",
};

/** A fenced block that is a test of its own recipe. */
function exampleFence([names, grammar, language]) {
  return {
    name: "markup.fenced_code.block.markdown",
    begin: `(^|\\G)(\\s*)(\`{3,}|~{3,})\\s*((?i:${names}))\\s+((?:bad|good|fixed)\\b)([^\`]*)$`,
    end: "(^|\\G)(\\2|\\s{0,3})(\\3)\\s*$",
    beginCaptures: {
      3: { name: "punctuation.definition.markdown" },
      4: { name: "fenced_code.block.language.markdown" },
      5: { name: "fenced_code.block.language.attributes.markdown keyword.other.example.alembic" },
      6: {
        name: "fenced_code.block.language.attributes.markdown",
        patterns: [{ include: "#example-attribute" }],
      },
    },
    endCaptures: { 3: { name: "punctuation.definition.markdown" } },
    patterns: [
      {
        begin: "(^|\\G)(\\s*)(.*)",
        while: "(^|\\G)(?!\\s*([`~]{3,})\\s*$)",
        contentName: `meta.embedded.block.${language}`,
        patterns: [{ include: grammar }],
      },
    ],
  };
}

/**
 * The value of a front-matter key, matched where the value begins. Nothing else
 * of the line is taken, so the YAML grammar keeps its place. Lookbehind must
 * have a fixed length, hence the two spellings with one and two blanks.
 */
function valueOf(keys, name, include) {
  const after = (quote) =>
    `(?:${keys.flatMap((key) => [`(?<=[\\s{,]${key}: ${quote})`, `(?<=[\\s{,]${key}:  ${quote})`]).join("|")})`;
  const inner = { name, patterns: [{ include }] };
  return [
    { match: `${after("'")}((?:[^']|'')+)`, captures: { 1: inner } },
    { match: `${after('"')}((?:[^"\\\\]|\\\\.)+)`, captures: { 1: inner } },
    { match: `${after("")}([^\\s'"|>#&*!{\\[].*?)(?=\\s+#|\\s*$)`, captures: { 1: inner } },
  ];
}

const recipe = {
  name: "Alembic recipe",
  scopeName: "markdown.alembic-recipe",
  // Injections hold inside of captures too; without the exclusions a value
  // would be found again in itself, for ever.
  injectionSelector:
    "L:meta.embedded.block.frontmatter -string.regexp.alembic -string.template.alembic, L:text.html.markdown -markup.fenced_code -markup.inline.raw -meta.embedded",
  patterns: [{ include: "#front-matter" }, { include: "#example" }, { include: "#mention" }],
  repository: {
    "front-matter": {
      patterns: [
        ...valueOf(["pattern", "excludeLine"], "string.regexp.alembic", "#regexp"),
        ...valueOf(["fix", "template", "ast"], "string.template.alembic", "#metavariable"),
      ],
    },
    example: { patterns: FENCES.map(exampleFence) },
    "example-attribute": {
      match: "\\b(guard)(=)(\\S+)",
      captures: {
        1: { name: "entity.other.attribute-name.alembic" },
        2: { name: "punctuation.separator.key-value.alembic" },
        3: { name: "string.unquoted.alembic" },
      },
    },
    mention: MENTION,
    metavariable: {
      name: "variable.other.metavariable.alembic",
      match: "\\$\\{\\w+\\}|\\$\\$\\$\\w*|\\$[A-Z_][A-Z0-9_]*|\\$[0-9]",
    },
    regexp: {
      patterns: [
        { name: "keyword.other.back-reference.regexp", match: "\\\\(?:[1-9]|k<\\w+>)" },
        { name: "keyword.control.anchor.regexp", match: "\\\\[bBAzZG]|[$^]" },
        {
          name: "constant.other.character-class.regexp",
          match: "\\\\(?:[dDwWsShHvVNR]|[pP](?:\\{[^}]*\\}|[A-Z]))|\\.",
        },
        {
          name: "constant.character.numeric.regexp",
          match: "\\\\(?:x[0-9a-fA-F]{2}|x\\{[0-9a-fA-F]+\\}|u[0-9a-fA-F]{4}|u\\{[0-9a-fA-F]+\\}|U[0-9a-fA-F]{8})",
        },
        { name: "constant.character.escape.backslash.regexp", match: "\\\\." },
        { name: "keyword.operator.quantifier.regexp", match: "(?:[*+?]|\\{\\d+(?:,\\d*)?\\})[?+]?" },
        { name: "keyword.operator.or.regexp", match: "\\|" },
        {
          match: "(\\()(\\?(?:P?(<)(\\w+)(>)|[:=!>|]|<[=!]|[imsuxRU-]+:?))?",
          captures: {
            1: { name: "punctuation.definition.group.regexp" },
            2: { name: "punctuation.definition.group.assertion.regexp" },
            4: { name: "variable.other.regexp" },
          },
        },
        { name: "punctuation.definition.group.regexp", match: "\\)" },
        {
          name: "constant.other.character-class.set.regexp",
          begin: "(\\[)(\\^)?",
          end: "\\]|$",
          beginCaptures: {
            1: { name: "punctuation.definition.character-class.regexp" },
            2: { name: "keyword.operator.negation.regexp" },
          },
          endCaptures: { 0: { name: "punctuation.definition.character-class.regexp" } },
          patterns: [
            { name: "constant.other.character-class.posix.regexp", match: "\\[:\\^?\\w+:\\]" },
            { name: "constant.character.escape.backslash.regexp", match: "\\\\." },
            { match: "[^\\]\\\\]" },
          ],
        },
      ],
    },
  },
};

const directives = {
  name: "Alembic directives",
  scopeName: "comment.alembic-directive",
  injectionSelector: "L:comment",
  patterns: [{ include: "#directive" }, { include: "#suppression" }, { include: "#mention" }],
  repository: {
    directive: {
      match: "(?<=//|#|--)\\s*(@?as:(?:search|create|audit|agent|s|c|a))(?:\\s+(.*))?$",
      captures: {
        1: { name: "keyword.control.directive.alembic" },
        2: { name: "string.unquoted.directive.alembic" },
      },
    },
    suppression: {
      match: "\\b(asd:ignore(?:-file)?)(?:\\s+([\\w@*-]+(?:\\s*,\\s*[\\w@*-]+)*?))?(?=\\s*(?:$|--|\\*/|-->|\\s))",
      captures: {
        1: { name: "keyword.control.suppression.alembic" },
        2: { name: "entity.name.tag.rule.alembic" },
      },
    },
    mention: MENTION,
  },
};

// In these languages the grammar takes a comment in one match and leaves no room
// for an injection. A comment that holds something of ours is matched here,
// before the language's own rule; all others stay with that.
const COMMENTS_IN_ONE_MATCH = ["source.rust", "source.dart", "source.cs", "source.shell"];
const OURS = "(?=.*(?:@?as:[a-z]|\\basd:ignore|@[a-z0-9]+-))";

const commentLines = {
  name: "Alembic directives in comments of one match",
  scopeName: "comment-line.alembic-directive",
  injectionSelector: COMMENTS_IN_ONE_MATCH.map((scope) => `L:${scope} -comment -string`).join(", "),
  patterns: [
    ["(//)", "comment.line.double-slash.alembic"],
    ["(?:(?<!\\S)|\\s+)(#)", "comment.line.number-sign.alembic"],
  ].map(([start, name]) => ({
    name,
    match: `${start}${OURS}(.*)$`,
    captures: {
      1: { name: "punctuation.definition.comment.alembic" },
      2: { patterns: [{ include: "comment.alembic-directive" }] },
    },
  })),
};

const files = { "recipe.tmLanguage.json": recipe, "directives.tmLanguage.json": directives, "comment-lines.tmLanguage.json": commentLines };
const stale = [];
for (const [name, grammar] of Object.entries(files)) {
  const path = join(folder, name);
  const text = `${JSON.stringify(grammar, undefined, 2)}\n`;
  if (!process.argv.includes("--check")) {
    writeFileSync(path, text);
  } else if (readFileSync(path, "utf8") !== text) {
    stale.push(name);
  }
}
if (stale.length > 0) {
  console.error(`${stale.join(", ")} in syntaxes/ is out of date; run node scripts/grammars.mjs`);
  process.exitCode = 1;
}
