public import FilmgateCore
import Glibc
import Synchronization

/// A source under test, with something to take from.
public struct SourceBench: Sendable {
    public var make: @Sendable () async throws -> any SourceDriver
    public init(_ make: @escaping @Sendable () async throws -> any SourceDriver) { self.make = make }

    /// The first place, opened and listed; closed afterwards.
    func use(_ body: (any SourceSession, [SourceEntry]) async throws -> Void) async throws {
        let driver = try await make()
        guard let place = try await driver.places().first else { throw CheckFailure("There is no place to take from.") }
        let session = try await driver.open(place), entries = try await session.entries()
        try expect(entries.contains { $0.fate == .take && $0.origin.size > 1 }, "There is no file to take.")
        do { try await body(session, entries) } catch {
            await session.close()
            throw error
        }
        await session.close()
    }
}

/// What every source keeps to, wherever its files come from.
public enum SourceConformance {
    /// Files that a check reads.
    static let sample = 20

    public static let checks: [Check<SourceBench>] = [
        Check("finds the same places again, and each is the same volume") { bench in
            let driver = try await bench.make(), other = try await bench.make()
            let places = try await driver.places(), again = try await other.places()
            try expect(!places.isEmpty && places == again, "It found other places.")
            let first = try await driver.open(places[0]), second = try await other.open(places[0])
            try expect(first.volume == second.volume && !first.volume.isEmpty, "The volume is another one.")
            await first.close()
            await second.close()
        },
        Check("lists every file once, in the same order each time") { bench in
            try await bench.use { session, entries in
                try expect(Set(entries.map(\.origin.id)).count == entries.count, "A file is listed twice.")
                let again = try await session.entries()
                try expect(again.map(\.origin) == entries.map(\.origin), "The second listing was not like the first.")
                for entry in entries {
                    let parts = entry.origin.path.split(separator: "/", omittingEmptySubsequences: false)
                    try expect(
                        parts.allSatisfy { !$0.isEmpty && $0 != "." && $0 != ".." },
                        "`\(entry.origin.path)` is no path below a place.")
                }
            }
        },
        Check("the files of a shot follow each other, its primary first") { bench in
            try await bench.use { _, entries in
                var seen: Set<String> = [], last = "", rank = 0
                for entry in entries {
                    if entry.shot.key != last {
                        try expect(seen.insert(entry.shot.key).inserted, "The shot \(entry.shot.key) is torn apart.")
                    }
                    if entry.shot.key == last {
                        try expect(entry.kind.rank >= rank, "\(entry.origin.path) comes after what follows it.")
                    }
                    (last, rank) = (entry.shot.key, entry.kind.rank)
                }
            }
        },
        Check("gives as many bytes as it announced, the same each time") { bench in
            try await bench.use { session, entries in
                for entry in entries.filter({ $0.fate == .take }).prefix(sample) {
                    let first = try await bytes(of: entry, session), second = try await bytes(of: entry, session)
                    try expect(
                        UInt64(first.count) == entry.origin.size,
                        "\(entry.origin.path): \(first.count) of \(entry.origin.size) bytes.")
                    try expect(first == second, "\(entry.origin.path) has other bytes the second time.")
                }
            }
        },
        Check("reads on from where it was") { bench in
            try await bench.use { session, entries in
                for entry in entries.filter({ $0.fate == .take && $0.origin.size > 1 }).prefix(3) {
                    let whole = try await bytes(of: entry, session), half = entry.origin.size / 2
                    let rest = try await bytes(of: entry, session, from: half)
                    try expect(
                        rest == Array(whole.dropFirst(Int(half))), "\(entry.origin.path) goes on with other bytes.")
                    let nothing = try await bytes(of: entry, session, from: entry.origin.size)
                    try expect(nothing.isEmpty, "It sends bytes beyond the end.")
                }
            }
        },
        Check("a file that is not there is an error, and the next one is read") { bench in
            try await bench.use { session, entries in
                guard let entry = entries.first(where: { $0.fate == .take }), session.localPath(entry.origin) == nil
                else { return }
                var origin = entry.origin
                (origin.path, origin.volumePath) = (origin.path + ".gone", origin.volumePath + ".gone")
                try await expectError(.notFound, .unreadable, .corruptData, .rejected) { () async throws(IngestError) in
                    try await session.fetch(origin, from: 0, into: BoundedMemorySink())
                }
                try expect(
                    UInt64(try await bytes(of: entry, session).count) == entry.origin.size, "It reads nothing any more."
                )
            }
        },
        Check("a sink that is full ends the reading with its own error") { bench in
            try await bench.use { session, entries in
                guard let entry = entries.first(where: { $0.fate == .take && $0.origin.size > 1 }),
                    session.localPath(entry.origin) == nil
                else { return }
                try await expectError(.storageFull) { () async throws(IngestError) in
                    try await session.fetch(entry.origin, from: 0, into: BoundedMemorySink(limit: 1))
                }
                try expect(
                    UInt64(try await bytes(of: entry, session).count) == entry.origin.size, "It reads nothing any more."
                )
            }
        },
        Check("closing twice is harmless") { bench in
            try await bench.use { session, _ in await session.close() }
        },
    ]

    private static func read(_ path: String) throws(CheckFailure) -> [UInt8] {
        guard let file = fopen(path, "rb") else { throw CheckFailure("\(path) cannot be read.") }
        defer { fclose(file) }
        var bytes: [UInt8] = [], part = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = fread(&part, 1, part.count, file)
            if count == 0 { return bytes }
            bytes += part[..<count]
        }
    }

    private static func bytes(of entry: SourceEntry, _ session: any SourceSession, from offset: UInt64 = 0) async throws
        -> [UInt8]
    {
        if let path = session.localPath(entry.origin) {
            return Array(try read(path).dropFirst(Int(offset)))
        }
        let sink = BoundedMemorySink()
        try await session.fetch(entry.origin, from: offset, into: sink)
        return sink.bytes
    }
}

/// Keeps what is written into it.
final class BoundedMemorySink: ByteSink {
    private let held = Mutex<[UInt8]>([])
    private let limit: Int
    init(limit: Int = 64 << 20) { self.limit = limit }
    var bytes: [UInt8] { held.withLock { $0 } }

    func write(_ bytes: RawSpan) throws(IngestError) {
        let part = bytes.withUnsafeBytes { Array($0) }
        let count = held.withLock { held in
            held += part
            return held.count
        }
        if count > limit { throw IngestError(.storageFull, "The sink is full.") }
    }
}
