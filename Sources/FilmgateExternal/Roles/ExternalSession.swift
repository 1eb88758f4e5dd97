import FilmgateCore
import HTTPKit
import Synchronization

/// One open place of a source that is a program.
///
/// A child that died is started again and opens the place anew; a file is then read again from its beginning, and what
/// had come is compared.
struct ExternalSession: SourceSession {
    static let limit = 1_000_000

    let place: SourcePlace, volume: String, traits: SessionTraits
    let children: ChildPool
    private let listed = Listed()
    private var module: String { children.setup.program.name }

    init(place: SourcePlace, volume: String, children: ChildPool, identifiesDevice: Bool) {
        (self.place, self.volume, self.children) = (place, volume, children)
        traits = SessionTraits(identifiesDevice: identifiesDevice, parallelFetches: 1)
    }

    func entries() async throws(IngestError) -> [SourceEntry] {
        let maker = EntryReader(place: place, volume: volume, module: module), found = Mutex<[ListedEntry]>([])
        let answer = try await lasting {
            found.withLock { $0 = [] }
            return (
                Request(verb: "list"),
                { value throws(IngestError) in
                    let entry = try maker.read(value)
                    let count = found.withLock { found in
                        found.append(entry)
                        return found.count
                    }
                    guard count <= Self.limit else {
                        throw IngestError(.unavailable, "\(place.label) lists more than \(Self.limit) files.")
                    }
                }
            )
        }
        guard answer != nil else { throw IngestError(.misconfigured, "The module `\(module)` does not know `list`.") }
        return try listed.take(found.withLock { $0 }, place)
    }

    func localPath(_ origin: Origin) -> String? { listed.file(origin) }

    func fetch(_ origin: Origin, from offset: UInt64, into sink: any ByteSink) async throws(IngestError) {
        let reading = RepeatedRead(sink, of: origin.path, from: offset), refused = Mutex<IngestError?>(nil)
        var left = 3
        while true {
            let (start, sink) = reading.attempt(), position = Mutex(start)
            let take = { @Sendable (bytes: ArraySlice<UInt8>) throws(IngestError) in
                let end = position.withLock { $0 } + UInt64(bytes.count)
                guard end <= origin.size else {
                    throw IngestError(
                        .corruptData,
                        "\(origin.path) is longer than the \(origin.size) bytes that \(place.label) announced.")
                }
                do throws(IngestError) { try sink.write(bytes.span.bytes) } catch {
                    refused.withLock { $0 = error }
                    throw error
                }
                position.withLock { $0 = end }
            }
            do throws(IngestError) {
                // A new pipe for every try: what a child wrote before it went wrong is not in the way of what is sent
                // now.
                let fifo = try Fifo(take)
                defer { fifo.remove() }
                let arguments: JSONObject = [
                    "path": .string(origin.volumePath), "size": .count(origin.size), "offset": .count(start),
                    "into": .string(fifo.path),
                ]
                guard try await children.ask(Request(verb: "fetch", arguments: arguments), fifo: fifo) != nil else {
                    throw IngestError(.misconfigured, "The module `\(module)` does not know `fetch`.")
                }
                break
            } catch {
                // A child whose bytes are not taken any more may die of it: that is not its failure.
                if let refused = refused.withLock(\.self) { throw refused }
                left -= 1
                guard error.code == .unavailable, left > 0 else { throw lost(error) }
            }
        }
        guard reading.position == origin.size else {
            throw IngestError(
                .corruptData,
                "\(place.label) announced \(origin.size) bytes of \(origin.path) and sent \(reading.position).")
        }
    }

    func close() async { await children.close() }

    /// Asks again where a child died over it.
    private func lasting(
        _ make: () -> (Request, @Sendable (JSONValue) throws(IngestError) -> Void)
    ) async throws(IngestError) -> JSONValue? {
        var left = 3
        while true {
            let (request, entry) = make()
            do throws(IngestError) { return try await children.ask(request, entry: entry) } catch {
                left -= 1
                guard error.code == .unavailable, left > 0 else { throw lost(error) }
            }
        }
    }

    /// A source that cannot be asked any more is lost and come back to; it does not set its files aside.
    private func lost(_ error: IngestError) -> IngestError {
        guard error.code == .unavailable else { return error }
        return IngestError(
            .deviceGone, "\(place.label): \(error.message)", advice: error.advice, retryAfter: error.retryAfter,
            cause: error)
    }
}

/// Where the files of a session lie, for those that are ordinary local files.
private final class Listed: Sendable {
    private let files = Mutex<[AssetID: String]>([:])

    func file(_ origin: Origin) -> String? { files.withLock { $0[origin.id] } }

    /// Shots in the child's order, the files of one together and its primary first.
    ///
    /// `unavailable` when a file is listed twice.
    func take(_ entries: [ListedEntry], _ place: SourcePlace) throws(IngestError) -> [SourceEntry] {
        var shots: [[SourceEntry]] = [], places: [String: Int] = [:], seen: Set<AssetID> = []
        var found: [AssetID: String] = [:]
        for one in entries {
            guard seen.insert(one.entry.origin.id).inserted else {
                throw IngestError(.unavailable, "\(place.label) lists \(one.entry.origin.path) twice.")
            }
            found[one.entry.origin.id] = one.file
            if let place = places[one.entry.shot.key] {
                shots[place].append(one.entry)
            } else {
                places[one.entry.shot.key] = shots.count
                shots.append([one.entry])
            }
        }
        files.withLock { $0 = found }
        return shots.flatMap { shot in
            shot.enumerated().sorted { ($0.element.kind.rank, $0.offset) < ($1.element.kind.rank, $1.offset) }.map(
                \.element)
        }
    }
}
