// The architecture of a project as a picture in an editor of its own.

import { execFile } from "node:child_process";

import { ColorThemeKind, l10n, ProgressLocation, ViewColumn, window, workspace, type WorkspaceFolder } from "vscode";

import { themed } from "./panoramaPage.ts";
import type { Session } from "./session.ts";

/** A picture of a project is small; a page that is larger is none. */
const MAX_BYTES = 16 * 1024 * 1024;
const PATIENCE_MS = 120_000;

export async function showPanorama(session: Session): Promise<void> {
  const folder = await folderToShow();
  if (folder === undefined) {
    return;
  }
  const asd = session.server?.binary.path;
  if (asd === undefined) {
    await window.showWarningMessage(l10n.t("The Alembic server is not running."));
    return;
  }
  try {
    const page = await window.withProgress(
      { location: ProgressLocation.Notification, title: l10n.t("Alembic: reading the project's code") },
      () => drawn(asd, folder.uri.fsPath),
    );
    const panel = window.createWebviewPanel(
      "alembic.panorama",
      l10n.t("Architecture: {0}", folder.name),
      window.activeTextEditor === undefined ? ViewColumn.Active : ViewColumn.Beside,
      { enableScripts: true, localResourceRoots: [], retainContextWhenHidden: true },
    );
    const show = (): void => {
      panel.webview.html = themed(page, isDark());
    };
    const themes = window.onDidChangeActiveColorTheme(show);
    panel.onDidDispose(() => {
      themes.dispose();
    });
    show();
  } catch (error) {
    await window.showErrorMessage(l10n.t("Alembic: {0}", error instanceof Error ? error.message : String(error)));
  }
}

function isDark(): boolean {
  const { kind } = window.activeColorTheme;
  return kind === ColorThemeKind.Dark || kind === ColorThemeKind.HighContrast;
}

async function folderToShow(): Promise<WorkspaceFolder | undefined> {
  const folders = workspace.workspaceFolders ?? [];
  const active = window.activeTextEditor?.document.uri;
  const around = active === undefined ? undefined : workspace.getWorkspaceFolder(active);
  if (around !== undefined || folders.length < 2) {
    return around ?? folders[0];
  }
  return window.showWorkspaceFolderPick();
}

function drawn(asd: string, folder: string): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(
      asd,
      ["panorama", "--format", "html", "--project", folder],
      { maxBuffer: MAX_BYTES, timeout: PATIENCE_MS, windowsHide: true },
      (error, stdout, stderr) => {
        if (error === null) {
          resolve(stdout);
        } else {
          const said = stderr.trim();
          reject(new Error(said === "" ? error.message : said));
        }
      },
    );
  });
}
