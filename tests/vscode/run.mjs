// The extension in a real editor: VS Code (code-server) in Chromium, with the
// VSIX that scripts/package.mjs makes and the server that cargo builds.
//
//   node tests/vscode/run.mjs [--vsix FILE] [--only WORD] [--keep]
//
// --vsix  test this package instead of building one
// --only  run only the tests whose name holds WORD
// --keep  leave the folders of the run in place
//
// Everything that it needs is installed into a cache folder, see install.mjs.
// ASD_BIN names a server that is built already; UPDATE_SCREENSHOTS=1 writes
// docs/images/vscode.png, which is otherwise left in target/tests/vscode.

import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

import { agentsTests } from "./agents.mjs";
import { environment, startBrowser, startEditor, Workbench } from "./editor.mjs";
import { install } from "./install.mjs";
import { processesWith } from "./processes.mjs";
import { restrictedTests } from "./restricted.mjs";
import { screenshotTests } from "./screenshot.mjs";
import { trustedTests } from "./trusted.mjs";

const root = resolve(import.meta.dirname, "..", "..");
const out = join(root, "target", "tests", "vscode");
const { values: options } = parseArgs({
  options: { vsix: { type: "string" }, only: { type: "string", default: "" }, keep: { type: "boolean", default: false } },
});
const started = performance.now();
const log = (text) => console.log(text);
const open = [];
let passed = 0;
let failed = 0;

try {
  await main();
} catch (error) {
  failed += 1;
  log(`FAILED: ${error.stack}`);
} finally {
  for (const thing of open.reverse()) {
    await thing();
  }
}
log(`${passed} passed, ${failed} failed (${((performance.now() - started) / 1000).toFixed(0)} s)`);
process.exitCode = failed === 0 ? 0 : 1;

async function main() {
  const installed = install(log);
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const vsix = options.vsix === undefined ? buildPackage() : resolve(options.vsix);
  const folder = mkdtempSync(join(tmpdir(), "asd-vscode-"));
  open.push(() => {
    if (!options.keep) {
      rmSync(folder, { recursive: true, force: true });
    }
  });
  const extensions = join(folder, "extensions");
  installExtension(installed, folder, extensions, vsix);
  const browser = await startBrowser(installed);
  open.push(() => browser.close());

  const surroundings = {
    installed,
    browser,
    folder,
    extensions,
    out,
    root,
    /** A fresh copy of a project in the run's own folder. */
    project(source, name) {
      const copy = join(folder, name);
      cpSync(source, copy, { recursive: true });
      return copy;
    },
    /** An editor that ends with the run, and its first window. */
    async editor(name, { workspace, settings = {}, args = ["--disable-workspace-trust"], size }) {
      const home = join(folder, name);
      mkdirSync(home, { recursive: true });
      const editor = await startEditor(installed, { folder: home, extensions, workspace, settings, args });
      open.push(() => editor.stop());
      const workbench = await Workbench.open(browser, editor, size === undefined ? {} : { size });
      return { editor, workbench };
    },
    /** The servers of this run that are alive. */
    servers: () => processesWith(join(extensions, ""), "lsp"),
  };

  await group(trustedTests, surroundings);
  await group(restrictedTests, surroundings);
  await group(agentsTests, surroundings);
  await group(screenshotTests, surroundings);
}

/** Runs the tests of one window in their order; they share its state. */
async function group(window, surroundings) {
  const { tests } = window;
  const chosen = Object.entries(tests).filter(([name]) => name.includes(options.only));
  if (chosen.length === 0) {
    return;
  }
  const fixture = window.fixture(surroundings);
  if (!existsSync(fixture)) {
    log(`left out: ${Object.keys(tests).join(", ")} (${fixture} is missing)`);
    return;
  }
  const stage = await window.prepare(surroundings);
  for (const [name, run] of chosen) {
    const begin = performance.now();
    try {
      await run(stage);
      passed += 1;
      log(`ok      ${name} (${((performance.now() - begin) / 1000).toFixed(1)} s)`);
    } catch (error) {
      failed += 1;
      const picture = join(out, `failed-${failed}.png`);
      await stage.workbench?.page.screenshot({ path: picture }).catch(() => undefined);
      log(`FAILED  ${name}: ${error.message.slice(0, 2000)}\n        the window: ${picture}`);
    }
  }
  await stage.workbench.close();
}

function buildPackage() {
  if (!existsSync(join(root, "node_modules", "esbuild"))) {
    log("installing the extension's own tools");
    runOrThrow("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: root });
  }
  log("building the extension");
  const vsix = join(out, "alembic.vsix");
  const script = join(root, "scripts", "package.mjs");
  const server = process.env.ASD_BIN === undefined ? [] : ["--binary", resolve(process.env.ASD_BIN)];
  runOrThrow(process.execPath, [script, "--profile", "dev", ...server, "--out", vsix], { cwd: root });
  return vsix;
}

function installExtension(installed, folder, extensions, vsix) {
  const data = join(folder, "install");
  runOrThrow(
    installed.node,
    [installed.entry, "--user-data-dir", data, "--extensions-dir", extensions, "--install-extension", vsix],
    { cwd: folder, env: environment(folder) },
  );
}

function runOrThrow(command, args, settings) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: "utf8", maxBuffer: 64 << 20, ...settings });
  if (error !== undefined || status !== 0) {
    throw new Error(`${command} ${args.join(" ")} failed: ${error?.message ?? `exit code ${status}`}\n${stdout ?? ""}${stderr ?? ""}`);
  }
}
