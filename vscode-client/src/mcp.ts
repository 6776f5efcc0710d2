// Offers the project's knowledge to the agents of VS Code: the same binary as a
// server of the Model Context Protocol.

import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";

import { EventEmitter, lm, McpStdioServerDefinition, Uri, workspace, type ExtensionContext } from "vscode";

import { serversToOffer, type Offer } from "./mcpServers.ts";
import { findServer } from "./server.ts";
import { formatVersion } from "./version.ts";

/** The id in the manifest. */
const PROVIDER = "alembic.mcp";

export interface McpServers {
  readonly changed: () => void;
  readonly dispose: () => void;
}

/** Registers the servers. `changed` says that another binary may be the one. */
export function registerMcpServers(context: ExtensionContext): McpServers {
  const emitter = new EventEmitter<void>();
  const registration = lm.registerMcpServerDefinitionProvider(PROVIDER, {
    onDidChangeMcpServerDefinitions: emitter.event,
    provideMcpServerDefinitions: async () => {
      const offers = serversToOffer(folders());
      if (offers.length === 0) {
        return [];
      }
      try {
        const server = await findServer(context);
        return offers.map((offer) => definition(offer, server.command, formatVersion(server.version)));
      } catch {
        // That there is no server is said by the language client already.
        return [];
      }
    },
  });
  const watch = workspace.onDidChangeWorkspaceFolders(() => {
    emitter.fire();
  });
  return {
    changed: () => {
      emitter.fire();
    },
    dispose: () => {
      watch.dispose();
      registration.dispose();
      emitter.dispose();
    },
  };
}

function folders() {
  return (workspace.workspaceFolders ?? [])
    .filter(({ uri }) => uri.scheme === "file")
    .map(({ name, uri }) => ({
      name,
      path: uri.fsPath,
      hasKnowledge: isFolder(join(uri.fsPath, "Alembic")),
      configuration: read(join(uri.fsPath, ".vscode", "mcp.json")),
    }));
}

function definition(offer: Offer, command: string, version: string): McpStdioServerDefinition {
  const server = new McpStdioServerDefinition(
    offer.label,
    command,
    ["mcp"],
    { ASD_PROJECT_DIR: offer.path },
    version,
  );
  server.cwd = Uri.file(offer.path);
  return server;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
