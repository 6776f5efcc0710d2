import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite, test } from "node:test";

import { LANGUAGES } from "../src/languages.ts";

declare const REPOSITORY: string;

interface Manifest {
  readonly engines: { readonly vscode: string };
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly activationEvents: readonly string[];
  readonly capabilities: { readonly untrustedWorkspaces: { readonly restrictedConfigurations: readonly string[] } };
  readonly contributes: {
    readonly commands: readonly { readonly command: string }[];
    readonly mcpServerDefinitionProviders: readonly { readonly id: string }[];
    readonly configuration: { readonly properties: Readonly<Record<string, { readonly scope: string }>> };
    readonly grammars: readonly { readonly path: string; readonly scopeName: string }[];
    readonly walkthroughs: readonly {
      readonly steps: readonly { readonly media: { readonly markdown: string } }[];
    }[];
  };
}

const text = (path: string) => readFileSync(join(REPOSITORY, path), "utf8");
const json = (path: string): unknown => JSON.parse(text(path));
const manifest = json("package.json") as Manifest;
const sources = readdirSync(join(REPOSITORY, "vscode-client", "src"))
  .map((name) => text(`vscode-client/src/${name}`))
  .join("\n");

function sorted(values: Iterable<string>): string[] {
  return [...new Set(values)].sort();
}

function all(pattern: RegExp, source: string): string[] {
  return [...source.matchAll(pattern)].map((match) => match[1] ?? "");
}

suite("the manifest and the code agree", () => {
  test("every command that is offered is registered, and the other way round", () => {
    assert.deepEqual(
      sorted(all(/register\("(alembic\.\w+)"/gu, sources)),
      sorted(manifest.contributes.commands.map(({ command }) => command)),
    );
  });

  test("the provider of servers for agents is the one of the manifest", () => {
    assert.deepEqual(
      all(/PROVIDER = "([\w.]+)"/gu, sources),
      manifest.contributes.mcpServerDefinitionProviders.map(({ id }) => id),
    );
  });

  test("every setting that is read exists", () => {
    const read = all(/\.get(?:<[^>]+>)?\("([\w.]+)"/gu, sources).map((name) => `asd.${name}`);
    assert.deepEqual(sorted(read), sorted(Object.keys(manifest.contributes.configuration.properties)));
  });

  test("settings that lead to programs or foreign folders are restricted to trusted workspaces", () => {
    assert.deepEqual(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations, ["asd.path", "asd.recipesDirs"]);
    assert.equal(manifest.contributes.configuration.properties["asd.path"]?.scope, "machine-overridable");
  });

  test("the extension wakes up for every programming language that the server is told about", () => {
    // Files of these kinds are in every project; there the folder decides.
    const prose = ["markdown", "json", "jsonc", "yaml", "toml"];
    assert.deepEqual(
      sorted(manifest.activationEvents),
      sorted([
        ...LANGUAGES.filter((language) => !prose.includes(language)).map((language) => `onLanguage:${language}`),
        "workspaceContains:Alembic/**",
      ]),
    );
  });

  test("types are those of the oldest editor that is supported", () => {
    assert.equal(`^${manifest.devDependencies["@types/vscode"] ?? ""}`, manifest.engines.vscode);
  });

  test("grammars and pictures exist", () => {
    const { grammars, walkthroughs } = manifest.contributes;
    for (const { path, scopeName } of grammars) {
      assert.equal((json(path) as { scopeName: string }).scopeName, scopeName);
    }
    for (const { media } of walkthroughs.flatMap(({ steps }) => steps)) {
      assert.ok(existsSync(join(REPOSITORY, media.markdown)), media.markdown);
    }
  });
});

suite("every text is there in English and in Chinese", () => {
  test("texts of the manifest", () => {
    const used = sorted(all(/"%([\w.]+)%"/gu, text("package.json")));
    assert.deepEqual(sorted(Object.keys(json("package.nls.json") as object)), used);
    assert.deepEqual(sorted(Object.keys(json("package.nls.zh-cn.json") as object)), used);
  });

  test("texts of the code, with the same placeholders", () => {
    const used = all(/l10n\.t\(\s*"((?:[^"\\]|\\.)*)"/gu, sources);
    const chinese = json("vscode-client/l10n/bundle.l10n.zh-cn.json") as Record<string, string>;
    assert.deepEqual(sorted(Object.keys(chinese)), sorted(used));
    for (const [english, translation] of Object.entries(chinese)) {
      assert.deepEqual(sorted(all(/\{(\d)\}/gu, translation)), sorted(all(/\{(\d)\}/gu, english)), english);
    }
  });
});
