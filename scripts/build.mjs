// Bundles the VS Code extension into dist/extension.cjs.
// --watch builds again on every change, --production makes it small.

import { join } from "node:path";

import * as esbuild from "esbuild";

const root = join(import.meta.dirname, "..");

/** The options of the bundle; the package script builds with the same ones. */
export function bundleOptions({ production }) {
  return {
    absWorkingDir: root,
    entryPoints: ["vscode-client/src/extension.ts"],
    outfile: "dist/extension.cjs",
    bundle: true,
    format: "cjs",
    platform: "node",
    target: "node20",
    // Node's entry points of the libraries are CommonJS; their ESM twins pull
    // in the browser's parts.
    mainFields: ["main", "module"],
    conditions: ["node"],
    external: ["vscode"],
    minify: production,
    keepNames: true,
    sourcemap: production ? false : "linked",
    legalComments: "linked",
    logLevel: "warning",
  };
}

if (process.argv[1] === import.meta.filename) {
  const options = bundleOptions({ production: process.argv.includes("--production") });
  if (process.argv.includes("--watch")) {
    const context = await esbuild.context(options);
    await context.watch();
    console.log("watching vscode-client/src");
  } else {
    await esbuild.build(options);
  }
}
