import Foundation

/// The one place that owns a URLSession.
public enum NetworkKit {
    public static let session: URLSession = {
        let configuration = URLSessionConfiguration.default
        configuration.urlCache = nil
        return URLSession(configuration: configuration, delegate: Pinning(), delegateQueue: nil)
    }()
}
