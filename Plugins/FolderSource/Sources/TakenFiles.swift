import Dispatch
import FileKit
import FilmgateCore
import Glibc
import Logging

/// With `take: move`: removes a file once every target has proof of it, and never one that has changed since.
final class TakenFiles: Sendable {
    private let root: String, context: ModuleContext
    private let queue = DispatchQueue(label: "filmgate.folder.taken")

    init(root: String, context: ModuleContext) { (self.root, self.context) = (root, context) }

    func settled(_ settled: Settled) {
        let origin = settled.asset.origin
        switch settled.ending {
        case .delivered, .duplicate:
            if Self.isProven(settled.asset.receipts.values) { remove(origin) } else { keep(origin) }
        case .alreadySeen:
            guard let content = settled.content, let ledger = context.lookup.ledger else { return }
            Task {
                let rows = await Result { () async throws(IngestError) in try await ledger.deliveries(of: content) }
                if let rows = try? rows.get(), Self.isProven(rows.map(\.receipt)) { self.remove(origin) }
            }
        case .setAside, .pending, .filtered: break
        }
    }

    /// Read again, or confirmed by the server, at every target that was to have it and at least one.
    static func isProven(_ receipts: some Sequence<Receipt>) -> Bool {
        let wanted = receipts.filter { $0.state != .excluded }
        return !wanted.isEmpty && wanted.allSatisfy { $0.state == .done && ($0.verified == .reread || $0.verified == .server) }
    }

    private func keep(_ origin: Origin) {
        context.logger.info("\(PathText.shown(origin.path)) stays: a target has it but cannot prove it.")
    }

    private func remove(_ origin: Origin) {
        let logger = context.logger
        queue.async {
            let facts = (try? FileFacts.of(origin.absolutePath)) ?? nil
            guard let facts, facts.kind == .regular, facts.size == origin.size, facts.modified == origin.modified,
                origin.inode == 0 || facts.inode == origin.inode
            else { return }
            if withCPath(origin.absolutePath, { unlink($0) }) != 0 {
                logger.warning("\(PathText.shown(origin.path)) was delivered but cannot be removed: \(SystemFailure(errno).text).")
            }
        }
    }
}
