// Where this client differs from what the library does by itself.

import { Uri } from "vscode";
import {
  type ClientCapabilities,
  type FeatureState,
  type LanguageClient,
  type Middleware,
  type StaticFeature,
} from "vscode-languageclient/node";

import { SHOW_REFERENCES, showReferences } from "./references.ts";
import { SECTION, serverSettings } from "./settings.ts";

/** Tells the server what this client can do beyond the standard. */
export const extraCapabilities: StaticFeature = {
  fillClientCapabilities(capabilities: ClientCapabilities): void {
    const known: unknown = capabilities.experimental;
    capabilities.experimental = {
      ...(typeof known === "object" && known !== null ? known : {}),
      asdStatus: true,
      commands: [SHOW_REFERENCES],
    };
  },
  initialize(): void {
    // Nothing to set up: the capabilities are all.
  },
  getState(): FeatureState {
    return { kind: "static" };
  },
  clear(): void {
    // Nothing was set up.
  },
};

/**
 * The server asks for its settings, or is told them, in the same shape. Both
 * hold what only the editor knows (whether the workspace is trusted) and
 * neither holds what is the extension's own business (paths, tracing).
 */
export function middleware(client: () => LanguageClient | undefined): Middleware {
  return {
    workspace: {
      configuration: async (params, token, next) => {
        const answers = await next(params, token);
        if (!Array.isArray(answers)) {
          return answers;
        }
        return answers.map((answer: unknown, index) => {
          const item = params.items[index];
          return item?.section === SECTION
            ? serverSettings(item.scopeUri === undefined ? undefined : Uri.parse(item.scopeUri))
            : answer;
        });
      },
      // Changes are sent by the session, whether the server registers for them
      // or not; a second notification would only repeat the first.
      didChangeConfiguration: () => Promise.resolve(),
    },
    executeCommand: (command, args, next) =>
      command === SHOW_REFERENCES ? showReferences(client(), args) : (next(command, args) as unknown),
  };
}
