// A project that nobody trusts yet, and what changes when they do.

import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { until } from "./processes.mjs";

export const restrictedTests = {
  fixture: () => join(import.meta.dirname, "fixture"),

  async prepare(surroundings) {
    const workspace = surroundings.project(this.fixture(), "unknown");
    const mark = join(surroundings.folder, "was-run");
    const program = join(workspace, "tools", "asd");
    writeFileSync(program, `#!/bin/sh\necho run >> '${mark}'\necho 'asd 0.1.0'\n`);
    chmodSync(program, 0o755);
    writeFileSync(join(workspace, "src", "stop.ts"), "debugger;\n");
    mkdirSync(join(workspace, ".vscode"));
    writeFileSync(join(workspace, ".vscode", "settings.json"), JSON.stringify({ "asd.path": "${workspaceFolder}/tools/asd" }));
    const { editor, workbench } = await surroundings.editor("restricted", {
      workspace,
      args: [],
      settings: {
        "security.workspace.trust.enabled": true,
        "security.workspace.trust.startupPrompt": "never",
        "security.workspace.trust.banner": "never",
      },
    });
    return { ...surroundings, editor, workbench, workspace, mark, program };
  },

  tests: {
    async "a program that the project names is not run before the project is trusted"({ workbench, mark }) {
      // Only the built-in rules check here: the project's own recipes wait for
      // trust.
      await workbench.openFile("src/stop.ts");
      await workbench.expectUnderlined("stop.ts", "debugger;", [0], 1, 60_000);
      await workbench.openFile("src/session.ts");
      await workbench.expectUnderlined("session.ts", "cookieJar.shared", []);
      assert.ok(!existsSync(mark), "the program of the project was run");
    },

    async "it is run once the project is trusted, and its failure is one message"({ workbench, mark }) {
      await workbench.run("Workspaces: Manage Workspace Trust");
      await workbench.page.locator(".workspace-trust-editor .workspace-trust-buttons-row a", { hasText: "Trust" }).first().click();
      await until("the program of the project is run", () => existsSync(mark) && readFileSync(mark, "utf8").includes("run"));
      await until("the failure is shown", async () => (await workbench.notifications()).length > 0);
      await workbench.settle();
      const shown = await workbench.notifications();
      assert.equal(shown.length, 1, shown.join("\n"));
    },

    async "a path that cannot be executed gives one error that says so, and a correction helps"({ workbench, workspace, program }) {
      chmodSync(program, 0o644);
      // Another spelling of the setting, so that the editor sees a change.
      const settings = join(workspace, ".vscode", "settings.json");
      writeFileSync(settings, JSON.stringify({ "asd.path": program }));
      const errors = () =>
        workbench.notifications().then((texts) => texts.filter((text) => text.includes(`${program}, which cannot be executed`)));
      await until("the error is shown", async () => (await errors()).length > 0);
      await workbench.run("Alembic: Show Output");
      assert.equal((await errors()).length, 1, "one error");
      rmSync(settings);
      await workbench.expectUnderlined("session.ts", "cookieJar.shared", [0]);
    },
  },
};
