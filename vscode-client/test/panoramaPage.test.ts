import assert from "node:assert/strict";
import { suite, test } from "node:test";

import { themed } from "../src/panoramaPage.ts";

const PAGE = ":root{color-scheme:light dark}a{b:c}@media(prefers-color-scheme:dark){a{b:d}}";

suite("the page of the panorama", () => {
  test("is dark in a dark editor, whatever the system is", () => {
    assert.equal(themed(PAGE, true), ":root{color-scheme:dark}a{b:c}@media all{a{b:d}}");
  });

  test("is light in a light one", () => {
    assert.equal(themed(PAGE, false), ":root{color-scheme:light}a{b:c}@media not all{a{b:d}}");
  });
});
