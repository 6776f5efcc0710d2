import assert from "node:assert/strict";
import { suite, test } from "node:test";

import { resolveBinary, runPath, type FileState, type ResolutionInput } from "../src/binary.ts";

function input(files: Record<string, FileState>, changes: Partial<ResolutionInput> = {}): ResolutionInput {
  return {
    trusted: true,
    configured: undefined,
    bundled: "/ext/server/bin/asd",
    build: undefined,
    searchPath: ["/usr/local/bin", "/usr/bin"],
    home: "/home/ann",
    workspaceFolder: "/work/app",
    platform: "linux",
    stateOf: (path) => files[path] ?? "missing",
    ...changes,
  };
}

const BUNDLED = { "/ext/server/bin/asd": "executable" } as const;

suite("which binary is run", () => {
  test("the setting wins over everything else", () => {
    const files = { ...BUNDLED, "/opt/asd": "executable" } as const;
    assert.deepEqual(resolveBinary(input(files, { configured: "/opt/asd" })), {
      binary: { path: "/opt/asd", source: "setting" },
    });
  });

  test("the bundled one wins over PATH", () => {
    const files = { ...BUNDLED, "/usr/bin/asd": "executable" } as const;
    assert.deepEqual(resolveBinary(input(files)), { binary: { path: "/ext/server/bin/asd", source: "bundled" } });
  });

  test("PATH is searched in its order when nothing is bundled", () => {
    const files = { "/usr/local/bin/asd": "not-executable", "/usr/bin/asd": "executable" } as const;
    assert.deepEqual(resolveBinary(input(files)), { binary: { path: "/usr/bin/asd", source: "path" } });
  });

  test("relative folders in PATH are never searched, they are the workspace's", () => {
    const files = { asd: "executable", "./asd": "executable", "bin/asd": "executable" } as const;
    assert.deepEqual(resolveBinary(input(files, { searchPath: ["", ".", "bin"] })), { problem: { kind: "nowhere" } });
  });

  test("on Windows the name has its ending and drive letters are absolute", () => {
    const files = { "C:\\tools\\asd.exe": "executable" } as const;
    assert.deepEqual(resolveBinary(input(files, { platform: "win32", searchPath: ["tools", "C:\\tools"] })), {
      binary: { path: "C:\\tools\\asd.exe", source: "path" },
    });
  });

  test("a checkout that is being developed uses its own build", () => {
    const files = { ...BUNDLED, "/src/target/debug/asd": "executable" } as const;
    assert.deepEqual(resolveBinary(input(files, { build: "/src/target/debug/asd" })), {
      binary: { path: "/src/target/debug/asd", source: "build" },
    });
  });

  test("home and workspace folder are replaced in the setting", () => {
    const files = { "/home/ann/bin/asd": "executable", "/work/app/tools/asd": "executable" } as const;
    assert.deepEqual(resolveBinary(input(files, { configured: "~/bin/asd" })), {
      binary: { path: "/home/ann/bin/asd", source: "setting" },
    });
    assert.deepEqual(resolveBinary(input(files, { configured: "${workspaceFolder}/tools/asd" })), {
      binary: { path: "/work/app/tools/asd", source: "setting" },
    });
  });
});

suite("a setting that leads nowhere is an error and not a reason to run another binary", () => {
  test("no such file", () => {
    assert.deepEqual(resolveBinary(input(BUNDLED, { configured: "/opt/asd" })), {
      problem: { kind: "not-found", path: "/opt/asd" },
    });
  });

  test("a file that is not executable", () => {
    const files = { ...BUNDLED, "/opt/asd": "not-executable" } as const;
    assert.deepEqual(resolveBinary(input(files, { configured: "/opt/asd" })), {
      problem: { kind: "not-executable", path: "/opt/asd" },
    });
  });

  test("a relative path", () => {
    const files = { ...BUNDLED, "tools/asd": "executable" } as const;
    assert.deepEqual(resolveBinary(input(files, { configured: "tools/asd" })), {
      problem: { kind: "not-absolute", path: "tools/asd" },
    });
  });

  test("blanks alone are no setting", () => {
    assert.deepEqual(resolveBinary(input(BUNDLED, { configured: "  " })), {
      binary: { path: "/ext/server/bin/asd", source: "bundled" },
    });
  });
});

suite("a workspace that is not trusted", () => {
  test("gets the bundled binary, whatever is configured", () => {
    const files = { ...BUNDLED, "/work/app/evil": "executable", "/usr/bin/asd": "executable" } as const;
    assert.deepEqual(
      resolveBinary(input(files, { trusted: false, configured: "/work/app/evil", build: "/work/app/evil" })),
      { binary: { path: "/ext/server/bin/asd", source: "bundled" } },
    );
  });

  test("gets none when none is bundled", () => {
    const files = { "/work/app/evil": "executable", "/usr/bin/asd": "executable" } as const;
    assert.deepEqual(resolveBinary(input(files, { trusted: false, configured: "/work/app/evil" })), {
      problem: { kind: "untrusted-without-bundled" },
    });
  });
});

suite("where the binary is run from", () => {
  const stat = { size: 10, mtimeMs: 1234.5 };

  test("from its own place, except on Windows", () => {
    assert.equal(runPath({ path: "/usr/bin/asd", source: "path" }, "linux", "/storage", stat), "/usr/bin/asd");
  });

  test("on Windows from a copy, so that it can be replaced while it runs", () => {
    const binary = { path: "C:\\tools\\asd.exe", source: "path" } as const;
    assert.match(runPath(binary, "win32", "/storage", stat), /storage.server.1234-10.asd\.exe$/u);
    assert.notEqual(
      runPath(binary, "win32", "/storage", stat),
      runPath(binary, "win32", "/storage", { size: 11, mtimeMs: 1234.5 }),
    );
  });

  test("the bundled one is not copied: its folder carries the extension's version", () => {
    const binary = { path: "C:\\ext\\server\\bin\\asd.exe", source: "bundled" } as const;
    assert.equal(runPath(binary, "win32", "/storage", stat), binary.path);
  });
});
