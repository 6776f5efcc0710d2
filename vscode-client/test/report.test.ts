import assert from "node:assert/strict";
import { test } from "node:test";

import { formatReport } from "../src/report.ts";

test("a report can be made when nothing runs", () => {
  const text = formatReport({
    extension: "0.1.0",
    editor: "Code 1.139.1",
    platform: "linux x64",
    trusted: false,
    folders: 0,
    server: undefined,
    running: false,
    status: undefined,
    settings: {},
  });
  assert.match(text, /\| Workspace \| 0 folders, not trusted \|/u);
  assert.match(text, /\| Server \| none \|/u);
  assert.doesNotMatch(text, /Status/u);
});

test("a report says what runs and what it knows", () => {
  const text = formatReport({
    extension: "0.1.0",
    editor: "Code 1.139.1",
    platform: "linux x64",
    trusted: true,
    folders: 1,
    server: { path: "/opt/a|b/asd", source: "setting", version: "0.1.0" },
    running: true,
    status: { state: "ready", recipes: 3, rules: 18, problemFiles: 1, folders: 1 },
    settings: { guard: { showUncertain: true } },
  });
  assert.match(text, /\| Server \| 0\.1\.0 \(setting\) \|/u);
  assert.match(text, /\| Binary \| \/opt\/a\\\|b\/asd \|/u);
  assert.match(text, /\| Status \| ready: 3 recipes, 18 rules, 1 files with problems \|/u);
  assert.match(text, /"showUncertain": true/u);
});
