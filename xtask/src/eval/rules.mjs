// Prints the rules of ESLint and of the plugins beside this script's working
// folder as one JSON array of {source, name, summary, text, language}.
import { createRequire } from "node:module";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const require = createRequire(join(process.cwd(), "package.json"));
const plain = (text) => (typeof text === "string" ? text : "");
const found = [];

function add(source, name, meta, language) {
  const messages = Object.values(meta?.messages ?? {}).map(plain);
  const summary = plain(meta?.docs?.description);
  if (summary) found.push({ source, name, summary, text: messages.join("\n"), language });
}

const { builtinRules } = require("eslint/use-at-your-own-risk");
for (const [name, rule] of builtinRules) add("eslint", name, rule.meta, "javascript");

const plugins = [
  ["unicorn", "eslint-plugin-unicorn", "javascript"],
  ["vue", "eslint-plugin-vue", "vue"],
  ["react", "eslint-plugin-react", "javascript"],
  ["jsx-a11y", "eslint-plugin-jsx-a11y", "javascript"],
  ["n", "eslint-plugin-n", "javascript"],
  ["promise", "eslint-plugin-promise", "javascript"],
  ["import", "eslint-plugin-import", "javascript"],
  ["ts", "@typescript-eslint/eslint-plugin", "typescript"],
];
for (const [source, name, language] of plugins) {
  const module = await import(require.resolve(name));
  const plugin = module.default ?? module;
  for (const [rule, body] of Object.entries(plugin.rules)) add(source, rule, body.meta, language);
}

const docs = join(process.cwd(), "node_modules/eslint-plugin-sonarjs/docs");
for (const file of readdirSync(docs).sort()) {
  const lines = readFileSync(join(docs, file), "utf8").split("\n");
  const summary = lines.find((line) => line.startsWith("📝"))?.slice(2).trim();
  const text = lines.slice(3).filter((line) => !/^[<#❌💼🔧⚠️]/u.test(line));
  const name = file.replace(/\.md$/, "");
  if (summary) found.push({ source: "sonarjs", name, summary, text: text.join("\n"), language: "javascript" });
}

const stylelint = (await import(require.resolve("stylelint"))).default;
for (const [name, rule] of Object.entries(stylelint.rules)) {
  const { messages = {} } = await rule;
  const text = Object.values(messages).map((message) => {
    try {
      return plain(typeof message === "function" ? message("…", "…", "…") : message);
    } catch {
      return "";
    }
  });
  found.push({ source: "stylelint", name, summary: name.replaceAll("-", " "), text: text.join("\n"), language: "css" });
}
process.stdout.write(JSON.stringify(found));
