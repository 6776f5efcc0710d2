"""The dialogue of an agent that is asked for a cache, through the official
Python SDK: `dialogue.py ASD PROJECT`."""

import asyncio
import json
import pathlib
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

FILE = "ios/Sources/Net/ShipListCache.swift"
WORDS = "帮我实现网络缓存中间件"
BAD = """import Foundation

struct ShipListCache {
    func reply(for request: URLRequest) -> CachedURLResponse? {
        URLCache.shared.cachedResponse(for: request)
    }
}
"""
GOOD = """import Foundation

struct ShipListCache: Middleware {
    let store: ReplyStore

    func handle(_ request: Request, next: Next) async throws -> Reply {
        if let hit = await store.reply(for: request.cacheKey) { return hit }
        let reply = try await next(request)
        await store.save(reply, for: request.cacheKey)
        return reply
    }
}
"""


async def main(asd, project):
    root = pathlib.Path(project)
    server = StdioServerParameters(command=asd, args=["mcp"], cwd=root)
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        opened = await session.initialize()
        assert opened.server_info.name == "alembic-v3", opened
        tools = (await session.list_tools()).tools
        assert len(tools) == 16, [tool.name for tool in tools]

        async def call(tool, **arguments):
            result = await session.call_tool(tool, arguments)
            envelope = json.loads(result.content[0].text)
            assert envelope == result.structured_content
            assert envelope["success"] and not result.is_error, envelope
            print(f"{tool} {json.dumps(arguments, ensure_ascii=False)}: {envelope['message']}")
            return envelope

        primed = await call("asd_task", operation="prime", userQuery=WORDS)
        first = primed["data"]["knowledge"]["relatedKnowledge"][0]
        assert first["trigger"] == "@network-cache-middleware", primed
        assert primed["message"].startswith("Found "), primed
        assert primed["data"]["searchMeta"]["scenario"] == "generate", primed
        assert "asd_task close" in primed["data"]["_taskRules"]

        created = await call("asd_task", operation="create", title="实现网络缓存中间件")
        task = created["data"]["id"]
        assert created["data"]["bound"] is True

        # The project has no Alamofire; what it has is found by the next words.
        await call("asd_search", query="Alamofire middleware")
        found = await call("asd_search", query="NetworkClient middleware")
        triggers = [row["trigger"] for row in found["data"]["items"]]
        assert "@network-cache-middleware" in triggers, triggers

        targets = await call("asd_structure")
        names = [target["name"] for target in targets["data"]["targets"]]
        files = await call("asd_structure", operation="files", target=names[0])
        assert files["data"]["total"] > 0, files

        (root / FILE).write_text(BAD, encoding="utf-8")
        closed = await call("asd_task", operation="close", id=task, reason="Implemented")
        assert closed["data"]["closed"]["id"] == task
        following = closed["data"]["nextAction"]
        assert (following["tool"], following["required"]) == ("asd_guard", True), following

        review = (await call(following["tool"], **following["args"]))["data"]
        assert review["passed"] is False and review["reviewRound"] == 1, review
        violations = {file["filePath"]: file["violations"] for file in review["files"]}
        recipe = violations[FILE][0]["recipe"]
        assert recipe["trigger"] == "@network-cache-middleware", recipe
        assert "store.reply(for: request.cacheKey)" in recipe["coreCode"], recipe
        assert review["nextAction"]["tool"] == "asd_guard"

        (root / FILE).write_text(GOOD, encoding="utf-8")
        review = (await call("asd_guard"))["data"]
        assert review["passed"] is True and review["reviewRound"] == 2, review
        assert "maxRoundsReached" not in review, review

    chain = json.loads((root / ".asd/signals/intent.jsonl").read_text("utf-8").splitlines()[0])
    record = chain["metadata"]["chain"]
    assert record["outcome"] == "completed" and record["primeQuery"] == WORDS, record
    assert record["searchQueries"] == ["Alamofire middleware", "NetworkClient middleware"], record
    used = [used["tool"] for used in record["toolCalls"]]
    assert used == ["asd_search"] * 2 + ["asd_structure"] * 2, used


asyncio.run(main(*sys.argv[1:]))
print("the dialogue went as it should")
