import FileKit
import FilmgateCore
import StampKit

/// Makes the stamped files, on threads that may block.
struct StampWriter: Sendable {
    struct Job: Sendable {
        var stamp: Stamp
        /// The original's bytes.
        var path: String
        var modified: Int64
        var stamping: Stamping
    }
    enum Outcome: Sendable {
        case made(Rendition)
        /// It would lose something; why, in a sentence.
        case refused(String)
    }

    private let pool = BlockingPool(width: 2)

    func picture(_ job: Job) async throws(IngestError) -> Outcome {
        try await pool.run { () throws(IngestError) in
            let source = try SourceFile(job.path)
            let picture: StampedJPEG?
            do throws(StampFault) { picture = try Self.stamped(source, job.stamp) } catch {
                return .refused(error.description)
            }
            guard let picture else { return .refused("no picture data were found in it") }
            let rendition = try Self.write(job) { sink throws(IngestError) in
                try sink.take(picture.head)
                try source.pass(from: picture.rest, to: sink)
            }
            return .made(rendition)
        }
    }

    func merged(_ job: Job) async throws(IngestError) -> Outcome {
        try await pool.run { () throws(IngestError) in
            let source = try SourceFile(job.path)
            guard source.size <= UInt64(XMPSidecar.limit) else { return .refused("it is too large for a sidecar") }
            let bytes: [UInt8]
            do throws(StampFault) { bytes = try XMPSidecar.merged(source.beginning(XMPSidecar.limit), job.stamp) } catch
            {
                return .refused(error.description)
            }
            return .made(try Self.write(job) { sink throws(IngestError) in try sink.take(bytes) })
        }
    }

    func sidecar(_ job: Job) async throws(IngestError) -> Outcome {
        try await pool.run { () throws(IngestError) in
            let bytes: [UInt8]
            do throws(StampFault) { bytes = try XMPSidecar.made(job.stamp) } catch {
                return .refused(error.description)
            }
            return .made(try Self.write(job, keeping: true) { sink throws(IngestError) in try sink.take(bytes) })
        }
    }

    /// More of the beginning is read until the picture data come; nil when they do not.
    private static func stamped(_ source: SourceFile, _ stamp: Stamp) throws(StampFault) -> StampedJPEG? {
        var size = 256 << 10
        while true {
            let beginning = source.beginning(size)
            if let picture = try StampedJPEG(beginning, stamp) { return picture }
            if size >= StampedJPEG.longestHead || beginning.count < size { return nil }
            size *= 4
        }
    }

    /// Writes what `body` passes on, or in a dry run only counts and hashes it.
    ///
    /// `keeping`: nobody could make it again, so it outlives this process.
    private static func write(_ job: Job, keeping: Bool = false, _ body: (StampInput) throws(IngestError) -> Void)
        throws(IngestError)
        -> Rendition
    {
        guard let last = job.stamping.newFiles.last else {
            let input = StampInput(counting: job.stamping.digests)
            try body(input)
            let (size, digests) = input.counted()
            return Rendition(file: LocalFile(path: "", size: size, ownership: .staged), digests: digests)
        }
        for newFile in job.stamping.newFiles.dropLast() {
            do throws(IngestError) { return try write(job, to: newFile(), keeping, body) } catch {
                if error.code != .storageFull { throw error }
            }
        }
        return try write(job, to: last(), keeping, body)
    }

    private static func write(
        _ job: Job, to path: String, _ keeping: Bool, _ body: (StampInput) throws(IngestError) -> Void
    ) throws(IngestError) -> Rendition {
        do throws(IngestError) {
            let writer = try PartWriter(path, algorithms: job.stamping.digests)
            try body(StampInput(writer))
            let (size, digests) = try writer.finish(modified: job.modified)
            let final = keeping ? try StagingArea.keep(path) : path
            return Rendition(file: LocalFile(path: final, size: size, ownership: .staged), digests: digests)
        } catch {
            FileSystem.remove(path)
            throw error
        }
    }

    /// Removes what was made of `asset` and is of no use any more.
    static func discard(_ asset: Asset) {
        for made in asset.renditions.values + asset.companions.map(\.rendition) where !made.file.path.isEmpty {
            FileSystem.remove(made.file.path)
        }
    }
}

/// What is written on: a file, or only its size and digests.
final class StampInput {
    private let writer: PartWriter?
    private var hasher: MultiHasher
    private var size: UInt64 = 0

    init(_ writer: PartWriter) {
        self.writer = writer
        hasher = MultiHasher()
    }

    init(counting digests: Set<DigestAlgorithm>) {
        writer = nil
        hasher = MultiHasher(digests)
    }

    func take(_ bytes: [UInt8]) throws(IngestError) {
        if let writer { return try writer.write(bytes.span.bytes) }
        hasher.update(bytes.span.bytes)
        size += UInt64(bytes.count)
    }

    func counted() -> (size: UInt64, digests: Digests) {
        var spent = MultiHasher()
        swap(&spent, &hasher)
        return (size, spent.finish())
    }
}
