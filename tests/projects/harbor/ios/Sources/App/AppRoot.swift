import Foundation
import HarborNet

/// The composition root: what is shared is named here and handed on.
struct AppRoot {
    let network = NetworkClient(layers: [CacheMiddleware(store: ReplyStore())])

    // asd:ignore cookie-di-import -- the root is where the system's storage is handed out
    let session = SessionStore(cookies: HTTPCookieStorage.shared)
}
