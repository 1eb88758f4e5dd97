import Dispatch
import FileKit
import FilmgateCore
import Glibc
import Logging

/// With `take: move`: removes a file once every target has proof of it, and never one that has changed since.
final class TakenFiles: Sendable {
    private let root: String, context: ModuleContext
    private let queue = DispatchQueue(label: "filmgate.folder.taken")
    /// Files that are being looked up or removed.
    private let busy = DispatchGroup()

    init(root: String, context: ModuleContext) { (self.root, self.context) = (root, context) }

    func settled(_ settled: Settled) {
        let origin = settled.asset.origin
        switch settled.ending {
        case .delivered, .duplicate:
            let receipts = Array(settled.asset.receipts.values), sha256 = settled.asset.digests?.sha256
            if Self.isProven(receipts, of: sha256) { remove(origin, of: sha256, receipts) } else { keep(origin) }
        case .alreadySeen:
            guard let content = settled.content, let ledger = context.lookup.ledger else { return }
            busy.enter()
            Task {
                defer { busy.leave() }
                let rows = await Result { () async throws(IngestError) in try await ledger.deliveries(of: content) }
                guard let receipts = try? rows.get().map(\.receipt) else { return }
                if Self.isProven(receipts, of: content.sha256) { self.remove(origin, of: content.sha256, receipts) }
            }
        case .setAside, .pending, .filtered: break
        }
    }

    /// Read again, or confirmed by the server, at every target that was to have it; and one of them has the original, no stamped copy.
    static func isProven(_ receipts: [Receipt], of sha256: String?) -> Bool {
        let wanted = receipts.filter { $0.state != .excluded }
        guard let sha256, wanted.contains(where: { $0.sha256 == sha256 }) else { return false }
        return wanted.allSatisfy { $0.state == .done && ($0.verified == .reread || $0.verified == .server) }
    }

    /// Returns once every file that was to go is gone.
    func concluded() async {
        await withCheckedContinuation { done in busy.notify(queue: queue) { done.resume() } }
    }

    private func keep(_ origin: Origin) {
        context.logger.info("\(PathText.shown(origin.path)) stays: a target has it but cannot prove it.")
    }

    private func remove(_ origin: Origin, of sha256: String?, _ receipts: [Receipt]) {
        let logger = context.logger
        queue.async(group: busy) {
            // What an older receipt says is no proof that the copy is still there.
            for receipt in receipts where receipt.verified == .reread && receipt.sha256 == sha256 {
                guard let copy = receipt.path, copy.utf8.first == 0x2F else { continue }
                guard let there = (try? FileFacts.of(copy)) ?? nil, there.size == origin.size else { return }
            }
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
