import Foundation

/// One layer around a request. It may answer by itself or ask the next one.
public protocol Middleware: Sendable {
    func handle(_ request: Request, next: Next) async throws -> Reply
}

/// Sends requests through the layers and, last, through NetworkKit.
public struct NetworkClient {
    private let layers: [any Middleware]

    public init(layers: [any Middleware] = []) {
        self.layers = layers
    }

    public func send(_ request: Request) async throws -> Reply {
        var next: Next = { request in
            try await Reply(NetworkKit.session.data(for: request.traced()))
        }
        for layer in layers.reversed() {
            next = { [next] request in try await layer.handle(request, next: next) }
        }
        return try await next(request)
    }
}
