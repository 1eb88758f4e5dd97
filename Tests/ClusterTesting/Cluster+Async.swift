import Foundation

/// Clusters are made on threads of their own: tests share Swift's few with whatever they test.
extension Cluster {
    public static func made(
        settings: [String: String] = [:], prepare: @escaping @Sendable (Cluster) throws -> Void = { _ in }
    ) async throws -> Cluster { try await aside { try Cluster(settings: settings, prepare: prepare) } }

    public static func made(standbyOf primary: Cluster) async throws -> Cluster {
        try await aside { try Cluster(standbyOf: primary) }
    }

    /// Runs what blocks, such as `psql`.
    @discardableResult
    public static func aside<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
        }
    }
}
