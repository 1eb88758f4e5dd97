public import FilmgateCore
import Glibc
import Synchronization

/// How far a long transfer has come, beside its `.part` file, for the run after a crash: which file of which source,
/// and up to which byte the part surely lies on the disk.
///
/// Two records in turn, each with a checksum of its own: a record that a crash tore leaves the older one. What is
/// recorded was flushed before.
public final class PartJournal: Sendable {
    /// The last byte offset that survived, and the SHA-256 of everything before it.
    public struct Checkpoint: Sendable, Hashable {
        public var offset: UInt64, sha256: String

        public init(offset: UInt64, sha256: String) { (self.offset, self.sha256) = (offset, sha256) }
    }
    static let suffix = ".resume"
    private static let title = "filmgate part 1 ", recordSize = 128
    private static let headSize = title.utf8.count + 64 + 1

    public let part: String, identity: String
    private struct State { var file: OpenFile?, count = 0, isGivenUp = false }
    private let state = Mutex(State())

    /// For the transfer of `identity` into `part`; nothing is written before the first checkpoint.
    public init(for part: String, identity: String) { (self.part, self.identity) = (part, identity) }

    /// Stands for an object in a journal: every part of where it comes from counts, its device's identity, path, size
    /// and time.
    public static func identity(of origin: Origin) -> String {
        MultiHasher.digest(of: Array("\(origin.source)\u{1F}\(origin.id.rawValue)".utf8), .sha256)
    }

    static func path(of part: String) -> String { (part.hasSuffix(".part") ? String(part.dropLast(5)) : part) + suffix }

    /// True when there is anything to find again.
    public var isOpen: Bool { state.withLock { $0.file != nil } }

    /// Flushes what `writer` has taken so far and records it.
    ///
    /// Blocks for the disk. A disk that takes no more is no failure of the transfer: the journal then stays as it is.
    @discardableResult public func checkpoint(_ writer: PartWriter) -> Checkpoint? {
        state.withLock { state in
            guard !state.isGivenUp else { return nil }
            do throws(IngestError) {
                guard let checkpoint = try writer.settled() else { return nil }
                try record(checkpoint, &state)
                return checkpoint
            } catch {
                state.isGivenUp = true
                return nil
            }
        }
    }

    /// Records bytes that are on the disk already.
    public func checkpoint(_ checkpoint: Checkpoint) throws(IngestError) {
        try state.withLock { state throws(IngestError) in try record(checkpoint, &state) }
    }

    /// Waits for a checkpoint that is being made, and makes no more until `checkpoint(_: Checkpoint)`.
    public func close() { state.withLock { $0.isGivenUp = true } }

    /// The transfer is over: nothing is to be found again.
    public func remove() {
        state.withLock { state in
            state.isGivenUp = true
            guard state.file != nil else { return }
            state.file = nil
            FileSystem.remove(Self.path(of: part))
        }
    }

    private func record(_ checkpoint: Checkpoint, _ state: inout State) throws(IngestError) {
        let path = Self.path(of: part)
        if state.file == nil {
            let file = try OpenFile.creating(path, mode: 0o600)
            try file.write(Array((Self.title + identity + "\n").utf8).span.bytes)
            state.file = file
        }
        guard let file = state.file else { return }
        let place = Self.headSize + (state.count % 2) * Self.recordSize
        state.count += 1
        let line = Self.line(checkpoint, identity)
        let written = line.withUnsafeBytes { pwrite(file.descriptor, $0.baseAddress, $0.count, off_t(place)) }
        guard written == line.count else { throw .writing(path, written < 0 ? errno : EIO) }
        try Flush.data(of: file)
        if state.count == 1 { try Flush.directory(parent(of: path)) }
    }

    /// Offset, digest, checksum; filled up to its size.
    private static func line(_ checkpoint: Checkpoint, _ identity: String) -> [UInt8] {
        let text = "\(checkpoint.offset) \(checkpoint.sha256)"
        var line = Array("\(text) \(check(text, identity))".utf8)
        line += [UInt8](repeating: 0x20, count: max(0, recordSize - 1 - line.count)) + [0x0A]
        return line
    }

    private static func check(_ text: String, _ identity: String) -> String {
        String(MultiHasher.digest(of: Array("\(identity) \(text)".utf8), .sha256).prefix(16))
    }

    /// What the journal at `path` says; nil when it says nothing that can be relied on.
    static func read(_ path: String) -> (identity: String, checkpoint: Checkpoint)? {
        guard let bytes = try? FileSystem.contents(of: path, limit: 4096), bytes.count >= headSize,
            bytes.starts(with: title.utf8), bytes[headSize - 1] == 0x0A
        else { return nil }
        let identity = String(decoding: bytes[title.utf8.count..<headSize - 1], as: UTF8.self)
        var best: Checkpoint?
        for start in [headSize, headSize + recordSize] where bytes.count >= start + recordSize {
            let words = bytes[start..<start + recordSize].split { $0 == 0x20 || $0 == 0x0A }.map {
                String(decoding: $0, as: UTF8.self)
            }
            guard words.count == 3, let offset = UInt64(words[0]),
                words[2] == check("\(words[0]) \(words[1])", identity)
            else { continue }
            if offset >= best?.offset ?? 0 { best = Checkpoint(offset: offset, sha256: words[1]) }
        }
        return best.map { (identity, $0) }
    }
}
