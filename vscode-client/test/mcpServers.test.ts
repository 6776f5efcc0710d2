import assert from "node:assert/strict";
import { suite, test } from "node:test";

import { serversToOffer, type Folder } from "../src/mcpServers.ts";

const folder = (name: string, more: Partial<Folder> = {}): Folder => ({
  name,
  path: `/work/${name}`,
  hasKnowledge: true,
  configuration: "",
  ...more,
});

suite("servers for agents", () => {
  test("a folder with knowledge has one, others have none", () => {
    assert.deepEqual(serversToOffer([folder("harbor"), folder("notes", { hasKnowledge: false })]), [
      { label: "Alembic", path: "/work/harbor" },
    ]);
  });

  test("several are told apart by their names", () => {
    assert.deepEqual(
      serversToOffer([folder("harbor"), folder("码头")]).map(({ label }) => label),
      ["Alembic (harbor)", "Alembic (码头)"],
    );
  });

  test("a folder that configures the server itself gets no second one", () => {
    const configuration = '{\n  // ours\n  "servers": { "alembic" : { "command": "asd" } }\n}';
    assert.deepEqual(serversToOffer([folder("harbor", { configuration })]), []);
    const other = '{ "servers": { "alembics": {} } }';
    assert.equal(serversToOffer([folder("harbor", { configuration: other })]).length, 1);
  });
});
