// The commands of the palette.

import { commands, env, l10n, version, window, workspace, type ExtensionContext, type LogOutputChannel } from "vscode";
import { ExecuteCommandRequest, type LanguageClient } from "vscode-languageclient/node";

import { newRecipe } from "./newRecipe.ts";
import { showPanorama } from "./panorama.ts";
import { pickRecipe } from "./recipePicker.ts";
import { SHOW_REFERENCES, showReferences } from "./references.ts";
import { formatReport } from "./report.ts";
import { extensionVersion, type Session } from "./session.ts";
import { logLevel, serverSettings } from "./settings.ts";
import type { StatusItem } from "./status.ts";
import { formatVersion } from "./version.ts";

export interface Surroundings {
  readonly context: ExtensionContext;
  readonly session: Session;
  readonly status: StatusItem;
  readonly output: LogOutputChannel;
}

export function registerCommands(surroundings: Surroundings): void {
  const { context, session, output } = surroundings;
  const register = (id: string, run: () => unknown): void => {
    context.subscriptions.push(commands.registerCommand(id, run));
  };
  register("alembic.restartServer", () => session.restart());
  register("alembic.showOutput", () => {
    output.show(true);
  });
  register("alembic.checkWorkspace", () => runOnServer(session, "asd.checkWorkspace"));
  register("alembic.reload", () => runOnServer(session, "asd.reload"));
  register("alembic.showStatus", () => runOnServer(session, "asd.showStatus"));
  register("alembic.setup", () => runOnServer(session, "asd.setup"));
  register("alembic.showRecipe", () => {
    withServer(session, pickRecipe);
  });
  register("alembic.newRecipe", () => newRecipe());
  register("alembic.panorama", () => showPanorama(session));
  register("alembic.report", () => showReport(surroundings));
  context.subscriptions.push(
    commands.registerCommand(SHOW_REFERENCES, (...args: unknown[]) => showReferences(session.running, args)),
  );
}

async function runOnServer(session: Session, command: string): Promise<void> {
  await withServer(session, async (client) => {
    try {
      await client.sendRequest(ExecuteCommandRequest.type, { command });
    } catch (error) {
      await window.showErrorMessage(l10n.t("Alembic: {0}", error instanceof Error ? error.message : String(error)));
    }
  });
}

function withServer<T>(session: Session, run: (client: LanguageClient) => T): T | undefined {
  const client = session.running;
  if (client !== undefined) {
    return run(client);
  }
  const restart = l10n.t("Restart Server");
  const show = l10n.t("Show Output");
  void window
    .showWarningMessage(l10n.t("The Alembic server is not running."), restart, show)
    .then((choice) =>
      choice === undefined
        ? undefined
        : commands.executeCommand(choice === restart ? "alembic.restartServer" : "alembic.showOutput"),
    );
  return undefined;
}

async function showReport({ context, session, status }: Surroundings): Promise<void> {
  const { server } = session;
  const content = formatReport({
    extension: extensionVersion(context),
    editor: `${env.appName} ${version}`,
    platform: `${process.platform} ${process.arch}`,
    trusted: workspace.isTrusted,
    folders: workspace.workspaceFolders?.length ?? 0,
    server:
      server === undefined
        ? undefined
        : { path: server.binary.path, source: server.binary.source, version: formatVersion(server.version) },
    running: session.running !== undefined,
    status: status.current,
    settings: { ...serverSettings(), logLevel: logLevel() },
  });
  await window.showTextDocument(await workspace.openTextDocument({ language: "markdown", content }));
}
