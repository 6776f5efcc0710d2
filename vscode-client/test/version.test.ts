import assert from "node:assert/strict";
import { suite, test } from "node:test";

import { formatVersion, isCompatible, parseVersion, type Version } from "../src/version.ts";

function version(text: string): Version {
  const parsed = parseVersion(text);
  assert.ok(parsed, `${text} is a version`);
  return parsed;
}

suite("versions", () => {
  test("are read from the output of the binary and from a bare number", () => {
    assert.deepEqual(version("asd 1.2.3\n"), { major: 1, minor: 2, patch: 3, rest: "" });
    assert.deepEqual(version("0.10.0-beta.1"), { major: 0, minor: 10, patch: 0, rest: "-beta.1" });
    assert.equal(formatVersion(version("asd 0.10.0-beta.1 (abc 2026-01-01)")), "0.10.0-beta.1");
  });

  test("other programs do not have one", () => {
    for (const text of ["", "hello", "ruff 1.2.3", "asd", "asd 1.2"]) {
      assert.equal(parseVersion(text), undefined, text);
    }
  });

  test("agree by minor number before 1.0 and by major number after", () => {
    assert.ok(isCompatible(version("0.2.1"), version("0.2.9")));
    assert.ok(!isCompatible(version("0.2.1"), version("0.3.0")));
    assert.ok(isCompatible(version("1.2.0"), version("1.9.0")));
    assert.ok(!isCompatible(version("1.2.0"), version("2.0.0")));
  });
});
