import FileKit
public import FilmgateCore

/// Delivers into a folder on this machine.
///
/// A name appears there only when its bytes are whole, flushed and (unless told otherwise) read back from the disk.
/// Nothing is ever replaced.
public final class FolderTarget: Module, UploadTarget {
    public static let manifest = Manifest(
        "folder", "Delivers into a folder, each file proven by reading it back, with an ASC MHL history if wanted.",
        gives: [.receipt])

    public let traits: TargetTraits
    private let store: FolderStore
    private let deliveries: BlockingPool, questions: BlockingPool

    public init(_ config: Config, _ context: ModuleContext) throws(IngestError) {
        let layout: FolderLayout
        do throws(ConfigError) { layout = try FolderLayout(config) } catch {
            throw IngestError(.misconfigured, error.message, advice: error.hint)
        }
        let root = FileSystem.canonical(layout.root)
        // Where the event names the folder, another event is another folder, as if its path had been written out.
        let event = layout.below.uses.contains("event") ? context.event : nil
        var traits = TargetTraits(
            identity: (["folder", root] + [event].compactMap { $0 }).joined(separator: ":"), localRoot: root,
            layout: layout.below,
            digests: config.mhl || config.verify == .reread ? [.xxh128] : [], parallel: config.workers)
        traits.listsDeliveries = config.mhl
        if config.path?.uses.contains("name") == true {
            traits.warnings.append(
                "`path` holds `{name}`, so every shot gets a folder that is called as its file, as in "
                    + "`IMG_0001.JPG/IMG_0001.JPG`: leave it out there, `name` says what files are called.")
        }
        self.traits = traits
        let historyWriter =
            config.mhl ? MHLHistoryWriter(root: root, state: context.state, logger: context.logger) : nil
        store = FolderStore(root: FolderRoot(root), verify: config.verify, historyWriter: historyWriter)
        deliveries = BlockingPool(width: config.workers)
        questions = BlockingPool(width: 2)
    }

    public func check() async throws(IngestError) {
        try await questions.stoppable { [store] _ throws(IngestError) in try store.check() }
    }

    public func occupancy(of path: String, for job: UploadJob) async throws(IngestError) -> Occupancy {
        try await questions.stoppable { [store] stop throws(IngestError) in
            try store.onDisk { () throws(IngestError) in
                try store.occupancy(of: path, for: job, cancelled: { stop.isRaised })
            }
        }
    }

    public func upload(_ job: UploadJob) async throws(IngestError) -> Receipt {
        try await deliveries.stoppable { [store] stop throws(IngestError) in
            try store.onDisk { () throws(IngestError) in try store.deliver(job, cancelled: { stop.isRaised }) }
        }
    }

    public func verify(_ receipt: Receipt, size: UInt64, sha256: String) async throws(IngestError) -> Verification {
        try await deliveries.stoppable { [store] stop throws(IngestError) in
            try store.onDisk { () throws(IngestError) in
                try store.verify(receipt, size: size, sha256: sha256, cancelled: { stop.isRaised })
            }
        }
    }

    public func finishRun(_ delivered: [DeliveredFile]) async throws(IngestError) {
        try await deliveries.stoppable { [store] _ throws(IngestError) in
            try store.onDisk { () throws(IngestError) in try store.finishRun(delivered) }
        }
    }
}
