// Where VS Code enters.

import { window, workspace, type ExtensionContext } from "vscode";

import { registerCommands } from "./commands.ts";
import { registerMcpServers } from "./mcp.ts";
import { Session } from "./session.ts";
import { RESTART_SETTINGS, SECTION } from "./settings.ts";
import { StatusItem } from "./status.ts";
import { TraceChannel } from "./trace.ts";

/** One act of a person can be several events: trust changes settings too. */
const RESTART_DELAY_MS = 200;

let session: Session | undefined;

export function activate(context: ExtensionContext): void {
  const output = window.createOutputChannel("Alembic", { log: true });
  const trace = new TraceChannel();
  const status = new StatusItem();
  const own = new Session(context, output, trace, status);
  session = own;
  context.subscriptions.push(output, trace, status);
  let timer: NodeJS.Timeout | undefined;
  const restartSoon = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      void own.restart();
      servers.changed();
    }, RESTART_DELAY_MS);
  };
  const servers = registerMcpServers(context);
  registerCommands({ context, session: own, status, output });
  context.subscriptions.push(
    servers,
    workspace.onDidChangeConfiguration((event) => {
      if (RESTART_SETTINGS.some((setting) => event.affectsConfiguration(setting))) {
        restartSoon();
      } else if (event.affectsConfiguration(SECTION)) {
        void own.sendSettings();
      }
    }),
    // From now on the person's own binary and the project's commands may run.
    workspace.onDidGrantWorkspaceTrust(restartSoon),
    {
      dispose: () => {
        clearTimeout(timer);
      },
    },
  );
  // Not awaited: an editor that opens must not wait for a server that starts.
  void own.restart();
}

export async function deactivate(): Promise<void> {
  await session?.stop();
  session = undefined;
}
