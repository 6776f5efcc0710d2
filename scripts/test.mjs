// Runs the extension's unit tests: bundled by esbuild, because the oldest node
// that this repository is built with does not read TypeScript by itself.

import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

import * as esbuild from "esbuild";

const root = join(import.meta.dirname, "..");
const sources = join(root, "vscode-client", "test");
const out = join(root, "target", "vscode-client-tests");

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
await esbuild.build({
  absWorkingDir: root,
  entryPoints: readdirSync(sources)
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => join(sources, name)),
  outdir: out,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20",
  sourcemap: "inline",
  define: { REPOSITORY: JSON.stringify(root) },
  logLevel: "warning",
});
const files = readdirSync(out).map((name) => join(out, name));
const { status } = spawnSync(process.execPath, ["--enable-source-maps", "--test", ...files], { stdio: "inherit" });
process.exitCode = status ?? 1;
