// The dialogue of an agent that is asked for a cache, through the official
// TypeScript SDK: `node dialogue.mjs MODULES ASD PROJECT`.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [modules, asd, project] = process.argv.slice(2);
const sdk = (path) => import(pathToFileURL(join(modules, "@modelcontextprotocol/sdk/dist/esm", path)).href);
const { Client } = await sdk("client/index.js");
const { StdioClientTransport } = await sdk("client/stdio.js");

const FILE = "ios/Sources/Net/ShipListCache.swift";
const WORDS = "帮我实现网络缓存中间件";
const BAD = `import Foundation

struct ShipListCache {
    func reply(for request: URLRequest) -> CachedURLResponse? {
        URLCache.shared.cachedResponse(for: request)
    }
}
`;
const GOOD = `import Foundation

struct ShipListCache: Middleware {
    let store: ReplyStore

    func handle(_ request: Request, next: Next) async throws -> Reply {
        if let hit = await store.reply(for: request.cacheKey) { return hit }
        let reply = try await next(request)
        await store.save(reply, for: request.cacheKey)
        return reply
    }
}
`;

const client = new Client({ name: "dialogue", version: "1.0.0" });
await client.connect(new StdioClientTransport({ command: asd, args: ["mcp"], cwd: project, stderr: "inherit" }));
assert.equal(client.getServerVersion().name, "alembic-v3");
assert.equal((await client.listTools()).tools.length, 16);

async function call(tool, args = {}) {
  const result = await client.callTool({ name: tool, arguments: args });
  const envelope = JSON.parse(result.content[0].text);
  assert.deepEqual(envelope, result.structuredContent);
  assert.ok(envelope.success && result.isError !== true, result.content[0].text);
  console.log(`${tool} ${JSON.stringify(args)}: ${envelope.message}`);
  return envelope;
}

const primed = await call("asd_task", { operation: "prime", userQuery: WORDS });
assert.equal(primed.data.knowledge.relatedKnowledge[0].trigger, "@network-cache-middleware");
assert.match(primed.message, /^Found /);
assert.equal(primed.data.searchMeta.scenario, "generate");
assert.match(primed.data._taskRules, /asd_task close/);

const created = await call("asd_task", { operation: "create", title: "实现网络缓存中间件" });
const task = created.data.id;
assert.equal(created.data.bound, true);

// The project has no Alamofire; what it has is found by the next words.
await call("asd_search", { query: "Alamofire middleware" });
const found = await call("asd_search", { query: "NetworkClient middleware" });
assert.ok(found.data.items.some((row) => row.trigger === "@network-cache-middleware"));

const targets = await call("asd_structure");
const files = await call("asd_structure", { operation: "files", target: targets.data.targets[0].name });
assert.ok(files.data.total > 0);

writeFileSync(join(project, FILE), BAD);
const closed = await call("asd_task", { operation: "close", id: task, reason: "Implemented" });
assert.equal(closed.data.closed.id, task);
const following = closed.data.nextAction;
assert.equal(following.tool, "asd_guard");
assert.equal(following.required, true);

const review = (await call(following.tool, following.args)).data;
assert.equal(review.passed, false);
assert.equal(review.reviewRound, 1);
const { recipe } = review.files.find((file) => file.filePath === FILE).violations[0];
assert.equal(recipe.trigger, "@network-cache-middleware");
assert.match(recipe.coreCode, /store\.reply\(for: request\.cacheKey\)/);
assert.equal(review.nextAction.tool, "asd_guard");

writeFileSync(join(project, FILE), GOOD);
const again = (await call("asd_guard")).data;
assert.equal(again.passed, true);
assert.equal(again.reviewRound, 2);
assert.equal(again.maxRoundsReached, undefined);
await client.close();

const [line] = readFileSync(join(project, ".asd/signals/intent.jsonl"), "utf8").split("\n");
const record = JSON.parse(line).metadata.chain;
assert.equal(record.outcome, "completed");
assert.equal(record.primeQuery, WORDS);
assert.deepEqual(
  record.toolCalls.map((used) => used.tool),
  ["asd_search", "asd_search", "asd_structure", "asd_structure"],
);
console.log("the dialogue went as it should");
