// The settings of this extension and what of them the server gets to see.

import { workspace, type Uri, type WorkspaceConfiguration } from "vscode";

export const SECTION = "asd";

/** Settings that take effect only when the server is started anew. */
export const RESTART_SETTINGS = ["asd.path", "asd.logLevel"] as const;

/**
 * The server's settings, as it knows them. What a person has not set is left
 * out: a default sent from here would go over what the project decided.
 */
export interface ServerSettings {
  readonly guard: { readonly showUncertain?: boolean; readonly disabledRules?: readonly string[] };
  readonly recipesDirs?: readonly string[];
  /** Whether commands that a project names may be run. */
  readonly trusted: boolean;
  /** Asks for `asd/status`. */
  readonly statusNotifications: true;
}

/** The part of the settings that the server acts on. */
export function serverSettings(resource?: Uri): ServerSettings {
  const settings = workspace.getConfiguration(SECTION, resource);
  const showUncertain = isSet(settings, "guard.showUncertain")
    ? settings.get<boolean>("guard.showUncertain", false)
    : undefined;
  const disabledRules = settings.get<string[]>("guard.disabledRules", []);
  const recipesDirs = settings.get<string[]>("recipesDirs", []);
  return {
    guard: {
      ...(showUncertain === undefined ? {} : { showUncertain }),
      ...(disabledRules.length === 0 ? {} : { disabledRules }),
    },
    ...(recipesDirs.length === 0 ? {} : { recipesDirs }),
    trusted: workspace.isTrusted,
    statusNotifications: true,
  };
}

function isSet(settings: WorkspaceConfiguration, name: string): boolean {
  const found = settings.inspect(name);
  return (
    found !== undefined &&
    [found.globalValue, found.workspaceValue, found.workspaceFolderValue].some((value) => value !== undefined)
  );
}

export function configuredPath(): string | undefined {
  return workspace.getConfiguration(SECTION).get<string | null>("path") ?? undefined;
}

export function logLevel(): string {
  return workspace.getConfiguration(SECTION).get<string>("logLevel", "info");
}
