import Foundation
import HarborNet

/// The session of one account.
final class SessionStore {
    private let cookies: CookieStoring

    init(cookies: CookieStoring) {
        self.cookies = cookies
    }

    func signOut() {
        for cookie in cookies.all() {
            cookies.delete(cookie)
        }
    }
}
