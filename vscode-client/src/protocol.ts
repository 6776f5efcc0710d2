// What server and extension say to each other beyond the standard protocol.

import { NotificationType } from "vscode-languageclient/node";

/** `loading` while a folder is read for the first time. */
export type ServerState = "loading" | "ready" | "warning";

/** Sent by the server whenever one of these facts changes. */
export interface StatusParams {
  readonly state: ServerState;
  /** Recipes of all folders. */
  readonly recipes: number;
  /** Rules in force, built-in ones included. */
  readonly rules: number;
  /** Files of the projects' own knowledge that something is wrong with. */
  readonly problemFiles: number;
  /** Workspace folders. */
  readonly folders: number;
}

export const statusNotification = new NotificationType<StatusParams>("asd/status");
