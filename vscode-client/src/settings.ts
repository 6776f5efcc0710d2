// The settings of this extension and what of them the server gets to see.

import { workspace, type Uri } from "vscode";

export const SECTION = "asd";

/** Settings that take effect only when the server is started anew. */
export const RESTART_SETTINGS = ["asd.path", "asd.logLevel"] as const;

/** The server's settings, as it knows them. */
export interface ServerSettings {
  readonly guard: { readonly showUncertain: boolean };
  /** Left out when empty. */
  readonly recipesDirs?: readonly string[];
  /** Whether commands that a project names may be run. */
  readonly trusted: boolean;
  /** Asks for `asd/status`. */
  readonly statusNotifications: true;
}

/** The part of the settings that the server acts on. */
export function serverSettings(resource?: Uri): ServerSettings {
  const settings = workspace.getConfiguration(SECTION, resource);
  const recipesDirs = settings.get<string[]>("recipesDirs", []);
  return {
    guard: { showUncertain: settings.get<boolean>("guard.showUncertain", false) },
    ...(recipesDirs.length > 0 ? { recipesDirs } : {}),
    trusted: workspace.isTrusted,
    statusNotifications: true,
  };
}

export function configuredPath(): string | undefined {
  return workspace.getConfiguration(SECTION).get<string | null>("path") ?? undefined;
}

export function logLevel(): string {
  return workspace.getConfiguration(SECTION).get<string>("logLevel", "info");
}
