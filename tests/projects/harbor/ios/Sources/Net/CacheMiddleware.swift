import Foundation

/// Answers from the store what it has, and keeps what comes back.
struct CacheMiddleware: Middleware {
    let store: ReplyStore

    func handle(_ request: Request, next: Next) async throws -> Reply {
        if let hit = await store.reply(for: request.cacheKey) { return hit }
        let reply = try await next(request)
        await store.save(reply, for: request.cacheKey)
        return reply
    }
}
