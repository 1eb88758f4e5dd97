import FilmgateCore
import Glibc
import Synchronization
import Testing

@testable import CardKit
@testable import CardSource

@Suite struct FetchTests {
    final class Collector: ByteSink {
        private let bytes = Mutex<[UInt8]>([])
        var collected: [UInt8] { bytes.withLock { $0 } }
        func write(_ span: RawSpan) throws(IngestError) {
            let part = span.withUnsafeBytes { Array($0) }
            bytes.withLock { $0 += part }
        }
    }

    private let card = ScratchCard()
    private static let pattern = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 8) }
    private let content = Self.pattern

    private func prepared() async throws -> (any DiagnosingSession, Origin) {
        card.file([0xE9] + Array(".JPG".utf8), content)
        let opened = try await card.session(), session = try #require(opened as? any DiagnosingSession)
        return (session, try #require(try await session.entries().first?.origin))
    }

    @Test(arguments: [0, 1, 1 << 20, 2_999_999, 3_000_000]) func bytesComeFromAnyOffsetOn(_ offset: Int) async throws {
        let (session, origin) = try await prepared()
        let sink = Collector()
        try await session.fetch(origin, from: UInt64(offset), into: sink)
        #expect(sink.collected == Array(content[offset...]))
        await session.close()
        await session.close()
    }

    @Test func aFileThatShrankIsCorruptNotShort() async throws {
        let (session, origin) = try await prepared()
        card.file([0xE9] + Array(".JPG".utf8))
        #expect(truncate("\(card.path)/short", 0) == -1)
        var longer = origin
        longer.size += 1
        await #expect { try await session.fetch(longer, from: 0, into: Collector()) } throws: {
            ($0 as? IngestError)?.code == .corruptData
        }
    }

    /// A file that is missing is one thing, a card of which nothing is left under its name another: then no file is to
    /// blame.
    @Test(arguments: [true, false]) func aFolderThatWasMovedAwayIsGone(_ replaced: Bool) async throws {
        let (session, origin) = try await prepared()
        #expect(try await session.fate(of: origin, after: IngestError(.notFound, "It is missing.")) == nil)
        #expect(rename(card.path, card.path + "-moved") == 0)
        defer {
            unlink(card.path)
            rename(card.path + "-moved", card.path)
        }
        if replaced { close(open(card.path, O_WRONLY | O_CREAT, 0o644)) }
        await #expect {
            _ = try await session.fate(of: origin, after: IngestError(.notFound, "It is missing."))
        } throws: { ($0 as? IngestError)?.code == .deviceGone }
    }

    @Test func linksAndMissingFilesAreRefused() async throws {
        let (session, origin) = try await prepared()
        card.link("l.jpg", to: "/etc/passwd")
        var other = origin
        other.path = "l.jpg"
        await #expect { try await session.fetch(other, from: 0, into: Collector()) } throws: {
            ($0 as? IngestError)?.code == .unreadable
        }
        other.path = "none.jpg"
        await #expect { try await session.fetch(other, from: 0, into: Collector()) } throws: {
            ($0 as? IngestError)?.code == .notFound
        }
    }
}
