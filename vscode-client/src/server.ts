// Finds the binary on this machine and makes sure that it is one.

import { execFile } from "node:child_process";
import { accessSync, constants, copyFileSync, mkdirSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";

import { ExtensionMode, l10n, workspace, type ExtensionContext } from "vscode";

import { binaryName, resolveBinary, runPath, type Binary, type BinaryProblem, type FileState } from "./binary.ts";
import { configuredPath } from "./settings.ts";
import { parseVersion, type Version } from "./version.ts";

const VERSION_TIMEOUT_MS = 10_000;

export interface Server {
  readonly binary: Binary;
  /** The file that is run; differs from the binary where a copy must be. */
  readonly command: string;
  readonly version: Version;
}

/** What a person can do about a server that does not start. */
export type Remedy = "open-settings" | "manage-trust";

export class ServerUnavailable extends Error {
  constructor(
    message: string,
    readonly remedy: Remedy,
  ) {
    super(message);
    this.name = "ServerUnavailable";
  }
}

/**
 * The server to run now.
 *
 * @throws {ServerUnavailable} with a message for the person when there is none.
 */
export async function findServer(context: ExtensionContext): Promise<Server> {
  const resolution = resolveBinary({
    trusted: workspace.isTrusted,
    configured: configuredPath(),
    bundled: context.asAbsolutePath(join("server", "bin", binaryName(process.platform))),
    build:
      context.extensionMode === ExtensionMode.Development
        ? context.asAbsolutePath(join("target", "debug", binaryName(process.platform)))
        : undefined,
    searchPath: (process.env["PATH"] ?? "").split(delimiter),
    home: homedir(),
    workspaceFolder: workspace.workspaceFolders?.[0]?.uri.fsPath,
    platform: process.platform,
    stateOf,
  });
  if ("problem" in resolution) {
    throw unavailable(resolution.problem);
  }
  const { binary } = resolution;
  const command = prepare(binary, context);
  return { binary, command, version: await versionOf(command) };
}

function stateOf(path: string): FileState {
  try {
    if (!statSync(path).isFile()) {
      return "not-executable";
    }
  } catch {
    return "missing";
  }
  try {
    accessSync(path, constants.X_OK);
    return "executable";
  } catch {
    return "not-executable";
  }
}

function prepare(binary: Binary, context: ExtensionContext): string {
  const command = runPath(binary, process.platform, context.globalStorageUri.fsPath, statSync(binary.path));
  if (command !== binary.path && stateOf(command) === "missing") {
    mkdirSync(dirname(command), { recursive: true });
    copyFileSync(binary.path, command);
  }
  return command;
}

async function versionOf(command: string): Promise<Version> {
  let output: string;
  try {
    const result = await promisify(execFile)(command, ["--version"], {
      timeout: VERSION_TIMEOUT_MS,
      windowsHide: true,
      // A folder of the workspace must not influence what is loaded.
      cwd: dirname(command),
    });
    output = result.stdout;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ServerUnavailable(
      l10n.t("Alembic cannot run {0}: {1}. Correct the setting asd.path or reinstall the extension.", command, reason),
      "open-settings",
    );
  }
  const version = parseVersion(output);
  if (version === undefined) {
    throw new ServerUnavailable(
      l10n.t("{0} is not an Alembic server: it does not say its version. Correct the setting asd.path.", command),
      "open-settings",
    );
  }
  return version;
}

function unavailable(problem: BinaryProblem): ServerUnavailable {
  switch (problem.kind) {
    case "not-found":
      return new ServerUnavailable(
        l10n.t("The setting asd.path names {0}, and there is no such file. Correct or remove the setting.", problem.path),
        "open-settings",
      );
    case "not-executable":
      return new ServerUnavailable(
        l10n.t(
          "The setting asd.path names {0}, which cannot be executed. Make it executable, or correct or remove the setting.",
          problem.path,
        ),
        "open-settings",
      );
    case "not-absolute":
      return new ServerUnavailable(
        l10n.t(
          "The setting asd.path must be an absolute path, and {0} is not. It may begin with ~ or {1}.",
          problem.path,
          "${workspaceFolder}",
        ),
        "open-settings",
      );
    case "untrusted-without-bundled":
      return new ServerUnavailable(
        l10n.t(
          "This workspace is not trusted, and this build of the extension brings no server of its own. Trust the workspace to use Alembic.",
        ),
        "manage-trust",
      );
    case "nowhere":
      return new ServerUnavailable(
        l10n.t(
          "Alembic found no server: this build of the extension brings none and asd is not on the PATH. Install asd, or name it in the setting asd.path.",
        ),
        "open-settings",
      );
  }
}
