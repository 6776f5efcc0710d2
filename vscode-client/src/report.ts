// The text that a person can put into a bug report. Pure.

import type { StatusParams } from "./protocol.ts";

export interface ReportFacts {
  readonly extension: string;
  readonly editor: string;
  readonly platform: string;
  readonly trusted: boolean;
  readonly folders: number;
  readonly server: { readonly path: string; readonly source: string; readonly version: string } | undefined;
  readonly running: boolean;
  readonly status: StatusParams | undefined;
  readonly settings: unknown;
}

/** Markdown without any name of a file or folder of the workspace. */
export function formatReport(facts: ReportFacts): string {
  const { server, status } = facts;
  const rows: (readonly [string, string])[] = [
    ["Extension", facts.extension],
    ["Editor", facts.editor],
    ["Platform", facts.platform],
    ["Workspace", `${String(facts.folders)} folders, ${facts.trusted ? "trusted" : "not trusted"}`],
    ["Server", server === undefined ? "none" : `${server.version} (${server.source})`],
    ["Binary", server === undefined ? "none" : server.path],
    ["Running", facts.running ? "yes" : "no"],
  ];
  if (status !== undefined) {
    rows.push([
      "Status",
      `${status.state}: ${String(status.recipes)} recipes, ${String(status.rules)} rules, ${String(status.problemFiles)} files with problems`,
    ]);
  }
  return [
    "# Alembic: debug information",
    "",
    "| | |",
    "| --- | --- |",
    ...rows.map(([name, value]) => `| ${name} | ${value.replaceAll("|", "\\|")} |`),
    "",
    "## Settings",
    "",
    "```json",
    JSON.stringify(facts.settings, undefined, 2),
    "```",
    "",
  ].join("\n");
}
