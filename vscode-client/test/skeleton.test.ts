import assert from "node:assert/strict";
import { suite, test } from "node:test";

import { isTrigger, recipeLanguage, recipePath, recipeSnippet, suggestTrigger } from "../src/skeleton.ts";

suite("a new recipe", () => {
  test("gets its trigger from the Latin words of the title", () => {
    assert.equal(suggestTrigger("Use NetClient for requests"), "@use-net-client-for-requests");
    assert.equal(suggestTrigger("Café: no sleep!"), "@cafe-no-sleep");
    assert.equal(suggestTrigger("网络请求统一走 NetClient"), "@net-client");
    assert.equal(suggestTrigger("网络请求"), "");
    assert.ok(isTrigger(suggestTrigger("word ".repeat(50))));
  });

  test("accepts kebab-case triggers only", () => {
    for (const good of ["@ab", "@net-client", "@a1-b2"]) {
      assert.ok(isTrigger(good), good);
    }
    for (const bad of ["", "@", "@a", "net-client", "@Net", "@a--b", "@a-", "@网络", `@${"a".repeat(60)}`]) {
      assert.ok(!isTrigger(bad), bad);
    }
  });

  test("is named by its trigger", () => {
    assert.equal(recipePath("@net-client"), "Alembic/recipes/general/net-client.md");
  });

  test("uses the recipe spelling of the editor's languages", () => {
    assert.equal(recipeLanguage("typescriptreact"), "typescript");
    assert.equal(recipeLanguage("objective-cpp"), "objc");
    assert.equal(recipeLanguage("swift"), "swift");
    assert.equal(recipeLanguage("plaintext"), "all");
    assert.equal(recipeLanguage(undefined), "all");
  });

  test("takes a selection as it is, whatever a snippet would make of it", () => {
    const snippet = recipeSnippet({
      title: 'Say "hi"',
      trigger: "@say-hi",
      language: "typescript",
      example: "const s = `${name} $1 \\n`;",
    });
    assert.ok(snippet.includes("```typescript bad\nconst s = `\\${name\\} \\$1 \\\\n`;\n```"), snippet);
    assert.ok(snippet.startsWith('---\ntitle: "Say \\\\"hi\\\\""\ntrigger: "@say-hi"\n'), snippet);
  });
});
