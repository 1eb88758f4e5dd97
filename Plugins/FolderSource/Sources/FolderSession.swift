import CardKit
import Dispatch
import FileKit
import FilmgateCore

/// One watched folder.
final class FolderSession: ReceivingSession, DiagnosingSession, ConcludingSession, ConditionReportingSession {
    let place: SourcePlace
    private let card: Card, loop: HotLoop, config: FolderSource.Config
    private let remover: TakenFiles?
    private let pool = BlockingPool(width: 2)
    /// The loop, while it tells what comes.
    private let telling = DispatchGroup()

    init(place: SourcePlace, card: Card, config: FolderSource.Config, loop: HotLoop, context: ModuleContext) {
        (self.place, self.card, self.config, self.loop) = (place, card, config, loop)
        // A plan gives no names back either.
        let removes = config.take == .move && context.lookup.service(WritesNothing.self) == nil
        remover = removes ? TakenFiles(root: card.root, context: context) : nil
    }

    var volume: String { card.volume.identity }
    var traits: SessionTraits {
        var traits = SessionTraits(identifiesDevice: true, parallelFetches: 4, home: card.home)
        (traits.inPlace, traits.keepsRefused) = (config.take == .inplace, true)
        return traits
    }

    func entries() async throws(IngestError) -> [SourceEntry] {
        let loop = loop
        return try await pool.run { () throws(IngestError) in try loop.list(cancelled: { loop.inbox.isClosed }) }
    }

    func arrivals() async throws(IngestError) -> AsyncStream<SourceNews> {
        let (stream, continuation) = AsyncStream<SourceNews>.makeStream()
        let loop = loop
        loop.inbox.whenLackingAny { continuation.yield(.changed) }
        continuation.onTermination = { _ in loop.inbox.close() }
        telling.enter()
        BlockingThread.run { [telling] in
            loop.run { shot in for entry in shot { continuation.yield(.arrived(entry)) } }
            continuation.finish()
            telling.leave()
        }
        return stream
    }

    func unfinished() async -> [(entry: SourceEntry, reason: String)] {
        let (loop, telling) = (loop, telling)
        loop.inbox.close()
        let found = await Result { () async throws(IngestError) in
            try await pool.run { () throws(IngestError) in
                // The loop belongs to one thread at a time.
                telling.wait(timeout: .now() + .seconds(5)) == .success ? loop.unfinished() : []
            }
        }
        return (try? found.get()) ?? []
    }

    /// Files that are waited for because they are not whole: nobody would miss them otherwise.
    func condition() async -> DeviceCondition {
        let lacking = loop.inbox.lacking.sorted { $0.key < $1.key }
        guard let (path, what) = lacking.first else {
            var quiet = DeviceCondition(notes: [])
            quiet.isQuick = false
            return quiet
        }
        let first = "\(Paths.name(path)) (\(what))"
        let note = lacking.count == 1 ? "waits for \(first)" : "waits for \(lacking.count) files: \(first), …"
        return DeviceCondition(notes: [note])
    }

    func localPath(_ origin: Origin) -> String? { origin.absolutePath }

    func fetch(_ origin: Origin, from offset: UInt64, into sink: any ByteSink) async throws(IngestError) {
        throw IngestError(.unexpected, "Files of a folder are read where they lie.")
    }

    /// A file that changed is taken again once it is whole; one that was renamed is taken under its new name.
    func fate(of origin: Origin, after failure: IngestError) async throws(IngestError) -> SourceEntry.Fate? {
        let loop = loop
        return try await pool.run { () throws(IngestError) in
            guard let root = try FileFacts.of(origin.root), root.kind == .directory else {
                throw IngestError(.deviceGone, "\(PathText.shown(origin.root)) is gone.")
            }
            guard let now = try FileFacts.of(origin.absolutePath) else {
                guard let name = loop.inbox.newName(of: origin.inode), !name.isSpelled(as: origin.path) else {
                    return nil
                }
                return .filtered("renamed before it could be read; taken as \(PathText.shown(name))")
            }
            guard failure.code == .corruptData || now.size != origin.size || now.modified != origin.modified else {
                return nil
            }
            loop.inbox.retake(origin.path)
            return .filtered("changed before it could be read; taken again when it is whole")
        }
    }

    func settled(_ settled: AssetResult) { remover?.settled(settled) }

    func concluded() async { await remover?.concluded() }

    func close() async { loop.inbox.close() }
}
