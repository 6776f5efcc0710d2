import Foundation

/// Where the cookies of one account are kept.
public protocol CookieStoring {
    func all() -> [HTTPCookie]
    func delete(_ cookie: HTTPCookie)
}

extension HTTPCookieStorage: CookieStoring {
    public func all() -> [HTTPCookie] { cookies ?? [] }
    public func delete(_ cookie: HTTPCookie) { deleteCookie(cookie) }
}
