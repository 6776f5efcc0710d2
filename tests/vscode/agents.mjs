// What VS Code offers its agents. Chat itself is switched off in code-server;
// the list of servers, and starting one, are not.

import assert from "node:assert/strict";
import { join } from "node:path";

import { processesWith, until } from "./processes.mjs";

export const agentsTests = {
  fixture: () => join(import.meta.dirname, "fixture"),

  async prepare(surroundings) {
    const workspace = surroundings.project(this.fixture(), "agents");
    const { editor, workbench } = await surroundings.editor("agents", {
      workspace,
      settings: { "chat.disableAIFeatures": false },
    });
    return { ...surroundings, editor, workbench, workspace };
  },

  tests: {
    async "the project's server is in the list of servers, and starts when it is chosen"({ workbench, workspace }) {
      await workbench.openFile("src/session.ts");
      await workbench.expectUnderlined("session.ts", "cookieJar.shared", [0], 1, 60_000);
      const ours = () => processesWith(join(workspace, "..", "extensions"), "mcp");
      assert.deepEqual(ours(), []);
      await workbench.run("MCP: List Servers");
      const row = (text) => workbench.page.locator(".quick-input-widget .monaco-list-row", { hasText: text }).first();
      await row("Alembic").click();
      await row("Start Server").click();
      await until("the server runs", () => ours().length === 1, 30_000);
    },
  },
};
