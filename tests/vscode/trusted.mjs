// A trusted project: what a developer sees while writing code and recipes.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { until } from "./processes.mjs";

const COOKIE = "cookieJar.shared";

export const trustedTests = {
  fixture: () => join(import.meta.dirname, "fixture"),

  async prepare(surroundings) {
    const workspace = surroundings.project(this.fixture(), "project");
    const { editor, workbench } = await surroundings.editor("trusted", {
      workspace,
      settings: { "[typescript]": { "editor.codeActionsOnSave": { "source.fixAll.asd": "explicit" } } },
    });
    const disk = (path) => readFileSync(join(workspace, path), "utf8");
    return { ...surroundings, editor, workbench, workspace, disk };
  },

  tests: {
    async "a finding is underlined from its first to its last character, after wide characters"({ workbench }) {
      await workbench.openFile("src/session.ts");
      await workbench.expectUnderlined("session.ts", COOKIE, [0], 1, 60_000);
    },

    async "the hover says what is wrong, what to do instead, and shows the recipe"({ workbench }) {
      await workbench.openFile("src/session.ts");
      const place = await workbench.expectUnderlined("session.ts", COOKIE, [0]);
      const text = await workbench.hover(place, "不要直接使用共享的 CookieJar");
      for (const part of ["Do: 通过构造函数注入 CookieJar", "@cookie-di", "注入 CookieJar"]) {
        assert.ok(text.includes(part), `${part} in ${text}`);
      }
    },

    async "links in a recipe's text can run no command"({ workbench }) {
      await workbench.openFile("src/session.ts");
      const place = await workbench.expectUnderlined("session.ts", COOKIE, [0]);
      await workbench.hover(place, "点这里");
      const hover = workbench.page.locator(".monaco-hover");
      assert.equal(await hover.locator("[data-href^='command:'], [href^='command:'], img, script").count(), 0);
    },

    async "a quick fix changes the expression and nothing else"({ workbench }) {
      await workbench.openFile("src/orders.ts");
      await workbench.expectUnderlined("orders.ts", 'legacySend({ item, note: "legacySend()" })', [0]);
      await workbench.goTo(3, 5);
      await workbench.chooseAction("Fix: Call client.send");
      await until("the call is replaced", async () =>
        (await workbench.text("orders.ts")).includes('  client.send({ item, note: "legacySend()" });'),
      );
      await workbench.expectNothingUnderlined("orders.ts");
      assert.ok(await workbench.isDirty("orders.ts"), "the person decides when to save");
      await workbench.page.keyboard.press("Control+z");
      await workbench.expectUnderlined("orders.ts", 'legacySend({ item, note: "legacySend()" })', [0]);
      await workbench.page.keyboard.press("Control+Shift+z");
      await workbench.expectNothingUnderlined("orders.ts");
    },

    async "saving applies all safe fixes and leaves the rest"({ workbench, disk }) {
      await workbench.openFile("src/batch.ts");
      await workbench.expectUnderlined("batch.ts", COOKIE, [0], 5);
      await workbench.page.keyboard.press("Control+End");
      await workbench.page.keyboard.type("// 批量");
      await workbench.page.keyboard.press("Control+s");
      await until("the file is saved with its fixes", () => !disk("src/batch.ts").includes("legacySend"));
      assert.equal(
        disk("src/batch.ts"),
        [
          "export function batch(items: string[]) {",
          "  for (const item of items) {",
          "    client.send(item);   // keeps this comment",
          "  }",
          '  client.send("all", [',
          "    items.length,",
          "  ]);",
          "  return cookieJar.shared;",
          "}",
          "// 批量",
        ].join("\n"),
      );
      await workbench.expectUnderlined("batch.ts", COOKIE, [0]);
    },

    async "a recipe that is edited and not saved changes what is underlined in another file"({ workbench, disk }) {
      const recipe = "Alembic/recipes/network/cookie-di.md";
      const saved = disk(recipe);
      await workbench.openFile("src/session.ts");
      await workbench.page.keyboard.press("Control+\\");
      await workbench.openFile(recipe);
      const line = saved.split("\n").findIndex((text) => text.includes("pattern:")) + 1;
      await workbench.goTo(line, saved.split("\n")[line - 1].indexOf("'") + 2);
      await workbench.page.keyboard.press("Shift+End");
      await workbench.page.keyboard.type("jarOf\\.shared'");
      await workbench.expectUnderlined("session.ts", "jarOf.shared", [0]);
      assert.ok(await workbench.isDirty("cookie-di.md"));
      assert.equal(disk(recipe), saved, "nothing was written");
      await until("undo brings the old pattern back", async () => {
        await workbench.page.keyboard.press("Control+z");
        return !(await workbench.isDirty("cookie-di.md"));
      });
      await workbench.expectUnderlined("session.ts", COOKIE, [0]);
    },

    async "a pattern that is broken while it is typed is underlined in the recipe"({ workbench, disk }) {
      const recipe = disk("Alembic/recipes/network/cookie-di.md").split("\n");
      const line = recipe.findIndex((text) => text.includes("pattern:")) + 1;
      await workbench.goTo(line, recipe[line - 1].indexOf("'") + 2);
      await workbench.page.keyboard.press("Shift+End");
      await workbench.page.keyboard.type("jar(of'");
      await until("the recipe shows an error", async () =>
        (await workbench.editor("cookie-di.md").locator(".cdr.squiggly-error").count()) > 0,
      );
      await until("undo", async () => {
        await workbench.page.keyboard.press("Control+z");
        return !(await workbench.isDirty("cookie-di.md"));
      });
      await workbench.expectUnderlined("session.ts", COOKIE, [0]);
    },

    async "checking the workspace fills the Problems view with files that are not open"({ workbench }) {
      await workbench.run("Alembic: Check Workspace");
      await workbench.run("Problems: Focus on Problems View");
      const problems = workbench.page.locator(".markers-panel");
      await workbench.page.locator(".viewpane-filter input").first().fill("**/report.ts");
      await problems.locator(".monaco-list-row", { hasText: "report.ts" }).first().waitFor();
      const row = problems.locator(".monaco-list-row", { hasText: "[Ln 2, Col 1]" }).first();
      await row.waitFor();
      assert.match(await row.innerText(), /legacySend bypasses the client/u);
    },

    async "a restart replaces the server and ends with one, however often it is asked for"({ workbench, servers }) {
      const [before] = await until("one server runs", () => servers().length === 1 && servers());
      await workbench.run("Alembic: Restart Server");
      await workbench.run("Alembic: Restart Server");
      await until("another server runs, and only that", () => {
        const now = servers();
        return now.length === 1 && now[0] !== before;
      });
      // The underline may still be that of the server before; the answer to a
      // hover is the new one's.
      const place = await workbench.expectUnderlined("session.ts", COOKIE, [0]);
      await workbench.hover({ ...place, right: place.left + 30 }, "@cookie-di · rule");
    },

    async "a server that dies is started again"({ workbench, servers }) {
      const [before] = servers();
      process.kill(before, "SIGKILL");
      await until("another server runs, and only that", () => {
        const now = servers();
        return now.length === 1 && now[0] !== before;
      });
      const place = await workbench.expectUnderlined("session.ts", COOKIE, [0]);
      // The editor is narrow here: only the beginning of the text is in sight.
      await workbench.hover({ ...place, right: place.left + 30 }, "@cookie-di · rule");
    },

    async "a document that has no file yet is checked"({ workbench }) {
      await workbench.run("File: New Untitled Text File");
      await workbench.run("Change Language Mode");
      await workbench.pick("TypeScript");
      await workbench.page.keyboard.type("legacySend(1);");
      await workbench.expectUnderlined("Untitled-1", "legacySend(1)", [0]);
    },

    async "the report names the binary of the package and what was loaded"({ workbench, extensions }) {
      await workbench.run("Alembic: Report (Debug Information)");
      const text = await until("the report is open", async () => {
        const shown = await workbench.page.locator(".editor-group-container.active .view-lines").innerText();
        return shown.replaceAll("\u00a0", " ").includes("# Alembic: debug information") && shown.replaceAll("\u00a0", " ");
      });
      assert.match(text, /Server \| \d+\.\d+\.\d+ \(bundled\)/u);
      assert.match(text, /ready: 2 recipes/u);
      assert.ok(text.includes(extensions), text);
    },

    async "the lens over a guard opens the places that it finds"({ workbench }) {
      await workbench.openFile("Alembic/recipes/network/cookie-di.md");
      const lens = workbench.editor("cookie-di.md").locator(".codelens-decoration a", { hasText: "2 places in 2 files" });
      await lens.first().click();
      const peek = workbench.page.locator(".reference-zone-widget");
      for (const name of ["session.ts", "batch.ts"]) {
        await peek.locator(".monaco-list-row", { hasText: name }).first().waitFor();
      }
      await workbench.page.keyboard.press("Escape");
      await peek.waitFor({ state: "hidden" });
    },

    async "cells of a notebook are checked"({ workbench }) {
      await workbench.choose("Control+p", "tools/notes.ipynb", "notes.ipynb");
      await workbench.page.locator(".notebookOverlay .cdr.squiggly-warning").first().waitFor({ timeout: 20_000 });
    },

    async "a folder of recipes that the settings name takes effect at once, and leaves with the setting"({ workbench, workspace }) {
      await workbench.openFile("src/session.ts");
      const settings = join(workspace, ".vscode", "settings.json");
      mkdirSync(dirname(settings));
      writeFileSync(settings, JSON.stringify({ "asd.recipesDirs": [join(import.meta.dirname, "central")] }));
      await workbench.expectUnderlined("session.ts", "jarOf.shared", [0], 2);
      rmSync(settings);
      await workbench.expectUnderlined("session.ts", COOKIE, [0]);
    },

    async "a recipe is found by its Chinese title and opened"({ workbench }) {
      await workbench.run("Alembic: Show Recipe…");
      const widget = workbench.page.locator(".quick-input-widget");
      await widget.locator("input").first().fill("注入");
      await widget.locator(".monaco-list-row", { hasText: "cookie-di" }).first().click();
      await workbench.page.locator(".editor-group-container.active .tab.active", { hasText: "cookie-di.md" }).waitFor();
    },

    async "selected code becomes a recipe that takes effect when it is saved"({ workbench, workspace, disk }) {
      const path = "Alembic/recipes/general/no-jar-of.md";
      await workbench.openFile("src/session.ts");
      await workbench.goTo(3, 15);
      await workbench.page.keyboard.press("Shift+End");
      await workbench.run("Alembic: New Recipe");
      await workbench.answer("New Recipe (1/2): Title", "No JarOf");
      await workbench.answer("New Recipe (2/2): Trigger");
      const editor = workbench.editor("no-jar-of.md");
      await editor.locator(".view-line", { hasText: "jarOf.shared;" }).first().waitFor();
      assert.ok(!existsSync(join(workspace, path)), "nothing is written before the person saves");
      // The cursor goes from one thing to fill in to the next.
      for (const text of ["reading cookies", "Take a jar", "Use jarOf", "jarOf\\.shared"]) {
        await workbench.page.keyboard.type(text);
        await workbench.page.keyboard.press("Tab");
      }
      await workbench.page.keyboard.press("Escape");
      await workbench.page.keyboard.press("Control+s");
      await until("the recipe is saved", () => existsSync(join(workspace, path)) && disk(path) !== "");
      for (const line of ['trigger: "@no-jar-of"', "do: Take a jar", "    pattern: 'jarOf\\.shared'", "jarOf.shared;"]) {
        assert.ok(disk(path).split("\n").includes(line), `${line} in\n${disk(path)}`);
      }
      await workbench.expectUnderlined("session.ts", "jarOf.shared", [0], 2);
    },

    async "closing the window ends the server"({ workbench, editor, servers }) {
      await workbench.page.goto("about:blank");
      await editor.stop();
      await until("no server is left", () => servers().length === 0);
    },
  },
};
