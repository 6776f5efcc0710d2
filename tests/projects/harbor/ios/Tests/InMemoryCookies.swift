import Foundation
import HarborNet

/// Cookies for a test, shared with no other test.
final class InMemoryCookies {
    private var kept: [HTTPCookie]

    init(_ kept: [HTTPCookie] = []) {
        self.kept = kept
    }
}

extension InMemoryCookies: CookieStoring {
    func all() -> [HTTPCookie] { kept }

    func delete(_ cookie: HTTPCookie) {
        kept.removeAll { $0 == cookie }
    }
}
