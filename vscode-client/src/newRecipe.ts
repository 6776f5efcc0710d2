import { l10n, SnippetString, Uri, window, workspace, type WorkspaceFolder } from "vscode";

import { isTrigger, recipePath, recipeSnippet, suggestTrigger } from "./skeleton.ts";

/**
 * Opens a new recipe that is written to the disk only when the person saves it.
 * Selected code becomes the example of what breaks the convention.
 */
export async function newRecipe(): Promise<void> {
  const folder = await chooseFolder();
  if (folder === undefined) {
    return;
  }
  const source = window.activeTextEditor;
  const title = await window.showInputBox({
    title: l10n.t("New Recipe (1/2): Title"),
    prompt: l10n.t("The convention in a few words, with the name of the type or module it is about"),
    validateInput: (value) => (value.trim() === "" ? l10n.t("A recipe needs a title.") : undefined),
  });
  if (title === undefined) {
    return;
  }
  const trigger = await window.showInputBox({
    title: l10n.t("New Recipe (2/2): Trigger"),
    prompt: l10n.t("The unique name by which comments and other recipes mention it"),
    value: suggestTrigger(title),
    placeHolder: "@net-client",
    validateInput: (value) =>
      isTrigger(value)
        ? undefined
        : l10n.t("A trigger is @ followed by lower-case words joined by hyphens, at most 60 characters."),
  });
  if (trigger === undefined) {
    return;
  }
  const file = Uri.joinPath(folder.uri, recipePath(trigger));
  if (await exists(file)) {
    await window.showTextDocument(file);
    return;
  }
  const document = await workspace.openTextDocument(file.with({ scheme: "untitled" }));
  const editor = await window.showTextDocument(document);
  await editor.insertSnippet(
    new SnippetString(
      recipeSnippet({
        title: title.trim(),
        trigger,
        language: source?.document.languageId,
        example: source === undefined ? "" : source.document.getText(source.selection),
      }),
    ),
  );
}

async function chooseFolder(): Promise<WorkspaceFolder | undefined> {
  const folders = workspace.workspaceFolders ?? [];
  if (folders.length === 0) {
    await window.showWarningMessage(l10n.t("Open a folder first: recipes are files of a project."));
    return undefined;
  }
  const active = window.activeTextEditor;
  const own = active === undefined ? undefined : workspace.getWorkspaceFolder(active.document.uri);
  return own ?? (folders.length === 1 ? folders[0] : await window.showWorkspaceFolderPick());
}

async function exists(file: Uri): Promise<boolean> {
  try {
    await workspace.fs.stat(file);
    return true;
  } catch {
    return false;
  }
}
