import CardSource
import ExifStage
import FilmgateCore
import Logging
import Synchronization

/// Reads the facts of files side by side and tells them in card order.
struct Inspection {
    let paths: [String]
    let logger: Logger

    /// `tell` gets every media file once, with a problem where it could not be read.
    ///
    /// Returns the number of problems.
    func run(_ tell: @escaping @Sendable (Asset, String?) -> Void) async throws(IngestError) -> Int {
        var config = CardSource.Config()
        config.paths = paths
        var context = ModuleContext(name: "inspect", logger: logger, state: "")
        context.lookup.services = Modules.makerNotes
        let card = try CardSource(config, context), exif = try ExifStage(ExifStage.Config(), context)
        var problems = 0
        for place in try await card.places() {
            let session = try await card.open(place)
            let entries = try await session.entries()
            problems += await read(entries, from: session, with: exif, tell)
            await session.close()
        }
        return problems
    }

    private func read(
        _ entries: [SourceEntry], from session: any SourceSession, with exif: ExifStage,
        _ tell: @escaping @Sendable (Asset, String?) -> Void
    ) async -> Int {
        let printer = InOrder(tell)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    while let index = printer.next(below: entries.count) {
                        printer.done(index, await Self.facts(of: entries[index], from: session, with: exif))
                    }
                }
            }
        }
        return printer.problems
    }

    /// Nil for entries that are no media: junk, links, unknown kinds.
    private static func facts(of entry: SourceEntry, from session: any SourceSession, with exif: ExifStage) async -> (
        Asset, String?
    )? {
        var asset = Asset(origin: entry.origin, kind: entry.kind, shot: entry.shot)
        switch entry.fate {
        case .filtered: return nil
        case .unreadable(let reason): return (asset, reason)
        case .take: break
        }
        guard entry.kind != .other, let path = session.localPath(entry.origin) else { return nil }
        asset.file = LocalFile(path: path, size: entry.origin.size, ownership: .source)
        let result = await Result { () async throws(IngestError) in
            try await exif.process(asset, of: Shot(key: entry.shot.key, assets: [asset]))
        }
        switch result {
        case .success(.pass(let read)): return (read, nil)
        case .success: return (asset, nil)
        case .failure(let error): return (asset, error.message)
        }
    }
}

/// Hands results on in the order of their numbers, whatever order they come in.
final class InOrder: Sendable {
    private struct State {
        var given = 0, next = 0, problems = 0
        var early: [Int: (Asset, String?)?] = [:]
    }
    private let state = Mutex(State())
    private let tell: @Sendable (Asset, String?) -> Void

    init(_ tell: @escaping @Sendable (Asset, String?) -> Void) { self.tell = tell }

    var problems: Int { state.withLock { $0.problems } }

    /// The next number to work on, each once; nil when all are given out.
    func next(below count: Int) -> Int? {
        state.withLock { state in
            guard state.given < count else { return nil }
            defer { state.given += 1 }
            return state.given
        }
    }

    func done(_ index: Int, _ result: (Asset, String?)?) {
        state.withLock { state in
            state.early[index] = .some(result)
            while let ready = state.early.removeValue(forKey: state.next) {
                state.next += 1
                guard let (asset, problem) = ready else { continue }
                if problem != nil { state.problems += 1 }
                tell(asset, problem)
            }
        }
    }
}
