// What server and extension say to each other beyond the standard protocol.

import { NotificationType } from "vscode-languageclient/node";

export type ServerState = "starting" | "ready" | "indexing" | "warning" | "error";

/** Sent by the server whenever one of these facts changes. */
export interface StatusParams {
  readonly state: ServerState;
  /** Recipes that were loaded. */
  readonly recipes: number;
  /** Rules in force, built-in ones included. */
  readonly rules: number;
  /** Recipes and settings that have a problem. */
  readonly problems: number;
  readonly message?: string | null;
}

export const statusNotification = new NotificationType<StatusParams>("asd/status");
