import assert from "node:assert/strict";
import { once } from "node:events";
import { PassThrough } from "node:stream";
import { suite, test } from "node:test";

import { forwardStderr, readLine } from "../src/stderr.ts";

async function forwarded(text: string, arrivesByProtocol: boolean): Promise<string[]> {
  const stderr = new PassThrough();
  const lines: string[] = [];
  forwardStderr(
    stderr,
    () => arrivesByProtocol,
    (level, line) => {
      lines.push(`${level}: ${line}`);
    },
  );
  stderr.end(text);
  await once(stderr, "end");
  await new Promise(setImmediate);
  return lines;
}

suite("what the server writes to stderr", () => {
  const log = "2026-12-01T01:04:51.040123Z  WARN asd_lsp::watch: the folder is gone\r\n";
  const panic = "thread 'main' panicked at src/main.rs:1:1:\n2026 is not a date\n";

  test("is read with its level, and other output is an error", () => {
    assert.deepEqual(readLine("2026-12-01T01:04:51.040Z DEBUG x: y"), { level: "debug", text: "x: y", log: true });
    assert.deepEqual(readLine("2026 is not a date"), { level: "error", text: "2026 is not a date", log: false });
  });

  test("is shown whole while nothing arrives in another way", async () => {
    assert.deepEqual(await forwarded(`${log}\n${panic}`, false), [
      "warn: asd_lsp::watch: the folder is gone",
      "error: thread 'main' panicked at src/main.rs:1:1:",
      "error: 2026 is not a date",
    ]);
  });

  test("shows no log line twice, and a crash always", async () => {
    assert.deepEqual(await forwarded(log + panic, true), [
      "error: thread 'main' panicked at src/main.rs:1:1:",
      "error: 2026 is not a date",
    ]);
  });
});
