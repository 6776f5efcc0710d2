// Makes the VSIX for one platform: the bundled extension and the server binary.
//
//   node scripts/package.mjs [--profile release|dev] [--target linux-x64]
//                            [--binary PATH] [--out FILE]
//
// --profile  how the server is built (release)
// --target   the platform, as VS Code names it (this machine's)
// --binary   an asd that was built elsewhere; nothing is compiled then
// --out      the file to write (target/vsix/alembic-<version>-<target>.vsix)

import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";

import * as esbuild from "esbuild";

import { bundleOptions } from "./build.mjs";

const root = join(import.meta.dirname, "..");

// VS Code's names of platforms and what rustc calls them.
const TARGETS = {
  "linux-x64": "x86_64-unknown-linux-gnu",
  "linux-arm64": "aarch64-unknown-linux-gnu",
  "alpine-x64": "x86_64-unknown-linux-musl",
  "alpine-arm64": "aarch64-unknown-linux-musl",
  "darwin-x64": "x86_64-apple-darwin",
  "darwin-arm64": "aarch64-apple-darwin",
  "win32-x64": "x86_64-pc-windows-msvc",
  "win32-arm64": "aarch64-pc-windows-msvc",
};

try {
  await main();
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}

async function main() {
  const { values: options } = parseArgs({
    options: {
      profile: { type: "string", default: "release" },
      target: { type: "string", default: `${process.platform}-${process.arch}` },
      binary: { type: "string" },
      out: { type: "string" },
    },
  });
  if (!(options.target in TARGETS)) {
    throw new Error(`--target ${options.target} is not a platform; use one of ${Object.keys(TARGETS).join(", ")}`);
  }
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const binary = options.binary === undefined ? buildServer(options) : resolve(options.binary);
  const stage = join(root, "target", "vsix", options.target);
  await fillStage(stage, manifest, binary, options);
  const out = resolve(options.out ?? join(root, "target", "vsix", `alembic-${manifest.version}-${options.target}.vsix`));
  mkdirSync(dirname(out), { recursive: true });
  const vsce = join(root, "node_modules", "@vscode", "vsce", "vsce");
  run(process.execPath, [vsce, "package", "--target", options.target, "--no-dependencies", "--out", out], stage);
  console.log(`${relative(process.cwd(), out)} (${(statSync(out).size / 1e6).toFixed(1)} MB)`);
}

/** Builds `asd` and returns where cargo put it. */
function buildServer({ profile, target }) {
  const cross = target === `${process.platform}-${process.arch}` ? [] : ["--target", TARGETS[target]];
  const output = run(
    "cargo",
    ["build", "--quiet", "--locked", "-p", "asd-cli", "--profile", profile, ...cross, "--message-format=json-render-diagnostics"],
    root,
    ["ignore", "pipe", "inherit"],
  );
  const executables = output
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line))
    .filter((message) => message.reason === "compiler-artifact" && message.target.name === "asd" && message.executable)
    .map((message) => message.executable);
  if (executables.length !== 1) {
    throw new Error(`cargo built ${executables.length} binaries named asd in package asd-cli; expected one`);
  }
  return executables[0];
}

/** The package's content, in the places that its manifest names. */
async function fillStage(stage, manifest, binary, { target, profile }) {
  rmSync(stage, { recursive: true, force: true });
  mkdirSync(join(stage, "server", "bin"), { recursive: true });
  await esbuild.build({
    ...bundleOptions({ production: profile !== "dev" }),
    sourcemap: false,
    outfile: join(stage, "dist", "extension.cjs"),
  });
  // What only the repository needs stays out. The bundle says by its ending
  // that it is CommonJS.
  const kept = Object.entries(manifest).filter(([key]) => !["devDependencies", "scripts", "type", "private"].includes(key));
  writeFileSync(join(stage, "package.json"), `${JSON.stringify(Object.fromEntries(kept), undefined, 2)}\n`);
  for (const name of ["package.nls.json", "package.nls.zh-cn.json", "CHANGELOG.md"]) {
    if (existsSync(join(root, name))) {
      copyFileSync(join(root, name), join(stage, name));
    }
  }
  copyFileSync(join(root, "vscode-client", "README.md"), join(stage, "README.md"));
  for (const name of ["vscode-client/l10n", "vscode-client/media"]) {
    cpSync(join(root, name), join(stage, name), { recursive: true, filter: (path) => !path.endsWith(".svg") });
  }
  for (const { path } of manifest.contributes.grammars) {
    mkdirSync(dirname(join(stage, path)), { recursive: true });
    copyFileSync(join(root, path), join(stage, path));
  }
  const licences = ["LICENSE-MIT", "LICENSE-APACHE"].map((name) => readFileSync(join(root, name), "utf8").trim());
  writeFileSync(join(stage, "LICENSE.txt"), `${licences.join(`\n\n${"-".repeat(72)}\n\n`)}\n`);
  const server = join(stage, "server", "bin", target.startsWith("win32-") ? "asd.exe" : "asd");
  copyFileSync(binary, server);
  chmodSync(server, 0o755);
  // Everything that was staged belongs in the package.
  writeFileSync(join(stage, ".vscodeignore"), "");
}

function run(command, args, cwd, stdio = ["ignore", "pipe", "pipe"]) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: "utf8", stdio, maxBuffer: 64 << 20 });
  if (error) {
    throw new Error(`cannot run ${command}: ${error.message}`);
  }
  if (status !== 0) {
    throw new Error(`${command} ${args.join(" ")} ended with ${status}\n${stdout ?? ""}${stderr ?? ""}`);
  }
  return stdout;
}
