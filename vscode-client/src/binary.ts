// Which `asd` to run. Pure: everything that touches the machine is passed in,
// so the rules can be read and tested without an editor.

import { isAbsolute, join, posix, win32 } from "node:path";

/** Where the binary was found; shown to people in the output channel. */
export type BinarySource = "setting" | "bundled" | "build" | "path";

export interface Binary {
  readonly path: string;
  readonly source: BinarySource;
}

/** Why there is no binary to run. */
export type BinaryProblem =
  | { readonly kind: "not-found"; readonly path: string }
  | { readonly kind: "not-executable"; readonly path: string }
  | { readonly kind: "not-absolute"; readonly path: string }
  | { readonly kind: "untrusted-without-bundled" }
  | { readonly kind: "nowhere" };

export type Resolution = { readonly binary: Binary } | { readonly problem: BinaryProblem };

/** What a path leads to. */
export type FileState = "executable" | "not-executable" | "missing";

export interface ResolutionInput {
  /** Whether the person trusts this workspace. */
  readonly trusted: boolean;
  /** The setting `asd.path`; empty or absent when it is not set. */
  readonly configured: string | undefined;
  /** Where this package keeps its own binary. */
  readonly bundled: string;
  /** The binary of a checkout, when the extension itself is being developed. */
  readonly build: string | undefined;
  /** The folders of the environment variable PATH. */
  readonly searchPath: readonly string[];
  readonly home: string;
  readonly workspaceFolder: string | undefined;
  readonly platform: NodeJS.Platform;
  readonly stateOf: (path: string) => FileState;
}

/**
 * The first of: the setting, the bundled binary, PATH. A setting that leads
 * nowhere is an error and never a reason to run something else: the person
 * named one binary. In a workspace that is not trusted only the bundled one
 * may run, because settings and PATH can be the workspace's own.
 */
export function resolveBinary(input: ResolutionInput): Resolution {
  if (!input.trusted) {
    return input.stateOf(input.bundled) === "executable"
      ? { binary: { path: input.bundled, source: "bundled" } }
      : { problem: { kind: "untrusted-without-bundled" } };
  }
  const configured = input.configured?.trim() ?? "";
  if (configured !== "") {
    return resolveConfigured(configured, input);
  }
  if (input.build !== undefined && input.stateOf(input.build) === "executable") {
    return { binary: { path: input.build, source: "build" } };
  }
  if (input.stateOf(input.bundled) === "executable") {
    return { binary: { path: input.bundled, source: "bundled" } };
  }
  const found = searchFolders(input);
  return found === undefined ? { problem: { kind: "nowhere" } } : { binary: { path: found, source: "path" } };
}

function resolveConfigured(setting: string, input: ResolutionInput): Resolution {
  const path = expand(setting, input);
  if (!isAbsoluteOn(input.platform, path)) {
    return { problem: { kind: "not-absolute", path } };
  }
  switch (input.stateOf(path)) {
    case "executable":
      return { binary: { path, source: "setting" } };
    case "not-executable":
      return { problem: { kind: "not-executable", path } };
    case "missing":
      return { problem: { kind: "not-found", path } };
  }
}

/** Replaces a leading `~` and `${workspaceFolder}`. */
function expand(setting: string, input: ResolutionInput): string {
  let path = setting;
  if (path === "~" || path.startsWith("~/") || path.startsWith("~\\")) {
    path = input.home + path.slice(1);
  }
  if (input.workspaceFolder !== undefined) {
    path = path.replaceAll("${workspaceFolder}", input.workspaceFolder);
  }
  return path;
}

/** The file name of the binary on a platform. */
export function binaryName(platform: NodeJS.Platform): string {
  return platform === "win32" ? "asd.exe" : "asd";
}

// A relative folder in PATH would be looked up in the workspace and so run what
// the workspace brings.
function searchFolders(input: ResolutionInput): string | undefined {
  const paths = input.platform === "win32" ? win32 : posix;
  return input.searchPath
    .filter((folder) => isAbsoluteOn(input.platform, folder))
    .map((folder) => paths.join(folder, binaryName(input.platform)))
    .find((path) => input.stateOf(path) === "executable");
}

function isAbsoluteOn(platform: NodeJS.Platform, path: string): boolean {
  if (platform === process.platform) {
    return isAbsolute(path);
  }
  return (platform === "win32" ? win32 : posix).isAbsolute(path);
}

/**
 * Where to run a binary from. Windows locks a running file, and a package
 * manager could then not replace it; there a copy in `storage` is run, named by
 * what identifies the original's content.
 */
export function runPath(
  binary: Binary,
  platform: NodeJS.Platform,
  storage: string,
  stat: { readonly size: number; readonly mtimeMs: number },
): string {
  if (platform !== "win32" || binary.source === "bundled") {
    return binary.path;
  }
  return join(storage, "server", `${String(Math.trunc(stat.mtimeMs))}-${String(stat.size)}`, "asd.exe");
}
