// Runs the extension's unit tests and the snapshot tests of the grammars.
// --update writes the snapshots anew.

import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

import * as esbuild from "esbuild";

const root = join(import.meta.dirname, "..");
const sources = join(root, "vscode-client", "test");
const out = join(root, "target", "vscode-client-tests");

const SYNTAXES = join(root, "syntaxes", "test");
const GRAMMARS = join(root, "node_modules", "tm-grammars", "grammars");
// The grammars that the snapshots go through.
const KNOWN = ["markdown", "yaml", "swift", "javascript", "typescript", "python", "rust", "html", "css", "shellscript"];
const SCOPES = { md: "text.html.markdown", ts: "source.ts", py: "source.python", rs: "source.rust", html: "text.html.basic", sh: "source.shell" };

const results = [await unitTests(), grammarsAreCurrent(), ...snapshotTests()];
const failed = results.filter((passed) => !passed).length;
console.log(`vscode-client: ${results.length - failed} suites passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

// Bundled, because the oldest node that this repository is built with does not
// read TypeScript by itself.
async function unitTests() {
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
  return run(process.execPath, ["--enable-source-maps", "--test", "--test-reporter=spec", ...files]);
}

function grammarsAreCurrent() {
  return run(process.execPath, [join(root, "scripts", "grammars.mjs"), "--check"]);
}

function snapshotTests() {
  const tool = join(root, "node_modules", "vscode-tmgrammar-test", "dist", "snapshot.js");
  const update = process.argv.includes("--update") ? ["--updateSnapshot"] : [];
  return readdirSync(SYNTAXES)
    .filter((name) => !name.endsWith(".snap"))
    .map((name) =>
      run(process.execPath, [
        tool,
        "--config",
        join(root, "package.json"),
        "--scope",
        SCOPES[name.slice(name.lastIndexOf(".") + 1)],
        ...update,
        ...KNOWN.flatMap((grammar) => ["--grammar", join(GRAMMARS, `${grammar}.json`)]),
        join(SYNTAXES, name),
      ]),
    );
}

function run(command, args) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: root, encoding: "utf8" });
  // The snapshot tool names every language that it has no grammar for.
  const text = `${stdout}${stderr}`.split("\n").filter((line) => !line.startsWith("grammar not found for"));
  process.stdout.write(text.join("\n"));
  return status === 0;
}
