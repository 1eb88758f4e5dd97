import Synchronization

/// How many bytes may wait, in all inboxes of one server together.
package final class FTPRoom: Sendable {
    private let limit: UInt64, used = Mutex<UInt64>(0)

    package init(_ limit: UInt64) { self.limit = limit }

    var isLeft: Bool { used.withLock { $0 < limit } }
    func take(_ bytes: UInt64) { used.withLock { $0 = $0.addingReportingOverflow(bytes).partialValue } }
    func give(_ bytes: UInt64) { used.withLock { $0 -= min($0, bytes) } }
}
